// SPDX-License-Identifier: Apache-2.0
/// \file
/// The CuTe layout algebra, entirely `constexpr`: coalesce, composition, complement, inverses, divides,
/// products, slices and thread-value layouts.
#pragma once

#include "tessera/algebra/detail/coalesce.h"
#include "tessera/algebra/detail/complement.h"
#include "tessera/algebra/detail/composed_layout.h"
#include "tessera/algebra/detail/composition.h"
#include "tessera/algebra/detail/construct.h"
#include "tessera/algebra/detail/divide.h"
#include "tessera/algebra/detail/equality.h"
#include "tessera/algebra/detail/int_tuple.h"
#include "tessera/algebra/detail/inverse.h"
#include "tessera/algebra/detail/linear.h"
#include "tessera/algebra/detail/modes.h"
#include "tessera/algebra/detail/product.h"
#include "tessera/algebra/detail/recast.h"
#include "tessera/algebra/detail/recognise.h"
#include "tessera/algebra/detail/slice.h"
#include "tessera/algebra/detail/strided_layout.h"
#include "tessera/algebra/detail/swizzle.h"
#include "tessera/algebra/detail/thread_value.h"
#include "tessera/algebra/detail/tiler.h"
#include "tessera/algebra/detail/vector_width.h"
