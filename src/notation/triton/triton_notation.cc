// SPDX-License-Identifier: Apache-2.0
// Layouts of Triton as functions: (thread, register) -> element, or element -> offset.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "algebra/xor_rows.h"
#include "base/try.h"
#include "notation/conversion.h"
#include "notation/layout_form.h"
#include "notation/limits.h"
#include "notation/not_representable.h"
#include "notation/notation_traits.h"
#include "notation/parse_layout.h"
#include "notation/structure.h"
#include "notation/triton/attribute_table.h"
#include "notation/triton/make_attribute.h"
#include "notation/xla/dtype_help.h"
#include "tessera/notation/triton_layout.h"
#include "text/character_class.h"

namespace tessera::triton {
namespace {

using tessera::detail::Claim;
using tessera::detail::TextStart;
using tessera::detail::XorRows;

class TritonLayoutForm : public tessera::detail::FormOf<TritonLayout> {
 public:
  TritonLayoutForm(TritonLayout value, LinearLayout linear, std::optional<Index> allocated)
      : FormOf(std::move(value)), linear_(std::move(linear)), allocated_(allocated) {}

  std::string text(std::span<const Index>) const override { return to_string(get()); }
  std::string order() const override {
    if (space_of(get().attribute.kind) == TritonSpace::registers)
      return "Triton: (thread, register) to element, the first dimension fastest";
    return "Triton: element to offset";
  }
  std::optional<Index> allocated_elements() const override { return allocated_; }
  // MLIR's integers have no sign: i8 may be s8 or u8, so they have a width alone.
  std::optional<DType> dtype() const override {
    const std::string& element = get().element;
    return element.empty() || element[0] == 'i' ? std::nullopt : read_dtype(element);
  }
  std::optional<Index> element_bits() const override {
    const Index bits = triton_element_bits(get().element);
    return bits == 0 ? std::nullopt : std::optional(bits);
  }
  Index offset(std::span<const Index> index) const override { return linear_.offset(index); }
  IndexMap to_index_map(std::span<const Index> shape) const override {
    const IndexMap whole = linear_.to_index_map();
    return IndexMap::make_unchecked(Domain::box(shape), {whole.results()[0]});
  }
  tessera::detail::DimGroups interacting_dims(const Layout&) const override {
    return tessera::detail::interacting_dims(linear_);
  }
  std::optional<LinearLayout> linear_form(std::span<const Index>) const override { return linear_; }

