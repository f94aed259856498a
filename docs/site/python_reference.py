# SPDX-License-Identifier: Apache-2.0
"""The Python reference: every public name of the package with its docstring."""

import importlib
import inspect
import re
import sys

MODULES = ["tessera", "tessera.cute", "tessera.hlo", "tessera.files", "tessera.jax", "tessera.torch", "tessera.mpi"]


def markdown(text):
    """A docstring as Markdown: examples of the interpreter become blocks."""
    out, example = [], False
    for line in inspect.cleandoc(text or "").splitlines():
        if line.startswith(">>>") and not example:
            out += ["", "~~~pycon"]
            example = True
        elif example and not line.strip():
            out.append("~~~")
            example = False
        out.append(line if example else re.sub(r"([\\*_<\[\]$|])", r"\\\1", line) if "`" not in line else line)
    return "\n".join(out + (["~~~"] if example else []))


def split(name, doc):
    """(signature, text) of a docstring; the binding writes signatures into its first lines."""
    lines = (doc or "").strip().splitlines()
    signature = ""
    while lines and re.match(rf"(?:\d+\. )?`*{re.escape(name)}\(", lines[0]):
        signature = signature or lines[0].strip("`")
        lines.pop(0)
    return re.sub(r"^\d+\. ", "", signature), "\n".join(lines).strip()


def signature_of(name, value, doc):
    found, text = split(name.rpartition(".")[2], doc)
    if not found:
        try:
            found = name.rpartition(".")[2] + str(inspect.signature(value))
        except (TypeError, ValueError):
            found = name.rpartition(".")[2] + "()"
    found = re.sub(r" at 0x[0-9a-f]+", "", found).replace("self, ", "").replace("(self)", "()")
    found = re.sub(r"-> '([^']*)'$", r"-> \1", found)
    return found.replace("\n", " "), text


def entry(kind, title, text, depth, inner="", option=""):
    fence = "`" * depth
    return f"{fence}{{py:{kind}}} {title}\n{option}\n{markdown(text)}\n\n{inner}\n{fence}\n"


def members(value):
    parts = []
    for name, member in vars(value).items():
        if name.startswith("_"):
            continue
        if isinstance(member, property) or type(member).__name__ == "nb_static_property":
            # The binding writes `(self) -> str` first.
            found = re.match(r"\(self\) -> (.*)\s*", member.__doc__ or "")
            text = (member.__doc__ or "")[found.end() if found else 0:]
            parts.append(entry("property", name, text, 3, option=f":type: {found.group(1)}\n" if found else ""))
        elif callable(member) or isinstance(member, (staticmethod, classmethod)):
            member = getattr(value, name)
            signature, text = signature_of(name, member, member.__doc__)
            parts.append(entry("method", signature, text, 3))
    return "\n".join(parts)


def write(stage, folder):
    """Writes the pages; returns those of the contents."""
    sys.path.insert(0, str(folder))
    lines = ["# Python reference", "", "Every public name of the package, by module. [From Python](../do/use-from-python.md) begins."
             if "do/use-from-python.md" in stage.names else "Every public name of the package, by module.", ""]
    for module_name in MODULES:
        try:
            module = importlib.import_module(module_name)
        except ImportError:  # an optional library is absent
            continue
        page = module_name.replace(".", "-") + ".md"
        lines.append(f"- [{module_name}](python/{page}): {(module.__doc__ or '').strip().splitlines()[0] if module.__doc__ else ''}")
        body = ["---", "orphan: true", "---", "", f"# {module_name}", "", markdown(module.__doc__), "",
                f"```{{py:module}} {module_name}\n```", ""]
        names = getattr(module, "__all__", [name for name in vars(module) if not name.startswith("_")])
        for name in names:
            if f"{module_name}.{name}" in MODULES:
                continue
            value = getattr(module, name, None)
            if inspect.ismodule(value) or value is None:
                continue
            if inspect.isclass(value):
                body.append(entry("class", name, split(name, value.__doc__)[1], 4, members(value)))
            elif callable(value):
                signature, text = signature_of(name, value, value.__doc__)
                body.append(entry("function", signature, text, 3))
        stage.write(f"api/python/{page}", "\n".join(body) + "\n")
    stage.write("api/python.md", "\n".join(lines) + "\n")
    return ["api/python.md"]
