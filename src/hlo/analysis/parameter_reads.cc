// SPDX-License-Identifier: Apache-2.0
#include "hlo/analysis/parameter_reads.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "hlo/analysis/same_value.h"
#include "hlo/indexing/indexing_set.h"
#include "hlo/indexing/size_value.h"
#include "hlo/indexing/variables.h"
#include "hlo/ops/element_value.h"

namespace tessera {
namespace {

bool is_value_of(const RuntimeInput& input, std::uint32_t output, const RuntimeValue& value) {
  return detail::same_value(input.value, value, input.output == output);
}

// The variables of a map by their new names.
IndexMap renamed(const IndexMap& map, std::span<const std::string> names) {
  std::vector<Variable> all(map.variables().begin(), map.variables().end());
  const std::size_t first = map.dim_count() + map.range_count();
  if (all.size() != first + names.size()) return map;
  std::vector<Interval> bounds;
  for (const Variable& v : all) bounds.push_back(v.bounds);
  for (std::size_t i = 0; i < names.size(); ++i) all[first + i].name = names[i];
  Domain domain = Domain::of(std::move(all), {.dims = map.dim_count(), .ranges = map.range_count()});
  if (map.known_empty()) return IndexMap::empty(domain, map.results().size());
  return IndexMap::make_unchecked(
      std::move(domain).with(bounds, {map.constraints().begin(), map.constraints().end()}),
      {map.results().begin(), map.results().end()});
}

// Names the runtime variables of a map, and adds the values that no map before it has.
void name_runtime(ParameterReads& all, std::uint32_t output, Indexing& x) {
  const std::size_t before = x.runtime.size();
  x = detail::with_joined_values(std::move(x));
  if (x.runtime.size() < before) x = normalize(std::move(x));
  std::vector<std::string> names;
  for (const RuntimeValue& value : x.runtime) {
    auto known = std::ranges::find_if(all.runtime, [&](const RuntimeInput& input) {
      return input.value.clamp == value.clamp && is_value_of(input, output, value) &&
             std::ranges::find(names, input.name) == names.end();
    });
    if (known == all.runtime.end()) {
      all.runtime.push_back(
          {.name = fmt::format("rt{}", all.runtime.size()), .output = output, .value = value});
      known = all.runtime.end() - 1;
    }
    names.push_back(known->name);
  }
  if (names.empty() || x.exactness == Exactness::unknown) return;
  x.map = renamed(x.map, names);
  for (RuntimeValue& value : x.runtime) value.map = renamed(value.map, names);
}

const RuntimeInput* input_of(const ParameterReads& all, const IndexMap& map, std::size_t number) {
  const std::string name = map.domain().name(map.dim_count() + map.range_count() + number);
  const auto found = std::ranges::find(all.runtime, name, &RuntimeInput::name);
  return found == all.runtime.end() ? nullptr : &*found;
}

// Every map with the values that are set.
void apply(ParameterReads& all) {
  for (ParameterRead& read : all.reads) {
    IndexingSet kept;
    for (Indexing& x : read.maps) {
      std::size_t i = x.exactness == Exactness::unknown ? x.runtime.size() : 0;
      while (i < x.runtime.size()) {
        const RuntimeInput* const input = input_of(all, x.map, i);
        if (input == nullptr || !input->set) {
          ++i;
          continue;
        }
        detail::replace_runtime(x, i, Expr::constant(*input->clamped()));
        x = normalize(std::move(x));
        i = 0;
      }
      insert(kept, std::move(x));
    }
    read.maps = std::move(kept);
  }
}

// The type of the value, or nothing if no instruction holds it.
const HloType* type_of(const RuntimeValue& value) {
  if (value.source == nullptr) return nullptr;
  const HloType* type = &value.source->type;
  const auto enter = [&](std::int32_t element) {
    const bool has = type->is_tuple() && static_cast<std::size_t>(element) < type->elements().size();
    if (has) type = &type->elements()[static_cast<std::size_t>(element)];
  };
  if (value.tuple_index >= 0) enter(value.tuple_index);
  for (const TupleStep* step = value.inner; step != nullptr; step = step->next) enter(step->index);
  return type;
}

Result<void> check_value(const RuntimeInput& input, Index value) {
  if (input.value.groups.exist() && input.value.source == nullptr) {
    const auto size = input.value.groups.size();
    if (value >= 0 && (!size || value < *size)) return {};
    return fail(Code::number_range,
                fmt::format("{} is a position in a group{}, so it cannot be {}", input.name,
                            size ? fmt::format(" of {}", *size) : "", value),
                {}, "positions count from 0");
  }
  if (detail::is_size(input.value) && !input.value.clamp.contains(value))
    return fail(Code::number_range,
                fmt::format("{} is the size of a dimension, so it cannot be {}", input.name, value), {},
                fmt::format("give a value from {} to {}", input.value.clamp.lower, input.value.clamp.upper));
  const HloType* const type = type_of(input.value);
  if (type == nullptr || !type->is_array()) return {};
  const auto values = detail::values_of(type->array().dtype);
  if (!values || values->contains(value)) return {};
  return fail(
      Code::number_range,
      fmt::format("{} is of type {}, which has no {}", input.name, to_string(type->array().dtype), value), {},
      fmt::format("give a value from {} to {}", values->lower, values->upper));
}

// Adds the maps of every output. Values that are in `out.runtime` keep their names.
Result<void> add_reads(ProgramIndexing& program, ParameterReads& out,
                       std::span<const Instruction* const> callers) {
  const Instruction& instruction = *out.instruction;
  const auto leaves = static_cast<std::uint32_t>(instruction.type.leaf_count());
  for (std::uint32_t leaf = 0; leaf < leaves; ++leaf) {
    if (leaf_type(instruction.type, leaf).is_token()) continue;
    auto found =
        program.to_parameters({.value = {&instruction, leaf}, .callers = {callers.begin(), callers.end()}});
    if (!found) return fail(std::move(found).error());
    for (ProgramIndexing::ParameterIndexing& one : *found) {
      for (Indexing& x : one.maps) name_runtime(out, leaf, x);
      out.reads.push_back(
          {.output = leaf, .parameter = one.parameter, .leaf = one.leaf, .maps = std::move(one.maps)});
    }
  }
  return {};
}

}  // namespace

std::optional<Index> RuntimeInput::clamped() const {
  if (!set) return std::nullopt;
  return std::min(std::max(*set, value.clamp.lower), value.clamp.upper);
}

Exactness ParameterReads::exactness() const {
  Exactness weakest = Exactness::exact;
  for (const ParameterRead& read : reads) weakest = std::max(weakest, tessera::exactness(read.maps));
  return weakest;
}

Result<std::vector<const Instruction*>> callers_between(const HloModule& module,
                                                        const Computation& computation,
                                                        const Instruction& instruction) {
  std::vector<const Instruction*> path;
  const Computation* at = instruction.parent;
  while (at != &computation) {
    const Instruction* caller = nullptr;
    std::size_t count = 0;
    for (const auto& one : module.computations) {
      for (const auto& candidate : one->instructions) {
        if (std::ranges::find(candidate->called, at) == candidate->called.end()) continue;
        caller = candidate.get();
        ++count;
      }
    }
    const bool through = count == 1 && caller->called.size() == 1 &&
                         (caller->opcode == Opcode::fusion || caller->opcode == Opcode::call);
    if (!through || path.size() > module.computations.size()) {
      return fail(Code::not_applicable,
                  count == 0  ? fmt::format("'{}' is in computation '{}', which '{}' does not call",
                                            instruction.name, instruction.parent->name, computation.name)
                  : count > 1 ? fmt::format("'{}' is in computation '{}', and '{}' is called {} times",
                                            instruction.name, instruction.parent->name, at->name, count)
                              : fmt::format("'{}' is in computation '{}', and '{}' is called by the {} '{}'",
                                            instruction.name, instruction.parent->name, at->name,
                                            caller->opcode_text, caller->name),
                  {},
                  fmt::format("--computation {} asks about its own parameters", instruction.parent->name));
    }
    path.push_back(caller);
    at = caller->parent;
  }
  std::ranges::reverse(path);
  return path;
}

Result<ParameterReads> parameter_reads(ProgramIndexing& program, const Instruction& instruction,
                                       std::span<const Instruction* const> callers) {
  ParameterReads out{.instruction = &instruction,
                     .computation = callers.empty() ? instruction.parent : callers.front()->parent};
  if (auto added = add_reads(program, out, callers); !added) return fail(std::move(added).error());
  return out;
}

Result<void> narrow_by_values(ProgramIndexing& program, ParameterReads& reads,
                              std::span<const Instruction* const> callers) {
  const auto is_superset = [](const Indexing& x) { return x.exactness == Exactness::superset; };
  const auto has_superset = [&](const ParameterRead& read) {
    return std::ranges::any_of(read.maps, is_superset);
  };
  if (std::ranges::none_of(reads.reads, has_superset)) return {};
  std::vector<ProgramIndexing::KnownElement> known;
  for (const RuntimeInput& input : reads.runtime) {
    const RuntimeValue& value = input.value;
    const bool one_element = value.source != nullptr && value.hops == 0 && !value.map.known_empty() &&
                             std::ranges::all_of(value.map.results(), [](Expr e) { return e.is_constant(); });
    if (input.set && one_element) known.push_back({value, *input.set});
  }
  if (known.empty()) return {};
  ParameterReads again = reads;
  again.reads.clear();
  ProgramIndexing knowing = program.knowing(std::move(known));
  if (auto added = add_reads(knowing, again, callers); !added) return added;
  apply(again);
  if (again.exactness() <= reads.exactness()) reads = std::move(again);
  return {};
}

Result<void> set_runtime(ParameterReads& reads, std::string_view name, Index value) {
  const auto found = std::ranges::find(reads.runtime, name, &RuntimeInput::name);
  if (found == reads.runtime.end()) {
    return fail(Code::unknown_name, fmt::format("no map depends on '{}'", name), {},
                reads.runtime.empty() ? "no map has a runtime variable"
                : reads.runtime.size() == 1
                    ? fmt::format("the only runtime variable is {}", reads.runtime.front().name)
                    : fmt::format("the runtime variables are {} to {}", reads.runtime.front().name,
                                  reads.runtime.back().name));
  }
  if (const auto fits = check_value(*found, value); !fits) return fits;
  const RuntimeInput asked = *found;
  for (RuntimeInput& input : reads.runtime) {
    const bool same = &input == &*found || is_value_of(input, asked.output, asked.value);
    if (!same) continue;
    if (input.set && *input.set != value) {
      return fail(Code::bad_option, fmt::format("{} is {}, so {} cannot be {}: they are the same value",
                                                input.name, *input.set, name, value));
    }
    input.set = value;
  }
  apply(reads);
  return {};
}

}  // namespace tessera
