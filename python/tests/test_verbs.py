# SPDX-License-Identifier: Apache-2.0
"""Pictures, files, and the verbs of the command line: the same answers as `tessera`."""

import json
import pathlib
import pickle
import signal
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import tessera


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "tessera", *arguments], capture_output=True, text=True, check=False)


CASES: list[tuple[Any, list[str]]] = [
    (lambda: tessera.access("32:2", bytes=4), ["access", "32:2", "--bytes", "4"]),
    (lambda: tessera.access("(32,32):(32,1)", bytes=4, threads=["rows,write", "columns"], fix=True),
     ["access", "(32,32):(32,1)", "--bytes", "4", "--threads", "rows,write", "--threads", "columns", "--fix"]),
    (lambda: tessera.access(tessera.cute.Layout(32, 2), bytes=4), ["access", "32:2", "--bytes", "4"]),
    (lambda: tessera.tile("(d0) -> (d0 / 6, d0 mod 6), domain: d0 in [0, 47]", tile=(12,)),
     ["tile", "(d0) -> (d0 / 6, d0 mod 6), domain: d0 in [0, 47]", "--tile", "12"]),
    (lambda: tessera.reshard("f32[5,3]", "DeviceMesh((2, 2)) [Shard(0), Shard(0)]", "{replicated}", messages=True),
     ["reshard", "--shape", "f32[5,3]", "--from", "DeviceMesh((2, 2)) [Shard(0), Shard(0)]", "--to", "{replicated}", "--messages"]),
    (lambda: tessera.places("mesh[p=3] [p(cyclic 2)]", 16, place=1),
     ["reshard", "places", "mesh[p=3] [p(cyclic 2)]", "--shape", "16", "--place", "1"]),
    (lambda: tessera.holders("{devices=[2,2]<=[4]}", (4, 6), (3, 1), [0, 5]),
     ["reshard", "at", "{devices=[2,2]<=[4]}", "--shape", "4,6", "3,1", "0,5"]),
    (lambda: tessera.holders("{devices=[2,2]<=[4]}", (4, 6), (1, 1), place=2, inverse=True),
     ["reshard", "at", "{devices=[2,2]<=[4]}", "--shape", "4,6", "1,1", "--place", "2", "--inverse"]),
    (lambda: tessera.convert_distribution("{devices=[8,1]<=[8]}", (16, 6), "sdy", view=(4, 4, 6)),
     ["reshard", "convert", "{devices=[8,1]<=[8]}", "--shape", "16,6", "--to", "sdy", "--view", "4,4,6"]),
    (lambda: tessera.equal_distributions("DeviceMesh((2, 2)) [Shard(0), Shard(0)]", "{devices=[4]<=[4]}", 5),
     ["reshard", "equal", "DeviceMesh((2, 2)) [Shard(0), Shard(0)]", "{devices=[4]<=[4]}", "--shape", "5"]),
]


@pytest.mark.parametrize(("call", "line"), CASES)
def test_answers_are_those_of_the_command_line(call: Any, line: list[str]) -> None:
    answer = call()
    process = command(*line)
    assert str(answer) + "\n" == process.stdout and answer.status == process.returncode
    assert answer.to_json() + "\n" == command(*line, "--json").stdout
    assert dict(answer) == json.loads(answer.to_json()) and len(answer) == len(list(answer))


def test_answers_about_files_ask_nothing_again(tmp_path: pathlib.Path) -> None:
    raw, npy = tmp_path / "a.raw", tmp_path / "a.npy"
    raw.write_bytes(bytes(24))
    copied = tessera.files.copy(raw, npy, from_="f32[2,3]")
    info = tessera.files.info(npy)
    shown = command("info", str(npy)).stdout
    raw.unlink()
    npy.unlink()
    assert str(info) + "\n" == shown
    assert str(copied).startswith("f32[2,3] -> f32[2,3]{1,0}\n6 elements, 24 -> 24 bytes")


