// SPDX-License-Identifier: Apache-2.0
#include "size/explore.h"

#include <fmt/format.h>

#include <algorithm>

#include "size/join.h"
#include "size/limits.h"
#include "size/spelling.h"

namespace tessera::symbolic {
namespace {

class Explorer {
 public:
  Explorer(const SizeRegion& start, const SizedProgram& program, Exploration& out)
      : start_(start), program_(program), out_(out) {}

  /// Null: no sizes.
  std::unique_ptr<CaseTree> run(SizeRegion region, std::vector<SizeCondition> assumed) {
    if (budget_ == kSizeLimits.cases) assumed_ = assumed;
    if (--budget_ < 0) return leaf(region, undecided(fmt::format("more than {} cases", kSizeLimits.cases)));
    while (!assumed.empty()) {
      const SizeCondition c = assumed.front();
      const SizeRegion::Verdict verdict = region.judge(c);
      if (verdict.failed)
        return leaf(
            region,
            undecided("an assumption has a divisor that is never at least 1, or a number that is too large"));
      if (verdict.holds && !*verdict.holds) return nullptr;
      if (verdict.split && !(*verdict.split == c)) return divide(region, *verdict.split, assumed);
      if (!verdict.holds) {
        std::optional<SizeRegion> next = region.with(c);
        if (!next) return nullptr;
        region = *std::move(next);
      }
      assumed.erase(assumed.begin());
    }
    auto sample = region.sample();
    if (!sample) {
      if (certainly_empty(start_, region.conditions())) return nullptr;
      return leaf(
          region,
          undecided("no sizes of this case were found among those that were tried; not searched further"));
    }
    Recorder recorder(region, *std::move(sample));
    Leaf answer = program_(recorder);
    for (const SizeCondition& c : recorder.decisions()) {
      const SizeRegion::Verdict verdict = region.judge(c);
      if (verdict.failed)
        return leaf(region, undecided("a number is too large, or a divisor is never at least 1"));
      if (verdict.split) return divide(region, *verdict.split, {});
      // The sample took this decision, so a proof of the contrary cannot exist.
      if (!*verdict.holds) return leaf(region, undecided("a decision contradicts its sample"));
    }
    if (recorder.lost()) return leaf(region, undecided(recorder.reason()));
    return leaf(region, std::move(answer));
  }

 private:
  static Leaf undecided(std::string reason) {
    return {.kind = Leaf::Kind::undecided, .reason = std::move(reason)};
  }
  static std::unique_ptr<CaseTree> leaf(const SizeRegion& region, Leaf answer) {
    auto out = std::make_unique<CaseTree>();
    out->leaf = std::move(answer);
    out->region = std::make_shared<SizeRegion>(region);
    return out;
  }

  std::unique_ptr<CaseTree> divide(const SizeRegion& region, const SizeCondition& c,
                                   const std::vector<SizeCondition>& assumed) {
    const auto side = [&](const SizeCondition& taken) -> std::unique_ptr<CaseTree> {
      const std::optional<SizeRegion> part = region.with(taken);
      if (!part) return nullptr;
      // A quotient that now has a value may contradict what was assumed of it.
      for (const SizeCondition& known : part->conditions()) {
        if (part->space().has_derived(known.p) && part->refutes(known)) return nullptr;
      }
      return run(*part, assumed);
    };
    auto out = std::make_unique<CaseTree>();
    out->condition = c;
    out->yes = side(c);
    out->no = side(c.negated());
    out->region = std::make_shared<SizeRegion>(region);
    if (!out->yes) return std::move(out->no);
    if (!out->no) return std::move(out->yes);
    for (const bool yes : {true, false}) {
      std::unique_ptr<CaseTree>& outside = yes ? out->yes : out->no;
      std::unique_ptr<CaseTree>& other = yes ? out->no : out->yes;
      if (!outside->is_leaf() || outside->leaf.kind != Leaf::Kind::outside) continue;
      if (other->is_leaf() && other->leaf.kind == Leaf::Kind::outside) continue;
      std::vector<SizeCondition> conditions = outside->region->conditions();
      std::erase_if(conditions, [&](const SizeCondition& known) {
        return std::ranges::find(assumed_, known) != assumed_.end();
      });
      out_.outside.push_back({std::move(conditions), outside->leaf, outside->region});
      return std::move(other);
    }
    return joined(std::move(out));
  }

  const SizeRegion& start_;
  const SizedProgram& program_;
  Exploration& out_;
  std::vector<SizeCondition> assumed_;
  int budget_ = kSizeLimits.cases;
};

}  // namespace

std::optional<Integer> Recorder::value(const Polynomial& p) {
  const std::optional<Integer> out = space().value(p, sample_);
  if (!out) lose("a number is too large, or a divisor is below 1");
  return out;
}

bool Recorder::decide(const SizeCondition& c) {
  const std::optional<bool> holds = space().holds(c, sample_);
  if (!holds) lose("a number is too large, or a divisor is below 1");
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
