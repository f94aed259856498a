# SPDX-License-Identifier: Apache-2.0
"""Shardings of JAX and PyTorch as texts that Tessera reads, with the numbers of their devices.

The functions read attributes of their arguments, so that this module imports neither JAX nor torch.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any


def text_of(value: Any) -> str:
    """The text of a distribution: a text, a JAX sharding or array, a DTensor, or a DeviceMesh with placements."""
    if isinstance(value, str):
        return value
    if isinstance(value, tuple) and len(value) == 2:
        return torch_text(*value)
    if hasattr(value, "placements") and hasattr(value, "device_mesh"):
        return torch_text(value)
    # A sharding over an abstract mesh raises ValueError when it is asked for its devices, so that comes last.
    if (hasattr(value, "spec") and hasattr(value, "mesh")) or hasattr(value, "sharding") or hasattr(value, "device_set"):
        return jax_text(value)
    if hasattr(value, "spec") or hasattr(value, "to_json"):
        return str(value)
    raise TypeError(
        f"expected a distribution, not {type(value).__name__}: pass a text, a jax.sharding.NamedSharding, an array of JAX, "
        "a DTensor, or (DeviceMesh, placements)")


def jax_text(value: Any) -> str:
    """The text of a sharding of JAX, or of the sharding of an array. Places are the IDs of the devices."""
    sharding = value.sharding if hasattr(value, "sharding") else value
    if hasattr(sharding, "mesh") and hasattr(sharding, "spec"):
        return _named_sharding(sharding)
    devices = list(getattr(sharding, "device_set", ()))
    if len(devices) == 1:
        return f"{{maximal device={devices[0].id}}}"
    raise TypeError(
        f"a {type(sharding).__name__} does not name its mesh: pass a jax.sharding.NamedSharding, which says how the devices "
        "are arranged")


def _named_sharding(sharding: Any) -> str:
    mesh = sharding.mesh
    axes = [f"'{name}': {size}" for name, size in mesh.shape.items()]
    types = [str(getattr(kind, "name", kind)) for kind in getattr(mesh, "axis_types", None) or ()]
    if types:
        axes.append(f"axis_types=({_tuple_items(types)})")
    text = f"NamedSharding(mesh=Mesh({', '.join(axes)}), spec={sharding.spec}"
    ids = _device_ids(mesh)
    if ids is None:  # an abstract mesh: places are positions in the mesh
        return text + ")"
    # JAX can also permute the devices of a mesh: position k then has the device of position logical[k].
    logical = getattr(sharding, "_logical_device_ids", None)
    if logical is not None:
        ids = [ids[k] for k in logical]
    return f"{text}, logical_device_ids=({_tuple_items(map(str, ids))}))"


def _device_ids(mesh: Any) -> list[int] | None:
    if type(mesh).__name__ == "AbstractMesh":
        return None
    return [int(device.id) for device in mesh.devices.flat]


def torch_text(mesh: Any, placements: Sequence[Any] | None = None) -> str:
    """The text of a DTensor, or of a DeviceMesh (or the sizes of one) with placements. Places are ranks."""
    order: dict[int, int] = {}
    if placements is None:
        order = _shard_order(mesh)
        mesh, placements = mesh.device_mesh, mesh.placements
    listed = ", ".join(_placement(one) + (f"[{order[k]}]" if k in order else "") for k, one in enumerate(placements))
    return f"{_device_mesh(mesh)} [{listed}]"


def _device_mesh(mesh: Any) -> str:
    if isinstance(mesh, (tuple, list)):
        return f"DeviceMesh(({_tuple_items(map(str, mesh))}))"
    ranks: Any = getattr(mesh, "mesh", None)
    if not hasattr(ranks, "tolist"):
        raise TypeError(
            f"a {type(mesh).__name__} without its ranks: pass a torch.distributed.DeviceMesh, or a tuple of sizes if the "
            "ranks are in row-major order")
    nested = ranks.tolist()
    names = tuple(getattr(mesh, "mesh_dim_names", None) or ())
    flat, shape = _flat(nested), _shape(nested)
    if flat == list(range(len(flat))) and all(str(name).isidentifier() for name in names):
        sizes = [f"{name}={size}" for name, size in zip(names, shape)] if names else list(map(str, shape))
        # Without its strides, the text would leave open which ranks the mesh has.
        strides = [str(math.prod(shape[k + 1:])) for k in range(len(shape))]
        return f"DeviceMesh(({_tuple_items(sizes)}), stride: ({_tuple_items(strides)}))"
    quoted = f", mesh_dim_names=({_tuple_items(repr(str(name)) for name in names)})" if names else ""
    return f"DeviceMesh({nested}{quoted})"


def _shard_order(tensor: Any) -> dict[int, int]:
    """For each mesh dimension that cuts out of turn, and its companions: its place in the order of cuts."""
    entries = getattr(getattr(tensor, "_spec", None), "shard_order", None) or ()
    out: dict[int, int] = {}
    for _, dims in entries:
        dims = list(dims)
        if dims != sorted(dims):
            out.update({dim: place for place, dim in enumerate(dims)})
    return out


def _placement(placement: Any) -> str:
    if isinstance(placement, str):
        return placement
    kind = type(placement).__name__
    if kind == "Shard":
        return f"Shard({placement.dim})"
    if kind == "Replicate":
        return "Replicate()"
    if kind == "_StridedShard":
        return f"_StridedShard({placement.dim}, sf={placement.split_factor})"
    return repr(placement)


def _flat(nested: Any) -> list[int]:
    return [nested] if isinstance(nested, int) else [one for part in nested for one in _flat(part)]


def _shape(nested: Any) -> list[int]:
    return [] if isinstance(nested, int) else [len(nested), *(_shape(nested[0]) if nested else [])]


def _tuple_items(items: Iterable[str]) -> str:
    """The inside of a tuple, with a comma after a single item."""
    listed = list(items)
    return ", ".join(listed) + ("," if len(listed) == 1 else "")
