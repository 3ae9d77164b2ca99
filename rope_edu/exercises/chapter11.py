"""Chapter 11: how fast?"""

from __future__ import annotations

from functools import partial

import numpy as np
import sympy as sp

from ..machine import Machine
from ..symbolic import is_zero
from ._wrong import array, expression, number, require

# Queries and keys of 4096 tokens, 32 heads of 128 each, bfloat16.
NUMBERS, BANDWIDTH = 2 * 4096 * 32 * 128, 50e9


def least_time(answer):
    """11.1: bytes that a rotation moves, and the least milliseconds."""
    moved, least = array(answer, (2,))
    _bytes_of_rotation(moved, 2 * 2 * NUMBERS)
    # Rounded to two digits it is right.
    near = partial(np.isclose, least * BANDWIDTH / (4e3 * NUMBERS), rtol=2e-2)
    require(not near(1e-3) and not near(1e3), "the time is wanted in"
            " milliseconds")
    require(not near(1e9 / 2**30), "50 GB/s are 50 thousand million bytes a"
            " second, not 50 GiB")
    require(near(1), "the time does not follow from the bytes and the"
            " bandwidth")


def _bytes_of_rotation(moved, right):
    """The first half of exercise 11.1."""
    slips = {
        right / 2: "this is one half: there are queries and keys, and each"
        " number is read, and written, too",
        right / 4: "queries and keys, read and written",
        2 * right: "a bfloat16 has 16 bits",
        right / 8: "a bfloat16 has 2 bytes; read and written makes 4 a number",
        8 * right: "bytes are wanted, not bits",
        right / 1e6: "bytes are wanted, not MB",
        right / 2**20: "bytes are wanted, not MiB",
        right + 4 * 128 * 4096: "the tables are to be left out",
    }
    for slip, reason in slips.items():
        require(not np.isclose(moved, slip, rtol=5e-3), reason)
    require(np.isclose(moved, right, rtol=5e-3), "the bytes are not right")


def passes_of_four_products(answer):
    """11.2: traffic of the form on two halves, in copies."""
    found = number(answer)
    slips = {
        1: "one pass would need one operator that does it all",
        9: "count in copies: a copy reads and writes, two for each number",
        5: "this is the form with the partner of whole length; here every"
           " product has half of the numbers",
        3.5: "joining the halves moves every number once more",
        4: "a difference reads both of its halves, and joining reads, too",
        2: "these are the products; what comes after them?",
        8: "a and b are half as wide as x, and so are their products",
        7: "there are so many operators, but do they all read and write the"
           " same? Go through them one by one",
    }
    for slip, reason in slips.items():
        require(not np.isclose(found, slip), reason)
    require(np.isclose(found, 4.5, atol=0.11), "go through the operators one"
            " by one: what does each read, what does it write?")


def intensity_with_tables(answer):
    """11.3: operations a byte with tables, as an expression in H and s."""
    heads, size = symbols = sp.symbols("H s", positive=True)
    found = expression(answer, symbols)
    wanted = 3 * heads / (2 * heads * size + 4)
    slips = {
        3 / (2 * size): "the tables are not in it",
        3 * heads / (2 * heads * size + 2): "a pair has a cosine and a sine",
        3 * heads / (2 * heads * size + 8): "a table has one number for each"
        " pair, and not for each channel",
        3 * heads / (2 * heads * size + 4 * heads): "all heads of a token use"
        " the same cosines and sines",
        3 * heads / (heads * size + 4): "vectors are read and written",
        1 / wanted: "operations for each byte, not the other way round",
        6 * heads / (2 * heads * size + 4): "six operations for a pair are"
        " three for a number",
    }
    for slip, reason in slips.items():
        require(not is_zero(found - slip), reason)
    require(not is_zero(sp.diff(found, heads)), "more heads share one table:"
            " H must matter")
    require(is_zero(found - wanted), "put the operations of one token over"
            " all bytes of one token")


def fair_ratio(answer):
    """11.4: a function that times two jobs and is fooled by nothing."""
    total = _try(answer, {}, "it is not right on a machine without faults")
    _try(answer, {"first": 50.0}, "the first call of a job takes longer, and"
         " that moves your result")
    for start in np.linspace(0.2, 0.8, 61) * total:
        _try(answer, {"busy_from": float(start)}, "another program starts in"
             " the middle, and one of the two jobs pays for it")
    for seed in range(20):
        _try(answer, {"interrupted": 0.1, "seed": seed}, "one call in ten is"
             " interrupted, and that moves your result")


def _try(answer, faults, reason):
    """Try two pairs of jobs; return the seconds that the second took."""
    for true in (0.8, 1.25):
        machine = Machine(**faults)
        jobs = machine.job(1.0), machine.job(true)
        require(callable(answer), "a function is wanted")
        found = number(answer(*jobs, machine.clock))
        require(machine.clock() > 0, "your function never calls the jobs")
        require(faults or not np.isclose(found, 1 / true, rtol=0.05), "this"
                " is the time of the first over that of the second")
        require(np.isclose(found, true, rtol=0.05), reason)
    return machine.clock()


CHECKS = {"11.1": least_time, "11.2": passes_of_four_products,
          "11.3": intensity_with_tables, "11.4": fair_ratio}
