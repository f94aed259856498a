# SPDX-License-Identifier: Apache-2.0
"""The gallery: a page for each vendor, with every atom of the catalogue and its picture, and a page of the named layouts."""

import json
import re
import shlex
import subprocess
from concurrent.futures import ThreadPoolExecutor


def draw(program, folder, atom):
    """Runs the command that the catalogue gives for an atom's picture, in `folder`; returns the file's name."""
    command = shlex.split(atom["picture"])
    assert command[0] == "tessera", command
    name = f"{atom['id']}.svg"
    subprocess.run([program, *command[1:], "--quiet", "--force", "-o", name], cwd=folder, check=True, capture_output=True)
    return name


def entry(atom):
    lines = [f"### {atom['id']}", "", f"{atom['meaning']}.", "", f'<a href="../_images/{atom["id"]}.svg">![{atom["layout"]}]({atom["id"]}.svg)</a>', ""]
    facts = [("layout", f"`{atom['layout']}`"), ("kind", atom["kind"])]
    if atom["element"]:
        facts.append(("element", f"{atom['element']}, {atom['element_bits']} bits"))
    if atom["notes"]:
        facts.append(("notes", atom["notes"]))
    facts.append(("source", atom["source"]))
    if atom["second"]:
        facts.append(("compared with", atom["second"]))
    if atom["same_layout"]:
        facts.append(("same layout", ", ".join(f"`{name}`" for name in atom["same_layout"])))
    facts.append(("draw it", f"`{atom['picture']}`"))
    cell = lambda text: str(text).replace("|", "\\|")
    lines += ["| | |", "| --- | --- |", *(f"| {name} | {cell(value)} |" for name, value in facts), ""]
    return "\n".join(lines)


def picture_of(family):
    """What is drawn of a family: its example, or so few rows of it that the offsets can be read."""
    return family["example"].replace("[300,7]", "[40,7]")


def family_entry(family):
    file = re.sub(r"\W+", "-", family["name"])
    example, picture = family["example"], picture_of(family)
    lines = [f"### {family['name']}", "", f"{family['meaning'][:1].upper()}{family['meaning'][1:]}.", "", f'<a href="../_images/{file}.svg">![{picture}]({file}.svg)</a>', ""]
    facts = [("example", f"`{example}`"), ("cell or bit", f"`{family['formula']}`")]
    facts += [(one["key"], one["meaning"]) for one in family["parameters"]]
    facts += [("used by", family["source"]), ("draw it", f"`tessera show '{picture}' --picture`")]
    cell = lambda text: str(text).replace("|", "\\|")
    return "\n".join([*lines, "| | |", "| --- | --- |", *(f"| {name} | {cell(value)} |" for name, value in facts), ""])


def write_families(stage, program, families):
    """Writes the page of the families of named layouts, and draws their examples."""
    def draw_family(family):
        file = re.sub(r"\W+", "-", family["name"]) + ".svg"
        subprocess.run([program, "show", picture_of(family), "--picture", "--quiet", "--force", "-o", file],
                       cwd=stage.folder / "gallery", check=True, capture_output=True)
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(draw_family, families))
    lines = ["---", "orphan: true", "---", "", "# Named layouts", "",
             "Orders of block scales, packings of narrow elements and blocks of GGUF;",
             "[Named layouts](../lookup/named-layouts.md) says how to use them.", ""]
    for prefix, title in [("scale", "Scale orders"), ("pack", "Packings"), ("gguf", "GGUF blocks")]:
        lines += [f"## {title}", "", *(family_entry(one) for one in families if one["name"].startswith(prefix + ":"))]
    stage.write("gallery/named-layouts.md", "\n".join(lines))


def write(stage, program):
    """Writes the pages and draws the pictures; returns how many."""
    answer = subprocess.run([program, "atoms", "--json"], check=True, capture_output=True, text=True)
    listed = json.loads(answer.stdout)
    atoms = listed["atoms"]
    folder = stage.folder / "gallery"
    folder.mkdir()
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda atom: draw(program, folder, atom), atoms))
    vendors = {}
    for atom in atoms:
        vendors.setdefault(atom["vendor"], {}).setdefault(atom["family"], []).append(atom)
    names = {}
    # Vendors with one or two atoms share a page.
    for vendor, families in vendors.items():
        count = sum(map(len, families.values()))
        names.setdefault(vendor if count > 2 else "Others", []).append((vendor, families))
    index = ["# Gallery", "", f"The {len(atoms)} atoms of the catalogue: layouts that hardware and libraries define. Each",
             "picture is the output of the command below it. [Atoms](../lookup/atoms.md) says how to search the",
             "catalogue and how to use its layouts.", "", "| page | atoms | families |", "| --- | ---: | --- |"]
    for page in sorted(names, key=lambda name: (name == "Others", name)):
        file = re.sub(r"\W+", "-", page.lower()) + ".md"
        lines, kinds, count = ["---", "orphan: true", "---", "", f"# {page}", ""], [], 0
        for vendor, families in names[page]:
            for family, members in families.items():
                heading = family if page != "Others" else f"{vendor}: {family}"
                kinds.append(heading)
                count += len(members)
                lines += [f"## {heading}", "", *(entry(atom) for atom in members)]
        stage.write(f"gallery/{file}", "\n".join(lines))
        index.append(f"| [{page}]({file}) | {count} | {', '.join(kinds)} |")
    write_families(stage, program, listed["families"])
    index.append(f"| [Named layouts](named-layouts.md) | {len(listed['families'])} | scale orders, packings, GGUF blocks |")
    stage.write("gallery/index.md", "\n".join(index) + "\n")
    return len(atoms) + len(listed["families"])
