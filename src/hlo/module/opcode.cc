// SPDX-License-Identifier: Apache-2.0
#include "tessera/hlo/opcode.h"

#include <array>

#include "tessera/hlo/detail/name_table.h"

namespace tessera {
namespace {

constexpr std::array kNames = {
#define TESSERA_OPCODE(identifier, text) std::string_view(text),
    TESSERA_OPCODES(TESSERA_OPCODE)
#undef TESSERA_OPCODE
        std::string_view("unknown"),
};

}  // namespace

std::string_view to_string(Opcode opcode) { return kNames[static_cast<std::size_t>(opcode)]; }

std::optional<Opcode> parse_opcode(std::string_view text) {
  static const auto* const kByName = [] {
    auto* names = new NameTable;
    for (std::uint32_t i = 0; i + 1 < kNames.size(); ++i) names->insert(kNames[i], i);
    return names;
  }();
  const std::uint32_t place = kByName->find(text);
  return place == NameTable::kNone ? std::nullopt : std::optional<Opcode>(static_cast<Opcode>(place));
}

bool is_elementwise(Opcode opcode) {
  switch (opcode) {
    case Opcode::abs:
    case Opcode::acos:
    case Opcode::acosh:
    case Opcode::add:
    case Opcode::and_:
    case Opcode::asin:
    case Opcode::asinh:
    case Opcode::atan2:
    case Opcode::atanh:
    case Opcode::cbrt:
    case Opcode::ceil:
    case Opcode::clamp:
    case Opcode::compare:
    case Opcode::complex:
    case Opcode::convert:
    case Opcode::copy:
    case Opcode::cosine:
    case Opcode::cosh:
    case Opcode::count_leading_zeros:
    case Opcode::divide:
    case Opcode::erf:
    case Opcode::exponential:
    case Opcode::exponential_minus_one:
    case Opcode::floor:
    case Opcode::imag:
    case Opcode::is_finite:
    case Opcode::log:
    case Opcode::log_plus_one:
    case Opcode::logistic:
    case Opcode::map:
    case Opcode::maximum:
    case Opcode::minimum:
    case Opcode::mulhi:
    case Opcode::multiply:
    case Opcode::negate:
    case Opcode::not_:
    case Opcode::or_:
    case Opcode::popcnt:
    case Opcode::power:
    case Opcode::real:
    case Opcode::reduce_precision:
    case Opcode::remainder:
    case Opcode::round_nearest_afz:
    case Opcode::round_nearest_even:
    case Opcode::rsqrt:
    case Opcode::select:
    case Opcode::shift_left:
    case Opcode::shift_right_arithmetic:
    case Opcode::shift_right_logical:
    case Opcode::sign:
    case Opcode::sine:
    case Opcode::sinh:
    case Opcode::sqrt:
    case Opcode::stochastic_convert:
    case Opcode::subtract:
    case Opcode::tan:
    case Opcode::tanh:
    case Opcode::xor_:
      return true;
    default:
      return false;
  }
}

bool only_forwards(Opcode opcode) {
  switch (opcode) {
    case Opcode::tuple:
    case Opcode::get_tuple_element:
    case Opcode::opt_barrier:
    case Opcode::domain:
    case Opcode::add_dependency:
    case Opcode::copy_start:
    case Opcode::copy_done:
    case Opcode::async_update:
    case Opcode::async_done:
    case Opcode::all_reduce_done:
    case Opcode::all_gather_done:
    case Opcode::collective_permute_done:
    case Opcode::after_all:
      return true;
    default:
      return false;
  }
}

}  // namespace tessera
