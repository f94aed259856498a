#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checkpoints on disk through `tessera reshard`, compared with slices that NumPy makes.  run.py --bin DIR"""

import argparse
import json
import os
import pathlib
import resource
import struct
import subprocess
import sys
import tempfile

import numpy as np

from checkpoints import Model, differences, read, read_folder, write

FAILED = []


def expect(what, difference):
    if difference:
        FAILED.append(f"{what}: {difference}")
        print(f"FAILED {what}: {difference}")


class Program:
    def __init__(self, path):
        self.path = str(path)

    def __call__(self, *words, limit=None):
        def limits():
            if limit is not None:
                resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        return subprocess.run([self.path, "reshard", *map(str, words)], capture_output=True, text=True, check=False,
                              timeout=120, preexec_fn=limits)

    def must(self, *words):
        done = self(*words)
        if done.returncode:
            raise SystemExit(f"reshard {' '.join(map(str, words))}: {done.returncode}\n{done.stderr}")
        return done.stdout


def tensor_parallelism(tessera, folder):
    """Tests every change of the number of places, for types of one, two and four bytes."""
    for dtype in ("F8_E4M3", "BF16", "F32"):
        model = Model(dtype=dtype)
        model.write_cut(folder / f"{dtype}-8", 8)
        for places in (4, 2, 1):
            out = folder / f"{dtype}-{places}"
            tessera.must(folder / f"{dtype}-8", out, "--recipe", "tp", "--set", "from=8", "--set", f"to={places}",
                         "--check", "--verify")
            if places == 1:
                expect(f"tp 8 -> 1 of {dtype}", differences(model.tensors, read_folder(out)))
            else:
                for place, tensors in enumerate(model.cut(places)):
                    expect(f"tp 8 -> {places} of {dtype}", differences(tensors, read(out / f"model-tp{place:02}.safetensors")))
            if not (out / "config.json").exists():
                expect("settings", "config.json is not in the new folder")
        tessera.must(folder / f"{dtype}-2", folder / f"{dtype}-8b", "--recipe", "tp", "--set", "from=2", "--set", "to=8")
        for place, tensors in enumerate(model.cut(8)):
            expect(f"tp 2 -> 8 of {dtype}", differences(tensors, read(folder / f"{dtype}-8b/model-tp{place:02}.safetensors")))


