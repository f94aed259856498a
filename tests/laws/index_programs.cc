// SPDX-License-Identifier: Apache-2.0
#include "laws/index_programs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace tessera::laws {
namespace {

std::string array(const std::string& type, const std::vector<Index>& dims) {
  return fmt::format("{}[{}]", type, fmt::join(dims, ","));
}

Index count(const std::vector<Index>& dims) {
  Index out = 1;
  for (const Index d : dims) out *= d;
  return out;
}

/// The elements of a literal with these dimensions, in nested braces.
std::string nested(const std::vector<Index>& dims, std::size_t d, const std::vector<Index>& values,
                   std::size_t& next) {
  if (d == dims.size()) return fmt::format("{}", values[next++]);
  std::vector<std::string> parts;
  for (Index i = 0; i < dims[d]; ++i) parts.push_back(nested(dims, d + 1, values, next));
  return fmt::format("{{{}}}", fmt::join(parts, ", "));
}

}  // namespace

std::pair<Index, Index> range_of(std::string_view type) {
  if (type == "pred") return {0, 1};
  Index bits = 0;
  for (const char c : type.substr(1)) bits = bits * 10 + (c - '0');
  const Index half = Index{1} << (bits - 1);
  return type[0] == 'u' ? std::pair<Index, Index>{0, 2 * half - 1} : std::pair<Index, Index>{-half, half - 1};
}

std::string IndexProgram::define(const std::string& type, const std::string& operation) {
  std::string name = fmt::format("v{}", names_++);
  lines_ += fmt::format("  {} = {} {}\n", name, type, operation);
  return name;
}

std::string IndexProgram::constant(const std::string& type, Index value) {
  const auto [low, high] = range_of(type);
  return define(type + "[]", fmt::format("constant({})", std::clamp(value, low, high)));
}

std::string IndexProgram::index_type() {
  static const std::vector<std::string> kTypes = {"s32", "s32", "s32", "u32", "u8",
                                                  "s8",  "u4",  "s4",  "u2",  "s2"};
  return kTypes[static_cast<std::size_t>(pick(0, std::ssize(kTypes) - 1))];
}

std::string IndexProgram::literal(const Dims& dims, const std::string& type) {
  const auto [low, high] = range_of(type);
  std::vector<Index> values;
  const Index kind = pick(0, 4);
  const Index a = pick(-2, 3);
  const Index b = pick(-2, 6);
  const Index period = pick(1, 4);
  for (Index i = 0; i < count(dims); ++i) {
    Index value = pick(-3, 12);
    if (kind == 1) value = a * i + b;
    if (kind == 2) value = a * (i / period) + b;
    if (kind == 3) value = a * (i % period) + b;
    if (kind == 4 && i > 0 && chance(60)) value = values.back();
    values.push_back(std::clamp(value, low, high));
  }
  std::size_t next = 0;
  return define(array(type, dims), fmt::format("constant({})", nested(dims, 0, values, next)));
}

std::string IndexProgram::leaf(const Dims& dims, const std::string& type) {
  const Index kind = constants_only_ ? pick(0, 3) : pick(0, 5);
  if (kind == 0 && !dims.empty()) {
    const auto d = static_cast<std::size_t>(pick(0, std::ssize(dims) - 1));
    if (dims[d] - 1 <= range_of(type).second) {
      plain_ = false;
      return define(array(type, dims), fmt::format("iota(), iota_dimension={}", d));
    }
  }
  if (kind < 4) {
    plain_ = false;
    return literal(dims, type);
  }
  index_parameters_.emplace_back(type, count(dims));
  parameters_.push_back(array(type, dims));
  return fmt::format("p{}", parameters_.size() - 1);
}

