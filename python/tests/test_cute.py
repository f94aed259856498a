# SPDX-License-Identifier: Apache-2.0
"""tessera.cute: values, functions on tuples and texts, and agreement with the calculator."""

import copy
import pickle
import warnings
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import assume, given

import tessera
from tessera import cute

# The names that the specification lists, and those that programs for other packages use.
NAMES = """Layout make_layout size rank depth cosize coalesce flatten composition complement logical_divide zipped_divide
tiled_divide flat_divide logical_product zipped_product tiled_product flat_product blocked_product raked_product
right_inverse left_inverse max_common_layout max_common_vector recast upcast downcast Swizzle ComposedLayout
make_composed_layout tile_to_shape idx2crd crd2idx crd2crd print_layout print_latex explain compose bank_conflicts
coalescing_efficiency offset_table footprint contiguity""".split()


@pytest.mark.parametrize("name", NAMES)
def test_every_name_exists(name: str) -> None:
    assert name in cute.__all__ and getattr(cute, name).__doc__


extents = st.integers(1, 6)
shapes = st.recursive(extents, lambda inner: st.lists(inner, min_size=1, max_size=3).map(tuple), max_leaves=4)


def strides_for(draw: st.DrawFn, shape: Any) -> Any:
    if isinstance(shape, tuple):
        return tuple(strides_for(draw, part) for part in shape)
    return draw(st.integers(0, 12))


@st.composite
def layouts(draw: st.DrawFn) -> cute.Layout:
    shape = draw(shapes)
    return cute.Layout(shape, strides_for(draw, shape)) if draw(st.booleans()) else cute.Layout(shape)


@given(layouts())
def test_values_survive_repr_pickle_and_copy(layout: cute.Layout) -> None:
    assert eval(repr(layout)) == layout == pickle.loads(pickle.dumps(layout)) == copy.copy(layout)
    assert cute.Layout(str(layout)) == layout == cute.Layout(layout.shape, layout.stride)
    assert hash(layout) == hash(cute.Layout(str(layout)))
    assert layout.size() == cute.size(layout) and layout.rank() == cute.rank(layout) == len(layout)


@given(layouts())
def test_calls_follow_the_definition(layout: cute.Layout) -> None:
    def offset(shape: Any, stride: Any, i: int) -> int:
        if not isinstance(shape, tuple):
            return i * stride
        total = 0
        for s, d in zip(shape, stride):
            n = cute.size(s)
            total += offset(s, d, i % n)
            i //= n
        return total

    values = [offset(layout.shape, layout.stride, i) for i in range(layout.size())]
    assert [layout(i) for i in range(layout.size())] == values == cute.values(layout)
    for i in range(min(layout.size(), 20)):
        coordinate = cute.idx2crd(i, layout.shape)
        assert cute.crd2idx(coordinate, layout.shape) == i
        assert layout(coordinate) == values[i]
        if isinstance(coordinate, tuple) and len(coordinate) > 1:
            assert layout(*coordinate) == values[i]
    assert [layout[k] for k in range(len(layout))] == list(layout)


TWO = ["composition", "logical_divide", "zipped_divide", "tiled_divide", "flat_divide", "logical_product", "zipped_product",
       "tiled_product", "flat_product", "blocked_product", "raked_product", "max_common_layout"]
ONE = ["coalesce", "flatten", "right_inverse", "left_inverse", "complement"]


def outcome(function: Any, *arguments: Any) -> Any:
    try:
        return function(*arguments)
    except tessera.Error as error:
        return error.code, error.witness


@given(layouts(), layouts(), st.sampled_from(TWO))
def test_binary_functions_are_those_of_the_calculator(a: cute.Layout, b: cute.Layout, name: str) -> None:
    direct = outcome(getattr(cute, name), a, b)
    assert direct == outcome(getattr(cute, name), str(a), str(b)) == outcome(cute.parse, f"{name}({a}, {b})")


