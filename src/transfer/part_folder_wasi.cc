// SPDX-License-Identifier: Apache-2.0
// PartFolder and PartFile where the system cannot rename folders (WebAssembly): nothing can be written.
#include "transfer/part_folder.h"

namespace tessera::transfer {
namespace {

Failure no_folders(const std::string& path) {
  return fail(Code::file_write, "'" + path + "' cannot be written here: there are no folders");
}

}  // namespace

Result<std::string> PartFolder::writable_target(const std::string& target, bool, bool) {
  return no_folders(target);
}
Result<std::unique_ptr<PartFolder>> PartFolder::open(const std::string& target, bool, const std::string&,
                                                     Index, bool, bool) {
  return no_folders(target);
}
PartFolder::~PartFolder() = default;
Result<void> PartFolder::check_room(Index) const { return {}; }
Result<void> PartFolder::record(std::size_t, Index, std::uint64_t) const { return no_folders(path_); }
Result<void> PartFolder::commit(const std::string&) { return no_folders(path_); }
Result<void> PartFolder::rename_to_target(const std::string&) { return no_folders(path_); }
Result<PartFile> PartFile::open(const PartFolder& folder, std::size_t number, const std::string& name,
                                Index) {
  PartFile out;
  out.folder_ = &folder;
  out.number_ = number;
  return no_folders(name);
}
Result<void> PartFile::write_band(std::span<const std::span<const std::byte>>, Index) const {
  return no_folders("");
}
Index PartFile::band_length(Index, Index most) const { return most; }
PartFile::Kept PartFile::read_kept(std::span<std::byte>, Index) const { return Kept::unknown; }

}  // namespace tessera::transfer