 private:
  LinearLayout linear_;  // extents rounded up to powers of two; empty if there are digits
  std::optional<Index> allocated_;
};

Result<Layout> made(TritonLayout layout, std::vector<Index> shape, std::optional<Digits> digits,
                    LinearLayout linear, std::optional<Index> allocated) {
  TESSERA_TRY(size, tessera::detail::checked_size(shape));
  return tessera::detail::new_layout(
      Notation::triton, std::move(shape), size, std::move(digits),
      std::make_unique<TritonLayoutForm>(std::move(layout), std::move(linear), allocated));
}

Result<Layout> registers_layout(const TritonLayout& layout, const TritonBases& map) {
  std::vector<std::vector<Index>> bases(2);
  for (const char* input : {"lane", "warp", "block"}) {
    for (const std::vector<Index>& basis : map.of(input)) bases[0].push_back(flat_of(basis, map.shape));
  }
  for (const std::vector<Index>& basis : map.of("register")) bases[1].push_back(flat_of(basis, map.shape));
  TESSERA_TRY(linear, LinearLayout::make(std::move(bases)));
  auto digits = tessera::detail::structural_digits(linear);
  std::vector<Index> shape = linear.shape();
  return made(layout, std::move(shape), std::move(digits), std::move(linear), std::nullopt);
}

// Where the bit of a coordinate goes, before padding.
struct Image {
  Index offset = 0;
  Index partition = 0;
  Index block = 0;  // blocks that only repeat are not counted
};

Result<std::vector<std::vector<Image>>> images_of(const TritonBases& map) {
  XorRows rows;
  const bool tensor_memory = map.inputs.front().name == "row";
  std::vector<std::string_view> inputs = {"offset", "partition", "block"};
  if (tensor_memory) inputs = {"col", "row", "block"};
  std::vector<std::size_t> counts;
  for (const std::string_view input : inputs) {
    std::size_t count = 0;
    for (const std::vector<Index>& basis : map.of(input)) {
      const Index value = flat_of(basis, map.shape);
      if (input == "block" && value == 0) continue;
      rows.add(value);
      ++count;
    }
    counts.push_back(count);
  }
  const std::size_t low = tensor_memory ? counts[0] + counts[1] : counts[0];
  const std::size_t parts = tensor_memory ? 0 : counts[1];
  std::vector<std::vector<Image>> out(map.shape.size());
  Index bit = 1;
  for (std::size_t d = 0; d < map.shape.size(); ++d) {
    for (Index power = 1; power < map.shape[d]; power *= 2, bit *= 2) {
      const XorRows::Row found = rows.reduced({bit, 0});
      if (found.value != 0)
        return tessera::detail::not_representable("no_encoding", "the layout does not hold every element");
      out[d].push_back({found.added & ((Index{1} << low) - 1), found.added >> low & ((Index{1} << parts) - 1),
                        found.added >> (low + parts)});
    }
  }
  return out;
}

// Whether no two bits of the index move the same bit, so that XOR is addition.
bool adds_up(const std::vector<std::vector<Image>>& images) {
  Image used{0, 0, 0};
  for (const std::vector<Image>& of_dim : images) {
    for (const Image& one : of_dim) {
      if ((used.offset & one.offset) != 0 || (used.partition & one.partition) != 0 ||
          (used.block & one.block) != 0)
        return false;
      used = {used.offset | one.offset, used.partition | one.partition, used.block | one.block};
    }
  }
  return true;
}

Result<Layout> memory_layout(const TritonLayout& layout, const TritonBases& map) {
  TESSERA_TRY(images, images_of(map));
  const std::vector<Index>& shape = *layout.shape;
  const std::vector<Index> whole = layout.allocated.value_or(shape);
  const auto rank = static_cast<std::size_t>(layout.attribute.rank);
  const Index stages = whole.size() > rank ? whole.front() : 1;
  const bool own_stages = shape.size() > rank;  // a dimension of the function
  std::size_t offset_bits = map.of("offset").size();
  if (map.inputs.front().name == "row") offset_bits = map.of("row").size() + map.of("col").size();
  const Index elements = Index{1} << offset_bits;
  if (stages > (Index{1} << 40) / elements)
    return fail(Code::limit, "the allocation has more than 2^40 elements");
  const Index allocated = map.padded(stages * elements - 1) + 1;
  const Index partitions = Index{1} << map.of("partition").size();
  Index blocks = 1;
  const auto value_of = [&](const Image& image) {
    return map.padded(image.offset) + allocated * (image.partition + partitions * image.block);
  };
  std::vector<std::vector<Index>> bases;
  if (own_stages) {
    std::vector<Index>& stage = bases.emplace_back();
    for (Index s = 1; s < shape.front(); s *= 2) stage.push_back(map.padded(s * elements));
  }
  for (std::size_t d = 0; d < rank; ++d) {
    std::vector<Index>& own = bases.emplace_back();
    const std::size_t at = shape.size() - rank + d;
    for (std::size_t k = 0; k < images[d].size() && (Index{1} << k) < shape[at]; ++k)
      own.push_back(value_of(images[d][k]));
    for (const Image& image : images[d]) {
      while (blocks <= image.block) blocks *= 2;
    }
  }
  const Index buffer = allocated * partitions * blocks;  // the blocks' memories, one after another
  // With padding the offset is a sum over bits, else an XOR; the same where no two bases share a bit.
  const bool sum = !map.pads.empty() || (!is_power_of_two(allocated) && (blocks > 1 || partitions > 1));
  if (sum) {
    if (!adds_up(images)) {
      Diagnostic error{
          .code = Code::not_representable,
          .message =
              "the XOR of the offsets of these buffers is not a sum, as with a number of stages that is "
              "not a power of two in several blocks or partitions",
          .help = "give the shape of one buffer, without the stages"};
      error.reason = "irregular";
      return fail(std::move(error));
    }
    std::vector<Digit> digits;
    for (std::size_t d = 0; d < bases.size(); ++d) {
      for (std::size_t k = 0; k < bases[d].size(); ++k)
        digits.push_back({static_cast<Index>(d), Index{1} << k, 2, bases[d][k]});
    }
    return made(layout, shape, Digits::normalized(shape, 0, std::move(digits)), LinearLayout(), buffer);
  }
  TESSERA_TRY(linear, LinearLayout::make(std::move(bases)));
  std::optional<Digits> digits;
  if (auto found = tessera::detail::structural_digits(linear)) {
    std::vector<Digit> own(found->digits().begin(), found->digits().end());
    digits = Digits::normalized(shape, found->base(), std::move(own));
  }
  return made(layout, shape, std::move(digits), std::move(linear), buffer);
}

// Whether a word before a bracket is nearly a class of Gluon: Blockedlayout(...).
bool has_misspelled_class(std::string_view text) {
  const std::size_t open = text.find('(', text.find("ayout"));
  if (text.find("ayout") == std::string_view::npos || open == std::string_view::npos) return false;
  std::size_t begin = open;
  while (begin > 0 && tessera::detail::is_word(text[begin - 1])) --begin;
  const std::string_view word = text.substr(begin, open - begin);
  if (word.size() > detail::kNotationLimits.triton.letters || word == "TileLayout" || word == "ComposeLayout")
    return false;
  return !nearest_gluon(word).empty();
}

Claim claim_triton(const TextStart& start) {
  return !start.has_arrow && is_triton_text(start.text) ? Claim::certain : Claim::no;
}

Result<Layout> read_triton(std::string_view text) {
  TESSERA_TRY(layout, parse_triton_layout(text));
  return tessera::detail::placed(Layout::make(layout), text);
}

// A function from elements to offsets as a layout of shared memory.
Result<Conversion> convert_to_triton(const Layout& from) {
  if (from.notation() == Notation::triton) return Conversion{from};
  TESSERA_TRY(linear, convert(from, Notation::linear));
  const LinearLayout& bases = *linear.layout.linear();
  XorRows rows;
  std::size_t count = 0;
  for (const std::vector<Index>& own : bases.bases()) {
    for (const Index basis : own) rows.add(basis), ++count;
  }
  TritonBases map;
  map.shape = bases.shape();
  map.inputs = {{"offset", {}}, {"block", {}}};
  for (std::size_t k = 0; k < count; ++k) {
    const XorRows::Row found = rows.reduced({Index{1} << k, 0});
    if (found.value != 0)
      return tessera::detail::not_representable(
          "no_encoding", "a layout of shared memory holds one element at each offset from 0",
          fmt::format("no element lies at offset {}", Index{1} << k));
    map.inputs[0].bases.push_back(unflat(found.added, map.shape));
  }
  TESSERA_TRY(name, triton_name(map, from.element_bits().value_or(0)));
  TritonLayout layout{.attribute = std::move(name), .form = TritonForm::shape, .shape = map.shape};
  return tessera::detail::converted(Layout::make(layout));
}

}  // namespace
}  // namespace tessera::triton

