// SPDX-License-Identifier: Apache-2.0
#include "ttgir/pointers.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdlib>
#include <numeric>

#include "tessera/notation/triton_layout.h"
#include "ttgir/limits.h"

namespace tessera::ttgir {
namespace {

// a * b, if that is at most 2^40.
std::optional<Index> exact_product(Index a, Index b) {
  Index out = 0;
  if (__builtin_mul_overflow(a, b, &out) || out > kTtgirLimits.divisor || out < -kTtgirLimits.divisor)
    return std::nullopt;
  return out;
}

// A divisor of a * b.
Index product(Index a, Index b) {
  if (const auto exact = exact_product(a, b)) return *exact;
  Index out = 0;
  // Only the powers of two of a large divisor matter.
  const auto low = [](Index n) {
    return Index{1} << std::min(62, std::countr_zero(static_cast<std::uint64_t>(n)));
  };
  if (!__builtin_mul_overflow(low(a), low(b), &out)) return std::min(out, kTtgirLimits.divisor);
  return kTtgirLimits.divisor;
}

Index size_of_step(const KnownStep& step) { return step.exact ? step.step : step.multiple; }

KnownStep meet(const KnownStep& a, const KnownStep& b) {
  if (a == b) return a;
  return {.exact = false, .step = 0, .multiple = std::gcd(size_of_step(a), size_of_step(b))};
}

std::optional<KnownValue> meet(const KnownValue& a, const KnownValue& b) {
  if (a.steps.size() != b.steps.size() || a.runs.has_value() != b.runs.has_value()) return std::nullopt;
  KnownValue out;
  out.divisor = std::gcd(a.divisor, b.divisor);
  if (a.constant == b.constant) out.constant = a.constant;
  for (std::size_t d = 0; d < a.steps.size(); ++d) out.steps.push_back(meet(a.steps[d], b.steps[d]));
  if (a.runs) {
    out.runs.emplace();
    for (std::size_t d = 0; d < a.runs->size(); ++d)
      out.runs->push_back(std::gcd((*a.runs)[d], (*b.runs)[d]));
  }
  return out;
}

KnownStep sum(const KnownStep& a, const KnownStep& b, Index factor) {
  if (a.exact && b.exact) {
    if (const auto moved = exact_product(b.step, factor))
      return {.exact = true, .step = a.step + *moved, .multiple = 0};
  }
  return {.exact = false, .step = 0, .multiple = std::gcd(size_of_step(a), product(size_of_step(b), factor))};
}

// a + factor * b
std::optional<KnownValue> sum(const KnownValue& a, const KnownValue& b, Index factor) {
  if (a.runs || b.runs) return std::nullopt;
  const std::size_t rank = std::max(a.steps.size(), b.steps.size());
  KnownValue out;
  out.divisor = std::gcd(a.divisor, product(b.divisor, factor));
  if (a.constant && b.constant) {
    if (const auto moved = exact_product(*b.constant, factor))
      out.divisor = *(out.constant = *a.constant + *moved);
  }
  for (std::size_t d = 0; d < rank; ++d) {
    const KnownStep left = d < a.steps.size() ? a.steps[d] : KnownStep{};
    const KnownStep right = d < b.steps.size() ? b.steps[d] : KnownStep{};
    out.steps.push_back(sum(left, right, factor));
  }
  return out;
}

bool is_uniform(const KnownValue& value) {
  return !value.runs &&
         std::ranges::all_of(value.steps, [](const KnownStep& s) { return s.exact && s.step == 0; });
}

std::optional<KnownValue> multiplied(const KnownValue& a, const KnownValue& b) {
  if (a.runs || b.runs) return std::nullopt;
  if (!is_uniform(b)) return is_uniform(a) ? multiplied(b, a) : std::nullopt;
  KnownValue out;
  out.divisor = product(a.divisor, b.divisor);
  if (a.constant && b.constant) {
    out.constant = exact_product(*a.constant, *b.constant);
    if (out.constant) out.divisor = *out.constant;
  }
  for (const KnownStep& step : a.steps) {
    const auto exact = step.exact && b.constant ? exact_product(step.step, *b.constant) : std::nullopt;
    if (exact) {
      out.steps.push_back({.exact = true, .step = *exact, .multiple = 0});
    } else if (step.exact && step.step == 0) {
      out.steps.push_back(step);
    } else {
      out.steps.push_back({.exact = false, .step = 0, .multiple = product(size_of_step(step), b.divisor)});
    }
  }
  out.steps.resize(std::max(a.steps.size(), b.steps.size()));
  return out;
}

// The mask of a comparison. It changes only at multiples of both sides' divisors if it is `i < n` or its
// opposite.
KnownValue comparison(std::string_view predicate, const KnownValue& a, const KnownValue& b) {
  KnownValue out;
  out.runs.emplace();
  const bool left = predicate == "slt" || predicate == "ult" || predicate == "sge" || predicate == "uge";
  const bool right = predicate == "sgt" || predicate == "ugt" || predicate == "sle" || predicate == "ule";
  const std::size_t rank = std::max(a.steps.size(), b.steps.size());
  for (std::size_t d = 0; d < rank; ++d) {
    const KnownStep x = d < a.steps.size() ? a.steps[d] : KnownStep{};
    const KnownStep y = d < b.steps.size() ? b.steps[d] : KnownStep{};
    const bool x_moves = !x.exact || x.step != 0;
    const bool y_moves = !y.exact || y.step != 0;
    Index run = 1;
    if (!x_moves && !y_moves)
      run = 0;
    else if (left && !y_moves && x.exact && x.step == 1)
      run = std::gcd(a.divisor, b.divisor);
    else if (right && !x_moves && y.exact && y.step == 1)
      run = std::gcd(a.divisor, b.divisor);
    // Other dimensions move the point at which the mask changes.
    for (std::size_t e = 0; e < rank && run > 1; ++e) {
      if (e == d) continue;
      if (e < a.steps.size()) run = std::gcd(run, size_of_step(a.steps[e]));
      if (e < b.steps.size()) run = std::gcd(run, size_of_step(b.steps[e]));
    }
    out.runs->push_back(run);
  }
  return out;
}

// Of a constant above 2^40, only its powers of two are known, so that sums and products do not overflow.
void set_constant(KnownValue& value, Index constant) {
  value.divisor = std::abs(product(constant, 1));
  if (exact_product(constant, 1)) value.constant = constant;
}

// The bytes of what a pointer of this type points to.
Index pointee_bytes(std::string_view types) {
  const std::size_t at = types.find("!tt.ptr<");
  if (at == std::string_view::npos) return 0;
  const std::string_view rest = types.substr(at + 8);
  const Index bits = triton_element_bits(rest.substr(0, rest.find_first_of(",>")));
  return std::max<Index>(1, bits / 8);
}

// The extents of the first tensor type, which may have no layout.
std::vector<Index> extents_of(std::string_view type) {
  std::vector<Index> out;
  const std::size_t at = type.find("tensor<");
  if (at == std::string_view::npos) return out;
  const char* here = type.data() + at + 7;
  const char* const end = type.data() + type.size();
  while (true) {
    Index extent = 0;
    const auto [next, error] = std::from_chars(here, end, extent);
    if (error != std::errc() || next == end || *next != 'x') return out;
    out.push_back(extent);
    here = next + 1;
  }
}

}  // namespace

struct KnownValues::Loop {
  std::vector<std::string_view> arguments = {};
  std::vector<std::string_view> initial = {};
  std::string_view results = {};
  bool is_for = false;
  Index line = 0;
};

KnownValues::KnownValues(std::span<const TtgirLine> lines) : lines_(lines) {
  for (int i = 0; i < kTtgirLimits.passes; ++i) {
    changed_ = false;
    pass([](std::size_t) {});
    if (!changed_) return;
  }
  gave_up_ = true;
}

void KnownValues::visit(const std::function<void(std::size_t)>& each) { pass(each); }

const KnownValue* KnownValues::find(std::string_view name) const {
  if (gave_up_) return nullptr;
  const auto found = values_.find(name);
  return found == values_.end() ? nullptr : &found->second;
}

void KnownValues::set(std::string_view name, std::optional<KnownValue> value) {
  const auto found = values_.find(name);
  if (!value) {
    if (found != values_.end()) values_.erase(found);
  } else if (found == values_.end()) {
    values_.emplace(std::string(name), *std::move(value));
  } else {
    found->second = *std::move(value);
  }
}

// A name is printed again in a region after the one that defined it: what was known of it, and of its parts
// `%a#1`, is of another value.
void KnownValues::forget(std::string_view name) {
  set(name, std::nullopt);
  const std::string parts = std::string(name) + "#";
  auto part = values_.lower_bound(parts);
  while (part != values_.end() && part->first.starts_with(parts)) part = values_.erase(part);
}

// `%a: !tt.ptr<f16> {tt.divisibility = 16 : i32} loc(...), ...`
void KnownValues::argument_list(std::string_view text) {
  const std::size_t open = text.find('(');
  if (open == std::string_view::npos) return;
  const std::size_t end = std::min(closing(text, open), text.size());
  std::size_t begin = open + 1;
  while (begin < end) {
    int depth = 0;
    bool quoted = false;
    std::size_t stop = begin;
    for (; stop < end; ++stop) {
      const char c = text[stop];
      if (c == '"') quoted = !quoted;
      if (quoted) continue;
      if (c == '<' || c == '(' || c == '[' || c == '{') ++depth;
      if (c == '>' || c == ')' || c == ']' || c == '}') --depth;
      if (c == ',' && depth == 0) break;
    }
    const std::string_view one = text.substr(begin, stop - begin);
    begin = stop + 1;
    const std::size_t name = one.find('%');
    const std::size_t colon = one.find(':');
    if (name == std::string_view::npos || colon == std::string_view::npos || one.find("tensor<") < one.size())
      continue;
    KnownValue value;
    value.divisor = std::max<Index>(1, product(integer_key(one, "tt.divisibility").value_or(1), 1));
    set(one.substr(name, colon - name), value);
  }
}

void KnownValues::pass(const std::function<void(std::size_t)>& each) {
  std::vector<Loop> loops;  // one for each open region
  values_.clear();
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    const TtgirLine& line = lines_[i];
    each(i);
    if (line.text.starts_with("^")) {  // arguments of a block
      for (const std::string_view name : values_in(line.text)) forget(name);
    }
    if (line.closes) {
      if (!loops.empty()) loops.pop_back();
      if (line.opens) loops.emplace_back();
      continue;
    }
    if (line.op == "tt.func") argument_list(line.rest);
    if (line.op == "scf.for") {
      loop_header(line, loops);
      continue;
    }
    std::optional<KnownValue> result;
    if (line.results.size() == 1 && !line.opens) result = result_of(line);
    for (const std::string_view name : line.results) forget(name);
    if (result) set(line.results.front(), std::move(result));
    if (line.op == "scf.while") {
      // `scf.while (%a = %b, %c = %d)`: nothing is known of what it carries.
      const std::vector<std::string_view> pairs = values_in(line.rest);
      for (std::size_t p = 0; p + 1 < pairs.size(); p += 2) forget(pairs[p]);
    }
    if (line.opens) {
      loops.emplace_back();
      continue;
    }
    if (line.op == "scf.yield" && !loops.empty()) yield(line, loops.back());
  }
}

