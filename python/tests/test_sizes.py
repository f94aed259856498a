# SPDX-License-Identifier: Apache-2.0
"""Answers for all sizes: at numbers for the names they are the answers for layouts and maps of numbers."""

import random

import pytest

import tessera
from tessera import sizes

TILED = "f32[M,N]{1,0:T(8,128)}"
ROWS = "(d0, d1) -> (d0 * N + d1), domain: d0 in [0, M - 1], d1 in [0, N - 1]"


def test_a_layout_has_names_and_numbers():
    one = sizes.layout("(M,N):(N,1)", where="M >= 2")
    assert one.names == ["M", "N"] and one.where == "M >= 2" and str(one) == "(M,N):(N,1)"
    assert one.at(M=4, N=6) == tessera.layout("(4,6):(6,1)")
    assert [case.value for case in one.facts["elements"]] == ["M*N"]
    with pytest.raises(ValueError, match="no number for N"):
        one.at(M=4)
    with pytest.raises(TypeError):
        one.at(M=4.7, N=6)
    with pytest.raises(ValueError, match="no names"):
        sizes.layout("(4,6):(6,1)")


def test_the_offset_of_an_index_is_that_of_numbers():
    one = sizes.layout(TILED, where="M % 8 == 0, N % 128 == 0, M > 8, N > 128")
    assert one.offset("M - 1", "N - 1").value == "M*N - 1"
    pick = random.Random(46)
    for _ in range(20):
        m, n = 8 * pick.randint(2, 9), 128 * pick.randint(2, 5)
        i, j = pick.randrange(m), pick.randrange(n)
        here = one.offset(i, j, where=f"M == {m}, N == {n}")
        assert eval(here.value.replace("/", "//"), {"M": m, "N": n}) == one.at(M=m, N=n)(i, j)  # noqa: S307


def test_equality_says_for_which_sizes():
    answer = sizes.equal(TILED, "f32[M,N]{1,0}")
    assert answer.answer == "iff" and answer.at_sizes == {"M": 2, "N": 1}
    with pytest.raises(ValueError, match="depends on the sizes"):
        bool(answer)
    assert sizes.equal(TILED, "f32[M,N]{1,0}", where="N == 128")
    assert not sizes.equal("(M,N):(N,1)", "(M,N):(1,M)", where="M >= 2, N >= 2")


def test_an_operation_has_cases():
    cases = sizes.eval("composition((4,8):(8,1), N:1)").cases
    assert {case.condition: case.value or case.error for case in cases} == {
        "N <= 4": "N:8", "N >= 5 and N % 4 != 0": "not_representable", "N >= 5 and N % 4 == 0": "(4,N/4):(8,1)"}
    with pytest.raises(ValueError, match="no one value"):
        sizes.eval("composition((4,8):(8,1), N:1)").value
    assert sizes.eval("composition((4,8):(8,1), N:1)", size={"N": 3}).value == "3:8"
    with pytest.raises(tessera.Error, match="no size K"):
        sizes.eval("(M,N):(N,1)", size={"K": 3})


def test_maps_for_all_sizes():
    assert sizes.simplify(ROWS.replace("d0 * N + d1)", "(d0 * N + d1) / N)"), where="M, N").value.startswith("(d0, d1) -> (d0)")
    back = sizes.inverse(ROWS, where="M, N").value
    assert back == "(d0) -> (d0 / N, d0 mod N), domain: d0 in [0, M * N - 1]"
    assert sizes.compose(ROWS, back, where="M, N").value.startswith("(d0, d1) -> (d0, d1)")
    assert sizes.count(ROWS, where="M, N").value == sizes.count(ROWS, of="points", where="M, N").value == "M*N"
    assert sizes.image(ROWS, where="M, N").value == "r0 in [0, M * N - 1]"
    assert sizes.within(ROWS, "[0, M * N - 1]", where="M, N")
    assert sizes.within(ROWS, "[0, M * N - 2]", where="M, N").at_sizes == {"M": 1, "N": 1}
    collided = sizes.inverse("(d0) -> (d0 mod N), domain: d0 in [0, M - 1]", where="M, N").cases
    assert [case.sizes for case in collided if case.error == "not_invertible"] == [{"M": 2, "N": 1}]


def test_an_offset_has_an_index() -> None:
    assert sizes.layout("(M,N):(N,1)").index("M*N - 1", where="M >= 2, N >= 2").value == "(M - 1, N - 1)"
    assert [case.value for case in sizes.layout("np:(M,2):(4,1)").index(2).cases] == [None, "padding"]


def test_wavefronts_depend_on_residues_of_the_sizes() -> None:
    rows = sizes.layout("(32,N):(N,1)")
    assert [(case.value, case.condition) for case in rows.wavefronts("32:1", bytes=4, where="N % 16 == 0")] == [
        ("16", "N % 32 == 16"), ("32", "N % 32 == 0")]
    assert rows.wavefronts("32:1", bytes=4, where="N % 2 == 1")[0].condition == ""


def test_sizes_are_arguments_of_code() -> None:
    names: dict[str, object] = {}
    exec(sizes.layout("f32[M,N]{1,0:T(8,128)}").code("python", name="f"), names)
    f = names["f"]
    assert callable(f)
    tiled = sizes.layout("f32[M,N]{1,0:T(8,128)}").at(M=20, N=300)
    assert all(f(i, j, 20, 300) == tiled(i, j) for i in range(0, 20, 3) for j in range(0, 300, 7))
