// SPDX-License-Identifier: Apache-2.0
#include "files/npy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace tessera {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::span<const std::byte> bytes(const std::string& text) { return std::as_bytes(std::span(text)); }

// A file of version `major` with this dictionary.
std::string file_with(const std::string& dict, int major = 1) {
  std::string out = "\x93NUMPY";
  out += static_cast<char>(major);
  out += '\0';
  for (int i = 0; i < (major == 1 ? 2 : 4); ++i) out += static_cast<char>(dict.size() >> (8 * i));
  return out + dict;
}

NpyHeader read(const std::string& dict, int major = 1) {
  const std::string file = file_with(dict, major);
  Result<NpyHeader> header = parse_npy_header(bytes(file));
  EXPECT_TRUE(header) << (header ? "" : to_string(header.error()));
  return header.value_or(NpyHeader{});
}

// The error code and the text at the diagnostic's span.
std::pair<Code, std::string> refused(const std::string& file) {
  const Result<NpyHeader> header = parse_npy_header(bytes(file));
  if (header) return {Code::syntax, "accepted"};
  const Span span = header.error().span;
  EXPECT_LE(span.begin, span.end);
  EXPECT_LE(span.end, file.size());
  EXPECT_FALSE(header.error().message.empty());
  return {header.error().code, file.substr(span.begin, span.end - span.begin)};
}

// Law: a written header parses back, is a multiple of 64 bytes, and ends with a line break.
void check_reads_back(DType dtype, const std::vector<Index>& shape, bool fortran_order) {
  const std::string written = npy_header(dtype, shape, fortran_order);
  EXPECT_EQ(written.size() % 64, 0u);
  EXPECT_EQ(written.back(), '\n');
  const Result<NpyHeader> header = parse_npy_header(bytes(written));
  ASSERT_TRUE(header) << to_string(header.error());
  EXPECT_EQ(header->shape, shape);
  EXPECT_EQ(header->fortran_order, fortran_order);
  EXPECT_EQ(header->data_begin, written.size());
  EXPECT_EQ(header->element_bytes, (bit_width(dtype) + 7) / 8);
  EXPECT_EQ(header->dtype.value_or(dtype), dtype);
}

TEST(Npy, ReadsWhatNumPyWrites) {
  const NpyHeader header = read("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }        \n");
  EXPECT_EQ(header.dtype, DType::f32);
  EXPECT_EQ(header.element_bytes, 4);
  EXPECT_THAT(header.shape, ElementsAre(3, 4));
  EXPECT_FALSE(header.fortran_order);
  EXPECT_EQ(header.element_count(), 12);
}

TEST(Npy, ReadsAllVersionsAndAnyOrderOfKeys) {
  for (const int major : {1, 2, 3}) {
    const NpyHeader header = read("{\"shape\":(7,),'fortran_order':True,'descr':'|u1'}\n", major);
    EXPECT_EQ(header.dtype, DType::u8);
    EXPECT_THAT(header.shape, ElementsAre(7));
    EXPECT_TRUE(header.fortran_order);
    EXPECT_EQ(header.data_begin, (major == 1 ? 10u : 12u) + 50u);
  }
}

TEST(Npy, ReadsScalarsAndPythonTwosLongs) {
  EXPECT_TRUE(read("{'descr': '<i8', 'fortran_order': False, 'shape': (), }").shape.empty());
  EXPECT_THAT(read("{'descr': '<i8', 'fortran_order': False, 'shape': (3L, 5L), }").shape, ElementsAre(3, 5));
}

TEST(Npy, TypesWithoutAMeaningKeepTheirWidth) {
  const NpyHeader header = read("{'descr': '<V2', 'fortran_order': False, 'shape': (4,), }");
  EXPECT_EQ(header.dtype, std::nullopt);
  EXPECT_EQ(header.element_bytes, 2);
}

TEST(Npy, WritesTheHeaderOfNumPyByteForByte) {
  // Written by np.save of NumPy 2.4 for zeros((4000, 4001), 'f4').
  const std::string c = npy_header(DType::f32, std::vector<Index>{4000, 4001}, false);
  // Appended step by step: for a chain of operator+, GCC 12 warns of an overrun that is not there.
  std::string wanted("\x93NUMPY\x01\x00\x76\x00", 10);
  wanted += "{'descr': '<f4', 'fortran_order': False, 'shape': (4000, 4001), }";
  wanted.append(52, ' ');
  wanted += '\n';
  EXPECT_EQ(c, wanted);
  EXPECT_EQ(c.size(), 128u);
  EXPECT_THAT(npy_header(DType::f64, std::vector<Index>{2, 3}, true),
              HasSubstr("'fortran_order': True, 'shape': (2, 3), }"));
  EXPECT_THAT(npy_header(DType::u8, std::vector<Index>{3}, false), HasSubstr("'shape': (3,), }"));
  EXPECT_THAT(npy_header(DType::bf16, {}, false),
              HasSubstr("'descr': '<V2', 'fortran_order': False, 'shape': (), }"));
}

