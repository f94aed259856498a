#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the recipes of packaging/ against CMakeLists.txt: same version, and only options that exist.

    check_recipes.py SOURCE_DIR      exits with 0, or with 1 and one line for each difference
    check_recipes.py --self-test     checks on made-up recipes that each rule can fail
"""

import ast
import json
import pathlib
import re
import sys


def problems(cmake, vcpkg, texts):
    """`cmake` is the text of CMakeLists.txt, `vcpkg` the text of vcpkg.json, `texts` {name: text of a recipe}."""
    result = []
    version = re.search(r"project\(tessera VERSION ([0-9.]+)", cmake).group(1)
    given = json.loads(vcpkg)["version"]
    if given != version:
        result.append(f"vcpkg.json: version {given}, but the project has {version}")
    options = set(re.findall(r"option\((TESSERA_\w+)", cmake))
    for name, text in texts.items():
        if name.endswith(".py"):
            ast.parse(text, name)
        result += [f"{name}: there is no option {used}"
                   for used in sorted(set(re.findall(r"TESSERA_[A-Z_]+", text)) - options)]
    return result


def self_test():
    cmake = "project(tessera VERSION 1.2.3)\noption(TESSERA_ONE)\n"
    cases = [('{"version": "1.2.3"}', "TESSERA_ONE", 0), ('{"version": "1.2"}', "TESSERA_ONE", 1),
             ('{"version": "1.2.3"}', "-DTESSERA_TWO=ON", 1)]
    failed = [case for case in cases if len(problems(cmake, case[0], {"portfile.cmake": case[1]})) != case[2]]
    print("\n".join(f"self-test: {case}" for case in failed) or "3 cases")
    return 1 if failed else 0


def main():
    if sys.argv[1] == "--self-test":
        return self_test()
    root = pathlib.Path(sys.argv[1])
    texts = {name: (root / "packaging" / name).read_text() for name in ("vcpkg/portfile.cmake", "conan/conanfile.py")}
    found = problems((root / "CMakeLists.txt").read_text(), (root / "packaging/vcpkg/vcpkg.json").read_text(), texts)
    print("\n".join(found) or "3 recipes")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
