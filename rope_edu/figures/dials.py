"""The live dials: one custom element, with a static picture inside.

The element is `dials.js`, plain JavaScript without a kernel or a network;
`scaling.js` goes with it onto a board that shows scaling methods. Where
scripts do not run, the picture drawn here from NumPy values stays.
This room needs NumPy alone, not Matplotlib.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from html import escape
from importlib.resources import files

import numpy as np

from .._checks import (
    LARGEST_POSITION, as_base, as_choice, as_even, as_inv_freq, as_layout,
    as_positions,
)
from ..config import presets as models
from ..frequencies import angles, wavelengths
from ..scaling import Default, Scaling

# As in `style.COLORS`, which would bring Matplotlib with it.
QUERY, KEY = "#0072B2", "#D55E00"
ARCS = ("#B5528B", "#00876C", "#8F6B00", "#6F6FCE")
# What the element reads of a row of the table.
PRESET = ("name", "rotary_dim", "base", "layout", "trained_length", "source")
FEW = 16
WIDEST = 1024
# Units of the drawing: one card holds a dial of radius 88 and its numbers.
CARD, HEIGHT, RADIUS = 200, 334, 88
STANDALONE = (
    "<style>svg{color:#222832;font-family:system-ui,sans-serif}"
    "@media (prefers-color-scheme:dark){svg{color:#ced6dd}}</style>"
)


@dataclass(frozen=True)
class Dials:
    """A board of dials, ready for a notebook or a page; see `dials`."""

    m: float = 3
    n: float = 0
    rotary_dim: int = 8
    base: float = 10000.0
    layout: str = "interleaved"
    inv_freq: tuple | None = None
    presets: bool = True
    compact: bool = False
    element_id: str = "dials"
    scaling: Scaling | None = None

    def __post_init__(self):
        checked = {
            "m": _position("m", self.m), "n": _position("n", self.n),
            "base": as_base(self.base), "layout": as_layout(self.layout),
            "element_id": _identifier(self.element_id),
            "presets": _flag("presets", self.presets),
            "compact": _flag("compact", self.compact),
            **_width(self.rotary_dim, self.inv_freq),
            "scaling": _method(self.scaling, self.inv_freq),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)
        _check_offset(self.m, self.n)
        _rates(self)  # a method that does not fit the width shows here

    def static_svg(self, columns=4, standalone=False):
        """Draw the board as it stands, without controls.

        Parameters
        ----------
        columns : int
            Dials side by side. Of more than 16 dials, 16 are drawn, evenly
            spread, the first and the last among them.
        standalone : bool
            True for a file of its own: it then brings its text color, light
            or dark as the reader's system asks. False for inline use, where
            the page gives the color.

        Returns
        -------
        str
            One ``<svg>`` with ``role="img"``, whose title holds the arcs.

        Raises
        ------
        TypeError, ValueError
            If `columns` is not 1, 2, 4 or 8, or `standalone` no bool.

        Examples
        --------
        >>> svg = dials(m=3, n=0).static_svg()
        >>> svg[svg.index("<title>"):].split("rad: ")[1].split(".<")[0]
        'dial 0 −3.0000, dial 1 −0.3000, dial 2 −0.0300, dial 3 −0.0030'
        """
        columns = as_choice("columns", str(columns), ("1", "2", "4", "8"))
        standalone = _flag("standalone", standalone)
        return _picture(self, int(columns), standalone)

    def _repr_html_(self):
        few = len(_rates(self)) <= 4
        picture = self.static_svg(2 if few else 4)
        # Before the element, which an earlier board may already have defined.
        methods = "" if self.scaling is None else _script("scaling.js")
        return (
            f"{methods}<clock-dials {_attributes(self)}>\n{picture}\n"
            f"</clock-dials>\n{_script('dials.js')}"
        )

    def __repr__(self):
        return _title(self)


def dials(m=3, n=0, rotary_dim=8, base=10000.0, layout="interleaved",
          inv_freq=None, presets=True, compact=False, element_id="dials",
          scaling=None):
    """Put the live dials on a page: drag the hands, type, step, play.

    Each pair i of coordinates is a dial with two hands: the query's at
    ``m * inv_freq[i]`` and the key's at ``n * inv_freq[i]``, in radians,
    counterclockwise from 3 o'clock (the +x axis). The arc from the query's
    hand to the key's is ``(n - m) * inv_freq[i]``: moving both hands by the
    same number of tokens leaves it as it is.

    Parameters
    ----------
    m, n : float
        Positions of query and key in tokens, within -2**53..2**53 like
        their difference. Negative ones and fractions are welcome.
    rotary_dim : int
        Even number of rotated channels, at most 1024.
    base : float
        Finite number above 1.
    layout : str
        ``"interleaved"`` for pairs (2i, 2i+1), ``"half"`` for (i, i+d/2).
    inv_freq : array_like, shape (pairs,), optional
        Radians per token, such that every position has a finite angle.
        Replaces `rotary_dim` and `base`, whose fields then leave the page.
    presets : bool
        Offer the real models of the package's table, with their sources:
        those whose rates `rotary_dim` and `base` alone decide or, with
        `scaling`, all of them.
    compact : bool
        Leave out the row of settings and the notes.
    element_id : str
        Letters, digits, ``-`` and ``_``; one of its own for each element of
        a page, since the address keeps the state under this name.
    scaling : Scaling, optional
        A method of `rope_edu.scaling`, such as ``Default()`` or
        ``YaRN(32, 4096)``; the board then lets the reader choose among all
        methods, their factor and their original length. A method that
        depends on the length takes the later of the two positions plus 1.

    Returns
    -------
    Dials
        Shows itself in a notebook; ``static_svg()`` is the picture alone.

    Raises
    ------
    TypeError, ValueError
        If an argument is not as above; the message names it.

    References
    ----------
    Su et al., RoFormer, arXiv:2104.09864, section 3.2.2.

    Examples
    --------
    >>> dials(m=5, n=2, rotary_dim=4, base=100)
    ... # doctest: +NORMALIZE_WHITESPACE
    Clock dials, query at m = 5, key at n = 2, interleaved layout. Arcs from
    query to key in rad: dial 0 −3.0000, dial 1 −0.3000.
    """
    return Dials(m, n, rotary_dim, base, layout, inv_freq, presets, compact,
                 element_id, scaling)


def static_svg(columns=4, standalone=True, **settings):
    """Draw dials as one SVG file, for a README or a slide.

    Parameters
    ----------
    columns, standalone
        As in `Dials.static_svg`.
    **settings
        As in `dials`.

    Returns
    -------
    str

    Raises
    ------
    TypeError, ValueError
        As in `dials`.

    Examples
    --------
    >>> static_svg(m=7, n=2)[:60]
    '<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="'
    """
    return dials(**settings).static_svg(columns, standalone)


def _position(name, value):
    place = as_positions(value, name)
    if place.ndim:
        raise TypeError(f"{name} must be one number, got {value!r}")
    return float(place)


def _check_offset(m, n):
    """Refuse an offset that float64 rounds to that of another position."""
    offset = n - m
    near = abs(offset) < LARGEST_POSITION
    # At the limit itself, n is met again unless n - m was rounded.
    if not near and (abs(offset) > LARGEST_POSITION or offset + m != n):
        raise ValueError(
            "n - m must be within -2**53..2**53, like positions (float64"
            f" skips integers beyond), got m = {_plain(m)}, n = {_plain(n)}"
        )


def _flag(name, value):
    if not isinstance(value, bool):
        raise TypeError(f"{name} must be True or False, got {value!r}")
    return value


def _identifier(element_id):
    if not isinstance(element_id, str):
        raise TypeError(f"element_id must be a string, got {element_id!r}")
    plain = element_id.replace("-", "a").replace("_", "a")
    if not (plain.isascii() and plain.isalnum() and element_id[0].isalpha()):
        raise ValueError(
            "element_id must be letters, digits, - and _, a letter first,"
            f" got {element_id!r}"
        )
    return element_id


def _width(rotary_dim, inv_freq):
    """Check the two ways of giving the rates; the second one wins."""
    if inv_freq is not None:
        inv_freq = tuple(as_inv_freq(inv_freq).tolist())
        # On the page the hands can be taken to any position.
        angles(LARGEST_POSITION, inv_freq)
        rotary_dim = 2 * len(inv_freq)
    rotary_dim = as_even("rotary_dim", rotary_dim)
    if rotary_dim > WIDEST:
        raise ValueError(
            f"rotary_dim must be at most {WIDEST}, got {rotary_dim}"
        )
    return {"rotary_dim": rotary_dim, "inv_freq": inv_freq}


def _method(scaling, inv_freq):
    if scaling is not None and not isinstance(scaling, Scaling):
        raise TypeError(
            "scaling must be a method of rope_edu.scaling, such as"
            f" Linear(8), got {scaling!r}"
        )
    if scaling is not None and inv_freq is not None:
        raise ValueError(
            "scaling and inv_freq must not be given together: the rates of"
            f" {scaling!r} follow from rotary_dim and base"
        )
    return scaling


def _rates(board):
    if board.inv_freq is not None:
        return np.array(board.inv_freq)
    length = int(max(board.m, board.n) // 1) + 1
    length = min(max(length, 1), LARGEST_POSITION)
    method = board.scaling or Default()
    return method.table(board.rotary_dim, board.base, length).inv_freq


def _script(name):
    code = files(__package__).joinpath(name).read_text("utf-8")
    return f"<script>\n{code}</script>"


def _settings(scaling):
    """A method as the element reads it: its name and its numbers."""
    given = {k: v for k, v in asdict(scaling).items() if v is not None}
    return {"method": type(scaling).__name__, **given}


def _attributes(board):
    """The state of a board as attributes of its element."""
    values = {
        "id": board.element_id, "m": _plain(board.m), "n": _plain(board.n),
        "rotary-dim": board.rotary_dim, "base": _plain(board.base),
        "layout": board.layout,
    }
    if board.inv_freq is not None:
        values["inv-freq"] = json.dumps(board.inv_freq)
    elif board.presets:
        values["presets"] = _presets(board.scaling is not None)
    if board.scaling is not None:  # last: it must find the width and the base
        values["scaling"] = _json(_settings(board.scaling))
    pairs = [f"{key}='{_quoted(v)}'" for key, v in values.items()]
    return " ".join(pairs + ["compact"] * board.compact)


def _quoted(value):
    # JSON is full of double quotes, so single ones keep the page small.
    return escape(str(value), quote=False).replace("'", "&#x27;")


def _presets(scaled):
    """Models as JSON: those with plain rates or, if `scaled`, all.

    Without the methods, a model that rescales would be shown wrongly.
    """
    table = files("rope_edu").joinpath("data", "presets.json")
    rows, known = [], models()
    for row in json.loads(table.read_text("utf-8")):
        method = known[row["name"]].scaling
        if scaled or method == Default():
            own = {} if method == Default() else _settings(method)
            rows.append({key: row[key] for key in PRESET} | own)
    return _json(rows)


def _json(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _plain(number):
    """Shortest text of a float, without the point where it is whole."""
    return str(int(number)) if number.is_integer() else repr(number)


def _short(value):
    """Five significant digits, as the live board writes rates."""
    if np.isinf(value):
        return "∞"
    if abs(value) >= 1e7:
        return _power(value, "k")
    value = float(f"{value:.5g}")
    if 0 < abs(value) < 1e-6:
        return _power(value, "-")
    return f"{value:.12f}".rstrip("0").rstrip(".").replace("-", "−")


def _radians(angle):
    """At most ten characters, as the live board writes angles."""
    if abs(angle) >= 1e7:
        return _power(angle, "k")
    # Adding zero turns -0.0 into 0.0.
    small = abs(angle) < 1e3
    text = f"{round(angle, 4) + 0.0:.4f}" if small else f"{angle:#.8g}"
    return text.replace("-", "−")


def _power(value, trim):
    """Scientific notation with JavaScript's short exponent, 1.5e8."""
    text = np.format_float_scientific(
        value, precision=4, unique=trim == "-", trim=trim, exp_digits=1
    )
    return text.replace("+", "").replace("-", "−")


