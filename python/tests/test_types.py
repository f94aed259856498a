# SPDX-License-Identifier: Apache-2.0
"""The types that the stubs promise: type checkers accept right programs and refuse wrong ones, and results have them."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import typing
from collections.abc import Callable
from typing import Any

import pytest

import tessera
from tessera import _types, cute

HERE = pathlib.Path(__file__).parent


def mypy(files: list[pathlib.Path], source: pathlib.Path, scratch: pathlib.Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(scratch), "--ignore-missing-imports", *map(str, files)],
        capture_output=True, text=True, check=False, env={**os.environ, "MYPYPATH": str(source / "python")}, cwd=scratch)


def pyright(files: list[pathlib.Path], source: pathlib.Path, scratch: pathlib.Path) -> subprocess.CompletedProcess[str]:
    config = scratch / "pyrightconfig.json"
    config.write_text('{"extraPaths": ["%s"], "typeCheckingMode": "strict", "reportMissingImports": false, '
                      '"reportMissingModuleSource": false, "reportUnusedExpression": false, "include": ["."]}' % (source / "python"))
    for file in files:
        shutil.copy(file, scratch)
    return subprocess.run([sys.executable, "-m", "pyright", "-p", str(scratch)], capture_output=True, text=True, check=False, cwd=scratch)


def runs(name: str) -> bool:
    """Whether a type checker is installed. Pyright also needs Node, and at its first run fetches itself with npm."""
    return subprocess.run([sys.executable, "-m", name, "--version"], capture_output=True, check=False).returncode == 0


def installed(name: str) -> Any:
    return pytest.mark.skipif(not runs(name), reason=f"{name} does not run: scripts/bootstrap python installs it")


CHECKERS = [pytest.param(mypy, marks=installed("mypy")), pytest.param(pyright, marks=installed("pyright"))]


@pytest.mark.parametrize("check", CHECKERS)
def test_right_programs_are_accepted(check: Callable[..., Any], source_dir: pathlib.Path, tmp_path: pathlib.Path) -> None:
    examples = sorted((source_dir / "examples" / "python").glob("*.py"))
    if check is pyright:  # its strict mode wants types of NumPy and JAX that these do not have
        examples = [file for file in examples if file.name in ("algebra.py", "layouts.py")]
    done = check([HERE / "typed_program.py", *examples], source_dir, tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("check", CHECKERS)
def test_wrong_programs_are_refused(check: Callable[..., Any], source_dir: pathlib.Path, tmp_path: pathlib.Path) -> None:
    program = HERE / "wrong_types.py"
    done = check([program], source_dir, tmp_path)
    found = {int(n) for n in re.findall(r"wrong_types\.py:(\d+):(?:\d+ -)? error", done.stdout)}
    wrong = {n for n, line in enumerate(program.read_text().splitlines(), 1) if line.endswith("# wrong")}
    assert found == wrong, done.stdout + done.stderr


def test_the_right_program_runs() -> None:
    done = subprocess.run([sys.executable, str(HERE / "typed_program.py")], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


# For each function: the types of parameters and result in each overload, from the signatures of the extension.
NAMES = {**vars(_types), "tessera": tessera, "typing": typing, "int": int, "str": str, "bool": bool, "list": list, "tuple": tuple}
FUNCTIONS = {name: value for name, value in vars(cute).items()
             if "As in ``tessera eval``" in (getattr(value, "__doc__", None) or "") and name not in ("compose", "slice_")}


def is_a(value: Any, kind: Any) -> bool:
    """Whether a value has a type: a class, a union, a tuple or a list of types, None, or the name of an alias."""
    if kind is Any:
        return True
    if kind is None or kind is type(None):
        return value is None
    if isinstance(kind, (str, typing.ForwardRef)):
        return is_a(value, NAMES[kind if isinstance(kind, str) else kind.__forward_arg__])
    arguments = typing.get_args(kind)
    if typing.get_origin(kind) is tuple:
        if not isinstance(value, tuple):
            return False
        if arguments[-1] is ...:
            return all(is_a(one, arguments[0]) for one in value)
        return len(value) == len(arguments) and all(map(is_a, value, arguments))
    if typing.get_origin(kind) is list:
        return isinstance(value, list) and all(is_a(one, arguments[0]) for one in value)
    if arguments:
        return any(is_a(value, one) for one in arguments)
    return isinstance(value, kind) and (kind is not int or not isinstance(value, bool))


def overloads(function: Any) -> list[tuple[list[Any], Any]]:
    out = []
    for signature, *_ in function.__nb_signature__:
        head, result = signature.split(") -> ")
        parameters = [part for part in re.split(r", (?=\*?\w+:|/)", head.split("(", 1)[1]) if part != "/"]
        kinds = [(part.startswith("*"), eval(part.split(": ", 1)[1].removesuffix(" = ..."), dict(NAMES))) for part in parameters]
        out.append((kinds, eval(result, dict(NAMES))))
    return out


def accepts(kinds: list[Any], arguments: list[Any]) -> bool:
    if len(arguments) > len(kinds) and not (kinds and kinds[-1][0]):
        return False
    return all(is_a(one, kinds[min(i, len(kinds) - 1)][1]) for i, one in enumerate(arguments))


OPERANDS = [4, (4, 8), (2, (2, 2)), cute.Layout((4, 8), (8, 1)), cute.Layout(4, 2), cute.Layout((2, 2), (1, 2)), cute.Swizzle(1, 0, 2),
            cute.ComposedLayout(cute.Swizzle(1, 0, 2), 0, cute.Layout((4, 4), (4, 1))), (2, None), None, 0, 1, "(4,8):(8,1)",
            (cute.Layout(2, 1), 4), cute.make_identity_layout((4, 8))]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_results_have_the_promised_types(name: str) -> None:
    """Calls every function with every pair of operands that it accepts: each overload that takes them promises the result."""
    function = FUNCTIONS[name]
    kinds = overloads(function)
    calls = 0
    extra: list[list[Any]] = [[a] for a in OPERANDS] + [[a, b] for a in OPERANDS for b in OPERANDS]
    extra += [[a, 0, 1] for a in OPERANDS] + [[a, 8, 16] for a in OPERANDS] + [[a, b, (0, 1)] for a in OPERANDS for b in OPERANDS]
    for arguments in extra:
        try:
            result = function(*arguments)
        except (tessera.Error, TypeError):
            continue
        calls += 1
        taking = [promised for taken, promised in kinds if accepts(taken, arguments)]
        assert taking, (name, arguments, "no overload takes them")
        # Type checkers take the first overload that fits.
        assert is_a(result, taking[0]), (name, arguments, result, taking[0])
    assert calls > 0
