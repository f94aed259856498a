// SPDX-License-Identifier: Apache-2.0
#include "python/src/dtype_names.h"

#include "python/src/errors.h"

namespace tessera::python {
namespace {

struct Prefix {
  std::string_view numpy;
  std::string_view xla;
};
// Longer prefixes come first.
constexpr Prefix kPrefixes[] = {{"float4_", "f4"}, {"float6_", "f6"}, {"float8_", "f8"}, {"bfloat", "bf"},
                                {"float", "f"},    {"uint", "u"},     {"int", "s"},      {"complex", "c"}};

}  // namespace

std::optional<DType> dtype_named(std::string_view name) {
  if (name.starts_with("torch.")) name.remove_prefix(6);
  if (const std::optional<DType> type = parse_dtype(name)) return type;
  if (name == "bool") return DType::pred;
  for (const Prefix& prefix : kPrefixes) {
    if (name.starts_with(prefix.numpy)) {
      return parse_dtype(std::string(prefix.xla) + std::string(name.substr(prefix.numpy.size())));
    }
  }
  return {};
}

std::string numpy_name(DType type) {
  const std::string_view name = to_string(type);
  if (type == DType::pred) return "bool";
  const std::string_view narrow = name.substr(0, 2);
  if (name.size() > 2 && (narrow == "f4" || narrow == "f6" || narrow == "f8")) {
    return "float" + std::string(name.substr(1, 1)) + "_" + std::string(name.substr(2));
  }
  for (const Prefix& prefix : kPrefixes) {
    if (!prefix.numpy.ends_with('_') && name.starts_with(prefix.xla)) {
      return std::string(prefix.numpy) + std::string(name.substr(prefix.xla.size()));
    }
  }
  return std::string(name);
}

nb::object numpy_dtype(DType type) {
  const std::string name = numpy_name(type);
  const nb::module_ numpy = nb::module_::import_("numpy");
  const bool plain = type == DType::pred || name.find('_') == std::string::npos;
  if (plain && type != DType::bf16 && bit_width(type) >= 8) return numpy.attr("dtype")(name);
  return numpy.attr("dtype")(nb::module_::import_("ml_dtypes").attr(name.c_str()));
}

DType dtype_argument(nb::handle value) {
  std::string name;
  if (nb::isinstance<nb::str>(value)) {
    name = nb::cast<std::string>(value);
  } else if (nb::hasattr(value, "name")) {
    name = nb::cast<std::string>(nb::str(value.attr("name")));
  } else if (nb::hasattr(value, "__name__")) {
    name = nb::cast<std::string>(nb::str(value.attr("__name__")));
  } else {
    name = nb::cast<std::string>(nb::str(value));
  }
  if (const std::optional<DType> type = dtype_named(name); type && is_array_type(*type)) return *type;
  raise(Code::unknown_type, "there is no element type '" + name + "'",
        "write a name such as f32, bf16, float32 or int8, or a numpy.dtype");
}

}  // namespace tessera::python
