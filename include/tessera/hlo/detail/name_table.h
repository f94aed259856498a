// SPDX-License-Identifier: Apache-2.0
/// \file
/// A hash table from names to positions in a list.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace tessera {

/// A hash table from names to positions 0, 1, 2, ... Keeps views of the names, not copies. Lookup and
/// insertion are O(length of the name). The hash key is random in each process, so no text can be crafted to
/// collide.
class NameTable {
 public:
  static constexpr std::uint32_t kNone = 0xffffffff;

  /// The position of a name, or kNone.
  std::uint32_t find(std::string_view name) const;
  /// Adds a name and returns kNone; if the table already has the name, returns its position and changes
  /// nothing.
  std::uint32_t insert(std::string_view name, std::uint32_t place);
  std::size_t size() const { return size_; }

 private:
  struct Slot {
    const char* data = nullptr;  // null: free
    std::uint32_t length = 0;
    std::uint32_t place = 0;
    std::uint64_t hash = 0;
  };
  const Slot& probe(std::string_view name, std::uint64_t hash) const;
  void grow();

  std::vector<Slot> slots_;  // their number is a power of two, and at most 3/4 of them are used
  std::size_t size_ = 0;
};

}  // namespace tessera
