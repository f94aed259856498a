// SPDX-License-Identifier: Apache-2.0
#include "relayout/registers/triton_choice.h"

#include <algorithm>

#include "algebra/xor_rows.h"

namespace tessera::moving {
namespace {

using detail::XorRows;
using Inputs = std::array<std::uint64_t, 4>;  // bits of register, lane, warp, block of the source

constexpr std::size_t kRegister = 0;
constexpr std::size_t kLane = 1;
constexpr std::size_t kWarp = 2;
constexpr std::size_t kBlock = 3;

// Where the source has the element of each bit of the target, as Triton solves for it.
std::array<std::vector<Inputs>, 4> solved(const FlatBases& from, const FlatBases& to) {
  const auto is_equal = [&](std::size_t j) { return from.inputs[j] == to.inputs[j]; };
  struct Column {
    std::size_t input;
    std::size_t bit;
  };
  XorRows some;
  XorRows all;
  std::vector<Column> some_columns;
  std::vector<Column> all_columns;
  for (std::size_t j = 0; j < 4; ++j) {
    for (std::size_t i = 0; i < from.inputs[j].size(); ++i) {
      const auto basis = static_cast<Index>(from.inputs[j][i]);
      all.add(basis);
      all_columns.push_back({j, i});
      if (is_equal(j)) continue;
      some.add(basis);
      some_columns.push_back({j, i});
    }
  }
  std::array<std::vector<Inputs>, 4> out;
  for (std::size_t j = 0; j < 4; ++j) {
    for (std::size_t i = 0; i < to.inputs[j].size(); ++i) {
      Inputs& image = out[j].emplace_back();
      if (is_equal(j)) {
        image[j] = std::uint64_t{1} << i;
        continue;
      }
      const auto value = static_cast<Index>(to.inputs[j][i]);
      XorRows::Row row = some.reduced({value, 0});
      const std::vector<Column>* columns = &some_columns;
      if (row.value != 0) {
        row = all.reduced({value, 0});
        columns = &all_columns;
      }
      for (std::size_t k = 0; k < columns->size(); ++k) {
        if ((row.added >> k & 1) != 0) image[(*columns)[k].input] ^= std::uint64_t{1} << (*columns)[k].bit;
      }
      if (j != kRegister && i < from.inputs[j].size() && from.inputs[j][i] == 0)
        image[j] |= std::uint64_t{1} << i;
    }
  }
  return out;
}

// Whether each bit of this input comes from its own bit, and no other bit from one of this input.
bool keeps(const std::array<std::vector<Inputs>, 4>& images, std::size_t input) {
  for (std::size_t j = 0; j < 4; ++j) {
    for (std::size_t i = 0; i < images[j].size(); ++i) {
      const std::uint64_t own = j == input ? std::uint64_t{1} << i : 0;
      if (images[j][i][input] != own) return false;
    }
  }
  return true;
}

// Whether bits of an input choose among the registers or the lanes of the source.
bool chooses(const std::vector<Inputs>& images, std::size_t source) {
  return std::ranges::any_of(images, [&](const Inputs& image) { return image[source] != 0; });
}

// The permutation of the register and lane bits of both sides, padded to the same number.
std::vector<std::size_t> permutation(const FlatBases& from, const FlatBases& to, std::size_t registers) {
  const std::size_t lanes = from.lanes().size();
  const std::size_t count = registers + lanes;
  const auto values = [&](const FlatBases& side) {
    std::vector<std::uint64_t> out = side.registers();
    out.resize(registers, 0);
    out.insert(out.end(), side.lanes().begin(), side.lanes().end());
    return out;
  };
  const std::vector<std::uint64_t> source = values(from);
  const std::vector<std::uint64_t> target = values(to);
  std::vector<std::size_t> image(count, count);
  std::vector<bool> taken(count, false);
  for (std::size_t p = 0; p < count; ++p) {
    for (std::size_t q = 0; q < count; ++q) {
      if (source[p] == 0 || taken[q] || target[q] != source[p]) continue;
      image[p] = q;
      taken[q] = true;
      break;
    }
  }
  // What is left are copies: in their place where possible, then in order.
  for (std::size_t p = 0; p < count; ++p) {
    if (image[p] == count && !taken[p]) {
      image[p] = p;
      taken[p] = true;
    }
  }
  for (std::size_t p = 0; p < count; ++p) {
    if (image[p] != count) continue;
    const auto free = static_cast<std::size_t>(std::ranges::find(taken, false) - taken.begin());
    image[p] = free;
    taken[free] = true;
  }
  return image;
}

// `warps_choose`: whether the lane that has an element depends on the warp.
ChoiceOfTriton shuffles(const FlatBases& from, const FlatBases& to, Index element_bits, bool warps_choose) {
  const std::size_t registers = std::max(from.registers().size(), to.registers().size());
  const std::vector<std::size_t> image = permutation(from, to, registers);
  int crossings = 0;
  bool in_place = !warps_choose;  // the lanes, but for one that changes place with a register
  for (std::size_t p = registers; p < image.size(); ++p) {
    if (image[p] < registers)
      ++crossings;
    else if (image[p] != p)
      in_place = false;
  }
  if (crossings >= 2) return {TritonChoice::shared, 0};
  int packed = element_bits >= 32 ? 0 : element_bits == 16 ? 1 : 2;
  packed = std::max(0, std::min(packed, static_cast<int>(registers) - crossings));
  Index words = Index{1} << (static_cast<int>(registers) - packed);
  if (element_bits == 64) words *= 2;
  if (crossings == 1 && in_place) words /= 2;
  return {TritonChoice::shuffles, words};
}

}  // namespace

ChoiceOfTriton choice_of_triton(const FlatBases& from, const FlatBases& to, Index element_bits) {
  const auto images = solved(from, to);
  if (!keeps(images, kBlock)) return {TritonChoice::distributed, 0};
  if (!keeps(images, kWarp) || chooses(images[kWarp], kRegister) || chooses(images[kBlock], kRegister))
    return {TritonChoice::shared, 0};
  if (!keeps(images, kLane) || chooses(images[kLane], kRegister))
    return shuffles(from, to, element_bits, chooses(images[kWarp], kLane) || chooses(images[kBlock], kLane));
  return {keeps(images, kRegister) ? TritonChoice::none : TritonChoice::registers, 0};
}

}  // namespace tessera::moving
