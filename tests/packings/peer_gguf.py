# SPDX-License-Identifier: Apache-2.0
"""gguf-py: what it dequantizes from random blocks, from the codes and fields that `tessera copy` reads; and what files list."""

import json

import gguf
import numpy as np
from gguf.constants import GGMLQuantizationType as T
from peer_judge import codes_of_bits, own, width_of

NAME = "gguf"
E2M1 = np.array([0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12], np.float32)
IQ4 = np.array(gguf.quants.IQ4_NL.kvalues, np.float32)


def halves(d):
    return d.astype(np.uint16).view(np.float16).astype(np.float32)


def signed(codes):
    return codes.astype(np.uint8).view(np.int8).astype(np.float32)


def number(codes):
    return codes.astype(np.float32)


# Of each type: its codes, its fields with the number of entries in a block, and what they are worth, as in ggml-quants.c. The
# products are exact in f32, and at most the last subtraction or addition rounds, so that results must be equal.
D, M = {"d": ("f16", 1)}, {"d": ("f16", 1), "m": ("f16", 1)}
K = {"d": ("f16", 1), "dmin": ("f16", 1)}
SCALES = {"sc": ("u6", 8), "mn": ("u6", 8), **K}
TYPES = {
    "q4_0": ("u4", D, lambda q, d: (number(q) - 8) * halves(d)),
    "q4_1": ("u4", M, lambda q, d, m: number(q) * halves(d) + halves(m)),
    "q5_0": ("u5", D, lambda q, d: (number(q) - 16) * halves(d)),
    "q5_1": ("u5", M, lambda q, d, m: number(q) * halves(d) + halves(m)),
    "q8_0": ("s8", D, lambda q, d: signed(q) * halves(d)),
    "q2_k": ("u2", {"sc": ("u4", 16), "mn": ("u4", 16), **K}, lambda q, sc, mn, d, low: number(q) * number(sc) * halves(d) - number(mn) * halves(low)),
    "q3_k": ("u3", {"sc": ("u6", 16), **D}, lambda q, sc, d: (number(q) - 4) * (number(sc) - 32) * halves(d)),
    "q4_k": ("u4", SCALES, lambda q, sc, mn, d, low: number(q) * number(sc) * halves(d) - number(mn) * halves(low)),
    "q5_k": ("u5", SCALES, lambda q, sc, mn, d, low: number(q) * number(sc) * halves(d) - number(mn) * halves(low)),
    "q6_k": ("u6", {"sc": ("s8", 16), **D}, lambda q, sc, d: (number(q) - 32) * signed(sc) * halves(d)),
    "iq4_nl": ("u4", D, lambda q, d: IQ4[q] * halves(d)),
    "iq4_xs": ("u4", {"sc": ("u6", 8), **D}, lambda q, sc, d: IQ4[q] * (number(sc) - 32) * halves(d)),
    "tq2_0": ("u2", D, lambda q, d: (number(q) - 1) * halves(d)),
    "mxfp4": ("f4e2m1fn", {"d": ("f8e8m0fnu", 1)}, lambda q, d: (E2M1[q] * np.exp2(d.astype(np.float64) - 128)).astype(np.float32)),
    "nvfp4": ("f4e2m1fn", {"d": ("f8e4m3fn", 4)}, lambda q, d: E2M1[q] * gguf.quants.NVFP4.ue4m3_to_fp32(d)),
}


