// SPDX-License-Identifier: Apache-2.0
#include "laws/traffic_program.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <set>

#include "laws/traffic_op.h"

namespace tessera::laws {
namespace {

class TrafficWriter {
 public:
  explicit TrafficWriter(std::mt19937_64& random) : random_(random) {}

  TrafficProgram write() {
    begin();
    for (auto left = one_between(random_, 1, 7); left > 0; --left) {
      if (one_between(random_, 0, 1) == 0) {
        fusion();
      } else {
        plain();
      }
    }
    finish();
    return std::move(out_);
  }

 private:
  /// A step, for the liveness of what it updates.
  struct Step {
    std::size_t truth = 0;
    std::size_t at = 0;                       ///< position among all instructions of the entry
    std::vector<std::size_t> read;            ///< buffers, once for each operand
    std::size_t made = 0;                     ///< the buffer of the result
    std::optional<std::size_t> updated = {};  ///< the buffer that is updated
    bool inside_only = true;                  ///< a fusion does not read it in other places
    bool dead_reads = false;                  ///< or only where nobody needs it
  };

  std::size_t add_value(std::string name, std::vector<Index> dims, TrafficValue::Kind kind) {
    TrafficValue v{.name = std::move(name), .dims = std::move(dims), .elements = {}, .kind = kind};
    const std::size_t buffer = buffers_++;
    for (Index e = 0; e < volume_of(v.dims); ++e) v.elements.emplace_back(buffer, e);
    kinds_.push_back(kind);
    scope_.values.push_back(std::move(v));
    return scope_.values.size() - 1;
  }

  void line(const std::string& name, const std::string& type, const std::string& rest) {
    entry_ += fmt::format("  {} = {} {}\n", name, type, rest);
  }

  void begin() {
    Index parameter = 0;
    for (auto count = one_between(random_, 1, 3); count > 0; --count, ++parameter) {
      std::vector<Index> dims{one_between(random_, 1, 8)};
      if (one_between(random_, 0, 1) == 0) dims = {one_between(random_, 1, 4), one_between(random_, 1, 5)};
      const std::string name = fmt::format("p{}", parameter);
      scope_.arrays.push_back(add_value(name, dims, TrafficValue::Kind::parameter));
      line(name, f32_text(dims), fmt::format("parameter({})", parameter));
    }
    for (int k = 0; k < 2; ++k, ++parameter) {
      const std::string name = fmt::format("start{}", k);
      scope_.starts.emplace_back(add_value(name, {}, TrafficValue::Kind::parameter),
                                 one_between(random_, -2, 9));
      line(name, "s32[]", fmt::format("parameter({})", parameter));
    }
    scope_.zero = add_value("zero", {}, TrafficValue::Kind::constant);
    line("zero", "f32[]", "constant(0)");
  }

  void plain() {
    const TrafficOp op = random_traffic_op(random_, scope_, true);
    const std::string name = fmt::format("v{}", ++names_);
    line(name, f32_text(op.dims), op.line);
    ++instructions_;
    if (op.renames) {
      TrafficValue v{.name = name, .dims = op.dims, .elements = scope_.values[op.inputs[0]].elements};
      v.kind = scope_.values[op.inputs[0]].kind;
      scope_.values.push_back(std::move(v));
      scope_.arrays.push_back(scope_.values.size() - 1);
      tuple_around(scope_.arrays.back());
      return;
    }
    StepTruth truth{.name = name};
    Step step{.truth = out_.steps.size(), .at = instructions_, .read = {}};
    std::set<BufferElement> used;
    std::set<std::pair<Index, BufferElement>> pairs;
    for (std::size_t e = 0; e < op.needs.size(); ++e) {
      for (const auto& [input, element] : op.needs[e]) {
        const BufferElement from =
            scope_.values[op.inputs[input]].elements[static_cast<std::size_t>(element)];
        used.insert(from);
        pairs.emplace(static_cast<Index>(e), from);
      }
    }
    for (const std::size_t input : op.inputs) step.read.push_back(scope_.values[input].buffer());
    truth.used = std::ssize(used);
    truth.most_reads = truth.plain_reads = std::ssize(pairs);
    truth.result = volume_of(op.dims);
    truth.at_runtime = op.at_runtime;
    out_.unfused += truth.plain_reads + truth.result;
    if (op.updated > 0) {
      truth.update = static_cast<Index>(op.updated);
      step.updated = scope_.values[op.inputs[0]].buffer();
    }
    make(name, op.dims, step, std::move(truth));
  }

