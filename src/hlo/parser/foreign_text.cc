// SPDX-License-Identifier: Apache-2.0
#include "hlo/parser/foreign_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>

namespace tessera::detail {
namespace {

constexpr std::size_t kLooked = std::size_t{1} << 16;

constexpr const char* kCompile =
    "compile it: print(jax.jit(f).lower(x).compile().as_text()), or run the program with "
    "XLA_FLAGS='--xla_dump_to=DIR --xla_dump_hlo_as_text' and read DIR/*.txt";
constexpr const char* kDumpText =
    "dump the program as text: XLA_FLAGS='--xla_dump_to=DIR --xla_dump_hlo_as_text' writes DIR/*.txt";
constexpr const char* kFromHlo =
    "XLA generates this from HLO; to get the HLO, run the program with XLA_FLAGS='--xla_dump_to=DIR "
    "--xla_dump_hlo_as_text' and read DIR/*.txt";
constexpr const char* kUnpack = "only gzip is supported: decompress the file first";

struct ForeignFormat {
  std::string_view name;
  const char* help;
};

struct Magic {
  std::string_view bytes;
  ForeignFormat format;
};

constexpr Magic kMagics[] = {
    {"ML\xefR", {"MLIR bytecode", kCompile}},
    {"BC\xc0\xde", {"LLVM bitcode", kFromHlo}},
    {"\x7f"
     "ELF",
     {"an ELF binary", kDumpText}},
    {"PK\x03\x04", {"a zip archive", "extract it first"}},
    {"\x93NUMPY", {"a NumPy array", "`tessera copy` reads arrays"}},
    {"\x28\xb5\x2f\xfd", {"a zstd archive", kUnpack}},
    {"\xfd"
     "7zXZ",
     {"an xz archive", kUnpack}},
    {"BZh", {"a bzip2 archive", kUnpack}},
};

// Dialects of operations: `stablehlo.add`.
constexpr std::string_view kDialects[] = {"stablehlo", "mhlo", "chlo", "vhlo",   "sdy", "func", "builtin",
                                          "arith",     "llvm", "tt",   "ttg",    "gpu", "nvvm", "linalg",
                                          "memref",    "scf",  "math", "tensor", "ub",  "cf",   "vector"};

bool is_white_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_name(char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '.' || c == '-'; }

std::string_view without_blanks(std::string_view text) {
  text.remove_prefix(
      static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_white_space) - text.begin()));
  return text;
}

std::string_view word_of(std::string_view text) {
  return text.substr(
      0, static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_name) - text.begin()));
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// `stablehlo.add`, `"stablehlo.add"`, but not `func.1`, which may be an HLO name.
bool is_mlir_operation(std::string_view text) {
  const bool quoted = text.starts_with('"');
  if (quoted) text.remove_prefix(1);
  const std::string_view word = word_of(text);
  const std::size_t dot = word.find('.');
  if (dot == std::string_view::npos || dot + 1 == word.size() || !is_letter(word[dot + 1])) return false;
  if (std::ranges::find(kDialects, word.substr(0, dot)) == std::end(kDialects)) return false;
  return quoted || !without_blanks(text.substr(word.size())).starts_with('=');
}

// `%0 = stablehlo.add`, `%1:2 = "stablehlo.reduce"`: an operation where HLO has a type.
bool is_mlir_assignment(std::string_view line) {
  if (!line.starts_with('%')) return false;
  const std::size_t equals = line.find('=');
  return equals != std::string_view::npos && is_mlir_operation(without_blanks(line.substr(equals + 1)));
}

bool is_mlir_module(std::string_view text) {
  if (word_of(text) != "module") return false;
  const std::string_view rest = without_blanks(text.substr(6));
  if (rest.starts_with('@') || rest.starts_with("attributes")) return true;
  // An HLO computation may be called `module`.
  return rest.starts_with('{') && is_mlir_operation(without_blanks(rest.substr(1)));
}

// `#loc = loc(unknown)`, `#map = affine_map<...>`, `!type = ...`: aliases at the top of a file.
bool is_mlir_alias(std::string_view line) {
  if (!line.starts_with('#') && !line.starts_with('!')) return false;
  const std::string_view word = word_of(line.substr(1));
  return !word.empty() && without_blanks(line.substr(1 + word.size())).starts_with('=');
}

