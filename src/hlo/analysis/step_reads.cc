// SPDX-License-Identifier: Apache-2.0
#include "hlo/analysis/step_reads.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/saturating.h"
#include "hlo/analysis/array_bytes.h"
#include "hlo/analysis/bitcast.h"
#include "hlo/analysis/fused_loops.h"
#include "hlo/analysis/loop_counts.h"
#include "hlo/ops/pad.h"
#include "map/image/image_union.h"

namespace tessera::detail {
namespace {

/// An operand that names an array.
struct NamedOperand {
  OperandLeaf place;
  std::optional<Indexing> map = {};  ///< from its elements to those of the array; empty: the same
};

/// An array that a step reads, by all its names.
struct ReadArray {
  ProgramArray array;
  const HloType* type = nullptr;
  std::vector<NamedOperand> names = {};
  bool apart = false;    ///< its elements are other than those of the array's origin
  IndexingSet all = {};  ///< what the results read

  Index elements() const { return type->array().element_count().value_or(kIndexMax); }
  Index bits() const { return element_bits(type->array()); }
};

class StepReader {
 public:
  StepReader(StepTraffic& step, std::span<const ArrayUpdate> updates, ArrayOrigins& origins,
             ProgramIndexing& program, const JudgeLimits& limits)
      : step_(step), updates_(updates), origins_(origins), program_(program), limits_(limits) {}

  void count(const InstructionIndexing& maps) {
    collect(maps);
    step_.exactness = maps.exactness == Exactness::unknown ? Exactness::unknown : Exactness::exact;
    std::vector<LoopCounts> counts;
    bool again = false;
    for (const ReadArray& array : arrays_) {
      counts.push_back(count_loop(array.all, array.elements(), {}, limits_));
      const ReadCounts& own = counts.back().counts;
      again = again || own.exactness == Exactness::unknown || !own.reads.upper ||
              *own.reads.upper > own.used.lower;
    }
    const bool fused = step_.instruction->opcode == Opcode::fusion;
    const bool fusion = again && (fused || step_.instruction->opcode_text == "fusion-start");
    const auto loops = fusion && fused ? fused_loops(program_, *step_.instruction, limits_) : std::nullopt;
    for (std::size_t i = 0; i < arrays_.size(); ++i)
      add(arrays_[i], counts[i], loops ? &*loops : nullptr, fusion);
    share();
  }

 private:
  // The array of an operand's leaf.
  ReadArray& array_of(std::uint32_t operand, std::uint32_t leaf) {
    const OperandLeaf place{operand, leaf};
    for (ReadArray& array : arrays_) {
      for (const NamedOperand& name : array.names)
        if (name.place.operand == operand && name.place.leaf == leaf) return array;
    }
    const HloType& type = leaf_type(step_.instruction->operand_type(operand), leaf);
    ArrayAlias origin = origins_.of(step_.instruction->operands[operand], leaf);
    const bool apart = !origin.elementwise || !origin.array.type().is_array() ||
                       element_bits(origin.array.type().array()) != element_bits(type.array());
    if (!apart) {
      for (ReadArray& array : arrays_) {
        if (array.array != origin.array || array.apart) continue;
        array.names.push_back({place, std::move(origin.map)});
        return array;
      }
    }
    ReadArray& out = arrays_.emplace_back();
    out.array = origin.array;
    out.apart = apart;
    out.type = apart ? &type : &origin.array.type();
    out.names.push_back({place, apart ? std::nullopt : std::move(origin.map)});
    return out;
  }

  static Indexing renamed(const ReadArray& array, std::uint32_t operand, std::uint32_t leaf, Indexing x) {
    x.leaf = -1;
    if (x.exactness == Exactness::unknown) return x;
    for (const NamedOperand& name : array.names) {
      if (name.place.operand == operand && name.place.leaf == leaf && name.map) return compose(x, *name.map);
    }
    return x;
  }

