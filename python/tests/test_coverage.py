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
    "access/access.h": {"parse_access": "access", "whole_layout": "access"},
    "access/access_report.h": {"analyze_accesses": "access"},
    "access/bank_conflicts.h": {"count_banks": "cute.bank_conflicts", "count_wavefronts": "access", "bank_bits": "access"},
    "access/coalescing.h": {"count_segments": "cute.coalescing_efficiency", "count_grid": "access", "widest_vector": "access",
                            "coalesced_by_xla_rule": "-XLA's heuristic; access counts exactly",
                            "tile_bandwidth": "-XLA's heuristic; access counts exactly", "to_string": "-text of a word"},
    "access/fix.h": {"find_fixes": "access", "to_string": "-text of a word"},
    "access/memory_target.h": {"to_string": "-text of a word", "is_matrix": "-a test of a word"},
    "algebra/composed_layout.h": {
        "offset": "cute.ComposedLayout.__call__", "make_composed": "cute.make_composed_layout", "composition": "cute.composition",
        "slice": "cute.slice", "right_inverse": "cute.right_inverse", "left_inverse": "cute.left_inverse",
        "generalized_inverse": "cute.generalized_inverse", "complement": "cute.complement",
        "swizzle_portion": "cute.swizzle_portion", "nonswizzle_portion": "cute.nonswizzle_portion", "upcast": "cute.upcast",
        "downcast": "cute.downcast", "simplify": "cute.simplify", "max_common_layout": "cute.max_common_layout",
        "max_common_vector": "cute.max_common_vector", "image_min": "cute.image_min", "image_max": "cute.image_max"},
    "algebra/int_tuple.h": {"make_tuple": "cute.make_tuple", "get": "cute.get", "size": "cute.size", "depth": "cute.depth",
                            "congruent": "cute.congruent", "weakly_congruent": "cute.weakly_congruent",
                            "compatible": "cute.compatible"},
    "algebra/layout_algebra.h": "cute",
    "algebra/mdspan.h": "-compile time",
    "algebra/static_layout.h": "-compile time",
    "algebra/strided_layout.h": {
        "make_strided": "cute.Layout", "make_mode": "cute.Layout", "depth": "cute.depth", "image_min": "cute.image_min",
        "image_max": "cute.image_max", "coshape": "cute.coshape", "cosize": "cute.cosize", "evaluate": "cute.evaluate",
        "offset": "cute.Layout.__call__", "path_levels": f"-{CPP}", "path_index": f"-{CPP}", "path_append": f"-{CPP}",
        "path_contains": f"-{CPP}", "check_invariants": "-Python values always hold"},
    "algebra/swizzle.h": {"make_swizzle": "cute.Swizzle", "swizzle_from_masks": "cute.make_swizzle",
                          "swizzle_compose": "cute.swizzle_compose", "swizzle_upcast": "cute.upcast",
                          "swizzle_downcast": "cute.downcast"},
    "base/code.h": "Error",
    "base/diagnostic.h": "Error",
    "base/dtype.h": "-names; functions take names and numpy.dtype",
    "base/index.h": "-Python's integers",
    "base/result.h": "Error",
    "base/source.h": "Error",
    "code/code.h": {"offset_code": "code", "inverse_code": "code", "map_code": "code", "loop_code": "code", "plan_code": "code",
                    "copy_code": "copy_code", "to_string": "SourceCode.language", "parse_code_language": "code",
                    "all_code_languages": "code", "file_extension": "SourceCode.extension"},
    "draw/layout_facts.h": "Layout.describe",
    "draw/layout_picture.h": {"picture_of": "Layout.show", "linked_views": "Layout.show", "comparison_of": "Layout.show",
                              "thread_value_picture": "Layout.show", "view_of": f"-{CPP}", "coordinate_text": f"-{CPP}",
                              "next_index": f"-{CPP}", "parse_coloring": "Layout.show", "parse_cell_text": "Layout.show",
                              "parse_window": "Layout.show", "divide_figure": f"-{CPP}", "composition_figure": f"-{CPP}",
                              "product_figure": f"-{CPP}"},
    "draw/picture.h": "-colors and cells, for renderers in C++",
    "draw/render.h": {"render_text": "Picture.text", "render_svg": "Picture.svg", "render_png": "Picture.png",
                      "render_tikz": "Picture.tikz", "render_html": "Picture.html", "render_json": "Picture.to_json",
                      "show_json": "Layout.to_json"},
    "eval/evaluator.h": {"to_string": "-str()", "kind_of": "-type()", "eval_functions": "cute"},
    "expr/expr.h": "-expressions are texts in Python: IndexMap.results",
    "expr/interval.h": "-pairs of integers in Python: IndexMap.bounds",
    "files/tensor_file.h": {"list_tensors": "files.info", "content_of": "files.info", "to_string": "-text of a word",
                            "parse_tensor_path": "files.copy", "format_of": "files.copy", "memory_bits": "Layout.element_bits",
                            "prefix_bytes": f"-{CPP}", "file_bytes": f"-{CPP}", "file_header": f"-{CPP}"},
    "hlo/analyze.h": "hlo.HloModule.analyze",
    "hlo/collective_groups.h": "-in the text of OperandMap",
    "hlo/indexing.h": "hlo.OperandMap",
    "hlo/indexing_set.h": f"-{CPP}",
    "hlo/module.h": {"leaf_type": "hlo.Instruction.type", "equal": "-compare str(module)"},
    "hlo/opcode.h": "-opcodes are texts in Python",
    "hlo/operand_maps.h": "hlo.Instruction.operand_maps",
    "hlo/parser.h": "hlo.load",
    "hlo/traffic.h": "-python -m tessera hlo FILE --traffic",
    "hlo/utilization.h": "-python -m tessera hlo FILE --traffic",
    "hlo/walk.h": "hlo.HloModule.parameter_maps",
    "map/domain.h": f"-{CPP}",
    "map/image.h": {"image": "IndexMap.image", "to_string": "-str()", "count_points": "IndexMap.count_points",
                    "count_image": "IndexMap.count"},
    "map/index_map.h": {"size": "-a measure for the simplifier", "to_string": "-str()"},
    "map/inverse.h": {"inverse": "IndexMap.inverse", "relational_inverse": "IndexMap.relational_inverse",
                      "verify_bijection": "-inverse() proves it, or gives a witness"},
    "map/judge.h": {"equal": "equal", "is_empty": "IndexMap.is_empty", "footprint_within": "IndexMap.within",
                    "judge_has_isl": "build_info"},
    "map/map_algebra.h": {"compose": "IndexMap.compose", "restrict_to": "IndexMap.restrict", "at_point": "IndexMap.at",
                          "remove_unused_symbols": "IndexMap.simplify", "remove_unused_vars": "IndexMap.simplify",
                          "compress_vars": f"-{CPP}", "rescale_symbols": f"-{CPP}", "symbols_to_dims": f"-{CPP}",
                          "range_vars_to_dims": f"-{CPP}", "sub_map": f"-{CPP}"},
    "map/simplify.h": {"simplify": "IndexMap.simplify", "range": "IndexMap.image", "equal_forms": "equal"},
    "mpi/reshard.h": "mpi.reshard",
    "notation/algebra.h": "cute",
    "notation/atoms.h": {"to_string": "-text of a word", "atoms": "atoms", "find_atom": "atom", "named_atom": "parse",
                         "atom_result": "cute.idx2crd", "check_atom": "-a test of the catalog",
                         "atoms_equal_to": "-python -m tessera atoms --equal"},
    "notation/blocked_layout.h": "Layout.to_onednn",
    "notation/conversion.h": {"convert": "Layout.convert", "spellings": "Layout.spellings", "transpose": "Layout.transpose",
                              "same_map": "equal", "same_storage": "equal", "first_difference": "equal", "to_string": "-str()",
                              "parse_equality_notion": "equal", "equal": "equal"},
    "notation/cute.h": {"parse_cute": "cute.parse", "parse_cute_layout": "cute.Layout", "parse_cute_shape": "cute.parse",
                        "parse_cute_coord": "cute.parse", "parse_cute_tiler": "cute.parse",
                        "parse_cute_expression": "cute.ComposedLayout", "parse_cute_swizzle": "cute.parse",
                        "to_string": "-str()", "print_layout": "cute.print_layout"},
    "notation/digits.h": f"-{CPP}: the normal form of a Layout",
    "notation/hlo_type.h": "hlo.Instruction.type",
    "notation/layout.h": {"to_layout": "Layout", "to_digits": f"-{CPP}", "lower": "Layout.map", "interacting_dims": f"-{CPP}",
                          "linear_form": "Layout.to_linear", "parse_layout": "parse", "to_string": "-str()",
                          "to_prefixed_string": "-str()", "order_text": "Layout.order", "all_notations": "-the words of parse",
                          "parse_notation": "parse", "prefix": "parse", "notation_prefix": "parse"},
    "notation/layout_queries.h": {"indices_at": "Layout.indices_of", "offset_range": "Layout.offset_range",
                                  "collision": "Layout.collision", "access_map": "Layout.access_map",
                                  "is_bitcast": "Layout.is_bitcast"},
    "notation/linear_layout.h": {"parse_linear_layout": "parse", "to_string": "-str()"},
    "notation/packed_layout.h": {"parse_packed_layout": "parse", "parse_shaped_packed_layout": "parse", "to_string": "-str()"}
    | {name: "-Morello's own operations, for C++ programs" for name in
       "expand offset row_major col_major batched_col_major nhwc is_row_major is_col_major canonicalize tile drop_dims swap_dims "
       "prepend_one contiguous_exact estimated_cache_lines".split()},
    "notation/sharding.h": "reshard",
    "notation/strides.h": {"parse_strides": "parse", "to_string": "-str()"},
    "notation/tensor_type.h": f"-{CPP}: Layout holds a tensor type",
    "notation/tiled_map.h": f"-{CPP}: Layout evaluates it",
    "relayout/plan.h": {"parse_isa": "-the environment variable TESSERA_ISA", "available_isas": "build_info",
                        "default_isa": "build_info", "make_plan": "plan", "to_string": "RelayoutPlan.describe", "parse_plan": "RelayoutPlan",
                        "verify": "RelayoutPlan.verify"},
    "relayout/relayout.h": "relayout",
    "relayout/run.h": "RelayoutPlan.run",
    "reshard/axis_expression.h": "-for C++ programs that read stored axes",
    "reshard/bound_distribution.h": "reshard",
    "reshard/distribution.h": "reshard",
    "reshard/pieces.h": "reshard",
    "reshard/reshard_plan.h": "reshard",
    "text/index_map.h": "IndexMap",
    "tile/symbolic_tile.h": "tile",
    "tile/tiling.h": "tile",
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
    assert headers > 40 and not gaps


def test_every_place_exists() -> None:
    places = {p for entry in PLACES.values() for p in ([entry] if isinstance(entry, str) else entry.values())}
    assert not [place for place in sorted(places) if not place.startswith("-") and not resolves(place)]
