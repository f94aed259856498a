# SPDX-License-Identifier: Apache-2.0
"""Tensors of any layout through `tessera reshard`: tiles, orders, swizzles, packings, raw files."""

import json
import pathlib
import subprocess

import numpy as np

from checkpoints import differences, read, write
from program import expect


def layouts(tessera, folder):
    """Checkpoints whose tensors `copy` wrote in tiles, column-major, padded, or packed: any layout that the header names."""
    copy = lambda *words: subprocess.run([tessera.path, "copy", *map(str, words)], check=True, capture_output=True)
    chance = np.random.default_rng(41)
    words = chance.integers(0, 2**32, (24, 300), dtype=np.uint32)
    nibbles4 = chance.integers(0, 16, (8, 64)).astype(np.uint8)
    (folder / "f.raw").write_bytes(words.tobytes())
    (folder / "n.raw").write_bytes(nibbles4.tobytes())
    for name, layout in (("tiled", "f32[24,300]{1,0:T(8,128)}"), ("columns", "f32[24,300]{0,1}"), ("crossed", "f32[24,300]{0,1:T(128,8)}"),
                         ("rows", "f32[24,300]")):
        (folder / f"in-{name}").mkdir()
        copy(folder / "f.raw", folder / f"in-{name}/model.safetensors#w", "--from", "f32[24,300]", "--to", layout)
        out = folder / f"out-{name}"
        tessera.must(folder / f"in-{name}", out, "--to", "DeviceMesh((4)) [Shard(1)]", "--check", "--verify")
        for place, tensors in enumerate(read(path) for path in sorted(out.glob("*.safetensors"))):
            expect(f"place {place} of {name}", differences({"w": ("F32", words[:, 75 * place:75 * place + 75])}, tensors))
    # A distributed source whose shards are tiled.
    (folder / "shards").mkdir()
    for place in range(3):
        (folder / "s.raw").write_bytes(np.ascontiguousarray(words[8 * place:8 * place + 8]).tobytes())
        copy(folder / "s.raw", folder / f"shards/tp{place}.safetensors#w", "--from", "f32[8,300]", "--to", "f32[8,300]{1,0:T(4,128)}")
    tessera.must(folder / "shards", folder / "joined.safetensors", "--from", "{devices=[3,1]<=[3]}", "--check", "--verify")
    expect("tiled shards", differences({"w": ("F32", words)}, read(folder / "joined.safetensors")))
    # Elements of 4 bits, dense and in the order of AWQ: they stay packed, two in a byte.
    for name, layout in (("dense4", "u4[8,64]{1,0:E(4)}"), ("awq", "pack:awq u4[8,64]")):
        copy(folder / "n.raw", folder / f"{name}.safetensors#q", "--from", "u4[8,64]", "--to", layout)
        tessera.must(folder / f"{name}.safetensors", folder / f"{name}-out", "--to", "DeviceMesh((2)) [Shard(1)]", "--check", "--verify")
        for place, path in enumerate(sorted((folder / f"{name}-out").glob("*.safetensors"))):
            back = folder / f"{name}-{place}.raw"
            copy(path, back, "--to", "u4[8,32]")
            found = np.frombuffer(back.read_bytes(), np.uint8).reshape(8, 32)
            if not np.array_equal(found, nibbles4[:, 32 * place:32 * place + 32]):
                expect(f"{name}, place {place}", "other elements")


