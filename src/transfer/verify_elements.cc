// SPDX-License-Identifier: Apache-2.0
#include "transfer/verify_elements.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <set>

#include "base/index_walk.h"
#include "base/mix64.h"
#include "base/try.h"
#include "files/bit_field.h"
#include "reshard/parts/element_holders.h"
#include "transfer/limits.h"
#include "transfer/page_budget.h"
#include "transfer/stored_elements.h"

namespace tessera::transfer {
namespace {

// splitmix64: small, and the same on every machine.
class ElementChooser {
 public:
  Index below(Index limit) {
    state_ += 0x9e3779b97f4a7c15u;
    return static_cast<Index>(detail::mix64(state_) % static_cast<std::uint64_t>(limit));
  }

 private:
  std::uint64_t state_ = 20261;
};

// Indices where something begins or ends, for each dimension.
using Borders = std::vector<std::vector<Index>>;

void add_borders(const BoundDistribution& side, Borders& out) {
  for (std::size_t d = 0; d < side.shape().size(); ++d) {
    for (const DimPart& part : side.parts(d)) {
      for (const IndexRun& run : part.runs) {
        if (out[d].size() >= kTransferLimits.borders) break;
        const Index last = run.lower + (run.count - 1) * run.step;
        out[d].insert(out[d].end(), {run.lower, run.lower + run.length - 1, last, last + run.length - 1});
      }
    }
  }
}

Index count_of(std::span<const Index> extents) {
  Index count = 1;
  for (const Index extent : extents) count *= extent;
  return count;
}

// Calls visit(index) for every index or a sample, in row-major order. Returns true if it visited every one.
Result<bool> for_each_chosen(std::span<const Index> extents, const Borders& borders,
                             const std::function<Result<void>(std::span<const Index>)>& visit) {
  const Index count = count_of(extents);
  std::vector<Index> chosen;
  if (count > kLookUpAll) {
    ElementChooser choose;
    for (Index n = 0; n < kLookUpSome; ++n) {
      Index flat = 0;
      for (std::size_t d = 0; d < extents.size(); ++d) {
        const bool at_border = n % 2 == 0 && !borders[d].empty() && choose.below(4) > 0;
        flat = flat * extents[d] +
               (at_border ? borders[d][static_cast<std::size_t>(choose.below(std::ssize(borders[d])))]
                          : choose.below(extents[d]));
      }
      chosen.push_back(flat);
    }
    std::ranges::sort(chosen);
    const auto again = std::ranges::unique(chosen);
    chosen.erase(again.begin(), again.end());
  }
  const bool all = chosen.empty();
  std::vector<Index> index(extents.size());
  for (Index n = 0; n < (all ? count : std::ssize(chosen)); ++n) {
    detail::set_index(index, extents, all ? n : chosen[static_cast<std::size_t>(n)]);
    TESSERA_NEED(visit(index));
  }
  return all;
}

// A cell of a stored tensor, in elements from its first one, or the number of an element.
struct StoredCell {
  std::size_t tensor = 0;
  Index offset = 0;
};

class ElementLookup {
 public:
  ElementLookup(const FilePlan& plan, std::span<const std::span<const std::byte>> files,
                const Release& release, Index memory_bytes)
      : plan_(plan), pages_(memory_bytes / 2, release) {
    for (std::size_t k = 0; k < files.size(); ++k) files_.emplace(plan.files[k].name, files[k].data());
  }

  Result<Index> run() {
    for (const ArrayOrigin& origin : plan_.arrays) TESSERA_NEED(look_up(origin));
    for (const PieceOrigin& origin : plan_.pieces) TESSERA_NEED(look_up(origin));
    return compared_;
  }

 private:
  Result<void> look_up(const ArrayOrigin& origin) {
    const ElementHolders before(origin.from);
    const ElementHolders after(origin.to);
    const auto extents = origin.from.shape();
    Borders borders(extents.size());
    add_borders(origin.from, borders);
    add_borders(origin.to, borders);
    Index cells = 0;
    std::vector<StoredCell> from;
    std::vector<StoredCell> to;
    TESSERA_TRY(
        all, for_each_chosen(extents, borders, [&](std::span<const Index> index) -> Result<void> {
          from.clear();
          to.clear();
          for (const ElementHolder& holder : before.at(index)) {
            const auto tensor = origin.sources.find(holder.place);
            if (tensor == origin.sources.end()) continue;
            from.push_back({tensor->second, plan_.source.tensors()[tensor->second].offset(holder.local)});
          }
          for (const ElementHolder& holder : after.at(index)) {
            const auto tensor = origin.targets.find(holder.place);
            if (tensor == origin.targets.end()) return lost(fmt::format("place {}", holder.place));
            const std::vector<Index>& shape = plan_.tensors[tensor->second].shape;
            Index offset = 0;
            for (std::size_t d = 0; d < shape.size(); ++d) {
              if (holder.local[d] >= shape[d]) return lost(fmt::format("place {}", holder.place));
              offset = offset * shape[d] + holder.local[d];
            }
            to.push_back({tensor->second, plan_.tensors[tensor->second].cell_of(offset)});
          }
          cells += std::ssize(to);
          return compare(from, to, [&] { return fmt::format("index {}", fmt::join(index, ",")); });
        }));
    std::set<std::size_t> tensors;
    for (const auto& [place, tensor] : origin.targets) tensors.insert(tensor);
    return all ? check_count(tensors, cells) : Result<void>();
  }

