// SPDX-License-Identifier: Apache-2.0
/// \file
/// The part of `copy` for layouts with names and for `recode`, and steps that all copies take.
#pragma once

#include <optional>
#include <vector>

#include "verbs/copy.h"

namespace tessera::verbs {

/// A copy whose layouts have names, whose elements are 3, 5, 6 or 7 bits, or whose codes change.
struct CodesCopy {
  const CopyRequest& request;
  const TensorFile& file;
  TensorPath in;
  TensorPath out;
  std::optional<NamedOrLayout> from;
};

/// Whether the copy is one of codes: a layout with a name, elements of 3, 5, 6 or 7 bits, or `recode`.
bool is_code_copy(const CopyRequest& request, const TensorFile& file);

Result<CopyResult> copy_codes(const CodesCopy& codes, Observer& observer);

/// An error of a copy, whose field is the argument that it is about, or none for the file that is written.
Failure refuse_copy(const CopyRequest& request, Diagnostic error);

/// Passes progress on to the observer.
CopyProgress progress_of(Observer& observer);

/// The order of a side, if it is one.
std::optional<DenseOrder> order_of(const std::optional<Given<NamedOrOrder>>& side);
/// The layout of a side, if it has one.
std::optional<NamedOrLayout> layout_of(const std::optional<Given<NamedOrOrder>>& side);

/// The axes, counted from 0.
std::vector<Index> axes_of(const PointList& axes, std::size_t rank);

}  // namespace tessera::verbs
