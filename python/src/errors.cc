// SPDX-License-Identifier: Apache-2.0
#include "python/src/errors.h"

#include <fmt/format.h>

#include <algorithm>

#include "verbs/verb.h"

namespace tessera::python {
namespace {

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
  const std::string name(parsing ? "ParseError" : python_class(diagnostic.code));
  const nb::object kind = nb::module_::import_("tessera._errors").attr(name.c_str());
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

void warn(const std::string& note) {
  const nb::object kind = nb::module_::import_("tessera._errors").attr("NoteWarning");
  if (PyErr_WarnEx(kind.ptr(), note.c_str(), 1) < 0) throw nb::python_error();
}

namespace {

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }

// The word that begins here.
std::string_view word_at(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && text[end] != ' ' && text[end] != ',' && text[end] != ';') ++end;
  return text.substr(at, end - at);
}

// Whether the keyword takes this word: `mesh` of `--to mesh`.
bool takes_word(std::string_view keyword, std::string_view word) {
  for (const verbs::Verb& verb : verbs::all_verbs())
    for (const verbs::Field& field : verb.fields) {
      if (field.name != keyword) continue;
      for (std::size_t at = field.value.find(word); at != std::string_view::npos;
           at = field.value.find(word, at + 1)) {
        const std::size_t end = at + word.size();
        if ((at == 0 || field.value[at - 1] == '|') && (end == field.value.size() || field.value[end] == '|'))
          return true;
      }
    }
  return false;
}

}  // namespace

std::string with_keywords(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool option = text.substr(at).starts_with("--") && at + 2 < text.size() && is_lower(text[at + 2]) &&
                        (at == 0 || text[at - 1] == ' ' || text[at - 1] == '\'' || text[at - 1] == '<');
    if (!option) {
      out += text[at];
      continue;
    }
    std::string keyword;
    for (at += 2; at < text.size() && (is_lower(text[at]) || text[at] == '-'); ++at)
      keyword += text[at] == '-' ? '_' : text[at];
    out += keyword;
    const std::string_view word =
        at < text.size() && text[at] == ' ' ? word_at(text, at + 1) : std::string_view();
    const bool placeholder =
        !word.empty() && std::ranges::none_of(word, is_lower);  // `N`, `LAYOUT`, and numbers
    if (placeholder) {
      out += '=';
    } else if (!word.empty() && takes_word(keyword, word)) {
      out += fmt::format("='{}'", word);
      at += word.size();
    } else {
      --at;
    }
  }
  return out;
}

Diagnostic with_keywords(Diagnostic diagnostic) {
  diagnostic.message = with_keywords(diagnostic.message);
  diagnostic.help = with_keywords(diagnostic.help);
  for (std::string& note : diagnostic.notes) note = with_keywords(note);
  return diagnostic;
}

}  // namespace tessera::python
