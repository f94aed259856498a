// SPDX-License-Identifier: Apache-2.0
/// \file
/// The verb `eval`: the layout algebra as a calculator.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tessera/eval/evaluator.h"
#include "verbs/request.h"
#include "verbs/verb.h"

namespace tessera::verbs {

struct EvalRequest {
  std::optional<std::string> expr = {};
  bool explain = false;
  bool list = false;
};

template <>
struct Description<EvalRequest> {
  static constexpr std::string_view name = "eval";
  static constexpr std::string_view help = "the layout algebra as a calculator";
  static constexpr std::string_view footer =
      R"(Layouts, tilers, coordinates and swizzles are in CuTe's notation; functions have their usual names; L(2,3) is the
offset of a coordinate. Exit status 1: an answer is 'false', or no layout has the result's values.

Examples:
  tessera eval 'logical_divide((2,4,3):(4,1,8), 4:2)'
  tessera eval 'L = (4,8):(8,1); L(2,3); right_inverse(L)'
  echo 'size((4,8)) / 4' | tessera eval
  tessera eval --explain 'composition((6,2):(8,2), (4,3):(3,1))'
  tessera eval 'composition((4,6,8):(2,3,5), 6:3)' 2> /dev/null
  tessera eval 'print_layout(Sw<2,0,2> o _0 o (4,4):(4,1))'
  tessera eval --list)";

  template <class Visit>
  static void fields(Visit&& visit) {
    visit(
        Field{
            .name = "expr",
            .help =
                "statements separated by ;, with variables; -, or no argument, reads one text per line from "
                "stdin; on a terminal, no argument starts a prompt",
            .argument = true,
            .optional = true,
            .each = true,
            .lines_unless = "list"},
        &EvalRequest::expr);
    visit(Field{.name = "explain", .help = "show the steps of every call"}, &EvalRequest::explain);
    visit(Field{.name = "list", .help = "list all functions"}, &EvalRequest::list);
  }
};

/// The values of a text, up to its first error, or all functions.
class EvalResult : public VerbAnswer {
 public:
  EvalResult() = default;
  EvalResult(Evaluation evaluation, std::shared_ptr<const Source> source);

  int status() const override;
  Result<std::string> to_text(const Terminal& terminal) const override;
  Result<std::string> to_line() const override;
  Result<std::string> to_json() const override;
  std::vector<std::string> hints() const override { return evaluation_.notes; }
  std::vector<std::string> line_hints() const override { return evaluation_.notes; }
  std::span<const Diagnostic> refused_parts() const override;

 private:
  Evaluation evaluation_;
  std::shared_ptr<const Source> source_;  // null: all functions
};

/// Variables stay with the observer. Errors: bad_option (no text); those of the text are in the answer.
Result<EvalResult> eval(const EvalRequest& request, Observer& observer);

/// The functions with `word` in their names or of this group, under headings: all for an empty word. Each
/// line ends with a line break.
std::string function_list(std::string_view word = {});

}  // namespace tessera::verbs