def every_layout(tessera, folder):
    """Sources whose elements no sum of digits finds, and codes of every width, also if rows end inside a byte."""
    copy = lambda *words: subprocess.run([tessera.path, "copy", *map(str, words), "--force"], check=True, capture_output=True)
    chance = np.random.default_rng(43)
    raw, back = folder / "codes.raw", folder / "back.raw"

    def one_after_another(codes, bits):
        cells = codes.astype(np.uint8).reshape(-1, 1) >> np.arange(bits, dtype=np.uint8) & 1
        return np.packbits(cells.reshape(-1), bitorder="little").tobytes()

    def check(name, codes, array, layout, packed=None):
        raw.write_bytes(packed or codes.tobytes())
        shape = f"[{codes.shape[0]},{codes.shape[1]}]"
        kind = layout.split(" ")[1].split("[")[0] if packed else array.split("[")[0]
        if kind[1:] in ("3", "5", "6", "7"):  # they have no bytes of their own
            kind = kind[0] + "8"
        copy(raw, folder / "every.safetensors#w", "--from", array, "--to", layout)
        for dim in (0, 1):
            out = folder / f"every-{name}-{dim}".replace(":", "-")
            cut = "DeviceMesh((2)) [" + ("Shard(0)" if dim == 0 else "Shard(1)") + "]"
            tessera.must(folder / "every.safetensors", out, "--to", cut, "--check", "--verify", "--memory", "4M")
            files = sorted(out.glob("*.safetensors"))
            for place, part in enumerate(np.array_split(codes, 2, dim)):
                copy(f"{files[place]}#w", back, "--to", f"{kind}[{part.shape[0]},{part.shape[1]}]")
                found = np.frombuffer(back.read_bytes(), codes.dtype).reshape(part.shape)
                expect(f"{name}, dimension {dim}, place {place}", "" if np.array_equal(found, part) else "other elements")
            again = folder / "again.safetensors"
            tessera.must(out, again, "--from", cut, "--check", "--verify", "--force")
            copy(f"{again}#w", back, "--to", kind + shape)
            expect(f"{name} and back, dimension {dim}", "" if back.read_bytes() == codes.tobytes() else "other elements")

    bytes8 = chance.integers(0, 256, (64, 64)).astype(np.uint8)
    check("swizzle", bytes8, "u8[64,64]", "cute:Sw<3,0,3> o _0 o (64,64):(64,1)")
    words = chance.integers(0, 2**32, (32, 64), dtype=np.uint32)
    check("swizzled words", words, "u32[32,64]", "cute:Sw<2,1,3> o _0 o (32,64):(1,32)")
    check("map", words, "u32[32,64]", "map:(d0, d1) -> ((d0 * 5 + d1) mod 8 + d1 floordiv 8 * 8 + d0 * 64), domain: d0 in [0, 31], d1 in [0, 63]")
    for bits in (1, 2, 3, 4, 5, 6, 7):
        for shape in ((64, 32), (6, 10)):
            codes = chance.integers(0, 2**bits, shape).astype(np.uint8)
            for kind, values in (("u", codes), ("s", ((codes ^ (1 << bits - 1)) - (1 << bits - 1)).astype(np.int8))):
                array = f"{kind}{bits}[{shape[0]},{shape[1]}]"
                check(f"{kind}{bits} {shape[0]}", values, f"pack:low(row=1) {array}", f"pack:low {array}", one_after_another(codes, bits))
    codes = chance.integers(0, 8, (64, 128)).astype(np.uint8)
    check("planes", codes, "pack:low(row=1) u3[64,128]", "pack:gptq u3[64,128]", one_after_another(codes, 3))
    for kind in ("f4e2m1fn", "f6e2m3fn", "f6e3m2fn"):
        codes = chance.integers(0, 16 if kind[1] == "4" else 64, (10, 6)).astype(np.uint8)
        check(kind, codes, f"{kind}[10,6]", f"pack:low {kind}[10,6]")
    recipe = {"schema": "tessera.recipe/1", "tensors": [{"from": {"{*n}.weight": "*"}, "to": {"{*n}.weight": "*"}}],
              "drop": ["token_embd.weight", "blk.0.ffn_down.weight", "blk.0.ffn_gate.weight"]}
    (folder / "norm.json").write_text(json.dumps(recipe))
    demo = pathlib.Path(__file__).parents[2] / "examples/files/demo.gguf"
    tessera.must(demo, folder / "norm.safetensors", "--recipe", folder / "norm.json", "--check", "--verify")
    copy(f"{demo}#output_norm.weight", back, "--to", "C")
    norm = np.frombuffer(back.read_bytes(), np.uint32)
    expect("a tensor of GGUF", differences({"output_norm.weight": ("F32", norm)}, read(folder / "norm.safetensors")))
    recipe = {"schema": "tessera.recipe/1", "axes": {"k": 64, "n": 128},
              "tensors": [{"from": {"w": {"layout": "pack:gptq", "type": "u3", "axes": "[k n]"}}, "to": {"w": "[n k]"}}]}
    (folder / "turn.json").write_text(json.dumps(recipe))
    codes = chance.integers(0, 8, (64, 128)).astype(np.uint8)
    raw.write_bytes(one_after_another(codes, 3))
    copy(raw, back, "--from", "pack:low(row=1) u3[64,128]", "--to", "pack:gptq u3[64,128]")
    write(folder / "words.safetensors", {"w": ("I32", np.frombuffer(back.read_bytes(), np.uint32).reshape(6, 128))})
    tessera.must(folder / "words.safetensors", folder / "turned.safetensors", "--recipe", folder / "turn.json", "--check", "--verify")
    copy(f"{folder}/turned.safetensors#w", back, "--to", "u8[128,64]")
    expect("turned codes", "" if np.array_equal(np.frombuffer(back.read_bytes(), np.uint8).reshape(128, 64), codes.T) else "other elements")
    # Copies of an element are compared, wherever they are.
    raw.write_bytes(bytes8.tobytes())
    (folder / "alike").mkdir()
    for place, layout in enumerate(("u8[64,64]", "cute:Sw<3,0,3> o _0 o (64,64):(64,1)", "cute:Sw<2,1,3> o _0 o (64,64):(64,1)")):
        copy(raw, folder / f"alike/{place}.safetensors#w", "--from", "u8[64,64]", "--to", layout)
    alike = (folder / "alike", folder / "one.safetensors", "--from", "DeviceMesh((3)) [Replicate()]")
    if "copies in the source: 8192 elements" not in tessera.must(*alike, "--verify"):
        expect("swizzled copies", "they were not compared")
    changed = bytearray((folder / "alike/2.safetensors").read_bytes())
    changed[-1] ^= 1
    (folder / "alike/2.safetensors").write_bytes(changed)
    if "copies_differ" not in tessera(*alike, "--force").stderr:
        expect("swizzled copies", "a difference was not found")


