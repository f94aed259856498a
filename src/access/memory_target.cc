// SPDX-License-Identifier: Apache-2.0
#include "tessera/access/memory_target.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "algebra/bit_space.h"

namespace tessera {
namespace {

using detail::is_power_of_two;

// Lane masks by width: up to 4 bytes, 8 bytes, 16 bytes. A 0 ends a list.
using LaneMasks = std::array<std::array<unsigned, 6>, 3>;

struct NamedTarget {
  std::string_view name;
  int lanes;
  bool matrix;
  bool pairs;
  int read_banks;
  LaneMasks read;
  int write_banks;
  LaneMasks write;
};

constexpr LaneMasks kInOrder = {{{1, 2, 4, 8, 16}, {1, 2, 4, 8}, {1, 2, 4}}};
// For vectors of 16 bytes, lanes 0-3 are served together with lanes 20-23, lanes 4-7 with 16-19, and so on.
constexpr LaneMasks kCrossed = {{{1, 2, 4, 8, 16}, {1, 2, 4, 8}, {1, 2, 20}}};
constexpr LaneMasks kCrossedWide = {{{1, 2, 4, 8, 16, 32}, {1, 2, 4, 8, 16}, {1, 2, 12, 20}}};

constexpr std::array<NamedTarget, 6> kTargets = {{
    {"nvidia", 32, true, false, 32, kInOrder, 32, kInOrder},
    {"nvidia-7x", 32, true, true, 32, kInOrder, 32, kInOrder},
    {"cdna3", 64, false, false, 32, kCrossed, 32, kInOrder},
    {"cdna4", 64, false, false, 64, kCrossedWide, 32, kInOrder},
    {"rdna3", 32, false, false, 32, kCrossed, 32, kInOrder},
    {"rdna4", 32, false, false, 32, kInOrder, 32, kInOrder},
}};

std::vector<std::uint64_t> cosets(const std::vector<unsigned>& masks, int lanes) {
  std::vector<std::uint64_t> span = {0};
  for (const unsigned mask : masks) {
    const std::size_t count = span.size();
    for (std::size_t i = 0; i < count; ++i) span.push_back(span[i] ^ mask);
  }
  std::vector<std::uint64_t> out;
  std::uint64_t seen = 0;
  for (int lane = 0; lane < lanes; ++lane) {
    if ((seen >> lane & 1) != 0) continue;
    std::uint64_t phase = 0;
    for (const std::uint64_t difference : span)
      phase |= std::uint64_t{1} << (static_cast<std::uint64_t>(lane) ^ difference);
    out.push_back(phase);
    seen |= phase;
  }
  return out;
}

std::vector<std::uint64_t> in_order(int lanes_per_phase, int lanes) {
  std::vector<std::uint64_t> out;
  for (int first = 0; first < lanes; first += lanes_per_phase) {
    std::uint64_t phase = 0;
    for (int lane = first; lane < std::min(lanes, first + lanes_per_phase); ++lane)
      phase |= std::uint64_t{1} << lane;
    out.push_back(phase);
  }
  return out;
}

}  // namespace

std::string_view to_string(AccessKind kind) {
  constexpr std::array<std::string_view, 4> kNames = {"read", "write", "ldmatrix", "stmatrix"};
  return kNames[static_cast<std::size_t>(kind)];
}

Result<MemoryTarget> MemoryTarget::parse(std::string_view text) {
  MemoryTarget out;
  out.name_ = std::string(text);
  for (std::size_t i = 0; i < kTargets.size(); ++i) {
    if (kTargets[i].name != text) continue;
    out.row_ = static_cast<int>(i);
    out.lanes_ = kTargets[i].lanes;
    out.banks_ = kTargets[i].read_banks;
    return out;
  }
  constexpr std::string_view kByNumbers = "banks:";
  if (!text.starts_with(kByNumbers)) {
    std::string names;
    for (const NamedTarget& target : kTargets) names += fmt::format("{}, ", target.name);
    return fail(Code::unknown_name, fmt::format("no target is named '{}'", text), {},
                fmt::format("choose from {}or banks:32x4 (banks x bytes of each)", names));
  }
  out.row_ = -1;
  std::string_view rest = text.substr(kByNumbers.size());
  // The number after a character; empty if the character is not next.
  const auto number = [&rest](char before) -> std::optional<int> {
    if (before != '\0') {
      if (!rest.starts_with(before)) return std::nullopt;
      rest.remove_prefix(1);
    }
    int value = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
    if (error != std::errc{}) return std::nullopt;
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    return value;
  };
  const std::optional<int> banks = number('\0');
  const std::optional<int> word = number('x');
  const bool has_lanes = rest.starts_with('@');
  const std::optional<int> lanes = has_lanes ? number('@') : 32;
  const bool has_phase = rest.starts_with('/');
  const std::optional<int> phase = has_phase ? number('/') : 0;
  if (!banks || !word || !lanes || !phase || !rest.empty()) {
    return fail(Code::bad_option, fmt::format("'{}' does not have the form banks:BxW[@L][/P]", text), {},
                "for example banks:32x4@64/16: 32 banks of 4 bytes, 64 lanes, 16 lanes per phase");
  }
  if (*banks < 1 || *banks > 1024 || *word < 1 || *word > 64 || *lanes < 1 || *lanes > 64 ||
      (has_phase && (*phase < 1 || *phase > *lanes))) {
    return fail(
        Code::bad_option, fmt::format("'{}' is out of range", text), {},
        "give 1 to 1024 banks of 1 to 64 bytes and 1 to 64 lanes, with at most that many lanes per phase");
  }
  out.banks_ = *banks;
  out.word_ = *word;
  out.lanes_ = *lanes;
  out.lanes_per_phase_ = *phase;
  return out;
}

bool MemoryTarget::has_matrix_access() const {
  return row_ >= 0 && kTargets[static_cast<std::size_t>(row_)].matrix;
}
bool MemoryTarget::may_pair_requests() const {
  return row_ >= 0 && kTargets[static_cast<std::size_t>(row_)].pairs;
}

int MemoryTarget::most_banks() const {
  if (row_ < 0) return banks_;
  const NamedTarget& target = kTargets[static_cast<std::size_t>(row_)];
  return std::max(target.read_banks, target.write_banks);
}

PhaseRule MemoryTarget::rule(AccessKind kind, int width) const {
  PhaseRule out;
  if (row_ < 0) {
    out.banks = banks_;
    const int fit = std::clamp(banks_ * word_ / std::max(width, 1), 1, lanes_);
    const int lanes = lanes_per_phase_ == 0 ? fit : lanes_per_phase_;
    out.phases = in_order(lanes, lanes_);
    out.has_lane_masks = is_power_of_two(lanes) && is_power_of_two(lanes_);
    for (int mask = 1; out.has_lane_masks && mask < lanes; mask *= 2)
      out.lane_masks.push_back(static_cast<unsigned>(mask));
    return out;
  }
  const NamedTarget& target = kTargets[static_cast<std::size_t>(row_)];
  const bool reads = kind == AccessKind::read;
  out.banks = reads ? target.read_banks : target.write_banks;
  const LaneMasks& masks = is_matrix(kind) ? kInOrder : reads ? target.read : target.write;
  for (const unsigned mask : masks[width <= 4 ? 0 : width == 8 ? 1 : 2])
    if (mask != 0) out.lane_masks.push_back(mask);
  out.has_lane_masks = true;
  out.phases = cosets(out.lane_masks, lanes_);
  return out;
}

}  // namespace tessera
