// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <iterator>
#include <ostream>

#include "tessera/notation/tensor_type.h"

namespace tessera {
namespace {

void append_number(std::string& out, Index value) {
  const fmt::format_int digits(value);
  out.append(digits.data(), digits.size());
}

void append_list(std::string& out, const std::vector<Index>& values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) out += ',';
    if (values[i] == kCombine) {
      out += '*';
    } else {
      append_number(out, values[i]);
    }
  }
}

void append_part(std::string& out, const char* name, Index value) {
  out += name;
  out += '(';
  append_number(out, value);
  out += ')';
}

void append_layout(std::string& out, const TiledLayout& layout) {
  out += '{';
  append_list(out, layout.minor_to_major);
  if (!layout.is_plain()) out += ':';
  if (!layout.tiles.empty()) out += 'T';
  for (const auto& tile : layout.tiles) {
    out += '(';
    append_list(out, tile);
    out += ')';
  }
  if (layout.tail_align != 1) append_part(out, "L", layout.tail_align);
  if (layout.element_bits != 0) append_part(out, "E", layout.element_bits);
  if (layout.memory_space != 0) append_part(out, "S", layout.memory_space);
  if (!layout.splits.empty()) out += "SC";
  for (const auto& split : layout.splits) {
    out += '(';
    append_number(out, split.dim);
    out += ':';
    append_list(out, split.points);
    out += ')';
  }
  if (layout.metadata_prefix_bytes != 0) append_part(out, "M", layout.metadata_prefix_bytes);
  out += '}';
}

void append_array(std::string& out, const TensorType& type, bool layouts) {
  out += to_string(type.dtype);
  out += '[';
  for (std::size_t i = 0; i < type.rank(); ++i) {
    if (i > 0) out += ',';
    if (type.dim_kind(i) == DimKind::unbounded) {
      out += '?';
      continue;
    }
    if (type.dim_kind(i) == DimKind::bounded) out += "<=";
    append_number(out, type.dims[i]);
  }
  out += ']';
  if (layouts && type.layout && (type.rank() > 0 || !type.layout->is_plain()))
    append_layout(out, *type.layout);
}

}  // namespace

void append(std::string& out, const HloType& type, bool layouts) {
  switch (type.kind()) {
    case HloType::Kind::array:
      return append_array(out, type.array(), layouts);
    case HloType::Kind::buffer:
      out += "b(";
      append(out, type.elements()[0], layouts);
      out += ')';
      return;
    case HloType::Kind::unreadable:
      out += "?";
      return;
    case HloType::Kind::tuple:
      out += '(';
      for (std::size_t i = 0; i < type.elements().size(); ++i) {
        if (i > 0) out += ", ";
        if (i > 0 && i % 5 == 0) fmt::format_to(std::back_inserter(out), "/*index={}*/", i);
        append(out, type.elements()[i], layouts);
      }
      out += ')';
  }
}

std::string to_string(const HloType& type) {
  std::string out;
  append(out, type);
  return out;
}

std::string to_string(const TensorType& type) {
  std::string out;
  append_array(out, type, true);
  return out;
}

std::string to_string(const TiledLayout& layout) {
  std::string out;
  append_layout(out, layout);
  return out;
}

std::ostream& operator<<(std::ostream& out, const HloType& type) { return out << to_string(type); }
std::ostream& operator<<(std::ostream& out, const TensorType& type) { return out << to_string(type); }

}  // namespace tessera
