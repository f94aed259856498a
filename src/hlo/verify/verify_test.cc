// SPDX-License-Identifier: Apache-2.0
#include "hlo/verify/verify.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <set>

#include "laws/hlo_laws.h"
#include "tessera/hlo/operand_maps.h"
#include "tessera/hlo/parser.h"

namespace tessera {
namespace {

constexpr std::string_view kComputations = R"(
add { x = f32[] parameter(0) y = f32[] parameter(1) ROOT s = f32[] add(x, y) }
add2 { x = f32[] parameter(0) y = s32[] parameter(1) z = f32[] parameter(2) w = s32[] parameter(3)
  ROOT t = (f32[], s32[]) tuple(x, y) }
lt { x = f32[] parameter(0) y = f32[] parameter(1) ROOT c = pred[] compare(x, y), direction=LT }
step { x = f32[] parameter(0) c = f32[] parameter(1) y = f32[] add(x, c) ROOT t = (f32[], f32[]) tuple(y, y) }
neg { x = f32[] parameter(0) ROOT y = f32[] negate(x) }
neg8 { x = f32[8] parameter(0) ROOT y = f32[8] negate(x) }
body { p = (s32[], f32[8]) parameter(0) i = s32[] get-tuple-element(p), index=0 v = f32[8] get-tuple-element(p), index=1
  ROOT t = (s32[], f32[8]) tuple(i, v) }
cond { p = (s32[], f32[8]) parameter(0) ROOT c = pred[] constant(false) }
)";

constexpr std::string_view kValues = R"(
  s = f32[] parameter(0)
  i = s32[] parameter(1)
  q = pred[] parameter(2)
  v = f32[8] parameter(3)
  m = f32[4,8] parameter(4)
  sq = f32[3,5,5] parameter(5)
  x = f32[2,12,10,4] parameter(6)
  k = f32[3,5,4,6] parameter(7)
  n = s32[4,8] parameter(8)
  z = c64[8] parameter(9)
  b = pred[4,8] parameter(10)
  st = (s32[], f32[8]) parameter(11)
  tok = token[] parameter(12)
  ix = s32[6,2] parameter(13)
  l = f32[2,3,4] parameter(14)
  r = f32[2,4,5] parameter(15)
)";

ParsedModules parse_lines(std::string_view lines) {
  return parse_hlo(fmt::format("{}ENTRY e {{{}{}\n}}\n", kComputations, kValues, lines));
}

