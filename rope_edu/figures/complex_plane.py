"""Figures of the derivation: hands, a mirror, equal steps, two spirals."""

from __future__ import annotations

import numpy as np

from .plane import CIRCLE, _arc, _arrow, _directions, _plane
from .style import COLORS, INK, Picture, canvas


def two_hands(theta, places):
    """A query hand and a key hand at several pairs of positions.

    Parameters
    ----------
    theta : float
        Radians per token.
    places : sequence of (m, n)
        Positions of the query and of the key, one face for each.

    Returns
    -------
    Picture

    Examples
    --------
    >>> two_hands(1.0, [(10, 7), (100, 97)]).alt[-40:]
    'the angle from key to query is 3.00 rad.'
    """
    with canvas(1, len(places), height=2.5) as (figure, faces):
        for axes, (m, n) in zip(np.ravel(faces), places):
            _face(axes, theta)
            for name, place in (("q", m), ("k", n)):
                tip = np.exp(1j * place * theta)
                _arrow(axes, (tip.real, tip.imag), COLORS[name], name)
            _arc(axes, n * theta, m * theta, 0.3)
            axes.set_title(f"m = {m}, n = {n}")
        return Picture(figure, _hands_alt(theta, places))


def _circle(axes):
    """A unit circle without axes."""
    axes.set_aspect("equal")
    axes.set(xlim=(-1.45, 1.45), ylim=(-1.45, 1.45))
    axes.set_axis_off()
    axes.plot(CIRCLE.real, CIRCLE.imag, color=INK, lw=0.8)


def _face(axes, theta):
    """A circle, with ticks where positions 0 to 5 stand."""
    _circle(axes)
    for place in range(6):
        tick = np.exp(1j * place * theta) * np.array([0.93, 1, 0.8])
        axes.plot(tick.real[:2], tick.imag[:2], color=INK, lw=1.2)
        axes.text(tick.real[2], tick.imag[2], str(place), alpha=0.75,
                  ha="center", va="center", fontsize="small")


def _hands_alt(theta, places):
    turn = 2 * np.pi
    hands = "; ".join(
        f"at ({m}, {n}) they point to {m * theta % turn:.2f} and"
        f" {n * theta % turn:.2f} rad" for m, n in places)
    between = {f"{(m - n) * theta % turn:.2f}" for m, n in places}
    return (f"Clock faces with a query hand and a key hand; {hands};"
            " the angle from key to query is"
            f" {' and '.join(sorted(between))} rad.")


def mirrored(q, k):
    """A query and a key, and both after a mirror in the x axis.

    Parameters
    ----------
    q, k : complex

    Returns
    -------
    Picture

    Examples
    --------
    >>> mirrored(1j, 1 + 1j).alt[-60:]
    'the angle from key to query changes from +0.79 to -0.79 rad.'
    """
    pairs = {"even position": (q, k),
             "odd position": (np.conj(q), np.conj(k))}
    with canvas(1, 2, height=2.6) as (figure, panels):
        for axes, (title, both) in zip(panels, pairs.items()):
            _plane(axes, 1.3 * max(map(abs, both)))
            axes.axhline(0, color=COLORS["dial 1"], lw=2, dashes=(4, 2))
            for z, name in zip(both, "qk"):
                _arrow(axes, (z.real, z.imag), COLORS[name], name)
            _sense(axes, *both[::-1], 0.45)
            axes.set_title(f"{title}\n$q\\,k^*$ = {_signed(*both)}")
        return Picture(figure, _mirror_alt(q, k))


def _signed(a, b):
    """The product of one number and the conjugate of another, as text."""
    z = a * np.conj(b)
    sign = "+" if z.imag >= 0 else "\N{MINUS SIGN}"
    return f"{z.real:.2f} {sign} {abs(z.imag):.2f} i"


def _mirror_alt(q, k):
    angle = np.angle(q / k)
    return ("Query and key before and after a mirror: the inner product"
            f" stays {(q * np.conj(k)).real:.2f}, the angle from key to query"
            f" changes from {angle:+.2f} to {-angle:+.2f} rad.")


def _sense(axes, start, stop, radius):
    """An arc with an arrowhead, from one direction to another."""
    first, last = _directions((start.real, start.imag),
                              (stop.real, stop.imag))
    turn = radius * np.exp(1j * np.linspace(first, last, 60))
    axes.plot(turn.real, turn.imag, color=INK, lw=1)
    axes.annotate("", (turn[-1].real, turn[-1].imag),
                  (turn[-6].real, turn[-6].imag),
                  arrowprops={"arrowstyle": "-|>", "color": INK})


