// SPDX-License-Identifier: Apache-2.0
#include "verbs/verb.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/cancellation.h"
#include "report/diagnostic_json.h"
#include "report/json.h"
#include "verbs/access.h"
#include "verbs/at.h"
#include "verbs/atoms.h"
#include "verbs/code.h"
#include "verbs/convert.h"
#include "verbs/copy.h"
#include "verbs/equal.h"
#include "verbs/eval.h"
#include "verbs/hlo.h"
#include "verbs/info.h"
#include "verbs/map.h"
#include "verbs/plan.h"
#include "verbs/recipe.h"
#include "verbs/reshard.h"
#include "verbs/reshard_files.h"
#include "verbs/show.h"
#include "verbs/tile.h"

namespace tessera::verbs {
namespace {

template <class R>
std::string schema() {
  return detail::dump(request_schema(Description<R>::name, Description<R>::help, fields_of<R>()));
}

template <class R, class A, Result<A> (*verb)(const R&, Observer&)>
std::unique_ptr<VerbAnswer> ask(const FieldTexts& texts, Observer& observer, Diagnostic& refusal) {
  const Result<R> request = read_request<R>(texts);
  if (!request) {
    refusal = request.error();
    return nullptr;
  }
  detail::Cancellation cancellation([&observer] { return !observer.cancelled(); });
  Result<A> answer = verb(*request, observer);
  // What ended early may say what it left.
  if (cancellation.cancelled() && (answer || answer.error().code != Code::cancelled))
    answer = detail::cancelled_failure();
  if (answer) return std::make_unique<A>(*std::move(answer));
  refusal = std::move(answer.error());
  return nullptr;
}

template <class R>
bool check(const FieldTexts& texts, std::string_view unread, Diagnostic& refusal) {
  Result<R> request = read_request<R>(texts, unread);
  if (!request) refusal = std::move(request.error());
  return request.has_value();
}

template <class R>
constexpr std::string_view extensions_of() {
  if constexpr (requires { Description<R>::extensions; }) {
    return Description<R>::extensions;
  } else {
    return ".txt";
  }
}

template <class R>
constexpr std::string_view subject_of() {
  if constexpr (requires { Description<R>::subject; }) {
    return Description<R>::subject;
  } else {
    return "";
  }
}

template <class R>
constexpr bool marks_line_of() {
  return requires { Description<R>::marks_line; };
}

template <class R, class A, Result<A> (*verb)(const R&, Observer&)>
Verb entry() {
  return {.name = Description<R>::name,
          .help = Description<R>::help,
          .footer = Description<R>::footer,
          .extensions = extensions_of<R>(),
          .subject = subject_of<R>(),
          .marks_line = marks_line_of<R>(),
          .fields = fields_of<R>().fields,
          .schema = schema<R>,
          .check = check<R>,
          .ask = ask<R, A, verb>};
}

const std::vector<Verb>& table() {
  static const std::vector<Verb> kVerbs = {
      entry<MapSimplifyRequest, MapResult, map_simplify>(),             //
      entry<MapComposeRequest, MapResult, map_compose>(),               //
      entry<MapInverseRequest, MapResult, map_inverse>(),               //
      entry<MapEvalRequest, MapResult, map_eval>(),                     //
      entry<MapEqualRequest, MapResult, map_equal>(),                   //
      entry<MapWithinRequest, MapResult, map_within>(),                 //
      entry<MapImageRequest, MapResult, map_image>(),                   //
      entry<MapCountRequest, MapResult, map_count>(),                   //
      entry<InfoRequest, InfoResult, info>(),                           //
      entry<PlanRequest, PlanResult, plan>(),                           //
      entry<HloRequest, HloResult, hlo>(),                              //
      entry<EvalRequest, EvalResult, eval>(),                           //
#if !defined(__wasi__)                                                  // has no files to write
      entry<CopyRequest, CopyResult, copy>(),                           //
      entry<ReshardFilesRequest, ReshardFilesResult, reshard_files>(),  //
      entry<ReshardMpiRequest, ReshardFilesResult, reshard_mpi>(),      //
#endif
      entry<ReshardRecipesRequest, ReshardRecipesResult, reshard_recipes>(),  //
      entry<ReshardMapRequest, ReshardMapResult, reshard_map>(),              //
      entry<ShowRequest, ShowResult, show>(),                                 //
      entry<ReshardPlanRequest, ReshardPlanResult, reshard_plan>(),           //
      entry<ReshardAtRequest, ReshardAtResult, reshard_at>(),                 //
      entry<ReshardPlacesRequest, ReshardPlacesResult, reshard_places>(),     //
      entry<ReshardConvertRequest, ReshardConvertResult, reshard_convert>(),  //
      entry<ReshardEqualRequest, ReshardEqualResult, reshard_equal>(),        //
      entry<ReshardShowRequest, ReshardShowResult, reshard_show>(),           //
      entry<AtRequest, AtResult, at>(),                                       //
      entry<ConvertRequest, ConvertResult, convert>(),                        //
      entry<EqualRequest, EqualResult, equal>(),                              //
      entry<AccessRequest, AccessResult, access>(),                           //
      entry<AtomsRequest, AtomsResult, atoms>(),                              //
      entry<TileRequest, TileResult, tile>(),                                 //
      entry<CodeRequest, CodeResult, code>(),                                 //
  };
  return kVerbs;
}

}  // namespace

std::optional<FaultyValue> value_of(const Verb& verb, const FieldTexts& texts, const Diagnostic& error) {
  std::size_t arguments = 0;
  for (const Field& field : verb.fields) {
    const auto given = texts.find(field.name);
    if (field.name != error.field) {
      if (field.argument && given != texts.end()) arguments += given->second.size();
      continue;
    }
    if (given == texts.end()) return std::nullopt;
    const std::vector<std::string>& all = given->second;
    return FaultyValue{.field = &field,
                       .argument = field.argument ? arguments + error.item + 1 : 0,
                       .item = error.item,
                       .text = field.list                                   ? joined(all)
                               : error.item < all.size()                    ? all[error.item]
                               : error.item == kItsPresence && !all.empty() ? all[0]
                                                                            : ""};
  }
  return std::nullopt;
}

std::string refusal_json(const Verb& verb, const FieldTexts& texts, int status, const Diagnostic& error,
                         const Source& source) {
  const std::size_t end = std::min(verb.name.find(' '), verb.name.size());
  const std::string_view action = verb.name.substr(std::min(end + 1, verb.name.size()));
  std::string_view subject;
  for (const Field& field : verb.fields)
    if (const auto given = texts.find(field.name);
        field.each && given != texts.end() && !given->second.empty())
      subject = given->second.front();
  return problem_json({verb.name.substr(0, end), action, subject.empty() ? "" : verb.subject, subject},
                      status, error, source);
}

std::span<const Verb> all_verbs() { return table(); }

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
