// SPDX-License-Identifier: Apache-2.0
#include "transfer/code_mover.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "base/at_fault.h"
#include "base/index_walk.h"
#include "base/plural.h"
#include "base/try.h"
#include "relayout/bits/bit_nest.h"
#include "relayout/bits/bit_program.h"
#include "relayout/bits/bit_run.h"
#include "transfer/element_mover.h"
#include "transfer/widened.h"

namespace tessera {
namespace {

using moving::BitForm;
using moving::BitProgram;
using transfer::IndexBox;

// Elements whose codes are changed at once.
constexpr Index kRecodedElements = Index{1} << 16;

// The form with its buffer beginning `bytes` later.
BitForm shifted(BitForm form, Index bytes) {
  for (moving::BitPart& part : form) part.base -= 8 * bytes;
  return form;
}

// Cells of `bits` bits for the indices of a box, row-major, of which only the lowest `used` count.
BitForm dense_form(const IndexBox& box, int bits, int used) {
  moving::BitPart part{
      .first = 0, .width = used, .base = 0, .dims = std::vector<moving::BitDim>(box.lo.size())};
  Index step = bits;
  for (std::size_t d = box.lo.size(); d-- > 0;) {
    part.dims[d].digits.push_back({1, 0, step});
    part.base -= box.lo[d] * step;
    step *= box.hi[d] - box.lo[d];
  }
  return {part};
}

template <class T>
void recode_cells(std::span<std::byte> cells, const Recode& recode, int bits) {
  for (std::size_t at = 0; at < cells.size(); at += sizeof(T)) {
    T code = 0;
    std::memcpy(&code, cells.data() + at, sizeof(T));
    code = static_cast<T>(recode(code, bits));
    std::memcpy(cells.data() + at, &code, sizeof(T));
  }
}

// Two indices of the destination that share an offset.
Result<void> check_injective(const CodeSide& to) {
  if (to.layout.named || !to.layout.layout) return {};
  const Layout& layout = *to.layout.layout;
  auto shared = collision(layout);
  if (!shared) {
    // Copies of whole bytes watch their cells instead.
    const std::string_view type = to.type.dtype ? to_string(*to.type.dtype) : to.type.is_signed ? "s8" : "u8";
    shared.error().help = fmt::format(
        "in two steps, the second of which finds out while it moves: first --to '{}[{}]{{{}}}', then that "
        "file to this layout",
        type, fmt::join(layout.shape(), ","), fmt::join(descending_order(layout.rank()), ","));
    return fail(std::move(shared.error()));
  }
  if (!*shared) return {};
  return transfer::shared_offset((*shared)->first, (*shared)->second, layout.offset((*shared)->first));
}

}  // namespace

CodeMover::CodeMover(CodeSide from, CodeSide to, std::optional<Recode> recode)
    : from_(std::move(from)),
      to_(std::move(to)),
      recode_(recode),
      from_forms_(moving::bit_forms(from_.layout, from_.cell_bits, from_.type.bits)),
      to_forms_(moving::bit_forms(to_.layout, to_.cell_bits,
                                  to_.layout.layout ? static_cast<int>(to_.cell_bits) : to_.type.bits)) {}

Result<CodeMover> CodeMover::make(CodeSide from, CodeSide to, std::optional<Recode> recode) {
  if (!std::ranges::equal(from.shape(), to.shape())) {
    return fail(detail::at_fault(
        "to", {.code = Code::different_shape,
               .message = fmt::format("the source has shape [{}], but the destination has shape [{}]",
                                      fmt::join(from.shape(), ","), fmt::join(to.shape(), ",")),
               .help = "both layouts must describe the same array: give them the same shape"}));
  }
  TESSERA_NEED(detail::at_fault("to", check_types(from.type, to.type, recode.has_value())));
  if (recode && from.type.bits < 64 && recode->value >> from.type.bits != 0) {
    return fail(detail::at_fault(
        "recode", {.code = Code::number_range,
                   .message = fmt::format("{} is too large for {}", to_string(*recode),
                                          detail::plural(from.type.bits, "bit")),
                   .help = fmt::format("give 0 to {}", (std::uint64_t{1} << from.type.bits) - 1)}));
  }
  TESSERA_NEED(detail::at_fault("to", check_injective(to)));
  return CodeMover(std::move(from), std::move(to), recode);
}

bool CodeMover::moves_blocks() const {
  const auto& from = from_.layout.named;
  return from && to_.layout.named && from->prefix() == "gguf" && from->field().empty() && !recode_ &&
         *from == *to_.layout.named;
}

std::uint64_t CodeMover::moved(std::uint64_t code) const {
  if (recode_) code = (*recode_)(code, from_.type.bits);
  return transfer::widened(code, from_.type, to_.type.bits);
}

Result<void> CodeMover::check_fit(const IndexBox& box, std::span<const std::byte> src) const {
  if (!from_.layout.layout || from_.cell_bits == from_.type.bits) return {};
  if (box.empty()) return {};
  std::vector<Index> index = box.lo;
  do {
    if (from_.fits(index, src)) continue;
    return fail(detail::at_fault(
        "in", {.code = Code::number_range,
               .message = fmt::format("element ({}) does not fit in {}", fmt::join(index, ", "),
                                      detail::plural(from_.type.bits, "bit")),
               .help = fmt::format("its type is {}", to_string(from_.type))}));
  } while (detail::next_index(index, box.lo, box.hi));
  return {};
}

bool CodeMover::run_programs(const BitForm& src, const BitForm& dst, const IndexBox& box, std::uint64_t flip,
                             const std::byte* from, std::byte* to, Executor& executor) const {
  const auto widening = transfer::has_sign(from_.type) ? moving::Widening::sign : moving::Widening::zero;
  const auto nests =
      moving::bit_nests(src, dst, moving::bit_ranges(src, dst, widening, flip), box.lo, box.hi);
  if (!nests) return false;
  std::vector<BitProgram> programs;
  for (const moving::BitNest& nest : *nests) {
    auto some = moving::bit_programs(nest);
    if (!some) return false;
    for (BitProgram& program : *some) programs.push_back(std::move(program));
  }
  for (const BitProgram& program : programs) {
    if (!program.writes_whole_slots() || program.chunks() < 2) {
      run(program, 0, program.chunks(), from, to);
      continue;
    }
    const Index parts = std::min<Index>(program.chunks(), 64);
    executor.parallel_for(parts, [&](Index i) {
      run(program, program.chunks() * i / parts, program.chunks() * (i + 1) / parts, from, to);
    });
  }
  return true;
}

bool CodeMover::move_through_codes(const BitForm& src_form, const BitForm& dst_form, const IndexBox& box,
                                   const std::byte* src, Index begin, std::byte* dst,
                                   Executor& executor) const {
  const int bits = from_.type.bits;
  const int cell = bits <= 8 ? 8 : bits <= 16 ? 16 : bits <= 32 ? 32 : 64;
  std::vector<std::byte> cells(static_cast<std::size_t>(std::min(box.size(), kRecodedElements) * cell / 8));
  bool planned = true;
  const auto size = [](const IndexBox& part) { return part.size(); };
  transfer::for_each_fitting_box(nullptr, nullptr, box, size, kRecodedElements, [&](const IndexBox& part) {
    if (!planned) return;
    const std::span<std::byte> here(cells.data(), static_cast<std::size_t>(part.size() * cell / 8));
    const BitForm dense = dense_form(part, cell, cell);
    planned = run_programs(src_form, dense, part, 0, src, here.data(), executor);
    if (!planned) return;
    if (cell == 8) recode_cells<std::uint8_t>(here, *recode_, bits);
    if (cell == 16) recode_cells<std::uint16_t>(here, *recode_, bits);
    if (cell == 32) recode_cells<std::uint32_t>(here, *recode_, bits);
    if (cell == 64) recode_cells<std::uint64_t>(here, *recode_, bits);
    planned = run_programs(dense_form(part, cell, bits), shifted(dst_form, begin), part, 0, here.data(), dst,
                           executor);
  });
  return planned;
}

bool CodeMover::move_piece(const BitForm& src_form, const BitForm& dst_form, const IndexBox& box,
                           const std::byte* src, Index begin, std::byte* dst, Executor& executor) const {
  if (recode_ && recode_->kind == Recode::Kind::add)
    return move_through_codes(src_form, dst_form, box, src, begin, dst, executor);
  return run_programs(src_form, shifted(dst_form, begin), box, recode_ ? recode_->value : 0, src, dst,
                      executor);
}

void CodeMover::move_each(const IndexBox& box, std::span<const std::byte> src, Index begin,
                          std::span<std::byte> dst) const {
  if (box.empty()) return;
  std::vector<Index> index = box.lo;
  do {
    to_.store(index, moved(from_.code(index, src)), dst, begin);
  } while (detail::next_index(index, box.lo, box.hi));
}

Result<void> CodeMover::move(const IndexBox& box, std::span<const std::byte> src, Index begin,
                             std::span<std::byte> dst, Executor& executor) const {
  if (box.empty()) return {};
  TESSERA_NEED(check_fit(box, src));
  bool moved = !by_element();
  for (const moving::FormPiece& from : from_forms_) {
    for (const moving::FormPiece& to : to_forms_) {
      IndexBox here = box;
      for (const moving::FormPiece* piece : {&from, &to}) {
        if (here.lo.empty()) break;
        here.lo[piece->dim] = std::max(here.lo[piece->dim], piece->begin);
        here.hi[piece->dim] = std::min(here.hi[piece->dim], piece->end);
      }
      if (moved && !here.empty())
        moved = move_piece(from.form, to.form, here, src.data(), begin, dst.data(), executor);
    }
  }
  if (moved) return {};
  move_each(box, src, begin, dst);
  return {};
}

Result<void> move_codes(const CodeMover& mover, std::span<const std::byte> src, std::span<std::byte> dst) {
  const auto check = [](const CodeSide& side, std::size_t there, std::string_view whose) -> Result<void> {
    TESSERA_TRY(bytes, side.bytes());
    if (static_cast<Index>(there) == bytes) return {};
    return fail(Code::shape_mismatch, fmt::format("{} has {}, but '{}' takes {}", whose,
                                                  detail::plural(there, "byte"), side.text(), bytes));
  };
  TESSERA_NEED(check(mover.from(), src.size(), "the source"));
  TESSERA_NEED(check(mover.to(), dst.size(), "the destination"));
  return mover.move(IndexBox::whole(mover.from().shape()), src, 0, dst, *serial_executor());
}

}  // namespace tessera
