// SPDX-License-Identifier: Apache-2.0
// Loop nests and copies in each family of languages.
#include "code/nest_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "code/function_text.h"

namespace tessera::coding {
namespace {

// The most threads of a block, in CUDA and HIP, and the most elements of one in Triton.
constexpr Index kLargestBlock = Index{1} << 20;

std::string indent(std::size_t depth, std::size_t width) { return std::string(depth * width, ' '); }

std::string_view c_element(CodeLanguage language, Index bytes) {
  if (language != CodeLanguage::c) return "T";
  return bytes == 1 ? "uint8_t" : bytes == 2 ? "uint16_t" : bytes == 4 ? "uint32_t" : "uint64_t";
}

// All data needed to write one nest.
struct Writing {
  const LoopNest& nest;
  const Function& function;
  TermText text;
  std::vector<std::string> names;

  Writing(const LoopNest& of, int bits, std::string_view sigil)
      : nest(of),
        function(of.function),
        text(of.function.terms, prefixed(of.function, sigil), bits),
        names(prefixed(of.function, sigil)) {}

  static std::vector<std::string> prefixed(const Function& function, std::string_view sigil) {
    std::vector<std::string> out;
    for (const Parameter& parameter : function.parameters) out.push_back(std::string(sigil) + parameter.name);
    return out;
  }

  std::size_t loops() const { return names.size() - nest.loops_from; }
  Interval range(std::size_t loop) const { return function.parameters[nest.loops_from + loop].range; }
  const std::string& name(std::size_t loop) const { return names[nest.loops_from + loop]; }

  // The number of loops around the test of a condition: up to the innermost loop whose variable the condition
  // uses.
  std::size_t depth(const Condition& condition) const {
    std::size_t out = 0;
    const TermId roots[] = {condition.term};
    for (const TermId id : function.terms.reachable(roots)) {
      const CodeTerm& term = function.terms[id];
      if (term.op != Op::variable) continue;
      const auto number = static_cast<std::size_t>(term.value);
      if (number >= nest.loops_from) out = std::max(out, number - nest.loops_from + 1);
    }
    return out;
  }

  // The conditions to test inside exactly this many loops.
  std::vector<std::string> tests(std::size_t at, std::string_view both) const {
    std::vector<std::string> out;
    for (const Condition& condition : function.conditions) {
      if (depth(condition) != at) continue;
      std::string test = text.test(condition, both);
      if (!test.empty()) out.push_back(std::move(test));
    }
    return out;
  }

