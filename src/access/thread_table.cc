// SPDX-License-Identifier: Apache-2.0
#include "access/thread_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "access/offset_table.h"
#include "base/cancellation.h"
#include "base/index_walk.h"
#include "map/values/enumerate.h"

namespace tessera::detail {
namespace {

Failure outside(Index thread, Index value, const std::string& index, std::span<const Index> box) {
  return fail(Code::index_out_of_range,
              fmt::format("{} touches index {}, outside the box ({})", thread_value_text(thread, value),
                          index, fmt::join(box, ",")));
}

// The map with the thread as its last variable, so that the rows of a walk over its points are consecutive
// threads.
IndexMap thread_last(const IndexMap& map) {
  const std::size_t first_value = map.dim_count() == 0 ? 0 : 1;
  std::vector<Variable> variables;
  std::vector<Expr> moved(map.variables().size());
  for (std::size_t v = first_value; v < moved.size(); ++v) {
    moved[v] = Expr::variable(static_cast<Index>(variables.size()));
    variables.push_back({map.variables()[v].bounds});
  }
  if (first_value == 1) moved[0] = Expr::variable(static_cast<Index>(variables.size()));
  variables.push_back({first_value == 1 ? map.variables()[0].bounds : Interval::point(0)});
  Domain domain(std::move(variables), {}, {});
  for (const Constraint& c : map.constraints()) domain.constrain(substitute(c.expr, moved), c.range);
  std::vector<Expr> results;
  for (const Expr result : map.results()) results.push_back(substitute(result, moved));
  return IndexMap::make_unchecked(std::move(domain), std::move(results));
}

// Reads the indices of consecutive threads for one value.
class ThreadReader {
 public:
  ThreadReader(const Access& access, std::span<const Index> box)
      : access_(access),
        box_(box.begin(), box.end()),
        counted_(access.window ? access.window->shape : box_),
        size_(element_count(counted_).value_or(kIndexMax)) {}
  ThreadReader(const ThreadReader&) = delete;
  ThreadReader& operator=(const ThreadReader&) = delete;

  Result<void> prepare() {
    const auto* const map = std::get_if<IndexMap>(&access_.tv);
    const Result<void> read = map != nullptr ? prepare_map(*map) : prepare_layout();
    if (!read || !access_.window) return read;
    const AccessWindow& window = *access_.window;
    if (window.shape.size() != box_.size() || (!window.at.empty() && window.at.size() != box_.size())) {
      return fail(Code::rank_mismatch,
                  fmt::format("the block ({}) and its position must each have {} dimensions, like the layout",
                              fmt::join(window.shape, ","), box_.size()));
    }
    if (size_ == 0)
      return fail(Code::bad_extent, "the block has an extent of 0, but extents must be at least 1");
    if (size_ == kIndexMax) return fail(Code::overflow, "the size of the block does not fit in 64 bits");
    origin_ = window.at.empty() ? std::vector<Index>(box_.size(), 0) : window.at;
    for (std::size_t d = 0; d < box_.size() && window.everywhere; ++d)
      places_.push_back(std::max<Index>(1, ceil_div(box_[d] - origin_[d], window.shape[d])));
    Index places = 1;
    for (const Index count : places_)
      if (mul_overflows(places, count, places)) return too_many();
    block_values_ = values_;
    if (mul_overflows(values_, places, values_)) return too_many();
    return {};
  }

  Index threads() const { return threads_; }
  Index values() const { return values_; }

  // Appends the entries of `count` threads.
  Result<void> read(Index first, Index count, Index value, std::vector<Index>& out) {
    const auto begin = static_cast<std::ptrdiff_t>(out.size());
    const Index of_block = access_.window ? value % block_values_ : value;
    Result<void> got = evaluator_ ? read_map(first, count, of_block, value, out)
                                  : read_layout(first, count, of_block, value, out);
    if (!got || !access_.window) return got;
    std::vector<Index> place = origin_;
    const auto block = index_with_number_first_fastest(places_, value / block_values_);
    for (std::size_t d = 0; d < block.size(); ++d) place[d] += block[d] * counted_[d];
    for (auto entry = out.begin() + begin; entry != out.end(); ++entry) {
      const Index thread = first + (entry - out.begin() - begin);
      if (Result<void> moved = move_to(place, thread, value, *entry); !moved) return moved;
    }
    return {};
  }

 private:
  static Failure too_many() {
    return fail(Code::limit, "the (thread, value) pairs of an access do not fit in 64 bits", {},
                "describe one block of threads");
  }

  Result<void> prepare_layout() {
    const Layout& tv = std::get<Layout>(access_.tv);
    threads_ = tv.rank() == 0 ? 1 : tv.shape()[0];
    values_ = threads_ == 0 ? 0 : tv.size() / threads_;
    return {};
  }

