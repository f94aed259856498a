#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checkpoints on disk through `tessera reshard`, compared with slices that NumPy makes.  run.py --bin DIR"""

import argparse
import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import time

import numpy as np

import layouts
from checkpoints import Model, differences, read, read_folder, write
from program import FAILED, Program, expect


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


def experts(tessera, folder):
    """Experts apart and stacked: as they are, fused, and over places of experts and of tensor parallelism."""
    e, f, n, layers = 6, 8, 4, 2
    random = np.random.default_rng(11)
    for gate, up, down in (("w1", "w3", "w2"), ("gate_proj", "up_proj", "down_proj")):
        block = "block_sparse_moe" if gate == "w1" else "mlp"
        apart = {}
        stacked = {}
        for layer in range(layers):
            for name, shape in ((gate, (f, n)), (up, (f, n)), (down, (n, f))):
                parts = [random.integers(0, 2**16, shape, dtype=np.uint16) for _ in range(e)]
                for k, part in enumerate(parts):
                    apart[f"model.layers.{layer}.{block}.experts.{k}.{name}.weight"] = ("BF16", part)
                stacked[layer, name] = np.stack(parts)
        rest = {f"model.layers.{layer}.{block}.gate.weight": ("BF16", random.integers(0, 2**16, (e, n), dtype=np.uint16))
                for layer in range(layers)}
        rest["lm_head.weight"] = ("BF16", random.integers(0, 2**16, (12, n), dtype=np.uint16))
        source = folder / f"experts-{gate}"
        source.mkdir()
        (source / "config.json").write_text(json.dumps({"hidden_size": n, "intermediate_size": 40, "moe_intermediate_size": f,
                                                        "num_local_experts": e, "num_attention_heads": 2}))
        write(source / "model.safetensors", {**apart, **rest})
        for fused, ep, t in ((0, 1, 1), (1, 1, 1), (0, 3, 1), (1, 2, 1), (0, 1, 2), (1, 1, 2), (1, 3, 2), (0, 2, 2)):
            options = [word for name, value in (("fused", fused), ("ep", ep), ("t", t)) if value for word in ("--set", f"{name}={value}")]
            out = folder / f"{gate}-{fused}-{ep}-{t}"
            tessera.must(source, out, "--recipe", "experts-stack", "--check", "--verify", *options)
            for place in range(ep * t):
                want = {name: (dtype, np.split(array, t)[place % t] if name == "lm_head.weight" else array)
                        for name, (dtype, array) in rest.items()}
                for layer in range(layers):
                    def mine(name, dim):
                        return np.split(np.split(stacked[layer, name], ep)[place // t], t, dim)[place % t]
                    head = f"model.layers.{layer}.{block}.experts"
                    if fused:
                        both = "w13" if gate == "w1" else "gate_up_proj"
                        want[f"{head}.{both}.weight"] = ("BF16", np.concatenate([mine(gate, 1), mine(up, 1)], 1))
                    else:
                        want[f"{head}.{gate}.weight"] = ("BF16", mine(gate, 1))
                        want[f"{head}.{up}.weight"] = ("BF16", mine(up, 1))
                    want[f"{head}.{down}.weight"] = ("BF16", mine(down, 2))
                found = read(out / (f"model-{place:02}.safetensors" if ep * t > 1 else "model.safetensors"))
                expect(f"experts-stack {gate} fused={fused} ep={ep} t={t}, place {place}", differences(want, found))
            back = folder / f"{gate}-{fused}-{ep}-{t}-back"
            tessera.must(out, back, "--recipe", "experts-unstack", "--check", "--verify", *options)
            expect(f"experts-unstack {gate} fused={fused} ep={ep} t={t}", differences({**apart, **rest}, read_folder(back)))


def nibbles(words):
    """The 4-bit cells of 32-bit words, the low bits first."""
    return ((words[..., None] >> np.arange(0, 32, 4, dtype=np.uint32)) & 15).reshape(*words.shape[:-1], -1)


def quantized(tessera, folder):
    """AWQ words and tiles of scales, of tensors of several shapes, against index formulas."""
    random = np.random.default_rng(12)
    tensors = {}
    for name, k, columns in (("l.0.q_proj", 32, 16), ("l.0.down_proj", 64, 40)):
        tensors[f"{name}.qweight"] = ("I32", random.integers(0, 2**32, (k, columns // 8), dtype=np.uint32))
        tensors[f"{name}.qzeros"] = ("I32", random.integers(0, 2**32, (k // 16, columns // 8), dtype=np.uint32))
        tensors[f"{name}.scales"] = ("F16", random.integers(0, 2**16, (k // 16, columns), dtype=np.uint16))
    tensors["norm.weight"] = ("F16", random.integers(0, 2**16, (8,), dtype=np.uint16))
    (folder / "awq").mkdir()
    write(folder / "awq/model.safetensors", tensors)
    tessera.must(folder / "awq", folder / "plain", "--recipe", "awq-to-plain", "--check", "--verify")
    found = read_folder(folder / "plain")
    # Nibble p of a word has column (0, 2, 4, 6, 1, 3, 5, 7)[p], as AutoAWQ packs it.
    column = [0, 2, 4, 6, 1, 3, 5, 7]
    for name, (dtype, array) in tensors.items():
        want = array
        if dtype == "I32":
            cells = nibbles(array).reshape(*array.shape, 8)
            plain = np.empty_like(cells)
            for p in range(8):
                plain[..., column[p]] = cells[..., p]
            want = (plain.astype(np.uint32) << np.arange(0, 32, 4, dtype=np.uint32)).sum(-1, dtype=np.uint32)
        same = found[name][0] == dtype and found[name][1].shape == array.shape and np.array_equal(found[name][1], want)
        expect(f"awq-to-plain {name}", "" if same else "differs")
    # GPTQ packs 8 rows into a word: the same names, but its columns do not agree with its scales.
    gptq = dict(tensors)
    gptq["l.0.q_proj.qweight"] = ("I32", random.integers(0, 2**32, (4, 16), dtype=np.uint32))
    (folder / "gptq").mkdir()
    write(folder / "gptq/model.safetensors", gptq)
    done = tessera(folder / "gptq", folder / "no", "--recipe", "awq-to-plain")
    expect("GPTQ is not AWQ", "" if done.returncode == 2 and "shape_mismatch" in done.stderr else done.stderr)

    scales = {f"{k}.weight_scale": ("F8_E4M3", random.integers(0, 256, shape, dtype=np.uint8))
              for k, shape in enumerate(((300, 10), (128, 4), (1, 1), (257, 8)))}
    scales["x.weight"] = ("U8", random.integers(0, 256, (4, 4), dtype=np.uint8))
    (folder / "scales").mkdir()
    write(folder / "scales/model.safetensors", scales)
    tessera.must(folder / "scales", folder / "tiles", "--recipe", "scales-to-tiles", "--check", "--verify")
    found = read_folder(folder / "tiles")
    for name, (_, array) in scales.items():
        want = array
        if name.endswith("_scale"):
            m, c = array.shape
            rows, columns = -(-m // 128), -(-c // 4)
            want = np.zeros(rows * columns * 512, np.uint8)
            for i in range(m):
                for j in range(c):
                    # A tile of 128 x 4 is ((32,4),4):((16,4),1), and tiles are row-major.
                    want[((i // 128) * columns + j // 4) * 512 + i % 32 * 16 + i % 128 // 32 * 4 + j % 4] = array[i, j]
        same = found[name][1].shape == want.shape and np.array_equal(found[name][1], want)
        expect(f"scales-to-tiles {name}", "" if same else "differs")


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


def crops(tessera, folder):
    """Values outside a crop have no index in a dimension: a proof that asked for their parts divided by zero."""
    whole = np.arange(30, dtype=np.uint8).reshape(10, 3)
    write(folder / "w.safetensors", {"w": ("U8", whole)})
    for k, cut in enumerate(("DeviceMesh((2, 2)) [Shard(0), Shard(0)]", "mesh[a=2] [a(sizes 4,6), -]", "mesh[a=2] [a(strided 2), -]")):
        recipe = {"schema": "tessera.recipe/1", "axes": {"v": "(t vi) crop 10", "t": 3, "vi": 4, "n": 3},
                  "tensors": [{"from": {"w": "[v n]"}, "to": {"w": {"axes": "[v n]", "sharding": cut}}}]}
        (folder / "r.json").write_text(json.dumps(recipe))
        tessera.must(folder / "w.safetensors", folder / f"out{k}", "--recipe", folder / "r.json", "--verify")
        tessera.must(folder / f"out{k}", folder / f"back{k}.safetensors", "--from", cut, "--verify")
        expect(f"a crop and {cut}", differences({"w": ("U8", whole)}, read(folder / f"back{k}.safetensors")))


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
    # Regression: if the settings did not fit on the disk, all tensors were written in vain.
    words = np.arange(64, dtype=np.uint32)
    (folder / "settings").mkdir()
    write(folder / "settings/w.safetensors", {"w": ("F32", words)})
    (folder / "settings/large.json").write_bytes(bytes(1 << 20))
    late = tessera(folder / "settings", folder / "late", limit=1 << 16)
    expect("a disk that fills last", "" if "[file_write]" in late.stderr and "--resume" in late.stderr else late.stderr)
    (folder / "settings/large.json").unlink()
    tessera.must(folder / "settings", folder / "late", "--resume", "--verify")
    expect("the tensors that were kept", differences({"w": ("F32", words)}, read(folder / "late/model.safetensors")))
    (folder / "r.json").write_text('{"schema": "tessera.recipe/1", "tensors": [{"from": {"x": "*"}, "to": {"y": "*"}}]}')
    refused("unused tensors", "unknown_name", folder / "good", folder / "old", "--recipe", folder / "r.json", "--force")
    (folder / "r.json").write_text('{"schema": "tessera.recipe/1", "tensors": [')
    refused("a broken recipe", "syntax", folder / "good", folder / "old", "--recipe", folder / "r.json", "--force")
    # Experts beyond --set e were left out, and the answer said "verified".
    (folder / "experts").mkdir()
    write(folder / "experts/model.safetensors", {f"m.experts.{e}.{name}.weight": ("F32", np.zeros((2, 2), np.float32))
                                                 for e in range(4) for name in ("gate_proj", "up_proj", "down_proj")})
    stack = ["--recipe", "experts-stack", "--force", "--set", "fe=2", "--set", "n=2", "--set"]
    refused("experts beyond --set", "different_shape", folder / "experts", folder / "old", *stack, "e=3")
    refused("a flag that is 2", "number_range", folder / "experts", folder / "old", "--recipe", "experts-stack", "--force", "--set", "fused=2")
    model.write_whole(folder / "index", files=2)
    (folder / "index/model-00002-of-00002.safetensors").unlink()
    refused("a missing file of an index", "file_not_found", folder / "index", folder / "old", "--force")
    if os.geteuid() != 0:
        os.chmod(folder, 0o555)
        refused("a target that may not be written", "file_write", folder / "good", folder / "new", *tp)
        os.chmod(folder, 0o755)


def after_the_rename(tessera, folder):
    """A run that is killed when DST has its name already, but its part folder is still there: --resume once failed then."""
    model = Model(layers=4)
    model.write_cut(folder / "from", 2)
    words = [folder / "from", folder / "to", "--recipe", "tp", "--set", "from=2", "--set", "to=1"]

    def parts():
        """The part folders of runs that have written at least one line into their journal."""
        return [path for path in folder.glob("to.part-*") if (path / "out").is_dir() and
                (path / "tessera.resume.jsonl").exists() and (path / "tessera.resume.jsonl").stat().st_size]

    # The wait ends at the journal's first line, not after a fixed time: an instrumented program starts too slowly for one.
    for _ in range(100):
        process = subprocess.Popen([tessera.path, "reshard", *map(str, words)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while process.poll() is None and not parts():
            time.sleep(0.0002)
        process.kill()
        process.wait()
        if (folder / "to").exists():
            shutil.rmtree(folder / "to")
        left = parts()
        if left:
            break
    else:
        expect("an interrupted run", "no part folder is left")
        return
    (left[0] / "out").rename(folder / "to")
    tessera.must(*words, "--force", "--resume", "--verify")
    expect("resuming after the rename", differences(model.tensors, read_folder(folder / "to")))


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--bin", required=True)
    tessera = Program(pathlib.Path(options.parse_args().bin).resolve() / "tessera")
    for test in (tensor_parallelism, round_trips, experts, quantized, own_recipe, distributions, *layouts.TESTS, crops, faults,
                 after_the_rename):
        with tempfile.TemporaryDirectory() as folder:
            test(tessera, pathlib.Path(folder))
        print(f"{test.__name__}: done")
    sys.exit(1 if FAILED else 0)


if __name__ == "__main__":
    main()
