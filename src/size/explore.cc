// SPDX-License-Identifier: Apache-2.0
#include "size/explore.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "size/join.h"
#include "size/limits.h"
#include "size/spelling.h"

namespace tessera::symbolic {
namespace {

/// Runs the nearest splits first: an open case is then one that many conditions lead to.
class Explorer {
 public:
  Explorer(const SizeRegion& start, const SizedProgram& program, Exploration& out)
      : start_(start), program_(program), out_(out) {}

  /// Null: no sizes.
  std::unique_ptr<CaseTree> run(const SizeRegion& region, const std::vector<SizeCondition>& assumed) {
    assumed_ = assumed;
    auto root = std::make_unique<CaseTree>();
    pending_.push_back({root.get(), region, assumed});
    for (; !pending_.empty(); pending_.pop_front()) {
      // Pending cases keep their places when others are added.
      Pending& next = pending_.front();
      explore(*next.node, std::move(next.region), std::move(next.assumed));
    }
    return folded(std::move(root));
  }

 private:
  struct Pending {
    CaseTree* node;
    SizeRegion region;
    std::vector<SizeCondition> assumed;
  };

  static Leaf undecided(std::string reason) {
    return {.kind = Leaf::Kind::undecided, .reason = std::move(reason)};
  }
  static void leaf(CaseTree& node, SizeRegion region, Leaf answer) {
    node.leaf = std::move(answer);
    node.region = std::make_shared<SizeRegion>(std::move(region));
  }

  /// Makes the node a leaf or a split. Without a region: it has no sizes.
  void explore(CaseTree& node, SizeRegion region, std::vector<SizeCondition> assumed) {
    if (--budget_ < 0) {
      if (assumed.empty() && certainly_empty(start_, region.conditions())) return;
      return leaf(node, std::move(region), undecided(fmt::format("more than {} cases", kSizeLimits.cases)));
    }
    while (!assumed.empty()) {
      const SizeCondition c = assumed.front();
      const SizeRegion::Verdict verdict = region.judge(c);
      if (verdict.failed)
        return leaf(
            node, std::move(region),
            undecided("a number or a term of an assumption is too large, or a divisor is not proved to be at "
                      "least 1"));
      if (verdict.holds && !*verdict.holds) return;
      if (verdict.split && !(*verdict.split == c))
        return divide(node, std::move(region), *verdict.split, assumed);
      if (!verdict.holds) {
        std::optional<SizeRegion> next = region.with(c);
        if (!next) return;
        region = *std::move(next);
      }
      assumed.erase(assumed.begin());
    }
    auto sample = region.generic_sample();
    if (!sample && certainly_empty(start_, region.conditions())) return;
    if (!sample) sample = region.sample();
    if (!sample)
      return leaf(
          node, std::move(region),
          undecided("no sizes of this case were found among those that were tried; not searched further"));
    Recorder recorder(region, *std::move(sample));
    Leaf answer = program_(recorder);
    for (const SizeCondition& c : recorder.decisions()) {
      const SizeRegion::Verdict verdict = region.judge(c);
      if (verdict.failed)
        return leaf(
            node, std::move(region),
            undecided("a number or a term is too large, or a divisor is not proved to be at least 1"));
      if (verdict.split) return divide(node, std::move(region), *verdict.split, {});
      // The sample took this decision, so a proof of the contrary cannot exist.
      if (!*verdict.holds)
        return leaf(node, std::move(region), undecided("a decision contradicts its sample"));
    }
    if (recorder.lost()) answer = undecided(recorder.reason());
    leaf(node, std::move(region), std::move(answer));
  }

  void divide(CaseTree& node, SizeRegion region, const SizeCondition& c,
              const std::vector<SizeCondition>& assumed) {
    node.condition = c;
    for (const bool yes : {true, false}) {
      std::optional<SizeRegion> part = region.with(yes ? c : c.negated());
      // A quotient that now has a value may contradict what was assumed of it.
      const bool none = !part || std::ranges::any_of(part->conditions(), [&](const SizeCondition& known) {
        return part->space().has_derived(known.p) && part->refutes(known);
      });
      std::unique_ptr<CaseTree>& side = yes ? node.yes : node.no;
      side = std::make_unique<CaseTree>();
      if (!none) pending_.push_back({side.get(), *std::move(part), assumed});
    }
    node.region = std::make_shared<SizeRegion>(std::move(region));
  }

