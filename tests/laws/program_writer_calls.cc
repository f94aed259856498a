// SPDX-License-Identifier: Apache-2.0
// Calls of computations, and tuples.
#include "laws/program_writer.h"

namespace tessera::model {

std::vector<Array> Writer::apply(const Program& callee, const std::vector<const Array*>& arguments) {
  std::vector<Array> out;
  for (const Array& output : callee.outputs) {
    Array& array = out.emplace_back(Array{.dims = output.dims, .elements = {}});
    for (const Sources& reads : output.elements) {
      Sources& s = array.elements.emplace_back();
      for (const Source& r : reads)
        add(s, arguments[r.parameter]->elements[static_cast<std::size_t>(r.element)]);
    }
  }
  return out;
}

std::string Writer::output_type(const Program& callee) {
  std::vector<std::string> types;
  for (const Array& output : callee.outputs) types.push_back(type_text(output.dims));
  return types.size() == 1 ? types[0] : fmt::format("({})", fmt::join(types, ", "));
}

void Writer::take_outputs(const Program& callee, std::vector<Array> outputs, const std::string& operation) {
  if (outputs.size() == 1) {
    define(std::move(outputs[0]), operation);
    return;
  }
  const std::string tuple = hidden(output_type(callee), operation);
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    define(std::move(outputs[k]), fmt::format("get-tuple-element({}), index={}", tuple, k));
  }
}

void Writer::call() {
  const Program& callee = callees_[static_cast<std::size_t>(below(static_cast<int>(callees_.size())))];
  std::vector<std::size_t> arguments;
  std::vector<std::string> texts;
  const std::size_t indices = options_.runtime ? 2 : 0;
  for (std::size_t p = 0; p + indices < callee.parameters.size(); ++p) {
    arguments.push_back(with_dims(callee.parameters[p]));
    texts.push_back(name(arguments.back()));
  }
  std::vector<const Array*> arrays;
  for (const std::size_t v : arguments) arrays.push_back(&values_[v]);
  static const Array kConstant{.dims = {}, .elements = {{}}};
  for (std::size_t k = 0; k < indices; ++k) {
    // The callee gets the same value either through a parameter or as a constant.
    const bool outright = chance(40);
    texts.push_back(outright ? hidden("s32[]", fmt::format("constant({})", options_.indices.values[k]))
                             : index_names_[k]);
    arrays.push_back(outright ? &kConstant : &indices_[k]);
  }
  const std::string operation =
      chance(50) ? fmt::format("fusion({}), kind=kLoop, calls={}", fmt::join(texts, ", "), callee.name)
                 : fmt::format("call({}), to_apply={}", fmt::join(texts, ", "), callee.name);
  take_outputs(callee, apply(callee, arrays), operation);
}

void Writer::conditional() {
  const auto fits = [](const Program& p) { return p.parameters.size() == 1; };
  const auto first = std::ranges::find_if(callees_, fits);
  if (first == callees_.end()) return binary();
  const auto second = std::ranges::find_if(callees_, [&](const Program& p) {
    return fits(p) && p.name != first->name && output_type(p) == output_type(*first);
  });
  const Program& a = *first;
  const Program& b = second == callees_.end() ? *first : *second;
  const std::size_t argument_a = with_dims(a.parameters[0]);
  const std::size_t argument_b = with_dims(b.parameters[0]);
  const std::size_t chooser = with_dims({});
  const std::string zero = hidden("f32[]", "constant(0)");
  const std::string predicate =
      hidden("pred[]", fmt::format("compare({}, {}), direction=LT", name(chooser), zero));
  std::vector<Array> outputs = apply(a, {&values_[argument_a]});
  const std::vector<Array> others = apply(b, {&values_[argument_b]});
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    for (std::size_t e = 0; e < outputs[k].elements.size(); ++e) {
      add(outputs[k].elements[e], others[k].elements[e]);
      add(outputs[k].elements[e], values_[chooser].elements[0]);
    }
  }
  take_outputs(a, std::move(outputs),
               fmt::format("conditional({}, {}, {}), true_computation={}, false_computation={}", predicate,
                           name(argument_a), name(argument_b), a.name, b.name));
}

void Writer::through_tuple() {
  const std::size_t a = pick();
  const std::size_t b = pick();
  std::string type = fmt::format("({}, {})", type_text(values_[a].dims), type_text(values_[b].dims));
  std::string tuple = hidden(type, fmt::format("tuple({}, {})", name(a), name(b)));
  if (chance(50)) tuple = hidden(type, fmt::format("opt-barrier({})", tuple));
  if (chance(50)) {
    const std::size_t c = pick();
    const std::string outer = fmt::format("({}, {})", type_text(values_[c].dims), type);
    const std::string nested = hidden(outer, fmt::format("tuple({}, {})", name(c), tuple));
    tuple = hidden(type, fmt::format("get-tuple-element({}), index=1", nested));
  }
  const bool second = chance(50);
  define(values_[second ? b : a], fmt::format("get-tuple-element({}), index={}", tuple, second ? 1 : 0));
}

}  // namespace tessera::model
