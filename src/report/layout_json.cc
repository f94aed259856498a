// SPDX-License-Identifier: Apache-2.0
#include "report/layout_json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "base/shortened.h"
#include "report/named_answer.h"
#include "tessera/notation/cute.h"
#include "tessera/notation/named_layout.h"
#include "tessera/notation/packed_layout.h"

namespace tessera::detail {
namespace {

Json numbers(std::span<const Index> values) { return Json(std::vector<Index>(values.begin(), values.end())); }

}  // namespace

Json answer_json(std::string_view verb, int status) {
  return {{"schema", fmt::format("tessera.{}/1", verb)}, {"status", status}};
}

Json layout_json(const Layout& layout) {
  Json json = {{"notation", to_string(layout.notation())}};
  switch (layout.notation()) {
    case Notation::cute:
      json["text"] = layout.shape_stride() != nullptr ? to_string(*layout.shape_stride())
                                                      : to_string(*layout.composed());
      if (layout.is_cropped()) json["crop"] = numbers(layout.shape());
      return json;
    case Notation::morello:
      json["text"] = to_string(layout.packed()->layout);
      json["shape"] = layout.packed()->shape;
      return json;
    case Notation::strides:
      json["text"] = to_string(layout);
      json["shape"] = layout.strides()->shape;
      json["strides"] = layout.strides()->strides;
      json["offset"] = layout.strides()->base;
      return json;
    case Notation::linear: {
      json["text"] = to_string(layout);
      Json bases = Json::array();
      for (const auto& own : layout.linear()->bases()) bases.push_back(numbers(own));
      json["bases"] = std::move(bases);
      return json;
    }
    default:
      break;
  }
  json["text"] = to_string(layout);
  return json;
}

Json described(const Layout& layout) {
  Json json = layout_json(layout);
  if (const NamedLayout* named = layout.as<NamedLayout>()) add_fields(json, *named);
  json["order"] = order_text(layout);
  return json;
}

void add_equality(Json& json, const LayoutEquality& equality) {
  if (equality.verdict != Verdict::undecided) json["equal"] = equality.verdict == Verdict::yes;
  if (!equality.proof.empty()) json["proof"] = equality.proof;
  if (equality.difference) {
    json["counterexample"] = equality.difference->index;
    json["offsets"] = Json::array({equality.difference->first, equality.difference->second});
    json["smallest"] = equality.smallest;
  }
  if (!equality.word.empty()) json["difference"] = equality.word;
  if (!equality.reason.empty()) json["reason"] = equality.reason;
}

Json unanswered(const std::string& text, const Diagnostic& error) {
  Json json = {{"text", text}};
  json["error"] = {{"code", to_string(error.code)}, {"message", shortened(error.message, 1000)}};
  return json;
}

}  // namespace tessera::detail
