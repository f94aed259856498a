// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "relayout/caches.h"
#include "relayout/kernels/kernel.h"
#include "relayout/limits.h"
#include "relayout/plan/byte_range.h"
#include "relayout/plan/contract.h"
#include "relayout/plan/part_bounds.h"
#include "relayout/plan/plan_words.h"
#include "relayout/state.h"
#include "tessera/notation/layout.h"
#include "tessera/relayout/plan.h"
#include "text/lexer.h"

namespace tessera {
namespace {

using moving::CutAxis;
using moving::PlanPart;
using moving::Sweep;
using moving::SweepAxis;

class PlanReader {
 public:
  PlanReader(std::string_view text, Isa isa) : lexer_(text), isa_(isa) {}

  Result<RelayoutPlan> read() {
    state_->options.isa = isa_ == Isa::automatic ? default_isa() : isa_;
    header();
    while (ok() && lexer_.peek().kind != TokenKind::end) {
      if (lexer_.accept("each")) {
        elementwise();
      } else {
        part();
      }
    }
    if (!ok()) {
      if (error_->help.empty()) error_->help = "give the plan as `tessera plan` prints it";
      return fail(*error_);
    }
    return RelayoutPlan(std::move(state_));
  }

 private:
  bool ok() const { return !error_; }
  void complain(Code code, std::string message, Span span) {
    if (ok()) error_ = Diagnostic{.code = code, .message = std::move(message), .span = span};
  }
  void expect(std::string_view words) {
    while (ok() && !words.empty()) {
      const std::size_t blank = std::min(words.find(' '), words.size());
      const std::string_view word = words.substr(0, blank);
      words.remove_prefix(std::min(blank + 1, words.size()));
      if (!lexer_.accept(word))
        complain(Code::syntax, fmt::format("expected '{}', found {}", word, tessera::describe(lexer_.peek())),
                 lexer_.peek().span);
    }
  }
  Index number(Index low, Index high) {
    if (!ok()) return low;
    const std::uint32_t begin = lexer_.peek().span.begin;
    const bool negative = lexer_.accept("-");
    if (!negative) lexer_.accept("+");
    const Token token = lexer_.take();
    if (token.kind != TokenKind::integer) {
      complain(Code::syntax, fmt::format("expected a number, found {}", tessera::describe(token)),
               token.span);
      return low;
    }
    const auto value = integer_value(token.text, negative);
    if (!value || *value < low || *value > high) {
      complain(Code::number_range,
               fmt::format("{}{} is not in [{}, {}]", negative ? "-" : "", token.text, low, high),
               {begin, token.span.end});
      return low;
    }
    return *value;
  }
  template <class Words>
  std::size_t word(const Words& words, std::string_view what) {
    const Token token = lexer_.take();
    const auto found = std::ranges::find(words, token.text);
    if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
    complain(Code::unknown_name, fmt::format("no {} {}", what, tessera::describe(token)), token.span);
    return 0;
  }

  // Accepts `1 bytes` too, because older plans contain it.
  void bytes(Index count) {
    if (count != 1 || !lexer_.accept("byte")) expect("bytes");
  }

  void header() {
    State& state = *state_;
    expect("relayout of");
    state.payload = number(0, moving::kRelayoutLimits.read.number);
    bytes(state.payload);
    expect("in elements of");
    state.element_bytes = number(1, moving::kRelayoutLimits.read.number);
    expect(": reads");
    state.src = range();
    expect(", writes");
    state.dst = range();
    expect(", padding");
    state.options.padding = static_cast<Padding>(word(moving::kPaddingWords, "padding"));
    expect(",");
    state.stream = word(std::array<std::string_view, 2>{"cached", "streamed"}, "store policy") == 1;
    expect(",");
    state.chunks = number(1, moving::kRelayoutLimits.read.chunks);
    expect(state.chunks == 1 ? "chunk" : "chunks");
    if (lexer_.accept("of")) {
      state.slices = number(1, moving::kRelayoutLimits.read.slices / state.chunks);
      expect("slices");
    }
    if (lexer_.accept(",")) {
      expect("in order");
      state.in_order = true;
    }
  }
  ByteRange range() {
    const Index begin = number(-moving::kRelayoutLimits.read.number / 2, moving::kRelayoutLimits.read.number);
    expect("to");
    return {begin, number(begin, moving::kRelayoutLimits.read.number)};
  }

