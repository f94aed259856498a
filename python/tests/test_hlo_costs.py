# SPDX-License-Identifier: Apache-2.0
"""What programs cost: tables, and the same numbers from XLA's own analysis where JAX is installed."""

import pytest
import tessera
from tessera import hlo

PROGRAM = """HloModule m, is_scheduled=true
ENTRY e {
  a = f32[4,8] parameter(0), metadata={op_name="a"}
  b = f32[8,2] parameter(1)
  c = f32[4,2] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}, metadata={op_name="jit(f)/dot" source_file="m.py" source_line=3}
  ROOT t = f32[4,2] tanh(c), metadata={op_name="jit(f)/tanh" source_file="m.py" source_line=4}
}"""


def exactly(number):
    return {"lower": number, "upper": number}


def test_tables_have_rows_and_totals():
    module = hlo.load(PROGRAM)
    work = module.work()
    assert [row["instruction"] for row in work] == ["c", "t"]
    assert len(work) == 2
    assert work.totals["flops"] == exactly(128)
    assert work.totals["transcendentals"] == exactly(8)
    assert "128 flops" in str(work)
    assert module.traffic().totals["minimum_bytes"] == exactly((32 + 16 + 8) * 4 + 16 * 4)
    assert module.memory().totals["peak_bytes"] == exactly((32 + 16 + 8 + 8) * 4)
    assert {row["array"] for row in module.memory()} == {"e/a", "e/b", "e/c", "e/t"}
    assert module.collectives().rows == []
    assert module.time("bandwidth=1G").totals["seconds"]["lower"] == pytest.approx(288e-9)


def test_shares_add_up(tmp_path):
    module = hlo.load(PROGRAM)
    (tmp_path / "m.py").write_text("\n\nc = a @ b\nt = tanh(c)\n")
    lines = module.by("source", source=tmp_path)
    assert {row["name"]: row["text"] for row in lines} == {"m.py:3": "c = a @ b", "m.py:4": "t = tanh(c)"}
    for key in ("source", "scope", "opcode"):
        table = module.by(key)
        outer = [row for row in table if row.get("depth", 0) == 0]
        assert sum(row["minimum_bytes"]["upper"] for row in outer) == table.totals["minimum_bytes"]["upper"]
        assert sum(row["flops"]["upper"] for row in outer) == 128


def test_wrong_words_are_errors():
    module = hlo.load(PROGRAM)
    with pytest.raises(tessera.Error, match="not one of source, scope, opcode"):
        module.by("line")
    with pytest.raises(tessera.Error, match="not the name of a known chip"):
        module.time("h101")
    with pytest.raises(tessera.Error, match="no computation is named"):
        module.work(computation="f")


def float_functions():
    """Functions without integers, padding under windows or loops, which XLA counts differently."""
    jax = pytest.importorskip("jax")
    import jax.numpy as jnp

    def shape(*dims):
        return jax.ShapeDtypeStruct(dims, jnp.float32)

    return [
        (lambda x, y: x @ y, shape(64, 32), shape(32, 16)),
        (jax.nn.softmax, shape(64, 100)),
        (lambda x: x.sum(), shape(640, 100)),
        (lambda x, w: jax.lax.conv(x, w, (1, 1), "SAME"), shape(2, 3, 16, 16), shape(8, 3, 3, 3)),
        (lambda x: (x - x.mean(-1, keepdims=True)) / jnp.sqrt(x.var(-1, keepdims=True) + 1e-5), shape(64, 128)),
        (jax.grad(lambda w, x: jnp.tanh(x @ w).sum()), shape(16, 16), shape(8, 16)),
        (lambda x: jnp.where(x > 0, x, 0.0), shape(64, 64)),
        (lambda x: x.T + 1, shape(64, 32)),
    ]


def test_operations_are_those_of_xla():
    jax = pytest.importorskip("jax")
    for function, *arguments in float_functions():
        compiled = jax.jit(function).lower(*arguments).compile()
        theirs = compiled.cost_analysis()
        ours = hlo.load(compiled).work().totals
        if ours["flops"]["upper"] is None:  # a library call whose operations the dump does not say
            continue
        assert ours["flops"] == exactly(int(theirs.get("flops", 0)))
        assert ours["transcendentals"] == exactly(int(theirs.get("transcendentals", 0)))


def test_arguments_and_results_are_those_of_xla():
    jax = pytest.importorskip("jax")
    for function, *arguments in float_functions():
        compiled = jax.jit(function).lower(*arguments).compile()
        theirs = compiled.memory_analysis()
        ours = hlo.load(compiled).memory().totals
        assert ours["argument_bytes"] == theirs.argument_size_in_bytes
        assert ours["result_bytes"] + theirs.alias_size_in_bytes == theirs.output_size_in_bytes


