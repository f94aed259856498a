// SPDX-License-Identifier: Apache-2.0
// Groups of replicas in their three spellings: lists, [groups,size]<=[...] and mesh[...].
#include "hlo/syntax/replica_groups.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <unordered_set>
#include <vector>

#include "base/plural.h"
#include "hlo/limits.h"
#include "hlo/syntax/attribute_reader.h"
#include "hlo/syntax/attributes.h"
#include "hlo/syntax/lexer.h"
#include "notation/sharding/iota.h"
#include "notation/sharding/named_mesh.h"

namespace tessera {
namespace {

using detail::HloLexer;
using detail::read_index_list;
using detail::read_list;
using detail::read_value;

constexpr const char* kEachOnce = "list each dimension once: T(1,0)";

// Reads one replica, which must not occur in another group.
bool read_replica(HloLexer& lexer, std::unordered_set<Index>& seen, Index& replica) {
  if (!lexer.skip()) return false;
  const std::size_t at = lexer.position();
  if (!lexer.integer(replica, "a replica")) return false;
  if (replica < 0)
    return lexer.fail_at(at, Code::bad_attribute, fmt::format("replica numbers start at 0, not {}", replica));
  if (seen.insert(replica).second) return true;
  return lexer.fail_at(at, Code::bad_attribute, fmt::format("replica {} occurs twice", replica));
}

// Lists the row-major numbers 0, 1, ... over `shape`, transposed by `perm` unless it is empty.
bool iota_devices(HloLexer& lexer, std::size_t at, const std::vector<Index>& shape,
                  const std::vector<Index>& perm, std::vector<Index>& devices) {
  Index count = 1;
  for (const Index extent : shape) {
    if (extent < 1) return lexer.fail_at(at, Code::syntax, fmt::format("extent {} is not positive", extent));
    if (mul_overflows(count, extent, count) || count > detail::kHloLimits.syntax.devices) {
      return lexer.fail_at(
          at, Code::limit,
          fmt::format("the groups have more than {} replicas", detail::kHloLimits.syntax.devices));
    }
  }
  std::vector<bool> seen(shape.size());
  for (const Index p : perm) {
    if (p < 0 || p >= static_cast<Index>(shape.size()) || seen[static_cast<std::size_t>(p)]) {
      return lexer.fail_at(
          at, Code::bad_permutation,
          fmt::format("T(...) is not a permutation of {}", detail::plural(shape.size(), "dimension")), 1,
          kEachOnce);
    }
    seen[static_cast<std::size_t>(p)] = true;
  }
  devices =
      perm.empty() ? detail::with_digit(std::vector<Index>{0}, count, 1) : detail::devices_of({shape, perm});
  return true;
}

bool read_reshape_and_transpose(HloLexer& lexer, std::vector<Index>& shape, std::vector<Index>& perm) {
  if (!read_index_list(lexer, shape, '[', ']')) return false;
  if (!lexer.accept("T")) return true;
  const std::size_t at = lexer.position();
  if (!read_index_list(lexer, perm, '(', ')')) return false;
  return perm.size() == shape.size() ||
         lexer.fail_at(at, Code::bad_permutation,
                       fmt::format("T(...) has {}, but there are {}", detail::plural(perm.size(), "entry"),
                                   detail::plural(shape.size(), "dimension")),
                       1, kEachOnce);
}

// [groups,size]<=[4,2]T(1,0)
bool read_iota_groups(HloLexer& lexer, ReplicaGroups& out) {
  const std::size_t at = lexer.position();
  std::vector<Index> groups;
  std::vector<Index> shape;
  std::vector<Index> perm;
  if (!read_index_list(lexer, groups, '[', ']')) return false;
  if (groups.size() != 2) return lexer.fail_at(at, Code::syntax, "expected two numbers, [groups,size]");
  if (!lexer.accept("<=")) return lexer.expected("'<='");
  const std::size_t shape_at = lexer.position();
  std::vector<Index> devices;
  if (!read_reshape_and_transpose(lexer, shape, perm) ||
      !iota_devices(lexer, shape_at, shape, perm, devices)) {
    return false;
  }
  Index count = 0;
  if (groups[0] < 1 || groups[1] < 1 || mul_overflows(groups[0], groups[1], count) ||
      count != static_cast<Index>(devices.size())) {
    return lexer.fail_at(at, Code::shape_mismatch,
                         fmt::format("[{},{}] does not match {}", groups[0], groups[1],
                                     detail::plural(devices.size(), "replica")));
  }
  const auto size = static_cast<std::ptrdiff_t>(groups[1]);
  for (auto from = devices.begin(); from != devices.end(); from += size)
    out.groups.emplace_back(from, from + size);
  return true;
}

// mesh['a'=2,'b'=4] {'b'}: the groups vary over the named axes and are listed over the others. A sub-axis
// 'b':(pre)size is one digit of its axis.
bool read_mesh_groups(HloLexer& lexer, ReplicaGroups& out) {
  struct MeshDigit {
    std::size_t axis = 0;
    Index size = 1;
    Index stride = 1;  // in devices
  };
  const std::size_t at = lexer.position();
  const auto read = detail::read_mesh_axes(detail::without_comments(lexer.rest()));
  if (!read) {
    const Span span = read.error().span;
    return lexer.fail_at(at + span.begin, read.error().code, read.error().message, span.end - span.begin);
  }
  lexer.seek(at + read->end);
  const detail::NamedMesh& mesh = read->mesh;
  std::vector<Index> devices;
  if (!iota_devices(lexer, at, mesh.sizes, {}, devices)) return false;
  if (!mesh.device_ids.empty()) devices = mesh.device_ids;
  std::vector<MeshDigit> others;  // digits that do not vary inside a group, major first
  for (std::size_t a = 0; a < mesh.sizes.size(); ++a) others.push_back({a, mesh.sizes[a], 1});
  for (std::size_t a = others.size(); a-- > 1;) others[a - 1].stride = others[a].stride * others[a].size;
  const std::vector<MeshDigit> axes = others;
  std::vector<MeshDigit> members;  // digits that vary inside a group, major first
  for (const detail::SubAxis& part : read->axes) {
    const MeshDigit& axis = axes[part.axis];
    const MeshDigit digit{part.axis, part.size, axis.stride * (axis.size / (part.pre * part.size))};
    // The other digits of the axis, above and below the named one, do not vary inside the group.
    const auto inside = std::ranges::find_if(others, [&](const MeshDigit& d) {
      return d.axis == digit.axis && d.stride <= digit.stride &&
             digit.stride * digit.size <= d.stride * d.size && digit.stride % d.stride == 0 &&
             (d.stride * d.size) % (digit.stride * digit.size) == 0;
    });
    if (inside == others.end()) {
      return lexer.fail_at(
          at, Code::syntax,
          fmt::format("the sub-axes of axis '{}' do not fit into one factorization of the axis",
                      mesh.axes[part.axis]));
    }
    const MeshDigit rest = *inside;
    const auto place = others.erase(inside);
    const MeshDigit low{digit.axis, digit.stride / rest.stride, rest.stride};
    const MeshDigit high{digit.axis, rest.stride * rest.size / (digit.stride * digit.size),
                         digit.stride * digit.size};
    others.insert(place, {high, low});
    members.push_back(digit);
  }
  const auto offsets = [](const std::vector<MeshDigit>& digits) {
    std::vector<Index> all{0};
    for (const MeshDigit& digit : digits) all = detail::with_digit(all, digit.size, digit.stride);
    return all;
  };
  const std::vector<Index> inner = offsets(members);
  for (const Index base : offsets(others)) {
    auto& group = out.groups.emplace_back();
    for (const Index offset : inner) group.push_back(devices[static_cast<std::size_t>(base + offset)]);
  }
  return true;
}

}  // namespace

std::optional<Index> ReplicaGroups::group_size() const {
  if (all || groups.empty()) return std::nullopt;
  for (const auto& group : groups) {
    if (group.size() != groups[0].size()) return std::nullopt;
  }
  return static_cast<Index>(groups[0].size());
}

Result<ReplicaGroups> read_replica_groups(const Attribute& attribute) {
  const char* const form = attribute.value.starts_with('[') ? "[2,2]<=[4]: 2 groups of 2 hold replicas 0 to 3"
                           : attribute.value.starts_with("mesh") ? "mesh['a'=2,'b'=2] {'a'}"
                                                                 : "{{0,1},{2,3}}";
  return read_value<ReplicaGroups>(attribute, form, [](HloLexer& lexer, ReplicaGroups& out) {
    if (!lexer.skip()) return false;
    if (lexer.peek() == '[') return read_iota_groups(lexer, out);
    if (lexer.rest().starts_with("mesh")) return read_mesh_groups(lexer, out);
    std::unordered_set<Index> seen;
    const auto read_group = [&] {
      std::vector<Index>& group = out.groups.emplace_back();
      return read_list(lexer, '{', '}', [&] { return read_replica(lexer, seen, group.emplace_back()); });
    };
    if (!read_list(lexer, '{', '}', read_group)) return false;
    out.all = out.groups.empty() || (out.groups.size() == 1 && out.groups[0].empty());
    if (out.all) out.groups.clear();
    return true;
  });
}

}  // namespace tessera