  const ArrayUpdate* update_of(std::uint32_t operand, std::uint32_t leaf) const {
    const auto found = std::ranges::find_if(
        updates_, [&](const ArrayUpdate& x) { return x.operand == operand && x.leaf == leaf; });
    return found == updates_.end() ? nullptr : &*found;
  }

  void collect(const InstructionIndexing& maps) {
    const Instruction& op = *step_.instruction;
    const auto add = [&](std::uint32_t operand, std::uint32_t leaf, const Indexing& x) {
      if (!leaf_type(op.operand_type(operand), leaf).is_array()) return;
      ReadArray& array = array_of(operand, leaf);
      Indexing own = renamed(array, operand, leaf, x);
      if (own.exactness == Exactness::unknown) {
        array.all.push_back(std::move(own));
      } else {
        insert(array.all, std::move(own));
      }
    };
    for (const PairIndexing& pair : maps.pairs) {
      if (pair.operand >= op.operands.size()) continue;
      const HloType& type = op.operand_type(pair.operand);
      for (const Indexing& x : pair.maps) {
        if (!type.is_tuple() || x.leaf >= 0) {
          add(pair.operand, x.leaf < 0 ? 0 : static_cast<std::uint32_t>(x.leaf), x);
          continue;
        }
        const std::size_t leaves = type.leaf_count();
        for (std::uint32_t leaf = 0; leaf < leaves; ++leaf) add(pair.operand, leaf, x);
      }
    }
  }

  // What one loop reads of the array.
  IndexingSet reads_of(const ReadArray& array, const FusedLoop& loop) const {
    IndexingSet out;
    for (const LoopRead& read : loop.reads) {
      const bool own = std::ranges::any_of(array.names, [&](const NamedOperand& name) {
        return name.place.operand == read.operand && name.place.leaf == read.leaf;
      });
      if (own) insert(out, renamed(array, read.operand, read.leaf, read.map));
    }
    return out;
  }

  void add(const ReadArray& array, LoopCounts all, const std::vector<FusedLoop>* loops, bool fusion) {
    ReadCounts counts = std::move(all.counts);
    const Count inlined = counts.reads;
    if (loops == nullptr) {
      constexpr const char* kUnknownLoops = "the loops of the fusion are not known";
      if (fusion && inlined.upper != counts.used.lower)
        counts.reads = {counts.used.lower, inlined.upper, kUnknownLoops};
      if (fusion && all.repeated.upper != Index{0}) all.repeated = {0, all.repeated.upper, kUnknownLoops};
      counts.even = counts.even && !fusion;
    } else {
      counts.reads = all.repeated = {0, 0};
      bool even = true;
      for (const FusedLoop& loop : *loops) {
        const IndexingSet maps = reads_of(array, loop);
        if (maps.empty()) continue;
        const LoopCounts own = count_loop(maps, array.elements(), loop.needed, limits_);
        even = even && own.counts.even && own.counts.used == counts.used;
        all.repeated = sum(all.repeated, own.repeated);
        counts.reads = sum(counts.reads, own.counts.reads);
      }
      counts.even = even && counts.reads.lower > 0;
    }
    add_updated(array, counts);
    add_padding_value(array, counts);
    finish(array, std::move(counts), inlined, all.repeated);
  }

