// SPDX-License-Identifier: Apache-2.0
// Nonblocking messages: a few slices in flight in each direction, packed before they are sent and unpacked
// when they arrive.
#include "mpi/exchange.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "base/try.h"

namespace tessera::mpi {
namespace {

using transfer::PlaceMemory;
using transfer::Side;

constexpr int kTag = 0;
constexpr std::size_t kInFlight = 4;

// The memory of each array at this rank, on one side of the plan.
class Memories {
 public:
  Memories(const ReshardPlan& plan, Side side, Index place) {
    for (std::size_t k = 0; k < plan.arrays().size(); ++k) {
      const ReshardArray& array = plan.arrays()[k];
      const bool there = (side == Side::from ? array.from : array.to).shard_of(place).has_value();
      memories_.push_back(there ? std::optional(PlaceMemory(plan, k, side, place)) : std::nullopt);
      if (there) memories_.back()->make_terms();
    }
  }
  const PlaceMemory& operator[](std::size_t array) const { return *memories_[array]; }

 private:
  std::vector<std::optional<PlaceMemory>> memories_;
};

// A slice in flight. `buffer` is not used if the slice is contiguous in its array.
struct Flight {
  const MessageSlice* slice = nullptr;
  std::unique_ptr<std::byte[]> buffer;
  std::byte* data = nullptr;
  bool direct = false;
};

// Slices in flight in one direction.
struct Direction {
  const std::vector<MessageSlice>* slices = nullptr;
  std::size_t next = 0;
  std::size_t done = 0;
  std::array<Flight, kInFlight> flights;
  std::array<MPI_Request, kInFlight> requests;

  explicit Direction(const std::vector<MessageSlice>& all) : slices(&all) { requests.fill(MPI_REQUEST_NULL); }
  bool is_done() const { return done == slices->size(); }
};

class Exchange {
 public:
  Exchange(Communicator& comm, const ReshardPlan& plan, const Schedule& schedule, const LocalArrays& arrays,
           const MpiOptions& options)
      : comm_(comm),
        schedule_(schedule),
        arrays_(arrays),
        most_(slice_bytes(options)),
        from_(plan, Side::from, comm.rank()),
        to_(plan, Side::to, comm.rank()),
        sends_(schedule.sends),
        receives_(schedule.receives) {}

  Result<MpiReport> run() {
    Patience patience(comm_.timeout());
    std::size_t kept = 0;
    while (!sends_.is_done() || !receives_.is_done() || kept < schedule_.kept.size()) {
      TESSERA_NEED(post_receives());
      TESSERA_NEED(post_sends());
      TESSERA_TRY(sent, complete(sends_));
      TESSERA_TRY(received, complete(receives_));
      if (sent || received) {
        patience.progress();
        continue;
      }
      if (kept < schedule_.kept.size()) {
        TESSERA_NEED(keep(schedule_.kept[kept++]));
        patience.progress();
        continue;
      }
      if (patience.is_over()) return stuck();
      sched_yield();
    }
    report_.slices = static_cast<Index>(sends_.done + receives_.done);
    return report_;
  }

  // Never frees the buffers, because pending messages may still use them.
  static void abandon(std::unique_ptr<Exchange> exchange) { static_cast<void>(exchange.release()); }

 private:
  std::byte* buffer(Flight& flight) {
    if (flight.buffer == nullptr) {
      flight.buffer = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(most_bytes()));
    }
    return flight.buffer.get();
  }
  // A single element may exceed the maximum size of a slice.
  Index most_bytes() const {
    Index most = most_;
    for (const std::vector<MessageSlice>* slices : {sends_.slices, receives_.slices}) {
      for (const MessageSlice& slice : *slices) most = std::max(most, slice.bytes);
    }
    return most;
  }

  Result<void> post_receives() {
    for (std::size_t f = 0; f < kInFlight && receives_.next < receives_.slices->size(); ++f) {
      if (receives_.flights[f].slice != nullptr) continue;
      Flight& flight = receives_.flights[f];
      flight.slice = &(*receives_.slices)[receives_.next++];
      const SliceBox& first = flight.slice->boxes[0];
      const auto offset = flight.slice->boxes.size() == 1
                              ? contiguous_offset(first.box, Side::to, to_[first.array])
                              : std::nullopt;
      flight.direct = offset.has_value();
      flight.data =
          offset ? arrays_.targets[first.array].data() + *offset * first.element_bytes : buffer(flight);
      const int code = MPI_Irecv(flight.data, static_cast<int>(flight.slice->bytes), MPI_BYTE,
                                 flight.slice->peer, kTag, comm_.get(), &receives_.requests[f]);
      if (code != MPI_SUCCESS) return failed("MPI_Irecv", *flight.slice, code);
    }
    return {};
  }

