// SPDX-License-Identifier: Apache-2.0
/// \file
/// Everything one simplification works with: memory, intern tables and the environment.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "expr/arena.h"
#include "expr/form.h"

namespace tessera::detail {

/// What is known of a variable. With modulus > 1 it equals `residue` modulo `modulus` and is written
/// modulus * scaled + residue.
struct VariableState {
  Interval bounds;
  Index modulus = 1;
  Index residue = 0;
  bool keep_point = false;  // a point stays visible (Points::preserve)
  const Form* form = nullptr;
  std::uint32_t form_stamp = 0;
};

/// `form` (no constant, coefficients without a common factor) lies in `range` on the domain.
struct Fact {
  const Form* form;
  Interval range;
};

/// floor(form / divisor) as `divide` found it for the form that holds the list.
struct DivisionMemo {
  Index divisor;
  std::uint32_t generation;
  const Form* result;
  const DivisionMemo* next;
};

/// Open addressing over pointers to interned objects; shrinks back between inputs, because clearing a large
/// table costs more than simplifying a small map.
template <class T>
class PointerTable {
 public:
  void reset() {
    if (size_ == 0) return;
    slots_.resize(kSmall);
    std::ranges::fill(slots_, nullptr);
    size_ = 0;
  }

  /// The object with this hash for which `same` holds, or the one `make` creates. `hash_of` recomputes a
  /// hash.
  template <class Same, class Make, class HashOf>
  const T* find_or_insert(std::uint64_t hash, const Same& same, const Make& make, const HashOf& hash_of) {
    std::size_t mask = slots_.size() - 1;
    std::size_t slot = hash & mask;
    while (const T* found = slots_[slot]) {
      if (hash_of(found) == hash && same(found)) return found;
      slot = (slot + 1) & mask;
    }
    const T* made = make();
    slots_[slot] = made;
    if (++size_ * 2 > slots_.size()) [[unlikely]] {
      std::vector<const T*> larger(slots_.size() * 4, nullptr);
      mask = larger.size() - 1;
      for (const T* object : slots_) {
        if (object == nullptr) continue;
        slot = hash_of(object) & mask;
        while (larger[slot] != nullptr) slot = (slot + 1) & mask;
        larger[slot] = object;
      }
      slots_ = std::move(larger);
    }
    return made;
  }

 private:
  static constexpr std::size_t kSmall = 128;
  std::vector<const T*> slots_ = std::vector<const T*>(kSmall, nullptr);
  std::size_t size_ = 0;
};

/// A map from small keys to values that live in the arena.
template <class Entry>
class MemoTable {
 public:
  void reset() {
    if (size_ == 0) return;
    slots_.resize(kSmall);
    std::ranges::fill(slots_, nullptr);
    size_ = 0;
  }

  template <class Same>
  Entry* find(std::uint64_t hash, const Same& same) const {
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t slot = hash & mask; slots_[slot] != nullptr; slot = (slot + 1) & mask) {
      if (slots_[slot]->hash == hash && same(*slots_[slot])) return slots_[slot];
    }
    return nullptr;
  }

  void insert(Entry* entry) {
    if (++size_ * 2 > slots_.size()) [[unlikely]] {
      std::vector<Entry*> larger(slots_.size() * 4, nullptr);
      for (Entry* old : slots_) {
        if (old != nullptr) place(larger, old);
      }
      slots_ = std::move(larger);
    }
    place(slots_, entry);
  }

 private:
  static constexpr std::size_t kSmall = 64;
  static void place(std::vector<Entry*>& slots, Entry* entry) {
    std::size_t slot = entry->hash & (slots.size() - 1);
    while (slots[slot] != nullptr) slot = (slot + 1) & (slots.size() - 1);
    slots[slot] = entry;
  }

  std::vector<Entry*> slots_ = std::vector<Entry*>(kSmall, nullptr);
  std::size_t size_ = 0;
};

/// More bits than a value has.
inline constexpr int kTooManyBits = 64;

/// See measure.h.
struct Measure {
  int growth = 0;           ///< every step is below 2^(growth + bits of the variables); at most kTooManyBits
  std::uint32_t signs = 0;  ///< factors of -1, which are no operators
};

/// One a thread. `start` empties it; every Form and Atom dies with that.
class Workspace {
 public:
  /// The calling thread's workspace. Not for two simplifications at once; the driver never nests.
  static Workspace& local();

  /// Forgets everything. `work` bounds the steps that follow (fuel), in units of one term touched.
  void start(std::size_t variable_count, std::uint64_t work);

  const Form* intern(Index constant, std::span<const Term> terms);
  const Form* constant(Index value) {
    const auto at = static_cast<std::uint64_t>(value) + kFewConstants / 4;
    if (at >= kFewConstants) return intern(value, {});
    FewConstants& known = constants_[at];
    if (known.run != run) known = {run, intern(value, {})};
    return known.form;
  }
  const Form* form_of(const Atom* atom);

  const Atom* variable(std::uint32_t number);
  /// floor(form / divisor) as it stands; `divide` (floor_div.h) makes it canonical.
  const Atom* quotient(const Form* form, Index divisor);
  const Atom* max0(const Form* form);
  const Atom* product(const Atom* left, const Atom* right);
  const Atom* scaled(std::uint32_t number, Index modulus, Index residue);
  const Atom* operation(ExprKind op, const Form* left, const Form* right);

  /// Takes fuel; throws OutOfFuel when there is none.
  void spend(std::uint64_t steps) {
    if (fuel_ < steps) throw OutOfFuel{};
    fuel_ -= steps;
  }

  /// The environment. Whoever changes it calls `changed`, which outdates every memo.
  std::vector<VariableState> variables;
  std::vector<Fact> facts;
  std::uint32_t generation = 1;
  int depth = 0;
  std::uint64_t kept_points = 0;  // variables with keep_point, number modulo 64
  bool infeasible = false;        // two sound ranges of one form did not meet: the domain is empty
  bool partial = false;           // a divisor was met that may be 0
  void changed() { ++generation; }

  struct ConversionMemo {
    std::uint64_t hash;
    const void* id;
    std::uint32_t generation;
    const Form* form;     // the normal form
    const Form* written;  // the cheapest text found for the node, as a written form; null until asked for
  };
  MemoTable<ConversionMemo> conversions;

  std::vector<Expr> texts;  // see Form::text

  /// How large the values of an expression get (fits.cc). A later entry may push out an earlier one.
  struct BitsMemo {
    const void* id;
    std::uint64_t run;
    int bits;
  };
  std::array<BitsMemo, 256> bits{};
  std::uint64_t run = 0;  // counts `start`

  /// Nodes live as long as the process, so a measure holds for every simplification. A later entry may push
  /// out an earlier one.
  struct MeasureMemo {
    const void* id;
    Measure measure;
  };
  std::array<MeasureMemo, 256> measures{};
  int variable_bits = kTooManyBits;  // of the bounds that the variables came with

  Arena arena;

 private:
  const Atom* intern_atom(const AtomContent& content);

  // Small constants, which nearly every operation asks for.
  static constexpr std::uint64_t kFewConstants = 128;
  struct FewConstants {
    std::uint64_t run = 0;
    const Form* form = nullptr;
  };
  std::array<FewConstants, kFewConstants> constants_{};

  PointerTable<Form> forms_;
  PointerTable<Atom> atoms_;
  std::vector<const Atom*> variable_atoms_;
  std::uint64_t fuel_ = 0;
};

}  // namespace tessera::detail
