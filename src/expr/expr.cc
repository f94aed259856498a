// SPDX-License-Identifier: Apache-2.0
#include "tessera/expr/expr.h"

#include <algorithm>
#include <array>
#include <bit>
#include <memory>
#include <numeric>
#include <set>
#include <unordered_map>

#include "base/check.h"
#include "base/mix64.h"
#include "base/mutex.h"
#include "expr/apply.h"
#include "expr/bits.h"

namespace tessera {
namespace {

using detail::apply;
using detail::bits_of;
using detail::ExprNode;
using detail::kTooManyBits;
using detail::mix64;

// Full blocks are never freed, so that a node outlives the thread that made it.
class NodeArena {
 public:
  ExprNode* allocate() {
    if (used_ == kBlockSize) {
      auto block = std::make_unique<ExprNode[]>(kBlockSize);
      block_ = block.get();
      used_ = 0;
      static detail::Mutex mutex;
      static auto* const blocks = new std::vector<std::unique_ptr<ExprNode[]>>;
      const detail::MutexLock lock(mutex);
      blocks->push_back(std::move(block));
    }
    return &block_[used_++];
  }

 private:
  static constexpr std::size_t kBlockSize = 512;
  ExprNode* block_ = nullptr;
  std::size_t used_ = kBlockSize;
};

constexpr std::uint64_t kManyVariables = std::uint64_t{1} << 63;  // the bit of all variables from 63 on

void describe_operand(ExprNode& node) {
  if (node.kind == ExprKind::variable) {
    node.variables = std::uint64_t{1} << std::min<Index>(node.value, 63);
  } else {
    node.growth = static_cast<std::uint8_t>(bits_of(node.value));
    node.signs = node.value < 0 ? 1 : 0;
  }
}

std::uint8_t growth_of(const ExprNode& node) {
  const int larger = std::max(node.lhs->growth, node.rhs->growth);
  if (node.kind == ExprKind::add) return static_cast<std::uint8_t>(std::min(larger + 1, kTooManyBits));
  if (node.kind != ExprKind::mul) return static_cast<std::uint8_t>(larger);
  const bool by_constant = node.lhs->kind == ExprKind::constant || node.rhs->kind == ExprKind::constant;
  return static_cast<std::uint8_t>(by_constant ? std::min(node.lhs->growth + node.rhs->growth, kTooManyBits)
                                               : kTooManyBits);
}

// Every negative constant counts as one sign: alone, as a factor, right of a minus or as a divisor.
void describe(ExprNode& node) {
  const ExprNode& l = *node.lhs;
  const ExprNode& r = *node.rhs;
  const auto sum = [](std::uint64_t a, std::uint64_t b, bool own) {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(a + b + (own ? 1 : 0), UINT32_MAX));
  };
  const auto is_constant = [](const ExprNode& n, Index value) {
    return n.kind == ExprKind::constant && n.value == value;
  };
  const bool divides = is_division(node.kind);
  node.divides_by_zero = l.divides_by_zero || r.divides_by_zero || (divides && is_constant(r, 0));
  node.divides_by_variable =
      l.divides_by_variable || r.divides_by_variable || (divides && r.kind != ExprKind::constant);
  node.growth = growth_of(node);
  node.depth = static_cast<std::uint16_t>(std::min(std::max<int>(l.depth, r.depth) + 1, 65535));
  node.operators = sum(l.operators, r.operators, true);
  node.negations =
      sum(l.negations, r.negations, node.kind == ExprKind::mul && (is_constant(r, -1) || is_constant(l, -1)));
  node.divisions = sum(l.divisions, r.divisions, divides);
  node.signs = sum(l.signs, r.signs, false);
  node.variables = l.variables | r.variables;
}

// Below this size a tree walk costs less than a memo table.
constexpr std::uint32_t kSmallTree = 64;

// Compares by structure, because nodes of different threads may be equal. `known` caches equal pairs, for
// trees that are much larger than their distinct nodes.
using SamePairs = std::set<std::pair<const ExprNode*, const ExprNode*>>;
bool same_nodes(const ExprNode* a, const ExprNode* b, SamePairs* known) {
  if (a == b) return true;
  if (a->hash != b->hash || a->kind != b->kind || a->value != b->value) return false;
  if (a->lhs == nullptr) return true;
  if (known == nullptr && a->operators > kSmallTree) {
    SamePairs pairs;
    return same_nodes(a, b, &pairs);
  }
  if (known != nullptr && known->contains({a, b})) return true;
  if (!same_nodes(a->lhs, b->lhs, known) || !same_nodes(a->rhs, b->rhs, known)) return false;
  if (known != nullptr) known->emplace(a, b);
  return true;
}

// The nodes of one thread, each structure once. One table per thread avoids locks.
class InternTable {
 public:
  static InternTable& local() {
    thread_local InternTable table;
    return table;
  }

