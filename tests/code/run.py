#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes code with its tests in every language, and compiles and runs them.

    run.py --bin DIR [--only LANGUAGE] [--keep DIR]

C and C++ are compiled with warnings as errors and the undefined-behavior sanitizer. CUDA and HIP are compiled as C++ with
a few macros, where one loop runs the threads of a kernel, and by nvcc where it is installed. Triton and JAX run with
stand-ins made of NumPy, or with the real modules where they are installed. MLIR goes through mlir-opt and mlir-cpu-runner
where they are installed. The layouts are of all notations: some fixed, and random ones (--seed).
"""

import argparse
import concurrent.futures
import importlib.util
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent

LAYOUTS = [
    "f32[3,5]{1,0:T(2,2)}", "bf16[16,256]{1,0:T(8,128)(2,1)}", "(6,10,7):(70,7,1)", "((2,4),8):((8,16),1)",
    "Sw<3,3,3> o _0 o (8,64):(64,1)", "Sw<2,1,-3> o _4 o (8,8):(8,1)", "Sw<2,3,3> o _8 o (16,32):(32,1)", "((3,2),5):((10,30),1) crop (5,4)",
    "np:(6,8):(-8,1) + 40", "6x8:[1, 0, 1 p(4)]", "d0:1,16 d1:2,4,8", "d0:3,5 d1:8,24", "2x32x7x7:aBcd16b",
    "(70000,70000):(70000,1)",
]
SHARED = ["(4,8):(0,1)"]  # no inverse
MAPS = [
    "(d0, d1)[s0] -> (d0 * 2 + s0, d1 / 3), domain: d0 in [0, 3], d1 in [0, 4], s0 in [0, 2], d0 * 2 + s0 in [1, 7]",
    "(d0) -> (d0 / 7, d0 mod 7, d0 / 8, d0 mod 8, (d0 * 3 - 50) / 10), domain: d0 in [-100, 99]",
    "(th_x, bl_x) -> (bl_x * 128 + th_x), domain: th_x in [0, 127], bl_x in [0, 5]",
    "(d0) -> (max(d0 - 3, 0), min(d0, 4)), domain: d0 in [0, 9]",
]
COPIES = [
    ("f32[3,5]{1,0}", "f32[3,5]{1,0:T(2,2)}"), ("f32[33,130]{1,0:T(8,128)}", "f32[33,130]{0,1}"),
    ("u8[16,16]{1,0}", "u8[16,16]{0,1:T(4,4)}"), ("bf16[16,256]{1,0:T(8,128)(2,1)}", "bf16[16,256]{1,0}"),
    ("s64[7]{0}", "s64[7]{0}"),
]
WIDE_COPIES = [("Sw<3,3,3> o _0 o (8,64):(64,1)", "(8,64):(1,8)"), ("6x8:[1, 0, 1 p(4)]", "np:(6,8):(1,6)")]
AFFINE_ONLY_SMALL = {"max(", "min("}

STUBS = {
    "cuda": """#include <cstdint>
#define __host__
#define __device__
#define __global__
struct Dim { unsigned x; };
static Dim blockIdx, blockDim, threadIdx;
template <class T> int cudaMallocManaged(T** p, unsigned long n) { *p = static_cast<T*>(__builtin_malloc(n)); return 0; }
constexpr int cudaSuccess = 0;
inline int cudaDeviceSynchronize() { return 0; }
""",
}
STUBS["hip"] = STUBS["cuda"].replace("cuda", "hip")
TRITON = """
def jit(function): return function
"""
TRITON_LANGUAGE = """
import numpy as np
constexpr = int
int32, int64 = np.int32, np.int64
minimum, maximum = np.minimum, np.maximum
block = 0
def cast(value, dtype): return np.asarray(value).astype(dtype)
def program_id(axis): return np.int32(block)
def arange(start, end): return np.arange(start, end, dtype=np.int32)
class Pointer:
    def __init__(self, data, offsets=0): self.data, self.offsets = data, offsets
    def __add__(self, offsets): return Pointer(self.data, self.offsets + offsets)
def load(pointer, mask):
    return np.where(mask, pointer.data[np.where(mask, pointer.offsets, 0)], 0)
def store(pointer, value, mask):
    where = np.broadcast_to(mask, np.shape(pointer.offsets))
    pointer.data[pointer.offsets[where]] = value[where]
"""
JAX_NUMPY = """
from numpy import *
class _At:
    def __init__(self, array): self.array = array
    def __getitem__(self, where): return _Update(self.array, where)
class _Update:
    def __init__(self, array, where): self.array, self.where = array, where
    def set(self, values, mode):
        copy, where = self.array.copy(), self.where
        if ndim(where) == 0: where, values = asarray([where]), asarray([values])
        inside = where < copy.size
        copy[where[inside]] = values[inside]
        return copy.view(Array)
