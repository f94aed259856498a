// SPDX-License-Identifier: Apache-2.0
#include "transfer/code_copy.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "base/index_walk.h"
#include "files/gguf_bytes.h"
#include "transfer/code_tensor.h"
#include "transfer/code_verify.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class CodeCopyTest : public testing::Test {
 public:
  ~CodeCopyTest() override { fs::remove_all(folder_); }

 protected:
  CodeCopyTest() : folder_(fs::path(testing::TempDir()) / ("tessera_codes_" + std::to_string(::getpid()))) {
    fs::create_directories(folder_);
  }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  void put_codes(const std::string& name, const std::string& bytes) const {
    std::ofstream(path(name), std::ios::binary) << bytes;
  }
  std::string contents(const std::string& name) const {
    std::ifstream file(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static std::string noise(std::size_t bytes) {
    std::mt19937 random(7);  // NOLINT: the same bytes in every run
    std::string out(bytes, '\0');
    for (char& c : out) c = static_cast<char>(random());
    return out;
  }

  Result<CopyReport> copy_named(const std::string& in, const std::string& from, const std::string& out,
                                const std::string& to, CopyOptions options = {},
                                const std::string& recode = "") const {
    options.force = true;
    options.verify = true;
    const auto side = [](const std::string& text) -> std::optional<NamedOrLayout> {
      if (text.empty()) return std::nullopt;
      return *parse_named_or_layout(text);
    };
    const auto file = TensorFile::open(parse_tensor_path(path(in)));
    if (!file) return fail(file.error());
    const auto source = source_codes(*file, side(from));
    if (!source) return fail(source.error());
    const auto destination = destination_codes(*source, side(to));
    if (!destination) return fail(destination.error());
    const auto mover = CodeMover::make(*source, *destination,
                                       recode.empty() ? std::nullopt : std::optional(*parse_recode(recode)));
    if (!mover) return fail(mover.error());
    return copy_codes(*file, *mover, parse_tensor_path(path(out)), options);
  }

 private:
  fs::path folder_;
};

TEST_F(CodeCopyTest, ThereAndBackGivesTheSameBytes) {
  put_codes("awq.raw", noise(64 * 128 / 2));
  ASSERT_TRUE(copy_named("awq.raw", "pack:awq u4[64,128]", "m.safetensors#q", "pack:marlin u4[64,128]"));
  ASSERT_TRUE(copy_named("m.safetensors", "", "g.npy", "pack:gptq u4[64,128]"));
  ASSERT_TRUE(copy_named("g.npy", "pack:gptq u4[64,128]", "again.raw", "pack:awq u4[64,128]"));
  EXPECT_EQ(contents("again.raw"), contents("awq.raw"));
  EXPECT_NE(contents("m.safetensors").find(R"("tessera.layout.q":"pack:marlin u4[64,128]")"),
            std::string::npos);
  EXPECT_NE(contents("m.safetensors").find(R"("dtype":"I32","shape":[4,256])"), std::string::npos);
}

TEST_F(CodeCopyTest, PartsOfADestinationAreTheWhole) {
  put_codes("awq.raw", noise(std::size_t{4096} * 4096 / 2));
  const auto whole = copy_named("awq.raw", "pack:awq u4[4096,4096]", "a.raw", "pack:marlin u4[4096,4096]");
  ASSERT_TRUE(whole) << to_string(whole.error());
  const auto parts = copy_named("awq.raw", "pack:awq u4[4096,4096]", "b.raw", "pack:marlin u4[4096,4096]",
                                {.memory_bytes = Index{1} << 21});
  ASSERT_TRUE(parts) << to_string(parts.error());
  EXPECT_EQ(whole->bands, 1);
  EXPECT_GT(parts->bands, 4);
  EXPECT_TRUE(contents("a.raw") == contents("b.raw"));
  const auto refused = copy_named("awq.raw", "pack:awq u4[4096,4096]", "c.raw", "gguf:q5_0.qs u4[4096,4096]",
                                  {.memory_bytes = Index{1} << 21});
  EXPECT_TRUE(refused || refused.error().code == Code::limit);
}

TEST_F(CodeCopyTest, PaddingIsSetAsAsked) {
  put_codes("s.raw", noise(3));
  std::array<std::byte, 16> one = {std::byte{0x7f}};
  ASSERT_TRUE(copy_named("s.raw", "scale:linear f8e8m0fnu[1,3]", "t.raw", "scale:8x4 f8e8m0fnu[1,3]",
                         {.padding = Padding::value, .fill = one}));
  std::string expected(32, '\x7f');
  for (std::size_t i = 0; i < 3; ++i) expected[i] = noise(3)[i];
  EXPECT_EQ(contents("t.raw"), expected);
  ASSERT_TRUE(copy_named("s.raw", "scale:linear f8e8m0fnu[1,3]", "t.raw", "scale:8x4 f8e8m0fnu[1,3]"));
  EXPECT_EQ(contents("t.raw"), expected) << "kept from the file that is replaced";
  ASSERT_TRUE(copy_named("s.raw", "scale:linear f8e8m0fnu[1,3]", "u.raw", "scale:8x4 f8e8m0fnu[1,3]"));
  EXPECT_EQ(contents("u.raw"), noise(3) + std::string(29, '\0'));
}

TEST_F(CodeCopyTest, ReadsFieldsOfBlocks) {
  testing_files::GgufBytes model;
  model.header(2, 0).tensor("q", {64, 3}, 39, 0).tensor("i", {256}, 16, 128).data(256);
  put_codes("m.gguf", model.text());
  ASSERT_TRUE(copy_named("m.gguf#q", "", "q.raw", "pack:low f4e2m1fn[3,64]"));
  EXPECT_EQ(contents("q.raw").size(), 96u);
  ASSERT_TRUE(copy_named("m.gguf#q", "gguf:mxfp4.d f8e8m0fnu[3,2]", "d.raw", "scale:128x4 f8e8m0fnu[3,2]"));
  EXPECT_EQ(contents("d.raw").size(), 512u);
  const auto none = copy_named("m.gguf#i", "", "i.raw", "");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, Code::not_representable);
  const auto other = copy_named("m.gguf#q", "gguf:q4_0 u4[3,64]", "q.raw", "");
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, Code::bad_option);
}

