// SPDX-License-Identifier: Apache-2.0
/// \file
/// The hash table of the objects that a simplification interns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tessera::detail {

/// Open addressing over pointers to objects with a member `hash`. Emptied in O(1): a slot is valid only in
/// the run that filled it, because clearing a table costs more than simplifying a small map.
template <class T>
class HashTable {
 public:
  void reset() {
    size_ = 0;
    if (slots_.size() > kLargestKept || ++run_ == 0) {
      slots_ = std::vector<Slot>(kSmallest);
      run_ = 1;
    }
  }

  /// The object with this hash for which `same` holds; null if there is none.
  template <class Same>
  T* find(std::uint64_t hash, const Same& same) const {
    for (std::size_t at = first(hash);; at = next(at)) {
      const Slot& slot = slots_[at];
      if (slot.run != run_) return nullptr;
      if (slot.tag == tag(hash) && same(*slot.object)) return slot.object;
    }
  }

  /// Like `find`, but creates a missing object with `make`.
  template <class Same, class Make>
  T* find_or_insert(std::uint64_t hash, const Same& same, const Make& make) {
    std::size_t at = first(hash);
    for (; slots_[at].run == run_; at = next(at)) {
      if (slots_[at].tag == tag(hash) && same(*slots_[at].object)) return slots_[at].object;
    }
    T* const made = make();
    slots_[at] = {made, tag(hash), run_};
    if (++size_ * 2 > slots_.size()) [[unlikely]]
      grow();
    return made;
  }

  /// Adds an object that is not in the table.
  void insert(T* object) {
    place(object);
    if (++size_ * 2 > slots_.size()) [[unlikely]]
      grow();
  }

 private:
  struct Slot {
    T* object = nullptr;
    std::uint32_t tag = 0;
    std::uint32_t run = 0;
  };
  static constexpr std::size_t kSmallest = 128;
  static constexpr std::size_t kLargestKept = 2048;

  // The high bits of a product depend on all bits of the hash.
  static std::uint64_t spread(std::uint64_t hash) { return hash * 0x9e3779b97f4a7c15u; }
  static std::uint32_t tag(std::uint64_t hash) { return static_cast<std::uint32_t>(hash); }
  std::size_t first(std::uint64_t hash) const { return spread(hash) >> 40 & (slots_.size() - 1); }
  std::size_t next(std::size_t at) const { return (at + 1) & (slots_.size() - 1); }

  void place(T* object) {
    std::size_t at = first(object->hash);
    while (slots_[at].run == run_) at = next(at);
    slots_[at] = {object, tag(object->hash), run_};
  }

  [[gnu::noinline]] void grow() {
    const std::vector<Slot> smaller = std::exchange(slots_, std::vector<Slot>(slots_.size() * 4));
    for (const Slot& slot : smaller) {
      if (slot.run == run_) place(slot.object);
    }
  }

  std::vector<Slot> slots_ = std::vector<Slot>(kSmallest);
  std::size_t size_ = 0;
  std::uint32_t run_ = 1;
};

}  // namespace tessera::detail
