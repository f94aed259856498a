// SPDX-License-Identifier: Apache-2.0
#include "notation/triton/raw_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/nearest.h"
#include "base/try.h"
#include "text/scanner.h"

namespace tessera::triton {
namespace {

constexpr Index kMostInteger = (Index{1} << 31) - 1;
constexpr int kMostDepth = 100;
constexpr std::string_view kElements[] = {
    "i1",        "i4",      "i8",         "i16",        "i32",           "i64",
    "f16",       "f32",     "f64",        "bf16",       "tf32",          "f8E4M3FN",
    "ptr",       "f8E5M2",  "f8E4M3FNUZ", "f8E5M2FNUZ", "f8E4M3B11FNUZ", "f8E4M3",
    "f8E8M0FNU", "f4E2M1FN"};

// Reads texts. Errors of meaning that a reader finds on its way, such as an unknown name, wait until the
// whole text has been read, because an error of syntax is reported first.
class Reader : public detail::Scanner {
 public:
  Reader(std::string_view text, const std::vector<RawAlias>& known) : Scanner(text), aliases_(known) {}

  Result<RawText> whole() {
    if (text_.substr(skip()).starts_with("triton:")) pos_ += 7;
    auto read = body();
    if (read) {
      if (skip() != text_.size()) return expected("the end of the layout");
      if (later_) return fail(*later_);
    }
    return read;
  }

 private:
  std::size_t skip() {
    while (true) {
      next();
      if (!text_.substr(pos_).starts_with("//")) return pos_;
      pos_ = std::min(text_.find('\n', pos_), text_.size());
    }
  }
  bool take(std::string_view token) {
    skip();
    return accept(token);
  }
  Result<void> need(std::string_view token) {
    if (take(token)) return {};
    return expected(fmt::format("'{}'", token));
  }
  std::string_view word() {
    const std::size_t begin = skip();
    while (detail::is_word(here())) ++pos_;
    return text_.substr(begin, pos_ - begin);
  }
  Span from(std::size_t begin) const { return span(begin, pos_); }
  void report_later(Failure failure) {
    const Result<void> failed = fail_with(std::move(failure));
    if (!later_) later_ = failed.error();
  }
  static Result<void> fail_with(Failure failure) { return failure; }

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
      for (auto at = aliases_.rbegin(); at != aliases_.rend(); ++at) {
        if (!at->attribute) continue;
        out.attribute = at->attribute;
        out.attribute_span = at->attribute->span;
        return out;
      }
      if (aliases_.empty()) return expected("a layout");
      return fail(Code::missing_layout, "no alias is a layout", span(0, text_.size()));
    }
    return layout_text(std::move(out));
  }

