// SPDX-License-Identifier: Apache-2.0
// Decides whether two distributions are equal, shard by shard.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "base/index_walk.h"
#include "reshard/limits.h"
#include "reshard/parts/message_table.h"
#include "tessera/reshard/distribution.h"

namespace tessera {
namespace {

using detail::DimTable;
using detail::Meetings;
using detail::PartMeeting;
using detail::RunMeet;

std::vector<Index> first_index(Meetings meetings) {
  std::vector<Index> index;
  for (const PartMeeting* meeting : meetings) index.push_back(meeting->meets[0].lower);
  return index;
}

// The first index of a dimension at which the two local indices differ.
std::optional<Index> first_local_difference(const PartMeeting& meeting) {
  std::optional<Index> first;
  for (const RunMeet& meet : meeting.meets) {
    std::optional<Index> here;
    if (meet.a != meet.b) {
      here = meet.lower;
    } else if (meet.count > 1 && meet.a_step != meet.b_step) {
      here = meet.lower + meet.step;
    }
    if (here && (!first || *here < *first)) first = here;
  }
  return first;
}

void keep_smaller(std::optional<std::vector<Index>>& best, std::vector<Index> index) {
  if (!best || index < *best) best = std::move(index);
}

// The indices of a meeting in one dimension, each with its local index.
struct Walked {
  std::vector<std::pair<Index, Index>> indices;
};

Walked walk(const PartMeeting& meeting) {
  Walked out;
  for (const RunMeet& meet : meeting.meets) {
    for (Index k = 0; k < meet.count; ++k) {
      for (Index i = 0; i < meet.length; ++i) {
        out.indices.emplace_back(meet.lower + k * meet.step + i, meet.a + k * meet.a_step + i);
      }
    }
  }
  std::ranges::sort(out.indices);
  return out;
}

// The second index of a meeting, which has at least two.
Index second_index(const PartMeeting& meeting) {
  const RunMeet& first = meeting.meets[0];
  if (first.length > 1) return first.lower + 1;
  Index second = kIndexMax;
  if (first.count > 1) second = first.lower + first.step;
  if (meeting.meets.size() > 1) second = std::min(second, meeting.meets[1].lower);
  return second;
}

// The first index at which the offsets with strides `a` and `b` differ, given the same local indices. If they
// are equal at the first index of the meetings, the smallest difference is one step in the fastest dimension
// whose strides differ.
std::optional<std::vector<Index>> stride_difference(const std::vector<Index>& a, const std::vector<Index>& b,
                                                    Meetings meetings) {
  Index at_first = 0;
  for (std::size_t d = 0; d < a.size(); ++d) at_first += (a[d] - b[d]) * meetings[d]->meets[0].a;
  std::vector<Index> index = first_index(meetings);
  if (at_first != 0) return index;
  for (std::size_t d = a.size(); d-- > 0;) {
    if (a[d] == b[d] || meetings[d]->size == 1) continue;
    index[d] = second_index(*meetings[d]);
    return index;
  }
  return {};
}

class DistributionComparison {
 public:
  DistributionComparison(const BoundDistribution& a, const BoundDistribution& b, DistributionNotion notion)
      : a_(a), b_(b), notion_(notion) {}

  Result<DistributionEquality> run() {
    const std::size_t rank = a_.shape().size();
    std::vector<DimTable> tables;
    std::vector<std::size_t> target_parts;
    for (std::size_t d = 0; d < rank; ++d) {
      tables.push_back(detail::meet_parts(a_.parts(d), b_.parts(d)));
      target_parts.push_back(b_.parts(d).size());
    }
    std::vector<std::size_t> parts(rank);
    for (std::size_t shard = 0; shard < a_.shards(); ++shard) {
      for (std::size_t d = 0; d < rank; ++d) parts[d] = a_.part({.shard = shard, .dim = d});
      detail::for_each_meeting(tables, parts, target_parts, [&](std::size_t other, Index, Meetings meetings) {
        compare(shard, other, meetings);
      });
    }
    DistributionEquality out;
    if (!first_) {
      if (undecided_) out.verdict = Verdict::undecided;
      return out;
    }
    out.verdict = Verdict::no;
    out.at = *first_;
    auto in_a = holders(a_, *first_);
    auto in_b = holders(b_, *first_);
    if (!in_a) return fail(in_a.error());
    if (!in_b) return fail(in_b.error());
    out.a = std::move(*in_a);
    out.b = std::move(*in_b);
    return out;
  }

 private:
  void compare(std::size_t shard, std::size_t other, Meetings meetings) {
    const auto in_a = a_.holders(shard);
    const auto in_b = b_.holders(other);
    if (!std::ranges::equal(in_a, in_b)) return keep_smaller(first_, first_index(meetings));
    if (notion_ == DistributionNotion::holders || in_a.empty()) return;
    for (std::size_t d = 0; d < meetings.size(); ++d) {
      const auto difference = first_local_difference(*meetings[d]);
      if (!difference) continue;
      std::vector<Index> index = first_index(meetings);
      index[d] = *difference;
      keep_smaller(first_, std::move(index));
    }
    // The offsets may differ at an earlier index than the local indices. Before that index, both sides have
    // the local indices of `a_`.
    compare_offsets(in_a[0], meetings);
  }

  void compare_offsets(Index place, Meetings meetings) {
    const LocalBuffer a = a_.local_buffer(place);
    const LocalBuffer b = b_.local_buffer(place);
    if (a.strides() && b.strides()) {
      if (auto index = stride_difference(*a.strides(), *b.strides(), meetings))
        keep_smaller(first_, std::move(*index));
      return;
    }
    compare_each(a, b, meetings);
  }

  void compare_each(const LocalBuffer& a, const LocalBuffer& b, Meetings meetings) {
    if (first_ && first_index(meetings) >= *first_) return;
    Index elements = 1;
    std::vector<Walked> walked;
    for (const PartMeeting* meeting : meetings) {
      if (mul_overflows(elements, meeting->size, elements) || elements > detail::kReshardLimits.compared) {
        undecided_ = true;
        return;
      }
    }
    for (const PartMeeting* meeting : meetings) walked.push_back(walk(*meeting));
    std::vector<std::size_t> at(meetings.size(), 0);
    std::vector<Index> index(meetings.size());
    std::vector<Index> local(meetings.size());
    const auto advance = [&](std::size_t d) {
      return detail::next_value(at[d], 0, walked[d].indices.size());
    };
    for (Index n = 0; n < elements; ++n, detail::advance_last(at.size(), advance)) {
      for (std::size_t d = 0; d < at.size(); ++d) std::tie(index[d], local[d]) = walked[d].indices[at[d]];
      if (first_ && index >= *first_) return;
      if (a.offset(local) != b.offset(local)) return keep_smaller(first_, index);
    }
  }

  const BoundDistribution& a_;
  const BoundDistribution& b_;
  const DistributionNotion notion_;
  std::optional<std::vector<Index>> first_;
  bool undecided_ = false;
};

}  // namespace

Result<DistributionEquality> equal(const BoundDistribution& a, const BoundDistribution& b,
                                   DistributionNotion notion) {
  if (!std::ranges::equal(a.shape(), b.shape())) {
    return fail(Code::different_shape,
                fmt::format("the distributions are of arrays of different shapes, [{}] and [{}]",
                            fmt::join(a.shape(), ","), fmt::join(b.shape(), ",")));
  }
  return DistributionComparison(a, b, notion).run();
}

}  // namespace tessera
