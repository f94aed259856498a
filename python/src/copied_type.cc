// SPDX-License-Identifier: Apache-2.0
#include "python/src/copied_type.h"

#include <fmt/format.h>

#include "python/src/dtype_names.h"
#include "python/src/errors.h"
#include "tessera/files/tensor_file.h"

namespace tessera::python {

CopiedType copied_type(const Layout& from, const Layout& to, nb::handle dtype) {
  std::optional<DType> type = dtype.is_none() ? std::optional<DType>() : dtype_argument(dtype);
  if (!type) type = to.dtype() ? to.dtype() : from.dtype();
  if (!type) {
    raise(Code::missing_layout, "neither layout has an element type", "name one: dtype='f32'");
  }
  for (const Layout* layout : {&from, &to}) {
    if (layout->dtype() && *layout->dtype() != *type) {
      raise(Code::different_type,
            fmt::format("the type is {}, but the layout is {}", to_string(*type), to_string(*layout)));
    }
  }
  const Index bits = memory_bits(to, *type);
  if (bits % 8 != 0 || memory_bits(from, *type) != bits) {
    raise(Code::unsupported_width,
          fmt::format("elements of {} bits: only whole bytes can be moved in memory", bits));
  }
  return {*type, bits / 8};
}

}  // namespace tessera::python
