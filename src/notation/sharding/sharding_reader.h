// SPDX-License-Identifier: Apache-2.0
/// \file
/// Reads the shardings of programs and of distributions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "notation/sharding/mesh_scanner.h"
#include "notation/sharding/mesh_sharding.h"
#include "tessera/notation/sharding.h"

namespace tessera::detail {

/// Reads a text without comments (`without_comments`).
class ShardingReader : public MeshScanner {
 public:
  using MeshScanner::MeshScanner;

  /// A sharding in braces. Errors: those of parse_sharding.
  Result<Sharding> one();
  /// A sharding, or several in the braces of a tuple.
  Result<std::vector<Sharding>> several();

  /// Whether `several` read the braces of a tuple.
  bool is_tuple() const { return tuple_; }
  /// The places of the shardings that `several` read.
  const std::vector<Span>& spans() const { return spans_; }
  /// After an error that may be no mistake but a form newer than this reader: the text at which it ends. A
  /// word that the reader does not know, or any other text than it expects after `mesh`.
  const std::optional<std::string>& newer() const { return newer_; }
  /// The mesh of the last sharding in the form over a mesh. `{mesh['x'=2], replicated}` becomes a sharding
  /// that does not say which devices there are; the mesh does.
  const std::optional<NamedMesh>& over() const { return over_; }

 private:
  // The words of a sharding, read in any order.
  struct Parts {
    std::optional<Sharding> sharding;
    std::vector<Index> assignment;
    std::vector<Index> list;
    std::optional<IotaDevices> iota;
    std::vector<SubgroupKind> subgroups;
    std::string extra;
  };

  /// Fails at a word that is none of those that `what` names.
  Failure unknown(std::string_view word, std::string_view what);
  Result<void> part(Parts& parts);
  Result<void> kind(Parts& parts, Sharding sharding, std::size_t begin);
  Result<void> tiles(Parts& parts);
  Result<Index> numbered_device();
  Result<std::vector<SubgroupKind>> subgroup_kinds();
  Result<Sharding> over_mesh(std::string& extra);
  Result<std::vector<std::vector<SubAxis>>> dimensions(const NamedMesh& mesh, std::vector<SubAxis>& used);
  Result<MeshSubgroup> mesh_subgroup(const NamedMesh& mesh, std::vector<SubAxis>& used);
  Result<void> keep(std::string& extra, std::string_view word);

  bool tuple_ = false;
  std::vector<Span> spans_;
  std::optional<std::string> newer_;
  std::optional<NamedMesh> over_;
};

/// The names of the subgroup kinds in texts, by number.
inline constexpr std::string_view kSubgroupNames[] = {"replicated", "manual", "maximal", "unreduced"};

}  // namespace tessera::detail