  void part() {
    const std::uint32_t begin = lexer_.peek().span.begin;
    PlanPart part;
    Sweep& sweep = part.sweep;
    sweep.mover = moving::kMovers[word(moving::kMoverWords, "kind of loop nest")];
    sweep.run = number(1, moving::kRelayoutLimits.read.number);
    bytes(sweep.run);
    expect(": src");
    part.src = number(-moving::kRelayoutLimits.read.number, moving::kRelayoutLimits.read.number);
    expect(", dst");
    part.dst = number(-moving::kRelayoutLimits.read.number, moving::kRelayoutLimits.read.number);
    while (ok() && lexer_.accept(",")) flag(part);
    while (ok() && lexer_.accept("loop")) {
      if (sweep.loops == moving::kRelayoutLimits.loops)
        return complain(Code::limit,
                        fmt::format("a part has more than {} loops", moving::kRelayoutLimits.loops),
                        lexer_.peek().span);
      moving::Loop& loop = sweep.loop[sweep.loops++];
      loop.count = number(1, moving::kRelayoutLimits.read.number);
      expect(": src");
      loop.src = number(-moving::kRelayoutLimits.read.number, moving::kRelayoutLimits.read.number);
      expect(", dst");
      loop.dst = number(0, moving::kRelayoutLimits.read.number);
    }
    expect("rows");
    axis(sweep.rows);
    expect("cols");
    axis(sweep.cols);
    if (!ok()) return;
    const Span span = {begin, lexer_.taken_end()};
    if (const char* missing = moving::broken_promise(sweep)) {
      return complain(Code::bad_option, fmt::format("a {} has {}", moving::name_of(sweep.mover), missing),
                      span);
    }
    const auto* fill = std::get_if<moving::mover::Fill>(&sweep.mover);
    if (fill != nullptr && state_->options.padding == Padding::value && !fill_known_) {
      state_->options.fill = fill->pattern;
      fill_known_ = true;
    }
    if (!moving::may_be_cut(part))
      return complain(Code::bad_option,
                      "this axis cannot be cut: it has a table, or its kernel needs all of it", span);
    part.units = moving::units_of(part);
    if (fill == nullptr && !moving::reads_inside(part, state_->src))
      complain(Code::index_out_of_range, "the part reads outside the bytes that the first line gives", span);
    if (!moving::writes_inside(part, state_->dst))
      complain(Code::index_out_of_range, "the part writes outside the bytes that the first line gives", span);
    sweep.kernel = moving::kernel_for(sweep, state_->options.isa);
    state_->parts.push_back(part);
  }

  void flag(PlanPart& part) {
    moving::Policy& policy = part.sweep.policy;
    constexpr std::array<std::string_view, 7> kFlags = {"stream", "stage", "prefetch", "source",
                                                        "cut",    "slack", "pattern"};
    const Span span = lexer_.peek().span;
    switch (word(kFlags, "policy")) {
      case 0:
        policy.stream = true;
        break;
      case 1:
        policy.stage = true;
        break;
      case 2:
        policy.prefetch = true;
        break;
      case 3:
        expect("order");
        policy.source_order = true;
        break;
      case 4:
        part.cut = static_cast<CutAxis>(word(moving::kCutWords, "cut"));
        expect("by");
        part.grain = number(1, moving::kRelayoutLimits.read.number);
        break;
      case 5:
        slack(part.sweep, span);
        break;
      default:
        pattern(part.sweep, span);
        break;
    }
  }
  void slack(Sweep& sweep, Span span) {
    Index* const slack = moving::slack_in(sweep.mover);
    if (slack == nullptr) return complain(Code::bad_option, cannot_have("slack", sweep), span);
    *slack = number(0, moving::kLine - 1);
  }
  void pattern(Sweep& sweep, Span span) {
    auto* const fill = std::get_if<moving::mover::Fill>(&sweep.mover);
    if (fill == nullptr) return complain(Code::bad_option, cannot_have("pattern", sweep), span);
    for (std::byte& b : fill->pattern) b = static_cast<std::byte>(number(0, 255));
  }
  static std::string cannot_have(std::string_view what, const Sweep& sweep) {
    return fmt::format("a {} has no {}", moving::name_of(sweep.mover), what);
  }

