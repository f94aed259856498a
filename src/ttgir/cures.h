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

namespace tessera::ttgir {

/// One access of shared memory.
struct BufferAccess {
  TritonBases registers;
  TritonLayout memory;
  Index element_bits = 0;
  bool writes = false;
  LocalAccess now;
};

/// What an access costs: matrix instructions where it can use them.
Index cost_of(const LocalAccess& access);
/// What it would cost without a conflict.
Index ideal_of(const LocalAccess& access);

/// The different accesses of a file, by the layout of the memory.
class BufferCures {
 public:
  explicit BufferCures(std::string_view target) : target_(target) {}

  /// `name` is that of the layout; parts of one buffer belong together.
  void add(const std::string& name, const BufferAccess& access);
  /// The swizzled_shared in the order of the memory whose sum of wavefronts over all accesses of the buffer
  /// is least, if it is less than now: of vectors of up to 16 bytes, perPhase up to 8 and maxPhase up to 32.
  std::optional<TtgirCure> cure(const std::string& name, const BufferAccess& access);

 private:
  struct Buffer {
    std::vector<BufferAccess> accesses;
    bool searched = false;
    std::optional<TritonAttribute> best;
    Index now = 0;
    Index then = 0;
  };
  static std::string key_of(const std::string& name, const BufferAccess& access);
  void search(Buffer& buffer) const;
  std::optional<LocalAccess> with(const BufferAccess& access, const TritonAttribute& memory) const;

  std::string target_;
  std::map<std::string, Buffer> buffers_;
};

}  // namespace tessera::ttgir
