// SPDX-License-Identifier: Apache-2.0
#include "notation/triton/attribute_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/try.h"
#include "notation/limits.h"

namespace tessera::triton {
namespace {

constexpr Index kLargestInteger = (Index{1} << 31) - 1;

}  // namespace

std::size_t AttributeReader::skip() {
  while (true) {
    next();
    if (!text_.substr(pos_).starts_with("//")) return pos_;
    pos_ = std::min(text_.find('\n', pos_), text_.size());
  }
}

bool AttributeReader::take(std::string_view token) {
  skip();
  return accept(token);
}

Result<void> AttributeReader::need(std::string_view token) {
  if (take(token)) return {};
  return expected(fmt::format("'{}'", token));
}

std::string_view AttributeReader::word() {
  const std::size_t begin = skip();
  while (detail::is_word(here())) ++pos_;
  return text_.substr(begin, pos_ - begin);
}

void AttributeReader::report_later(Failure failure) {
  const Result<void> failed = std::move(failure);
  if (!later_) later_ = failed.error();
}

const RawAttributePtr* AttributeReader::find_alias(std::string_view name) const {
  const RawAttributePtr* const own = aliases_.find(name);
  return own != nullptr ? own : known_.find(name);
}

Failure AttributeReader::undefined(std::string_view name, Span at) {
  return fail(Code::unknown_name, fmt::format("the alias #{} is not defined", name), at,
              fmt::format("define it before: #{} = #ttg.blocked<{{...}}>", name));
}

Failure AttributeReader::too_deep(Span at) {
  return fail(Code::limit,
              fmt::format("layouts are nested deeper than {} levels", detail::kNotationLimits.triton.depth),
              at);
}

// An attribute, an alias, or a class of Gluon.
Result<RawAttributePtr> AttributeReader::layout() {
  if (++depth_ > detail::kNotationLimits.triton.depth) return too_deep(from(pos_));
  auto read = (skip(), here() == '#') ? hash_attribute() : gluon();
  --depth_;
  return read;
}

Result<RawAttributePtr> AttributeReader::hash_attribute() {
  const std::size_t begin = skip();
  TESSERA_NEED(need("#"));
  const std::string_view name = word();
  if (name.empty()) return expected("a name after '#'");
  if (here() != '.') {
    const RawAttributePtr* const found = find_alias(name);
    if (found == nullptr) {
      report_later(undefined(name, from(begin)));
      return RawAttributePtr();
    }
    if (!*found) {
      report_later(
          fail(Code::bad_attribute, fmt::format("#{} is a memory space, not a layout", name), from(begin)));
      return *found;
    }
    inside_ = std::max(inside_, (*found)->depth);
    if (inside_ > detail::kNotationLimits.triton.depth) return too_deep(from(begin));
    return *found;
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
  if (inside_ > detail::kNotationLimits.triton.depth) return too_deep(out->span);
  inside_ = std::max(inside_, outer);
  return RawAttributePtr(std::move(out));
}

Result<void> AttributeReader::attribute_body(RawAttribute& out) {
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
Result<void> AttributeReader::skip_body() {
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
Result<void> AttributeReader::pads(RawAttribute& out) {
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

Result<void> AttributeReader::entries(std::vector<RawEntry>& out, std::string_view end) {
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

Result<RawValue> AttributeReader::signed_integer() {
  RawValue out{.kind = RawValue::Kind::integer};
  const std::size_t begin = skip();
  const bool negative = accept("-");
  if (!detail::is_digit(here())) return expected("a number");
  TESSERA_TRY(magnitude, integer(kLargestInteger));
  out.integer = negative ? -magnitude : magnitude;
  out.span = from(begin);
  return out;
}

// The type in `8 : i32`, if there is one.
Result<void> AttributeReader::integer_type() {
  if (python_ || !take(":")) return {};
  const std::size_t begin = skip();
  if (word().starts_with("i")) return {};
  pos_ = begin;
  return expected("a type of integers after ':'");
}

Result<RawValue> AttributeReader::list(std::string_view end) {
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

Result<RawValue> AttributeReader::value() {
  if (++depth_ > detail::kNotationLimits.triton.depth)
    return fail(Code::limit,
                fmt::format("values are nested deeper than {} levels", detail::kNotationLimits.triton.depth),
                from(pos_));
  auto read = value_inside();
  --depth_;
  return read;
}

Result<RawValue> AttributeReader::value_inside() {
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
Result<RawAttributePtr> AttributeReader::gluon() {
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
    const std::string close = nearest_gluon(path.back());
    report_later(fail(Code::unknown_name, fmt::format("Gluon has no layout '{}'", path.back()),
                      out->name_span,
                      close.empty() || out->info != nullptr
                          ? std::string("the classes are BlockedLayout, SliceLayout, NVMMASharedLayout, ...")
                          : fmt::format("did you mean '{}'?", close)));
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
  return RawAttributePtr(std::move(out));
}

}  // namespace tessera::triton
