// SPDX-License-Identifier: Apache-2.0
/// \file
/// batch-norm-inference, -training and -grad: statistics over all dimensions except the feature dimension.
#include <algorithm>

#include "hlo/ops/rule.h"
#include "hlo/syntax/attributes.h"

namespace tessera::detail {
namespace {

// The shape of an operand or output: that of operand 0, or a vector over the features.
enum class ArrayForm : std::uint8_t { array, vector };

// How an output depends on an operand: not at all, element by element, or on all elements of its feature.
enum class FeatureDependence : std::uint8_t { none, element, feature };

IndexingSet related(std::span<const Index> from, ArrayForm from_form, std::span<const Index> to,
                    ArrayForm to_form, std::size_t feature, FeatureDependence meeting) {
  if (meeting == FeatureDependence::none) return {};
  const bool follows = meeting == FeatureDependence::element && from_form == ArrayForm::array;
  MapBuilder map(from);
  const Expr at_feature = map.dim(from_form == ArrayForm::vector ? 0 : feature);
  if (to_form == ArrayForm::vector) return just(std::move(map).build({at_feature}));
  std::vector<Expr> results;
  for (std::size_t i = 0; i < to.size(); ++i) {
    if (i == feature) {
      results.push_back(at_feature);
    } else {
      results.push_back(follows ? map.dim(i) : map.range(to[i]));
    }
  }
  return just(std::move(map).build(std::move(results)));
}

// `meets` says how an output depends on an operand.
IndexingSet batch_norm(const OpQuery& q, bool to_input, std::span<const ArrayForm> outputs,
                       std::span<const ArrayForm> operands,
                       FeatureDependence (*meets)(std::size_t output, std::size_t operand)) {
  const auto array = q.dims_of(0);
  const auto feature = int_of(q.op, "feature_index");
  if (!feature) return unknown_set(feature.error());
  if (*feature < 0 || *feature >= static_cast<Index>(array.size()) || q.output >= outputs.size() ||
      q.operand >= operands.size()) {
    return bad_shape(q);
  }
  const auto f = static_cast<std::size_t>(*feature);
  const auto matches = [&](std::span<const Index> extents, ArrayForm form) {
    return form == ArrayForm::array ? std::ranges::equal(extents, array)
                                    : extents.size() == 1 && extents[0] == array[f];
  };
  const ArrayForm in = operands[q.operand];
  const ArrayForm out = outputs[q.output];
  if (!matches(q.in(), in) || !matches(q.out(), out)) return bad_shape(q);
  const FeatureDependence meeting = meets(q.output, q.operand);
  return to_input ? related(q.out(), out, q.in(), in, f, meeting)
                  : related(q.in(), in, q.out(), out, f, meeting);
}

constexpr ArrayForm kA = ArrayForm::array;
constexpr ArrayForm kV = ArrayForm::vector;

// (operand, scale, offset, mean, variance) -> result
IndexingSet inference(const OpQuery& q, bool to_input) {
  static constexpr ArrayForm kOutputs[] = {kA};
  static constexpr ArrayForm kOperands[] = {kA, kV, kV, kV, kV};
  return batch_norm(q, to_input, kOutputs, kOperands,
                    [](std::size_t, std::size_t) { return FeatureDependence::element; });
}

// (operand, scale, offset) -> (result, mean, variance): the statistics do not depend on scale and offset.
IndexingSet training(const OpQuery& q, bool to_input) {
  static constexpr ArrayForm kOutputs[] = {kA, kV, kV};
  static constexpr ArrayForm kOperands[] = {kA, kV, kV};
  return batch_norm(q, to_input, kOutputs, kOperands, [](std::size_t output, std::size_t operand) {
    return operand > 0 && output > 0 ? FeatureDependence::none : FeatureDependence::feature;
  });
}

// (operand, scale, mean, variance, grad_output) -> (grad_operand, grad_scale, grad_offset):
// grad_scale = sum of grad_output * (operand - mean) * rsqrt(variance + epsilon), grad_offset = sum of
// grad_output.
IndexingSet grad(const OpQuery& q, bool to_input) {
  static constexpr ArrayForm kOutputs[] = {kA, kV, kV};
  static constexpr ArrayForm kOperands[] = {kA, kV, kV, kV, kA};
  return batch_norm(q, to_input, kOutputs, kOperands, [](std::size_t output, std::size_t operand) {
    const bool none = (output == 1 && operand == 1) || (output == 2 && operand != 4);
    return none ? FeatureDependence::none : FeatureDependence::feature;
  });
}

IndexingSet inference_to_input(const OpQuery& q) { return inference(q, true); }
IndexingSet inference_to_output(const OpQuery& q) { return inference(q, false); }
IndexingSet training_to_input(const OpQuery& q) { return training(q, true); }
IndexingSet training_to_output(const OpQuery& q) { return training(q, false); }
IndexingSet grad_to_input(const OpQuery& q) { return grad(q, true); }
IndexingSet grad_to_output(const OpQuery& q) { return grad(q, false); }

}  // namespace

constinit const OpRule kBatchNormInferenceRule{inference_to_input, inference_to_output};
constinit const OpRule kBatchNormTrainingRule{training_to_input, training_to_output};
constinit const OpRule kBatchNormGradRule{grad_to_input, grad_to_output};

}  // namespace tessera::detail
