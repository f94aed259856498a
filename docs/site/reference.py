# SPDX-License-Identifier: Apache-2.0
"""The C++ reference: a page for each public header, from its comments.

Doxygen reads the headers, and this file writes what it found as Markdown. (Breathe with Sphinx's C++ directives does the
same, but needs minutes for one namespace in 45 files.)
"""

import re
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree

DOXYFILE = """
PROJECT_NAME = Tessera
INPUT = {root}/include/tessera
RECURSIVE = YES
EXCLUDE_PATTERNS = */detail/*
EXCLUDE_SYMBOLS = tessera::detail* std::hash*
STRIP_FROM_PATH = {root}/include
OUTPUT_DIRECTORY = {out}
GENERATE_HTML = NO
GENERATE_LATEX = NO
GENERATE_XML = YES
XML_PROGRAMLISTING = NO
HAVE_DOT = NO
JAVADOC_AUTOBRIEF = YES
MACRO_EXPANSION = YES
EXTRACT_ALL = YES
QUIET = YES
WARNINGS = NO
"""
HIDDEN = ("private", "protected", "package")
OBJECTS = ("function", "variable", "typedef", "enum", "friend")


def page_of(header):
    """The page of a header: include/tessera/map/judge.h -> api/map/judge.md."""
    return "api/" + header.removeprefix("include/tessera/").removesuffix(".h") + ".md"


def sections(umbrella):
    """[(heading, [(header, what it declares)])] from the comments of tessera.h."""
    result = []
    for line in umbrella.splitlines():
        heading = re.fullmatch(r"// ([A-Z].*)\.", line)
        header = re.match(r'#include "tessera/([\w/]+\.h)"\s*// (.*)', line)
        if heading:
            result.append((heading.group(1), []))
        elif header:
            result[-1][1].append((header.group(1), header.group(2)))
    return [section for section in result if section[1]]


def plain(node):
    """The text of a node on one line; '' for none."""
    return " ".join("".join(node.itertext()).split()) if node is not None else ""


def inline(node):
    """The content of a paragraph as Markdown."""
    out = re.sub(r"([\\*_<\[\]`$|])", r"\\\1", node.text or "")
    for child in node:
        if child.tag == "computeroutput":
            code = plain(child)
            out += f"`` {code} ``" if "`" in code else f"`{code}`"
        elif child.tag == "ulink":
            out += f"[{inline(child)}]({child.get('url')})"
        elif child.tag in ("bold", "emphasis"):
            mark = "**" if child.tag == "bold" else "*"
            out += mark + inline(child) + mark
        elif child.tag in ("ndash", "mdash"):
            out += "-"
        elif child.tag in BLOCKS:
            out += "\n\n" + BLOCKS[child.tag](child) + "\n\n"
        else:
            out += inline(child)
        out += re.sub(r"([\\*_<\[\]`$|])", r"\\\1", child.tail or "")
    return out


def listing(node):
    return "~~~cpp\n" + "\n".join("".join(" " if part.tag == "sp" else part.text or "" for part in line.iter())
                                  for line in node.iter("codeline")) + "\n~~~"


def bullets(node):
    return "\n".join("- " + markdown(item).replace("\n", "\n  ") for item in node.findall("listitem"))


def parameters(node):
    return "\n".join(f"- `{plain(item.find('parameternamelist'))}`: {markdown(item.find('parameterdescription'))}"
                     for item in node.findall("parameteritem"))


BLOCKS = {
    "programlisting": listing, "itemizedlist": bullets, "orderedlist": bullets, "parameterlist": parameters,
    "simplesect": lambda node: f"{node.get('kind', '').capitalize()}: {markdown(node)}",
    "verbatim": lambda node: f"~~~text\n{(node.text or '').strip()}\n~~~",
    "preformatted": lambda node: f"~~~text\n{plain(node)}\n~~~",
}


def markdown(node):
    """A description as Markdown."""
    if node is None:
        return ""
    parts = [inline(child) if child.tag == "para" else "" for child in node]
    text = "\n\n".join(part.strip() for part in parts if part.strip())
    return re.sub(r"\n{3,}", "\n\n", text)


