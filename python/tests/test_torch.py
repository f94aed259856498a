# SPDX-License-Identifier: Apache-2.0
"""PyTorch: strides, memory formats and placements. Also tests with torch itself if it is installed."""

import importlib.util
from typing import Any

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


class Mesh:
    shape = (2, 4)


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
    assert text == "DeviceMesh((2, 4)) [Shard(0), Replicate()]"
    assert tessera.reshard("f32[16,16]", text, "{replicated}").status == 0
    tensor: Any = type("DTensor", (), {"device_mesh": Mesh(), "placements": (Shard(1), Shard(0))})()
    assert tt.distribution(tensor) == "DeviceMesh((2, 4)) [Shard(1), Shard(0)]"


@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="torch is not installed")
def test_real_tensors() -> None:
    import torch

    a = torch.arange(120.0).reshape(2, 3, 4, 5)
    assert tt.memory_format_of(tt.layout_of(a)) == "contiguous_format"
    b = a.to(memory_format=torch.channels_last)
    assert tt.layout_of(b) == tt.layout_for(b.shape, torch.channels_last)
    assert (tessera.relayout(b, "f32[2,3,4,5]") == a.numpy()).all()
