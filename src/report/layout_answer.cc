// SPDX-License-Identifier: Apache-2.0
#include "report/layout_answer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/plural.h"
#include "base/shortened.h"
#include "report/exit_status.h"
#include "report/json.h"
#include "report/named_answer.h"
#include "tessera/notation/cute.h"
#include "tessera/notation/layout.h"
#include "tessera/notation/named_layout.h"
#include "tessera/notation/packed_layout.h"

namespace tessera {
namespace {

Json numbers(std::span<const Index> values) { return Json(std::vector<Index>(values.begin(), values.end())); }

Json answer(std::string_view verb, int status) {
  return {{"schema", fmt::format("tessera.{}/1", verb)}, {"status", status}};
}

// `{"notation": "cute", "text": ..., "crop": [...]}`, where `text` is the canonical text. Morello layouts
// have `shape`; strided layouts have `shape`, `strides` and `offset`; linear layouts have `bases`.
Json json_of(const Layout& layout) {
  Json json = {{"notation", to_string(layout.notation())}};
  switch (layout.notation()) {
    case Notation::cute:
      json["text"] =
          layout.strided() != nullptr ? to_string(*layout.strided()) : to_string(*layout.composed());
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
  Json json = json_of(layout);
  if (const NamedLayout* named = layout.as<NamedLayout>()) add_fields(json, *named);
  json["order"] = order_text(layout);
  return json;
}

Json json_of(const Digits& digits) {
  Json list = Json::array();
  for (const Digit& d : digits.digits()) list.push_back(Json::array({d.dim, d.div, d.ext, d.stride}));
  Json json = {{"shape", numbers(digits.box())}, {"const", digits.base()}};
  json["digits"] = std::move(list);
  return json;
}

// The entry for an input without an answer.
Json unanswered(const std::string& text, const Diagnostic& error) {
  Json json = {{"text", text}};
  json["error"] = {{"code", to_string(error.code)}, {"message", shortened(error.message, 1000)}};
  return json;
}

std::string point_text(std::span<const Index> index) { return fmt::format("({})", fmt::join(index, ", ")); }

}  // namespace

std::string reading_text(const Layout& layout) {
  const std::string order = order_text(layout);
  return fmt::format("{}{}", to_string(layout.notation()), order.substr(order.find(':')));
}

OffsetAnswer offset_answer(const Layout& layout, std::vector<Index> index) {
  OffsetAnswer answer{.index = std::move(index), .offset = 0};
  answer.offset = layout.offset(answer.index);
  const NamedLayout* named = layout.as<NamedLayout>();
  if (named == nullptr || named->type().bits >= 8) return answer;
  const Index bit = answer.offset * named->type().bits;
  answer.place = CellPlace{bit / 8, bit % 8, named->type().bits};
  return answer;
}

std::string to_text(const OffsetAnswer& answer) {
  if (!answer.place) return fmt::format("{}", answer.offset);
  const CellPlace& place = *answer.place;
  const BitRun run{0, static_cast<int>(place.bits), place.byte * 8 + place.first_bit};
  return fmt::format("{}: {}", answer.offset, runs_text({&run, 1}, run.count));
}

std::string to_text(const Preimage& preimage) {
  if (preimage.indices.empty()) return "padding";
  std::string text;
  for (const auto& index : preimage.indices) text += (text.empty() ? "" : " ") + point_text(index);
  return preimage.complete ? text : text + " and more";
}

std::vector<std::string> notes_of(const Conversion& conversion) {
  std::vector<std::string> notes;
  if (conversion.buffer_size)
    notes.push_back("the buffer has " + detail::plural(*conversion.buffer_size, "element"));
  for (const std::string& tag : conversion.dropped) notes.push_back("dropped " + tag);
  notes.insert(notes.end(), conversion.notes.begin(), conversion.notes.end());
  return notes;
}

std::string to_json(const Layout& layout, int status, std::span<const OffsetAnswer> answers) {
  Json json = answer("at", status);
  json["layout"] = described(layout);
  Json results = Json::array();
  for (const OffsetAnswer& one : answers) {
    if (one.error) {
      results.push_back(unanswered(one.text, *one.error));
      continue;
    }
    Json result = {{"index", one.index}, {"offset", one.offset}};
    if (const auto& place = one.place) {
      result["byte"] = place->byte;
      result["bits"] = {place->first_bit, place->first_bit + place->bits - 1};
    }
    results.push_back(std::move(result));
  }
  json["results"] = std::move(results);
  return detail::dump(json);
}

std::string to_json(const Layout& layout, int status, std::span<const PreimageAnswer> answers) {
  Json json = answer("at", status);
  json["layout"] = described(layout);
  Json results = Json::array();
  for (const PreimageAnswer& one : answers) {
    if (one.error) {
      results.push_back(unanswered(one.text, *one.error));
      continue;
    }
    Json indices = Json::array();
    for (const auto& index : one.preimage.indices) indices.push_back(numbers(index));
    Json result = {{"offset", one.offset}, {"indices", std::move(indices)}};
    result["padding"] = one.preimage.indices.empty();
    if (one.preimage.padding_of >= 0) result["padding_of_tile"] = one.preimage.padding_of;
    result["complete"] = one.preimage.complete;
    results.push_back(std::move(result));
  }
  json["results"] = std::move(results);
  return detail::dump(json);
}

std::vector<NotationAnswer> in_all_notations(const Layout& layout) {
  std::vector<NotationAnswer> out;
  for (const Notation notation : all_notations()) {
    NotationAnswer& one = out.emplace_back(NotationAnswer{.notation = notation});
    if (auto converted = convert(layout, notation)) {
      one.conversion = *std::move(converted);
    } else {
      one.error = std::move(converted.error());
    }
  }
  return out;
}

std::string to_text(std::span<const NotationAnswer> answers) {
  std::string out;
  for (const NotationAnswer& one : answers) {
    out += fmt::format("{}{:<9}", out.empty() ? "" : "\n", to_string(one.notation));
    if (one.error) {
      out += fmt::format("none: {}", one.error->message);
      continue;
    }
    out += to_string(one.conversion->layout);
    const std::vector<std::string> notes = notes_of(*one.conversion);
    if (!notes.empty()) out += fmt::format("  [{}]", fmt::join(notes, "; "));
  }
  return out;
}

std::string to_json(const Layout& from, std::span<const NotationAnswer> answers) {
  Json json = answer("convert", 0);
  json["from"] = described(from);
  json["to"] = nullptr;
  Json all = Json::array();
  for (const NotationAnswer& one : answers) {
    Json entry = {{"notation", to_string(one.notation)}, {"layout", nullptr}, {"reason", nullptr}};
    if (one.conversion) {
      entry["layout"] = described(one.conversion->layout);
      entry["notes"] = notes_of(*one.conversion);
    } else {
      entry["reason"] = one.error->message;
    }
    all.push_back(std::move(entry));
  }
  json["notations"] = std::move(all);
  return detail::dump(json);
}

std::string to_json(const Layout& from, std::string_view to, const ConversionAnswer& result) {
  Json json = answer("convert", 0);
  json["from"] = described(from);
  json["to"] = to;
  if (result.digits) json["digits"] = json_of(*result.digits);
  if (result.conversion) {
    const Conversion& conversion = *result.conversion;
    json["layout"] = described(conversion.layout);
    if (conversion.buffer_size) json["buffer_size"] = *conversion.buffer_size;
    json["dropped"] = conversion.dropped;
    json["notes"] = conversion.notes;
  }
  if (!result.all.empty()) {
    Json all = Json::array();
    for (const Layout& one : result.all) all.push_back(json_of(one));
    json["all"] = std::move(all);
  }
  return detail::dump(json);
}

std::string to_json(const Layout& a, const Layout& b, EqualityNotion notion, const LayoutEquality& equality) {
  const Verdict verdict = equality.verdict;
  Json json = answer("equal", status_of(verdict));
  json["a"] = described(a);
  json["b"] = described(b);
  json["notion"] = to_string(notion);
  if (verdict != Verdict::undecided) json["equal"] = verdict == Verdict::yes;
  if (equality.difference) {
    json["counterexample"] = equality.difference->index;
    json["offsets"] = Json::array({equality.difference->first, equality.difference->second});
    json["smallest"] = equality.smallest;
  }
  if (!equality.word.empty()) json["difference"] = equality.word;
  if (!equality.reason.empty()) json["reason"] = equality.reason;
  return detail::dump(json);
}

}  // namespace tessera
