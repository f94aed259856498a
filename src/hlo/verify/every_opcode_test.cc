// SPDX-License-Identifier: Apache-2.0
// Checks that a valid use of every opcode is accepted.
#include <set>
#include <string>

#include "hlo/ops/rule.h"
#include "hlo/verify/verify_test.h"
#include "laws/hlo_laws.h"
#include "tessera/hlo/walk.h"

namespace tessera {
namespace {

using verify_test::kStarts;
using verify_test::parse_lines;

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
    "= f32[8,5] ragged-dot(m, r, i), lhs_contracting_dims={0}, rhs_contracting_dims={1}, "
    "lhs_ragged_dims={1}, "
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

TEST(VerifyTest, EveryOpcodeHasAValidUse) {
  std::set<Opcode> seen;
  for (const std::string_view line : kValid) {
    SCOPED_TRACE(line);
    const bool typed = line.starts_with("= ");
    const ParsedModules parsed = parse_lines(
        fmt::format("  w = f32[6,2,8] parameter(16)\n  p24 = f32[2,4] parameter(17)\n{}  ROOT y {}{}",
                    kStarts, typed ? "" : "= ", line));
    // A parameter in a tested line has the same number as `w`, which is an error.
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

// Opcodes that move elements keep their type, and need no others than those and indices.
TEST(VerifyTest, TraitsFitTheOperands) {
  std::size_t moving = 0;
  for (const std::string_view line : kValid) {
    SCOPED_TRACE(line);
    const ParsedModules parsed = parse_lines(
        fmt::format("  w = f32[6,2,8] parameter(16)\n  p24 = f32[2,4] parameter(17)\n{}  ROOT y {}{}",
                    kStarts, line.starts_with("= ") ? "" : "= ", line));
    const Instruction& op = *parsed.modules.at(0).entry->root;
    const std::size_t count = op.operands.size();
    const OpcodeTrait trait = trait_of(op.opcode);
    if (OpcodeTrait::unary <= trait && trait <= OpcodeTrait::ternary) {
      EXPECT_EQ(count, 1 + static_cast<std::size_t>(trait) - static_cast<std::size_t>(OpcodeTrait::unary));
    }
    EXPECT_EQ(calls_computations(op.opcode),
              detail::rule_of(op.opcode).kind == detail::RuleKind::computations);
    const std::size_t moved = moved_operands(op.opcode, count);
    if (moved == 0) continue;
    ++moving;
    ASSERT_LE(moved, count);
    for (std::size_t i = 0; i < count; ++i) {
      const DType type = op.operand_type(i).array().dtype;
      if (i >= moved) {
        EXPECT_EQ(dtype_class(type), DTypeClass::signed_integer) << i;
      } else if (op.opcode != Opcode::bitcast_convert && op.opcode != Opcode::bitcast) {
        EXPECT_EQ(type, op.type.array().dtype) << i;
      }
    }
  }
  EXPECT_GT(moving, 12U);
}

// The trait and the kind of a row are about the same opcode.
TEST(VerifyTest, KindsFitTheTraits) {
  std::size_t collectives = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(Opcode::unknown); ++i) {
    const auto opcode = static_cast<Opcode>(i);
    const OpcodeTrait trait = trait_of(opcode);
    const OpcodeKind kind = kind_of(opcode);
    SCOPED_TRACE(to_string(opcode));
    const bool computes = kind == OpcodeKind::arithmetic || kind == OpcodeKind::transcendental;
    EXPECT_TRUE(!computes || is_elementwise(opcode));
    EXPECT_EQ(trait == OpcodeTrait::branches, kind == OpcodeKind::branch);
    EXPECT_EQ(trait == OpcodeTrait::loops, kind == OpcodeKind::loop);
    EXPECT_EQ(trait == OpcodeTrait::starts, kind == OpcodeKind::started);
    EXPECT_TRUE(trait != OpcodeTrait::calls || kind == OpcodeKind::called);
    EXPECT_NE(kind, OpcodeKind::unknown);
    const auto collective = collective_of(opcode);
    EXPECT_TRUE(trait != OpcodeTrait::exchanges || collective || kind == OpcodeKind::transfer);
    const bool moves = only_forwards(opcode) || moved_operands(opcode, 2) > 0;
    EXPECT_TRUE(!moves || kind == OpcodeKind::nothing);
    if (!collective) continue;
    ++collectives;
    // all-gather-start is a collective, too, and its end only forwards.
    const auto start = parse_opcode(fmt::format("{}-start", to_string(opcode)));
    EXPECT_TRUE(!start || collective_of(*start) == collective);
  }
  EXPECT_EQ(collectives, 10U);
  EXPECT_EQ(kind_of(Opcode::unknown), OpcodeKind::unknown);
}

// The line with another first operand; empty if it has none.
std::string with_operand(std::string_view line, std::string_view operand) {
  for (std::size_t open = 1; open < line.size(); ++open) {
    if (line[open] != '(' || line[open - 1] < 'a' || line[open - 1] > 'z') continue;
    const std::size_t end = line.find_first_of(",)", open);
    if (end == open + 1) return "";
    return fmt::format("{}{}{}", line.substr(0, open + 1), operand, line.substr(end));
  }
  return "";
}

void check_ranks(const Result<IndexingSet>& maps, const HloType& from, const HloType& to) {
  if (!maps) return;
  for (const Indexing& x : *maps) {
    if (x.exactness == Exactness::unknown || !from.is_array() || !to.is_array()) continue;
    EXPECT_EQ(x.map.dim_count(), from.rank());
    EXPECT_EQ(x.map.results().size(), to.rank());
  }
}

// A program may be read without checks. Rules then read an instruction when its maps are requested.
TEST(VerifyTest, UncheckedInstructionsHaveMapsOfTheirRanksOrNone) {
  std::size_t known = 0;
  std::size_t unknown = 0;
  for (const std::string_view line : kValid) {
    for (const std::string_view operand : {"s", "v", "m", "x", "tok", "st", "ix", "m, m"}) {
      const std::string changed = with_operand(line, operand);
      if (changed.empty()) continue;
      SCOPED_TRACE(changed);
      const ParsedModules parsed = parse_hlo(
          fmt::format(
              "{}ENTRY e {{{}  w = f32[6,2,8] parameter(16)\n  p24 = f32[2,4] parameter(17)\n{}  ROOT "
              "y {}{}\n}}\n",
              verify_test::kComputations, verify_test::kValues, kStarts,
              changed.starts_with("= ") ? "" : "= ", changed),
          {.verify = false});
      const Instruction& root = *parsed.modules.at(0).entry->root;
      for (std::size_t j = 0; j < root.operands.size() && root.type.is_array(); ++j) {
        const auto back = output_to_input(root, {.output = 0, .operand = j});
        check_ranks(back, root.type, root.operand_type(j));
        check_ranks(input_to_output(root, {.output = 0, .operand = j}), root.operand_type(j), root.type);
        ++(back && exactness(*back) == Exactness::unknown ? unknown : known);
      }
    }
  }
  EXPECT_GT(known, 100U);
  EXPECT_GT(unknown, 100U);
}

}  // namespace
}  // namespace tessera