def test_wastes_have_places_and_proofs():
    program = """HloModule m
f { p = f32[64,8] parameter(0) ROOT r = f32[64,8] negate(p) }
g { p = f32[64,8] parameter(0) ROOT r = f32[64,8] exponential(p) }
ENTRY e {
  a = f32[64,8] parameter(0)
  x = f32[64,8] fusion(a), kind=kLoop, calls=f, metadata={op_name="jit(f)/neg" source_file="m.py" source_line=7}
  ROOT y = f32[64,8] fusion(x), kind=kLoop, calls=g, metadata={op_name="jit(f)/exp" source_file="m.py" source_line=8}
}"""
    module = hlo.load(program)
    wastes = module.wastes()
    (row,) = wastes.rows
    assert (row["kind"], row["instruction"], row["line"], row["scope"]) == ("fusions", "e/y", "m.py:8", "jit(f)/exp")
    assert row["bytes"] == exactly(2 * 64 * 8 * 4)
    assert row["maps"] == ["(d0, d1) -> (d0, d1), domain: d0 in [0, 63], d1 in [0, 7]"]
    assert "seconds" not in row
    assert wastes.totals == {"wastes": 1}
    timed = module.wastes("bandwidth=1G")
    assert timed.rows[0]["seconds"]["upper"] == pytest.approx(4096e-9)
    assert "fusions: e/y" in str(timed)
    with pytest.raises(tessera.Error, match="not the name of a known chip"):
        module.wastes("h101")


def test_tiles_copies_and_padding_are_tables():
    module = hlo.load(PROGRAM)
    tiled = module.traffic(on_chip=64)
    assert tiled.totals["on_chip_bytes"] == 64
    assert tiled.rows[0]["bytes"]["lower"] >= tiled.rows[0]["minimum_bytes"]["lower"]
    assert module.traffic(on_chip="1M").rows[0]["whole"]
    with pytest.raises(tessera.Error, match="neither a number of bytes nor a known chip"):
        module.traffic(on_chip="large")
    assert module.copies().totals["movements"] == 0
    assert module.padding().totals["rule"] == "own" or module.padding().totals["element_bytes"] > 0


def test_summary_and_comparison_are_tables():
    module = hlo.load(PROGRAM)
    summary = module.summary()
    assert [row["kind"] for row in summary][0] == "total"
    assert summary.totals["findings"] == len(summary)
    assert str(summary).startswith("total")
    assert "estimate" in str(module.summary("bandwidth=1G"))
    old = hlo.load(PROGRAM.replace("tanh(c)", "add(c, c)").replace("f32[8,2]", "f32[8,4]").replace("f32[4,2]", "f32[4,4]"))
    change = module.compare(old, "bandwidth=1G")
    assert change.totals["matched"] == 2
    assert change.totals["moved_bytes"] == module.traffic().totals["moved_bytes"]
    assert all(row["bytes"] < row["old_bytes"] and row["seconds"] < row["old_seconds"] for row in change)
    assert module.compare(module).rows == []


def test_collectives_say_what_devices_hold():
    program = """HloModule m, num_partitions=4
ENTRY e {
  x = f32[8] parameter(0), sharding={devices=[2,2]<=[4] last_tile_dim_replicate}
  ROOT g = f32[32] all-gather(x), replica_groups={{0,1,2,3}}, dimensions={0}, channel_id=1, use_global_device_ids=true
}"""
    module = hlo.load(program)
    (row,) = module.collectives().rows
    assert row["received_bytes"] == exactly(96)
    assert row["needed_bytes"] == exactly(32)
    assert row["stated"]
    # What must move, by the shardings alone, for all four devices.
    moved = tessera.reshard("f32[16]", "{devices=[2,2]<=[4] last_tile_dim_replicate}", "{replicated}")
    assert moved["total"] == 4 * 32
    (waste,) = [row for row in module.wastes("link=1G").rows if row["kind"] == "collectives"]
    assert waste["bytes"] == exactly(64)
    (row,) = hlo.load(program.replace(", sharding={devices=[2,2]<=[4] last_tile_dim_replicate}", "")).collectives().rows
    assert row["needed_bytes"] == exactly(96)
    assert not row["stated"]


def test_results_of_a_fusion_have_one_tile():
    module = hlo.load("""HloModule m
f {
  x = f32[8,64] parameter(0)
  v = f32[64] parameter(1)
  b = f32[8,64] broadcast(v), dimensions={1}
  s = f32[8,64] add(x, b)
  d = f32[8,64] subtract(x, b)
  ROOT t = (f32[8,64], f32[8,64]) tuple(s, d)
}
ENTRY e {
  x = f32[8,64] parameter(0)
  v = f32[64] parameter(1)
  ROOT r = (f32[8,64], f32[8,64]) fusion(x, v), kind=kLoop, calls=f
}""")
    (row,) = module.traffic(on_chip=1024).rows
    # A tile of 8 x 8 has 2 * 256 bytes of results, 256 of x and 32 of v, and every element is read once.
    assert row["bytes"] == exactly(8 * 64 * 4 * 3 + 64 * 4)
    assert row["tile"][0] == 8
    assert row["result"] == 0
    summary = module.summary("h100")
    assert "With 52.4 MB on chip" in str(summary)
    assert [row["kind"] for row in summary][:2] == ["total", "tiled"]
