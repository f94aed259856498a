// SPDX-License-Identifier: Apache-2.0
#include "laws/program_model.h"

#include <fmt/core.h>

#include <utility>

#include "laws/program_writer.h"

namespace tessera::model {

Index element_count(const std::vector<Index>& dims) {
  Index count = 1;
  for (const Index d : dims) count *= d;
  return count;
}

std::vector<Index> coordinates(Index element, const std::vector<Index>& dims) {
  std::vector<Index> out(dims.size());
  for (std::size_t i = dims.size(); i-- > 0;) {
    out[i] = element % dims[i];
    element /= dims[i];
  }
  return out;
}

Index linear(const std::vector<Index>& at, const std::vector<Index>& dims) {
  Index out = 0;
  for (std::size_t i = 0; i < dims.size(); ++i) out = out * dims[i] + at[i];
  return out;
}

RandomModule random_module(std::mt19937_64& random, const ProgramOptions& options) {
  RandomModule out;
  out.text =
      "sum {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT r = f32[] add(a, b)\n}\n"
      "less {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT r = pred[] compare(a, b), "
      "direction=LT\n}\n";
  std::vector<Program> callees;
  const int count = std::uniform_int_distribution<int>(0, 3)(random);
  ProgramOptions small = options;
  small.instructions = 4;
  for (int i = 0; i < count; ++i) {
    Program callee = Writer(random, fmt::format("f{}", i), small, callees).write();
    out.text += callee.text;
    callees.push_back(std::move(callee));
  }
  out.fused = Writer(random, "fused", options, callees).write();
  out.text += out.fused.text;
  std::vector<std::string> operands;
  out.text += "ENTRY main {\n";
  const std::size_t arrays = out.fused.parameters.size() - (options.runtime ? 2 : 0);
  for (std::size_t p = 0; p < out.fused.parameters.size(); ++p) {
    operands.push_back(fmt::format("p{}", p));
    const std::string type = p < arrays ? type_text(out.fused.parameters[p]) : "s32[]";
    out.text += fmt::format("  p{} = {} parameter({})\n", p, type, p);
  }
  std::vector<std::string> types;
  for (const Array& output : out.fused.outputs) types.push_back(type_text(output.dims));
  const std::string type = types.size() == 1 ? types[0] : fmt::format("({})", fmt::join(types, ", "));
  out.text +=
      fmt::format("  ROOT r = {} fusion({}), kind=kLoop, calls=fused\n}}\n", type, fmt::join(operands, ", "));
  return out;
}

}  // namespace tessera::model
