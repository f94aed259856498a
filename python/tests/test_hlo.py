# SPDX-License-Identifier: Apache-2.0
"""HLO programs: reading, maps, streaming analysis, reports."""

import gzip
import json
import pathlib
import subprocess
import sys

import pytest

import tessera
from tessera import hlo

TEXT = """HloModule m
ENTRY e {
  a = f32[4,8]{1,0} parameter(0)
  b = f32[8,16]{1,0} parameter(1)
  c = f32[4,16]{1,0} dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT t = f32[16,4]{1,0} transpose(c), dimensions={1,0}
}
"""


def test_modules_and_instructions() -> None:
    module = hlo.load(TEXT)
    assert (module.name, module.file, len(module), module.computations) == ("m", "<text>", 4, ["e"])
    c = module["c"]
    assert (c.name, c.opcode, c.type, c.computation, c.is_root) == ("c", "dot", "f32[4,16]{1,0}", "e", False)
    assert c.layout == tessera.parse("f32[4,16]{1,0}")
    assert [o.name for o in c.operands] == ["a", "b"] and c.attributes["lhs_contracting_dims"] == "{1}"
    assert module.root == module["t"] == module["%t"] == module["e/t"]
    assert [i.name for i in module.instructions] == ["a", "b", "c", "t"]
    assert hlo.load(str(module))["c"].type == c.type
    del module
    assert c.operands[0].name == "a"  # keeps its module alive


def test_maps() -> None:
    c = hlo.load(TEXT)["c"]
    first, second = c.operand_maps()
    assert (first.operand, second.operand, first.output, first.element) == (0, 1, 0, None)
    assert (first.exactness, first.reason, first.runtime) == ("exact", "", ())
    assert first.map == tessera.IndexMap("(d0, d1)[s0] -> (d0, s0), domain: d0 in [0, 3], d1 in [0, 15], s0 in [0, 7]")
    assert json.loads(first.to_json())["map"] == str(first)
    back = c.indexing("in")
    assert str(back.maps[0]) == "(d0, d1)[s0] -> (d0, s0), domain: d0 in [0, 3], d1 in [0, 7], s0 in [0, 15]"
    with pytest.raises(tessera.Error, match="direction"):
        c.indexing("sideways")


def test_unknown_maps_have_a_reason() -> None:
    module = hlo.load("HloModule m\nENTRY e {\n a = f32[4] parameter(0)\n ROOT b = f32[4] brand-new(a)\n}", strict=False)
    one = module["b"].operand_maps()[0]
    assert one.map is None and one.exactness == "unknown" and one.reason
    runtime = hlo.load("HloModule m\nENTRY e {\n a = f32[8] parameter(0)\n i = s32[] parameter(1)\n"
                       " ROOT b = f32[4] dynamic-slice(a, i), dynamic_slice_sizes={4}\n}")["b"].operand_maps()[0]
    assert runtime.runtime == ("parameter(1)",) or runtime.runtime == ("i",)


def test_errors() -> None:
    with pytest.raises(tessera.ParseError) as caught:
        hlo.load(TEXT.replace("dot(a, b)", "dot(a, nope)"))
    assert caught.value.code == "unknown_name" and "nope" in str(caught.value) and "^" in str(caught.value)
    kept = hlo.load(TEXT.replace("dot(a, b)", "dot(a, nope)"), strict=False)
    assert [e.code for e in kept.diagnostics][0] == "unknown_name" and len(kept) == 4
    with pytest.raises(tessera.FileError):
        hlo.load("/nonexistent/file.hlo")
    with pytest.raises(tessera.Error) as unknown:
        hlo.load(TEXT)["cc"]
    assert unknown.value.code == "unknown_name"
    with pytest.raises(tessera.Error, match="load_all"):
        hlo.load(TEXT + "\n" + TEXT.replace("HloModule m", "HloModule n"))
    assert [m.name for m in hlo.load_all(TEXT + "\n" + TEXT.replace("HloModule m", "HloModule n"))] == ["m", "n"]


@pytest.fixture(scope="module")
def program(source_dir: pathlib.Path) -> pathlib.Path:
    return source_dir / "examples" / "hlo" / "transformer_block.hlo"


@pytest.mark.parametrize("threads", [0, 1, 2])
@pytest.mark.parametrize("direction", ["out", "in"])
def test_the_stream_is_the_json_of_the_command_line(program: pathlib.Path, threads: int, direction: str) -> None:
    lines = [maps.to_json() for maps in hlo.load(program).analyze(threads=threads, direction=direction)]
    command = [sys.executable, "-m", "tessera", "hlo", str(program), "--json", "--direction", direction]
    assert lines == subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


def test_the_text_is_that_of_the_command_line(program: pathlib.Path) -> None:
    command = [sys.executable, "-m", "tessera", "hlo", str(program)]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "\n".join(map(str, hlo.load(program).analyze())) + "\n" == text


def test_selection_and_early_end(program: pathlib.Path) -> None:
    module = hlo.load(program)
    chosen = [maps.instruction.opcode for maps in module.analyze(op="dot")]
    assert chosen and set(chosen) == {"dot"}
    with pytest.raises(tessera.Error) as caught:
        module.analyze(op="nope")
    assert caught.value.code == "unknown_name"
    stream = iter(module.analyze())
    next(stream)
    del stream  # does not wait forever


