// SPDX-License-Identifier: Apache-2.0
#include "hlo/syntax/attribute_keys.h"

#include <algorithm>
#include <bitset>
#include <optional>
#include <string>
#include <vector>

#include "base/check.h"
#include "hlo/syntax/lexer.h"
#include "tessera/hlo/detail/name_table.h"

namespace tessera::detail {
namespace {

using enum AttributeForm;

struct KeyEntry {
  std::string_view key;
  AttributeForm form;
  std::string_view opcodes;  ///< separated by spaces; empty: any
};

#define TESSERA_COLLECTIVES \
  "all-gather all-reduce all-to-all reduce-scatter collective-broadcast ragged-all-to-all"

// clang-format off
constexpr KeyEntry kEntries[] = {
    {"dimensions", ints,
     "broadcast concatenate transpose reverse reduce sort map scan all-gather "
     "all-to-all ragged-all-to-all reduce-scatter get-dimension-size set-dimension-size"},
    {"iota_dimension", integer, "iota"},
    {"inferred_dimension", integer, "reshape dynamic-reshape"},
    {"slice", slice, "slice"},
    {"dynamic_slice_sizes", ints, "dynamic-slice"},
    {"padding", padding, "pad"},
    {"index", integer, "get-tuple-element"},
    {"direction", word, "compare"},
    {"type", word, "compare"},
    {"window", window, "reduce-window select-and-scatter convolution custom-call"},
    {"dim_labels", dim_labels, "convolution custom-call"},
    {"lhs_contracting_dims", ints, "dot ragged-dot scaled-dot"},
    {"rhs_contracting_dims", ints, "dot ragged-dot scaled-dot"},
    {"lhs_batch_dims", ints, "dot ragged-dot scaled-dot"},
    {"rhs_batch_dims", ints, "dot ragged-dot scaled-dot"},
    {"lhs_ragged_dims", ints, "ragged-dot"},
    {"rhs_group_dims", ints, "ragged-dot"},
    {"operand_precision", words, "dot ragged-dot scaled-dot convolution custom-call"},
    {"algorithm", word, "dot ragged-dot scaled-dot convolution rng-bit-generator"},
    {"feature_group_count", integer, "convolution custom-call"},
    {"batch_group_count", integer, "convolution custom-call"},
    {"convolution_kind", word, "convolution"},
    {"sparsity_config", verbatim, "convolution"},
    {"sparsity", verbatim, "dot"},
    {"offset_dims", ints, "gather"},
    {"collapsed_slice_dims", ints, "gather"},
    {"start_index_map", ints, "gather"},
    {"slice_sizes", int_lists, "gather collective-permute"},
    {"index_vector_dim", integer, "gather scatter"},
    {"operand_batching_dims", ints, "gather"},
    {"start_indices_batching_dims", ints, "gather"},
    {"indices_are_sorted", boolean, "gather scatter"},
    {"update_window_dims", ints, "scatter"},
    {"inserted_window_dims", ints, "scatter"},
    {"scatter_dims_to_operand_dims", ints, "scatter"},
    {"input_batching_dims", ints, "scatter"},
    {"scatter_indices_batching_dims", ints, "scatter"},
    {"unique_indices", boolean, "scatter"},
    {"is_stable", boolean, "sort topk"},
    {"k", integer, "topk"},
    {"largest", boolean, "topk"},
    {"num_carries", integer, "scan"},
    {"is_reverse", boolean, "scan"},
    {"is_associative", word, "scan"},
    {"is_composite", boolean, "call"},
    {"kind", word, "fusion"},
    {"to_apply", computation,
     "reduce reduce-window scatter sort map call scan all-reduce reduce-scatter "
     "custom-call"},
    {"calls", computation, "fusion async-start async-update async-done"},
    {"condition", computation, "while"},
    {"body", computation, "while"},
    {"true_computation", computation, "conditional"},
    {"false_computation", computation, "conditional"},
    {"branch_computations", computation, "conditional"},
    {"select", computation, "select-and-scatter"},
    {"scatter", computation, "select-and-scatter"},
    {"called_computations", computation, "custom-call"},
    {"output_to_operand_aliasing", aliases, "fusion call custom-call async-start async-update async-done"},
    {"custom_call_target", text, "custom-call"},
    {"operand_layout_constraints", verbatim, "custom-call"},
    {"custom_call_has_side_effect", boolean, "custom-call"},
    {"padding_type", word, "custom-call"},
    {"literal", literal, "custom-call"},
    {"schedule", word, "custom-call"},
    {"api_version", word, "custom-call"},
    {"replica_groups", replica_groups, TESSERA_COLLECTIVES},
    {"channel_id", integer, TESSERA_COLLECTIVES " collective-permute send recv"},
    {"use_global_device_ids", boolean, TESSERA_COLLECTIVES},
    {"constrain_layout", boolean, TESSERA_COLLECTIVES},
    {"mode", word, TESSERA_COLLECTIVES " collective-permute"},
    {"source_target_pairs", pairs, "collective-permute"},
    {"is_host_transfer", boolean, "send recv"},
    {"infeed_config", text, "infeed"},
    {"outfeed_config", text, "outfeed"},
    {"outfeed_shape", type, "outfeed"},
    {"async_execution_thread", text, "async-start async-update async-done"},
    {"distribution", word, "rng"},
    {"delta", integer, "rng-get-and-update-state"},
    {"fft_type", word, "fft"},
    {"fft_length", ints, "fft"},
    {"exponent_bits", integer, "reduce-precision"},
    {"mantissa_bits", integer, "reduce-precision"},
    {"epsilon", real, "batch-norm-inference batch-norm-training batch-norm-grad"},
    {"feature_index", integer, "batch-norm-inference batch-norm-training batch-norm-grad"},
    {"left_side", boolean, "triangular-solve"},
    {"lower", boolean, "triangular-solve cholesky"},
    {"unit_diagonal", boolean, "triangular-solve"},
    {"transpose_a", word, "triangular-solve"},
    {"domain", verbatim, "domain"},
    {"cross_program_prefetch_index", integer, "copy-start"},
    {"result_accuracy", verbatim, ""},
    {"metadata", metadata, ""},
    {"sharding", sharding, ""},
    {"frontend_attributes", string_map, ""},
    {"backend_config", text, ""},
    {"control-predecessors", names, ""},
    {"statistics", verbatim, ""},
    {"parameter_replication", words, ""},
    {"origin", verbatim, ""},
};
// clang-format on

#undef TESSERA_COLLECTIVES

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
      for_each_word(entry.opcodes, [&](std::string_view word) {
        const auto opcode = parse_opcode(word);
        TESSERA_CHECK(opcode.has_value(), "the attribute table names an unknown opcode");
        takes.set(static_cast<std::size_t>(*opcode));
      });
      if (entry.opcodes.empty()) takes.set();
    }
    return made;
  }();
  return *kTables;
}

}  // namespace

