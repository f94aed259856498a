// SPDX-License-Identifier: Apache-2.0
#include "python/src/errors.h"

namespace tessera::python {
namespace {

// The class of tessera._errors for a code.
const char* class_of(Code code) {
  switch (code) {
    case Code::syntax:
    case Code::number_range:
      return "ParseError";
    case Code::not_representable:
    case Code::not_invertible:
      return "NotRepresentable";
    case Code::undecided:
      return "Undecided";
    case Code::shape_mismatch:
    case Code::rank_mismatch:
    case Code::different_shape:
    case Code::dim_out_of_range:
    case Code::bad_permutation:
    case Code::index_out_of_range:
    case Code::value_count:
    case Code::buffer_too_small:
    case Code::shape_divisibility:
      return "ShapeError";
    case Code::unknown_name:
      return "UnknownName";
    case Code::file_not_found:
      return "MissingFile";
    case Code::file_exists:
      return "ExistingFile";
    case Code::file_read:
    case Code::file_write:
    case Code::file_too_large:
    case Code::bad_file:
    case Code::byte_order:
      return "FileError";
    default:
      return "Error";
  }
}

// The text of the diagnostic on the command line, without a position.
std::string error_text(const Diagnostic& d) {
  std::string text = to_string(d);
  for (const std::string& note : d.notes) text += "\n  = note: " + note;
  if (!d.witness.empty()) text += "\n  = witness: " + d.witness;
  if (!d.help.empty()) text += "\n  = help: " + d.help;
  return text;
}

}  // namespace

nb::object error_object(const Diagnostic& diagnostic, const Source* source, bool parsing) {
  std::string text = source != nullptr ? render(diagnostic, *source) : error_text(diagnostic);
  while (text.ends_with('\n')) text.pop_back();
  nb::list notes;
  for (const std::string& note : diagnostic.notes) notes.append(note);
  nb::object span = nb::none();
  if (source != nullptr) span = nb::make_tuple(diagnostic.span.begin, diagnostic.span.end);
  const nb::object kind =
      nb::module_::import_("tessera._errors").attr(parsing ? "ParseError" : class_of(diagnostic.code));
  return kind(text, "code"_a = to_string(diagnostic.code), "message"_a = diagnostic.message,
              "reason"_a = diagnostic.reason, "span"_a = span, "notes"_a = nb::tuple(notes),
              "witness"_a = diagnostic.witness, "help"_a = diagnostic.help);
}

namespace {

[[noreturn]] void throw_object(const nb::object& error) {
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
  throw nb::python_error();
}

}  // namespace

void raise(const Diagnostic& diagnostic) { throw_object(error_object(diagnostic, nullptr, false)); }

void raise(const Diagnostic& diagnostic, std::string_view text) {
  const Source source("<text>", std::string(text));
  throw_object(error_object(diagnostic, &source, true));
}

void raise(const Diagnostic& diagnostic, const Source& source) {
  throw_object(error_object(diagnostic, &source, false));
}

void raise(Code code, std::string message, std::string help) {
  raise(Diagnostic{.code = code, .message = std::move(message), .help = std::move(help)});
}

}  // namespace tessera::python
