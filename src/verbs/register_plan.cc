// SPDX-License-Identifier: Apache-2.0
#include "verbs/register_plan.h"

#include <fmt/format.h>

#include "base/try.h"
#include "tessera/notation/triton_layout.h"
#include "verbs/request.h"

namespace tessera::verbs {
namespace {

// An error of a text, at its field.
Failure at_field(std::string_view field, const std::string& text, Diagnostic error) {
  if (error.span.begin == error.span.end) error.span = {0, static_cast<std::uint32_t>(text.size())};
  error.field = field;
  return fail(std::move(error));
}

}  // namespace

bool is_register_pair(std::string_view from, std::string_view to) {
  return is_triton_text(from) && is_triton_text(to);
}

Result<RegisterPlanAnswer> register_plan(const RegisterPlanTexts& texts) {
  auto from = parse_triton_layout(texts.from);
  if (!from) return at_field("from", texts.from, std::move(from.error()));
  auto to = parse_triton_layout(texts.to);
  if (!to) return at_field("to", texts.to, std::move(to.error()));
  // One of them may have the shape for both.
  if (!from->shape && to->shape) from->shape = to->shape;
  if (!to->shape && from->shape) to->shape = from->shape;
  for (const auto& [one, other] : {std::pair(&*from, &*to), std::pair(&*to, &*from)}) {
    if (one->element.empty()) one->element = other->element.empty() ? texts.type : other->element;
  }
  if (from->element != to->element)
    return at_field("to", texts.to,
                    {.code = Code::different_type,
                     .message = fmt::format("elements of type {} do not become elements of type {}",
                                            from->element, to->element)});
  const Index bits = triton_element_bits(from->element);
  if (bits == 0)
    return at_field("to", texts.to,
                    {.code = Code::missing_layout,
                     .message = "the type of the elements is unknown",
                     .help = "write tensor<64x64xf16, ...>, or add the type: --type f16"});
  auto source = triton_bases(*from);
  if (!source) return at_field("from", texts.from, std::move(source.error()));
  auto target = triton_bases(*to);
  if (!target) return at_field("to", texts.to, std::move(target.error()));
  const std::string machine = texts.target.empty() ? "cuda:90" : texts.target;
  if (!machine.starts_with("cuda:") && !machine.starts_with("hip:"))
    return at_field("target", machine,
                    {.code = Code::bad_option,
                     .message = fmt::format("'{}' is not a target of Triton", machine),
                     .help = "targets are cuda:80, cuda:90, hip:gfx942, ..."});
  auto plan = plan_registers(*source, *target, bits, machine);
  if (!plan) return at_field("to", texts.to, std::move(plan.error()));
  RegisterPlanAnswer answer{*std::move(plan), false};
  if (texts.expect.empty()) return answer;
  const auto level = parse_register_level(texts.expect);
  if (!level)
    return at_field("expect", texts.expect,
                    {.code = Code::bad_option,
                     .message = fmt::format("'{}' is not a level", texts.expect),
                     .help = "levels are none, renaming, selection, lanes, warps and blocks"});
  answer.farther = answer.plan.level > *level;
  return answer;
}

}  // namespace tessera::verbs
