"""The rotary settings of a model, read from the content of its config.json.

Configs say the same thing in many ways: ``rope_scaling`` or
``rope_parameters``, ``type`` or ``rope_type``, one rule for all layers or one
for each type of layer, a base in any of several places. `RopeConfig` reads
them all and guesses nothing: what is missing, contradictory or unknown is an
error that names the key.
"""

import difflib
import json
import numbers
import re
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib.resources import files

from rope_edu._checks import (
    as_base,
    as_choice,
    as_count,
    as_even,
    as_layout,
    as_rotary_dim,
    as_width,
)
from rope_edu.scaling import (
    Default,
    DynamicNTK,
    Linear,
    Llama3,
    LongRoPE,
    NTKAware,
    Proportional,
    Scaling,
    YaRN,
    _as_length,
    _as_share,
)

ORIGINAL = "original_max_position_embeddings"
PARTIAL = "partial_rotary_factor"

_YARN = ("beta_fast", "beta_slow", "mscale", "mscale_all_dim")

# rope_type: the method, the keys it needs, the keys it may have.
METHODS = {
    "default": (Default, (), ()),
    "linear": (Linear, ("factor",), ()),
    "dynamic": (DynamicNTK, ("factor", ORIGINAL), ()),
    "yarn": (
        YaRN,
        ("factor", ORIGINAL),
        (*_YARN, "truncate", "attention_factor"),
    ),
    "longrope": (
        LongRoPE,
        ("short_factor", "long_factor", ORIGINAL),
        ("factor", "attention_factor"),
    ),
    "llama3": (
        Llama3,
        ("factor", "low_freq_factor", "high_freq_factor", ORIGINAL),
        (),
    ),
    "proportional": (Proportional, (PARTIAL,), ("factor",)),
    # HunYuan writes "dynamic" and an alpha, and means a fixed larger base.
    "ntk_alpha": (NTKAware, ("alpha",), ()),
}

# Keys read on the way to a method, or not read by it although it is theirs.
_MORE = {
    "longrope": ("short_mscale", "long_mscale"),
    "ntk_alpha": ("factor", *_YARN),
}
_EVERY = ("rope_type", "type", "rope_theta", PARTIAL)
_OURS = {ORIGINAL: "original_length", PARTIAL: "partial_factor"}
_ALIASES = {"su": "longrope", "mrope": "default", "deepseek_yarn": "yarn"}

# Keys that real configs carry and that leave the rates as they are: which
# axis of a picture a pair follows, which layers rotate, what a query is
# multiplied by, how a checkpoint came about.
ACCEPTED = (
    "finetuned",
    "interleaved",
    "llama_4_scaling_beta",
    "max_position_embeddings",
    "mrope_interleaved",
    "mrope_section",
    "no_rope_layer_interval",
    "no_rope_layers",
    "rotary",
    "rotary_value",
    "use_mem_rope",
    "xdrope_section",
)

_BASES = ("rope_theta", "rotary_emb_base")
# Bases of Gemma 3, ModernBERT and DeepSeek-V4, beside or instead of them.
_LAYER_BASES = {
    "full_attention": ("global_rope_theta",),
    "sliding_attention": ("rope_local_base_freq", "local_rope_theta"),
    "compress": ("compress_rope_theta",),
}
_SHARES = (PARTIAL, "rotary_pct", "rope_pct", "rotary_emb_fraction")
_LAYOUTS = ("rope_interleave", "rotary_emb_interleaved")
_HEADS = ("head_dim", "attention_head_dim", "kv_channels")
_HIDDEN = ("hidden_size", "n_embd")
_COUNTS = ("num_attention_heads", "n_head")
_LENGTHS = ("max_position_embeddings", "n_positions")
_READ = (
    "rope_parameters", "rope_scaling", "rotary_dim", "qk_rope_head_dim",
    "qk_nope_head_dim", *sum(_LAYER_BASES.values(), ()), *_BASES, *_SHARES,
    *_LAYOUTS,
)
_ROTARY = re.compile("(^|_)rope(_|$)|rotary")