def test_memory_does_not_grow_with_the_module(tmp_path: pathlib.Path) -> None:
    lines = ["HloModule big", "ENTRY e {", "  a0 = f32[64,64] parameter(0)"]
    lines += [f"  a{i} = f32[64,64] transpose(a{i - 1}), dimensions={{1,0}}" for i in range(1, 20001)]
    path = tmp_path / "big.hlo.gz"
    path.write_bytes(gzip.compress("\n".join([*lines, "  ROOT r = f32[64,64] negate(a20000)", "}"]).encode()))
    script = ("import resource, sys\nfrom tessera import hlo\nm = hlo.load(sys.argv[1])\n"
              "peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\nbefore = peak()\n"
              "n = sum(1 for _ in m.analyze(threads=2))\nprint(n, peak() - before)")
    out = subprocess.run([sys.executable, "-c", script, str(path)], capture_output=True, text=True, check=True).stdout
    count, growth = map(int, out.split())
    assert count == 20002 and growth < 40_000, growth


def test_report(program: pathlib.Path, tmp_path: pathlib.Path) -> None:
    module = hlo.load(program)
    module.report(tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text()
    assert page.startswith("<!doctype html>") or page.startswith("<!DOCTYPE html>")
    assert all(i.name in page for i in module.instructions if i.operands)
    assert "instructions" in module.stats()
    with pytest.raises(tessera.FileError):
        module.report(tmp_path / "no" / "r.html")


def test_parameters_of_the_whole_program():
    module = hlo.load(
        """HloModule m
        ENTRY e {
          x = f32[32,8] parameter(0)
          i = s32[] parameter(1)
          z = s32[] constant(0)
          ROOT y = f32[16,8] dynamic-slice(x, i, z), dynamic_slice_sizes={16,8}
        }"""
    )
    reads = module.parameters()
    assert reads.exactness == "exact"
    assert reads.instruction.name == "y"
    assert list(reads.runtime) == ["rt0"]
    assert "clamped to [0, 16]" in reads.runtime["rt0"]
    at = module.parameters(at=[9, 4], set={"rt0": 20})
    assert at.boxes == {(0, 0): [((25, 26), (4, 5))], (1, 0): [()]}
    assert json.loads(at.to_json())["runtime"][0]["value"] == 16
    with pytest.raises(tessera.Error) as caught:
        module.parameters(set={"rt7": 1})
    assert caught.value.code == "unknown_name"


def test_which_slot_reads_which_and_free_layouts():
    """`hlo --same` and the free layouts of `--bitcasts` were once on the command line only."""
    module = hlo.load(
        "ENTRY e {\n  x = f32[4,8]{1,0} parameter(0)\n  t = f32[8,4]{1,0} transpose(x), dimensions={1,0}\n"
        "  c = f32[4,8]{1,0} copy(x)\n  ROOT r = (f32[8,4]{1,0}, f32[4,8]{1,0}) tuple(t, c)\n}"
    )
    differ = module.same("x", module["t"])
    assert differ.answer == "no"
    assert differ.source == module["x"]
    assert (differ.byte, differ.element_a, differ.element_b) == (4, [0, 1], [1, 0])
    assert differ.places is not None and differ.places(3, 1) == (1, 3)
    assert str(differ.places) in str(differ) and '"places":' in differ.to_json()
    same = module.same("r#1", "x")
    assert (same.answer, same.bytes, same.byte, same.places, same.reason) == ("yes", 128, None, None, "")
    with pytest.raises(tessera.Error, match="is a tuple"):
        module.same("r", "x")
    with pytest.raises(tessera.Error, match="numbered from 0"):
        module.same("r#2", "x")
    moved = module["t"].bitcast()
    assert moved is not None
    assert (moved.answer, moved.free_result, moved.free_operand) == ("no", "f32[8,4]{0,1}", "f32[4,8]{0,1}")
    assert moved.bytes == 128 and moved.element == [0, 1]
    assert module["x"].bitcast() is None
    assert "a bitcast if the result were f32[8,4]{0,1}" in str(moved)


def test_arguments_of_other_types_are_named() -> None:
    """`hlo.load(b"")` was a RuntimeError of the binding, and `x in module` a TypeError."""
    text = "HloModule m\nENTRY e { x = f32[4] parameter(0) ROOT y = f32[4] negate(x) }"
    module = hlo.load(text.encode())
    assert "x" in module and "e/y" in module and module["x"] in module
    assert "z" not in module and "f/y" not in module and 3 not in module and hlo.load(text)["x"] not in module
    assert [one.name for one in module] == ["x", "y"]
    with pytest.raises(tessera.MissingFile):
        hlo.load(b"")
    for bad in (None, 3, [text]):
        with pytest.raises(TypeError, match="PathLike"):
            hlo.load(bad)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="instruction"):
        module.same("x", 3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"\('w', '0:4,:'\)"):
        tessera.files.info("x.npy", values="..")  # type: ignore[arg-type]