// Of large arrays, verifying compared only some elements.
TEST_F(CodeCopyTest, VerifyingComparesAllCodes) {
  const auto side = [](std::string_view text) { return *code_side(*parse_named_layout(text)); };
  for (const auto& [from, to, recode] :
       {std::tuple("pack:awq u4[64,128]", "pack:marlin u4[64,128]", ""),
        std::tuple("pack:gptq u3[64,128]", "pack:low u3[64,128]", "add=3"),
        std::tuple("gguf:q6_k u6[32,256]", "pack:low(row=32) u6[32,256]", ""),
        std::tuple("scale:linear u8[64,128]", "scale:128x4 u8[64,128]", "xor=5")}) {
    SCOPED_TRACE(from);
    const auto mover =
        *CodeMover::make(side(from), side(to), *recode ? std::optional(*parse_recode(recode)) : std::nullopt);
    const std::string text = noise(static_cast<std::size_t>(*mover.from().bytes()));
    const auto src = std::as_bytes(std::span(text));
    std::vector<std::byte> dst(static_cast<std::size_t>(*mover.to().bytes()));
    ASSERT_TRUE(move_codes(mover, src, dst));
    const auto verified = [&](std::span<const std::byte> codes) {
      return transfer::verify_codes(mover.from(), mover.to(), mover.recode(), src, codes, {}, {}, {});
    };
    const auto right = verified(dst);
    ASSERT_TRUE(right) << to_string(right.error());
    EXPECT_EQ(right->checked, mover.from().size());
    const std::vector<Index> last{mover.from().shape()[0] - 1, mover.from().shape()[1] - 1};
    std::vector<std::byte> wrong = dst;
    mover.to().store(last, mover.to().code(last, dst) ^ 1, wrong);
    const auto found = verified(wrong);
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().code, Code::verify_failed);
    EXPECT_THAT(found.error().witness, HasSubstr(fmt::format("index ({}, {}", last[0], last[1])));
  }
}