  void axis(SweepAxis& axis) {
    axis.count = number(1, moving::kRelayoutLimits.read.number);
    expect(": src");
    offsets(axis.count, -moving::kRelayoutLimits.read.number, axis.src, axis.src_table);
    expect(", dst");
    offsets(axis.count, 0, axis.dst, axis.dst_table);
  }

  // A stride `+4`, a list `[0 7 3]`, or digits `12:+4 22:+48`.
  void offsets(Index count, Index least, Index& stride, const Index*& table) {
    const Token& next = lexer_.peek();
    if (next.is("+") || next.is("-")) {
      stride = number(-moving::kRelayoutLimits.read.number, moving::kRelayoutLimits.read.number);
      if (stride < least)
        complain(Code::negative_stride, "a destination stride must not be negative", next.span);
      return;
    }
    if (count > moving::kRelayoutLimits.read.entries)
      return complain(Code::limit, "the table has more than 2^20 entries", next.span);
    table_entries_ += count;
    Index* entries = table_entries_ > moving::kRelayoutLimits.read.table_entries
                         ? nullptr
                         : state_->new_table(count, std::nothrow);
    if (entries == nullptr)
      return complain(Code::limit, "the tables of the plan take too much memory", next.span);
    table = entries;
    std::fill_n(entries, count, Index{0});
    if (lexer_.accept("[")) {
      for (Index i = 0; i < count && ok(); ++i)
        entries[i] = number(-moving::kRelayoutLimits.read.number, moving::kRelayoutLimits.read.number);
      return expect("]");
    }
    Index div = 1;
    do {
      const Index ext = number(2, moving::kRelayoutLimits.read.entries);
      expect(":");
      const std::uint32_t begin = lexer_.peek().span.begin;
      const Index step = number(-moving::kRelayoutLimits.read.number, moving::kRelayoutLimits.read.number);
      if (!ok() || div >= count) break;
      for (Index i = 0; i < count; ++i) {
        Index reach = 0;
        if (mul_overflows(i / div % ext, step, reach) || add_overflows(entries[i], reach, entries[i])) {
          return complain(Code::number_range, fmt::format("entry {} of the table does not fit in 64 bits", i),
                          {begin, lexer_.taken_end()});
        }
      }
      div *= ext;
    } while (lexer_.peek().kind == TokenKind::integer);
    if (div < count)
      complain(Code::value_count, fmt::format("the table has {} entries instead of {}", div, count),
               lexer_.peek().span);
  }

  void elementwise() {
    expect("element from");
    const auto src = layout();
    expect("to");
    const auto dst = layout();
    if (!ok()) return;
    if (!std::ranges::equal(src->shape(), dst->shape()))
      return complain(Code::different_shape, "the two layouts have different shapes", lexer_.peek().span);
    for (const auto& [layout, range] : {std::pair(&*src, state_->src), std::pair(&*dst, state_->dst)}) {
      const auto bytes = moving::byte_range(*layout, state_->element_bytes, "plan");
      if (!bytes || bytes->begin < range.begin || bytes->end > range.end)
        return complain(Code::index_out_of_range,
                        "a layout has offsets outside the bytes that the first line names",
                        lexer_.peek().span);
    }
    state_->elementwise.emplace(*src, *dst);
  }
  std::optional<Layout> layout() {
    if (!ok()) return std::nullopt;
    const Token line = lexer_.take_line();
    auto layout = parse_layout(line.text);
    if (layout) return *layout;
    Diagnostic inner = layout.error();
    inner.span = {line.span.begin + inner.span.begin, line.span.begin + inner.span.end};
    if (ok()) error_ = inner;
    return std::nullopt;
  }

  using State = RelayoutPlan::State;
  Lexer lexer_;
  Isa isa_;
  std::optional<Diagnostic> error_;
  Index table_entries_ = 0;  // of all tables so far
  bool fill_known_ = false;  // options.fill was set by the first part that fills
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

}  // namespace

Result<RelayoutPlan> parse_plan(std::string_view text, Isa isa) { return PlanReader(text, isa).read(); }

}  // namespace tessera