  // Looks up variables and small constants by number.
  const ExprNode* operand(ExprKind kind, Index value) {
    const auto at = static_cast<std::uint64_t>(value) + (kind == ExprKind::constant ? kSmallest : 0);
    if (at >= kSmallOperands) return intern(kind, value, nullptr, nullptr);
    const ExprNode*& node = (kind == ExprKind::constant ? constants_ : variables_)[at];
    if (node == nullptr) node = intern(kind, value, nullptr, nullptr);
    return node;
  }

  const ExprNode* intern(ExprKind kind, Index value, const ExprNode* lhs, const ExprNode* rhs) {
    const std::uint64_t hash =
        lhs == nullptr
            ? mix64((static_cast<std::uint64_t>(value) << 4) + static_cast<std::uint64_t>(kind) + 1)
            : mix64(mix64(lhs->hash + static_cast<std::uint64_t>(kind) + 1) + rhs->hash);
    std::size_t slot = hash & (slots_.size() - 1);
    while (const ExprNode* node = slots_[slot]) {
      if (node->hash == hash && node->kind == kind && node->value == value && same(node->lhs, lhs) &&
          same(node->rhs, rhs)) {
        return node;
      }
      slot = (slot + 1) & (slots_.size() - 1);
    }
    ExprNode* node = arena_.allocate();
    *node = {};
    node->kind = kind;
    node->hash = hash;
    node->value = value;
    node->lhs = lhs;
    node->rhs = rhs;
    lhs == nullptr ? describe_operand(*node) : describe(*node);
    slots_[slot] = node;
    if (++size_ * 2 > slots_.size()) grow();
    return node;
  }

 private:
  // Children from another thread may be different nodes with equal structure.
  static bool same(const ExprNode* a, const ExprNode* b) {
    return a == b || (a != nullptr && b != nullptr && same_nodes(a, b, nullptr));
  }

  void grow() {
    std::vector<const ExprNode*> larger(slots_.size() * 4);
    for (const ExprNode* node : slots_) {
      if (node == nullptr) continue;
      std::size_t slot = node->hash & (larger.size() - 1);
      while (larger[slot] != nullptr) slot = (slot + 1) & (larger.size() - 1);
      larger[slot] = node;
    }
    slots_ = std::move(larger);
  }

  static constexpr std::uint64_t kSmallOperands = 256;
  static constexpr std::uint64_t kSmallest = 64;  // constants from -64 on
  std::array<const ExprNode*, kSmallOperands> constants_{};
  std::array<const ExprNode*, kSmallOperands> variables_{};
  std::vector<const ExprNode*> slots_ = std::vector<const ExprNode*>(1024);
  std::size_t size_ = 0;
  NodeArena arena_;
};

// Calls `visit` with every distinct node, operands first.
template <class Memo, class Visit>
auto fold_dag(Expr expr, Memo& memo, const Visit& visit) -> typename Memo::mapped_type {
  if (const auto found = memo.find(expr.id()); found != memo.end()) return found->second;
  typename Memo::mapped_type value;
  if (expr.is_binary()) {
    auto lhs = fold_dag(expr.lhs(), memo, visit);
    auto rhs = fold_dag(expr.rhs(), memo, visit);
    value = visit(expr, &lhs, &rhs);
  } else {
    value = visit(expr, nullptr, nullptr);
  }
  memo.emplace(expr.id(), value);
  return value;
}

}  // namespace

Expr Expr::intern(ExprKind kind, Index value, const ExprNode* lhs, const ExprNode* rhs) {
  return Expr(InternTable::local().intern(kind, value, lhs, rhs));
}

bool Expr::same_structure(const ExprNode* a, const ExprNode* b) { return same_nodes(a, b, nullptr); }

