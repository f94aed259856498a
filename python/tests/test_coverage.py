# SPDX-License-Identifier: Apache-2.0
"""Every function of the public headers has a place in Python, or a reason why it has none."""

import pathlib
import re

import tessera
from tessera import cute, files, hlo, mpi, torch

SPACES = {"tessera": tessera, "cute": cute, "files": files, "hlo": hlo, "mpi": mpi, "torch": torch}
CPP = "a building block of C++ programs"
# For each header: the Python function for each of its functions or, after `-`, why there is none. A text in place of a
# table applies to all functions of the header.
PLACES: dict[str, str | dict[str, str]] = {
    "access/access.h": {"parse_access": "access", "whole_layout": "access", "analyze_accesses": "access",
                        "find_fixes": "access", "to_string": "-text of a word"},
    "access/register_access.h": {"local_access": "ttgir", "global_access": "ttgir"},
    "access/memory_target.h": {
        "to_string": "-text of a word", "is_matrix": "-a test of a word", "count_banks": "cute.bank_conflicts",
        "count_wavefronts": "access", "bank_bits": "access", "count_segments": "cute.coalescing_efficiency",
        "count_grid": "access", "widest_vector": "access", "coalesced_by_xla_rule": "-XLA's heuristic; access counts exactly",
        "tile_bandwidth": "-XLA's heuristic; access counts exactly"},
    "algebra/mdspan.h": "-compile time",
    "algebra/static_layout.h": "-compile time",
    "algebra/strided_layout.h": {
        "make_tuple": "cute.make_tuple", "depth": "cute.depth", "congruent": "cute.congruent",
        "weakly_congruent": "cute.weakly_congruent", "image_min": "cute.image_min", "image_max": "cute.image_max"},
    "base/code.h": "Error",
    "base/dtype.h": "-names; functions take names and numpy.dtype",
    "base/index.h": "-Python's integers",
    "base/result.h": "Error",
    "code/code.h": {"get_code": "-python -m tessera code --get", "set_code": "-python -m tessera code --set",
                    "offset_code": "code", "inverse_code": "code", "map_code": "code", "loop_code": "code", "plan_code": "code",
                    "copy_code": "copy_code", "to_string": "SourceCode.language", "parse_code_language": "code",
                    "all_code_languages": "code", "file_extension": "SourceCode.extension",
                    "placement_code": "-python -m tessera code"},
    "draw/layout_picture.h": {"fact_line": "Layout.describe", "fact_rows": "Layout.describe", "facts_of": "Layout.describe",
                              "picture_of": "Layout.show", "linked_views": "Layout.show", "comparison_of": "Layout.show",
                              "thread_value_picture": "Layout.show", "view_of": f"-{CPP}",
                              "parse_coloring": "Layout.show", "parse_cell_text": "Layout.show",
                              "parse_window": "Layout.show", "divide_figure": f"-{CPP}", "composition_figure": f"-{CPP}",
                              "product_figure": f"-{CPP}", "is_tensor_memory": f"-{CPP}",
                              "placement_picture": "-python -m tessera show",
                              "tensor_memory_picture": "-python -m tessera show"},
    "draw/picture.h": {"render_text": "Picture.text", "render_svg": "Picture.svg", "render_png": "Picture.png",
                       "render_tikz": "Picture.tikz", "render_html": "Picture.html", "render_json": "Picture.to_json"}
    | {name: "-colors and cells, for renderers in C++" for name in
       "cell_count color_of colors_of contrast distance from_oklch has_strip ink_on nearest_terminal_color terminal_color "
       "to_string".split()},
    "eval/evaluator.h": {"evaluate_for_all_sizes": "sizes.eval", "to_string": "-str()", "kind_of": "-type()", "eval_functions": "cute"},
    "expr/expr.h": "-expressions are texts in Python and intervals pairs of integers: IndexMap.results, IndexMap.bounds",
    "files/tensor_file.h": {"list_tensors": "files.info", "content_of": "files.info", "to_string": "-text of a word",
                            "parse_tensor_path": "files.copy", "format_of": "files.copy", "memory_bits": "Layout.element_bits",
                            "prefix_bytes": f"-{CPP}", "layout_text": "files.info", "file_bytes": f"-{CPP}", "file_header": f"-{CPP}"},
    "hlo/analyze.h": "hlo.HloModule.analyze",
    "hlo/indexing.h": {"compose": f"-{CPP}", "contained": f"-{CPP}", "exactness": f"-{CPP}", "insert": f"-{CPP}",
                       "keep_footprint": f"-{CPP}", "normalize": f"-{CPP}", "same_relation": f"-{CPP}",
                       "whole_value": f"-{CPP}"},
    "hlo/module.h": {"leaf_type": "hlo.Instruction.type", "equal": "-compare str(module)", "parse_hlo": "hlo.load",
                     "read_file": "hlo.load"},
    "hlo/opcode.h": "-opcodes are texts in Python",
    "hlo/traffic.h": "hlo.HloModule.traffic",
    "hlo/walk.h": {"input_to_output": "hlo.Instruction.operand_maps", "output_to_input": "hlo.Instruction.operand_maps"},
    "map/index_map.h": {"role_of_name": f"-{CPP}", "size": "-a measure for the simplifier", "to_string": "-str()"},
    "map/judge.h": {"equal": "equal", "is_empty": "IndexMap.is_empty", "footprint_within": "IndexMap.within",
                    "judge_has_isl": "build_info"},
    "map/map_algebra.h": {"simplify": "IndexMap.simplify", "range": "IndexMap.image", "equal_forms": "equal",
                          "compose": "IndexMap.compose", "restrict_to": "IndexMap.restrict",
                          "fix_variables": "IndexMap.fix_variables",
                          "remove_unused_symbols": "IndexMap.simplify", "remove_unused_vars": "IndexMap.simplify",
                          "compress_vars": f"-{CPP}", "rescale_symbols": f"-{CPP}", "symbols_to_dims": f"-{CPP}",
                          "range_vars_to_dims": f"-{CPP}", "sub_map": f"-{CPP}", "inverse": "IndexMap.inverse",
                          "relational_inverse": "IndexMap.relational_inverse",
                          "verify_bijection": "-inverse() proves it, or gives a witness", "image": "IndexMap.image",
                          "to_string": "-str()", "count_points": "IndexMap.count_points", "count_image": "IndexMap.count"},
    "mpi/reshard.h": "mpi.reshard",
    "notation/atoms.h": {"to_string": "-text of a word", "atoms": "atoms", "find_atom": "atom", "named_atom": "parse",
                         "atom_result": "cute.idx2crd", "check_atom": "-a test of the catalog",
                         "atoms_equal_to": "-python -m tessera atoms --equal"},
    "notation/axe.h": {"make_axe": "Placement", "parse_axe": "Placement", "to_string": "-str()", "is_axe_text": f"-{CPP}",
                       "scope": f"-{CPP}", "canonical": "Placement.canonical", "fused": "Placement.fuse",
                       "placement": "Placement", "equal": "Placement.equal", "slice": "Placement.slice",
                       "tile": "Placement.tile", "direct_sum": "Placement.direct_sum", "layout_of": "Placement.to",
                       "thread_value": "Placement.to", "axe_of": "Layout.convert",
                       "axe_of_thread_value": "-python -m tessera convert --tile", "to_layout": "Layout"},
    "notation/blocked_layout.h": {"to_layout": "Layout", "parse_blocked_layout": "Layout.to_onednn",
                                  "is_format_tag": "Layout.to_onednn", "format_tag": "Layout.to_onednn",
                                  "to_string": "Layout.to_onednn"},
    "notation/conversion.h": {"convert": "Layout.convert", "spellings": "Layout.spellings", "transpose": "Layout.transpose",
                              "same_map": "equal", "same_storage": "equal", "first_difference": "equal", "to_string": "-str()",
                              "parse_equality_notion": "equal", "equal": "equal"},
    "notation/cute.h": {"parse_cute": "cute.parse", "parse_cute_layout": "cute.Layout", "parse_cute_shape": "cute.parse",
                        "parse_cute_coord": "cute.parse", "parse_cute_tiler": "cute.parse",
                        "parse_cute_expression": "cute.ComposedLayout", "parse_cute_swizzle": "cute.parse",
                        "to_string": "-str()", "print_layout": "cute.print_layout", "make_mapping": "-for an mdspan"},
    "notation/digits.h": f"-{CPP}: the normal form of a Layout",
    "notation/layout.h": {"to_layout": "Layout", "to_digits": f"-{CPP}", "lower": "Layout.map", "interacting_dims": f"-{CPP}",
                          "linear_form": "Layout.to_linear", "parse_layout": "parse", "to_string": "-str()",
                          "to_prefixed_string": "-str()", "order_text": "Layout.order", "all_notations": "-the words of parse",
                          "parse_notation": "parse", "prefix": "parse", "notation_prefix": "parse",
                          "indices_at": "Layout.indices_of", "offset_range": "Layout.offset_range",
                          "collision": "Layout.collision", "access_map": "Layout.access_map",
                          "is_bitcast": "Layout.is_bitcast"},
    "notation/linear_layout.h": {"to_layout": "Layout", "parse_linear_layout": "parse", "to_string": "-str()",
                                 "inverse": "-python -m tessera map inverse"},
    "notation/named_layout.h": {
        "to_string": "-str()", "parse_cell_type": "NamedLayout.type", "unsigned_type": f"-{CPP}",
        "parse_named_layout": "NamedLayout", "is_named_text": "layout", "name_of": "NamedLayout.name",
        "to_layout": "NamedLayout.layout", "planes": "NamedLayout.bit_layout", "bit_layout": "NamedLayout.bit_layout",
        "runs_at": "NamedLayout.runs", "runs_text": "-python -m tessera at", "owner_of": "-python -m tessera at --inverse",
        "code_bytes": "NamedLayout.unpack", "unpack": "NamedLayout.unpack", "pack": "NamedLayout.pack",
        "names_of": "names_of", "named_families": "-python -m tessera atoms", "equal": "-python -m tessera equal",
        "parse_named_or_layout": "layout"},
    "notation/packed_layout.h": {
        "to_layout": "Layout", "parse_packed_layout": "parse", "parse_shaped_packed_layout": "parse", "to_string": "-str()",
        "expand": "-Morello's own operations, for C++ programs", "offset": "-Morello's own operations, for C++ programs",
        "row_major": "-Morello's own operations, for C++ programs", "col_major": "-Morello's own operations, for C++ programs",
        "batched_col_major": "-Morello's own operations, for C++ programs",
        "nhwc": "-Morello's own operations, for C++ programs", "is_row_major": "-Morello's own operations, for C++ programs",
        "is_col_major": "-Morello's own operations, for C++ programs",
        "canonicalize": "-Morello's own operations, for C++ programs", "tile": "-Morello's own operations, for C++ programs",
        "drop_dims": "-Morello's own operations, for C++ programs", "swap_dims": "-Morello's own operations, for C++ programs",
        "prepend_one": "-Morello's own operations, for C++ programs",
        "contiguous_exact": "-Morello's own operations, for C++ programs",
        "estimated_cache_lines": "-Morello's own operations, for C++ programs"},
    "notation/sharding.h": "reshard",
    "notation/triton_layout.h": {
        "to_layout": "TritonLayout.layout", "to_string": "-str()", "space_of": "TritonLayout.kind",
        "to_gluon": "TritonLayout.gluon", "is_triton_text": "layout", "parse_triton_layout": "TritonLayout",
        "triton_element_bits": f"-{CPP}", "triton_bases": "TritonLayout.bases", "triton_name": "-python -m tessera convert --to ttg",
        "triton_holders": "TritonLayout.holders", "triton_offset": "-python -m tessera at",
        "triton_element": "TritonLayout.element", "triton_view": "-python -m tessera show --style triton",
        "triton_placement": f"-{CPP}", "different_places": "-python -m tessera equal", "triton_axe_placement": "-python -m tessera equal"},
    "notation/strides.h": {"to_layout": "Layout", "parse_strides": "parse", "to_string": "-str()"},
    "notation/tensor_type.h": {
        "to_layout": "Layout",
        "descending_order": f"-{CPP}: Layout holds a tensor type", "validate": "hlo.Instruction.type",
        "append": "hlo.Instruction.type", "outputs": "hlo.Instruction.type", "parse_hlo_type": "hlo.Instruction.type",
        "read_hlo_type": "hlo.Instruction.type", "read_hlo_type_at": "hlo.Instruction.type",
        "to_string": "hlo.Instruction.type"},
    "notation/sized_layout.h": {"parse_sized_layout": "sizes.layout", "to_string": "-str()", "equal": "sizes.equal",
                                "convert": "-sizes.layout(...).to", "offset_at": "-sizes.layout(...).at"},
    "notation/tiled_map.h": f"-{CPP}: Layout evaluates it",
    "placement/placement.h": {"to_string": "-str()", "places": "Placement.places", "equal": "Placement.equal"},
    "relayout/register_plan.h": {"to_string": "-text of a word", "parse_register_level": "-text of a word",
                                 "plan_registers": "registers_plan"},
    "relayout/plan.h": {name: f"-{CPP}" for name in ("cut_elements", "for_each_fitting", "order_by_target", "restrict_target")}
    | {"parse_isa": "-the environment variable TESSERA_ISA", "available_isas": "build_info",
                        "default_isa": "build_info", "make_plan": "plan", "to_string": "RelayoutPlan.describe",
                        "parse_plan": "RelayoutPlan", "verify": "RelayoutPlan.verify"},
    "ttgir/ttgir.h": {"is_ttgir": "ttgir", "read_ttgir": "ttgir"},
    "relayout/relayout.h": {"check_buffers": "RelayoutPlan.run", "executor_threads": "RelayoutPlan.run",
                            "has_parallel_executor": "RelayoutPlan.run", "parallel_executor": "RelayoutPlan.run",
                            "run": "RelayoutPlan.run", "run_checked": "RelayoutPlan.run", "run_chunk": "RelayoutPlan.run",
                            "serial_executor": "RelayoutPlan.run", "relayout": "relayout"},
    "reshard/distribution.h": "reshard",
    "reshard/placement_views.h": {"placement": f"-{CPP}", "place_of": f"-{CPP}", "axe_of": f"-{CPP}",
                                  "distribution_of": "Placement.to"},
    "reshard/reshard_plan.h": "reshard",
    "size/size.h": "-sizes.equal, sizes.eval; terms alone: python -m tessera eval --where",
    "text/index_map.h": "IndexMap",
    "tile/tile.h": "tile",
    "transfer/copy.h": "files.copy",
    "transfer/reshard_files.h": "-python -m tessera reshard",
}


