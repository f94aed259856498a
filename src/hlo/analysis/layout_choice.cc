// SPDX-License-Identifier: Apache-2.0
#include "hlo/analysis/layout_choice.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "base/saturating.h"
#include "hlo/analysis/bitcast.h"
#include "hlo/analysis/free_layout.h"
#include "hlo/limits.h"

namespace tessera::detail {
namespace {

constexpr std::size_t kNoArray = ~std::size_t{0};

class LayoutChooser {
 public:
  LayoutChooser(std::vector<ChoosableArray>& arrays, std::vector<ChoosableMove>& moves)
      : arrays_(arrays), moves_(moves) {
    std::unordered_map<const Instruction*, std::size_t> places;
    for (std::size_t a = 0; a < arrays.size(); ++a) {
      places.emplace(arrays[a].maker, a);
      arrays[a].layouts = {arrays[a].maker->type.array()};
      arrays[a].chosen = 0;
    }
    for (const ChoosableMove& move : moves) {
      const auto found = places.find(move.step);
      results_.push_back(found == places.end() ? kNoArray : found->second);
    }
  }

  std::vector<LayoutGroup> choose() {
    find_layouts();
    std::vector<LayoutGroup> out;
    for (const Connected& connected : groups()) {
      if (auto group = best_of(connected)) out.push_back(*std::move(group));
    }
    return out;
  }

 private:
  const TensorType& result_layout(std::size_t move, std::size_t layout) const {
    const std::size_t result = results_[move];
    return result == kNoArray ? moves_[move].step->type.array() : arrays_[result].layouts[layout];
  }

  static bool add_layout(ChoosableArray& array, const std::optional<TensorType>& layout) {
    if (!layout || array.layouts.size() >= kHloLimits.analysis.array_layouts) return false;
    if (std::ranges::find(array.layouts, *layout) != array.layouts.end()) return false;
    array.layouts.push_back(*layout);
    return true;
  }

  // Results before sources: a layout of the result gives one of the source. Then the other way.
  void find_layouts() {
    for (int round = 0; round < 3; ++round) {
      bool found = false;
      for (std::size_t m = moves_.size(); m-- > 0;) {
        ChoosableArray& source = arrays_[moves_[m].source];
        const std::size_t choices = results_[m] == kNoArray ? 1 : arrays_[results_[m]].layouts.size();
        for (std::size_t r = 0; r < choices; ++r)
          if (is_new_pair(m, 0, r))
            found |= add_layout(
                source,
                free_layouts_between(*moves_[m].inner, source.layouts[0], result_layout(m, r)).operand);
      }
      for (std::size_t m = 0; m < moves_.size(); ++m) {
        if (results_[m] == kNoArray) continue;
        ChoosableArray& result = arrays_[results_[m]];
        const ChoosableArray& source = arrays_[moves_[m].source];
        for (std::size_t s = 0; s < source.layouts.size(); ++s)
          if (is_new_pair(m, s + 1, 0))
            found |= add_layout(
                result, free_layouts_between(*moves_[m].inner, source.layouts[s], result.layouts[0]).result);
      }
      if (!found) return;
    }
  }

  bool is_new_pair(std::size_t move, std::size_t source, std::size_t result) {
    return asked_.emplace(move, source, result).second;
  }

  // Arrays that moves connect, and the moves of these arrays, both in order.
  struct Connected {
    std::vector<std::size_t> members;
    std::vector<std::size_t> moves;
  };

  std::vector<Connected> groups() const {
    std::vector<std::size_t> first(arrays_.size());
    std::iota(first.begin(), first.end(), std::size_t{0});
    const auto find = [&](std::size_t a) {
      while (first[a] != a) a = first[a] = first[first[a]];
      return a;
    };
    for (std::size_t m = 0; m < moves_.size(); ++m) {
      if (results_[m] == kNoArray) continue;
      const std::size_t a = find(moves_[m].source);
      const std::size_t b = find(results_[m]);
      first[std::max(a, b)] = std::min(a, b);
    }
    std::map<std::size_t, Connected> out;
    for (std::size_t a = 0; a < arrays_.size(); ++a) out[find(a)].members.push_back(a);
    for (std::size_t m = 0; m < moves_.size(); ++m) out[find(moves_[m].source)].moves.push_back(m);
    std::vector<Connected> lists;
    for (auto& [root, connected] : out) lists.push_back(std::move(connected));
    return lists;
  }