namespace tessera {

bool is_triton_text(std::string_view text) {
  constexpr std::string_view kStarts[] = {"#", "!ttg.memdesc<", "!tt.memdesc<", "!triton_gpu.memdesc<"};
  const std::string_view rest = text.substr(detail::skip_blanks(text, 0));
  for (const std::string_view begin : kStarts) {
    if (rest.starts_with(begin)) return true;
  }
  // CuTe has tensor<ptr<...> o ...>.
  if (rest.starts_with("tensor<") && rest.size() > 7 && detail::is_digit(rest[7])) return true;
  for (const std::string_view mark : {"Layout(", "Layout.with_identity_for(", ":#", ": #"}) {
    if (rest.find(mark) != std::string_view::npos) return true;
  }
  return triton::has_misspelled_class(rest);
}

Result<Layout> to_layout(const TritonLayout& layout) {
  TESSERA_TRY(map, triton_bases(layout));
  if (space_of(layout.attribute.kind) == TritonSpace::registers) return triton::registers_layout(layout, map);
  return triton::memory_layout(layout, map);
}

const detail::NotationTraits& detail::triton_traits() {
  static const NotationTraits traits = {
      .prefix = "triton",
      .example =
          "a layout of Triton has a shape and an attribute: 128x64:#ttg.blocked<{...}>, or a type: "
          "tensor<128x64xf16, #ttg.blocked<{...}>>",
      .claim = triton::claim_triton,
      .read = triton::read_triton,
      .convert = triton::convert_to_triton,
      .add_spellings = nullptr,
      .community = "ttg",
  };
  return traits;
}

}  // namespace tessera
