// SPDX-License-Identifier: Apache-2.0
/// \file
/// The verb `atoms`: layouts of real hardware and libraries, by name.
#pragma once

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
};

template <>
struct Description<AtomsRequest> {
  static constexpr std::string_view name = "atoms";
  static constexpr std::string_view help = "layouts of real hardware and libraries, by name";
  static constexpr std::string_view footer =
      R"(An atom is a layout that atom:ID names wherever a layout is read. If only one is found, everything about it is
shown: what its coordinates mean, the source, and the checks of its layout. The exit status is 1 if none is found.

Examples:
  tessera atoms ldmatrix
  tessera atoms --vendor AMD f16
  tessera atoms nv.sm80.m16n8k16.f16.A
  tessera atoms '((4,8),(2,2)):((32,1),(16,8))'
  tessera show atom:nv.sm80.m16n8k16.f16.A --tv
  tessera at atom:amd.mfma.32x32.D 33,5)";

  template <class Visit>
  static void fields(Visit&& visit) {
    visit(Field{.name = "word",
                .help =
                    "list the atoms that have every word in their ID, vendor, family, element or meaning; or "
                    "an ID, or a layout",
                .argument = true,
                .optional = true},
          &AtomsRequest::word);
    visit(
        Field{
            .name = "vendor", .value = "NAME", .help = "only atoms of this vendor: NVIDIA, AMD, Intel, ..."},
        &AtomsRequest::vendor);
    visit(Field{.name = "family",
                .value = "NAME",
                .help = "only atoms of this family: wgmma, MFMA, oneDNN tag, ..."},
          &AtomsRequest::family);
  }
};

/// The atoms that were found. Its status is 1 if there is none.
class AtomsResult : public VerbAnswer {
 public:
  explicit AtomsResult(std::vector<const Atom*> found) : found_(std::move(found)) {}

  const std::vector<const Atom*>& found() const { return found_; }

  int status() const override;
  Result<std::string> to_text(const Terminal& terminal) const override;
  Result<std::string> to_json() const override;
  std::vector<std::string> hints() const override;

 private:
  std::vector<const Atom*> found_;
};

/// The atom with this ID. Otherwise the atoms that contain every word. Otherwise the atoms with the layout
/// that the words spell.
Result<AtomsResult> atoms(const AtomsRequest& request, Observer& observer);

}  // namespace tessera::verbs
