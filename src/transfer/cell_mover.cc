// SPDX-License-Identifier: Apache-2.0
#include "transfer/cell_mover.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <new>
#include <string>
#include <utility>

#include "base/at_fault.h"
#include "base/plural.h"
#include "notation/from_digits.h"
#include "notation/to_digits.h"
#include "tessera/relayout/plan.h"
#include "transfer/band_memory.h"
#include "transfer/code_side.h"
#include "transfer/page_budget.h"

namespace tessera::transfer {
namespace {

Digits without_base(const Digits& digits) {
  return Digits::normalized({digits.box().begin(), digits.box().end()}, 0,
                            {digits.digits().begin(), digits.digits().end()});
}

int thread_count(const CopyOptions& options) { return executor_threads(options.threads); }

using FillBytes = std::array<std::byte, 16>;

FillBytes fill_of(const CopyOptions& options) {
  return options.padding == Padding::value ? options.fill : FillBytes{};
}

// The text of a fill value, in the form that --fill accepts.
std::string bits(const FillBytes& bytes, Index width) {
  std::string text;
  for (auto i = static_cast<std::size_t>(std::min<Index>(width, 16)); i-- > 0;)
    text += fmt::format("{:02x}", std::to_integer<unsigned>(bytes[i]));
  return text.find_first_not_of('0') == std::string::npos ? "0" : "0x" + text;
}

// A plan may set padding itself. Then it must set it to the values that the copy requests.
Result<void> check_padding(const RelayoutPlan& plan, const CopyOptions& options) {
  const std::optional<FillBytes> set = plan.fill();
  if (options.padding == Padding::any || (!set && !plan.spoils_padding())) return {};
  const auto width = static_cast<std::ptrdiff_t>(std::min<Index>(plan.element_bytes(), 16));
  const FillBytes wanted = fill_of(options);
  const bool keep = options.padding == Padding::keep;
  if (set && !keep && std::equal(set->begin(), set->begin() + width, wanted.begin())) return {};
  const std::string own = set ? bits(*set, plan.element_bytes()) : "any";
  Diagnostic diagnostic{
      .code = Code::bad_option,
      .message = fmt::format("the plan {}, but this copy {}",
                             set ? "sets padding to " + own : "may write anything to padding",
                             keep ? "keeps it" : "sets it to " + bits(wanted, plan.element_bytes())),
      .reason = "padding",
      .help = fmt::format("use --fill {}, or make the plan with the fill that you want", own)};
  return fail(std::move(diagnostic));
}

}  // namespace

CellMover::CellMover(const Job& job)
    : job_(job),
      width_(moved_bytes(job.source, job.destination)),
      pages_(
          job.options.memory_bytes / 4, [this] { job_.file.mapping().drop_pages(); }, std::ssize(job.bytes)),
      executor_(parallel_executor(thread_count(job.options))) {}

Result<std::unique_ptr<CellMover>> CellMover::make(const Job& job, Index cells, Index most_cells) {
  std::unique_ptr<CellMover> mover(new CellMover(job));
  const Layout& to = job.destination.layout;
  if (job.options.plan) {
    if (Result<void> taken = detail::at_fault("plan", mover->take_plan(*job.options.plan, cells, most_cells));
        !taken)
      return fail(taken.error());
    return mover;
  }
  if (Result<Digits> digits = to_digits(job.source.layout)) mover->from_ = std::move(*digits);
  if (Result<Digits> digits = to_digits(to)) mover->to_ = std::move(*digits);
  if (mover->to_) {
    const auto shared = collision(*mover->to_);
    if (!shared) return fail(shared.error());
    if (*shared) return shared_offset((*shared)->first, (*shared)->second, to.offset((*shared)->first));
  }
  std::optional<std::vector<Band>> bands;
  if (to.size() == 0) bands = {{0, cells, std::nullopt}};
  if (!bands && mover->from_ && mover->to_)
    bands = cut_into_bands(*mover->from_, *mover->to_, cells, most_cells);
  const bool resident = cells <= most_cells && std::ssize(job.bytes) <= mover->pages_.bytes();
  if (!bands && resident && !job.source.is_packed()) {
    // If planning fails, for example because deciding injectivity would enumerate too much, the elements are
    // moved one by one.
    if (Result<RelayoutPlan> plan =
            mover->plans_.plan(job.source.layout, to, mover->width_, mover->plan_options())) {
      mover->whole_ = std::move(*plan);
      bands = {{0, cells, IndexBox::whole(to.shape())}};
    } else if (plan.error().code == Code::broadcast) {
      return fail(detail::at_fault("to", plan.error()));
    }
  }
  if (!bands) {
    mover->each_ = std::make_unique<ElementMover>(mover->job_.source, job.bytes, mover->job_.destination,
                                                  mover->width_, mover->pages_);
    // The element mover needs one more bit for each cell, and a cell has at least 8 bits.
    const Index each = std::max<Index>(1, most_cells - ceil_div(most_cells, Index{9}));
    bands.emplace();
    for (Index at = 0; at < cells; at += each)
      bands->push_back({at, std::min(cells, at + each), IndexBox::whole(to.shape())});
  }
  mover->bands_ = std::move(*bands);
  return mover;
}

// Uses the given plan if verify proves it for the two layouts.
Result<void> CellMover::take_plan(const RelayoutPlan& plan, Index cells, Index most_cells) {
  const Index packed = std::min(job_.source.element_bits, job_.destination.element_bits);
  if (packed != 8 * plan.element_bytes()) {
    return fail(Code::different_type,
                fmt::format("the plan moves elements of {}, but the files have elements of {}",
                            detail::plural(8 * plan.element_bytes(), "bit"), packed),
                {}, "make the plan for the type of the files: tessera plan --type f32, or --bytes 4");
  }
  if (Result<void> alike = check_padding(plan, job_.options); !alike) return alike;
  if (Result<void> proved = tessera::verify(plan, job_.source.layout, job_.destination.layout); !proved)
    return proved;
  if (cells > most_cells || std::ssize(job_.bytes) > pages_.bytes()) {
    return fail(Code::limit, "the plan moves everything at once, but the files are larger than --memory", {},
                "give more memory, or leave the plan out");
  }
  whole_ = plan;
  bands_ = {{0, cells, IndexBox::whole(job_.destination.layout.shape())}};
  return {};
}

PlanOptions CellMover::plan_options() const {
  // Keep the padding: the memory already holds the bytes around the elements, including other boxes of the
  // band.
  return {.padding = Padding::keep, .isa = job_.options.isa, .threads = thread_count(job_.options)};
}

// Bytes that become resident if the box is moved.
Index CellMover::cost(const IndexBox& box) const {
  if (job_.source.is_packed()) {  // the whole range is unpacked into bytes first
    const Interval range = offset_range(*from_, box);
    return range.upper - range.lower + 1;
  }
  return std::min<Index>(std::ssize(job_.bytes), touched_bytes(*from_, box, job_.source.element_bits));
}

Result<void> CellMover::move(const Band& band, std::span<std::byte> memory) {
  if (!band.box) return {};
  if (each_) return each_->move(band, memory, *executor_);
  if (whole_) {
    run(*whole_, job_.bytes.data(), memory.data(), *executor_);
    return {};
  }
  const auto touched = [this](const IndexBox& box) { return cost(box); };
  return move_within(pages_, CutBox{&*from_, &*to_, *band.box}, touched, [&](const IndexBox& box) {
    Result<void> moved;
    for_each_aligned_piece(*from_, *to_, box, [&](const IndexBox& piece) {
      if (moved) moved = move_box(band, piece, memory.data());
    });
    return moved;
  });
}

Result<void> CellMover::move_box(const Band& band, const IndexBox& box, std::byte* memory) {
  Digits from = restricted(*from_, box);
  Digits to = restricted(*to_, box);
  const std::byte* source = job_.bytes.data();
  Index source_base = from.base();
  if (job_.source.is_packed()) {
    const Interval range = offset_range(from, IndexBox::whole(from.box()));
    const auto bytes = static_cast<std::size_t>(range.upper - range.lower + 1);
    if (bytes > unpacked_bytes_) {
      unpacked_.reset(new (std::nothrow) std::byte[bytes]);
      unpacked_bytes_ = unpacked_ != nullptr ? bytes : 0;
      if (unpacked_ == nullptr) return not_enough_memory(range.upper - range.lower + 1);
    }
    unpack(packing_of(job_.source), job_.bytes, range.lower, {unpacked_.get(), bytes});
    source = unpacked_.get();
    source_base -= range.lower;
  }
  // Boxes of the same shape have the same plan, counted from their first elements.
  const Index target_base = to.base() - band.begin;
  from = without_base(from);
  to = without_base(to);
  Result<RelayoutPlan> plan = plans_.plan(from, {.digits = to}, width_, plan_options());
  if (!plan) return fail(plan.error());
  tessera::run(*plan, source + source_base * width_, memory + target_base * width_, *executor_);
  return {};
}

Result<VerifyReport> CellMover::verify(std::span<const std::byte> written, const Release& release,
                                       const std::function<void(Progress)>& progress) {
  return verify_copy({job_.source, job_.bytes}, {job_.destination, written, release},
                     {.memory_bytes = job_.options.memory_bytes}, progress);
}

}  // namespace tessera::transfer
