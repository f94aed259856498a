// SPDX-License-Identifier: Apache-2.0
/// \file
/// The verb `reshard files`: writes a checkpoint in another distribution; and the request of `reshard mpi`.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "report/reshard_files_answer.h"
#include "verbs/recipe.h"
#include "verbs/tensor_fields.h"

namespace tessera::verbs {

struct ReshardFilesRequest {
  std::string src = {};
  std::string dst = {};
  std::optional<Given<Distribution>> from = {};
  std::optional<Given<Distribution>> to = {};
  std::string recipe = {};
  std::vector<AxisSetting> set = {};
  std::string from_files = {};
  std::string to_files = {};
  std::optional<Given<NamedOrLayout>> raw = {};
  std::string layout = {};
  ByteSize<1, Index{5} << 30> max_file = {};
  ByteSize<kLeastReshardMemory, Index{1} << 30> memory = {};
  Index threads = 0;
  std::string checksums = {};
  bool dry_run = false;
  bool check = false;
  bool verify = false;
  bool resume = false;
  bool allow_unused = false;
  bool force = false;
};

template <>
struct Description<ReshardFilesRequest> {
  static constexpr std::string_view name = "reshard files";
  static constexpr std::string_view help = "write a checkpoint in another distribution";
  static constexpr bool marks_line = true;
  static constexpr std::string_view footer =
      R"(`tessera reshard SRC DST ...` is the same. Without --from or --to, tensors are whole on that side. DST appears whole or
not at all; --force replaces what is there. Recipes: docs/lookup/recipes.md.

Examples:
  head -c 20 /dev/zero > w.raw; tessera copy w.raw w.safetensors#w --from 'u8[5,4]'; tessera reshard w.safetensors parts --to 'DeviceMesh((2)) [Shard(0)]' --check)";
  template <class Visit>
  static void fields(Visit&& visit) {
    using R = ReshardFilesRequest;
    visit(Field{.name = "src",
                .help = "a folder of .safetensors, .npy or .gguf files (with --raw any), one file, an index, "
                        "or a template: "
                        "'tp{place}.safetensors'",
                .argument = true},
          &R::src);
    visit(Field{.name = "dst", .help = "the folder or the file to write", .argument = true}, &R::dst);
    visit(Field{.name = "from",
                .value = "DIST",
                .help = "how every tensor is distributed over the files of SRC: place k is the k-th file"},
          &R::from);
    visit(Field{.name = "to", .value = "DIST", .help = "how every tensor is distributed over the new files"},
          &R::to);
    visit(Field{.name = "recipe",
                .value = "FILE|NAME",
                .help = "a recipe in a file, or a built-in one: tp, qkv-fuse, ..."},
          &R::recipe);
    visit(Field{.name = "set",
                .value = "NAME=VALUE",
                .help = "the size of an axis of the recipe; `tessera reshard recipes` lists them"},
          &R::set);
    visit(Field{.name = "from_files",
                .value = "TEMPLATE",
                .help = "the names of the files of SRC to read: 'tp{t:02}.safetensors'"},
          &R::from_files);
    visit(Field{.name = "to_files",
                .value = "TEMPLATE",
                .help = "the names of the new files: 'tp{place:02}.safetensors'"},
          &R::to_files);
    visit(Field{.name = "raw",
                .value = "LAYOUT",
                .help = "the layout of each file of SRC that has no header, in any notation: 'f32[300,200]'",
                .example = "u8[5,4]"},
          &R::raw);
    visit(Field{.name = "layout",
                .value = "ORDER",
                .help = "the order of elements in new tensors: C (the default), F, XLA's for so many "
                        "dimensions: '{1,0:T(8,128)}', or a layout for tensors of its shape",
                .example = "F"},
          &R::layout);
    visit(Field{.name = "max_file",
                .value = "SIZE",
                .help = "the largest size of a file of whole tensors (default: 5G)",
                .example = "512M"},
          &R::max_file);
    visit(Field{.name = "memory",
                .value = "SIZE",
                .help = "limit for buffers and resident pages of the files: 512M, 4G (default: 1G)",
                .example = "512M"},
          &R::memory);
    visit(kThreadsField, &R::threads);
    visit(
        Field{.name = "checksums", .value = "FILE", .help = "write XXH3-64 of each new tensor to this file"},
        &R::checksums);
    visit(Field{.name = "dry_run", .help = "print each new tensor and where it comes from; write nothing"},
          &R::dry_run);
    visit(Field{.name = "check", .help = "prove first that every byte is written once"}, &R::check);
    visit(Field{.name = "verify",
                .help = "compare each element with its source before DST appears, by the definition of both "
                        "sides"},
          &R::verify);
    visit(Field{.name = "resume", .help = "continue a run that was interrupted"}, &R::resume);
    visit(Field{.name = "allow_unused",
                .help = "ignore what the target does not use: tensors of SRC, and copies that differ from "
                        "the one that "
                        "is read"},
          &R::allow_unused);
    visit(kForceField, &R::force);
  }
};

/// What was written, or what would be.
class ReshardFilesResult : public VerbAnswer {
 public:
  struct DryRun {
    std::string target;
    std::shared_ptr<const transfer::FilePlan> plan;
    SidesNumbering numbering;
  };
  ReshardFilesResult(std::variant<ReshardFilesAnswer, DryRun> value, std::vector<std::string> hints,
                     std::vector<Diagnostic> refused)
      : value_(std::move(value)), hints_(std::move(hints)), refused_(std::move(refused)) {}

