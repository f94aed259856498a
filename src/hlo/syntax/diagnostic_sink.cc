// SPDX-License-Identifier: Apache-2.0
#include "hlo/syntax/diagnostic_sink.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/plural.h"

namespace tessera::detail {

// A message quotes names and values of the text, which may be long or contain control characters.
void DiagnosticSink::add(Diagnostic diagnostic) {
  errors_ += diagnostic.severity == Severity::error;
  if (list_.size() >= limit_) {
    ++left_out_;
    return;
  }
  constexpr std::size_t kShownLength = 400;
  const auto clean = [](std::string& text) {
    if (text.size() > kShownLength) text = text.substr(0, kShownLength) + "...";
    for (char& c : text) {
      if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
    }
  };
  clean(diagnostic.message);
  clean(diagnostic.help);
  list_.push_back(std::move(diagnostic));
}

std::vector<Diagnostic> DiagnosticSink::take() {
  // Stable: diagnostics at one place keep the order in which they were found.
  std::vector<std::size_t> order(list_.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair(list_[i].span.begin, i); });
  std::vector<Diagnostic> sorted;
  sorted.reserve(order.size());
  for (const std::size_t i : order) sorted.push_back(std::move(list_[i]));
  list_ = std::move(sorted);
  // A second error at the same place follows from the first.
  const auto echoes = std::ranges::unique(list_, [](const Diagnostic& a, const Diagnostic& b) {
    return a.span.begin == b.span.begin && a.severity == b.severity && a.code == b.code;
  });
  list_.erase(echoes.begin(), echoes.end());
  if (left_out_ > 0 && !list_.empty()) {
    list_.back().notes.push_back(fmt::format("{} not shown", plural(left_out_, "further problem")));
  }
  return std::move(list_);
}

}  // namespace tessera::detail
