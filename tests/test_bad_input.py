"""Malformed calls: each must fail at once and say what would be right."""

import numpy as np
import pytest

from rope_edu import (
    angles,
    inverse_frequencies,
    rotate,
    score,
    unrotate,
    wavelengths,
)
from rope_edu.layouts import (
    half_to_interleaved,
    interleaved_to_half,
    pair_indices,
    permutation,
    permute_weight,
)
from rope_edu.reference import (
    rotate_blocks,
    rotate_by_angles,
    rotate_complex,
    rotate_dense,
    rotate_half_split,
    rotate_interleaved,
    rotation_matrix,
)

R4 = np.array([1.0, 0.5, 0.25, 0.125])
X = np.ones((2, 3, 5, 8))  # batch, heads, sequence, head_dim
HIDDEN = np.ma.masked_array([1, 999], mask=[False, True])
KNOT = []
KNOT.append(KNOT)
LONG = np.finfo(np.longdouble).nmant > np.finfo(np.float64).nmant
V, T = ValueError, TypeError

CALLS = [
    # widths
    ("odd width", lambda: inverse_frequencies(7), V, "rotary_dim must be even.*7"),
    ("zero width", lambda: inverse_frequencies(0), V, "rotary_dim must be positive"),
    ("negative width", lambda: inverse_frequencies(-8), V, "positive, got -8"),
    ("float width", lambda: inverse_frequencies(8.0), T, "rotary_dim.*integer.*8.0"),
    ("text width", lambda: inverse_frequencies("8"), T, "rotary_dim.*integer"),
    ("bool width", lambda: inverse_frequencies(True), T, "integer, got True"),
    ("no width", lambda: inverse_frequencies(None), T, "integer, got None"),
    ("report 53: ids as a width", lambda: inverse_frequencies(np.arange(8)),
     T, "integer"),
    ("a length as a width", lambda: inverse_frequencies(2**45),
     V, r"rotary_dim must be at most 2\*\*20.*got 35184372088832"),
    ("one pair too many", lambda: pair_indices(2**20 + 2, "half"), V, "at most 2..20"),
    ("a length as a head", lambda: permutation(2**45, 8), V, "head_dim.*at most 2..20"),
    # base
    ("base of one", lambda: inverse_frequencies(8, 1), V, "base.*above 1, got 1"),
    ("base below one", lambda: inverse_frequencies(8, 0.5), V, "base.*above 1"),
    ("base of zero", lambda: inverse_frequencies(8, 0), V, "base.*above 1"),
    ("negative base", lambda: inverse_frequencies(8, -10000), V, "base.*above 1"),
    ("NaN base", lambda: inverse_frequencies(8, np.nan), V, "base.*finite"),
    ("infinite base", lambda: inverse_frequencies(8, np.inf), V, "base.*finite"),
    ("huge base", lambda: inverse_frequencies(8, 10**400), V, "base.*finite"),
    ("text base", lambda: inverse_frequencies(8, "10000"), T, "base.*number"),
    ("bool base", lambda: inverse_frequencies(8, True), T, "base.*number, got True"),
    ("complex base", lambda: inverse_frequencies(8, 2j), T, "base.*number"),
    ("array base", lambda: inverse_frequencies(8, np.ones(2)), T, "base.*number"),
    # positions
    ("NaN position", lambda: angles([0, np.nan], R4), V, "position_ids.*finite.*nan"),
    ("infinite position", lambda: angles(np.inf, R4), V, "position_ids.*finite"),
    ("minus infinity", lambda: angles(-np.inf, R4), V, "position_ids.*finite"),
    ("one past 2**53", lambda: angles(2**53 + 1, R4), V, "9007199254740993"),
    ("one past, int64", lambda: angles(np.array([2**53 + 1]), R4), V, "skips"),
    ("one past, negative", lambda: angles(-(2**53) - 1, R4), V, "skips"),
    ("smallest int64", lambda: angles(np.array([-(2**63)]), R4), V, "skips"),
    ("uint64", lambda: angles(np.array([2**63], np.uint64), R4), V, "skips"),
    ("one past, uint64", lambda: angles(np.array([2**53 + 1], np.uint64), R4),
     V, "skips"),
    ("past 64 bits", lambda: angles(2**70, R4), V, "skips"),
    ("list past 64 bits", lambda: angles([0, 10**400], R4), V, "skips"),
    ("float past 2**53", lambda: angles(1e16, R4), V, "skips"),
    ("bool positions", lambda: angles([True, False], R4), T, "position_ids.*bool"),
    ("complex positions", lambda: angles([1j], R4), T, "position_ids.*complex"),
    ("text positions", lambda: angles(["1", "2"], R4), T, "position_ids.*integers"),
    ("no positions", lambda: angles(None, R4), T, "position_ids.*object"),
    ("object dtype", lambda: angles(np.array([1, 2], object), R4), T, "object"),
    ("ragged positions", lambda: angles([[1, 2], [3]], R4), V, "position_ids.*rect"),
    ("one past beside a fraction", lambda: angles([2**53 + 1, 0.5], R4),
     V, "skips.*got 9007199254740993"),
    ("one past beside a fraction, negative", lambda: angles([[-(2**53) - 1, 0.5]], R4),
     V, "skips.*got -9007199254740993"),
    ("one past in two dtypes",
     lambda: angles([np.uint64(2**53 + 1), np.int64(-1)], R4), V, "skips"),
    ("past 64 bits beside a fraction", lambda: angles([2**70, 0.5], R4), V, "skips"),
    ("float16 positions", lambda: rotate(X, np.array([2049] * 5, np.float16), R4),
     T, "^position_ids must hold integers, float32.*float16 has lost digits"),
    ("a float16 position", lambda: angles([np.float16(2049), 1], R4),
     T, "^position_ids.*float16 has lost"),
    ("float16 rates", lambda: angles(1, np.array([1, 0.1], np.float16)),
     T, "^inv_freq must hold.*float16 has lost"),
    ("a float16 rate", lambda: wavelengths([1.0, np.float16(0.1)]),
     T, "^inv_freq.*float16"),
    ("float16 angles", lambda: rotate_by_angles(X, np.ones(4, np.float16)),
     T, "^angle must hold.*float16"),
    ("a bool among positions", lambda: angles([1, True], R4), T, "position_ids.*bool"),
    ("a NumPy bool among positions", lambda: angles([[1.5, 2], [np.True_, 3]], R4),
     T, "position_ids.*bool"),
    ("rows of bools and numbers", lambda: angles([np.ones(1, bool), np.ones(1)], R4),
     T, "position_ids.*bool"),
    ("bytes as positions", lambda: angles(b"ab", R4), T, "position_ids must hold"),
    ("bytearray as positions", lambda: angles(bytearray(b"ab"), R4),
     T, "position_ids must hold numbers, got a bytearray.*frombuffer"),
    ("a list of bytearrays", lambda: angles([bytearray(b"ab")], R4), T, "bytearray"),
    ("a view of bytes", lambda: angles(memoryview(b"ab"), R4), T, "memoryview"),
    ("masked positions", lambda: angles(HIDDEN, R4),
     T, r"position_ids must not be masked.*\.filled.*\.compressed\(\)"),
    ("rows of masked positions", lambda: angles([HIDDEN], R4), T, "position_ids.*mask"),
    ("a masked position", lambda: angles([1, np.ma.masked], R4), T, "masked"),
    ("a list in itself", lambda: angles(KNOT, R4), V, "position_ids.*rectangular"),
    ("angle past float64", lambda: angles([0, 10**10], [1.0, 1e308]),
     V, r"position 10000000000.0 times inv_freq\[1\] = 1e\+308"),
    ("rotation past float64", lambda: rotate([1.0, 0.0], -(10**10), [1e308]),
     V, r"position -1.* times inv_freq\[0\]"),
    ("dates", lambda: angles(np.array(["2024"], "M8[Y]"), R4), T, "integers or floats"),
    # inv_freq
    ("no rates", lambda: angles(1, []), V, "inv_freq.*one rate per pair"),
    ("scalar rate", lambda: angles(1, 0.5), V, r"inv_freq must be 1-D.*\(\)"),
    ("table of rates", lambda: angles(1, np.ones((2, 4))), V, r"1-D.*\(2, 4\)"),
    ("NaN rate", lambda: angles(1, [1.0, np.nan]), V, "inv_freq must be finite"),
    ("infinite rate", lambda: wavelengths([np.inf]), V, "inv_freq must be finite"),
    ("no wavelengths", lambda: wavelengths([]), V, "inv_freq"),
    ("complex rates", lambda: wavelengths([1j]), T, "inv_freq.*complex"),
    ("a bool among rates", lambda: wavelengths([1.0, True]), T, "inv_freq.*bool"),
    ("masked rates", lambda: angles(1, HIDDEN), T, "inv_freq.*masked"),
    ("bool rates", lambda: wavelengths([True]), T, "inv_freq.*bool"),
    ("text rates", lambda: rotate(X, 0, ["a"] * 4), T, "inv_freq.*integers"),
    # widths of x
    ("report 119: wide rates", lambda: rotate(X, 0, np.ones(8)), V, "= 16, got 8"),
    ("narrow rates", lambda: rotate(X, 0, R4[:2]), V, "= 4, got 8; .*rotary_dim=4"),
    ("heads not split", lambda: rotate(np.ones((5, 24)), 0, R4), V, "= 8, got 24"),
    ("odd last axis", lambda: rotate(np.ones(7), 0, R4), V, "= 8, got 7"),
    ("empty last axis", lambda: rotate(np.ones((3, 0)), 0, R4), V, "= 8, got 0"),
    ("x a number", lambda: rotate(1.0, 0, R4), V, "x must be a vector"),
    ("partial, not said", lambda: rotate(np.ones(10), 0, R4), V, "rotary_dim=8"),
    ("partial, other", lambda: rotate(X, 0, R4, rotary_dim=4),
     V, "rotary_dim.*= 8, got 4"),
    ("partial, too wide", lambda: rotate(np.ones(6), 0, R4, rotary_dim=8),
     V, "head_dim = 6"),
    ("partial, odd", lambda: rotate(X, 0, R4, rotary_dim=7), V, "even.*7"),
    ("partial, float", lambda: rotate(X, 0, R4, rotary_dim=8.0),
     T, "rotary_dim.*integer"),
    ("partial, bool", lambda: rotate(X, 0, R4, rotary_dim=True),
     T, "rotary_dim.*integer"),
    ("complex x", lambda: rotate(X + 0j, 0, R4), T, "x must hold.*complex128"),
    ("bool x", lambda: rotate(X > 0, 0, R4), T, "x must hold.*bool"),
    ("text x", lambda: rotate(["a"] * 8, 0, R4), T, "x must hold"),
    ("masked x", lambda: rotate(HIDDEN, 0, [1.0]), T, "x must not be masked"),
    ("a bool in x", lambda: rotate([1.5, True], 0, [1.0]), T, "x must hold.*bool"),
    ("no x", lambda: rotate(None, 0, R4), T, "x must hold"),
    ("ragged x", lambda: rotate([[1, 2], [3]], 0, R4), V, "x must be rectangular"),
    ("unrotate complex", lambda: unrotate(X + 0j, 0, R4), T, "complex128"),
    # axes of positions
    ("batch ids, 4-D x", lambda: rotate(X, np.ones((2, 5)), R4),
     V, r"position_ids\[:, None, :\]"),
    ("one row, 4-D x", lambda: rotate(X, np.ones((1, 5)), R4), V, r"\[:, None, :\]"),
    ("too few ids", lambda: rotate(X, [0, 1, 2], R4), V, r"\(3,\).*5 numbers"),
    ("one id in a list", lambda: rotate(X, [3], R4), V, "one number, 5 numbers"),
    ("no ids", lambda: rotate(X, [], R4), V, r"\(0,\)"),
    ("ids of the heads", lambda: rotate(X, np.ones((2, 3, 1, 1)), R4), V, "3 axes"),
    ("wrong batch", lambda: rotate(X, np.ones((4, 1, 5)), R4), V, r"\(4, 1, 5\)"),
    ("wrong length", lambda: rotate(X, np.ones((2, 1, 4)), R4), V, r"\(2, 1, 4\)"),
    ("report 94: four axes of ids", lambda: rotate(X, np.ones((4, 2, 5)), R4),
     V, r"\(4, 2, 5\)"),
    ("ids wider than x", lambda: rotate(X[:1], np.ones((2, 1, 5)), R4), V, "broadcast"),
    ("2-D x, 2-D ids", lambda: rotate(X[0, 0], np.ones((1, 5)), R4), V, "1 axes"),
    ("2-D x, one in a list", lambda: rotate(X[0, 0], [1], R4), V, "5 numbers"),
    ("unrotate, batch ids", lambda: unrotate(X, np.ones((2, 5)), R4), V, "None"),
    # layout and convention
    ("layout", lambda: rotate(X, 0, R4, "neox"),
     V, "'interleaved' or 'half', got 'neox'"),
    ("layout None", lambda: rotate(X, 0, R4, None), V, "layout.*None"),
    ("layout list", lambda: rotate(X, 0, R4, ["half"]), V, "layout"),
    ("layout array", lambda: rotate(X, 0, R4, np.array(["half"])), V, "layout"),
    ("dense layout", lambda: rotate_dense(X, 0, R4, "HALF"), V, "layout"),
    ("blocks layout", lambda: rotate_blocks(X, 0, R4, 1), V, "layout"),
    ("complex layout", lambda: rotate_complex(X, 0, R4, ""), V, "layout"),
    ("matrix layout", lambda: rotation_matrix(0, R4, "row"), V, "layout"),
    ("convention", lambda: rotation_matrix(0, R4, "half", "right"),
     V, "convention.*'column'"),
    ("matrix position", lambda: rotation_matrix(np.nan, R4), V, "^position must"),
    # the other forms share the checks
    ("dense width", lambda: rotate_dense(X, 0, R4[:3]), V, "= 6, got 8"),
    ("blocks ids", lambda: rotate_blocks(X, [1, 2], R4), V, "5 numbers"),
    ("complex x in complex form", lambda: rotate_complex(X + 0j, 0, R4),
     T, "complex128"),
    ("interleaved width", lambda: rotate_interleaved(X, 0, R4[:1]), V, "= 2, got 8"),
    ("half ids", lambda: rotate_half_split(X, np.ones((2, 5)), R4), V, "None"),
    # scores
    ("q width", lambda: score(np.ones(6), X, 0, 0, R4), V, r"q.shape\[-1\].*6"),
    ("k width", lambda: score(X, np.ones(6), 0, 0, R4), V, r"k.shape\[-1\].*6"),
    ("m", lambda: score(X, X, np.nan, 0, R4), V, "^m must be finite"),
    ("n axes", lambda: score(X, X, 0, np.ones((2, 5)), R4), V, r"n\[:, None, :\]"),
    ("q and k apart", lambda: score(X, X[:, :2], 0, 0, R4),
     V, r"\(2, 2, 5, 8\).*broadcast"),
    ("k complex", lambda: score(X, X + 0j, 0, 0, R4), T, "k must hold"),
    # layouts
    ("report 118: wide rotary", lambda: permutation(33, 34),
     V, "head_dim = 33, got 34"),
    ("report 118: odd head", lambda: permutation(33), V, "head_dim must be even.*33"),
    ("negative head", lambda: permutation(-4, 2), V, "head_dim must be positive"),
    ("float head", lambda: permutation(8.0), T, "head_dim.*integer"),
    ("float rotary", lambda: permutation(8, 4.0), T, "rotary_dim.*integer"),
    ("indices layout", lambda: pair_indices(8, "split"), V, "layout"),
    ("indices width", lambda: pair_indices(5, "half"), V, "even"),
    ("reorder a number", lambda: interleaved_to_half(3.0), V, "x must be a vector"),
    ("reorder nothing", lambda: interleaved_to_half(None), T, "x must be.*got None"),
    ("reorder text", lambda: half_to_interleaved("ab"), T, "x must be.*got 'ab'"),
    ("reorder masked", lambda: half_to_interleaved(HIDDEN), T, "x must not be masked"),
    ("reorder odd", lambda: half_to_interleaved([1, 2, 3]), V, "even.*3"),
    ("reorder ragged", lambda: half_to_interleaved([[1, 2], [3]]), V, "x must be rect"),
    # weights
    ("weight to", lambda: permute_weight(np.ones((8, 2)), 2, "hf"),
     V, "to must be.*'hf'"),
    ("weight heads", lambda: permute_weight(np.ones((8, 2)), 3, "half"),
     V, "multiple of num_heads = 3"),
    ("weight zero heads", lambda: permute_weight(np.ones(8), 0, "half"),
     V, "num_heads must be positive"),
    ("weight float heads", lambda: permute_weight(np.ones(8), 2.0, "half"),
     T, "num_heads.*integer"),
    ("weight axes", lambda: permute_weight(np.ones((2, 4, 3)), 2, "half"),
     V, r"\(2, 4, 3\)"),
    ("weight a number", lambda: permute_weight(1.0, 1, "half"), V, r"\(\)"),
    ("weight odd head", lambda: permute_weight(np.ones(6), 2, "half"),
     V, "head_dim must be even.*3"),
    ("weight rotary", lambda: permute_weight(np.ones(8), 2, "half", 6),
     V, "head_dim = 4, got 6"),
    ("weight masked", lambda: permute_weight(HIDDEN, 1, "half"), T, "weight.*masked"),
    ("weight float head_dim",
     lambda: permute_weight(np.ones(8), 2, "half", head_dim=4.0),
     T, "head_dim must be an integer, got 4.0"),
    ("weight array head_dim",
     lambda: permute_weight(np.ones(8), 2, "half", head_dim=np.ones(2)),
     T, "head_dim must be an integer"),
    ("weight head_dim", lambda: permute_weight(np.ones(8), 2, "half", head_dim=8),
     V, r"2 \* 8, got 8"),
]


