// SPDX-License-Identifier: Apache-2.0
/// \file
/// Source code for layouts, index maps, plans and copies, in the languages that kernels are written in.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tessera/base/result.h"
#include "tessera/map/index_map.h"
#include "tessera/notation/layout.h"
#include "tessera/relayout/plan.h"

namespace tessera {

class NamedLayout;  // notation/named_layout.h
class Placement;    // placement/placement.h

/// A language of generated code.
enum class CodeLanguage : std::uint8_t { c, cpp, cuda, hip, python, numpy, triton, jax, mlir };

/// `c`, `cpp`, `cuda`, `hip`, `python`, `numpy`, `triton`, `jax`, `mlir`.
std::string_view to_string(CodeLanguage language);
/// The language with this name, if there is one.
std::optional<CodeLanguage> parse_code_language(std::string_view word);
/// All languages, in the order of CodeLanguage.
std::span<const CodeLanguage> all_code_languages();
/// The usual ending of a file in this language: `.c`, `.py`, `.mlir`.
std::string_view file_extension(CodeLanguage language);

/// What to generate.
struct CodeOptions {
  CodeLanguage language = CodeLanguage::c;
  std::string name = {};       ///< of the function; empty: `offset`, `index_of`, `read`, `visit` or `copy`
  bool multiply_high = false;  ///< divide by constants other than powers of two by multiply and shift
  bool test = false;           ///< also generate the test
};

/// A source file, and a test of it.
struct SourceCode {
  std::string text;
  /// A program that compares the code with offsets that the library computed: a few points, and a hash over
  /// all of them. It follows `text` in the same file, or imports it with `import_line`. Empty unless
  /// requested.
  std::string test = {};
  /// The text that a separate test file needs before `test` to import `text` from `file`.
  std::string import_line(std::string_view file) const;

  CodeLanguage language = CodeLanguage::c;
};

/// A function from an index to its offset, in elements. Every intermediate value fits in the integer type
/// that the function uses, 32 bits if possible; the comment above the function gives the ranges. Division
/// floors. Divisions by powers of two become shifts and masks, and swizzles and bases over F2 become XOR,
/// except in MLIR, whose affine maps have neither. Exact. Errors: bad_option (the name is not an identifier),
/// overflow (an intermediate value does not fit in 64 bits), bad_extent (a layout without elements).
Result<SourceCode> offset_code(const Layout& layout, const CodeOptions& options = {});

/// A function that returns the code of an element of a named layout in a buffer of bytes, and one that stores
/// it: one shift and mask for each run of its bits. In C, C++, CUDA, HIP and Python. Exact. Errors: as
/// offset_code; not_applicable (another language); limit (a test with a buffer of more than 64 MiB).
Result<SourceCode> get_code(const NamedLayout& layout, const CodeOptions& options = {});
Result<SourceCode> set_code(const NamedLayout& layout, const CodeOptions& options = {});

/// A function from an offset to the index there; it reports offsets that hold no element, such as padding.
/// Errors: also not_invertible (two indices share an offset; the witness names them), undecided.
Result<SourceCode> inverse_code(const Layout& layout, const CodeOptions& options = {});

/// A function from the variables of a map to its results; if the map has constraints, it also reports whether
/// they hold. Errors: also unbounded (a variable without bounds), not_applicable (a division by a variable),
/// undefined_value (a known empty map).
Result<SourceCode> map_code(const IndexMap& map, const CodeOptions& options = {});

/// A function for each axis of a placement: from an index and, where the axis has replicas, their numbers, to
/// the value on the axis. `name` is the beginning of their names, `place` if it is empty: `place_laneid`.
/// Errors: those of map_code, not_applicable (a placement by maps; `test`).
Result<SourceCode> placement_code(const Placement& placement, const CodeOptions& options = {});

/// Loops over all points of a map, outermost variable first, that visit each point with its results. Points
/// that break a constraint are left out. Errors: as map_code.
Result<SourceCode> loop_code(const IndexMap& map, const CodeOptions& options = {});

/// A function that copies every element from its offset in one layout to its offset in the other, for
/// elements of `element_bytes` bytes. Loops run over digits on which both offsets are linear, in the order of
/// the destination's strides, if both layouts have digits; otherwise over the index. CUDA, HIP and Triton get
/// one thread per element. Errors: also different_shape, unsupported_width (not 1, 2, 4 or 8 bytes),
/// broadcast (two indices share a destination).
Result<SourceCode> copy_code(const Layout& from, const Layout& to, Index element_bytes,
                             const CodeOptions& options = {});

/// The loop nests of a plan, as a function that copies bytes. Errors: as copy_code; not_applicable for a plan
/// with lookup tables.
Result<SourceCode> plan_code(const RelayoutPlan& plan, const CodeOptions& options = {});

}  // namespace tessera
