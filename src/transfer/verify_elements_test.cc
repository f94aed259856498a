// SPDX-License-Identifier: Apache-2.0
#include "transfer/verify_elements.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "files/safetensors.h"
#include "relayout/each_run.h"
#include "transfer/compare_files.h"
#include "transfer/stored_elements.h"

namespace tessera::transfer {
namespace {

namespace fs = std::filesystem;

// A checkpoint of one tensor of 16-bit numbers in a folder of its own.
class VerifyElements : public testing::Test {
 protected:
  VerifyElements() : folder_(fs::temp_directory_path() / ("tessera-verify-" + std::to_string(getpid()))) {
    fs::create_directories(folder_ / "from");
  }
  ~VerifyElements() override { fs::remove_all(folder_); }

  void write_source(const std::string& name, std::vector<Index> shape, const std::string& stem = "model",
                    std::optional<std::size_t> other = std::nullopt) {
    Index cells = 1;
    for (const Index extent : shape) cells *= extent;
    std::vector<std::uint16_t> numbers(static_cast<std::size_t>(cells));
    for (std::size_t k = 0; k < numbers.size(); ++k) numbers[k] = static_cast<std::uint16_t>(k * 31 + 7);
    if (other) numbers[*other] ^= 1;
    SafetensorsHeader header;
    header.tensors.push_back({name, "BF16", DType::bf16, std::move(shape), 0, 2 * cells});
    std::ofstream file(folder_ / "from" / (stem + ".safetensors"), std::ios::binary);
    const std::string bytes = to_bytes(header);
    file.write(bytes.data(), std::ssize(bytes));
    file.write(reinterpret_cast<const char*>(numbers.data()), 2 * cells);
  }

  FilePlan plan(const ReshardFilesOptions& options) {
    auto made = make_file_plan(folder_ / "from", folder_ / "to", options);
    EXPECT_TRUE(made) << to_string(made.error());
    return std::move(*made);
  }

  // The new files, with every element where the moves of the plan say.
  static std::vector<std::string> carry_out(const FilePlan& plan) {
    std::vector<std::string> out;
    for (const TargetFile& file : plan.files) {
      std::string bytes = file.header;
      bytes.resize(static_cast<std::size_t>(file.bytes));
      for (const std::size_t t : file.tensors) {
        const TargetTensor& tensor = plan.tensors[t];
        for (const TensorMove& move : tensor.moves) {
          StoredElements source(plan.source, move.source, tensor.element_bits);
          for_each_run(move.box, [&](Index from, Index to, Index length) {
            source.copy(from, length, reinterpret_cast<std::byte*>(bytes.data() + tensor.begin), to);
            return true;
          });
        }
      }
      out.push_back(std::move(bytes));
    }
    return out;
  }

  // What verify_elements says.
  static std::string verdict(const FilePlan& plan, const std::vector<std::string>& files) {
    std::vector<std::span<const std::byte>> bytes;
    for (const std::string& file : files) bytes.push_back(std::as_bytes(std::span(file)));
    const auto compared = verify_elements(plan, bytes, [] {}, Index{1} << 24);
    return compared ? std::to_string(*compared) : compared.error().message;
  }

