# SPDX-License-Identifier: Apache-2.0
"""Generated code: the text of the command line, functions that compute what the library computes, and errors."""

import itertools
import pickle
import random
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import tessera
from tessera import cute, hlo

TILED = "f32[3,5]{1,0:T(2,2)}"
SWIZZLED = "Sw<3,3,3> o _0 o (8,64):(64,1)"
MAP = "(d0, d1) -> (d0 + d1 floordiv 3, d1 mod 3), domain: d0 in [0, 4], d1 in [0, 8]"
LINES: list[tuple[Any, list[str]]] = [
    (lambda: tessera.code(TILED), [TILED]),
    (lambda: tessera.code(tessera.parse(SWIZZLED), "cuda", inverse=True), [SWIZZLED, "--lang", "cuda", "--inverse"]),
    (lambda: tessera.code(cute.Layout((6, 10, 7), (70, 7, 1)), inverse=True, multiply_high=True),
     ["(6,10,7):(70,7,1)", "--inverse", "--multiply-high"]),
    (lambda: tessera.code(MAP, "jax", name="index_map"), [MAP, "--lang", "jax", "--name", "index_map"]),
    (lambda: tessera.code(tessera.IndexMap(MAP), "cpp", loop=True), [MAP, "--lang", "cpp", "--loop"]),
    (lambda: tessera.copy_code("f32[3,5]", TILED, plan=True), ["--from", "f32[3,5]", "--to", TILED, "--plan"]),
    (lambda: tessera.code(tessera.plan("f32[8,6]", "f32[8,6]{0,1}")),
     ["--from", "f32[8,6]", "--to", "f32[8,6]{0,1}", "--plan"]),
    (lambda: tessera.copy_code("f32[3,5]", TILED, "triton"), ["--from", "f32[3,5]", "--to", TILED, "--lang", "triton"]),
    (lambda: tessera.copy_code("(2,3):(3,1)", "(2,3):(1,2)", "mlir", dtype="f16"),
     ["--from", "(2,3):(3,1)", "--to", "(2,3):(1,2)", "--lang", "mlir", "--bytes", "2"]),
]


@pytest.mark.parametrize(("call", "line"), LINES)
def test_code_is_that_of_the_command_line(call: Any, line: list[str]) -> None:
    process = subprocess.run([sys.executable, "-m", "tessera", "code", *line], capture_output=True, text=True, check=True)
    assert str(call()) == call().text == process.stdout


def function_of(code: tessera.SourceCode, name: str) -> Any:
    names: dict[str, Any] = {}
    exec(code.text, names)
    return names[name]


LAYOUTS = [TILED, SWIZZLED, "((3,2),5):((10,30),1) crop (5,4)", "np:(6,8):(-8,1) + 40", "d0:1,16 d1:2,4,8"]


@pytest.mark.parametrize("text", LAYOUTS)
@pytest.mark.parametrize("lang", ["python", "numpy"])
def test_functions_compute_the_offsets(text: str, lang: str) -> None:
    layout = tessera.parse(text)
    offset = function_of(tessera.code(layout, lang), "offset")
    back = function_of(tessera.code(layout, "python", inverse=True), "index_of")
    for index in itertools.product(*map(range, layout.shape)):
        assert int(offset(*index)) == layout(*index)
        assert back(layout(*index)) == index
    if lang == "numpy":
        grid = np.meshgrid(*(np.arange(n, dtype=np.int32) for n in layout.shape), indexing="ij")
        assert np.array_equal(offset(*grid), layout.offsets())


def test_copies_move_every_element() -> None:
    seed = random.randrange(1 << 32)
    rng = random.Random(seed)
    for _ in range(20):
        m, n = rng.randint(1, 12), rng.randint(1, 12)
        src, dst = f"u8[{m},{n}]{{{rng.choice(['1,0', '0,1'])}}}", f"u8[{m},{n}]{{1,0:T({rng.randint(1, 4)},{rng.randint(1, 4)})}}"
        a, b = tessera.parse(src), tessera.parse(dst)
        values = np.arange(a.buffer_size)
        out = np.full(b.buffer_size, -1)
        function_of(tessera.copy_code(src, dst, "python"), "copy")(out, values)
        for i, j in itertools.product(range(m), range(n)):
            assert out[b(i, j)] == a(i, j), (seed, src, dst)


def test_tests_pass_and_find_a_wrong_function() -> None:
    code = tessera.code(TILED, "python", inverse=True, test=True)
    assert code.test and not tessera.code(TILED, "python").test
    assert code.import_line("inverse.py") == "from inverse import *\n" or "inverse" in code.import_line("inverse.py")

    def run(text: str) -> int:
        return subprocess.run([sys.executable, "-c", text], capture_output=True, check=False).returncode

    assert run(code.text + code.test) == 0
    assert run(code.text.replace("return (", "return (1 + ") + code.test) != 0


def test_operand_maps() -> None:
    module = hlo.load("HloModule m\nENTRY e { a = f32[4,8] parameter(0)\n ROOT t = f32[8,4] transpose(a), dimensions={1,0} }")
    read = function_of(tessera.code(module["t"].operand_maps()[0], "python"), "read")
    assert read(5, 2) == (2, 5)


def test_values() -> None:
    code = tessera.code(TILED, "mlir", test=True)
    assert (code.language, code.extension) == ("mlir", ".mlir")
    assert pickle.loads(pickle.dumps(code)) == code and hash(code) == hash(tessera.code(TILED, "mlir", test=True))
    assert eval(repr(code), {"tessera": tessera}) == code and code != tessera.code(TILED, "mlir")


@pytest.mark.parametrize(("call", "code"), [
    (lambda: tessera.code(TILED, "rust"), "unknown_name"),
    (lambda: tessera.code(TILED, name="int"), "bad_option"),
    (lambda: tessera.code(TILED, inverse=True, loop=True), "bad_option"),
    (lambda: tessera.code(tessera.plan("f32[4]", "f32[4]"), inverse=True), "bad_option"),
    (lambda: tessera.code("(4,8):(0,1)", inverse=True), "not_invertible"),
    (lambda: tessera.code("(d0) -> (d0"), "syntax"),
    (lambda: tessera.copy_code("(4):(1)", "(4):(1)"), "missing_layout"),
    (lambda: tessera.copy_code("f32[4]", "f16[4]"), "different_type"),
    (lambda: tessera.copy_code("f32[4]", "f32[5]"), "different_shape"),
])
def test_errors(call: Any, code: str) -> None:
    with pytest.raises(tessera.Error) as error:
        call()
    assert error.value.code == code


def test_other_values_are_refused() -> None:
    with pytest.raises(TypeError, match="a layout must be"):
        tessera.code(7)  # type: ignore[arg-type]
