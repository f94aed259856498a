# SPDX-License-Identifier: Apache-2.0
"""Arrays of other libraries: strides as layouts, and moving elements between layouts."""

import pickle
from typing import Any

import hypothesis.extra.numpy as hnp
import hypothesis.strategies as st
import ml_dtypes
import numpy as np
import pytest
from hypothesis import given

import tessera


class Dlpack:
    """An exporter that has DLPack and nothing else."""

    def __init__(self, array: Any) -> None:
        self.array = array

    def __dlpack__(self, **options: Any) -> Any:
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return self.array.__dlpack_device__()


class Interface:
    """An exporter that has __array_interface__ and nothing else."""

    def __init__(self, array: Any) -> None:
        self.__array_interface__ = array.__array_interface__
        self.array = array


@st.composite
def views(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    """An array and a view of it: axes permuted, sliced with any step, broadcast."""
    base = np.arange(int(np.prod(shape := draw(hnp.array_shapes(max_dims=4, max_side=6)))), dtype=np.int32).reshape(shape)
    view = base.transpose(draw(st.permutations(range(base.ndim))))
    index = draw(hnp.basic_indices(view.shape, allow_ellipsis=False, allow_newaxis=False))
    view = view[(*(index if isinstance(index, tuple) else (index,)), ...)]
    if draw(st.booleans()):
        view = np.broadcast_to(view, (3, *view.shape))
    return base, view


@given(views())
def test_layout_of_gives_every_offset(arrays: tuple[np.ndarray, np.ndarray]) -> None:
    base, view = arrays
    layout = tessera.layout_of(view, base=base)
    assert layout.shape == view.shape and layout.notation == "strides"
    if view.size:
        assert np.array_equal(base.ravel()[layout.offsets()], view)


@given(views(), st.data())
def test_relayout_moves_every_element(arrays: tuple[np.ndarray, np.ndarray], data: st.DataObject) -> None:
    _, view = arrays
    if not view.ndim:
        return
    order = data.draw(st.permutations(range(view.ndim)))
    tile = data.draw(st.sampled_from(["", ":T(2)", ":T(4)(2)"] + ([":T(2,2)"] if view.ndim > 1 else [])))
    dst = tessera.parse(f"s32[{','.join(map(str, view.shape))}]{{{','.join(map(str, order))}{tile}}}")
    moved = tessera.relayout(view, dst, fill=-7)
    if not view.size:
        return
    if moved.shape == view.shape:  # one stride per dimension, no padding
        assert np.array_equal(moved, view) and moved.dtype == view.dtype
    if moved.shape != view.shape or view.ndim == 1:
        assert moved.shape == (dst.buffer_size,)
        assert np.array_equal(moved[dst.offsets()], view)
        padding = np.ones(moved.shape, bool)
        padding[dst.offsets()] = False
        assert (moved[padding] == -7).all()
        assert np.array_equal(tessera.relayout(moved, tessera.layout_of(np.empty(view.shape, np.int32)), src=dst), view)
    target = np.zeros(view.shape, np.int32)[(slice(None, None, -1), ...)]
    assert np.array_equal(tessera.relayout(view, out=target), view)


@pytest.mark.parametrize("kind", [Dlpack, Interface, memoryview, lambda a: a])
def test_exporters(kind: Any) -> None:
    a = np.arange(12, dtype=np.float32).reshape(3, 4)
    assert tessera.layout_of(kind(a)) == tessera.layout_of(a)
    moved = tessera.relayout(kind(a), "f32[3,4]{0,1}")
    assert np.array_equal(moved, a) and moved.strides == (4, 12)
    out = np.zeros((3, 4), np.float32)
    tessera.relayout(a, out=kind(out))
    assert np.array_equal(out, a)


@pytest.mark.parametrize("name", ["bfloat16", "float8_e4m3fn", "float8_e5m2", "float8_e3m4", "int4"])
def test_types_of_ml_dtypes(name: str) -> None:
    a = np.arange(12).reshape(3, 4).astype(getattr(ml_dtypes, name))
    moved = tessera.relayout(a, "np:(3,4):(1,3)")
    assert moved.dtype == a.dtype and np.array_equal(moved, a)
    xla = {"bfloat16": "bf16", "int4": "s4"}.get(name, "f8" + name[7:])
    assert tessera.relayout(a, f"{xla}[3,4]{{0,1:T(2)}}").dtype == a.dtype
    with pytest.raises(tessera.Error) as caught:
        tessera.relayout(a, "f32[3,4]")
    assert caught.value.code == "different_type"


@pytest.mark.parametrize("dtype", [np.bool_, np.uint8, np.int64, np.float16, np.complex64, np.complex128])
def test_types_of_numpy(dtype: Any) -> None:
    a = np.arange(12).reshape(3, 4).astype(dtype)
    name = {"bool": "pred", "uint8": "u8", "int64": "s64", "float16": "f16", "complex64": "c64", "complex128": "c128"}[a.dtype.name]
    moved = tessera.relayout(a, f"{name}[3,4]{{0,1}}")
    assert moved.dtype == a.dtype and np.array_equal(moved, a)


def test_structures_have_a_width_but_no_type() -> None:
    a = np.zeros((2, 3), np.dtype([("a", "i4"), ("b", "i8")]))
    a["b"] = np.arange(6).reshape(2, 3)
    assert np.array_equal(tessera.relayout(a, "np:(2,3):(1,2)"), a)


def test_refusals() -> None:
    a = np.arange(12, dtype=np.float32).reshape(3, 4)
    cases: list[tuple[str, Any]] = [
        ("different_shape", lambda: tessera.relayout(a, "f32[4,4]")),
        ("broadcast", lambda: tessera.relayout(a, "np:(3,4):(0,1)")),
        ("buffer_too_small", lambda: tessera.relayout(a, "f32[3,4]", out=np.zeros(11, np.float32))),
        ("buffer_too_small", lambda: tessera.relayout(np.zeros(5, np.float32), "f32[3,4]", src="f32[3,4]{0,1}")),
        ("overlap", lambda: tessera.relayout(a, out=a[::-1])),
        ("unsupported_width", lambda: tessera.relayout(a.astype(ml_dtypes.int4), "s4[3,4]{1,0:E(4)}")),
        ("byte_order", lambda: tessera.relayout(a.astype(">f4"), "f32[3,4]")),
        ("not_applicable", lambda: tessera.relayout(a[:, ::2], "f32[3,2]", src="f32[3,2]")),
        ("not_representable", lambda: tessera.layout_of(np.zeros(4, "i4,i1")["f0"])),
    ]
    for code, call in cases:
        with pytest.raises(tessera.Error) as caught:
            call()
        assert caught.value.code == code, caught.value
    frozen = np.zeros((3, 4), np.float32)
    frozen.flags.writeable = False
    for out in (frozen, Interface(frozen), bytes(48)):
        with pytest.raises(tessera.Error, match="read-only"):
            tessera.relayout(a, "f32[3,4]", out=out)
    assert not frozen.any()
    with pytest.raises(TypeError, match="buffer protocol"):
        tessera.relayout(object(), "f32[3,4]")
    with pytest.raises(TypeError):
        tessera.relayout(a)


def test_raw_bytes_take_the_width_of_the_layout() -> None:
    a = np.arange(15, dtype=np.float32).reshape(3, 5)
    flat = tessera.relayout(a, "f32[3,5]{1,0:T(2,2)}")
    back = tessera.relayout(flat.tobytes(), "f32[3,5]", src="f32[3,5]{1,0:T(2,2)}")
    assert back.dtype == np.float32 and np.array_equal(back, a)


def test_a_strided_destination_keeps_what_is_between() -> None:
    a = np.arange(12, dtype=np.int16).reshape(3, 4)
    out = np.full((6, 4), -1, np.int16)
    tessera.relayout(a, out=out[::-2])
    assert np.array_equal(out[::-2], a) and (out[::2] == -1).all()
    with pytest.raises(TypeError, match="fill"):
        tessera.relayout(a, out=out[::-2], fill=0)
    with pytest.raises(tessera.Error, match="starts at offset 0"):
        tessera.relayout(a, "np:(3,4):(-4,1)")


def test_a_plan_is_text_and_runs_many_times() -> None:
    plan = tessera.plan("f32[64,32]{1,0}", "f32[64,32]{0,1:T(8,8)}")
    assert plan.element_bytes == 4 and plan.payload_bytes == 64 * 32 * 4 and plan.chunks >= 1
    plan.verify("f32[64,32]{1,0}", "f32[64,32]{0,1:T(8,8)}")
    with pytest.raises(tessera.Error):
        plan.verify("f32[64,32]{1,0}", "f32[64,32]{0,1}")
    layout = tessera.parse("f32[64,32]{0,1:T(8,8)}")
    for copied in (plan, eval(repr(plan)), pickle.loads(pickle.dumps(plan))):
        assert copied.describe() == plan.describe()
        src, dst = np.random.rand(64, 32).astype(np.float32), np.empty(2048, np.float32)
        copied.run(src, dst)
        assert np.array_equal(dst[layout.offsets()], src)
    with pytest.raises(tessera.ShapeError):
        plan.run(src, dst[:100])
    with pytest.raises(tessera.ParseError):
        tessera.RelayoutPlan("nonsense")
    assert tessera.plan("(4,8):(8,1)", "(4,8):(1,4)", "bfloat16").element_bytes == 2
    assert tessera.plan("(4,8):(8,1)", "(4,8):(1,4)", np.float64).element_bytes == 8
    with pytest.raises(tessera.Error, match="no element type 'f31'"):
        tessera.plan("(4,8):(8,1)", "(4,8):(1,4)", "f31")


@pytest.mark.parametrize("threads", [None, 1, 2, 3])
def test_many_threads_write_what_one_does(threads: int | None) -> None:
    a = np.random.rand(1024, 1100).astype(np.float32)
    assert np.array_equal(tessera.relayout(a.T, "f32[1100,1024]", threads=threads), a.T)