def orders(tessera, folder):
    """New tensors column-major, in tiles and with padding: `copy` reads them, and they go back as they were."""
    copy = lambda *words: subprocess.run([tessera.path, "copy", *map(str, words), "--force"], check=True, capture_output=True)
    chance = np.random.default_rng(44)
    words = chance.integers(0, 2**32, (24, 300), dtype=np.uint32)
    vector = chance.integers(0, 2**32, 7, dtype=np.uint32)
    write(folder / "plain.safetensors", {"w": ("F32", words), "v": ("F32", vector)})
    back = folder / "back.raw"

    def check(name, source, order, tensor, kind, parts):
        out = folder / f"order-{name}"
        tessera.must(source, out, "--to", "DeviceMesh((2)) [Shard(0)]", "--layout", order, "--check", "--verify", "--force", "--memory", "4M")
        for path, part in zip(sorted(out.glob("*.safetensors")), parts):
            copy(f"{path}#{tensor}", back, "--to", kind)
            expect(f"order {name}, {path.name}", "" if back.read_bytes() == part.tobytes() else "other elements")
        again = folder / f"{name}-back.safetensors"
        tessera.must(out, again, "--from", "DeviceMesh((2)) [Shard(0)]", "--check", "--verify", "--force")
        copy(f"{again}#{tensor}", back, "--to", kind)
        expect(f"order {name} and back", "" if back.read_bytes() == b"".join(part.tobytes() for part in parts) else "other elements")

    for number, order in enumerate(("C", "F", "{0,1}", "{1,0:T(8,128)}", "{0,1:T(128,8)}", "{1,0:T(4,7)(2,1)}")):
        check(f"w{number}", folder / "plain.safetensors", order, "w", "C", np.split(words, 2))
        check(f"v{number}", folder / "plain.safetensors", order, "v", "C", [vector[:4], vector[4:]])
    nibbles4 = chance.integers(0, 16, (8, 65)).astype(np.uint8)
    back.write_bytes(nibbles4.tobytes())
    copy(back, folder / "nibbles.safetensors#q", "--from", "u4[8,65]", "--to", "pack:low u4[8,65]")
    for number, order in enumerate(("{0,1:E(4)}", "{1,0:T(2,8)E(4)}")):
        out = folder / f"order-q{number}"
        tessera.must(folder / "nibbles.safetensors", out, "--to", "DeviceMesh((2)) [Shard(0)]", "--layout", order, "--check", "--verify")
        for path, part in zip(sorted(out.glob("*.safetensors")), np.split(nibbles4, 2)):
            copy(f"{path}#q", back, "--to", "u4[4,65]")
            expect(f"order {order} of 4 bits", "" if back.read_bytes() == part.tobytes() else "other elements")
    # Regression: one tensor of 4 bits stopped the whole checkpoint; now its tiles keep the width, and a note says so.
    nine = chance.integers(0, 256, (16, 4), dtype=np.uint8)
    write(folder / "mixed.safetensors", {"w": ("F32", words), "q": ("F4", nine, (16, 8)), "b": ("BF16", words.astype(np.uint16))})
    mixed = tessera(folder / "mixed.safetensors", folder / "mixed-tiles.safetensors", "--layout", "{0,1:T(8,128)}", "--check", "--verify")
    expect("tiles of a width", "" if "tensor 'q' takes '{0,1:T(8,128)E(4)}', because its elements have 4 bits" in mixed.stderr else mixed.stderr)
    for name, kind, part in (("w", "f32[24,300]", words), ("q", "f4e2m1fn[16,8]{1,0:E(4)}", nine)):
        copy(folder / f"mixed-tiles.safetensors#{name}", back, "--to", kind)
        expect(f"tiles of {name} of several widths", "" if back.read_bytes() == part.tobytes() else "other elements")
    mixed = tessera(folder / "mixed.safetensors", folder / "mixed-space.safetensors", "--layout", "{0,1:T(8,128)S(1)}", "--check", "--verify")
    expect("a width before a memory space", "" if "tensor 'q' takes '{0,1:T(8,128)E(4)S(1)}'" in mixed.stderr else mixed.stderr)
    mixed = tessera(folder / "mixed.safetensors", folder / "mixed-type.safetensors", "--layout", "f32[24,300]{0,1}", "--check", "--verify")
    expect("a type of a layout", "" if "tensor 'b' stays row-major, because its elements are bf16, not f32" in mixed.stderr else mixed.stderr)
    np.save(folder / "plain.npy", words)
    tessera.must(folder / "plain.npy", folder / "turned.npy", "--layout", "F", "--check", "--verify")
    turned = np.load(folder / "turned.npy")
    expect("a .npy file in Fortran's order", "" if turned.flags.f_contiguous and np.array_equal(turned, words) else "differs")
    # Regression: a vector in Fortran's order is row-major, and was refused in .npy files and if it ends inside a byte.
    np.save(folder / "vector.npy", vector)
    tessera.must(folder / "vector.npy", folder / "vector-f.npy", "--layout", "F", "--check", "--verify")
    expect("a vector in Fortran's order", "" if np.array_equal(np.load(folder / "vector-f.npy"), vector) else "differs")
    codes = bytes(range(9))
    back.write_bytes(codes)
    copy(back, folder / "nine.safetensors#q", "--from", "f4e2m1fn[9]", "--to", "pack:low(row=1) f4e2m1fn[9]")
    tessera.must(folder / "nine.safetensors", folder / "nine-f.safetensors", "--layout", "F", "--check", "--verify")
    copy(folder / "nine-f.safetensors#q", back, "--to", "f4e2m1fn[9]")
    expect("nine nibbles in Fortran's order", "" if back.read_bytes() == codes else "other elements")
    for order, words_of_error in (("{2,1,0}", "no new tensor has 3 dimensions"), ("rows", "is not the order of a new tensor"),
                                  ("{1,0:T(8,128)E(4)}", "its elements have 32 bits, not 4"), ("{1,1}", "--layout")):
        done = tessera(folder / "plain.safetensors", folder / "refused", "--layout", order)
        expect(f"order {order}", "" if done.returncode == 2 and words_of_error in done.stderr else f"not refused: {done.stderr}")