def equal_steps(theta, last=6):
    """The arguments of f(1, m) on the circle and against m.

    Parameters
    ----------
    theta : float
        Radians per token.
    last : int
        Positions run from 0 to `last`.

    Returns
    -------
    Picture

    Examples
    --------
    >>> equal_steps(1.0).alt[:41]
    'Arguments of f(1, m) for m = 0 to 6: 0, 1'
    """
    m = np.arange(last + 1)
    with canvas(1, 2, height=2.6) as (figure, (left, right)):
        _steps_on_circle(left, theta, m)
        _steps_on_line(right, theta, m)
        return Picture(figure, f"Arguments of f(1, m) for m = 0 to {last}:"
                       f" {', '.join(f'{x:g}' for x in m * theta)} rad;"
                       f" all on the unit circle, {theta:g} rad apart; taken"
                       f" modulo a full turn, position {last} has"
                       f" {np.angle(np.exp(1j * theta * last)):.2f} rad.")


def _steps_on_circle(axes, theta, m):
    _circle(axes)
    for place, z in zip(m, np.exp(1j * m * theta)):
        axes.plot([0, z.real], [0, z.imag], color=COLORS["dial 0"], lw=0.8)
        axes.plot(z.real, z.imag, "o", color=COLORS["dial 0"], ms=5)
        axes.text(1.22 * z.real, 1.22 * z.imag, str(place), ha="center",
                  va="center")
    axes.set_title("f(1, m) in the plane")


def _steps_on_line(axes, theta, m):
    wrapped = np.angle(np.exp(1j * m * theta))
    axes.plot(m, m * theta, "o-", color=COLORS["dial 0"], lw=0.8, ms=5)
    axes.plot(m, wrapped, "s", color=INK, ms=5, mfc="none")
    axes.axhline(0, color=INK, lw=0.5)
    axes.set(xlabel="position m", yticks=[-np.pi, 0, np.pi, 2 * np.pi],
             yticklabels=[r"$-\pi$", "0", r"$\pi$", r"$2\pi$"])
    axes.annotate(r"$m\theta$", (m[-2], m[-2] * theta), (-14, 4),
                  textcoords="offset points", ha="center",
                  color=COLORS["dial 0"])
    first = np.argmax(np.abs(wrapped - m * theta) > 1)
    axes.annotate("modulo $2\\pi$", (m[first], wrapped[first]), (-9, 0),
                  textcoords="offset points", ha="right", va="center")
    axes.set_title("argument in rad")


def two_spirals(q, k, alpha, theta, last=9):
    """Queries that grow and keys that shrink, and their moduli.

    Parameters
    ----------
    q, k : complex
        Before position enters.
    alpha : float
        Growth for each token, as an exponent.
    theta : float
        Radians per token.
    last : int
        Positions run from 0 to `last`.

    Returns
    -------
    Picture

    Examples
    --------
    >>> two_spirals(1, 1, 0.1, 0.5, last=10).alt[:60]
    'From position 0 to 10 the modulus of the query grows from 1.'
    """
    m = np.arange(last + 1)
    turned = {"q": q * np.exp((alpha + 1j * theta) * m),
              "k": k * np.exp((-alpha + 1j * theta) * m)}
    with canvas(1, 2, height=2.6) as (figure, (left, right)):
        _spirals(left, turned)
        _moduli(right, m, turned)
        return Picture(figure, _spirals_alt(last, turned))


def _spirals(axes, turned):
    _plane(axes, 1.2 * max(np.abs(z).max() for z in turned.values()))
    for name, z in turned.items():
        axes.plot(z.real, z.imag, "o-", color=COLORS[name], ms=3, lw=0.8)
    for place in range(0, len(turned["q"]), 3):
        _joined(axes, place, turned["q"][place], turned["k"][place])
    axes.set_title("in the plane")


def _joined(axes, place, q, k):
    """A line between the dots of one position, numbered at the query."""
    axes.plot([q.real, k.real], [q.imag, k.imag], color=INK, lw=0.6)
    away = 9 * q / abs(q)
    axes.annotate(str(place), (q.real, q.imag), (away.real, away.imag),
                  textcoords="offset points", ha="center", va="center")


def _moduli(axes, m, turned):
    curves = turned | {"product": turned["q"] * turned["k"]}
    for name, z in curves.items():
        color, moduli = COLORS.get(name, INK), np.abs(z)
        axes.plot(m, moduli, "o-", color=color, ms=3, lw=0.8)
        axes.annotate(name, (m[-1], moduli[-1]), (2, 5), ha="right",
                      textcoords="offset points", color=color)
    axes.set(yscale="log", xlabel="position m", title="modulus (log scale)")
    axes.set_yticks([0.5, 1, 2, 4], ["0.5", "1", "2", "4"])
    axes.minorticks_off()


def _spirals_alt(last, turned):
    (a, b), (c, d) = (np.abs(turned[name])[[0, -1]] for name in "qk")
    return (f"From position 0 to {last} the modulus of the query grows from"
            f" {a:.2f} to {b:.2f} and that of the key falls from {c:.2f} to"
            f" {d:.2f}; their product is {a * c:.2f} at position 0 and"
            f" {b * d:.2f} at position {last}.")
