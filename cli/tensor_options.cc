// SPDX-License-Identifier: Apache-2.0
#include "cli/tensor_options.h"

#include <fmt/core.h>

#include <cstdlib>
#include <memory>
#include <utility>

#include "cli/help.h"
#include "notation/xla/dtype_help.h"
#include "report/copy_answer.h"
#include "tessera/notation/layout.h"
#include "verbs/column_major.h"
#include "verbs/file_hint.h"

namespace tessera::cli {
void add_tensor_options(CLI::App& verb, TensorOptions& options) {
  verb.add_option("--from", options.from, "the layout of the data")->type_name("LAYOUT");
  verb.add_option("--to", options.to, "the layout to write; C or F: NumPy's orders")->type_name("LAYOUT");
  verb.add_option("--type", options.type,
                  "the element type, if no layout and no header gives it: f32, s4, bf16")
      ->type_name("TYPE");
  verb.add_option("--bytes", options.bytes, "the bytes of an element of unknown type")
      ->type_name("N")
      ->check(whole_number(1, 1 << 20));
  verb.add_option("--fill", options.fill,
                  "what to write to padding: keep (0 in a new file; the default), any, or a value such as 0, "
                  "-1, 1.5, inf, "
                  "0x7fc0")
      ->type_name("keep|any|VALUE");
  add_threads_option(verb, options.threads);
  verb.add_option("--isa", options.isa, "instruction set of the kernels; list shows the choices")
      ->type_name("list|NAME");
}

int report_failure(Session& session, Diagnostic diagnostic, std::string_view argument, std::size_t which) {
  const int status = status_of(diagnostic);
  session.report_argument(std::move(diagnostic), argument, which);
  return status;
}

int report_option(Session& session, Diagnostic diagnostic, std::string_view option) {
  const int status = status_of(diagnostic);
  session.report_option(std::move(diagnostic), option);
  return status;
}

std::optional<DenseOrder> parse_order(std::string_view text) {
  if (text == "C") return DenseOrder::c;
  if (text == "F") return DenseOrder::fortran;
  return std::nullopt;
}

std::optional<Layout> read_layout(Session& session, const char* option, const std::string& text, int& status,
                                  const Layout* like) {
  if (text.empty()) return std::nullopt;
  const std::optional<DenseOrder> order = parse_order(text);
  if (order && like == nullptr) {
    status = report_option(session,
                           {.code = Code::missing_layout,
                            .message = fmt::format("{} is an order without a shape", text),
                            .help = "give a layout, like f32[4,8]{1,0} or np:(4,8):(8,1)"},
                           option);
    return std::nullopt;
  }
  Result<Layout> layout =
      order ? dense_layout(like->dtype(), like->shape(), *order, like->element_bits().value_or(8))
            : parse_layout(text);
  if (layout) {
    const std::string note = order ? "" : verbs::column_major_note(text);
    if (!note.empty()) session.note(note);
    session.err().flush();  // a long copy may follow
    return std::move(*layout);
  }
  status = status_of(layout.error());
  session.report(verbs::file_in_place_of_layout(text).value_or(layout.error()),
                 std::make_shared<const Source>(option, text));
  return std::nullopt;
}

std::optional<ElementHint> read_hint(Session& session, const TensorOptions& options,
                                     const std::optional<Layout>& to, int& status) {
  ElementHint hint{.bytes = options.bytes, .fallback_dtype = to ? to->dtype() : std::nullopt};
  if (options.type.empty()) return hint;
  hint.dtype = parse_dtype(options.type);
  if (hint.dtype && is_array_type(*hint.dtype)) return hint;
  status = report_option(session,
                         {.code = Code::unknown_type,
                          .message = fmt::format("'{}' is not an element type", options.type),
                          .help = dtype_help(options.type)},
                         "--type");
  return std::nullopt;
}

std::optional<Isa> read_isa(Session& session, const std::string& name, int& status) {
  // The library ignores an unknown name; the program reports it.
  const char* const wanted = std::getenv("TESSERA_ISA");
  if (name == "auto" && wanted != nullptr) {
    if (Result<Isa> isa = parse_isa(wanted); !isa) {
      Diagnostic diagnostic = std::move(isa).error();
      diagnostic.message = "TESSERA_ISA: " + diagnostic.message;
      status = report_failure(session, std::move(diagnostic), "");
      return std::nullopt;
    }
  }
  const Result<Isa> isa = parse_isa(name);
  if (isa) return *isa;
  status = report_option(session, isa.error(), "--isa");
  return std::nullopt;
}

int list_isas(Session& session, std::string_view verb) {
  int status = kDone;
  const std::unique_ptr<Destination> destination = Destination::open(session, /*html_allowed=*/false, status);
  if (destination == nullptr) return status;
  if (destination->format() == Format::json) {
    destination->output().write(isas_to_json(verb) + "\n");
  } else {
    for (const Isa isa : available_isas()) {
      destination->output().write(
          fmt::format("{}{}\n", to_string(isa), isa == default_isa() ? " (auto)" : ""));
    }
  }
  return destination->finish(kDone);
}

std::optional<PaddingFill> read_fill(Session& session, const std::string& text, std::optional<DType> dtype,
                                     Index element_bits, int& status) {
  if (text == "keep") return PaddingFill{Padding::keep};
  if (text == "any") return PaddingFill{Padding::any};
  const Result<std::array<std::byte, 16>> bytes = parse_fill(text, dtype, element_bits);
  if (bytes)
    return PaddingFill{*bytes == std::array<std::byte, 16>{} ? Padding::zero : Padding::value, *bytes};
  status = report_option(session, bytes.error(), "--fill");
  return std::nullopt;
}

}  // namespace tessera::cli
