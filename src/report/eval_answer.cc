// SPDX-License-Identifier: Apache-2.0
#include "report/eval_answer.h"

#include <fmt/format.h>

#include "report/exit_status.h"
#include "report/json.h"
#include "tessera/notation/cute.h"

namespace tessera {
namespace {

/// A nested array with `leaf(i)` in place of leaf i.
template <class Leaf>
Json nested(const Profile& p, Cursor at, Leaf&& leaf) {
  if (p.is_leaf(at.node)) return leaf(at.leaf);
  Json out = Json::array();
  Cursor mode = first_mode(p, at);
  for (int i = 0; i < p.rank(at.node); ++i, mode = after(p, mode)) out.push_back(nested(p, mode, leaf));
  return out;
}

Json json_of(const IntTuple& t) {
  return nested(t.profile, {}, [&](int i) { return Json(t.leaf[i]); });
}

void add_layout(Json& json, const StridedLayout& l) {
  json["shape"] = json_of(l.shape());
  json["stride"] = nested(l.profile, {}, [&](int i) {
    if (l.path[i] == 0) return Json(l.stride[i]);
    return Json(to_string(make_mode(1, l.stride[i], l.path[i])).substr(2));  // "2@0", after "1:"
  });
}

/// The parts of a value as fields.
struct Fields {
  Json& json;

  void operator()(const TrackedCoord& v) const {
    json["value"] = nested(v.coord.tuple.profile, {},
                           [&](int i) { return v.coord.is_hole(i) ? Json() : Json(v.coord.tuple.leaf[i]); });
  }
  void operator()(const TrackedLayout& v) const { add_layout(json, v.layout); }
  void operator()(const TrackedComposed& v) const {
    if (v.layout.has_domain()) json["shape"] = json_of(v.layout.domain().shape());
  }
  void operator()(const Swizzle& v) const {
    json["bits"] = v.bits;
    json["base"] = v.base;
    json["shift"] = v.shift;
  }
  void operator()(const TrackedTiler&) const {}
  void operator()(const Slice& v) const {
    add_layout(json, v.layout);
    json["offset"] = json_of(v.offset);
  }
  void operator()(const ThreadValue& v) const {
    add_layout(json, v.layout);
    json["tile"] = json_of(v.tile);
  }
  void operator()(const LinearBases& v) const {
    Json leaves = Json::array();
    for (int leaf = 0, next = 0; leaf < v.leaves; ++leaf) {
      Json bits = Json::array();
      for (int b = 0; b < v.bits[leaf]; ++b) bits.push_back(v.basis[next++]);
      leaves.push_back(std::move(bits));
    }
    json["value"] = std::move(leaves);
  }
  void operator()(const std::vector<Index>& v) const { json["value"] = v; }
  void operator()(const Truth& v) const {
    json["value"] = v.yes;
    if (!v.reason.empty()) json["reason"] = v.reason;
  }
  void operator()(Order) const {}
  void operator()(const TextBlock&) const {}
  void operator()(const AxeLayout& v) const { json["shape"] = v.shape; }
};

Json json_of(const Answer& answer) {
  Json json = Json::object();
  if (!answer.name.empty()) json["name"] = answer.name;
  json["kind"] = kind_of(answer.value);
  json["text"] = to_string(answer.value);
  std::visit(Fields{json}, answer.value.data());
  return json;
}

}  // namespace

std::string to_text(const Evaluation& evaluation, const EvalTextOptions& options) {
  std::string out;
  for (const Explanation& one : evaluation.explanations) {
    out += one.call + "\n";
    int number = 0;
    for (const std::string& step : one.steps) out += fmt::format("{:>4}  {}\n", ++number, step);
    out += one.result.empty() ? "   no answer\n" : fmt::format("   =  {}\n", one.result);
  }
  bool first = true;
  for (std::size_t i = 0; i < evaluation.answers.size(); ++i) {
    const Answer& answer = evaluation.answers[i];
    const bool last = i + 1 == evaluation.answers.size() && !evaluation.error;
    if (!answer.name.empty() && !last) continue;
    if (!first) out += options.one_line ? "; " : "\n";
    first = false;
    if (!answer.name.empty()) out += answer.name + " = ";
    out += to_string(answer.value);
  }
  return first ? out : out + "\n";
}

int status_of(const Evaluation& evaluation) {
  if (evaluation.error) return status_of(*evaluation.error, true);
  for (const Answer& answer : evaluation.answers) {
    const auto* truth = answer.value.as<Truth>();
    if (truth != nullptr && !truth->yes) return kNo;
  }
  return kDone;
}

std::string to_json(const Evaluation& evaluation, const Source& source) {
  Json json = {{"schema", "tessera.eval/1"}, {"status", status_of(evaluation)}};
  json["values"] = Json::array();
  for (const Answer& answer : evaluation.answers) json["values"].push_back(json_of(answer));
  if (!evaluation.explanations.empty()) {
    json["steps"] = Json::array();
    for (const Explanation& one : evaluation.explanations) {
      Json call = {{"call", one.call}, {"steps", one.steps}};
      call["result"] = one.result.empty() ? Json() : Json(one.result);
      json["steps"].push_back(std::move(call));
    }
  }
  if (!evaluation.notes.empty()) json["notes"] = evaluation.notes;
  if (evaluation.error) json["error"] = detail::json_of(*evaluation.error, source);
  return detail::dump(json);
}

std::string to_json(const std::vector<FunctionInfo>& functions) {
  Json json = {{"schema", "tessera.eval/1"}, {"status", 0}};
  json["functions"] = Json::array();
  for (const FunctionInfo& f : functions) {
    json["functions"].push_back(Json{{"name", f.name},
                                     {"signature", f.signature},
                                     {"summary", f.summary},
                                     {"group", f.group},
                                     {"example", f.example}});
  }
  return detail::dump(json);
}

}  // namespace tessera
