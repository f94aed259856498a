// SPDX-License-Identifier: Apache-2.0
/// \file
/// batch-norm-inference, -training and -grad: statistics over all dimensions except the feature dimension.
#include "hlo/module/as_size.h"
#include "hlo/ops/rule.h"

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

struct BatchNormOp : OpValue {
  std::size_t feature = 0;  // dimension
};

constexpr ArrayForm kA = ArrayForm::array;
constexpr ArrayForm kV = ArrayForm::vector;

// (operand, scale, offset, mean, variance) -> result
struct Inference {
  static constexpr ArrayForm kOutputs[] = {kA};
  static constexpr ArrayForm kOperands[] = {kA, kV, kV, kV, kV};
  static FeatureDependence of(std::size_t, std::size_t) { return FeatureDependence::element; }
};

// (operand, scale, offset) -> (result, mean, variance): the statistics do not depend on scale and offset.
struct Training {
  static constexpr ArrayForm kOutputs[] = {kA, kV, kV};
  static constexpr ArrayForm kOperands[] = {kA, kV, kV};
  static FeatureDependence of(std::size_t output, std::size_t operand) {
    return operand > 0 && output > 0 ? FeatureDependence::none : FeatureDependence::feature;
  }
};

// (operand, scale, mean, variance, grad_output) -> (grad_operand, grad_scale, grad_offset):
// grad_scale = sum of grad_output * (operand - mean) * rsqrt(variance + epsilon), grad_offset = sum of
// grad_output.
struct Gradient {
  static constexpr ArrayForm kOutputs[] = {kA, kV, kV};
  static constexpr ArrayForm kOperands[] = {kA, kV, kV, kV, kA};
  static FeatureDependence of(std::size_t output, std::size_t operand) {
    const bool none = (output == 1 && operand == 1) || (output == 2 && operand != 4);
    return none ? FeatureDependence::none : FeatureDependence::feature;
  }
};

template <class Form>
Problem read_batch_norm(const OpReader& reader, BatchNormOp& op) {
  TESSERA_RULE(reader.operand_count_is(std::size(Form::kOperands)));
  TESSERA_RULE(reader.operands_are_arrays());
  TESSERA_READ(feature, reader.integer("feature_index"));
  const auto array = reader.dims(0);
  TESSERA_RULE(reader.distinct_dims(reader.instruction().attribute("feature_index"), std::span(&feature, 1),
                                    array.size()));
  op.feature = as_size(feature);
  const std::vector<Index> features{array[op.feature]};
  for (std::size_t i = 1; i < reader.operand_count(); ++i) {
    const bool whole = Form::kOperands[i] == ArrayForm::array;
    TESSERA_RULE(reader.operand_dims_are(i, whole ? array : std::span<const Index>(features),
                                         whole ? "operand 0 has" : "one value for each feature is"));
  }
  if (std::size(Form::kOutputs) == 1) return reader.gives(reader.dtype(0), array);
  const HloType per_feature(TensorType{.dtype = reader.dtype(1), .dims = features});
  return reader.gives(HloType::tuple({reader.operand(0), per_feature, per_feature}));
}

template <class Form>
IndexingSet norm_to_input(const OpQuery& q, const BatchNormOp& op) {
  return related(q.out(), Form::kOutputs[q.output], q.in(), Form::kOperands[q.operand], op.feature,
                 Form::of(q.output, q.operand));
}

template <class Form>
IndexingSet norm_to_output(const OpQuery& q, const BatchNormOp& op) {
  return related(q.in(), Form::kOperands[q.operand], q.out(), Form::kOutputs[q.output], op.feature,
                 Form::of(q.output, q.operand));
}

template <class Form>
constexpr OpRule norm_rule() {
  return family_rule<BatchNormOp, read_batch_norm<Form>, norm_to_input<Form>, norm_to_output<Form>>();
}

}  // namespace

constinit const OpRule kBatchNormInferenceRule = norm_rule<Inference>();
constinit const OpRule kBatchNormTrainingRule = norm_rule<Training>();
constinit const OpRule kBatchNormGradRule = norm_rule<Gradient>();

}  // namespace tessera::detail
