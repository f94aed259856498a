// SPDX-License-Identifier: Apache-2.0
#include "code/element_test_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "base/index_walk.h"
#include "base/plural.h"
#include "code/limits.h"
#include "code/test_text.h"

namespace tessera::coding {
namespace {

constexpr Index kSamples = 32;

// The sequence of numbers that the test computes, too.
class Sequence {
 public:
  std::uint64_t next() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return state_ >> 32;
  }

 private:
  std::uint64_t state_ = 1;
};

class ElementTest {
 public:
  ElementTest(const NamedLayout& layout, const Rules& rules, std::string name, bool set)
      : layout_(layout), rules_(rules), name_(std::move(name)), set_(set) {
    for (const Index extent : layout.shape()) box_.push_back(Interval::of_extent(extent));
    all_ = count_points(box_, point_limit(rules)) <= point_limit(rules);
    for (int bit = 0; bit < layout.type().bits; ++bit) mask_ |= std::uint64_t{1} << bit;
  }

  std::string text() {
    buffer_.resize(static_cast<std::size_t>(layout_.buffer_bytes()));
    Sequence sequence;
    for (std::uint8_t& byte : buffer_) byte = static_cast<std::uint8_t>(sequence.next());
    Hash hash;
    visit([&](std::span<const Index> index) {
      if (set_) {
        store(index, sequence.next() & mask_);
      } else {
        hash.add(code(index));
      }
    });
    if (set_) {
      for (const std::uint8_t byte : buffer_) hash.add(byte);
    }
    return rules_.family == Family::c ? c_text(hash.value()) : python_text(hash.value());
  }

 private:
  // All indices in row-major order, or some in a fixed order: the last one first.
  template <class Visit>
  void visit(Visit&& one) {
    if (all_) return for_each_point(box_, one);
    Sequence sequence;
    for (Index i = 0; i < kSamples; ++i) {
      std::vector<Index> index;
      for (const Index extent : layout_.shape())
        index.push_back(i == 0 ? extent - 1 : static_cast<Index>(sequence.next()) % extent);
      rows_.push_back(index);
      one(std::span<const Index>(rows_.back()));
    }
  }

  std::uint64_t code(std::span<const Index> index) const {
    std::uint64_t out = 0;
    for (int bit = 0; bit < layout_.type().bits; ++bit) {
      const auto at = static_cast<std::uint64_t>(layout_.bit_offset(index, bit));
      out |= std::uint64_t{static_cast<std::uint8_t>(buffer_[at / 8] >> at % 8 & 1)} << bit;
    }
    return out;
  }

  void store(std::span<const Index> index, std::uint64_t code) {
    for (int bit = 0; bit < layout_.type().bits; ++bit) {
      const auto at = static_cast<std::uint64_t>(layout_.bit_offset(index, bit));
      std::uint8_t& byte = buffer_[at / 8];
      byte = static_cast<std::uint8_t>((byte & ~(1u << at % 8)) | (code >> bit & 1) << at % 8);
    }
  }

  std::string table(std::string_view open, std::string_view close) const {
    std::string out;
    for (const std::vector<Index>& row : rows_)
      out += fmt::format("    {}{}{},\n", open, fmt::join(row, ", "), close);
    return out;
  }

