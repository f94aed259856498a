// SPDX-License-Identifier: Apache-2.0
// What an asynchronous start stands for.
#include "hlo/verify/rule.h"
#include "hlo/walk_impl.h"

namespace tessera {

const Instruction* ProgramIndexing::Impl::started(const Instruction& start) {
  constexpr std::string_view kSuffix = "-start";
  if (start.opcode_text == "async-start" || !start.opcode_text.ends_with(kSuffix)) return nullptr;
  if (const auto found = started_memo.find(&start); found != started_memo.end()) return found->second.get();
  auto op = std::make_unique<Instruction>(start);
  op->opcode_text.remove_suffix(kSuffix.size());
  op->opcode = parse_opcode(op->opcode_text).value_or(Opcode::unknown);
  // (operands, results, contexts...)
  const bool typed = start.type.is_tuple() && start.type.elements().size() > 1;
  if (typed) op->type = start.type.elements()[1];
  op->sound = typed && !detail::check_instruction(detail::Rule(*op));
  return started_memo.emplace(&start, std::move(op)).first->second.get();
}

}  // namespace tessera
