"""Chapter 15: rates for longer texts."""

from __future__ import annotations

import numpy as np
import sympy as sp

from ..frequencies import inverse_frequencies, wavelengths
from ..reference import rotate, rotate_complex, score
from ..scaling import DynamicNTK, LongRoPE, NTKAware, NTKByParts
from .algebra import Family
from .core import Equation
from .decay import DIALS, QUERY, WORDS
from .dials import ONE, SPECTRUM, spectrum
from .dimensions import PLACES, dials
from .variables import (
    BASE, COMPLEX, FREQUENCY, POSITION, POSITIVE, Kind)

TILDE_B, TILDE_RATE = r"\tildeb", r"\tilde\theta"


def _between(low, high):
    """Kind of a positive number, in floats and in small fractions."""
    return Kind(
        lambda name: sp.Symbol(name, positive=True),
        lambda rng: rng.uniform(low, high),
        lambda rng: sp.Rational(int(rng.integers(3 * low, 3 * high)), 3))


def _tokens(low, high):
    """Kind of a length: a whole number of tokens."""
    return Kind(
        lambda name: sp.Symbol(name, integer=True, positive=True),
        lambda rng: float(rng.integers(low, high)),
        lambda rng: sp.Integer(int(rng.integers(low, high))))


FACTOR = {"s": _between(2, 64)}
LENGTH = {"L": _tokens(256, 8192)}
# Such that every dial makes between alpha and beta turns: the ramp proper.
RAMP = {"b": _between(10, 100), "L": _tokens(5000, 20_000),
        r"\alpha": _between(1, 20), r"\beta": _between(4000, 9000)}


def _inv_freq(v):
    return inverse_frequencies(int(v["d"]), v["b"])


def _table(method, v, length=None):
    return method.table(int(v["d"]), v["b"], length).inv_freq


def stretched(algebra, values, factor=None):
    """Equal ratios from 1 down to the slowest rate divided by a factor.

    The rates come by repeated division; the base is the one whose slowest
    dial is there. Neither uses the formula that is to be checked.
    """
    plain, one = spectrum(algebra, values), algebra.number(1)
    gaps = int(values["d"]) // 2 - 1
    slowdown = (factor or values["s"]) / plain[r"\theta"].of(gaps)
    root = slowdown ** (one / algebra.number(gaps))

    def theta(i):
        found = one
        for _ in range(int(i)):
            found = found / root
        return found

    return plain | {TILDE_RATE: Family(theta),
                    TILDE_B: root ** algebra.number(gaps + 1)}


def stretched_now(algebra, values):
    """The same for what dynamic scaling makes of a text of length ell."""
    s, lengths = values["s"], values[r"\ell"] / values["L"]
    # 1 up to L, then s more for each further L.
    return stretched(algebra, values, algebra.number(1) + s * lengths - s)


def by_parts(algebra, values):
    """Turns within L, the share gamma, and rates on the way to theta / s."""
    plain = spectrum(algebra, values)
    rates, waves = plain[r"\theta"], plain[r"\lambda"]
    alpha, beta = values.get(r"\alpha"), values.get(r"\beta")

    def turns(i):
        return values["L"] / waves.of(i)

    def share(i):
        return algebra.number(1) - (beta - turns(i)) / (beta - alpha)

    def rate(i):
        slow = rates.of(i) / values["s"]
        return slow + share(i) * (rates.of(i) - slow)

    return plain | {"r": Family(turns), r"\gamma": Family(share),
                    TILDE_RATE: Family(rate)}


def _by_parts(v):
    """Share and rate of the package's table; the share from the rate."""
    i, rates = int(v["i"]), _inv_freq(v)
    method = NTKByParts(v["s"], int(v["L"]), v[r"\alpha"], v[r"\beta"])
    found = _table(method, v)[i]
    slow = rates[i] / v["s"]
    return (found - slow) / (rates[i] - slow), found


def two_bases(algebra, values):
    """Wavelengths of two sets of dials."""
    other = spectrum(algebra, values | {"b": values[TILDE_B]})
    return spectrum(algebra, values) | {r"\tilde\lambda": other[r"\lambda"]}


def _longest(v, base):
    return wavelengths(inverse_frequencies(int(v["d"]), base))[-1]


def _as_pair(z):
    return np.array([z.real, z.imag])


def _mixed(v):
    """Query and key turned as vectors, then multiplied as numbers."""
    turned = (rotate(_as_pair(v[name]), v[place], [rate]) @ [1, 1j]
              for name, place, rate in (("q", "m", v[TILDE_RATE]),
                                        ("k", "n", v[r"\theta"])))
    query, key = turned
    return np.conj(query) * key


def _score(v, rates):
    return score(v["q"].ravel(), v["k"].ravel(), v["m"], v["n"], rates)


def _rates(v):
    return v[r"\theta"].ravel()


def _neighbors(v):
    """The same step, from position 0 and in complex pairs."""
    q = v["q"].ravel()
    return np.sum((rotate_complex(q, 1, _rates(v)) - q) ** 2)


def _longrope(v):
    method = LongRoPE([1.0], [1.0], int(v["L"]), v["s"])
    return method.table(2, length=1).attention_factor ** 2


def _attention(algebra, v):
    """The number a: the root of a logarithm to base L."""
    return {"a": algebra.sqrt(
        (algebra.log(v["s"]) + algebra.log(v["L"])) / algebra.log(v["L"]))}


