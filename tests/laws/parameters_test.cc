// SPDX-License-Identifier: Apache-2.0
// What the root of a random program reads of its parameters, element by element, against dependences that are
// followed without index maps. TESSERA_LAW_CASES is the number of programs (default 1,500).
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "hlo/analysis/parameter_elements.h"
#include "laws/program_model.h"
#include "laws/random_seed.h"
#include "tessera/hlo/module.h"

namespace tessera::laws::parameters {
namespace {

struct Tally {
  std::size_t elements = 0;  // that an element of a result reads
  std::size_t set = 0;       // values of runtime variables
  std::size_t open = 0;      // answers that such a value chooses
};

model::Sources sources_in(const std::vector<ParameterElements>& answer, const model::Program& program) {
  model::Sources out;
  for (const ParameterElements& one : answer) {
    for (const ElementBox& box : one.boxes) {
      std::vector<Index> at = box.lower;
      bool more = std::ranges::equal(box.lower, box.upper, [](Index a, Index b) { return a < b; });
      while (more) {
        out.insert({one.parameter, model::linear(at, program.parameters[one.parameter])});
        more = false;
        for (std::size_t d = at.size(); d-- > 0 && !more;) {
          more = ++at[d] < box.upper[d];
          if (!more) at[d] = box.lower[d];
        }
      }
    }
  }
  return out;
}

std::string text_of(const model::Sources& sources) {
  std::vector<std::string> parts;
  for (const model::Source& s : sources) parts.push_back(fmt::format("{}[{}]", s.parameter, s.element));
  return fmt::format("{}", fmt::join(parts, " "));
}

// The answers for each element of each output of `op`, with the start indices set or not.
void check_elements(const model::RandomModule& random, ParameterReads reads, bool set_values,
                    const model::StartIndices& indices, Tally& tally) {
  const model::Program& program = random.fused;
  const auto count = static_cast<Index>(program.parameters.size());
  for (std::size_t i = 0; set_values && i < reads.runtime.size(); ++i) {
    const RuntimeInput& input = reads.runtime[i];
    ASSERT_TRUE(input.value.source != nullptr && input.value.source->opcode == Opcode::parameter);
    const Index value = indices.values[input.value.source->parameter_number - (count - 2)];
    const std::string name = input.name;
    const auto done = set_runtime(reads, name, value);
    ASSERT_TRUE(done) << to_string(done.error());
    ++tally.set;
  }
  for (std::size_t k = 0; k < program.outputs.size(); ++k) {
    const model::Array& output = program.outputs[k];
    for (std::size_t e = 0; e < output.elements.size(); ++e) {
      const std::vector<Index> at = model::coordinates(static_cast<Index>(e), output.dims);
      const auto answer = elements_at(reads, static_cast<std::uint32_t>(k), at);
      ASSERT_TRUE(answer) << to_string(answer.error());
      bool exact = true;
      for (const ParameterElements& one : *answer) {
        ASSERT_TRUE(one.listed());
        ASSERT_TRUE(!set_values || one.depends.empty());
        tally.open += one.depends.empty() ? 0 : 1;
        exact = exact && one.exactness == Exactness::exact && one.depends.empty();
        Index elements = 0;
        for (const ElementBox& box : one.boxes) {
          Index own = 1;
          for (std::size_t d = 0; d < box.lower.size(); ++d) own *= box.upper[d] - box.lower[d];
          elements += own;
        }
        // How many of them are read is a bound if the maps may contain others.
        const Index least = one.exactness == Exactness::exact ? elements : 0;
        ASSERT_EQ(one.count.lower, least);
        ASSERT_EQ(one.count.upper, elements);
      }
      const model::Sources said = sources_in(*answer, program);
      const model::Sources& truth = output.elements[e];
      const bool right = exact ? said == truth : std::ranges::includes(said, truth);
      ASSERT_TRUE(right) << fmt::format("output {} at ({}): said {}, truth {}", k, fmt::join(at, ","),
                                        text_of(said), text_of(truth));
      tally.elements += truth.size();
    }
  }
}

void check_program(std::uint64_t seed, model::ProgramOptions options, Tally& tally) {
  std::mt19937_64 random(seed);
  for (Index& value : options.indices.values) value = std::uniform_int_distribution<Index>(-3, 9)(random);
  const model::RandomModule made = model::random_module(random, options);
  SCOPED_TRACE(fmt::format("TESSERA_SEED={}\n{}", seed, made.text));
  const ParsedModules parsed = parse_hlo(made.text);
  ASSERT_TRUE(parsed.ok());
  const HloModule& module = parsed.modules.at(0);
  ProgramIndexing program;
  const Instruction& fusion = *module.entry->root;
  // The root of the entry, and the root of the fusion that it is, have the same parameters.
  for (const Instruction* op : {&fusion, static_cast<const Instruction*>(fusion.called[0]->root)}) {
    const auto callers = callers_between(module, *module.entry, *op);
    ASSERT_TRUE(callers) << to_string(callers.error());
    const auto reads = parameter_reads(program, *op, *callers);
    ASSERT_TRUE(reads) << to_string(reads.error());
    ASSERT_NE(reads->exactness(), Exactness::unknown);
    check_elements(made, *reads, true, options.indices, tally);
    if (options.runtime) check_elements(made, *reads, false, options.indices, tally);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

std::string type_of(const std::vector<Index>& dims) { return fmt::format("f32[{}]", fmt::join(dims, ",")); }

// The program with an asynchronous call in place of its fusion. The start has some of the operands, updates
// bind the others, and the result is bound at the start, by an update, or at the end.
std::string late_text(const model::RandomModule& made, bool runtime, std::mt19937_64& random) {
  const model::Program& fused = made.fused;
  std::vector<std::string> types;
  for (const auto& dims : fused.parameters) types.push_back(type_of(dims));
  for (std::size_t k = 0; runtime && k < 2; ++k) types[types.size() - 1 - k] = "s32[]";
  std::vector<std::string> results;
  for (const model::Array& output : fused.outputs) results.push_back(type_of(output.dims));
  const std::string result =
      results.size() == 1 ? results[0] : "(" + fmt::format("{}", fmt::join(results, ", ")) + ")";
  std::string text = made.text.substr(0, made.text.find("ENTRY")) + "ENTRY late {\n";
  for (std::size_t p = 0; p < types.size(); ++p)
    text += fmt::format("  p{} = {} parameter({})\n", p, types[p], p);
  std::size_t bound = 0;
  bool has_result = false;
  std::string last;
  for (int step = 0; step == 0 || bound < types.size() || random() % 3 == 0; ++step) {
    const std::size_t more = random() % (types.size() - bound + 1);
    std::vector<std::string> operands;
    if (step > 0) operands.push_back(last);
    for (std::size_t k = 0; k < more; ++k) operands.push_back(fmt::format("p{}", bound + k));
    bound += more;
    has_result = has_result || random() % 2 == 0;
    const std::string held =
        fmt::format("{}", fmt::join(types.begin(), types.begin() + static_cast<std::ptrdiff_t>(bound), ", "));
    const std::string name = fmt::format("step{}", step);
    text += fmt::format("  {} = (({}), {}, s32[]) call-{}({}){}\n", name, held, has_result ? result : "()",
                        step == 0 ? "start" : "update", fmt::join(operands, ", "),
                        step == 0 ? ", to_apply=" + fused.name : "");
    last = name;
  }
  return text + fmt::format("  ROOT done = {} call-done({})\n}}\n", result, last);
}

// The pairs of an element of a parameter and of an output that the maps toward the root contain, if they are
// exact and depend on no runtime value.
void check_forward(const HloModule& module, const model::Program& program) {
  ProgramIndexing walk;
  for (std::size_t p = 0; p < program.parameters.size(); ++p) {
    const auto uses = walk.forward_to_root({module.entry->parameters[p], 0});
    ASSERT_TRUE(uses);
    for (std::size_t k = 0; k < program.outputs.size(); ++k) {
      const model::Array& output = program.outputs[k];
      std::set<std::pair<Index, Index>> said;
      std::set<std::pair<Index, Index>> truth;
      bool exact = true;
      for (const OutputIndexing& use : *uses) {
        if (use.leaf != k) continue;
        for (const Indexing& x : use.maps) {
          exact = exact && x.exactness == Exactness::exact && x.runtime.empty();
          if (x.exactness == Exactness::unknown || x.map.known_empty()) continue;
          std::vector<Index> point;
          for (const Variable& v : x.map.variables()) point.push_back(v.bounds.lower);
          for (bool more = true; more;) {
            if (const auto at = x.map.evaluate(point); at && x.map.domain().contains(point)) {
              const std::vector<Index> from(point.begin(), point.begin() + std::ssize(program.parameters[p]));
              said.emplace(model::linear(from, program.parameters[p]), model::linear(*at, output.dims));
            }
            more = false;
            for (std::size_t d = point.size(); d-- > 0 && !more;) {
              more = ++point[d] <= x.map.variables()[d].bounds.upper;
              if (!more) point[d] = x.map.variables()[d].bounds.lower;
            }
          }
        }
      }
      for (std::size_t e = 0; e < output.elements.size(); ++e) {
        for (const model::Source& source : output.elements[e]) {
          if (source.parameter == p) truth.emplace(source.element, static_cast<Index>(e));
        }
      }
      ASSERT_TRUE(exact ? said == truth : std::ranges::includes(said, truth))
          << fmt::format("from parameter {} to output {}", p, k);
    }
  }
}

TEST(ParameterReads, AreTheSameIfAnAsynchronousCallBindsItsOperandsLate) {
  const std::uint64_t first = seed(65000);
  const std::uint64_t count = environment("TESSERA_LAW_CASES", 1500);
  Tally tally;
  for (std::uint64_t i = 0; i < count && !HasFailure(); ++i) {
    std::mt19937_64 random(first + i);
    model::ProgramOptions options{.instructions = 3 + static_cast<int>(i % 5), .runtime = i % 3 == 1};
    for (Index& value : options.indices.values) value = std::uniform_int_distribution<Index>(-3, 9)(random);
    const model::RandomModule made = model::random_module(random, options);
    const std::string text = late_text(made, options.runtime, random);
    SCOPED_TRACE(fmt::format("TESSERA_SEED={}\n{}", first + i, text));
    const ParsedModules parsed = parse_hlo(text);
    ASSERT_TRUE(parsed.ok()) << to_string(parsed.diagnostics.front());
    const HloModule& module = parsed.modules.at(0);
    ProgramIndexing program;
    const auto reads = parameter_reads(program, *module.entry->root);
    ASSERT_TRUE(reads);
    check_elements(made, *reads, false, options.indices, tally);
    if (!options.runtime) check_forward(module, made.fused);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(tally.elements, count);
}

TEST(ParameterReads, AreTheTrueDependenceOfEachElement) {
  const std::uint64_t first = seed(60000);
  const std::uint64_t count = environment("TESSERA_LAW_CASES", 1500);
  Tally tally;
  for (std::uint64_t i = 0; i < count && !HasFailure(); ++i) {
    const model::ProgramOptions options{
        .instructions = 4 + static_cast<int>(i % 7), .supersets = i % 3 == 2, .runtime = i % 3 == 1};
    check_program(first + i, options, tally);
  }
  EXPECT_GT(tally.elements, count);
  EXPECT_GT(tally.set, count / 50);
  EXPECT_GT(tally.open, count / 50);
}

}  // namespace
}  // namespace tessera::laws::parameters
