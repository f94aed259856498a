// SPDX-License-Identifier: Apache-2.0
#include "notation/triton/attribute_fields.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/nearest.h"
#include "base/try.h"

namespace tessera::triton {
namespace {

using Kind = RawValue::Kind;

std::string_view own_name(const KeyInfo& key) { return key.name.empty() ? key.gluon : key.name; }

bool only_in_old_form(const RawAttribute& raw, const KeyInfo& key) {
  return key.name == "hasLeadingOffset" && raw.old_name != "shared";
}

Failure bad_value(const RawValue& value, std::string message) {
  return fail(Code::bad_attribute, std::move(message), value.span);
}

Result<void> check_number(const RawValue& value) {
  if (value.kind != Kind::integer) return bad_value(value, "expected an integer");
  if (value.integer < 0) return bad_value(value, fmt::format("{} is negative", value.integer));
  return {};
}

Result<void> check_power(const RawValue& value) {
  if (value.kind != Kind::integer) return bad_value(value, "expected an integer");
  if (!is_power_of_two(value.integer))
    return bad_value(value, fmt::format("{} is not a power of two", value.integer));
  return {};
}

Result<void> pad_pair(const RawValue& value) {
  if (value.kind != Kind::list || value.list.size() != 2)
    return bad_value(value, "expected an interval and its padding");
  TESSERA_NEED(check_power(value.list[0]));
  return check_power(value.list[1]);
}

Result<void> check_numbers(const RawValue& value, Result<void> (*each)(const RawValue&)) {
  if (value.kind != Kind::list) return bad_value(value, "expected a list of integers");
  for (const RawValue& one : value.list) TESSERA_NEED(each(one));
  return {};
}

Result<void> check_bases(const RawValue& value) {
  if (value.kind != Kind::list) return bad_value(value, "expected a list of bases, such as [[0, 1], [0, 2]]");
  for (const RawValue& basis : value.list) TESSERA_NEED(check_numbers(basis, check_number));
  return {};
}

}  // namespace

// A layout where none is expected is an error of that value. Its own fields do not matter: an alias that
// is in several keys at each of many levels would take exponential time.
const RawAttribute* layout_in(const GivenField& field) {
  return field.key->type == ValueType::attribute ? field.entry->value.attribute.get() : nullptr;
}

Result<std::vector<GivenField>> fields_of(const RawAttribute& raw) {
  std::vector<GivenField> fields;
  const auto keys = raw.info->keys;
  std::vector<const KeyInfo*> positions;  // of Gluon's arguments
  if (raw.identity_for) {
    for (const std::string_view name : {"interval_padding_pairs", "shape", "order", "cga_layout"})
      positions.push_back(&*std::ranges::find(keys, name, &KeyInfo::gluon));
  } else if (raw.is_gluon) {
    for (const KeyInfo& key : keys) {
      if (!key.gluon.empty() && !(raw.info->kind == TritonKind::padded_shared && key.gluon == "order"))
        positions.push_back(&key);
    }
  }
  std::size_t position = 0;
  for (const RawEntry& entry : raw.entries) {
    const KeyInfo* key = nullptr;
    if (raw.is_gluon && entry.name.empty()) {
      if (position == positions.size()) {
        return fail(Code::argument_count,
                    fmt::format("{} has at most {} argument{}", raw.info->gluon, positions.size(),
                                positions.size() == 1 ? "" : "s"),
                    entry.span);
      }
      key = positions[position++];
    } else if (raw.is_gluon) {
      const auto found =
          std::ranges::find_if(positions, [&](const KeyInfo* k) { return k->gluon == entry.name; });
      if (found != positions.end()) key = *found;
    } else {
      const auto found = std::ranges::find(keys, entry.name, &KeyInfo::name);
      if (found != keys.end() && !only_in_old_form(raw, *found)) key = &*found;
    }
    if (key == nullptr) {
      std::vector<std::string> known;
      for (const KeyInfo& k : keys) known.emplace_back(raw.is_gluon ? k.gluon : k.name);
      const std::string close = tessera::detail::nearest(entry.name, known);
      return fail(Code::unknown_attribute,
                  fmt::format("{} has no {} '{}'", raw.is_gluon ? raw.info->gluon : raw.info->mnemonic,
                              raw.is_gluon ? "argument" : "key", entry.name),
                  entry.span, close.empty() ? "" : fmt::format("did you mean '{}'?", close));
    }
    for (const GivenField& before : fields) {
      if (before.key == key)
        return fail(Code::duplicate_name,
                    fmt::format("'{}' occurs twice", raw.is_gluon ? key->gluon : key->name), entry.span);
    }
    if (key->type == ValueType::cta_keys && entry.value.kind == Kind::keys) {
      for (std::size_t i = 0; i < entry.value.keys.size(); ++i) {
        const auto& [name, value] = entry.value.keys[i];
        if (name != "register" && name != "warp")
          return fail(Code::unknown_attribute, fmt::format("ctaLayout has no key '{}'", name), value.span,
                      "its keys are register and warp");
        if (i > 0 && entry.value.keys[0].first == name)
          return fail(Code::duplicate_name, fmt::format("'{}' occurs twice", name), value.span);
      }
    }
    fields.push_back({key, &entry});
    if (const RawAttribute* inside = layout_in(fields.back())) TESSERA_NEED(fields_of(*inside));
  }
  return fields;
}

Result<void> AttributeFields::forms_and_missing() const {
  const KindInfo& info = *raw_.info;
  if (!raw_.is_gluon) {
    for (const auto& [a, b] :
         {std::pair("CGALayout", "CTAsPerCGA"), std::pair("CGALayout", "CTASplitNum"),
          std::pair("CGALayout", "CTAOrder"), std::pair("CGALayout", "CTASplitM"),
          std::pair("CGALayout", "CTASplitN"), std::pair("version", "versionMajor"),
          std::pair("ctaLayout", "warpsPerCTA"), std::pair("ctaLayout", "tilesPerWarp"),
          std::pair("colStride", "unpacked"), std::pair("elementBitWidth", "elementType"),
          std::pair("order", "offset"), std::pair("order", "block"), std::pair("shape", "offset"),
          std::pair("shape", "block")}) {
      const GivenField* first = find(a);
      const GivenField* second = find(b);
      if (first == nullptr || second == nullptr) continue;
      const GivenField* later = first->entry > second->entry ? first : second;
      return fail(Code::duplicate_name, fmt::format("{} and {} say the same", a, b), later->entry->span,
                  "leave one of them out");
    }
  }
  if (raw_.identity_for) {
    for (const char* name : {"interval_padding_pairs", "shape", "order"}) TESSERA_NEED(require(name));
    return {};
  }
  for (const KeyInfo& key : info.keys) {
    if (!(raw_.is_gluon ? key.gluon_needs : key.required)) continue;
    std::string_view name = own_name(key);
    if (!raw_.is_gluon) {
      if (info.kind == TritonKind::amd_mfma && name == "version" && has("versionMajor")) continue;
      if (info.kind == TritonKind::amd_wmma && name == "ctaLayout" && has("warpsPerCTA")) continue;
      if (info.kind == TritonKind::tensor_memory && name == "colStride" && has("unpacked")) continue;
    }
    TESSERA_NEED(require(name));
  }
  if (raw_.is_gluon) return {};
  if (info.kind == TritonKind::amd_wmma && has("ctaLayout")) {
    TESSERA_NEED(require("version"));
    TESSERA_NEED(require("isTranspose"));
  }
  if (has("CTAsPerCGA") || has("CTASplitNum") || has("CTAOrder")) {
    for (const char* name : {"CTAsPerCGA", "CTASplitNum", "CTAOrder"}) TESSERA_NEED(require(name));
  }
  if (info.kind == TritonKind::padded_shared) {
    if (raw_.pads.empty()) return missing("an interval and its padding, such as 64:+4");
    if (has("offset") || has("block")) {
      TESSERA_NEED(require("offset"));
      TESSERA_NEED(require("block"));
    } else {
      TESSERA_NEED(require("order"));
    }
  }
  if (info.kind == TritonKind::dot_op && !has("kWidth")) {
    const GivenField* parent = find("parent");
    const bool known = parent->entry->value.kind == Kind::attribute && parent->entry->value.attribute;
    if (known && parent->entry->value.attribute->info->kind != TritonKind::blocked) return require("kWidth");
  }
  return {};
}

// The type of each value and the simple rules, in the order in which they are written.
Result<void> AttributeFields::values() const {
  for (const RawEntry& pad : raw_.pads) TESSERA_NEED(pad_pair(pad.value));
  for (const GivenField& field : fields_) TESSERA_NEED(value(*field.key, field.entry->value));
  return {};
}

const GivenField* AttributeFields::find(std::string_view name) const {
  for (const GivenField& field : fields_) {
    if (own_name(*field.key) != name) continue;
    // None leaves an optional argument out.
    return field.entry->value.kind == Kind::none && !field.key->gluon_needs ? nullptr : &field;
  }
  return nullptr;
}
Span AttributeFields::span_of(std::string_view name) const {
  const GivenField* field = find(name);
  return field != nullptr ? field->entry->value.span : raw_.span;
}
Failure AttributeFields::missing(std::string_view what) const {
  return fail(Code::missing_attribute,
              fmt::format("{} needs {}", raw_.is_gluon ? raw_.info->gluon : raw_.info->mnemonic, what),
              raw_.span);
}
Result<void> AttributeFields::require(std::string_view name) const {
  for (const GivenField& field : fields_) {
    if (own_name(*field.key) == name) return {};
  }
  for (const KeyInfo& key : raw_.info->keys) {
    if (own_name(key) == name) return missing(raw_.is_gluon ? key.gluon : key.name);
  }
  return missing(name);
}
Failure AttributeFields::bad(std::string_view name, std::string message, std::string help) const {
  return fail(Code::bad_attribute, std::move(message), span_of(name), std::move(help));
}

Result<void> AttributeFields::value(const KeyInfo& key, const RawValue& value) const {
  if (value.kind == Kind::none && !key.gluon_needs) return {};
  switch (key.type) {
    case ValueType::powers:
      TESSERA_NEED(check_numbers(value, check_power));
      if (value.list.empty()) return bad_value(value, "the list is empty");
      return {};
    case ValueType::order: {
      if (value.kind != Kind::list) return bad_value(value, "expected a list of dimensions");
      std::vector<bool> seen(value.list.size(), false);
      for (const RawValue& one : value.list) {
        if (one.kind != Kind::integer) return bad_value(one, "expected an integer");
        const bool inside = one.integer >= 0 && one.integer < std::ssize(seen);
        if (!inside || seen[static_cast<std::size_t>(one.integer)])
          return fail(Code::bad_permutation,
                      fmt::format("the order is not a permutation of 0 to {}", value.list.size() - 1),
                      value.span);
        seen[static_cast<std::size_t>(one.integer)] = true;
      }
      if (value.list.empty()) return bad_value(value, "the list is empty");
      return {};
    }
    case ValueType::integers:
      return check_numbers(value, check_number);
    case ValueType::bases:
      return check_bases(value);
    case ValueType::pairs:
      if (value.kind != Kind::list) return bad_value(value, "expected a list of pairs");
      for (const RawValue& one : value.list) TESSERA_NEED(pad_pair(one));
      return {};
    case ValueType::integer:
      return check_number(value);
    case ValueType::power:
      return check_power(value);
    case ValueType::boolean:
      if (value.kind != Kind::boolean)
        return bad_value(value, raw_.is_gluon ? "expected True or False" : "expected true or false");
      return {};
    case ValueType::attribute:
      if (value.kind != Kind::attribute || !value.attribute) return bad_value(value, "expected a layout");
      return {};
    case ValueType::cta_keys:
      if (value.kind != Kind::keys) return bad_value(value, "expected {register = [...], warp = [...]}");
      for (const auto& [name, inside] : value.keys) TESSERA_NEED(check_bases(inside));
      return {};
    case ValueType::word:
      if (value.kind != Kind::word) return bad_value(value, "expected a name");
      return {};
  }
  return {};
}

std::vector<Index> AttributeFields::list_of(const RawValue& value) {
  std::vector<Index> out;
  for (const RawValue& one : value.list) out.push_back(one.integer);
  return out;
}
std::vector<Index> AttributeFields::list(std::string_view name) const {
  const GivenField* field = find(name);
  return field != nullptr ? list_of(field->entry->value) : std::vector<Index>{};
}
TritonBasisList AttributeFields::bases(std::string_view name) const {
  const GivenField* field = find(name);
  TritonBasisList out;
  if (field == nullptr) return out;
  for (const RawValue& one : field->entry->value.list) out.push_back(list_of(one));
  return out;
}
Index AttributeFields::integer(std::string_view name, Index otherwise) const {
  const GivenField* field = find(name);
  return field != nullptr ? field->entry->value.integer : otherwise;
}

Result<void> AttributeFields::same_rank(std::string_view name, const std::vector<Index>& values) const {
  if (std::ssize(values) == out_.rank) return {};
  return fail(Code::rank_mismatch,
              fmt::format("{} has {} entries, but the layout has rank {}", name, values.size(), out_.rank),
              span_of(name));
}
Result<void> AttributeFields::same_rank(std::string_view name, const TritonBasisList& values) const {
  for (const std::vector<Index>& basis : values) {
    if (std::ssize(basis) != out_.rank)
      return fail(Code::rank_mismatch,
                  fmt::format("a basis of {} has {} entries, but the layout has rank {}", name, basis.size(),
                              out_.rank),
                  span_of(name));
  }
  return {};
}
Result<void> AttributeFields::set_order() {
  out_.order = list("order");
  return same_rank("order", out_.order);
}
Result<void> AttributeFields::set_cga() {
  if (const GivenField* cga = find("CGALayout")) {
    out_.blocks = bases("CGALayout");
    return check_cga(cga->entry->value.span);
  }
  if (!has("CTAsPerCGA")) return {};
  const std::vector<Index> ctas = list("CTAsPerCGA");
  const std::vector<Index> split = list("CTASplitNum");
  const std::vector<Index> order = list("CTAOrder");
  TESSERA_NEED(same_rank("CTAsPerCGA", ctas));
  TESSERA_NEED(same_rank("CTASplitNum", split));
  TESSERA_NEED(same_rank("CTAOrder", order));
  for (const Index d : order) {
    const auto at = static_cast<std::size_t>(d);
    if (split[at] > ctas[at])
      return bad("CTASplitNum",
                 fmt::format("{} parts of dimension {} are more than its {} blocks", split[at], d, ctas[at]));
    for (Index power = 1; power < split[at]; power *= 2)
      out_.blocks.emplace_back(order.size(), 0)[at] = power;
    for (Index copies = split[at]; copies < ctas[at]; copies *= 2) out_.blocks.emplace_back(order.size(), 0);
  }
  return {};
}
Result<void> AttributeFields::check_cga(Span span) const {
  for (const std::vector<Index>& basis : out_.blocks) {
    if (std::ssize(basis) != out_.rank)
      return fail(Code::rank_mismatch,
                  fmt::format("a basis of CGALayout has {} entries, but the layout has rank {}", basis.size(),
                              out_.rank),
                  span);
  }
  const TritonBasisList* const lists[] = {&out_.blocks};
  if (const std::string flaw = flaw_of_bases(lists, out_.rank); !flaw.empty())
    return fail(Code::bad_attribute, flaw, span);
  return {};
}

Result<std::shared_ptr<const TritonAttribute>> AttributeFields::nested(std::string_view name) const {
  TESSERA_TRY(made, make_checked(*find(name)->entry->value.attribute));
  return std::make_shared<const TritonAttribute>(std::move(made));
}

}  // namespace tessera::triton
