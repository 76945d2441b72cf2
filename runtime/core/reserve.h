// Memory that is kept back for what has to be done when there is no other.
#pragma once

namespace tide {

/// From now on some memory is kept back: where threads may use it, `new` takes it when there is no
/// other. For programs alone, as there is one handler of a failing `new` in a process.
void keep_reserve();

/// Makes the reserve whole again if there is plenty of memory: before work that may need it.
void refill_reserve();

/// While it lives, the thread may use the reserve, or may not.
class ReserveUse {
 public:
  explicit ReserveUse(bool allowed);
  ~ReserveUse();
  ReserveUse(const ReserveUse&) = delete;

 private:
  const bool before_;
};

}  // namespace tide
