// SPDX-License-Identifier: Apache-2.0
// Reads JAX shardings: a mesh and a PartitionSpec.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>

#include "base/plural.h"
#include "base/try.h"
#include "reshard/distribution_scanner.h"
#include "reshard/distribution_traits.h"
#include "reshard/no_static_map.h"
#include "reshard/notations/jax/to_jax.h"
#include "reshard/notations/rank_array.h"
#include "reshard/place_mesh.h"

namespace tessera::detail {
namespace {

struct Spec {
  std::vector<std::vector<std::string>> entries;  // axis names of each dimension
  std::vector<Span> spans;
};

struct JaxMesh {
  PlaceMesh mesh;
  bool assumes_order = true;
};

// Reads `(Auto, Auto)`. A Manual axis has no static map.
Result<void> read_axis_types(DistributionScanner& in) {
  TESSERA_NEED(in.need("("));
  while (!in.accept(")")) {
    const std::size_t at = in.next();
    in.accept("AxisType.");
    TESSERA_TRY(type, in.name());
    if (type == "Manual") return no_static_map("manual", in.since(at));
    if (type != "Auto" && type != "Explicit") {
      return fail(Code::syntax, fmt::format("expected Auto, Explicit or Manual, found '{}'", type),
                  in.since(at));
    }
    in.accept(",");
  }
  return {};
}

// Reads `(3, 1, 2, 0)`, `[[3, 1], [2, 0]]` or `array([[3, 1], [2, 0]], dtype=int32)`.
Result<RankArray> read_device_array(DistributionScanner& in) {
  if (in.accept("(")) {
    TESSERA_TRY(list, in.integers_until(")"));
    return RankArray{{static_cast<Index>(list.size())}, std::move(list)};
  }
  const bool array = in.accept("array(");
  TESSERA_TRY(ranks, read_ranks(in));
  if (!array) return ranks;
  if (in.accept(",")) {
    if (!in.accept("dtype=")) return in.expected("dtype=");
    TESSERA_NEED(in.name());
  }
  TESSERA_NEED(in.need(")"));
  return ranks;
}

// The axes of `Mesh(device_ids=array([[3, 1], [2, 0]]), axis_names=('x', 'y'))`, whose sizes are the extents
// of the array.
Result<std::vector<MeshAxis>> named_extents(const RankArray& devices, const std::vector<std::string>& names,
                                            Span span) {
  if (names.size() != devices.shape.size()) {
    return fail(Code::value_count,
                fmt::format("the list has {}, but the array of devices has {}", plural(names.size(), "name"),
                            plural(devices.shape.size(), "dimension")),
                span);
  }
  std::vector<MeshAxis> axes;
  for (std::size_t a = 0; a < names.size(); ++a) axes.push_back({names[a], devices.shape[a]});
  return axes;
}

// Reads `Mesh('x': 4, 'y': 2, axis_types=(Auto, Auto))`, also with `device_ids=`.
Result<JaxMesh> read_jax_mesh(DistributionScanner& in) {
  const std::size_t begin = in.next();
  TESSERA_NEED(in.need("Mesh("));
  std::vector<MeshAxis> axes;
  std::optional<RankArray> devices;
  std::optional<std::vector<std::string>> names;
  Span listed;
  bool comma = true;
  while (!in.accept(")")) {
    if (!comma) return in.expected("',' or ')'");
    const std::size_t at = in.next();
    if (in.accept("axis_types=")) {
      TESSERA_NEED(read_axis_types(in));
    } else if (in.accept("device_ids=")) {
      TESSERA_TRY(array, read_device_array(in));
      devices = std::move(array);
      listed = in.since(at);
    } else if (in.accept("axis_names=")) {
      TESSERA_NEED(in.need("("));
      TESSERA_TRY(list, in.quoted_until(")"));
      names = std::move(list);
    } else {
      TESSERA_TRY(name, in.quoted());
      TESSERA_NEED(in.need(":"));
      TESSERA_TRY(size, in.at_least(1, "the size of an axis"));
      axes.push_back({std::move(name), size});
    }
    comma = in.accept(",");
  }
  if (names) {
    if (!devices || !axes.empty()) {
      return fail(Code::syntax, "axis_names= names the dimensions of device_ids=, which must be an array",
                  in.since(begin),
                  "write Mesh('x': 2, 'y': 2) or Mesh(device_ids=[[0, 1], [2, 3]], axis_names=('x', 'y'))");
    }
    TESSERA_TRY(named, named_extents(*devices, *names, in.since(begin)));
    axes = std::move(named);
  }
  TESSERA_TRY(mesh, make_mesh(std::move(axes), in.since(begin)));
  if (devices) TESSERA_NEED(place_mesh(mesh, std::move(devices->ranks), listed));
  return JaxMesh{std::move(mesh), !devices};
}

Result<std::vector<std::string>> read_entry(DistributionScanner& in) {
  std::vector<std::string> names;
  const std::size_t begin = in.next();
  if (in.accept_word("None")) return names;
  if (in.accept_word("UNCONSTRAINED") || in.accept("PartitionSpec.UNCONSTRAINED") ||
      in.accept("P.UNCONSTRAINED")) {
    return no_static_map("unconstrained", in.since(begin));
  }
  if (!in.accept("(")) {
    if (in.here() != '\'' && in.here() != '"')
      return in.expected("None, a quoted axis name or a tuple of them");
    TESSERA_TRY(name, in.quoted());
    names.push_back(std::move(name));
    return names;
  }
  return in.quoted_until(")");
}

Result<Spec> read_spec(DistributionScanner& in) {
  if (!in.accept("PartitionSpec(") && !in.accept("P(")) return in.expected("'P(' or 'PartitionSpec('");
  Spec spec;
  bool comma = true;
  while (!in.accept(")")) {
    if (!comma && in.rest().substr(0, 7) != "reduced") return in.expected("',' or ')'");
    const std::size_t begin = in.next();
    const bool unreduced = in.accept("unreduced=");
    if (unreduced || in.accept("reduced=")) {
      in.accept("frozenset(");
      TESSERA_NEED(in.need("{"));
      bool any = false;
      while (!in.accept("}")) {
        TESSERA_TRY(name, in.quoted());
        any = any || !name.empty();
        in.accept(",");
      }
      if (unreduced && any) return no_static_map("unreduced", in.since(begin));
    } else {
      TESSERA_TRY(entry, read_entry(in));
      spec.entries.push_back(std::move(entry));
      spec.spans.push_back(in.since(begin));
    }
    comma = in.accept(",");
  }
  return spec;
}

std::string quoted_list(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += fmt::format("{}'{}'", text.empty() ? "" : ", ", name);
  return text;
}

std::string text_of(const PlaceMesh& mesh, const Spec& spec) {
  std::string axes;
  for (const MeshAxis& axis : mesh.axes) {
    axes += fmt::format("{}'{}': {}", axes.empty() ? "" : ", ", axis.name, axis.size);
  }
  std::vector<std::string> entries;
  for (const auto& names : spec.entries) {
    entries.push_back(names.empty()       ? "None"
                      : names.size() == 1 ? quoted_list(names)
                                          : fmt::format("({})", quoted_list(names)));
  }
  return fmt::format("NamedSharding(mesh=Mesh({}), spec=P({}{}){})", axes, fmt::join(entries, ", "),
                     entries.size() == 1 ? "," : "",
                     is_row_major(mesh)
                         ? ""
                         : fmt::format(", logical_device_ids=({}{})", fmt::join(mesh.places, ", "),
                                       mesh.places.size() == 1 ? "," : ""));
}

Result<Distribution> read_jax(DistributionScanner& in) {
  const std::size_t begin = in.next();
  PlaceMesh mesh;
  bool assumes_order = true;
  Spec spec;
  if (in.accept("NamedSharding(")) {
    TESSERA_NEED(in.need("mesh="));
    TESSERA_TRY(read, read_jax_mesh(in));
    mesh = std::move(read.mesh);
    assumes_order = read.assumes_order;
    TESSERA_NEED(in.need(","));
    TESSERA_NEED(in.need("spec="));
    TESSERA_TRY(entries, read_spec(in));
    spec = std::move(entries);
    while (!in.accept(")")) {
      TESSERA_NEED(in.need(","));
      if (in.accept(")")) break;
      const std::size_t at = in.next();
      if (in.accept("memory_kind=")) {
        if (in.here() == '\'' || in.here() == '"') {
          TESSERA_NEED(in.quoted());
        } else {
          TESSERA_NEED(in.name());
        }
      } else if (in.accept("logical_device_ids=")) {
        TESSERA_NEED(in.need("("));
        TESSERA_TRY(ids, in.integers_until(")"));
        TESSERA_NEED(place_mesh(mesh, std::move(ids), in.since(at)));
        assumes_order = false;
      } else {
        return in.expected("memory_kind= or logical_device_ids=");
      }
    }
  } else if (in.rest().starts_with("P(") || in.rest().starts_with("PartitionSpec(")) {
    return fail(Code::missing_attribute, "a PartitionSpec without its mesh does not name any places",
                DistributionScanner::span(begin, in.text().size()),
                "write the mesh before it: Mesh('x': 4) P('x')");
  } else {
    if (!in.rest().starts_with("Mesh(")) return in.expected("'NamedSharding(' or 'Mesh('");
    TESSERA_TRY(read, read_jax_mesh(in));
    mesh = std::move(read.mesh);
    assumes_order = read.assumes_order;
    TESSERA_TRY(entries, read_spec(in));
    spec = std::move(entries);
  }
  Distribution out;
  out.notation = DistributionNotation::jax;
  out.least_rank = spec.entries.size();
  out.assumes_order = assumes_order;
  std::vector<bool> used(mesh.axes.size(), false);
  for (std::size_t d = 0; d < spec.entries.size(); ++d) {
    if (spec.entries[d].empty()) continue;
    DimCut cut;
    cut.dim = static_cast<Index>(d);
    cut.span = spec.spans[d];
    for (const std::string& name : spec.entries[d]) {
      TESSERA_TRY(axis, find_axis(mesh, name, spec.spans[d]));
      if (used[axis]) {
        return fail(Code::duplicate_name, fmt::format("axis '{}' is used twice", name), spec.spans[d]);
      }
      used[axis] = true;
      cut.axes.push_back(axis);
    }
    out.cuts.push_back(std::move(cut));
  }
  out.body = text_of(mesh, spec);
  out.mesh = std::move(mesh);
  return out;
}

bool claim_jax(std::string_view text) {
  return text.starts_with("NamedSharding(") || text.starts_with("Mesh(") || text.starts_with("P(") ||
         text.starts_with("PartitionSpec(");
}

}  // namespace

const DistributionTraits& jax_distribution() {
  static constexpr DistributionTraits traits = {
      .example = "Mesh('x': 4) P('x')",
      .claim = claim_jax,
      .read = read_jax,
      .write = to_jax,
      .omits = "Mesh does not list its devices",
      .listing = "Mesh(..., device_ids=[...])",
  };
  return traits;
}

}  // namespace tessera::detail
