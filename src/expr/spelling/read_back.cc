// SPDX-License-Identifier: Apache-2.0
#include "expr/spelling/read_back.h"

#include <utility>

#include "expr/form/convert.h"
#include "expr/form/rebuild.h"

namespace tessera::detail {

const Form* read_back(Workspace& ws, Text text) {
  if (ws.may_fold) return convert(ws, to_expr(ws, text));
  const bool before = std::exchange(ws.overflowed, false);
  const Form* const form = rebuild(ws, text.sum);
  const bool overflowed = std::exchange(ws.overflowed, before);
  return overflowed ? convert(ws, to_expr(ws, text)) : form;
}

}  // namespace tessera::detail
