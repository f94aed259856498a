// SPDX-License-Identifier: Apache-2.0
#include "transfer/part_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "base/at_fault.h"
#include "base/try.h"
#include "base/xxh3.h"
#include "tessera/files/tensor_file.h"
#include "transfer/limits.h"

namespace tessera::transfer {
namespace {

constexpr std::string_view kJournal = "/tessera.resume.jsonl";
constexpr unsigned kNoReplace = 1;  // RENAME_NOREPLACE
constexpr unsigned kExchange = 2;   // RENAME_EXCHANGE

int rename_with(const std::string& from, const std::string& to, unsigned flags) {
#ifdef SYS_renameat2
  return static_cast<int>(::syscall(SYS_renameat2, AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), flags));
#else
  errno = ENOSYS;
  return -1;
#endif
}

std::vector<std::string> entries_of(const std::string& folder) {
  std::vector<std::string> out;
  DIR* const directory = ::opendir(folder.c_str());
  if (directory == nullptr) return out;
  while (const dirent* entry = ::readdir(directory)) {
    const std::string name = entry->d_name;
    if (name != "." && name != "..") out.push_back(name);
  }
  ::closedir(directory);
  std::ranges::sort(out);
  return out;
}

// Removes a folder of files, including its subfolder `out`.
void remove_folder(const std::string& path) {
  for (const std::string& name : entries_of(path)) {
    const std::string inner = path + "/" + name;
    if (::unlink(inner.c_str()) != 0) {
      for (const std::string& file : entries_of(inner)) ::unlink((inner + "/" + file).c_str());
      ::rmdir(inner.c_str());
    }
  }
  ::rmdir(path.c_str());
}

// The value of a key in a line of the journal. Lines have no blanks and no escapes.
std::string_view value_in(std::string_view line, std::string_view key) {
  const std::string quoted = fmt::format("\"{}\":", key);
  const std::size_t at = line.find(quoted);
  if (at == line.npos) return {};
  std::string_view rest = line.substr(at + quoted.size());
  rest = rest.substr(0, rest.find_first_of(",}"));
  if (rest.size() >= 2 && rest.front() == '"') rest = rest.substr(1, rest.size() - 2);
  return rest;
}

// Claims a journal for this process. The lock ends with the process, however that ends. False if another one
// has it; a file system without locks does not tell.
bool lock(int journal) { return ::flock(journal, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK; }

template <class Number>
bool read_number(std::string_view text, Number& out, int base = 10) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out, base);
  return !text.empty() && error == std::errc() && end == text.data() + text.size();
}

}  // namespace

Result<std::string> PartFolder::writable_target(const std::string& target, bool single_file, bool force) {
  std::string path = target;
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  // A link stays, and its target is replaced.
  struct stat link = {};
  if (::lstat(path.c_str(), &link) == 0 && S_ISLNK(link.st_mode)) {
    char* const real = ::realpath(path.c_str(), nullptr);
    if (real == nullptr) {
      return fail(
          {.code = Code::file_write,
           .message = fmt::format("'{}' cannot be written: it is a link to what does not exist", target),
           .reason = "broken_link",
           .help = "remove the link, or create its target",
           .field = "out"});
    }
    path = real;
    std::free(real);
  }
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0) return path;
  if (!force) {
    return detail::at_fault("out", fail(Code::file_exists, fmt::format("'{}' already exists", target), {},
                                        "choose another name, or replace it with --force"));
  }
  if (S_ISDIR(status.st_mode) == single_file) {
    return detail::at_fault(
        "out", fail(Code::file_exists, fmt::format("'{}' is a {}", target, single_file ? "folder" : "file"),
                    {}, "choose another name"));
  }
  for (const std::string& name : single_file ? std::vector<std::string>() : entries_of(path)) {
    struct stat inner = {};
    if (::stat((path + "/" + name).c_str(), &inner) == 0 && S_ISDIR(inner.st_mode)) {
      return detail::at_fault(
          "out", fail(Code::file_exists,
                      fmt::format("'{}' has the folder '{}', which --force would remove", target, name), {},
                      "choose another name, or remove the old folder yourself"));
    }
  }
  return path;
}