def write(path, tensors, alignment=None, keys=()):
    writer = gguf.GGUFWriter(str(path), "test")
    if alignment:
        writer.add_custom_alignment(alignment)
    for add, key, value in keys:
        getattr(writer, add)(key, value)
    for name, data, kind in tensors:
        writer.add_tensor(name, data, raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def read(judge, path, blocks, name, field, kind, rows, count):
    text = f"gguf:{name}{'.' + field if field else ''} {kind}[{rows},{count}]"
    out = judge.folder / "field.raw"
    judge.run("copy", f"{path}#{name}", out, "--from", text, "--to", judge.plain(text), "--force", "--quiet")
    values = codes_of_bits(np.fromfile(out, np.uint8), (rows, count), width_of(text)).astype(np.int64)
    if own is not None and not np.array_equal(own.layout(text).unpack(blocks), values):
        judge.fail(NAME, "dequantize", text, "is read otherwise by Python's tessera")
    return values


def check_blocks(judge):
    path = judge.folder / "one.gguf"
    for name, (kind, fields, formula) in TYPES.items():
        block, size = gguf.GGML_QUANT_SIZES[T[name.upper()]]
        rows, blocks = judge.integers(1, 4), judge.integers(3, 6)  # so that one has a finite scale
        raw = judge.random.integers(0, 256, (rows, blocks * size), dtype=np.uint8)
        write(path, [(name, raw, T[name.upper()])])
        entries = {field: read(judge, path, raw, name, field, kind, rows, blocks * count) for field, (kind, count) in fields.items()}
        for field, values in entries.items():
            entries[field] = np.repeat(values, block // fields[field][1], axis=1)
        codes = read(judge, path, raw, name, "", kind, rows, blocks * block)
        with np.errstate(all="ignore"):
            expected = gguf.quants.dequantize(raw, T[name.upper()])
            good = formula(codes, *entries.values())
            # The same nibbles in pairs instead of halves.
            pairs = formula(codes.reshape(rows, -1, 2, 16).swapaxes(2, 3).reshape(codes.shape), *entries.values())
        text = f"gguf:{name} {kind}[{rows},{blocks * block}]"
        if not np.array_equal(good, expected, equal_nan=True):
            first = np.argwhere(~((good == expected) | (np.isnan(good) & np.isnan(expected))))[0].tolist()
            judge.fail(NAME, f"dequantize, {name}", text, f"is worth other values, first at {first}: {good[*first]} and {expected[*first]}")
        judge.tell(NAME, f"dequantize, {name}", text, not np.array_equal(pairs, expected, equal_nan=True))


def check_files(judge):
    """The listing of a file, and what gguf-py's reader finds in it."""
    path = judge.folder / "many.gguf"
    tensors = []
    for i in range(judge.integers(1, 12)):
        if judge.integers(0, 1):
            kind = T[judge.random.choice([name.upper() for name in TYPES])]
            block, size = gguf.GGML_QUANT_SIZES[kind]
            shape = [judge.integers(1, 4) for _ in range(judge.integers(0, 2))] + [size * judge.integers(1, 3)]
            tensors.append((f"blk.{i}.weight", judge.random.integers(0, 256, shape, dtype=np.uint8), kind))
        else:
            dtype = judge.random.choice(["float32", "float16", "int8", "int16", "int32", "int64", "float64"])
            shape = [judge.integers(1, 5) for _ in range(judge.integers(1, 4))]
            tensors.append((f"blk.{i}.bias", judge.random.integers(-9, 9, shape).astype(dtype), None))
    keys = [("add_uint32", "test.count", judge.integers(0, 2**32 - 1)), ("add_int64", "test.long", judge.integers(-(2**62), 2**62)),
            ("add_bool", "test.flag", bool(judge.integers(0, 1))), ("add_string", "test.text", "x" * judge.integers(0, 50)),
            ("add_array", "test.list", [judge.integers(0, 100) for _ in range(judge.integers(1, 20))])]
    write(path, tensors, 1 << judge.integers(3, 8), keys)
    reader = gguf.GGUFReader(path)
    listing = json.loads(judge.run("info", path, "--json"))
    ours = [(one["name"], one["stored_type"], one["shape"], one["begin"], one["bytes"]) for one in listing["tensors"]]
    theirs = [(one.name, one.tensor_type.name.lower(), [int(n) for n in one.shape[::-1]], int(one.data_offset), int(one.n_bytes)) for one in reader.tensors]
    names = {"i8": "s8", "i16": "s16", "i32": "s32", "i64": "s64"}
    theirs = [(name, names.get(kind, kind), *rest) for name, kind, *rest in theirs]
    if ours != theirs:
        judge.fail(NAME, "GGUFReader, tensors", path.name, f"are listed otherwise: {ours} and {theirs}")
    judge.tell(NAME, "GGUFReader, tensors", f"{len(ours)} tensors", None)
    known = {key: field for key, field in reader.fields.items() if not key.startswith("GGUF.")}
    if [one["key"] for one in listing["keys"]] != list(known):
        judge.fail(NAME, "GGUFReader, keys", path.name, "are listed otherwise")
    for one in listing["keys"]:
        value = known[one["key"]].contents()
        if (one["length"] != len(value)) if "length" in one else (one["value"] != value):
            judge.fail(NAME, "GGUFReader, keys", one["key"], f"is listed otherwise: {one} and {value}")
    judge.tell(NAME, "GGUFReader, keys", f"{len(known)} keys", None)


def check(judge):
    for _ in range(judge.rounds):
        check_blocks(judge)
        check_files(judge)
