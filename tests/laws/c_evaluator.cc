// SPDX-License-Identifier: Apache-2.0
#include "laws/c_evaluator.h"

#include <cctype>
#include <map>

namespace tessera::laws {
namespace {

__extension__ using WideInteger = __int128;

struct CNumber {
  WideInteger value = 0;
  int bits = 32;  // 32 and 64 are signed; 65 is uint64_t, 129 is unsigned __int128
};

int binary_level(std::string_view op) {
  if (op == "?") return 1;
  if (op == "&&") return 2;
  if (op == "^") return 3;
  if (op == "&") return 4;
  if (op == "==") return 5;
  if (op == "<" || op == ">" || op == "<=" || op == ">=") return 6;
  if (op == "<<" || op == ">>") return 7;
  if (op == "+" || op == "-") return 8;
  if (op == "*" || op == "/" || op == "%") return 9;
  return 0;
}

class CRun {
 public:
  explicit CRun(std::span<const std::string> tokens) : tokens_(tokens) {}

  std::map<std::string, CNumber, std::less<>> variables;
  std::string error;

  CFunction::Outcome statements() {
    std::vector<Index> written;
    while (at_ < tokens_.size() && error.empty()) {
      if (take("}")) break;
      if (take("if")) {
        expect("(");
        const CNumber no = expression(1);
        expect(")");
        expect("return");
        expect("false");
        expect(";");
        if (no.value != 0) return {.error = error};
      } else if (take("return")) {
        if (take("true")) break;
        const CNumber value = expression(1);
        expect(";");
        return {.error = error, .values = std::vector<Index>{static_cast<Index>(value.value)}};
      } else if (take("const")) {
        next();
        const std::string name = next();
        expect("=");
        variables[name] = expression(1);
        expect(";");
      } else if (take("*")) {
        next();
        expect("=");
        written.push_back(static_cast<Index>(expression(1).value));
        expect(";");
      } else {
        expect("(");
        expect("void");
        expect(")");
        next();
        expect(";");
      }
    }
    return {.error = error, .values = std::move(written)};
  }

 private:
  std::string next() { return at_ < tokens_.size() ? tokens_[at_++] : std::string(); }
  bool take(std::string_view token) {
    if (at_ >= tokens_.size() || tokens_[at_] != token) return false;
    ++at_;
    return true;
  }
  void expect(std::string_view token) {
    if (!take(token) && error.empty())
      error = "expected " + std::string(token) + ", not " + (at_ < tokens_.size() ? tokens_[at_] : "the end");
  }

  CNumber checked(WideInteger value, int bits) {
    const int magnitude = bits == 32 ? 31 : bits == 64 ? 63 : bits - 1;
    const bool is_signed = bits <= 64;
    const WideInteger limit = magnitude >= 127 ? WideInteger{0} : WideInteger{1} << magnitude;
    if (limit != 0 && (value >= limit || value < (is_signed ? -limit : 0)) && error.empty())
      error = "overflow of " + std::to_string(bits) + " bits";
    return {value, bits};
  }

  CNumber primary() {
    if (take("-")) {
      const CNumber x = primary();
      return checked(-x.value, x.bits);
    }
    if (take("!")) return {primary().value == 0, 32};
    if (take("(")) {
      std::string type = tokens_[at_];
      if (type == "int32_t" || type == "int64_t" || type == "uint64_t" || type == "unsigned") {
        next();
        if (type == "unsigned") expect("__int128");
        expect(")");
        const int bits = type == "int32_t" ? 32 : type == "int64_t" ? 64 : type == "uint64_t" ? 65 : 129;
        return checked(primary().value, bits);
      }
      const CNumber inner = expression(1);
      expect(")");
      return inner;
    }
    const std::string token = next();
    if (const auto known = variables.find(token); known != variables.end()) return known->second;
    if (token.empty() || std::isdigit(static_cast<unsigned char>(token[0])) == 0) {
      if (error.empty()) error = "unknown " + token;
      return {};
    }
    const auto value = static_cast<WideInteger>(std::stoull(token, nullptr, 0));
    return {value, value <= INT32_MAX ? 32 : value <= INT64_MAX ? 64 : 65};
  }

