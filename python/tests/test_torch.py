# SPDX-License-Identifier: Apache-2.0
"""PyTorch: strides, memory formats and placements. Also tests with torch itself if it is installed."""

import importlib.util
import itertools
import math
import os
from random import Random
from typing import Any

import numpy as np
import pytest

import tessera
from tessera import torch as tt


class Tensor:
    """The attributes of a torch.Tensor that the functions use."""

    def __init__(self, shape: tuple[int, ...], strides: tuple[int, ...], offset: int = 0) -> None:
        self.shape, self._strides, self._offset = shape, strides, offset

    def stride(self) -> tuple[int, ...]:
        return self._strides

    def storage_offset(self) -> int:
        return self._offset


class Shard:
    def __init__(self, dim: int) -> None:
        self.dim = dim


class Replicate: ...


class Ranks:
    """The attribute of a torch.Tensor that a mesh is read with."""

    def __init__(self, ranks: Any) -> None:
        self._ranks = ranks

    def tolist(self) -> Any:
        return self._ranks


class Mesh:
    """A DeviceMesh: its ranks, and the names of its dimensions."""

    def __init__(self, ranks: Any = ((0, 1, 2, 3), (4, 5, 6, 7)), names: tuple[str, ...] | None = None) -> None:
        self.mesh = Ranks([list(row) if isinstance(row, tuple) else row for row in ranks])
        self.mesh_dim_names = names


def test_strides() -> None:
    assert tt.layout_of(Tensor((2, 3), (3, 1))) == tessera.parse("np:(2,3):(3,1)")
    assert tt.layout_of(Tensor((2, 3), (0, 2), 5)) == tessera.parse("np:(2,3):(0,2) + 5")


def test_memory_formats() -> None:
    for shape, name in [((2, 3, 4, 5), "channels_last"), ((2, 3, 4, 5, 6), "channels_last_3d"), ((2, 3), "contiguous_format")]:
        layout = tt.layout_for(shape, name)
        assert tt.memory_format_of(layout) == name
        assert sorted(layout.offsets().ravel()) == list(range(layout.size))
    assert tt.layout_for((2, 3, 4, 5), "torch.channels_last")(0, 1, 0, 0) == 1
    assert tt.memory_format_of("f32[2,3]{0,1}") is None
    for bad in [((2, 3), "channels_last"), ((2, 3), "sparse")]:
        with pytest.raises(ValueError):
            tt.layout_for(*bad)


def test_placements_are_distributions() -> None:
    text = tt.distribution(Mesh(), [Shard(0), Replicate()])
    assert text == "DeviceMesh((2, 4), stride: (4, 1)) [Shard(0), Replicate()]"
    # The mesh lists its ranks, so that none are assumed; a tuple of sizes does not.
    known = tessera.reshard("f32[16,16]", text, "{replicated}")
    assert known.status == 0 and known["arrays"][0]["numbering"]["from"] == "row-major" and "assumed" not in str(known)
    assumed = tessera.reshard("f32[16,16]", tt.distribution((2, 4), [Shard(0), Replicate()]), "{replicated}")
    assert assumed["arrays"][0]["numbering"]["from"] == "row-major, assumed" and "assumed" in str(assumed)
    tensor: Any = type("DTensor", (), {"device_mesh": Mesh(), "placements": (Shard(1), Shard(0))})()
    assert tt.distribution(tensor) == "DeviceMesh((2, 4), stride: (4, 1)) [Shard(1), Shard(0)]"
    assert tt.distribution(Mesh(names=("dp", "tp")), [Shard(0), Shard(1)]) == (
        "DeviceMesh((dp=2, tp=4), stride: (4, 1)) [Shard(0), Shard(1)]")
    assert tt.distribution(Mesh((0, 1)), [Shard(0)]) == "DeviceMesh((2,), stride: (1,)) [Shard(0)]"
    assert tt.distribution((2, 2), ["Shard(0)", "Replicate()"]) == "DeviceMesh((2, 2)) [Shard(0), Replicate()]"


