// SPDX-License-Identifier: Apache-2.0
// Arrays that every iteration passes on, except for a box that it may overwrite.
#include <algorithm>
#include <unordered_set>
#include <utility>

#include "hlo/limits.h"
#include "hlo/ops/fold_runtime.h"
#include "hlo/walk/iterations.h"
#include "hlo/walk/loop_time.h"
#include "hlo/walk/steps.h"
#include "tessera/map/map_algebra.h"

namespace tessera {

using namespace detail;  // NOLINT(google-build-using-namespace): this file is part of the walk

std::optional<ProgramIndexing::Impl::Iterations::Update> ProgramIndexing::Impl::Iterations::update_of(
    const Computation& computation, HloValue value) {
  if (program_.call_height(computation) > detail::kHloLimits.walk.call_height) return std::nullopt;
  while (value.instruction->opcode != Opcode::parameter) {
    const Instruction& at = *value.instruction;
    if (!at.sound || at.operands.empty()) return std::nullopt;
    std::optional<ForwardedLeaf> from;
    if (only_forwards(at.opcode)) {
      from = program_.forwarded(at, value.leaf);
    } else if (at.opcode == Opcode::copy) {
      from = {.operand = 0, .leaf = value.leaf};
    } else if (at.opcode == Opcode::dynamic_update_slice) {
      const auto origin =
          program_.trace(computation, {at.operands[0].instruction, leaves_.first(at.operands[0])});
      return origin ? std::optional<Update>({&at, {}, *origin}) : std::nullopt;
    } else if ((at.opcode == Opcode::call || at.opcode == Opcode::fusion) && at.called.size() == 1) {
      const Computation& callee = *at.called[0];
      if (callee.root == nullptr || value.leaf >= leaves_.count(callee.root->type)) return std::nullopt;
      if (auto inside = update_of(callee, {callee.root, value.leaf})) {
        const auto number = static_cast<std::size_t>(inside->origin.instruction->parameter_number);
        if (number >= at.operands.size()) return std::nullopt;
        const Operand& operand = at.operands[number];
        const auto origin =
            program_.trace(computation, {operand.instruction, leaves_.first(operand) + inside->origin.leaf});
        if (!origin) return std::nullopt;
        inside->origin = *origin;
        inside->calls.insert(inside->calls.begin(), {&at, 0});
        return inside;
      }
      const auto parameter = program_.unchanged_from(callee, value.leaf);
      if (!parameter) return std::nullopt;
      from = {.operand = static_cast<std::uint32_t>(parameter->instruction->parameter_number),
              .leaf = parameter->leaf};
    }
    if (!from || from->operand >= at.operands.size()) return std::nullopt;
    const Operand& operand = at.operands[from->operand];
    value = {operand.instruction, leaves_.first(operand) + from->leaf};
  }
  return std::nullopt;
}

std::vector<HloValue> ProgramIndexing::Impl::Iterations::parameters_read(std::vector<HloValue> values,
                                                                         bool by_maps) {
  std::vector<HloValue> out;
  std::unordered_set<HloValue, ValueHash> known(values.begin(), values.end());
  const auto reach = [&](const HloValue& value) {
    if (known.insert(value).second) values.push_back(value);
  };
  while (!values.empty()) {
    const HloValue at = values.back();
    values.pop_back();
    if (at.instruction->opcode == Opcode::parameter) {
      out.push_back(at);
      continue;
    }
    if (by_maps) {
      for (const OperandStep& step : program_.kept_steps(*at.instruction, at.leaf)) reach(step.value);
    } else {
      program_.for_each_dependence(*at.instruction, at.leaf, [&](std::size_t operand, std::uint32_t array) {
        const Operand& from = at.instruction->operands[operand];
        reach({from.instruction, leaves_.first(from) + array});
      });
    }
  }
  return out;
}

bool ProgramIndexing::Impl::Iterations::writes_what_it_reads(const Update& update, bool by_maps) {
  const Operand& elements = update.instruction->operands[1];
  std::vector<HloValue> values;
  for (std::uint32_t i = 0; i < leaves_.count(elements); ++i)
    values.push_back({elements.instruction, leaves_.first(elements) + i});
  std::vector<HloValue> parameters = parameters_read(std::move(values), by_maps);
  for (std::size_t call = update.calls.size(); call-- > 0;) {
    const std::vector<Operand>& operands = update.calls[call].caller->operands;
    values.clear();
    for (const HloValue& parameter : parameters) {
      const auto number = static_cast<std::size_t>(parameter.instruction->parameter_number);
      if (number >= operands.size()) return true;
      values.push_back({operands[number].instruction, leaves_.first(operands[number]) + parameter.leaf});
    }
    parameters = parameters_read(std::move(values), by_maps);
  }
  return std::ranges::find(parameters, update.origin) != parameters.end();
}

std::optional<LoopWrite> ProgramIndexing::Impl::Iterations::write_of(std::uint32_t leaf) {
  const auto update = update_of(body_, {body_.root, leaf});
  // A walk to the operand has the maps of the body already; one to the result rarely needs to make them.
  if (!update || update->origin.instruction->parent != &body_ || update->origin.leaf != leaf ||
      ((!forward_ || writes_what_it_reads(*update, false)) && writes_what_it_reads(*update, true))) {
    return std::nullopt;
  }
  const Instruction& op = *update->instruction;
  if (!op.type.is_array() || op.operands.size() != op.type.rank() + 2 || !op.operand_type(1).is_array() ||
      op.type.array().dims != leaves_.type(loop_.type, leaf).array().dims) {
    return std::nullopt;
  }
  LoopWrite out;
  for (std::size_t d = 0; d < op.type.rank(); ++d) {
    const Operand& start = op.operands[d + 2];
    const Index size = op.operand_type(1).array().dims[d];
    const Interval clamp{0, op.type.array().dims[d] - size};
    if (size < 0 || clamp.upper < 0 || !start.type().is_array() || start.type().rank() != 0)
      return std::nullopt;
    const Domain iterations({{.bounds = {0, counted_.trips - 1}}}, {}, {});
    Indexing x;
    x.map = IndexMap::make_unchecked(Domain({{.bounds = {0, counted_.trips - 1}}}, {}, {{.bounds = clamp}}),
                                     {Expr::variable(1)});
    x.runtime.push_back({.source = start.instruction,
                         .tuple_index = start.tuple_index,
                         .inner = start.inner,
                         .map = IndexMap::make_unchecked(Domain(iterations), {}),
                         .clamp = clamp,
                         .calls = update->calls});
    fold_runtime(x, {.elements = what_iterations_know(), .single_values = true});
    if (!x.runtime.empty()) return std::nullopt;
    const Expr place = simplify(x.map.results()[0], iterations);
    const auto at = [&](Index t) { return evaluate(place, std::vector<Index>{t}); };
    const auto first = at(0);
    const auto second = counted_.trips > 1 ? at(1) : first;
    if (!first || !second) return std::nullopt;
    const LoopCounter progress{*first, *second - *first};
    const Expr difference = place - (Expr::variable(0) * progress.step + progress.first);
    if (!simplify(difference, iterations).is_constant(0)) return std::nullopt;
    out.sizes.push_back(size);
    out.starts.push_back(progress);
  }
  return out;
}

bool ProgramIndexing::Impl::Iterations::in_written_box(const Indexing& timed, const LoopWrite& write) const {
  if (timed.exactness == Exactness::unknown) return false;
  for (std::size_t d = 0; d < write.sizes.size(); ++d) {
    const auto [first, step] = write.starts[d];
    const Expr inside = Expr::variable(static_cast<Index>(d) + 1) - (Expr::variable(0) * step + first);
    const Domain& domain = timed.map.domain();
    if (!Interval{0, write.sizes[d] - 1}.contains(range(simplify(inside, domain), domain))) return false;
  }
  return true;
}

IndexingSet ProgramIndexing::Impl::Iterations::untouched_by(std::uint32_t leaf, const LoopWrite& write) {
  Indexing here = identity_indexing(type(leaf));
  here.map = with_dimension(here.map, {0, counted_.trips});
  if (ends_at_runtime()) here = with_start(std::move(here), counted_.start->followed);
  IndexingSet out;
  for (Domain& part : untouched(write, here.map.domain(), end(here), counted_.trips, forward_)) {
    Indexing x = here;
    x.map = IndexMap::make_unchecked(std::move(part), {x.map.results().begin(), x.map.results().end()});
    insert(out, normalize(std::move(x)));
  }
  return out;
}

// Maps (n, index) to (k, index), where k numbers the state right after the iteration that writes the index.
// Defined only for indices that one of the n iterations writes.
Indexing ProgramIndexing::Impl::Iterations::last_write(std::uint32_t leaf, const LoopWrite& write) const {
  const std::size_t dimension = *write.apart(counted_.trips);
  const auto [first, step] = write.starts[dimension];
  const Expr index = Expr::variable(static_cast<Index>(dimension) + 1);
  const Expr iteration = step == 0  ? Expr()
                         : step > 0 ? floor_div(index - first, step)
                                    : floor_div(Expr::constant(first - step - 1) - index, -step);
  Domain domain = timeline(leaf);
  domain.constrain(iteration, {0, counted_.trips - 1});
  domain.constrain(index - (iteration * step + first), {0, write.sizes[dimension] - 1});
  domain.constrain(Expr::variable(0) - number(iteration), {0, kPosInf});
  std::vector<Expr> results = variables_from(0, domain.dim_count());
  results[0] = number(iteration);
  return normalize({.map = IndexMap::make_unchecked(std::move(domain), std::move(results))});
}

// Follows an array that every iteration passes on, either whole (exact) or except for what it overwrites.
void ProgramIndexing::Impl::Iterations::follow_identity(std::uint32_t leaf, Exactness exactness,
                                                        const std::string& reason) {
  Indexing here = identity_indexing(type(leaf));
  const IndexingSet handed{here};
  const Domain start = timeline(leaf);
  const Targets own = std::exchange(all_[leaf], {});
  Targets& out = all_[leaf];
  const auto write = exactness == Exactness::exact ? std::nullopt : write_of(leaf);
  here.exactness = exactness;
  here.reason = reason;
  out[leaf] = write && can_tell_untouched(*write, counted_.trips) ? untouched_by(leaf, *write)
                                                                  : to_end({here}, {0, kPosInf});
  if (!write || !write->apart(counted_.trips)) {
    Targets others = through_others(leaf, {leaf});
    for (const auto& [to, maps] : own) {
      for (const Indexing& x : maps) insert(others[to], x);
    }
    join(out, later({here}, 0), others, start);
    return;
  }
  // No element is written twice, so an element in the box of an iteration gets its final value there. Other
  // elements that an iteration passes on may be overwritten later.
  Targets in_box;
  Targets elsewhere = own;
  for (const auto& [to, maps] : once_[leaf]) {
    if (to == leaf) continue;
    IndexingSet inside;
    IndexingSet others;
    for (const Indexing& x : maps) (!forward_ && in_written_box(x, *write) ? inside : others).push_back(x);
    join(in_box, one_iteration(inside), all_[to], start);
    join(elsewhere, one_iteration(others), all_[to], start);
  }
  join(out, {last_write(leaf, *write)}, in_box, start);
  Targets before;
  join(out, exactly(handed, 0), elsewhere, start);
  join(before, later({here}, 1), elsewhere, start);
  for (auto& [to, maps] : before) {
    for (Indexing& x : maps) {
      const bool known = std::ranges::any_of(
          out[to], [&](const Indexing& y) { return same_relation(x, y) || contained(x, y); });
      if (!known) insert(out[to], std::move(x));
    }
  }
}

}  // namespace tessera
