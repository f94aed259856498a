// SPDX-License-Identifier: Apache-2.0
#include "hlo/verify/verify.h"

#include "hlo/verify/verify_test.h"
#include "laws/hlo_laws.h"
#include "tessera/hlo/walk.h"

namespace tessera {
namespace {

using verify_test::code_of;
using verify_test::inferred;
using verify_test::message_of;
using verify_test::parse_lines;

TEST(VerifyTest, TypesFollowFromOperands) {
  EXPECT_EQ(inferred("reduce-window(m, s), window={size=2x3 stride=1x2 pad=0_0x1_1}, to_apply=add"),
            "f32[3,4]");
  EXPECT_EQ(inferred("pad(m, s), padding=1_2x-1_0_3"), "f32[7,28]") << "8 + 7*3 - 1 cells";
  EXPECT_EQ(inferred("slice(m), slice={[1:3], [0:8:3]}"), "f32[2,3]");
  EXPECT_EQ(inferred("concatenate(m, m, m), dimensions={1}"), "f32[4,24]");
  EXPECT_EQ(inferred("reduce(m, n, s, i), dimensions={1}, to_apply=add2"), "(f32[4], s32[4])");
  EXPECT_EQ(inferred("dot(l, r), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, "
                     "rhs_contracting_dims={1}"),
            "f32[2,3,5]");
  EXPECT_EQ(
      inferred("convolution(x, k), window={size=3x5 stride=2x2 pad=1_0x2_2}, dim_labels=b01f_01io->f01b"),
      "f32[6,6,5,2]");
  EXPECT_EQ(inferred("topk(m), k=3"), "(f32[4,3], s32[4,3])");
  EXPECT_EQ(inferred("gather(m, ix), offset_dims={0,2}, collapsed_slice_dims={}, start_index_map={0,1}, "
                     "index_vector_dim=1, slice_sizes={2,3}"),
            "f32[2,6,3]");
  EXPECT_EQ(inferred("gather(m, ix), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0,1}, "
                     "index_vector_dim=1, slice_sizes={1,3}"),
            "f32[6,3]");
  EXPECT_EQ(inferred("while(st), condition=cond, body=body"), "(s32[], f32[8])");
  EXPECT_EQ(inferred("compare(m, m), direction=EQ"), "pred[4,8]");
  EXPECT_EQ(inferred("real(z)"), "f32[8]");
}

TEST(VerifyTest, ShapesThatMapsNeedAreChecked) {
  // ragged-dot: the contracted extents, the group dimension, the place of the groups.
  EXPECT_EQ(code_of("f32[4,5] ragged-dot(m, r, i), lhs_contracting_dims={1}, rhs_contracting_dims={1}, "
                    "lhs_ragged_dims={0}, rhs_group_dims={0}"),
            Code::shape_mismatch);
  EXPECT_EQ(code_of("f32[8,2,5] ragged-dot(m, r, i), lhs_contracting_dims={0}, rhs_contracting_dims={1}, "
                    "lhs_ragged_dims={1}"),
            Code::rank_mismatch);
  EXPECT_EQ(code_of("f32[8,5] ragged-dot(m, r, i), lhs_contracting_dims={0}, rhs_contracting_dims={1}, "
                    "lhs_ragged_dims={1}, rhs_group_dims={1}"),
            Code::bad_attribute);
  EXPECT_EQ(code_of("f32[8,5] ragged-dot(m, r, i), lhs_contracting_dims={0}, rhs_contracting_dims={1}, "
                    "lhs_ragged_dims={}, rhs_group_dims={0}"),
            Code::rank_mismatch);
  EXPECT_EQ(inferred("ragged-dot(m, r, i), lhs_contracting_dims={0}, rhs_contracting_dims={1}, "
                     "lhs_ragged_dims={1}, rhs_group_dims={0}"),
            "f32[8,5]");
  EXPECT_EQ(inferred("ragged-dot(m, m, ix), lhs_contracting_dims={0}, rhs_contracting_dims={0}, "
                     "lhs_ragged_dims={0}"),
            "f32[2,8,8]")
      << "two groups";
  // scan: inputs and outputs have the scanned dimension.
  EXPECT_EQ(code_of("(f32[7], f32[]) scan(v, s), dimensions={0}, num_carries=1, to_apply=step"),
            Code::shape_mismatch);
  EXPECT_EQ(code_of("(f32[], f32[]) scan(v, s), dimensions={0}, num_carries=1, to_apply=step"),
            Code::shape_mismatch);
  EXPECT_EQ(code_of("(f32[8], f32[4,8]) all-to-all(v, m), replica_groups={{0,1}}"), Code::shape_mismatch);
  EXPECT_EQ(code_of("f32[4,8] select-and-scatter(m, m, s), window={size=1x1 rhs_dilate=1x2}, select=lt, "
                    "scatter=add"),
            Code::bad_attribute);
  // x has 12 x 10 places of 4 features in a batch of 2.
  EXPECT_EQ(code_of("f32[1,10,6,6] convolution(x, k), window={size=3x5}, dim_labels=b01f_01io->b01f, "
                    "feature_group_count=2, batch_group_count=2"),
            Code::bad_attribute);
  EXPECT_EQ(message_of("f32[2,10,6] convolution(x, k), window={size=3}, dim_labels=b0?f_0?io->b0f"),
            "dimension 2 of the input is labeled '?', so its extent must be 1, not 10");
}

TEST(VerifyTest, BrokenRulesAreReported) {
  EXPECT_EQ(code_of("f32[4] transpose(m), dimensions={1}"), Code::rank_mismatch);
  EXPECT_EQ(code_of("f32[8,4] transpose(m), dimensions={1,1}"), Code::bad_permutation);
  EXPECT_EQ(code_of("f32[8,4] transpose(m), dimensions={1,2}"), Code::dim_out_of_range);
  EXPECT_EQ(code_of("f32[4,8] transpose(m), dimensions={1,0}"), Code::shape_mismatch);
  EXPECT_EQ(code_of("s32[8,4] transpose(m), dimensions={1,0}"), Code::shape_mismatch);
  EXPECT_EQ(code_of("f32[4,8] dot(m, m), lhs_contracting_dims={1}, rhs_contracting_dims={0}"),
            Code::shape_mismatch);
  EXPECT_EQ(code_of("f32[4,8] dot(m, m), lhs_contracting_dims={1}, rhs_contracting_dims={}"),
            Code::rank_mismatch);
  EXPECT_EQ(code_of("f32[4] dot(m, m), lhs_batch_dims={1}, rhs_batch_dims={1}, lhs_contracting_dims={1}, "
                    "rhs_contracting_dims={1}"),
            Code::bad_attribute);
  EXPECT_EQ(code_of("f32[4] reduce(m, s), dimensions={1}, to_apply=neg"), Code::operand_count);
  EXPECT_EQ(code_of("f32[8,8] dot(m, m, m), lhs_contracting_dims={0}, rhs_contracting_dims={0}"),
            Code::operand_count);
  EXPECT_EQ(code_of("f32[4] reduce(m, m), dimensions={1}, to_apply=add"), Code::shape_mismatch);
  EXPECT_EQ(code_of("f32[4] reduce(m, s), dimensions={1}"), Code::missing_attribute);
  EXPECT_EQ(code_of("(s32[], f32[8]) while(st), condition=body, body=body"), Code::shape_mismatch);
  EXPECT_EQ(code_of("f32[] conditional(q, s), true_computation=neg, false_computation=neg"),
            Code::operand_count);
  EXPECT_EQ(code_of("f32[4,8] all-gather(m), dimensions={1}, replica_groups={{0,1}}"), Code::shape_mismatch);
  EXPECT_EQ(code_of("f32[2,12,10,4] convolution(x, x), dim_labels=b01f_01io->b01f"), Code::shape_mismatch);
  EXPECT_EQ(code_of("f32[9223372036854775807] pad(v, s), padding=9223372036854775807_9223372036854775807"),
            Code::overflow);
  EXPECT_EQ(code_of("f32[8] fft(v), fft_type=SLOW, fft_length={8}"), Code::bad_attribute);
  EXPECT_EQ(code_of("f32[3,5,5] cholesky(l)"), Code::shape_mismatch);
  EXPECT_EQ(code_of("f32[4,8] custom-call(m)"), Code::missing_attribute);
  EXPECT_EQ(code_of("token[] after-all(m)"), Code::shape_mismatch);
  EXPECT_EQ(code_of("f32[8] iota(), iota_dimension=1"), Code::dim_out_of_range);
  EXPECT_EQ(code_of("f32[8] bitcast(m)"), Code::shape_mismatch);
  EXPECT_EQ(code_of("f32[] fusion(s), calls=neg"), Code::missing_attribute);
}

// Regression: all of these were accepted.
TEST(VerifyTest, FunctionsFitWhatTheyReduce) {
  EXPECT_EQ(code_of("s32[4] reduce(n, i), dimensions={1}, to_apply=add"), Code::shape_mismatch);
  EXPECT_EQ(code_of("f32[4] reduce(m, s), dimensions={1}, to_apply=lt"), Code::shape_mismatch);
  EXPECT_EQ(code_of("(s32[4], f32[4]) reduce(n, m, i, s), dimensions={1}, to_apply=add2"),
            Code::shape_mismatch);
  EXPECT_EQ(code_of("s32[3,4] reduce-window(n, i), window={size=2x3 stride=1x2 pad=0_0x1_1}, to_apply=add"),
            Code::shape_mismatch);
  EXPECT_EQ(code_of("f32[4,8] sort(m), dimensions={1}, to_apply=add"), Code::shape_mismatch);
  EXPECT_EQ(code_of("s32[4,8] sort(n), dimensions={1}, to_apply=lt"), Code::shape_mismatch);
  const auto scatter = [](std::string_view operands, std::string_view function) {
    return fmt::format(
        "scatter({}), update_window_dims={{1,2}}, inserted_window_dims={{}}, "
        "scatter_dims_to_operand_dims={{0,1}}, index_vector_dim=1, to_apply={}",
        operands, function);
  };
  const std::string w = "  w = f32[6,2,8] parameter(16)\n";
  EXPECT_TRUE(parse_lines(w + "  ROOT y = f32[4,8] " + scatter("m, ix, w", "add")).ok());
  const auto code_with = [](const std::string& lines) {
    const ParsedModules parsed = parse_lines(lines);
    return parsed.ok() ? std::nullopt : std::optional(parsed.diagnostics.at(0).code);
  };
  EXPECT_EQ(code_with(w + "  ROOT y = f32[4,8] " + scatter("m, ix, w", "neg")), Code::operand_count);
  EXPECT_EQ(code_with(w + "  ROOT y = f32[4,8] " + scatter("m, ix, w", "lt")), Code::shape_mismatch);
  EXPECT_EQ(code_with(w + "  ROOT y = s32[4,8] " + scatter("n, ix, w", "add")), Code::shape_mismatch);
  const std::string windows = "window={size=2x2 stride=2x2}, select=lt, scatter=";
  const std::string p24 = "  p24 = f32[2,4] parameter(16)\n  i24 = s32[2,4] parameter(17)\n";
  EXPECT_EQ(code_with(p24 + "  ROOT y = f32[4,8] select-and-scatter(m, p24, s), " + windows + "lt"),
            Code::shape_mismatch);
  EXPECT_EQ(code_with(p24 + "  ROOT y = f32[4,8] select-and-scatter(m, i24, s), " + windows + "add"),
            Code::shape_mismatch);
  EXPECT_EQ(code_of("f32[4,8] all-reduce(m), replica_groups={}, to_apply=neg"), Code::operand_count);
  EXPECT_EQ(code_of("f32[4,8] all-reduce(m), replica_groups={}, to_apply=lt"), Code::shape_mismatch);
  EXPECT_EQ(code_of("s32[4,8] all-reduce(n), replica_groups={}, to_apply=add"), Code::shape_mismatch);
  EXPECT_EQ(code_of("s32[4,8] all-reduce-start(n), replica_groups={}, to_apply=add"), Code::shape_mismatch);
  EXPECT_EQ(code_of("s32[4,4] reduce-scatter(n), replica_groups={{0,1}}, dimensions={1}, to_apply=add"),
            Code::shape_mismatch);
  EXPECT_EQ(code_of("(f32[8], f32[]) scan(v, s), dimensions={0}, num_carries=1, to_apply=add"),
            Code::shape_mismatch);
  EXPECT_EQ(code_of("(s32[4,8], f32[4]) scan(n, v), dimensions={1}, num_carries=1, to_apply=step"),
            Code::shape_mismatch);
  EXPECT_TRUE(parse_lines("  h = bf16[4,8] convert(m)\n  o = bf16[] convert(s)\n"
                          "  ROOT y = bf16[4] reduce(h, o), dimensions={1}, to_apply=add")
                  .ok())
      << "a sum of bf16 that is computed in f32";
}

// Regression: starts with wrong operands had no diagnostic, and their maps were unknown.
TEST(VerifyTest, WhatIsStartedFitsItsOperands) {
  EXPECT_EQ(code_of("((f32[4,8]), f32[2,9], u32[]) slice-start(m), slice={[1:3], [0:8]}"),
            Code::shape_mismatch);
  EXPECT_EQ(code_of("((f32[4,8]), f32[2,8], u32[]) slice-start(m), slice={[1:5], [0:8]}"),
            Code::bad_attribute);
  EXPECT_EQ(code_of("f32[2,8] slice-start(m), slice={[1:3], [0:8]}"), Code::shape_mismatch);
  EXPECT_EQ(code_of("((f32[4,8], f32[]), f32[], u32[]) call-start(m, s), to_apply=neg"), Code::operand_count);
  EXPECT_TRUE(
      parse_lines("  ROOT y = ((f32[4,8]), f32[2,8], u32[]) slice-start(m), slice={[1:3], [0:8]}").ok());
}

// Regression: the computation of an async-start was not checked, so 5 elements could read 4.
TEST(VerifyTest, AnAsynchronousStartFitsTheComputationItCalls) {
  EXPECT_TRUE(parse_lines("  ROOT y = ((f32[8]), f32[8], u32[]) async-start(v), calls=neg8").ok());
  EXPECT_EQ(code_of("((f32[8]), f32[9], u32[]) async-start(v), calls=neg8"), Code::shape_mismatch);
  EXPECT_EQ(code_of("((f32[]), f32[8], u32[]) async-start(s), calls=neg8"), Code::shape_mismatch);
  EXPECT_EQ(code_of("((f32[8], f32[8]), f32[8], u32[]) async-start(v), calls=neg8"), Code::shape_mismatch);
  EXPECT_EQ(code_of("((f32[8], f32[8]), f32[8], u32[]) async-start(v, v), calls=neg8"), Code::operand_count);
  EXPECT_EQ(code_of("(f32[8], f32[8], u32[]) async-start(v), calls=neg8"), Code::shape_mismatch);
  EXPECT_EQ(code_of("f32[8] async-start(v), calls=neg8"), Code::shape_mismatch);
  EXPECT_EQ(code_of("((f32[8]), f32[8], u32[]) async-start(v)"), Code::missing_attribute);
  EXPECT_EQ(code_of("((f32[4]), f32[8], u32[]) slice-start(v), slice={[0:8]}"), Code::shape_mismatch);
}

TEST(VerifyTest, ReplicasStandInOneGroupAndGetOneResult) {
  EXPECT_EQ(code_of("f32[4,8] all-reduce(m), replica_groups={{0,0}}, to_apply=add"), Code::bad_attribute);
  EXPECT_EQ(code_of("f32[4,8] all-reduce(m), replica_groups={{0,1},{1,2}}, to_apply=add"),
            Code::bad_attribute);
  EXPECT_EQ(code_of("f32[4,8] all-reduce(m), replica_groups={{0,-1}}, to_apply=add"), Code::bad_attribute);
  EXPECT_EQ(code_of("f32[4,8] collective-permute(m), source_target_pairs={{0,1},{2,1}}"),
            Code::bad_attribute);
  EXPECT_EQ(code_of("f32[4,8] collective-permute(m), source_target_pairs={{0,-1}}"), Code::bad_attribute);
}

TEST(VerifyTest, MessagesAreSentencesWithBothNumbers) {
  EXPECT_EQ(message_of("f32[12,8] all-gather(m), dimensions={0}, replica_groups=[2,4]<=[8]"),
            "dimension 0 changes from 4 to 12, but a group of 4 replicas makes it 4 times as large");
  EXPECT_EQ(message_of("f32[3,8] reduce-scatter(m), dimensions={0}, to_apply=add"),
            "dimension 0 changes from 4 to 3, which is not a divisor");
  // Regression: the comments that number the elements of a printed tuple were part of messages.
  EXPECT_EQ(message_of("(f32[], f32[], f32[], f32[], f32[], f32[]) tuple(s, s, s, s, s, s, s)"),
            "tuple has 7 operands, but the written type is (f32[], f32[], f32[], f32[], f32[], f32[])");
}

TEST(VerifyTest, ShardingsHaveADeviceForEachTile) {
  EXPECT_EQ(code_of("f32[4,8] negate(m), sharding={devices=[2,2]0,1,2}"), Code::device_count);
  EXPECT_EQ(code_of("f32[4,8] negate(m), sharding={devices=[2,2]<=[8]}"), Code::device_count);
  EXPECT_EQ(code_of("f32[4,8] negate(m), sharding={devices=[2,2]<=[2,2]T(0,0)}"), Code::iota_perm);
  EXPECT_EQ(code_of("f32[4,8] negate(m), sharding={devices=[2,2]<=[4]T(1,0)}"), Code::iota_perm);
  EXPECT_TRUE(parse_lines("  ROOT y = negate(m), sharding={devices=[2,2]0,1,2,3}").ok());
  EXPECT_TRUE(
      parse_lines("  ROOT y = negate(m), sharding={devices=[2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate}")
          .ok());
}

// Regression: instructions with wrong element types were sound, and their maps exact.
TEST(VerifyTest, ElementsFitTheOpcode) {
  for (const std::string_view line :
       {"f32[4,8] select(i, m, m)", "f32[4,9] pad(m, i), padding=0_0x0_1", "f32[4,8] clamp(i, m, s)",
        "s32[4,8] map(n), to_apply=neg, dimensions={0,1}", "f32[4,8] not(m)", "f32[4,8] shift-left(m, m)",
        "s32[4,8] cosine(n)", "s32[] floor(i)", "pred[4,8] iota(), iota_dimension=0", "s32[4,8] popcnt(m)"}) {
    EXPECT_EQ(code_of(std::string(line)), Code::shape_mismatch) << line;
  }
  EXPECT_EQ(code_of("pred[4,8] compare(m, m), direction=LT, type=FOO"), Code::bad_attribute);
  EXPECT_EQ(code_of("f32[4,2] slice(m), slice={[0:4], [5:3]}"), Code::bad_attribute);
}

// Regression: all of these were accepted.
TEST(VerifyTest, TransformsKnowWhichSideIsReal) {
  EXPECT_EQ(code_of("f32[4,8] fft(m), fft_type=FFT, fft_length={8}"), Code::shape_mismatch);
  EXPECT_EQ(code_of("f32[8] fft(z), fft_type=IFFT, fft_length={8}"), Code::shape_mismatch);
  EXPECT_EQ(code_of("c64[5] fft(z), fft_type=RFFT, fft_length={8}"), Code::shape_mismatch);
  EXPECT_EQ(code_of("c128[5] fft(v), fft_type=RFFT, fft_length={8}"), Code::shape_mismatch);
  EXPECT_EQ(code_of("c64[14] fft(z), fft_type=IRFFT, fft_length={14}"), Code::shape_mismatch);
  EXPECT_EQ(code_of("f32[14] fft(v), fft_type=IRFFT, fft_length={14}"), Code::shape_mismatch);
  EXPECT_EQ(inferred("fft(v), fft_type=RFFT, fft_length={8}"), "c64[5]");
  EXPECT_EQ(inferred("fft(z), fft_type=IRFFT, fft_length={14}"), "f32[14]");
}

TEST(VerifyTest, SecondHalvesTakeWhatTheFirstHalvesGive) {
  EXPECT_EQ(code_of("f32[4,8] copy-done(m)"), Code::shape_mismatch);
  EXPECT_EQ(code_of("f32[4,8] copy-done(cs#0)"), Code::shape_mismatch);
  EXPECT_EQ(code_of("f32[8,4] copy-done(cs)"), Code::shape_mismatch);
  EXPECT_EQ(code_of("(f32[4,8], f32[8,4], u32[]) copy-start(m)"), Code::shape_mismatch);
  EXPECT_EQ(code_of("f32[4,8] copy-start(m)"), Code::shape_mismatch);
  EXPECT_EQ(code_of("f32[4,16] all-gather-done(ps)"), Code::shape_mismatch);
  EXPECT_EQ(code_of("f32[4,8] all-gather-done(gs)"), Code::shape_mismatch);
  EXPECT_EQ(code_of("(f32[4,8], f32[4,24]) all-gather-start(m), replica_groups={{0,1}}, dimensions={1}"),
            Code::shape_mismatch);
  EXPECT_EQ(code_of("(f32[4,9], f32[4,16]) all-gather-start(m), replica_groups={{0,1}}, dimensions={1}"),
            Code::shape_mismatch);
  EXPECT_EQ(code_of("f32[4,8] all-reduce-done(m)"), Code::shape_mismatch);
  EXPECT_EQ(code_of("f32[8] all-reduce-start(m), to_apply=add"), Code::shape_mismatch);
  EXPECT_EQ(code_of("f32[4,8] collective-permute-done(cs)"), Code::shape_mismatch);
  EXPECT_EQ(code_of("(f32[4,8], f32[8]) collective-permute-start(m), source_target_pairs={{0,1}}"),
            Code::shape_mismatch);
  EXPECT_EQ(code_of("f32[8] async-done(v)"), Code::shape_mismatch);
  EXPECT_EQ(code_of("f32[9] async-done(au)"), Code::shape_mismatch);
  EXPECT_EQ(code_of("(f32[8], f32[8]) async-update(as)"), Code::shape_mismatch);
  const std::string start =
      "  begun = ((f32[8]), f32[2], u32[]) slice-start(v), slice={[0:2]}\n  more = slice-update(begun)\n";
  EXPECT_TRUE(parse_lines(start + "  ROOT y = slice-done(more)").ok());
  EXPECT_TRUE(parse_lines(start + "  ROOT y = async-done(more)").ok());
  EXPECT_FALSE(parse_lines(start + "  ROOT y = f32[2] reverse-done(more)").ok());
}

TEST(VerifyTest, TokensOrderTransfers) {
  EXPECT_EQ(code_of("f32[] add-dependency(s, s)"), Code::shape_mismatch);
  EXPECT_EQ(code_of("(f32[3], token[]) infeed(i)"), Code::shape_mismatch);
  EXPECT_EQ(code_of("f32[3] infeed(tok)"), Code::shape_mismatch);
  EXPECT_EQ(code_of("(f32[3], token[]) infeed()"), Code::operand_count);
  EXPECT_EQ(code_of("token[] outfeed(m, m)"), Code::shape_mismatch);
  EXPECT_EQ(code_of("f32[] outfeed(m, tok)"), Code::shape_mismatch);
  EXPECT_EQ(code_of("token[] outfeed(m, tok), outfeed_shape=f32[4,9]{1,0}"), Code::shape_mismatch);
  EXPECT_EQ(code_of("(f32[4,8], u32[], token[]) send(m, i), channel_id=1"), Code::shape_mismatch);
  EXPECT_EQ(code_of("(f32[8], u32[], token[]) send(m, tok), channel_id=1"), Code::shape_mismatch);
  EXPECT_EQ(code_of("(f32[4], u32[]) recv(tok), channel_id=1"), Code::shape_mismatch);
  EXPECT_EQ(code_of("token[] send-done(tok), channel_id=1"), Code::shape_mismatch);
  EXPECT_EQ(code_of("(f32[5], token[]) recv-done(rt), channel_id=1"), Code::shape_mismatch);
}

TEST(VerifyTest, SizesAndBitsAreNumbersOfTheirKind) {
  EXPECT_EQ(code_of("f32[<=4,8] set-dimension-size(m, s), dimensions={0}"), Code::shape_mismatch);
  EXPECT_EQ(code_of("f32[<=4,8] set-dimension-size(m, n), dimensions={0}"), Code::shape_mismatch);
  EXPECT_EQ(code_of("f32[<=32] dynamic-reshape(m, s)"), Code::shape_mismatch);
  EXPECT_EQ(code_of("f32[<=32] dynamic-reshape(m, i, i)"), Code::operand_count);
  EXPECT_EQ(code_of("f32[4,8] reduce-precision(m)"), Code::missing_attribute);
  EXPECT_EQ(code_of("f32[4,8] reduce-precision(m), exponent_bits=5"), Code::missing_attribute);
  EXPECT_EQ(code_of("f32[4,8] reduce-precision(m), exponent_bits=0, mantissa_bits=3"), Code::bad_attribute);
  EXPECT_EQ(code_of("f32[4,8] reduce-precision(m), exponent_bits=1, mantissa_bits=-1"), Code::bad_attribute);
  EXPECT_EQ(code_of("f32[4,8] map(m), dimensions={0}, to_apply=neg"), Code::bad_attribute);
  EXPECT_EQ(code_of("f32[4,8] map(m), dimensions={1,0}, to_apply=neg"), Code::bad_attribute);
  EXPECT_EQ(code_of("f32[4,8] map(m), dimensions={0,2}, to_apply=neg"), Code::dim_out_of_range);
}

TEST(VerifyTest, RandomNumbersAreDrawnFromADistribution) {
  EXPECT_EQ(code_of("f32[4] rng(s, s), distribution=rng_foo"), Code::bad_attribute);
  EXPECT_EQ(code_of("f32[4] rng(s, s)"), Code::missing_attribute);
  EXPECT_EQ(code_of("f32[4] rng(s), distribution=rng_uniform"), Code::operand_count);
  EXPECT_EQ(code_of("f32[4] rng(s, m), distribution=rng_uniform"), Code::shape_mismatch);
  EXPECT_EQ(code_of("f32[4] rng(s, i), distribution=rng_uniform"), Code::shape_mismatch);
  EXPECT_EQ(code_of("s32[4] rng(i, i), distribution=rng_normal"), Code::shape_mismatch);
  EXPECT_EQ(code_of("f32[4] rng(i, i), distribution=rng_uniform"), Code::shape_mismatch);
  EXPECT_EQ(code_of("(u64[2], u32[8]) rng-bit-generator(n), algorithm=rng_default"), Code::shape_mismatch);
  EXPECT_EQ(code_of("u32[8] rng-bit-generator(n), algorithm=dice"), Code::bad_attribute);
}

// Regression: a query about a third operand crashed.
TEST(VerifyTest, ADotHasTwoOperands) {
  const std::string dims = ", lhs_contracting_dims={1}, rhs_contracting_dims={1}";
  EXPECT_EQ(code_of("f32[4,4] dot(m, m, m)" + dims), Code::operand_count);
  const ParsedModules unchecked = parse_hlo(
      "ENTRY e { m = f32[4,8] parameter(0) ROOT y = f32[4,4] dot(m, m, m)" + dims + " }", {.verify = false});
  const Instruction& dot = *unchecked.modules.at(0).entry->root;
  EXPECT_EQ(output_to_input(dot, {.operand = 2})->at(0).exactness, Exactness::unknown);
  EXPECT_EQ(input_to_output(dot, {.operand = 2})->at(0).exactness, Exactness::unknown);
}

TEST(VerifyTest, ProductsAreSummedUpInTheWrittenType) {
  const std::string dims = ", lhs_contracting_dims={1}, rhs_contracting_dims={1}";
  EXPECT_TRUE(parse_lines("  ROOT y = bf16[4,4] dot(m, m)" + dims).ok());
  EXPECT_TRUE(parse_lines("  ROOT y = s32[4,4] dot(m, m)" + dims).ok()) << "as in XLA";
  EXPECT_TRUE(parse_lines("  ROOT y = f32[4,4] dot(n, n)" + dims).ok());
  EXPECT_TRUE(parse_lines("  ROOT y = s8[4,4] dot(n, n)" + dims).ok()) << "was refused, and XLA compiles it";
}

TEST(VerifyTest, MixedFloatingPointWidthsAreLetPass) {
  EXPECT_TRUE(parse_lines("  h = bf16[4,8] convert(m)\n  ROOT y = f32[4,8] add(h, m)").ok());
}

TEST(VerifyTest, UnboundedDimensionsAreNotJudged) {
  EXPECT_TRUE(parse_lines("  u = f32[?,8] parameter(16)\n  ROOT y = f32[?,8] add(u, m)").ok());
}

// Found by fuzzing: a tuple type with a wrong unbounded array was once accepted, and its map had the
// dimensions of the operand.
TEST(VerifyTest, UnboundedDimensionsFitAnyExtentAndNoOtherRank) {
  EXPECT_TRUE(parse_lines("  ROOT y = (f32[?,8]) tuple(m)").ok());
  EXPECT_FALSE(parse_lines("  ROOT y = (f32[?,3]) tuple(v)").ok());
  EXPECT_FALSE(parse_lines("  ROOT y = (f32[?,3]) tuple(m)").ok());
  EXPECT_FALSE(parse_lines("  ROOT y = (s32[?,8]) tuple(m)").ok());
  EXPECT_TRUE(parse_lines("  ROOT y = (s32[], f32[?]) opt-barrier(st)").ok());
  EXPECT_FALSE(parse_lines("  ROOT y = (s32[], f32[?,?]) opt-barrier(st)").ok());
  EXPECT_TRUE(parse_lines("  ROOT y = f32[?] get-tuple-element(st), index=1").ok());
  EXPECT_FALSE(parse_lines("  ROOT y = f32[?] get-tuple-element(st), index=0").ok());
  EXPECT_TRUE(parse_lines("  ROOT y = f32[?] call(v), to_apply=neg8").ok());
  EXPECT_FALSE(parse_lines("  ROOT y = f32[?,8] call(v), to_apply=neg8").ok());
}

TEST(VerifyTest, PaddedLayoutsMayBitcastToOtherCounts) {
  EXPECT_TRUE(parse_lines("  ROOT y = f32[8,128]{1,0:T(8,128)} bitcast(m)").ok());
}

}  // namespace
}  // namespace tessera
