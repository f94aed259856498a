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


def test_strides_of_unit_dimensions_are_those_of_the_array():
    """NumPy exports them as if the array were dense."""
    a = np.lib.stride_tricks.as_strided(np.zeros(35, np.float32), (1, 5), (28, 4))
    assert str(tessera.layout_of(a)) == "np:(1,5):(7,1)"


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


class Claims:
    """An exporter whose __array_interface__ is any object."""

    def __init__(self, about: Any, **more: Any) -> None:
        self.__array_interface__ = about
        self.__dict__.update(more)


KEPT = np.arange(6, dtype=np.float32).reshape(2, 3)


def claims(**changes: Any) -> Claims:
    about = dict(KEPT.__array_interface__, **changes)
    return Claims({key: value for key, value in about.items() if value is not ...})


MALFORMED = [
    (Claims(None), "is a NoneType, not a dict"),
    (Claims([1, 2]), "is a list, not a dict"),
    (claims(data=...), "has no 'data'"),
    (claims(data=None), "has no 'data'"),
    (claims(data=b"123456789012345678901234"), "'data' that is not a pair"),
    (claims(data=(1,)), "'data' that is not a pair"),
    (claims(data=("x", False)), "'data' that is not a pair"),
    (claims(data=(-8, False)), "'data' that is not a pair"),
    (claims(data=(2**70, False)), "'data' that is not a pair"),
    (claims(data=(4096, "no")), "'data' that is not a pair"),
    (claims(data=(0, False)), "has elements, but the address 0"),
    (claims(data=(2**64 - 8, False)), "has more bytes than memory"),
    (claims(typestr=...), "has no 'typestr'"),
    (claims(typestr=4), "'typestr' that is not a text"),
    (claims(typestr=""), "'typestr' that is not a type"),
    (claims(typestr="<"), "'typestr' that is not a type"),
    (claims(typestr="<f"), "'typestr' that is not a type"),
    (claims(typestr="f4"), "'typestr' that is not a type"),
    (claims(typestr="<fx"), "'typestr' that is not a type"),
    (claims(typestr="<f4x"), "'typestr' that is not a type"),
    (claims(typestr="<f99999999999999999999"), "'typestr' that is not a type"),
    (claims(typestr="|V0"), "has elements of 0 bytes"),
    (claims(typestr="|V-4"), "has elements of -4 bytes"),
    (claims(typestr="<U9223372036854775807"), "has elements of too many bytes"),
    (claims(typestr="|V9223372036854775807"), "has more bytes than memory"),
    (claims(shape=...), "has no 'shape'"),
    (claims(shape=6), "'shape' that is not a tuple"),
    (claims(shape=(2.5, 3)), "'shape' that is not all integers"),
    (claims(shape=(2, "3")), "'shape' that is not all integers"),
    (claims(shape=(2**64, 3)), "'shape' that is not all integers"),
    (claims(shape=(-2, 3)), "has the extent -2"),
    (claims(shape=(2**40, 2**40)), "has more bytes than memory"),
    (claims(shape=(2**62, 2**62), strides=(0, 0)), "has more bytes than memory"),
    (claims(strides=(4,)), "has 1 'strides' for 2 extents"),
    (claims(strides=4), "'strides' that is not a tuple"),
    (claims(strides=(4, None)), "'strides' that is not all integers"),
    (claims(strides=(2**63 - 1, 2**63 - 1)), "has more bytes than memory"),
    (claims(strides=(-(2**63), 4)), "has more bytes than memory"),
    (claims(strides=(-(2**61), 4)), "has more bytes than memory"),
    (claims(mask=np.zeros((2, 3), bool)), "has a 'mask'"),
    (claims(typestr="|O", data=(4096, False)), "are Python objects"),
    (claims(typestr="|O8"), "are Python objects"),
    (claims(typestr="|V16", descr=[("a", "<i4"), ("b", [("c", "|O")])]), "are Python objects"),
    (Claims(KEPT.__array_interface__, dtype=np.dtype("float64")), "has the type f64, but elements of 4 bytes"),
]


@pytest.mark.parametrize(("array", "message"), MALFORMED, ids=[message for _, message in MALFORMED])
def test_a_malformed_array_interface_is_refused(array: Any, message: str) -> None:
    for call in (
        lambda: tessera.layout_of(array),
        lambda: tessera.layout_of(KEPT, base=array),
        lambda: tessera.relayout(array, "np:(2,3):(1,2)"),
        lambda: tessera.relayout(KEPT, out=array),
        lambda: tessera.plan("(2,3):(1,2)", "(2,3):(3,1)", "f32").run(array, np.zeros(6, np.float32)),
    ):
        with pytest.raises(TypeError) as caught:
            call()
        assert message in str(caught.value), caught.value
        assert "pass a" in str(caught.value), caught.value


