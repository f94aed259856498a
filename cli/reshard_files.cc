// SPDX-License-Identifier: Apache-2.0
// `tessera reshard files`: writes a checkpoint in another distribution.
#include "tessera/transfer/reshard_files.h"

#include <fmt/format.h>

#include <memory>
#include <optional>

#include "cli/help.h"
#include "cli/little_memory.h"
#include "cli/progress.h"
#include "cli/recipe_option.h"
#include "cli/reshard_verbs.h"
#include "cli/tensor_options.h"
#include "cli/verbs.h"
#include "files/file_writer.h"
#include "report/distribution_answer.h"
#include "report/reshard_files_answer.h"
#include "transfer/compare_files.h"
#include "transfer/source_copies.h"
#include "verbs/byte_size.h"

namespace tessera::cli {
namespace {

struct FilesRequest {
  std::string source;
  std::string target;
  ReshardFilesOptions options;
  std::string recipe;
  std::vector<std::string> set;
  std::string memory = "1G";
  std::string max_file = "5G";
  std::string checksums;
  bool dry_run = false;
};

bool read_size(Session& session, const std::string& text, const char* option, Index least, Index& out,
               int& status) {
  const std::optional<Index> bytes = verbs::parse_byte_size(text);
  if (bytes && *bytes >= least) {
    out = *bytes;
    return true;
  }
  Diagnostic diagnostic{.code = Code::bad_option,
                        .message = bytes ? fmt::format("{} is too little; the minimum is {}", text, least)
                                         : fmt::format("'{}' is not a size", text)};
  diagnostic.help = fmt::format("write a number followed by K, M, G or T: {} 512M", option);
  status = report_option(session, std::move(diagnostic), option);
  return false;
}

// Reads the sizes of axes, and the recipe that has them.
bool read_recipe(Session& session, FilesRequest& request, int& status) {
  if (request.recipe.empty() && !request.set.empty()) {
    status = report_option(session,
                           {.code = Code::bad_option,
                            .message = "--set gives the size of an axis of a recipe, but there is no recipe",
                            .help = "name one: --recipe FILE, or one that tessera reshard recipes lists"},
                           "--set");
    return false;
  }
  if (request.recipe.empty()) return true;
  if (!request.options.from.empty() || !request.options.to.empty()) {
    status = report_option(session,
                           {.code = Code::bad_option,
                            .message = "a recipe already says how tensors are distributed",
                            .help = "leave out --from and --to"},
                           "--recipe");
    return false;
  }
  auto recipe = named_recipe(session, request.recipe, request.set, "--recipe", status);
  if (!recipe) return false;
  request.options.recipe = std::move(recipe->text);
  request.options.set = std::move(recipe->set);
  return true;
}

int report_reshard(Session& session, const FilesRequest& request, Diagnostic diagnostic,
                   std::shared_ptr<const Source> source) {
  if (source != nullptr) {
    if (source->name() == "recipe")
      source = std::make_shared<const Source>(request.recipe, request.options.recipe);
    const int status = status_of(diagnostic);
    session.report(std::move(diagnostic), source);
    return status;
  }
  switch (diagnostic.code) {
    case Code::file_write:
    case Code::file_exists:
      return report_failure(session, std::move(diagnostic), request.target);
    default:
      return report_failure(session, std::move(diagnostic), request.source);
  }
}

int write_checksums(Session& session, const std::string& path, const ReshardFilesReport& report) {
  if (path.empty()) return kDone;
  const std::string text = checksums_text(report);
  auto file = FileWriter::create(path, session.options.force);
  Result<void> done;
  if (!file) done = fail(file.error());
  if (done) done = (*file)->write(std::as_bytes(std::span(text)));
  if (done) done = (*file)->commit();
  return done ? kDone : report_option(session, done.error(), "--checksums");
}

// Says which device each place is, where the distributions leave that open.
SidesNumbering numbering_of(Session& session, const ReshardFilesOptions& options) {
  SidesNumbering out;
  const auto from = parse_distribution(options.from);
  const auto to = parse_distribution(options.to);
  std::vector<const Distribution*> all;
  if (from && !options.from.empty()) {
    out.from = numbering(*from);
    all.push_back(&*from);
  }
  if (to && !options.to.empty()) {
    out.to = numbering(*to);
    all.push_back(&*to);
  }
  for (const std::string& note : numbering_notes(all)) session.note(note);
  return out;
}

int files(Session& session, FilesRequest& request) {
  int status = kDone;
  if (!read_size(session, request.memory, "--memory", kLeastReshardMemory, request.options.memory_bytes,
                 status) ||
      !read_size(session, request.max_file, "--max-file", 1, request.options.max_file_bytes, status) ||
      !read_recipe(session, request, status)) {
    return status;
  }
  request.options.force = session.options.force;
  std::shared_ptr<const Source> errors_in;
  const std::unique_ptr<Destination> answer = Destination::open(session, /*html_allowed=*/false, status);
  if (answer == nullptr) return status;
  const bool json = answer->format() == Format::json;
  request.options.checksums = json || !request.checksums.empty();
  if (request.dry_run) {
    const auto plan = transfer::make_file_plan(request.source, request.target, request.options, &errors_in);
    if (plan && request.options.check) {
      if (auto checked = check_every_byte(*plan); !checked)
        return answer->finish(report_reshard(session, request, checked.error(), nullptr));
    }
    if (!plan) return answer->finish(report_reshard(session, request, plan.error(), errors_in));
    if (!request.options.allow_unused) {
      const auto which = request.options.check ? transfer::WhichCopies::all : transfer::WhichCopies::declared;
      const auto equal = transfer::compare_copies(*plan, which, request.options.memory_bytes);
      if (!equal) return answer->finish(report_reshard(session, request, equal.error(), nullptr));
    }
    const SidesNumbering numbering = numbering_of(session, request.options);
    answer->output().write(json ? plan_json(request.target, *plan, numbering) + "\n"
                                : plan_text(request.target, *plan));
    return answer->finish(kDone);
  }
  std::optional<ProgressBar> bar;
  const bool visible = !session.options.quiet && !session.is_request();
  const auto progress = [&](std::string_view, Progress reached) {
    if (!bar)
      bar.emplace(session.err(), static_cast<std::uint64_t>(reached.total), visible, ProgressUnit::bytes);
    bar->advance_to(static_cast<std::uint64_t>(reached.done));
  };
  auto report = in_memory(
      [&] { return reshard_files(request.source, request.target, request.options, progress, &errors_in); });
  bar.reset();
  if (!report) return answer->finish(report_reshard(session, request, report.error(), errors_in));
  status = write_checksums(session, request.checksums, *report);
  const ReshardFilesAnswer text{request.source, request.target, std::move(*report),
                                numbering_of(session, request.options)};
  if (json || !session.options.quiet || !session.options.output.empty())
    answer->output().write(json ? to_json(text) + "\n" : to_text(text));
  return answer->finish(status);
}

}  // namespace

void add_reshard_files(CLI::App& reshard, Session& session) {
  CLI::App* verb = reshard.add_subcommand("files", "write a checkpoint in another distribution");
  auto request = std::make_shared<FilesRequest>();
  ReshardFilesOptions& options = request->options;
  verb->add_option("SRC", request->source,
                   "a folder of .safetensors or .npy files, one file, an index, or a template: "
                   "'tp{place}.safetensors'")
      ->required();
  verb->add_option("DST", request->target, "the folder or the file to write")->required();
  verb->add_option("--from", options.from,
                   "how every tensor is distributed over the files of SRC: place k is the k-th file")
      ->type_name("DIST");
  verb->add_option("--to", options.to, "how every tensor is distributed over the new files")
      ->type_name("DIST");
  verb->add_option("--recipe", request->recipe, "a recipe in a file, or a built-in one: tp, qkv-fuse, ...")
      ->type_name("FILE|NAME");
  verb->add_option("--set", request->set,
                   "the size of an axis of the recipe; `tessera reshard recipes` lists them")
      ->type_name("NAME=VALUE");
  verb->add_option("--from-files", options.from_files,
                   "the names of the files of SRC to read: 'tp{t:02}.safetensors'")
      ->type_name("TEMPLATE");
  verb->add_option("--to-files", options.to_files, "the names of the new files: 'tp{place:02}.safetensors'")
      ->type_name("TEMPLATE");
  verb->add_option("--max-file", request->max_file,
                   "the largest size of a file of whole tensors (default: 5G)")
      ->type_name("SIZE");
  verb->add_option("--memory", request->memory,
                   "limit for buffers and resident pages of the files: 512M, 4G (default: 1G)")
      ->type_name("SIZE");
  add_threads_option(*verb, options.threads);
  verb->add_option("--checksums", request->checksums, "write XXH3-64 of each new tensor to this file")
      ->type_name("FILE");
  verb->add_flag("--dry-run", request->dry_run,
                 "print each new tensor and where it comes from; write nothing");
  verb->add_flag("--check", options.check, "prove first that every byte is written once");
  verb->add_flag(
      "--verify", options.verify,
      "compare each element with its source before DST appears, and many of them without using the plan");
  verb->add_flag("--resume", options.resume, "continue a run that was interrupted");
  verb->add_flag(
      "--allow-unused", options.allow_unused,
      "ignore what the target does not use: tensors of SRC, and copies that differ from the one that is "
      "read");
  add_common_options(*verb, session);
  verb->footer(
      R"(`tessera reshard SRC DST ...` is the same. Without --from or --to, tensors are whole on that side. DST appears whole or
not at all; --force replaces what is there. Recipes: docs/lookup/recipes.md.

Examples:
  head -c 20 /dev/zero > w.raw; tessera copy w.raw w.safetensors#w --from 'u8[5,4]'; tessera reshard w.safetensors parts --to 'DeviceMesh((2)) [Shard(0)]' --check)");
  verb->callback(
      [&session, request] { session.action = [&session, request] { return files(session, *request); }; });
}

}  // namespace tessera::cli
