// SPDX-License-Identifier: Apache-2.0
// Axis expressions as index maps: one for each combination of branches.
#include "reshard/pieces/piece_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "reshard/limits.h"

namespace tessera {
namespace {

// A sum over named axes, and the labels found on the way.
struct NamedSum {
  Index constant = 0;
  std::vector<std::pair<std::string, Index>> terms;  // axis as in the text, coefficient
};

// One choice of branches.
struct AxisPath {
  std::vector<std::string> labels;
  std::vector<NamedSum> dims;
  std::vector<std::string> axes;  // as in the text
};

// Adds `scale` times the value of an atom to the sum, for every path through it.
class PathList {
 public:
  // Returns false if there are too many paths.
  bool add_atom(const AxisAtom& atom, Index scale) {
    switch (atom.kind) {
      case AxisAtom::Kind::axis:
        for (AxisPath& path : paths_) {
          path.dims.back().terms.emplace_back(atom.name, scale);
          path.axes.push_back(atom.name);
        }
        return true;
      case AxisAtom::Kind::one:
        return true;
      case AxisAtom::Kind::padding:
        paths_.clear();
        return true;
      case AxisAtom::Kind::branches:
        break;
    }
    std::vector<AxisPath> all;
    Index offset = 0;
    for (const AxisBranch& branch : atom.branches) {
      PathList inner = *this;
      for (AxisPath& path : inner.paths_) {
        path.dims.back().constant += offset * scale;
        if (!branch.label.empty()) path.labels.push_back(branch.label);
      }
      if (!inner.add_product(branch.atoms, scale)) return false;
      all.insert(all.end(), inner.paths_.begin(), inner.paths_.end());
      if (all.size() > detail::kReshardLimits.piece_maps) return false;
      offset += branch.size;
    }
    paths_ = std::move(all);
    return true;
  }

  bool add_product(const std::vector<AxisAtom>& atoms, Index scale) {
    Index inner = scale;
    for (const AxisAtom& atom : atoms) inner *= atom.size;
    for (const AxisAtom& atom : atoms) {
      inner /= atom.size;
      if (!add_atom(atom, inner)) return false;
    }
    return true;
  }

  std::vector<AxisPath> paths_ = {AxisPath{}};
};

// Adds the elementary axes of an axis with their weights in its value.
void add_terms(const AxisSizes& sizes, const std::string& name, Index scale,
               std::vector<std::pair<std::string, Index>>& out) {
  const AxisSize* axis = sizes.find(name);
  if (axis->parts.empty()) {
    out.emplace_back(name, scale);
    return;
  }
  for (std::size_t k = axis->parts.size(); k-- > 0;) {
    add_terms(sizes, axis->parts[k], scale, out);
    scale *= sizes.find(axis->parts[k])->size;
  }
}

AxisSum numbered(const NamedSum& sum, const AxisSizes& sizes, const std::vector<PieceMap::Axis>& axes) {
  std::vector<std::pair<std::string, Index>> terms;
  for (const auto& [name, scale] : sum.terms) add_terms(sizes, name, scale, terms);
  AxisSum out;
  out.constant = sum.constant;
  for (const auto& [name, scale] : terms) {
    const auto at = std::ranges::find(axes, name, &PieceMap::Axis::name);
    out.terms.emplace_back(static_cast<std::size_t>(at - axes.begin()), scale);
  }
  std::ranges::sort(out.terms);
  return out;
}

PieceMap piece_of(const AxisExpression& expression, const AxisPath& path, const AxisSizes& sizes) {
  PieceMap out;
  for (const std::string& label : path.labels) {
    if (!out.piece.empty()) out.piece += '.';
    out.piece += label;
  }
  std::vector<std::pair<std::string, Index>> elementary;
  for (const std::string& axis : path.axes) add_terms(sizes, axis, 1, elementary);
  for (const std::string& axis : expression.places) add_terms(sizes, axis, 1, elementary);
  for (const auto& [name, scale] : elementary) out.axes.push_back({name, sizes.find(name)->size});
  std::ranges::sort(out.axes, {}, &PieceMap::Axis::name);
  for (const NamedSum& sum : path.dims) out.index.push_back(numbered(sum, sizes, out.axes));
  out.has_place = !expression.places.empty();
  NamedSum place;
  Index scale = 1;
  for (std::size_t k = expression.places.size(); k-- > 0;) {
    place.terms.emplace_back(expression.places[k], scale);
    scale *= sizes.find(expression.places[k])->size;
  }
  out.place = numbered(place, sizes, out.axes);
  add_crops(out, sizes);
  return out;
}

Expr expr_of(const AxisSum& sum) {
  std::optional<Expr> out;
  for (const auto& [axis, scale] : sum.terms) {
    Expr term = Expr::variable(static_cast<Index>(axis));
    if (scale != 1) term = term * scale;
    out = out ? *out + term : term;
  }
  if (!out) return Expr::constant(sum.constant);
  return sum.constant == 0 ? *out : *out + sum.constant;
}

// The runs of pieces of a product of atoms.
class RunList {
 public:
  // Returns false if there are too many runs.
  bool add(std::span<const AxisAtom> atoms, const std::string& label) {
    Index size = 1;
    for (const AxisAtom& atom : atoms) size *= atom.size;
    const auto is = [&](AxisAtom::Kind kind) { return std::ranges::find(atoms, kind, &AxisAtom::kind); };
    if (is(AxisAtom::Kind::padding) != atoms.end()) return append(size, "_");
    const auto branching = is(AxisAtom::Kind::branches);
    if (branching == atoms.end()) return append(size, label);
    // The runs for one value of the axes before the branches, then repeated for all of their values.
    RunList once;
    for (const AxisBranch& branch : branching->branches) {
      std::vector<AxisAtom> rest = branch.atoms;
      rest.insert(rest.end(), branching + 1, atoms.end());
      const std::string separator = label.empty() || branch.label.empty() ? "" : ".";
      if (!once.add(rest, label + separator + branch.label)) return false;
    }
    Index outer = 1;
    for (auto atom = atoms.begin(); atom != branching; ++atom) outer *= atom->size;
    if (once.runs.size() == 1) return append(outer * once.runs[0].count, once.runs[0].piece);
    for (Index n = 0; n < outer; ++n) {
      for (const PieceRun& run : once.runs) {
        if (!append(run.count, run.piece)) return false;
      }
    }
    return true;
  }

