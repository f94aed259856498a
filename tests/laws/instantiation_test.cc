// SPDX-License-Identifier: Apache-2.0
// The law of instantiation: an answer for all sizes, at given sizes, is the calculator's answer for the
// operands at these sizes, but for the strides of extents of 1. TESSERA_CALLS sets the number of random
// calls, TESSERA_SIZE_SEED the seed.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "eval/for_all_sizes.h"
#include "eval/node_names.h"

namespace tessera {
namespace {

constexpr std::array<const char*, 3> kParameters = {"M", "N", "K"};

/// The text with numbers for the parameters, by replacing letters: the texts here have no other capital
/// letters.
std::string with_numbers(const std::string& text, const std::array<long, 3>& sizes) {
  std::string out;
  for (const char c : text) {
    bool replaced = false;
    for (std::size_t i = 0; i < 3; ++i) {
      if (c != kParameters[i][0]) continue;
      out += std::to_string(sizes[i]);
      replaced = true;
    }
    if (!replaced) out += c;
  }
  return out;
}

/// Random calls of the layout algebra.
class Calls {
 public:
  explicit Calls(std::uint64_t seed) : random_(seed) {}
  long in(long low, long high) { return std::uniform_int_distribution<long>(low, high)(random_); }
  std::string pick(std::initializer_list<const char*> words) {
    return *(words.begin() + in(0, static_cast<long>(words.size()) - 1));
  }
  std::string term() {
    return pick(
        {"M", "N", "K", "2", "3", "4", "8", "6", "2*M", "4*N", "M*N", "N/2", "ceil_div(M,4)", "N + 1"});
  }
  std::string small() { return pick({"1", "2", "3", "4", "8", "M", "N"}); }
  /// Flat, with at least two modes; often compact, so that operations succeed.
  std::string layout() {
    const long rank = in(2, 3);
    std::vector<std::string> extents;
    for (long i = 0; i < rank; ++i) extents.push_back(pick({"M", "N", "K", "2", "4", "8", "2*M", "3"}));
    std::vector<std::string> strides(extents.size());
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < extents.size(); ++i) order.push_back(i);
    if (in(0, 1) == 0) std::swap(order.front(), order.back());
    std::string next = "1";
    for (const std::size_t i : order) {
      strides[i] = in(0, 4) == 0 ? pick({"0", "1", "2", "M", "K", "8"}) : next;
      next = next == "1" ? extents[i] : next + "*" + extents[i];
    }
    return "(" + joined(extents) + "):(" + joined(strides) + ")";
  }
  std::string call() {
    switch (in(0, 11)) {
      case 0:
        return "coalesce(" + layout() + ")";
      case 1:
        return "right_inverse(" + layout() + ")";
      case 2:
        return "left_inverse(" + layout() + ")";
      case 3:
        return "composition(" + layout() + ", (" + small() + "):(" + small() + "))";
      case 4:
        return "complement(" + layout() + ", " + pick({"64", "8*M*N", "M*N*K"}) + ")";
      case 5:
        return "logical_divide(" + layout() + ", (" + small() + "):(" + pick({"1", "2"}) + "))";
      case 6:
        return "zipped_divide(" + layout() + ", <" + small() + "," + small() + ">)";
      case 7:
        return "logical_product(" + layout() + ", (" + small() + "):(1))";
      case 8:
        return "blocked_product((2," + small() + "):(" + small() + ",1), (3," + small() + "):(1,3))";
      case 9:
        return "upcast(" + layout() + ", " + pick({"2", "4"}) + ")";
      case 10:
        return "downcast(" + layout() + ", " + pick({"2", "4"}) + ")";
      default:
        return pick({"cosize(", "size(", "filter(", "flatten("}) + layout() + ")";
    }
  }

