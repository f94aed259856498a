// SPDX-License-Identifier: Apache-2.0
// The law of instantiation for layouts: an answer for all sizes, at given sizes, is the answer for the layout
// of numbers. Random layouts in five notations; TESSERA_CALLS sets their number,
// TESSERA_SIZE_SEED the seed.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "notation/symbolic/symbolic_answers.h"
#include "tessera/draw/layout_picture.h"
#include "tessera/eval/evaluator.h"
#include "tessera/notation/conversion.h"
#include "tessera/text/index_map.h"

namespace tessera {
namespace {

constexpr std::array<char, 3> kLetters = {'M', 'N', 'K'};
using Numbers = std::array<long, 3>;

/// The value of a term in which names are replaced by numbers: + - * / ceil_div, where / rounds down.
class Arithmetic {
 public:
  explicit Arithmetic(std::string_view text) : text_(text) {}
  long sum() {
    long out = product();
    while (true) {
      if (take('+')) {
        out += product();
      } else if (take('-')) {
        out -= product();
      } else {
        return out;
      }
    }
  }
  std::size_t end() const { return at_; }

 private:
  static long floored(long a, long b) { return a >= 0 ? a / b : -((b - 1 - a) / b); }
  bool take(char c) {
    std::size_t next = at_;
    while (next < text_.size() && text_[next] == ' ') ++next;
    if (next == text_.size() || text_[next] != c) return false;
    at_ = next + 1;
    return true;
  }
  long product() {
    long out = factor();
    while (true) {
      if (take('*')) {
        out *= factor();
      } else if (take('/')) {
        out = floored(out, factor());
      } else {
        return out;
      }
    }
  }
  long factor() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    if (take('-')) return -factor();
    if (take('(')) {
      const long out = sum();
      take(')');
      return out;
    }
    if (text_.substr(at_).starts_with("ceil_div(") || text_.substr(at_).starts_with("min(")) {
      const bool ceil = text_[at_] == 'c';
      at_ += ceil ? 9 : 4;
      const long a = sum();
      take(',');
      const long b = sum();
      take(')');
      return ceil ? -floored(-a, b) : std::min(a, b);
    }
    long out = 0;
    while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9')
      out = out * 10 + (text_[at_++] - '0');
    return out;
  }
  std::string_view text_;
  std::size_t at_ = 0;
};

std::string with_letters(const std::string& text, const Numbers& sizes) {
  std::string out;
  for (const char c : text) {
    const auto found = std::ranges::find(kLetters, c);
    out += found == kLetters.end()
               ? std::string(1, c)
               : std::to_string(sizes[static_cast<std::size_t>(found - kLetters.begin())]);
  }
  return out;
}

/// A text with names at sizes, each term as a number: terms are between the characters ( ) [ ] , : x { } and
/// blanks around them.
std::string computed(const std::string& text, const Numbers& sizes) {
  const std::string numbers = with_letters(text, sizes);
  std::string out;
  for (std::size_t i = 0; i < numbers.size();) {
    const std::string_view rest = std::string_view(numbers).substr(i);
    const bool digit = numbers[i] >= '0' && numbers[i] <= '9';
    const bool after_word = i > 0 && ((numbers[i - 1] >= 'a' && numbers[i - 1] <= 'w') ||
                                      (numbers[i - 1] >= '0' && numbers[i - 1] <= '9'));
    const bool before_minus =
        i == 0 || std::string_view("( ,[").find(numbers[i - 1]) != std::string_view::npos;
    const bool minus = numbers[i] == '-' && before_minus && i + 1 < numbers.size() && numbers[i + 1] >= '0' &&
                       numbers[i + 1] <= '9';
    // A bracket that an operator follows begins a term, unless it is a tuple.
    bool bracket = numbers[i] == '(' && !after_word;
    if (bracket) {
      int depth = 0;
      bool tuple = false;
      std::size_t end = i;
      for (; end < numbers.size(); ++end) {
        if (numbers[end] == '(') ++depth;
        if (numbers[end] == ',' && depth == 1) tuple = true;
        if (numbers[end] == ')' && --depth == 0) break;
      }
      const std::size_t next = numbers.find_first_not_of(' ', std::min(end + 1, numbers.size()));
      bracket = !tuple && next != std::string::npos &&
                std::string_view("/*+-").find(numbers[next]) != std::string_view::npos;
    }
    if ((digit && !after_word) || bracket || minus || rest.starts_with("ceil_div(") ||
        rest.starts_with("min(")) {
      Arithmetic term(rest);
      out += std::to_string(term.sum());
      i += term.end();
    } else {
      out += numbers[i++];
    }
  }
  return out;
}

class Layouts {
 public:
  explicit Layouts(std::uint64_t seed) : random_(seed) {}
  long in(long low, long high) { return std::uniform_int_distribution<long>(low, high)(random_); }
  std::string pick(std::initializer_list<const char*> words) {
    return *(words.begin() + in(0, static_cast<long>(words.size()) - 1));
  }
  std::string extent() { return pick({"M", "N", "K", "M", "N", "2", "4", "3", "2*M", "N + 1", "M*N"}); }
  std::string layout() {
    switch (in(0, 4)) {
      case 0:
        return "f32[" + extent() + "," + extent() + "]" +
               pick({"{1,0}", "{0,1}", "{1,0:T(2,4)}", "{0,1:T(4,2)}", "{1,0:T(4)}", "{1,0:T(2,4)(2,1)}",
                     "{1,0:T(K,2)}"});
      case 1:
        return pick({"MxN:[1, 0]", "MxN:[0, 1]", "MxN:[1, 0, 1 p(4)]", "MxN:[0, 1, 0 p(2)]",
                     "NxMxK:[2, 0, 1]", "MxN:[1, 0, 1 p(2), 0 p(4)]"});
      case 2:
        return pick({"MxN:ab", "MxN:ba", "MxN:aB4b", "MxNxK:aBc2b", "MxN:AB2a4b", "MxN:BA4b2a", "NxMxK:acb"});
      case 3:
        return "np:(" + extent() + "," + extent() + "):(" +
               pick({"N,1", "1,M", "K,1", "0,1", "1,1", "-N,1", "M,N", "2*N,2", "1,K"}) + ")" +
               pick({"", "", "", " + K", " + 4", " - M"});
      default: {
        const long rank = in(1, 3);
        std::vector<std::string> extents;
        for (long i = 0; i < rank; ++i) extents.push_back(extent());
        std::string shape;
        std::string stride;
        std::string next = pick({"1", "1", "1", "2"});
        const bool nested = in(0, 2) == 0;
        for (const std::string& e : extents) {
          shape += (shape.empty() ? "" : ",") + (nested ? "(2," + e + ")" : e);
          const std::string step = in(0, 4) == 0 ? pick({"0", "1", "M", "K", "8"}) : next;
          const std::string times = step + "*2";
          stride += (stride.empty() ? "" : ",") +
                    (nested ? (in(0, 1) == 0 ? "(" + step + "," + times + ")" : "(" + step + ",K)") : step);
          next = "(" + next + ")*(" + e + ")" + (nested ? "*2" : "");
        }
        return "(" + shape + "):(" + stride + ")";
      }
    }
  }

