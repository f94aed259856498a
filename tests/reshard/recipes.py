#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random recipes through `tessera reshard`, compared with an evaluator of its own.

    recipes.py --bin DIR [--cases N] [--seed S] [--places P]

A case is a rule: named axes, pieces, and the forms of both sides (axis expressions, names, places, shardings, crops).
The evaluator lists the cells of every stored tensor and says which element each holds; it shares no code with the
program. Compared are the files that are written, the pieces that --dry-run prints, the maps of `reshard map`, and what
the program does when a recipe is wrong: a change that the help proposes is made, and must leave every element the one
that the evaluator says.
"""

import argparse
import itertools
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

import numpy as np

from checkpoints import read, write

FAILED = []


def expect(what, condition, *details):
    if condition:
        return
    FAILED.append(what)
    if len(FAILED) < 20:
        print(f"FAILED {what}", *details, sep="\n  ")


class Batch:
    """A process of `tessera batch`: one request and one answer at a time."""

    def __init__(self, path):
        self.process = subprocess.Popen([path, "batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __call__(self, verb, *args, **options):
        request = {"verb": verb, "args": [str(one) for one in args], "options": options}
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())


# --- expressions: a dimension is a list of atoms; an atom is an axis, 1, ("_", n), or a list of branches (label, atoms)

def atom_text(atom):
    if isinstance(atom, str):
        return atom
    if atom == 1:
        return "1"
    if isinstance(atom, tuple):
        return f"_={atom[1]}"
    return "(" + " | ".join((f"{label}: " if label else "") + " ".join(map(atom_text, atoms)) for label, atoms in atom) + ")"


def dim_text(atoms):
    if len(atoms) == 1 and not isinstance(atoms[0], tuple):
        return atom_text(atoms[0])
    return "(" + " ".join(map(atom_text, atoms)) + ")"


def atom_cells(atom, sizes):
    """The cells of an atom in order: (labels, {axis: value}), or None for padding."""
    if isinstance(atom, str):
        return [((), {atom: v}) for v in range(sizes[atom])]
    if atom == 1:
        return [((), {})]
    if isinstance(atom, tuple):
        return [None] * atom[1]
    return [joined((((label,) if label else ()), {}), cell) for label, atoms in atom for cell in product_cells(atoms, sizes)]


def joined(a, b):
    return None if a is None or b is None else (a[0] + b[0], {**a[1], **b[1]})


def product_cells(atoms, sizes):
    cells = [((), {})]
    for atom in atoms:
        inner = atom_cells(atom, sizes)
        cells = [joined(a, b) for a in cells for b in inner]
    return cells


class Tensor:
    """One side's tensor: its name pattern, label, place axes, dimensions, and sharding."""

    def __init__(self, name, label, places, dims, sharding=None, names=()):
        self.name, self.label, self.places, self.dims, self.sharding, self.names = name, label, places, dims, sharding, names

    def text(self):
        head = (f"{self.label}: " if self.label else "") + (" ".join(self.places) + " @ " if self.places else "")
        axes = head + "[" + " ".join(map(dim_text, self.dims)) + "]"
        return {"axes": axes, "sharding": self.sharding.text} if self.sharding else axes

    def stored(self, sizes):
        """{(name, place or None): array of element keys or None}, and {(name, place): [labels of each dimension]}."""
        dims = [product_cells(atoms, sizes) for atoms in self.dims]
        arrays, labels = {}, {}
        first = ((self.label,) if self.label else (), {})
        for values in itertools.product(*(range(sizes[a]) for a in self.names)):
            fixed = dict(zip(self.names, values))
            name = re.sub(r"\{(\w+)(?::0(\d))?\}", lambda m: f"{fixed[m[1]]:0{m[2] or 1}}", self.name)
            for at in itertools.product(*(range(sizes[a]) for a in self.places)):
                place = None
                if self.places:
                    place = 0
                    for axis, value in zip(self.places, at):
                        place = place * sizes[axis] + value
                start = (first[0], {**fixed, **dict(zip(self.places, at))})
                cells = [start]
                for dim in dims:
                    cells = [joined(a, b) for a in cells for b in dim]
                shape = tuple(len(d) for d in dims)
                array = np.empty(shape, object)
                array.reshape(-1)[:] = cells if shape else cells[:1]
                dim_labels = [[None if c is None else ".".join(first[0] + c[0]) for c in dim] for dim in dims]
                if not self.sharding:
                    arrays[name, place] = array
                    labels[name, place] = dim_labels
                    continue
                for shard, indices in self.sharding.parts(shape).items():
                    arrays[name, shard] = array[np.ix_(*indices)] if shape else array
                    labels[name, shard] = [[dim_labels[d][i] for i in indices[d]] for d in range(len(shape))]
        return arrays, labels


