// SPDX-License-Identifier: Apache-2.0
// indexing/tile.jsonl
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <random>
#include <set>

#include "map/values/enumerate.h"
#include "runner/check.h"
#include "runner/hlo.h"
#include "tessera/text/index_map.h"
#include "tessera/tile/tile.h"

namespace tessera::vectors {
namespace {

// Reads `a in [0, 5] && (b in [1, 1] || c in [2, 2])`, `always` and `never` over the variables of a domain.
class ConstraintReader {
 public:
  ConstraintReader(std::string_view text, const Domain& domain) : rest_(text), domain_(domain) {}

  std::optional<TileConstraint> read() {
    TileConstraint out = disjunction();
    skip();
    if (failed_ || !rest_.empty()) return std::nullopt;
    return out;
  }

 private:
  void skip() { rest_.remove_prefix(std::min(rest_.find_first_not_of(' '), rest_.size())); }

  bool take(std::string_view word) {
    skip();
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }

  TileConstraint disjunction() {
    TileConstraint out = conjunction();
    while (take("||")) out = either(out, conjunction());
    return out;
  }

  TileConstraint conjunction() {
    TileConstraint out = atom();
    while (take("&&")) out = both(out, atom());
    return out;
  }

  // True if a parenthesis opens a constraint: its text has `in` before the closing parenthesis.
  bool opens_constraint() const {
    int depth = 0;
    for (std::size_t i = 0; i < rest_.size(); ++i) {
      if (rest_[i] == '(') ++depth;
      if (rest_[i] == ')' && --depth == 0) return rest_.substr(0, i).find(" in ") != std::string_view::npos;
    }
    return false;
  }

  TileConstraint atom() {
    if (take("always")) return {};
    if (take("never")) return TileConstraint::never();
    skip();
    if (rest_.starts_with("(") && opens_constraint()) {
      take("(");
      TileConstraint inner = disjunction();
      failed_ = failed_ || !take(")");
      return inner;
    }
    const std::size_t in = rest_.find(" in [");
    const std::size_t end = rest_.find(']', in);
    if (in == std::string_view::npos || end == std::string_view::npos) {
      failed_ = true;
      return {};
    }
    const auto expr = domain_.variable_count() == 0 ? parse_expr(rest_.substr(0, in))
                                                    : parse_expr(rest_.substr(0, in), domain_);
    const auto ends = Json::parse(std::string(rest_.substr(in + 4, end - in - 3)));
    rest_.remove_prefix(end + 1);
    if (!expr) {
      failed_ = true;
      return {};
    }
    return TileConstraint::in(*expr, {ends.at(0).get<Index>(), ends.at(1).get<Index>()});
  }

