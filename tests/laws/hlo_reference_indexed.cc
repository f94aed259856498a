// SPDX-License-Identifier: Apache-2.0
/// \file
/// Slices, gathers and scatters at positions that depend on other values.
#include <algorithm>

#include "hlo/syntax/attributes.h"
#include "laws/hlo_reference.h"

namespace tessera::laws {
namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

bool has(const Indices& list, std::size_t i) {
  return std::ranges::find(list, static_cast<Index>(i)) != list.end();
}

// The clamped start of the box of a dynamic-slice or dynamic-update-slice.
Indices corner(const Instruction& op, std::size_t first, std::span<const Index> whole,
               std::span<const Index> box, const Values& values) {
  Indices start;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    const bool vector = !operand_dims(op, first).empty();
    const Index value = vector ? values.at(op.operands[first].instruction)[i]
                               : values.at(op.operands[first + i].instruction)[0];
    start.push_back(std::min(std::max<Index>(value, 0), whole[i] - box[i]));
  }
  return start;
}

Indices plus(const Indices& a, const Indices& b) {
  Indices sum = a;
  for (std::size_t i = 0; i < a.size(); ++i) sum[i] += b[i];
  return sum;
}

Relation dynamic_slice(const Instruction& op, std::size_t operand, const Values& values) {
  if (operand > 0) return all_pairs(output_dims(op, 0), operand_dims(op, operand));
  Relation r;
  const Indices start = corner(op, 1, operand_dims(op, 0), output_dims(op, 0), values);
  for_each_index(output_dims(op, 0), [&](const Indices& o) { r.insert({o, plus(o, start)}); });
  return r;
}

Relation dynamic_update_slice(const Instruction& op, std::size_t operand, const Values& values) {
  if (operand > 1) return all_pairs(output_dims(op, 0), operand_dims(op, operand));
  const Indices start = corner(op, 2, output_dims(op, 0), operand_dims(op, 1), values);
  Relation r;
  std::set<Indices> overwritten;
  for_each_index(operand_dims(op, 1), [&](const Indices& u) {
    overwritten.insert(plus(u, start));
    if (operand == 1) r.insert({plus(u, start), u});
  });
  if (operand == 0) {
    for_each_index(output_dims(op, 0), [&](const Indices& o) {
      if (!overwritten.contains(o)) r.insert({o, o});
    });
  }
  return r;
}

// The index in the array of indices: `batch` with `component` inserted at the vector dimension.
Indices index_position(const Indices& batch, Index vector_dim, std::size_t rank, Index component) {
  Indices position = batch;
  if (at(vector_dim) < rank) position.insert(position.begin() + vector_dim, component);
  return position;
}

Relation gather(const Instruction& op, std::size_t operand, const Values& values) {
  const auto array = operand_dims(op, 0);
  const auto indices = operand_dims(op, 1);
  const Indices offset_dims = ints(op, "offset_dims"), collapsed = ints(op, "collapsed_slice_dims");
  const Indices start_index_map = ints(op, "start_index_map"), sizes = ints(op, "slice_sizes");
  const Indices array_batch = ints(op, "operand_batching_dims"),
                indices_batch = ints(op, "start_indices_batching_dims");
  const Index vector_dim = int_of(op, "index_vector_dim").value();
  const Indices& value = values.at(op.operands[1].instruction);
  Relation r;
  for_each_index(output_dims(op, 0), [&](const Indices& o) {
    Indices batch, window;
    for (std::size_t i = 0; i < o.size(); ++i) (has(offset_dims, i) ? window : batch).push_back(o[i]);
    // The start of the window, clamped.
    Indices x(array.size(), 0);
    for (std::size_t p = 0; p < start_index_map.size(); ++p) {
      const Indices position = index_position(batch, vector_dim, indices.size(), static_cast<Index>(p));
      if (operand == 1) r.insert({o, position});
      const std::size_t d = at(start_index_map[p]);
      x[d] = std::min(std::max<Index>(value[at(number_of(indices, position))], 0), array[d] - sizes[d]);
    }
    for (std::size_t k = 0; k < array_batch.size(); ++k) {
      x[at(array_batch[k])] = index_position(batch, vector_dim, indices.size(), 0)[at(indices_batch[k])];
    }
    std::size_t w = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (!has(collapsed, i) && !has(array_batch, i)) x[i] += window[w++];
    }
    if (operand == 0) r.insert({o, x});
  });
  return r;
}

