// SPDX-License-Identifier: Apache-2.0
/// \file
/// HLO programs: modules, computations, instructions; reads them from text.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tessera/base/index.h"
#include "tessera/base/result.h"
#include "tessera/hlo/detail/name_table.h"
#include "tessera/hlo/opcode.h"
#include "tessera/notation/tensor_type.h"

namespace tessera {

struct Instruction;
struct Computation;

namespace detail {
struct OpValue;
}

/// The type of a leaf; for a buffer, the type of its contents. The leaves of a type are its arrays and tokens
/// in the order written, nested tuples flattened: a type that is not a tuple is its own leaf 0, and element i
/// of a tuple of arrays is leaf i. Requires leaf < type.leaf_count(). O(leaves).
const HloType& leaf_type(const HloType& type, std::size_t leaf);

/// `key=value` after the operands. The value is the text as written (braces and quotes included).
struct Attribute {
  std::string_view key;
  std::string_view value;
  Span span = {};  ///< of the value
};

/// A tuple index after the first: the operand `name#1#0` has the tuple_index 1 and the step {0, null}. Equal
/// steps of a module share one object.
struct TupleStep {
  std::int32_t index = 0;
  const TupleStep* next = nullptr;
  friend auto operator<=>(const TupleStep&, const TupleStep&) = default;
};

/// An operand: an earlier instruction of the computation, or one part of its tuple (`name#1`, `name#1#0`).
struct Operand {
  Instruction* instruction = nullptr;
  std::int32_t tuple_index = -1;  ///< -1: the whole value
  Span span = {};
  const TupleStep* inner = nullptr;  ///< the tuple indices after the first; null: none

  /// The type of the named part. O(number of indices).
  const HloType& type() const;
};

/// One line of a computation. Texts are views of the module's source.
struct Instruction {
  std::string_view name;  ///< without `%`
  Opcode opcode = Opcode::unknown;
  std::string_view opcode_text;  ///< as written, also for Opcode::unknown
  HloType type;
  std::string_view unread_type = {};  ///< the text of an unreadable type
  std::vector<Operand> operands;      ///< without unknown names: see Computation::lost_operands
  std::vector<Computation*> called;   ///< in the order of the attributes that name them
  std::vector<Attribute> attributes;  ///< in the order written: opcode-specific and common attributes
  std::string_view literal;           ///< of a constant: the literal as written
  Index parameter_number = -1;        ///< of a parameter
  Computation* parent = nullptr;
  std::uint32_t index = 0;  ///< position in `parent->instructions`
  bool is_root = false;
  bool sound = true;  ///< false: an error was reported for the instruction; analysis answers unknown
  Span span = {};     ///< of the whole instruction
  Span opcode_span = {};
  /// What the attributes mean, if the opcode has any that matter and the instruction was checked.
  std::shared_ptr<const detail::OpValue> value = {};

  /// The attribute with this key, or null.
  const Attribute* attribute(std::string_view key) const;
  /// The type of operand `i`, or of the part of a tuple that it names.
  const HloType& operand_type(std::size_t i) const { return operands[i].type(); }
};

/// How many devices run the program, from the module header; 0: unknown.
struct DeviceCounts {
  Index replicas = 0;    ///< `replica_count`
  Index partitions = 0;  ///< `num_partitions`, of each replica
};

/// An operand with an unknown name: its position among the operands as written, and the name.
struct LostOperand {
  std::uint32_t place = 0;
  std::string_view name;
};

/// A named list of instructions; operands come before their users.
struct Computation {
  std::string_view name;
  std::vector<std::unique_ptr<Instruction>> instructions;
  Instruction* root = nullptr;
  std::vector<Instruction*> parameters;  ///< by number; null if the number is missing
  bool is_entry = false;
  std::string_view execution_thread = {};  ///< the string as written, with quotes; empty if absent
  Span span = {};
  NameTable names = {};  ///< positions of the instructions
  DeviceCounts devices = {};
  /// For each instruction with such operands: its operands with unknown names, by position.
  std::unordered_map<const Instruction*, std::vector<LostOperand>> lost_operands = {};

  /// The instruction of this name, or null. O(length of the name).
  Instruction* find(std::string_view instruction_name) const;
};

/// A module: names are unique, computations and operands come before their users, unknown opcodes and
/// attributes are kept verbatim. Keeps its source alive; every string_view of the module points into it, or
/// into `generated` if the text omits a name (instructions nested in operands, computations written inline, a
/// bare list).
struct HloModule {
  std::shared_ptr<const Source> source;
  std::string_view name;
  std::vector<Attribute> attributes;   ///< of the header line
  std::string_view stack_tables = {};  ///< FileNames ... StackFrames, verbatim
  std::vector<std::unique_ptr<Computation>> computations;
  Computation* entry = nullptr;  ///< null only when there are no computations
  std::vector<std::unique_ptr<const std::string>> generated = {};
  std::set<TupleStep> tuple_steps = {};  ///< of all operands
  NameTable names = {};                  ///< positions of the computations

