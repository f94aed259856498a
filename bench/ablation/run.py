#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures what each rule of the simplifier is worth: switches one off at a time and counts the maps that change.

Copies src/ to a scratch folder, puts a switch before each rule of RULES, compiles `expr` and `map` once, and
simplifies the same corpora with each switch. Prints the table of docs/understand/simplifier.md.

usage: bench/ablation/run.py --build build/release [--shared ../shared] [--only RULE ...]
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]

# rule: (file, text to find, replacement text). OFF is true if the rule is switched off.
RULES = {
    # canonical quotient
    "sign": ("expr/form/floor_div.cc", "if (should_flip(form)) {", "if (!OFF && should_flip(form)) {"),
    "fine part (digits)": ("expr/form/floor_div.cc", "if (form->quotients > 0 && digit_view(ws_, form).split) {",
                           "if (!OFF && form->quotients > 0 && digit_view(ws_, form).split) {"),
    "fine part (terms)": ("expr/form/floor_div.cc", "    ViewItem* parts = ws_.arena.array<ViewItem>(form->size);",
                          "    if (OFF) return nullptr;\n    ViewItem* parts = ws_.arena.array<ViewItem>(form->size);"),
    "fine part (halves)": ("expr/form/floor_div.cc", "    return digits == form ? nullptr : drop_fine(digit_view(ws_, digits), kAll);",
                           "    return OFF || digits == form ? nullptr : drop_fine(digit_view(ws_, digits), kAll);"),
    "fine part: nearest residues": ("expr/form/floor_div.cc", "if (which == Residue::nearest && same) continue;",
                                    "if (which == Residue::nearest && (OFF || same)) continue;"),
    "fine part: ties": ("expr/form/floor_div.cc", "if (which == Residue::nearest_negative && !tied) continue;",
                        "if (which == Residue::nearest_negative && (OFF || !tied)) continue;"),
    "fine part: facts": ("expr/form/floor_div.cc", "    if (ws_.facts.empty()) return std::nullopt;", "    if (OFF || ws_.facts.empty()) return std::nullopt;"),
    "flatten": ("expr/form/floor_div.cc", "  const Form* flatten(const Form* form) {",
                "  const Form* flatten(const Form* form) {\n    if (OFF) return nullptr;"),
    "flatten: coefficient n-1": ("expr/form/floor_div.cc", "(t.coefficient != 1 && t.coefficient != n_ - 1)",
                                 "(t.coefficient != 1 && (OFF || t.coefficient != n_ - 1))"),
    "line (quotient)": ("expr/form/floor_div.cc", "    if (const Form* line = between_two_values(ws_, form, quotient)) return line;",
             "    if (const Form* line = OFF ? nullptr : between_two_values(ws_, form, quotient)) return line;"),
    "pairs": ("expr/form/upper_halves.cc", "const Form* merge_pairs(Workspace& ws, const Form* form) {",
              "const Form* merge_pairs(Workspace& ws, const Form* form) {\n  if (OFF) return form;"),
    "pairs: one edge": ("expr/form/upper_halves.cc", "  if (!b || a->edge != b->edge ||", "  if (OFF || !b || a->edge != b->edge ||"),
    # conversion
    "line (max0)": ("expr/form/arithmetic.cc", "if (const Form* line = between_two_values(ws, form, [](Index v) { return std::max<Index>(v, 0); }))",
                    "if (const Form* line = OFF ? nullptr : between_two_values(ws, form, [](Index v) { return std::max<Index>(v, 0); }))"),
    "max0: sign of the first term": ("expr/form/arithmetic.cc", "if (form->terms()[0].coefficient > 0) return ws.form_of(ws.max0(form));",
                                     "if (OFF || form->terms()[0].coefficient > 0) return ws.form_of(ws.max0(form));"),
    "equations in forms": ("expr/form/refine.cc", "      const Form* const shorter = substitute_equation(ws, form, fact);",
                           "      if (OFF) break;\n      const Form* const shorter = substitute_equation(ws, form, fact);"),
    "equations: order decides": ("expr/form/refine.cc", "    const bool first = linear &&", "    const bool first = !OFF && linear &&"),
    # ranges
    "range: digits": ("expr/form/range.cc", "if (view.split) narrow(", "if (!OFF && view.split) narrow("),
    "range: elimination": ("expr/form/range.cc", "    if (!view.split || view.size > 1) narrow(", "    if (!OFF && (!view.split || view.size > 1)) narrow("),
    "range: max0": ("expr/form/range.cc", "  if (form->has_max0) narrow_by_max0", "  if (!OFF && form->has_max0) narrow_by_max0"),
    "range: facts": ("expr/form/range.cc", "  if (!ws.facts.empty()) narrow_by_facts", "  if (!OFF && !ws.facts.empty()) narrow_by_facts"),
    "range: facts of a remainder": ("expr/form/range.cc", "  if (std::ranges::none_of(ws.facts, may_bound)) return all;",
                                    "  if (OFF || std::ranges::none_of(ws.facts, may_bound)) return all;"),
    "range: multiples within facts": ("expr/form/range.cc", "    narrow_by_scaled(ws, form, fact, r);", "    if (!OFF) narrow_by_scaled(ws, form, fact, r);"),
    "digits": ("expr/form/digit_view.cc", "    splitter.run();\n    if", "    if (!OFF) splitter.run();\n    if"),
    "digits: finer partner": ("expr/form/digit_view.cc", "      if (n % p->number == 0 && n > p->number) {", "      if (!OFF && n % p->number == 0 && n > p->number) {"),
    # texts
    "text: mod": ("expr/spelling/quotient_texts.cc", "    try_mods(c, q);", "    if (!OFF) try_mods(c, q);"),
    "text: remainder counted backward": ("expr/spelling/quotient_texts.cc", "    if (!mul_overflows(t, r - 1, last))", "    if (!OFF && !mul_overflows(t, r - 1, last))"),
    "text: remainder of all": ("expr/spelling/quotient_texts.cc", "    try_whole_mod(c, q);", "    if (!OFF) try_whole_mod(c, q);"),
    "text: remainder of another dividend": ("expr/spelling/quotient_texts.cc", "    try_mods_of_others(c, q);", "    if (!OFF) try_mods_of_others(c, q);"),
    "text: remainder of others together": ("expr/spelling/quotient_texts.cc", "      if (q->form->quotients == 0) continue;", "      if (OFF || q->form->quotients == 0) continue;"),
    "text: pull in": ("expr/spelling/quotient_texts.cc", "    try_pull_in(c, q);", "    if (!OFF) try_pull_in(c, q);"),
    "text: pull in the constant": ("expr/spelling/quotient_texts.cc", "  void propose_with_constant(const Sum& rest, Index c, const Sum& inside, Index n) {",
                                   "  void propose_with_constant(const Sum& rest, Index c, const Sum& inside, Index n) {\n    if (OFF) return;"),
    "text: factor inside a remainder": ("expr/spelling/text_search.cc", "  if (op == ExprKind::mod) propose_factor_inside(", "  if (!OFF && op == ExprKind::mod) propose_factor_inside("),
    "text: half": ("expr/spelling/quotient_texts.cc", "    try_half(c, q);", "    if (!OFF) try_half(c, q);"),
    "text: negative quotient": ("expr/spelling/term_text.cc", "!leaves_64_bits(ws, turned)) {", "!OFF && !leaves_64_bits(ws, turned)) {"),
    "text: scaled inside a proposal": ("expr/spelling/text_search.cc", "    if (t.atom->kind == FormAtomKind::scaled)", "    if (!OFF && t.atom->kind == FormAtomKind::scaled)"),
    "text: max, part": ("expr/spelling/extremum_texts.cc", "    propose_base(part);", "    if (!OFF) propose_base(part);"),
    "text: max, summands": ("expr/spelling/extremum_texts.cc", "    if (around.size() != 0) propose_base(around);\n    for", "    if (!OFF && around.size() != 0) propose_base(around);\n    for"),
    "text: max, one summand": ("expr/spelling/extremum_texts.cc", "      propose_base(alone);", "      if (!OFF) propose_base(alone);"),
    "text: max, constant": ("expr/spelling/extremum_texts.cc", "    propose_base(constant);", "    if (!OFF) propose_base(constant);"),
    "text: max, all with constant": ("expr/spelling/extremum_texts.cc", "    if (around.size() != 0) propose_base(around);\n  }", "    if (!OFF && around.size() != 0) propose_base(around);\n  }"),
    "text: max, factor inside": ("expr/spelling/extremum_texts.cc", "    if (size == 1) return;", "    if (OFF || size == 1) return;"),
    "text: nested quotients": ("expr/spelling/text.cc", "op == ExprKind::floor_div && flatten(", "!OFF && op == ExprKind::floor_div && flatten("),
    "text: multiples of a modulus": ("expr/spelling/text.cc", "    if (op == ExprKind::mod) left = without_multiples(", "    if (!OFF && op == ExprKind::mod) left = without_multiples("),
    "text: common factors": ("expr/spelling/text.cc", "  if (plain->size < 2) return plain;", "  if (OFF || plain->size < 2) return plain;"),
    "text: equations": ("expr/spelling/equations.cc", "  if (std::ranges::none_of(ws.facts,", "  if (OFF || std::ranges::none_of(ws.facts,"),
    "text: structure of the input": ("map/simplify/result_text.cc", "    const bool may_keep_structure = ", "    const bool may_keep_structure = !OFF && "),
    "text: structure, if larger": ("map/simplify/result_text.cc", "      if (grows && growth == Growth::refused &&", "      if (!OFF && grows && growth == Growth::refused &&"),
    "text: x mod c mod m": ("expr/spelling/structure_text.cc", "        if (e.kind() == ExprKind::mod) a = without_finer_mod(a, b);", "        if (!OFF && e.kind() == ExprKind::mod) a = without_finer_mod(a, b);"),
    "text: operations that do nothing": ("expr/spelling/structure_text.cc", "    if (convert(ws, operand) == known.form) return", "    if (!OFF && convert(ws, operand) == known.form) return"),
    "text: read again": ("map/simplify/result_text.cc", "pass < kLimits.rereadings;", "pass < (OFF ? 1 : kLimits.rereadings);"),
    "affine fit": ("map/simplify/point_fit.cc", "  if (form->quotients == 0 || ws_.facts.empty()", "  if (OFF || form->quotients == 0 || ws_.facts.empty()"),
    "affine fit: each quotient": ("map/simplify/point_fit.cc", "    if (line == nullptr) {", "    if (OFF || line == nullptr) {"),
    # constraints
    "constraint: congruence": ("map/simplify/linear_constraint.cc", "    if (extract_congruence(", "    if (!OFF && extract_congruence("),
    "constraint: absorb a quotient": ("map/simplify/linear_constraint.cc", "    if (absorb_quotient(ws, c) ||", "    if ((!OFF && absorb_quotient(ws, c)) ||"),
    "constraint: block of a digit": ("map/simplify/linear_constraint.cc", "|| fix_quotient(ws, c)) continue;", "|| (!OFF && fix_quotient(ws, c))) continue;"),
    "constraint: fine part with two values": ("map/simplify/linear_constraint.cc", "    if (next != at_most) {", "    if (OFF && next != at_most) continue;\n    if (next != at_most) {"),
    "constraint: fine part": ("map/simplify/linear_constraint.cc", "    effect = drop_fine(ws, c, reached, changed);", "    if (!OFF) effect = drop_fine(ws, c, reached, changed);"),
    "constraint: fine part by others": ("map/simplify/constraint_redundancy.cc", "    } else if (!drop_fine_by_others(ws, list[i], r, replaced)",
                                        "    } else if ((!OFF && !drop_fine_by_others(ws, list[i], r, replaced))"),
    "constraint: shortened by others": ("map/simplify/constraint_redundancy.cc", "    if (shorter) {", "    if (!OFF && shorter) {"),
    "constraint: fixed digits": ("map/simplify/linear_constraint.cc", "  if (c.form->quotients == 0) return std::nullopt;", "  if (OFF || c.form->quotients == 0) return std::nullopt;"),
    "constraint: redundancy": ("map/simplify/constraint_system.cc", "  if (!for_each_group(redundancy)) return false;", "  if (!OFF && !for_each_group(redundancy)) return false;"),
    "constraint: points": ("map/simplify/constraint_system.cc", "  if (!for_each_group(points)) return false;", "  if (!OFF && !for_each_group(points)) return false;"),
    "constraint: by groups": ("map/simplify/constraint_system.cc", "  if (list_.size() == 1) return step(list_);", "  if (OFF || list_.size() == 1) return step(list_);"),
    "constraint: equations of points": ("map/simplify/constraint_points.cc", "  if (points.add_equations()) {", "  if (!OFF && points.add_equations()) {"),
    "constraint: narrow to points": ("map/simplify/constraint_points.cc", "  environment_changed |= points.narrow_to_values();", "  if (!OFF) environment_changed |= points.narrow_to_values();"),
    "constraint: redundancy by points": ("map/simplify/constraint_points.cc", "  environment_changed |= points.drop_redundant();", "  if (!OFF) environment_changed |= points.drop_redundant();"),
    "constraint: emptiness of larger boxes": ("map/simplify/constraint_points.cc", "    return box.points() * terms > kLimits.emptiness_work ||", "    return OFF || box.points() * terms > kLimits.emptiness_work ||"),
    "constraint: text read again": ("map/simplify/constraint_system.cc", "    bool changed = reread();", "    bool changed = !OFF && reread();"),
    "propagation: freeze slow bounds": ("map/simplify/constraint_system.cc", "    if (last_round && bounds_.any_watched()", "    if (!OFF && last_round && bounds_.any_watched()"),
    "facts of aligned blocks": ("map/simplify/constraint_system.cc", "    if (!c.range.is_finite() || sub_overflows(", "    if (OFF || !c.range.is_finite() || sub_overflows("),
    "simplify again: narrower bounds": ("map/simplify/simplify.cc", "  if (again && repeats > 0)", "  if (!OFF && again && repeats > 0)"),
    "keep constraints as given if shorter": ("map/simplify/simplify.cc", "  if (!larger(out, map)) return out;", "  if (OFF || !larger(out, map)) return out;"),
}