void KnownValues::loop_header(const TtgirLine& line, std::vector<Loop>& loops) {
  Loop loop;
  loop.is_for = true;
  loop.line = line.number;
  if (!line.results.empty()) loop.results = line.results.front();
  for (const std::string_view name : line.results) forget(name);
  const std::vector<std::string_view> head = values_in(line.rest.substr(0, line.rest.find("iter_args")));
  if (head.size() >= 4) {
    const KnownValue* low = find(head[1]);
    const KnownValue* step = find(head[3]);
    KnownValue value;
    if (low != nullptr && step != nullptr) value.divisor = std::gcd(low->divisor, step->divisor);
    set(head[0], value);
  }
  const std::size_t at = line.rest.find("iter_args(");
  if (at != std::string_view::npos) {
    const std::size_t end = std::min(closing(line.rest, at + 9), line.rest.size());
    const std::vector<std::string_view> pairs = values_in(line.rest.substr(at + 10, end - at - 10));
    for (std::size_t i = 0; i + 1 < pairs.size(); i += 2) {
      loop.arguments.push_back(pairs[i]);
      loop.initial.push_back(pairs[i + 1]);
      std::optional<KnownValue> value;
      if (const KnownValue* initial = find(pairs[i + 1])) value = *initial;
      const auto carried = carried_.find({line.number, i / 2});
      if (carried != carried_.end())
        value = value && carried->second ? meet(*value, *carried->second) : std::nullopt;
      const std::string result = std::string(loop.results);
      set(pairs[i], value);
      if (!result.empty()) {
        set(result + "#" + std::to_string(i / 2), value);
        if (pairs.size() == 2) set(result, value);
      }
    }
  }
  loops.push_back(std::move(loop));
}