# Classes of transformers 5.24 that rotate a part of the head where a config
# does not say so.
PARTIAL_BY_CLASS = {
    "bamba": 0.5, "codegen": 0.25, "dots3_note": 0.5, "glm": 0.5,
    "glm4": 0.5, "glm4_moe": 0.5, "glm4v_moe": 0.5, "glmasr": 0.5,
    "gpt_neox": 0.25, "gptj": 0.25, "moonshine": 0.9, "musicflamingo": 0.2,
    "nemotron": 0.5, "persimmon": 0.5, "phi": 0.5, "qwen3_5": 0.25,
    "qwen3_5_moe": 0.25, "qwen3_next": 0.25, "recurrent_gemma": 0.5,
    "stablelm": 0.25,
}

_MEANING = {
    "factor": "how many times longer the text may be",
    "alpha": "the factor of a fixed NTK-aware base",
    ORIGINAL: "the length in tokens before the rates were changed",
    "short_factor": "a divisor for each pair, for lengths up to the original",
    "long_factor": "a divisor for each pair, for lengths past the original",
    "low_freq_factor": "turns up to which a pair is divided; 1 in Llama 3.1",
    "high_freq_factor": "turns from which a pair stays; 4 in Llama 3.1",
    PARTIAL: "the share of the pairs that turn",
}


@dataclass(frozen=True)
class RopeConfig:
    """Widths, base and scaling of a rotation, checked when it is made.

    Parameters
    ----------
    head_dim : int
        Channels of one head. Where queries and keys have a part of their own
        for the rotation (DeepSeek-V2 and later), the width of that part.
    rotary_dim : int
        Even number of rotated channels, at most `head_dim`.
    base : float
        Finite number above 1.
    scaling : Scaling
        A method of `rope_edu.scaling`.
    layout : {"interleaved", "half"}, optional
        None where it is unknown: a config.json hardly ever says.

    Raises
    ------
    TypeError, ValueError
        If a width, the base or the layout is wrong, `scaling` is no method,
        or it does not fit the width and the base.

    Examples
    --------
    >>> RopeConfig(8, 4, 100.0).table().inv_freq.round(12).tolist()
    [1.0, 0.1]
    """

    head_dim: int
    rotary_dim: int
    base: float
    scaling: Scaling = Default()
    layout: str | None = None

    def __post_init__(self):
        width = as_even("rotary_dim", self.rotary_dim)
        method = isinstance(self.scaling, Scaling)
        if not method or type(self.scaling) is Scaling:
            raise TypeError(
                "scaling must be a method of rope_edu.scaling, such as"
                f" Linear(8), got {self.scaling!r}"
            )
        if self.layout is not None:
            as_layout(self.layout)
        checked = {
            "head_dim": as_width("head_dim", self.head_dim),
            "rotary_dim": as_rotary_dim(width, self.head_dim),
            "base": as_base(self.base),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)
        self.table(length=1)  # what does not fit the width shows here

    def table(self, length=None):
        """Rates of the pairs, and the factor of cosine and sine.

        Parameters
        ----------
        length : int, optional
            Tokens of the whole text, the largest position plus 1. To be
            given if ``scaling.depends_on_length``.

        Returns
        -------
        rope_edu.scaling.Table
            ``(inv_freq, attention_factor)``, of `length` alone: no call
            leaves a trace in the next.

        Raises
        ------
        TypeError, ValueError
            If `length` is not a positive integer, or is missing.

        Examples
        --------
        >>> RopeConfig(4, 4, 100.0, Linear(2)).table().inv_freq[0].tolist()
        0.5
        """
        return self.scaling.table(self.rotary_dim, self.base, length)

    @property
    def softmax_multiplier(self):
        """What the scores are multiplied by, see `YaRN.softmax_multiplier`.

        Examples
        --------
        >>> RopeConfig(8, 8, 100.0).softmax_multiplier
        1.0
        """
        return self.scaling.softmax_multiplier

    @classmethod
    def from_pretrained_config(cls, config, layer_type=None, strict=True):
        """Read the content of a Hugging Face ``config.json``.

        Parameters
        ----------
        config : mapping
            What ``json.load`` gives. Of a model for text and pictures, its
            ``text_config``. A key whose value is null counts as absent.
        layer_type : str, optional
            Such as ``"full_attention"`` or ``"sliding_attention"``: to be
            given where layers have rates of their own.
        strict : bool
            False turns the error about an unknown key into a warning. All
            other errors stay.

        Returns
        -------
        RopeConfig

        Raises
        ------
        TypeError
            If `config`, its ``rope_scaling`` or its ``rope_parameters`` is
            not a mapping, or a value has a wrong type.
        ValueError
            If a needed key is missing, two places contradict each other, a
            value is out of range, a key is unknown, or `layer_type` is; or
            if the config says that the model does not rotate.

        Notes
        -----
        The rotated width is ``qk_rope_head_dim``, ``rotary_dim``, or the
        whole part of ``partial_rotary_factor * head_dim``, as in
        transformers. The original length of ``"dynamic"`` is
        ``max_position_embeddings``.

        Examples
        --------
        >>> config = {
        ...     "hidden_size": 4096, "num_attention_heads": 32,
        ...     "rope_theta": 10000.0,
        ...     "rope_scaling": {"type": "linear", "factor": 4.0},
        ... }
        >>> RopeConfig.from_pretrained_config(config).scaling
        Linear(factor=4.0)
        """
        config = _as_mapping(config)
        _check_encoding(config)
        _check_lengths(config)
        _check_names(config, strict)
        rules = _layer_rules(config)
        rule = _chosen(rules, layer_type, config)
        kind = _kind(rule)
        _check_keys(kind, rule, strict)
        base = _base(rule, rules, config, layer_type)
        head_dim, rotary_dim = _widths(kind, rule, config, layer_type)
        scaling = _scaling(kind, rule, config)
        return cls(head_dim, rotary_dim, base, scaling, _layout(config))


