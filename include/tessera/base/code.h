// SPDX-License-Identifier: Apache-2.0
/// \file
/// The stable codes of errors and warnings. docs/errors/ explains each.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tessera {

/// All codes with their meanings: X(code). A code has the same meaning in all notations. This table is the
/// source of the pages in docs/errors/ and of their index (tests/conventions/check_codes.py).
#define TESSERA_CODES(X)                                                                                     \
  X(syntax)                /* text that does not follow the grammar */                                       \
  X(number_range)          /* an integer that is too large for its place */                                  \
  X(overflow)              /* exact arithmetic that would overflow 64 bits */                                \
  X(unknown_name)          /* an undefined name */                                                           \
  X(duplicate_name)        /* a name that is defined twice */                                                \
  X(reserved_name)         /* a keyword used as a name */                                                    \
  X(unknown_opcode)        /* an unknown opcode; its instruction is kept but not analyzed */                 \
  X(unknown_attribute)     /* an unknown attribute, or one that does not belong to its opcode (a warning) */ \
  X(unknown_type)          /* an element type that does not exist */                                         \
  X(missing_attribute)     /* a required attribute that is missing */                                        \
  X(bad_attribute)         /* an attribute whose value breaks a rule of the opcode */                        \
  X(operand_count)         /* too few or too many operands */                                                \
  X(shape_mismatch)        /* shapes that must agree but differ */                                           \
  X(rank_mismatch)         /* numbers of dimensions that must agree but differ */                            \
  X(dim_out_of_range)      /* a dimension number that the shape does not have */                             \
  X(bad_permutation)       /* a list that is not a permutation of the dimensions */                          \
  X(depth)                 /* a type nested deeper than 500 levels */                                        \
  X(negative_dim)          /* a dimension with a negative extent */                                          \
  X(nonarray_dims)         /* a token or an opaque with dimensions */                                        \
  X(layout_on_nonarray)    /* a layout of a token or an opaque */                                            \
  X(buffer_element)        /* a buffer `b(...)` of something other than an array */                          \
  X(index_type)            /* an index or pointer type that is not an unsigned integer */                    \
  X(sparse_only)           /* a layout part that only sparse arrays had */                                   \
  X(m2m_range)             /* `minor_to_major` names a dimension that the shape does not have */             \
  X(m2m_duplicate)         /* `minor_to_major` names a dimension twice */                                    \
  X(tail_align)            /* `L(n)` with n < 1 */                                                           \
  X(tile_empty)            /* a tile without entries */                                                      \
  X(tile_entry)            /* a tile entry that is neither at least 1 nor `*` */                             \
  X(tile_trailing_star)    /* a tile that ends with `*` */                                                   \
  X(element_bits)          /* `E(n)` with n < 0 */                                                           \
  X(memory_space)          /* `S(n)` with n < 0 */                                                           \
  X(metadata_prefix)       /* `M(n)` with n < 0 */                                                           \
  X(split_dim_range)       /* `SC` names a physical dimension that the layout does not have */               \
  X(split_dim_duplicate)   /* `SC` splits a dimension twice */                                               \
  X(split_order)           /* split points that do not increase, or are below 1 */                           \
  X(split_range)           /* a split point at or beyond the end of its dimension */                         \
  X(bad_literal)           /* a literal that does not fit its shape */                                       \
  X(variable_mismatch)     /* an expression that uses a variable the map does not declare */                 \
  X(value_count)           /* a wrong number of values, indices or results */                                \
  X(index_out_of_range)    /* an index, an offset, an operand or another number that does not exist */       \
  X(device_count)          /* a number of devices that does not fit the tile assignment */                   \
  X(iota_perm)             /* a `T(...)` of devices that is not a permutation */                             \
  X(no_static_map)         /* a sharding that does not determine who holds an element */                     \
  X(unbounded)             /* a size or an offset of an array without bounds */                              \
  X(bad_extent)            /* an extent below the minimum */                                                 \
  X(not_applicable)        /* an operation that does not apply to the layout, map or access */               \
  X(contig_range)          /* a `c` with more entries than the packed layout has */                          \
  X(zero_size)             /* a pack of size 0 */                                                            \
  X(packed_one)            /* a pack of size 1 */                                                            \
  X(oddeven_odd)           /* an odd-even strip of odd size */                                               \
  X(dynamic_repeated)      /* two dynamic entries for one dimension */                                       \
  X(dynamic_not_outermost) /* a dynamic entry inside a fixed one of its dimension */                         \
  X(mergeable)             /* neighboring entries that should be one */                                      \
  X(undefined_value)       /* a value that is not defined at this point */                                   \
  X(not_invertible)        /* a map that has no inverse */                                                   \
  X(not_representable)     /* no such layout exists in this notation */                                      \
  X(undecided)             /* a question that was not decided within a limit */                              \
  X(limit)                 /* input beyond a limit on nesting, count or size */                              \
  X(capacity)              /* more leaves or brackets than a layout holds */                                 \
  X(not_congruent)         /* a shape and a stride with different nesting */                                 \
  X(empty_range)           /* an empty range of modes */                                                     \
  X(codomain_mismatch)     /* plain strides and coordinate strides in one layout */                          \
  X(unsupported_codomain)  /* an operation that is not defined for coordinate strides */                     \
  X(basis_out_of_range)    /* a coordinate stride that names a mode that does not exist */                   \
  X(non_injective)         /* two coordinates with the same offset */                                        \
  X(negative_stride)       /* a negative stride that the operation does not allow */                         \
  X(left_inverse_chain)    /* a stride that does not divide the next */                                      \
  X(shape_divisibility)    /* two extents where neither divides the other */                                 \
  X(recast_divisibility)   /* a stride and a factor where neither divides the other */                       \
  X(downcast_no_unit_stride)    /* no mode of stride 1 to subdivide */                                       \
  X(tile_to_shape_divisibility) /* a block that does not divide the target shape */                          \
  X(bad_swizzle)                /* bits, base and shift that do not make a swizzle */                        \
  X(swizzle_masks)              /* two bit masks that do not make a swizzle */                               \
  X(swizzle_shift_mismatch)     /* two swizzles with different shifts */                                     \
  X(nonzero_offset)             /* an offset that must be 0 */                                               \
  X(stride_divisibility)        /* CuTe C++ would refuse this stride at compile time */                      \
  X(dynamic_stride)             /* CuTe C++ needs this stride at compile time */                             \
  X(div_by_zero)                /* CuTe C++ would divide by zero */                                          \
  X(bad_option)                 /* an option or a JSON request with a wrong value */                         \
  X(file_not_found)             /* a file that cannot be opened */                                           \
  X(file_exists)                /* a file that would be overwritten */                                       \
  X(file_read)                  /* a file that cannot be read or decompressed */                             \
  X(file_write)                 /* a file that cannot be written */                                          \
  X(file_too_large)             /* a text of more than 1 GiB */                                              \
  X(different_shape)            /* two layouts with different shapes */                                      \
  X(different_type)             /* two tensors with different element types */                               \
  X(broadcast)                  /* a destination in which two indices share an offset */                     \
  X(overlap)                    /* source and destination memory that overlap */                             \
  X(unsupported_width)          /* an element width that is not a whole number of bytes */                   \
  X(misaligned)                 /* an address that is not a multiple of the width of its access */           \
  X(buffer_too_small)           /* memory with fewer bytes than the layout needs */                          \
  X(missing_layout)             /* a tensor without a shape or a layout */                                   \
  X(unknown_function)           /* a function that the calculator does not have */                           \
  X(argument_count)             /* a function with the wrong number of arguments */                          \
  X(argument_type)              /* an argument of a kind that the function does not take */                  \
  X(bad_file)                   /* a tensor file whose header breaks its format */                           \
  X(byte_order)                 /* a tensor file with big-endian elements */                                 \
  X(verify_failed)              /* a copy or a plan that disagrees with the index maps */

/// What is wrong, as one word.
enum class Code : std::uint8_t {
#define TESSERA_CODE(word) word,
  TESSERA_CODES(TESSERA_CODE)
#undef TESSERA_CODE
};

/// The code as diagnostics, JSON and the documentation spell it.
std::string_view to_string(Code code);

/// The code with this spelling, if there is one.
std::optional<Code> parse_code(std::string_view word);

}  // namespace tessera