  fs::path folder_;
};

TEST_F(VerifyElements, FindsEveryElementOfSmallTensors) {
  write_source("w", {13, 6});
  const FilePlan one = plan({.to = "DeviceMesh((2, 2)) [_StridedShard(dim=0, sf=2), Shard(0)]"});
  EXPECT_EQ(verdict(one, carry_out(one)), "78");
  const FilePlan copies = plan({.to = "mesh[a=2,b=2] [a(cyclic 2), -]"});
  EXPECT_EQ(verdict(copies, carry_out(copies)), "156");
}

// Regression: with copies that differ, the verdict named where the last copy differs, not where the target
// does.
TEST_F(VerifyElements, NamesTheElementThatNoCopyHas) {
  write_source("w", {12, 6}, "model-00000");
  write_source("w", {12, 6}, "model-00001", 3);
  const FilePlan joined = plan({.from = "DeviceMesh((2)) [Replicate()]", .allow_unused = true});
  std::vector<std::string> files = carry_out(joined);
  EXPECT_EQ(verdict(joined, files), "72");
  files[0][joined.files[0].header.size() + 2 * 50] ^= 1;
  const auto compared =
      verify_elements(joined, {{std::as_bytes(std::span(files[0]))}}, [] {}, Index{1} << 24);
  ASSERT_FALSE(compared);
  EXPECT_EQ(compared.error().witness, "index 8,2, element 50");
}

// A plan with a wrong box writes wrong files, and the comparison by the same boxes cannot see it.
TEST_F(VerifyElements, CatchesAPlanThatIsWrong) {
  write_source("w", {12, 6});
  const ReshardFilesOptions options{.to = "DeviceMesh((2, 2)) [_StridedShard(dim=0, sf=2), Shard(0)]"};
  const std::string wrong = "' does not have the element that belongs there";
  FilePlan shifted = plan(options);
  shifted.tensors[1].moves[0].box.from += 1;
  EXPECT_EQ(verdict(shifted, carry_out(shifted)), "tensor 'w' of '" + shifted.tensors[1].file + wrong);
  FilePlan transposed = plan({.to = "DeviceMesh((2)) [Shard(1)]"});
  StridedMove& box = transposed.tensors[0].moves[0].box;
  ASSERT_EQ(box.loops.size(), 2u);
  std::swap(box.loops[0].from, box.loops[1].from);
  EXPECT_EQ(verdict(transposed, carry_out(transposed)),
            "tensor 'w' of '" + transposed.tensors[0].file + wrong);
  // Files in the order of another distribution: a plan for placements that look alike.
  FilePlan other = plan({.to = "DeviceMesh((2, 2)) [Shard(0), Shard(0)]"});
  FilePlan meant = plan(options);
  for (std::size_t t = 0; t < meant.tensors.size(); ++t) meant.tensors[t].moves = other.tensors[t].moves;
  EXPECT_TRUE(verdict(meant, carry_out(meant)).ends_with(wrong));
}

TEST_F(VerifyElements, CatchesAPlanOfPiecesThatIsWrong) {
  write_source("qkv", {12, 3});
  const ReshardFilesOptions options{
      .recipe = R"({"schema": "tessera.recipe/1", "axes": {"g": 2, "h": 2, "d": 2, "n": 3, "hd": "h * d"},
        "tensors": [{"from": {"qkv": "[(g (q: hd | kv: d)) n]"}, "to": {"q": "q: [(g hd) n]", "kv": "kv: [(g d) n]"}}]})"};
  const FilePlan right = plan(options);
  EXPECT_EQ(verdict(right, carry_out(right)), "36");
  std::vector<std::string> files = carry_out(right);
  for (std::string& file : files) {
    for (std::size_t at = right.files[0].header.size(); at < file.size(); ++at) {
      file[at] ^= 4;
      EXPECT_TRUE(verdict(right, files).starts_with("tensor '")) << at;
      file[at] ^= 4;
    }
  }
  FilePlan wrong = plan(options);
  wrong.tensors[1].moves.back().box.from += 3;  // one row too far
  EXPECT_TRUE(verdict(wrong, carry_out(wrong)).starts_with("tensor 'q'"));
}

// Regression: every value of an axis became a box if only the target counted copies with another one. Copies
// that are cut at other places do not keep their distance in a tensor.
TEST_F(VerifyElements, FindsEveryCopy) {
  write_source("w", {30, 2});
  for (const std::string cut :
       {"a(cyclic 1)", "a(cyclic 4)", "a(cyclic 7)", "a(strided 4)", "a(sizes 7,83)", "a"}) {
    for (const std::string order : {"r v", "v r"}) {
      const FilePlan copied =
          plan({.recipe = R"j({"schema": "tessera.recipe/1", "axes": {"v": 30, "n": 2, "r": 3}, "tensors":
          [{"from": {"w": "[v n]"}, "to": {"w": {"axes": "[()j" +
                          order + R"j() n]", "sharding": "mesh[a=2] [)j" + cut +
                          R"j(, -]"}}, "copies": {"": ["r"]}}]})j"});
      std::vector<std::string> files = carry_out(copied);
      EXPECT_EQ(verdict(copied, files), "180") << cut << ' ' << order;
      for (std::size_t f = 0; f < files.size(); ++f) {
        for (std::size_t at = copied.files[f].header.size(); at < files[f].size(); ++at) {
          files[f][at] ^= 1;
          EXPECT_TRUE(verdict(copied, files).starts_with("tensor 'w' of "))
              << cut << ' ' << order << ' ' << at;
          files[f][at] ^= 1;
        }
      }
    }
  }
}

// Regression: --resume with another packing of the same bytes continued what the first had begun.
TEST_F(VerifyElements, APlanOfAnotherPackingIsAnotherPlan) {
  write_source("w", {12});
  const auto unpacks = [&](const std::string& family) {
    return plan({.recipe = R"({"schema": "tessera.recipe/1", "axes": {"k": 32, "n": 2}, "tensors": [{"from":
        {"w": {"layout": ")" +
                           family + R"(", "type": "u3", "axes": "[k n]"}}, "to": {"w": "[n k]"}}]})"});
  };
  EXPECT_EQ(unpacks("pack:gptq").hash(), unpacks("pack:gptq").hash());
  EXPECT_NE(unpacks("pack:gptq").hash(), unpacks("pack:gptq_p").hash());
}

