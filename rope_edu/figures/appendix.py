"""Figures of the appendices: one complex number, two maps, two turns."""

from __future__ import annotations

import cmath

import numpy as np

from ..reference import rotation_matrix
from .plane import CIRCLE, _arc, _arrow, _plane
from .style import COLORS, INK, Picture, canvas

# A pole on the x axis with its pennant on the counterclockwise side.
FLAG = np.array([[0.0, 0.0], [1.2, 0.0], [1.2, 0.42], [0.72, 0.0]])


def _note(axes, place, text):
    axes.annotate(text, place, ha="center", va="center")


def _line(axes, start, stop, color=INK, **look):
    axes.plot(*zip(start, stop), color=color, **look)


def _towards(angle, length=1.0):
    return length * np.array([np.cos(angle), np.sin(angle)])


def polar_number(z):
    """A complex number with its modulus, argument, conjugate and i z.

    Parameters
    ----------
    z : complex

    Returns
    -------
    Picture

    Examples
    --------
    >>> polar_number(1.2 + 0.5j).alt[:46]
    'z = 1.2 + 0.5i has modulus 1.30 and argument 0'
    """
    r, alpha = cmath.polar(z)
    with canvas(height=2.8) as (figure, axes):
        _plane(axes, 1.15 * r)
        axes.set(ylim=(-0.75 * r, 1.15 * r))
        for number, name in ((z.conjugate(), "$z^*$"), (1j * z, "$iz$")):
            _arrow(axes, (number.real, number.imag), INK, name, dashed=True)
        _arrow(axes, (z.real, z.imag), COLORS["dial 0"], "$z$")
        _arc(axes, 0, alpha, 0.42 * r)
        _note(axes, _towards(alpha / 2, 0.52 * r), r"$\alpha$")
        _note(axes, _towards(alpha + 0.17, 0.7 * r), "$r$")
        _arc(axes, alpha, alpha + np.pi / 2, 0.25 * r)
        _note(axes, _towards(alpha + np.pi / 4, 0.4 * r), "90°")
        return Picture(figure, f"z = {z.real:g} + {z.imag:g}i has modulus"
                       f" {r:.2f} and argument {alpha:.2f} rad; its conjugate"
                       " is its mirror image in the real axis, and i z is z"
                       " after a quarter turn counterclockwise.")


def turn_and_mirror(angle):
    """A flag after the turn T and after the mirror F of the same angle.

    Parameters
    ----------
    angle : float
        In radians; the mirror's line lies at half of it.

    Returns
    -------
    Picture

    Examples
    --------
    >>> turn_and_mirror(1.0).alt[-41:]
    'determinant 1 and of the mirror it is −1.'
    """
    turn = rotation_matrix(1, [angle])
    mirror = turn @ np.diag([1.0, -1.0])
    with canvas(1, 2, height=2.4) as (figure, panels):
        for axes, matrix, name in zip(
                panels, (turn, mirror), ("turn T", "mirror F")):
            _flag(axes, FLAG, "none", "--")
            _flag(axes, FLAG @ matrix.T, COLORS["dial 0"], "-")
            axes.set(xlim=(-0.5, 1.4), ylim=(-0.3, 1.4))
            axes.set_title(f"{name}, det = {_determinant(matrix)}")
        _line(panels[1], *(_towards(angle / 2, t) for t in (-0.3, 1.5)),
              lw=1, ls=":")
        return Picture(figure, _flag_alt(angle, turn, mirror))


def _flag(axes, corners, fill, line):
    _plane(axes, 1.4)
    axes.fill(*corners.T, facecolor=fill, edgecolor=INK, alpha=0.5)
    _line(axes, corners[0], corners[1], lw=1.6, ls=line)


def _determinant(matrix):
    return f"{np.linalg.det(matrix):.0f}".replace("-", "−")


def _flag_alt(angle, turn, mirror):
    signs = [_determinant(m) for m in (turn, mirror)]
    return (f"A flag on the x axis, after a turn by {angle:g} rad and after"
            f" the mirror in the line at {angle / 2:g} rad. The pole lands on"
            " the same ray both times; the pennant hangs on the other side"
            f" of it after the mirror. The turn has determinant {signs[0]}"
            f" and of the mirror it is {signs[1]}.")


