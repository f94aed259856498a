// SPDX-License-Identifier: Apache-2.0
/// \file
/// The layout forms of CuTe layouts and chains of swizzles.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "notation/layout_form.h"

namespace tessera::detail {

class CuteForm : public FormOf<StridedLayout> {
 public:
  CuteForm(StridedLayout layout, bool is_cropped) : FormOf(layout), is_cropped_(is_cropped) {}
  std::string text(std::span<const Index> shape) const override;
  std::string order() const override;
  std::optional<Result<Layout>> transposed(const Layout& self, std::span<const Index> axes,
                                           std::span<const Index> places) const override;

 private:
  bool is_cropped_;
};

/// A chain of more than one part. Its last layout has digits over the box; the chain itself has none.
class CuteChainForm : public LayoutForm {
 public:
  CuteChainForm(const ComposedLayout& chain, Digits last, bool is_cropped)
      : chain_(chain), last_(std::move(last)), is_cropped_(is_cropped) {}
  const void* value(const char* type_tag) const override {
    return type_tag == &kTypeTag<ComposedLayout> ? &chain_ : nullptr;
  }
  bool equals(const LayoutForm& other) const override {
    const void* theirs = other.value(&kTypeTag<ComposedLayout>);
    return theirs != nullptr && chain_ == *static_cast<const ComposedLayout*>(theirs);
  }
  std::string text(std::span<const Index> shape) const override;
  std::string order() const override;
  Index offset(std::span<const Index> index) const override;
  IndexMap to_index_map(std::span<const Index> shape) const override;
  std::optional<LinearLayout> linear_form(std::span<const Index> shape) const override;
  std::optional<Result<Layout>> transposed(const Layout& self, std::span<const Index> axes,
                                           std::span<const Index> places) const override;

 private:
  ComposedLayout chain_;
  Digits last_;
  bool is_cropped_;
};

}  // namespace tessera::detail