def swizzles(tessera, folder):
    """New tensors without digits, and a source whose rows are far apart in a file that is larger than the memory."""
    copy = lambda *words: subprocess.run([tessera.path, "copy", *map(str, words), "--force"], check=True, capture_output=True)
    words = np.random.default_rng(45).integers(0, 2**32, (32, 64), dtype=np.uint32)
    write(folder / "square.safetensors", {"w": ("F32", words), "v": ("F32", words[0])})
    back = folder / "back.raw"
    for number, order in enumerate(("cute:Sw<3,0,3> o _0 o (16,64):(64,1)", "cute:Sw<2,1,3> o _0 o (16,64):(1,16)", "(16,64):(1,17)",
                                    "map:(d0, d1) -> ((d0 * 5 + d1) mod 8 + d1 floordiv 8 * 8 + d0 * 64), domain: d0 in [0, 15], d1 in [0, 63]")):
        out = folder / f"swizzled-{number}"
        tessera.must(folder / "square.safetensors", out, "--to", "DeviceMesh((2)) [Shard(0)]", "--layout", order, "--check", "--verify", "--memory", "4M")
        for path, part in zip(sorted(out.glob("*.safetensors")), np.split(words, 2)):
            copy(f"{path}#w", back, "--to", "C")
            expect(f"{order}, {path.name}", "" if back.read_bytes() == part.tobytes() else "other elements")
        tessera.must(out, folder / "square-again.safetensors", "--from", "DeviceMesh((2)) [Shard(0)]", "--check", "--verify", "--force")
        expect(f"{order} and back", differences({"w": ("F32", words), "v": ("F32", words[0])}, read(folder / "square-again.safetensors")))
    large = "cute:Sw<3,0,3> o _0 o (1024,1024):(1024,1)"
    write(folder / "large.safetensors", {"w": ("F32", np.zeros((1024, 1024), np.uint32))})
    refused = tessera(folder / "large.safetensors", folder / "never.safetensors", "--layout", large, "--memory", "4M")
    expect("a swizzle larger than the memory", "" if "error[limit]" in refused.stderr and refused.returncode else refused.stderr)
    shared = tessera(folder / "square.safetensors", folder / "never.safetensors", "--layout", "(32,64):(1,1)")
    expect("two elements at one offset", "" if "error[broadcast]" in shared.stderr else shared.stderr)
    # Regression: each row was read from all of the file, whose pages were dropped in between.
    far = np.random.default_rng(46).integers(0, 2**32, (2048, 3072), dtype=np.uint32)
    far.tofile(folder / "far.raw")
    copy(folder / "far.raw", folder / "far.safetensors#w", "--from", "f32[2048,3072]", "--to", "cute:Sw<3,2,9> o _0 o (2048,3072):(1,2048)")
    tessera.must(folder / "far.safetensors", folder / "near.safetensors", "--check", "--verify", "--memory", "4M")
    expect("rows that are far apart", differences({"w": ("F32", far)}, read(folder / "near.safetensors")))


