"""A gallery of public bugs: each one is the reference with a line changed.

A bug is a rotation ``fn(x, position_ids)`` for x of shape (batch, heads,
sequence, 8) and position_ids of shape (batch, sequence), or a maker of such
rotations where it remembers something. Its report is the public thread in
which it was found or asked about; the lines here are our own, and smaller
than the code they stand for. `symptoms` says what a test would see of it,
and `rope_edu.doctor` names it.
"""

import inspect
import re
import textwrap
from dataclasses import dataclass, field

import numpy as np

from rope_edu._checks import as_choice
from rope_edu.doctor import CODES, diagnose, from_pair
from rope_edu.doctor.rounding import rounded
from rope_edu.frequencies import inverse_frequencies
from rope_edu.layouts import half_to_interleaved, permute_weight
from rope_edu.reference import rotate
from rope_edu.running import INV_FREQ
from rope_edu.scaling import DynamicNTK, YaRN

NEAR, FAR = 16, 5000


def right(x, ids, inv_freq=INV_FREQ, layout="interleaved", factor=1.0):
    """Rotate with one position for each row and token, in the dtype of x.

    Parameters
    ----------
    x : numpy.ndarray, shape (batch, heads, sequence, head_dim)
    ids : numpy.ndarray, shape (batch, sequence)
        Positions in tokens.
    inv_freq : array_like, shape (pairs,)
        Radians per token; channels past ``2 * pairs`` are kept.
    layout : {"interleaved", "half"}
    factor : float
        Cosine and sine are multiplied by it.

    Returns
    -------
    numpy.ndarray, shape and dtype of `x`

    Examples
    --------
    >>> x, ids = np.ones((1, 1, 1, 2)), np.array([[1]])
    >>> right(x, ids, [1.0]).ravel().round(4).tolist()
    [-0.3012, 1.3818]
    """
    y = rotate(x, ids[:, None], inv_freq, layout, 2 * len(inv_freq))
    y[..., : 2 * len(inv_freq)] *= factor
    return y.astype(x.dtype)


@dataclass(frozen=True)
class Bug:
    """One bug of the gallery.

    Attributes
    ----------
    name : str
    report : str
        ``owner/repo#number`` or ``owner/repo PR number``; empty for a slip
        that is found in texts.
    code : callable
        The lines that are shown; the docstring says what is wrong.
    kind : {"x", "pair", "maker"}
        Whether `code` is ``fn(x, ids)``, ``fn(q, k, ids)``, or makes one.
    wanted : callable
        What ``fn(x, ids)`` should have returned.
    options : dict
        Passed to `rope_edu.doctor.diagnose`.

    Examples
    --------
    >>> BUGS["bf16-positions"].url
    'https://github.com/EleutherAI/gpt-neox/pull/1016'
    """

    name: str
    report: str
    code: object
    kind: str
    wanted: object
    options: dict = field(default_factory=dict)

    @property
    def url(self):
        """Address of the report."""
        if not self.report:
            return ""
        repository, kind, number = re.fullmatch(
            r"(\S+?)(#| PR )(\d+)", self.report).groups()
        kind = "issues" if kind == "#" else "pull"
        return f"https://github.com/{repository}/{kind}/{number}"

    @property
    def source(self):
        """The lines of the bug, without those that enter it here."""
        lines = inspect.getsource(self.code)
        return textwrap.dedent(lines[lines.index("def "):]).rstrip()

    def make(self):
        """Return the rotation ``fn(x, position_ids)``, with no memory yet.

        Examples
        --------
        >>> fn = BUGS["other-way-keys"].make()
        >>> x, ids = np.ones((1, 1, 1, 8)), np.array([[1]])
        >>> bool(np.allclose(fn.key(x, ids), right(x, -ids)))
        True
        """
        if self.kind == "maker":
            return self.code()
        return from_pair(self.code) if self.kind == "pair" else self.code

    def diagnose(self):
        """Return what the doctor says of it.

        Examples
        --------
        >>> BUGS["bf16-positions"].diagnose().codes
        ['precision-positions']
        """
        return diagnose(self.make(), 8, name=self.name, **self.options)