def round_trips(tessera, folder):
    """Tests recipes and their inverses, with files and an index, in one step and place by place."""
    model = Model(layers=3)
    model.write_whole(folder / "whole", files=3)
    for there, back, *options in (("qkv-fuse", "qkv-unfuse"), ("qkv-groups", "qkv-ungroup"), ("gate-up-fuse", "gate-up-unfuse"),
                                  ("rope-to-interleaved", "rope-to-halves"), ("qkv-fuse", "qkv-unfuse", "--set", "t=4"),
                                  ("qkv-groups", "qkv-ungroup", "--set", "t=2"), ("gate-up-fuse", "gate-up-unfuse", "--set", "t=2")):
        name = "-".join([there, *options])
        tessera.must(folder / "whole", folder / name, "--recipe", there, "--check", "--verify", *options)
        tessera.must(folder / name, folder / f"{name}-back", "--recipe", back, "--check", "--verify", *options)
        expect(f"{name} and back", differences(model.tensors, read_folder(folder / f"{name}-back")))
    fused = read_folder(folder / "qkv-fuse")
    apart = [model.tensors[f"model.layers.1.self_attn.{x}_proj.weight"][1] for x in "qkv"]
    expect("qkv-fuse", "" if np.array_equal(fused["model.layers.1.self_attn.qkv_proj.weight"][1], np.concatenate(apart)) else "wrong rows")
    groups = read_folder(folder / "qkv-groups")["model.layers.1.self_attn.linear_qkv.weight"][1]
    q, k, v = (array.reshape(model.g, -1, model.n) for array in apart)
    expect("qkv-groups", "" if np.array_equal(groups, np.concatenate([q, k, v], 1).reshape(-1, model.n)) else "wrong rows")
    pairs = read_folder(folder / "rope-to-interleaved")["model.layers.0.self_attn.q_proj.weight"][1]
    q = model.tensors["model.layers.0.self_attn.q_proj.weight"][1].reshape(-1, 2, model.d // 2, model.n)
    expect("rope", "" if np.array_equal(pairs, q.swapaxes(1, 2).reshape(-1, model.n)) else "wrong rows")
    slab = read(folder / "qkv-fuse---set-t=4/model-tp02.safetensors")["model.layers.2.self_attn.qkv_proj.weight"][1]
    apart = [model.tensors[f"model.layers.2.self_attn.{x}_proj.weight"][1] for x in "qkv"]
    expect("qkv slabs", "" if np.array_equal(slab, np.concatenate([np.split(a, 4)[2] for a in apart])) else "wrong rows")
    tessera.must(folder / "whole", folder / "il", "--recipe", "gate-up-interleave")
    both = read_folder(folder / "il")["model.layers.0.mlp.gate_up_proj.weight"][1]
    gate, up = (model.tensors[f"model.layers.0.mlp.{x}_proj.weight"][1] for x in ("gate", "up"))
    expect("interleaved", "" if np.array_equal(both[0::2], gate) and np.array_equal(both[1::2], up) else "wrong rows")


def own_recipe(tessera, folder):
    """Tests a padded vocabulary, experts, dropped tensors, and pipeline stages in the names of files."""
    random = np.random.default_rng(5)
    experts = {f"b.{layer}.experts.{e}.w1.weight": ("I32", random.integers(0, 2**31, (6, 4), dtype=np.uint32)) for layer in range(2) for e in range(10)}
    embedding = random.integers(0, 2**31, (13, 4), dtype=np.uint32)
    (folder / "own").mkdir()
    write(folder / "own/a.safetensors", {**experts, "emb": ("I32", embedding), "b.0.inv_freq": ("I32", embedding[:1])})
    recipe = {"schema": "tessera.recipe/1", "axes": {"e": "count", "f": 6, "n": 4, "v": "(t vi) crop 13", "t": 2, "vi": 8, "l": "count"},
              "files": {"to": "tp{t:02}.safetensors"}, "drop": ["inv_freq"],
              "tensors": [{"from": {"b.{l}.experts.{e}.w1.weight": "[f n]"}, "to": {"b.{l}.w1": "t @ [e f n]"}, "copies": {"": ["t"]}},
                          {"from": {"emb": "[v n]"}, "to": {"emb": "t @ [vi n]"}}]}
    (folder / "own.json").write_text(json.dumps(recipe))
    tessera.must(folder / "own", folder / "own-out", "--recipe", folder / "own.json", "--check", "--verify")
    padded = np.zeros((16, 4), np.uint32)
    padded[:13] = embedding
    for t in range(2):
        got = read(folder / f"own-out/tp{t:02}.safetensors")
        want = {f"b.{layer}.w1": ("I32", np.stack([experts[f"b.{layer}.experts.{e}.w1.weight"][1] for e in range(10)])) for layer in range(2)}
        want["emb"] = ("I32", padded[8 * t:8 * t + 8])
        expect("own recipe", differences(want, got))


def distributions(tessera, folder):
    """Tests uneven, strided, block-cyclic and replicated tensors, in .safetensors and .npy."""
    array = np.random.default_rng(3).integers(0, 2**32, (13, 10), dtype=np.uint32)
    (folder / "one").mkdir()
    write(folder / "one/x.safetensors", {"w": ("I32", array), "u": ("I32", array.T.copy())})
    shardings = ["DeviceMesh((2, 2)) [Shard(0), Shard(0)]", "mesh[p=2,q=3] [p(cyclic 2), q(cyclic 3)]", "{devices=[1,5]<=[5]}",
                 "DeviceMesh((2, 2)) [_StridedShard(dim=0, sf=2), Replicate()]", "DeviceMesh((3)) [Replicate()]"]
    for k, first in enumerate(shardings):
        tessera.must(folder / "one", folder / f"s{k}", "--to", first, "--check", "--verify")
        for j, second in enumerate(shardings):
            tessera.must(folder / f"s{k}", folder / f"s{k}-{j}", "--from", first, "--to", second, "--check")
            tessera.must(folder / f"s{k}-{j}", folder / f"s{k}-{j}.safetensors", "--from", second, "--memory", "4M")
            expect(f"{first} to {second}", differences({"w": ("I32", array), "u": ("I32", array.T)}, read(folder / f"s{k}-{j}.safetensors")))
    (folder / "npy").mkdir()
    np.save(folder / "npy/a.npy", np.asfortranarray(array.astype(np.float32)))
    tessera.must(folder / "npy", folder / "npy4", "--to", shardings[0])
    tessera.must(str(folder / "npy4") + "/a-{place}.npy", folder / "b.npy", "--from", shardings[0])
    expect("npy", "" if np.array_equal(np.load(folder / "b.npy"), array.astype(np.float32)) else "differs")
    # Elements of 4 bits in rows of 5 columns, cut inside a byte.
    values = np.random.default_rng(4).integers(0, 16, (6, 10), dtype=np.uint8)
    def packed(a):
        flat = a.reshape(-1)
        return (flat[0::2] | flat[1::2] << 4).tobytes()
    def f4(path, a):
        text = json.dumps({"w": {"dtype": "F4", "shape": list(a.shape), "data_offsets": [0, a.size // 2]}}).encode()
        text += b" " * (-len(text) % 8)
        pathlib.Path(path).write_bytes(struct.pack("<Q", len(text)) + text + packed(a))
        return text
    f4(folder / "f4.safetensors", values)
    tessera.must(folder / "f4.safetensors", folder / "f4-2", "--to", "{devices=[1,2]<=[2]}", "--check", "--verify")
    for place in range(2):
        data = (folder / f"f4-2/model-{place:05}.safetensors").read_bytes()
        expect("4 bits", "" if data.endswith(packed(values[:, 5 * place:5 * place + 5])) and len(data) % 8 == 15 % 8 else "differs")


def faults(tessera, folder):
    """Every fault must be refused with its code, and must leave the old target and no other files."""
    model = Model(layers=1)
    model.write_cut(folder / "good", 2)
    (folder / "old").mkdir()
    (folder / "old/keep").write_text("old")
    good = (folder / "good/model-tp01.safetensors").read_bytes()
    tp = ["--recipe", "tp", "--set", "from=2", "--set", "to=1", "--force"]

    def refused(what, code, *words, status=2, **more):
        done = tessera(*words, **more)
        if done.returncode != status or f"[{code}]" not in done.stderr:
            expect(what, f"status {done.returncode}, not {status} with {code}:\n{done.stderr}")
        if not (folder / "old/keep").exists() or list(folder.glob("old.part-*")):
            expect(what, "the old folder changed or something is left")

    def damaged(what, code, data):
        (folder / "bad").mkdir(exist_ok=True)
        for path in (folder / "good").iterdir():
            (folder / "bad" / path.name).write_bytes(path.read_bytes())
        (folder / "bad/model-tp01.safetensors").write_bytes(data)
        refused(what, code, folder / "bad", folder / "old", *tp)

    length = struct.unpack("<Q", good[:8])[0]
    damaged("a short file", "bad_file", good[:-100])
    damaged("an empty file", "bad_file", b"")
    damaged("a wrong header length", "bad_file", struct.pack("<Q", 1 << 60) + good[8:])
    header = json.loads(good[8:8 + length])
    first = next(name for name in header if name != "__metadata__")
    header[first]["data_offsets"][0] += 8
    header[first]["data_offsets"][1] += 8
    text = json.dumps(header).encode()
    text += b" " * (length - len(text)) if len(text) <= length else b""
    damaged("overlapping offsets", "bad_file", struct.pack("<Q", len(text)) + text + good[8 + length:])
    (folder / "bad/model-tp01.safetensors").unlink()
    refused("a missing shard", "different_shape", folder / "bad", folder / "old", *tp)
    refused("no source", "file_not_found", folder / "nothing", folder / "old", *tp)
    refused("a target that is there", "file_exists", folder / "good", folder / "old", *tp[:-1])
    refused("a target without a folder", "file_write", folder / "good", folder / "no/where", *tp)
    refused("a tensor in two files", "duplicate_name", folder / "good", folder / "old", "--force")
    refused("a full disk", "file_write", folder / "good", folder / "old", *tp, status=3, limit=512)
    (folder / "r.json").write_text('{"schema": "tessera.recipe/1", "tensors": [{"from": {"x": "*"}, "to": {"y": "*"}}]}')
    refused("unused tensors", "different_shape", folder / "good", folder / "old", "--recipe", folder / "r.json", "--force")
    (folder / "r.json").write_text('{"schema": "tessera.recipe/1", "tensors": [')
    refused("a broken recipe", "syntax", folder / "good", folder / "old", "--recipe", folder / "r.json", "--force")
    model.write_whole(folder / "index", files=2)
    (folder / "index/model-00002-of-00002.safetensors").unlink()
    refused("a missing file of an index", "file_not_found", folder / "index", folder / "old", "--force")
    if os.geteuid() != 0:
        os.chmod(folder, 0o555)
        refused("a target that may not be written", "file_write", folder / "good", folder / "new", *tp)
        os.chmod(folder, 0o755)


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--bin", required=True)
    tessera = Program(pathlib.Path(options.parse_args().bin).resolve() / "tessera")
    for test in (tensor_parallelism, round_trips, own_recipe, distributions, faults):
        with tempfile.TemporaryDirectory() as folder:
            test(tessera, pathlib.Path(folder))
        print(f"{test.__name__}: done")
    sys.exit(1 if FAILED else 0)


if __name__ == "__main__":
    main()