EQUATIONS = (
    Equation(
        "neighbor-step",
        r"\begin{aligned} &\lVert R_{m+1} q - R_m q \rVert^2 \\"
        r" &= 4 \sum_{i=0}^{d/2-1} (q_{2i}^2 + q_{2i+1}^2)"
        r" \sin^2 \frac{\theta_i}{2} \end{aligned}",
        DIALS | QUERY | {"m": POSITION},
        _neighbors,
        "this book; the chord of each dial, weighted by the length there",
        dials,
        same={"+ to - (1)": "a step back is as long as a step on"},
    ),
    Equation(
        "squeezed-score",
        r"(R_{m/s} q)^\top (R_{n/s} k) = q^\top R_{(n-m)/s}\, k",
        DIALS | WORDS | PLACES | FACTOR,
        lambda v: _score(v, _rates(v) / v["s"]),
        "Chen et al. (arXiv:2306.15595), eq. (4), in the score",
        dials,
    ),
    Equation(
        "squared-rates",
        r"\sum_{i=0}^{d/2-1} \theta_i^2 = \frac{1 - b^{-2}}{1 - b^{-4/d}}",
        SPECTRUM,
        lambda v: np.linalg.norm(_inv_freq(v)) ** 2,
        "a geometric sum; against Chen et al., appendix A, eq. (14)",
        spectrum,
    ),
    Equation(
        "ntk-base",
        r"\tilde{b} = b\, s^{d/(d-2)}",
        SPECTRUM | FACTOR,
        lambda v: _table(NTKAware(v["s"]), v)[1] ** (-v["d"] / 2),
        "bloc97 (June 2023); YaRN (arXiv:2309.00071), eq. (16)",
        stretched,
    ),
    Equation(
        "ntk-rates",
        r"\tilde{\theta}_i = \tilde{b}^{-2i/d} = \theta_i\, s^{-2i/(d-2)}",
        ONE | FACTOR,
        lambda v: _table(NTKAware(v["s"]), v)[int(v["i"])],
        "this book; ntk-base in the rates",
        stretched,
    ),
    Equation(
        "ntk-overshoot",
        r"\frac{s L\, \tilde{\theta}_i}{L\, \theta_i} = s^{1 - 2i/(d-2)}",
        ONE | FACTOR | LENGTH,
        lambda v: np.divide(
            v["s"] * v["L"] * _table(NTKAware(v["s"]), v),
            v["L"] * _inv_freq(v))[int(v["i"])],
        "this book; what YaRN, section 3.1, calls out of bound",
        stretched,
    ),
    Equation(
        "dynamic-base",
        r"\tilde{b} = b \left(s \frac{\ell}{L} - (s - 1)"
        r"\right)^{d/(d-2)}",
        SPECTRUM | FACTOR | {"L": _tokens(256, 2048),
                             r"\ell": _tokens(2048, 2**17)},
        lambda v: _table(DynamicNTK(v["s"], int(v["L"])), v,
                         int(v[r"\ell"]))[1] ** (-v["d"] / 2),
        "emozilla (June 2023); modeling_rope_utils.py of transformers 5.24",
        stretched_now,
    ),
    Equation(
        "mixed-rates",
        r"\begin{aligned} &(q\, e^{\mathrm{i}m\tilde{\theta}})^{*}\,"
        r" k\, e^{\mathrm{i}n\theta} \\"
        r" &= q^{*} k\, e^{\mathrm{i}(n-m)\theta}\,"
        r" e^{\mathrm{i}m(\theta - \tilde{\theta})} \end{aligned}",
        PLACES | {"q": COMPLEX, "k": COMPLEX, r"\theta": FREQUENCY,
                  TILDE_RATE: FREQUENCY},
        _mixed,
        "this book; YaRN, section 3.3: cache the keys before rotating them",
    ),
    Equation(
        "turns-made",
        r"r_i = \frac{L}{\lambda_i} = \frac{L}{2\pi\, b^{2i/d}}",
        ONE | LENGTH,
        lambda v: v["L"] * _inv_freq(v)[int(v["i"])] / (2 * np.pi),
        "YaRN, eq. (17), with the base b that is meant",
        by_parts,
    ),
    Equation(
        "by-parts",
        r"\begin{aligned}"
        r" \gamma_i &= \frac{r_i - \alpha}{\beta - \alpha} \\"
        r" \tilde{\theta}_i &= (1 - \gamma_i) \frac{\theta_i}{s}"
        r" + \gamma_i\, \theta_i \end{aligned}",
        ONE | FACTOR | RAMP,
        _by_parts,
        "YaRN, eqs. (18) and (20), between the two ends",
        by_parts,
    ),
    Equation(
        "ramp-index",
        r"i = \frac{d}{2} \cdot \frac{\ln \frac{L}{2\pi r_i}}{\ln b}",
        ONE | LENGTH,
        lambda v: v["i"],
        "the code at jquesnelle/yarn: the dial that makes r turns",
        by_parts,
    ),
    Equation(
        "temperature",
        r"(a R_m q)^\top (a R_n k) = a^2\, q^\top R_{n-m} k",
        DIALS | WORDS | PLACES | {"a": POSITIVE},
        lambda v: v["a"] ** 2 * _score(v, _rates(v)),
        "YaRN, section 3.4",
        dials,
    ),
    Equation(
        "longrope-factor",
        r"a^2 = 1 + \frac{\ln s}{\ln L} = \frac{\ln(s L)}{\ln L}",
        FACTOR | LENGTH,
        _longrope,
        "modeling_rope_utils.py of transformers 5.24, for the Phi-3 models",
        _attention,
    ),
    Equation(
        "implied-factor",
        r"\frac{\tilde{\lambda}_{d/2-1}}{\lambda_{d/2-1}}"
        r" = \left(\frac{\tilde{b}}{b}\right)^{(d-2)/d}",
        SPECTRUM | {TILDE_B: BASE},
        lambda v: _longest(v, v[TILDE_B]) / _longest(v, v["b"]),
        "this book; ntk-base, solved for the factor",
        two_bases,
    ),
)
