# SPDX-License-Identifier: Apache-2.0
"""One step of attention. XLA compiled it to attention_step.hlo."""

import jax
import jax.numpy as jnp


def scores(queries, keys):
    return jnp.einsum("bqhd,bkhd->bhqk", queries, keys) / 8.0


def attend(weights, values):
    return jnp.einsum("bhqk,bkhd->bqhd", weights, values)


def step(x, w_q, w_k, w_v):
    with jax.named_scope("project"):
        queries = (x @ w_q).reshape(2, 64, 4, 64)
        keys = (x @ w_k).reshape(2, 64, 4, 64)
        values = (x @ w_v).reshape(2, 64, 4, 64)
    with jax.named_scope("attention"):
        weights = jax.nn.softmax(scores(queries, keys), axis=-1)
        out = attend(weights, values)
    return x + out.reshape(2, 64, 256)


if __name__ == "__main__":
    f32 = jnp.float32
    arrays = [jax.ShapeDtypeStruct((2, 64, 256), f32)] + [jax.ShapeDtypeStruct((256, 256), f32)] * 3
    print(jax.jit(step).lower(*arrays).compile().as_text())