  std::vector<std::string> visited() const {
    std::vector<std::string> out(names.begin() + static_cast<std::ptrdiff_t>(nest.loops_from), names.end());
    for (const TermId value : function.values) out.push_back(text(value));
    return out;
  }
};

std::string c_nest(const LoopNest& nest, int bits) {
  Writing w(nest, bits, "");
  const std::string_view type = w.text.type();
  std::string out;
  const auto skip = [&](std::size_t at) {
    const std::vector<std::string> tests = w.tests(at, " && ");
    if (!tests.empty())
      out += fmt::format("{}if (!({})) {};\n", indent(at + 1, 2), fmt::join(tests, " && "),
                         at == 0 ? "return" : "continue");
  };
  skip(0);
  for (std::size_t i = 0; i < w.loops(); ++i) {
    out += fmt::format("{}for ({} {} = {}; {} < {}; ++{}) {{\n", indent(i + 1, 2), type, w.name(i),
                       w.range(i).lower, w.name(i), w.range(i).upper + 1, w.name(i));
    skip(i + 1);
  }
  const std::string in = indent(w.loops() + 1, 2);
  for (const auto& [name, value] : w.text.name_shared(w.function.values))
    out += fmt::format("{}const {} {} = {};\n", in, type, name, value);
  if (nest.body == Body::copy) {
    out +=
        fmt::format("{}dst[{}] = src[{}];\n", in, w.text(w.function.values[1]), w.text(w.function.values[0]));
  } else {
    std::vector<std::string> values = w.visited();
    if (w.function.terms.rules().language == CodeLanguage::c) values.insert(values.begin(), "context");
    out += fmt::format("{}visit({});\n", in, fmt::join(values, ", "));
  }
  for (std::size_t i = w.loops(); i-- > 0;) out += indent(i + 1, 2) + "}\n";
  return out;
}

std::string c_signature(const LoopNest& nest, int bits) {
  const Rules& rules = nest.function.terms.rules();
  const bool plain = rules.language == CodeLanguage::c;
  const std::string_view type = bits == 32 ? rules.int32 : rules.int64;
  std::vector<std::string> arguments;
  for (std::size_t i = 0; i < nest.loops_from; ++i)
    arguments.push_back(fmt::format("{} {}", type, nest.function.parameters[i].name));
  if (nest.body == Body::copy) {
    const std::string_view element = c_element(rules.language, nest.element_bytes);
    const std::string_view restrict = plain ? "restrict" : "__restrict";
    arguments.push_back(fmt::format("{}* {} dst", element, restrict));
    arguments.push_back(fmt::format("const {}* {} src", element, restrict));
    if (plain)
      return fmt::format("static inline void {}({}) {{\n", nest.function.name, fmt::join(arguments, ", "));
    return fmt::format("template <class T>\n{}void {}({}) {{\n  static_assert(sizeof(T) == {});\n",
                       rules.qualifier, nest.function.name, fmt::join(arguments, ", "), nest.element_bytes);
  }
  if (!plain) {
    arguments.emplace_back("Visit&& visit");
    return fmt::format("template <class Visit>\n{}void {}({}) {{\n", rules.qualifier, nest.function.name,
                       fmt::join(arguments, ", "));
  }
  std::vector<std::string> types = {"void* context"};
  for (std::size_t i = nest.loops_from; i < nest.function.parameters.size(); ++i)
    types.push_back(fmt::format("{} {}", type, nest.function.parameters[i].name));
  for (const std::string& result : nest.function.results) types.push_back(fmt::format("{} {}", type, result));
  arguments.push_back(fmt::format("void (*visit)({})", fmt::join(types, ", ")));
  arguments.emplace_back("void* context");
  return fmt::format("static inline void {}({}) {{\n", nest.function.name, fmt::join(arguments, ", "));
}

std::string python_signature(const LoopNest& nest) {
  std::vector<std::string> arguments;
  for (std::size_t i = 0; i < nest.loops_from; ++i) arguments.push_back(nest.function.parameters[i].name);
  if (nest.body == Body::copy) arguments.insert(arguments.end(), {"dst", "src"});
  return fmt::format("def {}({}):\n", nest.function.name, fmt::join(arguments, ", "));
}

std::string python_nest(const LoopNest& nest) {
  Writing w(nest, 64, "");
  std::string out;
  const auto skip = [&](std::size_t at) {
    const std::vector<std::string> tests = w.tests(at, " and ");
    if (!tests.empty())
      out += fmt::format("{}if not ({}):\n{}{}\n", indent(at + 1, 4), fmt::join(tests, " and "),
                         indent(at + 2, 4), at == 0 ? "return" : "continue");
  };
  skip(0);
  for (std::size_t i = 0; i < w.loops(); ++i) {
    const Interval range = w.range(i);
    const std::string from = range.lower == 0 ? "" : fmt::format("{}, ", range.lower);
    out += fmt::format("{}for {} in range({}{}):\n", indent(i + 1, 4), w.name(i), from, range.upper + 1);
    skip(i + 1);
  }
  const std::string in = indent(w.loops() + 1, 4);
  for (const auto& [name, value] : w.text.name_shared(w.function.values))
    out += fmt::format("{}{} = {}\n", in, name, value);
  if (nest.body == Body::copy)
    return out + fmt::format("{}dst[{}] = src[{}]\n", in, w.text(w.function.values[1]),
                             w.text(w.function.values[0]));
  const std::vector<std::string> values = w.visited();
  return out + fmt::format("{}yield ({}{})\n", in, fmt::join(values, ", "), values.size() == 1 ? "," : "");
}

std::string affine_nest(const LoopNest& nest) {
  const Writing w(nest, 64, "%");
  const TermText plain(nest.function.terms, Writing::prefixed(nest.function, ""), 64);
  std::string out;
  for (std::size_t i = 0; i < w.loops(); ++i)
    out += fmt::format("{}affine.for {} = {} to {} {{\n", indent(i + 1, 2), w.name(i), w.range(i).lower,
                       w.range(i).upper + 1);
  std::size_t depth = w.loops() + 1;
  std::vector<std::string> constraints;
  for (const Condition& condition : nest.function.conditions) {
    const std::string value = plain(condition.term);
    constraints.push_back(fmt::format("{} >= {}", value, condition.range.lower));
    constraints.push_back(fmt::format("{} <= {}", value, condition.range.upper));
  }
  if (!constraints.empty()) {
    out += fmt::format("{}affine.if affine_set<({}) : ({})>({}) {{\n", indent(depth, 2),
                       fmt::join(Writing::prefixed(nest.function, ""), ", "), fmt::join(constraints, ", "),
                       fmt::join(w.names, ", "));
    ++depth;
  }
  const std::string in = indent(depth, 2);
  if (nest.body == Body::copy) {
    const std::string type = fmt::format("memref<?xi{}>", nest.element_bytes * 8);
    out += fmt::format("{}%v = affine.load %src[{}] : {}\n{}affine.store %v, %dst[{}] : {}\n", in,
                       w.text(nest.function.values[0]), type, in, w.text(nest.function.values[1]), type);
  } else {
    std::vector<std::string> values(w.names.begin() + static_cast<std::ptrdiff_t>(nest.loops_from),
                                    w.names.end());
    for (std::size_t i = 0; i < nest.function.values.size(); ++i) {
      const std::string& name = nest.function.results[i];
      out += fmt::format("{}%{} = affine.apply affine_map<({}) -> ({})>({})\n", in, name,
                         fmt::join(Writing::prefixed(nest.function, ""), ", "),
                         plain(nest.function.values[i]), fmt::join(w.names, ", "));
      values.push_back("%" + name);
    }
    const std::vector<std::string> types(values.size(), "index");
    out += fmt::format("{}func.call @visit({}) : ({}) -> ()\n", in, fmt::join(values, ", "),
                       fmt::join(types, ", "));
  }
  if (!constraints.empty()) out += indent(depth - 1, 2) + "}\n";
  for (std::size_t i = w.loops(); i-- > 0;) out += indent(i + 1, 2) + "}\n";
  return out;
}

std::string affine_signature(const LoopNest& nest) {
  std::vector<std::string> arguments;
  for (std::size_t i = 0; i < nest.loops_from; ++i)
    arguments.push_back(fmt::format("%{}: index", nest.function.parameters[i].name));
  std::string out;
  if (nest.body == Body::copy) {
    for (const std::string_view name : {"dst", "src"})
      arguments.push_back(fmt::format("%{}: memref<?xi{}>", name, nest.element_bytes * 8));
  } else {
    const std::size_t values =
        nest.function.parameters.size() - nest.loops_from + nest.function.values.size();
    const std::vector<std::string> types(values, "index");
    out = fmt::format("func.func private @visit({})\n", fmt::join(types, ", "));
  }
  return out + fmt::format("func.func @{}({}) {{\n", nest.function.name, fmt::join(arguments, ", "));
}

}  // namespace

Result<std::string> nest_text(const std::vector<LoopNest>& nests) {
  int bits = 32;
  for (const LoopNest& nest : nests) {
    const Result<int> needed = bits_of(nest.function);
    if (!needed) return fail(needed.error());
    bits = std::max(bits, *needed);
    if (nest.function.terms.rules().family != Family::affine) continue;
    if (const auto affine = check_affine(nest.function); !affine) return fail(affine.error());
  }
  const LoopNest& first = nests.front();
  const Rules& rules = first.function.terms.rules();
  std::string out = about_text(first.function, first.loops_from, bits);
  switch (rules.family) {
    case Family::c:
      out += c_signature(first, bits);
      for (const LoopNest& nest : nests) out += c_nest(nest, bits);
      return out + "}\n";
    case Family::python:
      out += python_signature(first);
      for (const LoopNest& nest : nests) out += python_nest(nest);
      return out;
    case Family::affine:
      out += affine_signature(first);
      for (const LoopNest& nest : nests) out += affine_nest(nest);
      return out + "  return\n}\n";
    case Family::arrays:
      break;
  }
  return fail(Code::not_applicable, "array code cannot be written as loops");
}

Result<std::string> element_copy_text(const Function& function, Index element_bytes) {
  Result<int> bits = bits_of(function);
  if (!bits) return fail(bits.error());
  const Rules& rules = function.terms.rules();
  const LoopNest nest{function, 1, Body::copy, element_bytes};
  const Index count = function.parameters[0].range.upper + 1;
  // The last block also numbers threads without an element.
  const bool blocks = rules.family == Family::c || rules.language == CodeLanguage::triton;
  if (blocks && count > INT32_MAX - kLargestBlock) bits = 64;
  Writing w(nest, *bits, "");
  std::vector<TermId> roots = function.values;
  for (const Condition& condition : function.conditions) roots.push_back(condition.term);
  std::string out = about_text(function, 0, *bits);
  const bool c = rules.family == Family::c;
  const std::string_view number = c ? (*bits == 32 ? "std::int32_t" : "std::int64_t") : w.text.type();
  if (c) {
    out += fmt::format(
        "template <class T>\n__global__ void {}(T* __restrict__ dst, const T* __restrict__ src) {{\n"
        "  static_assert(sizeof(T) == {});\n"
        "  const {} n = {} * blockDim.x + threadIdx.x;\n  if (n >= {}) return;\n",
        function.name, element_bytes, number, *bits == 32 ? "blockIdx.x" : "std::int64_t{blockIdx.x}", count);
  } else if (rules.language == CodeLanguage::triton) {
    out += fmt::format("@triton.jit\ndef {}(dst, src, BLOCK: tl.constexpr):\n", function.name);
    const std::string_view wide = *bits == 64 ? "tl.cast(tl.program_id(0), tl.int64)" : "tl.program_id(0)";
    out += fmt::format("    n = {} * BLOCK + tl.arange(0, BLOCK)\n    valid = n < {}\n", wide, count);
  } else {
    out += fmt::format("def {}(dst, src):\n    n = {}.arange({}, dtype={})\n", function.name, rules.module,
                       count, w.text.type());
    if (rules.language == CodeLanguage::jax && *bits == 64) out += jax_width_check("n");
  }
  for (const auto& [name, value] : w.text.name_shared(roots))
    out += c ? fmt::format("  const {} {} = {};\n", number, name, value)
             : fmt::format("    {} = {}\n", name, value);
  std::vector<std::string> tests;
  for (const Condition& condition : function.conditions) {
    const std::string test = w.text.test(condition, c ? " && " : ") & (");
    if (!test.empty()) tests.push_back(c ? test : "(" + test + ")");
  }
  const std::string from = w.text(function.values[0]);
  const std::string to = w.text(function.values[1]);
  if (c) {
    if (!tests.empty()) out += fmt::format("  if (!({})) return;\n", fmt::join(tests, " && "));
    return out + fmt::format("  dst[{}] = src[{}];\n}}\n", to, from);
  }
  if (rules.language == CodeLanguage::triton) {
    if (!tests.empty()) out += fmt::format("    valid = valid & {}\n", fmt::join(tests, " & "));
    const auto grouped = [](const std::string& value) {
      return is_identifier(value) ? value : "(" + value + ")";
    };
    return out + fmt::format("    tl.store(dst + {}, tl.load(src + {}, mask=valid), mask=valid)\n",
                             grouped(to), grouped(from));
  }
  const bool jax = rules.language == CodeLanguage::jax;
  std::string only;
  if (!tests.empty() && !jax) {
    out += fmt::format("    valid = {}\n", fmt::join(tests, " & "));
    only = "[valid]";
  }
  if (!jax && only.empty()) return out + fmt::format("    dst[{}] = src[{}]\n", to, from);
  if (!jax) return out + fmt::format("    dst[({}){}] = src[({}){}]\n", to, only, from, only);
  // JAX drops updates beyond the end of an array.
  std::string target = to;
  if (!tests.empty()) target = fmt::format("jnp.where({}, {}, dst.size)", fmt::join(tests, " & "), to);
  return out + fmt::format("    return dst.at[{}].set(src[{}], mode=\"drop\")\n", target, from);
}

}  // namespace tessera::coding