  /// The tree without sides that have no sizes, or where an operand does not exist, and with cases joined.
  std::unique_ptr<CaseTree> folded(std::unique_ptr<CaseTree> node) {
    if (node->region == nullptr) return nullptr;
    if (node->is_leaf()) return node;
    node->yes = folded(std::move(node->yes));
    node->no = folded(std::move(node->no));
    if (!node->yes) return std::move(node->no);
    if (!node->no) return std::move(node->yes);
    for (const bool yes : {true, false}) {
      std::unique_ptr<CaseTree>& outside = yes ? node->yes : node->no;
      std::unique_ptr<CaseTree>& other = yes ? node->no : node->yes;
      if (!outside->is_leaf() || outside->leaf.kind != Leaf::Kind::outside) continue;
      if (other->is_leaf() && other->leaf.kind == Leaf::Kind::outside) continue;
      std::vector<SizeCondition> conditions = outside->region->conditions();
      std::erase_if(conditions, [&](const SizeCondition& known) {
        return std::ranges::find(assumed_, known) != assumed_.end();
      });
      out_.outside.push_back({std::move(conditions), outside->leaf, outside->region});
      return std::move(other);
    }
    return joined(std::move(node));
  }

  const SizeRegion& start_;
  const SizedProgram& program_;
  Exploration& out_;
  std::vector<SizeCondition> assumed_;
  std::deque<Pending> pending_;
  int budget_ = kSizeLimits.cases;
};

}  // namespace

std::string Recorder::why_unknown(const Polynomial& p, const Polynomial& q) const {
  const bool divides = space().divides_below_one(p, sample_) || space().divides_below_one(q, sample_);
  if (divides) return "a divisor is below 1";
  return p.known() && q.known() ? "a number is too large" : "a number is too large, or a divisor is below 1";
}

std::optional<Integer> Recorder::value(const Polynomial& p) {
  const std::optional<Integer> out = space().value(p, sample_);
  if (!out) lose(why_unknown(p, {}));
  return out;
}

bool Recorder::decide(const SizeCondition& c) {
  const std::optional<bool> holds = space().holds(c, sample_);
  if (!holds) lose(why_unknown(c.p, c.q));
  if (lost()) return holds.value_or(false);
  const SizeCondition taken = region_.reduced(*holds ? c : c.negated());
  if (std::ranges::find(decisions_, taken) == decisions_.end()) {
    if (decisions_.size() >= kSizeLimits.decisions) {
      lose(fmt::format("more than {} decisions", kSizeLimits.decisions));
    } else {
      decisions_.push_back(taken);
    }
  }
  return *holds;
}

void Recorder::lose(std::string reason) {
  if (reason_.empty()) reason_ = std::move(reason);
}

std::string outside_note(const Case& outside) {
  const Space& space = outside.region->space();
  if (outside.conditions.size() == 1)
    return fmt::format("only where {}: elsewhere {}", spelled(outside.conditions[0].negated(), space),
                       outside.leaf.reason);
  return fmt::format("not where {}: there {}", spelled(outside.conditions, space), outside.leaf.reason);
}

Exploration explore(const SizeRegion& start, const std::vector<SizeCondition>& assumed,
                    const SizedProgram& program) {
  Exploration out{.space = start.shared_space()};
  std::unique_ptr<CaseTree> tree = Explorer(start, program, out).run(start, assumed);
  if (!tree) {
    out.empty = true;
    return out;
  }
  out.root = tree->region;
  out.cases = flattened(*tree, *tree->region);
  for (const Case& c : out.cases) {
    if (c.leaf.kind == Leaf::Kind::outside) out.outside.push_back(c);
  }
  std::erase_if(out.cases, [](const Case& c) { return c.leaf.kind == Leaf::Kind::outside; });
  return out;
}

}  // namespace tessera::symbolic
