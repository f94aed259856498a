// SPDX-License-Identifier: Apache-2.0
#include "hlo/verify/verify_sharding.h"

#include <fmt/core.h>

#include <string>
#include <utility>

#include "base/plural.h"
#include "hlo/check/types.h"
#include "hlo/module/leaves.h"
#include "notation/sharding/read_shardings.h"

namespace tessera::detail {
namespace {

Span in_source(const Attribute& attribute, Span span) {
  return {attribute.span.begin + span.begin, attribute.span.begin + span.end};
}

// Whether the sharding is that of the type. That of an outfeed is of its operand, and that of an asynchronous
// operation may be of its result alone.
bool is_of_type(const Instruction& instruction) {
  const Opcode opcode = instruction.opcode;
  const bool is_chain =
      opcode == Opcode::async_start || opcode == Opcode::async_update || opcode == Opcode::async_done;
  return !is_chain && opcode != Opcode::outfeed && !instruction.type.has_unreadable();
}

Problem rank_differs(const Instruction& instruction, const Sharding& sharding, std::size_t leaf, Span place) {
  const HloType& type = held_type(leaf_type(instruction.type, leaf));
  // Without a tiled dimension, the rank does not matter.
  if (sharding.kind() != Sharding::Kind::tiled || sharding.rank() == 0 || !type.is_array() ||
      type.rank() == sharding.rank())
    return std::nullopt;
  return Diagnostic{
      .code = Code::rank_mismatch,
      .message = fmt::format("the sharding tiles {}, but {} has {}", plural(sharding.rank(), "dimension"),
                             short_text(type), type.rank()),
      .span = place,
      .help =
          "dimensions of subgroups are listed in last_tile_dims={...}, or there is one and "
          "last_tile_dim_replicate"};
}

Problem does_not_fit(const Instruction& instruction, const ReadShardings& read, const Attribute& attribute) {
  const std::size_t leaves = instruction.type.leaf_count();
  const std::vector<Sharding>& shardings = read.shardings;
  // An empty tuple may have a sharding of its own.
  if (read.tuple && shardings.size() != leaves && !(leaves == 0 && shardings.size() == 1)) {
    return Diagnostic{
        .code = Code::value_count,
        .message = fmt::format("{}, but the type has {}", plural(shardings.size(), "sharding"),
                               plural(leaves, "array")),
        .span = attribute.span,
        .help = "a tuple has one sharding for each of its arrays, nested tuples flattened, or one for all"};
  }
  for (std::size_t leaf = 0; leaf < leaves && !shardings.empty(); ++leaf) {
    const std::size_t own = read.tuple ? leaf : 0;
    if (auto problem = rank_differs(instruction, shardings[own], leaf, in_source(attribute, read.spans[own])))
      return problem;
  }
  return std::nullopt;
}

}  // namespace

Problem check_sharding(const Instruction& instruction, DiagnosticSink& sink) {
  const Attribute* const attribute = instruction.attribute("sharding");
  if (attribute == nullptr) return std::nullopt;
  ReadShardings read = read_shardings(attribute->value);
  if (!read.error)
    return is_of_type(instruction) ? does_not_fit(instruction, read, *attribute) : std::nullopt;
  Diagnostic error = *std::move(read.error);
  error.span = in_source(*attribute, error.span);
  if (read.newer) {
    error.notes.push_back(std::exchange(
        error.message,
        fmt::format("the sharding has the unknown part '{}' and is kept as written", *read.newer)));
    error.code = Code::unknown_attribute;
    error.severity = Severity::warning;
    sink.add(std::move(error));
    return std::nullopt;
  }
  if (error.code == Code::syntax) error.code = Code::bad_attribute;
  error.message = fmt::format("attribute 'sharding': {}", error.message);
  return error;
}

}  // namespace tessera::detail
