// SPDX-License-Identifier: Apache-2.0
/// \file
/// A table of numbers with text at the end of each line.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace tessera::detail {

/// Columns of numbers, right-aligned under their names, followed by text. A row may be followed by extra
/// lines.
class ByteTable {
 public:
  ByteTable(std::vector<std::string> names, std::string last) { add(std::move(names), std::move(last)); }

  void add(std::vector<std::string> numbers, std::string text) {
    width_.resize(std::max(width_.size(), numbers.size()));
    for (std::size_t c = 0; c < numbers.size(); ++c) width_[c] = std::max(width_[c], numbers[c].size());
    rows_.push_back({std::move(numbers), std::move(text)});
  }
  /// True if there is a row below the names.
  bool has_rows() const { return rows_.size() > 1; }

  /// The table as text. Empty if there is no row below the names.
  std::string text() const {
    std::string out;
    if (!has_rows()) return out;
    for (const auto& [numbers, last] : rows_) {
      for (std::size_t c = 0; c < numbers.size(); ++c) out += fmt::format("{:>{}}  ", numbers[c], width_[c]);
      out += last + "\n";
    }
    return out;
  }

 private:
  std::vector<std::pair<std::vector<std::string>, std::string>> rows_;
  std::vector<std::size_t> width_;
};

}  // namespace tessera::detail
