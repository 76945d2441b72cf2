// The meanings of all light ops, for who compiles or evaluates them.
#pragma once

#include "runtime/ops/activation_math.h"
#include "runtime/ops/arithmetic_math.h"
#include "runtime/ops/comparison_math.h"
#include "runtime/ops/generation_math.h"
#include "runtime/ops/unary_math.h"
