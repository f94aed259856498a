// SPDX-License-Identifier: Apache-2.0
/// \file
/// Verbs that answer questions about short texts, given as arguments or as lines of stdin.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/session.h"

namespace tessera::cli {

/// The positional arguments, in order.
using Inputs = std::vector<std::string>;

/// The reason why there is no answer, and the input that caused it.
struct InputError {
  Diagnostic diagnostic;
  std::size_t input = 0;
  int status = kBadInput;
};

struct PrintedAnswer {
  int status = kDone;
  std::string heading = {};  ///< how the inputs were read; omitted with --quiet and for lines of stdin
  std::string text = {};     ///< lines without the last line break
  std::string line = {};     ///< the answer on one line, for lines of stdin; empty if `text` is one line
  std::string json = {};
  std::vector<std::string> notes = {};  ///< lines after the text, omitted together with the heading
  std::vector<std::string> hints = {};  ///< notes about the input, for stderr
  std::optional<InputError> problem = {};
  /// Problems of single inputs. Each replaces one answer in the text.
  std::vector<InputError> parts = {};
};

/// The answer for a text that does not parse. The status is bad input for every code, even for
/// `undefined_value` (a division by a literal 0), unless a limit was reached.
PrintedAnswer unreadable(Diagnostic diagnostic, std::size_t input);
/// The answer for valid input without a result. The code determines whether the status is 1.
PrintedAnswer no_answer(Diagnostic diagnostic, std::size_t input);

/// The inputs of a verb, and the function that answers them. An input `-` means the lines of stdin.
struct Question {
  Inputs inputs;
  std::function<PrintedAnswer(const Inputs&)> ask;
  /// For each input, the option whose value it is: `--target`. If input i has no option, it is argument i +
  /// 1.
  std::vector<std::string> options = {};
};

/// Answers one question, or one per line of stdin, where errors replace missing answers. Returns the worst
/// status.
int answer(Session& session, const Question& question);

}  // namespace tessera::cli
