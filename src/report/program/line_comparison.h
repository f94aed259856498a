// SPDX-License-Identifier: Apache-2.0
/// \file
/// The differences between two dumps, by line of code.
#pragma once

#include <string>
#include <vector>

#include "hlo/shares/code_shares.h"

namespace tessera::detail {

/// A line of both programs, or of only one.
struct ChangedLine {
  std::string before = {};  ///< `model.py:12`, with the path; empty: the line is new, or not known
  std::string after = {};
  std::string function = {};
  Index bytes_before = 0;  ///< that must move in all runs, at most
  Index bytes_after = 0;
  double seconds_before = 0;  ///< on the chip of the report; 0 without one
  double seconds_after = 0;
  bool exact = true;  ///< all bytes are

  Index difference() const { return bytes_after - bytes_before; }
};

/// Matches lines by file and number; then those that are left by file and function, in order of their
/// numbers, because an edit moves the lines after it. What has no line is a line without a name. Lines that
/// differ in bytes or time, by seconds, then bytes: worse ones first, then better ones.
std::vector<ChangedLine> compare_lines(const std::vector<const CodeShares*>& before,
                                       const std::vector<const CodeShares*>& after);

/// A table with a line for each change, the first 20; with times, if `timed`. Empty if nothing changed.
std::string to_text(const std::vector<ChangedLine>& lines, bool timed);

}  // namespace tessera::detail
