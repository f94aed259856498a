#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the scripts and the style sheet of the pages of reports, src/report/page.

    check_page.py SOURCE_DIR     exits with 0 and prints a count, or with 1 and one line for each problem
    check_page.py --self-test    checks on made-up files that each rule can fail

Each script, and those of each page together as it loads them, must be correct for Node, if it is installed. A browser runs
them in one global scope, where two scripts must not declare the same name. The style sheet must have matching braces, and
every variable that it or a script uses.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

PAGES = [["logic.js", "pictures.js", "table.js", "costs.js", "instruction.js", "views.js"], ["logic.js", "pictures.js", "table.js", "kernel.js"]]
SCRIPTS = sorted({name for page in PAGES for name in page})
STYLE = "page.css"


def syntax_errors(name, text):
    with tempfile.NamedTemporaryFile("w", suffix=".js") as file:
        file.write(text)
        file.flush()
        done = subprocess.run(["node", "--check", file.name], capture_output=True, text=True, check=False)
    return [] if done.returncode == 0 else [f"{name}: {done.stderr.strip().replace(file.name, name)}"]


def style_problems(name, text):
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    depth = 0
    for number, line in enumerate(text.splitlines(), 1):
        for sign in re.findall(r"[{}]", line):
            depth += 1 if sign == "{" else -1
            if depth < 0:
                return [f"{name}:{number}: a brace too many"]
    return [f"{name}: {depth} braces are not closed"] if depth else []


def problems_of(files):
    """The problems of a dictionary from file names to texts."""
    out = []
    if shutil.which("node"):
        for name in SCRIPTS:
            out += syntax_errors(name, files[name])
        if not out:
            for page in PAGES:
                out += syntax_errors("the scripts of a page together", "\n".join(files[name] for name in page))
    out += style_problems(STYLE, files[STYLE])
    # The scripts set the widths of a table themselves.
    scripts = "".join(files[name] for name in SCRIPTS)
    known = set(re.findall(r"--([\w-]+):", files[STYLE])) | set(re.findall(r'setProperty\("--([\w-]+)"', scripts))
    used = re.findall(r"var\(--([\w-]+)", files[STYLE]) + re.findall(r'colorOf\("([\w-]+)"\)', scripts)
    out += [f"{STYLE}: no variable --{name}" for name in sorted(set(used) - known)]
    return out


def self_test():
    good = {name: '"use strict";\n' for name in SCRIPTS} | {STYLE: ":root { --a: 1; } p { width: var(--a); }\n"}
    node = shutil.which("node") is not None
    cases = [({}, 0), ({"logic.js": "const a = ;\n"}, int(node)), ({"logic.js": "const a = 1;\n", "views.js": "const a = 2;\n"}, int(node)), ({"kernel.js": "const a = 1;\n", "views.js": "const a = 2;\n"}, 0),
             ({STYLE: "p { width: 1px; } }\n"}, 1), ({STYLE: "p { width: 1px;\n"}, 1), ({STYLE: "p { width: var(--b); }\n"}, 1),
             ({"views.js": 'colorOf("b");\n'}, 1), ({"views.js": 'x.setProperty("--b", 1);\n', STYLE: "p { width: var(--b); }\n"}, 0)]
    failed = [(change, problems_of(good | change)) for change, expected in cases if len(problems_of(good | change)) != expected]
    print("\n".join(map(str, failed)) or f"{len(cases)} cases")
    return 1 if failed else 0


def main():
    if sys.argv[1] == "--self-test":
        return self_test()
    folder = pathlib.Path(sys.argv[1]) / "src/report/page"
    on_disk = {path.name for pattern in ("*.js", "*.css") for path in folder.glob(pattern)}
    problems = [f"{name}: not checked; list it in check_page.py" for name in sorted(on_disk - {*SCRIPTS, STYLE})]
    problems += problems_of({name: (folder / name).read_text() for name in [*SCRIPTS, STYLE]})
    print("\n".join(problems) or f"{len(on_disk)} files" + ("" if shutil.which("node") else ", without Node"))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
