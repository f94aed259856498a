// SPDX-License-Identifier: Apache-2.0
/// \file
/// Elementwise instructions, and instructions that move elements.
#include "hlo/syntax/attributes.h"
#include "laws/hlo_reference.h"

namespace tessera::laws {
namespace {

Relation same_index(std::span<const Index> extents) {
  Relation r;
  for_each_index(extents, [&](const Indices& i) { r.insert({i, i}); });
  return r;
}

// Pairs of elements that share a bit, where element i of an array covers bits [start(i), start(i) + bits).
Relation overlapping(std::span<const Index> out, Index out_bits,
                     const std::function<Index(const Indices&)>& out_place, std::span<const Index> in,
                     Index in_bits, const std::function<Index(const Indices&)>& in_place) {
  Relation r;
  std::vector<std::pair<Indices, Index>> inputs;
  for_each_index(in, [&](const Indices& x) { inputs.emplace_back(x, in_place(x) * in_bits); });
  for_each_index(out, [&](const Indices& o) {
    const Index a = out_place(o) * out_bits;
    for (const auto& [x, b] : inputs) {
      if (a < b + in_bits && b < a + out_bits) r.insert({o, x});
    }
  });
  return r;
}

// The offset in a tiled layout. Handles one tile at a time: extend, combine runs that end in a number, split,
// linearize.
Index offset_in(const TensorType& type, const Indices& index) {
  Indices bound, at;
  Indices order = type.minor_to_major();
  for (auto d = order.rbegin(); d != order.rend(); ++d) {
    bound.push_back(type.dims[static_cast<std::size_t>(*d)]);
    at.push_back(index[static_cast<std::size_t>(*d)]);
  }
  if (type.layout != nullptr) {
    for (const auto& tile : type.layout->tiles) {
      while (bound.size() < tile.size()) {
        bound.insert(bound.begin(), 1);
        at.insert(at.begin(), 0);
      }
      const std::size_t kept = bound.size() - tile.size();
      Indices outer_bound, outer_at, inner_bound, inner_at;
      Index merged_bound = 1, merged_at = 0;
      for (std::size_t i = 0; i < tile.size(); ++i) {
        merged_at = merged_at * bound[kept + i] + at[kept + i];
        merged_bound *= bound[kept + i];
        if (tile[i] == kCombine) continue;
        outer_bound.push_back((merged_bound + tile[i] - 1) / tile[i]);
        outer_at.push_back(merged_at / tile[i]);
        inner_bound.push_back(tile[i]);
        inner_at.push_back(merged_at % tile[i]);
        merged_bound = 1;
        merged_at = 0;
      }
      bound.resize(kept);
      at.resize(kept);
      for (const auto* part : {&outer_bound, &inner_bound})
        bound.insert(bound.end(), part->begin(), part->end());
      for (const auto* part : {&outer_at, &inner_at}) at.insert(at.end(), part->begin(), part->end());
    }
  }
  return number_of(bound, at);
}

Index storage_bits(const TensorType& type) {
  if (type.layout != nullptr && type.layout->element_bits > 0) return type.layout->element_bits;
  return Index{bit_width(type.dtype) + 7} / 8 * 8;
}

Relation bitcast(const TensorType& out, const TensorType& in) {
  return overlapping(
      out.dims, storage_bits(out), [&](const Indices& i) { return offset_in(out, i); }, in.dims,
      storage_bits(in), [&](const Indices& i) { return offset_in(in, i); });
}

// The relation of elements that share row-major bits. If the widths are equal, this is a reshape; otherwise,
// a bitcast-convert.
Relation row_major_bits(const TensorType& out, Index out_bits, const TensorType& in, Index in_bits) {
  return overlapping(
      out.dims, out_bits, [&](const Indices& i) { return number_of(out.dims, i); }, in.dims, in_bits,
      [&](const Indices& i) { return number_of(in.dims, i); });
}

Relation concatenate(const Instruction& op, std::size_t operand) {
  const auto dim = static_cast<std::size_t>(ints(op, "dimensions")[0]);
  Index before = 0;
  for (std::size_t j = 0; j < operand; ++j) before += operand_dims(op, j)[dim];
  Relation r;
  for_each_index(operand_dims(op, operand), [&](const Indices& x) {
    Indices o = x;
    o[dim] += before;
    r.insert({o, x});
  });
  return r;
}

Relation pad(const Instruction& op, std::size_t operand) {
  const auto out = output_dims(op, 0);
  const auto ranges = padding_of(op).value();
  Relation r;
  std::set<Indices> covered;
  for_each_index(operand_dims(op, 0), [&](const Indices& x) {
    Indices o(x.size());
    bool inside = true;
    for (std::size_t i = 0; i < x.size(); ++i) {
      o[i] = ranges[i].low + x[i] * (ranges[i].interior + 1);
      inside = inside && 0 <= o[i] && o[i] < out[i];
    }
    if (!inside) return;
    covered.insert(o);
    if (operand == 0) r.insert({o, x});
  });
  if (operand == 1) {
    for_each_index(out, [&](const Indices& o) {
      if (!covered.contains(o)) r.insert({o, {}});
    });
  }
  return r;
}

}  // namespace

std::optional<Relation> reference_movement(const Instruction& op, std::size_t output, std::size_t operand) {
  if (op.opcode == Opcode::tuple) {
    return output == operand ? same_index(output_dims(op, output)) : Relation();
  }
  if (op.opcode == Opcode::get_tuple_element) return same_index(op.type.dims());
  if (op.opcode == Opcode::opt_barrier || op.opcode == Opcode::copy_done)
    return same_index(output_dims(op, output));
  if (op.opcode == Opcode::copy_start) return output < 2 ? same_index(output_dims(op, output)) : Relation();
  if (op.opcode == Opcode::get_dimension_size) return Relation();
  if (op.operands.empty() || op.operand_type(operand).is_tuple()) return std::nullopt;
  const auto out = output_dims(op, output);
  const auto in = operand_dims(op, operand);
  if (is_elementwise(op.opcode)) return in.empty() && !out.empty() ? all_pairs(out, in) : same_index(out);
  Relation r;
  switch (op.opcode) {
    case Opcode::bitcast_convert: {
      const TensorType& to = op.type.array();
      const TensorType& from = op.operand_type(0).array();
      return row_major_bits(to, bit_width(to.dtype), from, bit_width(from.dtype));
    }
    case Opcode::bitcast:
      return bitcast(op.type.array(), op.operand_type(0).array());
    case Opcode::reshape:
      return row_major_bits(op.type.array(), 1, op.operand_type(0).array(), 1);
    case Opcode::dynamic_reshape:
      return operand == 0 ? row_major_bits(op.type.array(), 1, op.operand_type(0).array(), 1)
                          : all_pairs(out, in);
    case Opcode::set_dimension_size:
      return operand == 0 ? same_index(out) : all_pairs(out, in);
    case Opcode::broadcast: {
      const Indices dims = ints(op, "dimensions");
      for_each_index(out, [&](const Indices& o) {
        Indices x;
        for (const Index d : dims) x.push_back(o[static_cast<std::size_t>(d)]);
        r.insert({o, x});
      });
      return r;
    }
    case Opcode::transpose: {
      const Indices dims = ints(op, "dimensions");
      for_each_index(in, [&](const Indices& x) {
        Indices o;
        for (const Index d : dims) o.push_back(x[static_cast<std::size_t>(d)]);
        r.insert({o, x});
      });
      return r;
    }
    case Opcode::reverse: {
      const Indices dims = ints(op, "dimensions");
      for_each_index(out, [&](const Indices& o) {
        Indices x = o;
        for (const Index d : dims) {
          const auto i = static_cast<std::size_t>(d);
          x[i] = in[i] - 1 - o[i];
        }
        r.insert({o, x});
      });
      return r;
    }
    case Opcode::slice: {
      const auto ranges = slice_ranges_of(op).value();
      for_each_index(out, [&](const Indices& o) {
        Indices x = o;
        for (std::size_t i = 0; i < o.size(); ++i) x[i] = ranges[i].start + o[i] * ranges[i].stride;
        r.insert({o, x});
      });
      return r;
    }
    case Opcode::concatenate:
      return concatenate(op, operand);
    case Opcode::pad:
      return pad(op, operand);
    default:
      return std::nullopt;
  }
}

}  // namespace tessera::laws