def raw_sources(tessera, folder):
    """Files without a header, with the layout of --raw."""
    words = np.random.default_rng(47).integers(0, 2**16, (24, 10), dtype=np.uint16)
    for place, part in enumerate(np.split(words, 3)):
        part.tofile(folder / f"rows-{place}.raw")
    tessera.must(folder / "rows-{place}.raw", folder / "joined.npy", "--raw", "bf16[8,10]", "--from", "{devices=[3,1]<=[3]}", "--check", "--verify")
    expect("three raw files", "" if np.array_equal(np.load(folder / "joined.npy").view(np.uint16), words) else "other elements")
    (folder / "raw").mkdir()
    words.T.tofile(folder / "raw/turned.bin")
    (folder / "raw/config.json").write_text("{}")  # Regression: it was taken for an array.
    tessera.must(folder / "raw", folder / "turned.safetensors", "--raw", "bf16[24,10]{0,1}", "--check", "--verify")
    expect("a raw file by columns", differences({"turned": ("BF16", words)}, read(folder / "turned.safetensors")))
    short = tessera(folder / "raw/turned.bin", folder / "never.npy", "--raw", "bf16[24,11]")
    expect("a short raw file", "" if "error[buffer_too_small]" in short.stderr else short.stderr)
    unknown = tessera(folder / "raw/turned.bin", folder / "never.npy")
    expect("a raw file without a layout", "" if "--raw" in unknown.stderr and unknown.returncode else unknown.stderr)
    # Regression: a link to a folder became a folder, and its target kept the old checkpoint.
    (folder / "real").mkdir()
    (folder / "link").symlink_to("real")
    tessera.must(folder / "raw", folder / "link", "--raw", "bf16[24,10]{0,1}", "--to", "{devices=[2,1]<=[2]}", "--force")
    expect("a link to a folder", "" if (folder / "link").is_symlink() and any((folder / "real").iterdir()) else "replaced")
    expect("settings of raw files", "" if (folder / "real/config.json").read_text() == "{}" else "other text")
    (folder / "broken").symlink_to("nowhere")
    broken = tessera(folder / "raw", folder / "broken", "--raw", "bf16[24,10]{0,1}", "--to", "{devices=[2,1]<=[2]}")
    expect("a broken link", "" if "remove the link" in broken.stderr and broken.returncode else broken.stderr)


