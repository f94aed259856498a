// SPDX-License-Identifier: Apache-2.0
/// \file
/// Answering standard input line by line.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "cli/output.h"
#include "cli/session.h"

namespace tessera::cli {

/// A line of standard input; `text` is empty if the line was too long.
struct InputLine {
  std::string_view text;
  std::size_t number = 1;
  bool too_long = false;
};

/// Writes the answer of one line and returns its exit status.
using AnswerLine = std::function<int(const InputLine&)>;

/// `error[code]: message (witness: ...)`: replaces one answer among several.
std::string problem_line(const Diagnostic& diagnostic);

/// Answers the lines of standard input in order. Flushes when no further line is buffered: a program that
/// writes a line waits for its answer. Ends early if `out` fails. `blamed` is the argument to point at if
/// standard input cannot be read. Returns the worst status.
int answer_lines(Session& session, Output& out, std::string_view blamed, const AnswerLine& answer);

}  // namespace tessera::cli
