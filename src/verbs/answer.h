// SPDX-License-Identifier: Apache-2.0
/// \file
/// Answers of verbs: values that make their text, JSON and picture when asked.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/base/result.h"
#include "tessera/draw/picture.h"

namespace tessera::verbs {

/// The formats of a file with a picture.
enum class PictureFormat : std::uint8_t { svg, png, tex, html, json };

/// Where a text is read.
struct Terminal {
  TextOptions text = {};
  /// Whether only the part of a large picture is drawn that fits the width.
  bool fits = false;
  bool bold = false;           ///< headings are bold
  std::string_view path = {};  ///< the file that it is written to; empty for a stream
};

/// A file that belongs to an answer.
struct FileBeside {
  std::string path;
  std::string text;
};

/// What a verb found.
class VerbAnswer {
 public:
  virtual ~VerbAnswer() = default;
  /// The exit status: docs/lookup/exit-status.md.
  virtual int status() const = 0;
  /// Lines without the last line break. Pictures are drawn for the terminal. Errors, here and below: those of
  /// the picture.
  virtual Result<std::string> to_text(const Terminal& terminal) const = 0;
  Result<std::string> to_text() const { return to_text(Terminal{}); }
  /// Whether a line without text separates it from the next, if it is one of several.
  virtual bool is_block() const { return false; }
  /// Whether it only says what was done, which a quiet caller does not print.
  virtual bool is_report() const { return false; }
  /// Whether it consists of parts, which went to the observer; if that did not take them, they are here.
  virtual bool in_parts() const { return false; }
  /// One line for one of many questions.
  virtual Result<std::string> to_line() const { return to_text(); }
  /// One line.
  virtual Result<std::string> to_json() const = 0;
  /// A file; JSON is one line. Errors: also not_applicable (the answer has no picture).
  virtual Result<std::string> to_picture(PictureFormat format) const;
  virtual bool has_picture() const { return false; }
  /// A part of a picture as columns of numbers, of any size; JSON on one line. Errors: also not_applicable.
  virtual Result<std::string> to_cells() const;

  /// A second file, if the answer is written to `path`.
  virtual std::optional<FileBeside> beside(std::string_view /*path*/) const { return std::nullopt; }

  /// How the request was read: a line that comes first.
  virtual std::string heading() const { return {}; }
  /// What the text leaves out, one line each.
  virtual std::vector<std::string> notes() const { return {}; }
  /// Hints about the request, for the person who made it.
  virtual std::vector<std::string> hints() const { return {}; }
  /// Hints about one of many questions.
  virtual std::vector<std::string> line_hints() const { return {}; }
  /// Errors that took the place of single answers: `field` and `item` say which.
  virtual std::span<const Diagnostic> refused_parts() const { return {}; }
  /// Whether these are in its JSON.
  virtual bool json_has_refusals() const { return true; }
};

/// `error[code]: message (witness: ...)`, which replaces one answer among several.
std::string problem_line(const Diagnostic& diagnostic);

/// The span of an error in its field's text: the whole text if the error names no part.
Span span_in(const Diagnostic& error, std::string_view text);

/// Heading, text and notes.
Result<std::string> full_text(const VerbAnswer& answer, const Terminal& terminal = {});

/// The picture as a file that is not JSON.
Result<std::string> render_file(const Picture& picture, PictureFormat format,
                                ThemeChoice theme = ThemeChoice::automatic, const FactRows& facts = {});

/// The number of columns of the widest line of the picture as text.
Index text_columns(const Picture& picture, bool compact = false);

/// The picture as text without the last line break. If it is wider than the terminal, the gaps between cells
/// are narrower.
std::string terminal_text(const Picture& picture, TextOptions options);

}  // namespace tessera::verbs
