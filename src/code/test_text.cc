// SPDX-License-Identifier: Apache-2.0
#include "code/test_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "code/function_text.h"

namespace tessera::coding {
namespace {

struct Sample {
  std::vector<Index> point;
  std::optional<std::vector<Index>> results;
};

// The corners of the box, and points inside it from a fixed sequence.
std::vector<Sample> samples_of(std::span<const Interval> box, const Expected& expected) {
  constexpr int kSamples = 32;
  std::set<std::vector<Index>> chosen;
  std::uint64_t state = 1;
  for (int i = 0; i < kSamples; ++i) {
    std::vector<Index> point;
    for (std::size_t d = 0; d < box.size(); ++d) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      const auto extent = static_cast<std::uint64_t>(box[d].upper - box[d].lower) + 1;
      const Index inside = box[d].lower + static_cast<Index>((state >> 11) % extent);
      point.push_back(i == 0 ? box[d].lower : i == 1 ? box[d].upper : inside);
    }
    chosen.insert(std::move(point));
  }
  std::vector<Sample> out;
  for (const std::vector<Index>& point : chosen) out.push_back({point, expected(point)});
  return out;
}

struct FunctionFacts {
  std::span<const FunctionCall> calls = {};  // if there are several functions
  std::vector<Interval> box;
  std::vector<Sample> samples;
  std::optional<std::uint64_t> hash;
};

FunctionFacts facts_of(const Function& function, const Expected& expected, Index limit,
                       std::span<const FunctionCall> calls = {}) {
  FunctionFacts facts;
  facts.calls = calls;
  for (const Parameter& parameter : function.parameters) facts.box.push_back(parameter.range);
  facts.samples = samples_of(facts.box, expected);
  if (count_points(facts.box, limit) > limit) return facts;
  Hash hash;
  for_each_point(facts.box, [&](std::span<const Index> point) {
    const auto results = expected(point);
    hash.add(results ? 1 : 0);
    if (!results) return;
    for (const Index value : *results) hash.add(static_cast<std::uint64_t>(value));
  });
  facts.hash = hash.value();
  return facts;
}

std::string row_text(const Sample& sample, std::size_t results) {
  std::vector<Index> row = sample.point;
  row.push_back(sample.results ? 1 : 0);
  for (std::size_t i = 0; i < results; ++i) row.push_back(sample.results ? (*sample.results)[i] : 0);
  return fmt::format("{}", fmt::join(row, ", "));
}

std::string c_function_test(const Function& function, const FunctionFacts& facts, int bits) {
  const Rules& rules = function.terms.rules();
  const std::string_view type = bits == 32 ? rules.int32 : rules.int64;
  const std::size_t in = function.parameters.size();
  const std::size_t out_count = function.values.size();
  std::vector<std::string> arguments;
  for (std::size_t i = 0; i < in; ++i) arguments.push_back(fmt::format("({})in[{}]", type, i));
  std::string body;
  if (!facts.calls.empty()) {
    for (std::size_t k = 0; k < facts.calls.size(); ++k) {
      const FunctionCall& call = facts.calls[k];
      const std::string_view own = bits_of(call.function).value_or(64) == 32 ? rules.int32 : rules.int64;
      arguments.clear();
      for (const std::size_t i : call.arguments) arguments.push_back(fmt::format("({})in[{}]", own, i));
      body += fmt::format("  out[{}] = {}({});\n", k, call.function.name, fmt::join(arguments, ", "));
    }
    body += "  return 1;\n";
  } else if (out_count == 1 && function.conditions.empty()) {
    body = fmt::format("  out[0] = {}({});\n  return 1;\n", function.name, fmt::join(arguments, ", "));
  } else {
    for (std::size_t i = 0; i < out_count; ++i) arguments.push_back(fmt::format("&result[{}]", i));
    const std::string call = fmt::format("{}({})", function.name, fmt::join(arguments, ", "));
    body = fmt::format("  {} result[{}] = {{0}};\n", type, std::max<std::size_t>(out_count, 1));
    body += function.conditions.empty() ? fmt::format("  {};\n", call)
                                        : fmt::format("  if (!{}) return 0;\n", call);
    for (std::size_t i = 0; i < out_count; ++i) body += fmt::format("  out[{}] = result[{}];\n", i, i);
    body += "  return 1;\n";
  }
  std::string out{c_test_start(rules)};
  if (!facts.hash) out.erase(out.rfind("static void mix"));
  out += fmt::format("\nstatic int compute(const int64_t* in, int64_t* out) {{\n{}{}}}\n",
                     in == 0 ? "  (void)in;\n" : "", body);
  out += "\n// Parameters, whether there is a result, results.\n";
  out += fmt::format("static const int64_t table[][{}] = {{\n", in + 1 + out_count);
  for (const Sample& sample : facts.samples) out += fmt::format("    {{{}}},\n", row_text(sample, out_count));
  out += fmt::format(
      "}};\n\nint main({}) {{\n  int64_t out[{}] = {{0}};\n"
      "  for (unsigned i = 0; i < sizeof table / sizeof table[0]; ++i) {{\n"
      "    int same = compute(table[i], out) == table[i][{}];\n"
      "    for (int k = 0; k < {}; ++k) same = same && (!table[i][{}] || out[k] == table[i][{} + k]);\n"
      "    if (!same) {{\n      printf(\"wrong in row %u of the table\\n\", i);\n      return 1;\n    }}\n  "
      "}}\n",
      rules.language == CodeLanguage::c ? "void" : "", std::max<std::size_t>(out_count, 1), in, out_count, in,
      in + 1);
  if (!facts.hash) return out + "  puts(\"the points of the table agree\");\n  return 0;\n}\n";
  out += fmt::format("  uint64_t hash = {}u;\n  int64_t in[{}] = {{0}};\n", Hash().value(),
                     std::max<std::size_t>(in, 1));
  std::string indent = "  ";
  for (std::size_t i = 0; i < in; ++i) {
    out += fmt::format("{}for (in[{}] = {}; in[{}] <= {}; ++in[{}]) {{\n", indent, i, facts.box[i].lower, i,
                       facts.box[i].upper, i);
    indent += "  ";
  }
  out += fmt::format(
      "{}const int some = compute(in, out);\n{}mix(&hash, (uint64_t)some);\n"
      "{}for (int k = 0; some && k < {}; ++k) mix(&hash, (uint64_t)out[k]);\n",
      indent, indent, indent, out_count);
  for (std::size_t i = 0; i < in; ++i) {
    indent.resize(indent.size() - 2);
    out += indent + "}\n";
  }
  return out + fmt::format(
                   "  if (hash != {}u) {{\n    puts(\"wrong at some point\");\n    return 1;\n  }}\n"
                   "  puts(\"all points agree\");\n  return 0;\n}}\n",
                   *facts.hash);
}

std::string python_function_test(const Function& function, const FunctionFacts& facts) {
  const Rules& rules = function.terms.rules();
  const std::size_t in = function.parameters.size();
  const bool arrays = rules.family == Family::arrays;
  std::string out{python_test_start()};
  if (rules.language == CodeLanguage::triton)
    out +=
        "# The test runs the function's Python on integers, without a GPU.\ntl.cast = lambda value, dtype: "
        "value\n"
        "tl.minimum, tl.maximum = min, max\n";
  const auto callable = [&](const std::string& name) {
    return rules.language == CodeLanguage::triton ? fmt::format("getattr({}, \"fn\", {})", name, name) : name;
  };
  if (facts.calls.empty()) {
    out += fmt::format("function = {}\n", callable(function.name));
  } else {
    std::vector<std::string> values;
    for (const FunctionCall& call : facts.calls) {
      std::vector<std::string> arguments;
      for (const std::size_t i : call.arguments) arguments.push_back(fmt::format("point[{}]", i));
      values.push_back(fmt::format("{}({})", callable(call.function.name), fmt::join(arguments, ", ")));
    }
    out += fmt::format("\n\ndef function(*point):\n    return [{}]\n", fmt::join(values, ", "));
  }
  out += std::string("\n\ndef compute(point):\n    result = function(*point)\n");
  const bool conditional = !function.conditions.empty();
  if (facts.calls.empty() && function.values.size() == 1 && !conditional) {
    out += "    return [int(result)]\n";
  } else if (conditional && arrays) {
    out += "    return [int(value) for value in result[:-1]] if result[-1] else None\n";
  } else {
    out += "    return None if result is None else [int(value) for value in result]\n";
  }
  out += "\n\n# Parameters and results; None: there is no result.\ntable = [\n";
  for (const Sample& sample : facts.samples) {
    const std::string results =
        sample.results ? fmt::format("[{}]", fmt::join(*sample.results, ", ")) : std::string("None");
    out += fmt::format("    (({}{}), {}),\n", fmt::join(sample.point, ", "), in == 1 ? "," : "", results);
  }
  out +=
      "]\nfor point, expected in table:\n    assert compute(point) == expected, (point, compute(point), "
      "expected)\n";
  if (!facts.hash) return out + "print(\"the points of the table agree\")\n";
  std::vector<std::string> ranges;
  for (const Interval range : facts.box)
    ranges.push_back(fmt::format("range({}, {})", range.lower, range.upper + 1));
  return out + fmt::format(
                   "hash = {}\nfor point in itertools.product({}):\n    results = compute(point)\n"
                   "    hash = mix(hash, results is not None)\n    for value in results or []:\n"
                   "        hash = mix(hash, value)\nassert hash == {}, \"wrong at some point\"\n"
                   "print(\"all points agree\")\n",
                   Hash().value(), fmt::join(ranges, ", "), *facts.hash);
}

std::string affine_function_test(const Function& function, const FunctionFacts& facts) {
  std::set<Index> constants;
  std::vector<std::string> calls;
  const bool conditional = !function.conditions.empty();
  std::vector<std::string> types(function.values.size(), "index");
  if (conditional) types.emplace_back("i1");
  const auto name = [](Index value) { return fmt::format("%{}{}", value < 0 ? "m" : "c", std::abs(value)); };
  std::string body;
  for (std::size_t i = 0; i < facts.samples.size(); ++i) {
    const Sample& sample = facts.samples[i];
    std::vector<std::string> arguments;
    for (const Index value : sample.point) {
      constants.insert(value);
      arguments.push_back(name(value));
    }
    for (std::size_t k = 0; k < facts.calls.size(); ++k) {
      const FunctionCall& call = facts.calls[k];
      std::vector<std::string> own;
      for (const std::size_t j : call.arguments) own.push_back(arguments[j]);
      const Index value = (*sample.results)[k];
      constants.insert(value);
      body += fmt::format(
          "  %r{0}_{1} = func.call @{2}({3}) : ({4}) -> (index)\n  %e{0}_{1} = arith.cmpi eq, %r{0}_{1}, {5} "
          ": "
          "index\n  cf.assert %e{0}_{1}, \"wrong\"\n",
          i, k, call.function.name, fmt::join(own, ", "),
          fmt::join(std::vector<std::string>(own.size(), "index"), ", "), name(value));
    }
    if (!facts.calls.empty()) continue;
    const std::vector<std::string> inputs(sample.point.size(), "index");
    body += fmt::format("  %r{}{} = func.call @{}({}) : ({}) -> ({})\n", i,
                        types.size() == 1 ? "" : fmt::format(":{}", types.size()), function.name,
                        fmt::join(arguments, ", "), fmt::join(inputs, ", "), fmt::join(types, ", "));
    const auto result = [&](std::size_t k) {
      return types.size() == 1 ? fmt::format("%r{}", i) : fmt::format("%r{}#{}", i, k);
    };
    if (conditional)
      body += fmt::format("  %v{} = arith.cmpi eq, {}, %{} : i1\n  cf.assert %v{}, \"wrong\"\n", i,
                          result(types.size() - 1), sample.results ? "yes" : "no", i);
    if (!sample.results) continue;
    for (std::size_t k = 0; k < function.values.size(); ++k) {
      constants.insert((*sample.results)[k]);
      body += fmt::format("  %e{}_{} = arith.cmpi eq, {}, {} : index\n  cf.assert %e{}_{}, \"wrong\"\n", i, k,
                          result(k), name((*sample.results)[k]), i, k);
    }
  }
  std::string out = "\nfunc.func @main() -> i32 {\n";
  if (conditional) out += "  %yes = arith.constant true\n  %no = arith.constant false\n";
  for (const Index value : constants)
    out += fmt::format("  {} = arith.constant {} : index\n", name(value), value);
  return out + body + "  %status = arith.constant 0 : i32\n  return %status : i32\n}\n";
}

}  // namespace

