// SPDX-License-Identifier: Apache-2.0
#include "verbs/verb.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "report/exit_status.h"
#include "report/json.h"
#include "verbs/tile.h"

namespace tessera::verbs {
namespace {

template <class R>
std::string schema() {
  return detail::dump(request_schema<R>());
}

// A text that cannot be read is bad input for every code, unless a limit was reached.
int status_of_unreadable(const Diagnostic& error) { return error.code == Code::limit ? kFailed : kBadInput; }

template <class R, class A, Result<A> (*verb)(const R&, std::vector<FileProblem>&)>
std::unique_ptr<VerbAnswer> ask(const FieldTexts& texts, NoAnswer& refusal) {
  Result<R> request = read_request<R>(texts);
  if (!request) {
    refusal.status = status_of_unreadable(request.error());
    refusal.diagnostic = std::move(request.error());
    return nullptr;
  }
  Result<A> answer = verb(*request, refusal.problems);
  if (answer) return std::make_unique<A>(*std::move(answer));
  refusal.status = status_of(answer.error());
  refusal.diagnostic = std::move(answer.error());
  return nullptr;
}

template <class R, class A, Result<A> (*verb)(const R&, std::vector<FileProblem>&)>
Verb entry() {
  return {Description<R>::name, Description<R>::help, Description<R>::footer, fields_of<R>(), schema<R>,
          ask<R, A, verb>};
}

const std::vector<Verb>& table() {
  static const std::vector<Verb> kVerbs = {
      entry<TileRequest, TileResult, tile>(),
  };
  return kVerbs;
}

}  // namespace

const Verb* find_verb(std::string_view name) {
  const auto found = std::ranges::find(table(), name, &Verb::name);
  return found == table().end() ? nullptr : &*found;
}

std::string verb_names() {
  std::vector<std::string_view> out;
  for (const Verb& verb : table()) out.push_back(verb.name);
  return fmt::format("{}", fmt::join(out, ", "));
}

}  // namespace tessera::verbs