std::string IndexProgram::passed_on(const Dims& dims, const std::string& type, int depth) {
  const std::string of = array(type, dims);
  switch (pick(0, 5)) {
    case 0:
      return define(of, fmt::format("copy({})", indices(dims, type, depth)));
    case 1:
      return define(of, fmt::format("opt-barrier({})", indices(dims, type, depth)));
    case 2: {
      const std::string a = indices(dims, type, depth);
      const std::string other = constant("s32", 7);
      const std::string both = fmt::format("({}, s32[])", of);
      std::string pair = define(both, fmt::format("tuple({}, {})", a, other));
      if (chance(50)) pair = define(both, fmt::format("opt-barrier({})", pair));
      return define(of, fmt::format("get-tuple-element({}), index=0", pair));
    }
    case 3: {
      // The same elements in another shape.
      Dims flat{count(dims)};
      if (chance(30)) flat.insert(flat.begin(), 1);
      const char* const opcode = chance(50) ? "reshape" : "bitcast";
      return define(of, fmt::format("{}({})", opcode, indices(flat, type, depth)));
    }
    case 4: {
      // From a narrower type, or pred.
      std::string from = index_type();
      if (chance(20)) from = "pred";
      const auto [low, high] = range_of(type);
      const auto inner = range_of(from);
      if (inner.first < low || inner.second > high) from = type;
      if (from == "pred") {
        plain_ = false;
        const std::string a = indices(dims, type, depth);
        std::string zero = constant(type, pick(0, 3));
        if (!dims.empty()) zero = define(of, fmt::format("broadcast({}), dimensions={{}}", zero));
        const std::string test =
            define(array("pred", dims), fmt::format("compare({}, {}), direction=LT", a, zero));
        return define(of, fmt::format("convert({})", test));
      }
      return define(of, fmt::format("convert({})", indices(dims, from, depth)));
    }
    default: {
      const std::string a = indices(dims, type, depth);
      const std::string name = fmt::format("g{}", names_++);
      functions_ +=
          fmt::format("{0} {{\n  {0}p = {1} parameter(0)\n  ROOT {0}r = {1} copy({0}p)\n}}\n", name, of);
      return define(of, chance(50) ? fmt::format("call({}), to_apply={}", a, name)
                                   : fmt::format("fusion({}), kind=kLoop, calls={}", a, name));
    }
  }
}

std::string IndexProgram::moved(const Dims& dims, const std::string& type, int depth) {
  const std::string of = array(type, dims);
  if (dims.empty()) {
    // One element of an array.
    const Index n = pick(1, 5);
    const std::string row = indices({n}, type, depth);
    std::string one;
    if (chance(50)) {
      const Index i = pick(0, n - 1);
      one = define(type + "[1]", fmt::format("slice({}), slice={{[{}:{}]}}", row, i, i + 1));
    } else {
      const std::string start = indices({}, index_type(), depth - 1);
      one = define(type + "[1]", fmt::format("dynamic-slice({}, {}), dynamic_slice_sizes={{1}}", row, start));
    }
    return define(of, fmt::format("reshape({})", one));
  }
  const auto d = static_cast<std::size_t>(pick(0, std::ssize(dims) - 1));
  Dims other = dims;
  switch (pick(0, 6)) {
    case 0: {
      other.erase(other.begin() + static_cast<std::ptrdiff_t>(d));
      std::vector<std::size_t> to;
      for (std::size_t i = 0; i < dims.size(); ++i) {
        if (i != d) to.push_back(i);
      }
      return define(of, fmt::format("broadcast({}), dimensions={{{}}}", indices(other, type, depth),
                                    fmt::join(to, ",")));
    }
    case 1: {
      const Index before = pick(0, 2), stride = pick(1, 2), after = pick(0, 2);
      const Index limit = before + (dims[d] - 1) * stride + 1;
      other[d] = limit + after;
      std::vector<std::string> parts;
      for (std::size_t i = 0; i < dims.size(); ++i)
        parts.push_back(i == d ? fmt::format("[{}:{}:{}]", before, limit, stride)
                               : fmt::format("[0:{}]", dims[i]));
      return define(
          of, fmt::format("slice({}), slice={{{}}}", indices(other, type, depth), fmt::join(parts, ", ")));
    }
    case 2: {
      std::vector<std::size_t> order(dims.size());
      for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
      std::shuffle(order.begin(), order.end(), random_);
      for (std::size_t i = 0; i < order.size(); ++i) other[order[i]] = dims[i];
      return define(of, fmt::format("transpose({}), dimensions={{{}}}", indices(other, type, depth),
                                    fmt::join(order, ",")));
    }
    case 3:
      return define(of, fmt::format("reverse({}), dimensions={{{}}}", indices(dims, type, depth), d));
    case 4: {
      if (dims[d] < 2) return indices(dims, type, depth);
      const Index first = pick(1, dims[d] - 1);
      other[d] = first;
      const std::string a = indices(other, type, depth);
      other[d] = dims[d] - first;
      const std::string b = indices(other, type, depth);
      return define(of, fmt::format("concatenate({}, {}), dimensions={{{}}}", a, b, d));
    }
    case 5: {
      if (dims[d] < 2) return indices(dims, type, depth);
      const Index inner = pick(1, dims[d]);
      const Index low = pick(0, dims[d] - inner);
      other[d] = inner;
      std::vector<std::string> parts;
      for (std::size_t i = 0; i < dims.size(); ++i)
        parts.push_back(i == d ? fmt::format("{}_{}", low, dims[d] - inner - low) : "0_0");
      const std::string a = indices(other, type, depth);
      return define(
          of, fmt::format("pad({}, {}), padding={}", a, constant(type, pick(0, 5)), fmt::join(parts, "x")));
    }
    default: {
      other[d] = dims[d] + pick(0, 2);
      const std::string a = indices(other, type, depth);
      std::vector<std::string> starts;
      for (std::size_t i = 0; i < dims.size(); ++i)
        starts.push_back(i == d ? indices({}, "s32", depth - 1) : constant("s32", 0));
      return define(of, fmt::format("dynamic-slice({}, {}), dynamic_slice_sizes={{{}}}", a,
                                    fmt::join(starts, ", "), fmt::join(dims, ",")));
    }
  }
}