ForeignFormat mlir_of(std::string_view text) {
  if (contains(text, "stablehlo.")) return {"StableHLO (MLIR)", kCompile};
  if (contains(text, "mhlo.")) return {"MHLO (MLIR)", kCompile};
  if (contains(text, "tt.func") || contains(text, "tt.load")) return {"Triton IR (MLIR)", kFromHlo};
  if (contains(text, "llvm.func")) return {"LLVM dialect (MLIR)", kFromHlo};
  return {"MLIR", kCompile};
}

bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> beginnings) {
  return std::ranges::any_of(beginnings, [&](std::string_view one) { return text.starts_with(one); });
}

// `line` is the first line that is not blank or a comment, `rest` the text from there.
std::optional<ForeignFormat> format_of(std::string_view line, std::string_view rest) {
  if (starts_with_any(line, {"HloModule", "ENTRY"})) return std::nullopt;
  if (is_mlir_alias(line) || is_mlir_module(rest) || is_mlir_operation(line) || is_mlir_assignment(line) ||
      line.starts_with("func @")) {
    return mlir_of(rest);
  }
  if (line.starts_with('{')) {
    const std::string_view inside = without_blanks(rest.substr(1));
    if (word_of(inside) == "lambda") return ForeignFormat{"a jaxpr", kCompile};
    if (starts_with_any(inside, {"\"", "}"})) return ForeignFormat{"JSON", kDumpText};
  }
  if (line.starts_with('[')) return ForeignFormat{"JSON", kDumpText};
  if (starts_with_any(line, {"; ModuleID", "source_filename = \"", "target datalayout", "target triple"}) ||
      (starts_with_any(line, {"define ", "declare "}) && contains(line, "@"))) {
    return ForeignFormat{"LLVM IR", kFromHlo};
  }
  if (starts_with_any(line, {".version ", ".target ", ".visible "})) return ForeignFormat{"PTX", kFromHlo};
  const bool message = starts_with_any(line, {"hlo_module {", "computations {", "hlo {"});
  if (line.starts_with("name: \"") || (message && contains(rest.substr(0, 1024), "name: \""))) {
    return ForeignFormat{"a protocol buffer in text form", kDumpText};
  }
  // `digraph {` may be an HLO computation, `digraph G {` is not.
  if (line.starts_with("digraph ") && !word_of(without_blanks(line.substr(8))).empty())
    return ForeignFormat{"a DOT graph", kDumpText};
  if (starts_with_any(line, {"<!DOCTYPE", "<html", "<!doctype"}))
    return ForeignFormat{"an HTML page", kDumpText};
  return std::nullopt;
}

bool is_binary(std::string_view text) {
  return std::ranges::count_if(text.substr(0, 256), [](char c) {
           const auto byte = static_cast<unsigned char>(c);
           return byte < 0x20 && byte != 0x1b && !is_white_space(c);
         }) > 1;
}

Diagnostic found(const ForeignFormat& format, std::size_t begin, std::size_t end) {
  return {.code = Code::syntax,
          .message = fmt::format("this is {}, not HLO text", format.name),
          .span = {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)},
          .help = format.help};
}

}  // namespace

std::optional<Diagnostic> foreign_text(std::string_view text) {
  text = text.substr(0, kLooked);
  for (const Magic& magic : kMagics) {
    if (text.starts_with(magic.bytes)) return found(magic.format, 0, 0);
  }
  std::size_t at = text.starts_with("\xef\xbb\xbf") ? 3 : 0;  // a byte order mark
  while (at < text.size()) {
    at = text.size() - without_blanks(text.substr(at)).size();
    const std::string_view rest = text.substr(at);
    const std::string_view line = rest.substr(0, rest.find('\n'));
    // HLO has no # comments, but some test files begin with them.
    const bool comment = line.starts_with("//") || (line.starts_with('#') && !is_mlir_alias(line));
    if (!comment) {
      if (const auto format = format_of(line, rest)) {
        const std::size_t length = line.find_last_not_of(" \t\r") + 1;
        return found(*format, at, at + std::max<std::size_t>(std::min<std::size_t>(length, 40), 1));
      }
      break;
    }
    at += line.size();
  }
  if (!is_binary(text) || starts_with_any(text.substr(at), {"HloModule", "ENTRY", "%"})) return std::nullopt;
  // The tag of field 1 or 2 of a protocol buffer whose value is text or another message.
  const bool proto = text.starts_with('\n') || text.starts_with('\x12');
  return proto ? found({"a protocol buffer, probably an HLO proto", kDumpText}, 0, 0)
               : found({"a binary file", kDumpText}, 0, 0);
}

}  // namespace tessera::detail