  std::vector<PieceRun> runs;

 private:
  bool append(Index count, const std::string& piece) {
    if (count == 0) return true;
    if (!runs.empty() && runs.back().piece == piece) {
      runs.back().count += count;
      return true;
    }
    const Index first = runs.empty() ? 0 : runs.back().first + runs.back().count;
    runs.push_back({first, count, piece});
    return runs.size() <= detail::kReshardLimits.piece_runs;
  }
};

}  // namespace

Result<std::vector<PieceMap>> lower(const AxisExpression& expression, const AxisSizes& sizes) {
  PathList list;
  if (!expression.label.empty()) list.paths_[0].labels.push_back(expression.label);
  for (const AxisAtom& dim : expression.dims) {
    for (AxisPath& path : list.paths_) path.dims.emplace_back();
    if (!list.add_atom(dim, 1)) {
      return fail(Code::limit, fmt::format("the expression has more than {} combinations of branches",
                                           detail::kReshardLimits.piece_maps));
    }
  }
  std::vector<PieceMap> out;
  for (const AxisPath& path : list.paths_) out.push_back(piece_of(expression, path, sizes));
  return out;
}

void add_crops(PieceMap& map, const AxisSizes& sizes) {
  map.crops.clear();
  for (const auto& [name, axis] : sizes.axes()) {
    if (!axis.cropped) continue;
    std::vector<std::pair<std::string, Index>> parts;
    add_terms(sizes, name, 1, parts);
    const bool here = std::ranges::all_of(parts, [&](const auto& part) {
      return std::ranges::find(map.axes, part.first, &PieceMap::Axis::name) != map.axes.end();
    });
    if (here) map.crops.push_back({numbered({0, {{name, 1}}}, sizes, map.axes), axis.size});
  }
}

IndexMap to_index_map(const PieceMap& piece) {
  std::vector<Index> extents;
  for (const PieceMap::Axis& axis : piece.axes) extents.push_back(axis.size);
  Domain domain = Domain::box(extents);
  for (const PieceMap::Crop& crop : piece.crops) domain.constrain(expr_of(crop.value), {0, crop.size - 1});
  std::vector<Expr> results;
  if (piece.has_place) results.push_back(expr_of(piece.place));
  for (const AxisSum& sum : piece.index) results.push_back(expr_of(sum));
  return IndexMap::make_unchecked(std::move(domain), std::move(results));
}

Result<std::vector<PieceRun>> piece_runs(const AxisExpression& expression, std::size_t dim) {
  RunList list;
  if (!list.add(std::span(&expression.dims[dim], 1), expression.label)) {
    return fail(Code::limit, fmt::format("a dimension of the expression has more than {} runs",
                                         detail::kReshardLimits.piece_runs));
  }
  return std::move(list.runs);
}

}  // namespace tessera
