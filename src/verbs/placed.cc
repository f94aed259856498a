// SPDX-License-Identifier: Apache-2.0
#include "verbs/placed.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/try.h"
#include "notation/symbolic/unknown_sizes.h"
#include "text/character_class.h"
#include "verbs/file_hint.h"

namespace tessera::verbs {

namespace {

bool is_mesh(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t\n"), text.size()));
  return text.starts_with("mesh[") || text.starts_with("mesh:");
}

Failure mesh_without_shape() {
  return fail(Code::missing_layout, "a mesh has no shape, so it is not yet a layout", {},
              "'tessera reshard at' and 'reshard equal' take --shape; 'convert --to axe' takes --tile");
}

Failure triton_without_shape() {
  return fail(Code::missing_layout, "the layout has no shape", {},
              "write it first: 128x64:#ttg.blocked<{...}>");
}

Failure without_numbers(const symbolic::SymbolicLayout& sized) {
  const std::vector<std::string> names = sized.where().names(sized.names());
  return fail(Code::missing_attribute,
              fmt::format("this needs numbers for the sizes {}", fmt::join(names, ", ")), {},
              fmt::format("add --size {}=64", fmt::join(names, "=64 --size ")));
}

/// `tile:8` and `dir/a:b`: a name before a colon is more often a mistyped prefix or a file than a size.
Failure name_before_colon(const symbolic::SymbolicLayout& sized) {
  const std::string& text = sized.text();
  const std::size_t colon = std::min(text.find(':'), text.size());
  const std::string before = text.substr(0, colon);
  const std::string after = colon < text.size() ? text.substr(colon + 1) : "1";
  return fail(Code::syntax,
              fmt::format("'{}' before the colon is neither a notation nor an extent in brackets", before),
              Span{0, static_cast<std::uint32_t>(colon)},
              fmt::format("a layout of one size with a name: ({}):({}); notations: cute, np, xla, morello, "
                          "onednn; a file: 'tessera info FILE'",
                          before, after));
}

/// Whether the place has a name where a list of extents or strides has a number: `(M`, `[M`, `,M`.
bool is_name_in_list(std::string_view text, std::size_t at) {
  if (at >= text.size() || !detail::is_letter(text[at])) return false;
  while (at > 0 && detail::is_white_space(text[at - 1])) --at;
  return at > 0 && std::string_view("([,").find(text[at - 1]) != std::string_view::npos;
}

bool has_a_bare_name(const symbolic::SymbolicLayout& sized) {
  if (sized.kind() != symbolic::SymbolicLayout::Kind::cute ||
      sized.shape().nesting[0] != symbolic::TermTree::kLeaf)
    return false;
  using TermKind = symbolic::SizeTerm::Kind;
  const auto is_word = [](const symbolic::SizeTerm& t) { return t.kind == TermKind::name; };
  // `N` and, as in a path, `folder/N`.
  const auto is_name = [&](const symbolic::SizeTerm& t) {
    return is_word(t) || (t.kind == TermKind::over && is_word(t.parts[0]) && is_word(t.parts[1]));
  };
  return is_name(sized.shape().leaves[0]) || std::ranges::any_of(sized.stride().leaves, is_name);
}

}  // namespace

Result<void> is_no_mistyped_prefix(const symbolic::SymbolicLayout& sized) {
  if (has_a_bare_name(sized)) return name_before_colon(sized);
  return {};
}

Result<PlacedLayout> Reading<PlacedLayout>::read(const std::string& text) {
  if (is_mesh(text)) {
    TESSERA_TRY(mesh, parse_distribution(text));
    PlacedLayout out;
    out.mesh = std::move(mesh);
    return out;
  }
  if (!is_axe_text(text)) {
    Result<NamedOrLayout> plain = Reading<NamedOrLayout>::read(text);
    if (plain) return PlacedLayout{.plain = *std::move(plain)};
    if (plain.error().code == Code::missing_layout && is_triton_text(text)) {
      auto triton = parse_triton_layout(text);
      if (!triton || triton->shape) return fail(std::move(plain.error()));
      PlacedLayout out;
      out.triton = *std::move(triton);
      return out;
    }
    auto sized = symbolic::parse_with_unknowns(text);
    const bool assumes = symbolic::has_assumptions(text);
    const bool is_unknown = symbolic::has_unknowns(text) && text.find('[') == std::string::npos;
    // The plain reader stops at a name, which is right here: what comes after it is wrong.
    const std::uint32_t stop = plain.error().span.begin;
    const bool beyond = !sized && sized.error().span.begin > stop && is_name_in_list(text, stop);
    if (!sized && (assumes || is_unknown || beyond)) return fail(std::move(sized.error()));
    if (!sized || (!assumes && sized->names().empty())) return fail(std::move(plain.error()));
    if (!assumes && !is_unknown) TESSERA_NEED(is_no_mistyped_prefix(*sized));
    PlacedLayout out;
    out.sized = *std::move(sized);
    return out;
  }
  TESSERA_TRY(axe, parse_axe(text));
  PlacedLayout out;
  if (auto layout = Layout::make(axe)) out.plain.layout = *std::move(layout);
  out.axe = std::move(axe);
  return out;
}

Result<NamedOrLayout> layout_side(const PlacedLayout& placed, std::optional<std::string_view> axis) {
  if (placed.mesh) return mesh_without_shape();
  if (placed.triton) return triton_without_shape();
  if (placed.sized) return without_numbers(*placed.sized);
  if (!placed.axe || (!axis && placed.plain.layout)) return placed.plain;
  TESSERA_TRY(layout, layout_of(*placed.axe, axis));
  return NamedOrLayout{.layout = std::move(layout)};
}

Result<Placement> placement_of(const PlacedLayout& placed) {
  if (placed.mesh) return mesh_without_shape();
  if (placed.triton) return triton_without_shape();
  if (placed.sized) return without_numbers(*placed.sized);
  if (placed.axe) return placement(*placed.axe);
  if (!placed.plain.layout) {
    return fail(Code::not_applicable, "the elements are not cells, so they have no places; use --bits");
  }
  return placement(*placed.plain.layout);
}

}  // namespace tessera::verbs
