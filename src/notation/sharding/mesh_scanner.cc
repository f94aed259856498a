// SPDX-License-Identifier: Apache-2.0
#include "notation/sharding/mesh_scanner.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/try.h"
#include "notation/limits.h"
#include "notation/sharding/iota.h"
#include "tessera/notation/sharding.h"

namespace tessera::detail {
namespace {

// The number of positions of a mesh; empty if it is not positive or does not fit in 64 bits.
std::optional<Index> positions(const NamedMesh& mesh) {
  Index total = 1;
  for (const Index size : mesh.sizes) {
    if (size < 1 || mul_overflows(total, size, total)) return std::nullopt;
  }
  return total;
}

Failure no_positions(Span span) {
  return fail(Code::overflow, "the number of devices must be positive and fit in 64 bits", span);
}

// Whether two parts have positions of the same axis in common.
bool overlap(const SubAxis& a, const SubAxis& b) {
  return a.axis == b.axis && a.pre < b.pre * b.size && b.pre < a.pre * a.size;
}

}  // namespace

std::string_view MeshScanner::word() {
  const std::size_t begin = next();
  if (is_digit(here())) return {};
  while (is_word(here())) ++pos_;
  return text_.substr(begin, pos_ - begin);
}

Result<std::vector<Index>> MeshScanner::integers() {
  std::vector<Index> values;
  do {
    TESSERA_TRY(value, integer());
    values.push_back(value);
    // The comma may belong to what follows the list.
    const std::size_t comma = next();
    if (!accept(",")) break;
    if (next(); !is_digit(here())) {
      pos_ = comma;
      break;
    }
  } while (true);
  return values;
}

Result<std::vector<Index>> MeshScanner::bracketed(std::string_view open, std::string_view close) {
  if (!accept(open)) return expected(fmt::format("'{}' and integers", open));
  auto values = integers();
  if (values && !accept(close)) return expected(fmt::format("',' or '{}'", close));
  return values;
}

Result<void> MeshScanner::separator(char close) {
  if (accept(",") || (next() < text_.size() && text_[pos_] == close)) return {};
  return expected(fmt::format("',' or '{}'", close));
}

// XLA writes quotes since 2026; before, a name ended at the next character of the grammar.
Result<std::string> MeshScanner::axis_name() {
  const std::size_t begin = next();
  if (here() == '\'' || here() == '"') {
    const std::size_t end = string_end(text_, begin);
    if (end - begin < 2 || text_[end - 1] != text_[begin]) {
      pos_ = text_.size();
      return expected("a closing quote");
    }
    pos_ = end;
    return std::string(text_.substr(begin + 1, end - begin - 2));
  }
  constexpr std::string_view kEnds = "=,:(){}[]?'\" \t\r\n";
  while (pos_ < text_.size() && kEnds.find(text_[pos_]) == std::string_view::npos) ++pos_;
  if (pos_ == begin || is_digit(text_[begin])) {
    pos_ = begin;
    return expected("the name of an axis");
  }
  return std::string(text_.substr(begin, pos_ - begin));
}

Result<SubAxis> MeshScanner::axis(const NamedMesh& mesh, std::vector<SubAxis>& used) {
  const std::size_t begin = next();
  TESSERA_TRY(name, axis_name());
  const auto place = std::ranges::find(mesh.axes, name);
  if (place == mesh.axes.end())
    return fail(Code::unknown_name, fmt::format("the mesh has no axis '{}'", name), span(begin, pos_),
                mesh.axes.empty() ? "the mesh has no axes"
                                  : fmt::format("its axes are '{}'", fmt::join(mesh.axes, "', '")));
  SubAxis out{.axis = static_cast<std::size_t>(place - mesh.axes.begin())};
  const Index whole = mesh.sizes[out.axis];
  out.size = whole;
  if (accept(":(")) {
    TESSERA_TRY(pre, integer());
    if (!accept(")")) return expected("')'");
    TESSERA_TRY(size, integer());
    out.pre = pre;
    out.size = size;
    const auto inside = checked_mul(pre, size);
    if (pre < 1 || size < 1 || !inside || whole % *inside != 0) {
      return fail(Code::number_range,
                  fmt::format("({}){} does not divide the size of the axis, {}", pre, size, whole),
                  span(begin, pos_));
    }
  }
  if (std::ranges::any_of(used, [&](const SubAxis& other) { return overlap(out, other); }))
    return fail(Code::duplicate_name, fmt::format("axis '{}' is used twice", name), span(begin, pos_),
                "an axis cuts one dimension or belongs to one subgroup; a part of it is written 'x':(1)2");
  used.push_back(out);
  return out;
}

Result<std::vector<SubAxis>> MeshScanner::axes(const NamedMesh& mesh, std::vector<SubAxis>& used) {
  if (!accept("{")) return expected("'{' and axes");
  std::vector<SubAxis> out;
  while (!accept("}")) {
    TESSERA_TRY(one, axis(mesh, used));
    out.push_back(one);
    TESSERA_NEED(separator('}'));
  }
  return out;
}

Result<NamedMesh> MeshScanner::mesh() {
  NamedMesh out;
  const std::size_t whole = next();
  if (!accept("[")) return expected("'[' and the axes of the mesh");
  bool listed = false;
  while (!accept("]")) {
    const std::size_t begin = next();
    if (accept("device_ids=")) {
      listed = true;
      TESSERA_NEED(device_ids(out));
    } else {
      TESSERA_TRY(name, axis_name());
      if (!accept("=")) return expected("'=' and the size of the axis");
      TESSERA_TRY(size, integer());
      if (std::ranges::find(out.axes, name) != out.axes.end())
        return fail(Code::duplicate_name, fmt::format("axis '{}' is already defined", name),
                    span(begin, pos_), "rename one of the two");
      out.axes.push_back(std::move(name));
      out.sizes.push_back(size);
    }
    TESSERA_NEED(separator(']'));
  }
  if (!positions(out)) return no_positions(span(whole, pos_));
  const std::size_t after = pos_;
  if (!listed && accept(",") && accept("device_ids=")) {
    TESSERA_NEED(device_ids(out));
  } else if (!listed) {
    pos_ = after;
  }
  return out;
}

// The device at each position of the mesh: an iota or a list.
Result<void> MeshScanner::device_ids(NamedMesh& mesh) {
  const std::size_t begin = next();
  if (!accept("(")) return expected("'('");
  const auto total = positions(mesh);
  if (!total) return no_positions(span(begin, pos_));
  if (*total > kNotationLimits.sharding.devices) {
    return fail(Code::limit,
                fmt::format("device_ids lists more than {} devices", kNotationLimits.sharding.devices),
                span(begin, pos_));
  }
  if (next(); here() == '[') {
    TESSERA_TRY(reshape, bracketed("[", "]"));
    IotaDevices devices{.reshape = std::move(reshape), .transpose = {}};
    for (std::size_t i = 0; i < devices.reshape.size(); ++i)
      devices.transpose.push_back(static_cast<Index>(i));
    if (accept("T(")) {
      TESSERA_TRY(transpose, integers());
      devices.transpose = std::move(transpose);
      if (!accept(")")) return expected("',' or ')'");
    }
    const auto order = Sharding::tiled({*total}, std::move(devices), {});
    if (!order) {
      Diagnostic error = order.error();
      error.span = span(begin, pos_);
      return fail(std::move(error));
    }
    mesh.device_ids = order->devices();
  } else {
    TESSERA_TRY(list, integers());
    mesh.device_ids = std::move(list);
  }
  if (!accept(")")) return expected("',' or ')'");
  if (static_cast<Index>(mesh.device_ids.size()) != *total) {
    return fail(Code::device_count,
                fmt::format("device_ids lists {}, but the mesh has {}", mesh.device_ids.size(), *total),
                span(begin, pos_), "list one device for each position of the mesh");
  }
  std::vector<Index> sorted = mesh.device_ids;
  std::ranges::sort(sorted);
  if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end())
    return fail(Code::device_count, fmt::format("device {} occurs twice", *twice), span(begin, pos_),
                "list each device once");
  return {};
}

Result<void> MeshScanner::skip_braces() {
  const std::size_t begin = next();
  if (here() != '{') return expected("'{'");
  const std::size_t end = braces_end(text_, begin);
  if (end == std::string_view::npos)
    return fail(Code::syntax, "this '{' is never closed", span(begin, begin + 1));
  pos_ = end;
  return {};
}

std::size_t string_end(std::string_view text, std::size_t begin) {
  for (std::size_t i = begin + 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == text[begin]) {
      return i + 1;
    }
  }
  return text.size();
}

std::size_t braces_end(std::string_view text, std::size_t begin) {
  std::size_t depth = 0;
  for (std::size_t i = begin; i < text.size();) {
    const char c = text[i];
    if (c == '"' || c == '\'') {
      i = string_end(text, i);
      continue;
    }
    ++i;
    if (c == '{') ++depth;
    if (c == '}' && --depth == 0) return i;
  }
  return std::string_view::npos;
}

}  // namespace tessera::detail
