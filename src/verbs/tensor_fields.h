// SPDX-License-Identifier: Apache-2.0
/// \file
/// Fields of `copy` and `plan`: layouts, element types, padding, kernels.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <variant>

#include "files/dense.h"
#include "tessera/base/dtype.h"
#include "tessera/relayout/plan.h"
#include "tessera/transfer/copy.h"
#include "verbs/request.h"

namespace tessera::verbs {

/// NumPy's order `C` or `F`, which may replace a layout.
std::optional<DenseOrder> parse_order(std::string_view text);

/// An order, or a layout.
using NamedOrOrder = std::variant<DenseOrder, NamedOrLayout>;
template <>
struct Reading<NamedOrOrder> {
  static NamedOrOrder none() { return DenseOrder::c; }
  /// Errors: those of Reading<NamedOrLayout>.
  static Result<NamedOrOrder> read(const std::string& text);
};

/// A type that elements of arrays have.
struct ElementType {
  DType dtype;
};
template <>
struct FieldType<ElementType> {
  /// Errors: unknown_type.
  static Result<ElementType> read(std::string_view text);
  static Json schema() { return {{"type", "string"}}; }
};

/// An instruction set, or the question which there are.
struct IsaChoice {
  bool list = false;
  Isa isa = Isa::automatic;
};
template <>
struct FieldType<IsaChoice> {
  /// Errors: those of parse_isa.
  static Result<IsaChoice> read(std::string_view text);
  static Json schema() { return {{"type", "string"}}; }
};

struct TensorFields {
  std::optional<ElementType> type = {};
  std::optional<Index> bytes = {};
  std::string fill = "keep";
  Index threads = 0;
  IsaChoice isa = {};

  ElementHint hint(const std::optional<Layout>& to) const;
};

inline constexpr Field kThreadsField = {
    .name = "threads",
    .value = "N",
    .help = "worker threads; 0, the default, is one per hardware thread. Results do not depend on it",
    .most = 1024};

template <class R, class Visit>
void visit_tensor_fields(Visit&& visit, std::string_view from_help, std::string_view to_help) {
  visit(Field{.name = "from", .value = "LAYOUT", .help = from_help}, &R::from);
  visit(Field{.name = "to", .value = "LAYOUT", .help = to_help}, &R::to);
  visit(Field{.name = "type",
              .value = "TYPE",
              .help = "the element type, if no layout and no header gives it: f32, s4, bf16"},
        &R::type);
  visit(Field{.name = "bytes",
              .value = "N",
              .help = "the bytes of an element of unknown type",
              .least = 1,
              .most = Index{1} << 20},
        &R::bytes);
  visit(
      Field{
          .name = "fill",
          .value = "keep|any|VALUE",
          .help =
              "what to write to padding: keep (0 in a new file; the default), any, or a value such as 0, -1, "
              "1.5, inf, 0x7fc0"},
      &R::fill);
  visit(kThreadsField, &R::threads);
  visit(Field{.name = "isa",
              .value = "list|NAME",
              .help = "instruction set of the kernels; list shows the choices"},
        &R::isa);
}

/// What to do with padding, and the bytes to write.
struct PaddingFill {
  Padding padding = Padding::keep;
  std::array<std::byte, 16> bytes = {};
};
/// Errors: those of parse_fill, about the field `fill`.
Result<PaddingFill> read_fill(const std::string& text, std::optional<DType> dtype, Index element_bits);

/// The instruction set to use. Errors: those of parse_isa, for the environment's TESSERA_ISA, which the
/// library ignores if it is wrong.
Result<Isa> chosen_isa(const IsaChoice& choice);

/// The instruction sets of this machine, a line for each.
std::string isas_text();

}  // namespace tessera::verbs
