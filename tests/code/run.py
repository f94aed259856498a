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
SIZED = [
    ("f32[M,N]{1,0:T(8,128)}", "N % 128 == 0"), ("f32[M,N]{1,0:T(8,128)}", ""), ("bf16[M,N]{1,0:T(8,128)(2,1)}", "M <= 40, N <= 300"), ("f32[M,N]{1,0:T(T,4)}", "T >= 2"),
    ("(M,N):(N,1)", "M in [1, 100], N in [1, 100]"), ("(M,(4,N)):(1,(M,4*M))", ""), ("(8,N/8):(1,8)", "N % 8 == 0"), ("((M,K),N):((1,M),M*K)", ""), ("(M,N)", ""),
    ("(M,(K,N/K)):(1,(M,K*M))", "N % K == 0"), ("(ceil_div(M,4),4):(4,1)", ""), ("(M,N):(min(N,8),1)", ""), ("((3,M),5):((10,30),1) crop (2*M,4)", ""),
    ("np:(M,N):(K,1) + C", ""), ("np:(M,N):(-N,1) + M*N", ""), ("MxN:[0, 1, 0 p(8)]", "M % 8 == 0"), ("MxN:[1, 0, 1 p(2), 0 p(3)]", ""), ("NxCxHxW:aBcd16b", ""), ("MxN:BA4b2a", ""),
    ("(for,int):(int,1)", "for <= 9, int <= 9"),
]
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


def random_sized(seed, count):
    """Layouts with names for sizes: the names are arguments of the function."""
    rng = random.Random(seed)
    extent = lambda: rng.choice(["M", "N", "K", "2", "3", "M + 1", "2*N", "M*K"])
    out = []
    while len(out) < count:
        kind = rng.randrange(3)
        if kind == 0:
            order = rng.choice(["1,0", "0,1"])
            tile = rng.choice(["", ":T(2,4)", ":T(4)", ":T(2,K)", ":T(4,2)(2,1)"])
            out.append((f"f32[{extent()},{extent()}]{{{order}{tile}}}", rng.choice(["", "N % 4 == 0", "M <= N"])))
        elif kind == 1:
            out.append(("(({},{}),({},{})):(({},M),(N,{}))".format(*(extent() for _ in range(5)), rng.choice(["1", "0", "K*N"])), ""))
        else:
            out.append((f"({extent()},{extent()})", rng.choice(["", "M in [1, 9], N in [1, 9], K in [1, 9]"])))
    return out


