// SPDX-License-Identifier: Apache-2.0
// `tessera plan`: prints the loops that would move data between two layouts.
#include "tessera/relayout/plan.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "cli/tensor_options.h"
#include "cli/verbs.h"
#include "report/copy_answer.h"
#include "report/ttgir_answer.h"
#include "tessera/notation/layout.h"
#include "tessera/relayout/relayout.h"
#include "verbs/register_plan.h"

namespace tessera::cli {
namespace {

struct PlanRequest : TensorOptions {
  bool verify = false;
  std::string target;  // of register layouts
  std::string expect;
};

// The plan between two register layouts of Triton.
int plan_of_registers(Session& session, const PlanRequest& request) {
  const auto answer = verbs::register_plan({.from = request.from,
                                            .to = request.to,
                                            .type = request.type,
                                            .target = request.target,
                                            .expect = request.expect});
  if (!answer) {
    Diagnostic error = answer.error();
    const std::string option = fmt::format("--{}", error.field);
    error.field = {};
    return report_option(session, std::move(error), option);
  }
  int status = kDone;
  const std::unique_ptr<Destination> destination = Destination::open(session, /*html_allowed=*/false, status);
  if (destination == nullptr) return status;
  destination->output().write(destination->format() == Format::json ? to_json(answer->plan) + "\n"
                                                                    : to_text(answer->plan));
  return destination->finish(answer->farther ? kNo : kDone);
}

// The bytes per element, on which both layouts must agree. Empty if an error was reported.
std::optional<Index> element_bytes(Session& session, const Layout& from, const Layout& to,
                                   const ElementHint& hint, int& status) {
  const auto refuse = [&](Code code, std::string message, std::string help) {
    status = report_option(session, {.code = code, .message = std::move(message), .help = std::move(help)},
                           "--to");
    return std::nullopt;
  };
  std::optional<DType> dtype = hint.dtype;
  for (const Layout* layout : {&from, &to}) {
    const std::optional<DType> own = layout->dtype();
    if (dtype && own && *dtype != *own) {
      return refuse(Code::different_type,
                    fmt::format("elements of type {} cannot become elements of type {}", to_string(*dtype),
                                to_string(*own)),
                    "copy moves bits and never converts them");
    }
    if (own) dtype = own;
  }
  if (!dtype && hint.bytes == 0) {
    return refuse(Code::missing_layout, "the element width is unknown",
                  "add the type, --type f32, or the width, --bytes 4");
  }
  if (!dtype) return hint.bytes;
  const Index bits = memory_bits(from, *dtype);
  const Index other = memory_bits(to, *dtype);
  if (bits != other || bits % 8 != 0) {
    return refuse(Code::unsupported_width,
                  fmt::format("a plan moves whole bytes, but the elements have {} and {} bits", bits, other),
                  "tessera copy packs and unpacks narrower elements when it reads and writes a file");
  }
  if (hint.bytes != 0 && hint.bytes != bits / 8) {
    status = report_option(session,
                           {.code = Code::bad_option,
                            .message = fmt::format("--bytes is {}, but an element of type {} has {}",
                                                   hint.bytes, to_string(*dtype), bits / 8),
                            .help = "leave out --bytes"},
                           "--bytes");
    return std::nullopt;
  }
  return bits / 8;
}

// The option that caused an error of make_plan: --from if the source's offsets overflow, otherwise --to.
std::string_view at_fault(const Diagnostic& error, const Layout& from, Index bytes) {
  if (error.code != Code::undecided && error.code != Code::overflow) return "--to";
  const Result<Interval> offsets = offset_range(from);
  const bool fits = offsets && checked_mul(offsets->lower, bytes) && checked_mul(offsets->upper + 1, bytes);
  return fits ? "--to" : "--from";
}

int plan(Session& session, const PlanRequest& request) {
  if (request.isa == "list") return list_isas(session, "plan");
  int status = kDone;
  for (const auto& [name, value] : {std::pair("--from", &request.from), std::pair("--to", &request.to)}) {
    if (!value->empty()) continue;
    return report_failure(session,
                          {.code = Code::bad_option,
                           .message = fmt::format("{} is missing", name),
                           .help = "usage: tessera plan --from LAYOUT --to LAYOUT"},
                          "");
  }
  if (verbs::is_register_pair(request.from, request.to)) return plan_of_registers(session, request);
  const std::optional<Layout> from = read_layout(session, "--from", request.from, status);
  const std::optional<Layout> to =
      status == kDone ? read_layout(session, "--to", request.to, status, &*from) : std::nullopt;
  if (status != kDone) return status;
  const std::optional<ElementHint> hint = read_hint(session, request, to, status);
  const std::optional<Isa> isa = status == kDone ? read_isa(session, request.isa, status) : std::nullopt;
  if (status != kDone) return status;
  const std::optional<Index> bytes = element_bytes(session, *from, *to, *hint, status);
  if (!bytes) return status;
  const std::optional<DType> dtype = hint->dtype ? hint->dtype : from->dtype() ? from->dtype() : to->dtype();
  const std::optional<PaddingFill> fill = read_fill(session, request.fill, dtype, 8 * *bytes, status);
  if (!fill) return status;
  const PlanOptions options{.padding = fill->padding,
                            .fill = fill->bytes,
                            .isa = *isa,
                            .threads = executor_threads(request.threads)};
  const Result<RelayoutPlan> made = make_plan(*from, *to, *bytes, options);
  if (!made) return report_option(session, made.error(), at_fault(made.error(), *from, *bytes));
  if (request.verify) {
    if (const Result<void> proved = verify(*made, *from, *to); !proved) {
      return report_failure(session, proved.error(), "--verify");
    }
  }
  const std::unique_ptr<Destination> destination = Destination::open(session, /*html_allowed=*/false, status);
  if (destination == nullptr) return status;
  destination->output().write(destination->format() == Format::json ? to_json(*made, *from, *to) + "\n"
                                                                    : made->describe());
  return destination->finish(kDone);
}

}  // namespace

void add_plan(CLI::App& app, Session& session) {
  CLI::App* verb = app.add_subcommand("plan", "show how data would be moved between two layouts");
  auto request = std::make_shared<PlanRequest>();
  add_tensor_options(*verb, *request);
  verb->add_flag("--verify", request->verify,
                 "prove that the plan moves every element to its place and writes nothing else");
  verb->add_option("--target", request->target, "register layouts: cuda:90 (the default), hip:gfx942, ...");
  verb->add_option("--expect", request->expect,
                   "register layouts: end with status 1 if elements move farther: none, renaming, selection, "
                   "lanes, warps, blocks");
  add_common_options(*verb, session);
  verb->footer(
      "The answer is the plan: loops around a kernel, with strides in bytes, cut into chunks for --threads. "
      "tessera copy\n"
      "--plan FILE runs it; in C++ parse_plan reads it back. Between two register layouts of Triton the "
      "answer is "
      "what a\n"
      "convert_layout costs: how far elements move, what Triton does, and the best exchange through shared "
      "memory.\n"
      "\n"
      "Examples:\n"
      "  tessera plan --from 'f32[64,256]{1,0}' --to 'f32[64,256]{1,0:T(8,128)}'\n"
      "  tessera plan --from 'np:(32,48):(48,1)' --to 'np:(32,48):(1,32)' --bytes 2 --verify");
  verb->callback(
      [&session, request] { session.action = [&session, request] { return plan(session, *request); }; });
}

}  // namespace tessera::cli
