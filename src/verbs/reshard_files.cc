// SPDX-License-Identifier: Apache-2.0
#include "verbs/reshard_files.h"

#include <algorithm>
#include <utility>

#include "files/file_writer.h"
#include "report/distribution_answer.h"
#include "report/exit_status.h"
#include "transfer/compare_files.h"
#include "transfer/source_copies.h"
#include "verbs/program.h"

namespace tessera::verbs {
namespace {

// Reads the recipe, and the sizes of its axes.
Result<void> read_recipe(const ReshardFilesRequest& request, ReshardFilesOptions& options) {
  if (request.recipe.empty()) {
    if (request.set.empty()) return {};
    return refuse("set", Code::bad_option,
                  "--set gives the size of an axis of a recipe, but there is no recipe",
                  "name one: --recipe FILE, or one that tessera reshard recipes lists");
  }
  if (request.from || request.to)
    return refuse("recipe", Code::bad_option, "a recipe already says how tensors are distributed",
                  "leave out --from and --to");
  auto recipe = named_recipe(request.recipe, request.set);
  if (!recipe) return fail(std::move(recipe.error()));
  options.recipe = std::move(recipe->text);
  options.set = std::move(recipe->set);
  return {};
}

// Says which device each place is, where the distributions leave that open.
SidesNumbering numbering_of(const ReshardFilesRequest& request, std::vector<std::string>& hints) {
  SidesNumbering out;
  std::vector<const Distribution*> all;
  if (request.from) {
    out.from = numbering(request.from->value);
    all.push_back(&request.from->value);
  }
  if (request.to) {
    out.to = numbering(request.to->value);
    all.push_back(&request.to->value);
  }
  hints = numbering_notes(all);
  return out;
}

Failure refuse_reshard(const ReshardFilesRequest& request, const ReshardFilesOptions& options,
                       Diagnostic error, std::shared_ptr<const Source> source, Observer& observer) {
  if (source != nullptr) {
    if (source->name() == "recipe") source = std::make_shared<const Source>(request.recipe, options.recipe);
    return in_file(observer, std::move(error), source);
  }
  const std::string_view field = error.field == "out"                   ? "dst"
                                 : error.field == "layout"              ? "layout"
                                 : error.field == "from" && request.raw ? "raw"
                                                                        : "src";
  return refuse(field, std::move(error));
}

// Plans without writing.
Result<ReshardFilesResult> dry_run(const ReshardFilesRequest& request, const ReshardFilesOptions& options,
                                   Observer& observer) {
  std::shared_ptr<const Source> errors_in;
  auto plan = transfer::make_file_plan(request.src, request.dst, options, &errors_in);
  if (!plan) return refuse_reshard(request, options, std::move(plan.error()), errors_in, observer);
  if (options.check) {
    if (auto checked = check_every_byte(*plan, options.memory_bytes); !checked)
      return refuse_reshard(request, options, std::move(checked.error()), nullptr, observer);
  }
  if (!options.allow_unused) {
    const auto which = options.check ? transfer::WhichCopies::all : transfer::WhichCopies::declared;
    auto equal = transfer::compare_copies(*plan, which, options.memory_bytes);
    if (!equal) return refuse_reshard(request, options, std::move(equal.error()), nullptr, observer);
  }
  std::vector<std::string> hints;
  SidesNumbering numbering = numbering_of(request, hints);
  hints.insert(hints.end(), plan->notes.begin(), plan->notes.end());
  return ReshardFilesResult(
      ReshardFilesResult::DryRun{request.dst, std::make_shared<const transfer::FilePlan>(*std::move(plan)),
                                 std::move(numbering)},
      std::move(hints), {});
}

}  // namespace

int ReshardFilesResult::status() const {
  int status = kDone;
  for (const Diagnostic& error : refused_) status = std::max<int>(status, status_of(error));
  return status;
}

Result<std::string> ReshardFilesResult::to_text(const Terminal& /*terminal*/) const {
  if (const auto* const answer = std::get_if<ReshardFilesAnswer>(&value_)) return tessera::to_text(*answer);
  const auto& dry = std::get<DryRun>(value_);
  return plan_text(dry.target, *dry.plan);
}

Result<std::string> ReshardFilesResult::to_json() const {
  if (const auto* const answer = std::get_if<ReshardFilesAnswer>(&value_)) return tessera::to_json(*answer);
  const auto& dry = std::get<DryRun>(value_);
  return plan_json(dry.target, *dry.plan, dry.numbering);
}

Result<ReshardFilesResult> reshard_files(const ReshardFilesRequest& request, Observer& observer) {
  ReshardFilesOptions options{.from = request.from ? request.from->text : "",
                              .to = request.to ? request.to->text : "",
                              .from_files = request.from_files,
                              .to_files = request.to_files,
                              .raw = request.raw ? std::optional(request.raw->value) : std::nullopt,
                              .layout = request.layout,
                              .max_file_bytes = request.max_file.bytes,
                              .memory_bytes = request.memory.bytes,
                              .threads = static_cast<int>(request.threads),
                              .force = request.force,
                              .resume = request.resume,
                              .check = request.check,
                              .verify = request.verify,
                              .checksums = observer.reads_json() || !request.checksums.empty(),
                              .allow_unused = request.allow_unused};
  if (auto read = read_recipe(request, options); !read) return fail(std::move(read.error()));
  if (request.dry_run) return dry_run(request, options, observer);
  const auto progress = [&observer](std::string_view, Progress reached) {
    observer.advanced("copy", static_cast<std::uint64_t>(reached.done),
                      static_cast<std::uint64_t>(reached.total));
  };
  std::shared_ptr<const Source> errors_in;
  auto report = tessera::reshard_files(request.src, request.dst, options, progress, &errors_in);
  if (!report) return refuse_reshard(request, options, std::move(report.error()), errors_in, observer);
  std::vector<Diagnostic> refused;
  if (!request.checksums.empty()) {
    if (auto written = write_file(request.checksums, checksums_text(*report), request.force); !written) {
      refused.push_back(std::move(written.error()));
      refused.back().field = "checksums";
    }
  }
  std::vector<std::string> hints;
  SidesNumbering numbering = numbering_of(request, hints);
  hints.insert(hints.end(), report->notes.begin(), report->notes.end());
  return ReshardFilesResult(
      ReshardFilesAnswer{request.src, request.dst, *std::move(report), std::move(numbering)},
      std::move(hints), std::move(refused));
}

Result<ReshardFilesResult> reshard_mpi(const ReshardMpiRequest& /*request*/, Observer& /*observer*/) {
  return fail(Code::bad_option, "a request cannot start an MPI job", {},
              "run mpirun -n 8 tessera reshard mpi IN OUT ..., with {place} in IN and OUT");
}

}  // namespace tessera::verbs
