// SPDX-License-Identifier: Apache-2.0
#include "verbs/at.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "notation/layout_index.h"
#include "report/exit_status.h"
#include "text/point.h"
#include "verbs/column_major.h"

namespace tessera::verbs {
namespace {

Result<OffsetAnswer> offset_at(const Layout& layout, const std::string& text) {
  auto index = parse_layout_index(text, layout);
  if (!index) return fail(index.error());
  const Index offset = layout.offset(*index);
  return OffsetAnswer{.index = *std::move(index), .offset = offset};
}

Result<PreimageAnswer> found_at(const Layout& layout, const std::string& text) {
  const Span whole{0, static_cast<std::uint32_t>(text.size())};
  const auto offset = parse_point(text);
  if (!offset) return fail(offset.error());
  if (offset->size() != 1) {
    return fail(Code::value_count, fmt::format("expected one offset, found {} numbers", offset->size()),
                whole);
  }
  auto preimage = indices_at(layout, offset->front());
  if (!preimage) {
    preimage.error().span = whole;
    return fail(preimage.error());
  }
  return PreimageAnswer{.offset = offset->front(), .preimage = *std::move(preimage)};
}

std::string line_of(const OffsetAnswer& answer) { return fmt::format("{}", answer.offset); }
std::string line_of(const PreimageAnswer& answer) { return to_text(answer.preimage); }

// Answers each text in order. If there are several, errors replace missing answers.
template <class Found>
Result<AtResult> each(const AtRequest& request,
                      Result<Found> (*find)(const Layout& layout, const std::string& text)) {
  std::vector<Found> answers;
  std::vector<Diagnostic> refused;
  for (std::size_t i = 0; i < request.index.size(); ++i) {
    auto found = find(request.layout.value, request.index[i]);
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

}  // namespace

AtResult::AtResult(Given<Layout> layout, Value value, std::vector<Diagnostic> refused)
    : layout_(std::move(layout)), value_(std::move(value)), refused_(std::move(refused)), status_(kDone) {
  for (const Diagnostic& error : refused_) status_ = std::max<int>(status_, status_of(error));
}

std::vector<std::string> AtResult::lines() const {
  return std::visit(
      [](const auto& answers) {
        std::vector<std::string> out;
        for (const auto& one : answers) out.push_back(one.error ? problem_line(*one.error) : line_of(one));
        return out;
      },
      value_);
}

Result<std::string> AtResult::to_text(const Terminal& /*terminal*/) const {
  return fmt::format("{}", fmt::join(lines(), "\n"));
}

Result<std::string> AtResult::to_line() const { return fmt::format("{}", fmt::join(lines(), "; ")); }

Result<std::string> AtResult::to_json() const {
  return std::visit([&](const auto& answers) { return tessera::to_json(layout_.value, status_, answers); },
                    value_);
}

std::vector<std::string> AtResult::hints() const { return column_major_notes({layout_.text}); }

Result<AtResult> at(const AtRequest& request, Observer& /*observer*/) {
  return request.inverse ? each(request, found_at) : each(request, offset_at);
}

}  // namespace tessera::verbs
