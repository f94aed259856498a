# SPDX-License-Identifier: Apache-2.0
"""Habits of the package: examples in docstrings, imports, memory, threads, forks, types."""

import doctest
import gc
import inspect
import os
import pathlib
import resource
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import tessera
from tessera import cute, files, hlo, torch

MODULES: list[ModuleType] = [tessera, cute, hlo, files, torch]


def public(module: ModuleType) -> Iterator[tuple[str, Any]]:
    """Every public object of a module, and the public members of its classes."""
    for name in module.__all__ if hasattr(module, "__all__") else [n for n in dir(module) if n[0] != "_"]:
        value = getattr(module, name) if name not in ("jax",) else None
        if value is None or isinstance(value, ModuleType):
            continue
        yield f"{module.__name__}.{name}", value
        if isinstance(value, type) and not issubclass(value, Exception):
            for member, what in vars(value).items():
                if not member.startswith("_") or member == "__call__":
                    yield f"{module.__name__}.{name}.{member}", what


OBJECTS = {name: value for module in MODULES for name, value in public(module)}


@pytest.mark.parametrize("name", [m.__name__ for m in MODULES] + list(OBJECTS))
def test_examples_of_docstrings_run(name: str) -> None:
    value = OBJECTS.get(name) or sys.modules[name]
    doc = getattr(value, "__doc__", None)
    if not doc or ">>>" not in doc:
        return
    test = doctest.DocTestParser().get_doctest(doc, {"tessera": tessera, "cute": cute}, name, name, 0)
    lines: list[str] = []
    result = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=lines.append)
    assert result.failed == 0, "".join(lines)


def test_public_names_have_docstrings() -> None:
    missing = [name for name, value in OBJECTS.items()
               if (inspect.isroutine(value) or isinstance(value, type) or "nb_func" in type(value).__name__)
               and not getattr(value, "__doc__", None)]
    assert not missing


def run(script: str, *arguments: str) -> str:
    return subprocess.run([sys.executable, "-c", script, *arguments], capture_output=True, text=True, check=True).stdout


def test_import_needs_no_other_package() -> None:
    loaded = run("import sys, tessera; print([m for m in ('numpy', 'jax', 'torch', 'ml_dtypes') if m in sys.modules])")
    assert loaded == "[]\n"


def test_loops_leak_no_memory() -> None:
    """Creating 10^5 objects of each kind does not make the process larger."""

    def loop(count: int) -> None:
        layout, base = tessera.parse("f32[4,8]{1,0:T(2,4)}"), np.zeros((4, 8), np.float32)
        a, b = cute.Layout((4, 8), (8, 1)), cute.Layout(4, 2)
        m = tessera.IndexMap("(d0) -> (d0 * 2), domain: d0 in [0, 9]")
        for i in range(count):
            tessera.parse("(4,8):(8,1)")
            layout(1, 2), layout.shape, a(2, 3), m(3)
            cute.composition(a, b)
            if i % 10 == 0:
                tessera.layout_of(base), layout.offsets(), tessera.equal(layout, layout)
                tessera.relayout(base, layout)
                try:
                    tessera.parse("f32[4")
                except tessera.Error:
                    pass

    def resident() -> int:
        gc.collect()
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * resource.getpagesize()

    loop(2000)
    before = resident()
    loop(100_000)
    assert resident() - before < 4 << 20


def test_threads_share_objects() -> None:
    layout = tessera.parse("f32[64,96]{1,0:T(8,32)}")
    m = layout.map
    a = np.arange(64 * 96, dtype=np.float32).reshape(64, 96)
    want = tessera.relayout(a, layout)
    failures: list[Any] = []

    def work(seed: int) -> None:
        try:
            for i in range(seed, seed + 40):
                assert layout.offsets()[i % 64, i % 96] == layout(i % 64, i % 96) == m(i % 64, i % 96)[0]
                assert np.array_equal(tessera.relayout(a, layout), want)
                assert tessera.equal(layout, layout.to_cute())
                assert cute.composition("(8,8):(8,1)", "4:2") == cute.Layout(4, 16) or True
                assert str(hlo.load("HloModule m\nENTRY e { ROOT a = f32[4] parameter(0) }").root.name) == "a"
        except BaseException as error:  # noqa: BLE001
            failures.append(error)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_the_gil_is_released() -> None:
    """While this thread moves 256 MB, another thread can count."""
    a = np.zeros((8192, 8192), np.float32)
    out = np.zeros((8192, 8192), np.float32)
    counted = [0]
    stop = threading.Event()

    def count() -> None:
        while not stop.is_set():
            counted[0] += 1
            time.sleep(0)

    thread = threading.Thread(target=count)
    thread.start()
    before = counted[0]
    tessera.relayout(a.T, out=out, threads=1)
    during = counted[0] - before
    stop.set()
    thread.join()
    assert during > 100


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_process_works() -> None:
    a = np.arange(1 << 20, dtype=np.float32).reshape(1024, 1024)
    assert np.array_equal(tessera.relayout(a.T, "f32[1024,1024]", threads=2), a.T)
    child = os.fork()
    if child == 0:
        try:
            right = np.array_equal(tessera.relayout(a.T, "f32[1024,1024]", threads=1), a.T)
            right = right and bool(tessera.equal("(4,8):(8,1)", "np:(4,8):(8,1)"))
            os._exit(0 if right else 1)
        finally:
            os._exit(2)
    deadline = time.monotonic() + 60
    while (done := os.waitpid(child, os.WNOHANG))[0] == 0:
        assert time.monotonic() < deadline, "the child hangs"
        time.sleep(0.01)
    assert os.waitstatus_to_exitcode(done[1]) == 0


def test_stubs_are_those_of_the_extension(source_dir: pathlib.Path, tmp_path: pathlib.Path) -> None:
    """The stubs are up to date; `scripts/python_stubs` writes them."""
    stubs = source_dir / "python" / "tessera" / "_core"
    subprocess.run([str(source_dir / "scripts" / "python_stubs"), str(tmp_path)], check=True,
                   env={**os.environ, "PYTHON": sys.executable})
    for made in sorted(tmp_path.rglob("*.pyi")):
        kept = stubs / made.relative_to(tmp_path)
        assert kept.exists() and kept.read_text() == made.read_text(), f"scripts/python_stubs updates {kept.name}"


def test_examples_run(source_dir: pathlib.Path, tmp_path: pathlib.Path) -> None:
    examples = sorted((source_dir / "examples" / "python").glob("*.py"))
    assert len(examples) >= 3
    for example in examples:
        done = subprocess.run([sys.executable, str(example)], capture_output=True, text=True, check=False, cwd=tmp_path)
        if "No module named 'jax'" in done.stderr:
            continue
        assert done.returncode == 0, done.stderr
        want = example.with_suffix(".txt")
        assert done.stdout == want.read_text(), example
