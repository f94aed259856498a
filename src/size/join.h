// SPDX-License-Identifier: Apache-2.0
// Cases as a tree of splits, and joined where one answer holds in several.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "size/explore.h"

namespace tessera::symbolic {

/// A leaf, or a split by a condition, whose sides both have sizes.
struct CaseTree {
  SizeCondition condition = {};
  std::unique_ptr<CaseTree> yes = {};
  std::unique_ptr<CaseTree> no = {};
  Leaf leaf = {};
  std::shared_ptr<const SizeRegion> region = {};

  bool is_leaf() const { return yes == nullptr; }
};

/// Whether the answer of one case is right for all sizes of another, too.
bool holds_on(const Leaf& general, const Leaf& special, const SizeRegion& there);

/// The split without itself where both sides have one answer.
std::unique_ptr<CaseTree> joined(std::unique_ptr<CaseTree> split);

/// The elements of `root` that satisfy the conditions, if that takes no splits.
std::optional<SizeRegion> under(const SizeRegion& root, const std::vector<SizeCondition>& conditions);

/// Whether all elements of `root` that satisfy the conditions satisfy the goals; only if that takes no
/// splits.
bool implies(const SizeRegion& root, const std::vector<SizeCondition>& conditions,
             const std::vector<SizeCondition>& goals);

/// Whether certainly no element of `root` satisfies the conditions.
bool certainly_empty(const SizeRegion& root, std::vector<SizeCondition> conditions);

/// The leaves with the conditions that lead to them, without conditions that others imply; the side where a
/// condition fails first.
std::vector<Case> flattened(const CaseTree& tree, const SizeRegion& root);

}  // namespace tessera::symbolic
