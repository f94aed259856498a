// SPDX-License-Identifier: Apache-2.0
// Reads Shardy's shardings: `#sdy.sharding<mesh<["x"=4, "y"=2]>, [{"x"}, {"y":(1)2}]>`.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "base/try.h"
#include "reshard/distribution_scanner.h"
#include "reshard/distribution_traits.h"
#include "reshard/no_static_map.h"
#include "reshard/notations/sdy/to_sdy.h"
#include "reshard/place_mesh.h"

namespace tessera::detail {
namespace {

// A mesh axis, or the `size` positions of it that follow `pre` outer ones: `"x":(2)4`.
struct AxisRef {
  std::size_t axis = 0;
  Index pre = 1;
  Index size = 1;
  Span span = {};
  bool overlaps(const AxisRef& other) const {
    return axis == other.axis && pre < other.pre * other.size && other.pre < pre * size;
  }
};

struct SdyMesh {
  PlaceMesh mesh;
  bool lists_devices = false;
};

// Reads `<["x"=4, "y"=2], device_ids=[1, 0, ...]>`.
Result<SdyMesh> read_mesh_body(DistributionScanner& in) {
  const std::size_t begin = in.next();
  TESSERA_NEED(in.need("<"));
  TESSERA_NEED(in.need("["));
  std::vector<MeshAxis> axes;
  while (!in.accept("]")) {
    if (!axes.empty()) TESSERA_NEED(in.need(","));
    TESSERA_TRY(name, in.quoted());
    TESSERA_NEED(in.need("="));
    TESSERA_TRY(size, in.at_least(1, "the size of an axis"));
    axes.push_back({std::move(name), size});
  }
  TESSERA_TRY(mesh, make_mesh(std::move(axes), in.since(begin)));
  SdyMesh out{std::move(mesh), false};
  if (in.accept(",")) {
    const std::size_t at = in.next();
    TESSERA_NEED(in.need("device_ids"));
    TESSERA_NEED(in.need("="));
    TESSERA_NEED(in.need("["));
    TESSERA_TRY(ids, in.integers_until("]"));
    TESSERA_NEED(place_mesh(out.mesh, std::move(ids), in.since(at)));
    out.lists_devices = true;
  }
  TESSERA_NEED(in.need(">"));
  return out;
}

// Reads the `@name` of a mesh.
Result<std::string> read_symbol(DistributionScanner& in) {
  TESSERA_NEED(in.need("@"));
  if (in.here() == '"') return in.quoted();
  return in.name();
}

// Reads `"x"` or `"x":(pre)size`.
Result<AxisRef> read_axis(DistributionScanner& in, const PlaceMesh& mesh) {
  const std::size_t begin = in.next();
  TESSERA_TRY(name, in.quoted());
  TESSERA_TRY(axis, find_axis(mesh, name, in.since(begin)));
  AxisRef out{axis, 1, mesh.axes[axis].size, {}};
  if (in.accept(":")) {
    TESSERA_NEED(in.need("("));
    TESSERA_TRY(pre, in.at_least(1, "the size before a sub-axis"));
    TESSERA_NEED(in.need(")"));
    TESSERA_TRY(size, in.at_least(1, "the size of a sub-axis"));
    const auto used = checked_mul(pre, size);
    if (!used || out.size % *used != 0) {
      return fail(Code::number_range,
                  fmt::format("({}){} does not divide the size of axis '{}', {}", pre, size, name, out.size),
                  in.since(begin), "(pre)size are the `size` positions of the axis after `pre` outer ones");
    }
    out.pre = pre;
    out.size = size;
  }
  out.span = in.since(begin);
  return out;
}

// Reads `"x", "y":(1)2}`. Errors: duplicate_name (an axis, or a part of one, that `used` has already).
Result<std::vector<AxisRef>> read_axes(DistributionScanner& in, const PlaceMesh& mesh,
                                       std::vector<AxisRef>& used) {
  std::vector<AxisRef> out;
  while (!in.accept("}")) {
    if (in.accept("?")) {  // the compiler may cut the dimension further, which changes nothing here
      TESSERA_NEED(in.need("}"));
      break;
    }
    TESSERA_TRY(axis, read_axis(in, mesh));
    if (std::ranges::any_of(used, [&](const AxisRef& other) { return axis.overlaps(other); })) {
      return fail(Code::duplicate_name, fmt::format("axis '{}' is used twice", mesh.axes[axis.axis].name),
                  axis.span, "each position of an axis can cut one dimension");
    }
    used.push_back(axis);
    out.push_back(axis);
    if (!in.accept(",") && in.here() != '}') return in.expected("',' or '}'");
  }
  return out;
}

// The mesh whose axes are the factors between the ends of all references, and for each reference the numbers
// of its factors.
struct SplitMesh {
  PlaceMesh mesh;
  std::vector<std::vector<std::size_t>> of_axis;  // numbers of the factors of each axis
  std::vector<std::vector<Index>> pre;            // positions outside each factor
};

Result<SplitMesh> split_mesh(const PlaceMesh& mesh, const std::vector<AxisRef>& refs) {
  SplitMesh out;
  out.mesh.places = mesh.places;
  for (std::size_t a = 0; a < mesh.axes.size(); ++a) {
    std::vector<Index> ends = {1, mesh.axes[a].size};
    Span span;
    for (const AxisRef& ref : refs) {
      if (ref.axis != a) continue;
      ends.insert(ends.end(), {ref.pre, ref.pre * ref.size});
      span = ref.span;
    }
    std::ranges::sort(ends);
    ends.erase(std::ranges::unique(ends).begin(), ends.end());
    if (ends.size() == 1) ends.push_back(ends[0]);
    out.of_axis.emplace_back();
    out.pre.emplace_back();
    for (std::size_t k = 0; k + 1 < ends.size(); ++k) {
      if (ends[k + 1] % ends[k] != 0) {
        return fail(Code::number_range,
                    fmt::format("the sub-axes of axis '{}' do not fit into one factorization of {}",
                                mesh.axes[a].name, mesh.axes[a].size),
                    span);
      }
      const Index size = ends[k + 1] / ends[k];
      out.of_axis[a].push_back(out.mesh.axes.size());
      out.pre[a].push_back(ends[k]);
      out.mesh.axes.push_back(
          {ends.size() == 2 ? mesh.axes[a].name : fmt::format("{}:({}){}", mesh.axes[a].name, ends[k], size),
           size});
    }
  }
  return out;
}

std::string axes_text(const PlaceMesh& mesh, const std::vector<AxisRef>& axes) {
  std::vector<std::string> texts;
  for (const AxisRef& ref : axes) {
    const MeshAxis& axis = mesh.axes[ref.axis];
    texts.push_back(ref.size == axis.size ? fmt::format("\"{}\"", axis.name)
                                          : fmt::format("\"{}\":({}){}", axis.name, ref.pre, ref.size));
  }
  return fmt::format("{{{}}}", fmt::join(texts, ", "));
}

// The canonical text. A mesh without axes means any mesh, unless it lists its device.
std::string text_of(const SdyMesh& sdy, const std::vector<std::vector<AxisRef>>& dims) {
  const PlaceMesh& mesh = sdy.mesh;
  const bool lists = !is_row_major(mesh) || (mesh.axes.empty() && sdy.lists_devices);
  std::vector<std::string> axes;
  for (const MeshAxis& axis : mesh.axes) axes.push_back(fmt::format("\"{}\"={}", axis.name, axis.size));
  std::vector<std::string> entries;
  for (const auto& dim : dims) entries.push_back(axes_text(mesh, dim));
  return fmt::format("#sdy.sharding<mesh<[{}]{}>, [{}]>", fmt::join(axes, ", "),
                     !lists ? "" : fmt::format(", device_ids=[{}]", fmt::join(mesh.places, ", ")),
                     fmt::join(entries, ", "));
}

// Reads the mesh of a sharding, `mesh<...>` or the name of the mesh that was read before.
Result<SdyMesh> read_mesh_of(DistributionScanner& in, const std::optional<SdyMesh>& named,
                             const std::string& name) {
  if (in.accept("mesh")) return read_mesh_body(in);
  const std::size_t begin = in.next();
  if (in.here() != '@') return in.expected("'mesh<' or '@' and the name of a mesh");
  TESSERA_TRY(symbol, read_symbol(in));
  if (named && symbol == name) return *named;
  return fail(
      Code::missing_attribute, fmt::format("the text does not say what the mesh @{} is", symbol),
      in.since(begin),
      fmt::format("write the mesh before it: sdy.mesh @{0} = <[\"x\"=4]> #sdy.sharding<@{0}, ...>, or in "
                  "its place: mesh<[\"x\"=4]>",
                  symbol));
}

Result<Distribution> read_sdy(DistributionScanner& in) {
  std::optional<SdyMesh> named;
  std::string name;
  if (in.accept("sdy.mesh")) {
    TESSERA_TRY(symbol, read_symbol(in));
    name = std::move(symbol);
    TESSERA_NEED(in.need("="));
    TESSERA_TRY(read, read_mesh_body(in));
    named = std::move(read);
  }
  const std::size_t begin = in.next();
  if (!in.accept("#sdy.sharding<")) return in.expected("'#sdy.sharding<'");
  TESSERA_TRY(read, read_mesh_of(in, named, name));
  const PlaceMesh& mesh = read.mesh;
  TESSERA_NEED(in.need(","));
  TESSERA_NEED(in.need("["));
  std::vector<AxisRef> used;
  std::vector<std::vector<AxisRef>> dims;
  while (!in.accept("]")) {
    if (!dims.empty()) TESSERA_NEED(in.need(","));
    TESSERA_NEED(in.need("{"));
    TESSERA_TRY(axes, read_axes(in, mesh, used));
    dims.push_back(std::move(axes));
    if (in.here() == 'p') {  // a priority for the compiler
      in.accept("p");
      TESSERA_NEED(in.at_least(0, "a priority"));
    }
  }
  while (!in.accept(">")) {
    TESSERA_NEED(in.need(","));
    const std::size_t at = in.next();
    const bool unreduced = in.accept("unreduced");
    if (!unreduced && !in.accept("replicated")) return in.expected("replicated or unreduced");
    TESSERA_NEED(in.need("="));
    TESSERA_NEED(in.need("{"));
    TESSERA_TRY(axes, read_axes(in, mesh, used));
    if (unreduced && !axes.empty()) return no_static_map("unreduced", in.since(at));
  }
  Distribution out;
  out.notation = DistributionNotation::sdy;
  out.rank = dims.size();
  out.body = text_of(read, dims);
  // A mesh without axes means any mesh, so every place holds the array; with `device_ids`, it is one
  // device.
  if (mesh.axes.empty() && !read.lists_devices) {
    out.everywhere = true;
    return out;
  }
  TESSERA_TRY(split, split_mesh(mesh, used));
  for (std::size_t d = 0; d < dims.size(); ++d) {
    DimCut cut;
    cut.dim = static_cast<Index>(d);
    cut.span = in.since(begin);
    for (const AxisRef& ref : dims[d]) {
      for (std::size_t k = 0; k < split.pre[ref.axis].size(); ++k) {
        const Index pre = split.pre[ref.axis][k];
        if (pre >= ref.pre && pre < ref.pre * ref.size) cut.axes.push_back(split.of_axis[ref.axis][k]);
      }
    }
    if (!cut.axes.empty()) out.cuts.push_back(std::move(cut));
  }
  out.mesh = std::move(split.mesh);
  return out;
}

bool claim_sdy(std::string_view text) {
  return text.starts_with("#sdy.sharding<") || text.starts_with("sdy.mesh");
}

}  // namespace

const DistributionTraits& sdy_distribution() {
  static constexpr DistributionTraits traits = {
      .example = "#sdy.sharding<mesh<[\"x\"=4]>, [{\"x\"}]>",
      .claim = claim_sdy,
      .read = read_sdy,
      .write = to_sdy,
  };
  return traits;
}

}  // namespace tessera::detail
