// SPDX-License-Identifier: Apache-2.0
/// \file
/// Verbs that answer questions about short texts, given as arguments or as lines of stdin.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/session.h"

namespace tessera::cli {

/// The positional arguments, in order.
using Inputs = std::vector<std::string>;

/// Why there is no answer, and which input caused it.
struct Problem {
  Diagnostic diagnostic;
  std::size_t input = 0;
  int status = kBadInput;
};

struct Answer {
  int status = kDone;
  std::string heading = {};  ///< how the inputs were read; left out under --quiet and for lines of stdin
  std::string text = {};     ///< lines without the last line break
  std::string line = {};     ///< the answer on one line, for lines of stdin; empty if `text` is one line
  std::string json = {};
  std::string picture = {};             ///< the content of a picture's file, in place of the text
  std::vector<std::string> notes = {};  ///< lines after the text, left out when the heading is
  std::vector<std::string> hints = {};  ///< notes about the input, for stderr
  std::optional<Problem> problem = {};
  /// Problems of single inputs; each takes the place of an answer in the text.
  std::vector<Problem> parts = {};
};

/// The answer for a text that does not parse: bad input, whatever the code (a division by a literal 0 is
/// `undefined_value`), unless a limit was reached.
Answer unreadable(Diagnostic diagnostic, std::size_t input);
/// The answer for valid input without a result; the code decides whether the status is 1.
Answer no_answer(Diagnostic diagnostic, std::size_t input);

/// The inputs of a verb, and the function that answers them. An input `-` means lines of stdin.
struct Question {
  Inputs inputs;
  std::function<Answer(const Inputs&)> ask;
  /// The options whose values are inputs, by input: `--target`. Without a name, input i is argument i + 1.
  std::vector<std::string> options = {};
};

/// Answers one question, or one per line of stdin, where errors take the place of answers. Returns the worst
/// status.
int answer(Session& session, const Question& question);

}  // namespace tessera::cli