  Result<void> alias(std::string_view name, Span at) {
    if (std::ranges::find(aliases_, name, &RawAlias::name) != aliases_.end())
      report_later(fail(Code::duplicate_name, fmt::format("the alias #{} is defined twice", name), at));
    const std::size_t begin = skip();
    for (const std::string_view space : {"#ttg.shared_memory", "#triton_gpu.shared_memory",
                                         "#ttng.tensor_memory", "#triton_nvidia_gpu.tensor_memory"}) {
      if (!text_.substr(begin).starts_with(space)) continue;
      const std::size_t end = begin + space.size();
      if (end < text_.size() && detail::is_word(text_[end])) continue;  // tensor_memory_encoding
      pos_ = end;
      aliases_.push_back({name, nullptr});
      return {};
    }
    TESSERA_TRY(value, hash_attribute());
    aliases_.push_back({name, std::move(value)});
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
      if (std::ranges::find(aliases_, name, &RawAlias::name) == aliases_.end())
        report_later(undefined(name, from(begin)));
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

  static Failure undefined(std::string_view name, Span at) {
    return fail(Code::unknown_name, fmt::format("the alias #{} is not defined", name), at,
                fmt::format("define it before: #{} = #ttg.blocked<{{...}}>", name));
  }

  static Failure too_deep(Span at) {
    return fail(Code::limit, fmt::format("layouts are nested deeper than {} levels", kMostDepth), at);
  }

  // An attribute, an alias, or a class of Gluon.
  Result<std::shared_ptr<const RawAttribute>> layout() {
    if (++depth_ > kMostDepth) return too_deep(from(pos_));
    auto read = (skip(), here() == '#') ? hash_attribute() : gluon();
    --depth_;
    return read;
  }

  Result<std::shared_ptr<const RawAttribute>> hash_attribute() {
    const std::size_t begin = skip();
    TESSERA_NEED(need("#"));
    const std::string_view name = word();
    if (name.empty()) return expected("a name after '#'");
    if (here() != '.') {
      const auto found = std::ranges::find(aliases_, name, &RawAlias::name);
      if (found == aliases_.end()) {
        report_later(undefined(name, from(begin)));
        return std::shared_ptr<const RawAttribute>();
      }
      if (!found->attribute) {
        report_later(
            fail(Code::bad_attribute, fmt::format("#{} is a memory space, not a layout", name), from(begin)));
        return found->attribute;
      }
      inside_ = std::max(inside_, found->attribute->depth);
      if (inside_ > kMostDepth) return too_deep(from(begin));
      return found->attribute;
    }
    ++pos_;
    const int outer = std::exchange(inside_, 0);
    auto out = std::make_shared<RawAttribute>();
    const std::size_t at = pos_;
    const std::string_view mnemonic = word();
    if (mnemonic.empty()) return expected("the name of a layout");
    out->name_span = from(begin);
    out->info = find_mnemonic(name, mnemonic, out->old_name);
    if (out->info == nullptr) {
      const std::vector<std::string_view> dialects = {"ttg", "ttng", "gluon", "triton_gpu",
                                                      "triton_nvidia_gpu"};
      const bool known = std::ranges::find(dialects, name) != dialects.end();
      report_later(known ? fail(Code::unknown_name, fmt::format("#{} has no layout '{}'", name, mnemonic),
                                from(at),
                                "the layouts are #ttg.blocked, #ttg.slice, #ttg.nvidia_mma, "
                                "#ttg.swizzled_shared, ...")
                         : fail(Code::unknown_name, fmt::format("unknown dialect '#{}'", name), from(begin),
                                "layouts of Triton begin with #ttg., #ttng. or #gluon."));
    }
    TESSERA_NEED(attribute_body(*out));
    out->span = from(begin);
    out->depth = ++inside_;
    if (inside_ > kMostDepth) return too_deep(out->span);
    inside_ = std::max(inside_, outer);
    return std::shared_ptr<const RawAttribute>(std::move(out));
  }

  Result<void> attribute_body(RawAttribute& out) {
    const bool known = out.info != nullptr;
    const BodyForm form = known ? out.info->body : BodyForm::none;
    if (form == BodyForm::none) {
      if (known || !take("<")) return {};
      --pos_;
      return skip_body();
    }
    TESSERA_NEED(need("<"));
    if (form == BodyForm::bare_keys) {
      if (take(">")) return {};
      TESSERA_NEED(entries(out.entries, ">"));
      return {};
    }
    if (form == BodyForm::pads) TESSERA_NEED(pads(out));
    TESSERA_NEED(need("{"));
    if (!take("}")) TESSERA_NEED(entries(out.entries, "}"));
    if (form == BodyForm::aligned) {
      TESSERA_NEED(need(","));
      RawEntry entry;
      const std::size_t begin = skip();
      entry.name = word();
      if (entry.name != "alignment") {
        pos_ = begin;
        return expected("alignment");
      }
      entry.span = from(begin);
      TESSERA_NEED(need("="));
      TESSERA_TRY(read, value());
      entry.value = std::move(read);
      out.entries.push_back(std::move(entry));
    }
    return need(">");
  }

  // The body of an attribute with an unknown name: only its brackets count.
  Result<void> skip_body() {
    int depth = 0;
    do {
      if (skip() >= text_.size()) return expected("'>'");
      const char c = here();
      depth += c == '<' || c == '{' || c == '[' ? 1 : c == '>' || c == '}' || c == ']' ? -1 : 0;
      ++pos_;
    } while (depth > 0);
    return {};
  }

  // `[64:+4, 128:+8]`
  Result<void> pads(RawAttribute& out) {
    TESSERA_NEED(need("["));
    if (take("]")) return {};
    do {
      RawEntry entry;
      const std::size_t begin = skip();
      entry.value.kind = RawValue::Kind::list;
      TESSERA_TRY(interval, signed_integer());
      TESSERA_NEED(need(":"));
      TESSERA_NEED(need("+"));
      TESSERA_TRY(padding, signed_integer());
      entry.value.list = {std::move(interval), std::move(padding)};
      entry.value.span = entry.span = from(begin);
      out.pads.push_back(std::move(entry));
    } while (take(","));
    return need("]");
  }

  Result<void> entries(std::vector<RawEntry>& out, std::string_view end) {
    do {
      RawEntry entry;
      const std::size_t begin = skip();
      entry.name = word();
      if (entry.name.empty()) return expected("a key");
      entry.span = from(begin);
      TESSERA_NEED(need("="));
      TESSERA_TRY(read, value());
      entry.value = std::move(read);
      out.push_back(std::move(entry));
    } while (take(","));
    return need(end);
  }

  Result<RawValue> signed_integer() {
    RawValue out{.kind = RawValue::Kind::integer};
    const std::size_t begin = skip();
    const bool negative = accept("-");
    if (!detail::is_digit(here())) return expected("a number");
    TESSERA_TRY(magnitude, integer(kMostInteger));
    out.integer = negative ? -magnitude : magnitude;
    out.span = from(begin);
    return out;
  }

  // The type in `8 : i32`, if there is one.
  Result<void> integer_type() {
    if (python_ || !take(":")) return {};
    const std::size_t begin = skip();
    if (word().starts_with("i")) return {};
    pos_ = begin;
    return expected("a type of integers after ':'");
  }

  Result<RawValue> list(std::string_view end) {
    RawValue out{.kind = RawValue::Kind::list};
    while (!take(end)) {
      TESSERA_TRY(one, value());
      out.list.push_back(std::move(one));
      if (take(",")) {
        if (!python_ && (skip(), text_.substr(pos_).starts_with(end))) return expected("a value");
        continue;
      }
      TESSERA_NEED(need(end));
      break;
    }
    return out;
  }

  Result<RawValue> value() {
    if (++depth_ > kMostDepth)
      return fail(Code::limit, fmt::format("values are nested deeper than {} levels", kMostDepth),
                  from(pos_));
    auto read = value_inside();
    --depth_;
    return read;
  }

  Result<RawValue> value_inside() {
    const std::size_t begin = skip();
    RawValue out;
    if (detail::is_digit(here()) || here() == '-') {
      TESSERA_TRY(number, signed_integer());
      TESSERA_NEED(integer_type());
      return number;
    }
    if (take("[") || (python_ && take("("))) {
      const bool square = text_[pos_ - 1] == '[';
      TESSERA_TRY(read, list(square ? "]" : ")"));
      read.span = from(begin);
      return read;
    }
    if (!python_ && take("{")) {
      out.kind = RawValue::Kind::keys;
      if (!take("}")) {
        std::vector<RawEntry> inside;
        TESSERA_NEED(entries(inside, "}"));
        for (RawEntry& entry : inside) out.keys.emplace_back(entry.name, std::move(entry.value));
      }
      out.span = from(begin);
      return out;
    }
    if (here() == '#' && !python_) {
      TESSERA_TRY(attribute, layout());
      out.kind = RawValue::Kind::attribute;
      out.attribute = std::move(attribute);
      out.span = from(begin);
      return out;
    }
    if (python_ && (here() == '\'' || here() == '"')) {
      const char quote = here();
      const std::size_t end = text_.find(quote, pos_ + 1);
      if (end == std::string_view::npos) return expected("a closing quote");
      out.kind = RawValue::Kind::word;
      out.word = text_.substr(pos_ + 1, end - pos_ - 1);
      pos_ = end + 1;
      out.span = from(begin);
      return out;
    }
    const std::string_view name = word();
    if (name.empty()) return expected("a value");
    out.span = from(begin);
    if (name == (python_ ? "True" : "true") || name == (python_ ? "False" : "false")) {
      out.kind = RawValue::Kind::boolean;
      out.integer = name.size() == 4 ? 1 : 0;
      return out;
    }
    if (python_ && name == "None") return out;
    skip();
    if (here() == '(' || here() == '.') {
      pos_ = begin;
      TESSERA_TRY(attribute, gluon());
      out.kind = RawValue::Kind::attribute;
      out.attribute = std::move(attribute);
      out.span = from(begin);
      return out;
    }
    out.kind = RawValue::Kind::word;
    out.word = name;
    return out;
  }

  // `gl.BlockedLayout(...)`
  Result<std::shared_ptr<const RawAttribute>> gluon() {
    const std::size_t begin = skip();
    std::vector<std::string_view> path;
    std::vector<std::size_t> at;
    do {
      at.push_back(skip());
      path.push_back(word());
      if (path.back().empty() || detail::is_digit(path.back().front())) return expected("a layout");
    } while (take("."));
    auto out = std::make_shared<RawAttribute>();
    out->is_gluon = true;
    if (path.size() > 1 && path.back() == "with_identity_for") {
      out->identity_for = true;
      path.pop_back();
      at.pop_back();
    }
    const std::size_t named = at.back();
    out->name_span = span(named, named + path.back().size());
    out->info = find_gluon(path.back());
    if (out->info == nullptr || (out->identity_for && out->info->kind != TritonKind::padded_shared)) {
      report_later(fail(Code::unknown_name, fmt::format("Gluon has no layout '{}'", path.back()),
                        out->name_span,
                        "the classes are BlockedLayout, SliceLayout, NVMMASharedLayout, ..."));
    }
    TESSERA_NEED(need("("));
    const bool outer = std::exchange(python_, true);
    const int outer_inside = std::exchange(inside_, 0);
    bool after_name = false;
    while (!take(")")) {
      RawEntry entry;
      const std::size_t first = skip();
      const std::string_view name = word();
      entry.span = from(first);
      if (!name.empty() && !detail::is_digit(name.front()) && (skip(), here() == '=')) {
        ++pos_;
        entry.name = name;
        after_name = true;
      } else {
        pos_ = first;
        if (after_name) return expected("an argument with a name, after one with a name");
      }
      TESSERA_TRY(read, value());
      entry.value = std::move(read);
      if (entry.name.empty()) entry.span = entry.value.span;
      out->entries.push_back(std::move(entry));
      if (take(",")) continue;
      TESSERA_NEED(need(")"));
      break;
    }
    python_ = outer;
    out->span = from(begin);
    out->depth = ++inside_;
    inside_ = std::max(inside_, outer_inside);
    return std::shared_ptr<const RawAttribute>(std::move(out));
  }

  std::vector<RawAlias> aliases_;
  std::optional<Diagnostic> later_;
  bool python_ = false;
  int depth_ = 0;   // of what is being read
  int inside_ = 0;  // the deepest layout that ends in what is being read; an alias counts with its depth
};

}  // namespace

Result<RawText> read_raw_text(std::string_view text, const std::vector<RawAlias>& known) {
  return Reader(text, known).whole();
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