// A valid use of every opcode, or several if it has several forms.
constexpr std::string_view kValid[] = {
    "abs(m)",
    "= f32[8] abs(z)",
    "acos(m)",
    "acosh(m)",
    "add(m, m)",
    "= token[] after-all(tok, tok)",
    "= f32[] add-dependency(s, tok)",
    "= f32[4,16] all-gather(m), replica_groups={{0,1}}, dimensions={1}",
    "= (f32[4,8], f32[4,16]) all-gather-start(m), replica_groups={{0,1}}, dimensions={1}",
    "= f32[4,16] all-gather-done(gs)",
    "all-reduce(m), replica_groups={}, to_apply=add",
    "= f32[4,8] all-reduce-start(m), to_apply=add",
    "= f32[4,8] all-reduce-done(rs)",
    "all-to-all(m), dimensions={1}, replica_groups={{0,1}}",
    "= (f32[8], f32[8]) all-to-all(v, v), replica_groups={{0,1}}",
    "and(b, b)",
    "asin(m)",
    "asinh(m)",
    "= ((f32[8]), f32[8], s32[]) async-start(v), calls=neg8, async_execution_thread=\"x\"",
    "= ((f32[8]), f32[8], s32[]) async-update(as)",
    "= f32[8] async-done(au)",
    "atan2(m, m)",
    "atanh(m)",
    "= (f32[4,8], f32[8], f32[8]) batch-norm-grad(m, v, v, v, m), epsilon=1e-5, feature_index=1",
    "batch-norm-inference(m, v, v, v, v), epsilon=0.001, feature_index=1",
    "batch-norm-training(m, v, v), epsilon=0.001, feature_index=1",
    "= f32[32] bitcast(m)",
    "= f32[4,8]{0,1} bitcast(m)",
    "= u8[4,8,4] bitcast-convert(m)",
    "= s32[4,8] bitcast-convert(m)",
    "= f32[2,8] broadcast(v), dimensions={1}",
    "= f32[2,8] broadcast(s), dimensions={}",
    "= f32[2,8] broadcast(s)",
    "call(s, s), to_apply=add",
    "cbrt(m)",
    "ceil(m)",
    "cholesky(sq), lower=true",
    "clamp(s, m, s)",
    "clamp(m, m, m)",
    "count-leading-zeros(n)",
    "collective-broadcast(m), replica_groups={{0,1}}",
    "collective-permute(m), source_target_pairs={{0,1},{1,0}}",
    "= f32[4,8] collective-permute(m, m, st, st), source_target_pairs={{0,1},{1,2},{0,3},{2,1}}, "
    "slice_sizes={{1,8},{1,8}}",
    "= (f32[4,8], f32[4,8]) collective-permute-start(m), source_target_pairs={{0,1}}",
    "= f32[4,8] collective-permute-done(ps)",
    "compare(m, m), direction=GE, type=TOTALORDER",
    "= c64[4,8] complex(m, m)",
    "concatenate(m, m, m), dimensions={1}",
    "= f32[] conditional(q, s, s), true_computation=neg, false_computation=neg",
    "= f32[] conditional(i, s, s, s), branch_computations={neg, neg, neg}",
    "= f32[4,8] constant({...})",
    "= s8[4,8] convert(m)",
    "= f32[2,10,6,6] convolution(x, k), window={size=3x5}, dim_labels=b01f_01io->b01f",
    "= f32[2,6,5,6] convolution(x, k), window={size=3x5 stride=2x2 pad=1_0x2_2}, dim_labels=b01f_01io->b01f",
    "copy(m)",
    "copy(st)",
    "= (f32[4,8], f32[4,8], u32[]) copy-start(m)",
    "= f32[4,8] copy-done(cs)",
    "cosine(m)",
    "cosh(m)",
    "= f32[3] custom-call(m, tok), custom_call_target=\"f\", api_version=API_VERSION_TYPED_FFI",
    "divide(m, m)",
    "domain(m), domain={kind=\"sharding\", entry={maximal device=0}, exit={}}",
    "dot(l, r), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}",
    "dot(m, v), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
    "= f32[<=32] dynamic-reshape(m, i)",
    "dynamic-slice(m, i, i), dynamic_slice_sizes={2,8}",
    "dynamic-update-slice(m, m, i, i)",
    "erf(m)",
    "exponential(m)",
    "exponential-minus-one(m)",
    "= c64[8] fft(z), fft_type=FFT, fft_length={8}",
    "= c64[5] fft(v), fft_type=RFFT, fft_length={8}",
    "= c64[8] fft(z), fft_type=IFFT, fft_length={8}",
    "= f32[14] fft(z), fft_type=IRFFT, fft_length={14}",
    "floor(m)",
    "= f32[] fusion(s, s), kind=kLoop, calls=add",
    "= f32[6,2,8] gather(m, ix), offset_dims={1,2}, collapsed_slice_dims={}, start_index_map={0,1}, "
    "index_vector_dim=1, "
    "slice_sizes={2,8}",
    "= s32[] get-dimension-size(m), dimensions={1}",
    "get-tuple-element(st), index=1",
    "imag(z)",
    "= (f32[3], token[]) infeed(tok), infeed_config=\"x\"",
    "= s32[4,8] iota(), iota_dimension=1",
    "is-finite(m)",
    "log(m)",
    "log-plus-one(m)",
    "logistic(m)",
    "= f32[4,8] map(m), dimensions={0,1}, to_apply=neg",
    "= f32[4,8] map(m), dimensions={}, to_apply=neg",
    "= f32[4,8] map(m), to_apply=neg",
    "maximum(m, m)",
    "minimum(m, m)",
    "mulhi(n, n)",
    "multiply(m, m)",
    "negate(m)",
    "not(b)",
    "opt-barrier(st)",
    "or(n, n)",
    "= token[] outfeed(m, tok), outfeed_shape=f32[4,8]{1,0}, outfeed_config=\"\"",
    "pad(m, s), padding=1_2x-1_0_3",
    "= f32[7] parameter(16)",
    "partition-id()",
    "popcnt(n)",
    "power(m, m)",
    "= (f32[4,8], f32[4,8]) ragged-all-to-all(m, m, i, i, i, i), replica_groups={{0,1}}",
    "= f32[4,5] ragged-dot(m, r, i), lhs_contracting_dims={1}, rhs_contracting_dims={1}, "
    "lhs_ragged_dims={0}, "
    "rhs_group_dims={0}",
    "real(z)",
    "= (f32[4], u32[], token[]) recv(tok), channel_id=1, is_host_transfer=true",
    "= (f32[4], token[]) recv-done(rt), channel_id=1",
    "reduce(m, s), dimensions={0}, to_apply=add",
    "reduce(m, n, s, i), dimensions={1}, to_apply=add2",
    "reduce-precision(m), exponent_bits=5, mantissa_bits=10",
    "= f32[4,4] reduce-scatter(m), replica_groups={{0,1}}, dimensions={1}, to_apply=add",
    "reduce-window(m, s), window={size=2x3 stride=1x2 pad=0_0x1_1}, to_apply=add",
    "remainder(m, m)",
    "replica-id()",
    "= f32[2,16] reshape(m)",
    "reverse(m), dimensions={1,0}",
    "= f32[4] rng(s, s), distribution=rng_uniform",
    "= (s32[4,8], u32[8]) rng-bit-generator(n), algorithm=rng_default",
    "= u32[8] rng-bit-generator(n), algorithm=rng_philox",
    "= s32[3] rng(i, i), distribution=rng_uniform",
    "= f32[3] rng(s, s), distribution=rng_normal",
    "= u64[] rng-get-and-update-state(), delta=1",
    "round-nearest-afz(m)",
    "round-nearest-even(m)",
    "rsqrt(m)",
    "= f32[2,3,5] scaled-dot(l, r, l, r), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, "
    "rhs_contracting_dims={1}",
    "= (f32[8], f32[]) scan(v, s), dimensions={0}, num_carries=1, to_apply=step",
    "scatter(m, ix, w), update_window_dims={1,2}, inserted_window_dims={}, "
    "scatter_dims_to_operand_dims={0,1}, "
    "index_vector_dim=1, to_apply=add",
    "select(q, m, m)",
    "select(b, m, m)",
    "select-and-scatter(m, p24, s), window={size=2x2 stride=2x2}, select=lt, scatter=add",
    "= (f32[4,8], u32[], token[]) send(m, tok), channel_id=1",
    "= token[] send-done(st3), channel_id=1",
    "= f32[<=4,8] set-dimension-size(m, i), dimensions={0}",
    "shift-left(n, n)",
    "shift-right-arithmetic(n, n)",
    "shift-right-logical(n, n)",
    "sign(m)",
    "sine(m)",
    "sinh(m)",
    "slice(m), slice={[1:3], [0:8:3]}",
    "sort(m), dimensions={1}, to_apply=lt",
    "sqrt(m)",
    "= s8[4,8] stochastic-convert(m, n)",
    "subtract(m, m)",
    "tan(m)",
    "tanh(m)",
    "topk(m), k=3, largest=true",
    "transpose(m), dimensions={1,0}",
    "triangular-solve(sq, sq), left_side=true, lower=true, unit_diagonal=false, transpose_a=NO_TRANSPOSE",
    "tuple(m, v, st)",
    "while(st), condition=cond, body=body",
    "xor(n, n)"};

