// SPDX-License-Identifier: Apache-2.0
#include "verbs/at.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "notation/layout_index.h"
#include "notation/symbolic/symbolic_answers.h"
#include "report/exit_status.h"
#include "report/json.h"
#include "report/layout_json.h"
#include "report/sized_answer.h"
#include "text/point.h"
#include "verbs/column_major.h"

namespace tessera::verbs {
namespace {

Result<OffsetAnswer> offset_at(const Layout& layout, const std::string& text) {
  auto index = parse_layout_index(text, layout);
  if (!index) return fail(index.error());
  return offset_answer(layout, *std::move(index));
}

Result<Index> one_offset(const std::string& text) {
  const auto offset = parse_point(text);
  if (!offset) return fail(offset.error());
  if (offset->size() == 1) return offset->front();
  return fail(Code::value_count, fmt::format("expected one offset, found {} numbers", offset->size()));
}

Result<PreimageAnswer> found_at(const Layout& layout, const std::string& text) {
  const auto offset = one_offset(text);
  if (!offset) return fail(offset.error());
  auto preimage = indices_at(layout, *offset);
  if (!preimage) return fail(std::move(preimage.error()));
  return PreimageAnswer{.offset = *offset, .preimage = *std::move(preimage)};
}

// The same questions of a named layout whose elements are not cells: the places of the bits of an element,
// and the element of a bit.
Result<RunsAnswer> runs_of(const NamedLayout& layout, const std::string& text) {
  auto index = parse_named_index(text, layout);
  if (!index) return fail(index.error());
  return RunsAnswer{.index = *index, .runs = runs_at(layout, *index)};
}

Result<BitAnswer> bit_found_at(const NamedLayout& layout, const std::string& text) {
  const auto offset = one_offset(text);
  if (!offset) return fail(offset.error());
  auto owner = owner_of(layout, *offset);
  if (!owner) return fail(std::move(owner.error()));
  return BitAnswer{.offset = *offset, .owner = *std::move(owner)};
}

// The places of an index of an Axe layout.
Result<PlacesAnswer> places_at(const PlacedSide& side, const std::string& text) {
  auto index = parse_point(text);
  if (!index) return fail(index.error());
  auto found = places(side.placement, *index);
  if (!found) return fail(std::move(found.error()));
  return PlacesAnswer{.index = *std::move(index), .places = *std::move(found)};
}

std::string line_of(const OffsetAnswer& answer, const PlacedLayout&) { return to_text(answer); }
std::string line_of(const PreimageAnswer& answer, const PlacedLayout&) { return to_text(answer.preimage); }
std::string line_of(const RunsAnswer& answer, const PlacedLayout& layout) {
  return runs_text(answer.runs, layout.plain.named->type().bits);
}
std::string line_of(const PlacesAnswer& answer, const PlacedLayout& layout) {
  return to_text(answer, *placement_of(layout));
}
std::string line_of(const BitAnswer& answer, const PlacedLayout&) {
  if (!answer.owner) return "padding";
  return fmt::format("({}) bit {}", fmt::join(answer.owner->index, ", "), answer.owner->bit);
}

std::string line_of(const TritonAnswer& answer, const PlacedLayout&) { return answer.line; }

std::string json_of(const PlacedLayout& layout, int status, const std::vector<TritonAnswer>& answers) {
  Json json = detail::answer_json("at", status);
  json["layout"] = detail::described(*layout.plain.layout);
  json["results"] = Json::array();
  for (const TritonAnswer& one : answers)
    json["results"].push_back(one.error ? detail::unanswered(one.text, *one.error) : one.json);
  return detail::dump(json);
}
std::string json_of(const PlacedLayout& layout, int status, const std::vector<OffsetAnswer>& answers) {
  return to_json(*layout.plain.layout, status, answers);
}
std::string json_of(const PlacedLayout& layout, int status, const std::vector<PreimageAnswer>& answers) {
  return to_json(*layout.plain.layout, status, answers);
}
std::string json_of(const PlacedLayout& layout, int status, const std::vector<RunsAnswer>& answers) {
  return to_json(*layout.plain.named, status, answers);
}
std::string json_of(const PlacedLayout& layout, int status, const std::vector<BitAnswer>& answers) {
  return to_json(*layout.plain.named, status, answers);
}

std::string json_of(const PlacedLayout& layout, int status, const std::vector<PlacesAnswer>& answers) {
  return to_json(*placed_side(*layout.axe), status, answers);
}

// Answers each text in order. If there are several, errors replace missing answers.
template <class AnyLayout, class Found>
Result<AtResult> each(const AtRequest& request, const AnyLayout& layout,
                      Result<Found> (*find)(const AnyLayout& layout, const std::string& text)) {
  std::vector<Found> answers;
  std::vector<Diagnostic> refused;
  for (std::size_t i = 0; i < request.index.size(); ++i) {
    Result<Found> found = find(layout, request.index[i]);
    if (found) {
      answers.push_back(*std::move(found));
      continue;
    }
    Diagnostic error = std::move(found.error());
    error.field = "index";
    error.item = static_cast<std::uint32_t>(i);
    if (request.index.size() == 1) return fail(std::move(error));
    answers.push_back({.text = request.index[i], .error = error});
    refused.push_back(std::move(error));
  }
  return AtResult(request.layout, std::move(answers), std::move(refused));
}

// Offsets of indices of terms, each in cases.
Result<AtResult> for_all_sizes(const AtRequest& request, const symbolic::AssumptionList& assumed) {
  symbolic::SizedAnswers all;
  symbolic::AssumptionList within = assumed;
  if (!request.inverse)
    within.append(symbolic::index_ranges(*request.layout.value.sized, request.index, assumed));
  for (std::size_t i = 0; i < request.index.size(); ++i) {
    const symbolic::SymbolicLayout& layout = *request.layout.value.sized;
    auto one = request.inverse ? symbolic::index_at(layout, request.index[i], assumed)
                               : symbolic::offset_at(layout, request.index[i], within);
    if (!one) {
      if (one.error().field == "index") one.error().item = static_cast<std::uint32_t>(i);
      return bad_input_at("layout", std::move(one.error()));
    }
    all.answers.push_back(std::move(one->answers[0]));
    all.parameters = std::move(one->parameters);
    all.where = std::move(one->where);
    for (std::string& note : one->notes) {
      if (std::ranges::find(all.notes, note) == all.notes.end()) all.notes.push_back(std::move(note));
    }
  }
  return AtResult(request.layout, std::move(all), {});
}

// Whether the layout or an index has names for sizes.
bool has_names(const AtRequest& request) {
  if (request.layout.value.sized) return true;
  const auto& layout = request.layout.value.plain.layout;
  return layout && !layout->as<TritonLayout>() && !request.inverse &&
         std::ranges::all_of(request.index, [&](const std::string& index) {
           return index.find_first_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz") !=
                  std::string::npos;
         });
}

}  // namespace

AtResult::AtResult(Given<PlacedLayout> layout, Value value, std::vector<Diagnostic> refused)
    : layout_(std::move(layout)), value_(std::move(value)), refused_(std::move(refused)), status_(kDone) {
  if (const auto* const sized = std::get_if<symbolic::SizedAnswers>(&value_))
    status_ = tessera::status_of(*sized);
  for (const Diagnostic& error : refused_) status_ = std::max<int>(status_, status_of(error));
}

std::string AtResult::heading() const {
  if (std::holds_alternative<std::vector<PlacesAnswer>>(value_))
    return reading_text(*placement_of(layout_.value));
  if (const auto* const sized = std::get_if<symbolic::SizedAnswers>(&value_))
    return fmt::format("{}, for all sizes{}", layout_.value.sized->text(),
                       sized->where.empty() ? "" : " with " + sized->where);
  return reading_text(layout_.value.plain);
}

std::vector<std::string> AtResult::lines() const {
  return std::visit(
      [&](const auto& answers) {
        std::vector<std::string> out;
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(answers)>, symbolic::SizedAnswers>) {
          for (const auto& one : answers.answers) out.push_back(tessera::to_text({.answers = {one}}, 0));
        } else {
          for (const auto& one : answers)
            out.push_back(one.error ? problem_line(*one.error) : line_of(one, layout_.value));
        }
        return out;
      },
      value_);
}

