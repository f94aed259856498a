// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <ranges>

#include "base/try.h"
#include "tessera/ttgir/ttgir.h"
#include "ttgir/buffers.h"
#include "ttgir/cures.h"
#include "ttgir/lines.h"
#include "ttgir/pointers.h"
#include "ttgir/types.h"

namespace tessera {
namespace {

using ttgir::BufferAccess;
using ttgir::BufferCures;
using ttgir::KnownStep;
using ttgir::KnownValue;
using ttgir::KnownValues;
using ttgir::NamedType;
using ttgir::SharedBuffers;
using ttgir::TtgirLine;
using ttgir::TtgirTypes;

bool tells_layouts(std::string_view op) {
  constexpr std::string_view kOps[] = {"tt.dot", "ttng.warp_group_dot", "ttng.tc_gen5_mma",
                                       "amdg.in_thread_transpose"};
  return std::ranges::find(kOps, op) != std::end(kOps) || op.starts_with("ttng.tmem_");
}

bool is_global(std::string_view op) {
  constexpr std::string_view kOps[] = {"tt.load", "tt.store", "ttg.async_copy_global_to_local",
                                       "amdg.buffer_load", "amdg.buffer_store"};
  return std::ranges::find(kOps, op) != std::end(kOps);
}

// For each line that opens a region, what follows the bracket that closes it; empty for the others.
std::vector<std::string_view> ends_of(std::span<const TtgirLine> lines) {
  std::vector<std::string_view> out(lines.size());
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].closes && !open.empty()) {
      const std::string_view text = lines[i].text;
      out[open.back()] = text.substr(std::min(text.find_first_not_of("})"), text.size()));
      open.pop_back();
    }
    if (lines[i].opens) open.push_back(i);
  }
  return out;
}

// The elements of a block that a layout of one tensor has.
Index bytes_of_block(const TritonBases& bases, Index element_bits) {
  Index elements = 1;
  for (const Index extent : bases.shape) elements *= extent;
  return elements * std::max<Index>(1, element_bits / 8);
}

class Reporter {
 public:
  Reporter(TtgirReport& report, TtgirTypes& types) : report_(report), types_(types) {}

  // The lines of one function, or those outside functions.
  void function(std::span<const TtgirLine> lines) {
    KnownValues values(lines);
    values_ = &values;
    std::vector<bool> loops;  // for each open region, whether it is the body of a loop
    depth_ = 0;
    const std::vector<std::string_view> ends = ends_of(lines);
    const auto enter = [&](bool loop) {
      loops.push_back(loop);
      depth_ += loop ? 1 : 0;
    };
    values.visit([&](std::size_t i) {
      const TtgirLine& line = lines[i];
      buffers_.read(line);
      if (line.closes) {
        const bool reopens = !loops.empty() && loops.back();
        depth_ -= reopens ? 1 : 0;
        if (!loops.empty()) loops.pop_back();
        if (line.opens) enter(reopens);
        return;
      }
      operation(line, ends[i]);
      if (line.opens) enter(line.op == "scf.for" || line.op == "scf.while");
    });
    values_ = nullptr;
  }