// Starts, the operands of the ends of asynchronous operations.
constexpr std::string_view kStarts = R"(
  gs = (f32[4,8], f32[4,16]) all-gather-start(m), replica_groups={{0,1}}, dimensions={1}
  rs = f32[4,8] all-reduce-start(m), to_apply=add
  as = ((f32[8]), f32[8], s32[]) async-start(v), calls=neg8
  au = ((f32[8]), f32[8], s32[]) async-update(as)
  ps = (f32[4,8], f32[4,8]) collective-permute-start(m), source_target_pairs={{0,1}}
  cs = (f32[4,8], f32[4,8], u32[]) copy-start(m)
  rt = (f32[4], u32[], token[]) recv(tok), channel_id=1
  st3 = (f32[4,8], u32[], token[]) send(m, tok), channel_id=1
)";

TEST(VerifyTest, EveryOpcodeHasAValidUse) {
  std::set<Opcode> seen;
  for (const std::string_view line : kValid) {
    SCOPED_TRACE(line);
    const bool typed = line.starts_with("= ");
    const ParsedModules parsed = parse_lines(
        fmt::format("  w = f32[6,2,8] parameter(16)\n  p24 = f32[2,4] parameter(17)\n{}  ROOT y {}{}",
                    kStarts, typed ? "" : "= ", line));
    // A parameter in a tested line takes the number 16 of `w`, which is left out.
    const bool is_parameter = line.find("parameter(") != std::string_view::npos;
    if (!is_parameter) {
      for (const Diagnostic& d : parsed.diagnostics) ADD_FAILURE() << render(d, *parsed.source);
      EXPECT_EQ(check_round_trip(parsed), "");
    }
    seen.insert(parsed.modules.at(0).entry->root->opcode);
  }
  for (std::size_t i = 0; i < static_cast<std::size_t>(Opcode::unknown); ++i) {
    EXPECT_TRUE(seen.contains(static_cast<Opcode>(i))) << to_string(static_cast<Opcode>(i));
  }
}

