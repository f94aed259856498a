// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>

#include "access/registers/register_vector.h"
#include "algebra/bit_space.h"
#include "base/try.h"
#include "notation/triton/compute_capability.h"
#include "tessera/access/access.h"
#include "tessera/access/register_access.h"

namespace tessera {
namespace {

using access::ThreadValues;
using detail::BitSpace;

// The passes of one matrix whose 8 rows of 16 bytes have these offsets in units of 16 bytes.
Index matrix_ways(std::span<const Index> rows) {
  BitSpace words;
  BitSpace banks;
  constexpr std::uint64_t kRowsOfLine = 7;
  for (const Index row : rows) {
    words.add(static_cast<std::uint64_t>(row));
    banks.add(static_cast<std::uint64_t>(row) & kRowsOfLine);
  }
  return Index{1} << (words.dim() - banks.dim());
}

// Whether lanes 2, 3 and 4 hold neighbors in the memory, as an instruction that transposes gives them.
bool lanes_are_columns(const ThreadValues& images) {
  const auto& lanes = images.lanes;
  return lanes.size() == 5 && lanes[2] == 1 && lanes[3] == 2 && lanes[4] == 4;
}

std::optional<MatrixAccess> matrix_access(const ThreadValues& images, Index bytes, Index warps) {
  if (images.lanes.size() != 5 || bytes > 4) return std::nullopt;
  const Index row = 16 / bytes;  // elements
  const auto above = [&](Index image) { return image % row == 0; };
  const auto units = [&](Index image) { return image / row; };
  if (!std::ranges::all_of(images.warps, above)) return std::nullopt;
  const int word = detail::log2_of(4 / bytes);
  std::vector<Index> others;
  int in_word = 0;
  for (const Index image : images.registers) {
    if (image != 0 && image < Index{1} << word && std::has_single_bit(static_cast<std::uint64_t>(image)))
      ++in_word;
    else
      others.push_back(image);
  }
  const auto& lanes = images.lanes;
  MatrixAccess out;
  if (in_word == word && lanes[0] == Index{1} << word && lanes[1] == Index{2} << word &&
      std::ranges::all_of(others, above) && above(lanes[2]) && above(lanes[3]) && above(lanes[4])) {
    out.matrices = warps << others.size();
    const Index rows[] = {units(lanes[2]), units(lanes[3]), units(lanes[4])};
    out.wavefronts = out.matrices * matrix_ways(rows);
    return out;
  }
  const bool trans = bytes == 2 && !images.registers.empty() && lanes_are_columns(images) &&
                     above(lanes[0]) && above(lanes[1]) && std::ranges::all_of(images.registers, above);
  if (!trans) return std::nullopt;
  out.trans = true;
  out.matrices = warps << (images.registers.size() - 1);
  // The third bit of a row is the first register that has a bank of its own.
  std::vector<Index> rows = {units(lanes[0]), units(lanes[1]), units(images.registers.front())};
  const auto bank_rank = [](std::span<const Index> of) {
    BitSpace banks;
    for (const Index image : of) banks.add(static_cast<std::uint64_t>(image & 7));
    return banks.dim();
  };
  const int two = bank_rank(std::span(rows).first(2));
  for (const Index image : images.registers) {
    const Index tried[] = {rows[0], rows[1], units(image)};
    if (bank_rank(tried) <= two) continue;
    rows[2] = units(image);
    break;
  }
  out.wavefronts = out.matrices * matrix_ways(rows);
  return out;
}

// The model of the banks; empty if it is not known.
std::string_view bank_model(std::string_view target) {
  if (target.starts_with("cuda:")) return "nvidia";
  if (!target.starts_with("hip:")) return "";
  const std::string_view chip = target.substr(4);
  if (chip == "gfx940" || chip == "gfx941" || chip == "gfx942") return "cdna3";
  if (chip == "gfx950") return "cdna4";
  if (chip.starts_with("gfx11")) return "rdna3";
  if (chip == "gfx1200" || chip == "gfx1201") return "rdna4";
  return "";
}

// The lanes of one instruction and the elements of their vectors, numbered one after another.
Result<Layout> one_instruction(const ThreadValues& images, std::span<const std::size_t> chosen) {
  std::vector<std::vector<Index>> bases(2);
  Index number = 1;
  for (std::size_t i = 0; i < images.lanes.size(); ++i, number *= 2) bases[0].push_back(number);
  for (std::size_t i = 0; i < chosen.size(); ++i, number *= 2) bases[1].push_back(number);
  TESSERA_TRY(linear, LinearLayout::make(std::move(bases)));
  return Layout::make(std::move(linear));
}

// The offsets of these numbers.
Result<Layout> offsets_of(const ThreadValues& images, std::span<const std::size_t> chosen) {
  std::vector<std::vector<Index>> bases = {images.lanes};
  for (const std::size_t i : chosen) bases[0].push_back(images.registers[i]);
  TESSERA_TRY(linear, LinearLayout::make(std::move(bases)));
  return Layout::make(std::move(linear));
}

}  // namespace

Result<LocalAccess> local_access(const TritonBases& registers, const TritonLayout& memory, Index element_bits,
                                 bool is_write, std::string_view target) {
  if (space_of(memory.attribute.kind) != TritonSpace::shared)
    return fail(Code::not_applicable, "the layout is not one of shared memory");
  TESSERA_TRY(map, triton_bases(memory));
  TESSERA_TRY(values, access::thread_values(registers));
  if (!std::ranges::equal(registers.shape, *memory.shape))
    return fail(Code::shape_mismatch,
                fmt::format("the registers have the shape [{}], the memory [{}]",
                            fmt::join(registers.shape, ", "), fmt::join(*memory.shape, ", ")));
  const Index bits = std::max<Index>(8, element_bits);
  TESSERA_TRY(images, access::offset_images(values, map));
  const std::vector<std::size_t> chosen = access::vector_registers(images, map, bits / 8);
  LocalAccess out;
  out.vector = Index{1} << chosen.size();
  const std::string_view model = bank_model(target);
  const Index warps = Index{1} << values.warp_bases.size();
  constexpr Index kLoads = 75;
  constexpr Index kStores = 90;
  constexpr Index kBytes = 100;  // that transpose elements of a byte
  const Index capability = triton::compute_capability(target);
  if (map.pads.empty() && map.of("partition").empty() && capability >= (is_write ? kStores : kLoads)) {
    out.matrix = matrix_access(images, bits / 8, warps);
    out.transposes = !out.matrix && bits == 8 && capability >= kBytes && lanes_are_columns(images);
  }
  if (model.empty()) return out;
  TESSERA_TRY(banks, MemoryTarget::parse(model));
  // Without padding, offsets are XORs: all instructions of all warps differ by a constant, which only renames
  // banks. One instruction of one warp tells what each costs.
  const bool is_linear = map.pads.empty() && map.of("partition").empty();
  const Index repeats = is_linear ? warps << (values.register_bases.size() - chosen.size()) : Index{1};
  TESSERA_TRY(tv, is_linear ? one_instruction(images, chosen) : access::thread_value_layout(values, chosen));
  TESSERA_TRY(layout, is_linear ? offsets_of(images, chosen) : Layout::make(memory));
  const Access access = {.name = "a",
                         .tv = std::move(tv),
                         .kind = is_write ? AccessKind::write : AccessKind::read,
                         .vector = out.vector};
  AccessOptions options;
  options.element_bits = bits;
  options.target = banks;
  options.global = false;
  TESSERA_TRY(reports, analyze_accesses(layout, std::span(&access, 1), options));
  const AccessReport& report = reports.each.front();
  if (!report.shared) return out;
  out.counted = true;
  out.instructions = repeats * report.sampled_of.value_or(static_cast<Index>(report.instructions));
  out.wavefronts = repeats * report.shared->wavefronts;
  out.ideal = repeats * report.shared->ideal;
  out.ways = report.shared->ways;
  out.misaligned = report.misaligned.has_value();
  return out;
}

}  // namespace tessera
