// The interpreter.
#include "tests/cuda/fake/ptx/machine.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <random>

#include "tests/cuda/fake/ptx/program.h"
#include "tests/cuda/fake/ptx/races.h"
#include "tests/cuda/fake/settings.h"

namespace fake {
namespace {

using Kind = Step::Kind;
using Combine = Step::Combine;

struct Thread {
  uint64_t* registers;
  uint8_t* local;
  const Step* next = nullptr;  ///< or the one that it waits at
  enum class State : uint8_t { runs, at_barrier, at_exchange, ended } state = State::runs;
};

/// The order in which things run that nothing orders.
class Order {
 public:
  explicit Order(const std::string& name)
      : reversed_(name == "reversed"), shuffled_(name == "shuffled") {}

  /// Which of `count` comes as number i.
  size_t place(size_t i, size_t count) {
    if (reversed_) return count - 1 - i;
    if (!shuffled_) return i;
    if (i == 0 || places_.size() != count) {
      places_.resize(count);
      std::iota(places_.begin(), places_.end(), size_t{0});
      std::shuffle(places_.begin(), places_.end(), random_);
    }
    return places_[i];
  }

 private:
  bool reversed_, shuffled_;
  std::minstd_rand random_;
  std::vector<size_t> places_;
};

class Block {
 public:
  Block(const Kernel& kernel, Dimensions grid, Dimensions block, unsigned shared_bytes,
        const std::vector<uint8_t>& parameters, const FindRange& find_range)
      : kernel_(kernel),
        program_(kernel.program),
        parameters_(parameters),
        find_range_(find_range),
        grid_(grid),
        size_(block),
        seeks_races_(settings().races != 0),
        idle_lanes_read_(kernel.program.is_row_program),
        order_(settings().order) {
    const size_t count = size_t{block.x} * block.y * block.z;
    threads_.resize(count);
    registers_.resize(count * program_.registers);
    for (size_t i = 0; i < count; ++i)
      std::copy(program_.constants.begin(), program_.constants.end(),
                registers_.begin() +
                    static_cast<std::ptrdiff_t>(i * program_.registers + program_.first_constant));
    local_.resize(count * (kernel.local_bytes + 16));
    shared_.resize(kernel.shared_bytes + shared_bytes + 16);
  }

  void run(Dimensions index) {
    start(index);
    size_t ended = 0;
    while (ended < threads_.size()) {
      for (size_t i = 0; i < threads_.size(); ++i) {
        Thread& thread = threads_[order_.place(i, threads_.size())];
        if (thread.state == Thread::State::runs) run_thread(thread);
      }
      ended = count(Thread::State::ended);
      const bool exchanged = exchange_all();
      if (exchanged || ended == threads_.size()) continue;
      if (count(Thread::State::at_barrier) + ended != threads_.size())
        throw LaunchError("threads of a warp wait for each other at different places");
      release_barrier();
    }
  }

 private:
  void start(Dimensions index) {
    // Nothing promises zeros, or what the block before has left.
    std::fill(shared_.begin(), shared_.end(), uint8_t{0xff});
    std::fill(local_.begin(), local_.end(), uint8_t{0xff});
    block_ = index.x + grid_.x * (index.y + grid_.y * index.z);
    epoch_ = 0;
    warp_epochs_.assign(threads_.size() / kWarp + 1, 0);
    shared_races_.clear();
    for (size_t i = 0; i < threads_.size(); ++i) {
      Thread& thread = threads_[i];
      thread = {registers_.data() + i * program_.registers,
                local_.data() + i * (kernel_.local_bytes + 16), program_.steps.data()};
      const auto x = static_cast<unsigned>(i) % size_.x, rest = static_cast<unsigned>(i) / size_.x;
      const unsigned values[] = {x,
                                 rest % size_.y,
                                 rest / size_.y,
                                 size_.x,
                                 size_.y,
                                 size_.z,
                                 index.x,
                                 index.y,
                                 index.z,
                                 grid_.x,
                                 grid_.y,
                                 grid_.z,
                                 static_cast<unsigned>(i) % kWarp,
                                 (1u << static_cast<unsigned>(i) % kWarp) - 1,
                                 settings().mutant};
      for (uint32_t r = 0; r < kSpecials; ++r) thread.registers[r] = values[r];
    }
  }

  size_t count(Thread::State state) const {
    return static_cast<size_t>(
        std::count_if(threads_.begin(), threads_.end(),
                      [&](const Thread& thread) { return thread.state == state; }));
  }