def description(entry):
    brief, detail = markdown(entry.find("briefdescription")), markdown(entry.find("detaileddescription"))
    # Doxygen cuts the first sentence off.
    return f"{brief}{'' if not brief or not detail else chr(10) * 2 if detail.startswith(('-', '~')) else ' '}{detail}"


def line_of(entry):
    return int(entry.find("location").get("line", "0"))


def template(entry):
    given = entry.find("templateparamlist")
    if given is None:
        return ""
    parts = []
    for param in given.findall("param"):
        part = plain(param.find("type"))
        name, default = plain(param.find("declname")), plain(param.find("defval"))
        if name and not re.search(rf"\b{re.escape(name)}$", part):
            part += " " + name
        parts.append(part + (f" = {default}" if default else ""))
    requires = plain(entry.find("requiresclause"))
    return f"template<{', '.join(parts)}> " + (f"requires {requires} " if requires else "")


def declaration(entry):
    """The declaration of a function, variable, type or enum, without its namespace and class."""
    kind, name = entry.get("kind"), plain(entry.find("name"))
    if kind == "enum":
        return name + (f" : {plain(entry.find('type'))}" if plain(entry.find("type")) else "")
    words = plain(entry.find("type")).replace("friend ", "")
    if kind == "typedef":
        if words.startswith("using "):  # an alias template
            words = words.removeprefix("using ")
        return f"{template(entry)}{name} = {words}"
    if entry.get("explicit") == "yes" and "explicit" not in words:
        words = "explicit " + words
    if entry.get("static") == "yes":
        words = "static " + words
    arguments = plain(entry.find("argsstring"))
    text = f"{template(entry)}{words} {name}{arguments}" if words else f"{template(entry)}{name}{arguments}"
    value = plain(entry.find("initializer"))
    if kind == "variable" and value and len(value) < 60:
        text += f" {value}"
    return re.sub(r"\s+", " ", re.sub(r"\s*=\s*(default|delete)$", r" = \1", text)).strip()


def code(text):
    """A declaration as a block, broken before its arguments if it is long."""
    if len(text) > 100 and "(" in text:
        head, _, rest = text.partition(re.search(r"[\w>=!<+*-]+\(", text).group(0))
        text = f"{head.rstrip()}\n    {text[len(head):]}" if head.strip() else text
    return f"```cpp\n{text}\n```"