def two_turns(alpha, beta):
    """The unit vector at alpha + beta, in the axes turned by alpha.

    Parameters
    ----------
    alpha, beta : float
        In radians.

    Returns
    -------
    Picture

    Examples
    --------
    >>> two_turns(0.5, 0.6).alt[:46]
    'The unit vector at 0.5 + 0.6 rad is the sum of'
    """
    along, across = rotation_matrix(1, [alpha]).T
    corner, tip = np.cos(beta) * along, _towards(alpha + beta)
    with canvas(height=3.2) as (figure, axes):
        _plane(axes, 1.3)
        axes.set(xlim=(-0.72, 1.25), ylim=(-0.12, 1.25))
        axes.plot(CIRCLE.real, CIRCLE.imag, color=INK, lw=0.5)
        for axis in (along, across):
            _arrow(axes, axis, INK, "", dashed=True)
        _line(axes, (0, 0), corner, COLORS["dial 1"], lw=2.8, zorder=5)
        _line(axes, corner, tip, COLORS["dial 3"], lw=2.8)
        _arrow(axes, tip, COLORS["dial 0"], "")
        _angle_names(axes, alpha, beta)
        _leg_names(axes, alpha, corner, tip)
        _tip_names(axes, along, across, tip)
        return Picture(figure, f"The unit vector at {alpha:g} + {beta:g} rad"
                       f" is the sum of cos {beta:g} = {np.cos(beta):.2f}"
                       " times the turned x axis and"
                       f" sin {beta:g} = {np.sin(beta):.2f} times the turned"
                       f" y axis: ({tip[0]:.2f}, {tip[1]:.2f}).")


def _angle_names(axes, alpha, beta):
    _arc(axes, 0, alpha, 0.32)
    _arc(axes, alpha, alpha + beta, 0.26)
    _note(axes, _towards(alpha / 2, 0.4), r"$\alpha$")
    _note(axes, _towards(alpha + beta / 2, 0.35), r"$\beta$")


def _leg_names(axes, alpha, corner, tip):
    below = 0.62 * corner + _towards(alpha - np.pi / 2, 0.1)
    axes.annotate(r"$\cos\beta$", below, ha="left", va="center",
                  color=COLORS["dial 1"])
    inside = (corner + tip) / 2 - _towards(alpha, 0.05)
    axes.annotate(r"$\sin\beta$", inside, ha="right", va="center",
                  color=COLORS["dial 3"])


def _tip_names(axes, along, across, tip):
    for place, name, color, side in (
            (along, r"$R_\alpha e_x$", INK, "left"),
            (across, r"$R_\alpha e_y$", INK, "right"),
            (tip, r"$R_\alpha R_\beta e_x$", COLORS["dial 0"], "center")):
        axes.annotate(name, place, {"left": (6, 0), "right": (-2, 6)}.get(
            side, (0, 9)), textcoords="offset points", ha=side,
            va="bottom", color=color)


def chord(angle):
    """The chord under an angle of the unit circle, cut in half.

    Parameters
    ----------
    angle : float
        In radians.

    Returns
    -------
    Picture

    Examples
    --------
    >>> chord(1.2).alt[:46]
    'The chord from 1 to the point at 1.2 rad is tw'
    """
    tip, half = _towards(angle), np.sin(angle / 2)
    middle = (tip + (1, 0)) / 2
    with canvas(height=3.0) as (figure, axes):
        _plane(axes, 1.2)
        axes.set(xlim=(-0.25, 1.25), ylim=(-0.1, 1.1))
        axes.plot(CIRCLE.real, CIRCLE.imag, color=INK, lw=0.5)
        for end in ((1, 0), tip):
            _line(axes, (0, 0), end, lw=1)
        _line(axes, (0, 0), middle, lw=1, ls="--")
        _line(axes, (1, 0), middle, COLORS["dial 0"], lw=2.4)
        _line(axes, middle, tip, COLORS["dial 0"], lw=1.2)
        _chord_names(axes, angle)
        return Picture(figure, f"The chord from 1 to the point at {angle:g}"
                       f" rad is twice sin({angle / 2:g}) = {half:.3f} long,"
                       f" together {2 * half:.3f}; a line from the center"
                       " halves the angle and meets it at a right angle.")


def _chord_names(axes, angle):
    for start in (0, angle / 2):
        _arc(axes, start, start + angle / 2, 0.3 + 0.06 * bool(start))
        _note(axes, _towards(start + angle / 4, 0.5), r"$\alpha/2$")
    lower = 0.75 * np.array([1, 0]) + 0.25 * _towards(angle)
    axes.annotate(r"$\sin(\alpha/2)$", 0.96 * lower, ha="right",
                  va="center", color=COLORS["dial 0"])
