// SPDX-License-Identifier: Apache-2.0
/// \file
/// The stable words of errors and warnings. Each has a page in docs/errors/.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tessera {

/// Every code there is: X(word). One word, one meaning, over all notations. A test compares this table with
/// the pages in docs/errors/.
#define TESSERA_CODES(X)                                                                                  \
  X(syntax)                     /* the text does not follow the grammar */                                \
  X(number_range)               /* an integer does not fit where it stands */                             \
  X(overflow)                   /* exact arithmetic would leave 64 bits */                                \
  X(unknown_name)               /* a name that nothing defines */                                         \
  X(duplicate_name)             /* a name that is defined twice */                                        \
  X(reserved_name)              /* a keyword where a name must stand */                                   \
  X(unknown_opcode)             /* an instruction that we do not know; kept, not analysed */              \
  X(unknown_attribute)          /* an attribute that we do not know; kept (a warning) */                  \
  X(unknown_type)               /* an element type that does not exist */                                 \
  X(missing_attribute)          /* an attribute that the opcode requires */                               \
  X(bad_attribute)              /* an attribute whose value breaks a rule of the opcode */                \
  X(operand_count)              /* too few or too many operands */                                        \
  X(shape_mismatch)             /* shapes that must agree do not */                                       \
  X(rank_mismatch)              /* numbers of dimensions that must agree do not */                        \
  X(dim_out_of_range)           /* a dimension number that the shape has not */                           \
  X(bad_permutation)            /* a list that is not a permutation of the dimensions */                  \
  X(depth)                      /* a type nested deeper than 500 levels */                                \
  X(negative_dim)               /* a dimension with a negative extent */                                  \
  X(nonarray_dims)              /* dimensions of a token or an opaque */                                  \
  X(layout_on_nonarray)         /* a layout of a token or an opaque */                                    \
  X(buffer_element)             /* a buffer b(...) of something that is no array */                       \
  X(index_type)                 /* an index or pointer type that is no unsigned integer */                \
  X(sparse_only)                /* a layout part that only sparse arrays had */                           \
  X(m2m_range)                  /* minor_to_major names a dimension that the shape has not */             \
  X(m2m_duplicate)              /* minor_to_major names a dimension twice */                              \
  X(tail_align)                 /* L(n) with n < 1 */                                                     \
  X(tile_empty)                 /* a tile without entries */                                              \
  X(tile_entry)                 /* a tile entry < 1 that is not * */                                      \
  X(tile_trailing_star)         /* a tile that ends with * */                                             \
  X(element_bits)               /* E(n) with n < 0 */                                                     \
  X(memory_space)               /* S(n) with n < 0 */                                                     \
  X(metadata_prefix)            /* M(n) with n < 0 */                                                     \
  X(split_dim_range)            /* SC names a physical dimension that the layout has not */               \
  X(split_dim_duplicate)        /* SC splits a dimension twice */                                         \
  X(split_order)                /* split points that do not increase, or are < 1 */                       \
  X(split_range)                /* a split point at or behind the end of its dimension */                 \
  X(bad_literal)                /* a literal that does not fit its shape */                               \
  X(variable_mismatch)          /* variables of a map and of its expressions differ */                    \
  X(value_count)                /* a wrong number of values, indices or results was given */              \
  X(index_out_of_range)         /* an operand, output or other number that does not exist */              \
  X(device_count)               /* a number of devices that does not fill the tile assignment */          \
  X(iota_perm)                  /* a T(...) of devices that is no permutation */                          \
  X(no_static_map)              /* a sharding that does not say who holds an element */                   \
  X(unbounded)                  /* a size or an offset of an array without bounds */                      \
  X(bad_extent)                 /* an extent below the smallest one allowed */                            \
  X(not_applicable)             /* a layout that does not fit this shape */                               \
  X(contig_range)               /* more contiguous entries than a packed layout has */                    \
  X(zero_size)                  /* a pack of size 0 */                                                    \
  X(packed_one)                 /* a pack of size 1, which says nothing */                                \
  X(oddeven_odd)                /* an odd-even strip of odd size */                                       \
  X(dynamic_repeated)           /* two dynamic entries for one dimension */                               \
  X(dynamic_not_outermost)      /* a dynamic entry inside a fixed one of its dimension */                 \
  X(mergeable)                  /* neighbouring entries that are one entry */                             \
  X(undefined_value)            /* the value at this point is not defined (division by zero, overflow) */ \
  X(not_invertible)             /* a map that has no inverse; carries the witness */                      \
  X(not_representable)          /* no such layout exists; carries the reason and the witness */           \
  X(undecided)                  /* not decided within the stated limit */                                 \
  X(limit)                      /* input beyond a stated limit (nesting, count, size) */                  \
  X(capacity)                   /* more leaves or brackets than a layout value holds */                   \
  X(not_congruent)              /* a shape and a stride that are nested differently */                    \
  X(empty_range)                /* a range of modes without a mode */                                     \
  X(codomain_mismatch)          /* plain strides and coordinate strides in one layout */                  \
  X(unsupported_codomain)       /* an operation that coordinate strides do not have */                    \
  X(basis_out_of_range)         /* a coordinate stride that names a mode that is not there */             \
  X(non_injective)              /* two coordinates with one offset where they must differ */              \
  X(negative_stride)            /* a negative stride where none may be */                                 \
  X(left_inverse_chain)         /* a stride that does not divide the next */                              \
  X(shape_divisibility)         /* two extents, neither divides the other */                              \
  X(recast_divisibility)        /* a stride and a factor, neither divides the other */                    \
  X(downcast_no_unit_stride)    /* no mode of stride 1 to subdivide */                                    \
  X(tile_to_shape_divisibility) /* a block that does not divide the target shape */                       \
  X(bad_swizzle)                /* bits, base and shift that are no swizzle */                            \
  X(swizzle_masks)              /* two bit masks that are no swizzle */                                   \
  X(swizzle_shift_mismatch)     /* two swizzles with different shifts */                                  \
  X(nonzero_offset)             /* an offset where none may be */                                         \
  X(stride_divisibility)        /* CuTe C++ would refuse this stride at compile time */                   \
  X(dynamic_stride)             /* CuTe C++ needs this stride at compile time */                          \
  X(div_by_zero)                /* CuTe C++ would divide by zero */                                       \
  X(bad_option)                 /* a command line option or a request with a wrong value */               \
  X(file_not_found)             /* a file that cannot be opened */                                        \
  X(file_exists)                /* a file that would be overwritten; say --force */                       \
  X(file_read)                  /* a file that cannot be read or unpacked */                              \
  X(file_write)                 /* a file that cannot be written */                                       \
  X(file_too_large)             /* a file beyond the supported size */                                    \
  X(different_shape)            /* two layouts whose logical boxes differ */                              \
  X(different_type)             /* two tensors whose element types differ */                              \
  X(broadcast)                  /* a destination in which two indices share an offset */                  \
  X(overlap)                    /* source and destination memory overlap */                               \
  X(unsupported_width)          /* an element width that bytes cannot move */                             \
  X(buffer_too_small)           /* memory with fewer bytes than the layout needs */                       \
  X(ambiguous)                  /* a text that two notations read, each in its own way */                 \
  X(missing_layout)             /* a tensor whose shape or layout nothing says */                         \
  X(unknown_function)           /* a function that the calculator has not */                              \
  X(argument_count)             /* a wrong number of arguments of a function */                           \
  X(argument_type)              /* an argument of another kind than the function takes */                 \
  X(bad_file)                   /* a tensor file whose header breaks its format */                        \
  X(byte_order)                 /* a tensor file with big-endian elements */                              \
  X(verify_failed)              /* a copy whose result differs from the index map */

enum class Code : std::uint8_t {
#define TESSERA_CODE(word) word,
  TESSERA_CODES(TESSERA_CODE)
#undef TESSERA_CODE
};

/// The word itself, as diagnostics, JSON and the documentation spell it.
std::string_view to_string(Code code);

/// The code of a word, or nothing.
std::optional<Code> parse_code(std::string_view word);

}  // namespace tessera