def test_flags_of_numpy_are_flags() -> None:
    for why in (np.bool_(False), np.bool_(True)):
        answer = tessera.access("32:2", bytes=4, why=why)
        assert str(answer) == str(tessera.access("32:2", bytes=4, why=bool(why)))


def test_errors_of_verbs() -> None:
    for call, code in [(lambda: tessera.access("32:2x"), "syntax"), (lambda: tessera.access("32:2", bits=4, bytes=4), "bad_option"),
                       (lambda: tessera.access("32:2", target="foo"), "unknown_name"),
                       (lambda: tessera.tile("/nonexistent.hlo"), "file_not_found")]:
        with pytest.raises(tessera.Error) as caught:
            call()
        assert caught.value.code == code and "^" in str(caught.value)


def test_errors_show_no_command_line() -> None:
    """Errors of a call pointed into a command line that nobody typed."""
    for call, shown in [(lambda: tessera.access("32:2", bytes=0), "<bytes>:1:1: "),
                        (lambda: tessera.access("32:2", space="nope"), "<space>:1:1: "),
                        (lambda: tessera.access("32:2", bits=4, bytes=4), "<bits>:1:1: error[bad_option]: bits and bytes exclude"),
                        (lambda: tessera.convert_distribution("{replicated}", 4, "scalapack"), "<to>:1:1: "),
                        (lambda: tessera.places("{devices=[2]<=[2]}", 4, place=7), "<place>:1:1: "),
                        (lambda: tessera.access("32:2x"), "<layout>:1:5: "),
                        (lambda: tessera.files.copy("/nonexistent.npy", "b.npy"), "<in>:1:1: ")]:
        with pytest.raises(tessera.Error) as caught:
            call()
        assert str(caught.value).startswith(shown) and "tessera " not in str(caught.value), str(caught.value)
        assert "--" not in str(caught.value)


def test_errors_are_those_of_python(tmp_path: pathlib.Path) -> None:
    with pytest.raises(FileNotFoundError) as missing:
        tessera.files.info(tmp_path / "nosuch.npy")
    assert isinstance(missing.value, tessera.FileError) and missing.value.errno == 2 and "nosuch" in str(missing.value)
    np.save(tmp_path / "a.npy", np.zeros(3, np.float32))
    with pytest.raises(FileExistsError):
        tessera.files.copy(tmp_path / "a.npy", tmp_path / "a.npy")
    module = tessera.hlo.load("HloModule m\nENTRY e { ROOT weights = f32[4] parameter(0) }")
    with pytest.raises(KeyError) as unknown:
        module["weigths"]
    assert isinstance(unknown.value, tessera.UnknownName) and "did you mean 'weights'" in str(unknown.value)
    with pytest.raises(KeyError):
        tessera.atom("nosuch")
    for error in [missing.value, unknown.value]:
        again = pickle.loads(pickle.dumps(error))
        assert type(again) is type(error) and str(again) == str(error) and again.code == error.code


def test_the_module_is_the_command_line() -> None:
    assert command("convert", "f32[3,5]{1,0:T(2,2)}", "--to", "cute", "--quiet").stdout == "((2,2),(2,3)):((2,12),(1,4)) crop (3,5)\n"
    assert command("equal", "(4,8):(8,1)", "(4,8):(1,4)").returncode == 1
    assert command("nope").returncode == 2
    assert command("--version").stdout.split()[-1] == tessera.__version__


@pytest.mark.parametrize("options", [{}, {"view": "memory"}, {"color_by": "bank", "cells": "bank"}, {"window": "0:2,1:3"}])
def test_pictures(options: dict[str, Any], tmp_path: pathlib.Path) -> None:
    layout = tessera.parse("f32[3,5]{1,0:T(2,2)}")
    picture = layout.show(**options)
    assert picture._repr_svg_().startswith("<svg") and picture.svg() == picture._repr_svg_()
    for extension in ["svg", "html", "tex", "json", "txt", "png"]:
        if extension == "png" and not tessera.build_info()["png"]:
            continue
        path = tmp_path / f"p.{extension}"
        picture.save(str(path))
        assert path.stat().st_size > 100
    arguments = [f"--{name.replace('_', '-')}={value}" for name, value in options.items()]
    shown = command("show", str(layout), "--picture", "-o", str(tmp_path / "c.svg"), *arguments)
    assert shown.returncode == 0, shown.stderr
    assert (tmp_path / "c.svg").read_text() == (tmp_path / "p.svg").read_text()


