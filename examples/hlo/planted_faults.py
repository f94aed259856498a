# SPDX-License-Identifier: Apache-2.0
"""A layer of a transformer, a head and an exchange, on four devices, with five planted faults. XLA compiled it to
planted_faults.hlo."""

import os

import jax
import jax.numpy as jnp
from jax.sharding import Mesh, PartitionSpec


def norm(x, scale):
    x = x.astype(jnp.float32)  # planted: the activations in float32
    return x * jax.lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-6) * scale


def attend(q, k, v):
    scores = jnp.einsum("bhqd,bhkd->bhqk", q, k) * 0.125
    return jnp.einsum("bhqk,bhkd->bhqd", jax.nn.softmax(scores), v)


def project(x, w):
    each = jnp.broadcast_to(w, (x.shape[0], *w.shape))  # planted: the weights for each sequence of the batch
    return jnp.einsum("bsd,bde->bse", x, each)


def layer(x, scale, w_qkv, w_out):
    b, s, d = x.shape
    qkv = (norm(x, scale) @ w_qkv).reshape(b, s, 3, 4, d // 4)
    q, k, v = (qkv[:, :, i].transpose(0, 2, 1, 3) for i in range(3))
    out = attend(q, k, v).transpose(0, 2, 1, 3).reshape(b, s, d)
    return x + project(out, w_out).astype(x.dtype)


def head(x, w):
    wide = jnp.pad(w, ((0, 0), (0, 488)))  # planted: 1000 classes are padded to 1488
    return (x @ wide)[:, :1000]


def shuffle(x):
    everything = jax.lax.all_gather(x, "i", axis=0, tiled=True)  # planted: an all-to-all would do
    columns = x.shape[1] // 4
    return jax.lax.dynamic_slice_in_dim(everything, jax.lax.axis_index("i") * columns, columns, axis=1)


def statistics(x):
    return jnp.exp(x.T) - 1.0  # planted: the array is read across its rows


def step(x, scale, w_qkv, w_out, w_head):
    with jax.named_scope("layer0"):
        x = layer(x, scale, w_qkv, w_out)
    flat = x.reshape(-1, x.shape[-1]).astype(jnp.float32)
    with jax.named_scope("head"):
        logits = head(flat, w_head)
    with jax.named_scope("shuffle"):
        mine = shuffle(flat)
    with jax.named_scope("statistics"):
        turned = statistics(flat)
    return logits, mine, turned


if __name__ == "__main__":
    os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4"
    mesh = Mesh(jax.devices(), ("i",))
    rows, columns, whole = PartitionSpec("i"), PartitionSpec(None, "i"), PartitionSpec()
    sharded = jax.shard_map(step, mesh=mesh, in_specs=(rows, whole, whole, whole, whole), out_specs=(rows, columns, columns))
    f32, bf16 = jnp.float32, jnp.bfloat16
    shapes = [((16, 256, 256), bf16), ((256,), f32), ((256, 768), f32), ((256, 256), f32), ((256, 1000), f32)]
    print(jax.jit(sharded).lower(*(jax.ShapeDtypeStruct(*one) for one in shapes)).compile().as_text())