  // --- memory -----------------------------------------------------------------------------------

  uint8_t* address(const Thread& thread, const Step& at, size_t bytes) {
    const uint64_t place = thread.registers[at.a] + at.offset;
    if (place & (bytes - 1)) fail(at, "an address is not aligned");
    switch (at.space) {
      case Space::param:
        return inside(const_cast<uint8_t*>(parameters_.data()), parameters_.size(), place, bytes,
                      at);
      case Space::shared:
        return inside(shared_.data(), shared_.size(), place & ~kSharedWindow, bytes, at);
      case Space::local:
        return inside(thread.local, kernel_.local_bytes, place & ~kLocalWindow, bytes, at);
      default:
        break;
    }
    if (at.space == Space::generic && place & kSharedWindow)
      return inside(shared_.data(), shared_.size(), place & ~kSharedWindow, bytes, at);
    if (at.space == Space::generic && place & kLocalWindow)
      return inside(thread.local, kernel_.local_bytes, place & ~kLocalWindow, bytes, at);
    for (const auto& [low, high] : ranges_)
      if (place >= low && place + bytes <= high) return reinterpret_cast<uint8_t*>(place);
    for (const auto& [low, high] : kernel_.variables)
      if (place >= low && place + bytes <= high) return reinterpret_cast<uint8_t*>(place);
    find_range(place, bytes, at);
    return reinterpret_cast<uint8_t*>(place);
  }

  static uint8_t* inside(uint8_t* base, size_t size, uint64_t offset, size_t bytes,
                         const Step& at) {
    if (offset + bytes > size) fail(at, "an address is outside of its memory");
    return base + offset;
  }

  /// Accesses mostly go to the same few ranges, which are kept.
  void find_range(uint64_t place, size_t bytes, const Step& at) {
    const auto range = find_range_(place);
    if (!range || place + bytes > range->second) fail(at, "an illegal memory access");
    ranges_[oldest_++ % ranges_.size()] = *range;
  }

  [[noreturn]] static void fail(const Step& at, const std::string& what) {
    throw LaunchError(what + " (line " + std::to_string(at.line) + " of the PTX)");
  }

  /// Ends the launch if an access to memory that threads share is in no order with another
  /// thread's. `values`: what is written over `place`; null for a read.
  void look_for_races(const Thread& thread, const Step& at, const uint8_t* place, size_t bytes,
                      const uint8_t* values) {
    if (!seeks_races_ || place == nullptr) return;
    const bool shared = place >= shared_.data() && place < shared_.data() + shared_.size();
    const bool local = place >= local_.data() && place < local_.data() + local_.size();
    if (local || at.space == Space::param) return;
    if (!shared && !values && idle_lanes_read_) return;
    RaceFinder& finder = shared ? shared_races_ : races_;
    const auto number = static_cast<uint32_t>(&thread - threads_.data());
    const Actor by{block_, number, epoch_, warp_epochs_[number / kWarp]};
    const bool atomic = at.kind == Kind::atomic;
    for (size_t i = 0; i < bytes; ++i) {
      const auto byte = reinterpret_cast<uint64_t>(place + i);
      const auto wrong =
          values ? finder.write(byte, by, atomic, values[i] == place[i]) : finder.read(byte, by);
      if (wrong) fail(at, *wrong);
    }
  }

  // --- threads ----------------------------------------------------------------------------------

  /// Runs a thread until it waits or ends.
  void run_thread(Thread& thread) {
    uint64_t* const values = thread.registers;
    for (const Step* at = thread.next;; ++at) {
      if ((values[at->predicate] != 0) == at->negated) continue;
      switch (at->kind) {
        case Kind::compute:
          values[at->to] = at->compute(values[at->a], values[at->b], values[at->c], values[at->d]);
          break;
        case Kind::compare:
          values[at->to] = at->compute(values[at->a], values[at->b], values[at->c], values[at->d]);
          values[at->second] = values[at->to] ^ 1;
          break;
        case Kind::jump:
          at = program_.steps.data() + at->target - 1;
          break;
        case Kind::load:
          load(thread, *at);
          break;
        case Kind::store:
          store(thread, *at);
          break;
        case Kind::pack:
          pack(thread, *at);
          break;
        case Kind::unpack:
          unpack(thread, *at);
          break;
        case Kind::atomic:
          atomic(thread, *at);
          break;
        case Kind::nothing:
          break;
        case Kind::barrier:
          return stop(thread, at, Thread::State::at_barrier);
        case Kind::exchange:
          return stop(thread, at, Thread::State::at_exchange);
        case Kind::end:
          return stop(thread, at, Thread::State::ended);
        case Kind::trap:
          fail(*at, "a kernel has trapped");
        case Kind::activemask:
          fail(*at, "activemask depends on an order of threads that nothing promises");
      }
    }
  }

