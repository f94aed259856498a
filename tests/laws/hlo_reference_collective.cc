// SPDX-License-Identifier: Apache-2.0
#include "laws/hlo_reference_collective.h"

#include "hlo/syntax/attributes.h"

namespace tessera::laws {
namespace {

std::size_t dim_of(const Instruction& op) { return static_cast<std::size_t>(ints(op, "dimensions")[0]); }

// Every replica sends its element x to position `to(x)` on replica `receiver(sender, x)`.
template <class Send>
GroupRelation sent(Index members, std::span<const Index> operand, Send&& send) {
  GroupRelation r;
  for (Index sender = 0; sender < members; ++sender) {
    for_each_index(operand, [&](const Indices& x) { send(r, sender, x); });
  }
  return r;
}

}  // namespace

std::optional<GroupRelation> reference_collective(const Instruction& op, std::size_t output,
                                                  std::size_t operand, Index members) {
  const auto in = operand_dims(op, operand);
  const bool several = op.operands.size() > 1;
  const auto to_all = [&](GroupRelation& r, Index sender, const Indices& x, const Indices& o) {
    for (Index receiver = 0; receiver < members; ++receiver) r.insert({receiver, o, sender, x});
  };
  switch (op.opcode) {
    case Opcode::all_reduce:
    case Opcode::all_reduce_start:
      if (several && output != operand) return GroupRelation();
      return sent(members, in,
                  [&](GroupRelation& r, Index sender, const Indices& x) { to_all(r, sender, x, x); });
    case Opcode::all_gather_start:
      if (output < op.operands.size()) {
        if (output != operand) return GroupRelation();
        return sent(members, in,
                    [&](GroupRelation& r, Index own, const Indices& x) { r.insert({own, x, own, x}); });
      }
      if (output - op.operands.size() != operand) return GroupRelation();
      return sent(members, in, [&](GroupRelation& r, Index sender, const Indices& x) {
        Indices o = x;
        o[dim_of(op)] += sender * in[dim_of(op)];
        to_all(r, sender, x, o);
      });
    case Opcode::all_gather:
      if (several && output != operand) return GroupRelation();
      return sent(members, in, [&](GroupRelation& r, Index sender, const Indices& x) {
        Indices o = x;
        o[dim_of(op)] += sender * in[dim_of(op)];
        to_all(r, sender, x, o);
      });
    case Opcode::reduce_scatter: {
      if (several && output != operand) return GroupRelation();
      const Index part = in[dim_of(op)] / members;
      return sent(members, in, [&](GroupRelation& r, Index sender, const Indices& x) {
        Indices o = x;
        o[dim_of(op)] %= part;
        r.insert({x[dim_of(op)] / part, o, sender, x});
      });
    }
    case Opcode::all_to_all: {
      if (op.attribute("dimensions") == nullptr) {
        return sent(members, in, [&](GroupRelation& r, Index sender, const Indices& x) {
          // Operand p is sent to replica p, where its output number is that of the sender.
          if (static_cast<Index>(output) == sender) r.insert({static_cast<Index>(operand), x, sender, x});
        });
      }
      const Index part = in[dim_of(op)] / members;
      return sent(members, in, [&](GroupRelation& r, Index sender, const Indices& x) {
        Indices o = x;
        o[dim_of(op)] = x[dim_of(op)] % part + sender * part;
        r.insert({x[dim_of(op)] / part, o, sender, x});
      });
    }
    case Opcode::collective_permute:
    case Opcode::collective_permute_start: {
      const bool start = op.type.is_tuple();
      if (start && output == 0) {
        return sent(members, in,
                    [&](GroupRelation& r, Index own, const Indices& x) { r.insert({own, x, own, x}); });
      }
      const auto pairs = source_target_pairs_of(op).value();
      return sent(members, in, [&](GroupRelation& r, Index sender, const Indices& x) {
        for (const SourceTarget& pair : pairs) {
          if (pair.source == sender) r.insert({pair.target, x, sender, x});
        }
      });
    }
    case Opcode::collective_broadcast:
      return sent(members, in, [&](GroupRelation& r, Index sender, const Indices& x) {
        if (sender == 0) to_all(r, sender, x, x);
      });
    default:
      return std::nullopt;
  }
}

}  // namespace tessera::laws