def presets():
    """Settings of published models, from ``data/presets.json``.

    Each row of that file gives its source. A model whose layers differ has a
    row for each of its rules.

    Returns
    -------
    dict of str to RopeConfig
        A new dict at each call. The first entry is the running example of
        the book, all others are models.

    Examples
    --------
    >>> presets()["Llama 3.1 8B"].scaling
    ... # doctest: +NORMALIZE_WHITESPACE
    Llama3(factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0,
           original_length=8192)
    """
    table = files("rope_edu").joinpath("data", "presets.json")
    rows = json.loads(table.read_text("utf-8"))
    return {row["name"]: _preset(row) for row in rows}


def _preset(row):
    config = {
        "head_dim": row["head_dim"],
        "rope_theta": row["base"],
        "rope_parameters": row.get("rope_parameters"),
        "rotary_dim": row["rotary_dim"],
        "max_position_embeddings": row["trained_length"],
    }
    read = RopeConfig.from_pretrained_config(config)
    return replace(read, layout=row["layout"])


def _agreed(what, places):
    """Return the one value of all places that have one, or None."""
    given = {k: v for k, v in places.items() if v is not None}
    values = list(given.values())
    if any(value != values[0] for value in values[1:]):
        told = " and ".join(f"{k} = {v!r}" for k, v in given.items())
        raise ValueError(f"{what} is given twice: {told}; keep one")
    return values[0] if values else None


def _place(places):
    """Return the name of the first place that has a value."""
    return next(name for name, v in places.items() if v is not None)


def _first(config, names):
    values = (config.get(name) for name in names)
    return next((value for value in values if value is not None), None)


def _listed(config, name, kind):
    value = config.get(name)
    if value is not None and not isinstance(value, kind):
        raise TypeError(f"{name} must be a list or a dict, got {value!r}")
    return value or ()


def _as_mapping(config):
    if not isinstance(config, Mapping):
        raise TypeError(
            "config must be a dict, as json.load or to_dict() gives it, got"
            f" {config!r}"
        )
    own = ("head_dim", "hidden_size", "rope_parameters", "rope_scaling")
    if "text_config" in config and _first(config, own) is None:
        raise ValueError(
            "config holds a text_config and no settings of its own: pass"
            " config['text_config']"
        )
    return config