// Codes of signed types have their sign in the rest of a wider cell.
TEST_F(CodeCopyTest, VerifyingComparesWholeCells) {
  const Tensor bytes{.layout = *parse_layout("s4[64,128]{1,0}"), .dtype = DType::s4, .element_bits = 8};
  const auto mover = *CodeMover::make(*code_side(*parse_named_layout("pack:low s4[64,128]")),
                                      code_side(bytes), std::nullopt);
  const std::string text = noise(64 * 64);
  const auto src = std::as_bytes(std::span(text));
  std::vector<std::byte> dst(64 * 128);
  ASSERT_TRUE(move_codes(mover, src, dst));
  ASSERT_TRUE(transfer::verify_codes(mover.from(), mover.to(), mover.recode(), src, dst, {}, {}, {}));
  dst.back() ^= std::byte{0x80};
  const auto found = transfer::verify_codes(mover.from(), mover.to(), mover.recode(), src, dst, {}, {}, {});
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, Code::verify_failed);
  EXPECT_THAT(found.error().witness, HasSubstr("index (63, 127)"));
}

// Scales and minima are in no element, but in the blocks.
TEST_F(CodeCopyTest, BlocksOfTheSameLayoutAreKeptWhole) {
  const std::string blocks = noise(2 * 210);
  put_codes("six.raw", blocks);
  for (const Index memory : {Index{256}, Index{1} << 20}) {
    const auto report = copy_named("six.raw", "gguf:q6_k u6[2,256]", "same.raw", "gguf:q6_k u6[2,256]",
                                   {.memory_bytes = memory, .verify = true});
    ASSERT_TRUE(report) << to_string(report.error());
    EXPECT_EQ(contents("same.raw"), blocks);
    EXPECT_EQ(report->bands, memory == 256 ? 4 : 1);
    EXPECT_TRUE(report->verified && report->verified->checked == 512);
  }
  // A change of codes is about codes alone.
  ASSERT_TRUE(copy_named("six.raw", "gguf:q6_k u6[2,256]", "other.raw", "gguf:q6_k u6[2,256]", {}, "xor=1"));
  EXPECT_NE(contents("other.raw"), blocks);
}

TEST_F(CodeCopyTest, WithoutADestinationCodesAreRowMajor) {
  put_codes("awq.raw", noise(16));
  ASSERT_TRUE(copy_named("awq.raw", "pack:awq u4[4,8]", "d.safetensors#t", ""));
  EXPECT_NE(contents("d.safetensors").find("u4[4,8]{1,0:E(4)}"), std::string::npos);
  put_codes("six.raw", noise(210));
  ASSERT_TRUE(copy_named("six.raw", "gguf:q6_k u6[256]", "d.safetensors#t", ""));
  EXPECT_NE(contents("d.safetensors").find("pack:low u6[256]"), std::string::npos);
  ASSERT_TRUE(copy_named("six.raw", "gguf:q6_k u6[256]", "b.npy", "np:(256):(1)"));
  EXPECT_EQ(TensorFile::open({path("b.npy")})->tensor().dtype, DType::u8);
}

TEST_F(CodeCopyTest, CodesOfBytesMustFit) {
  put_codes("b.raw", std::string(8, '\x11'));
  const auto wide = copy_named("b.raw", "u4[8]", "x.raw", "pack:low u4[8]");
  ASSERT_FALSE(wide);
  EXPECT_EQ(wide.error().code, Code::number_range);
  EXPECT_THAT(wide.error().message, HasSubstr("element (0)"));
  put_codes("b.raw", std::string(8, '\xff'));
  EXPECT_TRUE(copy_named("b.raw", "s4[8]", "x.raw", "pack:low s4[8]"));
  EXPECT_EQ(contents("x.raw"), std::string(4, '\xff'));
  ASSERT_TRUE(copy_named("x.raw", "pack:low s4[8]", "y.raw", "s4[8]", {}, "xor=8"));
  EXPECT_EQ(contents("y.raw"), std::string(8, '\x07'));
  ASSERT_TRUE(copy_named("x.raw", "pack:low s4[8]", "y.raw", "pack:low s8[8]", {}, "add=9"));
  EXPECT_EQ(contents("y.raw"), std::string(8, '\xf8'));
}