Expr::Expr() : Expr(constant(0)) {}

Expr Expr::constant(Index value) { return Expr(InternTable::local().operand(ExprKind::constant, value)); }

Expr Expr::variable(Index number) {
  TESSERA_CHECK(number >= 0, "variable numbers start at 0");
  return Expr(InternTable::local().operand(ExprKind::variable, number));
}

Expr Expr::binary(ExprKind kind, Expr lhs, Expr rhs) {
  const bool commutes =
      kind == ExprKind::add || kind == ExprKind::mul || kind == ExprKind::min || kind == ExprKind::max;
  if (commutes && lhs.is_constant() && !rhs.is_constant()) std::swap(lhs, rhs);
  if (lhs.is_constant() && rhs.is_constant()) {
    if (const auto folded = apply(kind, lhs.value(), rhs.value())) return constant(*folded);
  }
  if (rhs.is_constant()) {
    const Index c = rhs.value();
    if (kind == ExprKind::add && c == 0) return lhs;
    if (kind == ExprKind::mul) {
      if (c == 0) return rhs;
      if (c == 1) return lhs;
      if (lhs.kind() == ExprKind::mul && lhs.rhs().is_constant()) {
        if (const auto product = checked_mul(lhs.rhs().value(), c)) {
          return binary(ExprKind::mul, lhs.lhs(), constant(*product));
        }
      }
    }
  }
  return intern(kind, 0, lhs.node_, rhs.node_);
}

Expr operator+(Expr a, Expr b) { return Expr::binary(ExprKind::add, a, b); }
Expr operator-(Expr a) { return a * -1; }
Expr operator-(Expr a, Expr b) { return a + b * -1; }
Expr operator*(Expr a, Expr b) { return Expr::binary(ExprKind::mul, a, b); }
Expr operator+(Expr a, Index b) { return a + Expr::constant(b); }
Expr operator-(Expr a, Index b) { return b == kIndexMin ? a - Expr::constant(b) : a + Expr::constant(-b); }
Expr operator*(Expr a, Index b) { return a * Expr::constant(b); }

Expr floor_div(Expr a, Expr b) { return b.is_constant(1) ? a : Expr::binary(ExprKind::floor_div, a, b); }
Expr ceil_div(Expr a, Expr b) { return b.is_constant(1) ? a : Expr::binary(ExprKind::ceil_div, a, b); }
Expr mod(Expr a, Expr b) {
  return b.is_constant(1) || b.is_constant(-1) ? Expr::constant(0) : Expr::binary(ExprKind::mod, a, b);
}
Expr floor_div(Expr a, Index b) { return floor_div(a, Expr::constant(b)); }
Expr ceil_div(Expr a, Index b) { return ceil_div(a, Expr::constant(b)); }
Expr mod(Expr a, Index b) { return mod(a, Expr::constant(b)); }
Expr min(Expr a, Expr b) { return Expr::binary(ExprKind::min, a, b); }
Expr max(Expr a, Expr b) { return Expr::binary(ExprKind::max, a, b); }

int compare(Expr a, Expr b) {
  if (a == b) return 0;
  if (a.kind() != b.kind()) return a.kind() < b.kind() ? -1 : 1;
  if (!a.is_binary()) return a.value() < b.value() ? -1 : 1;
  const int left = compare(a.lhs(), b.lhs());
  return left != 0 ? left : compare(a.rhs(), b.rhs());
}

std::optional<Index> evaluate(Expr expr, std::span<const Index> values) {
  const auto step = [&](Expr e, const std::optional<Index>* lhs,
                        const std::optional<Index>* rhs) -> std::optional<Index> {
    if (e.is_constant()) return e.value();
    if (e.is_variable()) {
      const auto number = static_cast<std::size_t>(e.value());
      return number < values.size() ? std::optional<Index>(values[number]) : std::nullopt;
    }
    return *lhs && *rhs ? apply(e.kind(), **lhs, **rhs) : std::nullopt;
  };
  if (!expr.is_binary()) return step(expr, nullptr, nullptr);
  if (expr.node_count() > kSmallTree) {
    std::unordered_map<const void*, std::optional<Index>> memo;
    return fold_dag(expr, memo, step);
  }
  const auto walk = [&](const auto& self, Expr e) -> std::optional<Index> {
    if (!e.is_binary()) return step(e, nullptr, nullptr);
    const auto lhs = self(self, e.lhs());
    const auto rhs = self(self, e.rhs());
    return step(e, &lhs, &rhs);
  };
  return walk(walk, expr);
}

