# SPDX-License-Identifier: Apache-2.0
"""The types that the stubs promise: type checkers accept right programs and refuse wrong ones, and results have them."""

import ast
import inspect
import os
import pathlib
import re
import shutil
import subprocess
import sys
import textwrap
import typing
from collections.abc import Callable
from typing import Any

import pytest

import tessera
from tessera import _answers, _types, cute

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


# The answers with types, and calls that give each of their optional keys.
ANSWERS: list[tuple[type[tessera.Answer], list[Callable[[], tessera.Answer]]]] = [
    (_answers.AccessAnswer, [
        lambda: tessera.access("(32,32):(32,1)", bytes=4, threads=["rows,write", "columns"], fix=True),
        lambda: tessera.access("(32,32):(33,1)", bytes=4, threads="columns", space="global", segments=64),
        lambda: tessera.access("32:1", bytes=4, warps="(8,100):(32,1001)", segments=(64, 128))]),
    (_answers.TileAnswer, [
        lambda: tessera.tile("(d0) -> (d0 * 2), domain: d0 in [0, 47]", tile=12),
        lambda: tessera.tile(HLO, op="whole", tile=(4, 64)), lambda: tessera.tile(HLO, op="whole", budget="48K")]),
    (_answers.ReshardAnswer, [
        lambda: tessera.reshard("f32[5,3]", "DeviceMesh((2, 2)) [Shard(0), Shard(0)]", "{replicated}", messages=True, segments=True,
                                kept=True, explain=True, check=True, per_node=2, relabel="within")]),
]
HLO = str(pathlib.Path(os.environ.get("TESSERA_SOURCE", HERE.parent.parent)) / "examples" / "hlo" / "sharded_mlp.hlo")


def has_type(value: Any, kind: Any, where: str) -> None:
    """Fails unless a JSON value has a type: a typed mapping with no other keys, a list, a tuple, a union, a literal or a class."""
    if kind is Any:
        return
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if typing.is_typeddict(kind):
        assert isinstance(value, dict), where
        hints = typing.get_type_hints(kind)
        assert kind.__required_keys__ <= set(value) <= set(hints), (where, set(value) ^ set(hints))
        for key, one in value.items():
            has_type(one, hints[key], f"{where}.{key}")
    elif origin is list:
        assert isinstance(value, list), where
        for one in value:
            has_type(one, arguments[0], where + "[]")
    elif origin is tuple:
        assert isinstance(value, list) and len(value) == len(arguments), where
        for one, inner in zip(value, arguments):
            has_type(one, inner, where + "[]")
    elif origin is dict:
        for one in value.values():
            has_type(one, arguments[1], where + ".*")
    elif origin is typing.Literal:
        assert value in arguments, (where, value)
    elif arguments:  # X | None
        assert value is None or type(None) not in arguments or len(arguments) == 2, where
        if value is not None:
            has_type(value, arguments[0], where)
        else:
            assert type(None) in arguments, where
    else:
        assert isinstance(value, (int, float) if kind is float else kind), (where, value)


def overloaded_keys(answer: type) -> dict[str, Any]:
    """The keys that the overloads of ``__getitem__`` name, with their types. They exist only in the source."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(answer)))
    keys: dict[str, Any] = {}
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef) or node.name != "__getitem__" or not node.decorator_list:
            continue
        key = node.args.args[1].annotation
        if isinstance(key, ast.Subscript) and node.returns is not None:
            kind = eval(ast.unparse(node.returns), dict(vars(_answers)))
            names = key.slice.elts if isinstance(key.slice, ast.Tuple) else [key.slice]
            keys.update({ast.literal_eval(name): kind for name in names})
    return keys


@pytest.mark.parametrize(("answer", "calls"), ANSWERS)
def test_answers_have_the_promised_types(answer: type[tessera.Answer], calls: list[Callable[[], tessera.Answer]]) -> None:
    keys = overloaded_keys(answer)
    for call in calls:
        given = call()
        assert type(given) is answer
        for key, value in given.items():
            if key in keys:
                has_type(value, keys[key], key)


@pytest.mark.parametrize(("verb", "function"), [("access", tessera.access), ("tile", tessera.tile), ("copy", tessera.files.copy),
                                                (("reshard", "plan"), tessera.reshard)])
def test_every_option_is_a_keyword(verb: Any, function: Callable[..., Any]) -> None:
    """Options with a fixed choice have these choices as their type."""
    line = [verb] if isinstance(verb, str) else list(verb)
    text = subprocess.run([sys.executable, "-m", "tessera", *line, "--help"], capture_output=True, text=True, check=True).stdout
    parameters, hints = inspect.signature(function).parameters, typing.get_type_hints(function)
    own = text.split("Options of every verb:")[0]
    for option, words in re.findall(r"^  --([a-z-]+) ?(\S*)", own, re.M):
        name = {"from": "from_"}.get(option, option.replace("-", "_"))
        if verb == ("reshard", "plan") and name == "plan":
            continue  # instead of the sides of a call
        assert name in parameters, option
        if re.fullmatch(r"\[?[a-z]+(\|[a-z]+)+\]?", words):
            literals = [one for part in [hints[name], *typing.get_args(hints[name])] if typing.get_origin(part) is typing.Literal
                        for one in typing.get_args(part)]
            assert set(literals) == set(words.strip("[]").split("|")), (option, literals)