class Writer:
    def __init__(self, folder):
        self.folder = folder
        self.compounds = {}

    def read(self, refid):
        if refid not in self.compounds:
            self.compounds[refid] = ElementTree.parse(self.folder / f"{refid}.xml").getroot().find("compounddef")
        return self.compounds[refid]

    def member(self, entry):
        """A declaration and, indented, what its comment says."""
        text, body = declaration(entry), description(entry)
        if entry.get("kind") == "enum":
            text = ("enum class " if entry.get("strong") == "yes" else "enum ") + text
            rows = [f"- `{plain(value.find('name'))}`" + (f": {description(value)}" if description(value) else "")
                    for value in entry.findall("enumvalue")]
            body += "\n\n" + "\n".join(rows)
        quoted = "\n".join(f"> {line}".rstrip() for line in body.strip().splitlines())
        return code(text) + (f"\n\n{quoted}\n" if quoted else "\n")

    def compound(self, refid, level=2):
        """A class with its public members. Members without a comment follow each other in one block."""
        entry = self.read(refid)
        name = plain(entry.find("compoundname")).removeprefix("tessera::")
        parts = [f"{'#' * level} {name}", "", code(f"{template(entry)}{entry.get('kind')} {name}"), "", description(entry), ""]
        members = [m for section in entry.findall("sectiondef") for m in section.findall("memberdef")
                   if m.get("prot") not in HIDDEN and m.get("kind") in OBJECTS and line_of(m)]
        inner = [child for child in entry.findall("innerclass") if child.get("prot") not in HIDDEN]
        found = [(line_of(m), self.member(m)) for m in members if not plain(m.find("type")).startswith("friend class")]
        found += [(line_of(self.read(child.get("refid"))), self.compound(child.get("refid"), level + 1)) for child in inner]
        return "\n".join(parts + [text for _, text in sorted(found, key=lambda pair: pair[0])]).replace("\n```\n\n```cpp\n", "\n")

    def page(self, header):
        """The page of a header, tessera/map/judge.h."""
        parts = [(line_of(compound), self.compound(refid)) for refid, compound in self.files[header]["classes"]]
        names, functions = set(), []
        for member in sorted(self.files[header]["members"], key=line_of):
            name = plain(member.find("name"))
            heading = "" if name in names else f"## {name}\n\n".replace("operator", "operator ")
            names.add(name)
            functions.append((line_of(member), heading + self.member(member)))
        text = "\n".join(part for _, part in sorted(parts + functions, key=lambda pair: pair[0]))
        about = description(self.files[header]["file"]) if self.files[header]["file"] is not None else ""
        return (f"---\norphan: true\n---\n\n# {header.removeprefix('tessera/')}\n\n{about}\n\n"
                f"```cpp\n#include \"{header}\"\n```\n\n{text}\n")

    def load(self):
        """Sorts what Doxygen found by file."""
        index = ElementTree.parse(self.folder / "index.xml").getroot()
        self.files = {}
        of = lambda path: self.files.setdefault(path, {"file": None, "classes": [], "members": []})
        for item in index.findall("compound"):
            kind, refid = item.get("kind"), item.get("refid")
            if kind not in ("file", "namespace", "class", "struct"):
                continue
            entry = self.read(refid)
            location = entry.find("location")
            if kind == "file":
                of(location.get("file"))["file"] = entry
            elif kind == "namespace":
                for member in entry.iter("memberdef"):
                    if member.get("kind") in OBJECTS and not plain(entry.find("compoundname")).endswith("detail"):
                        of(member.find("location").get("file"))["members"].append(member)
            elif plain(entry.find("compoundname")).count("::") == 1:
                of(location.get("file"))["classes"].append((refid, entry))


def first_sentence(writer, header):
    entry = writer.files[f"tessera/{header}"]["file"]
    return markdown(entry.find("briefdescription")) or description(entry).partition(". ")[0]


def write_cpp(stage, root, out):
    """Writes the pages; returns those of the contents."""
    if not shutil.which("doxygen"):
        raise SystemExit("docs: doxygen is missing; scripts/bootstrap docs installs it")
    doxygen = out / "doxygen"
    shutil.rmtree(doxygen, ignore_errors=True)
    doxygen.mkdir(parents=True)
    (doxygen / "Doxyfile").write_text(DOXYFILE.format(root=root, out=doxygen))
    subprocess.run(["doxygen", doxygen / "Doxyfile"], check=True)
    writer = Writer(doxygen / "xml")
    writer.load()
    lines = ["# C++ reference", "", "The public headers, in the order in which to learn them. `tessera/tessera.h` includes them all.", ""]
    pages = []
    found = sections((root / "include/tessera/tessera.h").read_text())
    listed = {header for _, headers in found for header, _ in headers} | {"tessera.h"}
    others = sorted(path.relative_to(root / "include/tessera").as_posix() for path in (root / "include/tessera").rglob("*.h"))
    others = [(header, first_sentence(writer, header)) for header in others if header not in listed and "detail/" not in header]
    for heading, headers in found + ([("Not in tessera.h", others)] if others else []):
        lines += [f"## {heading}", "", "| header | |", "| --- | --- |"]
        for header, meaning in headers:
            page = page_of(header)
            pages.append(page.removeprefix("api/"))
            lines.append(f"| [`{header}`]({pages[-1]}) | {meaning} |")
            stage.write(page, writer.page(f"tessera/{header}"))
        lines.append("")
    stage.write("api/cpp.md", "\n".join(lines) + "\n")
    return ["api/cpp.md"]
