// SPDX-License-Identifier: Apache-2.0
// tessera-mpi: the program that `tessera reshard mpi` starts, one process for each place. Its arguments are
// those of that verb.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <new>
#include <set>
#include <utility>

#include "base/plural.h"
#include "base/try.h"
#include "cli/mpi/place_file.h"
#include "mpi/communicator.h"
#include "mpi/element_sum.h"
#include "report/distribution_answer.h"
#include "report/exit_status.h"
#include "tessera/base/result.h"
#include "tessera/mpi/reshard.h"
#include "tessera/notation/layout.h"
#include "text/point.h"
#include "verbs/byte_size.h"

namespace tessera::mpi {
namespace {

struct Request {
  std::string in;
  std::string out;
  std::map<std::string, std::string> options;  // by name, including the dashes
  bool has(const std::string& name) const { return options.contains(name); }
  std::string value(const std::string& name) const {
    const auto at = options.find(name);
    return at == options.end() ? "" : at->second;
  }
};

// An error and the option that it points to. If the name is empty, it points to no option.
struct OptionError {
  Diagnostic error;
  std::string option = {};
  std::string text = {};
};

template <class T>
struct StepResult {
  std::optional<T> value = {};
  std::optional<OptionError> problem = {};
};

OptionError in_option(const Request& request, const std::string& option, Diagnostic error) {
  return {std::move(error), option, request.value(option)};
}

std::optional<Request> read_arguments(int argc, char** argv) {
  static const std::set<std::string> kFlags = {"--force", "--verify", "--quiet", "--json"};
  Request request;
  std::vector<std::string> positional;
  for (int i = 1; i < argc; ++i) {
    const std::string one = argv[i];
    if (!one.starts_with("--")) {
      positional.push_back(one);
    } else if (kFlags.contains(one)) {
      request.options[one] = "";
    } else if (i + 1 < argc) {
      request.options[one] = argv[++i];
    } else {
      return {};
    }
  }
  if (positional.size() != 2) return {};
  request.in = positional[0];
  request.out = positional[1];
  return request;
}

// The plan of the request, with its array.
struct Work {
  DType dtype = DType::f32;
  ReshardPlan plan;
};

StepResult<Work> planned(const Request& request, int ranks) {
  const auto problem = [&](const std::string& option, const Diagnostic& error) {
    return StepResult<Work>{.problem = in_option(request, option, error)};
  };
  const auto type = parse_layout(request.value("--shape"));
  if (!type) return problem("--shape", type.error());
  if (!type->dtype()) {
    return problem("--shape", {.code = Code::unknown_type,
                               .message = "the element type is unknown",
                               .help = "write the type before the dimensions: f32[16,16]"});
  }
  const DType dtype = *type->dtype();
  if (bit_width(dtype) % 8 != 0) {
    return problem("--shape",
                   {.code = Code::unsupported_width,
                    .message = fmt::format("elements of type {} do not fill whole bytes", to_string(dtype)),
                    .help = "reshard the packed bytes as u8"});
  }
  const std::vector<Index> shape(type->shape().begin(), type->shape().end());
  std::vector<Index> view = shape;
  if (request.has("--view")) {
    auto read = parse_shape(request.value("--view"));
    if (!read) return problem("--view", read.error());
    view = std::move(*read);
  }
  std::vector<BoundDistribution> sides;
  for (const auto& [option, dims] :
       {std::pair(std::string("--from"), shape), std::pair(std::string("--to"), view)}) {
    const auto distribution = parse_distribution(request.value(option));
    if (!distribution) return problem(option, distribution.error());
    const auto used = bind_distribution(*distribution, dims);
    if (used && used->places() > ranks)
      return problem(option, {.code = Code::index_out_of_range,
                              .message = fmt::format("the distribution uses place {}, but there are {} ranks",
                                                     used->places() - 1, ranks),
                              .help = "start as many ranks as there are places"});
    auto bound = bind_distribution(*distribution, dims, ranks);
    if (!bound) return problem(option, bound.error());
    sides.push_back(std::move(*bound));
  }
  auto plan = make_reshard_plan({{"", bit_width(dtype), std::move(sides[0]), std::move(sides[1])}});
  if (!plan) return problem(request.has("--view") ? "--view" : "--to", plan.error());
  return {.value = Work{dtype, std::move(*plan)}};
}

Result<MpiOptions> options_of(const Request& request) {
  MpiOptions options;
  if (request.has("--memory")) {
    const auto bytes = verbs::parse_byte_size(request.value("--memory"));
    if (!bytes)
      return fail(Code::bad_option, fmt::format("'{}' is not a size", request.value("--memory")), {},
                  "write a number followed by K, M, G or T: --memory 256M");
    options.memory_bytes = *bytes;
  }
  if (request.has("--timeout")) {
    const std::string text = request.value("--timeout");
    char* end = nullptr;
    options.timeout_seconds = std::strtod(text.c_str(), &end);
    if (text.empty() || *end != '\0' || !(options.timeout_seconds >= 0)) {
      return fail(Code::bad_option, fmt::format("'{}' is not a number of seconds", text), {},
                  "write a number of seconds: --timeout 300");
    }
  }
  return options;
}

// The arrays of this rank.
struct RankArrays {
  std::optional<TensorFile> source;
  std::unique_ptr<FileWriter> writer;
  std::unique_ptr<std::byte[]> memory;
  std::span<std::byte> target;
};

Result<RankArrays> open(const Request& request, const Work& work, Index place) {
  const ReshardArray& array = work.plan.arrays()[0];
  RankArrays out;
  if (array.from.shard_of(place)) {
    TESSERA_TRY(path, place_path(request.in, place));
    TESSERA_TRY(file, open_place(path, array.from, place, work.dtype));
    out.source = std::move(file);
  }
  if (array.to.shard_of(place)) {
    TESSERA_TRY(path, place_path(request.out, place));
    TESSERA_TRY(writer, create_place(path, array.to, place, work.dtype, request.has("--force")));
    out.writer = std::move(writer);
    const Index bytes = array.to.local_buffer(place).size() * (bit_width(work.dtype) / 8);
    if (out.writer->is_pending()) TESSERA_NEED(check_room(out.writer->descriptor(), path, bytes));
    out.memory.reset(new (std::nothrow) std::byte[static_cast<std::size_t>(bytes)]());
    if (out.memory == nullptr)
      return fail(Code::limit, fmt::format("not enough memory for {}", detail::plural(bytes, "byte")));
    out.target = {out.memory.get(), static_cast<std::size_t>(bytes)};
  }
  return out;
}

// Compares the sums over all ranks: every element of the target must be one of the source.
Result<void> verify_sums(Communicator& comm, const Work& work, const RankArrays& place) {
  const ReshardArray& array = work.plan.arrays()[0];
  const Index width = bit_width(work.dtype) / 8;
  std::vector<std::uint64_t> sums(2, 0);
  const auto weight = [&](const BoundDistribution& side) {
    return static_cast<std::uint64_t>(side.holders(*side.shard_of(comm.rank())).size());
  };
  // Of several holders of a shard, count only the first.
  if (place.source && array.from.holders(*array.from.shard_of(comm.rank()))[0] == comm.rank()) {
    sums[0] = element_sum(array.from, comm.rank(), width, place.source->data());
  }
  std::uint64_t copies = 0;
  if (!place.target.empty()) {
    sums[1] = element_sum(array.to, comm.rank(), width, place.target);
    copies = weight(array.to);
  }
  TESSERA_TRY(all, comm.sum(sums));
  TESSERA_TRY(counts, comm.gather(copies));
  copies = *std::ranges::max_element(counts);
  if (all[1] == all[0] * copies) return {};
  return fail(Code::verify_failed, "the elements after resharding differ from those before");
}

class ReshardRun {
 public:
  ReshardRun(Communicator& comm, const Request& request) : comm_(comm), request_(request) {}

