// SPDX-License-Identifier: Apache-2.0
#include "code/language.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "text/character_class.h"

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
constexpr std::string_view kReserved[] = {"abs",
                                          "alignas",
                                          "alignof",
                                          "and",
                                          "and_eq",
                                          "as",
                                          "asm",
                                          "assert",
                                          "async",
                                          "auto",
                                          "await",
                                          "bitand",
                                          "bitor",
                                          "BLOCK",
                                          "blockDim",
                                          "blockIdx",
                                          "bool",
                                          "break",
                                          "case",
                                          "catch",
                                          "char",
                                          "char16_t",
                                          "char32_t",
                                          "char8_t",
                                          "class",
                                          "co_await",
                                          "co_return",
                                          "co_yield",
                                          "compl",
                                          "concept",
                                          "const",
                                          "const_cast",
                                          "consteval",
                                          "constexpr",
                                          "constinit",
                                          "context",
                                          "continue",
                                          "decltype",
                                          "def",
                                          "default",
                                          "del",
                                          "delete",
                                          "dim3",
                                          "do",
                                          "double",
                                          "dst",
                                          "dynamic_cast",
                                          "elif",
                                          "else",
                                          "enum",
                                          "except",
                                          "exit",
                                          "explicit",
                                          "export",
                                          "extern",
                                          "False",
                                          "false",
                                          "finally",
                                          "float",
                                          "for",
                                          "friend",
                                          "from",
                                          "global",
                                          "goto",
                                          "gridDim",
                                          "if",
                                          "import",
                                          "in",
                                          "index",
                                          "inline",
                                          "int",
                                          "int16_t",
                                          "int32_t",
                                          "int64_t",
                                          "int8_t",
                                          "is",
                                          "jax",
                                          "jnp",
                                          "lambda",
                                          "len",
                                          "long",
                                          "main",
                                          "max",
                                          "memcpy",
                                          "min",
                                          "mutable",
                                          "namespace",
                                          "new",
                                          "noexcept",
                                          "None",
                                          "nonlocal",
                                          "not",
                                          "not_eq",
                                          "np",
                                          "NULL",
                                          "nullptr",
                                          "operator",
                                          "or",
                                          "or_eq",
                                          "pass",
                                          "print",
                                          "printf",
                                          "private",
                                          "protected",
                                          "public",
                                          "raise",
                                          "range",
                                          "register",
                                          "reinterpret_cast",
                                          "requires",
                                          "restrict",
                                          "return",
                                          "short",
                                          "signed",
                                          "size_t",
                                          "sizeof",
                                          "src",
                                          "static",
                                          "static_assert",
                                          "static_cast",
                                          "std",
                                          "struct",
                                          "switch",
                                          "T",
                                          "template",
                                          "this",
                                          "thread",
                                          "thread_local",
                                          "threadIdx",
                                          "throw",
                                          "tl",
                                          "triton",
                                          "True",
                                          "true",
                                          "try",
                                          "typedef",
                                          "TypeError",
                                          "typeid",
                                          "typename",
                                          "uint16_t",
                                          "uint32_t",
                                          "uint64_t",
                                          "uint8_t",
                                          "union",
                                          "unsigned",
                                          "using",
                                          "valid",
                                          "virtual",
                                          "Visit",
                                          "visit",
                                          "void",
                                          "volatile",
                                          "warpSize",
                                          "wchar_t",
                                          "while",
                                          "with",
                                          "xor",
                                          "xor_eq",
                                          "yield"};

}  // namespace

const Rules& rules_of(CodeLanguage language) { return kRules[static_cast<std::size_t>(language)]; }

std::string jax_width_check(std::string_view array) {
  return fmt::format(
      "    if {}.dtype != jnp.int64:\n        raise TypeError('needs 64 bits: set jax_enable_x64')\n", array);
}

bool is_identifier(std::string_view word) {
  // C reserves `_X` and `__x`.
  if (word.empty() || !detail::is_letter(word[0]) || word.size() > 64 || word.find("__") != word.npos)
    return false;
  return std::ranges::all_of(word, detail::is_word) &&
         std::ranges::find(kReserved, word) == std::end(kReserved);
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
