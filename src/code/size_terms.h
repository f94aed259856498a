// SPDX-License-Identifier: Apache-2.0
/// \file
/// The offset of a layout with names for sizes as a term of its index and sizes.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "code/terms.h"
#include "notation/symbolic/symbolic_layout.h"

namespace tessera::coding {

/// Lowers the terms of one layout; `sizes` has the variable of each name.
class SizeTerms {
 public:
  SizeTerms(Terms& terms, std::map<std::string, TermId> sizes) : terms_(terms), sizes_(std::move(sizes)) {}

  /// Errors: number_range, undefined_value (a division by a number below 1), not_applicable (a dividend that
  /// may be negative, in a language whose division truncates).
  Result<TermId> lower(const symbolic::SizeTerm& term);
  /// The offset of an index with one number for each dimension, at sizes for which the text is a layout.
  Result<TermId> offset(const symbolic::SymbolicLayout& layout, const std::vector<TermId>& index);
  /// The extents of the dimensions.
  Result<std::vector<TermId>> extents(const symbolic::SymbolicLayout& layout);

 private:
  Result<TermId> positive(const symbolic::SizeTerm& term);
  Result<TermId> quotient(TermId a, TermId b);
  Result<TermId> remainder(TermId a, TermId b);
  Result<TermId> ceil_quotient(TermId a, TermId b);
  Result<TermId> strided(const symbolic::SymbolicLayout& layout, const std::vector<TermId>& index);
  Result<TermId> tiled(const symbolic::SymbolicLayout& layout, const std::vector<TermId>& index);
  Result<TermId> packed(const symbolic::SymbolicLayout& layout, const std::vector<TermId>& index);
  Result<TermId> blocked(const symbolic::SymbolicLayout& layout, const std::vector<TermId>& index);

  Terms& terms_;
  std::map<std::string, TermId> sizes_;
};

}  // namespace tessera::coding
