// SPDX-License-Identifier: Apache-2.0
#include "transfer/copy_run.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <utility>

#include "base/try.h"
#include "base/xxh3.h"
#include "files/file_writer.h"

namespace tessera::transfer {
namespace {

std::string file_identity(const std::string& path) {
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0) return "none";
  // Not the modification time, which `cp -p`, rsync and tar set to that of another file.
  // The number too: another folder may have a file of this name, and one command may change both.
  return fmt::format("{} {}:{} {} {} {}", path, status.st_dev, status.st_ino, status.st_size,
                     static_cast<std::int64_t>(status.st_ctim.tv_sec),
                     static_cast<std::int64_t>(status.st_ctim.tv_nsec));
}

}  // namespace

std::string identity_of(const TensorFile& source, const TensorPath& path, const CopyOptions& options) {
  std::string text = fmt::format("{} #{} {} {}", file_identity(source.path()), source.tensor().name,
                                 source.tensor().begin, source.tensor().end);
  if (options.force && options.padding == Padding::keep) text += "\n" + file_identity(path.path);
  return text;
}

Result<CopyReport> run_copy(const TensorFile& source, const TensorPath& path, CopyWork work,
                            const CopyOptions& options, const CopyProgress& progress) {
  CopyReport report;
  report.format = format_of(path.path);
  report.elements = work.elements;
  report.source_bytes = source.tensor().end - source.tensor().begin;
  report.destination_bytes = work.bytes;
  report.dry_run = options.dry_run;
  report.by_element = work.by_element;
  report.bands = work.bands;
  if (options.dry_run) {
    TESSERA_TRY(writable, writable_path(path.path, options.force));
    static_cast<void>(writable);
    return report;
  }
  TargetWork target{.path = path.path, .single_file = true};
  std::string identity =
      fmt::format("{}\n{}\n{}\n{} {} {}", identity_of(source, path, options), work.sides, work.header,
                  work.bytes, options.memory_bytes, static_cast<int>(options.padding));
  for (const std::byte b : options.fill) identity += fmt::format(" {}", std::to_integer<int>(b));
  target.identity = xxh3_128(identity);
  target.release_source = [&source] { source.mapping().drop_pages(); };
  FileWork& file = target.files.emplace_back();
  file.name = path.path.substr(path.path.rfind('/') + 1);
  file.bytes = std::ssize(work.header) + work.bytes;
  file.header = std::move(work.header);
  file.tensors.push_back({.name = source.tensor().name, .bytes = work.bytes, .maker = std::move(work.maker)});
  const TargetProgress told = [&progress](std::string_view, Progress reached) {
    if (progress) progress(CopyStage::copy, reached);
  };
  TESSERA_TRY(done, run_target(target,
                               {.threads = options.threads,
                                .force = options.force,
                                .resume = options.resume,
                                .verify = options.verify,
                                .started = work.started},
                               told));
  static_cast<TransferReport&>(report) = std::move(done);
  report.read_bytes = report.source_bytes;
  report.bands = work.bands;
  return report;
}

}  // namespace tessera::transfer
