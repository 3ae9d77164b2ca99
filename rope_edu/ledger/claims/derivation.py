"""Claims about where RoPE comes from: the wish, and what follows from it."""

from __future__ import annotations

import numpy as np

from rope_edu.doctor.rounding import rounded
from rope_edu.frequencies import angles
from rope_edu.reference import rotate, rotation_matrix, score
from rope_edu.running import INV_FREQ, K, Q

from .core import Claim

# A query and a key in the plane, as complex numbers.
QUERY, KEY = 1.2 + 0.4j, 0.6 + 1.1j


def _asked_for():
    given = score(Q, K, 10, 7, INV_FREQ)
    wanted = Q @ rotate(K, 7 - 10, INV_FREQ)
    assert np.isclose(given, wanted, rtol=0, atol=1e-12)
    return (f"f at 10 and at 7 gives {given:.3f}, and so does g, which is told"
            " the offset alone")


def _own_position():
    slow = np.array([0.001])
    places = np.array([10, 100, 1000])
    x, y = rotate([1.0, 0.0], places, slow).T
    read = np.arctan2(y, x) / slow
    assert np.allclose(read, places)
    return (f"read off a hand of {slow[0]} rad per token:"
            f" {', '.join(f'{m:.0f}' for m in read)}")


def _absolute_in():
    moved = rotate(Q, 100, INV_FREQ) - rotate(Q, 10, INV_FREQ)
    scores = [score(Q, K, m, m - 3, INV_FREQ) for m in (10, 100)]
    assert np.linalg.norm(moved) > 1 and np.ptp(scores) < 1e-12
    return (f"90 tokens on, the query has moved by"
            f" {np.linalg.norm(moved):.2f}, the score by less than 1e-12")


def _same_offset():
    first, second, back = (score(Q, K, m, n, INV_FREQ)
                           for m, n in ((10, 7), (100, 97), (7, 10)))
    assert np.isclose(first, second, rtol=0, atol=1e-12)
    assert abs(first - back) > 0.1
    return (f"(10, 7): {first:.3f}, (100, 97): {second:.3f}; with the key 3"
            f" after the query: {back:.3f}")


def _offset_alone():
    m = np.array([3.0, 1003.0])
    exact = score(Q, K, m, m - 3, INV_FREQ)
    ids = (rounded(x, "bfloat16") for x in (m, m - 3))
    coarse = score(Q, K, *ids, INV_FREQ)
    assert np.isclose(*exact, rtol=0, atol=1e-12)
    assert np.isclose(exact[0], coarse[0]) and abs(np.diff(coarse)[0]) > 0.1
    return (f"offset -3, at 3 and at 1003: {exact[0]:.3f} and {exact[1]:.3f};"
            f" with positions in bfloat16 {coarse[0]:.3f} and"
            f" {coarse[1]:.3f}")


def _either_sign():
    offsets = np.arange(-15, 16)
    key_moves = score(Q, K, 0, offsets, INV_FREQ)
    query_moves = score(Q, K, offsets, 0, INV_FREQ)
    assert np.allclose(key_moves, query_moves[::-1], rtol=0, atol=1e-12)
    assert not np.allclose(key_moves, query_moves, rtol=0, atol=0.1)
    return ("31 offsets: the scores over n - m are those over m - n, read"
            " from the other end")


def _not_even():
    ahead, behind = score(Q, K, 0, [4, -4], INV_FREQ)
    other = score(Q[::-1], K, 0, 4, INV_FREQ)
    assert abs(ahead - behind) > 1 and abs(ahead - other) > 0.1
    return (f"distance 4: {ahead:.2f} if the key comes after, {behind:.2f} if"
            f" it comes before, {other:.2f} for another query")


def _mirror():
    turned = QUERY * KEY.conjugate()
    mirrored = QUERY.conjugate() * KEY
    assert np.isclose(turned.real, mirrored.real)
    assert abs(turned.imag - mirrored.imag) > 1
    return (f"q and k as they are and both mirrored: real parts"
            f" {turned.real:.2f} and {mirrored.real:.2f}, imaginary parts"
            f" {turned.imag:.2f} and {mirrored.imag:.2f}")


def _turned(z, m, rate=1.0):
    return z * np.exp(1j * rate * m)