  /// The computation of this name, or null. O(length of the name).
  Computation* find(std::string_view computation_name) const;
  std::size_t instruction_count() const;
};

/// Whether two modules are the same program: equal names, opcodes, types, operands, called computations,
/// literals, header and attributes (in any order). Ignores formatting and spans.
bool equal(const HloModule& a, const HloModule& b);

/// The modules of a text, and its diagnostics in text order.
struct ParsedModules {
  std::shared_ptr<const Source> source;
  std::vector<HloModule> modules;
  std::vector<Diagnostic> diagnostics;

  /// Whether there are no errors; warnings are fine.
  bool ok() const;
};

struct ParseHloOptions {
  bool verify = true;                 ///< check shapes and attributes of every instruction after parsing
  std::size_t max_diagnostics = 100;  ///< a final note counts the rest
  /// Maps have a runtime variable for each size of a dynamic dimension that they depend on, in place of a
  /// superset over all sizes. Needs `verify`.
  bool sizes = false;
};

/// Parses every module of an HLO text: modules are separated by lines that start with `// -----` or by the
/// next `HloModule`. Never fails as a whole: an instruction with an error is reported and kept with
/// `sound == false`, and parsing continues. Every text gives a module or an error; StableHLO, LLVM IR, JSON,
/// binary files and the like give one error that explains how to get HLO text. O(text) time and memory. Types
/// may nest 500 levels deep (error `depth`); operands, literals and computations 200 (error `limit`).
ParsedModules parse_hlo(std::shared_ptr<const Source> source, const ParseHloOptions& options = {});

/// Parses a text that has no name for diagnostics to show.
ParsedModules parse_hlo(std::string_view text, const ParseHloOptions& options = {});

/// The text of a file, decompressed if it begins like a gzip file; `-` is standard input. Errors:
/// file_not_found, file_read (a directory, a broken or truncated archive, a failing disk), file_too_large
/// (the file or its decompressed text has more than `max_bytes`, of which no more are read, or at least 4
/// GiB).
Result<std::shared_ptr<const Source>> read_file(const std::string& path,
                                                std::size_t max_bytes = std::size_t{1} << 30);

/// Groups of communicating replicas: `{{0,1},{2,3}}`, `[2,4]<=[4,2]T(1,0)`, `mesh['a'=2,'b'=4] {'b'}` or `{}`
/// (all replicas form one group).
struct ReplicaGroups {
  bool all = false;                        ///< `{}`: one group of all replicas; `groups` is empty
  std::vector<std::vector<Index>> groups;  ///< as written; replica maps give positions in a group

  /// The size of the groups, if it is known and they are all equally large.
  std::optional<Index> group_size() const;
  friend bool operator==(const ReplicaGroups&, const ReplicaGroups&) = default;
};

/// The groups that positions in replica maps refer to, if any. An immutable shared value.
///
/// Groups are equal if they have the same replicas at the same positions, however they are written:
/// `[2,2]<=[4]` is `{{0,1},{2,3}}`, and so is `{{2,3},{0,1}}`.
class CollectiveGroups {
 public:
  /// What the numbers in `replica_groups` identify. replicas: replicas of the same partition. partitions:
  /// partitions of the same replica (with `channel_id`, for opcodes that lack `use_global_device_ids`).
  /// whole_replicas: replicas with all their partitions (with `channel_id` only). devices: replica *
  /// partitions + partition (with `use_global_device_ids`).
  enum class Members : std::uint8_t { replicas, partitions, whole_replicas, devices };

  /// No groups.
  CollectiveGroups() = default;
  /// The groups of a collective with `replica_groups`. Errors: those of `replica_groups_of`.
  static Result<CollectiveGroups> of(const Instruction& collective);
  /// As above, of an instruction whose groups were read.
  static CollectiveGroups of(const Instruction& collective, ReplicaGroups groups, Members members);

  /// False for a default-constructed value.
  bool exist() const { return state_ != nullptr; }
  // The functions below require exist().

  /// What the numbers in the groups identify.
  Members members() const;
  /// The groups as lists, in the order of their first members. `{}` becomes one group of all, if their number
  /// is known.
  const ReplicaGroups& groups() const;
  /// The size of the largest group; empty if unknown.
  std::optional<Index> size() const;
  /// The text as written: `{{0,1},{2,3}}`.
  std::string_view text() const;

  friend bool operator==(const CollectiveGroups& a, const CollectiveGroups& b);

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

}  // namespace tessera
