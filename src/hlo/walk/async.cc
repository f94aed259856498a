// SPDX-License-Identifier: Apache-2.0
// The operation that an asynchronous start starts.
#include "hlo/verify/started.h"
#include "hlo/walk/program_indexing.h"

namespace tessera {

const Instruction* ProgramIndexing::Impl::started(const Instruction& start) {
  if (const auto found = started_memo.find(&start); found != started_memo.end()) return found->second.get();
  // A start that does not fit its operands is not sound, even if the parser did not check it.
  auto op = detail::started_operation(start);
  if (!op && start.opcode_text != "async-start") {
    op = start;
    op->sound = false;
  }
  std::unique_ptr<const Instruction> kept;
  if (op) kept = std::make_unique<Instruction>(*std::move(op));
  return started_memo.emplace(&start, std::move(kept)).first->second.get();
}

}  // namespace tessera