  // After all functions: cures depend on all accesses of a buffer.
  void find_cures() {
    struct Found {
      TtgirLocal* local;
      std::size_t buffer;
      BufferAccess access;
    };
    std::vector<Found> all;
    BufferCures cures(report_.target);
    for (const auto& [number, shared] : shared_) {
      const auto access = accesses_.find(shared.key);
      if (number >= report_.operations.size() || access == accesses_.end()) continue;
      auto* const local = std::get_if<TtgirLocal>(&report_.operations[number].what);
      if (local == nullptr) continue;
      local->followed = shared.value.has_value();
      if (!shared.value) continue;
      const ttgir::BufferView view = buffers_.view(*shared.value);
      const ttgir::Buffer& buffer = buffers_.buffer(view.buffer);
      // No allocation comes here, as in a block without a branch to it.
      local->followed = !buffer.lines.empty() || buffer.used_by.has_value();
      if (!local->followed) continue;
      BufferAccess one = access->second;
      one.order = view.order;
      cures.add(view.buffer, fmt::format("{} {}", shared.key, fmt::join(view.order, ",")), one);
      all.push_back({local, view.buffer, std::move(one)});
    }
    for (Found& one : all) {
      const LocalAccess& now = one.access.now;
      if ((!now.matrix && !now.counted) || ttgir::cost_of(now) == ttgir::ideal_of(now)) continue;
      const ttgir::Buffer& buffer = buffers_.buffer(one.buffer);
      one.local->used_by = buffer.used_by;
      if (buffer.used_by) continue;
      one.local->cure = cures.cure(one.buffer, one.access, buffer.filled_by.has_value());
      one.local->tried = cures.tried(one.buffer);
      if (!one.local->cure) continue;
      one.local->cure->allocations = std::ssize(buffer.lines);
      for (const Index number : buffer.lines | std::views::take(TtgirCure::kMaxLines))
        one.local->cure->lines.push_back(number);
      one.local->cure->not_counted = buffer.filled_by;
    }
  }

 private:
  void operation(const TtgirLine& line, std::string_view end) {
    TtgirOperation out{
        .line = line.number, .op = line.op, .depth = depth_, .source = types_.source(line.location)};
    const auto add = [&](auto what) {
      if (!what) {
        out.error = what.error();
      } else if (!*what) {
        return;  // not of tensors
      } else {
        out.what = **std::move(what);
      }
      report_.operations.push_back(std::move(out));
    };
    if (line.op == "ttg.convert_layout") {
      add(conversion(line));
    } else if (line.op == "ttg.local_load" || line.op == "ttg.local_store") {
      add(local(line));
    } else if (line.op == "ttg.local_alloc") {
      if (ttgir::values_in(line.rest).empty())
        add(allocation(line));
      else
        add(local(line));
    } else if (is_global(line.op)) {
      add(global(line));
    } else if (line.op == "tt.reduce") {
      add(reduction(line, end));
    } else if (tells_layouts(line.op)) {
      add(layouts(line));
    }
  }

  Result<std::optional<TtgirConversion>> conversion(const TtgirLine& line) {
    TESSERA_TRY(types, types_.types(line.rest));
    if (types.size() != 2) return std::optional<TtgirConversion>();
    const TritonLayout& a = types[0].layout;
    const TritonLayout& b = types[1].layout;
    TESSERA_TRY(from, triton_bases(a));
    TESSERA_TRY(to, triton_bases(b));
    const Index bits = triton_element_bits(a.element);
    TESSERA_TRY(plan, plan_registers(from, to, bits, report_.target));
    ++report_.conversions[plan.level];
    TtgirConversion out{*a.shape, a.element, types[0].name, types[1].name, std::move(plan)};
    const bool one_block = from.of("block").empty();
    if (out.plan.exchange)
      out.exchange_bytes = out.plan.exchange->bytes;
    else if (out.plan.triton == TritonChoice::shared && one_block)
      out.exchange_bytes = bytes_of_block(from, bits);
    return std::optional(std::move(out));
  }

  // Kernels repeat an access for each stage of a pipeline.
  Result<std::optional<TtgirLocal>> local(const TtgirLine& line) {
    const std::string key = fmt::format("{} {}", line.op, ttgir::types_of(line.rest));
    shared_.insert_or_assign(report_.operations.size(), SharedUse{key, buffer_of(line)});
    const auto known = locals_.find(key);
    if (known != locals_.end()) return std::optional(known->second);
    auto found = new_local(line, key);
    if (found && *found)
      locals_.emplace(key, **found);
    else if (const auto buffer = buffer_of(line))
      buffers_.note_use(*buffer, line);
    return found;
  }