SWITCH = """#pragma once
#include <cstdlib>
#include <cstring>
inline bool ablation_off(const char* rule) {
  static const char* const off = std::getenv("ABLATE");
  return off != nullptr && std::strcmp(off, rule) == 0;
}
"""


def map_texts(folder):
    """The distinct texts of maps in the JSON lines of a folder, in order."""
    texts = {}

    def visit(value):
        if isinstance(value, str):
            if re.match(r"\(.*\) -> \(", value):
                texts.setdefault(value.replace("\n", " "))
        elif isinstance(value, dict):
            for part in value.values():
                visit(part)
        elif isinstance(value, list):
            for part in value:
                visit(part)

    for file in sorted(pathlib.Path(folder).rglob("*.jsonl")):
        with open(file, encoding="utf-8") as lines:
            for line in lines:
                visit(json.loads(line))
    return "\n".join(texts) + "\n"


def switched_sources():
    """The files of the simplifier by name, with a switch before each rule."""
    files = {}
    for rule, (file, old, new) in RULES.items():
        text = files.get(file) or '#include "ablation_switch.h"\n' + (ROOT / "src" / file).read_text()
        if text.count(old) != 1:
            sys.exit(f"{rule}: {text.count(old)} places in src/{file} match; correct RULES")
        files[file] = text.replace(old, new.replace("OFF", f'ablation_off("{rule}")'))
    return files


