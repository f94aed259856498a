// SPDX-License-Identifier: Apache-2.0
#include "notation/triton/make_attribute.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/nearest.h"
#include "base/try.h"

namespace tessera::triton {
namespace {

using Kind = RawValue::Kind;

std::string_view own_name(const KeyInfo& key) { return key.name.empty() ? key.gluon : key.name; }

// An entry of a text and the key of the table that it is.
struct Field {
  const KeyInfo* key;
  const RawEntry* entry;
};

bool only_in_old_form(const RawAttribute& raw, const KeyInfo& key) {
  return key.name == "hasLeadingOffset" && raw.old_name != "shared";
}

Result<std::vector<Field>> fields_of(const RawAttribute& raw) {
  std::vector<Field> fields;
  const auto keys = raw.info->keys;
  std::vector<const KeyInfo*> positions;  // of Gluon's arguments
  if (raw.identity_for) {
    for (const std::string_view name : {"interval_padding_pairs", "shape", "order"})
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
    for (const Field& before : fields) {
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
    if (entry.value.kind == Kind::attribute && entry.value.attribute)
      TESSERA_NEED(fields_of(*entry.value.attribute));
  }
  return fields;
}

class Maker {
 public:
  Maker(const RawAttribute& raw, std::vector<Field> fields) : raw_(raw), fields_(std::move(fields)) {}

  Result<void> forms_and_missing() const {
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
        const Field* first = find(a);
        const Field* second = find(b);
        if (first == nullptr || second == nullptr) continue;
        const Field* later = first->entry > second->entry ? first : second;
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
      const Field* parent = find("parent");
      const bool known = parent->entry->value.kind == Kind::attribute && parent->entry->value.attribute;
      if (known && parent->entry->value.attribute->info->kind != TritonKind::blocked)
        return require("kWidth");
    }
    return {};
  }

  // The type of each value and the simple rules, in the order in which they are written.
  Result<void> values() const {
    for (const RawEntry& pad : raw_.pads) TESSERA_NEED(pad_pair(pad.value));
    for (const Field& field : fields_) TESSERA_NEED(value(*field.key, field.entry->value));
    return {};
  }

  Result<TritonAttribute> make() {
    out_.kind = raw_.info->kind;
    switch (out_.kind) {
      case TritonKind::blocked:
        out_.size_per_thread = list("sizePerThread");
        out_.threads_per_warp = list("threadsPerWarp");
        out_.warps_per_cta = list("warpsPerCTA");
        out_.rank = std::ssize(out_.size_per_thread);
        TESSERA_NEED(same_rank("threadsPerWarp", out_.threads_per_warp));
        TESSERA_NEED(same_rank("warpsPerCTA", out_.warps_per_cta));
        TESSERA_NEED(set_order());
        TESSERA_NEED(set_cga());
        break;
      case TritonKind::linear:
      case TritonKind::generic_linear:
        TESSERA_NEED(make_linear());
        break;
      case TritonKind::slice:
        TESSERA_NEED(make_slice());
        break;
      case TritonKind::dot_op:
        TESSERA_NEED(make_dot_op());
        break;
      case TritonKind::nvidia_mma:
        TESSERA_NEED(make_nvidia_mma());
        break;
      case TritonKind::amd_mfma:
        TESSERA_NEED(make_mfma());
        break;
      case TritonKind::amd_wmma:
        TESSERA_NEED(make_wmma());
        break;
      case TritonKind::swizzled_shared:
      case TritonKind::amd_rotating_shared:
        TESSERA_NEED(make_swizzled());
        break;
      case TritonKind::nvmma_shared:
        TESSERA_NEED(make_nvmma());
        break;
      case TritonKind::padded_shared:
        TESSERA_NEED(make_padded());
        break;
      case TritonKind::shared_linear:
        TESSERA_NEED(make_shared_linear());
        break;
      case TritonKind::partitioned_shared:
        TESSERA_NEED(make_partitioned());
        break;
      case TritonKind::tensor_memory:
        TESSERA_NEED(make_tensor_memory());
        break;
      case TritonKind::tensor_memory_scales:
        TESSERA_NEED(make_scales());
        break;
      case TritonKind::auto_encoding:
      case TritonKind::coalesced_encoding:
        break;
    }
    return std::move(out_);
  }

 private:
  const Field* find(std::string_view name) const {
    for (const Field& field : fields_) {
      if (own_name(*field.key) != name) continue;
      // None leaves an optional argument out.
      return field.entry->value.kind == Kind::none && !field.key->gluon_needs ? nullptr : &field;
    }
    return nullptr;
  }
  bool has(std::string_view name) const { return find(name) != nullptr; }
  Span span_of(std::string_view name) const {
    const Field* field = find(name);
    return field != nullptr ? field->entry->value.span : raw_.span;
  }
  Failure missing(std::string_view what) const {
    return fail(Code::missing_attribute,
                fmt::format("{} needs {}", raw_.is_gluon ? raw_.info->gluon : raw_.info->mnemonic, what),
                raw_.span);
  }
  Result<void> require(std::string_view name) const {
    for (const Field& field : fields_) {
      if (own_name(*field.key) == name) return {};
    }
    for (const KeyInfo& key : raw_.info->keys) {
      if (own_name(key) == name) return missing(raw_.is_gluon ? key.gluon : key.name);
    }
    return missing(name);
  }
  Failure bad(std::string_view name, std::string message, std::string help = {}) const {
    return fail(Code::bad_attribute, std::move(message), span_of(name), std::move(help));
  }

  static Failure bad_value(const RawValue& value, std::string message) {
    return fail(Code::bad_attribute, std::move(message), value.span);
  }
  static Result<void> number(const RawValue& value) {
    if (value.kind != Kind::integer) return bad_value(value, "expected an integer");
    if (value.integer < 0) return bad_value(value, fmt::format("{} is negative", value.integer));
    return {};
  }
  static Result<void> power(const RawValue& value) {
    if (value.kind != Kind::integer) return bad_value(value, "expected an integer");
    if (!is_power(value.integer))
      return bad_value(value, fmt::format("{} is no power of two", value.integer));
    return {};
  }
  static Result<void> pad_pair(const RawValue& value) {
    if (value.kind != Kind::list || value.list.size() != 2)
      return bad_value(value, "expected an interval and its padding");
    TESSERA_NEED(power(value.list[0]));
    return power(value.list[1]);
  }
  static Result<void> numbers(const RawValue& value, Result<void> (*each)(const RawValue&)) {
    if (value.kind != Kind::list) return bad_value(value, "expected a list of integers");
    for (const RawValue& one : value.list) TESSERA_NEED(each(one));
    return {};
  }
  static Result<void> basis_list(const RawValue& value) {
    if (value.kind != Kind::list)
      return bad_value(value, "expected a list of bases, such as [[0, 1], [0, 2]]");
    for (const RawValue& basis : value.list) TESSERA_NEED(numbers(basis, number));
    return {};
  }
  Result<void> value(const KeyInfo& key, const RawValue& value) const {
    if (value.kind == Kind::none && !key.gluon_needs) return {};
    switch (key.type) {
      case ValueType::powers:
        TESSERA_NEED(numbers(value, power));
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
                        fmt::format("the order is no permutation of 0 to {}", value.list.size() - 1),
                        value.span);
          seen[static_cast<std::size_t>(one.integer)] = true;
        }
        if (value.list.empty()) return bad_value(value, "the list is empty");
        return {};
      }
      case ValueType::integers:
        return numbers(value, number);
      case ValueType::bases:
        return basis_list(value);
      case ValueType::pairs:
        if (value.kind != Kind::list) return bad_value(value, "expected a list of pairs");
        for (const RawValue& one : value.list) TESSERA_NEED(pad_pair(one));
        return {};
      case ValueType::integer:
        return number(value);
      case ValueType::power:
        return power(value);
      case ValueType::boolean:
        if (value.kind != Kind::boolean)
          return bad_value(value, raw_.is_gluon ? "expected True or False" : "expected true or false");
        return {};
      case ValueType::attribute:
        if (value.kind != Kind::attribute || !value.attribute) return bad_value(value, "expected a layout");
        return {};
      case ValueType::cta_keys:
        if (value.kind != Kind::keys) return bad_value(value, "expected {register = [...], warp = [...]}");
        for (const auto& [name, inside] : value.keys) TESSERA_NEED(basis_list(inside));
        return {};
      case ValueType::word:
        if (value.kind != Kind::word) return bad_value(value, "expected a name");
        return {};
    }
    return {};
  }

  static std::vector<Index> list_of(const RawValue& value) {
    std::vector<Index> out;
    for (const RawValue& one : value.list) out.push_back(one.integer);
    return out;
  }
  std::vector<Index> list(std::string_view name) const {
    const Field* field = find(name);
    return field != nullptr ? list_of(field->entry->value) : std::vector<Index>{};
  }
  TritonBasisList bases(std::string_view name) const {
    const Field* field = find(name);
    TritonBasisList out;
    if (field == nullptr) return out;
    for (const RawValue& one : field->entry->value.list) out.push_back(list_of(one));
    return out;
  }
  Index integer(std::string_view name, Index otherwise = 0) const {
    const Field* field = find(name);
    return field != nullptr ? field->entry->value.integer : otherwise;
  }
  bool flag(std::string_view name) const { return integer(name) != 0; }

  Result<void> same_rank(std::string_view name, const std::vector<Index>& values) const {
    if (std::ssize(values) == out_.rank) return {};
    return fail(Code::rank_mismatch,
                fmt::format("{} has {} entries, but the layout has rank {}", name, values.size(), out_.rank),
                span_of(name));
  }
  Result<void> same_rank(std::string_view name, const TritonBasisList& values) const {
    for (const std::vector<Index>& basis : values) {
      if (std::ssize(basis) != out_.rank)
        return fail(Code::rank_mismatch,
                    fmt::format("a basis of {} has {} entries, but the layout has rank {}", name,
                                basis.size(), out_.rank),
                    span_of(name));
    }
    return {};
  }
  Result<void> set_order() {
    out_.order = list("order");
    return same_rank("order", out_.order);
  }
  Result<void> set_cga() {
    if (const Field* cga = find("CGALayout")) {
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
        return bad("CTASplitNum", fmt::format("{} parts of dimension {} are more than its {} blocks",
                                              split[at], d, ctas[at]));
      for (Index power = 1; power < split[at]; power *= 2)
        out_.blocks.emplace_back(order.size(), 0)[at] = power;
      for (Index copies = split[at]; copies < ctas[at]; copies *= 2)
        out_.blocks.emplace_back(order.size(), 0);
    }
    return {};
  }
  Result<void> check_cga(Span span) const {
    for (const std::vector<Index>& basis : out_.blocks) {
      if (std::ssize(basis) != out_.rank)
        return fail(Code::rank_mismatch,
                    fmt::format("a basis of CGALayout has {} entries, but the layout has rank {}",
                                basis.size(), out_.rank),
                    span);
    }
    const TritonBasisList* const lists[] = {&out_.blocks};
    if (const std::string flaw = flaw_of_bases(lists, out_.rank); !flaw.empty())
      return fail(Code::bad_attribute, flaw, span);
    return {};
  }

  Result<void> make_linear() {
    out_.registers = bases("register");
    out_.lanes = bases("lane");
    out_.warps = bases("warp");
    out_.blocks = bases("block");
    const TritonBasisList* const all[] = {&out_.registers, &out_.lanes, &out_.warps, &out_.blocks};
    for (const TritonBasisList* one : all) {
      if (!one->empty() && out_.rank == 0) out_.rank = std::ssize(one->front());
    }
    const std::vector<Index> shape = list("shape");
    if (raw_.is_gluon && out_.rank == 0) out_.rank = std::ssize(shape);
    if (out_.rank == 0)
      return fail(Code::bad_attribute, "a linear layout needs a basis", raw_.span,
                  "all of register, lane, warp and block are empty");
    for (const auto& [name, values] : {std::pair("register", all[0]), std::pair("lane", all[1]),
                                       std::pair("warp", all[2]), std::pair("block", all[3])})
      TESSERA_NEED(same_rank(name, *values));
    const std::vector<Index> extents = extents_of(all, out_.rank);
    if (raw_.is_gluon) {
      bool any = false;
      for (const TritonBasisList* one : all) any = any || !one->empty();
      if (!any) return fail(Code::bad_attribute, "a linear layout needs a basis", raw_.span);
      if (std::ssize(shape) != out_.rank) return same_rank("shape", shape);
      if (shape != extents)
        return fail(Code::shape_mismatch,
                    fmt::format("the bases reach [{}], but the shape is [{}]", fmt::join(extents, ", "),
                                fmt::join(shape, ", ")),
                    span_of("shape"));
    }
    const std::string flaw = flaw_of_bases(all, out_.rank);
    if (flaw.empty() && (raw_.is_gluon || out_.kind == TritonKind::linear)) {
      out_.kind = TritonKind::linear;
      return {};
    }
    if (!raw_.is_gluon && out_.kind == TritonKind::linear)
      return fail(Code::bad_attribute, flaw, raw_.span, "generic_linear has fewer rules for warps");
    out_.kind = TritonKind::generic_linear;
    for (const TritonBasisList* one : {all[0], all[1], all[3]}) {
      for (const std::vector<Index>& basis : *one) {
        const auto moves = std::ranges::count_if(basis, [](Index n) { return n != 0; });
        if (moves > 1 || !std::ranges::all_of(basis, [](Index n) { return n == 0 || is_power(n); }))
          return fail(
              Code::bad_attribute,
              fmt::format("the basis [{}] is no power of two in one dimension", fmt::join(basis, ", ")),
              raw_.span, "only bases of warps may move in several dimensions");
      }
    }
    if (!spans_all(all, extents))
      return fail(Code::bad_attribute, "the bases do not reach every element of their extents", raw_.span);
    return {};
  }

  Result<std::shared_ptr<const TritonAttribute>> nested(std::string_view name) const {
    TESSERA_TRY(made, make_attribute(*find(name)->entry->value.attribute));
    return std::make_shared<const TritonAttribute>(std::move(made));
  }

  Result<void> make_slice() {
    out_.dim = integer("dim");
    TESSERA_TRY(parent, nested("parent"));
    out_.parent = std::move(parent);
    if (space_of(out_.parent->kind) != TritonSpace::registers)
      return bad("parent", "the parent of a slice is a layout of registers");
    if (out_.parent->rank < 2)
      return fail(Code::rank_mismatch, "the parent of a slice has at least 2 dimensions", span_of("parent"));
    if (out_.dim >= out_.parent->rank)
      return fail(
          Code::dim_out_of_range,
          fmt::format("the parent has no dimension {}, only 0 to {}", out_.dim, out_.parent->rank - 1),
          span_of("dim"));
    out_.rank = out_.parent->rank - 1;
    return {};
  }

  Result<void> make_dot_op() {
    out_.operand = integer("opIdx");
    out_.k_width = integer("kWidth");
    if (out_.operand > 1)
      return bad("opIdx", fmt::format("a product has operands 0 and 1, not {}", out_.operand));
    TESSERA_TRY(parent, nested("parent"));
    out_.parent = std::move(parent);
    const TritonAttribute& of = *out_.parent;
    out_.rank = of.rank;
    switch (of.kind) {
      case TritonKind::blocked:
        if (out_.k_width != 0) return bad("kWidth", "an operand of a blocked layout has no kWidth");
        if (of.rank < 2)
          return fail(Code::rank_mismatch, "an operand has at least 2 dimensions", span_of("parent"));
        return {};
      case TritonKind::nvidia_mma:
        if (of.version == 3 && out_.operand == 1)
          return bad("opIdx", "operand 1 of version 3 is read from shared memory");
        break;
      case TritonKind::amd_mfma:
        break;
      case TritonKind::amd_wmma:
        if (of.version == 1 && out_.k_width != 8 && out_.k_width != 16)
          return bad("kWidth", "kWidth of version 1 is 8 or 16");
        if (of.version == 2 && out_.k_width != 4 && out_.k_width != 8 && out_.k_width != 16)
          return bad("kWidth", "kWidth of version 2 is 4, 8 or 16");
        break;
      default:
        return bad("parent", "the parent of an operand is blocked, nvidia_mma, amd_mfma or amd_wmma");
    }
    if (!is_power(out_.k_width))
      return bad("kWidth", fmt::format("kWidth is {}, no power of two", out_.k_width));
    return {};
  }

  Result<void> make_nvidia_mma() {
    if (raw_.is_gluon) {
      const std::vector<Index> version = list("version");
      if (version.size() != 2) return bad("version", "the version has two entries, such as [3, 0]");
      out_.version = version[0];
      out_.version_minor = version[1];
    } else {
      out_.version = integer("versionMajor");
      out_.version_minor = integer("versionMinor");
    }
    if (out_.version != 2 && out_.version != 3)
      return bad(raw_.is_gluon ? "version" : "versionMajor",
                 fmt::format("version {} is not 2 or 3", out_.version));
    out_.warps_per_cta = list("warpsPerCTA");
    out_.instr_shape = list("instrShape");
    out_.rank = std::ssize(out_.warps_per_cta);
    if (out_.rank != 2 && out_.rank != 3)
      return fail(Code::rank_mismatch, fmt::format("the layout has rank {}, not 2 or 3", out_.rank),
                  span_of("warpsPerCTA"));
    const std::vector<Index>& shape = out_.instr_shape;
    if (out_.version == 2) {
      TESSERA_NEED(same_rank("instrShape", shape));
      const std::size_t r = shape.size();
      if (shape[r - 2] % 8 != 0 || shape[r - 1] % 8 != 0 || (r == 3 && shape[0] != 1))
        return bad("instrShape", "an instruction of version 2 is M, N with multiples of 8, such as [16, 8]");
    } else {
      if (out_.rank != 2) return fail(Code::rank_mismatch, "version 3 has rank 2", span_of("warpsPerCTA"));
      if (shape.size() != 3)
        return fail(Code::rank_mismatch, "an instruction of version 3 is 16, N, K", span_of("instrShape"));
      if (shape[0] != 16 || shape[1] < 8)
        return bad("instrShape", "an instruction of version 3 is 16, N, K, such as [16, 128, 16]");
    }
    return set_cga();
  }

  Result<void> make_mfma() {
    const bool old = has("versionMajor");
    out_.version = integer(old ? "versionMajor" : "version");
    if (out_.version < 1 || out_.version > 4)
      return bad(old ? "versionMajor" : "version", fmt::format("version {} is not 1 to 4", out_.version));
    out_.warps_per_cta = list("warpsPerCTA");
    out_.rank = std::ssize(out_.warps_per_cta);
    if (out_.rank != 2 && out_.rank != 3)
      return fail(Code::rank_mismatch, fmt::format("the layout has rank {}, not 2 or 3", out_.rank),
                  span_of("warpsPerCTA"));
    out_.instr_shape = list("instrShape");
    out_.transposed = flag("isTransposed");
    const std::vector<Index>& shape = out_.instr_shape;
    if (shape.size() != 2 && shape.size() != 3)
      return fail(Code::rank_mismatch, "an instruction is M, N or M, N, K", span_of("instrShape"));
    const bool known = (shape[0] == 32 && shape[1] == 32) || (shape[0] == 16 && shape[1] == 16) ||
                       (shape[0] == 64 && shape[1] == 4 && out_.transposed) ||
                       (shape[0] == 4 && shape[1] == 64);
    if (!known) return bad("instrShape", "M, N is 32, 32; 16, 16; 4, 64; or 64, 4 if transposed");
    out_.element_bits = integer("elementBitWidth", 32);
    if (const Field* type = find("elementType")) {
      const std::string_view name = type->entry->value.word;
      if (name != "f64" && name != "f32" && name != "i32")
        return bad("elementType", "the type is f64, f32 or i32");
      out_.element_bits = name == "f64" ? 64 : 32;
    }
    if (out_.element_bits != 32 && out_.element_bits != 64)
      return bad("elementBitWidth", "the width is 32 or 64");
    out_.tiles_per_warp = list("tilesPerWarp");
    if (std::ranges::all_of(out_.tiles_per_warp, [](Index n) { return n == 1; }))
      out_.tiles_per_warp.assign(static_cast<std::size_t>(out_.rank), 1);
    TESSERA_NEED(same_rank("tilesPerWarp", out_.tiles_per_warp));
    return set_cga();
  }

  Result<void> make_wmma() {
    out_.version = integer("version", 1);
    if (out_.version < 1 || out_.version > 3)
      return bad("version", fmt::format("version {} is not 1 to 3", out_.version));
    out_.transposed = flag("isTranspose");
    out_.instr_shape = list("instrShape");
    if (!has("instrShape")) out_.instr_shape = {16, 16, 16};
    out_.rank = integer("rank", 2);
    if (has("rank") && out_.rank != 2 && out_.rank != 3) return bad("rank", "the rank is 2 or 3");
    if (const Field* cta = find("ctaLayout")) {
      for (const auto& [name, value] : cta->entry->value.keys) {
        TritonBasisList& to = name == "warp" ? out_.warps : out_.registers;
        for (const RawValue& basis : value.list) to.push_back(list_of(basis));
      }
    } else if (raw_.is_gluon) {
      out_.warps = bases("warp_bases");
      out_.registers = bases("reg_bases");
    } else {
      const std::vector<Index> warps = list("warpsPerCTA");
      if (!has("rank")) out_.rank = std::ssize(warps);
      TESSERA_NEED(same_rank("warpsPerCTA", warps));
      std::vector<Index> tiles = list("tilesPerWarp");
      if (tiles.empty()) tiles.assign(warps.size(), 1);
      TESSERA_NEED(same_rank("tilesPerWarp", tiles));
      for (std::size_t d = warps.size(); d-- > 0;) {
        Index power = 1;
        for (; power < tiles[d]; power *= 2) out_.registers.emplace_back(warps.size(), 0)[d] = power;
        for (Index w = 1; w < warps[d]; w *= 2, power *= 2)
          out_.warps.emplace_back(warps.size(), 0)[d] = power;
      }
    }
    for (const TritonBasisList* one : {&out_.registers, &out_.warps})
      TESSERA_NEED(same_rank(raw_.is_gluon ? "warp_bases" : "ctaLayout", *one));
    const std::vector<Index>& shape = out_.instr_shape;
    if (shape.size() != 3)
      return fail(Code::rank_mismatch, "an instruction is M, N, K", span_of("instrShape"));
    const Index m = shape[0];
    const Index k = shape[2];
    const bool square = m == 16 && shape[1] == 16;
    const bool known = out_.version == 1   ? square && k == 16
                       : out_.version == 2 ? square && (k == 16 || k == 32)
                                           : (square && (k == 4 || k == 32 || k == 64 || k == 128)) ||
                                                 (m == 32 && shape[1] == 16 && (k == 64 || k == 128)) ||
                                                 (square && k == 16 && !has("instrShape"));
    if (!known)
      return bad("instrShape",
                 fmt::format("version {} has no instruction {}x{}x{}", out_.version, m, shape[1], k));
    return set_cga();
  }

  Result<void> make_swizzled() {
    out_.vec = integer("vec");
    out_.per_phase = integer("perPhase");
    out_.max_phase = integer("maxPhase");
    out_.order = list("order");
    out_.rank = std::ssize(out_.order);
    TESSERA_NEED(set_cga());
    if (raw_.old_name != "shared" || !flag("hasLeadingOffset")) return {};
    // The older form of nvmma_shared.
    const auto phase = std::pair(out_.per_phase, out_.max_phase);
    const Index width = phase == std::pair<Index, Index>(4, 2)   ? 32
                        : phase == std::pair<Index, Index>(2, 4) ? 64
                        : phase == std::pair<Index, Index>(1, 8) ? 128
                                                                 : 0;
    if (width == 0)
      return bad("hasLeadingOffset",
                 "perPhase and maxPhase are 4, 2, or 2, 4, or 1, 8 with hasLeadingOffset");
    if (out_.vec < 2 || out_.vec > 16)
      return bad("vec", "vec is 2 to 16 with hasLeadingOffset: 128 bits of elements");
    TritonAttribute made{.kind = TritonKind::nvmma_shared, .rank = out_.rank, .blocks = out_.blocks};
    made.swizzle_bytes = width;
    made.element_bits = 128 / out_.vec;
    made.transposed = out_.order.front() == 0;
    out_ = std::move(made);
    return nvmma_rank("order");
  }

  Result<void> nvmma_rank(std::string_view name) const {
    if (out_.swizzle_bytes > 0 && out_.rank < 2) return bad(name, "a swizzle needs rank 2");
    return {};
  }

  Result<void> make_nvmma() {
    out_.swizzle_bytes = integer("swizzlingByteWidth");
    out_.element_bits = integer("elementBitWidth");
    out_.transposed = flag("transposed");
    out_.fp4_padded = flag("fp4Padded");
    out_.rank = integer("rank", 2);
    if (!has("rank")) {
      if (has("CTAsPerCGA")) out_.rank = std::ssize(list("CTAsPerCGA"));
    } else if (out_.rank < 1) {
      return bad("rank", "the rank is at least 1");
    } else if (out_.rank > 32) {
      return bad("rank", "the rank is at most 32");
    }
    const Index width = out_.swizzle_bytes;
    if (width != 0 && width != 32 && width != 64 && width != 128)
      return bad("swizzlingByteWidth", fmt::format("a swizzle has 0, 32, 64 or 128 bytes, not {}", width));
    const Index bits = out_.element_bits;
    if (bits != 8 && bits != 16 && bits != 32 && bits != 64)
      return bad("elementBitWidth", fmt::format("an element has 8, 16, 32 or 64 bits, not {}", bits));
    if (out_.fp4_padded && (width != 128 || bits != 8))
      return bad("fp4Padded", "padded pairs of 4 bits need 128 bytes and 8 bits");
    TESSERA_NEED(nvmma_rank("rank"));
    return set_cga();
  }

  Result<void> set_pads(const RawValue& pair) {
    const Index interval = pair.list[0].integer;
    for (const auto& [known, padding] : out_.pads) {
      if (known == interval)
        return fail(Code::duplicate_name, fmt::format("the interval {} occurs twice", interval), pair.span);
    }
    out_.pads.emplace_back(interval, pair.list[1].integer);
    return {};
  }

  Result<void> make_padded() {
    for (const RawEntry& pad : raw_.pads) TESSERA_NEED(set_pads(pad.value));
    if (raw_.is_gluon) {
      const RawValue& all = find("interval_padding_pairs")->entry->value;
      for (const RawValue& pair : all.list) TESSERA_NEED(set_pads(pair));
      if (out_.pads.empty()) return bad("interval_padding_pairs", "a padded layout needs an interval");
    }
    if (has("order")) {
      std::vector<Index> order = list("order");
      out_.rank = std::ssize(order);
      if (!has("shape")) {
        out_.order = std::move(order);
        return {};
      }
      const std::vector<Index> shape = list("shape");
      TESSERA_NEED(same_rank("shape", shape));
      if (log2_sum(shape) > 40)
        return fail(Code::limit, "the shape has more than 2^40 elements", span_of("shape"));
      out_.offsets = identity_bases(order, shape);
      return {};
    }
    out_.offsets = bases("offset");
    const bool python = raw_.is_gluon;
    out_.blocks = bases(python ? "cga_layout" : "block");
    const std::vector<Index> shape = list("shape");
    for (const TritonBasisList* one : {&out_.offsets, &out_.blocks}) {
      if (!one->empty() && out_.rank == 0) out_.rank = std::ssize(one->front());
    }
    if (out_.rank == 0) out_.rank = std::ssize(shape);
    if (out_.rank == 0) return bad("offset", "a padded layout needs a basis");
    TESSERA_NEED(same_rank("offset", out_.offsets));
    TESSERA_NEED(same_rank(python ? "cga_layout" : "block", out_.blocks));
    if (python) {  // counts tiles of one block
      const TritonBasisList* const own[] = {&out_.offsets};
      const std::vector<Index> tile = extents_of(own, out_.rank);
      for (std::vector<Index>& basis : out_.blocks) {
        for (std::size_t d = 0; d < basis.size(); ++d) basis[d] *= tile[d];
      }
    }
    for (const std::vector<Index>& basis : out_.offsets) {
      if (std::ranges::all_of(basis, [](Index n) { return n == 0; }))
        return bad("offset", "an offset has the basis 0", "two offsets would hold one element");
    }
    const TritonBasisList* const all[] = {&out_.offsets, &out_.blocks};
    if (const std::string flaw = flaw_of_bases(all, out_.rank); !flaw.empty()) return bad("offset", flaw);
    if (python) {
      TESSERA_NEED(same_rank("shape", shape));
      const std::vector<Index> extents = extents_of(all, out_.rank);
      if (shape != extents)
        return fail(Code::shape_mismatch,
                    fmt::format("the bases reach [{}], but the shape is [{}]", fmt::join(extents, ", "),
                                fmt::join(shape, ", ")),
                    span_of("shape"));
    }
    return {};
  }
  static int log2_sum(const std::vector<Index>& shape) {
    int bits = 0;
    for (const Index n : shape) bits += log2_of(n);
    return bits;
  }

  Result<void> make_shared_linear() {
    out_.offsets = bases("offset");
    out_.blocks = bases("block");
    out_.alignment = integer("alignment", 16);
    for (const TritonBasisList* one : {&out_.offsets, &out_.blocks}) {
      if (!one->empty() && out_.rank == 0) out_.rank = std::ssize(one->front());
    }
    if (out_.rank == 0) return bad("offset", "a linear layout needs a basis");
    TESSERA_NEED(same_rank("offset", out_.offsets));
    TESSERA_NEED(same_rank("block", out_.blocks));
    const TritonBasisList* const all[] = {&out_.offsets, &out_.blocks};
    const std::vector<Index> extents = extents_of(all, out_.rank);
    if (log2_sum(extents) > 62)
      return fail(Code::limit, "the bases have more than 62 bits", span_of("offset"));
    auto used = static_cast<std::ptrdiff_t>(out_.offsets.size());
    for (const std::vector<Index>& basis : out_.blocks)
      used += std::ranges::all_of(basis, [](Index n) { return n == 0; }) ? 0 : 1;
    if (used != log2_sum(extents) || !spans_all(all, extents))
      return bad("offset", "the bases do not give each element one offset");
    return {};
  }

  Result<void> make_partitioned() {
    out_.partitions = integer("numPartitions");
    out_.groups = integer("numGroups");
    out_.dim = integer("partitionDim");
    if (out_.partitions < 2) return bad("numPartitions", "there are at least 2 partitions");
    TESSERA_TRY(parent, nested("partitionLayout"));
    out_.parent = std::move(parent);
    if (space_of(out_.parent->kind) != TritonSpace::shared ||
        out_.parent->kind == TritonKind::partitioned_shared)
      return bad("partitionLayout", "the layout of a piece is one of shared memory");
    out_.rank = out_.parent->rank;
    if (out_.dim >= out_.rank)
      return fail(Code::dim_out_of_range,
                  fmt::format("the pieces have no dimension {}, only 0 to {}", out_.dim, out_.rank - 1),
                  span_of("partitionDim"));
    return {};
  }

  Result<void> split_cga() {
    for (const auto& [name, d] : {std::pair("CTASplitM", 0), std::pair("CTASplitN", 1)}) {
      for (Index power = 1; power < integer(name, 1); power *= 2)
        out_.blocks.emplace_back(2, 0)[static_cast<std::size_t>(d)] = power;
    }
    return set_cga();
  }

  Result<void> make_tensor_memory() {
    out_.rank = 2;
    if (raw_.is_gluon) {
      const std::vector<Index> block = list("block");
      if (block.size() != 2) return bad("block", "a block has two extents, such as [128, 64]");
      out_.block_m = block[0];
      out_.block_n = block[1];
    } else {
      out_.block_m = integer("blockM");
      out_.block_n = integer("blockN");
    }
    const std::string_view m = raw_.is_gluon ? "block" : "blockM";
    const std::string_view n = raw_.is_gluon ? "block" : "blockN";
    if (out_.block_m != 64 && out_.block_m != 128)
      return bad(m, fmt::format("a block has 64 or 128 rows, not {}", out_.block_m));
    if (!is_power(out_.block_n) || out_.block_n > 512)
      return bad(n, fmt::format("a block has a power of two of at most 512 columns, not {}", out_.block_n));
    out_.col_stride = integer("colStride");
    out_.unpacked = flag("unpacked");
    if (has("colStride") && out_.col_stride != 1 && out_.col_stride != 2 && out_.col_stride != 4)
      return bad("colStride", fmt::format("colStride is 1, 2 or 4, not {}", out_.col_stride));
    out_.two_ctas = flag("twoCTAs");
    out_.fp4_padded = flag("fp4Padded");
    TESSERA_NEED(split_cga());
    if (out_.two_ctas && (out_.blocks.empty() || out_.blocks.front() != std::vector<Index>{1, 0}))
      return bad("twoCTAs", "with twoCTAs the first basis of CGALayout is [1, 0]");
    return {};
  }

  Result<void> make_scales() {
    out_.rank = 2;
    if (const Field* order = find("blockRepOrder")) {
      const std::string_view word = order->entry->value.word;
      if (word != "mnThenK" && word != "kThenMn")
        return bad("blockRepOrder", "the order is mnThenK or kThenMn");
      out_.k_then_mn = word == "kThenMn";
    }
    return split_cga();
  }

  const RawAttribute& raw_;
  std::vector<Field> fields_;
  TritonAttribute out_;
};

