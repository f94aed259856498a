// SPDX-License-Identifier: Apache-2.0
#include "ttgir/buffers.h"

#include <algorithm>
#include <numeric>

#include "text/character_class.h"
#include "ttgir/limits.h"

namespace tessera::ttgir {
namespace {

// Leading dimensions that stay are left out.
DimensionOrder normal(DimensionOrder order) {
  std::size_t lead = 0;
  while (lead < order.size() && order[lead] == lead) ++lead;
  DimensionOrder out;
  for (std::size_t d = lead; d < order.size(); ++d) out.push_back(order[d] - lead);
  return out;
}

DimensionOrder at_rank(const DimensionOrder& order, std::size_t rank) {
  DimensionOrder out(rank);
  std::iota(out.begin(), out.end(), std::size_t{0});
  const std::size_t lead = rank - std::min(rank, order.size());
  for (std::size_t d = lead; d < rank; ++d) out[d] = order[d - lead] + lead;
  return out;
}

// Of a value whose parent is `outer` of its own parent.
DimensionOrder composed(const DimensionOrder& inner, const DimensionOrder& outer) {
  const std::size_t rank = std::max(inner.size(), outer.size());
  const DimensionOrder a = at_rank(inner, rank);
  const DimensionOrder b = at_rank(outer, rank);
  DimensionOrder out(rank);
  for (std::size_t d = 0; d < rank; ++d) out[d] = b[a[d]];
  return normal(std::move(out));
}

bool has_buffer(std::string_view types) { return types.find("memdesc<") != std::string_view::npos; }

bool is_one_of(std::string_view op, std::span<const std::string_view> ops) {
  return std::ranges::find(ops, op) != ops.end();
}

// Views of some of the elements, with the same dimensions.
constexpr std::string_view kParts[] = {"ttg.memdesc_index", "ttg.memdesc_subslice", "ttg.memdesc_subview"};
// Views that give elements other indices.
constexpr std::string_view kOthers[] = {"ttg.memdesc_reshape", "ttg.memdesc_reinterpret"};
// Copies that take every swizzle of vectors of 4 bytes or more: cp.async copies 4, 8 or 16.
constexpr std::string_view kCopies[] = {"ttg.async_copy_global_to_local", "amdg.buffer_load_to_local"};
// Loads and stores are counted; the others read and write nothing.
constexpr std::string_view kHarmless[] = {"ttg.local_load", "ttg.local_store", "ttg.local_alloc",
                                          "ttg.local_dealloc"};

// A line of cf.br, cf.cond_br or cf.switch, whose cases have lines of their own.
bool is_branch(const TtgirLine& line) {
  return line.text.find('^') != std::string_view::npos && (line.op.empty() || line.op.starts_with("cf."));
}

// `^bb1` at a position of a text.
std::string_view block_at(std::string_view text, std::size_t at) {
  std::size_t end = at + 1;
  while (end < text.size() && (detail::is_word(text[end]) || text[end] == '.' || text[end] == '$')) ++end;
  return text.substr(at, end - at);
}

// The types of a list, between commas outside all brackets, and whether each is that of a buffer.
std::vector<bool> are_buffers(std::string_view types) {
  std::vector<bool> out;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= types.size(); ++i) {
    const char c = i < types.size() ? types[i] : ',';
    const bool arrow = c == '>' && i > 0 && types[i - 1] == '-';
    if (c == '<' || c == '(' || c == '[' || c == '{') ++depth;
    if ((c == '>' && !arrow) || c == ')' || c == ']' || c == '}') --depth;
    if ((c != ',' || depth != 0) && i < types.size()) continue;
    out.push_back(has_buffer(types.substr(begin, i - begin)));
    begin = i + 1;
  }
  return out;
}

std::string_view operands_text(const TtgirLine& line) { return line.rest.substr(0, line.rest.rfind(" : ")); }

}  // namespace

