// SPDX-License-Identifier: Apache-2.0
/// \file
/// Random programs with collectives, executed on all their replicas element by element.
#pragma once

#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "laws/hlo_reference.h"

namespace tessera::laws {

/// A computation whose collectives have various groups, and an entry that calls it. Parameter 0 is an array,
/// parameters 1 and 2 are starts of slices.
class ReplicaProgram {
 public:
  ReplicaProgram(std::uint64_t seed, int instructions);

  const std::string& text() const { return text_; }
  Index replicas() const { return replicas_; }
  /// The value of a start on a replica.
  Index start(std::size_t which, Index replica) const { return starts_[which][at(replica)]; }
  const Indices& operand_dims() const { return values_.front().dims; }
  const Indices& result_dims() const { return values_.back().dims; }

  /// A replica, and the row-major number of an element of parameter 0 on it.
  using Sources = std::set<std::pair<Index, Index>>;
  /// The dependences of an element of the result on a replica.
  const Sources& result(Index replica, Index element) const {
    return values_.back().elements[at(replica)][at(element)];
  }

 private:
  struct Value {
    std::string name;
    Indices dims;
    std::vector<std::vector<Sources>> elements = {};  // indexed by replica and row-major number
  };
  struct Groups {
    std::string text;
    std::vector<Indices> groups;
  };

  static std::size_t at(Index i) { return static_cast<std::size_t>(i); }
  Index pick(Index low, Index high) { return std::uniform_int_distribution<Index>(low, high)(random_); }
  const Value& some_value();
  /// Groups of `size` members each, chosen among a few.
  const Groups& groups_of(Index size);
  /// Writes `name = TYPE operation`. `read` adds the dependences of an element.
  template <class Read>
  void define(const Indices& dims, const std::string& operation, Read&& read);
  void one_more();
  void gather(const Value& v);
  void reduce_scatter(const Value& v);
  void exchange_pieces(const Value& v);
  void exchange_operands(const Value& v);
  void same_place(const Value& v);
  void permute(const Value& v);
  void dynamic_slice(const Value& v);
  void local(const Value& v);

  std::mt19937_64 random_;
  Index replicas_;
  std::vector<Groups> groups_;
  std::vector<Indices> starts_;
  std::vector<Value> values_;
  std::string body_;
  std::string text_;
};

}  // namespace tessera::laws