def _wrap(angle):
    """Into (-pi, pi]."""
    wrapped = np.arctan2(np.sin(angle), np.cos(angle))
    return np.where(wrapped == -np.pi, np.pi, wrapped)


def _shown(count):
    """Indices of at most 16 dials, first and last among them."""
    # Half rounds up, as in JavaScript, so that both pictures agree.
    steps = np.arange(min(count, FEW)) * (count - 1)
    return np.floor(steps / max(min(count, FEW) - 1, 1) + 0.5).astype(int)


def _pair(i, board):
    half = board.layout == "half"
    return (i, i + board.rotary_dim // 2) if half else (2 * i, 2 * i + 1)


def _title(board):
    rates = _rates(board)
    arcs = _wrap(angles(board.n - board.m, rates))
    told = ", ".join(f"dial {i} {_radians(arcs[i])}"
                     for i in _shown(len(rates)))
    way = "" if board.scaling is None else f"{type(board.scaling).__name__}, "
    return (
        f"Clock dials, {way}query at m = {_plain(board.m)}, key at"
        f" n = {_plain(board.n)}, {board.layout} layout. Arcs from query to"
        f" key in rad: {told}."
    )


def _picture(board, columns, standalone):
    rates = _rates(board)
    shown = _shown(len(rates))
    columns = min(columns, len(shown))
    width, height = CARD * columns, HEIGHT * -(-len(shown) // columns)
    cards = [
        _card(board, int(i), rates[i], CARD * (j % columns),
              HEIGHT * (j // columns)) for j, i in enumerate(shown)
    ]
    return "\n".join([
        '<svg xmlns="http://www.w3.org/2000/svg" role="img"'
        f' viewBox="0 0 {width} {height}" fill="currentColor" font-size="15"'
        f' style="display:block;margin:auto;max-width:{13 * columns}rem">',
        f"<title>{escape(_title(board))}</title>",
        *[STANDALONE] * standalone, *cards, "</svg>",
    ])


def _card(board, i, theta, x, y):
    """One dial and its numbers; `x`, `y` is the corner of its card."""
    few = board.rotary_dim <= 8
    arc = ARCS[i] if few else "currentColor"
    m, n = (float(angles(p, [theta])[0]) for p in (board.m, board.n))
    raw = float(angles(board.n - board.m, [theta])[0])
    rows = {
        "θ": _short(theta), "λ": _short(wavelengths([theta])[0]),
        "mθ": _radians(m), "nθ": _radians(n), "(n−m)θ": _radians(raw),
        "arc": _radians(float(_wrap(raw))),
    }
    return "\n".join([
        f'<g transform="translate({x + CARD // 2} {y + 96})">',
        _face(), _sector(m, float(_wrap(raw)), arc),
        _hand(m, 74, QUERY, QUERY), _hand(n, 54, KEY, "none"),
        '<circle r="3"/>', _numbers(i, _pair(i, board), rows), "</g>",
    ])


def _face():
    ticks = [
        "M{} {}L{} {}".format(*_place(turn, RADIUS), *_place(turn, RADIUS - 7))
        for turn in np.arange(8) * np.pi / 4
    ]
    return (
        '<g fill="none" stroke="currentColor" opacity=".6" stroke-width="1.2">'
        f'<circle r="{RADIUS}"/><path d="{"".join(ticks)}"/></g>'
    )


def _place(angle, radius):
    """Point on a circle as SVG writes it: y down, two decimals."""
    x, y = radius * np.cos(angle), -radius * np.sin(angle)
    return tuple(f"{round(float(v), 2) + 0.0:.2f}" for v in (x, y))


def _sector(start, arc, color):
    (x1, y1), (x2, y2) = _place(start, 34), _place(start + arc, 34)
    sweep = 0 if arc > 0 else 1
    return (
        f'<path d="M0 0L{x1} {y1}A34 34 0 0 {sweep} {x2} {y2}Z" fill="{color}"'
        f' fill-opacity=".16" stroke="{color}" stroke-width="2.6"/>'
    )


def _hand(angle, radius, color, fill):
    (x, y), (end_x, end_y) = _place(angle, radius), _place(angle, radius - 6)
    return (
        f'<g stroke="{color}" stroke-width="2.6" fill="{fill}">'
        f'<path d="M0 0L{end_x} {end_y}"/>'
        f'<circle cx="{x}" cy="{y}" r="6"/></g>'
    )


def _numbers(i, pair, rows):
    """The table below a dial: names at the left, numbers at the right."""
    lines = [_line(112, f"dial {i}", f"({pair[0]}, {pair[1]})", "bold")]
    for j, (name, text) in enumerate(rows.items()):
        style = "bold" if name == "arc" else "italic"
        lines.append(_line(138 + 18 * j, name, text, style))
    rule = f'<path d="M-{RADIUS} 118H{RADIUS}" stroke="currentColor"/>'
    return "\n".join([*lines, rule])


def _line(y, name, text, style):
    key = "font-style" if style == "italic" else "font-weight"
    return (
        f'<text x="-{RADIUS}" y="{y}" {key}="{style}">{name}</text>'
        f'<text x="{RADIUS}" y="{y}" text-anchor="end">{text}</text>'
    )