  std::string_view rest_;
  const Domain& domain_;
  bool failed_ = false;
};

VectorResult judge_constraint(const Json& row) {
  const Domain none;
  const auto input = ConstraintReader(text_of(row, "input"), none).read();
  if (!input) return VectorResult::fail("a constraint", text_of(row, "input"));
  const std::string got = to_string(simplify(*input, {}), [](Index v) { return fmt::format("v{}", v); });
  return VectorResult::when(got == text_of(row, "expected"), text_of(row, "expected"), got);
}

// Points of a box: all of them if there are few, otherwise its corners and random points.
std::vector<std::vector<Index>> sample_points(const std::vector<Interval>& box) {
  std::vector<std::vector<Index>> out;
  const auto count = point_count(box);
  if (count && *count <= 50000) {
    for (BoxRows rows(box); rows.next();)
      for (std::size_t i = 0; i < rows.size(); ++i) out.push_back(rows.point(i));
    return out;
  }
  std::mt19937 random(7);
  for (int i = 0; i < 50000; ++i) {
    std::vector<Index> point;
    for (const Interval& bounds : box) {
      const Index x = std::uniform_int_distribution<Index>(bounds.lower, bounds.upper)(random);
      switch (random() % 5) {
        case 0:
          point.push_back(bounds.lower);
          break;
        case 1:
          point.push_back(bounds.upper);
          break;
        case 2:
          point.push_back(std::min(bounds.upper, std::max(bounds.lower, Index{1} << (random() % 10))));
          break;
        default:
          point.push_back(x);
      }
    }
    out.push_back(std::move(point));
  }
  return out;
}

std::string point_text(const std::vector<Index>& point) {
  return fmt::format("({})", fmt::join(point, ", "));
}

// Compares one part of the tile's dimensions (offset, size or stride) with the expressions `(d0, d1)[s0] ->
// (...)` of the vector at these points. Returns the difference, or an empty text if they agree.
std::string part_differs(const std::string& name, const std::string& text, const SymbolicTile& tile,
                         Expr TileDimension::* part, const std::vector<std::vector<Index>>& points,
                         bool allowed_only) {
  const auto map = parse_index_map(text, DomainPart::optional);
  if (!map) return "cannot read " + name;
  if (map->results().size() != tile.dims.size()) return name + " has another rank";
  for (const std::vector<Index>& point : points) {
    if (allowed_only && !tile.constraint.satisfied(point)) continue;
    for (std::size_t i = 0; i < tile.dims.size(); ++i) {
      const auto wanted = evaluate(map->results()[i], point);
      const auto got = evaluate(tile.dims[i].*part, point);
      if (wanted != got)
        return fmt::format("{} {} at {}: expected {}, got {}", name, i, point_text(point),
                           wanted ? *wanted : -99, got ? *got : -99);
    }
  }
  return "";
}

// Checks by enumeration that the tile at the origin has exactly the elements that its indices read or, if the
// tile is only a bound, contains them. Returns the problem, or an empty text if there is none.
std::string wrong_by_enumeration(const IndexMap& map, const SymbolicTile& tile,
                                 const std::vector<std::vector<Index>>& points) {
  int checked = 0;
  for (const std::vector<Index>& point : points) {
    if (!tile.constraint.satisfied(point) || checked > 300) continue;
    std::vector<Interval> box = box_of(map.domain());
    bool inside = tile.edges.satisfied(point);
    bool contained = true;
    bool empty = false;
    for (std::size_t i = 0; i < map.dim_count(); ++i) {
      const auto cut = intersect(box[i], Interval{0, point[i] - 1});
      contained = contained && box[i].contains(Interval{0, point[i] - 1});
      empty = empty || !cut;
      if (cut) box[i] = *cut;
    }
    for (std::size_t i = 0; i < map.runtime_count(); ++i) {
      const Index value = point[map.dim_count() + i];
      box[map.dim_count() + map.range_count() + i] = {value, value};
    }
    const auto size = point_count(box);
    if (!size || *size > 4000) continue;
    ++checked;
    std::set<std::vector<Index>> wanted;
    MapEvaluator values(map);
    for (BoxRows rows(box); !empty && rows.next();) {
      values.run(rows);
      for (std::size_t i = 0; i < rows.size(); ++i)
        if (values.inside(i)) wanted.insert(*values.values(i));
    }
    const auto dims = at(tile, point);
    if (!dims) return to_string(dims.error());
    std::set<std::vector<Index>> got = {{}};
    for (const ConcreteDimension& dim : *dims) {
      std::set<std::vector<Index>> longer;
      for (std::vector<Index> head : got) {
        head.push_back(0);
        for (Index k = 0; k < dim.count; ++k) {
          head.back() = dim.first + k * dim.step;
          longer.insert(head);
        }
      }
      got = std::move(longer);
    }
    const bool right = tile.exact && (contained || inside)
                           ? got == wanted
                           : std::includes(got.begin(), got.end(), wanted.begin(), wanted.end());
    if (!right) return fmt::format("wrong elements at {}", point_text(point));
  }
  return "";
}

VectorResult judge_symbolic_tile(const Json& row, const IndexMap& map) {
  const Json& expected = row.at("expected");
  const auto tile = symbolic_tile(map);
  if (!tile) return VectorResult::when(expected == "none", text_of(row, "expected"), to_string(tile.error()));
  const auto points = sample_points(box_of(tile->parameters));
  std::string why = wrong_by_enumeration(map, *tile, points);
  if (expected != "none") {
    if (why.empty() && !tile->exact) why = "only a bound";
    using Part = Expr TileDimension::*;
    for (const auto& [name, part] : {std::pair<const char*, Part>{"offset", &TileDimension::offset},
                                     {"size", &TileDimension::size},
                                     {"stride", &TileDimension::stride}}) {
      if (why.empty())
        why =
            part_differs(name, text_of(expected, name), *tile, part, points, part == &TileDimension::stride);
    }
    if (why.empty() && expected.contains("constraints")) {
      const auto wanted = ConstraintReader(text_of(expected, "constraints"), tile->parameters).read();
      if (!wanted) why = "cannot read the constraints";
      for (std::size_t i = 0; i < points.size() && why.empty(); ++i) {
        if (wanted->satisfied(points[i]) != tile->constraint.satisfied(points[i]))
          why = "another constraint at " + point_text(points[i]);
      }
    }
    std::vector<std::string> runtime;
    for (const Variable& v : tile->parameters.variables().subspan(tile->parameters.dim_count()))
      runtime.push_back(fmt::format("s{} in {}", runtime.size(), to_string(v.bounds)));
    if (why.empty() && fmt::format("{}", fmt::join(runtime, ", ")) != text_of(expected, "rt_vars"))
      why = "other runtime variables";
  }
  return VectorResult::when(why.empty(), text_of(row, "expected"), to_string(*tile) + "  [" + why + "]");
}

VectorResult judge_at_sizes(const Json& row, const IndexMap& map) {
  const auto tile = symbolic_tile(map);
  if (!tile) return VectorResult::fail(text_of(row, "expected"), to_string(tile.error()));
  const std::vector<Index> sizes = indices(row.at("sizes"));
  const std::string op = text_of(row, "op");
  Json got;
  if (op == "tile_valid") {
    got = tile->exact && tile->constraint.satisfied(sizes);
  } else if (op == "tile_strides_at") {
    got = Json::array();
    for (const TileDimension& dim : tile->dims) got.push_back(evaluate(dim.stride, sizes).value_or(-1));
  } else {
    const auto dims = at(*tile, sizes);
    if (!dims) return VectorResult::fail(text_of(row, "expected"), to_string(dims.error()));
    got = Json::array();
    for (const ConcreteDimension& dim : *dims)
      got.push_back({{"first", dim.first}, {"count", dim.count}, {"step", dim.step}});
  }
  return VectorResult::when(got == row.at("expected"), text_of(row, "expected"), got.dump());
}

// The name that XLA gives to a runtime value: rt_i for start index i of a dynamic slice.
std::string runtime_name(const Instruction& instruction, const RuntimeValue& value) {
  for (std::size_t i = 1; i < instruction.operands.size(); ++i)
    if (instruction.operands[i].instruction == value.source) return fmt::format("rt_{}", i - 1);
  return "unknown";
}

// Compares a tile with the expected lists of expressions at the points that satisfy its constraint. Returns
// the difference, or an empty text if they agree.
std::string tile_differs(const Json& expected, const OperandTile& got, const SymbolicTile& tile,
                         const Instruction& instruction) {
  std::vector<Variable> dims(
      tile.parameters.variables().begin(),
      tile.parameters.variables().begin() + static_cast<std::ptrdiff_t>(tile.parameters.dim_count()));
  std::vector<Variable> runtime;
  for (std::size_t i = 0; i < tile.parameters.runtime_count(); ++i) {
    runtime.push_back({tile.parameters.variables()[dims.size() + i].bounds,
                       runtime_name(instruction, got.indexing.runtime[i])});
  }
  for (int i = 0; i < 4; ++i) {  // start indices whose only value is 0 do not occur in the map
    const std::string name = fmt::format("rt_{}", i);
    if (std::ranges::none_of(runtime, [&](const Variable& v) { return v.name == name; }))
      runtime.push_back({{0, 0}, name});
  }
  const Domain domain(dims, {}, runtime);
  std::vector<std::string> names;
  std::vector<std::string> runtime_names;
  for (std::size_t v = 0; v < domain.variable_count(); ++v)
    (v < dims.size() ? names : runtime_names).push_back(domain.name(v));
  const auto points = sample_points(box_of(domain));
  int compared = 0;
  for (const auto& [name, part] :
       {std::pair<const char*, Expr TileDimension::*>{"offsets", &TileDimension::offset},
        {"sizes", &TileDimension::size},
        {"strides", &TileDimension::stride},
        {"upper_bounds", &TileDimension::upper}}) {
    const auto map = parse_index_map(fmt::format("({}){{{}}} -> ({})", fmt::join(names, ", "),
                                                 fmt::join(runtime_names, ", "), text_of(expected, name)),
                                     DomainPart::optional);
    if (!map) return fmt::format("cannot read {}: {}", name, to_string(map.error()));
    if (map->results().size() != tile.dims.size()) return fmt::format("{}: another rank", name);
    for (const std::vector<Index>& point : points) {
      if (!tile.constraint.satisfied(point)) continue;
      ++compared;
      for (std::size_t i = 0; i < tile.dims.size(); ++i) {
        const auto wanted = evaluate(map->results()[i], point);
        const auto own = evaluate(tile.dims[i].*part, point);
        // The stride is meaningless if there is only one index.
        if (wanted != own &&
            !(part == &TileDimension::stride && evaluate(tile.dims[i].size, point) == Index{1}))
          return fmt::format("{} {} at {}: expected {}, got {}", name, i, point_text(point),
                             wanted.value_or(-99), own.value_or(-99));
      }
    }
  }
  return compared > 0 ? "" : "no size satisfies the constraint";
}

VectorResult judge_propagation(const Json& row) {
  const Program program = read_program(text_of(row, "hlo"));
  if (!program.error.empty()) return VectorResult::fail("a program", program.error);
  const Instruction& root = program.root();
  const auto index = row.at("index").get<std::size_t>();
  const bool to_input = text_of(row, "direction") == "to_input";
  const std::vector<Index> sizes =
      row.contains("tile_sizes") ? indices(row.at("tile_sizes")) : std::vector<Index>{};
  auto start =
      to_input ? tile_of_output(root, index, sizes) : tile_of_operand(root, {.operand = index}, sizes);
  if (!start) return VectorResult::fail(text_of(row, "expected"), to_string(start.error()));
  const std::size_t rank =
      leaf_type(to_input ? root.type : root.operand_type(index), to_input ? index : 0).array().dims.size();
  for (std::size_t i = 0; i < rank && !row.contains("root_tile"); ++i) {
    start->dims[i].stride = static_cast<Index>(i) + 1;
    start->dims[i].aligned = i == 0;
  }
  if (row.contains("root_upper_bound")) {
    const auto upper = parse_expr(text_of(row, "root_upper_bound"), start->parameters);
    if (!upper) return VectorResult::fail("an expression", text_of(row, "root_upper_bound"));
    start->dims[0].upper = *upper;
  }
  ProgramIndexing indexing;
  const auto got =
      to_input ? tiles_read(indexing, root, index, *start) : tiles_reading(indexing, root, index, *start);
  if (!got) return VectorResult::fail(text_of(row, "expected"), to_string(got.error()));
  const Json& expected = row.at("expected");
  std::string text;
  std::string why;
  for (const OperandTile& tile : *got)
    text +=
        fmt::format("operand {}: {}", tile.operand, tile.tile ? to_string(*tile.tile) : tile.reason + "\n");
  if (expected == "unsupported") {
    // If XLA has no tile, a note in the vector may allow one. Unit tests check by enumeration that such tiles
    // are correct.
    const bool refused = std::ranges::any_of(*got, [](const OperandTile& t) {
      return !t.tile || !t.tile->exact || t.tile->constraint.unsatisfiable();
    });
    return VectorResult::when(refused || text_of(row, "note").find("welcome") != std::string::npos,
                              "unsupported", text);
  }
  for (const Json& wanted : expected) {
    const auto found = std::ranges::find_if(
        *got, [&](const OperandTile& t) { return t.operand == wanted.at("operand").get<std::uint32_t>(); });
    if (found == got->end() || !found->tile || !found->tile->exact) {
      why = fmt::format("no tile of operand {}", wanted.at("operand").dump());
      break;
    }
    why = tile_differs(wanted, *found, *found->tile, root);
    if (why.empty() && wanted.contains("replica"))
      why = found->replica ? tile_differs(wanted.at("replica"), *found, *found->replica, root) : "no replica";
    if (!why.empty()) break;
  }
  if (why.empty() && got->size() != expected.size()) why = "another number of tiles";
  return VectorResult::when(why.empty(), expected.dump(), text + "  [" + why + "]");
}

VectorResult judge_tile(const Json& row) {
  const std::string op = text_of(row, "op");
  if (op == "constraint_simplify") return judge_constraint(row);
  if (op == "propagate_tile") return judge_propagation(row);
  const auto map = parse_index_map(text_of(row, "map"));
  if (!map) return VectorResult::fail("a map", text_of(row, "map"));
  if (op == "symbolic_tile") return judge_symbolic_tile(row, *map);
  if (op == "tile_strides_at" || op == "tile_at_origin" || op == "tile_valid")
    return judge_at_sizes(row, *map);
  return unknown_op(row);
}

const Register kTile = row_check("indexing", "tile.jsonl", judge_tile);

}  // namespace
}  // namespace tessera::vectors