  CNumber expression(int level) {
    CNumber left = primary();
    while (at_ < tokens_.size() && error.empty()) {
      const std::string op = tokens_[at_];
      const int binding = binary_level(op);
      if (binding == 0 || binding < level) break;
      ++at_;
      if (op == "?") {
        const CNumber yes = expression(1);
        expect(":");
        const CNumber no = expression(1);
        left = left.value != 0 ? yes : no;
        continue;
      }
      const CNumber right = expression(binding + 1);
      left = apply(op, left, right);
    }
    return left;
  }

  CNumber apply(std::string_view op, CNumber a, CNumber b) {
    const int bits = op == ">>" || op == "<<" ? a.bits : std::max(a.bits, b.bits);
    if (op == "+") return checked(a.value + b.value, bits);
    if (op == "-") return checked(a.value - b.value, bits);
    if (op == "*") return checked(a.value * b.value, bits);
    if (op == "/") return checked(a.value / b.value, bits);
    if (op == "%") return checked(a.value % b.value, bits);
    if (op == ">>") return {a.value >> static_cast<int>(b.value), bits};
    if (op == "<<") {
      if (a.value < 0 && error.empty()) error = "shift of a negative value";
      return checked(a.value << static_cast<int>(b.value), bits);
    }
    if (op == "&") return {a.value & b.value, bits};
    if (op == "^") return {a.value ^ b.value, bits};
    if (op == "==") return {a.value == b.value, 32};
    if (op == "<") return {a.value < b.value, 32};
    if (op == ">") return {a.value > b.value, 32};
    if (op == "<=") return {a.value <= b.value, 32};
    if (op == ">=") return {a.value >= b.value, 32};
    return {a.value != 0 && b.value != 0, 32};
  }

  std::span<const std::string> tokens_;
  std::size_t at_ = 0;
};

std::vector<std::string> tokens_of(std::string_view text) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < text.size();) {
    const auto word = [&](std::size_t k) {
      return std::isalnum(static_cast<unsigned char>(text[k])) != 0 || text[k] == '_';
    };
    if (std::isspace(static_cast<unsigned char>(text[i])) != 0) {
      ++i;
      continue;
    }
    std::size_t end = i + 1;
    if (word(i)) {
      while (end < text.size() && word(end)) ++end;
    } else if (end < text.size()) {
      for (const std::string_view two : {"&&", "==", "<=", ">=", "<<", ">>"}) {
        if (text.substr(i, 2) == two) end = i + 2;
      }
    }
    out.emplace_back(text.substr(i, end - i));
    i = end;
  }
  return out;
}

}  // namespace

CFunction::CFunction(std::string_view source) {
  const std::size_t body = source.rfind(") {\n");
  const std::size_t open = source.rfind('(', body);
  const std::size_t line = source.rfind('\n', open) + 1;
  const std::string_view head = source.substr(line, body - line);
  bits_ = head.find("int32_t") != head.npos ? 32 : 64;
  std::string last;
  bool pointer = false;
  for (const std::string& token : tokens_of(source.substr(open + 1, body - open))) {
    if (token == "," || token == ")") {
      if (!pointer && last != "void") parameters_.push_back(last);
      pointer = false;
    } else if (token == "*") {
      pointer = true;
    }
    last = token;
  }
  tokens_ = tokens_of(source.substr(body + 3));
}

CFunction::Outcome CFunction::operator()(std::span<const Index> arguments) const {
  CRun run(tokens_);
  for (std::size_t i = 0; i < parameters_.size(); ++i) run.variables[parameters_[i]] = {arguments[i], bits_};
  return run.statements();
}

}  // namespace tessera::laws
