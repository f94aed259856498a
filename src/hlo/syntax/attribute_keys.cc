// SPDX-License-Identifier: Apache-2.0
#include "hlo/syntax/attribute_keys.h"

#include <algorithm>
#include <bitset>
#include <optional>
#include <string>
#include <vector>

#include "base/check.h"
#include "hlo/limits.h"
#include "hlo/syntax/lexer.h"
#include "tessera/hlo/detail/name_table.h"

namespace tessera::detail {
namespace {

using enum AttributeForm;

// The form of the value of each known attribute. The keys of an opcode's own attributes are in the table of
// opcodes.
struct KeyEntry {
  std::string_view key;
  AttributeForm form;
  bool any_opcode = false;
};

constexpr KeyEntry kEntries[] = {
    {"dimensions", ints},
    {"iota_dimension", integer},
    {"inferred_dimension", integer},
    {"slice", slice},
    {"dynamic_slice_sizes", ints},
    {"padding", padding},
    {"index", integer},
    {"direction", word},
    {"type", word},
    {"window", window},
    {"dim_labels", dim_labels},
    {"lhs_contracting_dims", ints},
    {"rhs_contracting_dims", ints},
    {"lhs_batch_dims", ints},
    {"rhs_batch_dims", ints},
    {"lhs_ragged_dims", ints},
    {"rhs_group_dims", ints},
    {"operand_precision", words},
    {"algorithm", word},
    {"feature_group_count", integer},
    {"batch_group_count", integer},
    {"convolution_kind", word},
    {"sparsity_config", verbatim},
    {"sparsity", verbatim},
    {"offset_dims", ints},
    {"collapsed_slice_dims", ints},
    {"start_index_map", ints},
    {"slice_sizes", int_lists},
    {"index_vector_dim", integer},
    {"operand_batching_dims", ints},
    {"start_indices_batching_dims", ints},
    {"indices_are_sorted", boolean},
    {"update_window_dims", ints},
    {"inserted_window_dims", ints},
    {"scatter_dims_to_operand_dims", ints},
    {"input_batching_dims", ints},
    {"scatter_indices_batching_dims", ints},
    {"unique_indices", boolean},
    {"is_stable", boolean},
    {"k", integer},
    {"largest", boolean},
    {"num_carries", integer},
    {"is_reverse", boolean},
    {"is_associative", word},
    {"is_composite", boolean},
    {"kind", word},
    {"to_apply", computation},
    {"calls", computation},
    {"condition", computation},
    {"body", computation},
    {"true_computation", computation},
    {"false_computation", computation},
    {"branch_computations", computation},
    {"select", computation},
    {"scatter", computation},
    {"called_computations", computation},
    {"output_to_operand_aliasing", aliases},
    {"custom_call_target", text},
    {"operand_layout_constraints", verbatim},
    {"custom_call_has_side_effect", boolean},
    {"padding_type", word},
    {"literal", literal},
    {"schedule", word},
    {"api_version", word},
    {"replica_groups", replica_groups},
    {"channel_id", integer},
    {"use_global_device_ids", boolean},
    {"constrain_layout", boolean},
    {"mode", word},
    {"source_target_pairs", pairs},
    {"is_host_transfer", boolean},
    {"infeed_config", text},
    {"outfeed_config", text},
    {"outfeed_shape", type},
    {"async_execution_thread", text},
    {"distribution", word},
    {"delta", integer},
    {"fft_type", word},
    {"fft_length", ints},
    {"exponent_bits", integer},
    {"mantissa_bits", integer},
    {"epsilon", real},
    {"feature_index", integer},
    {"left_side", boolean},
    {"lower", boolean},
    {"unit_diagonal", boolean},
    {"transpose_a", word},
    {"domain", verbatim},
    {"cross_program_prefetch_index", integer},
    {"result_accuracy", verbatim, true},
    {"metadata", metadata, true},
    {"sharding", sharding, true},
    {"frontend_attributes", string_map, true},
    {"backend_config", text, true},
    {"control-predecessors", names, true},
    {"statistics", verbatim, true},
    {"parameter_replication", words, true},
    {"origin", verbatim, true},
};

constexpr std::string_view kKeysOf[] = {
#define TESSERA_OPCODE(identifier, text, trait, kind, rule, keys) keys,
    TESSERA_OPCODES(TESSERA_OPCODE)
#undef TESSERA_OPCODE
};

// The opcodes that take an attribute, by number.
using Opcodes = std::bitset<static_cast<std::size_t>(Opcode::unknown) + 1>;

template <class Visit>
void for_each_word(std::string_view text, Visit visit) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    visit(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

struct Tables {
  NameTable by_key;
  std::vector<Opcodes> opcodes;
};

const Tables& tables() {
  static const auto* const kTables = [] {
    auto* made = new Tables;
    for (const KeyEntry& entry : kEntries) {
      made->by_key.insert(entry.key, static_cast<std::uint32_t>(made->opcodes.size()));
      Opcodes& takes = made->opcodes.emplace_back();
      if (entry.any_opcode) takes.set();
    }
    for (std::size_t opcode = 0; opcode < std::size(kKeysOf); ++opcode) {
      for_each_word(kKeysOf[opcode], [&](std::string_view key) {
        const std::uint32_t place = made->by_key.find(key);
        TESSERA_CHECK(place != NameTable::kNone, "the table of opcodes names an attribute without a form");
        made->opcodes[place].set(opcode);
      });
    }
    return made;
  }();
  return *kTables;
}

}  // namespace

AttributeKey::AttributeKey(std::string_view key) : place_(tables().by_key.find(key)) {}

AttributeForm AttributeKey::form() const {
  return place_ == NameTable::kNone ? AttributeForm::unknown : kEntries[place_].form;
}

bool AttributeKey::taken_by(Opcode opcode, std::string_view opcode_text) const {
  if (place_ == NameTable::kNone || opcode == Opcode::unknown) return true;
  const Opcodes& takes = tables().opcodes[place_];
  if (takes.test(static_cast<std::size_t>(opcode))) return true;
  // slice-start is an async-start with the attributes of slice; all-gather-done has those of all-gather.
  const std::size_t dash = opcode_text.rfind('-');
  const auto base = dash == std::string_view::npos ? std::nullopt : parse_opcode(opcode_text.substr(0, dash));
  const std::string_view suffix = base ? opcode_text.substr(dash) : std::string_view();
  return (suffix == "-start" || suffix == "-update" || suffix == "-done") &&
         takes.test(static_cast<std::size_t>(*base));
}

std::string AttributeKey::owners() const {
  std::string list;
  if (place_ == NameTable::kNone || kEntries[place_].any_opcode) return list;
  std::size_t count = 0;
  // Collectives come last: most programs have none.
  for (const bool collective : {false, true}) {
    for (std::size_t i = 0; i < std::size(kKeysOf); ++i) {
      if (!tables().opcodes[place_].test(i) || kKeysOf[i].starts_with("replica_groups") != collective)
        continue;
      if (++count > kHloLimits.syntax.named_keys) return list + " and others";
      list += (list.empty() ? "" : ", ") + std::string(to_string(static_cast<Opcode>(i)));
    }
  }
  return list;
}

std::vector<std::string_view> listed_names(std::string_view value) {
  std::vector<std::string_view> names;
  HloLexer lexer(value);
  lexer.accept('{');
  do {
    lexer.accept('%');
    if (lexer.skip()) names.push_back(lexer.identifier());
  } while (lexer.accept(','));
  if (names.size() == 1 && names[0].empty()) names.clear();  // {}
  return names;
}

}  // namespace tessera::detail
