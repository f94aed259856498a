// SPDX-License-Identifier: Apache-2.0
// Recipes for the usual tensors of transformers, by their usual names.
#include "transfer/builtin_recipes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <tuple>

#include "base/at_fault.h"
#include "base/try.h"
#include "files/json_reader.h"

namespace tessera::transfer {
namespace {

constexpr std::array kBuiltin = std::to_array<BuiltinRecipe>({
    {"tp", "changes the number of places of tensor parallelism", {"from", "to"}},
    {"qkv-fuse", "q_proj, k_proj and v_proj to qkv_proj, [Q|K|V]; with t, a slab for each place", {"t"}},
    {"qkv-unfuse", "qkv_proj to q_proj, k_proj and v_proj", {"t"}},
    {"qkv-groups", "q_proj, k_proj and v_proj to linear_qkv, a stripe for each group", {"t"}},
    {"qkv-ungroup", "linear_qkv to q_proj, k_proj and v_proj", {"t"}},
    {"gate-up-fuse", "gate_proj and up_proj to gate_up_proj; with t, a slab for each place", {"t"}},
    {"gate-up-unfuse", "gate_up_proj to gate_proj and up_proj", {"t"}},
    {"gate-up-interleave", "gate_proj and up_proj to the alternating rows of gate_up_proj", {}},
    {"rope-to-interleaved", "the rotary halves of each head of q_proj and k_proj to interleaved pairs", {}},
    {"rope-to-halves", "the interleaved rotary pairs of each head of q_proj and k_proj to halves", {}},
    {"experts-stack",
     "one tensor for each expert to one with the expert as its first dimension",
     {"fused", "ep", "t"}},
    {"experts-unstack",
     "a tensor with the expert as its first dimension to one for each expert",
     {"fused", "ep", "t"}},
    {"awq-to-plain", "the nibbles of qweight and qzeros in the order of their columns", {}},
    {"scales-to-tiles", "weight_scale to tiles of 128 x 4, row-major, padded with 0", {}},
});

// The axes of attention and of feed-forward layers. Their sizes come from config.json or from each other.
constexpr std::string_view kHeads = R"json("g": ["$num_key_value_heads | $num_attention_heads"{}],
  "h": "$num_attention_heads / g", "a": ["$num_attention_heads", "(g h)"])json";
constexpr std::string_view kHead = R"("$head_dim | $hidden_size / $num_attention_heads")";
constexpr std::string_view kHidden = R"("n": "$hidden_size")";

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

std::string rule_of(const std::vector<SideText>& from, const std::vector<SideText>& to, bool rest = false) {
  return fmt::format("\n  {{\"from\": {}, \"to\": {}{}}}", side_text(from), side_text(to),
                     rest ? ", \"rest\": true" : "");
}

// Places of tensor parallelism (`tensor`) in each group of places that share experts.
struct PlaceGrid {
  Index tensor = 1;
  Index experts = 1;
  Index count() const { return tensor * experts; }
};

// A tensor whose axes are distributed: over the places of experts, then over those of tensor parallelism.
std::string grid_form(std::string_view axes, const PlaceGrid& grid, std::string_view by_expert,
                      std::string_view by_tensor) {
  if (grid.count() == 1) return std::string(axes);
  const std::string mesh = grid.experts == 1  ? fmt::format("DeviceMesh(({})) [{}]", grid.tensor, by_tensor)
                           : grid.tensor == 1 ? fmt::format("DeviceMesh(({})) [{}]", grid.experts, by_expert)
                                              : fmt::format("DeviceMesh((ep={}, tp={})) [{}, {}]",
                                                            grid.experts, grid.tensor, by_expert, by_tensor);
  return fmt::format("{{\"axes\": \"{}\", \"sharding\": \"{}\"}}", axes, mesh);
}

// Adds the rules that re-cut every known tensor from the places `from` to the places `to`. Unknown names are
// refused: a tensor that is cut in an unknown way must not be copied as if it were not cut.
void add_cut_rules(const PlaceGrid& from, const PlaceGrid& to, std::vector<std::string>& rules) {
  const auto add = [&](const std::string& name, std::string_view placement) {
    rules.push_back(rule_of({{name, grid_form("*", from, "Replicate()", placement)}},
                            {{name, grid_form("*", to, "Replicate()", placement)}}, /*rest=*/true));
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

// Converts between one tensor per expert and one tensor for all experts. `fused`: the latter holds both gate
// and up. A rule whose tensors are not in the checkpoint has no effect.
void add_expert_rules(bool stack, bool fused, const PlaceGrid& grid, std::vector<std::string>& rules) {
  const auto add = [&](const std::vector<SideText>& apart, const SideText& stacked) {
    rules.push_back(stack ? rule_of(apart, {stacked}) : rule_of({stacked}, apart));
  };
  const auto single = [](std::string_view name, std::string_view axes) {
    return SideText{fmt::format("{{*p}}.experts.{{e}}.{}.weight", name), std::string(axes)};
  };
  const auto stacked = [&](std::string_view name, std::string_view axes, std::string_view by_tensor) {
    return SideText{fmt::format("{{*p}}.experts.{}", name), grid_form(axes, grid, "Shard(0)", by_tensor)};
  };
  for (const auto& [gate, up, down] :
       {std::tuple("w1", "w3", "w2"), std::tuple("gate_proj", "up_proj", "down_proj")}) {
    if (fused) {
      const std::string both = gate == std::string_view("w1") ? "w13.weight" : "gate_up_proj.weight";
      add({single(gate, "gate: [fe n]"), single(up, "up: [fe n]")},
          stacked(both, "[e (gate: fe | up: fe) n]", "_StridedShard(dim=1, sf=2)"));
    } else {
      for (const char* name : {gate, up})
        add({single(name, "[fe n]")}, stacked(fmt::format("{}.weight", name), "[e fe n]", "Shard(1)"));
    }
    add({single(down, "[n fe]")}, stacked(fmt::format("{}.weight", down), "[e n fe]", "Shard(2)"));
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
  if (name == "awq-to-plain") {
    // The scales have unpacked columns. An equal number of columns shows that words are packed along columns.
    const auto cells = [](std::string_view layout, std::string_view axes) {
      return fmt::format(R"({{"layout": "{}", "type": "u4", "axes": "{}"}})", layout, axes);
    };
    const SideText scales = {"{*p}.scales", "s: [groups n]"};
    constexpr std::string_view kPlain = "pack:low(row=32)";
    rules.push_back(rule_of({{"{*p}.qweight", cells("pack:awq", "q: [k n]")},
                             {"{*p}.qzeros", cells("pack:awq", "z: [groups n]")},
                             scales},
                            {{"{*p}.qweight", cells(kPlain, "q: [k n]")},
                             {"{*p}.qzeros", cells(kPlain, "z: [groups n]")},
                             scales}));
  }
  if (name == "scales-to-tiles")
    rules.push_back(rule_of({{"{*p}.weight_scale", "[m c]"}}, {{"{*p}.weight_scale", "[(R C r32 r4 c4)]"}}));
  return rules;
}

}  // namespace

std::span<const BuiltinRecipe> builtin_recipes() { return kBuiltin; }

Result<std::string> builtin_recipe(std::string_view name, RecipeParameters& set) {
  const auto known = std::ranges::find(kBuiltin, name, &BuiltinRecipe::name);
  if (known == kBuiltin.end()) return std::string();
  RecipeParameters parameters;
  for (const std::string_view word : known->parameters) {
    if (const auto value = set.find(word); value != set.end()) {
      parameters.insert(*value);
      set.erase(value);
    }
  }
  const auto parameter = [&](std::string_view word, Index otherwise) {
    const auto value = parameters.find(word);
    return value == parameters.end() ? otherwise : value->second;
  };
  constexpr std::string_view kPlaceFiles = "\"files\": {\"to\": \"model-tp{place:02}.safetensors\"},\n ";
  const std::string the_rest = rule_of({{"{*name}", "*"}}, {{"{*name}", "*"}});
  std::vector<std::string> rules;
  std::string_view files;
  std::vector<std::string> axes;
  if (name == "tp") {
    const PlaceGrid from{.tensor = parameter("from", 0)};
    const PlaceGrid to{.tensor = parameter("to", 0)};
    if (from.tensor < 1 || to.tensor < 1) {
      return fail(Code::missing_attribute, "the recipe tp needs the numbers of places before and after", {},
                  "add them: --set from=BEFORE --set to=AFTER");
    }
    add_cut_rules(from, to, rules);
    if (to.tensor > 1) files = kPlaceFiles;
  } else if (name.starts_with("experts")) {
    const bool stack = name == "experts-stack";
    if (const Index fused = parameter("fused", 0); fused != 0 && fused != 1) {
      return detail::at_fault("set", fail(Code::number_range, fmt::format("fused is 0 or 1, not {}", fused),
                                          {}, "--set fused=1: gate and up in one tensor"));
    }
    const PlaceGrid grid{.tensor = parameter("t", 1), .experts = parameter("ep", 1)};
    const PlaceGrid whole;
    add_expert_rules(stack, parameter("fused", 0) > 0, grid, rules);
    axes = {std::string(kHidden), R"("fe": "$moe_intermediate_size | $intermediate_size")",
            stack ? R"("e": "count")" : R"("e": "$num_local_experts | $num_experts | $n_routed_experts")"};
    if (grid.tensor > 1) {
      add_cut_rules(stack ? whole : grid, stack ? grid : whole, rules);
    } else {
      const std::string copies = grid_form("*", grid, "Replicate()", "Replicate()");
      rules.push_back(rule_of({{"{*name}", stack ? "*" : copies}}, {{"{*name}", stack ? copies : "*"}}));
    }
    if (stack && grid.count() > 1) files = "\"files\": {\"to\": \"model-{place:02}.safetensors\"},\n ";
  } else if (name == "awq-to-plain" || name == "scales-to-tiles") {
    // A tile has 128 rows of 4 scales.
    axes = {
        name == "awq-to-plain"
            ? R"json("k": "shape", "groups": "shape", "n": "shape")json"
            : R"json("m": ["shape", "(R r4 r32) crop m"], "c": ["shape", "(C c4) crop c"], "R": "cdiv(m, 128)",
  "C": "cdiv(c, 4)", "r4": 4, "r32": 32, "c4": 4)json"};
    rules = rules_of(name, 1);
    rules.push_back(the_rest);
  } else {
    const bool from_places = name.ends_with("-unfuse") || name.ends_with("-ungroup");
    const Index t = parameter("t", 1);
    rules = rules_of(name, t);
    if (t > 1) axes.push_back(fmt::format("\"t\": {}", t));
    if (name.starts_with("gate")) {
      axes.push_back(
          fmt::format(R"json("f": ["$intermediate_size"{}])json", t > 1 ? R"json(, "(t fi)")json" : ""));
    } else {
      axes.push_back(fmt::format(kHeads, t > 1 ? R"json(, "(t gi)")json" : ""));
      axes.push_back(name.starts_with("rope")
                         ? fmt::format(R"json("d": [{}, "(two ea)"], "two": 2)json", kHead)
                         : fmt::format(R"("d": {})", kHead));
    }
    axes.emplace_back(kHidden);
    if (t > 1) {
      const PlaceGrid whole;
      const PlaceGrid cut{.tensor = t};
      add_cut_rules(from_places ? cut : whole, from_places ? whole : cut, rules);
      if (!from_places) files = kPlaceFiles;
    } else {
      rules.push_back(the_rest);
    }
  }
  return fmt::format(
      "{{\"schema\": \"tessera.recipe/1\", \"name\": {},\n \"axes\": {{{}}},\n {}\"tensors\": [{}]}}\n",
      json_string(name), fmt::join(axes, ",\n  "), files, fmt::join(rules, ","));
}

}  // namespace tessera::transfer