  Result<void> prepare_map(const IndexMap& map) {
    if (map.results().size() != counted_.size()) {
      return fail(Code::rank_mismatch, fmt::format("the map has {} results, but the box has {} dimensions",
                                                   map.results().size(), counted_.size()));
    }
    if (map.known_empty()) {
      threads_ = values_ = 0;
      return {};
    }
    for (std::size_t v = 0; v < map.variables().size(); ++v) {
      const Interval bounds = map.variables()[v].bounds;
      if (!bounds.is_finite())
        return fail(Code::unbounded, fmt::format("{} has no bounds", map.domain().name(v)), {},
                    fmt::format("give it a finite interval: {} in [0, 31]", map.domain().name(v)));
      const std::optional<Index> count = bounds.count();
      if (!count) return too_many();
      if (v == 0 && map.dim_count() > 0) {
        if (bounds.lower < 0)
          return fail(
              Code::not_applicable,
              fmt::format("the map's first thread is {}, but threads are numbered from 0", bounds.lower), {},
              fmt::format("shift {0}, so that its interval begins at 0 or above", map.domain().name(v)));
        threads_ = bounds.upper + 1;
      } else if (mul_overflows(values_, *count, values_)) {
        return too_many();
      }
    }
    if (Index all = 0; mul_overflows(threads_, values_, all)) return too_many();
    map_ = thread_last(map);
    evaluator_.emplace(*map_);
    return {};
  }

  Result<void> read_layout(Index first, Index count, Index of_block, Index value, std::vector<Index>& out) {
    const Layout& tv = std::get<Layout>(access_.tv);
    for (Index thread = first; thread < first + count; ++thread) {
      const Index i = offset_at(tv, thread + threads_ * of_block);
      if (i < 0 || i >= size_) return outside(thread, value, fmt::format("{}", i), counted_);
      out.push_back(i);
    }
    return {};
  }

  Result<void> read_map(Index first, Index count, Index of_block, Index value, std::vector<Index>& out) {
    std::vector<Interval> row;
    const auto variables = map_->variables();
    for (std::size_t v = 0; v + 1 < variables.size(); ++v) {
      const Interval bounds = variables[v].bounds;
      const Index extent = bounds.upper - bounds.lower + 1;
      row.push_back(Interval::point(bounds.lower + of_block % extent));
      of_block /= extent;
    }
    row.push_back({first, first + count - 1});
    Index thread = first;
    for (BoxRows rows(std::move(row)); rows.next();) {
      evaluator_->run(rows);
      for (std::size_t i = 0; i < rows.size(); ++i, ++thread) {
        if (!evaluator_->inside(i)) {
          out.push_back(kOff);
          continue;
        }
        Index at = 0;
        Index stride = 1;
        for (std::size_t d = 0; d < counted_.size(); ++d) {
          if (!evaluator_->defined(d, i))
            return fail(Code::undefined_value, fmt::format("{} has no index, because the map divides by 0",
                                                           thread_value_text(thread, value)));
          const Index x = evaluator_->value(d, i);
          if (x < 0 || x >= counted_[d]) {
            return outside(thread, value, fmt::format("({})", fmt::join(*evaluator_->values(i), ",")),
                           counted_);
          }
          at += x * stride;
          stride *= counted_[d];
        }
        out.push_back(at);
      }
    }
    if (thread < first + count) return detail::cancelled_failure();
    return {};
  }

  // Converts an index of the window at `place` to an index of the box.
  Result<void> move_to(std::span<const Index> place, Index thread, Index value, Index& entry) const {
    if (entry < 0) return {};
    Index rest = entry;
    Index stride = 1;
    entry = 0;
    for (std::size_t d = 0; d < box_.size(); ++d) {
      const Index x = place[d] + rest % counted_[d];
      rest /= counted_[d];
      if (x >= box_[d]) {
        if (!access_.window->everywhere)
          return outside(thread, value, fmt::format("{} of dimension {}", x, d), box_);
        entry = kBeyond;
        return {};
      }
      entry += x * stride;
      stride *= box_[d];
    }
    return {};
  }

