// SPDX-License-Identifier: Apache-2.0
#include "laws/replica_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace tessera::laws {
namespace {

constexpr Index kMaxElements = 16;

Index count(const Indices& dims) {
  return std::accumulate(dims.begin(), dims.end(), Index{1}, std::multiplies<>());
}

std::string type(const Indices& dims) { return fmt::format("f32[{}]", fmt::join(dims, ",")); }

// A replica's group, and its position in it.
std::pair<Indices, Index> place(const std::vector<Indices>& groups, Index replica) {
  for (const Indices& group : groups) {
    const auto found = std::ranges::find(group, replica);
    if (found != group.end()) return {group, found - group.begin()};
  }
  return {};
}

}  // namespace

template <class Read>
void ReplicaProgram::define(const Indices& dims, const std::string& operation, Read&& read) {
  Value out{fmt::format("v{}", values_.size()), dims};
  for (Index replica = 0; replica < replicas_; ++replica) {
    auto& mine = out.elements.emplace_back();
    for_each_index(dims, [&](const Indices& o) { read(mine.emplace_back(), replica, o); });
  }
  body_ += fmt::format("  {} = {} {}\n", out.name, type(dims), operation);
  values_.push_back(std::move(out));
}

ReplicaProgram::ReplicaProgram(std::uint64_t seed, int instructions) : random_(seed), replicas_(4) {
  if (pick(0, 2) == 0) replicas_ = 6;
  for (int i = 0; i < 2; ++i) {
    Indices& mine = starts_.emplace_back();
    for (Index r = 0; r < replicas_; ++r) mine.push_back(pick(0, 2));
  }
  const Indices dims = pick(0, 1) == 0 ? Indices{pick(1, 2) * 4} : Indices{pick(1, 2) * 2, pick(1, 2) * 2};
  define(dims, "parameter(0)", [&](Sources& sources, Index replica, const Indices& o) {
    sources.insert({replica, number_of(dims, o)});
  });
  body_ += "  i = s32[] parameter(1)\n  j = s32[] parameter(2)\n  z = s32[] constant(0)\n";
  while (static_cast<int>(values_.size()) <= instructions) one_more();
  text_ = fmt::format(
      "HloModule m, replica_count={}\nsum {{\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
      "  ROOT c = f32[] add(a, b)\n}}\nf {{\n{}  ROOT r = {} copy({})\n}}\nENTRY e {{\n  p0 = {} "
      "parameter(0)\n"
      "  p1 = s32[] parameter(1)\n  p2 = s32[] parameter(2)\n  ROOT r = {} call(p0, p1, p2), "
      "to_apply=f\n}}\n",
      replicas_, body_, type(result_dims()), values_.back().name, type(dims), type(result_dims()));
}

// A value, usually one of the latest.
const ReplicaProgram::Value& ReplicaProgram::some_value() {
  const auto last = static_cast<Index>(values_.size()) - 1;
  const Index back = pick(0, 3);
  return values_[at(std::max<Index>(0, back > 2 ? last : last - back))];
}

const ReplicaProgram::Groups& ReplicaProgram::groups_of(Index size) {
  std::vector<const Groups*> known;
  for (const Groups& g : groups_) {
    if (static_cast<Index>(g.groups[0].size()) == size) known.push_back(&g);
  }
  if (!known.empty() && (known.size() > 2 || pick(0, 1) == 0)) {
    return *known[at(pick(0, static_cast<Index>(known.size()) - 1))];
  }
  Indices order(at(replicas_));
  std::iota(order.begin(), order.end(), Index{0});
  const bool shuffled = pick(0, 3) > 0;
  if (shuffled) std::shuffle(order.begin(), order.end(), random_);
  Groups fresh;
  std::vector<std::string> texts;
  for (Index first = 0; first < replicas_; first += size) {
    fresh.groups.emplace_back(order.begin() + first, order.begin() + first + size);
    texts.push_back(fmt::format("{{{}}}", fmt::join(fresh.groups.back(), ",")));
  }
  // Writes the same groups in another form.
  fresh.text = shuffled            ? fmt::format("{{{}}}", fmt::join(texts, ","))
               : size == replicas_ ? "{}"
                                   : fmt::format("[{},{}]<=[{}]", replicas_ / size, size, replicas_);
  groups_.reserve(64);
  return groups_.emplace_back(std::move(fresh));
}

void ReplicaProgram::one_more() {
  // Copy the value, because defining another value may reallocate all values.
  const Value v = some_value();
  switch (pick(0, 9)) {
    case 0:
    case 1:
      return gather(v);
    case 2:
      return reduce_scatter(v);
    case 3:
      return exchange_pieces(v);
    case 4:
      return exchange_operands(v);
    case 5:
      return same_place(v);
    case 6:
      return permute(v);
    case 7:
      return dynamic_slice(v);
    default:
      return local(v);
  }
}

void ReplicaProgram::gather(const Value& v) {
  const Groups& g = groups_of(pick(0, 1) == 0 ? 2 : replicas_ / 2);
  const auto members = static_cast<Index>(g.groups[0].size());
  const std::size_t dim = at(pick(0, static_cast<Index>(v.dims.size()) - 1));
  Indices dims = v.dims;
  dims[dim] *= members;
  if (count(dims) > kMaxElements) return;
  define(dims, fmt::format("all-gather({}), dimensions={{{}}}, replica_groups={}", v.name, dim, g.text),
         [&](Sources& sources, Index replica, Indices o) {
           const Indices group = place(g.groups, replica).first;
           const Index from = group[at(o[dim] / v.dims[dim])];
           o[dim] %= v.dims[dim];
           sources = v.elements[at(from)][at(number_of(v.dims, o))];
         });
}

