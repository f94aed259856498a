# SPDX-License-Identifier: Apache-2.0
"""Layouts: parsing, queries, conversions, and the protocols of Python values."""

import copy
import functools
import pickle

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

import tessera

TEXTS = [
    "f32[3,5]{1,0:T(2,2)}",
    "bf16[16,256]{1,0:T(8,128)(2,1)}",
    "((2,2),(2,3)):((2,12),(1,4)) crop (3,5)",
    "Sw<3,0,3> o _0 o (8,8):(8,1)",
    "6x8:[1, 0, 1 p(4)]",
    "np:(6,8):(1,6) + 7",
    "d0:1,16 d1:2,4,8",
    "2x32x7x7:aBcd16b",
    "(d0, d1) -> (d0 * 8 + d1), domain: d0 in [0, 5], d1 in [0, 7]",
    "f32[3,0]{1,0}",
]


@pytest.mark.parametrize("text", TEXTS)
def test_values_survive_repr_pickle_copy_and_caches(text: str) -> None:
    layout = tessera.parse(text)
    assert eval(repr(layout)) == layout
    assert tessera.parse(str(layout)) == layout
    assert pickle.loads(pickle.dumps(layout)) == layout
    assert copy.copy(layout) is layout and copy.deepcopy([layout])[0] is layout
    assert hash(layout) == hash(tessera.parse(text))
    assert {layout: 1}[tessera.parse(text)] == 1
    assert functools.lru_cache(lambda x: x.size)(layout) == layout.size
    assert layout != text


@pytest.mark.parametrize("text", TEXTS)
def test_offsets_agree_with_single_calls(text: str) -> None:
    layout = tessera.parse(text)
    table = layout.offsets()
    assert table.shape == layout.shape and table.dtype == np.int64
    assert len(layout) == layout.size == table.size
    for index in np.ndindex(*layout.shape):
        assert table[index] == layout(*index) == layout[index] == layout(index)


@pytest.mark.parametrize("text", TEXTS[:-1])
def test_index_of_inverts_the_call(text: str) -> None:
    layout = tessera.parse(text)
    for index in list(np.ndindex(*layout.shape))[:100]:
        assert index in layout.indices_of(layout(index))


def test_padding_has_no_index() -> None:
    layout = tessera.parse("f32[3,5]{1,0:T(2,2)}")
    assert sum(layout.index_of(offset) is None for offset in range(layout.buffer_size)) == 24 - 15
    with pytest.raises(tessera.ShapeError) as caught:
        layout.index_of(24)
    assert caught.value.code == "index_out_of_range"


def test_facts() -> None:
    layout = tessera.parse("bf16[16,256]{1,0:T(8,128)(2,1)}")
    assert (layout.notation, layout.rank, layout.size) == ("xla", 2, 4096)
    assert (layout.dtype, layout.element_bits, layout.buffer_size) == ("bf16", 16, 4096)
    assert layout.collision() is None
    assert tessera.parse("(4,8):(8,1)").dtype is None
    assert "injective" in layout.describe()


@pytest.mark.parametrize("notation", ["xla", "cute", "morello", "strides", "linear", "onednn", "map"])
def test_conversions_keep_the_function(notation: str) -> None:
    layout = tessera.parse("f32[4,8]{0,1}")
    other = layout.to(notation)
    assert other.notation == notation
    assert tessera.equal(layout, other)
    assert np.array_equal(other.offsets(), layout.offsets())


def test_a_refusal_has_a_witness() -> None:
    with pytest.raises(tessera.NotRepresentable) as caught:
        tessera.parse("Sw<3,0,3> o _0 o (8,8):(8,1)").to_xla()
    assert caught.value.code == "not_representable"
    assert caught.value.reason == "entangled"
    assert "(1, 1)" in caught.value.witness
    assert "= witness:" in str(caught.value)


def test_a_parse_error_points_at_the_text() -> None:
    text = "f32[3,5]{1,0:T(2,2}"
    with pytest.raises(tessera.ParseError) as caught:
        tessera.parse(text)
    error = caught.value
    assert isinstance(error, tessera.Error) and isinstance(error, ValueError)
    assert error.code == "syntax" and error.span == (18, 19) and text[18] == "}"
    line, caret = str(error).splitlines()[1:3]
    assert line[caret.index("^")] == "}"
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is tessera.ParseError and (again.code, again.span, str(again)) == (error.code, error.span, str(error))


