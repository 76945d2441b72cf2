// Failures of work, also when the host has no memory left.
#include "runtime/device/failure.h"

#include <array>
#include <mutex>
#include <new>

#include "runtime/types/error_message.h"

namespace tide {
namespace {

constexpr const char* kShortage = "out of memory on the host";

Ref<Failure> new_shortage() {
  Ref<Failure> failure = new Failure("", {}, kShortage);
  failure->shortage = true;
  return failure;
}

struct Spares {
  std::mutex mutex;
  std::array<Ref<Failure>, 64> records;
  Ref<Failure> last = new_shortage();  ///< for all failures once the others are used
};

Spares& spares() {
  static Spares& all = *new Spares;  // queues run until the process ends
  return all;
}

}  // namespace

Ref<Failure> Failure::of_work(const char* op, CallSite site, std::string_view what) noexcept {
  try {
    return new Failure(op, site, std::string(op) + ": " + std::string(what));
  } catch (const std::bad_alloc&) {
    return take_spare(op, site);
  }
}

Ref<Failure> Failure::of_work(const char* op, CallSite site, const std::exception& error) noexcept {
  try {
    Ref<Failure> failure = new Failure(op, site, std::string(op) + ": " + message_of(error));
    failure->shortage = is_shortage(error);
    return failure;
  } catch (const std::bad_alloc&) {
    return take_spare(op, site);
  }
}

void Failure::fill_spares() {
  Spares& all = spares();
  const std::lock_guard lock(all.mutex);
  static_assert(kSpares == std::tuple_size_v<decltype(all.records)>);
  try {
    for (; spare_count_ < kSpares; ++spare_count_) all.records[spare_count_] = new_shortage();
  } catch (const std::bad_alloc&) {  // those made so far may do
  }
}

Ref<Failure> Failure::take_spare(const char* op, CallSite site) noexcept {
  Spares& all = spares();
  const std::lock_guard lock(all.mutex);
  if (spare_count_ == 0) return all.last;
  Ref<Failure> failure = std::move(all.records[--spare_count_]);
  failure->op = op;
  failure->site = site;
  return failure;
}

}  // namespace tide
