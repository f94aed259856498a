// SPDX-License-Identifier: Apache-2.0
// `tessera reshard`: questions about distributions, and about the data that moves between them.
#include "cli/reshard_verbs.h"
#include "cli/verbs.h"

namespace tessera::cli {

void add_reshard(CLI::App& app, Session& session) {
  CLI::App* verb = app.add_subcommand("reshard", "what moves between two distributions of an array");
  verb->require_subcommand(0, 1);
  add_reshard_plan(*verb, session);
  verb->footer(
      R"(Without a verb, `plan` runs. DIST is an XLA sharding, a JAX mesh with a PartitionSpec, a PyTorch DeviceMesh with
placements, Shardy's #sdy.sharding<...>, a ScaLAPACK block_cyclic(...), or mesh[...] [...]. A place is a rank or a file, numbered from 0.

Examples:
  tessera reshard --shape 'f32[16,16]' --from '{devices=[4,1]<=[4]}' --to '{devices=[1,4]<=[4]}'
  tessera reshard --shape 'f32[5,3]' --from 'DeviceMesh((2, 2)) [Shard(0), Shard(0)]' --to '{replicated}' --messages
  tessera reshard --shape 'f64[9,9]' --from 'block_cyclic(mb=2, nb=2, grid=2x2)' --to 'mesh[p=4] [p, -]' --verify)");
  CLI::App* plan = verb->add_subcommand("plan", "what must move, and how");
  add_reshard_plan(*plan, session);
  plan->footer(R"(Examples:
  tessera reshard plan --shape 'f32[16,16]' --from '{devices=[4,1]<=[4]}' --to '{devices=[1,4]<=[4]}' --messages)");
  add_reshard_at(*verb, session);
  add_reshard_places(*verb, session);
  add_reshard_convert(*verb, session);
  add_reshard_equal(*verb, session);
  add_reshard_files(*verb, session);
  add_reshard_recipes(*verb, session);
  add_reshard_map(*verb, session);
  add_reshard_show(*verb, session);
  add_reshard_mpi(*verb, session);
}

}  // namespace tessera::cli
