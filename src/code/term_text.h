// SPDX-License-Identifier: Apache-2.0
/// \file
/// Terms as text.
#pragma once

#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "code/terms.h"

namespace tessera::coding {

/// Prints terms in one language. Adds parentheses if precedence is not obvious, so that no compiler warns.
class TermText {
 public:
  /// `names` are the names of the variables, by number. `bits` is the width of the integers, 32 or 64.
  TermText(const Terms& terms, std::vector<std::string> names, int bits)
      : terms_(terms), names_(std::move(names)), bits_(bits) {}

  std::string operator()(TermId id) const { return text(id, Level::any).first; }

  /// Names every operation that the roots use more than once, in the order in which they must be computed.
  /// Returns the name and the definition of each. The names are t0, t1, ...
  std::vector<std::pair<std::string, std::string>> name_shared(std::span<const TermId> roots);

  /// The condition in this language, with its parts joined by `both`. Empty if it always holds.
  std::string test(const Condition& condition, std::string_view both) const;

  int bits() const { return bits_; }
  std::string_view type() const { return bits_ == 32 ? terms_.rules().int32 : terms_.rules().int64; }

 private:
  enum class Level : std::uint8_t { any, bits, sum, product, atom };
  std::pair<std::string, Level> text(TermId id, Level needed) const;
  std::pair<std::string, Level> operation(TermId id) const;
  std::string infix(TermId a, std::string_view op, TermId b, Level left, Level right) const;

  const Terms& terms_;
  std::vector<std::string> names_;
  int bits_;
  std::map<TermId, std::string> locals_;
};

/// The name itself if `taken` does not have it. Otherwise the name with a number appended that makes it
/// unique.
std::string free_name(std::string name, std::span<const std::string> taken);

}  // namespace tessera::coding