std::string IndexProgram::computed(const Dims& dims, const std::string& type, int depth) {
  plain_ = false;
  const std::string of = array(type, dims);
  const auto all = [&](Index value) {
    const std::string one = constant(type, value);
    return dims.empty() ? one : define(of, fmt::format("broadcast({}), dimensions={{}}", one));
  };
  const std::string a = indices(dims, type, depth);
  switch (pick(0, 7)) {
    case 0:
      return define(
          of, fmt::format("add({}, {})", a, chance(70) ? all(pick(-2, 4)) : indices(dims, type, depth - 1)));
    case 1:
      return define(of, fmt::format("subtract({}, {})", a, all(pick(0, 4))));
    case 2:
      return define(of, fmt::format("multiply({}, {})", a, all(pick(0, 3))));
    case 3:
      return define(of, fmt::format("{}({}, {})", chance(50) ? "maximum" : "minimum", a, all(pick(0, 6))));
    case 4:
      return define(
          of, fmt::format("clamp({}, {}, {})", constant(type, pick(0, 2)), a, constant(type, pick(2, 6))));
    case 5:
      return define(of, fmt::format("{}({}, {})", chance(50) ? "and" : "xor", a, all(pick(0, 7))));
    case 6:
      if (range_of(type).second < 2) return a;
      return define(of, fmt::format("{}({}, {})", chance(50) ? "remainder" : "divide", a,
                                    all(std::min<Index>(pick(1, 5), range_of(type).second))));
    default: {
      // Negative indices count from the end.
      const std::string test =
          define(array("pred", dims), fmt::format("compare({}, {}), direction=LT", a, all(0)));
      const std::string other = define(of, fmt::format("add({}, {})", a, all(pick(1, 8))));
      return define(of, fmt::format("select({}, {}, {})", test, other, a));
    }
  }
}

std::string IndexProgram::indices(const Dims& dims, const std::string& type, int depth) {
  if (depth <= 0 || count(dims) > 40) return leaf(dims, type);
  switch (pick(0, 5)) {
    case 0:
      return leaf(dims, type);
    case 1:
    case 2:
      return passed_on(dims, type, depth - 1);
    case 3:
      return computed(dims, type, depth - 1);
    default:
      return moved(dims, type, depth - 1);
  }
}

std::string IndexProgram::gather_or_scatter(const std::string& x, const std::string& u) {
  const Dims whole = {pick(1, 9), pick(1, 4)};
  Dims window = {pick(1, std::min<Index>(whole[0], 2)), pick(1, whole[1])};
  const Index n = pick(1, 8);
  const bool both = chance(40);  // components of an index vector
  const std::string type = index_type();
  const int depth = static_cast<int>(pick(0, 3));
  const bool scalar = !both && chance(30);
  const std::string at = indices(scalar ? Dims{n} : Dims{n, both ? 2 : 1}, type, depth);
  const Dims spread = {n, window[0], window[1]};
  const std::string components = both ? (chance(50) ? "0,1" : "1,0") : (chance(70) ? "0" : "1");
  parameters_[0] = array("f32", whole);
  if (chance(60)) {
    return fmt::format(
        "{} gather({}, {}), offset_dims={{1,2}}, collapsed_slice_dims={{}}, start_index_map={{{}}}, "
        "index_vector_dim=1, slice_sizes={{{}}}",
        array("f32", spread), x, at, components, fmt::join(window, ","));
  }
  parameters_[1] = array("f32", spread);
  functions_ +=
      chance(50)
          ? "f {\n  fa = f32[] parameter(0)\n  fb = f32[] parameter(1)\n  ROOT fr = f32[] add(fa, fb)\n}\n"
          : "f {\n  fa = f32[] parameter(0)\n  ROOT fb = f32[] parameter(1)\n}\n";
  return fmt::format(
      "{} scatter({}, {}, {}), update_window_dims={{1,2}}, inserted_window_dims={{}}, "
      "scatter_dims_to_operand_dims={{{}}}, index_vector_dim=1, to_apply=f",
      array("f32", whole), x, at, u, components);
}

