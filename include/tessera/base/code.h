// SPDX-License-Identifier: Apache-2.0
/// \file
/// The stable codes of errors and warnings. docs/errors/ explains each.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tessera {

/// All codes: X(code, exit status of a question that ends with it, exit status of a call of the calculator,
/// class of tessera._errors in Python), and the meaning. An operation of the calculator refuses valid
/// operands for which there is no result: its answer is no. Elsewhere such a code is about a text, which is
/// wrong. A code has the same meaning in all notations. This table is the source of the pages in docs/errors/
/// and of their index (tests/conventions/check_codes.py).
#define TESSERA_CODES(X)                                                                                     \
  X(syntax, 2, 2, ParseError)           /* text that does not follow the grammar */                          \
  X(number_range, 2, 2, ParseError)     /* an integer that is too large for its place */                     \
  X(overflow, 2, 2, Error)              /* exact arithmetic that would overflow 64 bits */                   \
  X(unknown_name, 2, 2, UnknownName)    /* an undefined name */                                              \
  X(duplicate_name, 2, 2, Error)        /* a name that is defined twice */                                   \
  X(reserved_name, 2, 2, Error)         /* a keyword used as a name */                                       \
  X(unknown_opcode, 2, 2, Error)        /* an unknown opcode; its instruction is kept but not analyzed */    \
  X(unknown_attribute, 2, 2, Error)     /* an attribute that is unknown, or not of its opcode (a warning) */ \
  X(unknown_type, 2, 2, Error)          /* an element type that does not exist */                            \
  X(missing_attribute, 2, 2, Error)     /* a required attribute that is missing */                           \
  X(bad_attribute, 2, 2, Error)         /* an attribute whose value breaks a rule of the opcode */           \
  X(operand_count, 2, 2, Error)         /* too few or too many operands */                                   \
  X(shape_mismatch, 2, 2, ShapeError)   /* shapes that must agree but differ */                              \
  X(rank_mismatch, 2, 2, ShapeError)    /* numbers of dimensions that must agree but differ */               \
  X(dim_out_of_range, 2, 2, ShapeError) /* a dimension number that the shape does not have */                \
  X(bad_permutation, 2, 2, ShapeError)  /* a list that is not a permutation of the dimensions */             \
  X(depth, 2, 2, Error)                 /* a type nested deeper than 500 levels */                           \
  X(negative_dim, 2, 2, Error)          /* a dimension with a negative extent */                             \
  X(nonarray_dims, 2, 2, Error)         /* a token or an opaque with dimensions */                           \
  X(layout_on_nonarray, 2, 2, Error)    /* a layout of a token or an opaque */                               \
  X(buffer_element, 2, 2, Error)        /* a buffer `b(...)` of something other than an array */             \
  X(index_type, 2, 2, Error)            /* an index or pointer type that is not an unsigned integer */       \
  X(sparse_only, 2, 2, Error)           /* a layout part that only sparse arrays had */                      \
  X(m2m_range, 2, 2, Error)           /* `minor_to_major` names a dimension that the shape does not have */  \
  X(m2m_duplicate, 2, 2, Error)       /* `minor_to_major` names a dimension twice */                         \
  X(tail_align, 2, 2, Error)          /* `L(n)` with n < 1 */                                                \
  X(tile_empty, 2, 2, Error)          /* a tile without entries */                                           \
  X(tile_entry, 2, 2, Error)          /* a tile entry that is neither at least 1 nor `*` */                  \
  X(tile_trailing_star, 2, 2, Error)  /* a tile that ends with `*` */                                        \
  X(element_bits, 2, 2, Error)        /* `E(n)` with n < 0 */                                                \
  X(memory_space, 2, 2, Error)        /* `S(n)` with n < 0 */                                                \
  X(metadata_prefix, 2, 2, Error)     /* `M(n)` with n < 0 */                                                \
  X(split_dim_range, 2, 2, Error)     /* `SC` names a physical dimension that the layout does not have */    \
  X(split_dim_duplicate, 2, 2, Error) /* `SC` splits a dimension twice */                                    \
  X(split_order, 2, 2, Error)         /* split points that do not increase, or are below 1 */                \
  X(split_range, 2, 2, Error)         /* a split point at or beyond the end of its dimension */              \
  X(bad_literal, 2, 2, Error)         /* a literal that does not fit its shape */                            \
  X(variable_mismatch, 2, 2, Error)   /* an expression that uses a variable the map does not declare */      \
  X(value_count, 2, 2, ShapeError)    /* a wrong number of values, indices or results */                     \
  X(index_out_of_range, 2, 2, ShapeError) /* an index, offset or other number that does not exist */         \
  X(device_count, 2, 2, Error)            /* a number of devices that does not fit the tile assignment */    \
  X(iota_perm, 2, 2, Error)               /* a `T(...)` of devices that is not a permutation */              \
  X(no_static_map, 2, 2, Error)           /* a sharding that does not determine who holds an element */      \
  X(unbounded, 2, 2, Error)               /* a size or an offset of an array without bounds */               \
  X(bad_extent, 2, 2, Error)              /* an extent below the minimum */                                  \
  X(not_applicable, 2, 2, Error)        /* an operation that does not apply to the layout, map or access */  \
  X(contig_range, 2, 2, Error)          /* a `c` with more entries than the packed layout has */             \
  X(zero_size, 2, 2, Error)             /* a pack of size 0 */                                               \
  X(packed_one, 2, 2, Error)            /* a pack of size 1 */                                               \
  X(oddeven_odd, 2, 2, Error)           /* an odd-even strip of odd size */                                  \
  X(dynamic_repeated, 2, 2, Error)      /* two dynamic entries for one dimension */                          \
  X(dynamic_not_outermost, 2, 2, Error) /* a dynamic entry inside a fixed one of its dimension */            \
  X(mergeable, 2, 2, Error)             /* neighboring entries that should be one */                         \
  X(undefined_value, 1, 2, Error)       /* a value that is not defined at this point */                      \
  X(not_invertible, 1, 1, NotRepresentable)    /* a map that has no inverse */                               \
  X(not_representable, 1, 1, NotRepresentable) /* no such layout exists in this notation */                  \
  X(undecided, 3, 3, Undecided)                /* a question that was not decided within a limit */          \
  X(limit, 3, 3, Error)                        /* input beyond a limit on nesting, count or size */          \
  X(capacity, 2, 2, Error)                     /* more leaves or brackets than a layout holds */             \
  X(not_congruent, 2, 2, Error)                /* a shape and a stride with different nesting */             \
  X(empty_range, 2, 2, Error)                  /* an empty range of modes */                                 \
  X(codomain_mismatch, 2, 2, Error)            /* plain strides and coordinate strides in one layout */      \
  X(unsupported_codomain, 2, 2, Error)         /* an operation that is not defined for coordinate strides */ \
  X(basis_out_of_range, 2, 2, Error)         /* a coordinate stride that names a mode that does not exist */ \
  X(non_injective, 2, 1, Error)              /* two coordinates with the same offset */                      \
  X(negative_stride, 2, 1, Error)            /* a negative stride that the operation does not allow */       \
  X(left_inverse_chain, 2, 1, Error)         /* a stride that does not divide the next */                    \
  X(shape_divisibility, 2, 1, ShapeError)    /* two extents where neither divides the other */               \
  X(recast_divisibility, 2, 1, Error)        /* a stride and a factor where neither divides the other */     \
  X(downcast_no_unit_stride, 2, 1, Error)    /* no mode of stride 1 to subdivide */                          \
  X(tile_to_shape_divisibility, 2, 1, Error) /* a block that does not divide the target shape */             \
  X(bad_swizzle, 2, 2, Error)                /* bits, base and shift that do not make a swizzle */           \
  X(swizzle_masks, 2, 1, Error)              /* two bit masks that do not make a swizzle */                  \
  X(swizzle_shift_mismatch, 2, 1, Error)     /* two swizzles with different shifts */                        \
  X(nonzero_offset, 2, 1, Error)             /* an offset that must be 0 */                                  \
  X(stride_divisibility, 2, 1, Error)        /* CuTe C++ would refuse this stride at compile time */         \
  X(dynamic_stride, 2, 1, Error)             /* CuTe C++ needs this stride at compile time */                \
  X(div_by_zero, 2, 2, Error)                /* CuTe C++ would divide by zero */                             \
  X(bad_option, 2, 2, Error)                 /* an option or a JSON request with a wrong value */            \
  X(file_not_found, 2, 2, MissingFile)       /* a file that cannot be opened */                              \
  X(file_exists, 2, 2, ExistingFile)         /* a file that would be overwritten */                          \
  X(file_read, 2, 2, FileError)              /* a file that cannot be read or decompressed */                \
  X(file_write, 3, 3, FileError)             /* a file that cannot be written */                             \
  X(file_too_large, 3, 3, FileError)         /* a text of more than 1 GiB */                                 \
  X(different_shape, 2, 2, ShapeError)       /* two layouts with different shapes */                         \
  X(different_type, 2, 2, Error)             /* two tensors with different element types */                  \
  X(broadcast, 2, 2, Error)                  /* a destination in which two indices share an offset */        \
  X(overlap, 2, 2, Error)                    /* source and destination memory that overlap */                \
  X(unsupported_width, 2, 2, Error)          /* an element width that is not a whole number of bytes */      \
  X(misaligned, 2, 2, Error)            /* an address that is not a multiple of the width of its access */   \
  X(buffer_too_small, 2, 2, ShapeError) /* memory with fewer bytes than the layout needs */                  \
  X(missing_layout, 2, 2, Error)        /* a tensor without a shape or a layout */                           \
  X(unknown_function, 2, 2, Error)      /* a function that the calculator does not have */                   \
  X(argument_count, 2, 2, Error)        /* a function with the wrong number of arguments */                  \
  X(argument_type, 2, 2, Error)         /* an argument of a kind that the function does not take */          \
  X(bad_file, 2, 2, FileError)          /* a tensor file whose header breaks its format */                   \
  X(byte_order, 2, 2, FileError)        /* a tensor file with big-endian elements */                         \
  X(verify_failed, 3, 3, Error)         /* a copy or a plan that disagrees with the index maps */            \
  X(cancelled, 3, 3, Error)             /* a question that the caller no longer wants answered */

/// What is wrong, as one word.
enum class Code : std::uint8_t {
#define TESSERA_CODE(word, ...) word,
  TESSERA_CODES(TESSERA_CODE)
#undef TESSERA_CODE
};

/// The code as diagnostics, JSON and the documentation spell it.
std::string_view to_string(Code code);

/// The exit status of a question that ends with the code: 1 no, 2 the input is wrong, 3 a limit was reached
/// or the machine failed. `of_call`: the question is a call of the calculator.
int exit_status(Code code, bool of_call = false);

/// The name of the class of errors with this code in Python.
std::string_view python_class(Code code);

/// The code with this spelling, if there is one.
std::optional<Code> parse_code(std::string_view word);

}  // namespace tessera
