// SPDX-License-Identifier: Apache-2.0
// Runs an algorithm of integers for all sizes: on one sample, with every decision recorded, proved for all
// sizes, and split where it is not proved.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "size/region.h"

namespace tessera::symbolic {

/// The answer of one run. `frame` is its text with `#` for each of the numbers; runs with other frames have
/// other answers. The numbers of a `layout`, but for the last `others`, are extents and then as many strides:
/// the stride of an extent of 1 does not matter. An `error` has its code as frame. `outside`: an operand does
/// not exist at these sizes.
struct Leaf {
  enum class Kind : std::uint8_t { value, error, undecided, outside };
  Kind kind = Kind::value;
  std::string frame = {};
  std::string reason = {};
  std::vector<Polynomial> numbers = {};
  bool layout = false;
  std::size_t others = 0;
};

/// The recorder of one run: its parameters, and the decisions that it took.
class Recorder {
 public:
  Recorder(const SizeRegion& region, std::map<SizeVariable, Integer> sample)
      : region_(region), sample_(std::move(sample)) {}

  Space& space() const { return region_.space(); }
  /// The sizes of the case that is run.
  const SizeRegion& region() const { return region_; }
  const std::map<SizeVariable, Integer>& sample() const { return sample_; }
  /// The value of a polynomial in this run; nothing makes the run void.
  std::optional<Integer> value(const Polynomial& p);
  /// Records the outcome of a condition and returns it: one decision.
  bool decide(const SizeCondition& c);
  /// The run proves nothing; the first reason is kept.
  void lose(std::string reason);

  const std::vector<SizeCondition>& decisions() const { return decisions_; }
  bool lost() const { return !reason_.empty(); }
  const std::string& reason() const { return reason_; }

 private:
  std::string why_unknown(const Polynomial& p, const Polynomial& q) const;

  const SizeRegion& region_;
  std::map<SizeVariable, Integer> sample_;
  std::vector<SizeCondition> decisions_ = {};
  std::string reason_ = {};
};

/// An algorithm: all that it does depends on the sample only through the recorder.
using SizedProgram = std::function<Leaf(Recorder&)>;

/// An answer and where it holds. The conditions of the cases of one question exclude each other, and together
/// with those where operands do not exist they cover all sizes of the question.
struct Case {
  std::vector<SizeCondition> conditions = {};
  Leaf leaf = {};
  std::shared_ptr<const SizeRegion> region = {};
};

/// `only where N >= 8: elsewhere an extent is below 1`, or for several conditions `not where …`.
std::string outside_note(const Case& outside);

struct Exploration {
  std::shared_ptr<Space> space = {};
  std::vector<Case> cases = {};
  /// Conditions under which an operand does not exist, each with the reason.
  std::vector<Case> outside = {};
  std::shared_ptr<const SizeRegion> root = {};  ///< the sizes of all cases
  bool empty = false;                           ///< certainly no sizes satisfy the assumptions
};

/// `start` with `assumed` added, explored, and the cases joined where one answer holds in several.
Exploration explore(const SizeRegion& start, const std::vector<SizeCondition>& assumed,
                    const SizedProgram& program);

}  // namespace tessera::symbolic
