// SPDX-License-Identifier: Apache-2.0
/// \file
/// Reductions, windows, convolutions and dots: sums over many elements.
#include <algorithm>

#include "hlo/syntax/attributes.h"
#include "laws/hlo_reference.h"

namespace tessera::laws {
namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

Relation reduce(const Instruction& op, std::size_t output, std::size_t operand) {
  const Indices reduced = ints(op, "dimensions");
  if (operand >= op.operands.size() / 2) return all_pairs(output_dims(op, output), {});
  Relation r;
  for_each_index(operand_dims(op, operand), [&](const Indices& x) {
    Indices o;
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (std::ranges::find(reduced, static_cast<Index>(i)) == reduced.end()) o.push_back(x[i]);
    }
    r.insert({o, x});
  });
  return r;
}

// The input index under window element k of window o. Empty for padding and for the gaps of a dilated input.
std::optional<Indices> under_window(const std::vector<WindowDim>& window, std::span<const Index> in,
                                    const Indices& o, const Indices& k) {
  Indices x(o.size());
  for (std::size_t i = 0; i < o.size(); ++i) {
    const Index place = o[i] * window[i].stride + k[i] * window[i].rhs_dilate - window[i].pad_low;
    if (place < 0 || place % window[i].lhs_dilate != 0) return std::nullopt;
    x[i] = place / window[i].lhs_dilate;
    if (x[i] >= in[i]) return std::nullopt;
  }
  return x;
}

Indices sizes_of(const std::vector<WindowDim>& window) {
  Indices sizes;
  for (const WindowDim& w : window) sizes.push_back(w.size);
  return sizes;
}

Relation windows(const std::vector<WindowDim>& window, std::span<const Index> out,
                 std::span<const Index> in) {
  Relation r;
  for_each_index(out, [&](const Indices& o) {
    for_each_index(sizes_of(window), [&](const Indices& k) {
      if (const auto x = under_window(window, in, o, k)) r.insert({o, *x});
    });
  });
  return r;
}

// Includes every position that a window could select for some data.
Relation select_and_scatter(const Instruction& op, std::size_t operand) {
  const auto place = output_dims(op, 0);
  const auto source = operand_dims(op, 1);
  if (operand == 2) return all_pairs(place, {});
  const Relation held = windows(window_of(op).value(), source, place);
  Relation r;
  for (const auto& [w, x] : held) {
    if (operand == 1) {
      r.insert({x, w});
      continue;
    }
    for (auto same = held.lower_bound({w, {}}); same != held.end() && same->first == w; ++same) {
      r.insert({x, same->second});
    }
  }
  return r;
}

Relation convolution(const Instruction& op, std::size_t operand) {
  const ConvolutionDims d = dim_labels_of(op).value();
  const auto window = window_of(op).value();
  const Index feature_groups = int_of(op, "feature_group_count", 1).value();
  const Index batch_groups = int_of(op, "batch_group_count", 1).value();
  const auto in = operand_dims(op, 0);
  const auto kernel = operand_dims(op, 1);
  const auto out = output_dims(op, 0);
  const Index features = out[at(d.output_feature)];
  Indices in_spatial;
  for (const Index i : d.input_spatial) in_spatial.push_back(in[at(i)]);
  Relation r;
  for_each_index(out, [&](const Indices& o) {
    Indices out_spatial;
    for (const Index i : d.output_spatial) out_spatial.push_back(o[at(i)]);
    for_each_index(kernel, [&](const Indices& k) {
      const Index feature = o[at(d.output_feature)];
      if (k[at(d.kernel_output_feature)] != feature) return;
      // A reversed dimension visits the kernel in reverse order.
      Indices element;
      for (std::size_t i = 0; i < window.size(); ++i) {
        const Index place = k[at(d.kernel_spatial[i])];
        element.push_back(window[i].reversed ? window[i].size - 1 - place : place);
      }
      const auto spatial = under_window(window, in_spatial, out_spatial, element);
      if (!spatial) return;
      Indices x(in.size());
      for (std::size_t i = 0; i < spatial->size(); ++i) x[at(d.input_spatial[i])] = (*spatial)[i];
      const Index feature_group = feature / (features / feature_groups);
      const Index batch_group = feature / (features / batch_groups);
      x[at(d.input_feature)] =
          feature_group * (in[at(d.input_feature)] / feature_groups) + k[at(d.kernel_input_feature)];
      x[at(d.input_batch)] = batch_group * (in[at(d.input_batch)] / batch_groups) + o[at(d.output_batch)];
      r.insert({o, operand == 0 ? x : k});
    });
  });
  return r;
}