void KnownValues::yield(const TtgirLine& line, const Loop& loop) {
  if (!loop.is_for) return;
  const std::vector<std::string_view> yielded = values_in(line.rest);
  for (std::size_t i = 0; i < loop.arguments.size() && i < yielded.size(); ++i) {
    const KnownValue* value = find(yielded[i]);
    const auto found = carried_.find({loop.line, i});
    std::optional<KnownValue> now;
    if (value != nullptr) now = *value;
    if (now && found != carried_.end()) now = found->second ? meet(*found->second, *value) : std::nullopt;
    if (found != carried_.end() && found->second == now) continue;
    carried_[{loop.line, i}] = std::move(now);
    changed_ = true;
  }
}

std::optional<KnownValue> KnownValues::constant(const TtgirLine& line) const {
  std::string_view text = line.rest;
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  const std::vector<Index> extents = extents_of(types_of(line.rest));
  if (text.starts_with("dense<")) text.remove_prefix(6);
  KnownValue out;
  out.steps.resize(extents.size());
  if (text.starts_with("true") || text.starts_with("false")) {
    out.runs.emplace(extents.size(), 0);
    return out;
  }
  Index value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && (end == text.data() + text.size() || *end == ' ' || *end == '>');
  if (!whole) return std::nullopt;
  set_constant(out, value);
  return out;
}

