// SPDX-License-Identifier: Apache-2.0
// `tessera reshard`: questions about distributions, and about the data that moves between them.
#include <fmt/core.h>

#include "cli/reshard_verbs.h"
#include "cli/verb_options.h"
#include "cli/verbs.h"

namespace tessera::cli {

void add_reshard(CLI::App& app, Session& session) {
  CLI::App* verb = app.add_subcommand("reshard", "what moves between two distributions of an array");
  verb->require_subcommand(0, 1);
  add_fields(*verb, session, *verbs::find_verb("reshard plan"));
  verb->footer(
      R"(Without a verb, `plan` runs. DIST is an XLA sharding, a JAX mesh with a PartitionSpec, a PyTorch DeviceMesh with
placements, Shardy's #sdy.sharding<...>, a ScaLAPACK block_cyclic(...), or mesh[...] [...]. A place is a rank or a file, numbered from 0.

Examples:
  tessera reshard --shape 'f32[16,16]' --from '{devices=[4,1]<=[4]}' --to '{devices=[1,4]<=[4]}'
  tessera reshard --shape 'f32[5,3]' --from 'DeviceMesh((2, 2)) [Shard(0), Shard(0)]' --to '{replicated}' --messages
  tessera reshard --shape 'f64[9,9]' --from 'block_cyclic(mb=2, nb=2, grid=2x2)' --to 'mesh[p=4] [p, -]' --verify)");
  for (const char* const name :
       {"plan", "at", "places", "convert", "equal", "files", "recipes", "map", "show"})
    add_verb(*verb, session, *verbs::find_verb(fmt::format("reshard {}", name)));
  add_reshard_mpi(*verb, session);
}

}  // namespace tessera::cli
