// SPDX-License-Identifier: Apache-2.0
// Functions in each family of languages.
#include "code/function_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tessera::coding {
namespace {

std::vector<std::string> names_of(const Function& function) {
  std::vector<std::string> names;
  for (const Parameter& parameter : function.parameters) names.push_back(parameter.name);
  return names;
}

std::vector<TermId> roots_of(const Function& function) {
  std::vector<TermId> roots = function.values;
  for (const Condition& condition : function.conditions) roots.push_back(condition.term);
  return roots;
}

// Conditions on bare parameters come first, because the other terms are computed only where these hold.
void split(const Function& function, const TermText& text, std::string_view both,
           std::vector<std::string>& early, std::vector<std::string>& late) {
  for (const Condition& condition : function.conditions) {
    std::string test = text.test(condition, both);
    // A bare parameter may have any value, whatever its range says.
    const bool bare = function.terms[condition.term].op == Op::variable;
    if (bare) {
      const std::string value = text(condition.term);
      test =
          fmt::format("{} >= {}{}{} <= {}", value, condition.range.lower, both, value, condition.range.upper);
    }
    if (!test.empty()) (bare ? early : late).push_back(std::move(test));
  }
}

// Parameters that no term uses; compilers warn about them.
std::vector<std::string> unused(const Function& function, std::span<const TermId> roots) {
  std::vector<bool> used(function.parameters.size());
  for (const TermId id : function.terms.reachable(roots)) {
    const CodeTerm& term = function.terms[id];
    if (term.op == Op::variable) used[static_cast<std::size_t>(term.value)] = true;
  }
  std::vector<std::string> out;
  for (std::size_t i = 0; i < used.size(); ++i) {
    if (!used[i]) out.push_back(function.parameters[i].name);
  }
  return out;
}

std::string c_function(const Function& function, int bits) {
  const Rules& rules = function.terms.rules();
  TermText text(function.terms, names_of(function), bits);
  const std::string_view type = text.type();
  std::vector<std::string> early;
  std::vector<std::string> late;
  const auto tests_of = [&](const std::vector<std::string>& tests) { return fmt::join(tests, " && "); };
  std::vector<std::string> arguments;
  for (const Parameter& parameter : function.parameters)
    arguments.push_back(fmt::format("{} {}", type, parameter.name));
  const bool direct = function.values.size() == 1 && function.conditions.empty();
  if (!direct) {
    for (const std::string& result : function.results)
      arguments.push_back(fmt::format("{}* {}", type, result));
  }
  if (arguments.empty() && rules.language == CodeLanguage::c) arguments.emplace_back("void");
  const std::string_view returns = direct ? type : function.conditions.empty() ? "void" : "bool";
  std::string out =
      fmt::format("{}{} {}({}) {{\n", rules.qualifier, returns, function.name, fmt::join(arguments, ", "));
  const std::vector<TermId> roots = roots_of(function);
  for (const std::string& name : unused(function, roots)) out += fmt::format("  (void){};\n", name);
  split(function, text, " && ", early, late);
  if (!early.empty()) out += fmt::format("  if (!({})) return false;\n", tests_of(early));
  for (const auto& [name, value] : text.name_shared(roots))
    out += fmt::format("  const {} {} = {};\n", type, name, value);
  early.clear();
  late.clear();
  split(function, text, " && ", early, late);
  if (!late.empty()) out += fmt::format("  if (!({})) return false;\n", tests_of(late));
  if (direct) return out + fmt::format("  return {};\n}}\n", text(function.values[0]));
  for (std::size_t i = 0; i < function.values.size(); ++i)
    out += fmt::format("  *{} = {};\n", function.results[i], text(function.values[i]));
  if (!function.conditions.empty()) out += "  return true;\n";
  return out + "}\n";
}

std::string python_function(const Function& function, int bits) {
  const Rules& rules = function.terms.rules();
  const bool arrays = rules.family == Family::arrays;
  TermText text(function.terms, names_of(function), bits);
  std::string out = std::string(rules.qualifier) +
                    fmt::format("def {}({}):\n", function.name, fmt::join(names_of(function), ", "));
  const std::string_view both = arrays ? ") & (" : " and ";
  std::vector<std::string> early;
  std::vector<std::string> late;
  split(function, text, both, early, late);
  if (arrays) {
    // NumPy and JAX keep the type of their arguments, which may be too narrow; Triton computes with 32 bits.
    for (const std::string& name : names_of(function)) {
      if (rules.language == CodeLanguage::numpy)
        out += fmt::format("    {} = np.asarray({}, {})\n", name, name, text.type());
      else if (bits == 64 && rules.language == CodeLanguage::triton)
        out += fmt::format("    {} = tl.cast({}, tl.int64)\n", name, name);
      else if (rules.language == CodeLanguage::jax)
        out += fmt::format("    {} = jnp.asarray({}, {})\n", name, name, text.type());
    }
    if (rules.language == CodeLanguage::jax && bits == 64 && !names_of(function).empty())
      out += jax_width_check(names_of(function).front());
  } else if (!early.empty()) {
    out += fmt::format("    if not ({}):\n        return None\n", fmt::join(early, " and "));
  }
  for (const auto& [name, value] : text.name_shared(roots_of(function)))
    out += fmt::format("    {} = {}\n", name, value);
  early.clear();
  late.clear();
  split(function, text, both, early, late);
  std::vector<std::string> values;
  for (const TermId value : function.values) values.push_back(text(value));
  if (arrays && !function.conditions.empty()) {
    early.insert(early.end(), late.begin(), late.end());
    for (std::string& test : early) test = "(" + test + ")";
    if (early.empty()) early.emplace_back("True");
    out += fmt::format("    valid = {}\n", fmt::join(early, " & "));
    values.emplace_back("valid");
  } else if (!late.empty()) {
    out += fmt::format("    if not ({}):\n        return None\n", fmt::join(late, " and "));
  }
  const bool single = values.size() == 1 && function.conditions.empty() && function.results.size() == 1;
  if (single) return out + fmt::format("    return {}\n", values[0]);
  return out + fmt::format("    return ({}{})\n", fmt::join(values, ", "), values.size() == 1 ? "," : "");
}

// The constraints of an affine_set.
std::string affine_constraints(const Function& function, const TermText& text) {
  std::vector<std::string> out;
  for (const Condition& condition : function.conditions) {
    const std::string value = text(condition.term);
    const Interval known = function.terms[condition.term].range;
    const bool bare = function.terms[condition.term].op == Op::variable;
    if (condition.range.is_point()) {
      out.push_back(fmt::format("{} == {}", value, condition.range.lower));
      continue;
    }
    if (bare || known.lower < condition.range.lower)
      out.push_back(fmt::format("{} >= {}", value, condition.range.lower));
    if (bare || known.upper > condition.range.upper)
      out.push_back(fmt::format("{} <= {}", value, condition.range.upper));
  }
  if (out.empty()) out.emplace_back("0 == 0");
  return fmt::format("{}", fmt::join(out, ", "));
}

std::string affine_function(const Function& function) {
  const std::vector<std::string> names = names_of(function);
  const TermText text(function.terms, names, 64);
  std::vector<std::string> values;
  for (const TermId value : function.values) values.push_back(text(value));
  std::string out = fmt::format("#{} = affine_map<({}) -> ({})>\n", function.name, fmt::join(names, ", "),
                                fmt::join(values, ", "));
  if (!function.conditions.empty())
    out += fmt::format("#{}_domain = affine_set<({}) : ({})>\n", function.name, fmt::join(names, ", "),
                       affine_constraints(function, text));
  std::vector<std::string> arguments;
  std::vector<std::string> operands;
  for (const std::string& name : names) {
    arguments.push_back(fmt::format("%{}: index", name));
    operands.push_back("%" + name);
  }
  std::vector<std::string> types(values.size(), "index");
  std::vector<std::string> results;
  std::string body;
  for (std::size_t i = 0; i < values.size(); ++i) {
    results.push_back(fmt::format("%{}", i));
    // One map with one result for each value, because affine.apply has one result.
    body += fmt::format("  %{} = affine.apply affine_map<({}) -> ({})>({})\n", i, fmt::join(names, ", "),
                        values[i], fmt::join(operands, ", "));
  }
  if (!function.conditions.empty()) {
    types.emplace_back("i1");
    results.emplace_back("%valid");
    body += fmt::format(
        "  %yes = arith.constant true\n  %no = arith.constant false\n"
        "  %valid = affine.if #{}_domain({}) -> i1 {{\n    affine.yield %yes : i1\n  }} else {{\n"
        "    affine.yield %no : i1\n  }}\n",
        function.name, fmt::join(operands, ", "));
  }
  const std::string list = fmt::format("{}", fmt::join(types, ", "));
  out += fmt::format("func.func @{}({}) -> {} {{\n{}", function.name, fmt::join(arguments, ", "),
                     types.size() == 1 ? list : "(" + list + ")", body);
  return out + fmt::format("  return {} : {}\n}}\n", fmt::join(results, ", "), list);
}

}  // namespace

