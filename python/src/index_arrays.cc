// SPDX-License-Identifier: Apache-2.0
#include "python/src/index_arrays.h"

#include <string>

namespace tessera::python {

bool IndexArrays::is_single_index(const nb::args& arguments) {
  for (const nb::handle value : arguments) {
    if (!nb::isinstance<nb::int_>(value) && !nb::isinstance<nb::tuple>(value)) return false;
  }
  return true;
}

IndexArrays::IndexArrays(const nb::args& arguments) {
  const nb::module_ numpy = nb::module_::import_("numpy");
  const nb::object arrays = numpy.attr("broadcast_arrays")(*arguments);
  for (const nb::handle array : nb::iter(arrays)) {
    if (nb::cast<std::string>(array.attr("dtype").attr("kind")).find_first_of("iu") == std::string::npos) {
      throw nb::type_error("indices must be integers");
    }
    columns_.push_back(nb::cast<Column>(numpy.attr("require")(array, "int64", "C")));
    data_.push_back(columns_.back().data());
  }
}

nb::object IndexArrays::array_of(std::unique_ptr<Index[]> values) const {
  std::vector<std::size_t> shape;
  for (std::size_t d = 0; !columns_.empty() && d < columns_[0].ndim(); ++d)
    shape.push_back(columns_[0].shape(d));
  Index* const begin = values.release();
  const nb::capsule owner(begin, [](void* p) noexcept { delete[] static_cast<Index*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, Index>(begin, shape.size(), shape.data(), owner));
}

}  // namespace tessera::python