def cut(n, parts, rule):
    """The indices of each part of n indices."""
    kind, size = rule
    out = [[] for _ in range(parts)]
    if kind == "ceil":
        c = -(-n // parts)
        for x in range(n):
            out[x // c].append(x)
    elif kind == "cyclic":
        for x in range(n):
            out[x // size % parts].append(x)
    else:  # strided: pieces by ceil, each cut by ceil
        whole = -(-n // size)
        for begin in range(0, n, max(whole, 1)):
            count = min(whole, n - begin)
            c = -(-count // parts)
            for x in range(count):
                out[x // c].append(begin + x)
    return out


class Sharding:
    """Cuts over a mesh of one or two axes; an axis that cuts nothing replicates."""

    def __init__(self, mesh, cuts, rank):
        self.mesh, self.cuts = mesh, cuts  # cuts: of each mesh axis (dimension, rule), or None
        names = "xy"
        dims = []
        for d in range(rank):
            here = [names[k] + ({"ceil": "", "cyclic": f"(cyclic {c[1][1]})", "strided": f"(strided {c[1][1]})"}[c[1][0]])
                    for k, c in enumerate(cuts) if c is not None and c[0] == d]
            dims.append("/".join(here) or "-")
        self.text = "mesh[" + ",".join(f"{names[k]}={n}" for k, n in enumerate(mesh)) + "] [" + ", ".join(dims) + "]"

    def parts(self, shape):
        out = {}
        for place, at in enumerate(itertools.product(*map(range, self.mesh))):
            indices = [list(range(n)) for n in shape]
            for k, one in enumerate(self.cuts):
                if one is not None:
                    d, rule = one
                    local = cut(len(indices[d]), self.mesh[k], rule)[at[k]]
                    indices[d] = [indices[d][i] for i in local]
            out[place] = indices
        return out


# --- random rules

class Rule:
    """Pieces with common and own axes; both sides arrange them in other ways."""

    def __init__(self, rng, prefix, from_places, to_places):
        self.rng, self.prefix, self.sizes, self.declared, self.copies = rng, prefix, {}, {}, {}
        self.crops = []
        self.common = [self.axis() for _ in range(rng.randint(0, 3))]
        labels = rng.sample(["a", "b", "c"], rng.randint(1, 3))
        if len(labels) == 1 and rng.random() < 0.5:
            labels = [""]
        self.own = {label: [self.axis() for _ in range(rng.randint(0, 2))] for label in labels}
        self.t = {}
        for count in {from_places, to_places} - {None}:
            if rng.random() < 0.6:
                self.t[count] = self.axis(count)
                self.common.append(self.t[count])
        self.crop()
        self.from_ = self.side("from", from_places)
        self.to = self.side("to", to_places)

    def axis(self, size=None):
        name = f"{self.prefix}x{len(self.sizes)}"
        self.sizes[name] = size or self.rng.choice([1, 2, 2, 3, 3, 4])
        self.declared[name] = self.sizes[name]
        return name

    def crop(self):
        """A composite axis with fewer values than its parts have: the rest has no element."""
        if len(self.common) < 2 or self.rng.random() > 0.25:
            return
        parts = self.rng.sample(self.common, 2)
        total = self.sizes[parts[0]] * self.sizes[parts[1]]
        limit = self.rng.randint(1, total)
        self.declared[f"{self.prefix}v"] = f"({' '.join(parts)}) crop {limit}"
        self.crops.append((parts, limit))

    def exists(self, values):
        return all(values[p[0]] * self.sizes[p[1]] + values[p[1]] < limit for p, limit in self.crops)

    def side(self, side, places):
        rng = self.rng
        labels = list(self.own)
        rng.shuffle(labels)
        groups = []
        while labels:
            take = rng.randint(1, len(labels))
            groups.append(labels[:take])
            labels = labels[take:]
        return [self.tensor(f"{self.prefix}{side}{k}", group, places) for k, group in enumerate(groups)]

    def tensor(self, name, group, places):
        rng = self.rng
        left = list(self.common)
        rng.shuffle(left)
        names, at, sharding = [], [], None
        plain = [a for a in left if a not in self.t.values()]
        if plain and rng.random() < 0.2:
            names.append(rng.choice(plain))
            left.remove(names[0])
        how = rng.choice(["axes", "sharding"]) if places else None
        if how == "axes":
            axis = self.t.get(places)
            if axis is None:
                # A copy at each place.
                axis = f"{self.prefix}r{places}"
                self.sizes[axis] = self.declared[axis] = places
                for label in group:
                    self.copies.setdefault(label, [])
                    if axis not in self.copies[label]:
                        self.copies[label].append(axis)
            else:
                left.remove(axis)
            at.append(axis)
        label = ""
        if len(group) == 1:
            label = group[0]
            tokens = left + self.own[label]
            rng.shuffle(tokens)
        else:
            branches = []
            for one in group:
                own = list(self.own[one])
                rng.shuffle(own)
                branches.append((one, own))
            if rng.random() < 0.2:
                branches.append(("", [("_", rng.randint(1, 3))]))
            tokens = left
            tokens.insert(rng.randint(0, len(tokens)), branches)
        if rng.random() < 0.1:
            tokens.insert(rng.randint(0, len(tokens)), 1)
        dims = []
        for token in tokens:
            if dims and rng.random() < 0.5:
                dims[-1].append(token)
            else:
                dims.append([token])
        pattern = name + "".join(".{%s%s}" % (axis, rng.choice(["", "", ":02"])) for axis in names)
        if how == "sharding":
            sharding = self.sharding(places, len(dims))
        return Tensor(pattern, label, at, dims, sharding, names)

    def sharding(self, places, rank):
        rng = self.rng
        mesh = rng.choice([[places]] + ([[2, places // 2]] if places % 2 == 0 else []))
        cuts = []
        for _ in mesh:
            rule = rng.choice([("ceil", 1), ("ceil", 1), ("cyclic", rng.randint(1, 2)), ("strided", rng.randint(1, 3))])
            cuts.append((rng.randrange(rank), rule) if rank and rng.random() < 0.8 else None)
        return Sharding(mesh, cuts, rank)

    def json(self):
        rule = {"from": {t.name: t.text() for t in self.from_}, "to": {t.name: t.text() for t in self.to}}
        # Copies are axes that only one side has.
        copies = {}
        for label, axes in self.copies.items():
            for axis in axes:
                sides = [any(axis in t.places for t in side if self.holds(t, label)) for side in (self.from_, self.to)]
                if sides.count(True) == 1:
                    copies.setdefault(label, []).append(axis)
        return rule | ({"copies": copies} if copies else {})

    def holds(self, tensor, label):
        return tensor.label == label or any(isinstance(a, list) and any(b[0] == label for b in a) for d in tensor.dims for a in d)

    def key(self, cell):
        """The element of a cell, without the axes of copies; None if there is none."""
        if cell is None:
            return None
        labels, values = cell
        if not self.exists(values):
            return None
        return ".".join(labels), tuple(sorted((a, v) for a, v in values.items() if not a.startswith(f"{self.prefix}r")))


def stored_of(rule, tensors):
    arrays, labels = {}, {}
    for tensor in tensors:
        a, b = tensor.stored(rule.sizes)
        arrays.update(a)
        labels.update(b)
    return arrays, labels


# --- one batch: many rules in one recipe

def runs_of(labels):
    """[(first, last + 1, label)]: padding is `_`."""
    out = []
    for i, label in enumerate(labels):
        label = "_" if label is None else label
        if out and out[-1][2] == label:
            out[-1][1] = i + 1
        else:
            out.append([i, i + 1, label])
    return out


def run_batch(tessera, folder, rng, count, number):
    from_places = rng.choice([None, None, 2, 3, 4])
    to_places = rng.choice([None, 2, 3, 4])
    rules = [Rule(rng, f"b{k}", from_places, to_places) for k in range(count)]
    axes, values, sources = {}, {}, {}
    next_value = 1
    for rule in rules:
        axes.update(rule.declared)
        arrays, _ = stored_of(rule, rule.from_)
        for (name, place), array in arrays.items():
            flat = np.zeros(array.size, np.uint32)
            for i, cell in enumerate(array.reshape(-1)):
                key = rule.key(cell)
                if key is None:
                    flat[i] = rng.getrandbits(20) + (1 << 30)
                    continue
                if (rule.prefix, key) not in values:
                    values[rule.prefix, key] = next_value
                    next_value += 1
                flat[i] = values[rule.prefix, key]
            sources.setdefault(place, {})[name] = ("I32", flat.reshape(array.shape))
    # Elements that no source has would be an error; the generator makes both sides from the same pieces.
    src, dst = folder / f"s{number}", folder / f"d{number}"
    src.mkdir()
    for place, tensors in sources.items():
        write(src / ("one.safetensors" if place is None else f"p{place:03}.safetensors"), tensors)
    recipe = {"schema": "tessera.recipe/1", "axes": axes, "tensors": [rule.json() for rule in rules]}
    path = folder / f"r{number}.json"
    path.write_text(json.dumps(recipe))
    options = {"recipe": str(path)}
    done = tessera("reshard", "files", src, dst, **options, check=True, verify=True)
    if "error" in done:
        expect(f"batch {number}", False, json.dumps(done["error"]), path.read_text()[:3000])
        return
    files = {}
    for file in sorted(dst.glob("*.safetensors")):
        place = int(file.name[6:11]) if to_places else None
        for name, (_, array) in read(file).items():
            files[name, place] = array
    plan = tessera("reshard", "files", src, folder / "none", **options, **{"dry-run": True})
    listed = {}
    for one in plan.get("tensors", []):
        place = int(one["file"][6:11]) if to_places else None
        listed[one["name"], place] = one
    order = [(one["name"], one["file"]) for one in plan["tensors"]]
    expect(f"batch {number}: order", order == sorted(order), order)
    count_tensors = 0
    for rule in rules:
        arrays, labels = stored_of(rule, rule.to)
        for (name, place), array in arrays.items():
            want = np.zeros(array.size, np.uint32)
            for i, cell in enumerate(array.reshape(-1)):
                key = rule.key(cell)
                want[i] = 0 if key is None else values[rule.prefix, key]
            want = want.reshape(array.shape)
            if array.size == 0 or not want.any():
                continue  # a shard without elements may be left out
            count_tensors += 1
            got = files.get((name, place))
            what = f"batch {number}, {name} at {place}"
            expect(what, got is not None and got.shape == want.shape and np.array_equal(got, want), rule.json(), want,
                   got if got is not None else "missing")
            pieces = [one["pieces"] for key, one in listed.items() if key == (name, place)]
            expect(f"{what}: pieces", pieces and pieces[0] == piece_texts(rule, name, labels[name, place]),
                   rule.json(), pieces, piece_texts(rule, name, labels[name, place]))
        names = sorted({name for (name, _), array in arrays.items() if any(rule.key(c) is not None for c in array.reshape(-1))})
        if names and rng.random() < 0.3:
            check_map(tessera, rng.choice(names), rule, path, arrays, sources, values)
    expect(f"batch {number}: number of tensors", count_tensors <= len(files), count_tensors, len(files))
    shutil.rmtree(src)
    shutil.rmtree(dst)
    path.unlink()


def piece_texts(rule, name, labels):
    tensor = next(t for t in rule.to if re.fullmatch(re.sub(r"\\{.*?\\}", r"\\d+", re.escape(t.name)), name))
    whole = [product_cells(atoms, rule.sizes) for atoms in tensor.dims]
    out = []
    for d, dim in enumerate(whole):
        full = runs_of([None if c is None else ".".join(((tensor.label,) if tensor.label else ()) + c[0]) for c in dim])
        if len(full) < 2:
            continue
        runs = [f"{a}:{b} {label}" for a, b, label in runs_of(labels[d])]
        if len(runs) > 16:
            runs = runs[:16] + [f"… {len(runs)} runs"]
        axis = ("rows", "columns")[d] if len(whole) <= 2 else f"dimension {d}"
        out.append(f"{axis} {', '.join(runs)}")
    return out


def map_function(text):
    """The points of a map as {index: result}."""
    head, domain = text.split(", domain: ") if ", domain: " in text else (text, "")
    names = [n.strip() for n in head[head.index("(") + 1:head.index(")")].split(",") if n.strip()]
    results = head[head.index("-> ") + 3:].strip()
    bounds, constraints = {}, []
    for expr, low, high in re.findall(r"(?:^|, )(.+?) in \[(-?\d+), (-?\d+)\]", domain):
        if re.fullmatch(r"d\d+", expr):
            bounds[expr] = (int(low), int(high))
        else:
            constraints.append((compile(python(expr), "", "eval"), int(low), int(high)))
    body = compile("(" + python(results)[1:-1] + ("," if results != "()" else "") + ")", "", "eval")
    out = {}
    for at in itertools.product(*(range(bounds[n][0], bounds[n][1] + 1) for n in names)):
        scope = dict(zip(names, at))
        if all(low <= eval(code, {}, scope) <= high for code, low, high in constraints):
            out[at] = eval(body, {}, scope)
    return out


def python(text):
    return text.replace(" floordiv ", " // ").replace(" / ", " // ").replace(" mod ", " % ")


def check_map(tessera, name, rule, path, arrays, sources, values):
    answer = tessera("reshard", "map", path, name)
    what = f"map of {name}"
    if "error" in answer:
        expect(what, False, json.dumps(answer["error"]), rule.json())
        return
    shards = {shard["place"]: shard for shard in answer["shards"]}
    for (one, place), array in arrays.items():
        if one != name:
            continue
        want = {}
        for index in np.ndindex(array.shape):
            key = rule.key(array[index])
            if key is not None:
                want[index] = values[rule.prefix, key]
        if not want:
            continue
        shard = shards.get(place)
        expect(what, shard is not None and tuple(shard["shape"]) == array.shape, rule.json(), place, answer)
        if shard is None:
            continue
        got = {}
        for source in shard["sources"]:
            stored = sources[source["place"]][source["tensor"]][1]
            for index, result in map_function(source["map"]).items():
                expect(what, index not in got, "two maps have the index", index, answer)
                got[index] = int(stored[tuple(result)])
        expect(what, got == want, rule.json(), json.dumps(shard)[:1500], got, want)
        expect(what, shard["padding"] == array.size - len(want), "padding", shard["padding"])


# --- wrong recipes: what the help proposes

def run_help(tessera, folder, rng, number):
    """Both sides cut one range at other places. The help declares common parts, or says that there are none."""
    def factors(n):
        first = rng.choice([k for k in range(1, n + 1) if n % k == 0])
        return first, n // first
    total = rng.choice([4, 6, 8, 12, 16, 24])
    (s, gs), (t, gt) = factors(total), factors(total)
    n = rng.randint(1, 3)
    source_places, target_places = rng.random() < 0.5, rng.random() < 0.7
    rows = [f"s @ [gs n]" if source_places else "[(s gs) n]", "t @ [gt n]" if target_places else "[(t gt) n]"]
    axes = {"s": s, "gs": gs, "t": t, "gt": gt, "n": n}
    if rng.random() < 0.3:
        axes["u"] = 7
    whole = np.arange(1, total * n + 1, dtype=np.uint32).reshape(total, n)
    src, dst, path = folder / f"hs{number}", folder / f"hd{number}", folder / f"h{number}.json"
    src.mkdir()
    parts = np.split(whole, s) if source_places else [whole]
    for place, part in enumerate(parts):
        write(src / f"p{place:03}.safetensors", {"w": ("I32", part)})
    recipe = {"schema": "tessera.recipe/1", "axes": axes, "tensors": [{"from": {"w": rows[0]}, "to": {"w": rows[1]}}]}
    if rng.random() < 0.25:
        # Somebody declares what the sides do not share as copies.
        recipe["tensors"][0]["copies"] = {"": ["s", "gs", "t", "gt"]}
    for step in range(4):
        path.write_text(json.dumps(recipe))
        done = tessera("reshard", "files", src, dst, recipe=str(path), check=True, verify=True)
        what = f"help {number}, step {step}: {rows} {axes}"
        if "error" not in done:
            got = [read(f)["w"][1] for f in sorted(dst.glob("*.safetensors"))]
            same = np.array_equal(np.concatenate(got), whole) if got else False
            # Without a cut the axes are the same elements under other names.
            expect(what, same, json.dumps(recipe), got, whole)
            break
        error = done["error"]
        help_text = error.get("help", "")
        axes_help = re.search(r'"axes": (\{[^}]*\})', help_text)
        copies_help = re.search(r'"copies": (\{[^}]*\})', help_text)
        if "copies_differ" in error["message"] or error["code"] == "bad_option":
            expect(what, "copies" in recipe["tensors"][0], error)
            del recipe["tensors"][0]["copies"]
            continue
        if axes_help and "…" not in axes_help[1]:
            recipe["axes"] = recipe["axes"] | json.loads(axes_help[1])
            continue
        if copies_help:
            recipe["tensors"][0]["copies"] = json.loads(copies_help[1])
            continue
        cuts = sorted({1, s, total, t})
        nested = all(b % a == 0 for a, b in zip(cuts, cuts[1:]))
        expect(what, not nested, "the sides have common parts, but the help does not name them", error)
        break
    else:
        expect(f"help {number}", False, "the help leads nowhere", recipe, error)
    shutil.rmtree(src)
    shutil.rmtree(dst, ignore_errors=True)
    path.unlink()


def run_names(tessera, folder, rng, number):
    """Recipes for other tensors, and axes that the recipe does not have."""
    src = folder / f"n{number}"
    src.mkdir()
    write(src / "one.safetensors", {"x.weight": ("I32", np.arange(6, dtype=np.uint32).reshape(2, 3))})
    path = folder / f"n{number}.json"
    size = rng.randint(2, 9)
    recipe = {"schema": "tessera.recipe/1", "axes": {"rows": 2, "g": "(t gi)", "t": 2, "total": size},
              "tensors": [{"from": {rng.choice(["y.weight", "x.bias"]): "[rows n]"}, "to": {"z": "[n rows]"}},
                          {"from": {"{*name}": "*"}, "to": {"{*name}": "*"}}]}
    path.write_text(json.dumps(recipe))
    done = tessera("reshard", "files", src, folder / "none", recipe=str(path))
    expect("no_match", done.get("error", {}).get("reason") == "no_match", done)
    wrong = rng.choice(["row", "rosw", "roows", "totl", "ttotal"])
    meant = "rows" if wrong[0] == "r" else "total"
    done = tessera("reshard", "files", src, folder / "none", recipe=str(path), set=[f"{wrong}=3"])
    error = done.get("error", {})
    expect("bad_option", error.get("code") == "bad_option" and f"'{meant}'" in error.get("help", ""), done)
    g = rng.randint(1, 12)
    done = tessera("reshard", "recipes", path, set=[f"g={g}"])
    sizes = {axis["name"]: axis["size"] for axis in done.get("axes", [])}
    if g % 2:
        expect("derived axes", done.get("error", {}).get("code") == "shape_mismatch", done)
    else:
        expect("derived axes", sizes.get("gi") == g // 2 and sizes.get("g") == g and sizes.get("n", 0) is None, done)
    shutil.rmtree(src)
    path.unlink()


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--bin", required=True)
    options.add_argument("--cases", type=int, default=int(os.environ.get("TESSERA_LAW_CASES", "400")))
    options.add_argument("--seed", type=int, default=None)
    given = options.parse_args()
    seed = random.randrange(1 << 32) if given.seed is None else given.seed
    print(f"seed {seed}, {given.cases} cases")
    rng = random.Random(seed)
    tessera = Batch(str(pathlib.Path(given.bin).resolve() / "tessera"))
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        done = number = 0
        while done < given.cases and len(FAILED) < 20:
            number += 1
            count = min(40, given.cases - done)
            run_batch(tessera, folder, rng, count, number)
            done += count
            for k in range(4):
                run_help(tessera, folder, rng, 4 * number + k)
            run_names(tessera, folder, rng, number)
            done += 5
    print(f"{done} cases, {len(FAILED)} failed")
    sys.exit(1 if FAILED else 0)


if __name__ == "__main__":
    main()