std::string_view c_test_start(const Rules& rules) {
  return rules.language == CodeLanguage::c
             ? "\n#include <stdio.h>\n#include <stdlib.h>\n\n"
               "static void mix(uint64_t* hash, uint64_t value) { *hash = (*hash ^ value) * 1099511628211u; "
               "}\n"
             : "\n#include <cstdio>\n#include <cstdlib>\n#include <vector>\n\nusing std::int64_t;\nusing "
               "std::printf;\nusing std::puts;\nusing std::uint64_t;\n\n"
               "static void mix(uint64_t* hash, uint64_t value) { *hash = (*hash ^ value) * 1099511628211u; "
               "}\n";
}

std::string_view python_test_start() {
  return "\nimport itertools\n\n\ndef mix(hash, value):\n"
         "    return ((hash ^ (int(value) % 2**64)) * 1099511628211) % 2**64\n\n\n";
}

Index count_points(std::span<const Interval> box, Index cap) {
  Index count = 1;
  for (const Interval range : box) {
    const auto extent = range.count();
    if (!extent || mul_overflows(count, *extent, count) || count > cap) return cap + 1;
  }
  return count;
}

Index point_limit(const Rules& rules) {
  return rules.family == Family::c        ? Index{1} << 22
         : rules.family == Family::python ? Index{1} << 18
                                          : Index{1} << 13;
}

