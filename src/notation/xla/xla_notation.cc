// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "base/plural.h"
#include "notation/conversion.h"
#include "notation/cute/cute_text.h"
#include "notation/layout_form.h"
#include "notation/limits.h"
#include "notation/notation_traits.h"
#include "notation/parse_layout.h"
#include "notation/structure.h"
#include "notation/to_digits.h"
#include "notation/xla/tiled_from_digits.h"
#include "notation/xla/xla_place.h"
#include "tessera/notation/tensor_type.h"
#include "text/character_class.h"

namespace tessera {
namespace {

using detail::Claim;
using detail::is_empty;
using detail::NotationTraits;
using detail::TextStart;

class XlaForm : public detail::FormOf<TensorType> {
 public:
  XlaForm(TensorType type, TiledMap tiled) : FormOf(std::move(type)), tiled_(std::move(tiled)) {}

  const void* value(const char* type_tag) const override {
    return type_tag == &detail::kTypeTag<TiledMap> ? &tiled_ : FormOf::value(type_tag);
  }
  std::string text(std::span<const Index>) const override { return to_string(get()); }
  std::string order() const override {
    return fmt::format("XLA: minor_to_major {{{}}}", fmt::join(get().minor_to_major(), ","));
  }
  std::optional<Index> allocated_elements() const override { return tiled_.buffer_elements(); }
  std::optional<DType> dtype() const override { return get().dtype; }
  std::optional<Index> element_bits() const override {
    const TensorType& type = get();
    if (type.layout && type.layout->element_bits > 0) return type.layout->element_bits;
    return ceil_div(Index{bit_width(type.dtype)}, 8) * 8;
  }
  std::vector<std::string> properties() const override;
  Index offset(std::span<const Index> index) const override { return tiled_.offset_unchecked(index); }
  IndexMap to_index_map(std::span<const Index>) const override { return tiled_.to_index_map(); }
  detail::DimGroups interacting_dims(const Layout&) const override { return detail::interacting_dims(get()); }
  std::optional<Result<Layout>> transposed(const Layout& self, std::span<const Index> axes,
                                           std::span<const Index> places) const override;

