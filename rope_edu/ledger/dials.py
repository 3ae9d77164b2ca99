"""Chapter 7: how fast each dial turns."""

from __future__ import annotations

import numpy as np

from ..frequencies import inverse_frequencies, wavelengths
from ..reference import rotate, rotate_complex
from .algebra import Family, within
from .core import Equation
from .variables import (
    BASE, FREQUENCIES, FREQUENCY, INTEGER, PAIR, PAIR_BUT_LAST, POSITION,
    WIDTH)

SPECTRUM = {"b": BASE, "d": WIDTH}
ONE = SPECTRUM | {"i": PAIR}


def spectrum(algebra, values):
    """Frequencies by repeated division, wavelengths from frequencies.

    theta_{i+1} is theta_i divided by the d/2-th root of b: no power law is
    used, so that the power law can be checked.
    """
    pairs = int(values["d"]) // 2
    root = values["b"] ** (algebra.number(1) / algebra.number(pairs))

    def theta(i):
        found = algebra.number(1)
        for _ in range(within(i, pairs)):
            found = found / root
        return found

    return {r"\theta": Family(theta),
            r"\lambda": Family(lambda i: 2 * algebra.pi / theta(i))}


def _inv_freq(v):
    return inverse_frequencies(int(v["d"]), v["b"])


def _sinusoid(v, position):
    """The sinusoidal vector: (0, 1) in each pair, turned clockwise."""
    start = np.tile([0.0, 1.0], int(v["d"]) // 2)
    rates = inverse_frequencies(int(v["d"]))
    return rotate_complex(start, -position, rates)


def sinusoidal(algebra, values):
    """Components ``p_{k,j}``, with the rates of `spectrum` at b = 10000."""
    rates = spectrum(algebra, values | {"b": algebra.number(10000)})
    theta, width = rates[r"\theta"], int(values["d"])

    def component(position, j):
        wave = algebra.cos if within(j, width) % 2 else algebra.sin
        return wave(position * theta.of(int(j) // 2))

    return {"p": Family(component), r"\theta": theta}


def _moved(values):
    """How far position m moves the vector (1, 0, 1, 0, ...)."""
    start = np.tile([1.0, 0.0], int(values["d"]) // 2)
    return rotate(start, values["m"], values[r"\theta"].ravel()) - start


EQUATIONS = (
    Equation(
        "whole-turns",
        r"e^{\mathrm{i}(m + n \lambda)\theta}"
        r" = e^{\mathrm{i}m\theta}",
        {"m": POSITION, "n": INTEGER, r"\theta": FREQUENCY},
        lambda v: np.exp(1j * v["m"] * v[r"\theta"]),
        "this book",
        same={"+ to - (1)": "whole turns backwards are whole turns"},
        meaning=lambda algebra, v: {r"\lambda": 2 * algebra.pi / v[r"\theta"]},
    ),
    Equation(
        "chord",
        r"|e^{\mathrm{i}m\theta} - 1|^2 = 4 \sin^2 \frac{m\theta}{2}",
        {"m": POSITION, r"\theta": FREQUENCY},
        lambda v: abs(complex(np.cos(v["m"] * v[r"\theta"]) - 1,
                              np.sin(v["m"] * v[r"\theta"]))) ** 2,
        "the gap that a hand leaves to where it started",
    ),
    Equation(
        "inverse-frequency",
        r"\theta_i = b^{-2i/d}",
        ONE,
        lambda v: np.exp(-v["i"] * np.log(v["b"]) * 2 / v["d"]),
        "RoFormer section 3.3, with i from 0",
        spectrum,
    ),
    Equation(
        "frequency-ratio",
        r"\frac{\theta_{i+1}}{\theta_i} = b^{-2/d}",
        SPECTRUM | {"i": PAIR_BUT_LAST},
        lambda v: np.divide(*_inv_freq(v)[[int(v["i"]) + 1, int(v["i"])]]),
        "a geometric sequence",
        spectrum,
    ),
    Equation(
        "wavelength",
        r"\lambda_i = \frac{2\pi}{\theta_i} = 2\pi\, b^{2i/d}",
        ONE,
        lambda v: wavelengths(_inv_freq(v))[int(v["i"])],
        "YaRN (arXiv:2309.00071), eq. (13)",
        spectrum,
    ),
    Equation(
        "longest-wavelength",
        r"\lambda_{d/2-1} = 2\pi\, b^{(d-2)/d}",
        SPECTRUM,
        lambda v: wavelengths(_inv_freq(v))[-1],
        "this book, against 2 pi b in Vaswani et al. section 3.5",
        spectrum,
    ),
    Equation(
        "all-chords",
        r"\begin{aligned}"
        r" & \sum_{i=0}^{d/2-1} |e^{\mathrm{i}m\theta_i} - 1|^2 \\"
        r" &= d - 2 \sum_{i=0}^{d/2-1} \cos m\theta_i \end{aligned}",
        {"m": POSITION, "d": WIDTH, r"\theta": FREQUENCIES},
        lambda v: np.linalg.norm(_moved(v)) ** 2,
        "this book: the mean cosine measures how far the dials are from"
        " their start",
    ),
    Equation(
        "sinusoidal",
        r"\begin{aligned}"
        r" p_{k,2i} &= \sin(k \cdot 10000^{-2i/d}) \\"
        r" p_{k,2i+1} &= \cos(k \cdot 10000^{-2i/d}) \end{aligned}",
        {"k": POSITION, "d": WIDTH, "i": PAIR},
        lambda v: tuple(_sinusoid(v, v["k"]).reshape(-1, 2)[int(v["i"])]),
        "first text (1); Vaswani et al. section 3.5",
        sinusoidal, lost=1,
    ),
    Equation(
        "sinusoidal-shift",
        r"\begin{aligned}"
        r" & \begin{pmatrix} p_{k+s,2i} \\ p_{k+s,2i+1} \end{pmatrix} \\"
        r" &= \begin{pmatrix} \cos s\theta_i & \sin s\theta_i \\"
        r" -\sin s\theta_i & \cos s\theta_i \end{pmatrix}"
        r" \begin{pmatrix} p_{k,2i} \\ p_{k,2i+1} \end{pmatrix}"
        r" \end{aligned}",
        {"k": POSITION, "s": POSITION, "d": WIDTH, "i": PAIR},
        lambda v: _sinusoid(v, v["k"] + v["s"]).reshape(-1, 2)[
            int(v["i"])].reshape(2, 1),
        "Vaswani et al. section 3.5: a linear function of p_k",
        sinusoidal,
    ),
    Equation(
        "sinusoidal-offset",
        r"\begin{aligned} & \sum_{j=0}^{d-1} p_{m,j}\, p_{n,j} \\"
        r" &= \sum_{i=0}^{d/2-1} \cos((m-n)\theta_i) \end{aligned}",
        {"m": POSITION, "n": POSITION, "d": WIDTH},
        lambda v: _sinusoid(v, v["m"]) @ _sinusoid(v, v["n"]),
        "Vaswani et al. section 3.5; this book",
        sinusoidal,
        same={"swap m, n in side 1": "the product is symmetric",
              "swap m, n in side 2": "the cosine is even"},
    ),
)
