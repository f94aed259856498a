// SPDX-License-Identifier: Apache-2.0
#include "files/gguf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <random>

#include "files/gguf_bytes.h"
#include "tessera/files/tensor_file.h"

namespace tessera {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing_files::GgufBytes;

std::span<const std::byte> gguf_view(const std::string& text) { return std::as_bytes(std::span(text)); }

GgufHeader read_gguf(const GgufBytes& file) {
  const Result<GgufHeader> header = parse_gguf_header(gguf_view(file.text()));
  EXPECT_TRUE(header) << (header ? "" : to_string(header.error()));
  return header.value_or(GgufHeader{});
}

// The error code and the message.
std::pair<Code, std::string> refuses(const std::string& file) {
  const Result<GgufHeader> header = parse_gguf_header(gguf_view(file));
  if (header) return {Code::syntax, "accepted"};
  EXPECT_LE(header.error().span.begin, header.error().span.end);
  EXPECT_LE(header.error().span.end, file.size());
  return {header.error().code, header.error().message};
}
std::pair<Code, std::string> refuses(const GgufBytes& file) { return refuses(file.text()); }

GgufBytes one_tensor(std::uint32_t type, const std::vector<std::uint64_t>& extents, std::size_t data,
                     std::uint64_t offset = 0) {
  GgufBytes out;
  out.header(1, 0).tensor("a", extents, type, offset).data(data);
  return out;
}

TEST(Gguf, ReadsTensorsWithTheSlowestDimensionFirst) {
  GgufBytes file;
  file.header(2, 1).key("general.architecture", 8).string("test");
  file.tensor("a", {3, 2}, 0, 0).tensor("w", {512, 4}, 12, 32).data(32 + 4 * 2 * 144);
  const GgufHeader header = read_gguf(file);
  ASSERT_EQ(header.tensors.size(), 2u);
  EXPECT_THAT(header.tensors[0].shape, ElementsAre(2, 3));
  EXPECT_EQ(header.tensors[0].end - header.tensors[0].begin, 24);
  EXPECT_EQ(header.tensors[1].type->name, "q4_k");
  EXPECT_EQ(header.tensors[1].end - header.tensors[1].begin, 4 * 2 * 144);
  EXPECT_EQ(header.tensors[1].begin, static_cast<Index>(header.data_begin) + 32);
  EXPECT_EQ(std::get<std::string>(header.metadata[0].value), "test");
  EXPECT_FALSE(header.gap);
}

TEST(Gguf, ReadsValuesOfEveryType) {
  GgufBytes file;
  file.header(0, 7).key("a", 1).u8(0xff).key("b", 7).u8(1).key("c", 6).f32(1.5F).key("d", 10).u64(1ULL << 63);
  file.key("e", 9).u32(8).u64(2).string("x").string("yz").key("f", 5).u32(0xfffffffeU);
  file.key("g", 9).u32(9).u64(1).u32(0).u64(3).raw("abc");
  const GgufHeader header = read_gguf(file);
  EXPECT_EQ(std::get<std::int64_t>(header.metadata[0].value), -1);
  EXPECT_EQ(std::get<bool>(header.metadata[1].value), true);
  EXPECT_EQ(std::get<double>(header.metadata[2].value), 1.5);
  EXPECT_EQ(std::get<std::uint64_t>(header.metadata[3].value), 1ULL << 63);
  EXPECT_EQ(header.metadata[4].type, "array of string");
  EXPECT_EQ(header.metadata[4].length, 2);
  EXPECT_EQ(std::get<std::int64_t>(header.metadata[5].value), -2);
  EXPECT_EQ(header.metadata[6].type, "array of array");
}

TEST(Gguf, RefusesWhatTheFormatDoesNotAllow) {
  EXPECT_EQ(refuses("").first, Code::bad_file);
  EXPECT_EQ(refuses("GGML....").first, Code::bad_file);
  EXPECT_EQ(refuses(GgufBytes().header(0, 0, 1)).first, Code::bad_file);
  EXPECT_EQ(refuses(GgufBytes().header(0, 0, 0x03000000)).first, Code::byte_order);
  EXPECT_EQ(refuses(one_tensor(0, {1, 1, 1, 1, 1}, 64)).first, Code::bad_file);
  EXPECT_EQ(refuses(one_tensor(0, {4}, 64, 4)).first, Code::bad_file);
  EXPECT_EQ(refuses(one_tensor(2, {16, 2}, 64)).first, Code::bad_file);
  EXPECT_EQ(refuses(one_tensor(2, {}, 64)).first, Code::bad_file);
  EXPECT_EQ(refuses(one_tensor(0, {1ULL << 31, 1ULL << 31}, 64)).first, Code::bad_file);
  EXPECT_EQ(refuses(one_tensor(28, {1ULL << 61}, 64)).first, Code::bad_file);
  EXPECT_EQ(refuses(one_tensor(0, {17}, 64)).first, Code::buffer_too_small);
  EXPECT_EQ(refuses(one_tensor(99, {4}, 64)).first, Code::unknown_type);
  EXPECT_THAT(refuses(one_tensor(4, {4}, 64)).second, HasSubstr("removed"));
  GgufBytes twice;
  twice.header(2, 0).tensor("a", {1}, 0, 0).tensor("a", {1}, 0, 32).data(64);
  EXPECT_EQ(refuses(twice).first, Code::duplicate_name);
  GgufBytes overlap;
  overlap.header(2, 0).tensor("a", {16}, 0, 32).tensor("b", {9}, 0, 0).data(96);
  EXPECT_THAT(refuses(overlap).second, HasSubstr("overlap"));
  GgufBytes keys;
  keys.header(0, 2).key("k", 0).u8(1).key("k", 0).u8(1);
  EXPECT_EQ(refuses(keys).first, Code::duplicate_name);
  EXPECT_EQ(refuses(GgufBytes().header(0, 1).key("k", 7).u8(2)).first, Code::bad_file);
  EXPECT_EQ(refuses(GgufBytes().header(0, 1).key("\xff", 0).u8(2)).first, Code::bad_file);
  EXPECT_EQ(refuses(GgufBytes().header(0, 1).key("general.alignment", 4).u32(24)).first, Code::bad_file);
  EXPECT_EQ(refuses(GgufBytes().header(0, 1).key("general.alignment", 0).u8(32)).first, Code::bad_file);
}

TEST(Gguf, RefusesLengthsBeforeItAllocates) {
  constexpr std::uint64_t kHuge = ~std::uint64_t{0};
  EXPECT_EQ(refuses(GgufBytes().header(kHuge, 0)).first, Code::bad_file);
  EXPECT_EQ(refuses(GgufBytes().header(0, kHuge)).first, Code::bad_file);
  EXPECT_EQ(refuses(GgufBytes().header(0, 1).u64(kHuge)).first, Code::bad_file);
  EXPECT_EQ(refuses(GgufBytes().header(0, 1).key("k", 8).u64(kHuge)).first, Code::bad_file);
  EXPECT_EQ(refuses(GgufBytes().header(0, 1).key("k", 9).u32(8).u64(kHuge)).first, Code::bad_file);
  EXPECT_EQ(refuses(GgufBytes().header(0, 1).key("k", 9).u32(12).u64(kHuge)).first, Code::bad_file);
}

TEST(Gguf, NestsArraysToEightLevels) {
  const auto nested = [](int levels) {
    GgufBytes file;
    file.header(0, 1).key("k", 9);
    for (int i = 1; i < levels; ++i) file.u32(9).u64(1);
    return file.u32(0).u64(0);
  };
  EXPECT_EQ(read_gguf(nested(8)).metadata.size(), 1u);
  EXPECT_EQ(refuses(nested(9)).first, Code::depth);
}

TEST(Gguf, NamesTheFirstTensorAfterAGap) {
  GgufBytes file;
  file.header(3, 0).tensor("a", {1}, 0, 0).tensor("b", {1}, 0, 32).tensor("c", {1}, 0, 96).data(128);
  EXPECT_EQ(read_gguf(file).gap.value().tensor, 2u);
  GgufBytes reordered;
  reordered.header(2, 0).tensor("a", {1}, 0, 32).tensor("b", {1}, 0, 0).data(64);
  EXPECT_EQ(read_gguf(reordered).gap.value().tensor, 0u);
}

TEST(Gguf, OffsetsAreUnsigned) {
  const std::uint64_t half = std::uint64_t{1} << 63;
  for (const std::uint64_t offset : {half, 0 - std::uint64_t{32}, half - 32, half / 2}) {
    const auto [code, message] = refuses(one_tensor(0, {1}, 64, offset));
    EXPECT_EQ(code, Code::buffer_too_small) << offset;
    EXPECT_EQ(message.find("multiple"), message.npos) << message;
    const GgufHeader empty = read_gguf(one_tensor(0, {0}, 64, offset));
    EXPECT_EQ(empty.gap.value().offset, offset);
  }
  EXPECT_EQ(refuses(one_tensor(0, {1}, 64, half + 1)).first, Code::bad_file);
}

TEST(Gguf, NamesAnEmptyTensorThatIsNotInItsPlace) {
  GgufBytes file;
  file.header(3, 0).tensor("a", {0}, 0, 0).tensor("b", {0}, 0, std::uint64_t{1} << 40);
  file.tensor("c", {1}, 0, 0).data(32);
  EXPECT_EQ(read_gguf(file).gap.value().tensor, 1u);
  EXPECT_EQ(read_gguf(file).gap.value().offset, std::uint64_t{1} << 40);
}

// Law: a file cut short anywhere is refused, and never read beyond its end.
TEST(Gguf, EveryCutOfAFileIsRefused) {
  const std::string file = testing_files::model_file(3, 2);
  for (std::size_t size = 0; size < file.size(); ++size) {
    const std::vector<char> cut(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_FALSE(parse_gguf_header(std::as_bytes(std::span(cut)))) << size;
  }
  EXPECT_TRUE(parse_gguf_header(gguf_view(file)));
}

TEST(Gguf, FlippedBytesGiveAValueOrADiagnosticInsideTheFile) {
  std::mt19937 random(12);  // NOLINT: the same files in every run
  const std::string whole = testing_files::model_file(3, 2);
  for (int i = 0; i < 20000; ++i) {
    std::string file = whole;
    for (int n = static_cast<int>(random() % 3); n >= 0; --n)
      file[random() % 360] = static_cast<char>(random());
    const Result<GgufHeader> header = parse_gguf_header(gguf_view(file));
    if (!header) {
      ASSERT_LE(header.error().span.end, file.size());
      continue;
    }
    for (const GgufTensor& tensor : header->tensors) {
      ASSERT_LE(tensor.begin, tensor.end);
      ASSERT_LE(tensor.end, std::ssize(file));
    }
  }
}

TEST(Gguf, TypeNumbersAreThoseOfGgml) {
  EXPECT_EQ(find_gguf_type(0)->name, "f32");
  EXPECT_EQ(find_gguf_type(14)->block_bytes, 210);
  EXPECT_EQ(find_gguf_type(41)->block_elements, 128);
  EXPECT_FALSE(find_gguf_type(16)->has_codes);
  EXPECT_EQ(find_gguf_type(42), nullptr);
  EXPECT_EQ(gguf_layout_text(*find_gguf_type(0), {2, 3}), "f32[2,3]{1,0}");
  EXPECT_EQ(gguf_layout_text(*find_gguf_type(0), {}), "f32[]");
  EXPECT_EQ(gguf_layout_text(*find_gguf_type(12), {4, 512}), "gguf:q4_k[4,512]");
}

TEST(Gguf, ATensorOfAFileHasItsBytes) {
  const std::string path = testing::TempDir() + "one.gguf";
  std::ofstream(path, std::ios::binary) << one_tensor(0, {3, 2}, 24).text();
  const Result<TensorFile> file = TensorFile::open(parse_tensor_path(path + "#a"));
  ASSERT_TRUE(file) << to_string(file.error());
  EXPECT_EQ(file->format(), FileFormat::gguf);
  EXPECT_EQ(file->data().size(), 24u);
  EXPECT_EQ(to_string(*file->tensor().layout), "f32[2,3]{1,0}");
  EXPECT_EQ(TensorFile::open({path, "b"}).error().code, Code::unknown_name);
  EXPECT_EQ(*content_of(path), Content::gguf);
  EXPECT_EQ(list_tensors(path, Content::gguf)->tensors.size(), 1u);
}

}  // namespace
}  // namespace tessera