def _check_encoding(config):
    """Refuse a model that marks positions by something else."""
    if config.get("alibi"):
        raise ValueError(
            f"alibi = {config['alibi']!r}: the model adds a bias to its"
            " scores and does not rotate"
        )
    # The config of ModernBERT carries "absolute", left over from BERT.
    rotates = _first(config, sum(_LAYER_BASES.values(), ())) is not None
    for name in ("position_embedding_type", "position_embeddings_type"):
        kind = config.get(name)
        named = kind is None or re.search("rope|rotary", str(kind).lower())
        if not (named or rotates):
            raise ValueError(
                f"{name} = {kind!r}: this is no rotation; one is called"
                " 'rope' or 'rotary'"
            )


def _check_lengths(config):
    for name in _LENGTHS:
        value = config.get(name)
        if value is not None and not isinstance(value, numbers.Real):
            raise TypeError(f"{name} must be an integer, got {value!r}")


def _complain(message, strict):
    if strict:
        raise ValueError(f"{message} (strict=False makes this a warning)")
    warnings.warn(message, stacklevel=4)


def _nearest(key, names, cutoff=0.0):
    return difflib.get_close_matches(str(key), names, 1, cutoff)


def _check_names(config, strict):
    for key, value in config.items():
        if value is None or key in _READ + ACCEPTED:
            continue
        if _ROTARY.search(str(key)) or _nearest(key, _READ, 0.85):
            _complain(
                f"config has a key {key!r} = {value!r}, and it is not known"
                " what it does to the rotation; the nearest known one is"
                f" {_nearest(key, _READ)[0]!r}",
                strict,
            )


def _rope_dict(config):
    merged = {}
    for place in ("rope_scaling", "rope_parameters"):
        given = config.get(place)
        if given is not None and not isinstance(given, Mapping):
            raise TypeError(f"{place} must be a dict or null, got {given!r}")
        for key, value in (given or {}).items():
            places = {"rope_scaling": merged.get(key), place: value}
            merged[key] = _agreed(key, places)
    return {key: value for key, value in merged.items() if value is not None}


def _layer_rules(config):
    """Return the rule of each type of layer, or one under the key None."""
    rope = _rope_dict(config)
    nested = {k: v for k, v in rope.items() if isinstance(v, Mapping)}
    flat = sorted(set(rope) - set(nested))
    if nested and flat:
        raise ValueError(
            f"rope_parameters mixes types of layers, {sorted(nested)}, with"
            f" keys of a single rule, {flat}: move those into the layers"
        )
    if nested:
        return nested
    return _older_layers(config, rope) or {None: rope}


def _older_layers(config, rope):
    """Return rules of layers that differ, from configs with flat keys."""
    if config.get("rope_local_base_freq") is not None:  # Gemma 3
        return {"full_attention": rope, "sliding_attention": {}}
    if config.get("local_rope_theta") is not None:  # ModernBERT
        return {"full_attention": rope, "sliding_attention": rope}
    if config.get("compress_rope_theta") is not None:  # DeepSeek-V4
        # Its code leaves cosine and sine as they are.
        scaled = {"attention_factor": 1.0, **rope} if rope else {}
        return {"main": {}, "compress": scaled}
    return None


def _chosen(rules, layer_type, config):
    known = list(rules)
    if known == [None]:
        known += _listed(config, "layer_types", (list, tuple))
    if layer_type not in known:
        told = " or ".join(repr(name) for name in dict.fromkeys(known))
        raise ValueError(f"layer_type must be {told}, got {layer_type!r}")
    return rules.get(layer_type, rules.get(None))


def _kind(rule):
    names = {key: rule.get(key) for key in ("rope_type", "type")}
    for key, name in names.items():
        if name is not None:
            name = as_choice(key, name, (*METHODS, *_ALIASES))
            names[key] = _ALIASES.get(name, name)
    kind = _agreed("the type of scaling", names)
    if kind is None:
        left = sorted(set(rule) - {*_EVERY, *ACCEPTED})
        if left:
            raise ValueError(
                f"rope_type is missing beside {', '.join(left)}: add one of"
                f" {', '.join(METHODS)}"
            )
        return "default"
    return "ntk_alpha" if kind == "dynamic" and "alpha" in rule else kind