  Result<void> post_sends() {
    for (std::size_t f = 0; f < kInFlight && sends_.next < sends_.slices->size(); ++f) {
      if (sends_.flights[f].slice != nullptr) continue;
      Flight& flight = sends_.flights[f];
      flight.slice = &(*sends_.slices)[sends_.next++];
      const SliceBox& first = flight.slice->boxes[0];
      const auto offset = flight.slice->boxes.size() == 1
                              ? contiguous_offset(first.box, Side::from, from_[first.array])
                              : std::nullopt;
      const std::byte* data = nullptr;
      if (offset) {
        data = arrays_.sources[first.array].data() + *offset * first.element_bytes;
      } else {
        std::byte* at = buffer(flight);
        data = at;
        for (const SliceBox& box : flight.slice->boxes) {
          TESSERA_NEED(mover_.pack(box.box, from_[box.array], box.element_bytes,
                                   arrays_.sources[box.array].data(), at));
          at += box.bytes();
        }
      }
      const int code = MPI_Isend(data, static_cast<int>(flight.slice->bytes), MPI_BYTE, flight.slice->peer,
                                 kTag, comm_.get(), &sends_.requests[f]);
      if (code != MPI_SUCCESS) return failed("MPI_Isend", *flight.slice, code);
    }
    return {};
  }

  // Frees the slices that are complete. Returns true if there are any.
  Result<bool> complete(Direction& direction) {
    if (direction.is_done()) return false;
    std::array<int, kInFlight> indices{};
    std::array<MPI_Status, kInFlight> statuses{};
    int count = 0;
    const int code = MPI_Testsome(static_cast<int>(kInFlight), direction.requests.data(), &count,
                                  indices.data(), statuses.data());
    if (count == MPI_UNDEFINED) return false;
    for (int k = 0; k < count; ++k) {
      Flight& flight = direction.flights[static_cast<std::size_t>(indices[static_cast<std::size_t>(k)])];
      const MPI_Status& status = statuses[static_cast<std::size_t>(k)];
      if (code != MPI_SUCCESS && status.MPI_ERROR != MPI_SUCCESS) {
        return failed("a message", *flight.slice, status.MPI_ERROR);
      }
      TESSERA_NEED(&direction == &receives_ ? arrived(flight, status) : Result<void>{});
      (&direction == &receives_ ? report_.received : report_.sent) += flight.slice->bytes;
      flight.slice = nullptr;
      ++direction.done;
    }
    return count > 0;
  }

  Result<void> arrived(const Flight& flight, const MPI_Status& status) {
    int bytes = 0;
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    if (bytes != flight.slice->bytes) {
      return rank_failed(
          fmt::format("rank {} sent {} bytes instead of {}", flight.slice->peer, bytes, flight.slice->bytes));
    }
    if (flight.direct) return {};
    const std::byte* at = flight.data;
    for (const SliceBox& box : flight.slice->boxes) {
      TESSERA_NEED(
          mover_.unpack(box.box, to_[box.array], box.element_bytes, at, arrays_.targets[box.array].data()));
      at += box.bytes();
    }
    return {};
  }

  Result<void> keep(const SliceBox& box) {
    report_.kept += box.bytes();
    return mover_.move(box.box, from_[box.array], to_[box.array], box.element_bytes,
                       arrays_.sources[box.array].data(), arrays_.targets[box.array].data());
  }

  static Failure failed(std::string_view what, const MessageSlice& slice, int code) {
    return rank_failed(fmt::format("{} of {} bytes with rank {} failed: {}", what, slice.bytes, slice.peer,
                                   error_text(code)));
  }

  Failure stuck() const {
    for (const Direction* direction : {&receives_, &sends_}) {
      for (const Flight& flight : direction->flights) {
        if (flight.slice == nullptr) continue;
        return rank_failed(fmt::format("no progress for {} s: {} rank {}, {} of {} slices done",
                                       comm_.timeout(),
                                       direction == &receives_ ? "waiting for" : "sending to",
                                       flight.slice->peer, direction->done, direction->slices->size()));
      }
    }
    return rank_failed(fmt::format("no progress for {} s", comm_.timeout()));
  }

  Communicator& comm_;
  const Schedule& schedule_;
  LocalArrays arrays_;
  Index most_;
  Memories from_;
  Memories to_;
  Direction sends_;
  Direction receives_;
  transfer::BoxMover mover_;
  MpiReport report_;
};

}  // namespace

Result<MpiReport> exchange(Communicator& comm, const ReshardPlan& plan, const Schedule& schedule,
                           const LocalArrays& arrays, const MpiOptions& options) {
  auto one = std::make_unique<Exchange>(comm, plan, schedule, arrays, options);
  auto report = one->run();
  if (!report) Exchange::abandon(std::move(one));
  return report;
}

}  // namespace tessera::mpi
