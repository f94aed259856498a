# SPDX-License-Identifier: Apache-2.0
"""Small checkpoints for the tests of `tessera reshard`: .safetensors files, written and read with NumPy."""

import json
import pathlib
import struct

import numpy as np

SIZES = {"BF16": 2, "F16": 2, "F32": 4, "F8_E4M3": 1, "U8": 1, "I32": 4, "I64": 8, "F64": 8}
CARRIERS = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}


def write(path, tensors, metadata=None):
    """`tensors` maps names to (type, array of unsigned integers of that width), or to (type, bytes, shape)."""
    header, at, blobs = {}, 0, []
    if metadata:
        header["__metadata__"] = metadata
    for name, (dtype, array, *shape) in tensors.items():
        blob = np.ascontiguousarray(array).tobytes()
        header[name] = {"dtype": dtype, "shape": list(shape[0] if shape else array.shape), "data_offsets": [at, at + len(blob)]}
        at += len(blob)
        blobs.append(blob)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    pathlib.Path(path).write_bytes(struct.pack("<Q", len(text)) + text + b"".join(blobs))


def read(path):
    data = pathlib.Path(path).read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8:8 + length])
    header.pop("__metadata__", None)
    out = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        carrier = CARRIERS[SIZES[entry["dtype"]]]
        array = np.frombuffer(data[8 + length + begin:8 + length + end], carrier).reshape(entry["shape"])
        out[name] = (entry["dtype"], array)
    return out


def read_folder(folder):
    """All tensors of a folder without places. Uses its index if there is one."""
    out = {}
    for path in sorted(pathlib.Path(folder).glob("*.safetensors")):
        for name, value in read(path).items():
            assert name not in out, f"{name} is in two files"
            out[name] = value
    return out


class Model:
    """A llama-like model with different bits in every element."""

    def __init__(self, layers=2, groups=4, heads=2, dim=8, hidden=48, ffn=64, vocab=96, dtype="BF16", seed=1):
        self.layers, self.g, self.h, self.d, self.n, self.f, self.v = layers, groups, heads, dim, hidden, ffn, vocab
        self.dtype = dtype
        self.random = np.random.default_rng(seed)
        self.tensors = {}
        rows = {"self_attn.q_proj": (groups * heads * dim, hidden), "self_attn.k_proj": (groups * dim, hidden),
                "self_attn.v_proj": (groups * dim, hidden), "self_attn.o_proj": (hidden, groups * heads * dim),
                "mlp.gate_proj": (ffn, hidden), "mlp.up_proj": (ffn, hidden), "mlp.down_proj": (hidden, ffn)}
        for layer in range(layers):
            for name, shape in rows.items():
                self.add(f"model.layers.{layer}.{name}.weight", shape)
            for name in ("q_proj", "k_proj", "v_proj"):
                self.add(f"model.layers.{layer}.self_attn.{name}.bias", rows[f"self_attn.{name}"][:1])
            self.add(f"model.layers.{layer}.input_layernorm.weight", (hidden,))
            self.add(f"model.layers.{layer}.post_attention_layernorm.weight", (hidden,))
        self.add("model.embed_tokens.weight", (vocab, hidden))
        self.add("lm_head.weight", (vocab, hidden))
        self.add("model.norm.weight", (hidden,))

    def add(self, name, shape):
        width = SIZES[self.dtype]
        self.tensors[name] = (self.dtype, self.random.integers(0, 256 ** width, shape, dtype=CARRIERS[width]))

    def config(self):
        return {"num_hidden_layers": self.layers, "num_key_value_heads": self.g, "num_attention_heads": self.g * self.h,
                "head_dim": self.d, "hidden_size": self.n, "intermediate_size": self.f, "vocab_size": self.v}

    def write_whole(self, folder, files=1):
        folder = pathlib.Path(folder)
        folder.mkdir(parents=True)
        (folder / "config.json").write_text(json.dumps(self.config()))
        names = list(self.tensors)
        if files == 1:
            write(folder / "model.safetensors", self.tensors, {"format": "pt"})
            return
        index = {}
        for k in range(files):
            name = f"model-{k + 1:05}-of-{files:05}.safetensors"
            part = {one: self.tensors[one] for one in names[k::files]}
            write(folder / name, part, {"format": "pt"})
            index.update(dict.fromkeys(part, name))
        (folder / "model.safetensors.index.json").write_text(
            json.dumps({"metadata": {"total_size": sum(a.nbytes for _, a in self.tensors.values())}, "weight_map": index}))

    def cut(self, places):
        """The tensors of each place under tensor parallelism."""
        out = [{} for _ in range(places)]
        for name, (dtype, array) in self.tensors.items():
            kind = name.split(".")[-2]
            if kind in ("q_proj", "k_proj", "v_proj", "gate_proj", "up_proj", "embed_tokens", "lm_head"):
                parts = np.split(array, places, 0)
            elif kind in ("o_proj", "down_proj"):
                parts = np.split(array, places, 1)
            else:
                parts = [array] * places
            for place in range(places):
                out[place][name] = (dtype, parts[place])
        return out

    def write_cut(self, folder, places):
        folder = pathlib.Path(folder)
        folder.mkdir(parents=True)
        (folder / "config.json").write_text(json.dumps(self.config()))
        for place, tensors in enumerate(self.cut(places)):
            write(folder / f"model-tp{place:02}.safetensors", tensors, {"format": "pt"})


def differences(a, b):
    """The differences between two dictionaries of tensors, as text. Empty if they are equal."""
    if set(a) != set(b):
        return f"names differ: {sorted(set(a) ^ set(b))[:4]}"
    for name, (dtype, array) in a.items():
        if b[name][0] != dtype or b[name][1].shape != array.shape or not np.array_equal(b[name][1], array):
            return f"'{name}' differs"
    return ""