  const Access& access_;
  std::vector<Index> box_;
  std::vector<Index> counted_;  // the box that the threads' indices refer to
  Index size_;
  Index threads_ = 1;
  Index values_ = 1;  // over all places
  Index block_values_ = 1;
  std::vector<Index> origin_;
  std::vector<Index> places_;
  std::optional<IndexMap> map_;
  std::optional<MapEvaluator> evaluator_;  // evaluates map_
};

Result<ThreadTable> whole_table(ThreadReader& reader, Index lanes) {
  ThreadTable out{.threads = reader.threads(), .values = reader.values(), .index = {}};
  out.warps = ceil_div(out.threads, lanes);
  out.index.reserve(static_cast<std::size_t>(out.threads * out.values));
  for (Index value = 0; value < out.values && out.threads > 0; ++value) {
    if (Result<void> read = reader.read(0, out.threads, value, out.index); !read) return fail(read.error());
  }
  return out;
}

// The numbers of a sample of instructions, spread by multiples of the golden ratio, so that the sample does
// not favor one residue of the access's strides.
std::vector<Index> sampled(Index all, Index count) {
  constexpr std::uint64_t kStep = 0x9E3779B97F4A7C15;  // 2^64 divided by the golden ratio
  std::vector<Index> out = {all - 1};
  for (std::uint64_t k = 0; k < static_cast<std::uint64_t>(count); ++k) {
    const auto scaled = static_cast<unsigned __int128>(k * kStep) * static_cast<std::uint64_t>(all);
    out.push_back(static_cast<Index>(scaled >> 64));
  }
  std::ranges::sort(out);
  out.erase(std::ranges::unique(out).begin(), out.end());
  return out;
}

// Samples some instructions. The values of one vector of one warp become the values of the threads of a row.
Result<ThreadTable> sample_table(ThreadReader& reader, const Access& access, Index lanes, Index entries) {
  const Index vector = std::max<Index>(1, access.vector);
  const Index warps = ceil_div(reader.threads(), lanes);
  const Index vectors = ceil_div(reader.values(), vector);
  Index all = 0;
  if (mul_overflows(warps, vectors, all))
    return fail(Code::limit, "the instructions of an access do not fit in 64 bits");
  const std::vector<Index> chosen =
      sampled(all, std::max<Index>(1, entries / (lanes * std::min(vector, entries))));
  ThreadTable out{.threads = lanes * std::ssize(chosen), .values = vector, .index = {}};
  out.warps = warps;
  out.all_instructions = all;
  for (const Index k : chosen) out.sampled_warps.push_back(k / vectors);
  for (Index v = 0; v < vector; ++v) {
    for (const Index k : chosen) {
      const Index first = k / vectors * lanes;
      const Index value = k % vectors * vector + v;
      const Index count = value < reader.values() ? std::min(lanes, reader.threads() - first) : 0;
      if (count > 0)
        if (Result<void> read = reader.read(first, count, value, out.index); !read) return fail(read.error());
      out.index.insert(out.index.end(), static_cast<std::size_t>(lanes - count), kOff);
    }
  }
  return out;
}

// A vector that begins beyond the box is not moved; one that only ends there is moved as a whole.
ThreadTable with_whole_vectors(ThreadTable table, Index vector) {
  for (Index value = 0; value < table.values; ++value) {
    for (Index thread = 0; thread < table.threads; ++thread) {
      Index& entry = table.index[static_cast<std::size_t>(thread + table.threads * value)];
      const bool begins_inside = table.at(thread, value - value % vector) >= 0;
      if (entry == kBeyond && !begins_inside) entry = kOff;
    }
  }
  return table;
}

// Lanes that take no part touch nothing, so their values need not be consecutive.
ThreadTable without_idle_lanes(ThreadTable table, const Access& access, Index lanes) {
  for (Index thread = 0; thread < table.threads; ++thread) {
    const Index lane = thread % lanes;
    const bool idle =
        (access.active >> lane & 1) == 0 || (is_matrix(access.kind) && lane >= 8 * access.matrices);
    for (Index value = 0; idle && value < table.values; ++value)
      table.index[static_cast<std::size_t>(thread + table.threads * value)] = kOff;
  }
  return table;
}

}  // namespace

std::string thread_value_text(Index thread, Index value) {
  return fmt::format("(thread {}, value {})", thread, value);
}

Result<ThreadTable> thread_table(const Access& access, std::span<const Index> box, Index lanes,
                                 LargeAccess large, Index most_pairs) {
  ThreadReader reader(access, box);
  if (Result<void> ready = reader.prepare(); !ready) return fail(ready.error());
  Index entries = 0;
  const bool is_large = mul_overflows(reader.threads(), reader.values(), entries) || entries > most_pairs;
  if (is_large && large == LargeAccess::refuse)
    return fail(Code::limit,
                fmt::format("an access of more than {} (thread, value) pairs is too large", most_pairs), {},
                "describe one block of threads");
  Result<ThreadTable> table = is_large
                                  ? sample_table(reader, access, lanes, std::max<Index>(1, most_pairs / 4))
                                  : whole_table(reader, lanes);
  if (!table) return table;
  return with_whole_vectors(without_idle_lanes(*std::move(table), access, lanes),
                            std::max<Index>(1, access.vector));
}

}  // namespace tessera::detail