  // An updated array is read where it is not updated, or not at all.
  void add_updated(const ReadArray& array, ReadCounts& counts) const {
    const ArrayUpdate* update = nullptr;
    for (const NamedOperand& name : array.names) {
      const ArrayUpdate* own = update_of(static_cast<std::uint32_t>(name.place.operand),
                                         static_cast<std::uint32_t>(name.place.leaf));
      if (own != nullptr) update = own;
    }
    if (update == nullptr || array.names.size() > 1) return;
    if (update->scattered) {
      if (update->in_place == Verdict::no) return;
      if (update->updated.exact() && counts.used.exact() && counts.exactness == Exactness::exact) {
        // In place, only elements that are updated are read, of those that are read at all.
        const Index inside = std::max<Index>(counts.used.lower - (array.elements() - update->elements), 0);
        const Index most = update->in_place == Verdict::yes ? inside : counts.used.lower;
        for (Count* count : {&counts.used, &counts.reads})
          *count = {inside, most, inside == most ? "" : update->reason};
        counts.reason = counts.used.reason;
        return;
      }
      const Index most = update->in_place == Verdict::yes ? update->elements : kIndexMax;
      for (Count* count : {&counts.used, &counts.reads})
        *count = {0, std::min(most, count->upper.value_or(most)), update->updated.reason};
      counts.reason = update->updated.reason;
      return;
    }
    if (!update->alone) {
      if (update->in_place == Verdict::undecided) {
        for (Count* count : {&counts.used, &counts.reads}) *count = {0, count->upper, update->reason};
        counts.reason = update->reason;
      }
      return;
    }
    const Index kept = array.elements() - update->elements;
    if (counts.exactness == Exactness::superset) {
      counts.used = counts.reads = {kept, kept};
      counts.reachable.lower = std::max(kept, counts.reachable.lower);
      counts.exactness = Exactness::exact;
      counts.reason.clear();
      counts.even = true;
    }
    if (update->in_place == Verdict::undecided) {
      for (Count* count : {&counts.used, &counts.reads}) *count = {0, count->upper, update->reason};
      counts.reason = update->reason;
    }
  }

  // The maps of a padding value do not say which elements read it, but some element does.
  void add_padding_value(const ReadArray& array, ReadCounts& counts) const {
    const Instruction& op = *step_.instruction;
    if (op.opcode != Opcode::pad || array.names.size() > 1 || array.names[0].place.operand != 1) return;
    if (counts.used.upper != Index{1} || !op.sound || !reads_padding_value(op)) return;
    counts.used = {1, 1};
    counts.reachable = {1, 1};
    counts.reads.lower = std::max<Index>(counts.reads.lower, 1);
    if (!counts.reads.exact()) return;
    counts.exactness = Exactness::exact;
    counts.reason.clear();
    counts.even = true;
  }

  void finish(const ReadArray& array, ReadCounts counts, const Count& inlined, const Count& repeated) {
    const Index bits = array.bits();
    used_bytes_.push_back(bytes_of(counts.used, bits));
    const NamedOperand& first = array.names.front();
    const ArrayUpdate* const update = update_of(static_cast<std::uint32_t>(first.place.operand),
                                                static_cast<std::uint32_t>(first.place.leaf));
    if (update != nullptr && update->in_place == Verdict::yes && !update->scattered) return;
    OperandReads out{.operand = static_cast<std::uint32_t>(first.place.operand),
                     .leaf = static_cast<std::uint32_t>(first.place.leaf),
                     .reads = {}};
    for (std::size_t i = 1; i < array.names.size(); ++i) out.also.push_back(array.names[i].place);
    step_.read = sum(step_.read, bytes_of(counts.reads, bits));
    step_.used = sum(step_.used, bytes_of(counts.used, bits));
    step_.inlined = sum(step_.inlined, bytes_of(update == nullptr ? inlined : counts.reads, bits));
    step_.repeated = sum(step_.repeated, bytes_of(update == nullptr ? repeated : Count{0, 0}, bits));
    step_.operand_bytes = saturating_add(step_.operand_bytes, array_bytes(*array.type).value_or(kIndexMax));
    step_.exactness = std::max(step_.exactness, counts.exactness);
    const bool exact = counts.reads.exact() && counts.used.exact() && counts.exactness == Exactness::exact;
    if (!exact && step_.reason.empty())
      step_.reason = !counts.reason.empty()  ? counts.reason
                     : !counts.reads.exact() ? counts.reads.reason
                                             : counts.used.reason;
    if (!exact && counts.reason.empty()) counts.reason = step_.reason;
    out.reads = {.elements = array.elements(),
                 .used = std::move(counts.used),
                 .reads = std::move(counts.reads),
                 .reachable = std::move(counts.reachable),
                 .even = counts.even,
                 .exactness = counts.exactness,
                 .reason = std::move(counts.reason)};
    step_.operands.push_back(std::move(out));
  }

