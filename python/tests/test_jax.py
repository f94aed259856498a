# SPDX-License-Identifier: Apache-2.0
"""JAX: layouts, and the maps of jitted functions, compared with the elements that the functions really read."""

import itertools
import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

jax = pytest.importorskip("jax", reason="scripts/bootstrap jax installs JAX")
import jax.numpy as jnp  # noqa: E402
from jax import lax  # noqa: E402

import tessera  # noqa: E402


def test_layouts_come_and_go() -> None:
    assert tessera.jax.layout_of(jnp.zeros((4, 8), jnp.bfloat16)) == tessera.parse("bf16[4,8]{1,0}")
    assert tessera.jax.layout_of(jnp.zeros((), jnp.int8)) == tessera.parse("s8[]")
    for text in ["bf16[4,8]{1,0}", "f32[16,256,3]{0,2,1:T(8,128)(2,1)}", "s4[16,256]{1,0:T(8,128)E(4)}"]:
        layout = tessera.jax.to_jax(text)
        array = type("Array", (), {})()
        array.format = type("Format", (), {"layout": layout})()
        array.shape, array.dtype = tessera.parse(text).shape, tessera.parse(text).dtype
        assert tessera.jax.layout_of(array) == tessera.parse(text)
    assert tessera.jax.to_jax("(4,8):(1,4)").major_to_minor == (1, 0)
    with pytest.raises(tessera.NotRepresentable):
        tessera.jax.to_jax("Sw<3,0,3> o _0 o (8,8):(8,1)")


def test_arrays_of_jax_move() -> None:
    a = jnp.arange(15, dtype=jnp.float32).reshape(3, 5)
    assert np.array_equal(tessera.relayout(a, "f32[3,5]{0,1}"), a)
    b = a.astype(jnp.bfloat16)
    assert np.array_equal(tessera.relayout(b, "bf16[3,5]{0,1}"), np.asarray(b))
    with pytest.raises(tessera.Error, match="read-only"):
        tessera.relayout(np.zeros((3, 5), np.float32), out=a)


def test_lowered_and_compiled_functions_are_programs() -> None:
    lowered = jax.jit(lambda a: a.T).lower(jnp.zeros((4, 8)))
    for program in [lowered, lowered.compile()]:
        assert str(tessera.hlo.load(program).parameter_maps()[0]).startswith("(d0, d1) -> (d1, d0), domain:")


SHARDINGS = """
import itertools, math, random, sys
import jax, numpy as np
from jax.sharding import AbstractMesh, AxisType, Mesh, NamedSharding, PartitionSpec as P, SingleDeviceSharding
import tessera

def holders(sharding, shape):
    held = {}
    for device, box in sharding.devices_indices_map(shape).items():
        for index in itertools.product(*(range(*one.indices(n)) for one, n in zip(box, shape))):
            held.setdefault(index, set()).add(device.id)
    return held

def random_sharding(rng):
    sizes = rng.choice([(4,), (2, 2), (2, 4), (8,), (2, 2, 2), (1, 2)])
    devices = np.array(rng.sample(jax.devices(), math.prod(sizes))).reshape(sizes)
    axes = [f"a{k}" for k in range(len(sizes))]
    left, entries = list(axes), []
    for _ in range(2):
        taken = rng.sample(left, rng.randint(0, len(left)))
        left = [axis for axis in left if axis not in taken]
        entries.append(rng.choice([None, tuple(taken)]) if not taken else tuple(taken) if len(taken) > 1 else taken[0])
    return NamedSharding(Mesh(devices, axes, axis_types=(rng.choice([AxisType.Auto, AxisType.Explicit]),) * len(axes)), P(*entries))

rng = random.Random(int(sys.argv[1]))
for _ in range(int(sys.argv[2])):
    shape = (8 * rng.randint(1, 2), 8)
    source, target = random_sharding(rng), random_sharding(rng)
    before, after = holders(source, shape), holders(target, shape)
    least = sum(len(after[index] - before[index]) for index in after)
    moved = tessera.reshard(f"u8[{shape[0]},{shape[1]}]", source, target)["total"]
    assert moved == least, (source, target, moved, least)

devices = np.array(jax.devices())
straight, turned = (NamedSharding(Mesh(devices[order], ("x",)), P("x")) for order in ([0, 1, 2, 3], [3, 1, 2, 0]))
assert tessera.reshard("f32[4]", straight, turned)["total"] == 8
array = jax.device_put(np.zeros(4, np.float32), turned)
assert tessera.jax.distribution(array) == tessera.jax.distribution(turned)
assert tessera.jax.distribution(SingleDeviceSharding(devices[2])) == "{maximal device=2}"
abstract = NamedSharding(AbstractMesh((4,), ("x",)), P("x"))
assert "logical_device_ids" not in tessera.jax.distribution(abstract)
assert len(tessera.places(abstract, (8,))["shards"]) == 4
"""


def test_the_order_of_devices_is_kept() -> None:
    """A mesh of devices 3, 1, 2, 0 was read as one of 0, 1, 2, 3. Compared with JAX's own map from devices to indices."""
    cases = str(min(300, int(os.environ.get("TESSERA_LAW_CASES", "300"))))
    flags = os.environ.get("XLA_FLAGS", "") + " --xla_force_host_platform_device_count=8"
    done = subprocess.run([sys.executable, "-c", SHARDINGS, "1", cases], capture_output=True, text=True, check=False,
                          env={**os.environ, "XLA_FLAGS": flags, "JAX_PLATFORMS": "cpu"})
    assert done.returncode == 0, done.stderr


