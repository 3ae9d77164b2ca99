"""Counting: each operation is seen once, and the forms are one rotation."""

import numpy as np
import pytest

from rope_edu.counting import FORMS, KINDS, operations
from rope_edu.reference import rotate_complex

RNG = np.random.default_rng(6)
PAIRS = 5


@pytest.fixture
def turn():
    """Return a random vector, its angles at position 1, and the answer."""
    x, angle = RNG.normal(size=2 * PAIRS), RNG.uniform(0.1, 3, size=PAIRS)
    return x, angle, rotate_complex(x, 1, angle)


@pytest.mark.parametrize("name", FORMS)
def test_forms_rotate(name, turn):
    """A count of a formula that is not the rotation would say nothing."""
    x, angle, wanted = turn
    found = FORMS[name](np.cos(angle), np.sin(angle), x)
    assert np.allclose(found, wanted, rtol=0, atol=1e-14)  # 64 ulp of 1


@pytest.mark.parametrize("name", FORMS)
def test_counted_numbers_give_the_same_value(name, turn):
    """A tally kept of other arithmetic would be a tally of that."""
    x, angle, wanted = turn
    value, _ = operations(
        lambda y: FORMS[name](np.cos(angle), np.sin(angle), y), x
    )
    assert value.dtype == np.float64
    assert np.allclose(value, wanted, rtol=0, atol=1e-14)


# By hand, for one pair: 2x2 times 2 is 4 products and 2 sums.
@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("dense", (100, 90, 0)),  # d * d and d * (d - 1) for d = 10
        ("2 x 2 blocks", (20, 10, 0)),
        ("complex", (20, 10, 0)),
        ("elementwise", (20, 10, 5)),
    ],
)
def test_counts(name, counts, turn):
    """The numbers of the chapter, for another width."""
    x, angle, _ = turn
    _, tally = operations(
        lambda y: FORMS[name](np.cos(angle), np.sin(angle), y), x
    )
    assert tuple(tally[kind] for kind in KINDS) == counts


@pytest.mark.parametrize(
    ("form", "value", "counts"),
    [
        (lambda x: x, [3.0, 5.0], (0, 0, 0)),
        (lambda x: x + 1, [4.0, 6.0], (0, 2, 0)),
        (lambda x: 1 + x, [4.0, 6.0], (0, 2, 0)),
        (lambda x: x - 1, [2.0, 4.0], (0, 2, 0)),
        (lambda x: 1 - x, [-2.0, -4.0], (0, 2, 0)),
        (lambda x: 2.0 * x, [6.0, 10.0], (2, 0, 0)),
        (lambda x: x * x, [9.0, 25.0], (2, 0, 0)),
        (lambda x: -x, [-3.0, -5.0], (0, 0, 2)),
        (lambda x: x @ x, 34.0, (2, 1, 0)),
    ],
)
def test_each_operation_is_counted_once(form, value, counts):
    """Both orders of the operands, and a value beside each count."""
    found, tally = operations(form, [3.0, 5.0])
    assert found.tolist() == value
    assert tuple(tally.values()) == counts


def test_not_a_vector():
    """Text and single numbers are refused like everywhere else."""
    with pytest.raises(TypeError, match="x must hold integers or floats"):
        operations(lambda x: x, "abc")
    with pytest.raises(ValueError, match="x must be a vector"):
        operations(lambda x: x, 1.0)
    with pytest.raises(ValueError, match="x must be 1-D"):
        operations(lambda x: x, [[1.0, 2.0]])


@pytest.mark.parametrize(
    ("form", "told"),
    [
        (None, "form must be a function of x, got None"),
        (lambda x: None, r"form\(x\) must hold integers or floats"),
        (lambda x: "a", r"form\(x\) must hold integers or floats"),
        (lambda x: 1j * x, r"form\(x\) must hold.*complex"),
    ],
)
def test_a_form_gives_numbers(form, told):
    """Nothing, or text, would become NaN."""
    with pytest.raises(TypeError, match=told):
        operations(form, [1.0])


@pytest.mark.parametrize("name", FORMS)
def test_small_integers_do_not_overflow(name):
    """NumPy's own arithmetic takes 252 for minus 4 in eight bits."""
    cos, sin, x = (np.array(v, np.uint8) for v in ([0], [1], [3, 4]))
    assert FORMS[name](cos, sin, x).tolist() == [-4.0, 3.0]
    assert FORMS[name]([0], [1], [3, 4]).tolist() == [-4.0, 3.0]


@pytest.mark.parametrize(
    ("cos", "sin", "x", "kind", "told"),
    [
        ([1.0], [0.0], [1.0, 2.0, 3.0], ValueError, r"len\(x\) must be even.*3"),
        ([1.0], [0.0], np.ones(4), ValueError, r"cos must have shape \(2,\).*\(1,\)"),
        ([1.0, 1.0], 0.0, np.ones(4), ValueError, r"sin must have shape \(2,\).*\(\)"),
        ([1.0], [0.0], np.ones((2, 1)), ValueError, "x must be 1-D"),
        ([1.0], [0.0], 3.0, ValueError, "x must be a vector"),
        ([1j], [0.0], [1.0, 2.0], TypeError, "cos must hold"),
        ([1.0], None, [1.0, 2.0], TypeError, "sin must hold"),
        ([1.0], [0.0], [1j, 2.0], TypeError, "x must hold"),
        ([1.0], [0.0], np.array([1, "a"], object), TypeError, "x must hold"),
    ],
)
@pytest.mark.parametrize("name", FORMS)
def test_the_arguments_of_every_form_are_checked(name, cos, sin, x, kind, told):
    """A table of one pair would broadcast, an odd vector lose its end."""
    with pytest.raises(kind, match=told):
        FORMS[name](cos, sin, x)


@pytest.mark.parametrize("name", FORMS)
def test_the_arguments_of_counted_forms_are_checked(name):
    """What `operations` hands over is a vector as well."""
    with pytest.raises(ValueError, match=r"cos must have shape \(1,\)"):
        operations(lambda x: FORMS[name](np.ones(2), np.ones(2), x), [1.0, 2.0])
    _, tally = operations(lambda x: FORMS[name]([1], [0], list(x)), [1, 2])
    assert tally["multiplications"] == 4