def test_ranks_of_a_mesh_are_kept() -> None:
    """The ranks of a mesh were dropped, so that a move between two orders of the same devices seemed to cost nothing."""
    assert tt.distribution(Mesh(((3, 1), (2, 0)), ("dp", "tp")), [Shard(0), Replicate()]) == (
        "DeviceMesh([[3, 1], [2, 0]], mesh_dim_names=('dp', 'tp')) [Shard(0), Replicate()]")
    moved = tessera.reshard("u8[4]", (Mesh((0, 1, 2, 3)), [Shard(0)]), (Mesh((3, 1, 2, 0)), [Shard(0)]))
    assert moved["total"] == 2
    for bad in [type("DeviceMesh", (), {"shape": (2, 2)})(), 4]:
        with pytest.raises(TypeError, match="ranks"):
            tt.distribution(bad, [Shard(0), Replicate()])


def test_the_order_of_cuts_is_kept() -> None:
    spec = type("Spec", (), {"shard_order": ((0, (1, 0)),)})()
    tensor: Any = type("DTensor", (), {"device_mesh": Mesh(), "placements": (Shard(0), Shard(0)), "_spec": spec})()
    assert tt.distribution(tensor) == "DeviceMesh((2, 4), stride: (4, 1)) [Shard(0)[1], Shard(0)[0]]"


def owners(ranks: list[Any], cuts: list[int | None], extents: tuple[int, ...]) -> dict[tuple[int, ...], set[int]]:
    """Who holds each element, as torch.chunk cuts: one mesh dimension after another, each part what the last one left."""
    held: dict[tuple[int, ...], set[int]] = {}

    def cut(mesh: Any, rest: list[int | None], box: list[range]) -> None:
        if not rest:
            for index in itertools.product(*box):
                held.setdefault(index, set()).add(mesh)
            return
        for k, part in enumerate(mesh):
            inner = list(box)
            if rest[0] is not None:
                size = -(-len(box[rest[0]]) // len(mesh))
                inner[rest[0]] = box[rest[0]][k * size:(k + 1) * size]
            cut(part, rest[1:], inner)

    cut(ranks, cuts, [range(n) for n in extents])
    return held


def test_moves_between_random_meshes() -> None:
    """Bytes that move between meshes with shuffled ranks, compared with a count over all elements."""
    seed = int(os.environ.get("TESSERA_LAW_SEED", "1"))
    print("seed", seed)
    random = Random(seed)
    for _ in range(int(os.environ.get("TESSERA_LAW_CASES", "300"))):
        extents = tuple(random.randint(1, 7) for _ in range(2))
        sides = []
        for _ in range(2):
            shape = random.choice([(2, 2), (4,), (2, 3), (6,), (2, 1, 3)])
            ranks = random.sample(range(6), math.prod(shape))
            nested: Any = np.array(ranks).reshape(shape).tolist()
            cuts = [random.choice([None, 0, 1]) for _ in shape]
            placements = [Replicate() if c is None else Shard(c) for c in cuts]
            mesh = Mesh(())
            mesh.mesh = Ranks(nested)
            sides.append((owners(nested, cuts, extents), (mesh, placements)))
        (before, source), (after, target) = sides
        least = sum(len(after[index] - before[index]) for index in after)
        answer = tessera.reshard(f"u8[{extents[0]},{extents[1]}]", source, target, places=6)
        assert answer["total"] == least, (extents, tt.distribution(*source), tt.distribution(*target))


@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="torch is not installed")
def test_real_tensors() -> None:
    import torch

    a = torch.arange(120.0).reshape(2, 3, 4, 5)
    assert tt.memory_format_of(tt.layout_of(a)) == "contiguous_format"
    b = a.to(memory_format=torch.channels_last)
    assert tt.layout_of(b) == tt.layout_for(b.shape, torch.channels_last)
    assert (tessera.relayout(b, "f32[2,3,4,5]") == a.numpy()).all()