DimensionOrder inverse(const DimensionOrder& order) {
  DimensionOrder out(order.size());
  for (std::size_t d = 0; d < order.size(); ++d) out[order[d]] = d;
  return out;
}

std::optional<TritonAttribute> seen_through(const TritonAttribute& buffer, const DimensionOrder& order) {
  TritonAttribute out = buffer;
  const auto rank = static_cast<std::size_t>(buffer.rank);
  if (order.size() > rank) return std::nullopt;
  const DimensionOrder to = at_rank(order, rank);
  const DimensionOrder from = inverse(to);
  for (Index& d : out.order) d = static_cast<Index>(from[static_cast<std::size_t>(d)]);
  for (std::size_t k = 0; k < out.blocks.size(); ++k) {
    for (std::size_t d = 0; d < rank; ++d) out.blocks[k][d] = buffer.blocks[k][to[d]];
  }
  return out;
}

std::size_t SharedBuffers::new_value(Buffer buffer) {
  parents_.push_back(parents_.size());
  orders_.emplace_back();
  buffers_.push_back(std::move(buffer));
  return parents_.size() - 1;
}

std::optional<std::size_t> SharedBuffers::value(std::string_view name) const {
  const auto found = names_.find(name);
  return found == names_.end() ? std::nullopt : std::optional(found->second);
}

std::size_t SharedBuffers::value_or_none(std::string_view name) const { return value(name).value_or(kNone); }

void SharedBuffers::set(std::string_view name, std::size_t value) {
  const auto found = names_.find(name);
  if (value == kNone) {
    if (found != names_.end()) names_.erase(found);
  } else if (found == names_.end()) {
    names_.emplace(std::string(name), value);
  } else {
    found->second = value;
  }
}

// `%a` and `%b` of `%a, %b`, or `%a#0`, `%a#1` of `%a:2`.
void SharedBuffers::set_results(const TtgirLine& line, std::span<const std::size_t> values) {
  for (const std::string_view name : line.results) {
    set(name, kNone);
    const std::string parts = std::string(name) + "#";
    auto part = names_.lower_bound(parts);
    while (part != names_.end() && part->first.starts_with(parts)) part = names_.erase(part);
  }
  if (line.results.size() == 1) {
    const std::string name(line.results.front());
    for (std::size_t i = 0; i < values.size(); ++i) set(name + "#" + std::to_string(i), values[i]);
    if (values.size() == 1) set(name, values[0]);
    return;
  }
  for (std::size_t i = 0; i < values.size() && i < line.results.size(); ++i) set(line.results[i], values[i]);
}

BufferView SharedBuffers::view(std::size_t value) {
  std::vector<std::size_t> path;
  for (; parents_[value] != value; value = parents_[value]) path.push_back(value);
  BufferView out{value, {}};
  for (; !path.empty(); path.pop_back()) {  // from the buffer down; each becomes its child
    const std::size_t one = path.back();
    out.order = composed(orders_[one], out.order);
    orders_[one] = out.order;
    parents_[one] = value;
  }
  return out;
}

// Both are the same elements with the same indices.
void SharedBuffers::join(std::size_t a, std::size_t b, const TtgirLine& line) {
  if (a == kNone || b == kNone) {  // the other one may be a buffer, too
    for (const std::size_t value : {a, b})
      if (value != kNone) note_use(value, line);
    return;
  }
  BufferView of_a = view(a);
  BufferView of_b = view(b);
  if (of_a.buffer == of_b.buffer) {
    if (of_a.order != of_b.order) note_use(of_a.buffer, line);
    return;
  }
  // The first allocation is the root.
  const auto rank_of = [&](std::size_t n) { return std::pair(buffers_[n].lines.empty(), n); };
  if (rank_of(of_b.buffer) < rank_of(of_a.buffer)) std::swap(of_a, of_b);
  const std::size_t rank = std::max(of_a.order.size(), of_b.order.size());
  const DimensionOrder a_order = at_rank(of_a.order, rank);
  const DimensionOrder from_b = inverse(at_rank(of_b.order, rank));
  DimensionOrder order(rank);
  for (std::size_t j = 0; j < rank; ++j) order[j] = a_order[from_b[j]];
  parents_[of_b.buffer] = of_a.buffer;
  orders_[of_b.buffer] = normal(std::move(order));
  Buffer& kept = buffers_[of_a.buffer];
  Buffer& gone = buffers_[of_b.buffer];
  if (kept.lines.size() < gone.lines.size()) std::swap(kept.lines, gone.lines);
  kept.lines.merge(gone.lines);
  if (!kept.used_by) kept.used_by = gone.used_by;
  if (!kept.filled_by) kept.filled_by = gone.filled_by;
}