AttributeForm attribute_form(std::string_view key) {
  const std::uint32_t place = tables().by_key.find(key);
  return place == NameTable::kNone ? AttributeForm::unknown : kEntries[place].form;
}

bool takes_attribute(Opcode opcode, std::string_view opcode_text, std::string_view key) {
  const std::uint32_t place = tables().by_key.find(key);
  if (place == NameTable::kNone || opcode == Opcode::unknown) return true;
  const Opcodes& takes = tables().opcodes[place];
  if (takes.test(static_cast<std::size_t>(opcode))) return true;
  // slice-start is an async-start with the attributes of slice; all-gather-done has those of all-gather.
  const std::size_t dash = opcode_text.rfind('-');
  const auto base = dash == std::string_view::npos ? std::nullopt : parse_opcode(opcode_text.substr(0, dash));
  const std::string_view suffix = base ? opcode_text.substr(dash) : std::string_view();
  return (suffix == "-start" || suffix == "-update" || suffix == "-done") &&
         takes.test(static_cast<std::size_t>(*base));
}

std::string attribute_owners(std::string_view key) {
  const std::uint32_t place = tables().by_key.find(key);
  std::string list;
  if (place == NameTable::kNone) return list;
  std::size_t count = 0;
  for_each_word(kEntries[place].opcodes, [&](std::string_view word) {
    constexpr std::size_t kMostNamed = 4;
    if (++count == kMostNamed + 1) list += " and others";
    if (count > kMostNamed) return;
    list += (list.empty() ? "" : ", ") + std::string(word);
  });
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
