// SPDX-License-Identifier: Apache-2.0
/// \file
/// collective-permute: each target receives the operand of its source; replicas that are not a target get
/// zeros.
#include <algorithm>
#include <optional>
#include <utility>

#include "hlo/check/devices.h"
#include "hlo/limits.h"
#include "hlo/ops/collective.h"
#include "hlo/ops/values.h"
#include "tessera/map/map_algebra.h"

namespace tessera::detail {
namespace {

// The number of this replica and that of the other.
using Hop = std::pair<Index, Index>;

// The number of the other replica as a function of this replica's own number, which runs from `lower` to
// `upper` with this step.
struct ReplicaSegment {
  Index lower;
  Index upper;
  Index step;
  Expr other;
};

Expr own_number() { return Expr::variable(0); }

// The longest run from `hops[0]` in which both numbers advance in equal steps.
std::size_t run_length(std::span<const Hop> hops) {
  if (hops.size() < 2 || hops[0].first == hops[1].first) return 1;
  std::size_t length = 2;
  while (length < hops.size() &&
         hops[length].first - hops[length - 1].first == hops[1].first - hops[0].first &&
         hops[length].second - hops[length - 1].second == hops[1].second - hops[0].second) {
    ++length;
  }
  return length;
}

// other = second + (own - first) / step * rise.
ReplicaSegment progression(std::span<const Hop> run) {
  if (run.size() == 1) return {run[0].first, run[0].first, 1, Expr::constant(run[0].second)};
  const Index step = run[1].first - run[0].first;
  const Index rise = run[1].second - run[0].second;
  const Expr from_first = own_number() + Expr::constant(-run[0].first);
  return {run[0].first, run.back().first, step,
          floor_div(from_first, step) * rise + Expr::constant(run[0].second)};
}

// Rotations by the same distance within blocks of equal size, such as shifts along a mesh axis and exchanges
// of neighbors.
std::optional<ReplicaSegment> rotation(std::span<const Hop> hops) {
  const auto count = static_cast<Index>(hops.size());
  for (Index i = 0; i < count; ++i) {
    if (hops[static_cast<std::size_t>(i)].first != i) return std::nullopt;
  }
  const Index shift = hops[0].second;
  if (shift < 1 || shift >= count) return std::nullopt;
  for (Index block = shift + 1; block <= count; ++block) {
    if (count % block != 0) continue;
    const auto turned = [&](const Hop& hop) {
      const Index place = hop.first % block;
      return hop.second == hop.first - place + (place + shift) % block;
    };
    if (!std::ranges::all_of(hops, turned)) continue;
    const Expr inside = mod(own_number() + Expr::constant(shift), block);
    return ReplicaSegment{0, count - 1, 1,
                          block == count ? inside : floor_div(own_number(), block) * block + inside};
  }
  return std::nullopt;
}

// Greedily covers the hops, which are sorted by the replica's own number, with few segments.
std::vector<ReplicaSegment> segments_of(std::span<const Hop> hops) {
  if (run_length(hops) == hops.size()) return {progression(hops)};
  if (auto turned = rotation(hops)) return {*turned};
  std::vector<ReplicaSegment> segments;
  while (!hops.empty() && segments.size() <= kHloLimits.ops.permute_segments) {
    std::size_t length = run_length(hops);
    // Two hops always form a line, so they count as a run only if both numbers advance by the same amount.
    const bool alike = length > 1 && hops[1].second - hops[0].second == hops[1].first - hops[0].first;
    if (length == 2 && (!alike || run_length(hops.subspan(1)) > 2)) length = 1;
    segments.push_back(progression(hops.first(length)));
    hops = hops.subspan(length);
  }
  return segments;
}

ReplicaHop hop_of(const ReplicaSegment& segment, bool partitions) {
  Domain domain({Variable{{segment.lower, segment.upper}, partitions ? "partition" : "replica"}}, {}, {});
  if (segment.step > 1) {
    domain.constrain(mod(own_number() + Expr::constant(-segment.lower), segment.step), Interval::point(0));
  }
  return {.map = simplify(IndexMap::make_unchecked(std::move(domain), {segment.other})),
          .from = partitions ? ReplicaHop::From::partition : ReplicaHop::From::replica};
}

// The hops of the pairs in one direction, at most kHloLimits.ops.permute_segments of them.
struct Hops {
  bool too_many = false;
  std::vector<ReplicaHop> all = {};
};

Problem read_permute(const OpReader& reader, PermuteOp& op) {
  TESSERA_RULE(reader.operand_count_is(1, static_cast<std::size_t>(-1)));
  TESSERA_RULE(read_pairs(reader, op.pairs));
  op.slices = reader.has("slice_sizes");
  op.partitions = reader.has("channel_id");
  if (!op.slices) return gives_operands(reader, reader.operand_count());
  // The operands are the source buffer, the destination buffer, and the starts of the slices in both.
  TESSERA_RULE(reader.operand_count_is(4));
  return reader.must_be_written();
}

Problem read_permute_start(const OpReader& reader, PermuteOp& op) {
  return read_started(reader, Opcode::collective_permute, op, read_permute);
}

Hops make_hops(const PermuteOp& op, bool to_input) {
  std::vector<Hop> hops;
  for (const SourceTarget& pair : op.pairs) {
    hops.emplace_back(to_input ? Hop{pair.target, pair.source} : Hop{pair.source, pair.target});
  }
  std::ranges::sort(hops);
  const std::vector<ReplicaSegment> segments =
      hops.empty() ? std::vector<ReplicaSegment>() : segments_of(hops);
  Hops out{.too_many = segments.size() > kHloLimits.ops.permute_segments};
  if (out.too_many) return out;
  for (const ReplicaSegment& segment : segments) out.all.push_back(hop_of(segment, op.partitions));
  return out;
}

// The hops that OpFacts::once caches. An instruction is queried in one direction only, so it needs one of the
// two types.
template <bool kToInput>
struct KeptHops {
  Hops hops;
};

template <bool kToInput>
IndexingSet permuted(const OpQuery& q, const PermuteOp& op) {
  const Hops& hops =
      q.facts.once<KeptHops<kToInput>>([&] { return KeptHops<kToInput>{make_hops(op, kToInput)}; }).hops;
  Indexing same = identity_indexing(q.out());
  if (same.map.known_empty()) return just(std::move(same));
  if (hops.too_many) {
    return just(as_superset(std::move(same),
                            "the replica is omitted: the source-target pairs need more than 64 maps"));
  }
  if (hops.all.empty()) {
    MapBuilder map(q.out());
    map.nothing();
    return just(std::move(map).build(std::vector<Expr>(q.in().size())));
  }
  IndexingSet set;
  for (const ReplicaHop& hop : hops.all) {
    set.push_back(same);
    set.back().replica.push_back(hop);
  }
  return set;
}

// Why the pairs do not say which array is read: slices of one buffer are copied into slices of another, or
// outputs and operands are numbered differently.
std::optional<const char*> obstacle(const OpQuery& q, const PermuteOp& op) {
  if (op.slices) return "slices of a larger buffer are permuted; their positions are data dependent";
  const bool several = q.op.operands.size() > 1;
  return several && q.facts.pairing() == Pairing::all ? std::optional("a tuple is one of several operands")
                                                      : std::nullopt;
}

template <bool kToInput>
IndexingSet permute(const OpQuery& q, const PermuteOp& op) {
  if (const auto reason = obstacle(q, op)) return unknown_set(*reason);
  return same_place(q) ? permuted<kToInput>(q, op) : IndexingSet();
}

template <bool kToInput>
IndexingSet permute_start(const OpQuery& q, const PermuteOp& op) {
  if (const auto reason = obstacle(q, op)) return unknown_set(*reason);
  return of_results(q, [&] { return permuted<kToInput>(q, op); });
}

bool whole_arrays(const Instruction& permute) { return permute.attribute("slice_sizes") == nullptr; }

}  // namespace

constinit const OpRule kCollectivePermuteRule =
    family_rule<PermuteOp, read_permute, permute<true>, permute<false>>(
        {.pairing = Pairing::results, .leafwise = whole_arrays});
constinit const OpRule kCollectivePermuteStartRule =
    family_rule<PermuteOp, read_permute_start, permute_start<true>, permute_start<false>>(
        {.pairing = Pairing::started});

}  // namespace tessera::detail
