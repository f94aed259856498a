// SPDX-License-Identifier: Apache-2.0
/// \file
/// The verb `atoms`: layouts of real hardware and libraries, by name.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tessera/notation/atoms.h"
#include "verbs/answer.h"
#include "verbs/observer.h"
#include "verbs/request.h"

namespace tessera::verbs {

struct AtomsRequest {
  std::vector<std::string> word = {};
  std::string vendor = {};
  std::string family = {};
  std::optional<CellType> type = {};  ///< of the elements, on which the names of a layout depend
};

/// What a search finds: atoms, families of named layouts, names of a layout.
struct FoundAtoms {
  std::vector<const Atom*> atoms = {};
  std::vector<const NamedFamilyInfo*> families = {};
  std::vector<NamedLayout> names = {};
  std::vector<NamedLayout> undecided = {};  ///< names that may be the same function
  bool needs_type = false;                  ///< names depend on a width that is not known

  bool empty() const { return atoms.empty() && families.empty() && names.empty(); }
};

template <>
struct Description<AtomsRequest> {
  static constexpr std::string_view name = "atoms";
  static constexpr std::string_view help = "layouts of real hardware and libraries, by name";
  static constexpr std::string_view footer =
      R"(An atom is a layout that atom:ID names wherever a layout is read. Families, such as scale:128x4, name a layout with
their parameters, a type and extents: scale:128x4 u8[300,7]. Of a layout, the atoms and the names are found. If only
one is found, everything about it is shown: what its coordinates mean, the source, and the checks of its layout. The exit status is 1 if none is found.

Examples:
  tessera atoms ldmatrix
  tessera atoms --vendor AMD f16
  tessera atoms nv.sm80.m16n8k16.f16.A
  tessera atoms '((4,8),(2,2)):((32,1),(16,8))'
  tessera atoms pack:awq
  tessera atoms '((8,4),4):((4,32),1)' --type u8
  tessera show atom:nv.sm80.m16n8k16.f16.A --tv
  tessera at atom:amd.mfma.32x32.D 33,5)";

  template <class Visit>
  static void fields(Visit&& visit) {
    visit(Field{.name = "word",
                .help =
                    "list the atoms that have every word in their ID, vendor, family, element or meaning; or "
                    "an ID, or a layout",
                .argument = true,
                .optional = true,
                .takes_dash = true},
          &AtomsRequest::word);
    visit(
        Field{
            .name = "vendor", .value = "NAME", .help = "only atoms of this vendor: NVIDIA, AMD, Intel, ..."},
        &AtomsRequest::vendor);
    visit(Field{.name = "family",
                .value = "NAME",
                .help = "only atoms of this family: wgmma, MFMA, oneDNN tag, ..."},
          &AtomsRequest::family);
    visit(Field{.name = "type",
                .value = "TYPE",
                .help = "the type of the elements, on which the names of a layout depend: u8"},
          &AtomsRequest::type);
  }
};

/// What was found. Its status is 1 if there is none.
class AtomsResult : public VerbAnswer {
 public:
  explicit AtomsResult(FoundAtoms found) : found_(std::move(found)) {}

  const FoundAtoms& found() const { return found_; }

  int status() const override;
  Result<std::string> to_text(const Terminal& terminal) const override;
  Result<std::string> to_json() const override;
  std::vector<std::string> hints() const override;

 private:
  FoundAtoms found_;
};

/// The atom with this ID, or the family of this name. Otherwise those that contain every word. Otherwise the
/// atoms with the layout that the words spell, and its names.
Result<AtomsResult> atoms(const AtomsRequest& request, Observer& observer);

}  // namespace tessera::verbs