void SharedBuffers::note_use(std::size_t value, const TtgirLine& line) {
  Buffer& buffer = buffers_[view(value).buffer];
  std::optional<TtgirUse>& use = is_one_of(line.op, kCopies) ? buffer.filled_by : buffer.used_by;
  if (!use) use = TtgirUse{line.number, line.op};
}

// A line that opens a region with arguments: a function, a loop, a branch.
void SharedBuffers::header(const TtgirLine& line) {
  Region region{.op = line.op, .results = line.results, .carried = {}, .outcomes = {}};
  if (line.op == "tt.func") {
    names_.clear();
    regions_.clear();
    for (std::size_t at = line.rest.find('%'); at != std::string_view::npos;
         at = line.rest.find('%', at + 1)) {
      const std::string_view one = line.rest.substr(at, line.rest.find('%', at + 1) - at);
      // Its callers have accesses of their own.
      if (has_buffer(one))
        set(values_in(one).front(), new_value({.used_by = TtgirUse{line.number, line.op}}));
    }
  }
  const std::size_t at = line.rest.find(line.op == "scf.while" ? "(" : "iter_args(");
  std::vector<std::size_t> outcomes;
  const bool generic = line.text.ends_with("({");  // which names no arguments
  const bool loops = line.op == "scf.for" || line.op == "scf.while";
  const bool carries = loops && !generic && at != std::string_view::npos;
  if (!carries && line.op != "tt.func") {
    // Other regions may give their operands other names.
    for (const std::string_view name : values_in(line.rest)) {
      const std::size_t value = value_or_none(name);
      if (value != kNone) note_use(value, line);
    }
  }
  if (carries) {
    const std::size_t open = line.rest.find('(', at);
    const std::size_t end = std::min(closing(line.rest, open), line.rest.size());
    const std::vector<std::string_view> pairs = values_in(line.rest.substr(open, end - open));
    for (std::size_t i = 0; i + 1 < pairs.size(); i += 2) {
      const std::size_t initial = value_or_none(pairs[i + 1]);
      region.carried.push_back(initial);
      set(pairs[i], initial);
    }
    if (line.op == "scf.for") outcomes = region.carried;
  }
  if (line.op == "scf.if" || line.op == "scf.while") {
    // One value for each result; those of other types stay alone.
    const std::string_view types = line.rest.substr(std::min(line.rest.rfind("->"), line.rest.size()));
    if (has_buffer(types)) {
      std::size_t count = line.results.size();
      const std::size_t colon = line.text.find(':');
      if (count == 1 && colon < line.text.find(" = ")) {
        count = 0;
        for (const char c : line.text.substr(colon + 1, line.text.find(" = ") - colon - 1))
          if (c >= '0' && c <= '9')
            count = std::min(kTtgirLimits.results, count * 10 + static_cast<std::size_t>(c - '0'));
      }
      for (std::size_t i = 0; i < count; ++i) outcomes.push_back(new_value({}));
    }
  }
  region.outcomes = outcomes;
  set_results(line, outcomes);
  regions_.push_back(std::move(region));
}