  // Every rank ends with the same exit status.
  int run() {
    const auto options = options_of(request_);
    StepResult<Work> work = planned(request_, comm_.size());
    std::optional<OptionError> problem = std::move(work.problem);
    if (!options) problem = OptionError{options.error()};
    RankArrays place;
    if (!problem) {
      auto opened = open(request_, *work.value, comm_.rank());
      if (opened) {
        place = std::move(*opened);
      } else {
        problem = OptionError{opened.error()};
      }
    }
    if (!agree(problem)) return end(problem);
    const std::span<const std::byte> source =
        place.source ? place.source->data() : std::span<const std::byte>();
    auto report = reshard(MPI_COMM_WORLD, work.value->plan, {&source, 1}, {&place.target, 1}, *options);
    if (!report) return end(OptionError{report.error()});
    if (request_.has("--verify")) {
      if (const auto verified = verify_sums(comm_, *work.value, place); !verified)
        return end(OptionError{verified.error()});
    }
    if (place.writer != nullptr) {
      if (const auto written = place.writer->write(place.target); !written)
        problem = OptionError{written.error()};
    }
    if (!agree(problem)) return end(problem);
    if (place.writer != nullptr) {
      if (const auto named = place.writer->commit(); !named) problem = OptionError{named.error()};
    }
    if (!agree(problem)) return end(problem);
    if (comm_.rank() == 0 && !request_.has("--quiet")) print(*work.value, *report);
    return 0;
  }