  // The buffer of an access: the result of local_alloc, the last operand of local_store, the first of
  // local_load.
  std::optional<std::size_t> buffer_of(const TtgirLine& line) const {
    const std::vector<std::string_view> names =
        line.op == "ttg.local_alloc" ? line.results
                                     : ttgir::values_in(line.rest.substr(0, line.rest.rfind(" : ")));
    const std::size_t at = line.op == "ttg.local_store" ? 1 : 0;
    return at < names.size() ? buffers_.value(names[at]) : std::nullopt;
  }

  Result<std::optional<TtgirLocal>> new_local(const TtgirLine& line, const std::string& key) {
    TESSERA_TRY(types, types_.types(line.rest));
    const NamedType* memory = nullptr;
    const NamedType* registers = nullptr;
    for (const NamedType& type : types)
      (type.layout.form == TritonForm::memdesc ? memory : registers) = &type;
    if (memory == nullptr || registers == nullptr) return std::optional<TtgirLocal>();
    TESSERA_TRY(bases, triton_bases(registers->layout));
    const bool writes = line.op != "ttg.local_load";
    const TritonLayout& at = memory->layout;
    const Index bits = triton_element_bits(registers->layout.element);
    TESSERA_TRY(access, local_access(bases, at, bits, writes, report_.target));
    TtgirLocal out;
    out.shape = *at.shape;
    out.element = at.element;
    out.memory = memory->name;
    out.registers = registers->name;
    if (at.allocated) {
      const std::size_t rank = std::min(at.shape->size(), at.allocated->size());
      const std::vector<Index> tile(at.allocated->end() - static_cast<std::ptrdiff_t>(rank),
                                    at.allocated->end());
      if (tile != *at.shape) out.allocated = tile;
    }
    out.mode = "vector";
    if (access.matrix) {
      out.mode = writes ? "stmatrix" : "ldmatrix";
      if (access.matrix->trans) out.mode += ".trans";
    }
    constexpr Index kWord = 4;
    const bool transposes = report_.target == "hip:gfx950" || report_.target == "hip:gfx1250";
    if (access.transposes ||
        (!writes && transposes && access.vector * std::max<Index>(1, bits / 8) < kWord)) {
      out.mode = "vector or transposing";
      access.counted = false;
    }
    out.access = access;
    accesses_.emplace(key, BufferAccess{std::move(bases), at, bits, writes, access});
    return std::optional(std::move(out));
  }

  Result<std::optional<TtgirAllocation>> allocation(const TtgirLine& line) {
    TESSERA_TRY(types, types_.types(line.rest));
    if (types.empty()) return std::optional<TtgirAllocation>();
    const TritonLayout& layout = types.front().layout;
    TESSERA_TRY(bases, triton_bases(layout));
    const std::vector<Index> whole = layout.allocated.value_or(*layout.shape);
    Index stages = 1;
    for (std::size_t i = 0; i + bases.shape.size() < whole.size(); ++i) stages *= whole[i];
    const Index elements = Index{1} << bases.of("offset").size();
    const Index one = std::max<Index>(1, triton_element_bits(layout.element) / 8);
    const Index partitions = Index{1} << bases.of("partition").size();
    const Index bytes = (bases.padded(stages * elements - 1) + 1) * one * partitions;
    return std::optional(TtgirAllocation{*layout.shape, layout.element, types.front().name, bytes});
  }