def _misread():
    one, two = _turned(QUERY, 3), _turned(KEY, 1)
    product = one * two.conjugate()
    size = abs(one) * abs(two)
    meant = size * np.exp(1j * (np.angle(one) - np.angle(two)))
    as_a_rate = size * np.exp(1j * (1.0 - 1.0))
    assert np.isclose(product, meant) and abs(product - as_a_rate) > 1
    return (f"product {product:.2f}; with the functions Θ {meant:.2f}, with"
            f" the number θ in their place {as_a_rate:.2f}")


def _growing():
    def both(m, rates):
        q, k = (_turned(z, m) * np.exp(rate * m)
                for z, rate in zip((QUERY, KEY), rates))
        return (q * k.conjugate()).real

    alike = [both(m, (0.1, 0.1)) for m in (0, 5)]
    opposite = [both(m, (0.1, -0.1)) for m in (0, 5)]
    assert alike[1] > 2 * alike[0] and np.isclose(*opposite)
    return (f"score at offset 0, at 0 and at 5: {alike[0]:.2f} and"
            f" {alike[1]:.2f} with one growing map, {opposite[0]:.2f} and"
            f" {opposite[1]:.2f} with two opposite ones")


def _uneven_steps():
    def scores(phase):
        q, k = (QUERY * np.exp(1j * phase(np.array([10, 100]))),
                KEY * np.exp(1j * phase(np.array([7, 97]))))
        return (q * k.conj()).real

    even, uneven = scores(lambda m: 0.1 * m), scores(lambda m: 0.1 * m**2)
    assert np.isclose(*even) and abs(np.diff(uneven)[0]) > 0.1
    return (f"offset 3, twice: {even[0]:.2f} and {even[1]:.2f} with equal"
            f" steps, {uneven[0]:.2f} and {uneven[1]:.2f} with growing ones")


def _any_rate():
    for rate in (1.0, -1.0, 0.3):
        found = score(Q[:2], K[:2], [10, 100], [7, 97], [rate])
        assert np.isclose(*found, rtol=0, atol=1e-12), rate
    return "rates 1, -1 and 0.3: all three are relative"


def _other_solution():
    v = np.ones(8) / np.sqrt(8)
    mirror = np.eye(8) - 2 * np.outer(v, v)
    step = mirror @ rotation_matrix(1, INV_FREQ)

    def at(m, n):
        power = np.linalg.matrix_power
        return (power(step, m) @ Q) @ (power(step, n) @ K)

    first, second = at(10, 7), at(100, 97)
    assert np.linalg.det(step) < 0 and np.isclose(first, second, atol=1e-9)
    return (f"a mirror times a rotation, determinant -1: {first:.3f} at (10,"
            f" 7), {second:.3f} at (100, 97)")


def _two_thetas():
    places = np.arange(3)
    read = np.angle(_turned(QUERY, places, 0.5))
    assert np.ptp(read) > 0.9 and np.allclose(np.diff(read), 0.5)
    told = ", ".join(f"{angle:.2f}" for angle in read)
    return f"Θ at 0, 1, 2: {told} rad; θ: 0.5 rad per token"


def _without_conjugate():
    q, k = (_turned(z, np.array(ids))
            for z, ids in ((QUERY, [10, 100]), (KEY, [7, 97])))
    plain, right = (q * k).real, (q * k.conj()).real
    assert np.isclose(*right) and abs(np.diff(plain)[0]) > 1
    return (f"(10, 7) and (100, 97): {plain[0]:.2f} and {plain[1]:.2f} by q k,"
            f" {right[0]:.2f} and {right[1]:.2f} by q k*")


def _equal_not_proportional():
    offsets = np.array([0, 5, 50])
    whole = score(Q, K, 0, offsets, INV_FREQ)
    z = Q[0::2] + 1j * Q[1::2], K[0::2] + 1j * K[1::2]
    turned = np.exp(-1j * angles(offsets, INV_FREQ))
    parts = (z[0] * z[1].conj() * turned).real
    assert np.allclose(parts.sum(axis=1), whole, rtol=0, atol=1e-12)
    ratios = parts[:, 0] / whole
    assert np.ptp(ratios) > 0.1
    return ("the sum over 4 pairs is the score itself; pair 0 alone makes"
            f" {', '.join(f'{r:.2f}' for r in ratios)} of it at offsets"
            " 0, 5, 50")


def _half_a_definition():
    square, tall = rotation_matrix(3, INV_FREQ), np.eye(3)[:, :2]
    for product in (square.T @ square, square @ square.T, tall.T @ tall):
        assert np.allclose(product, np.eye(len(product)))
    assert not np.allclose(tall @ tall.T, np.eye(3))
    return ("8 by 8: both products are the identity; 3 by 2: only one of"
            " them is")