// The inferred type of a line without one.
std::string inferred(std::string_view line) {
  const ParsedModules parsed = parse_lines(fmt::format("  ROOT y = {}", line));
  for (const Diagnostic& d : parsed.diagnostics) ADD_FAILURE() << render(d, *parsed.source);
  return to_string(parsed.modules.at(0).entry->root->type);
}

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

Code code_of(std::string_view line) {
  const ParsedModules parsed = parse_lines(fmt::format("{}  ROOT y = {}", kStarts, line));
  EXPECT_FALSE(parsed.ok()) << line;
  EXPECT_FALSE(parsed.modules.at(0).entry->root->sound) << line;
  return parsed.ok() ? Code::file_read : parsed.diagnostics.at(0).code;
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

std::string message_of(std::string_view line) {
  const ParsedModules parsed = parse_lines(fmt::format("  ROOT y = {}", line));
  return parsed.ok() ? "" : parsed.diagnostics.at(0).message;
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

// Regression: all of these were sound.
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
  EXPECT_EQ(output_to_input(dot, 0, 2)->at(0).exactness, Exactness::unknown);
  EXPECT_EQ(input_to_output(dot, 2, 0)->at(0).exactness, Exactness::unknown);
}

TEST(VerifyTest, ProductsAreSummedUpInTheWrittenType) {
  const std::string dims = ", lhs_contracting_dims={1}, rhs_contracting_dims={1}";
  EXPECT_TRUE(parse_lines("  ROOT y = bf16[4,4] dot(m, m)" + dims).ok());
  EXPECT_TRUE(parse_lines("  ROOT y = s32[4,4] dot(m, m)" + dims).ok()) << "as in XLA";
  EXPECT_TRUE(parse_lines("  ROOT y = f32[4,4] dot(n, n)" + dims).ok());
  EXPECT_TRUE(parse_lines("  ROOT y = s8[4,4] dot(n, n)" + dims).ok()) << "was refused, and XLA compiles it";
}

// Counts that the header omits are not checked.
TEST(VerifyTest, TheHeaderSaysWhichReplicasThereAre) {
  const auto problem = [](std::string_view header, std::string_view line) {
    const ParsedModules parsed = parse_hlo(fmt::format("HloModule h{}{}ENTRY e {{{}\n  ROOT y = {}\n}}\n",
                                                       header, kComputations, kValues, line));
    if (parsed.diagnostics.empty()) return std::string();
    const Diagnostic& d = parsed.diagnostics[0];
    return fmt::format("{} at {}", d.message,
                       parsed.source->text().substr(d.span.begin, d.span.end - d.span.begin));
  };
  const std::string reduce = "f32[4,8] all-reduce(m), to_apply=add, replica_groups=";
  const std::string beyond = reduce + "{{0,1},{2,/*4*/99}}";
  EXPECT_EQ(problem("", beyond), "");
  EXPECT_EQ(problem(", replica_count=4", beyond),
            "replica 99 is out of range: the header has replica_count=4 at 99");
  EXPECT_EQ(problem(", replica_count=100", beyond), "");
  EXPECT_EQ(problem(", replica_count=1", beyond), "") << "a header that says nothing";
  EXPECT_EQ(problem(", num_partitions=4", beyond), "") << "the numbers are those of replicas";
  EXPECT_EQ(problem(", num_partitions=4", beyond + ", channel_id=1, use_global_device_ids=true"),
            "device 99 is out of range: the header has num_partitions=4 at 99");
  EXPECT_EQ(
      problem(", replica_count=25, num_partitions=4", beyond + ", channel_id=1, use_global_device_ids=true"),
      "");
  EXPECT_EQ(
      problem(", replica_count=11, num_partitions=9", beyond + ", channel_id=1, use_global_device_ids=true"),
      "device 99 is out of range: the header has replica_count=11, num_partitions=9 at 99");
  EXPECT_EQ(problem(", replica_count=4, num_partitions=100", beyond + ", channel_id=1"),
            "replica 99 is out of range: the header has replica_count=4 at 99");
  EXPECT_EQ(problem(", replica_count=4", reduce + "[1,8]<=[8]"),
            "replica 4 is out of range: the header has replica_count=4 at [1,8]<=[8]");
  const std::string permute = "f32[4,8] collective-permute(m), source_target_pairs=";
  EXPECT_EQ(problem(", replica_count=4", permute + "{{0,77}}"),
            "replica 77 is out of range: the header has replica_count=4 at 77");
  EXPECT_EQ(problem(", replica_count=4, num_partitions=78", permute + "{{0,77}}, channel_id=1"), "");
  EXPECT_EQ(problem(", num_partitions=8", permute + "{{0,77}}, channel_id=1"),
            "partition 77 is out of range: the header has num_partitions=8 at 77");
  EXPECT_EQ(problem("", permute + "{{0,1},{0,2}}"), "replica 0 is a source twice at 0");
  EXPECT_EQ(problem("", permute + "{{0,1},{2,1}}"), "replica 1 is a target twice at 1");
  const std::string gather = "f32[4,16] all-gather(m), dimensions={1}, replica_groups=";
  EXPECT_EQ(problem("", gather + "{{0,1},{2}}"),
            "groups have different sizes, 2 and 1, but all-gather gives all the same shape at {{0,1},{2}}");
  EXPECT_EQ(problem("", reduce + "{{0,1},{2}}"), "");
  EXPECT_EQ(problem("", reduce + "{{0,1},{}}"), "a group of 'replica_groups' is empty at {{0,1},{}}");
  EXPECT_EQ(problem(", replica_count=4", gather + "{}").substr(0, 47),
            "dimension 1 changes from 8 to 16, but a group o");
  EXPECT_EQ(problem(", replica_count=2", gather + "{}"), "");
  EXPECT_EQ(problem(", num_partitions=2", gather + "{{0}}, channel_id=1"), "")
      << "with all of its partitions";
  EXPECT_NE(problem("", "f32[4,8] all-to-all(m), dimensions={1}, replica_groups={{0,1},{2}}"), "");
  EXPECT_NE(problem("", "(f32[8], f32[8]) all-to-all(v, v), replica_groups={{0,1,2}}"), "");
  EXPECT_NE(problem("",
                    "f32[4,4] reduce-scatter(m), dimensions={1}, to_apply=add, "
                    "replica_groups={{0,1},{2}}"),
            "");
}

TEST(VerifyTest, MixedFloatingPointWidthsAreLetPass) {
  EXPECT_TRUE(parse_lines("  h = bf16[4,8] convert(m)\n  ROOT y = f32[4,8] add(h, m)").ok());
}

TEST(VerifyTest, UnboundedDimensionsAreNotJudged) {
  EXPECT_TRUE(parse_lines("  u = f32[?,8] parameter(16)\n  ROOT y = f32[?,8] add(u, m)").ok());
}

// Found by fuzzing: such a tuple was accepted silently, and its map had the dimensions of the operand.
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

TEST(VerifyTest, TheHeaderAgreesWithTheEntry) {
  constexpr std::string_view kBody = "\nENTRY e { p = f32[4] parameter(0) ROOT r = s32[4] convert(p) }";
  const auto code = [&](std::string_view header) -> std::optional<Code> {
    const ParsedModules parsed = parse_hlo(fmt::format("HloModule m, {}{}", header, kBody));
    return parsed.diagnostics.empty() ? std::nullopt : std::optional(parsed.diagnostics[0].code);
  };
  EXPECT_EQ(code("entry_computation_layout={(f32[4]{0})->s32[4]{0}}"), std::nullopt);
  EXPECT_EQ(code("entry_computation_layout={(f32[5]{0})->s32[4]{0}}"), Code::shape_mismatch);
  EXPECT_EQ(code("entry_computation_layout={(f32[4]{0})->f32[4]{0}}"), Code::shape_mismatch);
  EXPECT_EQ(code("entry_computation_layout={()->s32[4]{0}}"), Code::operand_count);
  EXPECT_EQ(code("entry_computation_layout={(f32[4]{1})->s32[4]{0}}"), Code::m2m_range);
  EXPECT_EQ(code("mood=good"), Code::unknown_attribute);
  EXPECT_EQ(code("input_output_alias={ {}: (0, {}, may-alias) }"), std::nullopt);
  EXPECT_EQ(code("input_output_alias={ {}: (0, {}, must-alias) }, buffer_donor={ (0, {}) }"), std::nullopt);
  EXPECT_EQ(code("input_output_alias={ {3}: (0, {}, may-alias) }"), Code::index_out_of_range);
  EXPECT_EQ(code("input_output_alias={ {}: (7, {}, may-alias) }"), Code::index_out_of_range);
  EXPECT_EQ(code("input_output_alias={ {}: (0, {1}, may-alias) }"), Code::index_out_of_range);
  EXPECT_EQ(code("input_output_alias={ {}: (0, {}), {}: (0, {}) }"), Code::duplicate_name);
  EXPECT_EQ(code("input_output_alias={ {}: (0, {}, will-alias) }"), Code::bad_attribute);
  EXPECT_EQ(code("buffer_donor={ (9, {}) }"), Code::index_out_of_range);
  EXPECT_EQ(code("buffer_donor={ (0, {0}) }"), Code::index_out_of_range);
  EXPECT_EQ(code("buffer_donor={}"), std::nullopt);
}

}  // namespace
}  // namespace tessera
