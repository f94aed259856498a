// SPDX-License-Identifier: Apache-2.0
/// \file
/// The exit statuses of the programs.
#pragma once

#include "tessera/base/result.h"
#include "tessera/map/judge.h"

namespace tessera {

/// The greatest of several is the worst.
enum ExitStatus : int {
  kDone = 0,      ///< yes, or done
  kNo = 1,        ///< no, or there is no such answer
  kBadInput = 2,  ///< the input or the command line is wrong
  kFailed = 3,    ///< a limit was reached, or the machine failed
};

/// The exit status of a question that ends with this error. It follows from the code, but a `file_write` with
/// a reason (a folder, no permission) means a wrong path, which is bad input; without a reason, the disk
/// failed. `of_call`: the question is a call of the calculator.
///
/// Two callers ask about something else, and say why: texts that cannot be read (`unreadable` of the command
/// line), and tessera-mpi.
ExitStatus status_of(const Diagnostic& error, bool of_call = false);

/// The exit status of a question with this answer.
ExitStatus status_of(Verdict verdict);

}  // namespace tessera
