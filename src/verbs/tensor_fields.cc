// SPDX-License-Identifier: Apache-2.0
#include "verbs/tensor_fields.h"

#include <fmt/format.h>

#include <cstdlib>
#include <utility>

#include "notation/xla/dtype_help.h"
#include "tessera/relayout/relayout.h"

namespace tessera::verbs {

std::optional<DenseOrder> parse_order(std::string_view text) {
  if (text == "C") return DenseOrder::c;
  if (text == "F") return DenseOrder::fortran;
  return std::nullopt;
}

Result<NamedOrOrder> Reading<NamedOrOrder>::read(const std::string& text) {
  if (const auto order = parse_order(text)) return NamedOrOrder(*order);
  Result<NamedOrLayout> layout = Reading<NamedOrLayout>::read(text);
  if (!layout) return fail(std::move(layout.error()));
  return NamedOrOrder(*std::move(layout));
}

Result<ElementType> FieldType<ElementType>::read(std::string_view text) {
  const std::optional<DType> dtype = read_dtype(text);
  if (dtype && is_array_type(*dtype)) return ElementType{*dtype};
  return fail(Code::unknown_type, fmt::format("'{}' is not an element type", text), {},
              dtype_help(std::string(text)));
}

Result<IsaChoice> FieldType<IsaChoice>::read(std::string_view text) {
  if (text == "list") return IsaChoice{.list = true};
  const Result<Isa> isa = parse_isa(text);
  if (!isa) return fail(isa.error());
  return IsaChoice{.isa = *isa};
}

ElementHint TensorFields::hint(const std::optional<Layout>& to) const {
  return {.dtype = type ? std::optional(type->dtype) : std::nullopt,
          .bytes = bytes.value_or(0),
          .fallback_dtype = to ? to->dtype() : std::nullopt};
}

Result<PaddingFill> read_fill(const std::string& text, std::optional<DType> dtype, Index element_bits) {
  if (text == "keep") return PaddingFill{Padding::keep};
  if (text == "any") return PaddingFill{Padding::any};
  auto bytes = parse_fill(text, dtype, element_bits);
  if (!bytes) return refuse("fill", std::move(bytes.error()));
  return PaddingFill{*bytes == std::array<std::byte, 16>{} ? Padding::zero : Padding::value, *bytes};
}

Result<Isa> chosen_isa(const IsaChoice& choice) {
  const char* const wanted = std::getenv("TESSERA_ISA");
  if (choice.isa == Isa::automatic && wanted != nullptr) {
    if (Result<Isa> isa = parse_isa(wanted); !isa) {
      isa.error().message = "TESSERA_ISA: " + isa.error().message;
      return fail(std::move(isa.error()));
    }
  }
  return choice.isa;
}

std::string isas_text() {
  std::string out;
  for (const Isa isa : available_isas())
    out += fmt::format("{}{}\n", to_string(isa), isa == default_isa() ? " (auto)" : "");
  return out;
}

}  // namespace tessera::verbs