// `^bb0(%a: ...)` of the body of scf.while, or `partition0(%a: ...)` of a region of a warp's own.
void SharedBuffers::block_arguments(const TtgirLine& line) {
  std::vector<std::string_view> names;
  const std::size_t open = line.text.find('(');
  if (open == std::string_view::npos) return;
  const std::size_t end = std::min(closing(line.text, open), line.text.size());
  names = values_in(line.text.substr(open, end - open));
  const bool loops = !regions_.empty() && regions_.back().op == "scf.while";
  const std::vector<std::size_t> none;
  const auto& values = line.op.empty() && line.text.starts_with("partition") ? captured_
                       : loops                                               ? regions_.back().outcomes
                                                                             : none;
  for (std::size_t i = 0; i < names.size(); ++i) set(names[i], i < values.size() ? values[i] : kNone);
}

// One value for each argument of a block; those of other types than buffers have none.
std::vector<std::size_t>& SharedBuffers::arguments_of(std::string_view block,
                                                      const std::vector<bool>& are_buffers) {
  if (regions_.empty()) regions_.emplace_back();
  auto& blocks = regions_.back().blocks;
  auto found = blocks.find(block);
  if (found == blocks.end()) found = blocks.emplace(std::string(block), std::vector<std::size_t>()).first;
  std::vector<std::size_t>& out = found->second;
  for (std::size_t i = out.size(); i < are_buffers.size(); ++i)
    out.push_back(are_buffers[i] ? new_value({}) : kNone);
  return out;
}

// `^bb1(%a: i32, %b: !ttg.memdesc<...>):` where branches come to.
void SharedBuffers::block(const TtgirLine& line) {
  const std::string_view label = block_at(line.text, 0);
  const std::size_t open = label.size();
  if (open >= line.text.size() || line.text[open] != '(') return;
  const std::string_view inside =
      line.text.substr(open + 1, std::min(closing(line.text, open), line.text.size()) - open - 1);
  const std::vector<std::string_view> names = values_in(inside);
  const std::vector<bool> buffers = are_buffers(inside);
  if (names.size() != buffers.size()) return;
  const std::vector<std::size_t>& values = arguments_of(label, buffers);
  for (std::size_t i = 0; i < names.size(); ++i) set(names[i], i < values.size() ? values[i] : kNone);
}

// `cf.cond_br %c, ^bb1(%a, %b : i32, !ttg.memdesc<...>), ^bb2`: each operand is an argument of its block.
void SharedBuffers::branch(const TtgirLine& line) {
  std::string rest;  // without the operands of blocks
  std::size_t begin = 0;
  for (std::size_t at = line.text.find('^'); at != std::string_view::npos; at = line.text.find('^', begin)) {
    rest += line.text.substr(begin, at - begin);
    const std::string_view label = block_at(line.text, at);
    begin = at + label.size();
    if (begin >= line.text.size() || line.text[begin] != '(') continue;
    const std::size_t end = std::min(closing(line.text, begin), line.text.size());
    const std::string_view inside = line.text.substr(begin + 1, end - begin - 1);
    begin = end;
    const std::size_t colon = inside.find(':');
    if (colon == std::string_view::npos) continue;
    const std::vector<std::string_view> operands = values_in(inside.substr(0, colon));
    const std::vector<bool> buffers = are_buffers(inside.substr(colon + 1));
    const std::vector<std::size_t>& values = arguments_of(label, buffers);
    for (std::size_t i = 0; i < operands.size(); ++i)
      join(i < values.size() ? values[i] : kNone, value_or_none(operands[i]), line);
  }
  rest += line.text.substr(begin);
  for (const std::string_view name : values_in(rest)) {
    const std::size_t value = value_or_none(name);
    if (value != kNone) note_use(value, line);
  }
}

void SharedBuffers::yield(const TtgirLine& line, std::span<const std::string_view> values, bool leaves) {
  if (regions_.empty()) return;
  const Region& region = regions_.back();
  const bool carries = !leaves && (region.op == "scf.for" || region.op == "scf.while");
  const bool ends = leaves || region.op == "scf.for" || region.op == "scf.if";
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t value = value_or_none(values[i]);
    const bool is_carried = carries && i < region.carried.size();
    const bool is_outcome = ends && i < region.outcomes.size();
    if (is_carried) join(region.carried[i], value, line);
    if (is_outcome) join(region.outcomes[i], value, line);
    if (!is_carried && !is_outcome && value != kNone) note_use(value, line);
  }
}

