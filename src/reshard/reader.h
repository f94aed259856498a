// SPDX-License-Identifier: Apache-2.0
/// \file
/// Functions that the readers of all notations of distributions share.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/try.h"
#include "tessera/base/index.h"
#include "tessera/base/result.h"
#include "tessera/reshard/distribution.h"
#include "text/character_class.h"
#include "text/scanner.h"

namespace tessera::detail {

/// A Scanner with lists, names and quoted names.
class DistributionScanner : public Scanner {
 public:
  using Scanner::accept;
  using Scanner::expected;
  using Scanner::here;
  using Scanner::integer;
  using Scanner::next;
  using Scanner::Scanner;
  using Scanner::span;

  std::size_t position() const { return pos_; }
  void move_to(std::size_t position) { pos_ = position; }
  std::string_view text() const { return text_; }
  std::string_view rest() { return text_.substr(next()); }
  Span since(std::size_t begin) const { return span(begin, pos_); }

  /// Takes a word, unless it is the beginning of a longer word.
  bool accept_word(std::string_view word);
  /// Takes `symbol` or fails: "expected 'symbol'".
  Result<void> need(std::string_view symbol);
  /// letter or `_`, then letters, digits and `_`.
  Result<std::string> name();
  /// `'x'` or `"x"`.
  Result<std::string> quoted();
  /// `[-] digits`
  Result<Index> signed_integer();
  /// A number of at least `least`. Errors: syntax, number_range; `what` names the number.
  Result<Index> at_least(Index least, std::string_view what);
  /// Reads numbers between commas up to and including `close`. A comma before `close` is allowed. Without
  /// numbers, the list is empty.
  Result<std::vector<Index>> integers_until(std::string_view close);
};

/// A mesh whose places are in row-major order. Errors: duplicate_name, limit.
Result<PlaceMesh> make_mesh(std::vector<MeshAxis> axes, Span span);
/// Replaces the places of a mesh. Errors: device_count (a wrong number of places, or a repeated place).
Result<void> place_mesh(PlaceMesh& mesh, std::vector<Index> places, Span span);
/// The size of a mesh.
Index mesh_size(const PlaceMesh& mesh);
bool is_row_major(const PlaceMesh& mesh);
/// The axis with this name. Errors: unknown_name.
Result<std::size_t> find_axis(const PlaceMesh& mesh, std::string_view name, Span span);
/// The place numbers of an iota. Errors: device_count, iota_perm, limit.
Result<std::vector<Index>> iota_places(std::vector<Index> reshape, std::vector<Index> transpose, Span span);
/// `[2,2]T(1,0)`, or numbers between commas; both end before `)`.
Result<std::vector<Index>> read_device_ids(DistributionScanner& in);
/// `[2,2]T(1,0)` if some iota gives the places, otherwise the numbers between commas.
std::string device_ids_text(const std::vector<Index>& places);

/// The error no_static_map with this reason, and help that says what to do first.
Failure no_static_map(std::string_view reason, Span span);

/// \name Readers of one notation, without prefix, `local` and `on`
/// @{
Result<Distribution> read_xla(DistributionScanner& in);
Result<Distribution> read_jax(DistributionScanner& in);
Result<Distribution> read_torch(DistributionScanner& in);
Result<Distribution> read_scalapack(DistributionScanner& in);
Result<Distribution> read_mesh(DistributionScanner& in);
Result<Distribution> read_sdy(DistributionScanner& in);
/// An Axe layout, as distribution_of reads it, for arrays of its shape alone.
Result<Distribution> read_axe(DistributionScanner& in);
/// @}

/// The canonical text of a distribution in mesh notation, for arrays of this rank.
std::string mesh_text(const PlaceMesh& mesh, const std::vector<DimCut>& cuts, std::size_t rank);

Result<LocalLayout> read_local(DistributionScanner& in);
std::string local_text(const LocalLayout& local);

}  // namespace tessera::detail
