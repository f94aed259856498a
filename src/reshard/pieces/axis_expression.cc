// SPDX-License-Identifier: Apache-2.0
#include "reshard/pieces/axis_expression.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "base/try.h"
#include "reshard/distribution_scanner.h"
#include "reshard/limits.h"
#include "text/character_class.h"

namespace tessera {
namespace {

using detail::DistributionScanner;

// The elementary axes of a list of names.
void add_elementary(const AxisSizes& sizes, const std::string& name, std::vector<std::string>& out) {
  const AxisSize* axis = sizes.find(name);
  if (axis == nullptr || axis->parts.empty()) {
    out.push_back(name);
    return;
  }
  for (const std::string& part : axis->parts) add_elementary(sizes, part, out);
}

class AxisReader : public DistributionScanner {
 public:
  AxisReader(std::string_view text, AxisSizes& sizes) : DistributionScanner(text), sizes_(sizes) {}

  Result<AxisExpression> read() {
    AxisExpression out;
    if (auto label = maybe_label()) out.label = std::move(*label);
    std::set<std::string, std::less<>> path;
    while (next() < text_.size() && (detail::is_letter(here()) || here() == '_')) {
      const std::size_t begin = next();
      TESSERA_TRY(axis, read_axis(path));
      if (axis.kind == AxisAtom::Kind::padding)
        return fail(Code::syntax, "expected an axis of the mesh, found padding", since(begin),
                    "padding belongs to a dimension: [(a _=2)]");
      out.places.push_back(axis.name);
      next();
    }
    if (!out.places.empty()) TESSERA_NEED(need("@"));
    if (!accept("[")) return expected(out.places.empty() ? "'[', or axes and '@'" : "'['");
    while (!accept("]")) {
      if (next() == text_.size()) return expected("an axis, '(' or ']'");
      TESSERA_TRY(atom, read_atom(path, 0));
      out.dims.push_back(std::move(atom));
    }
    if (const auto ends = end("the end of the expression"); !ends) return fail(ends.error());
    return out;
  }

 private:
  // Matches `name :`, but not `name` alone.
  std::optional<std::string> maybe_label() {
    const std::size_t begin = next();
    auto label = name();
    if (label && accept(":")) return std::move(*label);
    pos_ = begin;
    return {};
  }

  Result<AxisAtom> read_axis(std::set<std::string, std::less<>>& path) {
    const std::size_t begin = next();
    TESSERA_TRY(word, name());
    AxisAtom atom;
    atom.kind = AxisAtom::Kind::axis;
    if (accept("=")) {
      TESSERA_TRY(size, at_least(1, word == "_" ? "padding" : "the size of an axis"));
      if (word == "_") {
        atom.kind = AxisAtom::Kind::padding;
        atom.size = size;
        return atom;
      }
      const AxisSize* known = sizes_.find(word);
      if (known != nullptr && known->size != size) {
        return fail(
            Code::duplicate_name,
            fmt::format("axis '{}' already has size {}, so it cannot have size {}", word, known->size, size),
            since(begin));
      }
      if (known == nullptr) TESSERA_NEED(sizes_.add(word, size));
    }
    const AxisSize* axis = sizes_.find(word);
    if (axis == nullptr) {
      return fail(Code::unknown_name, fmt::format("axis '{}' has no size", word), since(begin),
                  fmt::format("declare it, or write its size here: {}=N", word));
    }
    atom.size = axis->size;
    std::vector<std::string> elementary;
    add_elementary(sizes_, word, elementary);
    for (const std::string& part : elementary) {
      if (!path.insert(part).second) {
        return fail(Code::duplicate_name,
                    part == word ? fmt::format("axis '{}' occurs twice", word)
                                 : fmt::format("axis '{}', a part of '{}', occurs twice", part, word),
                    since(begin));
      }
    }
    atom.name = std::move(word);
    return atom;
  }

  // Adds the axes of all branches to `path`, because the rest of the expression may not use them.
  Result<AxisAtom> read_atom(std::set<std::string, std::less<>>& path, int depth) {
    const std::size_t begin = next();
    if (detail::is_digit(here())) {
      TESSERA_TRY(one, integer());
      if (one != 1)
        return fail(Code::syntax, fmt::format("expected an axis or 1, found {}", one), since(begin));
      return AxisAtom{};
    }
    if (!accept("(")) return read_axis(path);
    if (depth >= detail::kReshardLimits.nesting) {
      return fail(Code::limit,
                  fmt::format("parentheses nest deeper than {} levels", detail::kReshardLimits.nesting),
                  since(begin));
    }
    AxisAtom atom;
    atom.kind = AxisAtom::Kind::branches;
    atom.size = 0;
    const std::set<std::string, std::less<>> before = path;
    do {
      std::set<std::string, std::less<>> own = before;
      AxisBranch branch;
      if (auto label = maybe_label()) branch.label = std::move(*label);
      while (next() < text_.size() && here() != '|' && here() != ')') {
        TESSERA_TRY(inner, read_atom(own, depth + 1));
        if (mul_overflows(branch.size, inner.size, branch.size)) {
          return fail(Code::overflow, "the size of a dimension does not fit in 64 bits", since(begin));
        }
        branch.atoms.push_back(std::move(inner));
      }
      if (add_overflows(atom.size, branch.size, atom.size)) {
        return fail(Code::overflow, "the size of a dimension does not fit in 64 bits", since(begin));
      }
      path.insert(own.begin(), own.end());
      atom.branches.push_back(std::move(branch));
    } while (accept("|"));
    if (!accept(")")) return expected("an axis, '|' or ')'");
    return atom;
  }

