// SPDX-License-Identifier: Apache-2.0
/// \file
/// Reads meshes of named axes, in shardings and in replica groups.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "notation/sharding/named_mesh.h"
#include "tessera/base/result.h"
#include "text/scanner.h"

namespace tessera::detail {

/// A Scanner with meshes, their axes, and words.
class MeshScanner : public Scanner {
 public:
  using Scanner::Scanner;

  std::size_t position() const { return pos_; }

  /// `mesh['x'=2,'y'=4]` after the word `mesh`, and its `device_ids=([4,2]T(1,0))` after a comma, inside the
  /// brackets or after them. Quotes may be left out. Errors: syntax, number_range, duplicate_name,
  /// device_count, iota_perm, overflow, limit (a list of more than 2^17 devices).
  Result<NamedMesh> mesh();
  /// `{'x','y':(2)2}`, which are added to `used`. Errors: syntax, number_range, unknown_name, duplicate_name
  /// (a part overlaps one of `used`).
  Result<std::vector<SubAxis>> axes(const NamedMesh& mesh, std::vector<SubAxis>& used);

 protected:
  /// Letters, digits and `_`, not a digit first; takes nothing if there is no such word.
  std::string_view word();
  Result<std::vector<Index>> integers();
  Result<std::vector<Index>> bracketed(std::string_view open, std::string_view close);
  /// Takes a comma, or stops before the end of the list.
  Result<void> separator(char close);
  /// `'x'` or `'x':(2)2`, which is added to `used`. Errors: as `axes`.
  Result<SubAxis> axis(const NamedMesh& mesh, std::vector<SubAxis>& used);
  /// Skips a balanced `{...}`; strings in it may have any content. Errors: syntax (it is not closed).
  Result<void> skip_braces();

 private:
  Result<std::string> axis_name();
  Result<void> device_ids(NamedMesh& mesh);
};

/// The position after the string that begins at `begin`; the end of the text if it is not closed.
std::size_t string_end(std::string_view text, std::size_t begin);

/// The position after the braces that begin at `begin`, or npos if they are not closed. Braces in strings do
/// not count.
std::size_t braces_end(std::string_view text, std::size_t begin);

}  // namespace tessera::detail
