// The definitions of all elementwise ops, for code that compiles or evaluates them.
#pragma once

#include "runtime/ir/definitions/activation_math.h"
#include "runtime/ir/definitions/arithmetic_math.h"
#include "runtime/ir/definitions/comparison_math.h"
#include "runtime/ir/definitions/generation_math.h"
#include "runtime/ir/definitions/special_math.h"
#include "runtime/ir/definitions/unary_math.h"