def questions(seed):
    for layout in LAYOUTS + SHARED + random_layouts(seed, 12):
        yield [layout], "offset"
        if layout not in SHARED:
            yield [layout, "--inverse"], "inverse"
            yield [layout, "--inverse", "--multiply-high"], "inverse"
    for layout, where in SIZED + random_sized(seed, 8):
        yield [layout, *(["--where", where] if where else [])], "offset"
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
        self.cxx = [os.environ.get("CXX", "c++"), "-std=c++17"]
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

    def written(self, language, arguments, kind):
        """(text, problem): the program that tessera writes, or why there is none: `skipped` if it has no answer."""
        test = [] if language == "mlir" and kind in ("loop", "copy", "plan") else ["--test"]
        made = shell([self.tessera, "code", *arguments, "--lang", language, *test], cwd=ROOT)
        if made.returncode == 0:
            return made.stdout, None
        expected = "not_applicable" in made.stderr or "error[limit]" in made.stderr
        return "", "skipped" if expected else made.stderr

    def run(self, name, language, text, kind):
        """None if the test passed, otherwise the problem. `skipped` if a tool is missing."""
        method = {"c": self.c, "cpp": self.cpp, "cuda": self.gpu, "hip": self.gpu, "mlir": self.affine}.get(language, self.python)
        problem = method(language, name, text, kind)
        return f"{problem}\n{text}" if problem and problem != "skipped" else problem

    def run_together(self, name, language, texts):
        """True if all C++ programs pass when one program has them in namespaces, which compiles in a fifth of the time."""
        includes, parts = [], []
        for number, text in enumerate(texts):
            text = self.as_cpp(language, text)
            includes += [line for line in text.splitlines() if line.startswith("#include")]
            body = "\n".join(line for line in text.splitlines() if not line.startswith("#include"))
            parts.append(f"namespace program_{number} {{\n{re.sub(r'int main[(][)]', 'int run()', body)}\n}}")
        calls = " && ".join(f"program_{number}::run() == 0" for number in range(len(texts)))
        whole = [*dict.fromkeys(includes), STUBS["cuda"] if language == "cuda" else "", *parts, f"int main() {{ return {calls} ? 0 : 1; }}\n"]
        return self.compiled(self.cxx, name, ".cc", "\n".join(whole), self.cpp_flags(language), agreeing=len(texts)) is None

    def execute(self, command, agreeing=1, **kwargs):
        done = shell(command, **kwargs)
        if done.returncode != 0 or done.stdout.count("agree") != agreeing:
            return f"exit {done.returncode}: {done.stdout} {done.stderr}"
        return None

    def compiled(self, compiler, name, suffix, text, flags, agreeing=1):
        source, program = self.folder / (name + suffix), self.folder / name
        source.write_text(text)
        done = shell([*compiler, "-O1", "-Wall", "-Wextra", "-Werror", "-fsanitize=undefined", "-fno-sanitize-recover=all", *flags, source,
                      "-o", program])
        if done.returncode != 0:
            return done.stderr
        return self.execute([program], agreeing)

    def c(self, language, name, text, kind):
        return self.compiled([os.environ.get("CC", "cc"), "-std=c11"], name, ".c", text, [])

    def as_cpp(self, language, text):
        return text if language == "cpp" else unlaunched(text)

    def cpp_flags(self, language):
        return [] if language == "cpp" else ["-I", self.modules, "-Wno-unused-variable", "-Wno-unused-function", "-Wno-sign-compare"]

    def cpp(self, language, name, text, kind):
        stub = STUBS["cuda"] if language == "cuda" else ""
        return self.compiled(self.cxx, name, ".cc", stub + self.as_cpp(language, text), self.cpp_flags(language))

    def gpu(self, language, name, text, kind):
        if self.nvcc and language == "cuda":
            source = self.folder / (name + ".cu")
            source.write_text(text)
            done = shell([self.nvcc, "-std=c++17", "-c", source, "-o", self.folder / (name + ".o")])
            if done.returncode != 0:
                return done.stderr
        return self.cpp(language, name, text, kind)

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


def test_all(runner, language, asked, pool):
    """The problem of each question; None if it passed."""
    written = list(pool.map(lambda question: runner.written(language, *question), asked))
    results = [problem for _, problem in written]
    alone = [number for number, problem in enumerate(results) if problem is None]
    if language in ("cpp", "hip") or (language == "cuda" and not runner.nvcc):
        # One program of each kind is compiled alone, so that all includes are tested. If others fail together, each is
        # compiled alone to find the wrong one.
        kinds = [asked[number][1] for number in alone]
        together = [number for place, number in enumerate(alone) if kinds[place] in kinds[:place]]
        groups = [together[first:first + 24] for first in range(0, len(together), 24)]
        good = pool.map(lambda group: runner.run_together(f"{language}_from_{group[0]}", language,
                                                          [written[number][0] for number in group]), groups)
        passed = {number for group, passes in zip(groups, good) if passes for number in group}
        alone = [number for number in alone if number not in passed]
    problems = pool.map(lambda number: runner.run(f"{language}_{number}", language, written[number][0], asked[number][1]), alone)
    for number, problem in zip(alone, problems):
        results[number] = problem
    return results


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
                results = test_all(runner, language, asked, pool)
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