Result<void> check_forms(const RawAttribute& raw) {
  TESSERA_TRY(fields, fields_of(raw));
  TESSERA_NEED(Maker(raw, std::move(fields)).forms_and_missing());
  for (const RawEntry& entry : raw.entries) {
    if (entry.value.kind == Kind::attribute && entry.value.attribute)
      TESSERA_NEED(check_forms(*entry.value.attribute));
  }
  return {};
}

Result<TritonAttribute> made_after_keys(const RawAttribute& raw) {
  TESSERA_TRY(fields, fields_of(raw));
  Maker maker(raw, std::move(fields));
  TESSERA_NEED(maker.values());
  return maker.make();
}

}  // namespace

Result<TritonAttribute> make_attribute(const RawAttribute& raw) {
  TESSERA_NEED(check_forms(raw));
  return made_after_keys(raw);
}

}  // namespace tessera::triton

namespace tessera {

bool operator==(const TritonAttribute& a, const TritonAttribute& b) {
  const auto parts = [](const TritonAttribute& x) {
    return std::tie(x.kind, x.rank, x.size_per_thread, x.threads_per_warp, x.warps_per_cta, x.order,
                    x.instr_shape, x.tiles_per_warp, x.registers, x.lanes, x.warps, x.blocks, x.offsets,
                    x.pads, x.dim, x.operand, x.k_width, x.version, x.version_minor, x.vec, x.per_phase,
                    x.max_phase, x.swizzle_bytes, x.element_bits, x.alignment, x.partitions, x.groups,
                    x.block_m, x.block_n, x.col_stride, x.transposed, x.fp4_padded, x.two_ctas, x.unpacked,
                    x.k_then_mn);
  };
  if (parts(a) != parts(b) || (a.parent == nullptr) != (b.parent == nullptr)) return false;
  return a.parent == b.parent || *a.parent == *b.parent;
}

}  // namespace tessera