// True if the scatter's function replaces the old value instead of adding to it.
bool replaces(const Instruction& op) { return called_by(op, "to_apply")->root->opcode == Opcode::parameter; }

Relation scatter(const Instruction& op, std::size_t output, std::size_t operand, const Values& values) {
  const std::size_t count = op.operands.size() / 2;
  const auto array = output_dims(op, output);
  const auto indices = operand_dims(op, count);
  const auto updates = operand_dims(op, count + 1);
  const Indices window_dims = ints(op, "update_window_dims"), inserted = ints(op, "inserted_window_dims");
  const Indices components = ints(op, "scatter_dims_to_operand_dims");
  const Indices array_batch = ints(op, "input_batching_dims"),
                indices_batch = ints(op, "scatter_indices_batching_dims");
  const Index vector_dim = int_of(op, "index_vector_dim").value();
  const Indices& value = values.at(op.operands[count].instruction);

  // For each element, the updates that reach it, in order.
  std::map<Indices, std::vector<std::pair<Indices, Indices>>> hits;  // (update, batch position)
  for_each_index(updates, [&](const Indices& u) {
    Indices batch, window;
    for (std::size_t i = 0; i < u.size(); ++i) (has(window_dims, i) ? window : batch).push_back(u[i]);
    Indices x(array.size(), 0);
    for (std::size_t p = 0; p < components.size(); ++p) {
      const Indices position = index_position(batch, vector_dim, indices.size(), static_cast<Index>(p));
      x[at(components[p])] = value[at(number_of(indices, position))];
    }
    for (std::size_t k = 0; k < array_batch.size(); ++k) {
      x[at(array_batch[k])] = index_position(batch, vector_dim, indices.size(), 0)[at(indices_batch[k])];
    }
    // A window that is partly out of bounds is dropped as a whole.
    std::size_t w = 0;
    bool inside = true;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const bool windowed = !has(inserted, i) && !has(array_batch, i);
      const Index extent = windowed ? updates[at(window_dims[w])] : 1;
      inside = inside && 0 <= x[i] && x[i] + extent <= array[i];
      if (windowed) x[i] += window[w++];
    }
    if (inside) hits[x].push_back({u, batch});
  });
  Relation r;
  const auto own = static_cast<std::size_t>(output);
  if (operand < count) {
    if (operand != own) return r;
    for_each_index(array, [&](const Indices& o) {
      if (!replaces(op) || !hits.contains(o)) r.insert({o, o});
    });
    return r;
  }
  if (operand > count && operand != count + 1 + own) return r;
  for (auto& [o, all] : hits) {
    if (replaces(op)) all.erase(all.begin(), all.end() - 1);
    for (const auto& [u, batch] : all) {
      if (operand > count) {
        r.insert({o, u});
        continue;
      }
      const Index length = at(vector_dim) < indices.size() ? indices[at(vector_dim)] : 1;
      for (Index p = 0; p < length; ++p) r.insert({o, index_position(batch, vector_dim, indices.size(), p)});
    }
  }
  return r;
}

}  // namespace

std::optional<Relation> reference_indexed(const Instruction& op, std::size_t output, std::size_t operand,
                                          const Values& values) {
  switch (op.opcode) {
    case Opcode::dynamic_slice:
      return dynamic_slice(op, operand, values);
    case Opcode::dynamic_update_slice:
      return dynamic_update_slice(op, operand, values);
    case Opcode::gather:
      return gather(op, operand, values);
    case Opcode::scatter:
      return scatter(op, output, operand, values);
    default:
      return std::nullopt;
  }
}

}  // namespace tessera::laws
