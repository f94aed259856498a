// SPDX-License-Identifier: Apache-2.0
#include "notation/triton/raw_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/try.h"
#include "notation/triton/attribute_reader.h"

namespace tessera::triton {
namespace {

constexpr std::string_view kElements[] = {
    "i1",        "i4",      "i8",         "i16",        "i32",           "i64",
    "f16",       "f32",     "f64",        "bf16",       "tf32",          "f8E4M3FN",
    "ptr",       "f8E5M2",  "f8E4M3FNUZ", "f8E5M2FNUZ", "f8E4M3B11FNUZ", "f8E4M3",
    "f8E8M0FNU", "f4E2M1FN"};

// Aliases, types, and what precedes an attribute.
class TextReader : public AttributeReader {
 public:
  using AttributeReader::AttributeReader;

  Result<RawText> whole() {
    if (text_.substr(skip()).starts_with("triton:")) pos_ += 7;
    auto read = body();
    if (read) {
      if (skip() != text_.size()) return expected("the end of the layout");
      if (later()) return fail(*later());
    }
    return read;
  }

 private:
  Result<RawText> body() {
    RawText out;
    while (skip(), here() == '#') {
      const std::size_t begin = pos_++;
      const std::string_view name = word();
      if (name.empty()) return expected("a name after '#'");
      if (here() == '.' || !take("=")) {
        pos_ = begin;
        break;
      }
      TESSERA_NEED(alias(name, span(begin, begin + 1 + name.size())));
      take(";");
    }
    if (skip() == text_.size()) {
      for (const RawAliases* const all : {&std::as_const(aliases()), &known()}) {
        if (!all->last()) continue;
        out.attribute = all->last();
        out.attribute_span = out.attribute->span;
        return out;
      }
      if (aliases().empty() && known().empty()) return expected("a layout");
      return fail(Code::missing_layout, "no alias is a layout", span(0, text_.size()));
    }
    return layout_text(std::move(out));
  }

  Result<void> alias(std::string_view name, Span at) {
    if (find_alias(name) != nullptr)
      report_later(fail(Code::duplicate_name, fmt::format("the alias #{} is defined twice", name), at));
    const std::size_t begin = skip();
    for (const std::string_view space : {"#ttg.shared_memory", "#triton_gpu.shared_memory",
                                         "#ttng.tensor_memory", "#triton_nvidia_gpu.tensor_memory"}) {
      if (!text_.substr(begin).starts_with(space)) continue;
      const std::size_t end = begin + space.size();
      if (end < text_.size() && detail::is_word(text_[end])) continue;  // tensor_memory_encoding
      pos_ = end;
      aliases().add(name, nullptr);
      return {};
    }
    TESSERA_TRY(value, hash_attribute());
    aliases().add(name, std::move(value));
    return {};
  }

  Result<RawText> layout_text(RawText out) {
    const std::size_t begin = skip();
    const std::string_view rest = text_.substr(begin);
    if (rest.starts_with("tensor<")) {
      out.form = RawText::Form::tensor;
      pos_ += 7;
      return type(std::move(out));
    }
    if (here() == '!') {
      for (const std::string_view start : {"!ttg.memdesc<", "!tt.memdesc<", "!triton_gpu.memdesc<"}) {
        if (!accept(start)) continue;
        out.form = RawText::Form::memdesc;
        return type(std::move(out));
      }
      return expected("!ttg.memdesc<");
    }
    if (detail::is_digit(here())) {
      TESSERA_NEED(prefix_dims(out, false));
      TESSERA_NEED(need(":"));
    } else if (here() != '#') {
      const std::string_view name = word();
      if (name.empty()) return expected("a layout");
      if (here() == '[') {
        set_element(out, name, span(begin, pos_));
        ++pos_;
        TESSERA_NEED(prefix_dims(out, true));
        TESSERA_NEED(need("]"));
        TESSERA_NEED(need(":"));
      } else {
        pos_ = begin;
      }
    }
    TESSERA_TRY(attribute, layout());
    out.attribute = std::move(attribute);
    if (out.attribute) out.attribute_span = out.attribute->span;
    return out;
  }

  Result<void> prefix_dims(RawText& out, bool in_brackets) {
    out.form = RawText::Form::shape;
    out.shape.emplace();
    const std::size_t begin = skip();
    if (in_brackets && here() == ']') {
      out.shape_span = span(begin, pos_ + 1);
      return {};
    }
    do {
      skip();
      TESSERA_TRY(extent, integer());
      out.shape->push_back(extent);
    } while (in_brackets ? take(",") : take("x") || take(","));
    out.shape_span = from(begin);
    return {};
  }

