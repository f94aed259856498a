// SPDX-License-Identifier: Apache-2.0
/// \file
/// Verbs that answer a question about short texts: from arguments, or line by line from stdin.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/session.h"

namespace tessera::cli {

/// The positional arguments, in order.
using Inputs = std::vector<std::string>;

/// Why there is no answer, and the input that is to blame.
struct Problem {
  Diagnostic diagnostic;
  std::size_t input = 0;
  int status = kBadInput;
};

struct Answer {
  int status = kDone;
  std::string text = {};  ///< lines without the last line break
  std::string line = {};  ///< the same on one line, for lines of stdin; empty: `text` is one
  std::string json = {};
  std::optional<Problem> problem = {};
  /// Of one input among several: the answer says so in its place, the others stand.
  std::vector<Problem> parts = {};
};

/// A text that cannot be read is bad input, whatever the code is (a division by a literal 0 is
/// `undefined_value`); beyond a limit we failed.
Answer unreadable(Diagnostic diagnostic, std::size_t input);
/// The question was understood: the code tells whether the answer is no.
Answer no_answer(Diagnostic diagnostic, std::size_t input);

/// What a verb asks, and how it is answered. An input `-` stands for lines of stdin.
struct Question {
  Inputs inputs;
  std::function<Answer(const Inputs&)> ask;
  /// The JSON that stands in the place of an answer.
  std::function<std::string(int status, const Diagnostic&, const Source&)> problem_json;
};

/// Answers one question, or one for each line of stdin: errors in their place, the worst status at the end.
int answer(Session& session, const Question& question);

}  // namespace tessera::cli