  std::string c_text(std::uint64_t hash) const {
    const std::size_t rank = layout_.shape().size();
    const std::string byte = rules_.language == CodeLanguage::c ? "uint8_t" : "std::uint8_t";
    std::vector<std::string> index;
    for (std::size_t d = 0; d < rank; ++d) index.push_back(fmt::format("in[{}]", d));
    const std::string at = fmt::format("{}", fmt::join(index, ", "));
    const std::string call = set_ ? fmt::format("{}(buffer, {}, next(&state) & {}u);", name_, at, mask_)
                                  : fmt::format("mix(&hash, {}(buffer, {}));", name_, at);
    std::string out{c_test_start(rules_)};
    out += fmt::format(
        "\nstatic uint64_t next(uint64_t* state) {{\n"
        "  *state = *state * 6364136223846793005u + 1442695040888963407u;\n  return *state >> 32;\n}}\n"
        "\nstatic {} buffer[{}];\n",
        byte, buffer_.size());
    if (!all_) out += fmt::format("\nstatic const int64_t table[][{}] = {{\n{}}};\n", rank, table("{", "}"));
    out += fmt::format(
        "\nint main({}) {{\n  uint64_t state = 1;\n  uint64_t hash = {}u;\n"
        "  for (unsigned i = 0; i < sizeof buffer; ++i) buffer[i] = ({})next(&state);\n",
        rules_.language == CodeLanguage::c ? "void" : "", Hash().value(), byte);
    if (all_) {
      out += fmt::format("  int64_t in[{}] = {{0}};\n", rank);
      std::string indent = "  ";
      for (std::size_t d = 0; d < rank; ++d, indent += "  ")
        out += fmt::format("{}for (in[{}] = 0; in[{}] < {}; ++in[{}]) {{\n", indent, d, d, layout_.shape()[d],
                           d);
      out += indent + call + "\n";
      for (std::size_t d = 0; d < rank; ++d) {
        indent.resize(indent.size() - 2);
        out += indent + "}\n";
      }
    } else {
      out += fmt::format(
          "  for (unsigned i = 0; i < sizeof table / sizeof table[0]; ++i) {{\n"
          "    const int64_t* const in = table[i];\n    {}\n  }}\n",
          call);
    }
    if (set_) out += "  for (unsigned i = 0; i < sizeof buffer; ++i) mix(&hash, buffer[i]);\n";
    return out + fmt::format(
                     "  if (hash != {}u) {{\n    puts(\"wrong at some {}\");\n    return 1;\n  }}\n"
                     "  puts(\"{} agree\");\n  return 0;\n}}\n",
                     hash, set_ ? "byte" : "element", agreed());
  }

  std::string python_text(std::uint64_t hash) const {
    const std::string call = set_ ? fmt::format("    {}(buffer, *index, next_number() & {})\n", name_, mask_)
                                  : fmt::format("    hash = mix(hash, {}(buffer, *index))\n", name_);
    std::string out{python_test_start()};
    out += fmt::format(
        "state = 1\n\n\ndef next_number():\n    global state\n"
        "    state = (state * 6364136223846793005 + 1442695040888963407) % 2**64\n    return state >> "
        "32\n\n\n"
        "buffer = bytearray(next_number() & 255 for _ in range({}))\nhash = {}\n",
        buffer_.size(), Hash().value());
    std::vector<std::string> ranges;
    for (const Index extent : layout_.shape()) ranges.push_back(fmt::format("range({})", extent));
    out += all_ ? fmt::format("for index in itertools.product({}):\n{}", fmt::join(ranges, ", "), call)
                : fmt::format("table = [\n{}]\nfor index in table:\n{}", table("(", ",)"), call);
    if (set_) out += "for byte in buffer:\n    hash = mix(hash, byte)\n";
    return out + fmt::format("assert hash == {}, \"wrong at some {}\"\nprint(\"{} agree\")\n", hash,
                             set_ ? "byte" : "element", agreed());
  }

  std::string agreed() const {
    if (set_) return fmt::format("all bytes after storing {} elements", all_ ? "all" : "some");
    return all_ ? "all elements" : detail::plural(kSamples, "element");
  }

  const NamedLayout& layout_;
  const Rules& rules_;
  std::string name_;
  bool set_;
  std::vector<Interval> box_;
  bool all_ = true;
  std::uint64_t mask_ = 0;
  std::vector<std::uint8_t> buffer_;
  std::vector<std::vector<Index>> rows_;  // of a table, if not all indices are visited
};

}  // namespace

Result<std::string> element_test(const NamedLayout& layout, const Rules& rules, const std::string& name,
                                 bool set) {
  if (layout.buffer_bytes() > kCodeLimits.tested_bytes) {
    return fail(Code::limit,
                fmt::format("the test would need a buffer of {}; the most is {}",
                            detail::plural(layout.buffer_bytes(), "byte"), kCodeLimits.tested_bytes),
                {}, "generate the test for a smaller shape: the formula is the same");
  }
  return ElementTest(layout, rules, name, set).text();
}

}  // namespace tessera::coding
