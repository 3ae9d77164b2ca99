"""Chapter 7: how fast each dial turns."""

from __future__ import annotations

import numpy as np

from ..frequencies import inverse_frequencies, wavelengths
from ..reference import rotate, rotate_complex
from .core import Equation
from .variables import (
    BASE, FREQUENCY, INTEGER, POSITION, constant, frequencies, index)

WIDTH = 8
PAIRS = WIDTH // 2
SPECTRUM = {"b": BASE, "d": constant(WIDTH)}
ONE = SPECTRUM | {"i": index(PAIRS - 1)}


def spectrum(algebra, values):
    """Frequencies by repeated division, wavelengths from frequencies.

    theta_{i+1} is theta_i divided by the d/2-th root of b: no power law is
    used, so that the power law can be checked.
    """
    root = values["b"] ** (algebra.number(1) / algebra.number(PAIRS))

    def theta(i):
        found = algebra.number(1)
        for _ in range(int(i)):
            found = found / root
        return found

    return {r"\theta": theta,
            r"\lambda": lambda i: 2 * algebra.pi / theta(i)}


def _inv_freq(v):
    return inverse_frequencies(WIDTH, v["b"])


def _sinusoid(position):
    """The sinusoidal vector: (0, 1) in each pair, turned clockwise."""
    start = np.tile([0.0, 1.0], PAIRS)
    return rotate_complex(start, -position, inverse_frequencies(WIDTH))


def sinusoidal(algebra, values):
    """Components ``p_{k,j}`` from the angle-addition recurrence."""
    def component(position, j):
        pair = int(j) // 2
        rate = algebra.number(10) ** (-pair)
        wave = algebra.cos if int(j) % 2 else algebra.sin
        return wave(position * rate)

    return {"p": component, r"\theta": lambda i: algebra.number(10) ** (-i)}


def _moved(values):
    """How far position m moves the vector (1, 0, 1, 0, ...)."""
    start = np.tile([1.0, 0.0], PAIRS)
    return rotate(start, values["m"], values[r"\theta"].ravel()) - start


EQUATIONS = (
    Equation(
        "inverse-frequency",
        r"\theta_i = b^{-2i/d}",
        ONE,
        lambda v: np.exp(-2 * v["i"] / WIDTH * np.log(v["b"])),
        "RoFormer section 3.3, with i from 0",
        spectrum,
    ),
    Equation(
        "frequency-ratio",
        r"\frac{\theta_{i+1}}{\theta_i} = b^{-2/d}",
        ONE,
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
        "sinusoidal",
        r"\begin{aligned}"
        r" p_{k,2i} &= \sin(k \cdot 10000^{-2i/d}) \\"
        r" p_{k,2i+1} &= \cos(k \cdot 10000^{-2i/d}) \end{aligned}",
        {"k": POSITION, "d": constant(WIDTH), "i": index(PAIRS)},
        lambda v: tuple(_sinusoid(v["k"]).reshape(-1, 2)[int(v["i"])]),
        "first seed (1); Vaswani et al. section 3.5",
        sinusoidal, lost=1,
    ),
    Equation(
        "sinusoidal-offset",
        r"\begin{aligned} & \sum_{j=0}^{d-1} p_{m,j}\, p_{n,j} \\"
        r" &= \sum_{i=0}^{d/2-1} \cos((m-n)\theta_i) \end{aligned}",
        {"m": POSITION, "n": POSITION, "d": constant(WIDTH)},
        lambda v: _sinusoid(v["m"]) @ _sinusoid(v["n"]),
        "Vaswani et al. section 3.5; this book",
        sinusoidal,
        same={"swap m, n in side 1": "the product is symmetric",
              "swap m, n in side 2": "the cosine is even"},
    ),
    Equation(
        "sinusoidal-shift",
        r"\begin{aligned}"
        r" & \begin{pmatrix} p_{k+s,2i} \\ p_{k+s,2i+1} \end{pmatrix} \\"
        r" &= \begin{pmatrix} \cos s\theta_i & \sin s\theta_i \\"
        r" -\sin s\theta_i & \cos s\theta_i \end{pmatrix}"
        r" \begin{pmatrix} p_{k,2i} \\ p_{k,2i+1} \end{pmatrix}"
        r" \end{aligned}",
        {"k": POSITION, "s": POSITION, "i": index(PAIRS)},
        lambda v: _sinusoid(v["k"] + v["s"]).reshape(-1, 2)[
            int(v["i"])].reshape(2, 1),
        "Vaswani et al. section 3.5: a linear function of p_k",
        sinusoidal,
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
        "all-chords",
        r"\begin{aligned}"
        r" & \sum_{i=0}^{d/2-1} |e^{\mathrm{i}m\theta_i} - 1|^2 \\"
        r" &= d - 2 \sum_{i=0}^{d/2-1} \cos m\theta_i \end{aligned}",
        {"m": POSITION, "d": constant(WIDTH),
         r"\theta": frequencies(PAIRS)},
        lambda v: np.linalg.norm(_moved(v)) ** 2,
        "this book: the mean cosine measures how far the dials are from"
        " their start",
    ),
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
)