void ReplicaProgram::reduce_scatter(const Value& v) {
  const Groups& g = groups_of(2);
  const std::size_t dim = at(pick(0, static_cast<Index>(v.dims.size()) - 1));
  Indices dims = v.dims;
  if (dims[dim] % 2 != 0) return;
  dims[dim] /= 2;
  define(dims,
         fmt::format("reduce-scatter({}), dimensions={{{}}}, replica_groups={}, to_apply=sum", v.name, dim,
                     g.text),
         [&](Sources& sources, Index replica, Indices o) {
           const auto [group, own] = place(g.groups, replica);
           o[dim] += own * dims[dim];
           for (const Index from : group) {
             const Sources& read = v.elements[at(from)][at(number_of(v.dims, o))];
             sources.insert(read.begin(), read.end());
           }
         });
}

void ReplicaProgram::exchange_pieces(const Value& v) {
  const Groups& g = groups_of(2);
  const std::size_t dim = at(pick(0, static_cast<Index>(v.dims.size()) - 1));
  if (v.dims[dim] % 2 != 0) return;
  const Index piece = v.dims[dim] / 2;
  define(v.dims, fmt::format("all-to-all({}), dimensions={{{}}}, replica_groups={}", v.name, dim, g.text),
         [&](Sources& sources, Index replica, Indices o) {
           const auto [group, own] = place(g.groups, replica);
           const Index from = group[at(o[dim] / piece)];
           o[dim] = own * piece + o[dim] % piece;
           sources = v.elements[at(from)][at(number_of(v.dims, o))];
         });
}

void ReplicaProgram::exchange_operands(const Value& v) {
  const Groups& g = groups_of(2);
  const Value other = some_value();
  const Value& w = other.dims == v.dims ? other : v;
  const Index output = pick(0, 1);
  body_ += fmt::format("  t{0} = ({1}, {1}) all-to-all({2}, {3}), replica_groups={4}\n", values_.size(),
                       type(v.dims), v.name, w.name, g.text);
  define(v.dims, fmt::format("get-tuple-element(t{}), index={}", values_.size(), output),
         [&](Sources& sources, Index replica, const Indices& o) {
           const auto [group, own] = place(g.groups, replica);
           sources = (own == 0 ? v : w).elements[at(group[at(output)])][at(number_of(v.dims, o))];
         });
}

void ReplicaProgram::same_place(const Value& v) {
  const Groups& g = groups_of(pick(0, 3) == 0 ? replicas_ : pick(0, 3) == 0 ? 1 : 2);
  const bool sum = pick(0, 2) > 0;
  define(v.dims,
         fmt::format("{}({}), replica_groups={}{}", sum ? "all-reduce" : "collective-broadcast", v.name,
                     g.text, sum ? ", to_apply=sum" : ""),
         [&](Sources& sources, Index replica, const Indices& o) {
           Indices group = place(g.groups, replica).first;
           if (!sum) group.resize(1);
           for (const Index from : group) {
             const Sources& read = v.elements[at(from)][at(number_of(v.dims, o))];
             sources.insert(read.begin(), read.end());
           }
         });
}

void ReplicaProgram::permute(const Value& v) {
  Indices source_of(at(replicas_));
  std::iota(source_of.begin(), source_of.end(), Index{0});
  std::shuffle(source_of.begin(), source_of.end(), random_);
  std::vector<std::string> pairs;
  for (Index target = 0; target < replicas_; ++target) {
    Index& source = source_of[at(target)];
    if (pick(0, 3) == 0) {
      source = -1;
    } else {
      pairs.push_back(fmt::format("{{{},{}}}", source, target));
    }
  }
  define(v.dims,
         fmt::format("collective-permute({}), source_target_pairs={{{}}}", v.name, fmt::join(pairs, ",")),
         [&](Sources& sources, Index replica, const Indices& o) {
           const Index from = source_of[at(replica)];
           if (from >= 0) sources = v.elements[at(from)][at(number_of(v.dims, o))];
         });
}

void ReplicaProgram::dynamic_slice(const Value& v) {
  const std::size_t dim = at(pick(0, static_cast<Index>(v.dims.size()) - 1));
  if (v.dims[dim] < 2) return;
  Indices dims = v.dims;
  dims[dim] -= 1;
  const std::size_t which = at(pick(0, 1));
  std::vector<std::string> at_start(dims.size(), "z");
  at_start[dim] = which == 0 ? "i" : "j";
  define(dims,
         fmt::format("dynamic-slice({}, {}), dynamic_slice_sizes={{{}}}", v.name, fmt::join(at_start, ", "),
                     fmt::join(dims, ",")),
         [&](Sources& sources, Index replica, Indices o) {
           o[dim] += std::min<Index>(start(which, replica), 1);
           sources = v.elements[at(replica)][at(number_of(v.dims, o))];
         });
}

// Operations that each replica executes alone.
void ReplicaProgram::local(const Value& v) {
  const Value w = some_value();
  if (w.dims == v.dims && w.name != v.name) {
    define(v.dims, fmt::format("add({}, {})", v.name, w.name),
           [&](Sources& sources, Index replica, const Indices& o) {
             const auto number = at(number_of(v.dims, o));
             sources = v.elements[at(replica)][number];
             const Sources& more = w.elements[at(replica)][number];
             sources.insert(more.begin(), more.end());
           });
    return;
  }
  define(v.dims, fmt::format("reverse({}), dimensions={{0}}", v.name),
         [&](Sources& sources, Index replica, Indices o) {
           o[0] = v.dims[0] - 1 - o[0];
           sources = v.elements[at(replica)][at(number_of(v.dims, o))];
         });
}

}  // namespace tessera::laws
