// SPDX-License-Identifier: Apache-2.0
#include "verbs/register_plan.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "notation/xla/dtype_help.h"

namespace tessera::verbs {

namespace {

// The name that Triton has for a type: `i8` for s8 and u8, `i1` for pred.
std::string element_name(const std::string& type) {
  const std::optional<DType> known = read_dtype(type);
  if (!known) return type;
  if (dtype_class(*known) == DTypeClass::boolean) return "i1";
  return is_integer(*known) ? fmt::format("i{}", bit_width(*known)) : std::string(to_string(*known));
}

}  // namespace

bool are_registers(const Layout& layout) {
  const auto* const triton = layout.as<TritonLayout>();
  return triton != nullptr && space_of(triton->attribute.kind) == TritonSpace::registers;
}

Failure no_copy_of_registers(std::string_view field) {
  return refuse(
      field, Code::not_applicable, "two layouts of registers are a conversion between threads, not a copy",
      "'tessera plan --from A --to B' counts what moves; a copy has a layout of memory on one side");
}

Result<RegisterPlan> register_plan(TritonLayout from, TritonLayout to, const std::string& type,
                                   const std::string& target) {
  if (!from.shape) from.shape = to.shape;
  if (!to.shape) to.shape = from.shape;
  if (from.element.empty()) from.element = to.element.empty() ? element_name(type) : to.element;
  if (to.element.empty()) to.element = from.element;
  if (from.element != to.element)
    return refuse(
        "to", Code::different_type,
        fmt::format("elements of type {} do not become elements of type {}", from.element, to.element));
  const Index bits = triton_element_bits(from.element);
  if (bits == 0 && !type.empty())
    return refuse("type", Code::unknown_type, fmt::format("Triton has no elements of type {}", type),
                  "give a type that it has: --type f16");
  if (bits == 0)
    return refuse("to", Code::missing_layout, "the type of the elements is unknown",
                  "write tensor<64x64xf16, ...>, or add the type: --type f16");
  auto source = triton_bases(from);
  if (!source) return refuse("from", std::move(source.error()));
  auto destination = triton_bases(to);
  if (!destination) return refuse("to", std::move(destination.error()));
  const std::string machine = target.empty() ? "cuda:90" : target;
  if (!machine.starts_with("cuda:") && !machine.starts_with("hip:"))
    return refuse("target", Code::bad_option, fmt::format("'{}' is not a target of Triton", machine),
                  "targets are cuda:80, cuda:90, hip:gfx942, ...");
  auto plan = plan_registers(*source, *destination, bits, machine);
  if (!plan) return refuse("to", std::move(plan.error()));
  return plan;
}

}  // namespace tessera::verbs