  // Where the elements of a global access lie.
  struct Addresses {
    std::optional<KnownValue> pointer;
    bool is_masked = false;
    const KnownValue* mask = nullptr;  // null if nothing is known of it
  };
  Addresses addresses(const TtgirLine& line, Index bytes) const {
    const std::string_view text = line.rest.substr(0, line.rest.rfind(" : "));
    const std::vector<std::string_view> operands = ttgir::values_in(text);
    Addresses out;
    const auto known = [&](std::size_t i) {
      return i < operands.size() ? values_->find(operands[i]) : nullptr;
    };
    std::size_t mask = 1;
    if (line.op.starts_with("amdg.")) {
      const std::size_t base = line.op == "amdg.buffer_store" ? 1 : 0;
      const KnownValue* pointer = known(base);
      const KnownValue* offsets = known(base + 1);
      if (pointer != nullptr && offsets != nullptr) {
        KnownValue sum = *offsets;
        sum.divisor = std::gcd(pointer->divisor, offsets->divisor * bytes);
        for (KnownStep& step : sum.steps) {
          step.step *= bytes;
          step.multiple *= bytes;
        }
        out.pointer = sum;
      }
      mask = base + 2;
    } else {
      if (const KnownValue* pointer = known(0)) out.pointer = *pointer;
      if (line.op == "tt.store") mask = 2;
      if (line.op == "ttg.async_copy_global_to_local") {
        const std::size_t word = text.find(" mask ");
        const auto masks =
            ttgir::values_in(word == std::string_view::npos ? std::string_view{} : text.substr(word));
        out.mask = masks.empty() ? nullptr : values_->find(masks.front());
        out.is_masked = !masks.empty();
        return out;
      }
    }
    out.is_masked = mask < operands.size();
    out.mask = known(mask);
    return out;
  }

  Result<std::optional<TtgirGlobal>> global(const TtgirLine& line) {
    TESSERA_TRY(types, types_.types(line.rest));
    if (types.empty() || types.front().layout.form != TritonForm::tensor) return std::optional<TtgirGlobal>();
    const TritonLayout& layout = types.front().layout;
    TESSERA_TRY(bases, triton_bases(layout));
    TtgirGlobal out;
    out.shape = *layout.shape;
    out.bits = pointee_bits(line, layout);
    out.registers = types.front().name;
    const Index bytes = std::max<Index>(1, out.bits / 8);
    const Addresses at = addresses(line, bytes);
    const std::size_t rank = bases.shape.size();
    std::vector<std::optional<Index>> strides(rank);
    Index align = bytes;
    if (at.pointer && at.pointer->steps.size() == rank) {
      align = at.pointer->divisor;
      for (std::size_t d = 0; d < rank; ++d) {
        const KnownStep& step = at.pointer->steps[d];
        if (step.exact && step.step % bytes == 0)
          strides[d] = step.step / bytes;
        else
          align = std::gcd(align, step.exact ? step.step : step.multiple);
      }
    }
    for (std::size_t d = rank; d-- > 0;) {
      if (strides[d] == 1 && (bases.shape[d] > 1 || rank == 1) && !out.contiguous)
        out.contiguous = static_cast<Index>(d);
    }
    if (at.is_masked) {
      const bool known = at.mask != nullptr && at.mask->runs && at.mask->runs->size() == rank;
      if (!known)
        align = std::gcd(align, bytes);
      else if (out.contiguous)
        align = std::gcd(align, (*at.mask->runs)[static_cast<std::size_t>(*out.contiguous)] * bytes);
    }
    constexpr Index kAligned = Index{1} << 20;
    TESSERA_TRY(access, global_access(bases, strides, out.bits, align == 0 ? kAligned : align));
    out.access = access;
    return std::optional(std::move(out));
  }

  static Index pointee_bits(const TtgirLine& line, const TritonLayout& layout) {
    if (layout.element != "ptr") return std::max<Index>(8, triton_element_bits(layout.element));
    const std::string_view types = ttgir::types_of(line.rest);
    const std::size_t at = types.find("!tt.ptr<");
    if (at == std::string_view::npos) return 64;
    const std::string_view rest = types.substr(at + 8);
    const std::string_view element = rest.substr(0, rest.find_first_of(",>"));
    const Index bits = element.starts_with("!tt.ptr") ? 64 : triton_element_bits(element);
    return std::max<Index>(8, bits);
  }

