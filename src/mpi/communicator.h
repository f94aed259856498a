// SPDX-License-Identifier: Apache-2.0
/// \file
/// A duplicate of a communicator whose collective calls end in bounded time.
#pragma once

#include <mpi.h>

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tessera/base/result.h"

namespace tessera::mpi {

/// The error for a rank that does not answer: limit, with reason rank_failed.
Failure rank_failed(std::string message);

/// A timeout: is_over() once `seconds` have passed since the last call of `progress`.
class Patience {
 public:
  explicit Patience(double seconds) : seconds_(seconds), last_(Clock::now()) {}
  void progress() { last_ = Clock::now(); }
  bool is_over() const {
    return seconds_ > 0 && std::chrono::duration<double>(Clock::now() - last_).count() > seconds_;
  }
  double seconds() const { return seconds_; }

 private:
  using Clock = std::chrono::steady_clock;
  double seconds_;
  Clock::time_point last_;
};

class Communicator {
 public:
  /// Collective. Errors: rank_failed.
  static Result<Communicator> duplicate(MPI_Comm comm, double timeout_seconds);
  Communicator(Communicator&& other) noexcept;
  Communicator& operator=(Communicator&&) = delete;
  ~Communicator();

  MPI_Comm get() const { return comm_; }
  int rank() const { return rank_; }
  int size() const { return size_; }
  double timeout() const { return timeout_; }

  /// \name Collective. Errors: rank_failed.
  /// @{
  Result<std::vector<std::uint64_t>> sum(std::vector<std::uint64_t> values);
  Result<std::vector<std::uint64_t>> least(std::vector<std::uint64_t> values);
  /// The values of all ranks, rank 0 first.
  Result<std::vector<std::uint64_t>> gather(std::uint64_t value);
  Result<std::string> broadcast(std::string text, int root);
  /// Every rank reports whether it can continue. If one cannot, all return an error: that rank returns its
  /// own, the others rank_failed with the text of that error.
  Result<void> agree(const Result<void>& own);
  /// @}

  /// Does not free the communicator, because requests on it are pending.
  void abandon() { comm_ = MPI_COMM_NULL; }

 private:
  Communicator() = default;
  Result<void> wait(MPI_Request& request);
  Result<std::vector<std::uint64_t>> reduce(std::vector<std::uint64_t> values, MPI_Op op);

  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 1;
  double timeout_ = 0;
};

/// The text of an MPI error code.
std::string error_text(int code);

}  // namespace tessera::mpi