Result<int> bits_of(const Function& function) {
  const std::vector<TermId> roots = roots_of(function);
  // Every parameter must fit in the type, even if no value uses it.
  const auto parameters_fit = [&](Interval type) {
    for (const Parameter& parameter : function.parameters) {
      if (!type.contains(parameter.range)) return false;
    }
    for (const Condition& condition : function.conditions) {
      if (!type.contains(condition.range) && condition.range.is_finite()) return false;
    }
    return true;
  };
  if (function.terms.fit(roots, 32) && parameters_fit({INT32_MIN, INT32_MAX - 1})) return 32;
  if (function.sized) return 64;  // the comment says that larger values do not fit
  if (function.terms.fit(roots, 64) && parameters_fit({kNegInf + 1, kPosInf - 1})) return 64;
  return fail(Code::overflow,
              fmt::format("an intermediate value of {} does not fit in 64 bits", function.name));
}

Result<void> check_affine(const Function& function) {
  for (const TermId id : function.terms.reachable(roots_of(function))) {
    const Op op = function.terms[id].op;
    if (op == Op::min || op == Op::max)
      return fail(Code::not_applicable, "an affine map cannot express min or max", {},
                  "choose another --lang");
    if ((op == Op::quotient || op == Op::remainder) &&
        function.terms[function.terms[id].rhs].op != Op::constant)
      return fail(Code::not_applicable, "an affine map cannot express a division by a variable", {},
                  "choose another --lang");
    if (op == Op::multiply && function.terms[function.terms[id].rhs].op != Op::constant)
      return fail(Code::not_applicable, "an affine map cannot express a product of variables", {},
                  "choose another --lang");
  }
  return {};
}