BUGS = {}


def bug(report, kind="x", wanted=right, **options):
    """Enter the function below into the gallery; its docstring is shown."""
    options.setdefault("layout", "interleaved")

    def enter(code):
        name = code.__name__.replace("_", "-")
        BUGS[name] = Bug(name, report, code, kind, wanted, options)
        return code

    return enter


def counted(x):
    """Positions 0, 1, 2, ... for every row of x."""
    return np.tile(np.arange(x.shape[2]), (x.shape[0], 1))


def cut_wrongly(k, twice):
    """Permute the channels of all heads as if there were more of them."""
    batch, heads, sequence, width = k.shape
    rows = k.swapaxes(1, 2).reshape(batch * sequence, heads * width).T
    rows = permute_weight(rows, twice * heads, "half").T
    return rows.reshape(batch, sequence, heads, width).swapaxes(1, 2)


# Layout and direction ------------------------------------------------------


@bug("huggingface/transformers#25199")
def other_layout(x, ids):
    """Half-split code, interleaved weights."""
    return right(x, ids, layout="half")


@bug("huggingface/transformers#40462")
def mixed_tables(x, ids):
    """Table for neighbors, partners half a head away."""
    angle = np.repeat(ids[:, None, :, None] * INV_FREQ, 2, axis=-1)
    one, two = np.split(x, 2, axis=-1)
    partner = np.concatenate([-two, one], axis=-1)
    return (x * np.cos(angle) + partner * np.sin(angle)).astype(x.dtype)


@bug("", "pair")
def other_way_keys(q, k, ids):
    """Keys turn clockwise, queries do not."""
    return right(q, ids), right(k, -ids)


@bug("jzhang38/TinyLlama#24", "pair")
def query_heads_for_keys(q, k, ids):
    """Rows of W_k are permuted with the number of query heads."""
    return right(q, ids), half_to_interleaved(
        right(cut_wrongly(k, twice=2), ids, layout="half"))


@bug("linkedin/Liger-Kernel#342", "pair")
def one_key_head(q, k, ids):
    """A single key head is not turned."""
    return right(q, ids), k if k.shape[1] == 1 else right(k, ids)


@bug("mlfoundations/open_lm#4", axes="heads-first")
def over_heads(x, ids):
    """The heads are taken for the sequence."""
    heads = np.arange(x.shape[1])[None]
    return right(x.swapaxes(1, 2), heads).swapaxes(1, 2)


# Precision -----------------------------------------------------------------


@bug("EleutherAI/gpt-neox PR 1016")
def bf16_positions(x, ids):
    """Positions in bfloat16."""
    return right(x, rounded(ids, "bfloat16"))


@bug("huggingface/transformers#25681")
def half_frequencies(x, ids):
    """Rates are cast to float16 with the model."""
    return right(x, ids, rounded(INV_FREQ, "float16"))


# Positions -----------------------------------------------------------------


@bug("huggingface/transformers#22161")
def ids_ignored(x, ids):
    """Padding on the left counts as text."""
    return right(x, counted(x))


@bug("NVIDIA/Megatron-LM#453")
def resets_ignored(x, ids):
    """A packed text does not start again at 0."""
    return right(x, ids[:, :1] + counted(x))


@bug("unslothai/unsloth#3699")
def shared_row(x, ids):
    """All rows get the positions of the first."""
    return right(x, np.repeat(ids[:1], len(ids), axis=0))


@bug("RobertCsordas/moeut PR 6")
def decode_at_zero(x, ids):
    """A token that comes alone is put at 0."""
    return right(x, ids if x.shape[2] > 1 else 0 * ids)


@bug("OpenNMT/CTranslate2 PR 1572")
def step_minus_one(x, ids):
    """Position -1 reads the end of the table."""
    return right(x, np.where(ids < 0, ids + 4096, ids))


@bug("pegainfer-project/pegainfer#220")
def table_ends(x, ids):
    """Past 4096 the table is read from its start."""
    return right(x, ids % 4096)


