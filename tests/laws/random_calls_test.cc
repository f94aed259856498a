// SPDX-License-Identifier: Apache-2.0
// Random calls of every function of the calculator, with operands of any kind and size. A call ends with a
// value that reads back as itself, or with an error.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "laws/algebra_laws.h"
#include "tessera/eval/evaluator.h"
#include "tessera/notation/cute.h"

namespace tessera {
namespace {

using laws::broken;
using laws::Held;
using laws::held;
using laws::Random;

/// Operands as texts.
class Operands {
 public:
  explicit Operands(Random& random) : r_(random) {}

  /// An operand that fits a parameter of this name, or, rarely, any other.
  std::string named(std::string_view name) {
    if (r_.one_in(12)) return any();
    if (name == "T" || name == "U") return tiler();
    if (name == "c" || name == "d") return coordinate();
    if (name == "S" || name == "profile" || name == "order" || name == "cotarget") return tuple();
    if (name == "A" || name == "B" || name == "C" || name == "L" || name == "X" || name == "Y")
      return layout();
    return name == "threads" || name == "values" || name == "tv" ? layout() : integer();
  }

 private:
  std::string any() {
    switch (r_.in(0, 4)) {
      case 0:
        return integer();
      case 1:
        return tuple();
      case 2:
        return tiler();
      case 3:
        return coordinate();
      default:
        return layout();
    }
  }
  std::string integer() {
    const Index few = r_.in(-2, 9);
    return std::to_string(r_.one_in(20) ? r_.pick<Index>({kIndexMin, -kIndexMax, kIndexMax, 64, 255}) : few);
  }
  std::string tuple() { return inflated(to_string(r_.shape(48)), ""); }
  std::string coordinate() {
    std::string out = tuple();
    for (char& c : out) {
      if (c >= '0' && c <= '9' && r_.one_in(3)) c = '_';
    }
    return r_.one_in(2) ? "_" : out;
  }
  std::string layout() {
    StridedLayout l = r_.layout(48);
    if (r_.one_in(12))
      l.stride[r_.in(0, l.leaves() - 1)] = r_.pick<Index>({kIndexMin + 1, -kIndexMax / 2, kIndexMax / 4});
    const std::string text = to_string(l);
    const std::size_t colon = text.find(':');
    const std::string own = inflated(marked(text.substr(0, colon)), marked(text.substr(colon + 1)));
    if (!r_.one_in(5)) return own;
    const std::string swizzle = fmt::format("Sw<{},{},{}>", r_.in(0, 2), r_.in(0, 4), r_.in(-3, 3));
    return fmt::format("({} o {} o {})", r_.one_in(3) ? own : swizzle, integer(),
                       r_.one_in(6) ? swizzle : own);
  }
  std::string tiler() {
    if (r_.one_in(2)) return r_.one_in(3) ? integer() : layout();
    std::string parts;
    for (Index n = r_.in(0, 3); n >= 0; --n) parts += (r_.one_in(4) ? "_" : tiler()) + (n == 0 ? "" : ",");
    return "<" + parts + ">";
  }

  /// Some numbers as compile-time constants.
  std::string marked(const std::string& text) {
    if (!r_.one_in(4)) return text;
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const bool starts = text[i] == '-' || (text[i] >= '0' && text[i] <= '9');
      const bool inside = i > 0 && (text[i - 1] == '-' || (text[i - 1] >= '0' && text[i - 1] <= '9'));
      if (starts && !inside && r_.one_in(2)) out += '_';
      out += text[i];
    }
    return out;
  }
  /// The tuple, or the layout of shape and stride, sometimes with so many more units or brackets that it
  /// hardly fits.
  std::string inflated(std::string shape, std::string stride) {
    const bool has_stride = !stride.empty();
    if (r_.one_in(4)) {
      const bool many = r_.one_in(2);
      for (Index units = many ? r_.in(52, 63) : r_.in(1, 3); units > 0; --units) {
        shape = "1," + shape;
        stride = "0," + stride;
      }
      shape = "(" + shape + ")";
      stride = "(" + stride + ")";
    }
    if (r_.one_in(6)) {
      const auto brackets = static_cast<std::size_t>(r_.one_in(2) ? r_.in(110, 190) : r_.in(1, 2));
      for (std::string* text : {&shape, &stride})
        *text = std::string(brackets, '(') + *text + std::string(brackets, ')');
    }
    return has_stride ? shape + ":" + stride : shape;
  }

  Random& r_;
};

/// The names of the parameters in a signature such as `append_to_rank(L, n[, X])`, without some of the
/// optional ones.
std::vector<std::string> parameters(std::string_view signature, Random& r) {
  std::vector<std::string> out;
  std::string name;
  bool optional = false;
  for (const char c : signature.substr(signature.find('(') + 1)) {
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_') {
      name += c;
      continue;
    }
    if (!name.empty()) out.push_back(std::exchange(name, {}));
    if (c == '[') optional = true;
    if (optional && r.one_in(2)) break;
    if (c == '.' && r.one_in(2)) out.push_back(out.back());
  }
  return out;
}

bool is_readable(const Value& value) {
  const std::string kind = kind_of(value);
  return kind == "integer" || kind == "tuple" || kind == "coordinate" || kind == "layout" ||
         kind == "composed_layout" || kind == "swizzle" || kind == "tiler";
}

TEST(RandomCalls, GiveAValueThatReadsBackOrAnError) {
  const auto& functions = eval_functions();
  std::size_t next = 0;
  laws::for_random_cases([&](Random& r) -> Held {
    const FunctionInfo& function = functions[next++ % functions.size()];
    Operands operands(r);
    std::string arguments;
    for (const std::string& name : parameters(function.signature, r))
      arguments += (arguments.empty() ? "" : ", ") + operands.named(name);
    const std::string call = fmt::format("{}({})", function.name, arguments);
    Evaluator calculator;
    const Evaluation result = calculator.evaluate(call);
    if (result.error) {
      const bool says_why = !result.error->message.empty() && result.error->code != Code::syntax;
      return says_why ? held() : broken(call, "gives", result.error->message);
    }
    const Value& value = result.answers.back().value;
    if (!is_readable(value)) return held();
    const std::string text = to_string(value);
    // The notation has no empty tuple, although a slice without free modes is one.
    if (text.find("()") != std::string::npos || text.find("<>") != std::string::npos) return held();
    Evaluator reader;
    const Evaluation again = reader.evaluate(text);
    if (again.error) return broken(call, "is", text, "which gives", again.error->message);
    const std::string read = to_string(again.answers.back().value);
    return read == text ? held() : broken(call, "is", text, "which reads as", read);
  });
}

}  // namespace
}  // namespace tessera
