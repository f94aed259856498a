# SPDX-License-Identifier: Apache-2.0
"""Asks CuTe's DSL the operations of layouts of a file of vectors, with sizes that are known at run time, on the CPU.

    python3 tests/laws/cute_dsl_peer.py tests/vectors/symbolic/eval.jsonl

Each row becomes a function whose sizes are arguments of type Int32; it also knows which sizes are multiples of a number. It is compiled, and
called with the sizes of two points; its result is compared with the point's. The script prints counts, and fails only if it cannot run:
what another program does wrong is a fact about that program. The DSL may end the process, so rows are asked in a child that is started again.
"""
from __future__ import annotations

import collections
import importlib.util
import itertools
import json
import os
import re
import subprocess
import sys
import tempfile
from typing import Any

CALLS = {"upcast": "cute.recast_layout(8 * ({1}), 8, {0})", "downcast": "cute.recast_layout(8, 8 * ({1}), {0})"}
BARE = {"size": "cute.size({0})", "cosize": "cute.cosize({0})"}


def parts(text: str) -> list[str]:
    """The text split at its outer commas."""
    out, depth = [""], 0
    for c in text:
        depth += (c in "(<") - (c in ")>")
        if c == "," and depth == 0:
            out.append("")
        else:
            out[-1] += c
    return [p.strip() for p in out]


def code(argument: str) -> str:
    argument = argument.replace("ceil_div", "cute.ceil_div").replace("/", "//")
    if argument.startswith("<"):
        tiles = ["None" if t == "_" else code(t) for t in parts(argument[1:-1])]
        return f"({', '.join(tiles)},)"
    shape, colon, stride = argument.partition(":")
    return f"cute.make_layout({shape}, stride={stride})" if colon else argument


def program(row: dict[str, Any]) -> str:
    name, rest = row["text"].split("(", 1)
    arguments = [code(a) for a in parts(rest[:-1])]
    call = {**CALLS, **BARE}.get(name, f"cute.{name}({', '.join(arguments)})").format(*arguments)
    names = sorted(row["points"][0][0])
    told = [f"    {n} = cute.assume({n}, {k})\n" for n, k in re.findall(r"(\w+) % (\d+) == 0", row["where"])]
    return f"@cute.jit\ndef f({', '.join(n + ': Int32' for n in names)}):\n{''.join(told)}    cute.printf('=> {{}}', {call})\n"


def chosen(row: dict[str, Any]) -> list[Any]:
    """Two points: one of the small ones, and the largest one up to 256, so that 32 bits are enough."""
    points = [p for p in row["points"] if max(p[0].values()) <= 256] or row["points"][:1]
    return [points[min(3, len(points) - 1)], max(points, key=lambda p: max(p[0].values()))]


def ask(path: str, first: int) -> None:
    """Prints a line of JSON for each row from `first` on."""
    import cutlass.cute as cute

    rows = [json.loads(line) for line in open(path)]
    folder = tempfile.mkdtemp()
    for n, row in enumerate(rows[first:], first):
        print(json.dumps({"begin": n}), flush=True)
        file = os.path.join(folder, f"row{n}.py")
        with open(file, "w") as out:
            out.write("import cutlass.cute as cute\nfrom cutlass import Int32\n\n" + program(row))
        spec = importlib.util.spec_from_file_location(f"row{n}", file)
        module = importlib.util.module_from_spec(spec)  # type: ignore[arg-type]
        spec.loader.exec_module(module)  # type: ignore[union-attr]
        points = chosen(row)
        try:
            compiled = None
            for sizes, _ in points:
                values = [sizes[k] for k in sorted(sizes)]
                compiled = compiled or cute.compile(module.f, *values)
                compiled(*values)
                print(flush=True)
        except Exception as refused:  # noqa: BLE001: the DSL has many kinds
            print(json.dumps({"refused": (str(refused).strip() or type(refused).__name__).splitlines()[0][:200]}), flush=True)
    print(json.dumps({"begin": len(rows)}), flush=True)


Layout = tuple[Any, Any]


def leaves(t: Any) -> list[int]:
    return [x for y in t for x in leaves(y)] if isinstance(t, tuple) else [t]


def read(text: str) -> Layout | int | None:
    """A layout, a number, or nothing for the code of an error."""
    try:
        sides = [eval(side, {"__builtins__": {}}) for side in text.split(":")]  # noqa: S307: tuples of numbers
    except (NameError, SyntaxError, TypeError):
        return None
    return (sides[0], sides[1]) if len(sides) == 2 else sides[0]


def table(layout: Layout) -> list[int]:
    """The values, leftmost index fastest."""
    extents, strides = leaves(layout[0]), leaves(layout[1])
    return [sum(i * s for i, s in zip(reversed(index), strides)) for index in itertools.product(*(range(e) for e in reversed(extents)))]


def normal(layout: Layout) -> Any:
    """With 0 for the strides of extents of 1."""

    def put(shape: Any, stride: Any) -> Any:
        return tuple(put(a, b) for a, b in zip(shape, stride)) if isinstance(shape, tuple) else 0 if shape == 1 else stride

    return layout[0], put(*layout)


def compared(expected: str, said: str) -> str:
    right, got = read(expected), read(said)
    if got is None:
        return "unread"
    if right is None:
        return "an answer where there is none"
    if isinstance(right, int) or isinstance(got, int):
        return "right" if right == got else "wrong"
    if normal(right) == normal(got):
        return "right"
    sizes = [1, 1]
    for i, layout in enumerate((right, got)):
        for e in leaves(layout[0]):
            sizes[i] *= e
    if sizes[0] != sizes[1]:
        return "another size"
    return "right, another spelling" if sizes[0] > 1 << 22 or table(right) == table(got) else "wrong"


def main() -> int:
    if sys.argv[1] == "--ask":
        ask(sys.argv[2], int(sys.argv[3]))
        return 0
    try:
        import cutlass.cute  # noqa: F401
    except ImportError as missing:
        print(f"skipped: {missing}")
        return 77
    path = sys.argv[1]
    rows = [json.loads(line) for line in open(path)]
    said: list[dict[str, Any]] = [{"lines": []} for _ in rows]
    first = 0
    while first < len(rows):
        child = subprocess.run([sys.executable, __file__, "--ask", path, str(first)], capture_output=True, text=True)
        at = -1
        for line in child.stdout.splitlines():
            if line.startswith('{"begin"'):
                at = json.loads(line)["begin"]
            elif line.startswith('{"refused"'):
                said[at].update(json.loads(line))
            elif line.startswith("=> "):
                said[at]["lines"].append(line[3:])
        if at < 0:
            print(child.stderr[-2000:])
            return 1
        if at < len(rows):
            said[at]["refused"] = f"the process ended with {child.returncode}"
        first = at + 1
    counts: collections.Counter[str] = collections.Counter()
    for row, answer in zip(rows, said):
        for n, (sizes, expected) in enumerate(chosen(row)):
            if n < len(answer["lines"]) and answer["lines"][n] != "x:x":  # a layout that could not be computed
                kind = compared(expected, answer["lines"][n])
            else:
                kind = "refused although there is an answer" if read(expected) is not None else "refused rightly"
            counts[kind] += 1
            if "-v" in sys.argv and not kind.startswith("right"):
                print(row["id"], row["text"], sizes, "is", expected, "but", answer["lines"][n : n + 1] or answer.get("refused"), kind)
    print(path, "CuTe DSL", sum(counts.values()), "calls:", dict(sorted(counts.items())))
    return 0


if __name__ == "__main__":
    sys.exit(main())
