# SPDX-License-Identifier: Apache-2.0
"""Random rules of recipes, and an evaluator of them: the cells of every stored tensor, and which element each holds."""

import itertools
import re

import numpy as np

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