  static void stop(Thread& thread, const Step* at, Thread::State state) {
    thread.next = at;
    thread.state = state;
  }

  static void go_on(Thread& thread) {
    ++thread.next;
    thread.state = Thread::State::runs;
  }

  /// Lets the threads at a barrier go on. What they have brought to it is combined for all of them.
  void release_barrier() {
    ++epoch_;
    uint64_t waiting = 0, brought = 0;
    for (const Thread& thread : threads_)
      if (thread.state == Thread::State::at_barrier) {
        ++waiting;
        brought += thread.registers[thread.next->b] != 0;
      }
    for (Thread& thread : threads_)
      if (thread.state == Thread::State::at_barrier) {
        const Combine combine = thread.next->combine;
        if (combine != Combine::nothing)
          thread.registers[thread.next->to] = combine == Combine::count ? brought
                                              : combine == Combine::all ? brought == waiting
                                                                        : brought > 0;
        go_on(thread);
      }
  }

  static uint64_t read(const uint8_t* from, Type type) {
    const auto as = [from](auto value) {
      std::memcpy(&value, from, sizeof value);
      return static_cast<uint64_t>(value);
    };
    switch (type) {
      case Type::s8:
        return as(int8_t());
      case Type::s16:
        return as(int16_t());
      case Type::s32:
        return as(int32_t());
      default:
        break;
    }
    switch (size_of(type)) {
      case 1:
        return as(uint8_t());
      case 2:
        return as(uint16_t());
      case 4:
        return as(uint32_t());
      default:
        return as(uint64_t());
    }
  }

  void load(Thread& thread, const Step& at) {
    const size_t bytes = size_t{at.size} * at.vector;
    const uint8_t* from = address(thread, at, bytes);
    look_for_races(thread, at, from, bytes, nullptr);
    for (uint32_t i = 0; i < at.vector; ++i, from += at.size)
      thread.registers[program_.lists[at.list + i]] = read(from, at.type);
  }

  void store(Thread& thread, const Step& at) {
    uint8_t* to = address(thread, at, size_t{at.size} * at.vector);
    for (uint32_t i = 0; i < at.vector; ++i, to += at.size) {
      const uint64_t raw = thread.registers[program_.lists[at.list + i]];
      look_for_races(thread, at, to, at.size, reinterpret_cast<const uint8_t*>(&raw));
      std::memcpy(to, &raw, at.size);
    }
  }

  /// mov.b64 x, {low, high}
  void pack(Thread& thread, const Step& at) const {
    const unsigned bits = 8u * at.size / at.vector;
    uint64_t joined = 0;
    for (uint32_t i = 0; i < at.vector; ++i)
      joined |= (thread.registers[program_.lists[at.list + i]] & ((uint64_t{1} << bits) - 1))
                << (i * bits);
    thread.registers[at.to] = joined;
  }

  /// mov.b64 {low, high}, x
  void unpack(Thread& thread, const Step& at) const {
    const unsigned bits = 8u * at.size / at.vector;
    const uint64_t joined = thread.registers[at.a];
    for (uint32_t i = 0; i < at.vector; ++i)
      thread.registers[program_.lists[at.list + i]] =
          joined >> (i * bits) & ((uint64_t{1} << bits) - 1);
  }

  void atomic(Thread& thread, const Step& at) {
    uint8_t* place = address(thread, at, at.size);
    uint64_t old = 0;
    std::memcpy(&old, place, at.size);
    const uint64_t made = at.compute(old, thread.registers[at.b], thread.registers[at.c], 0);
    look_for_races(thread, at, place, at.size, reinterpret_cast<const uint8_t*>(&made));
    std::memcpy(place, &made, at.size);
    thread.registers[at.to] = old;
  }

  // --- warps ------------------------------------------------------------------------------------

