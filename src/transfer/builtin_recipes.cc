// SPDX-License-Identifier: Apache-2.0
// Recipes for the usual tensors of transformers, by their usual names.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "base/try.h"
#include "files/json_reader.h"
#include "transfer/recipe.h"

namespace tessera::transfer {
namespace {

using RecipeParameters = std::map<std::string, Index, std::less<>>;

constexpr std::array<std::string_view, 12> kBuiltin = {"tp",
                                                       "qkv-fuse",
                                                       "qkv-unfuse",
                                                       "qkv-groups",
                                                       "qkv-ungroup",
                                                       "gate-up-fuse",
                                                       "gate-up-unfuse",
                                                       "gate-up-interleave",
                                                       "rope-to-interleaved",
                                                       "rope-to-halves",
                                                       "experts-stack",
                                                       "experts-unstack"};

// The axes of attention and of the feed-forward layers, computed from the config.
constexpr std::string_view kAxes = R"("g": "$num_key_value_heads | $num_attention_heads",
  "h": "$num_attention_heads / g", "a": "$num_attention_heads", "two": 2,
  "d": "$head_dim | $hidden_size / $num_attention_heads", "ea": "d / 2",
  "n": "$hidden_size", "f": "$intermediate_size", "fe": "$moe_intermediate_size | $intermediate_size")";

// The names of tensors, grouped by how tensor parallelism cuts them.
constexpr std::array<std::string_view, 12> kRowCut = {
    "q_proj", "k_proj",       "v_proj",  "gate_proj",  "up_proj",         "w1",
    "w3",     "embed_tokens", "lm_head", "linear_qkv", "word_embeddings", "output_layer"};
constexpr std::array<std::string_view, 2> kSlabs = {"gate_up_proj", "linear_fc1"};
constexpr std::array<std::string_view, 5> kColumnCut = {"o_proj", "down_proj", "w2", "linear_proj",
                                                        "linear_fc2"};

struct SideText {
  std::string name;
  std::string form;
};

std::string form_text(const SideText& side) {
  const std::string form = side.form.starts_with('{') ? side.form : json_string(side.form);
  return fmt::format("{}: {}", json_string(side.name), form);
}

std::string side_text(const std::vector<SideText>& side) {
  std::vector<std::string> out;
  for (const SideText& tensor : side) out.push_back(form_text(tensor));
  return fmt::format("{{{}}}", fmt::join(out, ", "));
}

std::string rule_of(const std::vector<SideText>& from, const std::vector<SideText>& to) {
  return fmt::format("\n  {{\"from\": {}, \"to\": {}}}", side_text(from), side_text(to));
}

// The text of a whole tensor under a placement of tensor parallelism. With one place, it is not cut.
std::string cut_form(Index places, std::string_view placement) {
  if (places == 1) return "*";
  return fmt::format("{{\"axes\": \"*\", \"sharding\": \"DeviceMesh(({})) [{}]\"}}", places, placement);
}

// Adds the rules that re-cut every known tensor from `from` places to `to` places. Unknown names are refused:
// a tensor that is cut in an unknown way must not be copied as if it were not cut.
void add_cut_rules(Index from, Index to, std::vector<std::string>& rules) {
  const auto add = [&](const std::string& name, std::string_view placement) {
    rules.push_back(rule_of({{name, cut_form(from, placement)}}, {{name, cut_form(to, placement)}}));
  };
  for (const std::string_view name : kSlabs) {
    for (const char* kind : {"weight", "bias"})
      add(fmt::format("{{*p}}.{}.{}", name, kind), "_StridedShard(dim=0, sf=2)");
  }
  for (const std::string_view name : kRowCut) {
    for (const char* kind : {"weight", "bias"}) {
      add(fmt::format("{}.{}", name, kind), "Shard(0)");
      add(fmt::format("{{*p}}.{}.{}", name, kind), "Shard(0)");
    }
  }
  for (const std::string_view name : kColumnCut) {
    add(fmt::format("{{*p}}.{}.weight", name), "Shard(1)");
    add(fmt::format("{{*p}}.{}.bias", name), "Replicate()");
  }
  for (const char* kind : {"weight", "bias"}) {
    add(fmt::format("{{*p}}norm.{}", kind), "Replicate()");
    add(fmt::format("{{*p}}.input_layernorm.{}", kind), "Replicate()");
    add(fmt::format("{{*p}}_layernorm.{}", kind), "Replicate()");
    add(fmt::format("{{*p}}.gate.{}", kind), "Replicate()");
    add(fmt::format("{{*p}}.linear_qkv.layer_norm_{}", kind), "Replicate()");
    add(fmt::format("{{*p}}.linear_fc1.layer_norm_{}", kind), "Replicate()");
  }
  add("{*p}.rotary_emb.inv_freq", "Replicate()");
}

// Adds rules for tensors with a two-dimensional weight and an optional bias with the same rows.
void add_rows(const std::vector<SideText>& from, const std::vector<SideText>& to,
              std::vector<std::string>& rules) {
  for (const auto& [kind, columns] : {std::pair("weight", " n]"), std::pair("bias", "]")}) {
    const auto side = [&](const std::vector<SideText>& rows) {
      std::vector<SideText> out;
      for (const SideText& row : rows)
        out.push_back({fmt::format("{{*p}}.{}.{}", row.name, kind), row.form + columns});
      return out;
    };
    rules.push_back(rule_of(side(from), side(to)));
  }
}

std::vector<std::string> rules_of(std::string_view name, Index t) {
  const std::vector<SideText> apart = {
      {"q_proj", "q: [(g h d)"}, {"k_proj", "k: [(g d)"}, {"v_proj", "v: [(g d)"}};
  const std::vector<SideText> fused = {
      {"qkv_proj", t > 1 ? "t @ [(q: gi h d | k: gi d | v: gi d)" : "[(q: g h d | k: g d | v: g d)"}};
  const std::vector<SideText> groups = {
      {"linear_qkv", t > 1 ? "t @ [(gi (q: h d | k: d | v: d))" : "[(g (q: h d | k: d | v: d))"}};
  const std::vector<SideText> gate_up = {{"gate_proj", "gate: [f"}, {"up_proj", "up: [f"}};
  const std::vector<SideText> slabs = {
      {"gate_up_proj", t > 1 ? "t @ [(gate: fi | up: fi)" : "[(gate: f | up: f)"}};
  std::vector<std::string> rules;
  if (name == "qkv-fuse") add_rows(apart, fused, rules);
  if (name == "qkv-unfuse") add_rows(fused, apart, rules);
  if (name == "qkv-groups") add_rows(apart, groups, rules);
  if (name == "qkv-ungroup") add_rows(groups, apart, rules);
  if (name == "gate-up-fuse") add_rows(gate_up, slabs, rules);
  if (name == "gate-up-unfuse") add_rows(slabs, gate_up, rules);
  if (name == "gate-up-interleave") add_rows(gate_up, {{"gate_up_proj", "[(f (gate: 1 | up: 1))"}}, rules);
  if (name.starts_with("rope")) {
    for (const auto& [tensor, heads] : {std::pair("q_proj", "a"), std::pair("k_proj", "g")}) {
      const SideText halves = {tensor, fmt::format("[({} two ea)", heads)};
      const SideText pairs = {tensor, fmt::format("[({} ea two)", heads)};
      const bool to_pairs = name == "rope-to-interleaved";
      add_rows({to_pairs ? halves : pairs}, {to_pairs ? pairs : halves}, rules);
    }
  }
  if (name.starts_with("experts")) {
    for (const auto& [tensor, shape] :
         {std::pair("w1", "fe n]"), std::pair("w3", "fe n]"), std::pair("w2", "n fe]"),
          std::pair("gate_proj", "fe n]"), std::pair("up_proj", "fe n]"), std::pair("down_proj", "n fe]")}) {
      const SideText single = {fmt::format("{{*p}}.experts.{{e}}.{}.weight", tensor),
                               fmt::format("[{}", shape)};
      const SideText stacked = {fmt::format("{{*p}}.experts.{}.weight", tensor), fmt::format("[e {}", shape)};
      rules.push_back(name == "experts-stack" ? rule_of({single}, {stacked}) : rule_of({stacked}, {single}));
    }
  }
  return rules;
}

}  // namespace

