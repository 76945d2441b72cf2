// Mathematical functions for the definitions of ops: templates over the V of op_definition.h, for
// f32 and f64, built only from IEEE operations so that all targets agree.
//
// Accurate to 4.5 ulp in f32 and a relative error of 1e-13 in f64, including infinities, nan, zeros
// and subnormals. Weaker: lgamma near its zeros below 0 and digamma near its zeros (absolute
// 1e-14), sigmoid in the subnormal range (0). Polynomials were fitted by weighted least squares
// with Lawson's iteration; other formulas cite their source.
#pragma once

#include "runtime/ir/math/math_basic.h"
#include "runtime/ir/math/math_bessel.h"
#include "runtime/ir/math/math_bessel_waves.h"
#include "runtime/ir/math/math_error.h"
#include "runtime/ir/math/math_exponential.h"
#include "runtime/ir/math/math_gamma.h"
#include "runtime/ir/math/math_logarithm.h"
#include "runtime/ir/math/math_power.h"
#include "runtime/ir/math/math_trigonometric.h"
