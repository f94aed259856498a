# SPDX-License-Identifier: Apache-2.0
"""JAX: layouts of arrays, layouts for ``jax.jit``, and the HLO of a function.

Needs JAX, which ``import tessera`` does not import.
"""

from __future__ import annotations

from typing import Any

import jax as _jax

from . import hlo as _hlo
from ._core import Layout, _dtype_name, _tiling, parse
from ._distributions import jax_text


def layout_of(array: Any) -> Layout:
    """The layout of an array on its device, from ``array.format``, in XLA's notation.

    Also takes a ``jax.ShapeDtypeStruct`` with a format. For a sharded array, the result applies the
    layout that all shards share to the global shape.

    >>> import jax.numpy as jnp
    >>> from tessera.jax import layout_of
    >>> layout_of(jnp.zeros((4, 8), jnp.bfloat16))
    tessera.parse('bf16[4,8]{1,0}')
    """
    layout = array.format.layout
    order = ",".join(str(d) for d in reversed(layout.major_to_minor))
    # XLA stores `*`, which joins a dimension with the next, as a negative number.
    tiles = "".join("(" + ",".join("*" if n < 0 else str(n) for n in tile) + ")" for tile in layout.tiling or ())
    bits = layout.sub_byte_element_size_in_bits
    parts = (f"T{tiles}" if tiles else "") + (f"E({bits})" if bits else "")
    dims = ",".join(map(str, array.shape))
    written = f"{{{order}{':' + parts if parts else ''}}}" if dims else ""
    return parse(f"{_dtype_name(array.dtype)}[{dims}]{written}")


def to_jax(layout: Layout | str) -> Any:
    """The ``jax.experimental.layout.Layout`` of a layout. Raises NotRepresentable if XLA cannot express it.

    >>> from tessera.jax import to_jax
    >>> to_jax("bf16[16,256]{0,1:T(8,128)(2,1)}").major_to_minor
    (1, 0)
    """
    from jax.experimental.layout import Layout as JaxLayout

    major_to_minor, tiles, bits = _tiling(layout)
    return JaxLayout(major_to_minor, tiles or None, bits)


def hlo(function: Any, *args: Any, optimized: bool = True, **kwargs: Any) -> _hlo.HloModule:
    """The HLO of a function for these arguments: arrays, or ``jax.ShapeDtypeStruct``.

    ``optimized``: the HLO after XLA's compiler for the default device; otherwise the HLO that JAX traced. ``function``
    may be jitted already.

    >>> import jax.numpy as jnp
    >>> from tessera.jax import hlo
    >>> module = hlo(lambda a: a.T, jnp.zeros((4, 8)), optimized=False)
    >>> print(module.parameter_maps()[0])
    (d0, d1) -> (d1, d0), domain: d0 in [0, 7], d1 in [0, 3]
    """
    jitted = function if hasattr(function, "lower") else _jax.jit(function)
    lowered = jitted.lower(*args, **kwargs)
    return _hlo.load(str(lowered.compile().as_text() if optimized else lowered.as_text(dialect="hlo")))


def distribution(sharding: Any) -> str:
    """The distribution of a sharding, or of an array, as text. Places are the IDs of the devices, in the mesh's order.

    ``tessera.reshard`` takes shardings and arrays directly. The places of a sharding with an abstract mesh are positions
    in the mesh. Raises TypeError for a sharding of several devices that has no mesh.

    >>> import jax.numpy as jnp
    >>> from tessera.jax import distribution
    >>> distribution(jnp.zeros(4))
    '{maximal device=0}'
    """
    return jax_text(sharding)


__all__ = ["distribution", "hlo", "layout_of", "to_jax"]
