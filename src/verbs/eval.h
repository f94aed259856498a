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

#include "eval/for_all_sizes.h"
#include "tessera/eval/evaluator.h"
#include "verbs/request.h"
#include "verbs/sizes.h"
#include "verbs/verb.h"

namespace tessera::verbs {

struct EvalRequest {
  std::optional<std::string> expr = {};
  std::string where = {};
  std::vector<SizeValues> size = {};
  bool all = false;
  bool explain = false;
  bool list = false;
};

template <>
struct Description<EvalRequest> {
  static constexpr std::string_view name = "eval";
  static constexpr std::string_view help = "the layout algebra as a calculator";
  static constexpr std::string_view footer =
      R"(Layouts, tilers, coordinates and swizzles are in CuTe's notation; functions have their usual names; L(2,3) is the
offset of a coordinate. Names in a layout are sizes: the answer holds for all sizes from 1 on, in cases. Exit status
1: an answer is 'false', or no layout has the result's values.

Examples:
  tessera eval 'logical_divide((2,4,3):(4,1,8), 4:2)'
  tessera eval 'L = (4,8):(8,1); L(2,3); right_inverse(L)'
  echo 'size((4,8)) / 4' | tessera eval
  tessera eval --explain 'composition((6,2):(8,2), (4,3):(3,1))'
  tessera eval 'composition((4,6,8):(2,3,5), 6:3)' 2> /dev/null
  tessera eval 'print_layout(Sw<2,0,2> o _0 o (4,4):(4,1))'
  tessera eval 'zipped_divide((M,N):(N,1), <8,4>)'
  tessera eval 'composition((4,8):(8,1), N:1)' --where 'N % 4 == 0'
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
    visit(Field{.name = "where",
                .value = "ASSUMPTIONS",
                .help = "what is assumed of the sizes with names: N % 8 == 0, 1 <= M <= N",
                .excludes = "explain list"},
          &EvalRequest::where);
    visit(
        Field{.name = "size", .value = kSizeField.value, .help = kSizeField.help, .excludes = "explain list"},
        &EvalRequest::size);
    visit(
        Field{.name = "all", .help = "print more than 16 cases, too", .excludes = "list", .text_only = true},
        &EvalRequest::all);
    visit(Field{.name = "explain", .help = "show the steps of every call"}, &EvalRequest::explain);
    visit(Field{.name = "list", .help = "list all functions"}, &EvalRequest::list);
  }
};

/// The values of a text, up to its first error, or all functions.
class EvalResult : public VerbAnswer {
 public:
  EvalResult() = default;
  EvalResult(Evaluation evaluation, std::shared_ptr<const Source> source);
  EvalResult(tessera::eval::SizedEvaluation evaluation, std::shared_ptr<const Source> source, bool all);

  int status() const override;
  Result<std::string> to_text(const Terminal& terminal) const override;
  Result<std::string> to_line() const override;
  Result<std::string> to_json() const override;
  std::vector<std::string> hints() const override { return sized_ ? sized_->notes : evaluation_.notes; }
  std::vector<std::string> line_hints() const override { return hints(); }
  std::span<const Diagnostic> refused_parts() const override;

 private:
  Evaluation evaluation_;
  std::optional<tessera::eval::SizedEvaluation> sized_;  // in place of `evaluation_`
  bool all_ = false;
  std::shared_ptr<const Source> source_;  // null: all functions
};

/// Variables stay with the observer. Errors: bad_option (no text); those of the text are in the answer.
Result<EvalResult> eval(const EvalRequest& request, Observer& observer);

/// The functions with `word` in their names or of this group, under headings: all for an empty word. Each
/// line ends with a line break.
std::string function_list(std::string_view word = {});

}  // namespace tessera::verbs
