// SPDX-License-Identifier: Apache-2.0
/// \file
/// The limits of programs and of questions about them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tessera/base/index.h"

namespace tessera::detail {

/// Every limit of this folder, with its unit and its reason, by the folder that uses it. Beyond one, an
/// answer is unknown or a whole array. The limit of a public function is next to it: kMaxIndexingMaps.
struct HloLimits {
  struct Parser {
    int depth = 200;  ///< of operands and computations inside each other: each takes several stack frames
    std::uint32_t call_height = 500;     ///< calls within calls, because many questions recurse at every call
    std::size_t cut_parameters = 65536;  ///< for which a computation whose text is cut off has places
    /// In omitted types, beyond one for each byte of the text: each line may double the type before it.
    std::uint64_t inferred_arrays = std::uint64_t{1} << 16;
    std::uint32_t inferred_depth = 500;  ///< of an omitted type
    std::size_t suggestions = 20;  ///< for the first errors, because finding a similar name reads all names
    std::size_t remembered_types = 4096;  ///< whose texts are kept
  };
  Parser parser = {};

  struct Syntax {
    std::size_t named_keys = 4;              ///< in one message
    Index listed_replicas = Index{1} << 20;  ///< one by one
    int literal_depth = 200;                 ///< because the reader recurses
    Index devices = Index{1} << 20;          ///< of all groups: a short text may mean a long list
    std::size_t compared_length = 64;        ///< bytes of a name that may be misspelled
    std::size_t compared_names = 2000;       ///< the last ones before an error
  };
  Syntax syntax = {};

  struct Metadata {
    std::size_t frames = 100;  ///< of a chain; real ones have fewer, and a broken table may have a cycle
    /// Of a table, which has one for each number up to its size: a number far beyond the text would take
    /// memory.
    Index entries = Index{1} << 24;
  };
  Metadata metadata = {};

  struct Check {
    int updates = 1000;  ///< between the start and the end of an asynchronous operation
  };
  Check check = {};

  struct Shares {
    std::size_t scopes = 60;  ///< inside each other; deeper parts belong to the last one
    int fusions = 100;        ///< inside each other; a deeper one is one instruction
  };
  Shares shares = {};

  struct Operations {
    Index window_places = Index{1} << 20;   ///< of a window, one by one
    Index window_modulus = Index{1} << 31;  ///< a dilation, so that products fit in 64 bits
    Index window_end = Index{1} << 61;      ///< a place, so that sums of a few fit in 64 bits
  };
  Operations operations = {};

  struct Indexing {
    std::size_t reason_bytes = 400;          ///< of the joined reasons of two maps
    std::uint32_t corner_nodes = 16;         ///< of a result that is compared at corners
    std::size_t fingerprint_variables = 16;  ///< of a map that has a fingerprint
    std::size_t fingerprint_elements = 64;   ///< at one start index
    Index fingerprint_points = 1024;         ///< at which a fingerprint is compared
    std::uint32_t relation_nodes = 500;      ///< of a result; larger ones are not related
  };
  Indexing indexing = {};

  struct Ops {
    std::size_t permute_segments = 64;  ///< of an answer; a reader could not use more
    std::size_t moved_operands = 64;    ///< of one instruction that are followed
    /// Of an array; a larger one is not evaluated as a whole, and has no table.
    Index table_elements = 4096;
    /// Instructions that are visited for one value: shared operands count once for each use, which may be
    /// exponential.
    int value_steps = 256;
    std::size_t table_maps = 64;         ///< that tables may add to a set
    Index scatter_windows = 512;         ///< that are compared with each other
    std::size_t scatter_parts = 64;      ///< of the operand around the windows
    Index table_periods = 64;            ///< one by one; larger ones are tried only if they divide the extent
    Index table_entry = Index{1} << 40;  ///< of a table, so that sums of a few fit in 64 bits
  };
  Ops ops = {};

  struct Walk {
    /// Calls within calls that a walk enters, because it recurses at every call.
    std::uint32_t call_height = 200;
    Index trips = Index{1} << 40;   ///< of a counted loop, so that arithmetic on them cannot overflow
    std::uint32_t known_calls = 2;  ///< inside each other with known operands: each is walked again
    std::size_t kept_calls = 32;    ///< with known operands: the arrays of a result ask in turn
    /// Operators of a superset that is the same for every start index; with more, the whole value is used.
    std::uint64_t unrelated_nodes = 32;
    std::size_t loop_columns = 1024;                ///< arrays of a loop whose dependences are kept
    std::size_t loop_words = std::size_t{1} << 22;  ///< of the rows of all values of a computation: 32 MB
    /// That wait to become part of the maps, each of which then costs a composition.
    std::size_t moves = 256;
    std::uint64_t joined_operators = 64;  ///< of two moves that become one
    /// Of a recurrence that are tried until one repeats; else whole values are assumed.
    std::size_t powers = 3;
    std::size_t recurrence_maps = 8;    ///< between two arrays
    std::size_t recurrence_arrays = 8;  ///< whose powers are tried
    std::uint32_t solved_nodes = 64;    ///< of a constraint that is solved for ranges
  };
  Walk walk = {};

  struct Devices {
    Index partitions = 1024;        ///< of a program whose devices are compared
    std::size_t steps = 2'000'000;  ///< that are followed in one program
    int depth = 32;                 ///< of calls that are followed
    int rounds = 4;                 ///< over a loop, before its state counts as unknown
  };
  Devices devices = {};

  struct Analysis {
    std::size_t equality_depth = 16;  ///< loops, conditionals and calls that are looked through
    /// Of arrays for one answer: the ways through conditionals of conditionals are more than can be
    /// followed.
    std::size_t equality_comparisons = 10'000;
    std::size_t equality_candidates = 256;  ///< that one array may be
    /// Of names that are followed by recursion; real programs need one or two.
    std::size_t origin_names = 200;
    std::size_t sharing_names = 256;  ///< of one array; only hostile texts have more
    /// Of a source without digits that is enumerated to find a plan.
    Index copied_elements = Index{1} << 16;
    /// That one walk visits; only hostile texts have more.
    std::size_t source_values = std::size_t{1} << 14;
    int fusion_nesting = 16;          ///< of calls
    std::size_t fusion_nodes = 2000;  ///< of one fusion
    std::size_t fusion_maps = 4000;   ///< that are composed for one fusion
    int in_place_depth = 32;          ///< calls and loops that are followed
    int in_place_decisions = 1000;    ///< for one step
    /// Of an output and an operand's array; a short hostile text could ask for more answers than memory
    /// holds.
    std::uint64_t indexing_pairs = std::uint64_t{1} << 18;
    std::size_t layout_choices = 100000;   ///< that are tried for the arrays of a group
    std::size_t array_layouts = 8;         ///< that are considered
    std::size_t loop_states = 64;          ///< of a loop until one repeats
    Index listed_points = Index{1} << 16;  ///< of maps that elements_at enumerates for one array
    Index executions = 32;                 ///< combinations of values of runtime variables, one by one
    std::size_t movements = 1000;          ///< that are followed
    Index zero_steps = Index{1} << 20;     ///< points and combinations that are visited
    std::size_t copy_chain = 64;           ///< copies, one after another, that are joined
  };
  Analysis analysis = {};

  struct Memory {
    int call_height = 200;  ///< calls within calls, because it recurses at every call
  };
  Memory memory = {};
};
inline constexpr HloLimits kHloLimits = {};

}  // namespace tessera::detail