def test_an_interface_may_leave_out_what_it_may() -> None:
    for array in (claims(descr=..., version=..., strides=...), claims(mask=None), claims(descr=[("", "<f4")])):
        assert np.array_equal(tessera.relayout(array, "f32[2,3]{0,1}"), KEPT)
    days = np.array(["2020-01-01", "2021-02-03"], "M8[D]")
    assert np.array_equal(tessera.relayout(days, "np:(2):(1)"), days)
    words = np.array(["abc", "d"])
    assert np.array_equal(tessera.relayout(Interface(words), "np:(2):(1)"), words.view("V12"))
    assert tessera.layout_of(claims(shape=(0, 2**62, 2**62))).size == 0


class Capsule:
    """An exporter whose __dlpack__ is any function."""

    def __init__(self, made: Any) -> None:
        self.made = made

    def __dlpack__(self, **options: Any) -> Any:
        return self.made()

    def __dlpack_device__(self) -> Any:
        return (1, 0)


def used() -> Any:
    capsule = KEPT.__dlpack__()
    np.from_dlpack(Capsule(lambda: capsule))
    return capsule


def broken() -> Any:
    raise RuntimeError("no memory here")


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (lambda: None, "did not return an array but a NoneType"),
        (lambda: 7, "did not return an array but a int"),
        (lambda: KEPT, "did not return an array but a ndarray"),
        (used, "did not return an array but a PyCapsule"),
        (broken, "no memory here"),
    ],
)
def test_a_malformed_dlpack_is_refused(made: Any, message: str) -> None:
    for call in (lambda: tessera.layout_of(Capsule(made)), lambda: tessera.relayout(KEPT, out=Capsule(made))):
        with pytest.raises(TypeError) as caught:
            call()
        assert message in str(caught.value) and "pass " in str(caught.value), caught.value


def test_an_attribute_is_no_method() -> None:
    array = Claims(None)
    del array.__array_interface__
    array.__dlpack__ = 5
    with pytest.raises(TypeError, match="__dlpack__ of Claims failed"):
        tessera.layout_of(array)
    array.__dlpack__ = KEPT.__dlpack__
    assert tessera.layout_of(array) == tessera.layout_of(KEPT)


def test_an_exception_of_a_property_passes_through() -> None:
    class Raises:
        @property
        def __array_interface__(self) -> Any:
            raise RuntimeError("not yet")

    with pytest.raises(RuntimeError, match="not yet"):
        tessera.layout_of(Raises())


def test_arrays_of_objects_are_refused() -> None:
    objects = np.array([[1, "x"], [None, 2.0]], object)
    fields = np.zeros((2, 2), [("a", "i4"), ("O", [("b", "O")])])
    for array in (objects, Interface(objects), memoryview(objects), fields, Interface(fields)):
        for call in (
            lambda: tessera.layout_of(array),
            lambda: tessera.relayout(array, "np:(2,2):(1,2)"),
            lambda: tessera.relayout(np.zeros((2, 2)), out=array),
        ):
            with pytest.raises(TypeError, match=r"are Python objects.*pass an array of numbers"):
                call()
    assert objects[0, 1] == "x" and objects[1, 0] is None
    named = np.zeros((2, 2), [("O", "i4"), (":O:", "i4")])  # only the names say O
    assert np.array_equal(tessera.relayout(Interface(named), "np:(2,2):(1,2)").view(named.dtype), named)


def test_scalars_and_arrays_without_dimensions() -> None:
    for array in (np.array(3.5, np.float32), np.array(3.5, ml_dtypes.bfloat16), np.array(7, ml_dtypes.int4)):
        assert tessera.layout_of(array).shape == ()
        moved = tessera.relayout(array, "np:():()")
        assert moved.dtype == array.dtype and moved == array
        out = np.zeros((), array.dtype)
        tessera.relayout(array, out=out)
        assert out == array
    assert tessera.relayout(np.float32(3.5), "f32[]") == 3.5  # NumPy exports its memory
    for scalar in (ml_dtypes.bfloat16(1), ml_dtypes.float8_e5m2(1)):
        for call in (lambda: tessera.layout_of(scalar), lambda: tessera.relayout(np.zeros(()), out=scalar)):
            with pytest.raises(TypeError, match=r"a scalar of type .* pass numpy.asarray\(x\)"):
                call()
    with pytest.raises(tessera.Error, match="read-only"):
        tessera.relayout(np.array(1, np.float32), out=np.float32(0))


@pytest.mark.parametrize("value", [[1, 2], 3, "text", None, object(), np.ndarray, np.dtype("f4")])
def test_what_is_no_array_is_refused(value: Any) -> None:
    with pytest.raises(TypeError, match=r"pass (numpy.asarray\(x\)|a NumPy array)"):
        tessera.layout_of(value)
    released = memoryview(b"1234")
    released.release()
    with pytest.raises(TypeError, match="released memoryview"):
        tessera.layout_of(released)


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
