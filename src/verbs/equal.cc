// SPDX-License-Identifier: Apache-2.0
#include "verbs/equal.h"

#include <fmt/format.h>

#include "report/exit_status.h"
#include "report/layout_answer.h"
#include "verbs/column_major.h"

namespace tessera::verbs {

int EqualResult::status() const { return status_of(equality_.verdict); }

std::string EqualResult::heading() const {
  const bool values = request_.notion == EqualityNotion::map || request_.notion == EqualityNotion::storage;
  return fmt::format("{} and {}, compared as {}{}", to_string(request_.a.value.notation()),
                     to_string(request_.b.value.notation()),
                     Words<EqualityNotion>::words[static_cast<std::size_t>(request_.notion)],
                     values ? "; indices in row-major order" : "");
}

Result<std::string> EqualResult::to_text(const Terminal& /*terminal*/) const { return to_string(equality_); }

Result<std::string> EqualResult::to_json() const {
  return tessera::to_json(request_.a.value, request_.b.value, request_.notion, equality_);
}

std::vector<std::string> EqualResult::hints() const {
  return column_major_notes({request_.a.text, request_.b.text});
}

Result<EqualResult> equal(const EqualRequest& request, Observer& /*observer*/) {
  return EqualResult(request, tessera::equal(request.a.value, request.b.value, request.notion,
                                             {.ignore_unit_dims = request.ignore_unit_dims}));
}

}  // namespace tessera::verbs
