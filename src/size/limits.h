// SPDX-License-Identifier: Apache-2.0
/// \file
/// The limits of questions for all sizes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "size/polynomial.h"

namespace tessera::symbolic {

/// Every limit of this folder, with its unit and its reason. They are counts, never seconds, so that answers
/// do not depend on the machine.
struct SizeLimits {
  int depth = 200;                           ///< of brackets, because the reader recurses
  int operators = 4096;                      ///< of a text: a sum or product nests by one level for each
  std::size_t parameters = 1000;             ///< names of sizes in one question
  int tried_sizes = 40000;                   ///< combinations of sizes that are tried, the smallest first
  std::int64_t evaluations = 20'000'000;     ///< of all these sizes together
  int cases = 64;                            ///< of one answer; a reader could not use more
  std::size_t decisions = 20000;             ///< of a program, over all of its cases
  int sign_steps = 120;                      ///< to prove the sign of one polynomial
  Integer residues = 4096;                   ///< of sizes, one by one
  int proof_steps = 40000;                   ///< of one question in all
  int samples = 40000;                       ///< sizes that one question tries in all
  int tries = 4000;                          ///< until one sample has been found, in each of two ways
  int tightenings = 16;                      ///< of the intervals of a region by one condition
  int nested_intervals = 8;                  ///< ends that are terms of names with such ends
  Integer small_sample = 16;                 ///< of one or two parameters, up to which all are tried first
  Integer largest_sample = 48;               ///< of any number of parameters, last
  int random_tries = 500;                    ///< before these, if conditions have large numbers
  Integer sample_factor = Integer{1} << 20;  ///< of a condition, near which samples are tried
  std::size_t variables = 60000;  ///< numbered in 16 bits, with room for those of one more condition
  Integer coefficient = Integer{1} << 126;  ///< in 128 bits, so that sums of two fit
  Integer enumerated_size = 300;            ///< of a parameter, from its least value on
  Integer modulus = Integer{1} << 60;       ///< of a condition, so that products fit in 128 bits
  std::size_t assumptions = 256;            ///< of one list
  int few_values = 16;                      ///< of a size that are proved one by one
  std::size_t joined_cases = 64;            ///< that are compared pairwise
  /// Products of many terms do not occur in layouts; they would only cost time.
  std::size_t product_terms = 4096;
  std::size_t corners = 256;          ///< of the intervals of all parameters
  std::size_t multipliers = 6;        ///< of one fact
  std::size_t witnesses = 6;          ///< points of a region, at which what cannot be proved is seen
  int witness_tries = 12;             ///< sizes that are tried for the witness of a case
  std::size_t enumerated_cases = 64;  ///< answers to the sizes of one case
};
inline constexpr SizeLimits kSizeLimits = {};

}  // namespace tessera::symbolic
