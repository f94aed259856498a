// SPDX-License-Identifier: Apache-2.0
#include "access/thread_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "access/offset_table.h"

namespace tessera::detail {
namespace {

// The number of indices, at most kIndexMax.
Index volume(std::span<const Index> box) {
  Index out = 1;
  for (const Index extent : box)
    if (mul_overflows(out, extent, out)) return kIndexMax;
  return out;
}

Failure outside(Index thread, Index value, const std::string& index, std::span<const Index> box) {
  return fail(Code::index_out_of_range,
              fmt::format("{} touches index {}, outside the box ({})", thread_value_text(thread, value),
                          index, fmt::join(box, ",")));
}

Failure too_many() {
  return fail(Code::limit, fmt::format("an access has at most {} (thread, value) pairs", kMostBoxIndices), {},
              "describe one block of threads");
}

// The table of a layout from (thread, value) to 1-D indices of the box.
Result<ThreadTable> of_layout(const Layout& tv) {
  Result<std::vector<Index>> table = offset_table(tv, kMostBoxIndices);
  if (!table) return fail(table.error());
  ThreadTable out{.threads = tv.rank() == 0 ? 1 : tv.shape()[0], .index = *std::move(table)};
  out.values = out.threads == 0 ? 0 : std::ssize(out.index) / out.threads;
  return out;
}

Result<ThreadTable> of_map(const IndexMap& map, std::span<const Index> box) {
  if (map.results().size() != box.size()) {
    return fail(Code::rank_mismatch, fmt::format("the map has {} results, but the box has {} dimensions",
                                                 map.results().size(), box.size()));
  }
  if (map.known_empty()) return ThreadTable{.threads = 0, .values = 0, .index = {}};
  ThreadTable out;
  std::vector<Index> point;
  Index entries = 1;
  for (std::size_t v = 0; v < map.variables().size(); ++v) {
    const Interval bounds = map.variables()[v].bounds;
    if (v == 0 && map.dim_count() > 0 && bounds.lower < 0)
      return fail(Code::not_applicable, fmt::format("the first thread of the map is {}", bounds.lower));
    const bool is_thread = v == 0 && map.dim_count() > 0;
    const Index extent = is_thread ? bounds.upper + 1 : bounds.upper - bounds.lower + 1;
    if (mul_overflows(entries, extent, entries) || entries > kMostBoxIndices) return too_many();
    (is_thread ? out.threads : out.values) *= extent;
    point.push_back(is_thread ? 0 : bounds.lower);
  }
  out.index.reserve(static_cast<std::size_t>(entries));
  for (Index i = 0; i < entries; ++i) {
    Index at = kOff;
    if (map.domain().contains(point)) {
      const std::optional<std::vector<Index>> found = map.evaluate(point);
      if (!found) return fail(Code::not_applicable, "the map divides by 0");
      Index stride = 1;
      at = 0;
      for (std::size_t d = 0; d < box.size(); ++d) {
        if ((*found)[d] < 0 || (*found)[d] >= box[d])
          return outside(i % out.threads, i / out.threads, fmt::format("({})", fmt::join(*found, ",")), box);
        at += (*found)[d] * stride;
        stride *= box[d];
      }
    }
    out.index.push_back(at);
    for (std::size_t v = 0; v < point.size(); ++v) {
      const bool is_thread = v == 0 && map.dim_count() > 0;
      if (++point[v] <= map.variables()[v].bounds.upper) break;
      point[v] = is_thread ? 0 : map.variables()[v].bounds.lower;
    }
  }
  return out;
}

// Turns indices of the window into indices of the box, once for each place of the window.
Result<ThreadTable> placed(const ThreadTable& block, const AccessWindow& window, std::span<const Index> box) {
  if (window.shape.size() != box.size() || (!window.at.empty() && window.at.size() != box.size())) {
    return fail(Code::rank_mismatch,
                fmt::format("the block ({}) and its position must each have {} dimensions, like the layout",
                            fmt::join(window.shape, ","), box.size()));
  }
  std::vector<Index> origin = window.at.empty() ? std::vector<Index>(box.size(), 0) : window.at;
  ThreadTable out{.threads = block.threads, .values = 0, .index = {}};
  for (;;) {
    if (std::ssize(out.index) + std::ssize(block.index) > kMostBoxIndices) return too_many();
    out.values += block.values;
    for (std::size_t i = 0; i < block.index.size(); ++i) {
      Index rest = block.index[i];
      Index at = rest == kOff ? kOff : 0;
      Index stride = 1;
      for (std::size_t d = 0; d < box.size() && at != kOff; ++d) {
        const Index x = origin[d] + rest % window.shape[d];
        rest /= window.shape[d];
        if (x < box[d]) {
          at += x * stride;
        } else if (window.everywhere) {
          at = kOff;
        } else {
          const auto entry = static_cast<Index>(i);
          return outside(entry % block.threads, entry / block.threads,
                         fmt::format("{} of dimension {}", x, d), box);
        }
        stride *= box[d];
      }
      out.index.push_back(at);
    }
    std::size_t d = 0;
    for (; window.everywhere && d < box.size(); ++d) {
      origin[d] += window.shape[d];
      if (origin[d] < box[d]) break;
      origin[d] = 0;
    }
    if (!window.everywhere || d == box.size()) return out;
  }
}

}  // namespace

std::string thread_value_text(Index thread, Index value) {
  return fmt::format("(thread {}, value {})", thread, value);
}

Result<ThreadTable> thread_table(const Access& access, std::span<const Index> box) {
  const std::span<const Index> counted = access.window ? std::span<const Index>(access.window->shape) : box;
  const auto* const map = std::get_if<IndexMap>(&access.tv);
  Result<ThreadTable> table = map != nullptr ? of_map(*map, counted) : of_layout(std::get<Layout>(access.tv));
  if (!table) return fail(table.error());
  const Index size = volume(counted);
  for (Index value = 0; value < table->values; ++value) {
    for (Index thread = 0; thread < table->threads; ++thread) {
      const Index i = table->at(thread, value);
      if ((i < 0 && map == nullptr) || i >= size)
        return outside(thread, value, fmt::format("{}", i), counted);
    }
  }
  return access.window ? placed(*table, *access.window, box) : std::move(table);
}

}  // namespace tessera::detail