@pytest.mark.parametrize(
    "bad, error, words", [c[1:] for c in CALLS], ids=[c[0] for c in CALLS]
)
def test_bad_call(bad, error, words):
    with pytest.raises(error, match=words) as caught:
        bad()
    assert caught.type is error


def test_labels_are_unique():
    assert len({label for label, *_ in CALLS}) == len(CALLS) >= 40


def test_the_last_position_allowed_is_2_to_the_53():
    assert angles([2**53, -(2**53)], [1.0]).ravel().tolist() == [2.0**53, -(2.0**53)]
    mixed = angles([2**53, 0.5, np.float32(3)], [1.0])
    assert mixed.ravel().tolist() == [2.0**53, 0.5, 3.0]


def test_the_widest_width_allowed_is_2_to_the_20():
    assert len(inverse_frequencies(2**20)) == 2**19


@pytest.mark.skipif(not LONG, reason="longdouble is float64 here")
def test_extended_precision_is_not_lost_in_silence():
    for one_past in (np.longdouble(2) ** 53 + 1, [0.5, -(np.longdouble(2) ** 53) - 1]):
        with pytest.raises(ValueError, match="skips.*9007199254740993"):
            angles(one_past, R4)
    huge = np.longdouble("1e400")
    with pytest.raises(ValueError, match=r"x must fit into float64.*1e\+400"):
        rotate([huge, 1.0], 0, [1.0])
    with pytest.raises(ValueError, match=r"inv_freq must fit into float64.*1e\+400"):
        wavelengths([huge])
    # Infinity in x is data, and half a longdouble is rounded like any other.
    assert rotate(np.longdouble([0.5, 0.25]), 0, [1.0]).tolist() == [0.5, 0.25]