  // Arrays that have bytes in common, though it is not known which, or that may be one array.
  void share() {
    std::vector<std::size_t> of_used(arrays_.size());
    for (std::size_t i = 0; i < arrays_.size(); ++i) of_used[i] = i;
    std::vector<std::size_t> of_read = of_used;
    for (std::size_t i = 0; i < arrays_.size(); ++i) {
      bool counted = false;  // how much of the array earlier ones have
      for (std::size_t k = 0; k < i; ++k) {
        const bool same = arrays_[i].array == arrays_[k].array;
        const bool known =
            root_of(of_used, i) == root_of(of_used, k) && root_of(of_read, i) == root_of(of_read, k);
        if (!same && (known || !origins_.sometimes_equal(arrays_[i].array, arrays_[k].array))) continue;
        take_less(step_.used, of_used, i, k);
        if (!same) take_less(step_.read, of_read, i, k);
        const Count& a = used_bytes_[i];
        const Count& b = used_bytes_[k];
        const auto whole = array_bytes(arrays_[i].array.type());
        if (same && !counted && whole && a.upper && b.upper && step_.used.upper) {
          *step_.used.upper -= std::max<Index>(saturating_add(*a.upper, *b.upper) - *whole, 0);
          counted = true;
        }
        for (Count* count : {&step_.used, &step_.read}) {
          if (count->exact() || (!count->reason.empty() && !step_.reason.empty())) continue;
          const std::string why = why_shared(arrays_[i].array, arrays_[k].array);
          if (count->reason.empty()) count->reason = why;
          if (step_.reason.empty()) step_.reason = why;
        }
      }
    }
  }

  static std::string why_shared(const ProgramArray& a, const ProgramArray& b) {
    if (a == b) return "operands are one array in elements of two widths";
    for (const ProgramArray& x : {a, b}) {
      if (may_vanish(*x.instruction))
        return fmt::format("operands may be one array, because {} may be a bitcast", x.instruction->name);
    }
    return "operands may be one array in some runs";
  }

  static std::size_t root_of(std::vector<std::size_t>& groups, std::size_t i) {
    while (groups[i] != i) i = groups[i] = groups[groups[i]];
    return i;
  }

  // Arrays i and k may be one. Of all that may be one, `least` keeps the array of which the most bytes are
  // used. `groups` has another array of the same group, or for one of each group the array itself.
  void take_less(Count& least, std::vector<std::size_t>& groups, std::size_t i, std::size_t k) const {
    i = root_of(groups, i);
    k = root_of(groups, k);
    if (i == k) return;
    if (used_bytes_[i].lower > used_bytes_[k].lower) std::swap(i, k);
    least.lower = std::max<Index>(least.lower - used_bytes_[i].lower, 0);
    groups[i] = k;
  }

  StepTraffic& step_;
  std::span<const ArrayUpdate> updates_;
  ArrayOrigins& origins_;
  ProgramIndexing& program_;
  const JudgeLimits& limits_;
  std::vector<ReadArray> arrays_;
  std::vector<Count> used_bytes_;  ///< of each
};

}  // namespace

Count bytes_of(Count elements, Index bits) {
  const auto scaled = [&](Index n) -> std::optional<Index> {
    const auto all = checked_mul(n, bits);
    return all ? std::optional(ceil_div(*all, 8)) : std::nullopt;
  };
  elements.lower = scaled(elements.lower).value_or(kIndexMax);
  if (elements.upper) elements.upper = scaled(*elements.upper);
  if (!elements.exact() && elements.reason.empty()) elements.reason = "the number exceeds 64 bits";
  return elements;
}

void count_step_reads(StepTraffic& step, const InstructionIndexing& maps,
                      std::span<const ArrayUpdate> updates, ArrayOrigins& origins, ProgramIndexing& program,
                      const JudgeLimits& limits) {
  StepReader(step, updates, origins, program, limits).count(maps);
}

}  // namespace tessera::detail