// The value of a result; kNone if it is no buffer.
std::size_t SharedBuffers::result_of(const TtgirLine& line, std::span<const std::string_view> operands) {
  const std::size_t source = operands.empty() ? kNone : value_or_none(operands.front());
  if (line.op == "ttg.local_alloc") return new_value({.lines = {line.number}});
  if (source != kNone && is_one_of(line.op, kParts)) return source;
  if (source != kNone && (line.op == "ttg.memdesc_trans" || line.op == "tt.trans")) {
    const std::optional<DimensionOrder> order = permutation_of(line.rest);
    const std::size_t out = new_value({});
    const BufferView of_source = view(source);
    parents_[out] = of_source.buffer;
    orders_[out] = order ? composed(normal(*order), of_source.order) : of_source.order;
    if (!order) note_use(source, line);
    return out;
  }
  if (source != kNone && is_one_of(line.op, kOthers)) {
    note_use(source, line);
    return source;
  }
  if (line.op == "arith.select" && operands.size() == 3) {
    join(value_or_none(operands[1]), value_or_none(operands[2]), line);
    return value_or_none(operands[1]);
  }
  return kNone;
}

void SharedBuffers::operation(const TtgirLine& line) {
  const std::vector<std::string_view> operands = values_in(operands_text(line));
  const std::size_t result = result_of(line, operands);
  if (result != kNone) {
    set_results(line, std::span(&result, 1));
    return;
  }
  std::vector<std::size_t> results;
  const bool passes = line.op.ends_with("_wait");  // returns its operands
  for (const std::string_view name : operands) {
    const std::size_t value = value_or_none(name);
    if (passes) results.push_back(value);
    if (value != kNone && !passes && !is_one_of(line.op, kHarmless)) note_use(value, line);
  }
  if (!passes && !line.results.empty() && has_buffer(line.rest.substr(operands_text(line).size()))) {
    const std::string_view types = types_of(line.rest);
    const std::size_t arrow = types.rfind("->");
    if (has_buffer(arrow == std::string_view::npos ? types : types.substr(arrow)))
      results.assign(1, new_value({.used_by = TtgirUse{line.number, line.op}}));
  }
  set_results(line, results);
}

void SharedBuffers::read(const TtgirLine& line) {
  const bool is_label = line.text.starts_with("^");
  if (is_label && (regions_.empty() || regions_.back().op == "tt.func" ||
                   regions_.back().blocks.contains(block_at(line.text, 0)))) {
    block(line);
    return;
  }
  if (!line.opens && !line.closes && !is_label && is_branch(line)) {
    branch(line);
    return;
  }
  if (line.text.starts_with("^") || (line.op.empty() && line.text.starts_with("partition"))) {
    block_arguments(line);
    if (line.opens) regions_.emplace_back();
    return;
  }
  if (line.closes) {
    Region last;
    if (!regions_.empty()) {
      last = std::move(regions_.back());
      regions_.pop_back();
    }
    if (line.opens) regions_.push_back(std::move(last));
    return;
  }
  if (line.opens) {
    header(line);
    return;
  }
  if (line.op.empty()) return;
  if (line.op == "ttg.warp_specialize") {
    captured_.clear();
    for (const std::string_view name : values_in(line.rest.substr(0, line.rest.find(')'))))
      captured_.push_back(value_or_none(name));
    return;
  }
  const std::vector<std::string_view> values = values_in(operands_text(line));
  if (line.op == "scf.yield")
    yield(line, values, false);
  else if (line.op == "scf.condition")
    yield(line, std::span(values).subspan(std::min<std::size_t>(1, values.size())), true);
  else
    operation(line);
}

}  // namespace tessera::ttgir
