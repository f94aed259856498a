#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/lookup/json.md lists exactly the keys that --json prints.  json_keys.py --bin DIR

Every command below is run; each key it prints must be in the table of its schema, and each key in a table must have
been printed by one of them. A new schema needs a section there and a command here."""

import argparse
import fnmatch
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

FILES = {
    "page.html": '<title>Tessera explorer</title><div id="page"></div>',
    "a.raw": "abcdef",
    "f.hlo": "f { p = f32[8] parameter(0) ROOT n = f32[8] negate(p) }\ng { p = f32[8] parameter(0) ROOT n = f32[8] exponential(p) }\n"
             "ENTRY e { a = f32[8] parameter(0) x = f32[8] fusion(a), kind=kLoop, calls=f\n"
             "ROOT y = f32[8] fusion(x), kind=kLoop, calls=g }\n",
    "b.hlo": "ENTRY e {\n  a = f32[2,3]{1,0} parameter(0)\n  ROOT t = f32[3,2]{1,0} transpose(a), dimensions={1,0}\n}\n",
    "d.hlo": "ENTRY e {\n  x = f32[16] parameter(0)\n  t = (s32[], f32[]) parameter(1)\n"
             "  i = s32[] get-tuple-element(t), index=0\n"
             "  ROOT s = f32[4] dynamic-slice(x, i), dynamic_slice_sizes={4}\n}\n",
    "c.hlo": "ENTRY e {\n  a = f32[64,4,4]{2,1,0:T(8,128)} parameter(0)\n  b = f32[64,4,4]{2,1,0:T(8,128)} bitcast(a)\n"
             "  c = f32[4,64,4]{2,1,0:T(8,128)} transpose(b), dimensions={1,0,2}\n"
             "  d = f32[64,1,4,4]{3,2,1,0:T(8,128)} bitcast(b)\n"
             "  ROOT e = f32[64,4,4]{2,1,0:T(8,128)} transpose(c), dimensions={1,0,2}\n}\n",
    "u.hlo": 'ENTRY e {\n  a = f32[8] parameter(0)\n  ROOT u = f32[?] custom-call(a), custom_call_target="f"\n}\n',
    "w.safetensors.index.json": '{"metadata": {}, "weight_map": {"x": "x.safetensors", "y": "gone.safetensors"}}',
    # Covers a value read in a conditional's branch, a clamp, an element of a nested tuple, and a value of another
    # replica.
    "a.hlo": """HloModule keys, num_partitions=4

left {
  q = (s32[], f32[8]) parameter(0)
  i = s32[] get-tuple-element(q), index=0
  x = f32[8] get-tuple-element(q), index=1
  ROOT s = f32[4] dynamic-slice(x, i), dynamic_slice_sizes={4}
}

right {
  r = (s32[], f32[8]) parameter(0)
  y = f32[8] get-tuple-element(r), index=1
  ROOT t = f32[4] slice(y), slice={[0:4]}
}

