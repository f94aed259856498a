// SPDX-License-Identifier: Apache-2.0
#include "report/exit_status.h"

namespace tessera {

ExitStatus status_of(const Diagnostic& error) {
  switch (error.code) {
    case Code::not_invertible:
    case Code::not_representable:
    case Code::undefined_value:
      return kNo;
    case Code::file_write:
      return error.reason.empty() ? kFailed : kBadInput;
    case Code::undecided:
    case Code::limit:
    case Code::file_too_large:
    case Code::verify_failed:
      return kFailed;
    default:
      return kBadInput;
  }
}

ExitStatus status_of(Verdict verdict) {
  return verdict == Verdict::yes ? kDone : verdict == Verdict::no ? kNo : kFailed;
}

}  // namespace tessera
