// SPDX-License-Identifier: Apache-2.0
#include "code/language.h"

#include <algorithm>
#include <array>

namespace tessera {
namespace coding {
namespace {

constexpr std::string_view kCInt32 = "int32_t";
constexpr std::string_view kCInt64 = "int64_t";

// In the order of the values of CodeLanguage.
constexpr std::array<Rules, 9> kRules = {{
    {CodeLanguage::c, "c", ".c", Family::c, "//", " / ", " % ", false, true, "", "", kCInt32, kCInt64,
     "#include <stdbool.h>\n#include <stdint.h>\n", "static inline ", "", 64, 128},
    {CodeLanguage::cpp, "cpp", ".cc", Family::c, "//", " / ", " % ", false, true, "", "", "std::int32_t",
     "std::int64_t", "#include <cstdint>\n", "constexpr ", "", 64, 128},
    {CodeLanguage::cuda, "cuda", ".cu", Family::c, "//", " / ", " % ", false, true, "", "", "std::int32_t",
     "std::int64_t", "#include <cstdint>\n", "__host__ __device__ constexpr ", "", 64, 128},
    {CodeLanguage::hip, "hip", ".hip", Family::c, "//", " / ", " % ", false, true, "", "", "std::int32_t",
     "std::int64_t", "#include <hip/hip_runtime.h>\n\n#include <cstdint>\n", "__host__ __device__ constexpr ",
     "", 64, 128},
    {CodeLanguage::python, "python", ".py", Family::python, "#", " // ", " % ", true, true, "min", "max",
     "int", "int", "", "", "", 128, 128},
    {CodeLanguage::numpy, "numpy", ".py", Family::arrays, "#", " // ", " % ", true, true, "np.minimum",
     "np.maximum", "np.int32", "np.int64", "import numpy as np\n", "", "np", 31, 63},
    // Triton's // and % truncate, like C's.
    {CodeLanguage::triton, "triton", ".py", Family::arrays, "#", " // ", " % ", false, true, "tl.minimum",
     "tl.maximum", "tl.int32", "tl.int64", "import triton\nimport triton.language as tl\n", "@triton.jit\n",
     "tl", 31, 63},
    {CodeLanguage::jax, "jax", ".py", Family::arrays, "#", " // ", " % ", true, true, "jnp.minimum",
     "jnp.maximum", "jnp.int32", "jnp.int64", "import jax.numpy as jnp\n", "", "jnp", 31, 63},
    {CodeLanguage::mlir, "mlir", ".mlir", Family::affine, "//", " floordiv ", " mod ", true, false, "", "",
     "index", "index", "", "", "", 0, 0},
}};

constexpr auto kLanguages = [] {
  std::array<CodeLanguage, kRules.size()> all = {};
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = kRules[i].language;
  return all;
}();

// Words that some language reserves or that the generated code itself uses.
constexpr std::string_view kReserved[] = {
    "alignas", "alignof",  "and",      "as",       "asm",      "assert",   "async",    "auto",    "await",
    "bool",    "break",    "case",     "catch",    "char",     "class",    "const",    "context", "continue",
    "def",     "default",  "del",      "delete",   "do",       "double",   "dst",      "elif",    "else",
    "enum",    "except",   "explicit", "export",   "extern",   "false",    "finally",  "float",   "for",
    "friend",  "from",     "global",   "goto",     "if",       "import",   "in",       "index",   "inline",
    "int",     "is",       "jax",      "jnp",      "lambda",   "long",     "main",     "mutable", "namespace",
    "new",     "nonlocal", "not",      "np",       "operator", "or",       "pass",     "private", "protected",
    "public",  "raise",    "register", "requires", "restrict", "return",   "short",    "signed",  "sizeof",
    "src",     "static",   "std",      "struct",   "switch",   "template", "this",     "thread",  "throw",
    "tl",      "triton",   "true",     "try",      "typedef",  "typeid",   "typename", "union",   "unsigned",
    "using",   "valid",    "virtual",  "visit",    "void",     "volatile", "while",    "with",    "xor",
    "yield"};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

}  // namespace

const Rules& rules_of(CodeLanguage language) { return kRules[static_cast<std::size_t>(language)]; }

bool is_identifier(std::string_view word) {
  if (word.empty() || !is_letter(word[0]) || word.size() > 64) return false;
  // C reserves `_X` and `__x`.
  if (word[0] == '_' || word.find("__") != word.npos) return false;
  const bool spelled =
      std::ranges::all_of(word, [](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
  return spelled && std::ranges::find(kReserved, word) == std::end(kReserved);
}

}  // namespace coding

std::string_view to_string(CodeLanguage language) { return coding::rules_of(language).name; }

std::optional<CodeLanguage> parse_code_language(std::string_view word) {
  for (const coding::Rules& rules : coding::kRules) {
    if (rules.name == word) return rules.language;
  }
  return std::nullopt;
}

std::span<const CodeLanguage> all_code_languages() { return coding::kLanguages; }

std::string_view file_extension(CodeLanguage language) { return coding::rules_of(language).extension; }

}  // namespace tessera