 private:
  bool agree(std::optional<OptionError>& problem) {
    const auto agreed = comm_.agree(problem ? Result<void>(fail(problem->error)) : Result<void>{});
    if (!agreed && !problem) problem = OptionError{agreed.error()};
    return agreed.has_value();
  }

  // A job asks no question: what does not exist is part of its input.
  static int status_of(const Diagnostic& error) {
    if (error.reason == "rank_failed") return kDone;  // another rank reports the reason
    const ExitStatus status = tessera::status_of(error);
    return status == kNo ? kBadInput : status;
  }

  // Prints each message once, from the lowest rank that has it. If some rank does not answer, ends the job.
  int end(const std::optional<OptionError>& problem) {
    const std::string text =
        problem->option.empty()
            ? fmt::format(
                  "tessera: {}\n{}", to_string(problem->error),
                  problem->error.help.empty() ? "" : fmt::format("      = help: {}\n", problem->error.help))
            : render(problem->error, Source(fmt::format("<{}>", problem->option), problem->text),
                     Color::never);
    std::uint64_t hash = std::hash<std::string>()(text);
    const auto hashes = comm_.gather(hash);
    if (!hashes) {
      std::fputs(text.c_str(), stderr);
      end_unfinished();
      MPI_Abort(MPI_COMM_WORLD, 3);
      return 3;
    }
    const auto first = std::ranges::find(*hashes, hash) - hashes->begin();
    if (first == comm_.rank()) std::fputs(fmt::format("rank {}: {}", comm_.rank(), text).c_str(), stderr);
    std::fflush(stderr);
    const auto statuses = comm_.gather(static_cast<std::uint64_t>(status_of(problem->error)));
    const std::uint64_t worst = statuses ? *std::ranges::max_element(*statuses) : 0;
    return worst == 0 ? 3 : static_cast<int>(worst);
  }

  void print(const Work& work, const MpiReport& report) const {
    const ReshardArray& array = work.plan.arrays()[0];
    const Distribution& from = array.from.distribution();
    const Distribution& to = array.to.distribution();
    for (const std::string& note : numbering_notes({&from, &to})) fmt::print(stderr, "note: {}\n", note);
    const Index total = work.plan.total();
    const double rate = report.seconds > 0 ? static_cast<double>(total) / report.seconds / 1e9 : 0;
    if (request_.has("--json")) {
      fmt::print(
          R"({{"schema":"tessera.reshard/1","action":"mpi","status":0,"places":{},"moved":{},"kept":{},"seconds":{:.6f},"verified":{},"numbering":{{"from":"{}","to":"{}"}}}})"
          "\n",
          work.plan.places(), total, work.plan.kept(), report.seconds, request_.has("--verify"),
          numbering(from), numbering(to));
      return;
    }
    fmt::print("moved {} between {}, kept {}, in {:.3f} s, {:.2f} GB/s{}\n", detail::plural(total, "byte"),
               detail::plural(work.plan.places(), "place"), work.plan.kept(), report.seconds, rate,
               request_.has("--verify") ? ", verified" : "");
  }

  Communicator& comm_;
  const Request& request_;
};

int run(int argc, char** argv) {
  const auto request = read_arguments(argc, argv);
  if (!request) {
    std::fputs(
        "usage: mpirun -n PLACES tessera reshard mpi IN OUT --shape TYPE[DIMS] --from DIST --to DIST\n",
        stderr);
    return 2;
  }
  const auto options = options_of(*request);
  auto comm = Communicator::duplicate(MPI_COMM_WORLD,
                                      options ? options->timeout_seconds : MpiOptions{}.timeout_seconds);
  if (!comm) {
    std::fputs(fmt::format("tessera: {}\n", to_string(comm.error())).c_str(), stderr);
    MPI_Abort(MPI_COMM_WORLD, 3);
    return 3;
  }
  return ReshardRun(*comm, *request).run();
}

}  // namespace
}  // namespace tessera::mpi

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  const int status = tessera::mpi::run(argc, argv);
  MPI_Finalize();
  return status;
}
