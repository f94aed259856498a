// SPDX-License-Identifier: Apache-2.0
#include "files/safetensors.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tessera::safetensors_test {
namespace {

using testing::ElementsAre;

std::span<const std::byte> bytes(const std::string& text) { return std::as_bytes(std::span(text)); }

std::string file_with(const std::string& json, std::size_t data) {
  std::string out;
  for (int i = 0; i < 8; ++i) out += static_cast<char>(json.size() >> (8 * i));
  return out + json + std::string(data, 'x');
}

std::pair<Code, std::string> refused(const std::string& file) {
  const Result<SafetensorsHeader> header = parse_safetensors_header(bytes(file));
  if (header) return {Code::syntax, "accepted"};
  const Span span = header.error().span;
  EXPECT_LE(span.begin, span.end);
  EXPECT_LE(span.end, file.size());
  EXPECT_FALSE(header.error().message.empty());
  return {header.error().code, file.substr(span.begin, span.end - span.begin)};
}

TEST(Safetensors, ReadsTensorsInTheOrderOfTheirBytes) {
  const std::string file = file_with(
      R"({"__metadata__":{"format":"pt"},"b":{"dtype":"F32","shape":[2,3],"data_offsets":[2,26]},)"
      R"("a":{"dtype":"F4","shape":[4],"data_offsets":[0,2]},"new":{"dtype":"Q3","shape":[9],"data_offsets":[26,28]}}   )",
      28);
  const Result<SafetensorsHeader> header = parse_safetensors_header(bytes(file));
  ASSERT_TRUE(header) << to_string(header.error());
  ASSERT_EQ(header->tensors.size(), 3u);
  EXPECT_EQ(header->tensors[0].name, "a");
  EXPECT_EQ(header->tensors[0].dtype, DType::f4e2m1fn);
  EXPECT_EQ(header->tensors[1].name, "b");
  EXPECT_THAT(header->tensors[1].shape, ElementsAre(2, 3));
  EXPECT_EQ(header->tensors[2].dtype, std::nullopt);
  EXPECT_EQ(header->metadata.at("format"), "pt");
  EXPECT_EQ(header->data_begin, file.size() - 28);
}

TEST(Safetensors, WhatIsWrittenReadsBack) {
  SafetensorsHeader header;
  header.metadata["tessera.layout.\"w\"\n"] = "f32[3]{0:T(8)}";
  header.tensors.push_back({"\"w\"\n", "F32", DType::f32, {8}, 0, 32});
  header.tensors.push_back({"", "BOOL", DType::pred, {0, 3}, 32, 32});
  const std::string written = to_bytes(header);
  EXPECT_EQ(written.size() % 8, 0u);
  const std::string file = written + std::string(32, 'x');
  const Result<SafetensorsHeader> again = parse_safetensors_header(bytes(file));
  ASSERT_TRUE(again) << to_string(again.error());
  EXPECT_EQ(again->metadata, header.metadata);
  ASSERT_EQ(again->tensors.size(), 2u);
  EXPECT_EQ(again->tensors[0].name, header.tensors[0].name);
  EXPECT_EQ(again->tensors[1].shape, header.tensors[1].shape);
  EXPECT_EQ(to_bytes(*again), written);
}

TEST(Safetensors, RefusesWithThePlace) {
  using R = std::pair<Code, std::string>;
  const auto tensor = [](const std::string& body, std::size_t data) {
    return refused(file_with("{\"w\":{" + body + "}}", data));
  };
  EXPECT_EQ(tensor(R"("dtype":"F32","shape":[2],"data_offsets":[0,8])", 8).second, "accepted");
  EXPECT_EQ(tensor(R"("dtype":"F32","shape":[2],"data_offsets":[0,4])", 4), R(Code::bad_file, "\"w\""));
  EXPECT_EQ(tensor(R"("dtype":"F32","shape":[2],"data_offsets":[4,12])", 12), R(Code::bad_file, "\"w\""));
  EXPECT_EQ(tensor(R"("dtype":"F32","shape":[2],"data_offsets":[0,8])", 7), R(Code::bad_file, "\"w\""));
  EXPECT_EQ(tensor(R"("dtype":"F32","shape":[2],"data_offsets":[0,8])", 9).first, Code::bad_file);
  EXPECT_EQ(tensor(R"("dtype":"F32","shape":[2],"data_offsets":[8,0])", 8).first, Code::bad_file);
  EXPECT_EQ(tensor(R"("dtype":"F32","shape":[2.0],"data_offsets":[0,8])", 8).first, Code::bad_file);
  EXPECT_EQ(tensor(R"("dtype":"F32","shape":[-2],"data_offsets":[0,8])", 8).first, Code::bad_file);
  EXPECT_EQ(tensor(R"("dtype":"F32","shape":[18446744073709551615],"data_offsets":[0,8])", 8).first,
            Code::bad_file);
  EXPECT_EQ(tensor(R"("dtype":"F32","shape":[9223372036854775807],"data_offsets":[0,8])", 8).first,
            Code::overflow);
  EXPECT_EQ(tensor(R"("dtype":"F4","shape":[3],"data_offsets":[0,2])", 2).first, Code::bad_file);
  EXPECT_EQ(tensor(R"("dtype":3,"shape":[2],"data_offsets":[0,8])", 8).first, Code::bad_file);
  EXPECT_EQ(tensor(R"("dtype":"F32","data_offsets":[0,8])", 8).first, Code::bad_file);
  EXPECT_EQ(tensor(R"("dtype":"F32","shape":[2],"data_offsets":[0,8],"x":1)", 8).first, Code::bad_file);
  EXPECT_EQ(refused(file_with(R"({"w":1,"w":2})", 0)), R(Code::bad_file, "\"w\""));
  EXPECT_EQ(refused(file_with(R"({"__metadata__":{"a":1}})", 0)), R(Code::bad_file, "\"a\""));
  EXPECT_EQ(refused(file_with("{\"w\":}", 0)), R(Code::bad_file, "}"));
  // An error at the end of the header; its caret was once past the end of the file.
  EXPECT_EQ(refused(file_with("{\"w\":{", 0)), R(Code::bad_file, ""));
  EXPECT_EQ(refused(file_with("{\"w\":1e99999}", 0)), R(Code::bad_file, "{"));  // must not crash
  EXPECT_EQ(refused(file_with("", 0)), R(Code::bad_file, ""));
  EXPECT_EQ(refused(file_with(" {}", 0)), R(Code::bad_file, " "));
  EXPECT_EQ(refused(file_with("[]", 0)), R(Code::bad_file, "["));
}

TEST(Safetensors, RefusesOverlapsAndHoles) {
  const auto two = [](int a, int b, int c, int d) {
    return refused(file_with(fmt::format(R"({{"v":{{"dtype":"U8","shape":[{}],"data_offsets":[{},{}]}},)"
                                         R"("w":{{"dtype":"U8","shape":[{}],"data_offsets":[{},{}]}}}})",
                                         b - a, a, b, d - c, c, d),
                             8))
        .second;
  };
  EXPECT_EQ(two(0, 4, 4, 8), "accepted");
  EXPECT_EQ(two(0, 5, 4, 8), "\"w\"");
  EXPECT_EQ(two(0, 3, 4, 8), "\"w\"");
  EXPECT_EQ(two(4, 8, 0, 4), "accepted");
}

TEST(Safetensors, RefusesCutOffFiles) {
  const std::string whole = file_with(R"({"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", 8);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_EQ(refused(whole.substr(0, size)).first, Code::bad_file) << size;
  }
  std::string huge(8, '\x7f');
  EXPECT_EQ(refused(huge + "{}").first, Code::bad_file);
}

TEST(Safetensors, DeepNestingIsNoDanger) {
  EXPECT_EQ(refused(file_with("{\"w\":" + std::string(1000000, '[') + "}", 0)).first, Code::bad_file);
  EXPECT_EQ(
      refused(file_with("{\"w\":" + std::string(100000, '[') + std::string(100000, ']') + "}", 0)).first,
      Code::bad_file);
}

}  // namespace
}  // namespace tessera::safetensors_test
