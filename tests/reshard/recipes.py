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
from random_rules import Rule, product_cells, stored_of

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


def run_files(tessera, folder, rng, number):
    """Names of source files, by an axis, the place, or their order. No file is left out, and none is read twice."""
    files, rows, n = rng.randint(1, 4), rng.randint(1, 3), rng.randint(1, 3)
    size = files if rng.random() < 0.6 else rng.choice([max(1, files - 1), files + 1, files + 2])
    kind = rng.choice(["places", "cut", "copies"])
    hole = rng.choice(["s", "place", "n", None])
    parts = [np.arange(rows * n, dtype=np.uint32).reshape(rows, n) + 1 for _ in range(files)]
    alike = kind == "copies" and rng.random() < 0.5
    if not alike:
        parts = [part + 100 * place for place, part in enumerate(parts)]
    axes = {"s": size, "k": rows * (size if kind == "cut" else 1), "n": n}
    if kind == "places":
        source, target, want = "s @ [k n]", "[s k n]", np.stack(parts)
    elif kind == "cut":
        source, target, want = {"axes": "[k n]", "sharding": f"mesh[x={size}] [x, -]"}, "[k n]", np.concatenate(parts)
    else:
        sharding = rng.choice(["{replicated}", f"mesh[x={size}] [-, -]"])
        source, target, want = {"axes": "[k n]", "sharding": sharding}, "[k n]", parts[0]
        if sharding == "{replicated}":
            size = files
    if kind != "places" and rng.random() < 0.5:
        target = {"axes": target, "sharding": "{devices=[2,1]<=[2]}"}
    src, dst, path = folder / f"fs{number}", folder / f"fd{number}", folder / f"f{number}.json"
    src.mkdir()
    for place, part in enumerate(parts):
        write(src / f"tp{place:02}.safetensors", {"w": ("I32", part)})
    recipe = {"schema": "tessera.recipe/1", "axes": axes, "tensors": [{"from": {"w": source}, "to": {"w": target}}]}
    if hole:
        recipe["files"] = {"from": "tp{%s:02}.safetensors" % hole}
    path.write_text(json.dumps(recipe))
    done = tessera("reshard", "files", src, dst, recipe=str(path), check=True, verify=True)
    what = f"files {number}: {files} files, {json.dumps(recipe)}"
    right = size == files and (kind != "copies" or alike or files == 1)
    named = hole in ("place", None) or (hole == "s" and (kind == "places" or files == 1)) or (hole == "n" and files == 1)
    if "error" in done:
        expect(what, not (right and named), done["error"])
    else:
        got = [read(f)["w"][1] for f in sorted(dst.glob("*.safetensors"))]
        expect(what, np.array_equal(np.concatenate(got), want), got, want)
        expect(f"{what}: all files", set(map(int, np.concatenate(parts).flat)) == set(map(int, np.concatenate(got).flat)), got)
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
                run_files(tessera, folder, rng, 4 * number + k)
            run_names(tessera, folder, rng, number)
            done += 9
    print(f"{done} cases, {len(FAILED)} failed")
    sys.exit(1 if FAILED else 0)


if __name__ == "__main__":
    main()
