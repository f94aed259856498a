# SPDX-License-Identifier: Apache-2.0
"""Named layouts: containers, offsets, codes, and functions of other programs."""

import copy
import pickle

import numpy
import pytest

import tessera


def test_a_layout_of_a_named_text_has_a_container():
    assert tessera.layout("pack:awq u4[4096,11008]").container == ("s32", (4096, 1376))
    assert tessera.layout("(4,8):(8,1)") == tessera.parse("(4,8):(8,1)")


def test_offsets_are_those_of_the_layout():
    named = tessera.layout("scale:128x4 u8[300,7]")
    assert (named.offsets() == named.layout.offsets()).all()
    assert named.offsets()[129, 5] == 1553
    bits = tessera.layout("gguf:q6_k[256]").bit_offsets()
    assert bits.shape == (256, 6)
    assert bits[77].tolist() == [108, 109, 110, 111, 1132, 1133]


@pytest.mark.parametrize(
    "text", ["pack:awq u4[8,16]", "pack:gptq u3[64,8]", "gguf:q4_k.sc u6[2,8]", "scale:128x4 u16[30,7]", "pack:low u5[3,7]"]
)
def test_codes_survive_the_container(text):
    named = tessera.layout(text)
    codes = numpy.random.default_rng(7).integers(0, 1 << named.element_bits, named.shape)
    packed = named.pack(codes)
    assert packed.shape == named.container[1]
    assert (named.unpack(packed) == codes).all()
    # The bits are where bit_offsets says.
    bits = numpy.unpackbits(packed.view("uint8").ravel(), bitorder="little")
    values = bits[named.bit_offsets()].astype("int64")
    assert ((values << numpy.arange(named.element_bits)).sum(axis=-1) == codes).all()


def test_codes_that_do_not_fit_are_refused():
    named = tessera.layout("pack:low u4[4]")
    with pytest.raises(tessera.Error, match="number_range|4 bits"):
        named.pack([1, 2, 3, 16])
    with pytest.raises(tessera.ShapeError):
        named.unpack(numpy.zeros(3, "uint8"))


def test_names_copy_and_pickle():
    named = tessera.layout("gguf:q4_k.sc u6[2,8]")
    assert pickle.loads(pickle.dumps(named)) == copy.copy(named) == named
    assert {named: 1}[tessera.NamedLayout(str(named))] == 1
    assert [name.name for name in tessera.names_of(tessera.parse("(5,7):(1,8)"), 32)] == ["scale:mn(rows=4)"]


def test_planes_have_no_cells():
    with pytest.raises(tessera.NotRepresentable):
        tessera.layout("gguf:q6_k[256]").offsets()