std::string comment(std::string_view start, std::string_view text) {
  std::string out;
  while (!text.empty()) {
    std::size_t end = text.size();
    if (end > 100) {
      end = text.rfind(' ', 100);
      if (end == text.npos || end == 0) end = std::min(text.find(' '), text.size());
    }
    out += fmt::format("{} {}\n", start, text.substr(0, end));
    text.remove_prefix(std::min(text.size(), end + 1));
  }
  return out;
}

std::string about_text(const Function& function, std::size_t parameters, int bits) {
  const Rules& rules = function.terms.rules();
  std::string out;
  for (const std::string& line : function.about) out += comment(rules.comment, line);
  std::vector<std::string> ranges;
  for (std::size_t i = 0; i < parameters; ++i) {
    const Parameter& parameter = function.parameters[i];
    ranges.push_back(fmt::format("{} in {}", parameter.name, to_string(parameter.range)));
  }
  std::string types;
  switch (rules.family) {
    case Family::c:
      types = fmt::format("every intermediate value fits in {}", bits == 32 ? rules.int32 : rules.int64);
      break;
    case Family::affine:
      break;
    case Family::python:
    case Family::arrays:
      types = fmt::format("every intermediate value fits in {} bits", bits);
  }
  if (function.sized) {
    // Only numbers with ends are known to fit.
    const bool fits = bits == 32 || function.terms.fit(roots_of(function), 64);
    if (!fits && !types.empty())
      types = fmt::format("computes with {}: only for sizes at which every intermediate value fits",
                          rules.family == Family::c ? std::string(rules.int64) : "64 bits");
    ranges.clear();
  }
  if (!types.empty()) ranges.push_back(std::move(types));
  if (ranges.empty()) return out;
  std::string facts = fmt::format("{}.", fmt::join(ranges, "; "));
  if (facts.starts_with("every ")) facts[0] = 'E';
  if (function.sized && facts[0] == 'c') facts[0] = 'C';
  return out + comment(rules.comment, facts);
}

Result<std::string> function_text(const Function& function) {
  const Result<int> bits = bits_of(function);
  if (!bits) return fail(bits.error());
  const std::string about = about_text(function, function.parameters.size(), *bits);
  switch (function.terms.rules().family) {
    case Family::c:
      return about + c_function(function, *bits);
    case Family::python:
    case Family::arrays:
      return about + python_function(function, *bits);
    case Family::affine:
      break;
  }
  if (const auto affine = check_affine(function); !affine) return fail(affine.error());
  return about + affine_function(function);
}

}  // namespace tessera::coding