def test_a_notation_decides_and_moves_the_span() -> None:
    assert tessera.parse("(6,8):(1,6)").notation == "cute"
    assert tessera.parse("(6,8):(1,6)", notation="strides").notation == "strides"
    with pytest.raises(tessera.ParseError) as caught:
        tessera.parse("(4,6):(1,4)x", notation="strides")
    assert caught.value.span == (11, 12)
    with pytest.raises(tessera.Error, match="no notation .nothing."):
        tessera.parse("(6,8):(1,6)", notation="nothing")


def test_an_index_outside_the_shape_is_refused() -> None:
    layout = tessera.parse("(4,8):(8,1)")
    for index in [(4, 0), (0, -1), (1,), (1, 2, 3)]:
        with pytest.raises(tessera.ShapeError):
            layout(*index)
    with pytest.raises(TypeError):
        layout("a")
    with pytest.raises(OverflowError):
        layout(1 << 70, 0)


def test_equality_gives_the_smallest_counterexample() -> None:
    verdict = tessera.equal("(4,8):(8,1)", "(4,8):(1,4)")
    assert not verdict and not verdict.undecided
    assert verdict.counterexample == ((0, 1), 1, 4) and verdict.proof is None
    layout = tessera.parse("f32[3,5]{1,0:T(2,2)}")
    assert tessera.equal(layout, layout).proof == "structure"
    assert tessera.equal(layout, layout.to_cute()).proof == "digits"
    assert not tessera.equal(layout, layout.to_cute(), notion="structure")
    assert not tessera.equal("(4,8):(8,1)", "(8,4):(4,1)").counterexample


def test_an_undecided_verdict_has_no_truth() -> None:
    big = "domain: d0 in [0, 1099511627775], d1 in [0, 1099511627775]"
    a = tessera.IndexMap(f"(d0, d1) -> ((d0 * d1) mod 1000003), {big}")
    verdict = a.equal(tessera.IndexMap(f"(d0, d1) -> ((d0 * d1 + d0 * 1000003) mod 1000003), {big}"))
    assert verdict.undecided and "limits" in verdict.reason
    with pytest.raises(tessera.Undecided):
        bool(verdict)


@given(st.lists(st.integers(1, 6), min_size=1, max_size=4), st.randoms(use_true_random=False))
def test_any_dense_order_converts_and_comes_back(shape: list[int], random) -> None:
    order = list(range(len(shape)))
    random.shuffle(order)
    text = f"f32[{','.join(map(str, shape))}]{{{','.join(map(str, order))}}}"
    layout = tessera.parse(text)
    assert sorted(layout.offsets().ravel().tolist()) == list(range(layout.size))
    for notation in ["cute", "strides", "map", "morello"]:
        assert tessera.equal(layout, layout.to(notation))
        assert tessera.equal(layout, layout.to(notation).to("xla"))


@given(st.permutations(range(3)))
def test_transpose_is_numpys(axes: list[int]) -> None:
    layout = tessera.parse("f32[3,4,5]{0,2,1:T(2,2)}")
    assert np.array_equal(layout.transpose(*axes).offsets(), layout.offsets().transpose(axes))
    assert np.array_equal(layout.transpose().offsets(), layout.offsets().T)


def test_arrays_of_indices_broadcast() -> None:
    layout = tessera.parse("f32[3,5]{1,0:T(2,2)}")
    rows, columns = np.arange(3)[:, None], np.arange(5)
    assert np.array_equal(layout(rows, columns), layout.offsets())
    assert np.array_equal(layout([0, 2], 3), [layout(0, 3), layout(2, 3)])
    for bad in [(np.arange(4), 0), (np.array([-1]), 0), (rows,), (rows, columns, 0)]:
        with pytest.raises(tessera.ShapeError):
            layout(*bad)
    with pytest.raises(TypeError, match="integers"):
        layout(np.zeros(3), 0)


def test_a_shape_and_strides_point_to_cute() -> None:
    with pytest.raises(TypeError, match=r"tessera\.cute\.Layout\(\(4, 8\), \(8, 1\)\)"):
        tessera.Layout((4, 8), (8, 1))
    with pytest.raises(TypeError, match=r"tessera\.cute\.Layout\(\(4, 8\)\)"):
        tessera.Layout((4, 8))


def test_conversions_print_what_they_dropped() -> None:
    assert str(tessera.parse("bf16[4,8]{1,0:T(2,4)}").convert("cute")).splitlines()[1:] == ["note: dropped type bf16"]
