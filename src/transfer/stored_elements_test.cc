// SPDX-License-Identifier: Apache-2.0
#include "transfer/stored_elements.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "base/index_walk.h"
#include "files/bit_field.h"
#include "files/metadata.h"
#include "files/safetensors.h"
#include "transfer/page_budget.h"

namespace tessera::transfer {
namespace {

namespace fs = std::filesystem;

// A checkpoint of one tensor of random bytes in a layout.
class StoredElementsTest : public testing::TestWithParam<std::string> {
 protected:
  StoredElementsTest()
      : path_(fs::temp_directory_path() / ("tessera-stored-" + std::to_string(getpid()) + ".safetensors")),
        layout_(*parse_named_or_layout(GetParam())) {}
  ~StoredElementsTest() override { fs::remove(path_); }

  Checkpoint checkpoint() {
    FileTensor tensor{.name = "w", .layout = layout_.layout, .named = layout_.named};
    tensor.dtype = layout_.named ? layout_.named->type().dtype : layout_.layout->dtype().value_or(DType::u8);
    tensor.element_bits =
        layout_.named ? layout_.named->type().bits : memory_bits(*layout_.layout, *tensor.dtype);
    tensor.end =
        layout_.named ? layout_.named->buffer_bytes() : *file_bytes(*layout_.layout, tensor.element_bits);
    std::mt19937 random(11);
    bytes_.resize(static_cast<std::size_t>(tensor.end));
    for (std::byte& byte : bytes_) byte = static_cast<std::byte>(random());
    const std::string header = to_bytes(*describing_header(tensor));
    std::ofstream file(path_, std::ios::binary);
    file.write(header.data(), std::ssize(header));
    file.write(reinterpret_cast<const char*>(bytes_.data()), std::ssize(bytes_));
    file.close();
    return *Checkpoint::open(path_, {}, nullptr);
  }

  // Bit `bit` of an element, by the definition of the layout.
  std::uint64_t bit(std::span<const Index> index, int bit, Index bits) const {
    const Index at =
        layout_.named ? layout_.named->bit_offset(index, bit) : layout_.layout->offset(index) * bits + bit;
    return bits_at(bytes_.data(), at, 1);
  }

  fs::path path_;
  NamedOrLayout layout_;
  std::vector<std::byte> bytes_;
};

TEST_P(StoredElementsTest, CopiesAndComparesTheBitsOfTheDefinition) {
  const Checkpoint source = checkpoint();
  const CheckpointTensor& tensor = source.tensors()[0];
  const Index bits = tensor.element_bits;
  StoredElements elements(source, 0, bits);
  const Index count = *detail::element_count(tensor.shape);
  std::vector<std::byte> out(static_cast<std::size_t>(ceil_div((count + 3) * bits, Index{8})));
  for (Index number = 0; number < count; ++number)
    elements.copy(tensor.offset(detail::index_with_number(tensor.shape, number)), 1, out.data(), number + 3);
  for (Index number = 0; number < count; ++number) {
    const std::vector<Index> index = detail::index_with_number(tensor.shape, number);
    for (int b = 0; b < static_cast<int>(bits); ++b)
      ASSERT_EQ(bits_at(out.data(), (number + 3) * bits + b, 1), bit(index, b, bits)) << number << ' ' << b;
    const Index at = tensor.offset(index);
    ASSERT_EQ(elements.equal(at, 1, out.data(), number + 3), 1);
    ASSERT_EQ(elements.equal(at, 1, elements, at), 1);
  }
  if (!tensor.by_number()) return;
  // Runs of numbers are runs of elements, and the first that differs is found.
  std::vector<std::byte> run(out.size());
  elements.copy(0, count, run.data(), 3);
  EXPECT_EQ(run, out);
  // So are those that a plan has put into memory, even if the tensor begins at any bit of it.
  StoredElements laid_out(source, 0, bits);
  PlanCache plans;
  const bool has_plan = tensor.layout || tensor.shape.back() * bits % 8 == 0;
  EXPECT_EQ(laid_out.lay_out(plans), has_plan ? count * bits / 8 : 0);
  std::vector<std::byte> again(out.size());
  laid_out.copy(0, count, again.data(), 3);
  EXPECT_EQ(again, out);
  set_bits(run.data(), (count / 2 + 3) * bits, 1, 1 - bits_at(run.data(), (count / 2 + 3) * bits, 1));
  EXPECT_EQ(elements.equal(0, count, run.data(), 3), count / 2);
  EXPECT_EQ(elements.equal(0, count, elements, 0), count);
  const std::vector<Index> middle = detail::index_with_number(tensor.shape, count / 2);
  const Index flipped =
      layout_.named ? layout_.named->bit_offset(middle, 0) : layout_.layout->offset(middle) * bits;
  set_bits(bytes_.data(), flipped, 1, 1 - bits_at(bytes_.data(), flipped, 1));
  StoredElements changed(tensor, bytes_.data(), bits);
  EXPECT_EQ(elements.equal(0, count, changed, 0), count / 2);
  EXPECT_EQ(elements.equal(0, count / 2, changed, 0), count / 2);
  // The file lies in one page window, which counts once.
  PageBudget pages(Index{1} << 30, [] {});
  StoredElements counted(source, 0, bits, &pages);
  counted.copy(0, count, run.data(), 3);
  EXPECT_EQ(pages.spent(), kPageWindow);
}

INSTANTIATE_TEST_SUITE_P(Layouts, StoredElementsTest,
                         testing::Values("u8[6,10]", "u16[6,10]{0,1:T(4,2)}", "u4[6,10]{1,0:E(4)}",
                                         "cute:Sw<2,0,3> o _0 o (8,8):(8,1)", "pack:low u3[4,32]",
                                         "pack:gptq u3[32,8]", "pack:low u6[3,5]", "pack:low s5[4,8]",
                                         "pack:awq u4[4,16]", "c128[3,5]{0,1}"));

}  // namespace
}  // namespace tessera::transfer