  void set_element(RawText& out, std::string_view name, Span at) {
    out.element = name;
    out.element_span = at;
    if (std::ranges::find(kElements, name) == std::end(kElements)) {
      report_later(fail(Code::unknown_type, fmt::format("unknown element type '{}'", name), at,
                        "types are f16, bf16, f32, i8, f8E4M3FN, !tt.ptr<f32>, ..."));
    }
  }

  // `128x64xf16, LAYOUT ...>`, after the opening bracket.
  Result<RawText> type(RawText out) {
    const std::size_t begin = skip();
    out.shape.emplace();
    while (skip(), detail::is_digit(here())) {
      TESSERA_TRY(extent, integer());
      out.shape->push_back(extent);
      out.shape_span = from(begin);
      TESSERA_NEED(need("x"));
    }
    if (out.shape->empty()) return expected("the extents, such as 128x64");
    TESSERA_NEED(element(out));
    if (!take(",")) {
      if (take(">"))
        return fail(Code::missing_layout, "the type has no layout", from(begin),
                    "write it after the element: tensor<16x16xf16, #ttg.blocked<{...}>>");
      return expected("',' and a layout");
    }
    TESSERA_TRY(attribute, layout());
    out.attribute = std::move(attribute);
    if (out.attribute) out.attribute_span = out.attribute->span;
    while (out.form == RawText::Form::memdesc && take(",")) TESSERA_NEED(memdesc_field(out));
    TESSERA_NEED(need(">"));
    return out;
  }

  Result<void> element(RawText& out) {
    const std::size_t begin = skip();
    if (accept("!tt.ptr<")) {
      int depth = 1;
      while (depth > 0) {
        if (pos_ >= text_.size()) return expected("'>'");
        depth += here() == '<' ? 1 : here() == '>' ? -1 : 0;
        ++pos_;
      }
      out.element = "ptr";
      out.element_span = from(begin);
      return {};
    }
    const std::string_view name = word();
    if (name.empty()) return expected("an element type");
    set_element(out, name, from(begin));
    if (name == "ptr")
      report_later(fail(Code::unknown_type, "a pointer is written !tt.ptr<f32>", from(begin)));
    return {};
  }

  Result<void> memdesc_field(RawText& out) {
    const std::size_t begin = skip();
    if (detail::is_digit(here())) {
      out.allocated.emplace();
      do {
        TESSERA_TRY(extent, integer());
        out.allocated->push_back(extent);
      } while (take("x"));
      out.allocated_span = from(begin);
      return {};
    }
    if (here() == '#') {
      ++pos_;
      const std::string_view name = word();
      if (name.empty()) return expected("a memory space");
      if (here() == '.') {
        ++pos_;
        const std::string_view space = word();
        if (space != "shared_memory" && space != "tensor_memory")
          report_later(fail(Code::unknown_name, fmt::format("unknown memory space '{}'", space), from(begin),
                            "the spaces are #ttg.shared_memory and #ttng.tensor_memory"));
        return {};
      }
      if (find_alias(name) == nullptr) report_later(undefined(name, from(begin)));
      return {};
    }
    const std::string_view name = word();
    if (name != "mutable") {
      pos_ = begin;
      return expected("a memory space, mutable, or extents");
    }
    out.is_mutable = true;
    return {};
  }
};

}  // namespace

bool RawAliases::add(std::string_view name, RawAttributePtr attribute) {
  if (!all_.emplace(name, attribute).second) return false;
  if (attribute) last_ = std::move(attribute);
  return true;
}

const RawAttributePtr* RawAliases::find(std::string_view name) const {
  const auto found = all_.find(name);
  return found == all_.end() ? nullptr : &found->second;
}

Result<RawText> read_raw_text(std::string_view text, const RawAliases& known) {
  return TextReader(text, known).whole();
}

}  // namespace tessera::triton

namespace tessera {

Index triton_element_bits(std::string_view element) {
  if (element == "ptr") return 64;
  if (element == "bf16") return 16;
  if (element == "tf32") return 32;
  if (element.starts_with("i") || element.starts_with("f")) {
    Index bits = 0;
    for (const char c : element.substr(1)) {
      if (c < '0' || c > '9') break;
      bits = bits * 10 + (c - '0');
      if (bits > 64) return 0;
    }
    return bits;
  }
  return 0;
}

}  // namespace tessera
