// SPDX-License-Identifier: Apache-2.0
// What the gallery begins with: one question each, with its source.
import type { Question } from '../state/link';

export interface Preset {
  group: string;
  title: string;
  text: string;
  source: string;
  question: Question;
}

const layout = (text: string, more: Record<string, string> = {}): Question => ({ tab: 'layout', fields: { layout: text, ...more } });
const owners = (tv: string, tile = ''): Question => ({ tab: 'threads', fields: { part: 'owners', tv, tile } });

export const PRESETS: Preset[] = [
  { group: 'Start here', title: 'A tiled array with padding', text: 'Tiles of 2 × 2 overhang a 3 × 5 array: nine offsets hold nothing.', source: 'XLA, tiled layouts', question: layout('f32[3,5]{1,0:T(2,2)}') },
  { group: 'Start here', title: 'The same array in CuTe', text: 'Nested modes: each is a digit of a row or of a column.', source: 'CUTLASS, layout algebra', question: layout('((2,2),(2,3)):((2,12),(1,4))', { cells: 'natural' }) },
  { group: 'Start here', title: 'A bank conflict and its fix', text: 'A warp reads a column of a 32 × 32 tile of floats: 32 wavefronts. A swizzle needs one.', source: 'CUDA programming guide, shared memory', question: { tab: 'threads', fields: { part: 'banks', layout: '(32,32):(32,1)', threads: 'columns', bytes: '4', fix: 'all' } } },
  { group: 'Start here', title: 'Why do these differ?', text: 'Row-major and tiled: the first index that differs, and every other one.', source: '', question: { tab: 'compare', fields: { a: 'f32[4,8]{1,0:T(2,4)}', b: 'f32[4,8]{1,0}' } } },
  { group: 'Start here', title: 'What a tile of an output reads', text: 'A window of a convolution: each output index reads three neighbors.', source: 'XLA, indexing maps', question: { tab: 'map', fields: { map: '(d0, d1)[s0, s1] -> (d0 + s0, d1 + s1), domain: d0 in [0, 13], d1 in [0, 13], s0 in [0, 2], s1 in [0, 2]', tile: '4,4', at: '4,4' } } },
  { group: 'Start here', title: 'Rows become columns', text: 'Four places hold rows and need columns: who sends what to whom.', source: 'GSPMD', question: { tab: 'move', fields: { part: 'reshard', from: '{devices=[4,1]<=[4]}', to: '{devices=[1,4]<=[4]}', shape: 'f32[16,16]' } } },
  { group: 'GPU fragments and swizzles', title: 'mma.m16n8k16, operand A', text: 'Which thread holds which element of A in half precision.', source: 'PTX ISA, warp-level matrix instructions', question: owners('atom:nv.sm80.m16n8k16.f16.A') },
  { group: 'GPU fragments and swizzles', title: 'mma.m16n8, accumulator', text: 'Each thread has pairs in two rows.', source: 'PTX ISA, warp-level matrix instructions', question: owners('atom:nv.m16n8.C') },
  { group: 'GPU fragments and swizzles', title: 'ldmatrix.x4', text: 'What each thread receives of four matrices.', source: 'CUTLASS copy_traits_sm75.hpp', question: owners('atom:nv.sm75.ldmatrix.x4.dst') },
  { group: 'GPU fragments and swizzles', title: 'A swizzle atom', text: 'Rows of 64 halves whose 16-byte pieces are exchanged: columns have no conflicts.', source: 'CUTLASS, Swizzle<3,4,3> in bytes', question: layout('Sw<3,3,3> o _0 o (8,64):(64,1)', { color: 'bank', bytes: '2' }) },
  { group: 'GPU fragments and swizzles', title: 'MFMA 32 × 32, result', text: 'The accumulator of an AMD matrix core.', source: 'AMD matrix instruction calculator', question: owners('atom:amd.mfma.32x32.D') },
  { group: 'TPU and CPU tiles', title: 'A TPU tile of bf16', text: 'Tiles of 8 × 128 whose rows are joined in pairs.', source: 'XLA, tiled layouts', question: layout('bf16[32,256]{1,0:T(8,128)(2,1)}', { color: 'tile' }) },
  { group: 'TPU and CPU tiles', title: 'A oneDNN block', text: 'Channels in blocks of sixteen, innermost.', source: 'oneDNN, memory format tags', question: layout('f32[2,32,7,7]:nChw16c') },
  { group: 'TPU and CPU tiles', title: 'VNNI pairs', text: 'Two rows of bf16 side by side, for dot products.', source: 'oneDNN, BA16a64b2a and its relatives', question: layout('((2,16),32):((1,64),2)', { color: 'index' }) },
  { group: 'Block scales and packings', title: 'Block scales, 128 × 4', text: 'The order of scale factors that cuBLAS and CUTLASS read.', source: 'cuBLAS, block scaling', question: layout('scale:128x4 u8[128,8]') },
  { group: 'Block scales and packings', title: 'AWQ', text: 'Eight 4-bit weights in a word, in the order 0 2 4 6 1 3 5 7.', source: 'AutoAWQ', question: layout('pack:awq u4[8,16]') },
  { group: 'Block scales and packings', title: 'Marlin', text: '4-bit weights in the order of its kernel.', source: 'Marlin', question: layout('pack:marlin u4[16,64]') },
  { group: 'Images and caches', title: 'NHWC', text: 'Channels innermost: channels_last.', source: 'PyTorch, cuDNN, XLA', question: layout('f32[2,8,7,7]{1,3,2,0}') },
  { group: 'Images and caches', title: 'A paged cache of keys', text: 'Blocks of 16 tokens, heads of 64 in pieces of 8 halves: (token, head element) of a page.', source: 'vLLM, paged attention', question: layout('(16,(8,8)):(8,(1,128))', { bytes: '2', color: 'tile' }) },
];