  AxisSizes& sizes_;
};

std::string text_of_atom(const AxisAtom& atom);

std::string text_of_atoms(const std::vector<AxisAtom>& atoms) {
  std::string text;
  for (const AxisAtom& atom : atoms) text += (text.empty() ? "" : " ") + text_of_atom(atom);
  return text;
}

std::string text_of_atom(const AxisAtom& atom) {
  switch (atom.kind) {
    case AxisAtom::Kind::axis:
      return atom.name;
    case AxisAtom::Kind::one:
      return "1";
    case AxisAtom::Kind::padding:
      return fmt::format("_={}", atom.size);
    case AxisAtom::Kind::branches:
      break;
  }
  std::string text;
  for (const AxisBranch& branch : atom.branches) {
    text += text.empty() ? "(" : " | ";
    if (!branch.label.empty()) text += branch.label + ": ";
    text += text_of_atoms(branch.atoms);
  }
  return text + ")";
}

}  // namespace

Result<void> AxisSizes::add(std::string name, Index size) {
  if (size < 1)
    return fail(Code::number_range,
                fmt::format("axis '{}' has size {}, but it must be at least 1", name, size));
  if (axes_.contains(name))
    return fail(Code::duplicate_name, fmt::format("axis '{}' is declared twice", name));
  axes_.emplace(std::move(name), AxisSize{size, {}, false});
  return {};
}

Result<void> AxisSizes::add(std::string name, std::string_view composite) {
  DistributionScanner in(composite);
  AxisSize axis;
  axis.size = 0;
  TESSERA_NEED(in.need("("));
  while (!in.accept(")")) {
    TESSERA_TRY(part, in.name());
    axis.parts.push_back(std::move(part));
  }
  if (axis.parts.empty()) return fail(Code::syntax, fmt::format("axis '{}' has no parts", name));
  if (in.accept_word("crop")) {
    TESSERA_TRY(crop, in.at_least(1, "a crop"));
    axis.size = crop;
    axis.cropped = true;
  }
  if (const auto end = in.end("crop or the end of the axis"); !end) return fail(end.error());
  if (axes_.contains(name))
    return fail(Code::duplicate_name, fmt::format("axis '{}' is declared twice", name));
  axes_.emplace(std::move(name), std::move(axis));
  return {};
}

const AxisSize* AxisSizes::find(std::string_view name) const {
  const auto found = axes_.find(name);
  return found == axes_.end() ? nullptr : &found->second;
}

Result<Index> AxisSizes::resolved_size(const std::string& name, int depth) {
  const auto found = axes_.find(name);
  if (found == axes_.end()) return fail(Code::unknown_name, fmt::format("axis '{}' has no size", name));
  AxisSize& axis = found->second;
  if (axis.parts.empty()) return axis.size;
  if (depth > static_cast<int>(axes_.size()) || depth > detail::kReshardLimits.nesting) {
    return fail(Code::duplicate_name, fmt::format("axis '{}' is a part of itself", name));
  }
  Index product = 1;
  for (const std::string& part : axis.parts) {
    TESSERA_TRY(size, resolved_size(part, depth + 1));
    if (mul_overflows(product, size, product)) {
      return fail(Code::overflow, fmt::format("the size of axis '{}' does not fit in 64 bits", name));
    }
  }
  if (!axis.cropped) axis.size = product;
  if (axis.size > product) {
    return fail(Code::number_range,
                fmt::format("axis '{}' is cropped to {}, but its parts have only {} elements", name,
                            axis.size, product));
  }
  return axis.size;
}

Result<void> AxisSizes::resolve() {
  for (const auto& [name, axis] : axes_) {
    if (axis.parts.empty()) continue;
    TESSERA_NEED(resolved_size(name, 0));
    std::vector<std::string> elementary;
    add_elementary(*this, name, elementary);
    std::ranges::sort(elementary);
    if (const auto twice = std::ranges::adjacent_find(elementary); twice != elementary.end()) {
      return fail(Code::duplicate_name, fmt::format("axis '{}' has the part '{}' twice", name, *twice));
    }
  }
  return {};
}

std::vector<Index> AxisExpression::shape() const {
  std::vector<Index> extents;
  for (const AxisAtom& dim : dims) extents.push_back(dim.size);
  return extents;
}

Result<AxisExpression> parse_axis_expression(std::string_view text, AxisSizes& sizes) {
  TESSERA_NEED(sizes.resolve());
  return AxisReader(text, sizes).read();
}

std::string to_string(const AxisExpression& expression) {
  std::string text = expression.label.empty() ? "" : expression.label + ": ";
  if (!expression.places.empty()) text += fmt::format("{} @ ", fmt::join(expression.places, " "));
  return text + "[" + text_of_atoms(expression.dims) + "]";
}

Index place_count(const AxisExpression& expression, const AxisSizes& sizes) {
  Index count = 1;
  for (const std::string& name : expression.places) count *= sizes.find(name)->size;
  return count;
}

}  // namespace tessera
