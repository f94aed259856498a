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