Result<std::string> AtResult::to_text(const Terminal& /*terminal*/) const {
  return fmt::format("{}", fmt::join(lines(), "\n"));
}

Result<std::string> AtResult::to_line() const {
  std::string text = fmt::format("{}", fmt::join(lines(), "; "));
  const auto* const sized = std::get_if<symbolic::SizedAnswers>(&value_);
  if (sized == nullptr) return text;
  return fmt::format("for all sizes{}: {}", sized->where.empty() ? "" : " with " + sized->where, text);
}

Result<std::string> AtResult::to_json() const {
  return std::visit(
      [&](const auto& answers) {
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(answers)>, symbolic::SizedAnswers>) {
          return tessera::to_json({"at", "layout", "results", "index"}, layout_.text, "", answers);
        } else {
          return json_of(layout_.value, status_, answers);
        }
      },
      value_);
}

std::vector<std::string> AtResult::hints() const {
  if (const auto* const sized = std::get_if<symbolic::SizedAnswers>(&value_)) return sized->notes;
  return column_major_notes({layout_.text});
}

Result<AtResult> at(const AtRequest& given, Observer& /*observer*/) {
  AtRequest request = given;
  symbolic::AssumptionList assumed;
  if (auto put = put_sizes(request.layout, request.where, request.size, assumed); !put)
    return fail(std::move(put.error()));
  if (has_names(request)) {
    if (!request.layout.value.sized) {
      if (auto sized = symbolic::SymbolicLayout::parse(request.layout.text))
        request.layout.value.sized = *std::move(sized);
    }
    if (request.layout.value.sized) return for_all_sizes(request, assumed);
  }
  if (const auto& axe = request.layout.value.axe; axe && !request.inverse) {
    const auto side = placed_side(*axe);
    if (!side) return refuse("layout", side.error());
    return each(request, *side, places_at);
  }
  const auto plain = layout_side(request.layout.value);
  if (!plain) return refuse("layout", plain.error());
  const auto& [named, layout] = *plain;
  const TritonLayout* triton = layout ? layout->as<TritonLayout>() : nullptr;
  const bool registers = triton != nullptr && space_of(triton->attribute.kind) == TritonSpace::registers;
  if (registers && request.inverse)
    return refuse("inverse", Code::bad_option, "--inverse is for offsets, and registers have none",
                  "leave it out: T13:2 or r2,l13,w0,b0 gives the element of a place");
  if (triton != nullptr && !request.inverse) return each(request, *triton, triton_answer);
  if (layout) return request.inverse ? each(request, *layout, found_at) : each(request, *layout, offset_at);
  return request.inverse ? each(request, *named, bit_found_at) : each(request, *named, runs_of);
}

}  // namespace tessera::verbs
