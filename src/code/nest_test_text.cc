// SPDX-License-Identifier: Apache-2.0
// Tests of loop nests and copies.
#include "code/nest_test_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "code/function_text.h"
#include "code/test_text.h"

namespace tessera::coding {
namespace {

constexpr std::string_view kAgree = "all points agree";

std::string c_verdict(std::uint64_t hash) {
  return fmt::format(
      "  if (hash != {}u) {{\n    puts(\"wrong\");\n    return 1;\n  }}\n  puts(\"{}\");\n  return 0;\n}}\n",
      hash, kAgree);
}

std::string c_nest_test(const LoopNest& nest, std::uint64_t hash, int bits) {
  const Rules& rules = nest.function.terms.rules();
  const std::string_view type = bits == 32 ? rules.int32 : rules.int64;
  std::vector<std::string> names;
  for (const Parameter& parameter : nest.function.parameters) names.push_back(parameter.name);
  names.insert(names.end(), nest.function.results.begin(), nest.function.results.end());
  std::vector<std::string> arguments;
  std::string body;
  for (const std::string& name : names) {
    arguments.push_back(fmt::format("{} {}", type, name));
    body += fmt::format(" mix({}hash, (uint64_t){});", rules.language == CodeLanguage::c ? "" : "&", name);
  }
  std::string out{c_test_start(rules)};
  if (rules.language != CodeLanguage::c) {
    return out + fmt::format("\nint main() {{\n  uint64_t hash = {}u;\n  {}([&]({}) {{{} }});\n{}",
                             Hash().value(), nest.function.name, fmt::join(arguments, ", "), body,
                             c_verdict(hash));
  }
  arguments.insert(arguments.begin(), "void* context");
  return out + fmt::format(
                   "\nstatic void visited({}) {{\n  uint64_t* hash = (uint64_t*)context;\n {}\n}}\n\n"
                   "int main(void) {{\n  uint64_t hash = {}u;\n  {}(visited, &hash);\n{}",
                   fmt::join(arguments, ", "), body, Hash().value(), nest.function.name, c_verdict(hash));
}

// A test of a copy fills the source with source_value and the destination with kUntouched.
std::string c_copy_test(const Rules& rules, const CopyTest& test, std::uint64_t hash) {
  const Index bits = test.element_bytes * 8;
  const bool plain = rules.language == CodeLanguage::c;
  const std::string type = fmt::format("{}uint{}_t", plain ? "" : "std::", bits);
  const bool gpu = test.threads > 0;
  const std::string_view api = rules.language == CodeLanguage::hip ? "hip" : "cuda";
  std::string out{c_test_start(rules)};
  out += fmt::format("\nint main({}) {{\n", plain ? "void" : "");
  const std::size_t dst = test.dst.size();
  if (gpu) {
    out += fmt::format(
        "  {0}* src = nullptr;\n  {0}* dst = nullptr;\n"
        "  if ({1}MallocManaged(&src, {2} * sizeof *src) != {1}Success) return 2;\n"
        "  if ({1}MallocManaged(&dst, {3} * sizeof *dst) != {1}Success) return 2;\n",
        type, api, test.src_elements, dst);
  } else {
    out += fmt::format(
        "  {0}* src = ({0}*)malloc({1} * sizeof *src);\n  {0}* dst = ({0}*)malloc({2} * sizeof *dst);\n"
        "  if (src == 0 || dst == 0) return 2;\n",
        type, test.src_elements, dst);
  }
  out += fmt::format("  for (uint64_t i = 0; i < {}; ++i) src[i] = ({})(i * 2654435761u + 1);\n",
                     test.src_elements, type);
  out += fmt::format("  for (uint64_t i = 0; i < {}; ++i) dst[i] = {};\n", dst, kUntouched);
  if (gpu) {
    out += fmt::format("  {}<<<{}, 256>>>(dst, src);\n  if ({}DeviceSynchronize() != {}Success) return 2;\n",
                       test.name, (test.threads + 255) / 256, api, api);
  } else {
    out += fmt::format("  {}(dst, src);\n", test.name);
  }
  out += fmt::format("  uint64_t hash = {}u;\n  for (uint64_t i = 0; i < {}; ++i) mix(&hash, dst[i]);\n",
                     Hash().value(), dst);
  if (!gpu) out += "  free(src);\n  free(dst);\n";
  return out + c_verdict(hash);
}

std::string python_copy_test(const Rules& rules, const CopyTest& test, std::uint64_t hash) {
  const Index bits = test.element_bytes * 8;
  const std::string source =
      fmt::format("[(i * 2654435761 + 1) % 2**{} for i in range({})]", bits, test.src_elements);
  const std::string target = fmt::format("[{}] * {}", kUntouched, test.dst.size());
  std::string out{python_test_start()};
  switch (rules.language) {
    case CodeLanguage::numpy:
      out += fmt::format(
          "src = np.array({}, dtype=np.uint{})\ndst = np.array({}, dtype=np.uint{})\n{}(dst, src)\n", source,
          bits, target, bits, test.name);
      break;
    case CodeLanguage::jax:
      out += fmt::format(
          "src = jnp.array({}, dtype=jnp.uint{})\ndst = jnp.array({}, dtype=jnp.uint{})\n"
          "dst = {}(dst, src)\n",
          source, bits, target, bits, test.name);
      break;
    case CodeLanguage::triton:
      // The only unsigned integers of torch have 8 bits. Signed integers have the same bits.
      out += fmt::format(
          "import torch\n\n\ndef tensor(values):\n    values = [v - 2**{0} if v >= 2**{1} else v for v in "
          "values]\n"
          "    return torch.tensor(values, dtype=torch.int{0}, device=\"cuda\")\n\n\n"
          "src = tensor({2})\ndst = tensor({3})\n{4}[({5},)](dst, src, BLOCK=256)\n"
          "dst = [int(v) % 2**{0} for v in dst.tolist()]\n",
          bits, bits - 1, source, target, test.name, (test.threads + 255) / 256);
      break;
    default:
      out += fmt::format("src = {}\ndst = {}\n{}(dst, src)\n", source, target, test.name);
  }
  return out + fmt::format(
                   "hash = {}\nfor value in dst:\n    hash = mix(hash, value)\nassert hash == {}, \"wrong\"\n"
                   "print(\"{}\")\n",
                   Hash().value(), hash, kAgree);
}

}  // namespace

Result<std::string> nest_test(const LoopNest& nest, const Expected& expected) {
  const Rules& rules = nest.function.terms.rules();
  if (rules.family == Family::affine)
    return fail(Code::not_applicable, "a test of MLIR loops is not supported", {}, "leave out --test");
  if (nest.loops_from != 0)
    return fail(Code::not_applicable, "a test of loops with runtime variables is not supported", {},
                "leave out --test");
  std::vector<Interval> box;
  for (const Parameter& parameter : nest.function.parameters) box.push_back(parameter.range);
  const Index limit = point_limit(rules);
  if (count_points(box, limit) > limit)
    return fail(Code::limit, fmt::format("a test of more than {} points is not supported", limit), {},
                "leave out --test, or test a smaller shape");
  Hash hash;
  for_each_point(box, [&](std::span<const Index> point) {
    const auto values = expected(point);
    if (!values) return;
    for (const Index value : point) hash.add(static_cast<std::uint64_t>(value));
    for (const Index value : *values) hash.add(static_cast<std::uint64_t>(value));
  });
  if (rules.family == Family::c) return c_nest_test(nest, hash.value(), bits_of(nest.function).value_or(64));
  return std::string(python_test_start()) +
         fmt::format(
             "hash = {}\nfor visit in {}():\n    for value in visit:\n        hash = mix(hash, value)\n"
             "assert hash == {}, \"wrong\"\nprint(\"{}\")\n",
             Hash().value(), nest.function.name, hash.value(), kAgree);
}

Result<std::string> copy_test(const Rules& rules, const CopyTest& test) {
  if (rules.family == Family::affine)
    return fail(Code::not_applicable, "a test of a copy in MLIR is not supported", {}, "leave out --test");
  Hash hash;
  for (const std::uint64_t element : test.dst) hash.add(element);
  return rules.family == Family::c ? c_copy_test(rules, test, hash.value())
                                   : python_copy_test(rules, test, hash.value());
}

}  // namespace tessera::coding
