// SPDX-License-Identifier: Apache-2.0
// indexing-random/*.jsonl: maps from chains of operations, not simplified
#include <fmt/core.h>

#include <random>

#include "base/mix64.h"
#include "map/values/enumerate.h"
#include "runner/check.h"
#include "runner/maps.h"
#include "tessera/map/map_algebra.h"

namespace tessera::vectors {
namespace {

constexpr int kRandomPoints = 4000;

// The hash defined in the README: that of `map` over the points of a box. Empty if a result has no value.
std::optional<std::string> hash_over(const IndexMap& map, const std::vector<Interval>& box) {
  MapEvaluator values(map);
  std::uint64_t sum = 0;
  std::uint64_t number = 0;
  for (BoxRows rows(box); rows.next();) {
    values.run(rows);
    for (std::size_t i = 0; i < rows.size(); ++i, ++number) {
      if (!values.inside(i)) continue;
      std::uint64_t h = detail::mix64(number + 0x9e3779b97f4a7c15u);
      for (std::size_t r = 0; r < map.results().size(); ++r) {
        if (!values.defined(r, i)) return std::nullopt;
        h = detail::mix64(h * 31 + static_cast<std::uint64_t>(values.value(r, i)));
      }
      sum += h;
    }
  }
  return fmt::format("{:016x}", sum);
}

// The intervals declared in the text. A later item about a bare variable narrows the map's interval, but
// points are numbered over the declared box.
std::vector<Interval> declared_box(const std::string& text, std::size_t variable_count) {
  std::vector<Interval> box;
  std::size_t at = text.find("domain:");
  while (box.size() < variable_count) {
    at = text.find(" in [", at) + 5;
    const std::size_t comma = text.find(',', at);
    box.push_back({std::stoll(text.substr(at, comma - at)), std::stoll(text.substr(comma + 1))});
    at = comma;
  }
  return box;
}

std::uint64_t divisions(const IndexMap& map) {
  std::uint64_t sum = 0;
  for (const Expr e : map.results()) sum += size(e).divisions;
  return sum;
}

using Value = std::optional<std::vector<Index>>;

Value value_at(const IndexMap& map, const std::vector<Index>& point) {
  return map.domain().contains(point) ? map.evaluate(point) : std::nullopt;
}

// Compares recorded samples, then random points of the input's box with a bias toward its corners.
std::string sampled_difference(const Json& row, const IndexMap& input, const IndexMap& got) {
  const auto differs = [&](const std::vector<Index>& point, const Value& wanted) {
    return value_at(got, point) == wanted ? "" : fmt::format("another value at {}", Json(point).dump());
  };
  if (row.contains("samples")) {
    for (const Json& sample : row.at("samples")) {
      const auto point = sample.at(0).get<std::vector<Index>>();
      const Value wanted = sample.at(1).is_null() ? Value() : Value(sample.at(1).get<std::vector<Index>>());
      if (auto why = differs(point, wanted); !why.empty()) return why;
    }
  }
  std::mt19937_64 random(7);
  for (int i = 0; i < kRandomPoints; ++i) {
    std::vector<Index> point;
    for (const Interval& bounds : box_of(input.domain())) {
      const auto corner = random() % 4;
      point.push_back(corner == 0 ? bounds.lower
                      : corner == 1
                          ? bounds.upper
                          : std::uniform_int_distribution<Index>(bounds.lower, bounds.upper)(random));
    }
    if (auto why = differs(point, value_at(input, point)); !why.empty()) return why;
  }
  return "";
}

class RandomMaps : public Check {
 public:
  VectorResult row(const Json& row) override {
    const auto input = parse_index_map(text_of(row, "in"));
    if (!input) return VectorResult::fail("a map", to_string(input.error()));
    const IndexMap got = simplify(*input);
    count(row, got);
    if (input->variables().size() != got.variables().size()) {
      return VectorResult::fail("the same variables", to_string(got));
    }
    if (row.contains("hash")) {
      const auto hash = hash_over(got, declared_box(text_of(row, "in"), input->variables().size()));
      if (hash != text_of(row, "hash")) {
        return VectorResult::fail("hash " + text_of(row, "hash"),
                                  hash.value_or("undefined") + " of " + to_string(got));
      }
    } else if (const std::string why = sampled_difference(row, *input, got); !why.empty()) {
      return VectorResult::fail("the values of the input", to_string(got) + "  [" + why + "]");
    }
    if (row.contains("affine") && row.at("affine").get<bool>() && divisions(got) > 0) {
      return VectorResult::fail("affine results", to_string(got));
    }
    return VectorResult::pass();
  }

  std::vector<std::pair<std::string, VectorResult>> whole_file() override {
    return {{"total", VectorResult::when(total_ <= known_, fmt::format("at most {} floordiv and mod", known_),
                                         fmt::format("{}", total_))},
            {"not-worse", VectorResult::when(worse_ * 1000 <= compared_ * 5,
                                             "no more than in cost_xla in 99.5 % of the maps",
                                             fmt::format("more in {} of {}", worse_, compared_))}};
  }

 private:
  void count(const Json& row, const IndexMap& got) {
    const std::uint64_t own = got.known_empty() ? 0 : divisions(got);
    total_ += own;
    if (row.contains("known") && row.at("known").is_array())
      known_ += row.at("known").at(0).get<std::uint64_t>();
    if (row.contains("cost_xla") && row.at("cost_xla").is_array()) {
      ++compared_;
      worse_ += own > row.at("cost_xla").at(1).get<std::uint64_t>() ? 1 : 0;
    }
  }

  std::uint64_t total_ = 0;
  std::uint64_t known_ = 0;
  std::uint64_t compared_ = 0;
  std::uint64_t worse_ = 0;
};

const Register kRandom("indexing-random", "*", [] { return std::make_unique<RandomMaps>(); });

}  // namespace
}  // namespace tessera::vectors
