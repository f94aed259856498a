// SPDX-License-Identifier: Apache-2.0
// Functions for coalesce, filter, composition and complement.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "algebra/composition_check.h"
#include "eval/chain.h"
#include "eval/construction.h"
#include "eval/linear_values.h"
#include "tessera/algebra/detail/equality.h"

namespace tessera::eval {

using namespace tessera::detail;  // NOLINT(google-build-using-namespace): the layout algebra
namespace {

const char* peer_name(PeerRule rule) {
  switch (rule) {
    case PeerRule::cute_cpp:
      return "CuTe C++ 3.9 to 4.7";
    case PeerRule::pycute:
      return "pycute";
    case PeerRule::paper:
      return "the rule of the CuTe paper";
    case PeerRule::tensor_layouts:
      return "tensor-layouts";
  }
  return "";
}

/// The diagnostic of a failed composition(a, b): why it fails, what would compose instead, and which
/// implementations give a wrong result.
Diagnostic refused(const Call& call, const StridedLayout& a, const StridedLayout& b,
                   const AlgebraError& error) {
  Diagnostic d = call.refusal(error);
  if (error.code != Code::not_representable) return d;
  const CompositionReport report = composition_check(a, b);
  for (const PeerVerdict& peer : report.peers) {
    if (!peer.accepts || !peer.wrong_at || peer.rule != PeerRule::cute_cpp) continue;
    d.notes.push_back(fmt::format("{} answers {}, which is wrong at coordinate {}", peer_name(peer.rule),
                                  to_string(peer.result), *peer.wrong_at));
  }
  std::vector<std::string> hints;
  // A hint changes one leaf of b. The layout may then be too large, and other leaves of b may still fail.
  const auto propose = [&](const StridedLayout& near) {
    const std::string text = to_string(near);
    if (parse_cute_layout(text) && composition(a, near).ok()) hints.push_back(text);
  };
  if (error.leaf >= 0 && report.extent_hint) {
    StridedLayout near = b;
    near.extent[error.leaf] = *report.extent_hint;
    propose(near);
  }
  if (error.leaf >= 0 && report.stride_hint) {
    StridedLayout near = b;
    near.stride[error.leaf] = *report.stride_hint;
    propose(near);
  }
  if (report.by_mode_hint) {
    std::vector<Tiler> modes;
    for (int i = 0; i < b.rank(); ++i) modes.emplace_back(sublayout(b, mode_at(b.profile, i)));
    if (const Outcome<Tiler> t = by_mode(modes); t.ok())
      hints.push_back(fmt::format("the tiler {} by mode", to_string(*t)));
  }
  if (!hints.empty()) d.help = fmt::format("{} on the right composes", fmt::join(hints, " or "));
  return d;
}

Result<Value> compose_domain(Call& call, const Chain& a, const Tiler& t) {
  if (!a.layout.has_domain()) {
    if (t.by_mode() || t.kind[0] == Tiler::Kind::everything) return no_shape(call);
    return detail::answer(call, make_composed(a.layout, 0, terminal(t, 0)));
  }
  const StridedLayout& domain = a.layout.domain();
  if (t.by_mode() || t.kind[0] != Tiler::Kind::layout) {
    return on_domain(call, a, [&](const StridedLayout& l) { return composition(l, t, call.trace()); });
  }
  const StridedLayout b = terminal(t, 0);
  const Outcome<StridedLayout> both = composition(domain, b, call.trace());
  if (!both) return fail(refused(call, domain, b, both.error));
  return on_domain(call, a, [&](const StridedLayout&) { return both; });
}

/// composition(A, B) with a chain B: c -> A(B(c)).
Result<Value> compose_chain(const Call& call, const ComposedLayout& a, const ComposedLayout& b) {
  if (!a.has_domain()) return detail::answer(call, make_composed(a, 0, b));
  const Outcome<ComposedLayout> inner = composition(a.domain(), b);
  if (!inner || a.parts == 1) return detail::answer(call, inner);
  ComposedLayout outer;
  outer.parts = a.parts - 1;
  for (int i = 0; i < outer.parts; ++i) outer.part[i] = a.part[i];
  return detail::answer(call, make_composed(outer, a.part[a.parts - 2].offset, *inner));
}

Result<Value> composed(Call& call, const Chain& a, const TilerOrChain& right,
                       const std::optional<Chain>& inner) {
  const Value& b = right.value;
  if (inner) {  // as in C++, composition(Sw, offset, L) makes a composed layout
    const Index* x = b.integer();
    if (x == nullptr)
      return fail(detail::misfit(call, 1, "an integer between A and a third layout",
                                 Diagnostic{.code = Code::argument_type, .message = {}}));
    return detail::answer(call, make_composed(a.layout, *x, inner->layout));
  }
  if (b.as<Swizzle>() != nullptr || b.as<TrackedComposed>() != nullptr) {
    return compose_chain(call, a.layout, Parameter<Chain>::read(b)->layout);
  }
  const Result<Tiler> t = Parameter<Tiler>::read(b);
  if (!t) return fail(detail::misfit(call, 1, "a layout or a tiler", t.error()));
  return compose_domain(call, a, *t);
}

Result<Value> composed_bases(const Call& call, const ChainOrBases& a, const Value& b) {
  const Result<ChainOrBases> right = Parameter<ChainOrBases>::read(b);
  if (!right) return fail(detail::misfit(call, 1, Parameter<ChainOrBases>::kind, right.error()));
  if (!a.bases && !a.layout.has_domain() && right->bases)
    return swizzled_bases(call, a.layout, *right->bases);
  const Result<LinearBases> outer = linear_of(call, 0, a);
  if (!outer) return fail(outer.error());
  const Result<LinearBases> inner = linear_of(call, 1, *right);
  return inner ? linear_composed(call, *outer, *inner) : fail(inner.error());
}

std::string report_text(Call call, const StridedLayout& a, const StridedLayout& b) {
  call.name = "composition";
  const CompositionReport report = composition_check(a, b);
  std::string out;
  if (report.exact.ok()) {
    out = fmt::format("exact: {}", to_string(*report.exact));
  } else {
    const Diagnostic d = refused(call, a, b, report.exact.error);
    out = fmt::format("exact: refused, {}", d.message);
    if (!d.witness.empty()) out += fmt::format("\nwitness: {}", d.witness);
    if (!d.help.empty()) out += fmt::format("\nhelp: {}", d.help);
  }
  if (a.has_basis() || b.has_basis()) return out;
  for (const PeerVerdict& peer : report.peers) {
    const std::string answer = peer.accepts ? to_string(peer.result)
                               : peer.fits  ? "refused"
                                            : "an answer of more numbers than fit";
    out += fmt::format("\n{}: {}", peer_name(peer.rule), answer);
    if (peer.wrong_at) out += fmt::format(", wrong at coordinate {}", *peer.wrong_at);
  }
  return out;
}

Result<Value> complemented(Call& call, const Chain& c, const std::optional<Shape>& cotarget) {
  if (!c.layout.has_domain()) return no_shape(call);
  const StridedLayout& l = c.layout.domain();
  const Outcome<bool> tiles = complement_tiles(l);
  if (tiles.ok() && !*tiles) {
    call.note(fmt::format("complement({}) rounds a hole down: some offsets stay unused", to_string(l)));
  }
  const Outcome<StridedLayout> out =
      cotarget ? complement(l, cotarget->tuple, call.trace()) : complement(l, call.trace());
  if (out) return Value(*out);
  if (out.error.code != Code::non_injective) return call.refuse(out.error);
  const Outcome<Injectivity> apart = injectivity(filter(l));
  if (apart && !apart->injective) return call.refuse(out.error);
  // Modes that interleave without sharing an offset may have a complement that sorted strides do not show.
  Diagnostic d = call.refusal(out.error);
  d.code = Code::undecided;
  d.message = to_string(call) +
              ": no complement was found: its modes interleave, and only layouts whose sorted modes "
              "end before the next one starts are searched";
  d.help = "right_inverse and left_inverse do not need sorted modes";
  return fail(std::move(d));
}

}  // namespace

void add_simplification(FunctionTable& table) {
  const Group add{table, "Simplification"};
  add("coalesce(L[, profile])",
      "the simplest layout of the same function; with a profile, at each of its leaves",
      [](Call& call, const Chain& c, const std::optional<IntTuple>& profile) {
        return on_domain(call, c, [&](const StridedLayout& l) {
          return profile ? coalesce(l, profile->profile, call.trace())
                         : Outcome<StridedLayout>(coalesce(l, call.trace()));
        });
      });
  add("filter(L[, profile])", "coalesce without the modes of stride 0, which repeat offsets",
      [](Call& call, const Chain& c, const std::optional<IntTuple>& profile) {
        return on_domain(call, c, [&](const StridedLayout& l) {
          return profile ? filter(l, profile->profile, call.trace())
                         : Outcome<StridedLayout>(filter(l, call.trace()));
        });
      });
  add("filter_zeros(L)", "modes of stride 0 get the extent 1", [](Call& call, const Chain& c) {
    return on_domain(call, c, [](const StridedLayout& l) { return Outcome<StridedLayout>(filter_zeros(l)); });
  });
  add("simplify(C)", "a chain as a layout and an offset, if they exist",
      [](Call& call, const Chain& c) -> Result<Value> {
        if (!c.layout.has_domain()) return no_shape(call);
        const Outcome<OffsetLayout> plain = simplify(c.layout);
        if (!plain) return call.refuse(plain.error);
        if (plain->offset == 0) return Value(plain->layout);
        return to_value(Slice{plain->layout, IntTuple(plain->offset)});
      });

  const Group compose{table, "Composition"};
  compose("composition(A, B[, C])",
          "c -> A(B(c)), exact; B is a layout, a by-mode tiler, a swizzle, a chain or bases, or the offset "
          "before C",
          [](Call& call, const ChainOrBases& a, const TilerOrChain& b, const std::optional<Chain>& c) {
            if (!c && (a.bases || b.value.as<LinearBases>() != nullptr))
              return composed_bases(call, a, b.value);
            return composed(call, Chain{a.layout}, b, c);
          });
  compose("composition_check(A, B)",
          "composition, with the answers of other implementations and where they are wrong",
          [](Call& call, const StridedLayout& a, const StridedLayout& b) {
            return TextBlock{report_text(call, a, b)};
          });
  compose("complement(L[, cotarget])", "where copies of L start inside a codomain of this size",
          [](Call& call, const Chain& c, const std::optional<Shape>& cotarget) {
            return complemented(call, c, cotarget);
          });
  compose("complement_open(L)", "the holes of L, and where its next copy would start",
          [](Call&, const StridedLayout& l) { return complement_open(l); });
}

}  // namespace tessera::eval
