# SPDX-License-Identifier: Apache-2.0
"""Layouts of Triton and Gluon: bases, holders, plans, reports."""

import pathlib
import random

import pytest
import tessera

ROWS = "BlockedLayout([1,8],[4,8],[4,1],[1,0])"
SEEDS = pathlib.Path(__file__).parents[2] / "fuzz/corpus/ttgir"


def test_reads_texts_and_objects():
    layout = tessera.TritonLayout(ROWS)
    assert layout.kind == "blocked" and layout.shape is None
    assert str(layout).startswith("#ttg.blocked<{sizePerThread = [1, 8]")
    assert tessera.TritonLayout(layout.gluon) == layout

    class Bases:
        reg_bases = [[0, 1]]
        lane_bases = [[0, 2], [1, 0]]
        warp_bases = [[2, 0]]
        block_bases = []
        shape = [4, 4]

    assert tessera.TritonLayout(Bases()).kind == "linear"
    with pytest.raises(tessera.ParseError):
        tessera.TritonLayout("#ttg.blocked")


def test_axe_is_a_placement_and_gluon_a_text():
    layout = tessera.TritonLayout(ROWS)
    placed = layout.to("axe", (16, 64))
    assert isinstance(placed, tessera.Placement) and placed.shape == (16, 64)
    held = placed.places((3, 5))
    assert [(p["m"], p["laneid"], p["warpid"]) for p in held] == [place[:3] for place in layout.holders((3, 5), (16, 64))]
    plain = tessera.layout("16x64:" + ROWS)
    with pytest.raises(tessera.NotRepresentable, match="is the Placement"):
        plain.to("axe")
    with pytest.raises(tessera.Error, match="is the text"):
        plain.to("gluon")
    assert tessera.TritonLayout(str(plain)).to("gluon") == layout.gluon
    # The memory of one block is a Layout.
    memory = tessera.TritonLayout("64x64:SwizzledSharedLayout(8,1,8,[1,0])")
    assert str(memory.to("axe")).startswith("axe:ComposeLayout(3, 3, 3")


def test_bases_by_hand():
    bases = tessera.TritonLayout(ROWS).bases((16, 64))
    assert bases["register"] == [(0, 1), (0, 2), (0, 4)]
    assert bases["lane"] == [(0, 8), (0, 16), (0, 32), (1, 0), (2, 0)]
    assert bases["warp"] == [(4, 0), (8, 0)]
    assert tessera.TritonLayout("4x64:" + ROWS).bases()["warp"] == [(0, 0), (0, 0)]


def test_holders_and_elements_are_inverse():
    rng = random.Random(3)
    layout = tessera.TritonLayout("4x64:" + ROWS)
    for _ in range(50):
        index = (rng.randrange(4), rng.randrange(64))
        holders = layout.holders(index)
        assert len(holders) == 4  # each warp holds the tensor
        for place in holders:
            assert layout.element(*place) == index


def test_plan_of_registers():
    plan = tessera.registers_plan("64x64:" + ROWS, "64x64:BlockedLayout([8,1],[8,4],[1,4],[0,1])", "f16")
    assert plan["level"] == "warps" and plan["triton"] == "shared"
    assert plan["counts"] == {"points": 4096, "stay": 64, "register": 0, "lane": 960, "warp": 3072, "block": 0}
    assert plan["exchange"]["write"]["wavefronts"] == 64 and plan["exchange"]["read"]["wavefronts"] == 128


def test_report_of_a_file_and_of_a_text():
    path = SEEDS / "loop.ttgir"
    report = tessera.ttgir(path)
    assert report["target"] == "cuda:90"
    assert [op["op"] for op in report["operations"]] == ["tt.load", "ttg.local_alloc"]
    assert report["operations"][0]["vector"] == 8 and report["operations"][0]["depth"] == 1
    assert report["operations"][0]["source"] == "kernel.py:7"
    assert tessera.ttgir(path.read_text(encoding="utf-8"))["operations"] == report["operations"]


def test_an_attribute_without_a_shape_takes_one_with_each_question():
    layout = tessera.layout(ROWS)
    assert isinstance(layout, tessera.TritonLayout)
    assert isinstance(tessera.layout("16x64:" + ROWS), tessera.Layout)
    assert layout.to("cute", (128, 64)) == tessera.layout("128x64:" + ROWS).to("cute")
    assert layout.to("gluon") == layout.gluon and layout.to("ttg") == str(layout)
    with pytest.raises(tessera.Error):
        layout.to("cute")
    many = tessera.TritonLayout("BlockedLayout([1],[32],[65536],[0])")
    with pytest.raises(tessera.Error, match="at most 1048576 are listed"):
        many.holders((0,), shape=(1,))