TEST_F(CodeCopyTest, ErrorsSayWhatDisagrees) {
  put_codes("a.raw", noise(100));
  const auto size = copy_named("a.raw", "pack:awq u4[4,8]", "x.raw", "");
  ASSERT_FALSE(size);
  EXPECT_EQ(size.error().code, Code::shape_mismatch);
  EXPECT_THAT(size.error().message, HasSubstr("100 bytes"));
  EXPECT_THAT(size.error().message, HasSubstr("s32[4,1]"));
  put_codes("a.raw", noise(16));
  EXPECT_EQ(copy_named("a.raw", "pack:awq u4[4,8]", "x.raw", "pack:low u4[8,4]").error().code,
            Code::different_shape);
  EXPECT_EQ(copy_named("a.raw", "pack:awq u4[4,8]", "x.raw", "pack:low s4[4,8]").error().code,
            Code::different_type);
  EXPECT_EQ(copy_named("a.raw", "pack:awq u4[4,8]", "x.raw", "", {}, "add=16").error().code,
            Code::number_range);
  EXPECT_EQ(
      copy_named("a.raw", "pack:awq u4[4,8]", "x.raw", "pack:low u4[4,8]", {}, "add=1").value().elements, 32);
  put_codes("three.raw", noise(12));
  EXPECT_EQ(copy_named("three.raw", "pack:low(row=32) u3[32]", "x.raw", "pack:words u3[32]",
                       {.padding = Padding::value})
                .error()
                .code,
            Code::bad_option);
}

TEST(Recode, ReadsItsTwoForms) {
  EXPECT_EQ(to_string(*parse_recode("add=0xf")), "add=15");
  EXPECT_EQ(to_string(*parse_recode("xor=8")), "xor=8");
  EXPECT_EQ(parse_recode("sub=1").error().code, Code::bad_option);
  EXPECT_EQ(parse_recode("add=").error().code, Code::bad_option);
  EXPECT_EQ(parse_recode("add=-1").error().code, Code::number_range);
  EXPECT_EQ(parse_recode("add=99999999999999999999").error().code, Code::number_range);
  EXPECT_EQ((Recode{Recode::Kind::add, 1}(15, 4)), 0u);
  EXPECT_EQ((Recode{Recode::Kind::add, 1}(~std::uint64_t{0}, 64)), 0u);
}

// Law: a copy in bands of whole bytes writes what a copy in one piece writes. Bits had to be in memory as a
// whole.
TEST_F(CodeCopyTest, BitsAreCopiedInBands) {
  const std::pair<std::string, std::string> pairs[] = {
      {"gguf:q6_k[96,512]", "pack:low u8[96,512]"},
      {"pack:low u6[96,512]", "gguf:q6_k[96,512]"},
      {"gguf:q6_k[49152]", "pack:low u6[49152]"},
      {"pack:low u6[49152]", "gguf:q6_k[49152]"},
      {"gguf:q3_k[40,1024]", "pack:low u8[40,1024]"},
      {"gguf:q3_k[1600,256]", "pack:gptq u3[1600,256]"},
      {"gguf:q5_k.mn u6[1024,8]", "pack:low(row=24) u6[1024,8]"},
      {"pack:low(row=24) u3[2000,11]", "pack:low u3[2000,11]"},
      {"pack:low u5[900,13]", "pack:words u5[900,13]"},
      {"pack:low u7[25000]", "pack:low(row=32) u7[25000]"},
      {"pack:low u3[3,5,32,33]", "pack:gptq u3[3,5,32,33]"},
      {"pack:low u7[1,900,25]", "pack:low u8[1,900,25]"},
      {"pack:gptq u3[320,100]", "pack:gptq_p u3[320,100]"},
  };
  for (const auto& [from, to] : pairs) {
    put_codes("in.raw", noise(static_cast<std::size_t>(parse_named_layout(from)->buffer_bytes())));
    const auto whole = copy_named("in.raw", from, "whole.raw", to);
    ASSERT_TRUE(whole) << from << ": " << to_string(whole.error());
    const auto banded = copy_named("in.raw", from, "banded.raw", to, {.memory_bytes = 8192});
    ASSERT_TRUE(banded) << from << " to " << to << ": " << to_string(banded.error());
    EXPECT_EQ(whole->bands, 1) << from << " to " << to;
    EXPECT_GT(banded->bands, 1) << from << " to " << to;
    EXPECT_EQ(contents("banded.raw"), contents("whole.raw")) << from << " to " << to;
  }
}

}  // namespace
}  // namespace tessera