std::string IndexProgram::root(const std::string& x, const std::string& u) {
  if (chance(50)) return gather_or_scatter(x, u);
  Dims whole;
  Dims box;
  const Index rank = pick(1, 3);
  for (Index d = 0; d < rank; ++d) {
    whole.push_back(chance(20) ? pick(6, 20) : pick(1, 5));
    box.push_back(chance(25) ? whole.back() : pick(chance(10) ? 0 : 1, whole.back()));
  }
  const bool update = chance(55);
  if (!update) {
    for (Index& n : box) n = std::max<Index>(n, 1);
  }
  std::vector<std::string> starts;
  const std::string type = index_type();
  for (Index d = 0; d < rank; ++d) starts.push_back(indices({}, type, static_cast<int>(pick(0, 3))));
  parameters_[0] = array("f32", whole);
  if (update) {
    parameters_[1] = array("f32", box);
    return fmt::format("{} dynamic-update-slice({}, {}, {})", array("f32", whole), x, u,
                       fmt::join(starts, ", "));
  }
  return fmt::format("{} dynamic-slice({}, {}), dynamic_slice_sizes={{{}}}", array("f32", box), x,
                     fmt::join(starts, ", "), fmt::join(box, ","));
}

void IndexProgram::write() {
  constants_only_ = chance(50);
  parameters_ = {"f32[1]", "f32[1]"};
  first_index_parameter_ = 2;
  const bool fused = chance(40);
  const std::string x = fused ? "x" : "p0";
  const std::string u = fused ? "u" : "p1";
  // The operands of a fusion are the arrays and, of the integers, those that the root reads or all that they
  // come from.
  const std::string operation = root(x, u);
  std::string entry;
  for (std::size_t p = 0; p < parameters_.size(); ++p)
    entry += fmt::format("  p{} = {} parameter({})\n", p, parameters_[p], p);
  if (!fused) {
    text_ = functions_ + "ENTRY e {\n" + entry + lines_ + "  ROOT r = " + operation + "\n}\n";
    return;
  }
  // Integers that the root reads stay outside, or everything moves inside.
  const bool outside = chance(50);
  std::string inside =
      fmt::format("  x = {} parameter(0)\n  u = {} parameter(1)\n", parameters_[0], parameters_[1]);
  std::string root_text = operation;
  std::vector<std::string> passed = {"p0", "p1"};
  const std::string type = operation.substr(0, operation.find(' '));
  if (outside) {
    // Each integer operand becomes a parameter of the fusion.
    const std::size_t open = operation.find('(');
    const std::size_t close = operation.find(')', open);
    std::string operands;
    std::string rest = operation.substr(open + 1, close - open - 1);
    while (!rest.empty()) {
      const std::size_t comma = rest.find(", ");
      std::string name = rest.substr(0, comma);
      rest = comma == std::string::npos ? "" : rest.substr(comma + 2);
      if (name != "x" && name != "u") {
        const std::string number = name.substr(1);
        std::string of;
        if (name[0] == 'p') {
          of = parameters_[static_cast<std::size_t>(std::stoi(number))];
        } else {
          const std::size_t line = lines_.find("  " + name + " = ") + name.size() + 5;
          of = lines_.substr(line, lines_.find(' ', line) - line);
        }
        inside += fmt::format("  q{} = {} parameter({})\n", passed.size(), of, passed.size());
        passed.push_back(name);
        name = fmt::format("q{}", passed.size() - 1);
      }
      operands += (operands.empty() ? "" : ", ") + name;
    }
    root_text = operation.substr(0, open + 1) + operands + operation.substr(close);
  } else {
    for (std::size_t p = 2; p < parameters_.size(); ++p) {
      // Names inside differ from those outside.
      inside += fmt::format("  q{} = {} parameter({})\n", p, parameters_[p], p);
      passed.push_back(fmt::format("p{}", p));
    }
    const auto renamed = [&](std::string text) {
      for (std::size_t at = 0; (at = text.find('p', at)) != std::string::npos; ++at) {
        const bool starts = at == 0 || text[at - 1] == '(' || text[at - 1] == ' ';
        if (starts && at + 1 < text.size() && text[at + 1] >= '0' && text[at + 1] <= '9') text[at] = 'q';
      }
      return text;
    };
    inside += renamed(lines_);
    root_text = renamed(operation);
  }
  const std::string call = chance(70)
                               ? fmt::format("fusion({}), kind=kLoop, calls=fused", fmt::join(passed, ", "))
                               : fmt::format("call({}), to_apply=fused", fmt::join(passed, ", "));
  text_ = functions_ + "fused {\n" + inside + "  ROOT fused_root = " + root_text + "\n}\nENTRY e {\n" +
          entry + (outside ? lines_ : "") + "  ROOT r = " + type + " " + call + "\n}\n";
}

}  // namespace tessera::laws
