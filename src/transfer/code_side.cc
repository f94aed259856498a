// SPDX-License-Identifier: Apache-2.0
#include "transfer/code_side.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/try.h"
#include "files/bit_field.h"
#include "transfer/widened.h"

namespace tessera {
namespace {

using transfer::has_sign;
using transfer::widened;

bool is_integer_type(const CellType& type) { return !type.dtype || is_integer(*type.dtype); }

}  // namespace

Index CodeSide::size() const {
  Index count = 1;
  for (const Index extent : shape()) count *= extent;
  return count;
}

Result<Index> CodeSide::bytes() const {
  if (layout.named) return layout.named->buffer_bytes();
  TESSERA_TRY(all, file_bytes(*layout.layout, cell_bits));
  // Places in it are counted in bits.
  if (all > kIndexMax / 8)
    return fail(Code::overflow, fmt::format("'{}' has more bits than fit in 64 bits", text()));
  return all - prefix_bytes(*layout.layout);
}

std::string CodeSide::text() const {
  return layout.named ? to_string(*layout.named) : to_string(*layout.layout);
}

Index CodeSide::bit_offset(std::span<const Index> index, int bit) const {
  if (layout.layout) return layout.layout->offset(index) * cell_bits + bit;
  return layout.named->bit_offset(index, bit);
}

std::uint64_t CodeSide::code(std::span<const Index> index, std::span<const std::byte> buffer) const {
  if (layout.layout) return bits_at(buffer.data(), bit_offset(index, 0), type.bits);
  std::uint64_t value = 0;
  for (int bit = 0; bit < type.bits; ++bit) value |= bits_at(buffer.data(), bit_offset(index, bit), 1) << bit;
  return value;
}

bool CodeSide::fits(std::span<const Index> index, std::span<const std::byte> buffer) const {
  if (!layout.layout || cell_bits == type.bits) return true;
  const std::uint64_t cell = bits_at(buffer.data(), bit_offset(index, 0), cell_bits);
  return cell == widened(code(index, buffer), type, cell_bits);
}

void CodeSide::store(std::span<const Index> index, std::uint64_t code, std::span<std::byte> buffer,
                     Index begin) const {
  if (layout.layout)
    return set_bits(buffer.data(), bit_offset(index, 0) - 8 * begin, cell_bits,
                    widened(code, type, cell_bits));
  for (int bit = 0; bit < type.bits; ++bit)
    set_bits(buffer.data(), bit_offset(index, bit) - 8 * begin, 1, code >> bit & 1);
}

CodeSide code_side(const Tensor& tensor) {
  CodeSide side{.layout = {.named = {}, .layout = tensor.layout}, .cell_bits = tensor.element_bits};
  if (tensor.dtype) {
    side.type = {.dtype = tensor.dtype,
                 .bits = std::min(bit_width(*tensor.dtype), static_cast<int>(tensor.element_bits)),
                 .is_signed = dtype_class(*tensor.dtype) == DTypeClass::signed_integer};
  } else {
    side.type = unsigned_type(static_cast<int>(tensor.element_bits));
  }
  return side;
}

Result<CodeSide> code_side(const NamedLayout& named) {
  CodeSide side{
      .layout = {.named = named, .layout = {}}, .type = named.type(), .cell_bits = named.type().bits};
  if (named.kind() == NamedKind::cells) {
    TESSERA_TRY(cells, to_layout(named));
    side.layout.layout = cells;
  }
  return side;
}

Result<void> check_types(const CellType& from, const CellType& to, bool recoded) {
  const bool same = from.bits == to.bits && from.dtype == to.dtype && has_sign(from) == has_sign(to);
  const bool integers = is_integer_type(from) && is_integer_type(to);
  const bool wider = integers && to.bits == 8 && from.bits < 8 && has_sign(from) == has_sign(to);
  const bool signs = recoded && integers && from.bits == to.bits;
  if (recoded && !integers) {
    return fail(
        Code::different_type,
        fmt::format("codes of type {} cannot be changed", to_string(is_integer_type(from) ? to : from)), {},
        "--recode is for integers");
  }
  if (same || wider || signs) return {};
  std::string help =
      "codes are copied as they are; u8 also takes narrower unsigned integers, and s8 narrower "
      "signed ones";
  if (integers && from.bits == to.bits) {
    help = "--recode xor=0 keeps the bits of each code";
    if (from.bits < 8)
      help += fmt::format("; xor={} changes them, between offset binary and two's complement",
                          std::uint64_t{1} << (from.bits - 1));
  }
  return fail(Code::different_type,
              fmt::format("the source has elements of type {}, but the destination has elements of type {}",
                          to_string(from), to_string(to)),
              {}, help);
}

}  // namespace tessera