def test_special_pictures() -> None:
    layout = tessera.parse("(8,8):(8,1)")
    for options in [{"compare": tessera.parse("(8,8):(1,8)")}, {"divide": (4, 2)}, {"compose": "8:8"}, {"product": "2:1"}]:
        assert layout.show(**options).svg().startswith("<svg")
    assert tessera.parse("((4,8),(2,2)):((16,1),(8,64))").show(tv=True, tile=(8, 16)).svg()
    assert layout._repr_svg_() == layout.show()._repr_svg_()
    assert tessera.parse("f32[4096,4096]")._repr_svg_() is None
    for bad in [{"view": "x"}, {"color_by": "x"}, {"cells": "x"}, {"window": "0:99"}]:
        with pytest.raises(tessera.Error):
            layout.show(**bad)
    with pytest.raises(tessera.Error, match="extension"):
        layout.show().save("picture.gif")


def test_copies_between_files(tmp_path: pathlib.Path) -> None:
    a = np.arange(600, dtype=np.float32).reshape(20, 30)
    np.save(tmp_path / "a.npy", a)
    stages: list[tuple[str, int, int]] = []
    report = tessera.files.copy(tmp_path / "a.npy", tmp_path / "b.safetensors", to="f32[20,30]{0,1:T(8,8)}", verify=True,
                                progress=lambda *event: stages.append(event))
    assert report["elements"] == 600 and {stage for stage, _, _ in stages} == {"copy", "verify"}
    assert all(0 < done <= total for _, done, total in stages)
    tessera.files.copy(tmp_path / "b.safetensors", tmp_path / "c.npy", progress=True)
    assert np.array_equal(np.load(tmp_path / "c.npy"), a)
    assert tessera.files.info(tmp_path / "c.npy")["tensors"][0]["shape"] == [20, 30]
    with pytest.raises(tessera.FileError) as caught:
        tessera.files.copy(tmp_path / "a.npy", tmp_path / "c.npy")
    assert caught.value.code == "file_exists"
    tessera.files.copy(tmp_path / "a.npy", tmp_path / "c.npy", to="F", force=True)
    assert np.load(tmp_path / "c.npy").flags.f_contiguous


def test_an_exception_leaves_the_old_file(tmp_path: pathlib.Path) -> None:
    np.save(tmp_path / "a.npy", np.zeros((1000, 1000), np.float32))
    (tmp_path / "b.npy").write_bytes(b"old")

    def stop(stage: str, done: int, total: int) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        tessera.files.copy(tmp_path / "a.npy", tmp_path / "b.npy", to="F", force=True, memory="1M", progress=stop)

    def interrupt(stage: str, done: int, total: int) -> None:
        signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        tessera.files.copy(tmp_path / "a.npy", tmp_path / "b.npy", to="F", force=True, memory="1M", progress=interrupt)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.npy", "b.npy"]
    assert (tmp_path / "b.npy").read_bytes() == b"old"


def test_errors_name_keywords_and_no_options() -> None:
    for call in (
        lambda: tessera.access("32:2"),
        lambda: tessera.tile("(d0) -> (d0), domain: d0 in [0, 9]", tile="1,x"),
        lambda: tessera.tile("(d0) -> (d0), domain: d0 in [0, 9]", through=True),
        lambda: tessera.access("32:2", bytes=4, vector=3),
        lambda: tessera.reshard("f32[4]", "{devices=[2]<=[2]}", "{devices=[3]<=[3]}", view="-1"),
    ):
        with pytest.raises(tessera.Error) as caught:
            call()
        assert "--" not in str(caught.value), str(caught.value)
    with pytest.raises(tessera.Error, match="bytes=4"):
        tessera.access("32:2")
