"""What the doctor can find: a code, how bad it is, why, and what to do."""

from typing import NamedTuple

# Chapter 13 has a section for each code.
PAGE = "notebooks/13-when-it-goes-wrong.html"


class Code(NamedTuple):
    """One disease.

    Attributes
    ----------
    severity : {"error", "warning", "note"}
    title, cause, remedy : str

    Examples
    --------
    >>> CODES["minus-lost"].severity
    'error'
    """

    severity: str
    title: str
    cause: str
    remedy: str


def link(code):
    """Return the place in the book where a code is explained.

    Examples
    --------
    >>> link("minus-lost")
    'notebooks/13-when-it-goes-wrong.html#doctor-minus-lost'
    """
    return f"{PAGE}#doctor-{code}"


_CAST = (
    "A cast of the module or of the input reaches this step: .half(),"
    " .to(bfloat16), a changed default dtype, or type_as(x)."
)
_KEEP = "Compute positions, rates and angles in float32 or more, and keep {}."

CODES = {
    # The call itself
    "raises": Code(
        "error", "The callable raises",
        "It wants other arguments than (x, position_ids).",
        "Wrap it with rope_edu.doctor.adapters, or in two lines of your own.",
    ),
    "no-array": Code(
        "error", "What comes back is no array of floats",
        "A tuple, None or an array of another kind is returned.",
        "Return the rotated x alone; for query and key together use"
        " adapters.from_pair.",
    ),
    "wrong-shape": Code(
        "error", "The shape of x is not kept",
        "Cosine and sine have more rows or channels than x, and broadcast;"
        " or axes are swapped and not swapped back.",
        "Cut the tables to the positions that were asked for; put the axes"
        " back.",
    ),
    "complex-output": Code(
        "error", "The result is complex",
        "The complex form is not turned back into pairs of real numbers.",
        "End with view_as_real(z).flatten(-2), or real and imaginary part.",
    ),
    "nan-output": Code(
        "error", "NaN or infinity comes back for finite numbers",
        "Tables from uninitialized memory, from bytes of another dtype, or"
        " from positions that overflow (float16 ends at 65504).",
        "Compute the tables after the module is on its device, in float32.",
    ),
    "not-repeatable": Code(
        "error", "The same call gives two results",
        "A counter or cache inside moves on with each call.",
        "Let the result depend on x and position_ids alone.",
    ),
    "call-refused": Code(
        "error", "A plain question is refused",
        "The callable is written for one shape of text only.",
        "Accept any batch, number of heads and number of positions.",
    ),
    # The map
    "no-rotation": Code(
        "error", "Positions make no difference",
        "Rates of zero (a buffer never filled, as after to_empty from the"
        " meta device), or the rotation is skipped.",
        "Recompute inv_freq where the module is built for good.",
    ),
    "turns-over-heads": Code(
        "error", "Heads are turned instead of positions",
        "The axis of the heads is taken for the sequence.",
        "Swap axes 1 and 2 of x, or say axes='sequence-first' if the"
        " callable wants (batch, sequence, heads, head_dim).",
    ),
    "heads-differ": Code(
        "error", "Heads are turned differently",
        "Cosine and sine broadcast along the wrong axis.",
        "Give the tables an axis of length 1 where x has its heads.",
    ),
    "not-linear": Code(
        "error", "The result is not linear in x",
        "Something beside the rotation happens: a norm, a bias, a clamp.",
        "Keep it out of the rotation.",
    ),
    "tail-changed": Code(
        "error", "Channels past the rotated ones are changed",
        "A partial rotation writes over, scales or drops its tail.",
        "Return x[..., rotary_dim:] as it came.",
    ),
    "not-in-pairs": Code(
        "error", "Channels do not turn in pairs",
        "The partner of a channel does not have that channel as partner:"
        " a roll or a wrong slice in place of rotate_half.",
        "Pair (2i, 2i + 1) or (i, i + d/2), in both directions.",
    ),
    "minus-lost": Code(
        "error", "One minus sign is missing",
        "The partner is (x2, x1) and not (-x2, x1).",
        "Use y1 = x1 cos - x2 sin, y2 = x2 cos + x1 sin.",
    ),
    "overwritten": Code(
        "error", "One half is computed from the other, already turned half",
        "x is overwritten in place before its second use.",
        "Compute both halves from the old x, then store them.",
    ),
    "tables-mixed": Code(
        "error", "The two rows of a pair turn by different angles",
        "Tables laid out for one layout, channels paired for the other:"
        " repeat_interleave with rotate_half, or concatenation with"
        " neighbors.",
        "Half-split: cat([angle, angle]). Interleaved: repeat each angle"
        " twice.",
    ),
    "not-a-turn": Code(
        "error", "Pairs are mixed, but not turned",
        "The 2x2 blocks fit no known slip.",
        "Compare with rope_edu.reference.rotate_blocks.",
    ),
    "direction-mixed": Code(
        "error", "Some pairs turn the other way",
        "A sign is lost for a part of the pairs, or rates above pi wrap.",
        "Give every pair the same sign, and check the largest rate.",
    ),
    "cos-sin-swapped": Code(
        "error", "Cosine and sine are exchanged",
        "The two tables come in the other order than they are used in.",
        "Swap them; position 0 must leave x as it is.",
    ),
    "position-shifted": Code(
        "error", "Positions do not start at 0",
        "Positions are counted from another number than they are given.",
        "Position 0 must leave x as it is. Scores in one text survive; keys"
        " from another code do not.",
    ),
    "not-still-at-zero": Code(
        "error", "Position 0 does not leave x as it is",
        "A phase is added that is no multiple of the rates.",
        "Compute angles as position times rate.",
    ),
    "norm-changes": Code(
        "error", "Norms depend on position or pair",
        "A decay as in xPos is applied, or cosine and sine come from"
        " different angles. With xPos, query and key need reciprocal"
        " factors: ask for each alone.",
        "Keep cos^2 + sin^2 the same for all pairs and positions.",
    ),
    "norm-scaled": Code(
        "warning", "Norms are multiplied, though the rates are unscaled",
        "An attention factor belongs to YaRN or LongRoPE.",
        "Leave it out, or pass the config that asks for it.",
    ),
    # Rates and precision
    "precision-positions": Code(
        "error", "Positions are rounded",
        _CAST, _KEEP.format("position_ids as integers until then"),
    ),
    "precision-frequencies": Code(
        "error", "Rates are rounded",
        _CAST, _KEEP.format("inv_freq out of the casts of the module"),
    ),
    "precision-angles": Code(
        "error", "Angles are rounded",
        _CAST, _KEEP.format("their product there, too"),
    ),
    "precision-tables": Code(
        "error", "Cosine and sine are rounded more than x",
        _CAST, _KEEP.format("the cached tables in that dtype"),
    ),
    "precision-arithmetic": Code(
        "error", "x itself is rounded",
        "The product runs in fewer bits than x has.",
        "Do the arithmetic in float32 or in the dtype of x, the wider one.",
    ),
    "angle-not-linear": Code(
        "error", "Angles are not position times rate",
        "Positions are bent: clipped, grouped, or scaled unevenly.",
        "Compare angles at the position named with its neighbors.",
    ),
    "length-dependent": Code(
        "warning", "The rates depend on the length of the text",
        "Meant in dynamic NTK and LongRoPE, a fault anywhere else: keys"
        " cached at one length do not fit queries at another.",
        "Pass the config to have both tables checked; cache keys unrotated.",
    ),
    "exponent-shifted": Code(
        "error", "The exponent is off by one pair",
        "A formula for i from 1 is used with i from 0, or the reverse.",
        "Use base ** (-2 i / d) with i = 0 ... d/2 - 1.",
    ),
    "exponent-wrong": Code(
        "warning", "The exponent looks wrong",
        "i/d for 2i/d, or d of the model for that of a head. A tiny base"
        " would give the same rates: vision models have some.",
        "Use base ** (-2 i / d) with d the rotated width of one head.",
    ),
    "rates-reciprocal": Code(
        "error", "Rates are upside down",
        "base ** (2 i / d) is passed where its reciprocal is wanted.",
        "Take the reciprocal.",
    ),
    "rates-in-turns": Code(
        "error", "Rates are too large by pi or 2 pi",
        "A rate in rad per token is taken for one in turns.",
        "Use position * inv_freq, without pi.",
    ),
    "rates-in-degrees": Code(
        "error", "Rates are too small by pi / 180",
        "Radians are taken for degrees.",
        "Use position * inv_freq, in rad.",
    ),
    "rates-garbage": Code(
        "error", "Rates do not fall from pair to pair",
        "Memory that was never filled, or divisors in the wrong order.",
        "Recompute inv_freq; no method makes a later pair faster.",
    ),
    # Memory
    "history-length": Code(
        "error", "A long text changes the next short one",
        "Rates or tables that were made for the long text stay in place.",
        "Compute the rates from the length of each call, or keep both.",
    ),
    "history-dtype": Code(
        "error", "A call in few bits changes the next one in many",
        "The shared table is cast in place, or made in the dtype of x.",
        "Keep one table in float32 and cast copies of it.",
    ),
    "input-changed": Code(
        "error", "The caller's arrays are written to",
        "The rotation works in place.",
        "Write into a new array; make in-place an option that says so.",
    ),
    # Positions
    "positions-ignored": Code(
        "error", "position_ids are ignored",
        "The table is cut to the length of x instead of indexed. Padding on"
        " the left, packing and decoding then go wrong.",
        "Index the table with position_ids.",
    ),
    "positions-counted": Code(
        "error", "Only the first of position_ids is used",
        "It is taken for an offset. Packed and padded texts go wrong.",
        "Index the table with all of position_ids.",
    ),
    "positions-misread": Code(
        "error", "position_ids are misread",
        "They are sorted, shifted or clipped on the way.",
        "Index the table with position_ids as they are.",
    ),
    "decode-differs": Code(
        "error", "A token alone is turned otherwise than in a text",
        "The offset is lost when one token comes at a time.",
        "Compute the position before the cache grows; never from x alone.",
    ),
    "rows-share-positions": Code(
        "error", "All rows get the positions of one",
        "position_ids[0] or one shared cache position is used.",
        "Index the table with (batch, sequence) positions.",
    ),
    "rows-mixed": Code(
        "error", "Positions of rows do not reach their rows",
        "The batch of position_ids broadcasts against the heads of x.",
        "Give the tables an axis of length 1 for the heads.",
    ),
    "batch-rows-differ": Code(
        "error", "Equal rows of a batch come back different",
        "A kernel steps by the wrong stride, or handles one row only.",
        "Compare each row with the same row called alone.",
    ),
    "ids-shared-wrong": Code(
        "error", "One row of positions is not shared by all rows",
        "position_ids of shape (1, sequence) broadcast along another axis.",
        "Broadcast along the batch, or raise.",
    ),
    "single-head-differs": Code(
        "error", "A single head is turned otherwise than several",
        "A shortcut or stride for one (key) head is wrong.",
        "Compare H = 1 with one head out of H = 2.",
    ),
    "strides-matter": Code(
        "error", "The memory layout of x changes the result",
        "A kernel takes x for contiguous.",
        "Use its strides, or make a contiguous copy first.",
    ),
    "range-silent": Code(
        "error", "Positions past the table are turned wrongly, silently",
        "An index past the end is clamped, wrapped or reads other memory.",
        "Grow the table, compute the angles directly, or raise.",
    ),
    "range-negative": Code(
        "warning", "Negative positions are turned wrongly, silently",
        "An index of -1 reads the end of the table.",
        "Raise, or compute the angles directly.",
    ),
    "range-short": Code(
        "error", "Positions that the config promises are refused",
        "The table is made for the original length, not the scaled one.",
        "Make it original length times factor long, or let it grow.",
    ),
    # Dtypes and gradients
    "dtype-changed": Code(
        "error", "The dtype of x is not kept",
        "Wider tables promote the result.",
        "Cast the result back to x.dtype.",
    ),
    "dtype-refused": Code(
        "error", "A dtype is refused",
        "The tables must have the dtype of x, or complex has no such dtype.",
        "Do the arithmetic in float32 and cast back.",
    ),
    "dtype-path-differs": Code(
        "error", "Another dtype takes another, wrong path",
        "The code for this dtype is a second one.",
        "Compare it with the float32 path on the same x.",
    ),
    "gradient-missing": Code(
        "error", "No gradient reaches x",
        "detach, no_grad, NumPy in between, or a backward that raises.",
        "Keep the rotation in the graph.",
    ),
    "gradient-wrong": Code(
        "error", "The gradient is wrong",
        "A hand-written backward: it must turn back by the same angles, for"
        " any strides.",
        "Backward is the forward with -position_ids, times the factor.",
    ),
    "key-differs": Code(
        "error", "Keys are not turned as queries are",
        "Scores then do not depend on n - m alone.",
        "Use one rotation for both.",
    ),
    "not-relative": Code(
        "error", "Scores depend on more than the offset",
        "Some positions are turned by another rule than the rest.",
        "Compare the two positions named one by one.",
    ),
    "group-broken": Code(
        "error", "Turning by m, then by n, is not turning by m + n",
        "Some positions are turned by another rule than the rest.",
        "Compare the positions named one by one.",
    ),
    # What was asked for
    "layout-differs": Code(
        "error", "The layout is another than asked for",
        "A converter's flag or permutation was left out.",
        "Permute W_q and W_k: rope_edu.layouts.permute_weight.",
    ),
    "direction-differs": Code(
        "error", "Pairs turn clockwise, the config's models the other way",
        "The sine has the other sign.",
        "Negate the sine, or swap the two channels of every pair.",
    ),
    "width-differs": Code(
        "error", "Another width is rotated than the config asks for",
        "partial_rotary_factor is ignored, or applied to another width.",
        "Rotate int(head_dim * partial_rotary_factor) channels.",
    ),
    "pairing-differs": Code(
        "error", "Channels are paired over another width than asked for",
        "A partial rotation pairs within its width, a proportional one"
        " within the whole head.",
        "Pair i with i + rotary_dim/2, or with i + head_dim/2.",
    ),
    "partial-for-proportional": Code(
        "error", "A partial rotation in place of a proportional one",
        "The share is read as a width; it is a share of the pairs of the"
        " whole head.",
        "Keep exponents and pairs of the whole head, and zero the rest.",
    ),
    "base-differs": Code(
        "error", "The base is another than the config's",
        "rope_theta is read from the wrong place, or a default is used.",
        "Pass the base of the config.",
    ),
    "scaling-ignored": Code(
        "error", "The scaling of the config is not applied",
        "The block is parsed and not used.",
        "Compute inv_freq with the scaling.",
    ),
    "scaling-inverted": Code(
        "error", "The factor is applied upside down",
        "1/8 is passed for 8, or a product stands for a quotient.",
        "Divide the rates by the factor.",
    ),
    "scaling-static": Code(
        "error", "One fixed table stands for one that follows the length",
        "The table for one length is used for all.",
        "Choose the table by the length of the whole text.",
    ),
    "scaling-unclamped": Code(
        "error", "Short texts get a base that is too small",
        "The dynamic factor is not kept at 1 or more.",
        "Use max(length, original length) in it.",
    ),
    "scaling-other": Code(
        "error", "Another scaling is applied than the config asks for",
        "rope_type is not looked at.",
        "Use the method that rope_type names.",
    ),
    "switch-off-by-one": Code(
        "error", "The table changes one token too early or too late",
        "Less-or-equal and less are mixed up: a text of exactly the"
        " original length belongs to the short table.",
        "Switch where length > original length.",
    ),
    "betas-swapped": Code(
        "error", "beta_fast and beta_slow are exchanged",
        "The two stand in the other order in another class.",
        "beta_fast (32) is the larger number of turns.",
    ),
    "ramp-differs": Code(
        "error", "YaRN's ramp is another one",
        "truncate, the upper limit or the variable of the ramp differ.",
        "Follow the code that the model was trained with.",
    ),
    "other-layer": Code(
        "error", "The rates of another type of layer are used",
        "One table is kept for all layers.",
        "Keep one table for each layer type.",
    ),
    "rates-differ": Code(
        "error", "The rates are not those of the config",
        "No known slip gives them.",
        "Compare inv_freq of the report with RopeConfig.table.",
    ),
    "attention-factor-differs": Code(
        "error", "Cosine and sine have another factor than the config's",
        "mscale, mscale_all_dim or attention_factor is read differently.",
        "cos^2 + sin^2 must be the square of the attention factor.",
    ),
}
