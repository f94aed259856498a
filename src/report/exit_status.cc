// SPDX-License-Identifier: Apache-2.0
#include "report/exit_status.h"

namespace tessera {

ExitStatus status_of(const Diagnostic& error, bool of_call) {
  if (error.status != 0) return static_cast<ExitStatus>(error.status);
  if (error.code == Code::file_write && !error.reason.empty()) return kBadInput;
  return static_cast<ExitStatus>(exit_status(error.code, of_call));
}

ExitStatus status_of(Verdict verdict) {
  return verdict == Verdict::yes ? kDone : verdict == Verdict::no ? kNo : kFailed;
}

}  // namespace tessera
