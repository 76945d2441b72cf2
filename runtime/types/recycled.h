// A free list for small objects that are allocated and freed at a high rate.
#pragma once

#include <cstddef>
#include <new>

namespace tide {

/// Base of a class T whose objects are created and destroyed as fast as ops are recorded: their
/// memory is kept by the thread that freed them, up to a limit, and reused. (A general allocator
/// merges and splits it each time, which would dominate the cost of recording an op.)
template <class T>
class Recycled {
 public:
#if !defined(__SANITIZE_ADDRESS__)  // AddressSanitizer must see each free
  static void* operator new(size_t size) {
    Pool& pool = pool_of_thread;
    if (!pool.first) {
      static_cast<void>(&closer);  // registered now: may lack memory when freeing
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
    // Accessing a thread_local with a destructor costs a check: only done rarely.
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
  /// Prefetches the memory of the next object: it was freed long ago.
  static void fetch(const void* memory) {
    for (size_t i = 0; i < sizeof(T); i += kCacheLine)
      __builtin_prefetch(static_cast<const std::byte*>(memory) + i, 1);
  }
  /// Usable at any time of a thread's life; objects of T may be freed after all thread_local
  /// destructors have run.
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