 private:
  std::mt19937_64 random_;
};

/// The layout of a text with 0 for the strides of extents of 1, or nothing.
std::optional<std::string> without_unit_strides(const std::string& text, Notation notation) {
  if (notation == Notation::cute) {
    const auto layout = parse_layout("cute:" + text);
    if (!layout || layout->shape_stride() == nullptr) return text;
    StridedLayout l = *layout->shape_stride();
    for (int i = 0; i < l.leaves(); ++i) {
      if (l.extent[i] == 1) l.stride[i] = 0;
    }
    const std::size_t crop = text.find(" crop");
    return to_string(Value(l)) + (crop == std::string::npos ? "" : text.substr(crop));
  }
  if (notation != Notation::strides) return text;
  const auto layout = parse_layout(text);
  if (!layout) return std::nullopt;
  Strides strides = *layout->as<Strides>();
  for (std::size_t d = 0; d < strides.shape.size(); ++d) {
    if (strides.shape[d] == 1) strides.strides[d] = 0;
  }
  return to_string(strides);
}

/// Digits at sizes: a constant and a plus sign may come before them.
std::string computed_digits(const std::string& text, const Numbers& sizes) {
  const std::size_t plus = text.find(" + ");
  const bool constant =
      plus != std::string::npos && text.find(',', plus) != std::string::npos && text.find(',') > plus;
  if (!constant) return computed(text, sizes);
  // The last plus sign before the first comma.
  const std::size_t last = text.rfind(" + ", text.find(','));
  return computed(text.substr(0, last), sizes) + " + " + computed(text.substr(last + 3), sizes);
}

/// A map at sizes: its bounds as numbers.
std::string computed_map(const std::string& text, const Numbers& sizes) {
  const std::size_t domain = text.find(", domain:");
  return with_letters(text.substr(0, domain), sizes) + computed(text.substr(domain), sizes);
}

long value_at(const std::string& text, const Numbers& sizes) {
  const std::string numbers = with_letters(text, sizes);
  return Arithmetic(numbers).sum();
}

/// Whether each pack divides what is left of its dimension. Layouts of numbers may shorten one; answers for
/// all sizes leave these sizes out.
bool packs_divide(const symbolic::SymbolicLayout& layout, const symbolic::Sizes& at) {
  if (layout.kind() != symbolic::SymbolicLayout::Kind::morello) return true;
  std::vector<long> rest;
  for (const symbolic::SizeTerm& t : layout.shape().leaves)
    rest.push_back(static_cast<long>(symbolic::evaluate(t, at).value_or(0)));
  for (std::size_t i = layout.entries().size(); i-- > 0;) {
    const auto& [dim, pack] = layout.entries()[i];
    if (!pack) continue;
    long& own = rest[static_cast<std::size_t>(dim)];
    if (own % static_cast<long>(*pack) != 0) return false;
    own /= static_cast<long>(*pack);
  }
  return true;
}

struct Tally {
  long compared = 0;
  long undecided = 0;
};

/// One answer at sizes against what is expected there.
void compare(const symbolic::SizedAnswer& answer, const SizeMap& at, const Numbers& sizes,
             const std::function<bool(const symbolic::SizedCase&)>& agrees, Tally& tally) {
  int matching = 0;
  for (const symbolic::SizedCase& c : answer.cases) {
    const Result<SizeAssumptions> condition =
        c.condition.empty() ? SizeAssumptions() : SizeAssumptions::parse(c.condition);
    ASSERT_TRUE(condition || condition.error().code == Code::empty_range) << c.condition;
    if (!condition || !condition->holds(at)) continue;
    ++matching;
    if (c.kind == symbolic::SizedCase::Kind::undecided) {
      ++tally.undecided;
      continue;
    }
    ++tally.compared;
    EXPECT_TRUE(agrees(c)) << answer.name << ": " << c.text << c.reason << " if " << c.condition << " at "
                           << with_letters("(M,N,K)", sizes) << " is " << computed(c.text, sizes);
  }
  EXPECT_EQ(matching, 1) << answer.name << " at " << with_letters("(M,N,K)", sizes);
}

TEST(SymbolicLayouts, AnswersForAllSizesAreThoseOfNumbersAtEachSize) {
  const char* wanted = std::getenv("TESSERA_CALLS");
  const char* given = std::getenv("TESSERA_SIZE_SEED");
  const long calls = wanted == nullptr ? 20 : std::atol(wanted);
  const auto seed = static_cast<std::uint64_t>(given == nullptr ? 20261201 : std::atol(given));
  constexpr std::array<Notation, 6> targets = {Notation::cute,   Notation::strides, Notation::morello,
                                               Notation::onednn, Notation::xla,     Notation::map};
  Tally tally;
  long refused = 0;
  const auto where = symbolic::AssumptionList::parse("M, N, K");
  ASSERT_TRUE(where);
  for (long n = 0; n < calls && !testing::Test::HasFailure(); ++n) {
    const std::uint64_t own = seed + static_cast<std::uint64_t>(n);
    Layouts random(own);
    const std::string text = random.layout();
    SCOPED_TRACE("seed " + std::to_string(own) + ": " + text);
    const auto layout = symbolic::SymbolicLayout::parse(text);
    ASSERT_TRUE(layout) << layout.error().message;
    const Notation to = targets[static_cast<std::size_t>(random.in(0, 5))];
    const auto conversion = symbolic::convert(*layout, to, *where);
    ASSERT_TRUE(conversion) << conversion.error().message;
    const auto digits = symbolic::convert(*layout, std::nullopt, *where);
    ASSERT_TRUE(digits);
    const auto facts = symbolic::facts(*layout, *where);
    ASSERT_TRUE(facts);
    const std::size_t rank =
        layout->shape().nesting[0] < 0 ? 1 : static_cast<std::size_t>(layout->shape().nesting[0]);
    std::string index;
    for (std::size_t d = 0; d < rank; ++d)
      index += (d == 0 ? "" : ",") + random.pick({"0", "1", "2", "M - 1", "N/2", "K", "3"});
    const auto offset = symbolic::offset_at(*layout, index, *where);
    ASSERT_TRUE(offset) << offset.error().message;
    const std::string place = random.pick({"5", "0", "M", "N - 1", "2*K", "M*N - 1", "3*N"});
    const auto found = symbolic::index_at(*layout, place, *where);
    ASSERT_TRUE(found) << found.error().message;
    for (int k = 0; k < 10; ++k) {
      const Numbers sizes = {random.in(1, 18), random.in(1, 18), random.in(1, 18)};
      SizeMap at;
      symbolic::Sizes numbers_at;
      for (std::size_t i = 0; i < 3; ++i) {
        at[std::string(1, kLetters[i])] = sizes[i];
        numbers_at[std::string(1, kLetters[i])] = sizes[i];
      }
      const auto numbers_text = layout->text_at(numbers_at);
      ASSERT_TRUE(numbers_text);
      const auto numbers = parse_layout(*numbers_text);
      if (!numbers || !packs_divide(*layout, numbers_at)) {
        ++refused;
        continue;
      }
      const auto expected = convert(*numbers, to);
      compare(
          conversion->answers[0], at, sizes,
          [&](const symbolic::SizedCase& c) {
            if (c.kind == symbolic::SizedCase::Kind::error)
              return !expected && expected.error().code == c.code && expected.error().reason == c.reason;
            const std::string got = computed(c.text, sizes);
            // The fewest tiles, and tags that allocate the memory of XLA's tiles, are searched with numbers
            // only.
            const bool padded =
                to == Notation::onednn && layout->kind() == symbolic::SymbolicLayout::Kind::xla;
            if (to == Notation::xla || to == Notation::map || padded) {
              const auto read = parse_layout(to == Notation::map ? computed_map(c.text, sizes) : got);
              return read && same_map(*read, *numbers).verdict == Verdict::yes;
            }
            return expected &&
                   without_unit_strides(got, to) == without_unit_strides(to_string(expected->layout), to);
          },
          tally);
      const auto own_digits = to_digits(*numbers);
      compare(
          digits->answers[0], at, sizes,
          [&](const symbolic::SizedCase& c) {
            return own_digits && computed_digits(c.text, sizes) == to_string(*own_digits);
          },
          tally);
      std::vector<Index> point;
      for (std::size_t begin = 0; begin <= index.size();) {
        const std::size_t end = std::min(index.find(',', begin), index.size());
        point.push_back(value_at(index.substr(begin, end - begin), sizes));
        begin = end + 1;
      }
      bool inside = true;
      for (std::size_t d = 0; d < rank; ++d)
        inside = inside && point[d] >= 0 && point[d] < numbers->shape()[d];
      compare(
          offset->answers[0], at, sizes,
          [&](const symbolic::SizedCase& c) {
            if (c.kind == symbolic::SizedCase::Kind::error)
              return !inside && c.code == Code::index_out_of_range;
            return inside && value_at(c.text, sizes) == numbers->offset(point);
          },
          tally);
      const Index wanted_offset = value_at(place, sizes);
      const auto preimage = indices_at(*numbers, wanted_offset);
      compare(
          found->answers[0], at, sizes,
          [&](const symbolic::SizedCase& c) {
            if (c.kind == symbolic::SizedCase::Kind::error)
              return !preimage && preimage.error().code == c.code;
            if (c.text == "padding") return preimage && preimage->indices.empty();
            if (!preimage || preimage->indices.size() != 1) return false;
            std::string wanted_index = "(";
            for (const Index x : preimage->indices[0])
              wanted_index += (wanted_index.size() > 1 ? ", " : "") + std::to_string(x);
            return computed(c.text, sizes) == wanted_index + ")";
          },
          tally);
      const LayoutFacts said = facts_of(*numbers);
      for (const symbolic::SizedAnswer& fact : facts->answers) {
        compare(
            fact, at, sizes,
            [&](const symbolic::SizedCase& c) {
              const std::string got = computed(c.text, sizes);
              if (fact.name == "elements") return got == std::to_string(said.size);
              if (fact.name == "memory") return !said.buffer || got == std::to_string(*said.buffer);
              if (fact.name == "offsets")
                return !said.offsets || got == std::to_string(said.offsets->first) + " to " +
                                                   std::to_string(said.offsets->second);
              if (fact.name == "injective") return !said.injective || *said.injective == (c.text == "yes");
              if (fact.name == "digits")
                return said.digits && computed_digits(c.text, sizes) == to_string(*said.digits);
              if (fact.name == "map") {
                const auto read = parse_layout(computed_map(c.text, sizes));
                return read && same_map(*read, *numbers).verdict == Verdict::yes;
              }
              return true;
            },
            tally);
      }
    }
  }
  std::printf(
      "symbolic layouts: seed %llu: %ld layouts, %ld comparisons, %ld at undecided cases, %ld at sizes "
      "without a layout\n",
      static_cast<unsigned long long>(seed), calls, tally.compared, tally.undecided, refused);
  EXPECT_GT(tally.compared, 3 * tally.undecided);
}

}  // namespace
}  // namespace tessera
