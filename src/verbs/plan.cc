// SPDX-License-Identifier: Apache-2.0
#include "verbs/plan.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "base/at_fault.h"
#include "report/copy_answer.h"
#include "report/exit_status.h"
#include "report/ttgir_answer.h"
#include "tessera/relayout/relayout.h"
#include "verbs/column_major.h"
#include "verbs/register_plan.h"

namespace tessera::verbs {
namespace {

// The bytes per element, on which both layouts must agree.
Result<Index> element_bytes(const Layout& from, const Layout& to, const ElementHint& hint) {
  std::optional<DType> dtype = hint.dtype;
  Index known = hint.bytes;  // of widths without a type, as of MLIR's i8
  for (const Layout* layout : {&from, &to}) {
    const std::optional<DType> own = layout->dtype();
    const Index bits = own ? 0 : layout->element_bits().value_or(0);
    if (bits % 8 == 0 && bits > 0) {
      if (known != 0 && known != bits / 8)
        return refuse("to", Code::different_type,
                      fmt::format("the elements have {} and {} bytes", known, bits / 8),
                      "a plan moves bits and never converts numbers");
      known = bits / 8;
    }
    if (dtype && own && *dtype != *own)
      return refuse("to", Code::different_type,
                    fmt::format("elements of type {} cannot become elements of type {}", to_string(*dtype),
                                to_string(*own)),
                    "a plan moves bits and never converts numbers");
    if (own) dtype = own;
  }
  if (!dtype && known == 0)
    return refuse("to", Code::missing_layout, "the element width is unknown",
                  "add the type, --type f32, or the width, --bytes 4");
  if (!dtype) return known;
  const Index bits = memory_bits(from, *dtype);
  const Index other = memory_bits(to, *dtype);
  if (bits != other || bits % 8 != 0)
    return refuse("to", Code::unsupported_width,
                  fmt::format("a plan moves whole bytes, but the elements have {} and {} bits", bits, other),
                  "tessera copy packs and unpacks narrower elements when it reads and writes a file");
  if (hint.bytes != 0 && hint.bytes != bits / 8)
    return refuse("bytes", Code::bad_option,
                  fmt::format("--bytes is {}, but an element of type {} has {}", hint.bytes,
                              to_string(*dtype), bits / 8),
                  "leave out --bytes");
  if (known != 0 && known != bits / 8)
    return refuse("to", Code::different_type,
                  fmt::format("the elements have {} and {} bytes", known, bits / 8),
                  "a plan moves bits and never converts numbers");
  return bits / 8;
}

// The layout of a side, whose order takes its shape and type from `like`.
Result<Layout> layout_of(std::string_view field, const Given<PlanSide>& side, const Layout* like) {
  if (const auto* const triton = std::get_if<TritonLayout>(&side.value)) {
    auto made = Layout::make(*triton);
    if (!made) return refuse(field, std::move(made.error()));
    return made;
  }
  if (const auto* const layout = std::get_if<Layout>(&side.value)) return *layout;
  if (like == nullptr)
    return refuse(field, Code::missing_layout, fmt::format("{} is an order without a shape", side.text),
                  "give a layout, like f32[4,8]{1,0} or np:(4,8):(8,1)");
  Result<Layout> dense = dense_layout(like->dtype(), like->shape(), std::get<DenseOrder>(side.value),
                                      like->element_bits().value_or(8));
  if (!dense) return refuse(field, std::move(dense.error()));
  return dense;
}

Result<PlanResult> plan_of_registers(const PlanRequest& request, const TritonLayout& from,
                                     const TritonLayout& to) {
  if (request.verify)
    return refuse("verify", Code::bad_option, "--verify proves the plan of a copy, not of a conversion",
                  "leave it out");
  if (request.fill != "keep")
    return refuse("fill", Code::bad_option, "--fill is for padding in memory, and registers have none",
                  "leave it out");
  if (request.threads != 0)
    return refuse("threads", Code::bad_option, "--threads is for a copy, not for a conversion",
                  "leave it out");
  if (request.isa.isa != Isa::automatic)
    return refuse("isa", Code::bad_option, "--isa is for a copy, not for a conversion", "leave it out");
  std::string type = request.type ? std::string(to_string(request.type->dtype)) : "";
  const Index bits = request.bytes ? 8 * *request.bytes : 0;
  if (bits != 0 && request.type && bit_width(request.type->dtype) != bits)
    return refuse("bytes", Code::bad_option,
                  fmt::format("--bytes is {}, but an element of type {} has {} bits", *request.bytes, type,
                              bit_width(request.type->dtype)),
                  "leave out --bytes");
  if (bits != 0 && bits != 8 && bits != 16 && bits != 32 && bits != 64)
    return refuse("bytes", Code::bad_option, "an element in registers has 1, 2, 4 or 8 bytes",
                  "give the bytes of the type");
  const std::string& own = from.element.empty() ? to.element : from.element;
  const Index own_bits = triton_element_bits(own);
  if (own_bits != 0 && bits != 0 && bits != own_bits)
    return refuse("bytes", Code::different_type,
                  fmt::format("the layouts have elements of type {}, with {} bits", own, own_bits),
                  "leave out --bytes");
  if (own_bits != 0 && request.type && bit_width(request.type->dtype) != own_bits &&
      !(own_bits == 1 && request.type->dtype == DType::pred))
    return refuse("type", Code::different_type,
                  fmt::format("the layouts have elements of type {}, not {}", own, type), "leave out --type");
  if (bits != 0 && type.empty()) type = fmt::format("i{}", bits);
  auto plan = register_plan(from, to, type, request.target);
  if (!plan) return fail(std::move(plan.error()));
  const bool farther = request.expect && plan->level > *request.expect;
  return PlanResult(PlanResult::OfRegisters{*std::move(plan), farther});
}

}  // namespace

Result<PlanSide> Reading<PlanSide>::read(const std::string& text) {
  if (const std::optional<DenseOrder> order = parse_order(text)) return *order;
  if (is_triton_text(text)) {
    auto triton = parse_triton_layout(text);
    if (!triton) return fail(std::move(triton.error()));
    return *std::move(triton);
  }
  auto layout = Reading<Layout>::read(text);
  if (!layout) return fail(std::move(layout.error()));
  return *std::move(layout);
}

int PlanResult::status() const { return registers_ && registers_->farther ? kNo : kDone; }

Result<std::string> PlanResult::to_text(const Terminal& /*terminal*/) const {
  if (registers_) {
    std::string text = tessera::to_text(registers_->plan);
    text.pop_back();  // the last line break
    return text;
  }
  return planned_ ? planned_->plan.describe() : isas_text();
}

Result<std::string> PlanResult::to_json() const {
  if (registers_) {
    std::string text = tessera::to_json(registers_->plan);
    text.insert(1, fmt::format(R"("schema":"tessera.plan/1","status":{},)", status()));
    return text;
  }
  return planned_ ? tessera::to_json(planned_->plan, planned_->from, planned_->to) : isas_to_json("plan");
}

Result<PlanResult> plan(const PlanRequest& request, Observer& observer) {
  if (request.isa.list) return PlanResult();
  for (const auto* const side : {&request.from, &request.to}) {
    const std::string note = *side ? column_major_note((*side)->text) : "";
    if (!note.empty()) observer.noted(note);
  }
  for (const auto& [field, side] : {std::pair("from", &request.from), std::pair("to", &request.to)}) {
    if (!side->has_value())
      return refuse(field, Code::bad_option, fmt::format("--{} is missing", field),
                    "usage: tessera plan --from LAYOUT --to LAYOUT");
  }
  const auto* const source = std::get_if<TritonLayout>(&request.from->value);
  const auto* const target = std::get_if<TritonLayout>(&request.to->value);
  const auto in_registers = [](const TritonLayout* side) {
    return side != nullptr && space_of(side->attribute.kind) == TritonSpace::registers;
  };
  // Two layouts of memory are a copy.
  if (source != nullptr && target != nullptr && (in_registers(source) || in_registers(target)))
    return plan_of_registers(request, *source, *target);
  for (const auto& [given, field] :
       {std::pair(request.expect.has_value(), "expect"), std::pair(!request.target.empty(), "target")}) {
    if (given)
      return refuse(field, Code::bad_option,
                    fmt::format("--{} is for two layouts of registers, and these are others", field),
                    "leave it out");
  }
  auto from = layout_of("from", *request.from, nullptr);
  if (!from) return fail(std::move(from.error()));
  auto to = layout_of("to", *request.to, &*from);
  if (!to) return fail(std::move(to.error()));
  auto isa = chosen_isa(request.isa);
  if (!isa) return fail(std::move(isa.error()));
  const ElementHint hint = request.hint(*to);
  const auto bytes = element_bytes(*from, *to, hint);
  if (!bytes) return fail(bytes.error());
  const std::optional<DType> dtype = hint.dtype ? hint.dtype : from->dtype() ? from->dtype() : to->dtype();
  auto fill = read_fill(request.fill, dtype, 8 * *bytes);
  if (!fill) return fail(std::move(fill.error()));
  const PlanOptions options{.padding = fill->padding,
                            .fill = fill->bytes,
                            .isa = *isa,
                            .threads = executor_threads(static_cast<int>(request.threads))};
  auto made = make_plan(*from, *to, *bytes, options);
  if (!made) return fail(detail::at_fault("to", std::move(made.error())));
  if (request.verify) {
    if (auto proved = verify(*made, *from, *to); !proved) return refuse("verify", std::move(proved.error()));
  }
  return PlanResult({*std::move(made), *std::move(from), *std::move(to)});
}

}  // namespace tessera::verbs