def _hands_wrap():
    away = np.abs(np.angle(np.exp(1j * np.array([6, 44, 710]))))
    query, key = (rotate([1.0, 0.0], ids, [1.0]) @ [1, 1j]
                  for ids in ([10, 100], [7, 97]))
    between = np.angle(query * key.conj())
    assert np.isclose(*between, rtol=0, atol=1e-12)
    assert away[2] < 1e-4 < away[1] < 0.02
    return (f"angle between the hands: {between[0]:.0f} rad at (10, 7) and at"
            f" (100, 97); a hand at 44 is {away[1]:.3f} rad from where it was"
            " at 0")


CLAIMS = (
    Claim(
        "what-is-asked-for",
        "One looks for a function $f$ with $\\langle f(q,m), f(k,n)\\rangle ="
        " g(q,k,m-n)$; once $f$ is fixed, so is $g$.",
        ("A15", "A16", "B32"), "derivation", "true",
        "This is a wish and no theorem. Any $f$ that grants it defines its"
        " $g$: put the key at 0.",
        _asked_for, ("wish",)),
    Claim(
        "each-carries-its-own-position",
        "Query and key come from two positions, and each of $f(q,m)$ and"
        " $f(k,n)$ carries its own one.",
        ("A14", "B29"), "derivation", "true",
        "A turned vector points where its position has turned it. From a slow"
        " pair the position can be read off, up to whole turns.",
        _own_position),
    Claim(
        "absolute-in-relative-out",
        "RoPE encodes absolute positions, one vector at a time, and obtains a"
        " relative encoding when two of them meet.",
        ("B27", "B35", "C22"), "derivation", "true",
        "Each vector is turned without knowledge of the other. The inner"
        " product cancels what the two turns have in common.",
        _absolute_in, ("relative",), ("su2021rope",)),
    Claim(
        "same-offset-same-score",
        "Positions (10, 7) and (100, 97) have the same $m - n = 3$, which says"
        " that the query stands 3 tokens after the key.",
        ("B33", "B34"), "derivation", "true",
        "$m$ belongs to the query. The reverse order, with the key 3 after the"
        " query, is another offset and has another score.",
        _same_offset, ("relative",)),
    Claim(
        "only-the-offset-counts",
        "The score depends on the difference of the positions alone; $m$ and"
        " $n$ themselves do not matter.",
        ("B28", "C5", "C11"), "derivation", "conditional",
        "True of fixed $q$ and $k$ and exact arithmetic. In a model with a"
        " causal mask, $q$ and $k$ of later layers already depend on how many"
        " tokens came before; and rounded positions are other positions.",
        _offset_alone, ("relative",), ("kim2025behind", "wang2025precision")),
    Claim(
        "sign-of-the-offset",
        "Whether one writes $m-n$ or $n-m$ is a matter of convention.",
        ("B41",), "derivation", "conditional",
        "One function is the other with its argument negated, so either will"
        " do. But it has to be one of them throughout: the score is not the"
        " same at $+r$ and at $-r$.",
        _either_sign, ("odd-part",)),
    Claim(
        "score-knows-the-distance",
        "The score of RoPE depends only on the distance between two tokens.",
        ("mistake-5",), "derivation", "false",
        "It depends on the signed offset, before or behind, and on what the"
        " two vectors are.",
        _not_even, ("odd-part", "score-amplitudes")),
    Claim(
        "mathematics-then-proof",
        "Mathematics gives the function, and engineering then proves that it"
        " works.",
        ("A13",), "derivation", "imprecise",
        "The derivation proves that scores are relative. That a model is the"
        " better for it is an observation; RoFormer itself, in section 4.5.5,"
        " has no explanation of its faster convergence.",
        cites=("su2024roformer",)),
    Claim(
        "nothing-turns-at-zero",
        "Plain initial conditions are $f(q,0)=q$ and $f(k,0)=k$.",
        ("A17",), "derivation", "true",
        "They say where counting starts. Without them a fixed angle $\\gamma$"
        " may be added to every turn and cancels in every score.",
        equations=("initial-conditions", "offset-gamma")),
    Claim(
        "inner-product-as-real-part",
        "In two dimensions $\\langle q,k\\rangle = \\operatorname{Re}[q k^*]$,"
        " where the star is the complex conjugate.",
        ("A18", "A19"), "derivation", "true",
        "The product $q k^*$ has the inner product for its real part and the"
        " determinant for its imaginary part.",
        equations=("inner-product-complex", "conjugate-product")),
    Claim(
        "assume-a-complex-g",
        "For simplicity one may assume a complex $g$ with $f(q,m) f^*(k,n) ="
        " g(q,k,m-n)$.",
        ("A20",), "derivation", "conditional",
        "It asks for more than the wish, which is about the real part alone,"
        " and so it loses solutions: mirroring the plane at each step keeps"
        " every score relative and fails this equation.",
        _mirror, ("mirror", "wish-stronger")),
    Claim(
        "modulus-and-argument",
        "Written by modulus $R$ and argument $\\Theta$, the complex wish"
        " becomes one equation for the moduli and one for the arguments.",
        ("A21", "A23"), "derivation", "conditional",
        "The vector 0 has no argument, and arguments are equal only up to"
        " whole turns.",
        equations=("polar-form", "modulus-and-argument")),
    Claim(
        "easily-misread",
        "The way the post is typeset makes $R$ and $\\Theta$ easy to misread.",
        ("A22",), "derivation", "unknown",
        "Nothing depends on it, and what readers misread was not counted. The"
        " post writes $R_f(q,m)$, a function of both, where the first text"
        " writes $R_{f(q,m)}$.",
        cites=("su2021rope",)),
    Claim(
        "scrambled-line",
        "The inline derivation of the two equations is right as it is"
        " written.",
        ("A24",), "derivation", "imprecise",
        "The steps are right, the letters are not: braces are misplaced, and"
        " $\\Theta$ turns into $\\theta$ within the line. Read as the number"
        " $\\theta$, the exponent would vanish.",
        _misread, ("modulus-and-argument",)),
    Claim(
        "at-equal-positions",
        "At $m=n$ the two equations reduce to the start: the moduli multiply"
        " to $\\lVert q\\rVert\\lVert k\\rVert$, and the arguments differ as"
        " those of $q$ and $k$ do.",
        ("A25", "A27"), "derivation", "true",
        "Offset 0 is also the offset of positions 0 and 0, where the initial"
        " conditions hold. Arguments are meant up to whole turns.",
        equations=("same-place-modulus", "same-place-argument")),
    Claim(
        "the-length-is-assumed",
        "That $f$ keeps the length, $R_{f(q,m)}=\\lVert q\\rVert$, is an"
        " assumption, free to be made since any solution will do.",
        ("A26", "mistake-15"), "derivation", "imprecise",
        "With one $f$ for queries and keys it is a consequence: put $k=q$ at"
        " equal positions. Only with two maps is there a choice, one growing"
        " as the other shrinks, which is what xPos does.",
        _growing, ("modulus-forced", "two-moduli"), ("sun2023xpos",)),
    Claim(
        "angle-added-by-position",
        "What $f$ adds to the argument depends on $m$ alone, not on $q$.",
        ("A28",), "derivation", "true",
        "At equal positions the same amount is added to the argument of $q$"
        " and to that of $k$, whatever the two are.",
        equations=("same-place-argument",)),
    Claim(
        "equal-steps",
        "At neighboring positions the added angle differs by a constant, so"
        " that it is $m\\theta$: the key step.",
        ("A29", "A30"), "derivation", "true",
        "The right side of the equation does not contain $m$, and the angle"
        " is 0 at 0. This is for whole positions; between them it needs"
        " continuity.",
        _uneven_steps, ("arithmetic-step",)),
    Claim(
        "solution-in-two-dimensions",
        "This gives RoPE in two dimensions, $f(q,m)=q\\,e^{\\mathrm{i}m"
        "\\theta}$.",
        ("A31",), "derivation", "conditional",
        "It is a solution and not the solution: the rate $\\theta$ and its"
        " sign are free, and the stronger wish has left out the mirrors.",
        _any_rate, ("rope-2d",)),
    Claim(
        "the-only-solution",
        "RoPE is the only function that makes scores relative.",
        ("mistake-14",), "derivation", "false",
        "The powers $O^m$ of any orthogonal matrix do, and these are all, if"
        " $f$ is one map with $f(q,0)=q$. Two maps leave still more room.",
        _other_solution, ("general-solution", "two-maps"), ("su2021two",)),
    Claim(
        "length-and-angle",
        "A complex number is $q=\\lVert q\\rVert e^{\\mathrm{i}\\Theta_q}$,"
        " with its modulus and its argument.",
        ("A32", "A53"), "derivation", "true",
        "Euler's formula; the argument is settled up to whole turns.",
        equations=("complex-polar",)),
    Claim(
        "two-thetas",
        "$\\Theta$ is a function and $\\theta$ is a number.",
        ("A33",), "derivation", "true",
        "$\\Theta$ is where a vector points, $\\theta$ the rate at which it"
        " turns, in radians per token.",
        _two_thetas),
    Claim(
        "multiplying-is-turning",
        "Multiplying by $e^{\\mathrm{i}m\\theta}$ turns the plane, and in"
        " coordinates it is the matrix $R_m$ of cosines and sines.",
        ("A34", "B37", "B42", "C3", "C6"), "derivation", "true",
        "$f(q,m)=R_m q$ and $f(q,m)=q\\,e^{\\mathrm{i}m\\theta}$ are one map,"
        " written twice.",
        equations=("rotation-2d", "matrix-form", "rope-2d")),
    Claim(
        "columns-are-turned-axes",
        "The columns of the rotation matrix are the images of the two axes.",
        ("B59",), "derivation", "true",
        "That is so for every matrix; here the images are the axes, turned.",
        equations=("columns-2d",)),
    Claim(
        "turned-not-stretched",
        "$R_m$ is orthogonal: it keeps the length of a vector and changes its"
        " direction, hence the name.",
        ("A38", "A40", "B58"), "derivation", "true",
        "Its transpose is its inverse, so $\\lVert R_m q\\rVert ="
        " \\lVert q\\rVert$ for every $q$.",
        equations=("orthogonal-2d", "norm")),
    Claim(
        "transpose-turns-back",
        "$R_m^\\top=R_{-m}$, and so $R_m^\\top R_n=R_{n-m}$.",
        ("B38", "B39"), "derivation", "true",
        "The transpose turns the other way round, and turns of one plane add"
        " up.",
        equations=("transpose-2d", "relative-2d", "group-law")),
    Claim(
        "score-identity",
        "$(R_m q)^\\top(R_n k) = q^\\top R_{n-m} k$, by expanding and the"
        " addition theorems.",
        ("A36", "A37", "B40"), "derivation", "true",
        "The only thing needed is that turns add up, which the addition"
        " theorems say.",
        equations=("score-2d", "relative", "cos-difference")),
    Claim(
        "factor-of-the-product",
        "Turn $q$ by $e^{\\mathrm{i}m\\theta}$ and $k$ by $e^{\\mathrm{i}n"
        "\\theta}$, and their product has the factor $e^{\\mathrm{i}(m-n)"
        "\\theta}$.",
        ("C4",), "derivation", "conditional",
        "It takes the conjugate of the key, $q k^*$, and of the product the"
        " real part. Without the conjugate the exponent has $m+n$.",
        _without_conjugate, ("score-complex",)),
    Claim(
        "proportional-to-the-real-part",
        "The score is proportional to $\\operatorname{Re}[q k^*"
        " e^{\\mathrm{i}(m-n)\\theta}]$.",
        ("C10",), "derivation", "imprecise",
        "For one pair the two are equal, not only proportional. For a head"
        " they are not even that: the score is a sum over the pairs, each"
        " with its own $\\theta_i$.",
        _equal_not_proportional, ("score-sum",)),
    Claim(
        "quarter-turn",
        "Multiplying by $\\mathrm{i}$ turns by 90 degrees counterclockwise.",
        ("A49",), "derivation", "true",
        "$\\mathrm{i}$ has length 1 and argument $\\pi/2$.",
        equations=("quarter-turn",)),
    Claim(
        "one-product-is-enough",
        "A real $n\\times n$ matrix is orthogonal if $A A^\\top=E$ or"
        " $A^\\top A=E$.",
        ("A55",), "derivation", "true",
        "For square matrices one product is the identity if the other is. A"
        " matrix that is not square can have one without the other.",
        _half_a_definition, ("orthogonal-2d",)),
    Claim(
        "lost-identities",
        "The trigonometric identities are those of the last section.",
        ("A56",), "derivation", "unknown",
        "The displays of that section are lost. The appendix of lost equations"
        " puts the four addition theorems there, which the proof of (13)"
        " needs; they are proved, that they are what stood there is a guess.",
        equations=("cos-sum", "sin-sum", "cos-difference",
                   "sin-difference")),
    Claim(
        "clock-hands",
        "RoPE is like clock hands: each points at its own absolute angle, and"
        " the angle between two tells the offset.",
        ("B36",), "derivation", "conditional",
        "A hand comes round, so it tells its position up to whole turns, and"
        " roughly even less: after 44 tokens the fastest is nearly back.",
        _hands_wrap, ("score-complex", "chord")),
)