@given(layouts(), st.sampled_from(ONE))
def test_unary_functions_are_those_of_the_calculator(a: cute.Layout, name: str) -> None:
    assert outcome(getattr(cute, name), a) == outcome(cute.parse, f"{name}({a})")


@given(layouts(), layouts())
def test_composition_is_the_function(a: cute.Layout, b: cute.Layout) -> None:
    assume(b.cosize() <= a.size())
    try:
        c = cute.composition(a, b)
    except tessera.NotRepresentable:
        return
    assert [c(i) for i in range(b.size())] == [a(b(i)) for i in range(b.size())]


@given(layouts(), st.integers(1, 64))
def test_complement_takes_an_integer(a: cute.Layout, cotarget: int) -> None:
    assert outcome(cute.complement, a, cotarget) == outcome(cute.parse, f"complement({a}, {cotarget})")


def test_tuples_are_what_the_function_needs() -> None:
    layout = cute.Layout((8, 8), (8, 1))
    assert cute.zipped_divide(layout, (2, 4)) == cute.zipped_divide(layout, "<2,4>")
    assert cute.zipped_divide(layout, (cute.Layout(2, 4), 4)) == cute.zipped_divide(layout, "<2:4,4>")
    assert cute.zipped_divide(layout, (2, None)) == cute.zipped_divide(layout, "<2,_>")
    assert cute.size((4, 8)) == 32 and cute.make_layout((4, 8), "right") == cute.Layout((4, 8), (8, 1))
    assert layout(None, 2) == cute.Layout((8,), (8,))
    assert cute.slice((None, 2), layout) == (cute.Layout((8,), (8,)), 2)
    assert layout(cute.Layout(4, 2)) == cute.composition(layout, cute.Layout(4, 2))
    assert cute.make_layout_tv(cute.Layout((4, 8), (8, 1)), cute.Layout((2, 2)))[0] == (8, 16)
    assert cute.Layout((4, 5), ("1@0", "1@1"))(2, 3) == (2, 3)


def test_swizzles_and_chains() -> None:
    swizzle = cute.Swizzle(3, 0, 3)
    assert swizzle(19) == 17 and eval(repr(swizzle)) == swizzle == pickle.loads(pickle.dumps(swizzle))
    chain = cute.ComposedLayout(swizzle, 0, cute.Layout((8, 8), (8, 1)))
    assert chain == cute.make_composed_layout(swizzle, 0, "(8,8):(8,1)") == cute.ComposedLayout(str(chain))
    assert eval(repr(chain)) == chain == pickle.loads(pickle.dumps(chain))
    assert (chain.swizzle, chain.layout, chain.offset, chain.shape, chain.size()) == (swizzle, cute.Layout((8, 8), (8, 1)), 0, (8, 8), 64)
    assert [chain(i, j) for i in range(8) for j in range(8)] == [swizzle(8 * i + j) for i in range(8) for j in range(8)]
    assert tessera.equal(chain.to_layout(), "Sw<3,0,3> o _0 o (8,8):(8,1)")
    with pytest.raises(tessera.Error) as caught:
        cute.Swizzle(3, 0, 1)
    assert caught.value.code == "bad_swizzle"


def test_errors_name_the_call() -> None:
    with pytest.raises(tessera.NotRepresentable, match=r"composition\(\(4,6,8\):\(2,3,5\), 6:3\) is not a layout") as caught:
        cute.composition(cute.Layout((4, 6, 8), (2, 3, 5)), cute.Layout(6, 3))
    assert caught.value.reason == "stride" and "coordinate 3" in caught.value.witness
    for bad, code in [(lambda: cute.Layout((4, 8), (1,)), "not_congruent"), (lambda: cute.Layout(0), "bad_extent"),
                      (lambda: cute.Layout("(4,8:"), "syntax"), (lambda: cute.size(), "argument_count"),
                      (lambda: cute.composition("nope", 3), "unknown_name")]:
        with pytest.raises(tessera.Error) as failed:
            bad()
        assert failed.value.code == code
    with pytest.raises(TypeError):
        cute.size(object())
    with pytest.raises(IndexError):
        cute.Layout((4, 8))[2]


