// SPDX-License-Identifier: Apache-2.0
#include "report/atom_answer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/plural.h"
#include "report/family_answer.h"
#include "report/json.h"

namespace tessera {
namespace {

// `(thread 32, value 4)`
std::string axes_text(const std::vector<AtomAxis>& axes) {
  std::string text;
  for (const AtomAxis& axis : axes)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", axis.name, axis.extent);
  return "(" + text + ")";
}

std::string points_text(const std::vector<AtomPoint>& points) {
  std::string text;
  for (const AtomPoint& point : points) {
    text += fmt::format("{}({}) -> ({})", text.empty() ? "" : ", ", fmt::join(point.coordinate, ","),
                        fmt::join(point.result, ","));
  }
  return text;
}

std::string coverage_text(const Atom& atom, const Result<AtomCoverage>& coverage) {
  if (!coverage) return coverage.error().message;
  const std::string_view text = coverage->injective && coverage->onto ? "bijective"
                                : coverage->injective ? "injective; not all of the codomain is reached"
                                : coverage->onto      ? "onto the codomain; some results repeat"
                                                      : "neither injective nor onto the codomain";
  return fmt::format("{}; {} of the source hold", text, detail::plural(std::ssize(atom.points), "point"));
}

// IDs of other atoms with the same layout.
std::vector<std::string_view> same_layout(const Atom& atom) {
  std::vector<std::string_view> ids;
  const Result<Layout> layout = parse_layout(atom.layout);
  if (!layout) return ids;
  for (const Atom* other : atoms_equal_to(*layout))
    if (other != &atom) ids.push_back(other->id);
  return ids;
}

std::string picture_command(const Atom& atom) {
  return fmt::format("tessera show atom:{}{}", atom.id, atom.kind == AtomKind::fragment ? " --tv" : "");
}

Json json_of(const std::vector<AtomAxis>& axes) {
  Json out = {{"names", Json::array()}, {"shape", Json::array()}};
  for (const AtomAxis& axis : axes) {
    out["names"].push_back(axis.name);
    out["shape"].push_back(axis.extent);
  }
  return out;
}

Json text_or_null(std::string_view text) { return text.empty() ? Json() : Json(text); }

Json json_of(const Atom& atom) {
  const Result<AtomCoverage> coverage = check_atom(atom);
  Json points = Json::array();
  for (const AtomPoint& point : atom.points) points.push_back({point.coordinate, point.result});
  return {{"id", atom.id},
          {"vendor", atom.vendor},
          {"family", atom.family},
          {"kind", to_string(atom.kind)},
          {"element", text_or_null(atom.element)},
          {"element_bits", atom.element_bits ? Json(*atom.element_bits) : Json()},
          {"layout", atom.layout},
          {"domain", json_of(atom.domain)},
          {"codomain", json_of(atom.codomain)},
          {"injective", coverage && coverage->injective},
          {"onto", coverage && coverage->onto},
          {"points", std::move(points)},
          {"meaning", atom.meaning},
          {"notes", text_or_null(atom.notes)},
          {"source", atom.source},
          {"second", text_or_null(atom.second)},
          {"same_layout", same_layout(atom)},
          {"picture", picture_command(atom)}};
}

}  // namespace

std::string to_list(std::span<const Atom* const> atoms) {
  std::size_t ids = 0;
  std::size_t layouts = 0;
  for (const Atom* atom : atoms) {
    ids = std::max(ids, atom->id.size());
    layouts = std::max(layouts, atom->layout.size());
  }
  std::string text;
  for (const Atom* atom : atoms) {
    text += fmt::format("{}{:<{}}  {:<{}}  {}", text.empty() ? "" : "\n", atom->id, ids, atom->layout,
                        layouts, atom->meaning);
  }
  return text;
}

std::string to_text(const Atom& atom) {
  std::string text(atom.id);
  const auto row = [&](std::string_view name, std::string_view value) {
    if (!value.empty()) text += fmt::format("\n  {:<10} {}", name, value);
  };
  row("meaning", atom.meaning);
  row("layout", atom.layout);
  row("maps", axes_text(atom.domain) + " -> " + axes_text(atom.codomain));
  row("kind", to_string(atom.kind));
  row("element", atom.element_bits
                     ? fmt::format("{}, {}", atom.element, detail::plural(*atom.element_bits, "bit"))
                     : std::string(atom.element));
  row("vendor", atom.vendor);
  row("family", atom.family);
  row("points", points_text(atom.points));
  row("checks", coverage_text(atom, check_atom(atom)));
  row("notes", atom.notes);
  row("source", atom.source);
  row("compared", atom.second.empty() ? "with no other source" : fmt::format("with {}", atom.second));
  row("same as", fmt::format("{}", fmt::join(same_layout(atom), ", ")));
  row("picture", picture_command(atom));
  return text;
}

std::string to_json(std::span<const Atom* const> atoms, std::span<const NamedFamilyInfo* const> families,
                    std::span<const NamedLayout> names, int status) {
  Json out = {{"schema", "tessera.atoms/1"}, {"status", status}};
  for (const char* key : {"atoms", "families", "names"}) out[key] = Json::array();
  for (const Atom* atom : atoms) out["atoms"].push_back(json_of(*atom));
  for (const NamedFamilyInfo* family : families) out["families"].push_back(json_of(*family));
  for (const NamedLayout& name : names) out["names"].push_back(json_of(name));
  return detail::dump(out);
}

}  // namespace tessera
