// SPDX-License-Identifier: Apache-2.0
#include "laws/relayout_laws.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <vector>

#include "relayout/contract.h"
#include "relayout/state.h"
#include "tessera/base/check.h"
#include "tessera/relayout/run.h"
#include "tessera/relayout/verify.h"
#include "tessera/text/any.h"

namespace tessera::testing_relayout {
namespace {

// Bytes that differ from their neighbours, and from what the destination holds before.
std::byte source_byte(std::size_t i) { return static_cast<std::byte>((i * 0x9e3779b97f4a7c15ULL) >> 56); }
std::byte untouched_byte(std::size_t i) { return static_cast<std::byte>(0xa5 ^ (i & 0x0f)); }

template <class F>
void for_each_index(std::span<const Index> box, const F& f) {
  for (const Index extent : box) {
    if (extent == 0) return;
  }
  std::vector<Index> index(box.size(), 0);
  for (;;) {
    f(index);
    std::size_t d = box.size();
    while (d-- > 0) {
      if (++index[d] < box[d]) break;
      index[d] = 0;
    }
    if (d == static_cast<std::size_t>(-1)) return;
  }
}

std::size_t bytes_of(const Layout& layout, Index element_bytes) {
  const auto elements = layout.buffer_size();
  TESSERA_CHECK(elements.has_value(), "the cases have buffers");
  return static_cast<std::size_t>(*elements * element_bytes);
}

}  // namespace

GuardedMemory::GuardedMemory(std::size_t bytes) : page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))) {
  bytes_ = (bytes + page_ - 1) / page_ * page_;
  void* memory = mmap(nullptr, bytes_ + 2 * page_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  TESSERA_CHECK(memory != MAP_FAILED, "no memory for a test");
  mapping_ = static_cast<std::byte*>(memory);
  TESSERA_CHECK(mprotect(mapping_ + page_, bytes_, PROT_READ | PROT_WRITE) == 0, "no memory for a test");
}

GuardedMemory::~GuardedMemory() { munmap(mapping_, bytes_ + 2 * page_); }

std::byte* GuardedMemory::place(std::size_t bytes, bool at_end, std::size_t gap) {
  TESSERA_CHECK(bytes + gap <= bytes_, "a case larger than its memory");
  std::byte* begin = mapping_ + page_;
  return at_end ? begin + bytes_ - gap - bytes : begin + gap;
}

Setting draw_setting(Choices& choices) {
  static const std::vector<Isa> isas = available_isas();
  constexpr std::array<Index, 8> kWidths = {1, 2, 3, 4, 6, 8, 12, 16};
  Setting setting;
  setting.element_bytes = kWidths[static_cast<std::size_t>(choices.pick(0, 7))];
  setting.options.padding = static_cast<Padding>(choices.pick(0, 3));
  for (std::byte& b : setting.options.fill) b = static_cast<std::byte>(choices.pick(0, 255));
  setting.options.consumer = static_cast<Consumer>(choices.pick(0, 1));
  setting.options.isa = isas[static_cast<std::size_t>(choices.pick(0, static_cast<Index>(isas.size()) - 1))];
  setting.options.threads = static_cast<int>(choices.pick(1, 8));
  setting.options.min_chunk_bytes = choices.pick(1, 2000);
  // Half of the plans stream, as large ones do.
  setting.options.l2_bytes = choices.one_in(2) ? 1 : 0;
  setting.src_gap = static_cast<std::size_t>(choices.pick(0, 63));
  setting.dst_gap = static_cast<std::size_t>(choices.pick(0, 63));
  setting.at_end = choices.one_in(2);
  if (choices.one_in(2)) setting.src_gap = setting.dst_gap = 0;
  setting.through_text = choices.one_in(8);
  return setting;
}

std::string check_relayout(const Layout& src, const Layout& dst, const Setting& setting, GuardedMemory& from,
                           GuardedMemory& to) {
  const Index e = setting.element_bytes;
  const auto width = static_cast<std::size_t>(e);
  auto plan = make_plan(src, dst, e, setting.options);
  if (!plan) return to_string(plan.error());
  for (const relayout::Part& part : plan->state().parts) {
    if (const char* missing = relayout::broken_promise(part.leaf))
      return fmt::format("a leaf without {}\n{}", missing, plan->describe());
  }
  if (setting.through_text) {
    const std::string text = plan->describe();
    auto again = parse_plan(text, setting.options.isa);
    if (!again) return fmt::format("{}\n{}", to_string(again.error()), text);
    if (again->describe() != text) return fmt::format("printed otherwise:\n{}\n{}", text, again->describe());
    plan = std::move(again);
  }
  const auto proof = verify(*plan, src, dst);
  if (!proof)
    return fmt::format("verify: {}\n{}", to_string(proof.error()) + " " + proof.error().witness,
                       plan->describe());
  const std::size_t src_bytes = bytes_of(src, e);
  const std::size_t dst_bytes = bytes_of(dst, e);
  std::byte* source = from.place(src_bytes, setting.at_end, setting.src_gap);
  std::byte* target = to.place(dst_bytes, setting.at_end, setting.dst_gap);
  for (std::size_t i = 0; i < src_bytes; ++i) source[i] = source_byte(i);
  for (std::size_t i = 0; i < dst_bytes; ++i) target[i] = untouched_byte(i);

  std::vector<std::byte> expected(target, target + dst_bytes);
  std::vector<bool> free_to_change(dst_bytes, setting.options.padding == Padding::any);
  for (std::size_t i = 0; i < dst_bytes; ++i) {
    if (setting.options.padding == Padding::zero) expected[i] = std::byte{0};
    if (setting.options.padding == Padding::value) expected[i] = setting.options.fill[i % width];
  }
  for_each_index(src.shape(), [&](std::span<const Index> index) {
    const auto s = static_cast<std::size_t>(src.offset(index) * e);
    const auto d = static_cast<std::size_t>(dst.offset(index) * e);
    std::memcpy(expected.data() + d, source + s, width);
    for (std::size_t i = 0; i < width; ++i) free_to_change[d + i] = false;
  });

  if (auto ok = check_buffers(*plan, {source, src_bytes}, {target, dst_bytes}); !ok)
    return to_string(ok.error());
  if (setting.options.threads > 1) {
    // Backwards: chunks do not depend on each other.
    for (Index chunk = plan->chunks(); chunk-- > 0;) run_chunk(*plan, chunk, source, target);
  } else {
    run(*plan, source, target);
  }
  for (std::size_t i = 0; i < dst_bytes; ++i) {
    if (target[i] != expected[i] && !free_to_change[i]) {
      return fmt::format("byte {} of the destination is {:02x}, not {:02x}\n{}", i,
                         static_cast<unsigned>(target[i]), static_cast<unsigned>(expected[i]),
                         plan->describe());
    }
  }
  return {};
}

}  // namespace tessera::testing_relayout
