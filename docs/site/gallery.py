# SPDX-License-Identifier: Apache-2.0
"""The gallery: a page for each vendor, with every atom of the catalogue and its picture."""

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


def write(stage, program):
    """Writes the pages and draws the pictures; returns how many."""
    answer = subprocess.run([program, "atoms", "--json"], check=True, capture_output=True, text=True)
    atoms = json.loads(answer.stdout)["atoms"]
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
    stage.write("gallery/index.md", "\n".join(index) + "\n")
    return len(atoms)