def build(scratch, build_folder):
    """A program that prints the sizes of simplified maps, with a switch before each rule."""
    source = scratch / "src"
    shutil.copytree(ROOT / "src", source)
    (source / "ablation_switch.h").write_text(SWITCH)
    for file, text in switched_sources().items():
        (source / file).write_text(text)
    entries = json.loads((build_folder / "compile_commands.json").read_text())
    command = next(e["command"] for e in entries if "tessera_map" in e["command"])
    flags = [f for f in command.split() if f.startswith(("-D", "-std"))]
    include = ["-I", source, "-I", ROOT / "include", "-I", ROOT / "tests", "-I", ROOT / "src"]
    objects = []
    running = []
    for folder in ("expr", "map"):
        files = [f for f in sorted((source / folder).rglob("*.cc")) if not f.name.endswith("_test.cc")]
        # isl declares short names, so its files come last.
        files.sort(key=lambda f: "isl" in f.name)
        unit = scratch / f"{folder}.cc"
        unit.write_text("".join(f'#include "{f}"\n' for f in files))
        objects.append(scratch / f"{folder}.o")
        running.append(subprocess.Popen(["g++", *flags, "-O2", "-w", *include, "-c", unit, "-o", objects[-1]]))
    objects.append(scratch / "sizes.o")
    running.append(subprocess.Popen(["g++", *flags, "-O1", *include, "-c", pathlib.Path(__file__).with_name("sizes.cc"),
                                     "-o", objects[-1]]))
    if any(process.wait() != 0 for process in running):
        sys.exit("the build failed")
    libraries = [build_folder / f"libtessera_{name}.a" for name in ("text", "algebra", "base")]
    program = scratch / "sizes"
    subprocess.run(["g++", "-o", program, *objects, *libraries, "-lfmt", "-lisl"], check=True)
    return program


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=ROOT / "build/release", type=pathlib.Path)
    parser.add_argument("--shared", default=ROOT.parent / "shared", type=pathlib.Path)
    parser.add_argument("--only", nargs="*", help="rules to switch off, all without it")
    parser.add_argument("--chains", default=4000, type=int)
    parser.add_argument("--keep", type=pathlib.Path, help="reuse the program of this folder, or build it there")
    parser.add_argument("--check", action="store_true", help="only check that every rule is found in the sources")
    options = parser.parse_args()
    if options.check:
        print(f"{len(RULES)} rules in {len(switched_sources())} files")
        return
    texts = map_texts(options.shared / "vectors") if (options.shared / "vectors").is_dir() else ""
    scratch = options.keep or pathlib.Path(tempfile.mkdtemp())
    scratch.mkdir(exist_ok=True)
    program = scratch / "sizes"
    if not program.exists():
        program = build(scratch, options.build)

    def sizes(rule):
        environment = dict(os.environ, ABLATE=rule)

        def of(*arguments, text=""):
            done = subprocess.run([program, *arguments], input=text, capture_output=True, text=True, env=environment)
            return [line.split(" ", 2) for line in done.stdout.splitlines()]

        chains = str(options.chains)
        return [of("maps", text=texts), of("pairs", "1", chains), of("trees", "2", chains)]

    full = sizes("")
    print("maps of the vectors, chains, trees:", ", ".join(str(len(corpus)) for corpus in full))
    print(f"{'rule':40} {'longer':>18} {'shorter':>18} {'other text':>18} {'pairs':>6}")

    def same_pairs(lines):
        return sum(a[2] == b[2] for a, b in zip(lines[::2], lines[1::2]))

    print(f"{'':40} {'':18} {'':18} {'':18} {same_pairs(full[1]):6}")
    for rule in options.only or RULES:
        without = sizes(rule)
        counts = {"longer": [], "shorter": [], "other": []}
        for corpus, base in zip(without, full):
            kinds = {"longer": 0, "shorter": 0, "other": 0}
            for a, b in zip(corpus, base):
                own, all_rules = (int(a[0]), int(a[1])), (int(b[0]), int(b[1]))
                if a[2] != b[2]:
                    kinds["longer" if own > all_rules else "shorter" if own < all_rules else "other"] += 1
            for kind, count in kinds.items():
                counts[kind].append(str(count))
        columns = [" / ".join(counts[kind]) for kind in ("longer", "shorter", "other")]
        pairs = f"{same_pairs(without[1]) - same_pairs(full[1]):+}"
        print(f"{rule:40} {columns[0]:>18} {columns[1]:>18} {columns[2]:>18} {pairs:>6}", flush=True)


if __name__ == "__main__":
    main()
