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
    "text", ["pack:awq u4[8,16]", "pack:gptq u3[64,8]", "gguf:q6_k u6[2,256]", "scale:128x4 u16[30,7]", "pack:low u5[3,7]"]
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