 private:
  TiledMap tiled_;
};

std::vector<std::string> XlaForm::properties() const {
  const TensorType& type = get();
  std::vector<std::string> out;
  if (std::ranges::find(type.dim_kinds, DimKind::bounded) != type.dim_kinds.end())
    out.emplace_back("dynamic dimensions");
  if (!type.layout) return out;
  const TiledLayout& layout = *type.layout;
  if (layout.element_bits != 0) out.push_back(fmt::format("element width E({})", layout.element_bits));
  if (layout.memory_space != 0) out.push_back(fmt::format("memory space S({})", layout.memory_space));
  if (!layout.splits.empty()) out.emplace_back("splits SC(...)");
  if (layout.metadata_prefix_bytes != 0)
    out.push_back(fmt::format("metadata prefix M({})", layout.metadata_prefix_bytes));
  return out;
}

std::optional<Result<Layout>> XlaForm::transposed(const Layout&, std::span<const Index> axes,
                                                  std::span<const Index> places) const {
  const TensorType& type = get();
  TensorType out{.dtype = type.dtype, .dims = detail::permuted<Index>(type.dims, axes)};
  if (!type.dim_kinds.empty()) out.dim_kinds = detail::permuted<DimKind>(type.dim_kinds, axes);
  TiledLayout layout = type.layout ? *type.layout : TiledLayout{.minor_to_major = type.minor_to_major()};
  layout.minor_to_major = detail::permuted<Index>(places, layout.minor_to_major);
  out.layout = std::make_shared<const TiledLayout>(std::move(layout));
  return Layout::make(std::move(out));
}

Claim claim_xla(const TextStart& start) {
  if (start.has_arrow) return Claim::no;
  if (start.first() == '{' || start.first() == '/') return Claim::certain;
  const bool letter = !start.word.empty() && start.word[0] != '_' && !detail::is_digit(start.word[0]);
  if (!letter || begins_cute(start.text.substr(start.inside)) || start.next == ':') return Claim::no;
  // A word without a bracket is not a misspelled type.
  return start.next == '[' || start.next == '(' || parse_dtype(start.word) ? Claim::possible : Claim::no;
}

Result<Layout> read_xla(std::string_view text) {
  const TextStart start(text);
  if (start.begin < text.size() && start.first() == '{') {
    return detail::missing_shape(text, "an XLA layout",
                                 fmt::format("write the type before it: f32[6,8]{}", start.rest()));
  }
  auto type = parse_hlo_type(text);
  if (!type) return fail(type.error());
  if (type->kind() != HloType::Kind::array) {
    return fail(Code::layout_on_nonarray,
                "a tuple or a buffer has no single layout; give the type of one array",
                detail::whole_span(text), "only an array has a layout: f32[3,5]{1,0}");
  }
  auto layout = Layout::make(type->array());
  if (layout) return layout;
  Diagnostic& error = layout.error();
  error.span = detail::place_in_type(text, type->array(), error.code);
  if (const std::size_t mark = text.find('?'); error.code == Code::unbounded && mark != text.npos) {
    error.span = {static_cast<std::uint32_t>(mark), static_cast<std::uint32_t>(mark + 1)};
    error.help = "replace ? with a number or a bound such as <=8";
  }
  return layout;
}

// The array type of the source with other tiles, and with L(...) if that gives the buffer size of the source.
Result<Conversion> with_tiles(const Layout& from, TiledLayout tiles) {
  TensorType type{.dtype = DType::f32, .dims = {from.shape().begin(), from.shape().end()}};
  std::vector<std::string> notes;
  std::vector<std::string> dropped;
  if (const TensorType* own = from.tensor_type()) {
    type = *own;
    if (own->layout) {
      TiledLayout tagged = *own->layout;
      // Splits refer to physical dimensions, so they do not apply to another order.
      if (!tagged.splits.empty() && tagged.minor_to_major != tiles.minor_to_major) {
        tagged.splits.clear();
        dropped.emplace_back("splits SC(...)");
      }
      tagged.minor_to_major = std::move(tiles.minor_to_major);
      tagged.tiles = std::move(tiles.tiles);
      tagged.tail_align = 1;
      tiles = std::move(tagged);
    }
  } else {
    if (const auto dtype = from.dtype()) {
      type.dtype = *dtype;
      // Named layouts pack elements that take a byte each here without E(...).
      if (from.notation() == Notation::named && bit_width(*dtype) < 8) tiles.element_bits = bit_width(*dtype);
    } else {
      notes.emplace_back("the source has no element type; f32 is assumed");
    }
  }
  type.layout = std::make_shared<const TiledLayout>(tiles);
  auto layout = Layout::make(type);
  if (!layout) return fail(layout.error());
  const auto memory = from.buffer_size();
  const Index allocated = layout->tiled_map()->buffer_elements();
  if (memory && *memory > allocated) {
    tiles.tail_align = *memory;
    type.layout = std::make_shared<const TiledLayout>(std::move(tiles));
    layout = Layout::make(std::move(type));
    if (!layout) return fail(layout.error());
  } else if (memory && *memory < allocated) {
    notes.push_back(fmt::format("buffer_larger: the tiles allocate {}, but the source has {}",
                                detail::plural(allocated, "element"), *memory));
  }
  Conversion out{*std::move(layout)};
  out.notes = std::move(notes);
  out.dropped = std::move(dropped);
  return out;
}

std::size_t entries(const std::vector<std::vector<Index>>& tiles) {
  std::size_t count = 0;
  for (const auto& tile : tiles) count += tile.size();
  return count;
}

// Whether the tile list of the source is at least as short as the list found.
bool is_as_short(const TiledLayout* written, const TiledLayout& found) {
  if (written == nullptr)
    return found.tiles.empty() && std::ranges::is_sorted(found.minor_to_major, std::greater{});
  return std::pair(written->tiles.size(), entries(written->tiles)) <=
         std::pair(found.tiles.size(), entries(found.tiles));
}

Result<Conversion> convert_to_xla(const Layout& from) {
  if (is_empty(from)) {
    if (from.notation() == Notation::xla) return Conversion{from};
    TiledLayout plain;
    for (std::size_t d = from.rank(); d-- > 0;) plain.minor_to_major.push_back(static_cast<Index>(d));
    return with_tiles(from, std::move(plain));
  }
  const TensorType* own = from.tensor_type();
  const auto digits = to_digits(from);
  if (!digits) {
    if (own != nullptr) return Conversion{from};
    return fail(digits.error());
  }
  auto tiles = to_tiled_layout(*digits);
  if (own != nullptr && (!tiles || is_as_short(own->layout.get(), *tiles))) return Conversion{from};
  if (!tiles) return fail(tiles.error());
  return with_tiles(from, *std::move(tiles));
}

void add_xla_spellings(const Layout& from, const Layout&, std::vector<Layout>& all) {
  if (is_empty(from)) return;
  const auto digits = to_digits(from);
  if (!digits) return;
  const auto lists = to_tiled_layouts(*digits);
  if (!lists) return;
  for (const TiledLayout& tiles : *lists) {
    if (auto one = with_tiles(from, tiles)) detail::add_spelling(all, one->layout);
  }
}

}  // namespace

Result<Layout> to_layout(TensorType type) {
  if (!is_array_type(type.dtype)) {
    return fail(Code::layout_on_nonarray, fmt::format("a {} has no elements", to_string(type.dtype)));
  }
  if (auto wrong = validate(type)) return fail(*std::move(wrong));
  auto tiled = TiledMap::make(type);
  if (!tiled) return fail(tiled.error());
  if (tiled->buffer_elements() >= detail::kNotationLimits.offset)
    return fail(Code::overflow, "the buffer has 2^62 elements or more, but offsets must be below 2^62");
  std::vector<Index> shape = type.dims;
  const Index size = tiled->elements();
  auto digits = detail::structural_digits(type);
  return detail::new_layout(Notation::xla, std::move(shape), size, std::move(digits),
                            std::make_unique<XlaForm>(std::move(type), *std::move(tiled)));
}

const NotationTraits& detail::xla_traits() {
  static const NotationTraits traits = {
      .prefix = "xla",
      .example = "a type has extents, their order and parts: f32[3,5]{1,0:T(2,2)}",
      .claim = claim_xla,
      .read = read_xla,
      .convert = convert_to_xla,
      .add_spellings = add_xla_spellings,
  };
  return traits;
}

}  // namespace tessera
