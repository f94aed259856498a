// SPDX-License-Identifier: Apache-2.0
/// \file
/// Includes every public header of Tessera except mpi/reshard.h, which needs MPI, in the order in which to
/// learn them. Each can be included alone.
#pragma once

// clang-format off
// Integers, results and errors.
#include "tessera/base/index.h"   // Index: a 64-bit integer, and arithmetic that checks
#include "tessera/base/result.h"  // Result<T>: a value or a Diagnostic, which points into a Source
#include "tessera/base/code.h"    // Code: the codes of errors and warnings
#include "tessera/base/dtype.h"   // DType: element types and their widths

// Layouts: functions from indices to offsets, in the notation of each community.
#include "tessera/notation/layout.h"          // Layout, parse_layout, offset; indices_at, offset_range, collision
#include "tessera/notation/conversion.h"      // convert, transpose, equal
#include "tessera/notation/tensor_type.h"     // TensorType: XLA's f32[3,5]{1,0:T(2,2)}; HloType: also tuples
#include "tessera/notation/tiled_map.h"       // TiledMap: from an index to its offset in tiles, and back; sizes
#include "tessera/notation/strides.h"         // Strides: NumPy's
#include "tessera/notation/linear_layout.h"   // LinearLayout: bases over F2, as in Triton
#include "tessera/notation/packed_layout.h"   // PackedLayout: Morello's
#include "tessera/notation/blocked_layout.h"  // BlockedLayout: oneDNN's tags, aBcd16b
#include "tessera/notation/named_layout.h"    // NamedLayout: scale orders, packings, GGUF blocks, by their names
#include "tessera/notation/digits.h"          // Digits: the normal form, mixed-radix digits with strides
#include "tessera/notation/triton_layout.h"   // TritonLayout: layouts of Triton and Gluon, and who holds an element
#include "tessera/notation/atoms.h"           // atoms, find_atom: layouts of real hardware, by name
#include "tessera/notation/sharding.h"        // Sharding: which device holds which part

// Sizes with names, for answers that hold for all sizes.
#include "tessera/notation/sized_layout.h"  // SizedLayout: equal, convert, offset_at for all sizes; SizeCases
#include "tessera/size/size.h"              // SizeAssumptions, compare_sizes: terms, and questions about all sizes

// Placements: sets of places on named axes, for threads, registers, devices and memory.
#include "tessera/placement/placement.h"  // Placement, places, equal: who holds an element
#include "tessera/notation/axe.h"         // AxeLayout: the layouts of TVM TIRx; slice, tile; views of placements

// CuTe's layouts and their algebra, at run time and at compile time.
#include "tessera/algebra/strided_layout.h"   // StridedLayout: shape:stride; IntTuple: nested integers
#include "tessera/algebra/composed_layout.h"  // ComposedLayout: a chain of layouts and Swizzles
#include "tessera/algebra/operands.h"         // Coord, Tiler, Slice, ThreadValue: other operands and results
#include "tessera/notation/cute.h"            // parse_cute, print_layout; algebra::composition(a, b) and the rest
#include "tessera/algebra/mdspan.h"           // layout_tessera, layout_tessera_dynamic: for std::mdspan
#include "tessera/algebra/static_layout.h"    // StaticLayout: "(8,8):(8,1)"_layout, a layout as a type
#include "tessera/eval/evaluator.h"           // Evaluator: the calculator

// Index maps: functions between index spaces.
#include "tessera/expr/expr.h"        // Expr: + * floordiv mod min max over variables; Interval: its values
#include "tessera/map/index_map.h"    // IndexMap: a Domain and a list of results
#include "tessera/map/judge.h"        // equal, is_empty, footprint_within: proof or counterexample
#include "tessera/map/map_algebra.h"  // simplify, compose, restrict_to, fix_variables, inverse, image, count
#include "tessera/text/index_map.h"   // parse_index_map, parse_expr

// Pictures.
#include "tessera/draw/layout_picture.h"  // pictures of layouts and of operations on them; LayoutFacts
#include "tessera/draw/picture.h"         // Picture: cells, labels, colors; as text, SVG, PNG, TikZ, HTML, JSON

// Moving data.
#include "tessera/files/tensor_file.h"       // TensorFile: .npy, .safetensors, raw
#include "tessera/relayout/plan.h"           // RelayoutPlan: make, print, parse, verify; PlanOptions
#include "tessera/relayout/register_plan.h"  // plan_registers: what converting a register layout costs
#include "tessera/relayout/relayout.h"       // relayout: one call; PlanCache; run a plan, on one thread or many
#include "tessera/reshard/distribution.h"    // Distribution: which places hold each element, and where
#include "tessera/reshard/placement_views.h"  // distributions as placements and Axe layouts, and back
#include "tessera/reshard/reshard_plan.h"    // ReshardPlan: what moves between two distributions, its proof
#include "tessera/transfer/copy.h"           // copy_tensor: from file to file, in another layout
#include "tessera/transfer/reshard_files.h"  // reshard_files: a checkpoint in another distribution
#include "tessera/ttgir/ttgir.h"             // read_ttgir: the costs of a whole TTGIR file

// The cost of memory accesses.
#include "tessera/access/access.h"         // Access, analyze_accesses; find_fixes: layouts without bank conflicts
#include "tessera/access/memory_target.h"  // MemoryTarget; bank conflicts and sectors of one instruction
#include "tessera/access/register_access.h"  // local_access, global_access: what moving registers costs

// HLO programs.
#include "tessera/hlo/analyze.h"   // analyze: every instruction of a module
#include "tessera/hlo/indexing.h"  // Indexing: a map, how exact it is, and why; sets of them
#include "tessera/hlo/module.h"    // HloModule, parse_hlo; Computation, Instruction
#include "tessera/hlo/opcode.h"    // Opcode
#include "tessera/hlo/traffic.h"   // how often elements are read, and the bytes that each step moves
#include "tessera/hlo/walk.h"      // output_to_input: one instruction; ProgramIndexing: through a program
#include "tessera/tile/tile.h"     // SymbolicTile: what a tile reads through a map or a program

// Source code in nine languages.
#include "tessera/code/code.h"  // offset_code, inverse_code, map_code, loop_code, copy_code, plan_code
// clang-format on