  void make(const std::string& name, const std::vector<Index>& dims, Step step, StepTruth truth) {
    const std::size_t place = add_value(name, dims, TrafficValue::Kind::computed);
    step.made = scope_.values[place].buffer();
    scope_.arrays.push_back(place);
    steps_.push_back(std::move(step));
    out_.steps.push_back(std::move(truth));
    tuple_around(place);
  }

  // Sometimes gives a value another name through a tuple.
  void tuple_around(std::size_t place) {
    if (one_between(random_, 0, 3) != 0) return;
    TrafficValue v = scope_.values[place];
    const std::string number = std::to_string(++names_);
    line("t" + number, fmt::format("({})", f32_text(v.dims)), fmt::format("tuple({})", v.name));
    line("g" + number, f32_text(v.dims), fmt::format("get-tuple-element(t{}), index=0", number));
    v.name = "g" + number;
    scope_.values.push_back(std::move(v));
    scope_.arrays.push_back(scope_.values.size() - 1);
  }

  void fusion();
  bool another_update(std::size_t at) const;
  void finish();

  std::mt19937_64& random_;
  TrafficProgram out_;
  TrafficScope scope_;
  std::string functions_;
  std::string entry_;
  std::vector<Step> steps_;
  std::vector<TrafficValue::Kind> kinds_;  ///< of each buffer
  std::size_t buffers_ = 0;
  std::size_t names_ = 0;
  std::size_t instructions_ = 0;
};

/// Pairs of an index of a loop and an element that it needs.
using LoopNeeds = std::set<std::pair<Index, Index>>;

bool each_element_once(const LoopNeeds& needs) {
  std::set<Index> elements;
  return std::ranges::all_of(needs, [&](const auto& pair) { return elements.insert(pair.second).second; });
}

// Where each value has one reader and each array of memory, too: a value whose elements are each needed at
// one index of a loop is computed in it, another one in a loop of its own. An element that is the only one is
// read once.
Index loop_reads(const std::vector<TrafficOp>& ops, const TrafficScope& inner, std::size_t first) {
  std::vector<LoopNeeds> needs(first + ops.size());
  std::vector<Index> uses(needs.size());
  std::set<std::size_t> buffers;
  for (Index e = 0; e < volume_of(ops.back().dims); ++e) needs.back().emplace(e, e);
  Index out = 0;
  for (std::size_t n = needs.size(); n-- > 0;) {
    if (needs[n].empty()) continue;
    if (n < first) {
      if (n == inner.zero) continue;
      if (!buffers.insert(inner.values[n].buffer()).second) return -1;
      const Index element = needs[n].begin()->second;
      const bool only =
          std::ranges::all_of(needs[n], [&](const auto& pair) { return pair.second == element; });
      out += only ? 1 : std::ssize(needs[n]);
      continue;
    }
    LoopNeeds own = std::move(needs[n]);
    if (!each_element_once(own)) {
      LoopNeeds indices;
      for (const auto& [index, element] : own) indices.emplace(element, element);
      own = std::move(indices);
    }
    const TrafficOp& op = ops[n - first];
    for (const std::size_t input : op.inputs)
      if (++uses[input] > 1 && input != inner.zero) return -1;
    for (const auto& [index, element] : own)
      for (const auto& [input, from] : op.needs[static_cast<std::size_t>(element)])
        needs[op.inputs[input]].emplace(index, from);
  }
  return out;
}

void TrafficWriter::fusion() {
  // The operands, of which several may be one buffer; inside, each is an array of its own.
  std::vector<std::size_t> operands;
  for (auto count = one_between(random_, 1, 3); count > 0; --count)
    operands.push_back(
        scope_.arrays[static_cast<std::size_t>(one_between(random_, 0, std::ssize(scope_.arrays) - 1))]);
  const std::size_t arrays = operands.size();
  for (const auto& [place, held] : scope_.starts) operands.push_back(place);
  TrafficScope inner;
  std::string body;
  for (std::size_t j = 0; j < operands.size(); ++j) {
    const TrafficValue& outside = scope_.values[operands[j]];
    inner.values.push_back(
        {.name = fmt::format("q{}", j), .dims = outside.dims, .elements = outside.elements});
    body += fmt::format("  q{} = {} parameter({})\n", j, j < arrays ? f32_text(outside.dims) : "s32[]", j);
    if (j < arrays) inner.arrays.push_back(j);
    if (j >= arrays) inner.starts.emplace_back(j, scope_.starts[j - arrays].second);
  }
  inner.zero = inner.values.size();
  inner.values.push_back({.name = "z", .dims = {}, .elements = {{~std::size_t{0}, 0}}});
  body += "  z = f32[] constant(0)\n";
  const std::size_t first = inner.values.size();
  std::vector<TrafficOp> ops;
  for (auto count = one_between(random_, 1, 6); count > 0; --count) {
    TrafficOp op = random_traffic_op(random_, inner, count == 1);
    const std::string name = fmt::format("w{}", ops.size());
    body += fmt::format("  {}{} = {} {}\n", count == 1 ? "ROOT " : "", name, f32_text(op.dims), op.line);
    inner.values.push_back({.name = name, .dims = op.dims, .elements = {}});
    inner.arrays.push_back(inner.values.size() - 1);
    ops.push_back(std::move(op));
  }
  const std::string name = fmt::format("v{}", ++names_);
  functions_ += fmt::format("f{} {{\n{}}}\n", name, body);
  std::string list;
  for (std::size_t j = 0; j < operands.size(); ++j)
    list += (j > 0 ? ", " : "") + scope_.values[operands[j]].name;
  const TrafficOp& root = ops.back();
  line(name, f32_text(root.dims), fmt::format("fusion({}), kind=kLoop, calls=f{}", list, name));
  ++instructions_;

  // Each value is computed once for each of its elements that is needed.
  StepTruth truth{.name = name};
  Step step{.truth = out_.steps.size(), .at = instructions_, .read = {}};
  std::vector<std::set<Index>> needed(ops.size());
  for (Index e = 0; e < volume_of(root.dims); ++e) needed.back().insert(e);
  std::set<BufferElement> used;
  for (std::size_t n = ops.size(); n-- > 0;) {
    const TrafficOp& op = ops[n];
    truth.at_runtime = truth.at_runtime || (op.at_runtime && !needed[n].empty());
    std::set<std::pair<Index, BufferElement>> pairs;
    for (const Index e : needed[n]) {
      for (const auto& [input, element] : op.needs[static_cast<std::size_t>(e)]) {
        const std::size_t from = op.inputs[input];
        if (from >= first) {
          needed[from - first].insert(element);
        } else if (from != inner.zero) {
          const BufferElement read = inner.values[from].elements[static_cast<std::size_t>(element)];
          used.insert(read);
          pairs.emplace(e, read);
        }
      }
    }
    truth.most_reads += std::ssize(pairs);
    if (!op.renames) {
      std::set<std::pair<Index, std::pair<std::size_t, Index>>> alone;
      for (std::size_t e = 0; e < op.needs.size(); ++e)
        for (const auto& [input, element] : op.needs[e])
          alone.emplace(static_cast<Index>(e), std::pair(op.inputs[input], element));
      out_.unfused += std::ssize(alone) + volume_of(op.dims);
    }
  }
  truth.used = std::ssize(used);
  truth.result = volume_of(root.dims);
  if (!truth.at_runtime && root.updated == 0) truth.loop_reads = loop_reads(ops, inner, first);
  if (root.renames) {
    // A step of its own that copies.
    std::size_t from = root.inputs[0];
    while (from >= first && ops[from - first].renames) from = ops[from - first].inputs[0];
    if (from < first) out_.unfused += 2 * truth.result;
  }
  for (const std::size_t operand : operands) step.read.push_back(scope_.values[operand].buffer());
  if (root.updated > 0) {
    std::size_t target = root.inputs[0];
    Index uses = 0;
    Index needed_uses = 0;
    const auto count = [&](std::size_t x) {
      for (std::size_t n = 0; n < ops.size(); ++n) {
        const Index own = std::ranges::count(ops[n].inputs, x);
        uses += own;
        needed_uses += needed[n].empty() ? 0 : own;
      }
    };
    count(target);
    while (target >= first && ops[target - first].renames) {
      target = ops[target - first].inputs[0];
      --uses;
      --needed_uses;
      count(target);
    }
    if (target < arrays) {
      truth.update = static_cast<Index>(root.updated);
      step.updated = inner.values[target].buffer();
      step.inside_only = needed_uses == 1;
      step.dead_reads = uses != needed_uses;
    }
  }
  make(name, root.dims, std::move(step), std::move(truth));
}

// Whether an earlier step may take the array that step `at` updates: the order of the two is open.
bool TrafficWriter::another_update(std::size_t at) const {
  for (std::size_t i = 0; i < at; ++i) {
    if (steps_[i].updated != steps_[at].updated) continue;
    std::set<std::size_t> after{steps_[i].made};
    for (std::size_t k = i + 1; k < at; ++k) {
      if (std::ranges::any_of(steps_[k].read, [&](std::size_t b) { return after.contains(b); }))
        after.insert(steps_[k].made);
    }
    if (std::ranges::none_of(steps_[at].read, [&](std::size_t b) { return after.contains(b); })) return true;
  }
  return false;
}

void TrafficWriter::finish() {
  // The result: some of the values, each once.
  std::vector<std::size_t> results;
  std::set<std::size_t> returned;
  const std::size_t last = scope_.values.size() - 1;
  for (const std::size_t v : scope_.arrays) {
    if (v != last && one_between(random_, 0, 3) != 0) continue;
    results.push_back(v);
    returned.insert(scope_.values[v].buffer());
  }
  std::string types;
  std::string names;
  for (const std::size_t v : results) {
    types += (types.empty() ? "" : ", ") + f32_text(scope_.values[v].dims);
    names += (names.empty() ? "" : ", ") + scope_.values[v].name;
  }
  entry_ += fmt::format("  ROOT result = ({}) tuple({})\n", types, names);
  // Sometimes the caller gives up a parameter for a result of the same shape.
  std::optional<std::pair<std::size_t, std::size_t>> donated;  // buffers
  const auto parameter =
      static_cast<std::size_t>(one_between(random_, 0, static_cast<Index>(scope_.starts[0].first) - 1));
  const auto result = static_cast<std::size_t>(one_between(random_, 0, std::ssize(results) - 1));
  std::string header = "HloModule random";
  if (one_between(random_, 0, 1) == 0 &&
      scope_.values[results[result]].dims == scope_.values[parameter].dims) {
    header += fmt::format(", input_output_alias={{ {{{}}}: ({}, {{}}, may-alias) }}", result, parameter);
    const std::size_t buffer = scope_.values[results[result]].buffer();
    const bool once = std::ranges::count_if(
                          results, [&](std::size_t v) { return scope_.values[v].buffer() == buffer; }) == 1;
    donated = {scope_.values[parameter].buffer(), once ? buffer : ~std::size_t{0}};
  }
  // What needs the result of a step, directly or not.
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const Step& step = steps_[i];
    if (!step.updated) continue;
    StepTruth& truth = out_.steps[step.truth];
    const std::size_t over = *step.updated;
    std::set<std::size_t> after{step.made};
    bool read_later = false;
    bool read_by_users = false;
    for (std::size_t k = i + 1; k < steps_.size(); ++k) {
      const auto& read = steps_[k].read;
      const bool needs = std::ranges::any_of(read, [&](std::size_t b) { return after.contains(b); });
      if (needs) after.insert(steps_[k].made);
      if (std::ranges::find(read, over) == read.end()) continue;
      read_later = true;
      read_by_users = read_by_users || needs;
    }
    const bool given = donated && donated->first == over;
    const bool owned =
        kinds_[over] == TrafficValue::Kind::computed || (given && donated->second == step.made);
    truth.open = (given && !owned) || step.dead_reads || another_update(i);
    const bool once = std::ranges::count(step.read, over) == 1 && step.inside_only;
    truth.may_overwrite = owned && once && !read_later && !returned.contains(over);
    truth.must_copy = (!owned && !given) || read_by_users || returned.contains(over);
  }
  out_.text = header +
              "\nsum {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT c = f32[] add(a, b)\n}\n" +
              functions_ + "ENTRY e {\n" + entry_ + "}\n";
}

}  // namespace

TrafficProgram random_traffic_program(std::mt19937_64& random) { return TrafficWriter(random).write(); }

}  // namespace tessera::laws
