"""Which step of a rotation was computed in how few bits.

A step that is rounded leaves its own trace: rounded positions make two of
them alike, rounded rates turn evenly but wrongly, rounded angles move in
steps that grow. So each guess is computed and compared with what was
measured, and the guess with the fewest roundings that fits is named.
"""

from itertools import combinations

import numpy as np

from rope_edu.doctor.model import wrap

STEPS = ("positions", "frequencies", "angles")
COARSE = ("bfloat16", "float16")
# Half a unit in the last place, relative.
EPS = {
    "float64": 2.0**-53,
    "float32": 2.0**-24,
    "float16": 2.0**-11,
    "bfloat16": 2.0**-8,
}


def rounded(x, dtype):
    """Return float64 numbers rounded to a dtype, NumPy's or bfloat16.

    Examples
    --------
    >>> rounded([257.0, 65537.0], "bfloat16").tolist()
    [256.0, 65536.0]
    >>> rounded([2049.0, 65537.0], "float16").tolist()
    [2048.0, inf]
    """
    x = np.asarray(x, dtype=np.float64)
    if dtype != "bfloat16":
        with np.errstate(over="ignore"):
            return x.astype(dtype).astype(np.float64)
    # bfloat16 is the upper half of a float32, rounded to even.
    bits = np.ascontiguousarray(x, dtype=np.float32).view(np.uint32)
    upper = (bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000
    return upper.astype(np.uint32).view(np.float32).astype(np.float64)


def angles_of(steps, dtype, ids, rates):
    """Return the angles that come of rounding these steps to a dtype."""
    ids = rounded(ids, dtype) if "positions" in steps else np.asarray(ids)
    rates = rounded(rates, dtype) if "frequencies" in steps else rates
    angle = ids[:, None] * rates
    return rounded(angle, dtype) if "angles" in steps else angle


def explain(angle, ids, rates, allowed, dtypes=COARSE):
    """Return (steps, dtype) that explain measured angles, or None.

    Parameters
    ----------
    angle : numpy.ndarray, shape (positions, pairs)
        Measured, in rad, up to whole turns.
    ids : numpy.ndarray, shape (positions,)
    rates : numpy.ndarray, shape (pairs,)
        As they were before any rounding.
    allowed : numpy.ndarray or float
        Largest difference that counts as equal.
    dtypes : sequence of str
        Those to try.
    """
    for count in (1, 2, 3):
        for dtype in dtypes:
            for steps in combinations(STEPS, count):
                with np.errstate(invalid="ignore"):
                    guess = angles_of(steps, dtype, ids, rates)
                    gap = np.abs(wrap(angle - guess))
                if np.isfinite(gap).all() and (gap <= allowed).all():
                    return steps, dtype
    return None


def held_in(values, allowed):
    """Return the coarse dtype that holds all values exactly, or None.

    Values whose rounding is too fine to be seen in the measurement say
    nothing; at least two others must agree.

    Examples
    --------
    >>> held_in(rounded([0.1, 0.01, 0.3], "bfloat16"), 1e-9)
    'bfloat16'
    """
    values = np.abs(np.ravel(values))
    for dtype in COARSE:
        telling = values * EPS[dtype] > 8 * np.broadcast_to(
            allowed, values.shape
        )
        gap = np.abs(values - rounded(values, dtype))
        if telling.sum() >= 2 and (gap <= allowed)[telling].all():
            return dtype
    return None


def finest(gap):
    """Return the dtype whose rounding is nearest to a relative error.

    Examples
    --------
    >>> finest(3e-8)
    'float32'
    """
    for dtype, eps in EPS.items():
        if gap <= 16 * eps:
            return dtype
    return "less than bfloat16"
