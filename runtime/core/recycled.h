// Memory of small objects that come and go in great numbers.
#pragma once

#include <cstddef>
#include <new>

namespace tide {

/// Base of a class T whose objects are made and dropped at the pace of recorded ops: memory of
/// dropped ones is kept by the thread that dropped them, up to a limit, and handed out again. (A
/// general allocator merges and splits it each time: most of what recording an op costs.)
template <class T>
class Recycled {
 public:
#if !defined(__SANITIZE_ADDRESS__)  // which looks for objects used after their end
  static void* operator new(size_t size) {
    Pool& pool = pool_of_thread;
    if (!pool.first) {
      static_cast<void>(&closer);  // noted now: at the drop there may be no memory for that
      return ::operator new(size);
    }
    Spare* spare = pool.first;
    pool.first = spare->next;
    --pool.count;
    fetch(pool.first);
    return spare;
  }
  static void operator delete(void* memory) {
    Pool& pool = pool_of_thread;
    if (pool.count >= pool.most) return ::operator delete(memory);
    pool.first = new (memory) Spare{pool.first};
    ++pool.count;
    // An object with a destructor costs a check at each use: it is touched where that is rare.
    if (pool.count == 1) static_cast<void>(&closer);
  }
#endif

 protected:
  Recycled() = default;
  ~Recycled() = default;

 private:
  static constexpr size_t kMost = 8192;
  static constexpr size_t kCacheLine = 64;
  struct Spare {
    Spare* next;
  };
  /// Begins to bring the memory of the next object near: it was dropped long ago.
  static void fetch(const void* memory) {
    for (size_t i = 0; i < sizeof(T); i += kCacheLine)
      __builtin_prefetch(static_cast<const std::byte*>(memory) + i, 1);
  }
  /// Usable at any time of a thread's life; objects of T may die after all destructors of the
  /// thread have run.
  struct Pool {
    Spare* first = nullptr;
    size_t count = 0;
    size_t most = kMost;
  };
  struct Closer {
    ~Closer() {
      Pool& pool = pool_of_thread;
      pool.most = 0;
      while (Spare* spare = pool.first) {
        pool.first = spare->next;
        ::operator delete(spare);
      }
      pool.count = 0;
    }
  };
  static inline constinit thread_local Pool pool_of_thread;
  static inline thread_local Closer closer;
};

}  // namespace tide