def _keys(kind):
    _, required, optional = METHODS[kind]
    return (*required, *optional, *_MORE.get(kind, ()))


def _check_keys(kind, rule, strict):
    allowed = (*_EVERY, *_keys(kind))
    for key in rule:
        if key in allowed or key in ACCEPTED:
            continue
        owners = [repr(other) for other in METHODS if key in _keys(other)]
        hint = f"the nearest known one is {_nearest(key, allowed)[0]!r}"
        if owners:
            hint = f"it belongs to {' and '.join(owners)}"
        _complain(
            f"rope_type {kind!r} has no key {key!r} (= {rule[key]!r});"
            f" {hint}",
            strict,
        )


def _base(rule, rules, config, layer_type):
    own = rule.get("rope_theta")
    names = _LAYER_BASES.get(layer_type, _BASES)
    if _first(config, names) is None:
        names = _BASES
    places = {name: config.get(name) for name in names}
    if own is not None:
        # A base beside the layers may be that of another layer.
        others = [other.get("rope_theta") for other in rules.values()]
        places = {k: v for k, v in places.items() if v not in others}
    places["rope_theta of the rule"] = own
    base = _agreed("the base", places)
    if base is None:
        raise ValueError(
            f"{names[0]} is missing: write the base into the config; older"
            " ones that leave it out (Llama 2, Falcon, GPT-J) mean 10000.0"
        )
    try:
        return as_base(base)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{_place(places)}: {error}") from error


def _head_dim(config, layer_type):
    head_dim = _agreed("head_dim", {k: config.get(k) for k in _HEADS})
    head_dim = _layer_head_dim(config, layer_type) or head_dim
    parts = ("qk_rope_head_dim", "qk_nope_head_dim")
    if head_dim is None and config.get(parts[0]) is not None:
        given = [name for name in parts if config.get(name) is not None]
        return sum(as_width(name, config[name]) for name in given)
    if head_dim is not None:
        return as_width("head_dim", head_dim)
    return _head_share(config)


