// SPDX-License-Identifier: Apache-2.0
#include "transfer/source_copies.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/try.h"
#include "files/bit_field.h"
#include "reshard/pieces/piece_boxes.h"
#include "transfer/page_budget.h"
#include "transfer/recipe_axes.h"
#include "transfer/stored_elements.h"

namespace tessera::transfer {
namespace {

using AxisValues = std::map<std::string, Index, std::less<>>;

Result<void> check_alike(const CheckpointTensor& a, const CheckpointTensor& b) {
  if (a.type_name == b.type_name && a.element_bits == b.element_bits) return {};
  return fail(Code::different_type, fmt::format("the copies '{}' and '{}' have elements of {} and of {}",
                                                a.name, b.name, a.type_name, b.type_name));
}

// The values of the axes that determine the tensors of a copy box: of the first copy, or of the other one,
// whose copy axes end with a prime.
AxisValues values_of(const PieceBox& box, bool other) {
  AxisValues values;
  for (const auto& [name, value] : box.axes) {
    const bool primed = name.ends_with('\'');
    if (!primed) values.emplace(name, value);
    if (primed && other) values.insert_or_assign(std::string(name.substr(0, name.size() - 1)), value);
  }
  return values;
}

// The stored tensor of a copy, if it is there.
Result<std::optional<std::size_t>> stored_of(Checkpoint& source, const RecipeRule& rule,
                                             const PieceMatch& match, const PieceBuffer& buffer,
                                             const AxisSizes& sizes, const AxisValues& values) {
  const PieceTensor& from = match.from()[buffer.tensor];
  const bool placed = from.on || !from.axes.places.empty();
  const auto found = find_source(source, buffer.name, placed ? std::optional(buffer.place) : std::nullopt,
                                 [&](const std::string& axis) { return axis_value(sizes, axis, values); });
  if (!found) return std::nullopt;
  TESSERA_TRY(stored, check_stored(source, *found, from, rule.from[buffer.tensor], buffer.place));
  return stored;
}

Failure copies_differ(const Checkpoint& source, const SourceCopy& copy, Index first, Index other) {
  const CheckpointTensor& a = source.tensors()[copy.first];
  const CheckpointTensor& b = source.tensors()[copy.other];
  const auto where = [&](std::size_t number, Index element) {
    const CheckpointTensor& tensor = source.tensors()[number];
    std::array<std::byte, 16> bits = {};
    StoredElements(source, number, copy.bits).copy(element, 1, bits.data(), 0);
    return fmt::format("element {} of {}#{} is {:#x}", element, source.files()[tensor.file].name, tensor.name,
                       bits_at(bits.data(), 0, std::min<Index>(copy.bits, 64)));
  };
  return fail(
      {.code = Code::bad_option,
       .message = fmt::format("'{}' is not a copy of '{}': they differ (copies_differ)", b.name, a.name),
       .reason = "copies_differ",
       .witness = fmt::format("{}, {}", where(copy.first, first), where(copy.other, other)),
       .help = copy.declared ? "these are different elements: take the axis out of \"copies\" and name it in "
                               "the target"
                             : "the places do not hold the same elements: say what each of them holds"});
}

}  // namespace

Result<std::vector<SourceCopy>> piece_copies(Checkpoint& source, const RecipeRule& rule,
                                             const PieceMatch& match, const AxisSizes& sizes) {
  std::vector<SourceCopy> out;
  const auto add = [&](const PieceBox& box) -> Result<void> {
    TESSERA_TRY(first, stored_of(source, rule, match, box.from, sizes, values_of(box, false)));
    TESSERA_TRY(other, stored_of(source, rule, match, box.to, sizes, values_of(box, true)));
    if (!first || !other) return {};
    // The names of the files may not tell two places apart: an element is not a copy of itself.
    const auto same = [](const StridedLoop& loop) { return loop.from == loop.to; };
    if (first == other && box.box.from == box.box.to && std::ranges::all_of(box.box.loops, same)) return {};
    const CheckpointTensor& a = source.tensors()[*first];
    TESSERA_NEED(check_alike(a, source.tensors()[*other]));
    const Index bits = rule.from[box.from.tensor].bits;
    const bool declared = box.piece.axes.size() < box.piece.from.axes.size();
    out.push_back({*first, *other, box.box, bits > 0 ? bits : a.element_bits, declared});
    return {};
  };
  Result<void> done;
  TESSERA_NEED(for_each_copy_box(match, [&](const PieceBox& box) {
    if (done) done = add(box);
  }));
  TESSERA_NEED(done);
  return out;
}

Result<std::vector<SourceCopy>> replicas(const Checkpoint& source, const std::string& name,
                                         const SourceShards& shards) {
  std::vector<SourceCopy> out;
  const auto add = [&](std::size_t first, std::size_t other) -> Result<void> {
    const CheckpointTensor& a = source.tensors()[first];
    const CheckpointTensor& b = source.tensors()[other];
    TESSERA_NEED(check_alike(a, b));
    if (a.shape != b.shape) {
      return fail(Code::shape_mismatch, fmt::format("the copies of '{}' have the shapes [{}] and [{}]", name,
                                                    fmt::join(a.shape, ","), fmt::join(b.shape, ",")));
    }
    if (std::ranges::count(a.shape, 0) > 0) return {};
    StridedMove box;
    for (std::size_t d = 0; d < a.shape.size(); ++d)
      box.loops.push_back({a.shape[d], a.strides[d], b.strides[d]});
    order_by_target(box);
    out.push_back({first, other, std::move(box), a.element_bits, false});
    return {};
  };
  for (std::size_t shard = 0; shard < shards.on.shards(); ++shard) {
    std::optional<std::size_t> first;
    for (const Index place : shards.on.holders(shard)) {
      const auto held = shards.tensor_of.find(place);
      if (held == shards.tensor_of.end()) continue;
      if (first) TESSERA_NEED(add(*first, held->second));
      if (!first) first = held->second;
    }
  }
  if (shards.on.shards() > 1) return out;
  const std::size_t first = shards.tensor_of.begin()->second;
  if (shards.tensor_of.size() > 1) return out;
  for (const CheckpointFile& file : source.files()) {
    const auto other = file.tensors.find(name);
    if (other != file.tensors.end() && other->second != first) TESSERA_NEED(add(first, other->second));
  }
  return out;
}

Result<Index> compare_copies(const FilePlan& plan, WhichCopies which, Index memory_bytes) {
  Index elements = 0;
  PageBudget pages(memory_bytes / 2, [&plan] { plan.source.drop_pages(); });
  for (const SourceCopy& copy : plan.copies) {
    if (which == WhichCopies::declared && !copy.declared) continue;
    StoredElements first(plan.source, copy.first, copy.bits, &pages);
    StoredElements other(plan.source, copy.other, copy.bits, &pages);
    TESSERA_TRY(bad, first_difference(first, other, copy.box, copy.bits, pages));
    if (bad) return copies_differ(plan.source, copy, bad->first, bad->second);
    elements += copy.box.elements();
  }
  return elements;
}

}  // namespace tessera::transfer
