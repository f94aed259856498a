// SPDX-License-Identifier: Apache-2.0
// The folder packings: bytes that named layouts move, headers of GGUF files, and what other programs got
// wrong.
#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <limits>

#include "files/gguf.h"
#include "runner/check.h"
#include "tessera/notation/named_layout.h"
#include "transfer/code_mover.h"

namespace tessera::vectors {
namespace {

using Bytes = std::vector<std::byte>;

Bytes from_base64(std::string_view text) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  Bytes out;
  unsigned bits = 0;
  int count = 0;
  for (const char c : text) {
    if (c == '=') break;
    bits = bits << 6 | static_cast<unsigned>(kDigits.find(c));
    count += 6;
    if (count < 8) continue;
    count -= 8;
    out.push_back(static_cast<std::byte>(bits >> count & 0xff));
  }
  return out;
}

std::string hex(const Bytes& bytes) {
  std::string out;
  for (const std::byte byte : bytes) out += fmt::format("{:02x}", std::to_integer<unsigned>(byte));
  return out;
}

Result<CodeMover> mover_of(const Json& row) {
  const auto side = [](const std::string& text) -> Result<CodeSide> {
    const auto named = parse_named_layout(text);
    if (!named) return fail(named.error());
    return code_side(*named);
  };
  const auto from = side(text_of(row, "from"));
  if (!from) return fail(from.error());
  const auto to = side(text_of(row, "to"));
  if (!to) return fail(to.error());
  std::optional<Recode> recode;
  if (row.contains("recode")) {
    const auto read = parse_recode(text_of(row, "recode"));
    if (!read) return fail(read.error());
    recode = *read;
  }
  return CodeMover::make(*from, *to, recode);
}

VectorResult moved(const Json& row, const char* output) {
  const auto mover = mover_of(row);
  if (row.contains("error")) {
    const std::string got(mover ? "a copy" : to_string(mover.error().code));
    return VectorResult::when(got == text_of(row, "error"), text_of(row, "error"), got);
  }
  if (!mover) return VectorResult::fail("a copy", to_string(mover.error()));
  const Bytes source = from_base64(text_of(row, "input"));
  const Bytes expected = from_base64(text_of(row, output));
  Bytes got(static_cast<std::size_t>(*mover->to().bytes()));
  if (const auto done = move_codes(*mover, source, got); !done)
    return VectorResult::fail("a copy", to_string(done.error()));
  if (row.contains("wrong") && got == from_base64(text_of(row, "wrong")))
    return VectorResult::fail(hex(expected), "what the other program made");
  return VectorResult::when(got == expected, hex(expected), hex(got));
}

VectorResult move(const Json& row) { return moved(row, "output"); }

VectorResult bug(const Json& row) {
  if (text_of(row, "kind") == "move") return moved(row, "right");
  const auto named = parse_named_layout(text_of(row, "text"));
  if (!named) return VectorResult::fail("a layout", to_string(named.error()));
  const Index bytes = named->buffer_bytes();
  return VectorResult::when(row["bytes"] == bytes && row["wrong"] != bytes, row["bytes"].dump(),
                            fmt::format("{}", bytes));
}

VectorResult gguf(const Json& row) {
  const Bytes file = from_base64(text_of(row, "file"));
  const auto header = parse_gguf_header(file);
  if (!header || row.contains("error")) {
    const std::string got(header ? "accepted" : to_string(header.error().code));
    const std::string expected = row.contains("error") ? text_of(row, "error") : "accepted";
    return VectorResult::when(got == expected, expected, got);
  }
  Json got = {{"version", header->version},
              {"alignment", header->alignment},
              {"metadata", header->metadata.size()},
              {"tensors", Json::array()}};
  for (const GgufTensor& tensor : header->tensors) {
    const FileTensor described = file_tensor(tensor);
    const std::string layout = layout_text(described);
    got["tensors"].push_back({{"name", tensor.name},
                              {"type", tensor.type->name},
                              {"shape", tensor.shape},
                              {"begin", tensor.begin},
                              {"bytes", tensor.end - tensor.begin},
                              {"layout", layout.empty() ? Json() : Json(layout)}});
  }
  Json expected = Json::object();
  for (const auto& [key, value] : got.items()) expected[key] = row[key];
  return VectorResult::when(got == expected, expected.dump(), got.dump());
}

const Register kMove = row_check("packings", "move.jsonl", move);
const Register kBugs = row_check("packings", "bugs.jsonl", bug);
const Register kGguf = row_check("packings", "gguf.jsonl", gguf);

}  // namespace
}  // namespace tessera::vectors
