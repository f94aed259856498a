// SPDX-License-Identifier: Apache-2.0
#include "cli/eval_help.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/shortened.h"
#include "report/eval_answer.h"
#include "tessera/eval/evaluator.h"
#include "verbs/eval.h"

namespace tessera::cli {
namespace {

constexpr std::string_view kCommands =
    "  EXPRESSION             its value: composition((6,2):(8,2), (4,3):(3,1))\n"
    "  NAME = EXPRESSION      names a value; NAME(2,3) is the offset of a coordinate\n"
    "  _ (or ans)             the last answer: size(_), _ / 4\n"
    "  explain EXPRESSION     its steps and its value; explain on and explain off apply to all that follow\n"
    "  help WORD              a function, a topic, or the functions with WORD in their names\n"
    "  variables              the names and their values\n"
    "  quit                   or Ctrl-D\n"
    "An open bracket continues on the next line; an empty line ends it.\n";

struct Topic {
  std::string_view name;
  std::string_view text;
};

constexpr Topic kTopics[] = {
    {"layouts",
     "(4,8):(8,1) has 4 rows of 8 elements, rows 8 apart; the leftmost mode runs fastest.\n"
     "(2,(2,2)):(4,(2,1)) is nested. (4,8) alone is compact, (4,8):(1,4). 4:-1 and 4:0 are layouts, too.\n"
     "L(2,3) is an offset, L(2,_) a slice, L(M) the composition with a layout or a tiler M.\n"},
    {"tilers",
     "<3:4,8:2> has one layout for each mode; <4,_> leaves mode 1 alone; <2,4> is <2:1,4:1>.\n"
     "A shape (2,4) as a tiler is <2,4>; one layout (2,4):(1,2) tiles the 1-D order instead.\n"},
    {"coordinates",
     "(2,3), nested (0,(1,1)), or one 1-D coordinate. `_` inside is a hole: slice((2,_), L), L(2,_).\n"},
    {"swizzles",
     "Sw<B,M,S> xors the B bits of an offset that start at bit M+S into those that start at bit M.\n"
     "Sw<3,3,3> o (8,64):(64,1) swizzles offsets in elements. Next to smem_ptr[16b] it acts on bytes, as in\n"
     "CuTe C++, and is read as the swizzle of 16-bit elements: Sw<3,4,3> o smem_ptr[16b](unset) o L is\n"
     "Sw<3,3,3> o _0 o L.\n"},
    {"operators",
     "+ - * on integers; / and mod (also // and %) round down: -7 / 2 is -4, -7 mod 2 is 1.\n"
     "== and != compare values as written, equal(A, B) layouts as functions; < <= > >= integers;\n"
     "and, or, not. From tight to loose: (…)  :  -x  * / mod  + -  o  == <  not  and  or. So (M*N):1.\n"},
    {"paste",
     "Text that CuTe prints, or C++ that builds a layout, can be pasted: smem_ptr[16b](unset) o L, "
     "Sw<3,4,3>_smem_ptr[16b](0x400) o "
     "L,\n"
     "tensor<ptr<f32, gmem> o L>, Layout<Shape<_4,_8>,Stride<_1,_4>>, make_layout(make_shape(_4{},8), "
     "LayoutRight{}),\n"
     "Swizzle<3,4,3>, ComposedLayout<…>, Int<4>{}, size<0>(L), auto L = …, cute::, mode=[0]. `?` needs a "
     "number.\n"},
};

bool same_word(std::string_view a, std::string_view b) {
  return std::ranges::equal(
      a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

std::string overview() {
  std::string out(kCommands);
  out += "\nTopics: ";
  for (const Topic& topic : kTopics) out += fmt::format("{}{}", &topic == kTopics ? "" : ", ", topic.name);
  out += "\n";
  std::string_view group;
  std::string line;
  const auto end_line = [&] {
    if (!line.empty()) out += line + "\n";
    line.clear();
  };
  constexpr std::size_t kWidth = 100;
  for (const FunctionInfo& f : eval_functions()) {
    if (f.group != group) {
      end_line();
      group = f.group;
      out += fmt::format("\n{}:\n", group);
    }
    if (line.size() + f.name.size() + 2 > kWidth) end_line();
    line += fmt::format("{}{}", line.empty() ? "  " : ", ", f.name);
  }
  end_line();
  return out;
}

std::string function_help(const FunctionInfo& f) {
  std::string out = fmt::format("{}\n  {}\n", f.signature, f.summary);
  if (f.example.empty()) return out;
  Evaluator evaluator;
  std::string answer = to_text(evaluator.evaluate(f.example));
  out += fmt::format("\n  tessera> {}\n", f.example);
  for (std::size_t at = 0; at < answer.size();) {
    const std::size_t end = std::min(answer.find('\n', at), answer.size());
    out += fmt::format("  {}\n", std::string_view(answer).substr(at, end - at));
    at = end + 1;
  }
  return out;
}

}  // namespace

std::string eval_help(std::string_view word) {
  if (word.empty()) return overview();
  std::string functions;
  for (const FunctionInfo& f : eval_functions()) {
    if (same_word(f.name, word)) functions += (functions.empty() ? "" : "\n") + function_help(f);
  }
  if (!functions.empty()) return functions;
  for (const Topic& topic : kTopics) {
    const std::string_view singular = topic.name.substr(0, topic.name.size() - 1);
    if (same_word(topic.name, word) || same_word(singular, word)) return std::string(topic.text);
  }
  std::string list = verbs::function_list(word);
  if (!list.empty()) return list;
  return fmt::format("no function or topic has '{}' in its name; help lists them all\n", shortened(word));
}

}  // namespace tessera::cli
