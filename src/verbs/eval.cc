// SPDX-License-Identifier: Apache-2.0
#include "verbs/eval.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "notation/symbolic/unknown_sizes.h"
#include "report/eval_answer.h"
#include "report/exit_status.h"
#include "report/sized_answer.h"

namespace tessera::verbs {
namespace {

bool equal_words(std::string_view a, std::string_view b) {
  return std::ranges::equal(
      a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

/// The expression with a name for each `?` of CuTe's IR, which neither it nor a variable has already.
Result<symbolic::NamedUnknowns> with_named_unknowns(const std::string& expr, const Evaluator& evaluator) {
  const std::size_t own = symbolic::assumptions_at(expr);
  const std::string_view terms = std::string_view(expr).substr(0, own);
  if (!symbolic::has_unknowns(terms)) return symbolic::NamedUnknowns{.text = expr, .where = {}};
  std::size_t first = symbolic::first_unknown(expr);
  for (const auto& [name, value] : evaluator.variables())
    first = std::max(first, symbolic::first_unknown(name));
  auto named = symbolic::named_unknowns(terms, first);
  if (!named) return named;
  named->text += expr.substr(own);
  for (std::size_t at = own; at < expr.size(); ++at)
    named->places.push_back(static_cast<std::uint32_t>(at + 1));
  return named;
}

}  // namespace

EvalResult::EvalResult(Evaluation evaluation, std::shared_ptr<const Source> source)
    : evaluation_(std::move(evaluation)), source_(std::move(source)) {
  if (evaluation_.error) evaluation_.error->field = "expr";
}

EvalResult::EvalResult(tessera::eval::SizedEvaluation evaluation, std::shared_ptr<const Source> source,
                       bool all)
    : sized_(std::move(evaluation)), all_(all), source_(std::move(source)) {
  if (sized_->error && sized_->error->field.empty()) sized_->error->field = "expr";
}

int EvalResult::status() const {
  if (sized_) return status_of(*sized_);
  return source_ == nullptr ? kDone : status_of(evaluation_);
}

Result<std::string> EvalResult::to_text(const Terminal& /*terminal*/) const {
  if (sized_) return tessera::to_text(*sized_, {.all = all_});
  return source_ == nullptr ? function_list() : tessera::to_text(evaluation_);
}

Result<std::string> EvalResult::to_line() const {
  if (source_ == nullptr) return function_list();
  std::string text = sized_ ? tessera::to_text(*sized_, {.one_line = true, .all = all_})
                            : tessera::to_text(evaluation_, {.one_line = true});
  const std::optional<Diagnostic>& error = sized_ ? sized_->error : evaluation_.error;
  if (!error) return text;
  if (text.ends_with('\n')) text.pop_back();
  return text + (text.empty() ? "" : "; ") + problem_line(*error);
}

Result<std::string> EvalResult::to_json() const {
  if (sized_) return tessera::to_json(*sized_, *source_);
  return source_ == nullptr ? tessera::to_json(eval_functions()) : tessera::to_json(evaluation_, *source_);
}

std::span<const Diagnostic> EvalResult::refused_parts() const {
  const std::optional<Diagnostic>& error = sized_ ? sized_->error : evaluation_.error;
  return error ? std::span<const Diagnostic>(&*error, 1) : std::span<const Diagnostic>();
}

Result<EvalResult> eval(const EvalRequest& request, Observer& observer) {
  if (request.list) return EvalResult();
  if (!request.expr)
    return refuse("expr", Code::bad_option, "EXPR is missing",
                  "usage: tessera eval [options] [EXPR...]; without EXPR, one per line from stdin");
  if (!observer.evaluator) observer.evaluator = std::make_shared<Evaluator>();
  if (!observer.sized_variables) observer.sized_variables = std::make_shared<tessera::eval::SizedVariables>();
  if (!request.explain) {
    const auto named = with_named_unknowns(*request.expr, *observer.evaluator);
    if (!named) return unreadable("expr", named.error());
    // What is assumed of unknowns follows the request's own text, which errors point at.
    const std::string unknowns = named->where.text();
    std::string where = request.where + (request.where.empty() || unknowns.empty() ? "" : ", ") + unknowns;
    if (!request.size.empty() || named->count > 0) {
      const auto assumed = assumptions_of(request.where, request.size);
      if (!assumed) return fail(assumed.error());
      // Intervals of one number, which answers have in place of the name.
      for (const SizeValues& values : request.size) {
        for (const SizeRange& one : values.values)
          where += fmt::format("{}{} in [{}, {}]", where.empty() ? "" : ", ", one.name, one.first, one.first);
      }
    }
    auto sized = tessera::eval::for_all_sizes(named->text, where, observer.evaluator->variables(),
                                              *observer.sized_variables);
    if (sized && !sized->error) {
      if (auto known = are_named("expression", request.size, sized->names); !known)
        return fail(std::move(known.error()));
    }
    if (sized) {
      if (!unknowns.empty()) sized->notes.push_back("each ? is a size with a name: " + unknowns);
      if (sized->error && sized->error->field.empty() && named->count > 0)
        sized->error->span = named->original(sized->error->span);
      return EvalResult(*std::move(sized), observer.source_of("expr", *request.expr), request.all);
    }
  }
  Evaluation numbers = observer.evaluator->evaluate(*request.expr, request.explain);
  observer.sized_variables->replaced_by(numbers);
  return EvalResult(std::move(numbers), observer.source_of("expr", *request.expr));
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