def packings(tessera, folder):
    """Recipes that name the order of cells: AWQ to Marlin's order, to plain nibbles, and GPTQ, cut by two places."""
    chance = np.random.default_rng(42)
    codes = chance.integers(0, 16, (64, 128)).astype(np.uint8)
    (folder / "n.raw").write_bytes(codes.tobytes())
    def copy(*words):
        subprocess.run([tessera.path, "copy", *map(str, words)], check=True, capture_output=True)
    by_shape = {"schema": "tessera.recipe/1", "axes": {"k": "shape", "n": "shape"},
                "tensors": [{"from": {"{*p}.qweight": {"layout": "pack:gptq", "type": "u4", "axes": "[k n]"}},
                             "to": {"{*p}.qweight": {"layout": "pack:marlin", "type": "u4", "axes": "[k n]"}}}]}
    (folder / "r.json").write_text(json.dumps(by_shape))
    (folder / "shapes").mkdir()
    sizes = {"a": (64, 128), "b": (128, 64), "c": (64, 192)}
    plain = {name: chance.integers(0, 16, size).astype(np.uint8) for name, size in sizes.items()}
    words = {}
    for name, (k, n) in sizes.items():
        (folder / "n.raw").write_bytes(plain[name].tobytes())
        copy(folder / "n.raw", folder / "packed.raw", "--from", f"u4[{k},{n}]", "--to", f"pack:gptq u4[{k},{n}]", "--force")
        words[f"{name}.qweight"] = ("I32", np.frombuffer((folder / "packed.raw").read_bytes(), np.uint32).reshape(k // 8, n))
    write(folder / "shapes/model.safetensors", words)
    tessera.must(folder / "shapes", folder / "marlin.safetensors", "--recipe", folder / "r.json", "--check", "--verify")
    for name, (k, n) in sizes.items():
        copy(f"{folder}/marlin.safetensors#{name}.qweight", folder / "back.raw", "--to", f"u4[{k},{n}]", "--force")
        found = np.frombuffer((folder / "back.raw").read_bytes(), np.uint8).reshape(k, n)
        expect(f"the shape of {name}", "" if np.array_equal(found, plain[name]) else "other elements")
    (folder / "n.raw").write_bytes(codes.tobytes())
    for source, target in (("pack:awq", "pack:gptq"), ("pack:gptq", "pack:awq"), ("pack:awq", "pack:marlin"), ("pack:gptq", None)):
        copy(folder / "n.raw", folder / "packed.raw", "--from", "u4[64,128]", "--to", f"{source} u4[64,128]", "--force")
        shape = (64, 16) if source == "pack:awq" else (8, 128)
        words = np.frombuffer((folder / "packed.raw").read_bytes(), np.uint32).reshape(shape)
        name = f"{source}-{target}".replace(":", "-")
        (folder / name).mkdir()
        write(folder / name / "model.safetensors", {"l.qweight": ("I32", words)})
        to = {"layout": target, "type": "u4", "axes": "t @ [ki n]"} if target else "t @ [ki n]"
        recipe = {"schema": "tessera.recipe/1", "axes": {"k": [64, "(t ki)"], "t": 2, "n": 128},
                  "tensors": [{"from": {"{*p}.qweight": {"layout": source, "type": "u4", "axes": "[k n]"}}, "to": {"{*p}.qweight": to}}]}
        (folder / "r.json").write_text(json.dumps(recipe))
        out = folder / f"{name}-out"
        tessera.must(folder / name, out, "--recipe", folder / "r.json", "--check", "--verify")
        for place, path in enumerate(sorted(out.glob("*.safetensors"))):
            copy(path, folder / "back.raw", "--to", "u4[32,128]", "--force")
            found = np.frombuffer((folder / "back.raw").read_bytes(), np.uint8).reshape(32, 128)
            expect(f"{name}, place {place}", "" if np.array_equal(found, codes[32 * place:32 * place + 32]) else "other elements")


TESTS = (layouts, every_layout, orders, swizzles, raw_sources, packings)