class Array(ndarray):
    @property
    def at(self): return _At(self)
_array = array
def array(values, dtype): return _array(values, dtype=dtype).view(Array)
"""


def random_layouts(seed, count):
    """Layouts with small extents: tiles, nested modes, swizzles and bases over F2."""
    rng = random.Random(seed)
    out = []
    while len(out) < count:
        kind = rng.randrange(4)
        if kind == 0:
            dims = [rng.randint(1, 13) for _ in range(rng.randint(1, 3))]
            order = rng.sample(range(len(dims)), len(dims))
            tiles = "".join(f"({','.join(str(rng.randint(1, 5)) for _ in range(rng.randint(1, len(dims))))})"
                            for _ in range(rng.randint(0, 2)))
            out.append(f"f32[{','.join(map(str, dims))}]{{{','.join(map(str, order))}{':T' + tiles if tiles else ''}}}")
        elif kind == 1:
            extents = [rng.randint(1, 6) for _ in range(4)]
            order, stride, strides = rng.sample(range(4), 4), 1, [0] * 4
            for mode in order:
                strides[mode] = stride
                stride *= extents[mode]
            out.append("(({},{}),({},{})):(({},{}),({},{}))".format(*extents, *strides))
        elif kind == 2:
            bits, base = rng.randint(1, 3), rng.randint(0, 3)
            out.append(f"Sw<{bits},{base},{bits + rng.randint(0, 1)}> o _{rng.choice([0, 8])} o (16,32):(32,1)")
        else:
            bases = [1 << k for k in range(6)]
            rng.shuffle(bases)
            bases[0] ^= bases[1]
            out.append(f"d0:{','.join(map(str, bases[:3]))} d1:{','.join(map(str, bases[3:]))}")
    return out


def questions(seed):
    for layout in LAYOUTS + SHARED + random_layouts(seed, 12):
        yield [layout], "offset"
        if layout not in SHARED:
            yield [layout, "--inverse"], "inverse"
            yield [layout, "--inverse", "--multiply-high"], "inverse"
    for text in MAPS:
        yield [text], "map"
        yield [text, "--loop", "--multiply-high"], "loop"
    yield ["examples/hlo/transformer_block.hlo", "--op", "scores", "--operand", "1"], "map"
    for source, target in COPIES:
        yield ["--from", source, "--to", target], "copy"
        yield ["--from", source, "--to", target, "--plan"], "plan"
    for source, target in WIDE_COPIES:
        yield ["--from", source, "--to", target, "--bytes", "4"], "copy"


def shell(command, **kwargs):
    return subprocess.run(command, capture_output=True, text=True, timeout=300, **kwargs)


def unlaunched(text):
    """A kernel launch as loops over blocks and threads."""
    return re.sub(r"(\w+)<<<(\d+), 256>>>\(dst, src\);",
                  r"blockDim.x = 256; for (blockIdx.x = 0; blockIdx.x < \2; ++blockIdx.x) "
                  r"for (threadIdx.x = 0; threadIdx.x < 256; ++threadIdx.x) \1(dst, src);", text)


class Runner:
    def __init__(self, folder, bin_dir):
        self.folder, self.tessera = folder, bin_dir / "tessera"
        self.numpy = importlib.util.find_spec("numpy") is not None
        self.real = {name for name in ("triton", "jax") if importlib.util.find_spec(name)}
        self.opt = shutil.which("mlir-opt-19") or shutil.which("mlir-opt")
        self.mlir = shutil.which("mlir-cpu-runner-19") or shutil.which("mlir-cpu-runner")
        self.nvcc = shutil.which("nvcc")
        modules = folder / "modules"
        (modules / "triton").mkdir(parents=True, exist_ok=True)
        (modules / "triton/__init__.py").write_text(TRITON)
        (modules / "triton/language.py").write_text(TRITON_LANGUAGE)
        (modules / "jax").mkdir(exist_ok=True)
        (modules / "jax/__init__.py").write_text("")
        (modules / "jax/numpy.py").write_text(JAX_NUMPY)
        (modules / "hip").mkdir(exist_ok=True)
        (modules / "hip/hip_runtime.h").write_text(STUBS["hip"])
        self.modules = modules

    def run(self, number, language, arguments, kind):
        """None if the test passed, otherwise the problem. `skipped` if a tool is missing or there is no answer."""
        test = [] if language == "mlir" and kind in ("loop", "copy", "plan") else ["--test"]
        made = shell([self.tessera, "code", *arguments, "--lang", language, *test], cwd=ROOT)
        if made.returncode != 0:
            expected = "not_applicable" in made.stderr or "error[limit]" in made.stderr
            return "skipped" if expected else made.stderr
        name = f"{language}_{number}"
        method = {"c": self.c, "cpp": self.c, "cuda": self.gpu, "hip": self.gpu, "mlir": self.affine}.get(language, self.python)
        problem = method(language, name, made.stdout, kind)
        return f"{problem}\n{made.stdout}" if problem and problem != "skipped" else problem

    def execute(self, command, **kwargs):
        done = shell(command, **kwargs)
        if done.returncode != 0 or "agree" not in done.stdout:
            return f"exit {done.returncode}: {done.stdout} {done.stderr}"
        return None

    def compiled(self, compiler, name, suffix, text, flags):
        source, program = self.folder / (name + suffix), self.folder / name
        source.write_text(text)
        done = shell([*compiler, "-O1", "-Wall", "-Wextra", "-Werror", "-fsanitize=undefined", "-fno-sanitize-recover=all", *flags, source,
                      "-o", program])
        if done.returncode != 0:
            return done.stderr
        return self.execute([program])

    def c(self, language, name, text, kind):
        if language == "c":
            return self.compiled([os.environ.get("CC", "cc"), "-std=c11"], name, ".c", text, [])
        return self.compiled([os.environ.get("CXX", "c++"), "-std=c++17"], name, ".cc", text, [])

    def gpu(self, language, name, text, kind):
        if self.nvcc and language == "cuda":
            source = self.folder / (name + ".cu")
            source.write_text(text)
            done = shell([self.nvcc, "-std=c++17", "-c", source, "-o", self.folder / (name + ".o")])
            if done.returncode != 0:
                return done.stderr
        stub = STUBS["cuda"] if language == "cuda" else ""
        return self.compiled([os.environ.get("CXX", "c++"), "-std=c++17"], name, ".cc", stub + unlaunched(text),
                             ["-I", self.modules, "-Wno-unused-variable", "-Wno-unused-function", "-Wno-sign-compare"])

    def python(self, language, name, text, kind):
        if language != "python" and not self.numpy:
            return "skipped"
        if language == "triton" and kind == "copy":
            # Replaces a launch: one call for each program.
            text = re.sub(r"import torch\n", "import numpy as np\n", text)
            text = re.sub(r"return torch.tensor\(values, dtype=torch.int(\d+), device=\"cuda\"\)",
                          r"return tl.Pointer(np.array(values, dtype=np.int\1))", text)
            text = re.sub(r"(\w+)\[\((\d+),\)\]\(dst, src, BLOCK=256\)",
                          r"for tl.block in range(\2):\n    \1(dst, src, BLOCK=256)", text)
            text = text.replace("dst.tolist()", "dst.data.tolist()")
        source = self.folder / (name + ".py")
        source.write_text(text)
        stand_in = language not in self.real or (language == "triton" and kind == "copy")
        return self.execute([sys.executable, source], env={**os.environ, "PYTHONPATH": str(self.modules) if stand_in else ""})

    def affine(self, language, name, text, kind):
        if not self.opt:
            return "skipped"
        source = self.folder / (name + ".mlir")
        source.write_text(text)
        parsed = shell([self.opt, source])
        if parsed.returncode != 0 or kind in ("loop", "copy", "plan"):
            return parsed.stderr or None
        if not self.mlir:
            return "skipped"
        lowered = shell([self.opt, "--lower-affine", "--convert-scf-to-cf", "--convert-cf-to-llvm", "--convert-arith-to-llvm", "--convert-func-to-llvm",
                         "--reconcile-unrealized-casts", source])
        if lowered.returncode != 0:
            return lowered.stderr
        done = shell([self.mlir, "-e", "main", "--entry-point-result=i32"], input=lowered.stdout)
        return None if done.returncode == 0 else f"exit {done.returncode}: {done.stdout} {done.stderr}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", required=True, type=pathlib.Path)
    parser.add_argument("--only", help="one language")
    parser.add_argument("--seed", type=int, default=15)
    parser.add_argument("--keep", type=pathlib.Path, help="keep the files in this folder")
    arguments = parser.parse_args()
    languages = [arguments.only] if arguments.only else ["c", "cpp", "cuda", "hip", "python", "numpy", "triton", "jax", "mlir"]
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.keep or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        runner = Runner(folder, arguments.bin.resolve())
        failed = 0
        for language in languages:
            asked = list(questions(arguments.seed))
            with concurrent.futures.ThreadPoolExecutor(2) as pool:
                results = list(pool.map(lambda item: runner.run(item[0], language, *item[1]), enumerate(asked)))
            passed = results.count(None)
            skipped = results.count("skipped")
            for (words, kind), result in zip(asked, results):
                if result not in (None, "skipped"):
                    failed += 1
                    print(f"{language} {kind} {words}:\n{result}")
            print(f"{language}: {passed} passed, {skipped} not applicable or without a tool, {len(results) - passed - skipped} failed")
            if passed == 0 and skipped != len(results):
                failed += 1
        return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