def _head_share(config):
    """Return the width of one head of those that share the hidden size."""
    hidden, heads = (
        _agreed(names[0], {name: config.get(name) for name in names})
        for names in (_HIDDEN, _COUNTS)
    )
    if hidden is None or heads is None:
        raise ValueError(
            "head_dim is missing: add it, or hidden_size and"
            f" num_attention_heads; got {hidden} and {heads}"
        )
    hidden = as_count("hidden_size", hidden)
    if hidden % as_count("num_attention_heads", heads):
        raise ValueError(
            f"head_dim is missing, and hidden_size = {hidden} is not a"
            f" multiple of num_attention_heads = {heads}: add head_dim"
        )
    return as_width("head_dim = hidden_size // num_attention_heads",
                    hidden // heads)


def _per_layer(config):
    """Return what single layers have of their own, such as under "05"."""
    name = "per_layer_config"
    layers = dict(_listed(config, name, Mapping))
    for key, own in layers.items():
        if not str(key).isdecimal():
            raise ValueError(
                f"{name} must have the numbers of layers as keys, got {key!r}"
            )
        if not isinstance(own, Mapping):
            raise TypeError(f"{name}[{key!r}] must be a dict, got {own!r}")
    return layers


def _layer_head_dim(config, layer_type):
    """Return the width of the head where layers differ (Gemma 4)."""
    types = dict(enumerate(_listed(config, "layer_types", (list, tuple))))
    places = {
        f"head_dim of layer {layer}": own.get("head_dim")
        for layer, own in _per_layer(config).items()
        if layer_type in (None, types.get(int(layer)))
    }
    if layer_type == "full_attention":
        places["global_head_dim"] = config.get("global_head_dim")
    if layer_type is None:
        places["head_dim"] = config.get("head_dim")
    return _agreed(f"head_dim for layer_type {layer_type!r}", places)


def _widths(kind, rule, config, layer_type):
    head_dim = _head_dim(config, layer_type)
    names = ("rotary_dim", "qk_rope_head_dim")
    widths = {name: config.get(name) for name in names}
    share = _share(rule, config)
    if kind == "proportional":  # its share is of the pairs that turn
        widths["the head_dim that 'proportional' rotates"] = head_dim
        return head_dim, _agreed("the rotated width", widths)
    if share is not None:
        told = f"{PARTIAL} * head_dim, {share} * {head_dim},"
        widths[told] = int(share * head_dim)
    width = _agreed("the rotated width", widths)
    if width is None:
        _check_class(config)
        return head_dim, as_even("head_dim", head_dim)
    width = as_even(_place(widths), width)
    return (head_dim if widths[names[1]] is None else width), width


def _share(rule, config):
    places = {name: config.get(name) for name in _SHARES}
    places[f"{PARTIAL} of the rule"] = rule.get(PARTIAL)
    share = _agreed("the rotated share", places)
    return None if share is None else _as_share(PARTIAL, share)


def _check_class(config):
    kind = str(config.get("model_type")).removesuffix("_text")
    if kind in PARTIAL_BY_CLASS:
        raise ValueError(
            f"{PARTIAL} is missing: a model of type {kind!r} rotates a part"
            f" of the head, and transformers takes {PARTIAL_BY_CLASS[kind]}"
            " if it is not told; write it into the config"
        )


def _scaling(kind, rule, config):
    method, required, optional = METHODS[kind]
    rule = _completed(kind, rule, config)
    for key in required:
        if rule.get(key) is None:
            raise ValueError(
                f"{key} is missing, which rope_type {kind!r} needs:"
                f" {_MEANING[key]}"
            )
    ours = {"alpha": "factor", **_OURS}
    given = {
        ours.get(key, key): rule[key]
        for key in (*required, *optional)
        if rule.get(key) is not None
    }
    try:
        return method(**given)
    except (TypeError, ValueError) as error:
        message = str(error)
        for key in required:
            message = message.replace(ours.get(key, key), key)
        raise type(error)(f"rope_type {kind!r}: {message}") from error


def _completed(kind, rule, config):
    """Add what stands beside the rule, in the places that models use."""
    rule = dict(rule)
    if ORIGINAL in METHODS[kind][1]:
        names = _LENGTHS if kind == "dynamic" else (ORIGINAL,)
        places = {f"{name} of the config": config.get(name) for name in names}
        places[f"{ORIGINAL} of the rule"] = rule.get(ORIGINAL)
        length = _agreed("the original length", places)
        if length is not None:
            rule[ORIGINAL] = as_count(_place(places), length)
    if kind == "longrope":
        rule["attention_factor"] = _longrope_attention(rule)
        rule["factor"] = _longrope_factor(rule, config)
    return rule


def _longrope_attention(rule):
    # Phi-3.5-MoE has a factor for each list, the same number twice.
    names = ("attention_factor", "short_mscale", "long_mscale")
    return _agreed("the attention factor", {k: rule.get(k) for k in names})


def _longrope_factor(rule, config):
    longest, original = _first(config, _LENGTHS), rule.get(ORIGINAL)
    factor = rule.get("factor")
    # Only the attention factor depends on it.
    given = rule.get("attention_factor") is not None
    if given or longest is None or original is None:
        return factor
    longest = _as_length("max_position_embeddings", longest)
    if longest < original:
        raise ValueError(
            f"max_position_embeddings = {longest} must be at least {ORIGINAL}"
            f" = {original}, the length before it was extended"
        )
    places = {"factor": factor,
              f"max_position_embeddings / {ORIGINAL}": longest / original}
    return _agreed("factor", places)


def _layout(config):
    flags = {name: config.get(name) for name in _LAYOUTS}
    interleaved = _agreed("the layout", flags)
    if interleaved is None:
        return None
    if not isinstance(interleaved, bool):
        raise TypeError(
            f"{_place(flags)} must be true or false, got {interleaved!r}"
        )
    return "interleaved" if interleaved else "half"