ENTRY main {
  p = ((s32[], f32[8]), pred[]) parameter(0)
  a = (s32[], f32[8]) get-tuple-element(p), index=0
  b = pred[] get-tuple-element(p), index=1
  n = s32[] get-tuple-element(a), index=0
  c = f32[4] conditional(b, a, a), true_computation=left, false_computation=right
  g = f32[16] all-gather(c), dimensions={0}, replica_groups={{0,1,2,3}}, channel_id=1, use_global_device_ids=true
  d = f32[2] dynamic-slice(g, n), dynamic_slice_sizes={2}
  z = f32[4] custom-call(d), custom_call_target="mystery"
  ROOT e = (f32[4], f32[2]) tuple(z, d)
}
""",
}

BOX = "domain: d0 in [0, 3], d1 in [0, 7]"
SWIZZLE = "Sw<2,0,2> o _0 o (4,4):(4,1)"
LAYOUTS = ["f32[3,5]{1,0:T(2,2)}", "((2,2),(2,3)):((2,12),(1,4)) crop (3,5)", "6x8:[1, 0, 1 p(4)]", "np:(6,8):(1,6) + 7",
           "d0:1,16 d1:2,4,8", f"map:(d0, d1) -> (d0 * 8 + d1), {BOX}", SWIZZLE, "(4,4):(1,0)"]
AXE = "axe:S[(8,4):(4@laneid,1@laneid)] + R[2:1@warpid]"
COMMANDS = [
    *(["map", action, f"(d0, d1) -> (d0 * 8 + d1), {BOX}"] for action in ("simplify", "inverse", "image", "count")),
    ["map", "compose", f"(d0, d1) -> (d0 * 8 + d1), {BOX}", "(d0) -> (d0), domain: d0 in [0, 9]"],
    ["map", "eval", f"(d0, d1) -> (d0 * 8 + d1), {BOX}", "1,2"],
    ["map", "equal", "() -> (1)", "() -> (2)"], ["map", "equal", "() -> (1)", "() -> (1, 2)"],
    ["map", "inverse", "(d0) -> (d0 / 2), domain: d0 in [0, 9]"],
    *(["at", layout, "2,3"] for layout in LAYOUTS),
    ["at", "--inverse", "f32[3,5]{1,0:T(2,2)}", "17", "9", "99"],
    ["at", "pack:awq u4[8,16]", "3,5"], ["at", "scale:128x4(cols=8) u8[8,8]", "0,0"], ["at", "gguf:q6_k[256]", "77"], ["at", "--inverse", "gguf:q6_k[256]", "108"],
    ["at", "16x16:BlockedLayout([1,2],[4,8],[2,1],[1,0])", "3,5", "T13:1"],
    ["at", "8x64:PartitionedSharedLayout(2,2,0,SwizzledSharedLayout(1,1,1,[1,0]))", "3,5"],
    ["at", "f16[64,64]:SwizzledSharedLayout(8,1,8,[1,0])", "3,5"], ["at", "--inverse", "gguf:q6_k[256]", "1679"],
    ["at", "(5000-M-K):(1)", "3649", "--where", "K in [1000, 1400], M <= 600"],
    ["convert", "NxCxHxW:aBcd16b", "--to", "np"], ["convert", "pack:awq u4[8,16]"],
    ["eval", "composition((N,M):(M,1), 950:1)", "--where", "N >= 900, M >= 900"],
    ["map", "inverse", "(d0) -> (d0 mod N), domain: d0 in [0, M - 1]", "--where", "N >= 900, M >= 900"],
    ["plan", "--from", "64x64:BlockedLayout([1,8],[4,8],[4,1],[1,0])", "--to", "64x64:BlockedLayout([8,1],[8,4],[1,4],[0,1])", "--type", "f16"],
    ["at", AXE, "3,1", "9,9"], ["equal", AXE, AXE.replace("R[2:1", "R[2:2")], ["convert", AXE, "--to", "tv"],
    ["convert", "gguf:q6_k[256]", "--to", "map"], ["atoms", "nibble"], ["atoms", "((8,4),4):((4,32),1)", "--type", "u8"],
    ["atoms", "gguf:q4_k"],
    ["equal", "scale:8x4 u8[{M},4]", "scale:linear u8[{M},4]", "--sizes", "M=1:8"],
    ["equal", "scale:8x4 u8[8,{K}]", "scale:linear u8[8,{K}]", "--sizes", "K=4:8"],
    *(["convert", layout, "--to", "map"] for layout in LAYOUTS), *(["convert", layout, "--to", "digits"] for layout in LAYOUTS),
    *(["convert", layout, "--to", "xla", "--all"] for layout in LAYOUTS),
    ["convert", "(3,8):(8,1)", "--to", "linear"], ["convert", "f32[3,5]{1,0:T(2,2)}", "--to", "cute"],
    ["access", "(32,32):(32,1)", "--bytes", "4", "--threads", "rows,write", "--threads", "columns", "--fix"],
    ["access", "(32,N):(N,1)", "--bytes", "4", "--threads", "32:1"], ["access", "(32,N):(N,1)", "--bytes", "4", "--threads", "32:1", "--where", "N % 16 == 0"],
    ["access", "(32,M - 4):(1,32)", "--bytes", "4", "--threads", "32:1"], ["access", "(M,N):(N,1)", "--bytes", "4", "--threads", "32:1"],
    ["access", "(4,N):(M - 600,1)", "--bytes", "4", "--threads", "32:1000", "--where", "N in [1,2], M >= 3000"],
    ["access", "f32[32]", "--segments", "64,96", "--warps", "(8,4):(128,1)", "--space", "both"],
    ["access", "(8,3):(5,1)", "--bytes", "4"], ["access", "(8,8):(8,1)", "--bytes", "4", "--threads", "rows", "--view", "banks"],
    ["atoms", "nv.m16n8.C"],
    ["code", "f32[3,5]{1,0:T(2,2)}"], ["code", "(4,8):(8,1)", "--inverse", "--test", "--lang", "numpy"],
    ["tile", f"(d0, d1) -> (d0 * 8 + d1), {BOX}"], ["tile", "examples/hlo/transformer_block_gpu.hlo", "--op", "qkv", "--budget", "48K"],
    ["tile", "examples/hlo/sharded_mlp.hlo", "--op", "whole", "--tile", "8,16"],
    ["tile", "examples/hlo/transformer_block_gpu.hlo", "--op", "residual", "--leaf", "all", "--tile", "32,256"],
    ["tile", "examples/hlo/sharded_mlp.hlo", "--op", "whole", "--direction", "in"],
    ["tile", "examples/hlo/transformer_block.hlo", "--op", "scores", "--tile", "1,1,64,64", "--through"],
    ["equal", "(4,8):(8,1)", "(4,8):(9,1)"], ["equal", "(4,8):(8,1)", "(4,8):(8,1)"], ["equal", "(4,8):(8,1)", "(4,7):(8,1)"],
    ["eval", "L = (4,8):(8,1); L(2,3); L(_,3); logical_divide(L, 4:2); Sw<3,4,3>; shape(L); is_injective((2,2):(1,1))"],
    ["eval", "--explain", "composition((6,2):(8,2), (4,3):(3,1))"], ["eval", "composition((4,6,8):(2,3,5), 6:3)"],
    ["eval", "make_layout_tv((2,4),(2,2)); " + SWIZZLE + "; <4,2>"], ["eval", "--list"], ["eval", "size("],
    ["eval", "logical_divide(48:1, 32:1)"],
    ["eval", "composition((4,8):(8,1), N:1)", "--where", "N in [1, 64]"], ["eval", "composition((N,M,M):(M*M,M,1), 3:8)"],
    ["equal", "f32[M,N]{1,0:T(8,128)}", "f32[M,N]{1,0}", "--where", "M >= 1"], ["equal", "(8,N/8):(1,8)", "(N):(1)"],
    ["map", "equal", "(d0) -> (d0 / N), domain: d0 in [0, M - 1]", "(d0) -> (0), domain: d0 in [0, M - 1]", "--where", "M, N"],
    ["tile", "(d0, d1) -> (d1, d0 * 2), domain: d0 in [0, M - 1], d1 in [0, N - 1]", "--where", "M, N", "--tile", "8,4"],
    ["tile", "(d0, d1) -> (d0 * N + d1), domain: d0 in [0, M - 1], d1 in [0, N - 1]", "--where", "M, N", "--tile", "8,4"],
    ["tile", "(d0, d1) -> (d0 * N - d1 * 4 + d0 / 3), domain: d0 in [0, M - 1], d1 in [0, 5]", "--where", "M, N", "--tile", "3"],
    ["map", "within", "(d0) -> (d0 / (N / 2)), domain: d0 in [0, M - 1]", "--box", "[0, 9]", "--where", "M, N"],
    ["map", "inverse", "(d0) -> (d0 mod N), domain: d0 in [0, M - 1]", "--where", "M, N"],
    ["map", "inverse", "(d0, d1) -> (d0, d0 / (N - 2)), domain: d0 in [0, N - 1], d1 in [0, 0]", "--where", "N"],
    ["map", "count", "(d0, d1) -> (d0 * 2 + d1 * 3), domain: d0 in [0, M - 1], d1 in [0, N - 1]", "--where", "M, N"],
    ["convert", "(8,N/8):(1,9)", "--to", "morello"], ["convert", "MxN:[0, 1]"], ["at", "(8,N/8):(1,8)", "N,0"], ["at", "(M,N):(N,1)", "2"], ["at", "--inverse", "(M,N):(K,1)", "5"], ["show", "(8,N/8):(1,8)", "--facts"],
    ["convert", "np:(M,N):(K,2)", "--to", "morello"], ["show", "np:(M,N):(K,2)", "--facts"], ["at", "np:(M,N):(K,2) where M in [2, 9]", "9,0"],
    ["hlo", "a.hlo"], ["hlo", "a.hlo", "--direction", "in"], ["hlo", "a.hlo", "--stats"],
    ["hlo", "a.hlo", "b.hlo", "--stats"], ["hlo", "b.hlo"],
    ["hlo", "d.hlo", "--parameters", "--at", "1", "--set", "rt0=9"], ["hlo", "a.hlo", "--parameters"],
    ["link", "4:1", "--page", "https://example.org/"], ["explore", "4:1", "--no-open", "--page", "page.html"],
    ["schema", "tile"], ["schema", "tile", "--answer"], ["hlo", "examples/hlo/kv_cache_decode.hlo", "--parameters"], ["tile", "d.hlo", "--tile", "2"],
    ["hlo", "examples/hlo/attention_step.hlo", "--by", "source", "--source", "examples/hlo"], ["hlo", "a.hlo", "--by", "scope"],
    ["hlo", "examples/hlo/attention_step.hlo", "--op", "dot.7"], ["hlo", "examples/hlo/attention_step.hlo", "--work"],
    ["hlo", "examples/hlo/attention_step.hlo", "--chip", "h100"], ["hlo", "examples/hlo/attention_step.hlo", "--memory"],
    ["hlo", "examples/hlo/sharded_mlp.hlo", "--collectives"],
    ["hlo", "a.hlo", "--traffic"], ["hlo", "examples/hlo/transformer_block_gpu.hlo", "--traffic", "--on-chip", "16K"], ["hlo", "c.hlo", "--padding"],
    ["hlo", "c.hlo", "--copies", "--bandwidth", "100"], ["hlo", "b.hlo", "--same", "a", "t"],
    ["hlo", "c.hlo", "--summary"], ["hlo", "f.hlo", "--summary"], ["hlo", "u.hlo", "--summary"], ["hlo", "examples/hlo/attention_step.hlo", "--summary"], ["hlo", "a.hlo", "--compare", "c.hlo"], ["hlo", "examples/hlo/kv_cache_decode.hlo", "--summary"],
    ["hlo", "examples/hlo/transformer_block_gpu.hlo", "--summary"],
    ["hlo", "examples/hlo/five_faults.hlo", "--summary", "--chip", "h100", "--source", "examples/hlo"],
    ["hlo", "examples/hlo/transformer_block_gpu.hlo", "--summary", "--on-chip", "16K"],
    ["hlo", "examples/hlo/five_faults.hlo", "--compare", "examples/hlo/attention_step.hlo", "--chip", "h100"],
    ["hlo", "examples/hlo/transformer_block_tpu.hlo", "--compare", "examples/hlo/transformer_block.hlo"],
    ["hlo", "examples/hlo/sharded_mlp.hlo"], ["hlo", "examples/hlo/kv_cache_decode.hlo"],
    *(["show", layout] for layout in LAYOUTS), *(["show", layout, "--picture"] for layout in LAYOUTS),
    ["show", "(8,8):(8,1)", "--compare", "(8,8):(1,8)"], ["show", "f32[4096,4096,4096]{2,1,0:T(8,128)(2,1)}"],
    ["show", "map:(d0) -> ((d0 * 5) mod 67108859), domain: d0 in [0, 67108858]"],
    ["show", "((4,8),(2,2)):((16,1),(8,64))", "--tv", "--tile", "8x16"],
    ["show", "4x8:BlockedLayout([1,2],[4,2],[1,2],[1,0])", "--style", "triton"],
    ["copy", "a.raw", "b.raw", "--from", "u8[2,3]", "--to", "u8[2,3]{0,1}", "--verify"],
    ["copy", "a.raw", "x.safetensors#x", "--from", "u8[2,3]", "--to", "u8[2,3]{1,0:T(2,2)}"],
    ["copy", "x.safetensors#x", "t.npy", "--transpose", "1,0"], ["info", "x.safetensors"], ["info", "t.npy"], ["info", "x.safetensors", "--values", "x", "0:2,:"],
    ["info", "examples/files/demo.gguf"], ["copy", "examples/files/demo.gguf#blk.0.ffn_down.weight", "q.npy", "--to", "pack:low u8[256]"],
    ["copy", "a.raw", "r.raw", "--from", "u8[2,3]", "--to", "u8[2,3]", "--recode", "add=1"],
    ["info", "w.safetensors.index.json"], ["info", "a.hlo"], ["copy", "--isa", "list"], ["plan", "--isa", "list"],
    ["plan", "--from", "u8[2,3]", "--to", "u8[2,3]{0,1}"],
    ["reshard", "--shape", "u8[4,6]", "--view", "3,8", "--from", "{devices=[2,1]<=[2]}", "--to", "{devices=[1,2]<=[2]}", "--messages",
     "--per-node", "1", "--verify"],
    ["reshard", "--shape", "u8[4]", "--from", "{devices=[2]<=[2]}", "--to", "{devices=[2]1,0}", "--relabel", "within", "--check"],
    ["reshard", "--shape", "u8[4,4]", "--from", "{devices=[2,1]<=[2]}", "--to", "{devices=[1,2]<=[2]}", "--explain", "--segments", "--kept"],
    ["reshard", "at", "{replicated}", "--shape", "4", "--places", "2", "1"], ["reshard", "convert", "{devices=[2]<=[2]}", "--shape", "4"],
    ["reshard", "equal", "{devices=[2]<=[2]}", "{devices=[2]1,0}", "--shape", "4"],
    ["reshard", "at", "{devices=[2]<=[2]}", "--shape", "4", "--place", "1", "--inverse", "0"],
    ["reshard", "places", "{devices=[2]<=[2]}", "--shape", "u8[4]"],
    ["reshard", "recipes"], ["reshard", "recipes", "qkv-fuse"],
    ["reshard", "map", "qkv-fuse", "model.layers.0.self_attn.qkv_proj.weight", "--set", "g=2", "--set", "h=2", "--set", "d=4",
     "--set", "n=8"],
    ["reshard", "map", "tp", "lm_head.weight", "--set", "from=4", "--set", "to=2", "--shape", "16,8", "--place", "1"],
    ["convert", "f32[3,5]{1,0:T(2,2)}"], ["convert", "(4,8):(8,1)"], ["convert", AXE],
    ["reshard", "convert", "{devices=[2]<=[2]}", "--shape", "4", "--view", "2,2"],
    ["reshard", "--shape", "u8[3]", "--from", "{devices=[2]<=[2]}", "--to", "{replicated}", "--explain"],
    ["copy", "a.raw", "p.safetensors#p", "--from", "u8[2,3]"],
    ["reshard", "p.safetensors", "y", "--to", "{devices=[2,1]<=[2]}"], ["reshard", "y", "y.safetensors", "--from", "{devices=[2,1]<=[2]}"],
    ["reshard", "p.safetensors", "v", "--to", "{devices=[2,1]<=[2]}", "--verify"],
    ["reshard", "p.safetensors", "z", "--dry-run", "--layout", "F"], ["copy", "p.safetensors", "z.raw", "--dry-run"],
    ["help", "map"], ["--version"], ["completion", "bash"], ["shwo"],
]
REQUESTS = ['{"verb": "at", "args": ["(4,8):(8,1)", "1,2"], "id": 1}', '{"verb": "mop", "id": 2}',
            '{"verb": "hlo", "args": ["a.hlo"], "id": 3}']
# Keys that need more than these commands: several replicas, an operand `name#i`, a fusion of a
# tuple, or one array as two operands (hlo.cases, traffic.cases).
RARE = {"indexing[].maps[].runtime[].hops", "indexing[].maps[].runtime[].calls[].caller",
        "indexing[].maps[].runtime[].calls[].branch", "operands[].tuple_index", "operands[].tuple_path", "traffic.operands[].element",
        "traffic.operands[].also", "instructions[].traffic.operands[].also",
        "instructions[].operands[].tuple_index", "instructions[].traffic.operands[].element"}


def documented():
    """Returns {schema: set of keys} and {schema: schemas in the same section}. The keys of sections that several
    schemas share are under '*' and 'layout'."""
    keys, together = {}, {}
    for section in re.split(r"^## ", (ROOT / "docs/lookup/json.md").read_text(), flags=re.M)[1:]:
        heading, _, body = section.partition("\n")
        names = re.findall(r"`tessera\.(\w+)/1`", heading) or {"Layouts": ["layout"], "Errors": ["*"],
                                                                "Keys of every schema": ["*"]}.get(heading, [])
        rows = re.findall(r"^\| (`[^|]*`) \|", body, re.M)
        for name in names:
            together[name] = names
            keys.setdefault(name, set()).update(key for row in rows for key in re.findall(r"`([^`]+)`", row))
    return keys, together


# The keys under which each schema prints a layout.
LAYOUT_PLACES = {"at": ["layout"], "convert": ["from", "layout", "all[]", "notations[].layout"], "equal": ["a", "b"]}


def is_listed(path, keys):
    return any(path == key or fnmatch.fnmatchcase(path, key.replace("[", "[[]")) for key in keys)


def printed(value, path=""):
    """The paths of all keys of a JSON value."""
    if isinstance(value, dict):
        for key, inner in value.items():
            here = f"{path}.{key}" if path else key
            yield here
            yield from printed(inner, here)
    elif isinstance(value, list):
        for inner in value:
            yield from printed(inner, path if path.endswith("[]") else path + "[]")


def outputs(binary):
    """The JSON objects of all commands. `binary`: the program, or a command that runs it."""
    program = list(binary) if isinstance(binary, list) else [binary]
    with tempfile.TemporaryDirectory() as folder:
        for name, text in FILES.items():
            (pathlib.Path(folder) / name).write_text(text)
        os.symlink(ROOT / "examples", pathlib.Path(folder) / "examples")
        for command in COMMANDS:
            done = subprocess.run([*program, *command, "--json", *(["--force"] if command[0] == "copy" else [])], cwd=folder,
                                  capture_output=True, text=True, timeout=60, check=False)
            lines = done.stdout.splitlines()
            if not lines:
                yield command, None
            for line in lines:
                yield command, json.loads(line)
        done = subprocess.run([*program, "batch"], cwd=folder, input="\n".join(REQUESTS), capture_output=True, text=True,
                              timeout=60, check=False)
        for line in done.stdout.splitlines():
            answer = json.loads(line)
            if answer["schema"] == "tessera.hlo/1":
                for result in answer.pop("results", []):
                    yield ["batch"], result
            for one in answer.pop("diagnostics", []):
                yield ["batch"], {"schema": answer["schema"], "error": one}
            yield ["batch"], answer


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/release/bin")
    binary = parser.parse_args().bin.resolve() / "tessera"
    (keys, together), problems, found = documented(), [], {}
    for command, answer in outputs(binary):
        if answer is None:
            problems.append(f"{command} prints nothing")
            continue
        if "schema" not in answer:
            problems.append(f"{command} prints no schema: {answer}")
            continue
        schema = answer["schema"].removeprefix("tessera.").removesuffix("/1")
        found.setdefault(schema, {}).update({path: command for path in printed(answer)})
    for schema, paths in found.items():
        if schema not in keys and schema not in ("batch", "error"):
            problems.append(f"tessera.{schema}/1 has no section in docs/lookup/json.md")
            continue
        layouts = {f"{place}.{key}" for place in LAYOUT_PLACES.get(schema, []) for key in keys["layout"]}
        known = keys.get(schema, set()) | keys["*"] | layouts
        outer = {key[: i] for key in known for i in range(len(key)) if key[i] in ".["}
        for path, command in paths.items():
            if path not in outer and not is_listed(path, known):
                problems.append(f"tessera.{schema}/1: {path} is not documented ({command})")
    everything = {path for paths in found.values() for path in paths}
    for schema in set(keys):
        for key in keys[schema] - RARE:
            wanted = {path for one in together[schema] for path in found.get(one, {})}
            if schema == "*":
                wanted = everything
            if schema == "layout":
                wanted = {path.removeprefix(place + ".") for one, places in LAYOUT_PLACES.items() for place in places
                          for path in found[one]}
            if not any(is_listed(path, [key]) for path in wanted):
                problems.append(f"tessera.{schema}/1: {key} is documented but never printed")
    print("\n".join(sorted(problems)), end="\n" if problems else "")
    print(f"{len(found)} schemas, {len(everything)} keys, {len(problems)} problems")
    return 1 if problems or not found else 0


if __name__ == "__main__":
    sys.exit(main())
