// SPDX-License-Identifier: Apache-2.0
#include "laws/operand_maps_laws.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "base/check.h"
#include "hlo/syntax/attributes.h"
#include "hlo/syntax/literal.h"
#include "laws/replica_paths.h"
#include "tessera/hlo/module.h"
#include "tessera/map/map_algebra.h"

namespace tessera::laws {
namespace {

std::string describe(const Indexing& x) {
  std::string text = to_string(x.map);
  for (const RuntimeValue& r : x.runtime) {
    text +=
        fmt::format("\n  runtime {}: {}", r.source != nullptr ? r.source->name : r.text, to_string(r.map));
  }
  for (const ReplicaHop& hop : x.replica) text += fmt::format("\n  replica {}", to_string(hop.map));
  return text + (x.exactness == Exactness::exact ? "" : fmt::format("\n  {}", x.reason));
}

std::string describe(const Relation& relation, const Relation& other) {
  std::string text;
  int shown = 0;
  for (const auto& pair : relation) {
    if (other.contains(pair) || ++shown > 5) continue;
    text += fmt::format(" ({}) reads ({});", fmt::join(pair.first, ","), fmt::join(pair.second, ","));
  }
  return text;
}

const Instruction& only_root(const ParsedModules& parsed, std::string_view text) {
  for (const Diagnostic& d : parsed.diagnostics) ADD_FAILURE() << to_string(d) << "\n" << text;
  TESSERA_CHECK(!parsed.modules.empty() && parsed.modules[0].entry != nullptr,
                "the tests write good programs");
  return *parsed.modules[0].entry->root;
}

void check_form(const Instruction& op, const Indexing& x) {
  // Exceptions: a dimension of extent 1 has several equivalent forms, and a bitcast between tiled layouts has
  // digits of digits, which a second simplification may shorten.
  const auto dims = x.map.variables().first(x.map.dim_count());
  const bool points = std::ranges::any_of(dims, [](const Variable& v) { return v.bounds.is_point(); });
  if (op.opcode != Opcode::bitcast && !points) {
    EXPECT_LE(size(x.map), size(simplify(x.map, Points::preserve))) << describe(x);
  }
  for (const RuntimeValue& r : x.runtime) EXPECT_LE(size(r.map), size(simplify(r.map, Points::preserve)));
  EXPECT_EQ(x.runtime.size(), x.map.runtime_count()) << describe(x);
  EXPECT_EQ(x.reason.empty(), x.exactness == Exactness::exact) << describe(x);
}

}  // namespace

Relation relation_of(const Indexing& indexing, Direction direction, const Values& values) {
  Relation r;
  for_each_read(indexing, std::span(&values, 1), 0, [&](const Indices& from, Index, const Indices& to) {
    r.insert(direction == Direction::output_to_input ? std::pair(from, to) : std::pair(to, from));
  });
  return r;
}

void evaluate_integers(const Computation& computation, Values& values) {
  for (const auto& instruction : computation.instructions) {
    const Instruction& op = *instruction;
    if (!op.type.is_array() || !is_integer(op.type.array().dtype) || values.contains(&op)) continue;
    const auto operand = [&](std::size_t j, const Indices& o) {
      const Relation reads = reference_relation(op, 0, j, values).value();
      const Instruction* source = op.operands[j].instruction;
      return values.at(source)[static_cast<std::size_t>(
          number_of(source->type.dims(), reads.lower_bound({o, {}})->second))];
    };
    const auto known = [&] {
      return !op.operands.empty() && std::ranges::all_of(op.operands, [&](const Operand& o) {
        return values.contains(o.instruction);
      });
    };
    Indices mine;
    for_each_index(op.type.dims(), [&](const Indices& o) {
      switch (op.opcode) {
        case Opcode::constant:
          mine.push_back(integer_element(op, o).value());
          break;
        case Opcode::iota:
          mine.push_back(o[static_cast<std::size_t>(int_of(op, "iota_dimension").value())]);
          break;
        case Opcode::add:
          if (known()) mine.push_back(operand(0, o) + operand(1, o));
          break;
        case Opcode::subtract:
          if (known()) mine.push_back(operand(0, o) - operand(1, o));
          break;
        case Opcode::multiply:
          if (known()) mine.push_back(operand(0, o) * operand(1, o));
          break;
        case Opcode::broadcast:
        case Opcode::bitcast:
        case Opcode::reshape:
        case Opcode::transpose:
        case Opcode::slice:
        case Opcode::reverse:
        case Opcode::copy:
        case Opcode::convert:
          if (known()) mine.push_back(operand(0, o));
          break;
        default:
          break;
      }
    });
    if (mine.size() == static_cast<std::size_t>(op.type.array().element_count().value())) values[&op] = mine;
  }
}

void check_operand_maps(std::string_view text, std::uint64_t seed, bool unknown_allowed) {
  SCOPED_TRACE(fmt::format("seed {}\n{}", seed, text));
  const ParsedModules parsed = parse_hlo(text);
  const Instruction& root = only_root(parsed, text);
  std::mt19937_64 random(seed);
  Values values;
  for (const Instruction* parameter : parsed.modules[0].entry->parameters) {
    if (!parameter->type.is_array() || !is_integer(parameter->type.array().dtype)) continue;
    const bool natural = dtype_class(parameter->type.array().dtype) == DTypeClass::unsigned_integer;
    Indices mine;
    for_each_index(parameter->type.dims(), [&](const Indices&) {
      mine.push_back(std::uniform_int_distribution<Index>(natural ? 0 : -3, natural ? 3 : 7)(random));
    });
    values[parameter] = mine;
  }
  evaluate_integers(*parsed.modules[0].entry, values);

  for (std::size_t k = 0; k < outputs(root.type).size(); ++k) {
    for (std::size_t j = 0; j < root.operands.size(); ++j) {
      const auto truth = reference_relation(root, k, j, values);
      ASSERT_TRUE(truth.has_value()) << "no reference";
      const OutputOperand pair{.output = k, .operand = j};
      for (const Direction direction : {Direction::output_to_input, Direction::input_to_output}) {
        const bool to_input = direction == Direction::output_to_input;
        const auto answer = to_input ? output_to_input(root, pair) : input_to_output(root, pair);
        ASSERT_TRUE(answer.has_value());
        Relation found;
        bool exact = true, known = true;
        std::string shown = to_input ? "output to input:" : "input to output:";
        for (const Indexing& x : *answer) {
          shown += "\n" + describe(x);
          exact = exact && x.exactness == Exactness::exact;
          known = known && x.exactness != Exactness::unknown;
          if (!known) break;
          check_form(root, x);
          found.merge(relation_of(x, direction, values));
        }
        if (!known) {
          EXPECT_TRUE(unknown_allowed) << "output " << k << " operand " << j << " " << shown;
          EXPECT_FALSE(answer->front().reason.empty());
          continue;
        }
        EXPECT_TRUE(std::ranges::includes(found, *truth))
            << "output " << k << " operand " << j << " " << shown << "\nmissing:" << describe(*truth, found);
        if (exact) {
          EXPECT_TRUE(std::ranges::includes(*truth, found))
              << "output " << k << " operand " << j << " " << shown
              << "\ntoo much:" << describe(found, *truth);
        }
      }
    }
  }
}

void check_collective_maps(std::string_view text, Index members) {
  SCOPED_TRACE(text);
  const ParsedModules parsed = parse_hlo(text);
  const Instruction& root = only_root(parsed, text);
  const std::vector<Values> values(static_cast<std::size_t>(members));
  for (std::size_t k = 0; k < outputs(root.type).size(); ++k) {
    if (!outputs(root.type)[k].is_array()) continue;
    for (std::size_t j = 0; j < root.operands.size(); ++j) {
      const auto truth = reference_collective(root, k, j, members);
      ASSERT_TRUE(truth.has_value()) << "no reference";
      const OutputOperand pair{.output = k, .operand = j};
      for (const Direction direction : {Direction::output_to_input, Direction::input_to_output}) {
        const bool to_input = direction == Direction::output_to_input;
        const auto answer = to_input ? output_to_input(root, pair) : input_to_output(root, pair);
        ASSERT_TRUE(answer.has_value());
        GroupRelation found;
        std::string shown = to_input ? "output to input:" : "input to output:";
        for (const Indexing& x : *answer) {
          shown += "\n" + describe(x);
          EXPECT_EQ(x.exactness, Exactness::exact) << shown;
          check_form(root, x);
          for (Index own = 0; own < members; ++own) {
            for_each_read(x, values, own, [&](const Indices& from, Index other, const Indices& to) {
              found.insert(to_input ? std::tuple(own, from, other, to) : std::tuple(other, to, own, from));
            });
          }
        }
        EXPECT_TRUE(found == *truth) << "output " << k << " operand " << j << " " << shown << "\nfound "
                                     << found.size() << " of " << truth->size();
      }
    }
  }
}

}  // namespace tessera::laws
