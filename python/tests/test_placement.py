# SPDX-License-Identifier: Apache-2.0
"""Placements: places, operations and views of Axe layouts."""

import pytest

import tessera


def test_an_index_has_a_place_for_each_replica():
    p = tessera.Placement("axe:8x16:S[(8,2,4,2):(4@laneid,1@warpid,1@laneid,1)] + R[2:4@warpid] + 5@warpid")
    assert p.shape == (8, 16)
    assert p.axes == {"warpid": "place", "laneid": "place", "m": "memory"}
    assert p.places((0, 8)) == [{"warpid": 6, "laneid": 0, "m": 0}, {"warpid": 10, "laneid": 0, "m": 0}]
    assert eval(repr(p), {"Placement": tessera.Placement}).equal(p)


def test_operations_give_placements():
    p = tessera.Placement("axe:16:S[(2,2,4):(100,10,1)]")
    assert str(p.slice([(6, 10)])) == "axe:4:S[(2,2):(88,1)] + 12"
    assert str(tessera.Placement("S[8:1]").tile(p).canonical()) == "axe:128:S[(8,2,2,4):(114,100,10,1)]"
    with pytest.raises(tessera.NotRepresentable) as refused:
        tessera.Placement("axe:8x16:S[(8,2,4,2):(4@laneid,1@warpid,1@laneid,1)]").slice([(0, 8), (7, 9)])
    assert refused.value.reason == "axes"


def test_threads_on_other_axes_are_equal_after_fusing():
    p = tessera.Placement("S[(2,8):(1@warpid,1@laneid)]")
    assert p.equal(tessera.Placement("S[(2,8):(32@tx,1@tx)]"))
    assert str(p.fuse()) == "axe:S[(2,8):(32@tx,1@tx)]"


def test_views():
    p = tessera.Placement("axe:8x16:S[(8,2,4,2):(4@laneid,1@warpid,1@laneid,1)] + R[2:2@warpid]")
    assert p.to("tv") == "((4,8,2,2),2):((16,1,64,0),8)"
    assert p.to("cute", axis="m") == "cute:(8,(2,8)):(0,(1,0))"
    assert tessera.Placement("S[(4,256):(1@pid,1)]").to("mesh") == "mesh[pid=4] [pid, -]"
    with pytest.raises(tessera.NotRepresentable):
        p.to("cute")


def test_bad_texts_raise():
    with pytest.raises(tessera.ParseError):
        tessera.Placement("S[(8,4):(4,1)")