def attention(q: Any, k: Any, v: Any) -> Any:
    return jax.nn.softmax(q @ k.T) @ v


def mlp_loss(w: Any, x: Any) -> Any:
    return jnp.tanh(x @ w).sum()


INDEX = np.array([2, 0, 3, 0])
F = np.float32
# Functions with the shapes of their arguments. At almost all points, every function depends on each element that it
# reads.
FUNCTIONS: dict[str, tuple[Callable[..., Any], list[tuple[int, ...]]]] = {
    "matmul": (lambda a, b: a @ b, [(3, 4), (4, 2)]),
    "attention": (attention, [(3, 2), (4, 2), (4, 2)]),
    "conv": (lambda x, w: lax.conv_general_dilated(x, w, (2,), [(1, 1)]), [(1, 2, 7), (3, 2, 3)]),
    "gather": (lambda a: a[INDEX], [(4, 3)]),
    "scatter": (lambda a, u: a.at[INDEX[:3]].set(u * 2), [(4, 3), (3, 3)]),
    "scan": (lambda a: lax.scan(lambda c, x: (c + x, c * x), a[0], a[1:])[1], [(4, 2)]),
    "fft": (lambda a: jnp.real(jnp.fft.fft(a, axis=1)) + jnp.imag(jnp.fft.fft(a, axis=1)), [(2, 5)]),
    "sort": (lambda a: jnp.sort(a, axis=1), [(2, 4)]),
    "dynamic_slice": (lambda a: lax.dynamic_slice(a, (1, 0), (2, 3)), [(4, 4)]),
    "while": (lambda a: lax.while_loop(lambda s: s[0] < 3, lambda s: (s[0] + 1, jnp.sin(s[1]) * 2), (0, a))[1], [(3, 2)]),
    "vmap": (jax.vmap(lambda a, b: jnp.outer(a, b).T), [(2, 3), (2, 2)]),
    "grad_mlp": (lambda w, x: jax.grad(mlp_loss)(w, x), [(3, 2), (4, 3)]),
    "pad": (lambda a: jnp.pad(a, ((1, 0), (0, 2))), [(3, 2)]),
    "cumsum": (lambda a: jnp.cumsum(a, axis=0), [(5, 2)]),
    "concat": (lambda a, b: jnp.concatenate([a[::-1], b], axis=1), [(3, 2), (3, 3)]),
    "window": (lambda a: lax.reduce_window(a, 0.0, lax.add, (1, 3), (1, 2), "VALID"), [(2, 7)]),
}
Reads = dict[tuple[int, ...], set[tuple[int, ...]]]


def really_read(function: Any, shapes: list[tuple[int, ...]]) -> list[Reads]:
    """For each parameter: the elements that affect each output element, found by changing one element at a time."""
    rng = np.random.default_rng(7)
    reads: list[Reads] = [{} for _ in shapes]
    run = jax.jit(function)
    for _ in range(6):
        inputs = [rng.normal(size=shape).astype(F) for shape in shapes]
        base = np.asarray(run(*inputs))
        for number, values in enumerate(inputs):
            for at in np.ndindex(values.shape):
                for step in (0.7, -1.3, 4.0):
                    changed = [array.copy() for array in inputs]
                    changed[number][at] += step
                    for out in zip(*np.nonzero(np.asarray(run(*changed)) != base)):
                        reads[number].setdefault(tuple(map(int, out)), set()).add(at)
    return reads


def told(maps: list[Any], output: tuple[int, ...]) -> set[tuple[int, ...]]:
    """The elements that, according to the maps, an index of the output reads."""
    found = set()
    for one in maps:
        free = [one.map.bounds[name] for name in (*one.map.ranges, *one.map.runtime)]
        for values in itertools.product(*(range(low, high + 1) for low, high in free)):
            try:
                found.add(one.map(*output, *values))
            except tessera.Error as error:
                assert error.code == "undefined_value"
    return found


@pytest.mark.parametrize("optimized", [False, True], ids=["traced", "optimized"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_maps_are_what_the_function_reads(name: str, optimized: bool) -> None:
    function, shapes = FUNCTIONS[name]
    module = tessera.jax.hlo(function, *(np.zeros(shape, F) for shape in shapes), optimized=optimized)
    maps = module.parameter_maps()
    assert all(one.output == 0 for one in maps)
    result = jax.eval_shape(function, *(np.zeros(shape, F) for shape in shapes)).shape
    for number, reads in enumerate(really_read(function, shapes)):
        own = [one for one in maps if one.operand == number]
        if any(one.exactness == "unknown" for one in own):
            continue
        exact = all(one.exactness == "exact" and not one.map.runtime for one in own)
        for output in np.ndindex(result):
            named = told(own, output)
            assert reads.get(output, set()) <= named, (name, number, output)
            if exact:
                assert reads.get(output, set()) == named, (name, number, output, [str(one) for one in own])


def test_most_maps_are_exact() -> None:
    exact = []
    for name, (function, shapes) in FUNCTIONS.items():
        maps = tessera.jax.hlo(function, *(np.zeros(shape, F) for shape in shapes), optimized=False).parameter_maps()
        if maps and all(one.exactness == "exact" and not one.map.runtime for one in maps):
            exact.append(name)
    assert len(exact) >= 8, exact