namespace {

std::string facts_test(const Function& function, const FunctionFacts& facts) {
  switch (function.terms.rules().family) {
    case Family::c:
      return c_function_test(function, facts, bits_of(function).value_or(64));
    case Family::affine:
      return affine_function_test(function, facts);
    case Family::python:
    case Family::arrays:
      break;
  }
  return python_function_test(function, facts);
}

}  // namespace

std::string function_test(const Function& function, const Expected& expected) {
  const Rules& rules = function.terms.rules();
  return facts_test(function,
                    facts_of(function, expected, rules.family == Family::affine ? 0 : point_limit(rules)));
}

std::string points_test(const Function& function, std::span<const std::vector<Index>> points,
                        const Expected& expected) {
  FunctionFacts facts;
  for (const std::vector<Index>& point : points) facts.samples.push_back({point, expected(point)});
  return facts_test(function, facts);
}

std::string functions_test(std::span<const FunctionCall> calls, std::span<const Parameter> box,
                           const Expected& expected) {
  Function all = calls.front().function;  // its language
  all.parameters.assign(box.begin(), box.end());
  // A copy: assign may not be given an element of its own vector.
  const auto value = all.values.front();
  all.values.assign(calls.size(), value);
  const Rules& rules = all.terms.rules();
  return facts_test(all,
                    facts_of(all, expected, rules.family == Family::affine ? 0 : point_limit(rules), calls));
}

}  // namespace tessera::coding