TEST(Npy, WhatIsWrittenReadsBack) {
  for (const DType dtype :
       {DType::pred, DType::s4, DType::s8, DType::u64, DType::bf16, DType::f8e4m3fn, DType::c128}) {
    check_reads_back(dtype, {}, false);
    check_reads_back(dtype, {0, 5}, true);
  }
  // A header too long for version 1.
  check_reads_back(DType::f32, std::vector<Index>(64, 1), false);
  const unsigned seed = 20240;
  std::mt19937 random(seed);
  for (int i = 0; i < 500; ++i) {
    std::vector<Index> shape(random() % 9);
    for (Index& extent : shape) extent = static_cast<Index>(random() % 90);
    SCOPED_TRACE(testing::Message() << "seed " << seed << ", case " << i);
    check_reads_back(DType::f16, shape, i % 2 == 0);
  }
}

TEST(Npy, RefusesWithThePlace) {
  const auto dict = [](const std::string& text) { return refused(file_with(text)); };
  using R = std::pair<Code, std::string>;
  EXPECT_EQ(dict("{'descr': '>f4', 'fortran_order': False, 'shape': (3, 4), }"),
            R(Code::byte_order, "'>f4'"));
  EXPECT_EQ(dict("{'descr': '|f4', 'fortran_order': False, 'shape': (3, 4), }"), R(Code::bad_file, "'|f4'"));
  EXPECT_EQ(dict("{'descr': 'f4', 'fortran_order': False, 'shape': (3, 4), }"), R(Code::bad_file, "'f4'"));
  EXPECT_EQ(dict("{'descr': '<U8', 'fortran_order': False, 'shape': (3, 4), }"),
            R(Code::unknown_type, "'<U8'"));
  EXPECT_EQ(dict("{'descr': '|O', 'fortran_order': False, 'shape': (3, 4), }"),
            R(Code::unknown_type, "'|O'"));
  EXPECT_EQ(dict("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (3, 4), }"),
            R(Code::unknown_type, "["));
  EXPECT_EQ(dict("{'descr': '<f4', 'fortran_order': false, 'shape': (3, 4), }"), R(Code::bad_file, "f"));
  EXPECT_EQ(dict("{'descr': '<f4', 'fortran_order': False, 'shape': (3, -4), }"), R(Code::bad_file, "-"));
  EXPECT_EQ(dict("{'descr': '<f4', 'fortran_order': False, 'shape': (3), }"), R(Code::bad_file, ")"));
  EXPECT_EQ(dict("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,), }"),
            R(Code::number_range, "99999999999999999999"));
  EXPECT_EQ(dict("{'descr': '<f4', 'fortran_order': False, }"), R(Code::bad_file, ""));
  EXPECT_EQ(dict("{'descr': '<f4', 'descr': '<f4', }"), R(Code::bad_file, "'descr'"));
  EXPECT_EQ(dict("{'size': 3}"), R(Code::bad_file, "'size'"));
  EXPECT_EQ(dict("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4)} x"), R(Code::bad_file, "x"));
  EXPECT_EQ(dict("{'descr': '<f4"), R(Code::bad_file, "'"));
  EXPECT_EQ(dict("{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775807, 4), }").first,
            Code::overflow);
}

// The message about a broken header of 2 MB once quoted a name of 2 MB.
TEST(Npy, RefusesHeadersThatAreTooLong) {
  const std::string file = file_with("{'" + std::string(std::size_t{2} << 20, 'x') + "': 1}", 2);
  EXPECT_EQ(refused(file).first, Code::limit);
}

TEST(Npy, RefusesCutOffAndForeignFiles) {
  EXPECT_EQ(refused("").first, Code::bad_file);
  EXPECT_EQ(refused("PK\x03\x04").second, "PK\x03\x04");
  EXPECT_EQ(refused(file_with("{}", 4)).second, "\x04");
  const std::string whole = npy_header(DType::f32, std::vector<Index>{3}, false);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_EQ(refused(whole.substr(0, size)).first, Code::bad_file) << size;
  }
}

}  // namespace
}  // namespace tessera
