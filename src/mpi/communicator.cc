// SPDX-License-Identifier: Apache-2.0
#include "mpi/communicator.h"

#include <fmt/format.h>
#include <sched.h>

#include <utility>

#include "base/try.h"

namespace tessera::mpi {
namespace {

Failure call_failed(std::string_view what, int code) {
  return rank_failed(fmt::format("{} failed: {}", what, error_text(code)));
}

}  // namespace

std::string error_text(int code) {
  std::string text(MPI_MAX_ERROR_STRING, '\0');
  int length = 0;
  if (MPI_Error_string(code, text.data(), &length) != MPI_SUCCESS) return fmt::format("MPI error {}", code);
  text.resize(static_cast<std::size_t>(length));
  return text;
}

Failure rank_failed(std::string message) {
  Diagnostic error{.code = Code::limit, .message = std::move(message)};
  error.reason = "rank_failed";
  return fail(std::move(error));
}

Result<Communicator> Communicator::duplicate(MPI_Comm comm, double timeout_seconds) {
  Communicator out;
  out.timeout_ = timeout_seconds;
  // If a call on the caller's communicator failed, the program would end.
  MPI_Errhandler handler = MPI_ERRORS_ARE_FATAL;
  MPI_Comm_get_errhandler(comm, &handler);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  MPI_Request request = MPI_REQUEST_NULL;
  const int code = MPI_Comm_idup(comm, &out.comm_, &request);
  Result<void> done = code == MPI_SUCCESS ? out.wait(request) : call_failed("MPI_Comm_idup", code);
  MPI_Comm_set_errhandler(comm, handler);
  if (handler != MPI_ERRORS_ARE_FATAL && handler != MPI_ERRORS_RETURN) MPI_Errhandler_free(&handler);
  if (!done) {
    out.abandon();
    return fail(done.error());
  }
  MPI_Comm_set_errhandler(out.comm_, MPI_ERRORS_RETURN);
  MPI_Comm_rank(out.comm_, &out.rank_);
  MPI_Comm_size(out.comm_, &out.size_);
  return out;
}

Communicator::Communicator(Communicator&& other) noexcept
    : comm_(std::exchange(other.comm_, MPI_COMM_NULL)),
      rank_(other.rank_),
      size_(other.size_),
      timeout_(other.timeout_) {}

Communicator::~Communicator() {
  if (comm_ != MPI_COMM_NULL) MPI_Comm_free(&comm_);
}

Result<void> Communicator::wait(MPI_Request& request) {
  const Patience patience(timeout_);
  for (int done = 0; done == 0;) {
    const int code = MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (code != MPI_SUCCESS) return call_failed("a collective call", code);
    if (done != 0) break;
    if (patience.is_over()) {
      abandon();
      return rank_failed(fmt::format("not all ranks answered within {} s", timeout_));
    }
    sched_yield();
  }
  return {};
}

Result<std::vector<std::uint64_t>> Communicator::reduce(std::vector<std::uint64_t> values, MPI_Op op) {
  MPI_Request request = MPI_REQUEST_NULL;
  std::vector<std::uint64_t> all(values.size());
  const int code = MPI_Iallreduce(values.data(), all.data(), static_cast<int>(values.size()), MPI_UINT64_T,
                                  op, comm_, &request);
  if (code != MPI_SUCCESS) return call_failed("MPI_Iallreduce", code);
  TESSERA_NEED(wait(request));
  return all;
}

Result<std::vector<std::uint64_t>> Communicator::sum(std::vector<std::uint64_t> values) {
  return reduce(std::move(values), MPI_SUM);
}

Result<std::vector<std::uint64_t>> Communicator::least(std::vector<std::uint64_t> values) {
  return reduce(std::move(values), MPI_MIN);
}

Result<std::vector<std::uint64_t>> Communicator::gather(std::uint64_t value) {
  MPI_Request request = MPI_REQUEST_NULL;
  std::vector<std::uint64_t> all(static_cast<std::size_t>(size_));
  const int code = MPI_Iallgather(&value, 1, MPI_UINT64_T, all.data(), 1, MPI_UINT64_T, comm_, &request);
  if (code != MPI_SUCCESS) return call_failed("MPI_Iallgather", code);
  TESSERA_NEED(wait(request));
  return all;
}

Result<std::string> Communicator::broadcast(std::string text, int root) {
  std::uint64_t size = text.size();
  MPI_Request request = MPI_REQUEST_NULL;
  int code = MPI_Ibcast(&size, 1, MPI_UINT64_T, root, comm_, &request);
  if (code != MPI_SUCCESS) return call_failed("MPI_Ibcast", code);
  TESSERA_NEED(wait(request));
  text.resize(size);
  code = MPI_Ibcast(text.data(), static_cast<int>(size), MPI_BYTE, root, comm_, &request);
  if (code != MPI_SUCCESS) return call_failed("MPI_Ibcast", code);
  TESSERA_NEED(wait(request));
  return text;
}

Result<void> Communicator::agree(const Result<void>& own) {
  const auto me = static_cast<std::uint64_t>(rank_);
  const auto none = static_cast<std::uint64_t>(size_);
  TESSERA_TRY(first, least({own ? none : me}));
  if (first[0] == none) return {};
  TESSERA_TRY(text, broadcast(own ? "" : to_string(own.error()), static_cast<int>(first[0])));
  if (!own) return fail(own.error());
  return rank_failed(fmt::format("rank {} cannot go on: {}", first[0], text));
}

}  // namespace tessera::mpi