  int status() const override;
  bool is_report() const override { return std::holds_alternative<ReshardFilesAnswer>(value_); }
  bool json_has_refusals() const override { return false; }
  Result<std::string> to_text(const Terminal& terminal) const override;
  Result<std::string> to_json() const override;
  std::vector<std::string> hints() const override { return hints_; }
  std::span<const Diagnostic> refused_parts() const override { return refused_; }

 private:
  std::variant<ReshardFilesAnswer, DryRun> value_;
  std::vector<std::string> hints_;
  std::vector<Diagnostic> refused_;
};

/// Errors: bad_option (fields that do not go together), those of named_recipe and tessera::reshard_files. A
/// file of checksums that cannot be written is a refused part.
Result<ReshardFilesResult> reshard_files(const ReshardFilesRequest& request, Observer& observer);

/// Options of tessera-mpi, which reads their values.
struct ReshardMpiRequest {
  std::string in = {};
  std::string out = {};
  std::string shape = {};
  std::string from = {};
  std::string to = {};
  std::string view = {};
  std::string memory = {};
  std::string timeout = {};
  bool verify = false;
};

template <>
struct Description<ReshardMpiRequest> {
  static constexpr std::string_view name = "reshard mpi";
  static constexpr std::string_view help =
      "reshard the files of ranks: under mpirun, one rank for each place";
  static constexpr bool marks_line = true;
  static constexpr std::string_view footer =
      R"(The job starts as many ranks as there are places. Every rank reads its own file and writes its own file. The new files
appear when all ranks have all their elements; if a rank fails before, none appears and old ones stay.

Examples:
  mpirun -n 4 tessera reshard mpi 'a-{place}.npy' 'b-{place}.npy' --shape 'f32[16,16]' --from '{devices=[4,1]<=[4]}' --to '{devices=[1,4]<=[4]}')";
  template <class Visit>
  static void fields(Visit&& visit) {
    using R = ReshardMpiRequest;
    visit(
        Field{.name = "in",
              .help = "the file of each place, with {place} for its number: .npy, .safetensors#NAME, or raw",
              .argument = true},
        &R::in);
    visit(Field{.name = "out", .help = "the files to write, with {place}", .argument = true}, &R::out);
    visit(Field{.name = "shape",
                .value = "TYPE[DIMS]",
                .help = "type and dimensions of the array: f32[16,16]",
                .required = true},
          &R::shape);
    visit(Field{.name = "from", .value = "DIST", .help = "the distribution before", .required = true},
          &R::from);
    visit(Field{.name = "to", .value = "DIST", .help = "the distribution after", .required = true}, &R::to);
    visit(Field{.name = "view",
                .value = "DIMS",
                .help = "dimensions of the target: the same elements in row-major order"},
          &R::view);
    visit(Field{.name = "memory", .value = "SIZE", .help = "the most bytes of packed data per rank (256M)"},
          &R::memory);
    visit(Field{.name = "timeout",
                .value = "S",
                .help = "seconds without progress after which the job fails (300; 0: never)"},
          &R::timeout);
    visit(Field{.name = "verify", .help = "compare sums over all elements before the files get their names"},
          &R::verify);
  }
};

/// Errors: always bad_option, because only mpirun can start the ranks.
Result<ReshardFilesResult> reshard_mpi(const ReshardMpiRequest& request, Observer& observer);

}  // namespace tessera::verbs