  /// Lets every warp exchange whose named threads have all come; whether any has.
  bool exchange_all() {
    bool any = false;
    for (size_t first = 0; first < threads_.size(); first += kWarp) {
      const size_t count = std::min<size_t>(kWarp, threads_.size() - first);
      for (size_t i = 0; i < count; ++i)
        if (threads_[first + i].state == Thread::State::at_exchange)
          any = exchange(first, count, i) || any;
    }
    return any;
  }

  bool exchange(size_t first, size_t count, size_t asking) {
    const Step* const at = threads_[first + asking].next;
    const auto mask = static_cast<uint32_t>(threads_[first + asking].registers[at->d]);
    if (!(mask >> asking & 1))
      fail(*at, "a thread takes part in an exchange that does not name it");
    std::array<uint64_t, kWarp> values{};
    uint32_t present = 0;
    for (size_t i = 0; i < count; ++i) {
      const Thread& thread = threads_[first + i];
      if (!(mask >> i & 1) || thread.state == Thread::State::ended) continue;
      if (thread.state != Thread::State::at_exchange || thread.next != at) return false;
      values[i] = thread.registers[at->a] & 0xffffffff;
      present |= 1u << i;
    }
    if (at->combine == Combine::nothing) ++warp_epochs_[first / kWarp];
    for (size_t i = 0; i < count; ++i) {
      if (!(present >> i & 1)) continue;
      Thread& thread = threads_[first + i];
      finish_exchange(thread, *at, values, present, static_cast<int>(i));
      go_on(thread);
    }
    return true;
  }

  static void finish_exchange(Thread& thread, const Step& at,
                              const std::array<uint64_t, kWarp>& values, uint32_t present,
                              int lane) {
    uint32_t ballot = 0;
    for (int i = 0; i < kWarp; ++i)
      if (present >> i & 1 && values[static_cast<size_t>(i)]) ballot |= 1u << i;
    const auto amount = static_cast<int>(thread.registers[at.b] & 31);
    const auto clamp = static_cast<int>(thread.registers[at.c]);
    const int segment = clamp >> 8 & 31, limit = (lane & segment) | (clamp & 31 & ~segment);
    int from = lane;
    bool valid = true;
    switch (at.combine) {
      case Combine::ballot:
        thread.registers[at.to] = ballot;
        return;
      case Combine::all:
        thread.registers[at.to] = ballot == present;
        return;
      case Combine::any:
        thread.registers[at.to] = ballot != 0;
        return;
      case Combine::down:
        valid = (from = lane + amount) <= limit;
        break;
      case Combine::up:
        valid = (from = lane - amount) >= limit;
        break;
      case Combine::butterfly:
        valid = (from = lane ^ amount) <= limit;
        break;
      case Combine::index:
        valid = (from = (lane & segment) | (amount & ~segment)) <= limit;
        break;
      default:
        return;
    }
    if (!valid) from = lane;
    if (!(present >> from & 1)) fail(at, "a shuffle reads a thread that takes no part");
    thread.registers[at.to] = values[static_cast<size_t>(from)];
    thread.registers[at.second] = valid;
  }

  const Kernel& kernel_;
  const Program& program_;
  const std::vector<uint8_t>& parameters_;
  const FindRange& find_range_;
  const Dimensions grid_, size_;
  const bool seeks_races_, idle_lanes_read_;
  Order order_;
  RaceFinder races_, shared_races_;
  uint32_t block_ = 0, epoch_ = 0;     ///< of the running block: its number, and barriers passed
  std::vector<uint32_t> warp_epochs_;  ///< and those of each warp alone
  std::vector<Thread> threads_;
  std::vector<uint64_t> registers_;
  std::vector<uint8_t> local_, shared_;
  std::array<std::pair<uint64_t, uint64_t>, 4> ranges_{};
  size_t oldest_ = 0;
};

}  // namespace

void run_kernel(const Kernel& kernel, Dimensions grid, Dimensions block, unsigned shared_bytes,
                const std::vector<uint8_t>& parameters, const FindRange& find_range) {
  Block runner(kernel, grid, block, shared_bytes, parameters, find_range);
  Order order(settings().order);
  const size_t plane = size_t{grid.x} * grid.y, count = plane * grid.z;
  for (size_t i = 0; i < count; ++i) {
    const size_t at = order.place(i, count);
    runner.run({static_cast<unsigned>(at % grid.x), static_cast<unsigned>(at % plane / grid.x),
                static_cast<unsigned>(at / plane)});
  }
}

}  // namespace fake
