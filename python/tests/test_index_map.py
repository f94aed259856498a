# SPDX-License-Identifier: Apache-2.0
"""Index maps: fields, algebra, calls with numbers and with arrays."""

import pickle

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

import tessera

MAP = tessera.IndexMap("(d0, d1)[s0]{rt0} -> (d0 * 8 + d1, s0 + rt0), domain: d0 in [0, 3], d1 in [0, 7], s0 in [0, 2], "
                       "rt0 in [0, 4], d0 + d1 in [0, 9]")


def test_fields() -> None:
    assert (MAP.dims, MAP.ranges, MAP.runtime) == (("d0", "d1"), ("s0",), ("rt0",))
    assert MAP.results == ("d0 * 8 + d1", "s0 + rt0")
    assert MAP.constraints == (("d0 + d1", 0, 9),)
    assert MAP.bounds == {"d0": (0, 3), "d1": (0, 7), "s0": (0, 2), "rt0": (0, 4)}
    assert not MAP.known_empty


def test_habits() -> None:
    assert eval(repr(MAP)) == MAP == pickle.loads(pickle.dumps(MAP))
    assert hash(MAP) == hash(tessera.IndexMap(str(MAP)))
    with pytest.raises(tessera.ParseError) as caught:
        tessera.IndexMap("(d0) -> (d1), domain: d0 in [0, 3]")
    assert caught.value.code == "unknown_name" and caught.value.span == (9, 11)


def test_calls() -> None:
    assert MAP(2, 3, 1, 4) == (19, 5)
    assert str(MAP.fix_variables(2, 3)) == "()[s0]{rt0} -> (19, s0 + rt0), domain: s0 in [0, 2], rt0 in [0, 4]"
    with pytest.raises(tessera.Error) as caught:
        MAP(3, 7, 0, 0)  # d0 + d1 is 10
    assert caught.value.code == "undefined_value"
    with pytest.raises(tessera.ShapeError):
        MAP(1, 2)


def test_array_calls_broadcast_and_agree_with_numbers() -> None:
    m = tessera.IndexMap("(d0, d1) -> ((d0 * 8 + d1) mod 5, d1 floordiv 3), domain: d0 in [0, 3], d1 in [0, 7]")
    first, second = m(np.arange(4)[:, None], np.arange(8))
    assert first.shape == second.shape == (4, 8)
    for index in np.ndindex(4, 8):
        assert (first[index], second[index]) == m(*index)
    assert m(np.int32(2), np.array(3))[0] == m(2, 3)[0]
    with pytest.raises(tessera.Error, match="d1 = 8"):
        m(np.arange(4)[:, None], np.arange(9))
    with pytest.raises(TypeError):
        m(np.array(0.5), np.array(1))


def test_algebra() -> None:
    m = tessera.IndexMap("(d0, d1) -> (d0 * 8 + d1), domain: d0 in [0, 3], d1 in [0, 7]")
    assert str(m.compose(m.inverse()).simplify()) == "(d0, d1) -> (d0, d1), domain: d0 in [0, 3], d1 in [0, 7]"
    assert m.count() == 32 and str(m.image()) == "r0 in [0, 31]"
    assert m.count_bounds() == (32, 32)
    verdict = m.equal(tessera.IndexMap("(d0, d1) -> (d0 * 8), domain: d0 in [0, 3], d1 in [0, 7]"))
    assert not verdict and verdict.counterexample == ((0, 1), (1,), (0,))
    with pytest.raises(tessera.NotRepresentable) as caught:
        tessera.IndexMap("(d0) -> (d0 / 2), domain: d0 in [0, 7]").inverse()
    assert caught.value.code == "not_invertible" and caught.value.witness


@given(st.integers(1, 30), st.integers(-5, 5), st.integers(1, 9), st.integers(-20, 20))
def test_simplify_keeps_every_value(extent: int, scale: int, divisor: int, shift: int) -> None:
    text = f"(d0) -> ((d0 * {scale} + {shift}) floordiv {divisor}, (d0 * {scale}) mod {divisor}), domain: d0 in [0, {extent - 1}]"
    m = tessera.IndexMap(text)
    simple = m.simplify()
    assert m.equal(simple) and simple.simplify() == simple
    x = np.arange(extent)
    for result, want in zip(m(x), ((x * scale + shift) // divisor, (x * scale) % divisor)):
        assert np.array_equal(result, want)
    assert m.count() == len({simple(int(i)) for i in x})


def test_more_questions() -> None:
    m = tessera.IndexMap("(d0)[s0] -> (d0 * 2 + s0), domain: d0 in [0, 9], s0 in [0, 2]")
    assert str(m.relational_inverse()) == "(d0)[s0] -> (s0), domain: d0 in [0, 20], s0 in [0, 9], s0 * -2 + d0 in [0, 2]"
    assert m.count_points() == 30 and not m.is_empty()
    assert m.restrict("d0", 20, 30).is_empty()
    even = tessera.IndexMap("(d0)[s0] -> (d0 * 2 + s0), domain: d0 in [0, 9], s0 in [0, 1]")
    assert even.within(m) and not m.within(even)
    with pytest.raises(tessera.ParseError):
        m.restrict("d7", 0, 1)
    with pytest.raises(tessera.Error):
        m.restrict("d0", 1, 0)


def test_maps_meet_layouts() -> None:
    layout = tessera.parse("f32[4,8]{1,0}")
    transpose = tessera.IndexMap("(d0, d1) -> (d1, d0), domain: d0 in [0, 7], d1 in [0, 3]")
    assert layout.is_bitcast(transpose, "f32[8,4]{0,1}") and not layout.is_bitcast(transpose, "f32[8,4]{1,0}")
    assert layout.access_map(transpose)(7, 3) == (31,)
    assert layout.offset_range() == (0, 31) and tessera.parse("np:(4):(-1)").offset_range() == (-3, 0)
    assert str(layout.map) == "(d0, d1) -> (d0 * 8 + d1), domain: d0 in [0, 3], d1 in [0, 7]"