@bug("ml-explore/mlx#3494")
def rows_of_zeros(x, ids):
    """One token at a time: rows after the first are lost."""
    keep = (np.arange(len(x)) == 0) | (x.shape[2] > 1)
    return right(x, ids) * keep[:, None, None, None]


# Width, rates, memory ------------------------------------------------------

SIX = inverse_frequencies(6)


def partial(x, ids):
    """What a partial rotation of 6 of 8 channels should return."""
    return right(x, ids, SIX)


@bug("sgl-project/sglang#35096", wanted=partial)
def tail_overwritten(x, ids):
    """Channels past the rotated ones are overwritten."""
    y = right(x, ids, SIX)
    y[..., 6:] = 0
    return y


def layers(full, sliding):
    """A config whose two types of layers have different bases."""
    rules = {"full_attention": full, "sliding_attention": sliding}
    return {"head_dim": 8, "layer_types": list(rules), "rope_parameters": {
        name: {"rope_type": "default", "rope_theta": base}
        for name, base in rules.items()}}


@bug("Avarok-Cybersecurity/atlas PR 276",
     config=layers(full=1e6, sliding=1e4), layer_type="sliding_attention")
def other_layer(x, ids):
    """One base for layers of two types."""
    return right(x, ids, inverse_frequencies(8, 1e6))


YARN = YaRN(16.0, 4096).table(8, 1e4).inv_freq


def divided(x, ids):
    """What linear scaling by 8 should return."""
    return right(x, ids, INV_FREQ / 8)


def scaled(rule, **more):
    """A config with base 10000 and this rule."""
    return {"head_dim": 8, "rope_theta": 1e4, "rope_scaling": rule, **more}


@bug("ggml-org/llama.cpp#2530",
     wanted=divided,
     config=scaled({"type": "linear", "factor": 8.0}))
def factor_upside_down(x, ids):
    """Scale 8 is given for 1/8."""
    return right(x, ids, INV_FREQ * 8)


@bug("sgl-project/sglang PR 22711",
     wanted=lambda x, ids: right(x, ids, YARN),
     config=scaled({"type": "yarn", "factor": 16.0, "mscale": 1.0,
                    "mscale_all_dim": 1.0,
                    "original_max_position_embeddings": 4096}))
def factor_not_due(x, ids):
    """Mscale keys are not read: a factor on cosine and sine."""
    return right(x, ids, YARN, factor=0.1 * np.log(16) + 1)


METHOD = DynamicNTK(4.0, 300)


def dynamic(x, ids):
    """What dynamic scaling should return: rates for this text alone."""
    length = max(int(ids.max()) + 1, 1)
    return right(x, ids, METHOD.table(8, 1e4, length).inv_freq)


@bug("huggingface/transformers#27226",
     "maker", dynamic,
     config=scaled({"type": "dynamic", "factor": 4.0},
                   max_position_embeddings=300))
def never_reset():
    """A long text leaves its rates to the next one."""
    longest = [1]

    def fn(x, ids):
        longest[0] = max(longest[0], int(ids.max()) + 1)
        rates = METHOD.table(8, 1e4, longest[0]).inv_freq
        return right(x, ids, rates)

    return fn


@bug("unslothai/unsloth#5001")
def in_place(x, ids):
    """The caller's array is written to."""
    x[...] = right(x, ids)
    return x


# What a test would see -----------------------------------------------------


def _ask(fn, x, start, key=False):
    ids = start + np.arange(x.shape[2])[None]
    fn = getattr(fn, "key", fn) if key else fn
    return fn(x.copy(), ids)


def _plain(bug, start, length):
    """Query and key of a plain text, and what they should be.

    One row, one head, positions that count up: the text of a smoke test.
    """
    x = np.random.default_rng(0).normal(size=(1, 1, length, 8))
    ids, fn = start + np.arange(length)[None], bug.make()
    both = [_ask(fn, x, start, key) for key in (False, True)]
    return x, both, bug.wanted(x, ids)


