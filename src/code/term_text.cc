// SPDX-License-Identifier: Apache-2.0
#include "code/term_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace tessera::coding {
namespace {

std::string mask_text(Index mask) {
  return mask < 16 ? fmt::format("{}", mask) : fmt::format("0x{:x}", mask);
}

}  // namespace

std::string TermText::infix(TermId a, std::string_view op, TermId b, Level left, Level right) const {
  return text(a, left).first + std::string(op) + text(b, right).first;
}

std::pair<std::string, TermText::Level> TermText::text(TermId id, Level needed) const {
  if (const auto local = locals_.find(id); local != locals_.end()) return {local->second, Level::atom};
  auto out = operation(id);
  if (out.second < needed) out = {"(" + out.first + ")", Level::atom};
  return out;
}

std::pair<std::string, TermText::Level> TermText::operation(TermId id) const {
  const CodeTerm& term = terms_[id];
  const Rules& rules = terms_.rules();
  switch (term.op) {
    case Op::constant:
      return {fmt::format("{}", term.value), term.value < 0 ? Level::any : Level::atom};
    case Op::variable:
      return {names_[static_cast<std::size_t>(term.value)], Level::atom};
    case Op::negate:
      return {"-" + text(term.lhs, Level::atom).first, Level::sum};
    case Op::add:
      return {infix(term.lhs, " + ", term.rhs, Level::sum, Level::sum), Level::sum};
    case Op::subtract:
      return {infix(term.lhs, " - ", term.rhs, Level::sum, Level::product), Level::sum};
    case Op::multiply:
      return {infix(term.lhs, " * ", term.rhs, Level::atom, Level::atom), Level::product};
    case Op::quotient:
      return {infix(term.lhs, rules.quotient, term.rhs, Level::atom, Level::atom), Level::product};
    case Op::remainder:
      return {infix(term.lhs, rules.remainder, term.rhs, Level::atom, Level::atom), Level::product};
    case Op::shift_left:
      return {fmt::format("{} << {}", text(term.lhs, Level::atom).first, term.value), Level::bits};
    case Op::shift_right:
      return {fmt::format("{} >> {}", text(term.lhs, Level::atom).first, term.value), Level::bits};
    case Op::bit_and:
      return {fmt::format("{} & {}", text(term.lhs, Level::atom).first, mask_text(terms_[term.rhs].value)),
              Level::bits};
    case Op::bit_xor:
      return {infix(term.lhs, " ^ ", term.rhs, Level::atom, Level::atom), Level::bits};
    case Op::min:
    case Op::max: {
      const bool smaller = term.op == Op::min;
      if (const std::string_view call = smaller ? rules.min : rules.max; !call.empty())
        return {fmt::format("{}({}, {})", call, (*this)(term.lhs), (*this)(term.rhs)), Level::atom};
      const std::string a = text(term.lhs, Level::sum).first;
      const std::string b = text(term.rhs, Level::sum).first;
      return {fmt::format("{} {} {} ? {} : {}", a, smaller ? "<" : ">", b, a, b), Level::any};
    }
    case Op::multiply_shift:
      break;
  }
  const std::string x = text(term.lhs, Level::atom).first;
  const Index factor = terms_[term.rhs].value;
  const Interval product = terms_[term.lhs].range * Interval::point(factor);
  if (rules.family != Family::c || product.upper <= (bits_ == 32 ? INT32_MAX : kIndexMax - 1))
    return {fmt::format("({} * {}) >> {}", x, factor, term.value), Level::bits};
  // The largest product is exact in 128 bits; see Terms::by_multiplication.
  __extension__ const auto wide =
      static_cast<unsigned __int128>(terms_[term.lhs].range.upper) * static_cast<unsigned __int128>(factor);
  const bool fits = (wide >> 64) == 0;
  const std::string_view unsigned64 = rules.language == CodeLanguage::c ? "uint64_t" : "std::uint64_t";
  return {fmt::format("({})((({}){} * {}u) >> {})", type(), fits ? unsigned64 : "unsigned __int128", x,
                      factor, term.value),
          Level::atom};
}

std::vector<std::pair<std::string, std::string>> TermText::name_shared(std::span<const TermId> roots) {
  std::map<TermId, int> uses;
  for (const TermId root : roots) ++uses[root];
  const std::vector<TermId> all = terms_.reachable(roots);
  for (const TermId id : all) {
    const CodeTerm& term = terms_[id];
    if (term.op <= Op::variable) continue;
    // The text of a conditional expression repeats its operands.
    const int times = (term.op == Op::min && terms_.rules().min.empty()) ||
                              (term.op == Op::max && terms_.rules().max.empty())
                          ? 2
                          : 1;
    uses[term.lhs] += times;
    uses[term.rhs] += times;
  }
  std::vector<std::pair<std::string, std::string>> out;
  if (terms_.rules().family == Family::affine) return out;
  for (const TermId id : all) {
    if (terms_[id].op <= Op::variable || uses[id] < 2) continue;
    // A name that no variable has. The number grows with each local, so locals have distinct names.
    std::string name = free_name(fmt::format("t{}", out.size()), names_);
    std::string value = (*this)(id);
    locals_.emplace(id, name);
    out.emplace_back(std::move(name), std::move(value));
  }
  return out;
}

std::string TermText::test(const Condition& condition, std::string_view both) const {
  const Interval known = terms_[condition.term].range;
  const Interval range = condition.range;
  const std::string value = text(condition.term, Level::sum).first;
  if (range.contains(known)) return {};
  if (range.is_point()) return fmt::format("{} == {}", value, range.lower);
  std::string out;
  if (known.lower < range.lower) out = fmt::format("{} >= {}", value, range.lower);
  if (known.upper > range.upper) {
    if (!out.empty()) out += both;
    out += fmt::format("{} <= {}", value, range.upper);
  }
  return out;
}

std::string free_name(std::string name, std::span<const std::string> taken) {
  const std::string base = name;
  for (int i = 0; std::ranges::find(taken, name) != taken.end(); ++i) name = fmt::format("{}_{}", base, i);
  return name;
}

}  // namespace tessera::coding
