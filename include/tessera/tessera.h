// SPDX-License-Identifier: Apache-2.0
/// \file
/// Includes every public header of Tessera, in the order in which to learn them. Each can be included alone.
#pragma once

// clang-format off
// Integers, texts, results and errors.
#include "tessera/base/code.h"        // Code: the codes of errors and warnings
#include "tessera/base/diagnostic.h"  // Diagnostic: a code, a message, a span, a witness, a way out
#include "tessera/base/dtype.h"       // DType: element types and their widths
#include "tessera/base/index.h"       // Index: a checked 64-bit integer
#include "tessera/base/result.h"      // Result<T>: a value or a Diagnostic
#include "tessera/base/source.h"      // Source: a text with a name, lines and columns

// Index maps: functions between index spaces.
#include "tessera/expr/interval.h"     // Interval: bounds, perhaps infinite
#include "tessera/expr/expr.h"         // Expr: + * floordiv mod min max over variables
#include "tessera/map/domain.h"        // Domain: variables, their intervals, constraints
#include "tessera/map/index_map.h"     // IndexMap: a domain and a list of results
#include "tessera/text/index_map.h"    // parse_index_map, parse_expr
#include "tessera/map/simplify.h"      // simplify
#include "tessera/map/map_algebra.h"   // compose, restrict, substitute a point, drop variables
#include "tessera/map/inverse.h"       // inverse
#include "tessera/map/image.h"         // image, count
#include "tessera/map/judge.h"         // equal, is_empty, footprint_within: proof or counterexample

// Layouts: an index map from indices to offsets, in the notation of each community.
#include "tessera/notation/layout.h"          // Layout, parse_layout, to_string; Notation
#include "tessera/notation/conversion.h"      // convert, transpose, equal
#include "tessera/notation/layout_queries.h"  // indices_at, offset_range, collision
#include "tessera/notation/digits.h"          // Digits: the normal form, mixed-radix digits with strides
#include "tessera/notation/tensor_type.h"     // TensorType, TiledLayout: XLA's f32[3,5]{1,0:T(2,2)}
#include "tessera/notation/tiled_map.h"       // TiledMap: from an index to its offset in tiles, and back
#include "tessera/notation/hlo_type.h"        // HloType: arrays and tuples of HLO
#include "tessera/notation/packed_layout.h"   // PackedLayout: Morello's physical dimensions
#include "tessera/notation/blocked_layout.h"  // BlockedLayout: oneDNN's tags, aBcd16b
#include "tessera/notation/linear_layout.h"   // LinearLayout: bases over F2
#include "tessera/notation/strides.h"         // Strides: NumPy's strides
#include "tessera/notation/atoms.h"           // atoms, find_atom: layouts of real hardware, by name
#include "tessera/notation/sharding.h"        // Sharding: which device holds which part

// CuTe's layouts and their algebra, at compile time and at run time.
#include "tessera/algebra/int_tuple.h"        // IntTuple: nested integers
#include "tessera/algebra/strided_layout.h"   // StridedLayout: shape:stride
#include "tessera/algebra/swizzle.h"          // Swizzle
#include "tessera/algebra/composed_layout.h"  // ComposedLayout: a chain of swizzles, offsets and layouts
#include "tessera/algebra/layout_algebra.h"   // coalesce, composition, complement, inverses, divides, products
#include "tessera/algebra/static_layout.h"    // StaticLayout: a layout as a template argument
#include "tessera/algebra/mdspan.h"           // layout_tessera, layout_tessera_dynamic: for std::mdspan
#include "tessera/notation/cute.h"            // parse_cute, print_layout
#include "tessera/notation/algebra.h"         // algebra::composition(a, b): the operations as Result<T>
#include "tessera/eval/evaluator.h"           // Evaluator: the calculator

// Pictures.
#include "tessera/draw/picture.h"         // Picture: cells, labels, colors
#include "tessera/draw/layout_picture.h"  // pictures of a layout and of operations on layouts
#include "tessera/draw/layout_facts.h"    // LayoutFacts: size, padding, runs, injectivity
#include "tessera/draw/render.h"          // text, SVG, PNG, TikZ, HTML, JSON

// Moving data.
#include "tessera/relayout/relayout.h"  // relayout: one call; PlanCache
#include "tessera/relayout/plan.h"      // RelayoutPlan: make, print, parse, verify; PlanOptions
#include "tessera/relayout/run.h"       // run a plan, on one thread or many
#include "tessera/files/tensor_file.h"  // TensorFile: .npy, .safetensors, raw
#include "tessera/transfer/copy.h"           // copy_tensor: from file to file, in another layout
#include "tessera/transfer/reshard_files.h"  // reshard_files: a checkpoint in another distribution

// Distributed arrays: which places hold each element, and what moves between two distributions.
#include "tessera/reshard/distribution.h"        // Distribution: shardings of XLA, JAX, PyTorch, ScaLAPACK
#include "tessera/reshard/bound_distribution.h"  // holders, convert, equal: a distribution of a known shape
#include "tessera/reshard/reshard_plan.h"        // ReshardPlan: the messages, their bytes, rounds, proof
#include "tessera/reshard/axis_expression.h"     // AxisExpression: the axes of a stored tensor, by name
#include "tessera/reshard/pieces.h"              // PieceMatch: where the elements of each piece move

// The cost of memory accesses: bank conflicts, sectors, and layouts that avoid conflicts.
#include "tessera/access/memory_target.h"   // MemoryTarget: lanes, banks, phases
#include "tessera/access/access.h"          // Access, parse_access: the accesses of a thread block
#include "tessera/access/access_report.h"   // analyze_accesses
#include "tessera/access/bank_conflicts.h"  // count_banks, bank_bits: one instruction
#include "tessera/access/coalescing.h"      // count_segments, count_grid, widest_vector
#include "tessera/access/fix.h"             // find_fixes: swizzle, padding, XOR of offset bits

// HLO programs.
#include "tessera/hlo/parser.h"             // parse_hlo, read_file
#include "tessera/hlo/module.h"             // HloModule, Computation, Instruction
#include "tessera/hlo/opcode.h"             // Opcode
#include "tessera/hlo/operand_maps.h"       // the maps of one instruction
#include "tessera/hlo/indexing.h"           // Indexing: one map, how exact it is, and why
#include "tessera/hlo/indexing_set.h"       // sets of maps with their exactness
#include "tessera/hlo/collective_groups.h"  // replica groups
#include "tessera/hlo/walk.h"               // maps through a program
#include "tessera/hlo/analyze.h"            // every instruction of a module
#include "tessera/hlo/utilization.h"        // how much of an operand is read, and how often
#include "tessera/hlo/traffic.h"            // bytes that each step of a program reads and writes

// Tiles through maps and programs.
#include "tessera/tile/symbolic_tile.h"  // propagate, symbolic_tile: what a tile reads through a map
#include "tessera/tile/tiling.h"         // tiles_read, tiles_reading: through an instruction

// Source code in nine languages.
#include "tessera/code/code.h"  // offset_code, inverse_code, map_code, loop_code, copy_code, plan_code
// clang-format on
