// SPDX-License-Identifier: Apache-2.0
// Helpers that all instructions use, and the choice of the next instruction.
#include "laws/program_writer.h"

namespace tessera::model {

Program Writer::write() {
  const int parameters = below(3) + 1;
  for (int p = 0; p < parameters; ++p) {
    std::vector<Index> dims = random_dims();
    Array array{.dims = dims, .elements = {}};
    for (Index e = 0; e < element_count(dims); ++e) {
      array.elements.push_back({Source{static_cast<std::size_t>(p), e}});
    }
    program_.parameters.push_back(dims);
    define(std::move(array), fmt::format("parameter({})", p));
  }
  for (std::size_t k = 0; options_.runtime && k < 2; ++k) {
    const std::size_t p = program_.parameters.size();
    program_.parameters.push_back({});
    index_names_.push_back(hidden("s32[]", fmt::format("parameter({})", p)));
    indices_.push_back({.dims = {}, .elements = {{Source{p, 0}}}});
  }
  for (int i = 0; i < options_.instructions; ++i) write_one();
  finish();
  return std::move(program_);
}

std::vector<Index> Writer::random_dims() {
  std::vector<Index> dims(chance(10) ? 0 : static_cast<std::size_t>(below(3)) + 1);
  do {
    for (Index& d : dims) d = chance(15) ? 1 : between(2, 6);
  } while (element_count(dims) > kMaxElements);
  return dims;
}

std::size_t Writer::pick() {
  const int count = static_cast<int>(values_.size());
  return static_cast<std::size_t>(chance(70) ? std::max(0, count - 1 - below(3)) : below(count));
}

std::size_t Writer::define(Array array, const std::string& operation) {
  const std::string text_name = fmt::format("v{}", next_++);
  lines_.push_back({text_name, fmt::format("{} = {} {}", text_name, type_text(array.dims), operation)});
  values_.push_back(std::move(array));
  names_.push_back(text_name);
  return values_.size() - 1;
}

std::string Writer::hidden(const std::string& type, const std::string& operation) {
  const std::string text_name = fmt::format("v{}", next_++);
  lines_.push_back({text_name, fmt::format("{} = {} {}", text_name, type, operation)});
  return text_name;
}

std::size_t Writer::with_dims(const std::vector<Index>& dims) {
  for (int attempt = 0; attempt < 4; ++attempt) {
    const std::size_t v = pick();
    if (values_[v].dims == dims) return v;
    if (element_count(values_[v].dims) == element_count(dims)) return reshape(v, dims);
  }
  const std::size_t v = pick();
  const Array scalar = build({}, [&](const Coordinates&, Sources& s) { s = values_[v].elements.back(); });
  Coordinates last;
  std::string ranges;
  for (const Index d : values_[v].dims) {
    ranges += fmt::format("{}[{}:{}]", ranges.empty() ? "" : ", ", d - 1, d);
  }
  std::string from = name(v);
  if (!values_[v].dims.empty()) {
    const std::vector<Index> ones(values_[v].dims.size(), 1);
    from = hidden(type_text(ones), fmt::format("slice({}), slice={{{}}}", from, ranges));
    from = hidden("f32[]", fmt::format("reshape({})", from));
  }
  return define(build(dims, [&](const Coordinates&, Sources& s) { s = scalar.elements[0]; }),
                fmt::format("broadcast({}), dimensions={{}}", from));
}

std::size_t Writer::reshape(std::size_t v, const std::vector<Index>& dims) {
  const Array& in = values_[v];
  return define(Array{.dims = dims, .elements = in.elements}, fmt::format("reshape({})", name(v)));
}

void Writer::write_one() {
  switch (below(options_.supersets ? 19 : 17)) {
    case 0:
      return unary();
    case 1:
    case 2:
      return binary();
    case 3:
      return transpose();
    case 4:
      return reverse();
    case 5:
      return slice();
    case 6:
      return broadcast();
    case 7:
      return random_reshape();
    case 8:
      return concatenate();
    case 9:
      return pad();
    case 10:
      return reduce();
    case 11:
      return dot();
    case 12:
      return options_.runtime ? runtime_slice() : dynamic_slice();
    case 13:
      return callees_.empty() ? binary() : call();
    case 14:
      if (options_.runtime) return runtime_slice();
      return callees_.size() < 2 ? unary() : conditional();
    case 15:
      return select();
    case 16:
      return options_.tuples ? through_tuple() : unary();
    case 17:
      return sort();
    default:
      return dynamic_update_slice();
  }
}

void Writer::finish() {
  const std::size_t parameters = program_.parameters.size();
  const auto late = [&] {
    const auto from = static_cast<Index>(std::min(values_.size() - 1, parameters));
    return static_cast<std::size_t>(between(from, static_cast<Index>(values_.size()) - 1));
  };
  const bool tuple = options_.tuples && chance(40);
  if (tuple) {
    std::vector<std::string> texts;
    for (int k = 0; k < 2; ++k) {
      const std::size_t v = late();
      texts.push_back(name(v));
      program_.outputs.push_back(values_[v]);
    }
    hidden(output_type(program_), fmt::format("tuple({})", fmt::join(texts, ", ")));
  } else {
    const std::size_t v = values_.size() - 1;
    program_.outputs.push_back(values_[v]);
    if (lines_.back().first != name(v)) unary_root(v);
  }
  program_.text = fmt::format("{} {{\n", program_.name);
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    program_.text += fmt::format("  {}{}\n", i + 1 == lines_.size() ? "ROOT " : "", lines_[i].second);
  }
  program_.text += "}\n";
}

}  // namespace tessera::model