def test_an_order_is_asserted():
    def blocked(x):
        rows, cols = -(-x.shape[0] // 128) * 128, -(-x.shape[1] // 4) * 4
        padded = numpy.zeros((rows, cols), x.dtype)
        padded[: x.shape[0], : x.shape[1]] = x
        return padded.reshape(rows // 128, 4, 32, cols // 4, 4).transpose(0, 3, 2, 1, 4)

    tessera.assert_order(blocked, "scale:128x4 u8[300,7]")
    # Columns padded to 8 move the second tile of rows.
    with pytest.raises(AssertionError, match=r"\(128, 0\) belongs in cell 1024, which holds padding"):
        tessera.assert_order(lambda x: numpy.append(blocked(x), numpy.zeros(1024)), "scale:128x4(cols=8) u8[129,3]")
    with pytest.raises(AssertionError, match="entries"):
        tessera.assert_order(lambda x: x, "scale:128x4 u8[300,7]")


def test_values_are_no_codes() -> None:
    """Floats were packed as integers, as denormal numbers."""
    layout = tessera.NamedLayout("scale:linear f32[2,2]")
    values = numpy.array([[1, 2], [3, 4]], numpy.float32)
    with pytest.raises(tessera.Error, match="codes are integers"):
        layout.pack(values)
    assert numpy.array_equal(layout.pack(values.view(numpy.uint32)).reshape(2, 2).view(numpy.float32), values)


def test_names_are_compared() -> None:
    """`tessera.equal` took layouts and maps only."""
    plain, triton = (tessera.NamedLayout(f"scale:128x4{kind} u8[129,1]") for kind in ("", "(cols=8)"))
    verdict = tessera.equal(plain, triton)
    assert not verdict and verdict.counterexample == ((128, 0), 512, 1024)
    assert tessera.equal(plain, plain).proof == "structure"
    small, wide = (tessera.NamedLayout(f"scale:128x4{kind} u8[128,4]") for kind in ("", "(cols=8)"))
    assert tessera.equal(small, wide) and not tessera.equal(small, wide, "storage")
    assert tessera.equal("pack:awq u4[8,16]", "(8,(2,4,2)):(16,(4,1,8))")
    # Streams and planes: the index has the bit of the value as its last entry.
    verdict = tessera.equal("pack:gptq u3[64,8]", tessera.NamedLayout("pack:gptq_p u3[64,8]"))
    assert not verdict and verdict.counterexample is not None and len(verdict.counterexample[0]) == 3
    assert tessera.equal("pack:low u3[5]", "pack:low u3[5]")
    with pytest.raises(tessera.ParseError):
        tessera.equal("pack:awk u4[8,16]", plain)
    with pytest.raises(TypeError):
        tessera.equal(plain, 3)


def test_codes_alone_are_no_block() -> None:
    """The scales of the blocks became 0 without a word."""
    layout = tessera.NamedLayout("gguf:q6_k[256]")
    with pytest.raises(tessera.NotRepresentable, match="d, sc would become 0|sc, d would become 0"):
        layout.pack(numpy.zeros(256, numpy.uint8))
    block = numpy.random.default_rng(3).integers(0, 256, 210).astype(numpy.uint8)
    bits = numpy.unpackbits(block, bitorder="little")[layout.bit_offsets()].astype(numpy.int64)
    assert (layout.unpack(block) == (bits << numpy.arange(6)).sum(axis=-1)).all()


def test_signed_codes_are_numbers_of_their_type() -> None:
    layout = tessera.NamedLayout("scale:linear s8[2,2]")
    values = numpy.array([[-1, 2], [-128, 127]], numpy.int8)
    assert layout.pack(values).dtype == numpy.int8
    assert layout.pack(values).ravel().tolist() == layout.pack(values.tolist()).ravel().tolist() == [-1, 2, -128, 127]
    assert (layout.unpack(layout.pack(values)).view(numpy.int8) == values).all()
    with pytest.raises(tessera.Error, match="8 bits"):
        layout.pack(values.astype(numpy.int64) - 1)
    with pytest.raises(tessera.Error, match="8 bits"):
        tessera.NamedLayout("scale:linear u8[2,2]").pack(values)


def test_a_buffer_is_an_array_of_bytes() -> None:
    layout = tessera.NamedLayout("pack:low u4[2]")
    assert layout.unpack(b"\x21").tolist() == [1, 2]
    assert layout.unpack(bytes(1)).tolist() == [0, 0]
    empty = tessera.NamedLayout("pack:low u4[0]")
    assert empty.unpack(b"").shape == (0,) and empty.pack([]).shape == (0,)
    for wrong in ([33], (33,), ["a"], "a", numpy.zeros(1, numpy.float32), numpy.array(["a"])):
        with pytest.raises(tessera.Error, match="not a buffer"):
            layout.unpack(wrong)
    with pytest.raises(tessera.Error, match="codes are integers"):
        layout.pack(["a", "b"])
    scales = tessera.NamedLayout("scale:linear f32[1,2]")
    assert scales.unpack(numpy.array([1.0, 0.0], numpy.float32)).tolist() == [[0x3F800000, 0]]


def test_names_are_found_of_every_kind() -> None:
    layout = tessera.parse("(5,7):(1,8)")
    for bits in (0, -8, 64):
        with pytest.raises(tessera.Error, match=f"{bits} bits"):
            tessera.names_of(layout, bits)
    with pytest.raises(tessera.Error, match="width"):
        tessera.names_of(layout)
    assert [str(name) for name in tessera.names_of(tessera.NamedLayout("gguf:q6_k[256]"))] == ["gguf:q6_k u6[256]"]
    row = [name.name for name in tessera.names_of(tessera.NamedLayout("pack:low(row=24) u3[11]"), 3)]
    assert row == ["pack:low", "pack:low(row=32)"]
    with pytest.raises(tessera.Error, match="have 3 bits"):
        tessera.names_of(tessera.NamedLayout("pack:low u3[11]"), 4)
    assert tessera.names_of(tessera.NamedLayout("scale:mn(rows=4) u8[5,7]"))[0].name == "scale:mn(rows=4)"
