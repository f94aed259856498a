// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "tessera/base/result.h"

namespace tessera {

Source::Source(std::string name, std::string text, std::size_t first_line)
    : name_(std::move(name)), text_(std::move(text)), first_line_(first_line), line_starts_{0} {
  for (std::size_t i = text_.find('\n'); i != std::string::npos; i = text_.find('\n', i + 1)) {
    line_starts_.push_back(static_cast<std::uint32_t>(i + 1));
  }
}

std::string_view Source::text(Span span) const {
  const std::size_t begin = std::min<std::size_t>(span.begin, text_.size());
  const std::size_t end = std::clamp<std::size_t>(span.end, begin, text_.size());
  return std::string_view(text_).substr(begin, end - begin);
}

Position Source::position(std::size_t offset) const {
  offset = std::min(offset, text_.size());
  const auto& starts = line_starts_;
  const auto after = std::upper_bound(starts.begin(), starts.end(), offset);
  const auto line = static_cast<std::size_t>(after - starts.begin());
  return {line + first_line_ - 1, offset - starts[line - 1] + 1};
}

std::string_view Source::line(std::size_t number) const {
  const auto& starts = line_starts_;
  if (number < first_line_ || number - first_line_ >= starts.size()) return {};
  number -= first_line_ - 1;
  const std::size_t begin = starts[number - 1];
  std::size_t end = number < starts.size() ? starts[number] - 1 : text_.size();
  if (end > begin && text_[end - 1] == '\r') --end;
  return std::string_view(text_).substr(begin, end - begin);
}

}  // namespace tessera
