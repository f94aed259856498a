// SPDX-License-Identifier: Apache-2.0
#include "report/help_text.h"

namespace tessera {
namespace {

// For each code, help that fits most errors with it, in one line, as on the pages in docs/errors/.
std::string_view common_help(Code code) {
  switch (code) {
    case Code::number_range:
      return "integers have 64 bits: -9223372036854775808 to 9223372036854775807";
    case Code::overflow:
      return "sizes and offsets have 64 bits: look for the extent or the stride that is too large";
    case Code::unknown_name:
      return "define a name before you use it";
    case Code::duplicate_name:
      return "rename one of the two";
    case Code::reserved_name:
      return "choose another name";
    case Code::unknown_opcode:
      return "opcodes are lower case with hyphens; a custom operation is a custom-call";
    case Code::unknown_type:
      return "the types are those of XLA: pred, s8, u16, f32, bf16, f8e4m3fn, c64, ...";
    case Code::missing_attribute:
      return "attributes follow the operands: transpose(p), dimensions={1,0}";
    case Code::bad_attribute:
      return "choose a value that HLO allows; the message says which";
    case Code::operand_count:
      return "give the operation the number of operands that it takes";
    case Code::shape_mismatch:
      return "make the two agree: HLO does not convert or broadcast implicitly";
    case Code::rank_mismatch:
      return "give exactly one entry for each dimension";
    case Code::dim_out_of_range:
      return "dimensions count from 0: the last one is rank - 1";
    case Code::bad_permutation:
      return "name every dimension once";
    case Code::depth:
      return "flatten the type: the limit is 500 levels";
    case Code::negative_dim:
      return "write an extent of 0 or more; if it is dynamic, ? or <=n";
    case Code::nonarray_dims:
      return "leave the dimensions out: token[]";
    case Code::layout_on_nonarray:
      return "only an array has a layout: f32[3,5]{1,0}";
    case Code::buffer_element:
      return "wrap each array: (b(f32[3]), b(s32[2]))";
    case Code::index_type:
    case Code::sparse_only:
      return "leave the part out: sparse arrays no longer exist";
    case Code::m2m_range:
    case Code::m2m_duplicate:
      return "name every dimension once, the fastest first: {1,0}";
    case Code::tail_align:
      return "leave the part out: without it nothing is rounded, as with L(1)";
    case Code::tile_empty:
      return "write the extents of the tile, T(8,128), or leave the tile out";
    case Code::tile_entry:
      return "use 1 for a dimension without tiling: T(1,128)";
    case Code::tile_trailing_star:
      return "end the tile with an extent: T(*,4)";
    case Code::element_bits:
      return "write the number of bits, E(4), or leave the part out";
    case Code::memory_space:
      return "write the number of the memory space, S(1), or leave the part out";
    case Code::metadata_prefix:
      return "write the number of bytes, M(64), or leave the part out";
    case Code::split_dim_range:
      return "physical dimensions count from 0, the slowest, to rank - 1";
    case Code::split_dim_duplicate:
      return "write all points of a dimension in one list: SC(0:1,2)";
    case Code::split_order:
      return "write the points in increasing order, starting at 1 or more: SC(1:2,3)";
    case Code::split_range:
      return "split inside the dimension: from 1 to its extent - 1";
    case Code::bad_literal:
      return "complete the literal, or write constant({...}) for a constant of unknown value";
    case Code::variable_mismatch:
      return "declare a variable for each number that is used: dimensions, range variables, runtime "
             "variables";
    case Code::value_count:
      return "give one value for each dimension or variable, separated by commas: 1,2";
    case Code::index_out_of_range:
      return "count from 0";
    case Code::device_count:
      return "make the products equal; write {maximal device=0} for one device, {replicated} for a copy on "
             "each";
    case Code::iota_perm:
      return "list each dimension once: T(1,0)";
    case Code::no_static_map:
      return "use a tiled, replicated or maximal sharding";
    case Code::unbounded:
      return "give the dimension a bound, f32[<=8,5]; offsets then use the bound";
    case Code::bad_extent:
      return "an extent is at least 1; types, strides and maps allow 0: np:(2,0):(1,1)";
    case Code::not_applicable:
      return "add a dynamic entry for the dimension, [0, 1, 0 p(4)], or choose a pack that divides the "
             "extent";
    case Code::contig_range:
      return "write at most the number of entries, or leave the part out to make all of them contiguous";
    case Code::zero_size:
    case Code::packed_one:
      return "leave the entry out";
    case Code::oddeven_odd:
      return "choose an even size, usually twice the number of lanes";
    case Code::dynamic_repeated:
      return "give the faster entry a size: [0, 1, 0 p(4)]";
    case Code::dynamic_not_outermost:
      return "put the dynamic entry first: [0, 1, 0 p(4)]";
    case Code::mergeable:
      return "write one entry, or say where contiguity ends: ([0, 0 p(2)], c1)";
    case Code::undefined_value:
      return "choose a point of the domain where no divisor is 0 and no step overflows";
    case Code::not_invertible:
      return "'map inverse --relational' inverts any map as a relation; 'map image' gives the set of results";
    case Code::not_representable:
      return "try `--to map`: it can express any quasi-affine layout";
    case Code::undecided:
      return "give the variables finite bounds, or restrict the domain";
    case Code::limit:
      return "request a part, or split the input";
    case Code::capacity:
      return "coalesce first: it removes modes of extent 1 and joins modes that continue each other";
    case Code::not_congruent:
      return "copy the brackets of the shape and replace the numbers: ((2,2),3):((1,2),4)";
    case Code::empty_range:
      return "the end must be greater than the beginning";
    case Code::codomain_mismatch:
      return "write every stride as a coordinate stride, (2,3):(1@0,2@1), or none";
    case Code::unsupported_codomain:
      return "compose with a layout of offsets first";
    case Code::basis_out_of_range:
      return "compare the paths after @, read from right to left, with the nesting of the shape";
    case Code::non_injective:
      return "enlarge the stride that is too small, or filter a mode that only repeats (stride 0)";
    case Code::negative_stride:
      return "reverse the mode: 4:-1 is 4:1 with an offset of -3, read backward";
    case Code::left_inverse_chain:
      return "use the inverse of an index map: map inverse expresses it with floor divisions";
    case Code::shape_divisibility:
      return "use ceil_div to round up";
    case Code::recast_divisibility:
      return "recast by a factor that fits every stride; max_alignment gives the largest";
    case Code::downcast_no_unit_stride:
      return "append a mode 1:1 for the smaller elements";
    case Code::tile_to_shape_divisibility:
      return "choose a multiple of the block, and mask the elements beyond the data";
    case Code::bad_swizzle:
      return "a swizzle is Sw<BITS,BASE,SHIFT> with SHIFT >= BITS: Sw<3,4,3>";
    case Code::swizzle_masks:
    case Code::swizzle_shift_mismatch:
      return "keep the two as a chain: Sw<2,0,3> o _0 o Sw<2,0,2>";
    case Code::nonzero_offset:
      return "add the offset to the result instead, if that is what you mean";
    case Code::stride_divisibility:
    case Code::div_by_zero:
      return "use the exact answer, which has no such limit";
    case Code::dynamic_stride:
      return "mark the strides static, (2,3):(_1,_2), or use the exact answer";
    case Code::bad_option:
      return "tessera --help lists the verbs, and tessera VERB --help lists the options of a verb";
    case Code::file_not_found:
      return "check the path: relative paths start from the current directory";
    case Code::file_exists:
      return "choose another name, or replace it with --force";
    case Code::file_read:
      return "check that it is a file and that you may read it: ls -l";
    case Code::file_write:
      return "check the directory and the free space of its disk";
    case Code::file_too_large:
      return "split the file: modules do not depend on each other";
    case Code::different_shape:
      return "give both layouts the same extents, in the same order of dimensions";
    case Code::different_type:
      return "convert the numbers first: a copy moves bits";
    case Code::broadcast:
      return "every element of the destination needs its own offset; only a source may repeat offsets";
    case Code::overlap:
      return "use separate memory for the destination";
    case Code::unsupported_width:
      return "use whole bytes, or packed elements of 1, 2 or 4 bits";
    case Code::misaligned:
      return "use a narrower vector, or a layout whose vectors begin at multiples of their width";
    case Code::buffer_too_small:
      return "give the layout and the type with which the bytes were written, or add the missing bytes";
    case Code::missing_layout:
      return "give a layout: --from LAYOUT";
    case Code::unknown_function:
      return "tessera eval --list lists all functions";
    case Code::argument_count:
    case Code::argument_type:
      return "tessera eval --list shows how to call each function";
    case Code::bad_file:
      return "write the file again with the library that made it";
    case Code::byte_order:
      return "write the file in little-endian order";
    case Code::verify_failed:
      return "please report both layouts and the element type";
    case Code::syntax:
    case Code::unknown_attribute:
      break;
  }
  return {};
}

}  // namespace

std::string help_for(const Diagnostic& diagnostic) {
  if (!diagnostic.help.empty() || diagnostic.severity != Severity::error) return diagnostic.help;
  return std::string(common_help(diagnostic.code));
}

}  // namespace tessera