def first_wrong(bug, stop=FAR):
    """First position of a plain text that is turned wrongly, or None.

    The text has one row and one head, and counts up from 0.

    Examples
    --------
    >>> first_wrong(BUGS["bf16-positions"])
    257
    """
    _, both, wanted = _plain(bug, 0, stop)
    wrong = [~np.isclose(y, wanted, rtol=0, atol=1e-9).all(axis=-1).ravel()
             for y in both]
    places = np.flatnonzero(np.any(wrong, axis=0))
    return int(places[0]) if len(places) else None


def keeps_norms(bug):
    """Whether query and key are as long as they should be."""
    for start in (0, FAR):
        _, both, wanted = _plain(bug, start, NEAR)
        norms = [np.linalg.norm(y, axis=-1) for y in (*both, wanted)]
        if not np.allclose(norms[:2], norms[2], rtol=0, atol=1e-9):
            return False
    return True


def is_relative(bug):
    """Whether no score of a text changes when the whole text moves."""
    scores = []
    for start in (0, 1, 250, 4090, FAR):
        _, (q, k), _ = _plain(bug, start, NEAR)
        scores.append(q @ k.swapaxes(-1, -2))
    return bool(np.allclose(scores, scores[0], rtol=0, atol=1e-9))


def symptoms(bug):
    """What tests with one row and one head would see.

    Parameters
    ----------
    bug : Bug

    Returns
    -------
    dict of bool
        Whether norms are right, scores relative, and the results right at
        position 0, up to `NEAR` and up to `FAR`.

    Examples
    --------
    >>> list(symptoms(BUGS["bf16-positions"]).values())
    [True, False, True, True, False]
    """
    first = first_wrong(bug)
    first = FAR if first is None else first
    return {
        "norm": keeps_norms(bug), "relative": is_relative(bug),
        "at 0": first > 0, f"to {NEAR}": first > NEAR,
        f"to {FAR}": first >= FAR,
    }


# Tables for the page -------------------------------------------------------


def _row(cells):
    return f"| {' | '.join(cells)} |"


def _literal(text):
    """Text in which Markdown finds no markup."""
    return re.sub(r"([\\`*_|\[\]<>])", r"\\\1", text)


def table(names=None):
    """Return the gallery as a Markdown table: bug, symptoms, finding.

    Parameters
    ----------
    names : sequence of str, optional
        Keys of `BUGS`, all by default.

    Examples
    --------
    >>> table(["in-place"]).splitlines()[-1].split(" | ")[0][-20:]
    ')) → `input-changed`'
    """
    chosen = [BUGS[as_choice("names", n, tuple(BUGS))] for n in names or BUGS]
    columns = ["bug → what the doctor finds", *symptoms(chosen[0])]
    rows = [_row(columns), _row(["---"] * len(columns))]
    for bug in chosen:
        seen = ["yes" if kept else "**no**" for kept in symptoms(bug).values()]
        told = ", ".join(f"`{code}`" for code in bug.diagnose().codes)
        rows.append(_row([f"{_told(bug)} → {told}", *seen]))
    return "\n".join(rows)


def _told(bug):
    """Name, what is wrong, and the report it stands for."""
    says = _literal(bug.code.__doc__.rstrip("."))
    thread = f" ([{bug.report.split('/')[1]}]({bug.url}))" if bug.url else ""
    return f"`{bug.name}`: {says[0].lower()}{says[1:]}{thread}"


def findings(first, last):
    """Return findings of the doctor as a Markdown table.

    Parameters
    ----------
    first, last : str
        Keys of `rope_edu.doctor.CODES`; those between are shown, too.

    Examples
    --------
    >>> findings("minus-lost", "overwritten").count("\\n")
    3
    """
    codes = list(CODES)
    shown = codes[codes.index(first): codes.index(last) + 1]
    rows = [_row(["finding", "cause", "remedy"]), _row(["---"] * 3)]
    for code in shown:
        found = CODES[code]
        rows.append(_row([
            f"`{code}` ({found.severity}): {_literal(found.title)}",
            _literal(found.cause), _literal(found.remedy)]))
    return "\n".join(rows)