  bool is_free(std::size_t move) {
    const std::size_t s = arrays_[moves_[move].source].chosen;
    const std::size_t r = results_[move] == kNoArray ? 0 : arrays_[results_[move]].chosen;
    if (s == 0 && r == 0) return false;  // it moves as written
    const auto [found, is_new] = free_.try_emplace({move, s, r}, false);
    if (is_new)
      found->second = bitcast_answer_with(*moves_[move].inner, arrays_[moves_[move].source].layouts[s],
                                          result_layout(move, r))
                          .verdict == Verdict::yes;
    return found->second;
  }

  // An array of a group of which a layout is being chosen, after those before it.
  struct Level {
    Index cost = 0;        // of the choices before
    Index open = 0;        // of the moves that they do not decide
    std::size_t next = 0;  // the layout to try
  };

  // Depth first over the arrays of a group, without recursion: a group may have all arrays of a program. A
  // move counts when the later one of its arrays is decided.
  void search(const std::vector<std::size_t>& members, Index all) {
    std::vector<Level> levels;
    const auto enter = [&](Index cost, Index open) {
      // What is saved at best: all moves that are not decided.
      if (cost - open >= best_cost_ || tried_ >= kHloLimits.analysis.layout_choices) return;
      ++tried_;
      if (levels.size() < members.size()) {
        levels.push_back({.cost = cost, .open = open});
        return;
      }
      best_cost_ = cost;
      for (std::size_t i = 0; i < members.size(); ++i) best_[i] = arrays_[members[i]].chosen;
    };
    enter(0, all);
    while (!levels.empty()) {
      Level& at = levels.back();
      const std::size_t member = members[levels.size() - 1];
      ChoosableArray& array = arrays_[member];
      if (at.next == array.layouts.size()) {
        array.chosen = 0;
        levels.pop_back();
        continue;
      }
      array.chosen = at.next++;
      Index own = array.chosen == 0 ? 0 : array.lost;
      Index decided = 0;
      for (const std::size_t m : decided_at_[member]) {
        decided = saturating_add(decided, moves_[m].traffic);
        if (is_free(m)) own -= moves_[m].traffic;
      }
      enter(at.cost + own, at.open - decided);
    }
  }

  std::optional<LayoutGroup> best_of(const Connected& connected) {
    const std::vector<std::size_t>& members = connected.members;
    Index open = 0;
    decided_at_.clear();
    for (const std::size_t m : connected.moves) {
      const std::size_t result = results_[m];
      decided_at_[result == kNoArray ? moves_[m].source : std::max(moves_[m].source, result)].push_back(m);
      open = saturating_add(open, moves_[m].traffic);
    }
    Index lost = open;
    for (const std::size_t a : members) lost = saturating_add(lost, arrays_[a].lost);
    if (lost == kIndexMax) return std::nullopt;
    best_.assign(members.size(), 0);
    best_cost_ = 0;  // all as written
    tried_ = 0;
    search(members, open);
    for (std::size_t i = 0; i < members.size(); ++i) arrays_[members[i]].chosen = best_[i];
    if (best_cost_ >= 0) return std::nullopt;
    LayoutGroup out;
    out.all_tried = tried_ < kHloLimits.analysis.layout_choices;
    for (const std::size_t a : members) {
      if (arrays_[a].chosen == 0) continue;
      out.arrays.push_back(a);
      out.lost += arrays_[a].lost;
    }
    for (const std::size_t m : connected.moves) {
      if (!is_free(m)) continue;
      moves_[m].freed = true;
      out.moves.push_back(m);
      out.saved += moves_[m].traffic;
    }
    return out;
  }

  std::vector<ChoosableArray>& arrays_;
  std::vector<ChoosableMove>& moves_;
  std::vector<std::size_t> results_;  // the array that is the result of each move
  std::set<std::tuple<std::size_t, std::size_t, std::size_t>> asked_;
  std::map<std::tuple<std::size_t, std::size_t, std::size_t>, bool> free_;
  std::unordered_map<std::size_t, std::vector<std::size_t>> decided_at_;
  std::vector<std::size_t> best_;
  Index best_cost_ = 0;
  std::size_t tried_ = 0;
};

}  // namespace

std::vector<LayoutGroup> choose_layouts(std::vector<ChoosableArray>& arrays,
                                        std::vector<ChoosableMove>& moves) {
  return LayoutChooser(arrays, moves).choose();
}

}  // namespace tessera::detail