Result<std::unique_ptr<PartFolder>> PartFolder::open(const std::string& target, bool single_file,
                                                     const std::string& hash, Index band_bytes, bool force,
                                                     bool resume) {
  TESSERA_TRY(real, writable_target(target, single_file, force));
  std::unique_ptr<PartFolder> out(new PartFolder);
  out->target_ = std::move(real);
  out->force_ = force;
  out->band_bytes_ = band_bytes;
  // Another version may make other bytes, or cut them elsewhere.
  const std::string plan = fmt::format("{}-{}", TESSERA_VERSION, hash);
  const std::size_t slash = out->target_.rfind('/');
  const std::string parent = slash == std::string::npos ? "." : out->target_.substr(0, slash + 1);
  const std::string prefix = out->target_.substr(slash == std::string::npos ? 0 : slash + 1) + ".part-";
  for (const std::string& name : entries_of(parent)) {
    if (!name.starts_with(prefix)) continue;
    const std::string path = slash == std::string::npos ? name : parent + name;
    if (!resume || !out->path_.empty() || !out->take(path, plan)) out->leftovers_.push_back(path);
  }
  if (out->path_.empty()) TESSERA_NEED(out->create(plan));
  remember_unfinished(out->path_, /*resumable=*/true);
  return out;
}

Result<void> PartFolder::create(const std::string& plan) {
  std::string name = target_ + ".part-XXXXXX";
  if (::mkdtemp(name.data()) == nullptr) return cannot_write(target_, errno);
  path_ = name;
  const mode_t mask = ::umask(0);
  ::umask(mask);
  ::chmod(path_.c_str(), 0777 & ~mask);
  if (::mkdir((path_ + "/out").c_str(), 0777) != 0) return cannot_write(path_, errno);
  journal_ = ::open((path_ + std::string(kJournal)).c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (journal_ < 0 || !lock(journal_)) return cannot_write(path_, errno);
  const std::string line =
      fmt::format("{{\"schema\":\"tessera.resume/1\",\"plan\":\"{}\",\"band\":{}}}\n", plan, band_bytes_);
  if (::write(journal_, line.data(), line.size()) != static_cast<ssize_t>(line.size()))
    return cannot_write(path_, errno);
  return {};
}

// Continues in the folder of an earlier run with the same plan, unless that still runs.
bool PartFolder::take(const std::string& path, const std::string& plan) {
  const int journal = ::open((path + std::string(kJournal)).c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (journal < 0) return false;
  if (!lock(journal) || !read_journal(path, plan, journal)) {
    ::close(journal);
    return false;
  }
  path_ = path;
  journal_ = journal;
  return true;
}

// If the last line has no line break, a kill cut it off.
bool PartFolder::read_journal(const std::string& path, const std::string& plan, int descriptor) {
  // A run that was killed between its last rename and the removal of this folder left no files here.
  struct stat status = {};
  if (::stat((path + "/out").c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) return false;
  const Result<MappedFile> file = MappedFile::open(path + std::string(kJournal));
  if (!file) return false;
  std::string_view text(reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size());
  bool first = true;
  Index band = 0;
  Bands bands;
  while (text.find('\n') != text.npos) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(line.size() + 1);
    if (first) {
      if (value_in(line, "plan") != plan || !read_number(value_in(line, "band"), band)) return false;
      first = false;
      continue;
    }
    if (!value_in(line, "done").empty()) return false;
    std::size_t number = 0;
    Index begin = 0;
    std::uint64_t sum = 0;
    if (!read_number(value_in(line, "file"), number) || !read_number(value_in(line, "begin"), begin) ||
        !read_number(value_in(line, "xxh3"), sum, 16)) {
      return false;
    }
    bands[{number, begin}] = sum;
  }
  if (first || band <= 0 || band > kTransferLimits.band_bytes) return false;
  // An incomplete line would corrupt the next one, so remove it.
  const auto whole = static_cast<off_t>(file->bytes().size() - text.size());
  if (::ftruncate(descriptor, whole) != 0) return false;
  band_bytes_ = band;
  finished_ = std::move(bands);
  return true;
}

PartFolder::~PartFolder() {
  forget_unfinished(path_);
  // The lock holds until the folder is gone, so that no other process takes it.
  const bool earlier = !finished_.empty() && !committed_ && !discarded_;  // what an earlier run left
  const bool removed = !keep_ && !earlier && !path_.empty();
  if (removed) remove_folder(path_);
  if (journal_ >= 0) ::close(journal_);
  if (removed) ::rmdir(path_.c_str());  // NFS keeps an open file, and with it the folder
}

Result<void> PartFolder::check_room(Index bytes) const {
  return finished_.empty() ? tessera::check_room(journal_, target_, bytes) : Result<void>();
}

Result<void> PartFolder::record(std::size_t file, Index begin, std::uint64_t hash) const {
  const std::string line =
      fmt::format("{{\"file\":{},\"begin\":{},\"xxh3\":\"{:016x}\"}}\n", file, begin, hash);
  if (::write(journal_, line.data(), line.size()) == static_cast<ssize_t>(line.size())) return {};
  return cannot_write(path_, errno);
}

Result<void> PartFolder::commit(const std::string& single_name) {
  TESSERA_NEED(rename_to_target(single_name));
  forget_unfinished(path_);
  committed_ = true;
  return {};
}

Result<void> PartFolder::rename_to_target(const std::string& single_name) {
  const std::string done = single_name.empty() ? path_ + "/out" : file(single_name);
  struct stat status = {};
  const bool replace = force_ && ::stat(target_.c_str(), &status) == 0;
  if (replace && single_name.empty()) {
    // After the exchange, the part folder has the old files, so later runs must not continue there.
    constexpr std::string_view kDone = "{\"done\":1}\n";
    if (::write(journal_, kDone.data(), kDone.size()) != static_cast<ssize_t>(kDone.size()))
      return cannot_write(path_, errno);
    if (rename_with(done, target_, kExchange) == 0) return {};
    keep_ = true;
    return fail(
        {.code = Code::file_write,
         .message = fmt::format("'{}' cannot be replaced in one step on this file system", target_),
         .help = fmt::format("the new files are in '{}': remove the old folder and rename that one", done),
         .field = "out"});
  }
  if (replace)
    return ::rename(done.c_str(), target_.c_str()) == 0 ? Result<void>() : cannot_write(target_, errno);
  if (rename_with(done, target_, kNoReplace) == 0) return {};
  if (errno == EEXIST) {
    keep_ = true;
    return detail::at_fault(
        "out", fail(Code::file_exists, fmt::format("'{}' has appeared in the meantime", target_), {},
                    "choose another name, or replace it with --force"));
  }
  // Not every file system supports the flag.
  if (errno != EINVAL && errno != ENOSYS) return cannot_write(target_, errno);
  return ::rename(done.c_str(), target_.c_str()) == 0 ? Result<void>() : cannot_write(target_, errno);
}

Result<PartFile> PartFile::open(const PartFolder& folder, std::size_t number, const std::string& name,
                                Index bytes) {
  PartFile out;
  out.folder_ = &folder;
  out.number_ = number;
  TESSERA_TRY(file, FileWriter::open(folder.file(name), bytes));
  out.file_ = std::move(file);
  return out;
}

Result<void> PartFile::write_band(std::span<const std::span<const std::byte>> runs, Index at) const {
  const Index begin = at;
  if (runs.size() == 1) {  // hashed first, so that the write finds it in the cache
    const std::uint64_t hash = xxh3_64(runs[0]);
    TESSERA_NEED(file_->write_at(runs[0], at));
    return folder_->record(number_, begin, hash);
  }
  Xxh3 hash;
  for (const std::span<const std::byte> run : runs) {
    hash.update(run);
    TESSERA_NEED(file_->write_at(run, at));
    at += std::ssize(run);
  }
  return folder_->record(number_, begin, hash.digest());
}

Index PartFile::band_length(Index at, Index most) const {
  const auto next = folder_->finished().upper_bound({number_, at});
  const bool is_here = next != folder_->finished().end() && next->first.first == number_;
  return is_here ? std::min(most, next->first.second - at) : most;
}

PartFile::Kept PartFile::read_kept(std::span<std::byte> band, Index at) const {
  const auto known = folder_->finished().find({number_, at});
  if (known == folder_->finished().end()) return Kept::unknown;
  std::span<std::byte> rest = band;
  while (!rest.empty()) {
    const ssize_t got = ::pread(file_->descriptor(), rest.data(), rest.size(), at);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return Kept::differs;
    rest = rest.subspan(static_cast<std::size_t>(got));
    at += got;
  }
  return xxh3_64(band) == known->second ? Kept::same : Kept::differs;
}

}  // namespace tessera::transfer