def test_layouts_of_tessera_are_arguments() -> None:
    assert cute.size(tessera.parse("(4,8):(8,1)")) == 32
    with pytest.raises(tessera.Error, match="to_cute"):
        cute.size(tessera.parse("f32[4,8]"))
    assert tessera.equal(cute.Layout((4, 8), (8, 1)), "np:(4,8):(8,1)")


def test_explain_and_printing(capsys: pytest.CaptureFixture[str]) -> None:
    text = cute.explain(cute.logical_divide, cute.Layout((4, 2, 3), (2, 1, 8)), cute.Layout(4, 2))
    assert text.startswith("logical_divide((4,2,3):(2,1,8), 4:2)\n") and "=  ((2,2),(2,3)):((4,1),(2,8))" in text
    assert cute.explain(cute.compose, "(4,8):(8,1)", "4:2").startswith("composition")
    cute.print_layout(cute.Layout((2, 2), (2, 1)))
    cute.print_latex("(2,2):(2,1)")
    printed = capsys.readouterr().out
    assert printed.startswith("(2,2):(2,1)") and "\\begin{tikzpicture}" in printed


def test_names_of_other_packages() -> None:
    assert cute.offset_table(cute.Layout((4, 2), (0, 1))) == {0: [0, 1, 2, 3], 1: [4, 5, 6, 7]}
    assert cute.footprint(cute.Layout(8, 1)) == {"min_offset": 0, "max_offset": 7, "span": 8, "unique_offsets": 8,
                                                 "total_elements": 8, "reuse_factor": 1.0, "holes": 0}
    assert [cute.contiguity(cute.Layout(*x)) for x in [(8, 1), (8, 2), ((4, 8), (1, 4)), ((4, 8), (1, 8))]] == [8, 1, 32, 4]
    assert cute.bank_conflicts(cute.Layout(32, 2), element_bytes=4)["max_ways"] == 2
    assert cute.bank_conflicts(cute.Layout(32, 0), element_bytes=2)["conflict_free"]
    assert cute.coalescing_efficiency(cute.Layout(32, 32), element_bytes=4)["transactions"] == 32
    with pytest.raises(tessera.Error, match="tessera.access"):
        cute.bank_conflicts(cute.Layout((32, 2)), element_bytes=4)


def test_parts_of_slices() -> None:
    """A slice is a tuple in Python, which layout_of and offset_of refused as a tiler."""
    for pair in (cute.slice((2, None), "(4,8):(8,1)"), cute.local_tile("(8,16):(16,1)", (2, 4), (1, 2))):
        assert isinstance(pair, tuple) and (cute.layout_of(pair), cute.offset_of(pair)) == pair
    assert cute.offset_of(cute.Layout(4, 2)) == 0 and cute.layout_of(cute.Layout(4, 2)) == cute.Layout(4, 2)
    tile, layout = cute.make_layout_tv((4, 8), (2, 2))
    assert cute.layout_of((tile, layout)) == layout


def test_notes_are_warnings() -> None:
    """Notes of the calculator were dropped: tiles that overhang looked like a division."""
    with pytest.warns(tessera.NoteWarning, match="overhang: they have 12"):
        assert cute.zipped_divide(cute.Layout(10, 1), 4) == cute.parse("(4,3):(1,4)")
    with pytest.warns(tessera.NoteWarning, match="overhang"):
        cute.logical_divide(cute.Layout(10, 1), cute.Layout(4, 1))
    with pytest.warns(tessera.NoteWarning, match="negative strides"):
        cute.upcast(cute.parse("8:-1"), 4)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cute.zipped_divide(cute.Layout(12, 1), 4)
        cute.complement(cute.Layout(4, 2), 24)
