// SPDX-License-Identifier: Apache-2.0
#include "report/exchanges_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/plural.h"
#include "base/printable.h"
#include "hlo/syntax/printer.h"
#include "report/amounts.h"
#include "report/byte_table.h"
#include "report/hlo_json.h"
#include "report/indexing_text.h"

namespace tessera::detail {

std::string to_text(const DeviceExchanges& exchanges) {
  if (exchanges.exchanges.empty()) return "no collectives\n";
  ByteTable table({"received", "ring", "tree", "direct", "devices", "runs"}, "step");
  for (const DeviceExchange& x : exchanges.exchanges) {
    std::string what = header_text(*x.instruction);
    if (x.overlapped >= 0)
      what += fmt::format("; {} between its start and its end", plural(x.overlapped, "step"));
    if (!(x.needed == x.received))
      what += fmt::format("; each device needs {} of this: its group holds equal arrays",
                          x.needed.upper == Index{0} ? std::string("nothing") : bounds_text(x.needed));
    if (!x.reason.empty()) what += "; " + printable(x.reason);
    table.add(
        {bounds_text(x.received), bounds_text(x.ring), x.tree ? bounds_text(*x.tree) : "-",
         bounds_text(x.direct), x.members > 0 ? fmt::format("{}", x.members) : "?", bounds_text(x.runs)},
        std::move(what));
  }
  const auto open = std::ranges::count_if(
      exchanges.exchanges, [](const DeviceExchange& x) { return !x.stated && x.needed == x.received; });
  // Nobody must receive what is there already.
  const std::string received =
      exchanges.needed == exchanges.received
          ? fmt::format("must receive {} bytes", bounds_text(exchanges.received))
          : fmt::format("receives {} bytes and needs {} of them", bounds_text(exchanges.received),
                        exchanges.needed.upper == Index{0} ? "none" : bounds_text(exchanges.needed));
  return table.text() +
         fmt::format(
             "{}: each device {}; it sends {} around rings, or {} directly, on average{}\n",
             plural(static_cast<Index>(exchanges.exchanges.size()), "collective"), received,
             bounds_text(exchanges.ring), bounds_text(exchanges.direct),
             open == 0 ? std::string()
                       : fmt::format(
                             "; {}the shardings of the parameters do not say what devices hold already",
                             open == std::ssize(exchanges.exchanges) ? std::string()
                                                                     : fmt::format("of {} of them, ", open)));
}

std::string to_json(const InstructionPlace& place, const DeviceExchanges& exchanges) {
  std::string out;
  for (const DeviceExchange& x : exchanges.exchanges) {
    const Instruction& op = *x.instruction;
    Json json = hlo_object(place, op);
    json["exchange"] = {{"runs", json_of(x.runs)},
                        {"devices", x.members > 0 ? Json(x.members) : Json()},
                        {"operand_bytes", json_of(x.operand)},
                        {"result_bytes", json_of(x.result)},
                        {"received_bytes", json_of(x.received)},
                        {"needed_bytes", json_of(x.needed)},
                        {"stated", x.stated},
                        {"ring_bytes", json_of(x.ring)},
                        {"tree_bytes", x.tree ? json_of(*x.tree) : Json()},
                        {"direct_bytes", json_of(x.direct)},
                        {"overlapped_steps", x.overlapped >= 0 ? Json(x.overlapped) : Json()},
                        {"reason", x.reason}};
    out += dump(json) + "\n";
  }
  Json json = hlo_object(place);
  json["exchange_totals"] = {
      {"collectives", exchanges.exchanges.size()},     {"scheduled", exchanges.scheduled},
      {"received_bytes", json_of(exchanges.received)}, {"needed_bytes", json_of(exchanges.needed)},
      {"ring_bytes", json_of(exchanges.ring)},         {"direct_bytes", json_of(exchanges.direct)}};
  return out + dump(json) + "\n";
}

}  // namespace tessera::detail