std::optional<KnownValue> KnownValues::arithmetic(const TtgirLine& line,
                                                  std::span<const std::string_view> operands) const {
  const KnownValue* a = operands.empty() ? nullptr : find(operands[0]);
  const KnownValue* b = operands.size() < 2 ? nullptr : find(operands[1]);
  if (a == nullptr || b == nullptr) return std::nullopt;
  if (line.op == "arith.addi") return sum(*a, *b, 1);
  if (line.op == "arith.subi") return sum(*a, *b, -1);
  if (line.op == "arith.muli") return multiplied(*a, *b);
  if (line.op == "tt.addptr") {
    const Index bytes = pointee_bytes(types_of(line.rest));
    return bytes == 0 ? std::nullopt : sum(*a, *b, bytes);
  }
  if (line.op == "arith.cmpi") {
    std::string_view predicate = line.rest;
    predicate.remove_prefix(std::min(predicate.find_first_not_of(' '), predicate.size()));
    return comparison(predicate.substr(0, predicate.find(',')), *a, *b);
  }
  if (line.op == "arith.andi" && a->runs && b->runs) return meet(*a, *b);
  return std::nullopt;
}

std::optional<KnownValue> KnownValues::result_of(const TtgirLine& line) const {
  const std::string_view operands_text = line.rest.substr(0, line.rest.rfind(" : "));
  const std::vector<std::string_view> operands = values_in(operands_text);
  const KnownValue* a = operands.empty() ? nullptr : find(operands[0]);
  const std::string_view types = types_of(line.rest);
  const std::string& op = line.op;
  if (op == "arith.constant") return constant(line);
  if (op == "tt.make_range") {
    KnownValue out;
    set_constant(out, integer_key(line.rest, "start").value_or(0));
    out.steps = {{.exact = true, .step = 1, .multiple = 0}};
    return out;
  }
  if (op == "tt.get_program_id" || op == "tt.get_num_programs") return KnownValue{};
  if (op == "tt.load" || op == "arith.divsi" || op == "arith.divui" || op == "arith.remsi" ||
      op == "arith.remui") {
    const std::size_t rank = extents_of(types).size();
    if (rank > 1) return std::nullopt;
    KnownValue out;
    if (rank == 1) out.steps = {{.exact = false, .step = 0, .multiple = 1}};
    return out;
  }
  if (op == "tt.addptr" || op.starts_with("arith.")) {
    if (op == "arith.extsi" || op == "arith.extui" || op == "arith.index_cast")
      return a == nullptr ? std::nullopt : std::optional(*a);
    return arithmetic(line, operands);
  }
  if (a == nullptr) return std::nullopt;
  KnownValue out = *a;
  if (op == "tt.splat") {
    // From a list of results after `->`.
    const std::size_t arrow = types.find("->");
    const std::size_t rank = extents_of(arrow == std::string_view::npos ? types : types.substr(arrow)).size();
    out.steps.assign(rank, {});
    if (out.runs) out.runs->assign(rank, 0);
    return out;
  }
  if (op == "tt.expand_dims") {
    const Index axis = integer_key(line.rest, "axis").value_or(-1);
    if (axis < 0 || axis > std::ssize(out.steps)) return std::nullopt;
    out.steps.insert(out.steps.begin() + axis, KnownStep{});
    if (out.runs) out.runs->insert(out.runs->begin() + axis, 0);
    return out;
  }
  if (op == "tt.broadcast") {
    const std::vector<Index> from = extents_of(types);
    for (std::size_t d = 0; d < from.size() && d < out.steps.size(); ++d) {
      if (from[d] != 1) continue;
      out.steps[d] = {};
      if (out.runs) (*out.runs)[d] = 0;
    }
    return out;
  }
  if (op == "tt.trans") {
    const auto order = permutation_of(line.rest);
    if (!order || order->size() != out.steps.size()) return std::nullopt;
    const KnownValue before = out;
    for (std::size_t d = 0; d < order->size(); ++d) {
      out.steps[d] = before.steps[(*order)[d]];
      if (out.runs) (*out.runs)[d] = (*before.runs)[(*order)[d]];
    }
    return out;
  }
  if (op == "ttg.convert_layout" || op == "tt.bitcast") return out;
  return std::nullopt;
}

}  // namespace tessera::ttgir
