// Intrusive reference counting.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

namespace tide {

/// Base of reference-counted objects. T is the derived type; `T::destroy(T*)` may replace `delete`.
/// References may be held on any thread.
template <class T>
class RefCounted {
 public:
  void retain() const { count_.fetch_add(1, std::memory_order_relaxed); }
  void release() const {
    if (count_.fetch_sub(1, std::memory_order_acq_rel) == 1)
      T::destroy(const_cast<T*>(static_cast<const T*>(this)));
  }
  bool unique() const { return count_.load(std::memory_order_acquire) == 1; }
  uint32_t owners() const { return count_.load(std::memory_order_relaxed); }
  static void destroy(T* object) { delete object; }

 protected:
  RefCounted() = default;
  ~RefCounted() = default;
  RefCounted(const RefCounted&) = delete;
  RefCounted& operator=(const RefCounted&) = delete;

 private:
  mutable std::atomic<uint32_t> count_{0};
};

/// Like RefCounted, for objects confined to the recording thread: a non-atomic count, because each
/// op touches a dozen of them.
template <class T>
class ThreadRefCounted {
 public:
  void retain() const { ++count_; }
  void release() const {
    if (--count_ == 0) T::destroy(const_cast<T*>(static_cast<const T*>(this)));
  }
  bool unique() const { return count_ == 1; }
  uint32_t owners() const { return count_; }
  static void destroy(T* object) { delete object; }

 protected:
  ThreadRefCounted() = default;
  ~ThreadRefCounted() = default;
  ThreadRefCounted(const ThreadRefCounted&) = delete;
  ThreadRefCounted& operator=(const ThreadRefCounted&) = delete;

 private:
  mutable uint32_t count_ = 0;
};

/// How a Ref counts: through the object's own functions. Specialized for a T that is incomplete
/// where its handles are copied.
template <class T>
struct Counting {
  static void retain(const T* object) { object->retain(); }
  static void release(const T* object) { object->release(); }
};

/// An owning reference to a RefCounted object.
template <class T>
class Ref {
 public:
  Ref() = default;
  Ref(T* object) : object_(object) {  // NOLINT: implicit
    if (object_) Counting<T>::retain(object_);
  }
  Ref(const Ref& other) : Ref(other.object_) {}
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Ref& operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref() {
    if (object_) Counting<T>::release(object_);
  }
  T* get() const { return object_; }
  T* operator->() const { return object_; }
  T& operator*() const { return *object_; }
  explicit operator bool() const { return object_ != nullptr; }
  /// Gives up ownership without releasing.
  T* detach() { return std::exchange(object_, nullptr); }
  friend bool operator==(const Ref& a, const Ref& b) { return a.object_ == b.object_; }

 private:
  T* object_ = nullptr;
};

}  // namespace tide