std::vector<std::string_view> builtin_recipes() { return {kBuiltin.begin(), kBuiltin.end()}; }

Result<std::string> builtin_recipe(std::string_view name, const RecipeParameters& set) {
  if (std::ranges::find(kBuiltin, name) == kBuiltin.end()) return std::string();
  const auto parameter = [&](std::string_view word) {
    const auto value = set.find(word);
    return value == set.end() ? Index{0} : value->second;
  };
  std::vector<std::string> rules;
  std::string files;
  std::string axes(kAxes);
  if (name == "tp") {
    const Index from = parameter("from");
    const Index to = parameter("to");
    if (from < 1 || to < 1) {
      return fail(Code::missing_attribute, "the recipe tp needs the numbers of places before and after", {},
                  "--set from=8 --set to=4");
    }
    add_cut_rules(from, to, rules);
    if (to > 1) files = "\"files\": {\"to\": \"model-tp{place:02}.safetensors\"},\n ";
  } else {
    const bool from_places = name.ends_with("-unfuse") || name.ends_with("-ungroup");
    const bool by_place = name == "qkv-fuse" || name == "qkv-groups" || name == "gate-up-fuse" || from_places;
    const Index t = by_place ? std::max<Index>(parameter("t"), 1) : 1;
    rules = rules_of(name, t);
    if (t > 1) {
      axes = fmt::format(
          R"json("t": {}, "kv": "$num_key_value_heads | $num_attention_heads", "gi": "kv / t", "g": "(t gi)",
  "h": "$num_attention_heads / kv", "d": "$head_dim | $hidden_size / $num_attention_heads", "n": "$hidden_size",
  "fi": "$intermediate_size / t", "f": "(t fi)")json",
          t);
      add_cut_rules(from_places ? t : 1, from_places ? 1 : t, rules);
      if (!from_places) files = "\"files\": {\"to\": \"model-tp{place:02}.safetensors\"},\n ";
    } else {
      rules.push_back(rule_of({{"{*name}", "*"}}, {{"{*name}", "*"}}));
    }
    if (name == "experts-stack") axes += R"(, "e": "count")";
    if (name == "experts-unstack")
      axes += R"(, "e": "$num_local_experts | $num_experts | $n_routed_experts")";
  }
  return fmt::format(
      "{{\"schema\": \"tessera.recipe/1\", \"name\": {},\n \"axes\": {{{}}},\n {}\"tensors\": [{}]}}\n",
      json_string(name), axes, files, fmt::join(rules, ","));
}

}  // namespace tessera::transfer