// Regression: only some elements of a tensor of more than 65,536 were compared by the definition.
TEST_F(VerifyElements, CatchesAnyElementOfALargeTensor) {
  write_source("w", {300, 300});
  for (const std::string to : {"DeviceMesh((3)) [Shard(1)]", "mesh[a=3,b=2] [a(cyclic 7), b(strided 3)]"}) {
    const FilePlan large = plan({.to = to});
    std::vector<std::string> files = carry_out(large);
    EXPECT_EQ(verdict(large, files), "90000");
    for (const std::size_t at : {0, 1, 12345, 29999}) {
      std::string& file = files[at % files.size()];
      const std::size_t byte = large.files[0].header.size() + at / 2 % 20000;
      file[byte] ^= 1;
      EXPECT_TRUE(verdict(large, files).starts_with("tensor 'w' of ")) << at;
      file[byte] ^= 1;
    }
  }
}

// Regression: columns of a file that is larger than the memory were read row by row. Blocks that fit say the
// same as the order of the target.
TEST_F(VerifyElements, ComparesInBlocksThatFit) {
  write_source("w", {3000, 3000});
  const FilePlan turned = plan({.to = "DeviceMesh((2)) [Shard(1)]", .layout = "F"});
  std::vector<std::string> files = carry_out(turned);
  ASSERT_EQ(verdict(turned, files), "9000000");
  // Elements (2999, 10) and (7, 1400) of the second file: by row-major numbers, the latter is the first.
  for (const Index number : {7 + 3000 * 1400, 2999 + 3000 * 10})
    files[1][turned.files[1].header.size() + 2 * static_cast<std::size_t>(number)] ^= 1;
  std::vector<std::span<const std::byte>> bytes;
  for (const std::string& file : files) bytes.push_back(std::as_bytes(std::span(file)));
  const auto compared = verify_elements(turned, bytes, [] {}, Index{1} << 24);
  ASSERT_FALSE(compared);
  EXPECT_EQ(compared.error().witness, "index 7,2900, element 4200007");
}

// Regression: the headers of new files were not compared with those of the plan.
TEST_F(VerifyElements, CatchesAHeaderThatIsWrong) {
  write_source("w", {12, 6});
  const ReshardFilesOptions options{.to = "DeviceMesh((2)) [Shard(1)]", .verify = true};
  const auto damage = [&](std::string_view, Progress progress) {
    if (progress.done < progress.total) return;
    for (const auto& entry : fs::recursive_directory_iterator(folder_)) {
      if (entry.path().filename() != "model-00001.safetensors") continue;
      std::fstream file(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
      file.seekp(20);
      file.put('!');
    }
  };
  const auto written = reshard_files(folder_ / "from", folder_ / "to", options, damage);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().message, "'model-00001.safetensors' does not begin with its header");
}

// Regression: --check held a bit for each cell of a tensor, whatever --memory said.
TEST_F(VerifyElements, CountsWritesInTheMemoryThatItGets) {
  write_source("w", {40, 50});
  const ReshardFilesOptions options{.to = "DeviceMesh((2)) [Shard(1)]"};
  const FilePlan right = plan(options);
  for (const Index memory : {16, 48, 256, 1 << 20}) EXPECT_TRUE(check_every_byte(right, memory)) << memory;
  for (const Index shift : {1, -1, 24, 25, 100, 999}) {
    FilePlan wrong = plan(options);
    wrong.tensors[1].moves[0].box.to += shift;
    for (const Index memory : {16, 48, 256, 1 << 20})
      EXPECT_FALSE(check_every_byte(wrong, memory)) << shift << ' ' << memory;
  }
  FilePlan twice = plan(options);
  twice.tensors[0].moves.push_back(twice.tensors[0].moves[0]);
  twice.tensors[0].moves.back().box = {.from = 0, .to = 777, .loops = {}};
  for (const bool first : {false, true}) {
    if (first) std::swap(twice.tensors[0].moves.front(), twice.tensors[0].moves.back());
    for (const Index memory : {16, 48, 256, 1 << 20}) {
      const auto counted = check_every_byte(twice, memory);
      ASSERT_FALSE(counted);
      EXPECT_EQ(counted.error().message, "the plan writes twice an element of tensor 'w'");
      EXPECT_TRUE(counted.error().witness.starts_with("element 777 of")) << counted.error().witness;
    }
  }
}

}  // namespace
}  // namespace tessera::transfer
