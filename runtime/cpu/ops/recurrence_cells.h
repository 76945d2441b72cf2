// One step of each kind of recurrent cell, forward and backward, for some units of one sequence.
// The arithmetic is that of the ops that a cell could be composed of, so results have the same
// bits.
#pragma once

#include <cstdint>

#include "runtime/ir/math/math.h"
#include "runtime/ir/math/reference_value.h"
#include "runtime/ir/recurrence_cell.h"

namespace tide {

/// The arrays of a step, from the first of `count` units on. The values of a unit's gates are
/// `*_gap` apart.
template <class T>
struct ForwardUnits {
  int64_t count;
  const T *input, *product;  ///< contributions of the input and the hidden state to each gate
  int64_t input_gap, product_gap;
  const T* h_from;                 ///< h before the step
  T *h, *c;                        ///< h after the step; c before and then after it
  T* y;                            ///< a copy of h
  T *gates, *h_before, *c_before;  ///< saved for the backward pass, or null
  int64_t gates_gap;
};

/// The arrays of a backward step.
template <class T>
struct BackwardUnits {
  int64_t count;
  const T *dy, *gates, *h_before, *c_before;  ///< the last two as saved forward
  int64_t gates_gap;
  T *dh, *dc;  ///< gradients of the state, after and then before the step, without products
  T *dinput, *dhidden;  ///< gradients of the contributions of input and hidden state: one array
                        ///< unless the cell is a gru
  int64_t gap;
};

/// Number of values that `gates` holds for each unit.
constexpr int64_t kept_count(RecurrenceCell cell) {
  return cell == RecurrenceCell::lstm || cell == RecurrenceCell::gru ? 4 : 1;
}

template <class T, RecurrenceCell cell, bool keep>
void step_forward(ForwardUnits<T> units) {
  using V = reference::Value<T>;
#pragma GCC ivdep
  for (int64_t u = 0; u < units.count; ++u) {
    const auto input = [&](int64_t gate) { return V(units.input[gate * units.input_gap + u]); };
    const auto product = [&](int64_t gate) {
      return V(units.product[gate * units.product_gap + u]);
    };
    const auto save = [&](int64_t slot, V value) {
      if constexpr (keep) units.gates[slot * units.gates_gap + u] = value.number();
    };
    const V before(units.h_from[u]);
    V h = before;
    if constexpr (cell == RecurrenceCell::tanh || cell == RecurrenceCell::relu) {
      const V sum = input(0) + product(0), zero = sum.constant(0);
      h = cell == RecurrenceCell::tanh ? math::tanh(sum) : select(sum < zero, zero, sum);
      save(0, h);
    } else if constexpr (cell == RecurrenceCell::lstm) {
      const V i = math::sigmoid(input(0) + product(0)), f = math::sigmoid(input(1) + product(1)),
              g = math::tanh(input(2) + product(2)), o = math::sigmoid(input(3) + product(3));
      const V c_before(units.c[u]), c = f * c_before + i * g;
      h = o * math::tanh(c);
      save(0, i), save(1, f), save(2, g), save(3, o);
      if constexpr (keep) units.c_before[u] = c_before.number();
      units.c[u] = c.number();
    } else {
      const V r = math::sigmoid(input(0) + product(0)), z = math::sigmoid(input(1) + product(1)),
              hidden = product(2), fresh = math::tanh(input(2) + r * hidden);
      h = (z.constant(1) - z) * fresh + z * before;
      save(0, r), save(1, z), save(2, fresh), save(3, hidden);
    }
    if constexpr (keep) units.h_before[u] = before.number();
    units.h[u] = units.y[u] = h.number();
  }
}

template <class T, RecurrenceCell cell>
void step_back(BackwardUnits<T> units) {
  using V = reference::Value<T>;
#pragma GCC ivdep
  for (int64_t u = 0; u < units.count; ++u) {
    const auto kept = [&](int64_t slot) { return V(units.gates[slot * units.gates_gap + u]); };
    const auto store = [&](T* gradients, int64_t gate, V value) {
      gradients[gate * units.gap + u] = value.number();
    };
    const V dh = V(units.dh[u]) + V(units.dy[u]), one = dh.constant(1), zero = dh.constant(0);
    if constexpr (cell == RecurrenceCell::tanh) {
      const V h = kept(0);
      store(units.dinput, 0, dh * (one - h * h));
    } else if constexpr (cell == RecurrenceCell::relu) {
      store(units.dinput, 0, select(kept(0) <= zero, zero, dh));
    } else if constexpr (cell == RecurrenceCell::lstm) {
      const V i = kept(0), f = kept(1), g = kept(2), o = kept(3), c_before(units.c_before[u]);
      const V bent = math::tanh(f * c_before + i * g);
      const V dc = V(units.dc[u]) + dh * o * (one - bent * bent);
      store(units.dinput, 0, dc * g * i * (one - i));
      store(units.dinput, 1, dc * c_before * f * (one - f));
      store(units.dinput, 2, dc * i * (one - g * g));
      store(units.dinput, 3, dh * bent * o * (one - o));
      units.dc[u] = (dc * f).number();
    } else {
      const V r = kept(0), z = kept(1), fresh = kept(2), hidden = kept(3);
      const V dfresh = dh * (one - z) * (one - fresh * fresh);
      const V dr = dfresh * hidden * r * (one - r);
      const V dz = dh * (V(units.h_before[u]) - fresh) * z * (one - z);
      store(units.dinput, 0, dr), store(units.dhidden, 0, dr);
      store(units.dinput, 1, dz), store(units.dhidden, 1, dz);
      store(units.dinput, 2, dfresh), store(units.dhidden, 2, dfresh * r);
      units.dh[u] = (dh * z).number();
    }
  }
}

}  // namespace tide