Expr substitute(Expr expr, std::span<const Expr> replacements) {
  const auto step = [&](Expr e, const Expr* lhs, const Expr* rhs) {
    if (e.is_constant()) return e;
    if (e.is_variable()) {
      const auto number = static_cast<std::size_t>(e.value());
      return number < replacements.size() ? replacements[number] : e;
    }
    return *lhs == e.lhs() && *rhs == e.rhs() ? e : Expr::binary(e.kind(), *lhs, *rhs);
  };
  if (expr.node_count() > kSmallTree) {
    std::unordered_map<const void*, Expr> memo;
    return fold_dag(expr, memo, step);
  }
  const auto walk = [&](const auto& self, Expr e) -> Expr {
    if (!e.is_binary()) return step(e, nullptr, nullptr);
    const Expr lhs = self(self, e.lhs());
    const Expr rhs = e.rhs().is_constant() ? e.rhs() : self(self, e.rhs());
    return step(e, &lhs, &rhs);
  };
  return walk(walk, expr);
}

Expr negated(Expr e, std::unordered_map<const void*, Expr>& known) {
  if (e.kind() != ExprKind::add) {
    const bool by_constant = e.is_constant() || (e.kind() == ExprKind::mul && e.rhs().is_constant());
    const Index c = !by_constant ? 1 : e.is_constant() ? e.value() : e.rhs().value();
    if (!by_constant || c == kIndexMin) return e * -1;
    return e.is_constant() ? Expr::constant(-c) : e.lhs() * -c;
  }
  if (const auto found = known.find(e.id()); found != known.end()) return found->second;
  const Expr lhs = negated(e.lhs(), known);
  const Expr sum = lhs + negated(e.rhs(), known);
  known.emplace(e.id(), sum);
  known.emplace(sum.id(), e);
  return sum;
}

Expr negated(Expr expr) {
  std::unordered_map<const void*, Expr> known;
  return negated(expr, known);
}

std::vector<Index> variables(Expr expr) {
  std::vector<Index> found;
  if (const std::uint64_t numbers = expr.node().variables; (numbers & kManyVariables) == 0) {
    found.reserve(static_cast<std::size_t>(std::popcount(numbers)));
    for (std::uint64_t left = numbers; left != 0; left &= left - 1) found.push_back(std::countr_zero(left));
    return found;
  }
  if (expr.node_count() > kSmallTree) {
    std::unordered_map<const void*, bool> memo;
    fold_dag(expr, memo, [&](Expr e, const bool*, const bool*) {
      if (e.is_variable()) found.push_back(e.value());
      return true;
    });
  } else {
    const auto walk = [&](const auto& self, Expr e) -> void {
      if (e.is_variable()) found.push_back(e.value());
      if (!e.is_binary()) return;
      self(self, e.lhs());
      self(self, e.rhs());
    };
    walk(walk, expr);
  }
  std::ranges::sort(found);
  found.erase(std::ranges::unique(found).begin(), found.end());
  return found;
}

ExprSize size(Expr expr) {
  const ExprNode& node = expr.node();
  return {.operators = node.operators - node.negations, .divisions = node.divisions, .signs = node.signs};
}

Index largest_known_divisor(Expr expr) {
  const auto magnitude = [](Index v) { return v == kIndexMin ? Index{1} : (v < 0 ? -v : v); };
  std::unordered_map<const void*, Index> memo;
  return fold_dag(expr, memo, [&](Expr e, const Index* lhs, const Index* rhs) -> Index {
    switch (e.kind()) {
      case ExprKind::variable:
        return 1;
      case ExprKind::constant:
        return magnitude(e.value());
      case ExprKind::mul:
        return checked_mul(*lhs, *rhs).value_or(1);
      case ExprKind::floor_div:
      case ExprKind::ceil_div: {
        if (!e.rhs().is_constant() || e.rhs().value() == 0) return 1;
        const Index c = magnitude(e.rhs().value());
        return *lhs % c == 0 ? *lhs / c : 1;
      }
      default:
        return std::gcd(*lhs, *rhs);
    }
  });
}

}  // namespace tessera
