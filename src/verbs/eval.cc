// SPDX-License-Identifier: Apache-2.0
#include "verbs/eval.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "report/eval_answer.h"
#include "report/exit_status.h"

namespace tessera::verbs {
namespace {

bool equal_words(std::string_view a, std::string_view b) {
  return std::ranges::equal(
      a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

}  // namespace

EvalResult::EvalResult(Evaluation evaluation, std::shared_ptr<const Source> source)
    : evaluation_(std::move(evaluation)), source_(std::move(source)) {
  if (evaluation_.error) evaluation_.error->field = "expr";
}

int EvalResult::status() const { return source_ == nullptr ? kDone : status_of(evaluation_); }

Result<std::string> EvalResult::to_text(const Terminal& /*terminal*/) const {
  return source_ == nullptr ? function_list() : tessera::to_text(evaluation_);
}

Result<std::string> EvalResult::to_line() const {
  if (source_ == nullptr) return function_list();
  std::string text = tessera::to_text(evaluation_, {.one_line = true});
  if (!evaluation_.error) return text;
  if (text.ends_with('\n')) text.pop_back();
  return text + (text.empty() ? "" : "; ") + problem_line(*evaluation_.error);
}

Result<std::string> EvalResult::to_json() const {
  return source_ == nullptr ? tessera::to_json(eval_functions()) : tessera::to_json(evaluation_, *source_);
}

std::span<const Diagnostic> EvalResult::refused_parts() const {
  return evaluation_.error ? std::span<const Diagnostic>(&*evaluation_.error, 1)
                           : std::span<const Diagnostic>();
}

Result<EvalResult> eval(const EvalRequest& request, Observer& observer) {
  if (request.list) return EvalResult();
  if (!request.expr)
    return refuse("expr", Code::bad_option, "EXPR is missing",
                  "usage: tessera eval [options] [EXPR...]; without EXPR, one per line from stdin");
  if (!observer.evaluator) observer.evaluator = std::make_shared<Evaluator>();
  return EvalResult(observer.evaluator->evaluate(*request.expr, request.explain),
                    observer.source_of("expr", *request.expr));
}

std::string function_list(std::string_view word) {
  std::string out;
  std::string_view group;
  for (const FunctionInfo& f : eval_functions()) {
    if (f.name.find(word) == std::string_view::npos && !equal_words(f.group, word)) continue;
    if (f.group != group) {
      group = f.group;
      out += fmt::format("{}{}:\n", out.empty() ? "" : "\n", group);
    }
    out += fmt::format("  {:<36} {}\n", f.signature, f.summary);
  }
  return out;
}

}  // namespace tessera::verbs
