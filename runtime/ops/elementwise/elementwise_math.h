// The definitions of all elementwise ops, for who compiles or evaluates them.
#pragma once

#include "runtime/ops/elementwise/activation_math.h"
#include "runtime/ops/elementwise/arithmetic_math.h"
#include "runtime/ops/elementwise/comparison_math.h"
#include "runtime/ops/elementwise/generation_math.h"
#include "runtime/ops/elementwise/unary_math.h"
