// SPDX-License-Identifier: Apache-2.0
/// \file
/// Helpers for the rules of collectives.
#pragma once

#include <optional>

#include "hlo/check/types.h"
#include "hlo/ops/asynchronous.h"
#include "hlo/ops/rule.h"

namespace tessera::detail {

/// Whether the queried output is the result for the queried operand: with several operands, each has its own.
bool same_place(const OpQuery& query);

/// The maps of a -start, whose type is (operands, results, contexts...): the identity for the operands, those
/// of `maps` for the results.
template <class Maps>
IndexingSet of_results(const OpQuery& q, Maps maps) {
  const std::size_t count = q.op.operands.size();
  // With a single operand, the type may be that of the result alone, without a tuple.
  if (!q.op.type.is_tuple()) return maps();
  if (q.output < count) return q.output == q.operand ? just(identity_indexing(q.in())) : IndexingSet();
  if (q.output >= 2 * count || q.output - count != q.operand)
    return {};  // contexts, and results of other operands
  return maps();
}

/// The groups of a collective other than a collective-permute; none if it has an error.
CollectiveGroups collective_groups(const Instruction& collective);

/// Reads and checks `replica_groups`. `size` receives the number of members of each group, if known.
Problem read_groups(const OpReader& reader, bool equal_sizes, CollectiveGroups& groups,
                    std::optional<Index>* size = nullptr);

/// Reads a -start: `read` reads the operation that it starts.
template <class Op>
Problem read_started(const OpReader& reader, Opcode operation, Op& op,
                     Problem (*read)(const OpReader&, Op&)) {
  TESSERA_RULE(reader.operand_count_is(1, static_cast<std::size_t>(-1)));
  TESSERA_RULE(reader.must_be_written());
  const HloType& type = reader.instruction().type;
  if (!type.is_tuple() || type.elements().size() < 2)
    return gives_tuple(reader, "(operands, results, contexts...)");
  Instruction started = reader.instruction();
  started.opcode = operation;
  started.type = HloType(type.elements()[1]);
  TESSERA_RULE(read(OpReader(started), op));
  return holds_operands(reader);
}

}  // namespace tessera::detail