  // The types are at the end of the region.
  Result<std::optional<TtgirReduction>> reduction(const TtgirLine& line, std::string_view end) {
    const std::string_view text = line.rest;
    if (end.empty()) end = line.rest;
    TESSERA_TRY(types, types_.types(end));
    if (types.empty()) return std::optional<TtgirReduction>();
    const TritonLayout& layout = types.front().layout;
    TESSERA_TRY(bases, triton_bases(layout));
    const Index axis = ttgir::integer_key(text, "axis").value_or(ttgir::integer_key(end, "axis").value_or(0));
    if (axis < 0 || axis >= std::ssize(bases.shape)) return std::optional<TtgirReduction>();
    const auto over = [&](std::string_view input) {
      Index count = 1;
      for (const std::vector<Index>& basis : bases.of(input))
        count *= basis[static_cast<std::size_t>(axis)] != 0 ? 2 : 1;
      return count;
    };
    TtgirReduction out{*layout.shape, layout.element, axis, types.front().name};
    out.over.reg = over("register");
    out.over.lane = over("lane");
    out.over.warp = over("warp");
    out.over.block = over("block");
    return std::optional(std::move(out));
  }

  Result<std::optional<TtgirLayouts>> layouts(const TtgirLine& line) {
    TESSERA_TRY(types, types_.types(line.rest));
    TtgirLayouts out;
    for (const NamedType& type : types) {
      out.layouts.push_back(type.name);
      out.shapes.push_back(*type.layout.shape);
    }
    return std::optional(std::move(out));
  }

  TtgirReport& report_;
  TtgirTypes& types_;
  const KnownValues* values_ = nullptr;
  std::map<std::string, TtgirLocal> locals_;
  std::map<std::string, BufferAccess> accesses_;  // by the same keys
  struct SharedUse {
    std::string key;
    std::optional<std::size_t> value;  // of buffers_
  };
  std::map<std::size_t, SharedUse> shared_;  // by the numbers of operations
  SharedBuffers buffers_;
  Index depth_ = 0;
};

void read_module(TtgirReport& report, const TtgirLine& line) {
  const auto number = [&](std::string_view key, Index otherwise) {
    return ttgir::integer_key(line.text, key).value_or(otherwise);
  };
  report.warps = number("num-warps", 4);
  report.ctas = number("num-ctas", 1);
  report.threads_per_warp = number("threads-per-warp", 32);
  for (const std::string_view key : {"ttg.target", "triton_gpu.target"}) {
    const std::size_t at = line.text.find(key);
    if (at == std::string_view::npos) continue;
    const std::size_t open = line.text.find('"', line.text.find('=', at));
    if (open == std::string_view::npos) continue;
    report.target = line.text.substr(open + 1, line.text.find('"', open + 1) - open - 1);
  }
}

}  // namespace

bool is_ttgir(std::string_view text) {
  if (text.find("HloModule") != std::string_view::npos) return false;
  return text.find("#ttg.") != std::string_view::npos ||
         text.find("#triton_gpu.") != std::string_view::npos ||
         text.find("tt.func") != std::string_view::npos;
}

Result<TtgirReport> read_ttgir(std::string_view text) {
  const std::vector<TtgirLine> lines = ttgir::lines_of(text);
  TESSERA_TRY(types, TtgirTypes::make(lines));
  TtgirReport report;
  report.layouts = types.layouts();
  bool any = !report.layouts.empty();
  for (const TtgirLine& line : lines) {
    any = any || !line.op.empty();
    if (line.text.starts_with("module")) read_module(report, line);
  }
  if (!any)
    return fail(Code::syntax, "the text has no operation and no layout of Triton", {},
                "a TTGIR file is what compiled.asm[\"ttgir\"] holds");
  Reporter reporter(report, types);
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= lines.size(); ++i) {
    if (i < lines.size() && (lines[i].op != "tt.func" || i == begin)) continue;
    reporter.function(std::span(lines).subspan(begin, i - begin));
    begin = i;
  }
  reporter.find_cures();
  return report;
}

}  // namespace tessera