 private:
  static std::string joined(const std::vector<std::string>& parts) {
    std::string out;
    for (const std::string& part : parts) out += (out.empty() ? "" : ",") + part;
    return out;
  }
  std::mt19937_64 random_;
};

/// What the calculator answers, with 0 for the strides of extents of 1, or the code of its error.
std::string answered(const std::string& text) {
  Evaluator evaluator;
  const Evaluation said = evaluator.evaluate(text);
  if (said.error) return std::string(to_string(said.error->code));
  const Value& value = said.answers.back().value;
  const auto* layout = value.as<TrackedLayout>();
  if (layout == nullptr) return to_string(value);
  StridedLayout l = layout->layout;
  for (int i = 0; i < l.leaves(); ++i) {
    if (l.extent[i] == 1) l.stride[i] = 0;
  }
  return to_string(Value(l));
}

/// The value of a case at sizes.
std::string case_value(const std::string& text, const SizeMap& at) {
  const eval::ParsedProgram program = eval::parse_program(text);
  if (program.error) return "cannot be read: " + text;
  std::map<std::string, symbolic::Integer, std::less<>> numbers;
  for (const auto& [name, value] : at) numbers[name] = value;
  const auto written = eval::text_at(program.statements[0].expr, {}, numbers);
  return written ? answered(*written) : "has no value: " + text;
}

TEST(Instantiation, AnswersForAllSizesAreTheCalculatorsAtEachSize) {
  const char* wanted = std::getenv("TESSERA_CALLS");
  const char* given = std::getenv("TESSERA_SIZE_SEED");
  const long calls = wanted == nullptr ? 24 : std::atol(wanted);
  const auto seed = static_cast<std::uint64_t>(given == nullptr ? 20261130 : std::atol(given));
  long undecided = 0;
  long compared = 0;
  long cases = 0;
  for (long n = 0; n < calls; ++n) {
    Calls random(seed + static_cast<std::uint64_t>(n));
    const std::string text = random.call();
    eval::SizedVariables none;
    const auto all = eval::for_all_sizes(text, "M, N, K", {}, none);
    SCOPED_TRACE("seed " + std::to_string(seed + static_cast<std::uint64_t>(n)) + ": " + text);
    ASSERT_TRUE(all && !all->error);
    std::vector<std::optional<SizeAssumptions>> conditions;
    for (const eval::SizedCase& c : all->answers[0].cases) {
      const Result<SizeAssumptions> condition =
          c.condition.empty() ? SizeAssumptions() : SizeAssumptions::parse(c.condition);
      ASSERT_TRUE(condition || condition.error().code == Code::empty_range) << c.condition;
      conditions.push_back(condition ? std::optional(*condition) : std::nullopt);
    }
    cases += static_cast<long>(conditions.size());
    for (int k = 0; k < 12; ++k) {
      const std::array<long, 3> sizes = {random.in(1, 20), random.in(1, 20), random.in(1, 20)};
      SizeMap at;
      for (std::size_t i = 0; i < 3; ++i) at[kParameters[i]] = sizes[i];
      const std::string expected = answered(with_numbers(text, sizes));
      if (expected == "bad_extent") continue;  // an operand is not a layout
      int matching = 0;
      for (std::size_t i = 0; i < conditions.size(); ++i) {
        const eval::SizedCase& c = all->answers[0].cases[i];
        if (!conditions[i] || !conditions[i]->holds(at)) continue;
        ++matching;
        if (c.kind == eval::SizedCase::Kind::undecided) {
          ++undecided;
          continue;
        }
        ++compared;
        const std::string got =
            c.kind == eval::SizedCase::Kind::error ? std::string(to_string(c.code)) : case_value(c.text, at);
        // A search that the calculator has for numbers finds more inverses, and tells which errors are
        // undecided.
        if (c.kind == eval::SizedCase::Kind::error && expected == "undecided") continue;
        EXPECT_EQ(got, expected) << c.text << " if " << c.condition << " at "
                                 << with_numbers("(M,N,K)", sizes);
      }
      EXPECT_EQ(matching, 1) << with_numbers("(M,N,K)", sizes);
    }
    if (HasFailure()) break;
  }
  std::printf("instantiation: seed %llu: %ld calls, %ld cases, %ld comparisons, %ld at undecided cases\n",
              static_cast<unsigned long long>(seed), calls, cases, compared, undecided);
  EXPECT_GT(compared, 3 * undecided);
}

}  // namespace
}  // namespace tessera
