// SPDX-License-Identifier: Apache-2.0
/// \file
/// TtgirReport: what the layouts of a TTGIR file cost, operation by operation.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tessera/access/register_access.h"
#include "tessera/base/index.h"
#include "tessera/base/result.h"
#include "tessera/notation/triton_layout.h"
#include "tessera/relayout/register_plan.h"

namespace tessera {

/// An alias of the file, `#blocked = #ttg.blocked<{...}>`, in the spelling of Triton 3.9.
struct TtgirLayout {
  std::string name;                       ///< `#blocked`
  std::optional<TritonAttribute> layout;  ///< empty if it cannot be read
  std::optional<Diagnostic> error;
};

/// `ttg.convert_layout`
struct TtgirConversion {
  std::vector<Index> shape;
  std::string element;
  std::string from;  ///< `#blocked`, or the attribute if it has no alias
  std::string to;
  RegisterPlan plan;
  std::optional<Index> exchange_bytes = {};  ///< through the shared memory of one block
};

/// An operation of a line.
struct TtgirUse {
  Index line = 0;
  std::string op;
};

/// A swizzle with fewer conflicts in all accesses of a buffer together.
struct TtgirCure {
  static constexpr std::size_t kMaxLines = 16;
  TritonAttribute memory;  ///< for the allocation; views such as memdesc_trans have it with other dimensions
  /// Of the allocations, which all need it: loops and branches may choose between several. At most kMaxLines
  /// of them, in order.
  std::vector<Index> lines = {};
  Index allocations = 0;  ///< how many there are; 0: not known
  Index wavefronts = 0;   ///< of this access
  Index accesses = 1;     ///< the different accesses of the buffer in the file, by all its views
  Index now = 0;          ///< wavefronts of all of them
  Index then = 0;         ///< with the cure
  std::optional<TtgirUse> not_counted = {};  ///< a copy to the buffer, which may have conflicts, too
};

/// `ttg.local_load`, `ttg.local_store`, or `ttg.local_alloc` with a value
struct TtgirLocal {
  std::vector<Index> shape;
  std::string element;
  std::string memory;
  std::string registers;
  std::optional<std::vector<Index>> allocated = {};  ///< if the memory is a part of a larger buffer
  std::string mode;  ///< `vector`, `ldmatrix`, `stmatrix.trans`, `vector or transposing`, ...
  LocalAccess access;
  /// If the access has conflicts: of the `swizzled_shared` with vectors of up to 16 bytes, perPhase up to 8
  /// and maxPhase up to 32, in every order of up to 4 dimensions, one with the fewest wavefronts for all
  /// accesses of the buffer together; empty if none of them has fewer than now. Vectors have 4 bytes or more,
  /// and the order stays, where an asynchronous copy fills the buffer; it stays with more dimensions, too.
  std::optional<TtgirCure> cure = {};
  bool tried = false;  ///< whether these swizzles were compared
  /// If the access has conflicts and no cure was looked for: an operation that uses the buffer in another
  /// way, and may need its layout.
  std::optional<TtgirUse> used_by = {};
  bool followed = true;  ///< whether the buffer of the access is known
};

/// `ttg.local_alloc` without a value
struct TtgirAllocation {
  std::vector<Index> shape;
  std::string element;
  std::string memory;
  Index bytes = 0;
};

/// `tt.load`, `tt.store`, copies from global to shared memory
struct TtgirGlobal {
  std::vector<Index> shape;
  Index bits = 0;
  std::string registers;
  std::optional<Index> contiguous = {};  ///< the dimension along which addresses are consecutive
  RegisterGlobalAccess access;
};

/// `tt.reduce`
struct TtgirReduction {
  std::vector<Index> shape;
  std::string element;
  Index axis = 0;
  std::string registers;
  RegisterCounts over = {};  ///< how many registers, lanes, warps and blocks a row lies in; `stay` is unused
};

/// Operations of which the report has only the layouts
struct TtgirLayouts {
  std::vector<std::string> layouts;
  std::vector<std::vector<Index>> shapes;
};

struct TtgirOperation {
  Index line = 0;
  std::string op;                          ///< `ttg.convert_layout`
  Index depth = 0;                         ///< of loops around it
  std::optional<std::string> source = {};  ///< `kernel.py:63`
  std::optional<Diagnostic> error = {};    ///< why the operation is not counted
  std::variant<std::monostate, TtgirConversion, TtgirLocal, TtgirAllocation, TtgirGlobal, TtgirReduction,
               TtgirLayouts>
      what = {};
};

/// A file in the textual form of Triton's GPU dialect, of Triton 3.0 to 3.9. All costs are of one execution
/// of an operation.
struct TtgirReport {
  std::string target;  ///< `cuda:90`; empty if the file has none
  Index warps = 4;
  Index threads_per_warp = 32;
  Index ctas = 1;
  std::vector<TtgirLayout> layouts;
  std::vector<TtgirOperation> operations;
  std::map<RegisterLevel, Index> conversions;  ///< how many conversions move elements how far
};

/// Whether a text is TTGIR.
bool is_ttgir(std::string_view text);

/// Reads a file line by line. What cannot be read or is not known carries an error, and the rest is reported.
/// Errors: duplicate_name (an alias is defined twice), syntax (no operation and no alias).
Result<TtgirReport> read_ttgir(std::string_view text);

}  // namespace tessera