def functions_of(header: pathlib.Path) -> set[str]:
    """The names of the functions that a header declares at the beginning of a line."""
    text = re.sub(r"namespace detail \{.*?\n\}  // namespace detail\n", "", header.read_text(), flags=re.S)
    text = re.sub(r"//[^\n]*", "", text)
    declared = re.finditer(r"^(?:constexpr |inline |template <[^\n]*>\n)*[A-Za-z_][\w:<>,\s&*\[\]]*?[\s&*>]([a-z]\w*)\(", text, re.M)
    return {m.group(1) for m in declared} - {"operator", "requires", "static_assert", "defined", "return"}


def resolves(place: str) -> bool:
    value: object = tessera
    for part in place.split("."):
        value = SPACES[part] if value is tessera and part in SPACES else getattr(value, part, None)
        if value is None:
            return False
    return True


def test_every_function_has_a_place(source_dir: pathlib.Path) -> None:
    root = source_dir / "include" / "tessera"
    gaps, headers = [], 0
    for header in sorted(root.rglob("*.h")):
        name = header.relative_to(root).as_posix()
        if "/detail/" in name or name == "tessera.h":
            continue
        headers += 1
        places = PLACES.get(name)
        if places is None and not functions_of(header):
            continue
        if places is None:
            gaps.append(name)
        elif isinstance(places, dict):
            gaps += [f"{name}: {function}" for function in sorted(functions_of(header) - set(places))]
    assert headers >= 40 and not gaps


def test_every_place_exists() -> None:
    places = {p for entry in PLACES.values() for p in ([entry] if isinstance(entry, str) else entry.values())}
    assert not [place for place in sorted(places) if not place.startswith("-") and not resolves(place)]