  Result<void> look_up(const PieceOrigin& origin) {
    Index cells = 0;
    bool all = true;
    for (const MatchedPiece& piece : origin.match->pieces()) {
      std::vector<Index> extents;
      Borders borders;
      for (const PieceMap::Axis& axis : piece.axes) {
        extents.push_back(axis.size);
        borders.push_back({0, axis.size - 1});
      }
      TESSERA_TRY(every, for_each_chosen(extents, borders, [&](std::span<const Index> at) -> Result<void> {
                    const auto before = origin.match->before(piece.name, at);
                    const auto after = origin.match->after(piece.name, at);
                    // Values of a cropped axis beyond its size have no element.
                    if (!before && !after && before.error().code == Code::index_out_of_range) return {};
                    if (!before) return fail(before.error());
                    if (!after) return fail(after.error());
                    const auto text = [&] {
                      std::vector<std::string> values;
                      for (std::size_t a = 0; a < at.size(); ++a)
                        values.push_back(fmt::format("{}={}", piece.axes[a].name, at[a]));
                      return fmt::format("piece '{}' at {}", piece.name, fmt::join(values, " "));
                    };
                    std::vector<StoredCell> from;
                    std::vector<StoredCell> to;
                    for (const PieceLocation& place : *before) {
                      const auto tensor = origin.sources.find({place.tensor, place.place.value_or(0)});
                      if (tensor == origin.sources.end()) continue;
                      const CheckpointTensor& stored = plan_.source.tensors()[tensor->second];
                      from.push_back({tensor->second, stored.offset_of_number(place.offset)});
                    }
                    for (const PieceLocation& place : *after) {
                      const auto tensor = origin.targets.find({place.tensor, place.place.value_or(0)});
                      if (tensor == origin.targets.end()) return lost(text());
                      to.push_back({tensor->second, plan_.tensors[tensor->second].cell_of(place.offset)});
                    }
                    cells += std::ssize(to);
                    return compare(from, to, text);
                  }));
      all = all && every;
    }
    std::set<std::size_t> tensors;
    for (const auto& [key, tensor] : origin.targets) tensors.insert(tensor);
    return all ? check_count(tensors, cells) : Result<void>();
  }

  static Failure lost(const std::string& where) {
    return fail({.code = Code::verify_failed,
                 .message = "the plan has no tensor for an element of the target",
                 .witness = where});
  }

  // Elements fill the tensors, unless these have padding.
  Result<void> check_count(const std::set<std::size_t>& tensors, Index cells) const {
    Index expected = 0;
    for (const std::size_t tensor : tensors) {
      if (plan_.tensors[tensor].padded) return {};
      expected += plan_.tensors[tensor].cells();
    }
    if (expected == cells) return {};
    return fail(Code::verify_failed,
                fmt::format("the new tensors have {} elements, but both sides have {}", expected, cells));
  }

  // Every new copy has the bits of a holder in the source.
  template <class Where>
  Result<void> compare(const std::vector<StoredCell>& from, const std::vector<StoredCell>& to,
                       const Where& where) {
    for (const StoredCell& cell : to) {
      const TargetTensor& tensor = plan_.tensors[cell.tensor];
      const Index bits = tensor.element_bits;
      const std::byte* const written = files_.at(tensor.file) + tensor.begin;
      const bool same = std::ranges::any_of(from, [&](const StoredCell& held) {
        const CheckpointTensor& stored = plan_.source.tensors()[held.tensor];
        const Index bytes = std::ssize(plan_.source.bytes(stored));
        return (stored.by_number() || (held.offset + 1) * bits <= bytes * 8) &&
               StoredElements(plan_.source, held.tensor, bits).equal(held.offset, 1, written, cell.offset) ==
                   1;
      });
      if (!same) {
        return fail(
            {.code = Code::verify_failed,
             .message = fmt::format("tensor '{}' of '{}' does not have the element that belongs there",
                                    tensor.name, tensor.file),
             .witness = fmt::format("{}, element {}", where(), cell.offset)});
      }
      ++compared_;
      touch(from.empty() ? 0 : from.front().offset * bits / 8, cell.offset * bits / 8);
    }
    return {};
  }

  // The elements may be far apart on either side.
  void touch(Index from, Index to) {
    const Index apart =
        std::min(std::abs(from - last_from_), kPageWindow) + std::min(std::abs(to - last_to_), kPageWindow);
    last_from_ = from;
    last_to_ = to;
    pages_.spend(apart);
  }

  const FilePlan& plan_;
  PageBudget pages_;
  Index last_from_ = 0;
  Index last_to_ = 0;
  Index compared_ = 0;
  std::map<std::string, const std::byte*> files_;
};

}  // namespace

Result<Index> verify_elements(const FilePlan& plan, std::span<const std::span<const std::byte>> files,
                              const Release& release, Index memory_bytes) {
  return ElementLookup(plan, files, release, memory_bytes).run();
}

}  // namespace tessera::transfer