// Calls `visit(output, lhs, rhs)` for each product of two elements and the output that it is added to.
void dot_products(const Instruction& op, std::span<const Index> lhs, std::span<const Index> rhs,
                  const Indices& rhs_left_out,
                  const std::function<void(const Indices&, const Indices&, const Indices&)>& visit) {
  const Indices lhs_contracting = ints(op, "lhs_contracting_dims"),
                rhs_contracting = ints(op, "rhs_contracting_dims");
  const Indices lhs_batch = ints(op, "lhs_batch_dims"), rhs_batch = ints(op, "rhs_batch_dims");
  const auto has = [](const Indices& list, std::size_t i) {
    return std::ranges::find(list, static_cast<Index>(i)) != list.end();
  };
  for_each_index(lhs, [&](const Indices& a) {
    for_each_index(rhs, [&](const Indices& b) {
      for (std::size_t j = 0; j < lhs_contracting.size(); ++j) {
        if (a[at(lhs_contracting[j])] != b[at(rhs_contracting[j])]) return;
      }
      Indices o;
      for (std::size_t j = 0; j < lhs_batch.size(); ++j) {
        if (a[at(lhs_batch[j])] != b[at(rhs_batch[j])]) return;
        o.push_back(a[at(lhs_batch[j])]);
      }
      for (std::size_t i = 0; i < a.size(); ++i) {
        if (!has(lhs_contracting, i) && !has(lhs_batch, i)) o.push_back(a[i]);
      }
      for (std::size_t i = 0; i < b.size(); ++i) {
        if (!has(rhs_contracting, i) && !has(rhs_batch, i) && !has(rhs_left_out, i)) o.push_back(b[i]);
      }
      visit(o, a, b);
    });
  });
}

Relation dot(const Instruction& op, std::size_t operand) {
  Relation r;
  dot_products(op, operand_dims(op, 0), operand_dims(op, 1), {},
               [&](const Indices& o, const Indices& a, const Indices& b) {
                 if (operand < 2) {
                   r.insert({o, operand == 0 ? a : b});
                   return;
                 }
                 // There is one scale per block.
                 const auto whole = operand_dims(op, operand - 2);
                 const auto scale = operand_dims(op, operand);
                 Indices x = operand == 2 ? a : b;
                 if (scale.empty()) x.clear();
                 for (std::size_t i = 0; i < x.size(); ++i) x[i] /= whole[i] / scale[i];
                 r.insert({o, x});
               });
  return r;
}

// The group that contains row `row`, if consecutive groups have these sizes. Empty after the last group.
std::optional<Index> group_of(const Indices& sizes, Index row) {
  Index end = 0;
  for (std::size_t g = 0; g < sizes.size(); ++g) {
    end += sizes[g];
    if (row < end) return static_cast<Index>(g);
  }
  return std::nullopt;
}

Relation ragged_dot(const Instruction& op, std::size_t operand, const Values& values) {
  const auto ragged = at(ints(op, "lhs_ragged_dims")[0]);
  const Indices groups = ints(op, "rhs_group_dims");
  const Indices contracting = ints(op, "lhs_contracting_dims");
  const Indices batch = ints(op, "lhs_batch_dims");
  const Indices& sizes = values.at(op.operands[2].instruction);
  const auto has = [&](const Indices& list) {
    return std::ranges::find(list, static_cast<Index>(ragged)) != list.end();
  };
  Relation r;
  dot_products(op, operand_dims(op, 0), operand_dims(op, 1), groups,
               [&](const Indices& o, const Indices& a, const Indices& b) {
                 Indices result = o;
                 const auto group = group_of(sizes, a[ragged]);
                 if (!has(batch)) {
                   if (!group) return;
                   if (has(contracting)) {
                     result.insert(result.begin(), *group);
                   } else if (b[at(groups[0])] != *group) {
                     return;
                   }
                 }
                 if (operand < 2) r.insert({result, operand == 0 ? a : b});
               });
  return r;
}

// The statistics of each feature: the sums that each output needs.
Relation batch_norm(const Instruction& op, std::size_t output, std::size_t operand) {
  const auto feature = at(int_of(op, "feature_index").value());
  const auto out = output_dims(op, output);
  const auto in = operand_dims(op, operand);
  const bool grad = op.opcode == Opcode::batch_norm_grad;
  const bool out_array = output == 0;
  const bool in_array = operand == 0 || (grad && operand == 4);
  Relation r;
  // grad_offset is the sum of grad_output. grad_scale is the sum of grad_output times the normalized operand.
  if (grad && output == 2 && operand != 4) return r;
  if (grad && output == 1 && operand == 1) return r;
  // In training, the statistics are computed from the operand.
  if (op.opcode == Opcode::batch_norm_training && output > 0 && operand > 0) return r;
  for_each_index(out, [&](const Indices& o) {
    for_each_index(in, [&](const Indices& x) {
      if (o[out_array ? feature : 0] != x[in_array ? feature : 0]) return;
      if (op.opcode == Opcode::batch_norm_inference && operand == 0 && o != x) return;
      r.insert({o, x});
    });
  });
  return r;
}

}  // namespace

std::optional<Relation> reference_sums(const Instruction& op, std::size_t output, std::size_t operand,
                                       const Values& values) {
  switch (op.opcode) {
    case Opcode::reduce:
      return reduce(op, output, operand);
    case Opcode::reduce_window:
      if (operand >= op.operands.size() / 2) return all_pairs(output_dims(op, output), {});
      return windows(window_of(op).value(), output_dims(op, output), operand_dims(op, operand));
    case Opcode::select_and_scatter:
      return select_and_scatter(op, operand);
    case Opcode::convolution:
      return convolution(op, operand);
    case Opcode::dot:
    case Opcode::scaled_dot:
      return dot(op, operand);
    case Opcode::ragged_dot:
      return ragged_dot(op, operand, values);
    case Opcode::batch_norm_inference:
    case Opcode::batch_norm_training:
    case Opcode::batch_norm_grad:
      return batch_norm(op, output, operand);
    default:
      return std::nullopt;
  }
}

}  // namespace tessera::laws
