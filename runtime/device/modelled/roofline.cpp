#include "runtime/device/modelled/roofline.h"

#include <algorithm>

namespace tide {

StepTime time_of(const CardFigures& card, const StepWork& work) {
  const auto peak_in = [&](const std::array<double, kDTypeCount>& peaks, DType type) {
    return peaks[static_cast<size_t>(type)];
  };
  StepTime time;
  double peak = peak_in(card.tensor_peaks, work.type);
  time.on_tensor_cores = work.fits_tensor_cores && peak > 0;
  if (!time.on_tensor_cores) peak = peak_in(card.peaks, work.type);
  if (peak == 0) peak = peak_in(card.peaks, DType::f32);
  const double memory = static_cast<double>(work.bytes) / card.bandwidth;
  const double compute = work.flops / peak;
  time.busy = std::max(memory, compute);
  time.seconds = std::max(time.busy, card.launch);
  time.bound = time.seconds == card.launch ? Bound::launch
               : time.seconds == memory    ? Bound::memory
                                           : Bound::compute;
  return time;
}

double transfer_time(const CardFigures& card, double bytes) {
  return card.latency + bytes / (card.link > 0 ? card.link : card.bandwidth);
}

}  // namespace tide
