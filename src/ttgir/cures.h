// SPDX-License-Identifier: Apache-2.0
/// \file
/// BufferCures: the swizzle with the fewest wavefronts for all accesses of a buffer together.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/access/register_access.h"
#include "tessera/notation/triton_layout.h"
#include "tessera/ttgir/ttgir.h"
#include "ttgir/buffers.h"

namespace tessera::ttgir {

/// One access of shared memory.
struct BufferAccess {
  TritonBases registers;
  TritonLayout memory;
  Index element_bits = 0;
  bool writes = false;
  LocalAccess now;
  DimensionOrder order = {};  ///< of the view that it uses
};

/// What an access costs: matrix instructions where it can use them.
Index cost_of(const LocalAccess& access);
/// What it would cost without a conflict.
Index ideal_of(const LocalAccess& access);

/// The different accesses of each buffer of a file.
class BufferCures {
 public:
  explicit BufferCures(std::string_view target) : target_(target) {}

  /// `key` is the same for accesses that cost the same.
  void add(std::size_t buffer, const std::string& key, BufferAccess access);
  /// A swizzled_shared whose sum of wavefronts over all accesses of the buffer is least, if it is less than
  /// now: of vectors of up to 16 bytes, perPhase up to 8 and maxPhase up to 32, in every order of up to 4
  /// dimensions, that of the memory first. Where an asynchronous copy fills the buffer (`is_filled`, the same
  /// for all accesses of the buffer), vectors have at least 4 bytes and the order stays.
  std::optional<TtgirCure> cure(std::size_t buffer, const BufferAccess& access, bool is_filled);
  /// Whether the swizzles were compared for a cure of the buffer.
  bool tried(std::size_t buffer) const;

 private:
  // What was found for all accesses of a buffer together.
  struct Search {
    bool tried = false;  // false if an access has no count to compare with
    std::optional<TritonAttribute> best;
    Index now = 0;
    Index then = 0;
  };
  struct Accesses {
    std::map<std::string, BufferAccess> each;
    const Search* search = nullptr;  // empty before the search
  };
  const Search& search_of(const Accesses& buffer, bool is_filled);
  void search(const Accesses& buffer, bool is_filled, Search& out) const;
  void search_order(const Accesses& buffer, TritonAttribute tried, Index least_bytes, Index least,
                    Search& out) const;
  std::optional<LocalAccess> with(const BufferAccess& access, const TritonAttribute& memory) const;

  std::string target_;
  std::map<std::size_t, Accesses> buffers_;
  std::map<std::string, Search> searches_;  // by all keys: programs repeat their kernels
};

}  // namespace tessera::ttgir
