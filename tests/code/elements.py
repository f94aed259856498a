#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles and runs the functions that read and write codes of named layouts: tessera code --get and --set.

    elements.py --bin DIR

For each name, a C program sets every element of a buffer to another code, and prints the buffer and the codes that it reads
back. The buffer must have each bit where 'tessera at' says, and no other bit. Python's functions read the same buffer.
"""

import argparse
import itertools
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

NAMES = [
    "scale:128x4(groups=5+130+3) u8[138,4]", "scale:128x4 u8[130,5]", "scale:hopper u16[40,3]", "scale:mn f32[5,7]", "scale:128x4(groups=3+5) u8[8,4]", "pack:low u4[3,5]",
    "pack:low u3[2,5]", "pack:low u3[8]", "pack:low f6e2m3fn[3,7]", "pack:words u5[3,7]", "pack:high u2[3,5]", "pack:halves u4[64]",
    "pack:gptq u3[64,6]", "pack:gptq u4[40,6]", "pack:gptq_p u3[32,2]", "pack:gptq_p u7[32,2]", "pack:awq u8[2,8]", "pack:hqq u1[16,3]",
    "pack:marlin u4[16,64]", "pack:aiter u8[16,32]", "gguf:q6_k u6[2,256]", "gguf:q3_k u3[256]", "gguf:q4_k.sc u6[2,8]", "gguf:q8_0.d f16[3]",
    "gguf:q5_0.qh u1[64]",
]

PROGRAM = """
#include <stdio.h>
#include <string.h>
{functions}
static uint8_t buffer[{bytes}];
int main(void) {{
  memset(buffer, {fill}, sizeof buffer);
  uint64_t k = 0;
  {loops} set_code(buffer, {index}, (k++ * 2654435761u >> 7) & {mask}u);
  for (unsigned i = 0; i < {bytes}; ++i) printf("%02x", buffer[i]);
  printf("\\n");
  {loops} printf("%llu ", (unsigned long long)get_code(buffer, {index}));
  printf("\\n");
  return 0;
}}
"""


def tessera(binary, *arguments):
    return subprocess.run([str(binary), *arguments], capture_output=True, text=True, check=True).stdout


def places(binary, name, indices):
    """The bit offset of each bit of each element, and the layout."""
    points = [",".join(map(str, index)) for index in indices]
    answer = json.loads(tessera(binary, "at", "--json", name, *points))
    bits = answer["layout"]["element_bits"]
    rows = []
    for result in answer["results"]:
        if "runs" in result:
            rows.append([run["byte"] * 8 + run["bit"] + i for run in result["runs"] for i in range(run["count"])])
        else:
            rows.append([result["offset"] * bits + i for i in range(bits)])
    return rows, bits


def check(binary, name, fill, folder):
    shape = [int(n) for n in name[name.rindex("[") + 1 : -1].split(",")]
    indices = list(itertools.product(*map(range, shape)))
    rows, bits = places(binary, name, indices)
    get, put = tessera(binary, "code", name, "--get"), tessera(binary, "code", name, "--set")
    size = int(get.split("in a buffer of ")[1].split(" ")[0])
    loops = " ".join(f"for (int64_t i{d} = 0; i{d} < {n}; ++i{d})" for d, n in enumerate(shape))
    source = PROGRAM.format(functions=get + put, bytes=size, fill=fill, loops=loops, mask=(1 << bits) - 1,
                            index=", ".join(f"i{d}" for d in range(len(shape))))
    (folder / "a.c").write_text(source)
    subprocess.run([shutil.which("cc"), "-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", "-fsanitize=undefined", "-fno-sanitize-recover",
                    "-o", folder / "a", folder / "a.c"], check=True)
    lines = subprocess.run([folder / "a"], capture_output=True, text=True, check=True).stdout.split("\n")
    buffer, read = bytes.fromhex(lines[0]), [int(n) for n in lines[1].split()]
    codes = [(k * 2654435761 >> 7) & ((1 << bits) - 1) for k in range(len(indices))]
    expected = bytearray([fill] * size)
    for row, code in zip(rows, codes, strict=True):
        for i, place in enumerate(row):
            expected[place // 8] = expected[place // 8] & ~(1 << place % 8) | (code >> i & 1) << place % 8
    python = {}
    exec(tessera(binary, "code", name, "--get", "--lang", "python") + tessera(binary, "code", name, "--set", "--lang", "python"), python)
    again = bytearray([fill] * size)
    for index, code in zip(indices, codes, strict=True):
        python["set_code"](again, *index, code)
    problems = []
    if buffer != bytes(expected):
        problems.append("C writes another buffer")
    if read != codes:
        problems.append("C reads other codes")
    if again != expected:
        problems.append("Python writes another buffer")
    if [python["get_code"](buffer, *index) for index in indices] != codes:
        problems.append("Python reads other codes")
    return [f"{name}: {problem}" for problem in problems]


def run_test(text, language, folder):
    """Whether the generated test ends well."""
    file = folder / {"c": "t.c", "cpp": "t.cc", "python": "t.py"}[language]
    file.write_text(text)
    if language == "python":
        return subprocess.run([sys.executable, file], capture_output=True, check=False).returncode == 0
    compiler = [shutil.which("cc"), "-std=c11"] if language == "c" else [shutil.which("c++"), "-std=c++20"]
    subprocess.run([*compiler, "-O1", "-Wall", "-Wextra", "-Werror", "-o", folder / "t", file], check=True)
    return subprocess.run([folder / "t"], capture_output=True, check=False).returncode == 0


def check_tests(binary, name, folder):
    """The tests of --get and --set hold, and notice a function that is wrong by one bit."""
    problems = []
    for language, option in itertools.product(("c", "cpp", "python"), ("--get", "--set")):
        text = tessera(binary, "code", name, option, "--lang", language, "--test")
        if not run_test(text, language, folder):
            problems.append(f"{name}: the test of {option} in {language} fails")
        if option == "--get":
            begin = text.index("return ", text.index("get_code(")) + len("return ")
            end = text.index("\n" if language == "python" else ";", begin)
            wrong = f"{text[:begin]}1 ^ ({text[begin:end]}){text[end:]}"
        else:
            begin = text.index("code) >>" if language == "python" else "code >>", text.index("set_code("))
            wrong = f"{text[:begin]}{'code + 1' if language == 'python' else '(code + 1)'}{text[begin + len('code'):]}"
        if run_test(wrong, language, folder):
            problems.append(f"{name}: the test of {option} in {language} cannot fail")
    return problems


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True, type=pathlib.Path)
    options = parser.parse_args()
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        for name in NAMES:
            for fill in (0, 255):
                problems += check(options.bin / "tessera", name, fill, pathlib.Path(folder))
        for name in ["pack:gptq u3[64,6]", "pack:awq u4[8,16]", "gguf:q6_k u6[2,256]", "scale:128x4 u8[130,5]", "pack:low u3[1024,1537]"]:
            problems += check_tests(options.bin / "tessera", name, pathlib.Path(folder))
    print("\n".join(problems))
    print(f"{len(NAMES)} names, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
