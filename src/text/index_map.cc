// SPDX-License-Identifier: Apache-2.0
#include "tessera/text/index_map.h"

#include <fmt/core.h>

#include <algorithm>

#include "tessera/map/map_algebra.h"
#include "text/index_map_reader.h"
#include "text/pasted_map.h"

namespace tessera {
namespace {

Result<Expr> parse_expr(std::string_view text, const detail::VariableNames& names) {
  Lexer lexer(text);
  detail::ExprReader reader(lexer, names, detail::ExprReader::ZeroDivisor::accepted);
  Expr out;
  if (reader.expression(out) && lexer.peek().kind != TokenKind::end) {
    reader.fail_expected("an operator or the end of the expression");
  } else if (!reader.failed()) {
    return out;
  }
  return Failure(reader.take_error());
}

}  // namespace

std::string to_string(UndefinedMap) { return "UNDEFINED"; }

std::string to_string(const MapOrUndefined& map) {
  return std::visit([](const auto& known) { return to_string(known); }, map);
}

Result<MapOrUndefined> compose(const MapOrUndefined& first, const MapOrUndefined& second) {
  if (std::holds_alternative<UndefinedMap>(first) || std::holds_alternative<UndefinedMap>(second))
    return UndefinedMap{};
  auto both = compose(std::get<IndexMap>(first), std::get<IndexMap>(second));
  if (!both) return fail(both.error());
  return *std::move(both);
}

Result<MapOrUndefined> parse_map_or_undefined(std::string_view text, DomainPart domain) {
  if (detail::is_pasted_map(text)) {
    const auto pasted = detail::unwrap_pasted_map(text);
    if (!pasted) return fail(pasted.error());
    return parse_map_or_undefined(pasted->text, pasted->affine ? DomainPart::optional : domain);
  }
  auto read = detail::IndexMapReader(text).read(domain);
  if (!read && read.error().code == Code::syntax && read.error().help.empty())
    read.error().help = "write a map like (d0, d1) -> (d0 * 8 + d1), domain: d0 in [0, 3], d1 in [0, 7]";
  return read;
}

Result<IndexMap> parse_index_map(std::string_view text, DomainPart domain) {
  auto read = parse_map_or_undefined(text, domain);
  if (!read) return Failure(std::move(read.error()));
  if (IndexMap* const map = std::get_if<IndexMap>(&*read)) return std::move(*map);
  return fail(Code::undefined_value, "UNDEFINED is not a map", {0, static_cast<std::uint32_t>(text.size())},
              "it means that nothing is known; write a map");
}

Result<BoxMap> parse_box_map(std::string_view text) {
  if (detail::is_pasted_map(text)) {
    const auto pasted = detail::unwrap_pasted_map(text);
    return pasted ? parse_box_map(pasted->text) : fail(pasted.error());
  }
  detail::IndexMapReader reader(text);
  auto read = reader.read(DomainPart::required);
  if (!read) return Failure(std::move(read.error()));
  const Span whole{0, static_cast<std::uint32_t>(text.size())};
  IndexMap* const map = std::get_if<IndexMap>(&*read);
  if (map == nullptr)
    return fail(Code::undefined_value, "UNDEFINED is not a map", whole,
                "it means that nothing is known; write a map");
  if (!map->known_empty()) return BoxMap{std::move(*map), {}};
  if (map->dim_count() == 0) {
    return fail(Code::missing_layout, "KNOWN EMPTY does not give the extents of the empty box", whole,
                "empty intervals do: (d0, d1) -> (0), domain: d0 in [0, -1], d1 in [0, 2]");
  }
  if (auto extents = reader.written_box()) return BoxMap{std::move(*map), *std::move(extents)};
  Diagnostic diagnostic{
      .code = Code::not_representable,
      .message = "the domain of a layout must be a box that starts at 0, without constraints",
      .span = whole};
  diagnostic.reason = "not_a_layout";
  return fail(std::move(diagnostic));
}

std::string to_string(const IndexMap& map, std::span<const Index> extents) {
  if (!map.known_empty()) return to_string(map);
  std::string names;
  std::string domain;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    const std::string name = map.domain().name(i);
    names += (i > 0 ? ", " : "") + name;
    domain += fmt::format("{} {} in [0, {}]", i > 0 ? "," : "", name, extents[i] - 1);
  }
  return fmt::format("({}) -> (0), domain:{}", names, domain);
}

Result<Expr> parse_expr(std::string_view text) {
  detail::VariableNames names;
  names.allow_numbered();
  return parse_expr(text, names);
}

Result<Expr> parse_expr(std::string_view text, const Domain& domain) {
  std::vector<std::string> storage;
  for (std::size_t i = 0; i < domain.variable_count(); ++i) storage.push_back(domain.name(i));
  detail::VariableNames names;
  for (const std::string& name : storage) names.declare(name);
  return parse_expr(text, names);
}

namespace {

Domain only_dims(const Domain& domain) {
  const auto dims = domain.variables().first(domain.dim_count());
  return {{dims.begin(), dims.end()}, {}, {}};
}

}  // namespace

std::string to_legacy_string(const IndexMap& map, std::span<const LegacyRuntime> runtime) {
  if (map.known_empty()) return to_string(map);
  // The older form has one list of symbols: range variables, then runtime variables.
  const Domain& domain = map.domain();
  const auto name = [&](std::size_t variable) {
    if (domain.kind(variable) != VariableKind::runtime || !domain.variables()[variable].name.empty()) {
      return domain.name(variable);
    }
    return fmt::format("s{}", variable - domain.dim_count());
  };
  const VariableNamer namer = [&](Index number) { return name(static_cast<std::size_t>(number)); };
  std::string out = "(";
  for (std::size_t i = 0; i < domain.variable_count(); ++i) {
    if (i == domain.dim_count()) {
      out += ")[";
    } else if (i > 0) {
      out += ", ";
    }
    out += name(i);
  }
  out += domain.symbol_count() > 0 ? "] -> (" : ") -> (";
  const auto spelled_out = [&](Expr e) {
    std::string text = to_string(e, namer);
    for (std::size_t at = text.find(" / "); at != std::string::npos; at = text.find(" / ", at)) {
      text.replace(at, 3, " floordiv ");
    }
    return text;
  };
  for (std::size_t i = 0; i < map.results().size(); ++i) {
    out += fmt::format("{}{}", i > 0 ? ", " : "", spelled_out(map.results()[i]));
  }
  out += ")";
  if (domain.variable_count() > 0) out += "\ndomain:";
  const std::size_t first_runtime = domain.dim_count() + domain.range_count();
  for (std::size_t i = 0; i < domain.variable_count(); ++i) {
    out += fmt::format("\n{} in {}", name(i), to_string(domain.variables()[i].bounds));
    if (i < first_runtime) continue;
    // Without these lines, the runtime variable would parse back as a range variable.
    const bool known = i - first_runtime < runtime.size();
    const std::string header =
        to_string(known ? runtime[i - first_runtime].map : IndexMap::make_unchecked(only_dims(domain), {}));
    out += fmt::format("\n  hlo: {}\n  {}", known ? runtime[i - first_runtime].source : domain.name(i),
                       header.substr(0, header.find(", domain:")));
  }
  std::vector<std::string> constraints;
  for (const Constraint& c : domain.constraints()) {
    constraints.push_back(fmt::format("\n{} in {}", spelled_out(c.expr), to_string(c.range)));
  }
  std::ranges::sort(constraints);
  for (const std::string& c : constraints) out += c;
  return out;
}

}  // namespace tessera
