// The interpreter.
#include "tests/cuda/fake/ptx/machine.h"

#include <algorithm>
#include <array>
#include <bit>
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

/// The order of unordered items.
class Order {
 public:
  explicit Order(const std::string& name)
      : reversed_(name == "reversed"), shuffled_(name == "shuffled") {}

  /// The i-th of `count` items.
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

/// Some threads of a warp, as a bit mask and as a list.
class Group {
 public:
  explicit Group(uint32_t mask) : mask_(mask) {
    for (uint32_t rest = mask; rest; rest &= rest - 1)
      list_[count_++] = static_cast<uint8_t>(std::countr_zero(rest));
  }

  Group(uint32_t mask, Order& order) : Group(mask) {
    const auto list = list_;
    for (uint32_t i = 0; i < count_; ++i) list_[i] = list[order.place(i, count_)];
  }

  /// Those of `all` for which a predicate is true, or false if it is negated.
  Group(const Group& all, const uint64_t* predicate, bool negated) {
    for (const uint8_t lane : all.lanes()) {
      const bool is_in = (predicate[lane] != 0) != negated;
      list_[count_] = lane;
      count_ += is_in;
      mask_ |= uint32_t{is_in} << lane;
    }
  }

  uint32_t mask() const { return mask_; }
  Lanes lanes() const { return {list_.data(), count_}; }

 private:
  uint32_t mask_ = 0, count_ = 0;
  std::array<uint8_t, kWarp> list_;
};

/// Each thread is in one of four states.
struct Warp {
  uint32_t first;       ///< the number of its first thread
  uint64_t* registers;  ///< each of them has a value for every lane
  uint32_t running = 0, at_barrier = 0, at_exchange = 0, ended = 0;
  std::array<uint32_t, kWarp> next{};  ///< the step that each thread takes next, or waits at
  uint32_t epoch = 0;                  ///< its own barriers passed

  uint64_t* values(uint32_t which) const { return registers + size_t{which} * kWarp; }
  uint32_t all() const { return running | at_barrier | at_exchange | ended; }
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
        threads_(block.x * block.y * block.z),
        seeks_races_(settings().races != 0),
        idle_lanes_read_(kernel.program.is_row_program),
        warp_order_(settings().order),
        lane_order_(settings().order) {
    const size_t warps = (threads_ + kWarp - 1) / kWarp;
    const size_t values = size_t{program_.registers} * kWarp;
    registers_.resize(warps * values);
    for (uint32_t i = 0; i < warps; ++i) {
      warps_.push_back({.first = i * kWarp, .registers = registers_.data() + i * values});
      for (uint32_t c = 0; c < program_.constants.size(); ++c)
        std::fill_n(warps_[i].values(program_.first_constant + c), kWarp, program_.constants[c]);
    }
    local_.resize(size_t{threads_} * kernel.local_bytes);
    shared_.resize(kernel.shared_bytes + shared_bytes);
  }

  void run(Dimensions index) {
    start(index);
    for (;;) {
      for (size_t i = 0; i < warps_.size(); ++i)
        run_warp(warps_[warp_order_.place(i, warps_.size())]);
      uint32_t ended = 0, at_barrier = 0;
      bool exchanged = false;
      for (Warp& warp : warps_) {
        exchanged = exchange_all(warp) || exchanged;
        ended += count(warp.ended);
        at_barrier += count(warp.at_barrier);
      }
      if (ended == threads_) return;
      if (exchanged) continue;
      if (at_barrier + ended != threads_)
        throw LaunchError("threads of a warp wait for each other at different places");
      release_barrier();
    }
  }

 private:
  void start(Dimensions index) {
    // Shared memory is neither zeroed nor preserved between blocks.
    std::fill(shared_.begin(), shared_.end(), uint8_t{0xff});
    std::fill(local_.begin(), local_.end(), uint8_t{0xff});
    block_ = index.x + grid_.x * (index.y + grid_.y * index.z);
    epoch_ = 0;
    shared_races_.clear();
    for (Warp& warp : warps_) {
      const uint32_t lanes = std::min(kWarp, threads_ - warp.first);
      warp.running = ~0u >> (kWarp - lanes);
      warp.at_barrier = warp.at_exchange = warp.ended = 0;
      warp.next.fill(0);
      warp.epoch = 0;
      for (uint32_t lane = 0; lane < lanes; ++lane) start(warp, lane, index);
    }
  }

  void start(Warp& warp, uint32_t lane, Dimensions index) const {
    const uint32_t x = (warp.first + lane) % size_.x, rest = (warp.first + lane) / size_.x;
    const uint32_t values[] = {x,       rest % size_.y,   rest / size_.y,   size_.x,
                               size_.y, size_.z,          index.x,          index.y,
                               index.z, grid_.x,          grid_.y,          grid_.z,
                               lane,    (1u << lane) - 1, settings().mutant};
    for (uint32_t r = 0; r < kSpecials; ++r) warp.values(r)[lane] = values[r];
  }

  static uint32_t count(uint32_t mask) { return static_cast<uint32_t>(std::popcount(mask)); }

  // --- memory -----------------------------------------------------------------------------------

  uint8_t* address(const Warp& warp, uint8_t lane, const Step& at, size_t bytes) {
    const uint64_t place = warp.values(at.a)[lane] + at.offset;
    if (place & (bytes - 1)) fail(at, "an address is not aligned");
    switch (at.space) {
      case Space::param:
        return inside(const_cast<uint8_t*>(parameters_.data()), parameters_.size(), place, bytes,
                      at);
      case Space::shared:
        return inside(shared_.data(), shared_.size(), place & ~kSharedWindow, bytes, at);
      case Space::local:
        return inside(local(warp, lane), kernel_.local_bytes, place & ~kLocalWindow, bytes, at);
      default:
        break;
    }
    if (at.space == Space::generic && place & kSharedWindow)
      return inside(shared_.data(), shared_.size(), place & ~kSharedWindow, bytes, at);
    if (at.space == Space::generic && place & kLocalWindow)
      return inside(local(warp, lane), kernel_.local_bytes, place & ~kLocalWindow, bytes, at);
    for (const auto& [low, high] : ranges_)
      if (place >= low && place + bytes <= high) return reinterpret_cast<uint8_t*>(place);
    for (const auto& [low, high] : kernel_.variables)
      if (place >= low && place + bytes <= high) return reinterpret_cast<uint8_t*>(place);
    find_range(place, bytes, at);
    return reinterpret_cast<uint8_t*>(place);
  }

  uint8_t* local(const Warp& warp, uint8_t lane) {
    return local_.data() + size_t{warp.first + lane} * kernel_.local_bytes;
  }

  static uint8_t* inside(uint8_t* base, size_t size, uint64_t offset, size_t bytes,
                         const Step& at) {
    if (offset + bytes > size) fail(at, "an address is outside of its memory");
    return base + offset;
  }

  /// Most accesses are to the same few ranges, which are cached.
  void find_range(uint64_t place, size_t bytes, const Step& at) {
    const auto range = find_range_(place);
    if (!range || place + bytes > range->second) fail(at, "an illegal memory access");
    ranges_[oldest_++ % ranges_.size()] = *range;
  }

  [[noreturn]] static void fail(const Step& at, const std::string& what) {
    throw LaunchError(what + " (line " + std::to_string(at.line) + " of the PTX)");
  }

  /// Ends the launch if an access to memory that threads share is a data race. `values`: the values
  /// written to `place`; null for a read.
  void look_for_races(const Warp& warp, uint8_t lane, const Step& at, const uint8_t* place,
                      size_t bytes, const uint8_t* values) {
    if (!seeks_races_) return;
    const bool shared = place >= shared_.data() && place < shared_.data() + shared_.size();
    const bool local = place >= local_.data() && place < local_.data() + local_.size();
    if (local || at.space == Space::param) return;
    if (!shared && !values && idle_lanes_read_) return;
    RaceFinder& finder = shared ? shared_races_ : races_;
    const Actor by{block_, warp.first + lane, epoch_, warp.epoch};
    const auto wrong = values ? finder.write(place, bytes, by, at.kind == Kind::atomic, values)
                              : finder.read(place, bytes, by);
    if (wrong) fail(at, *wrong);
  }

  // --- threads ----------------------------------------------------------------------------------

  /// Runs the threads of a warp until all of them wait or have exited. Threads at the earliest step
  /// run together, so diverged threads reconverge.
  void run_warp(Warp& warp) {
    while (warp.running) {
      uint32_t first = kNever, until = kNever, mask = 0;
      for (uint32_t rest = warp.running; rest; rest &= rest - 1) {
        const uint32_t next = warp.next[static_cast<size_t>(std::countr_zero(rest))];
        if (next < first) {
          until = first;
          first = next;
          mask = 0;
        }
        if (next == first)
          mask |= rest & -rest;
        else
          until = std::min(until, next);
      }
      run_until(warp, Group(mask, lane_order_), first, until);
    }
  }

  /// Runs threads of a warp from step `at` on until they diverge, wait, exit or reach step `until`.
  void run_until(Warp& warp, const Group& group, uint32_t at, uint32_t until) {
    for (; at < until; ++at) {
      const Step& step = program_.steps[at];
      if (step.predicate == Step::kAlways) {
        if (!run_step(warp, group, group, at)) return;
      } else {
        const Group chosen(group, warp.values(step.predicate), step.negated);
        if (chosen.mask() && !run_step(warp, group, chosen, at)) return;
      }
    }
    set_next(warp, group.mask(), at);
  }

  /// Runs step `at`, and updates it, for some threads of a group; returns whether the group
  /// continues together.
  bool run_step(Warp& warp, const Group& group, const Group& chosen, uint32_t& at) {
    const Step& step = program_.steps[at];
    const Lanes lanes = chosen.lanes();
    switch (step.kind) {
      case Kind::compute:
        compute(warp, lanes, step);
        break;
      case Kind::compare:
        compute(warp, lanes, step);
        for (const uint8_t lane : lanes)
          warp.values(step.second)[lane] = warp.values(step.to)[lane] ^ 1;
        break;
      case Kind::jump:
        if (chosen.mask() != group.mask()) return part(warp, group, chosen, at, step.target);
        at = step.target - 1;
        break;
      case Kind::load:
        for (const uint8_t lane : lanes) load(warp, lane, step);
        break;
      case Kind::store:
        for (const uint8_t lane : lanes) store(warp, lane, step);
        break;
      case Kind::pack:
        for (const uint8_t lane : lanes) pack(warp, lane, step);
        break;
      case Kind::unpack:
        for (const uint8_t lane : lanes) unpack(warp, lane, step);
        break;
      case Kind::atomic:
        for (const uint8_t lane : lanes) atomic(warp, lane, step);
        break;
      case Kind::nothing:
        break;
      case Kind::barrier:
        return stop(warp, group, chosen, at, warp.at_barrier);
      case Kind::exchange:
        return stop(warp, group, chosen, at, warp.at_exchange);
      case Kind::end:
        return stop(warp, group, chosen, at, warp.ended);
      case Kind::trap:
        fail(step, "a kernel has trapped");
      case Kind::activemask:
        fail(step, "activemask depends on an order of threads that nothing promises");
    }
    return true;
  }

  static void set_next(Warp& warp, uint32_t mask, uint32_t step) {
    for (; mask; mask &= mask - 1) warp.next[static_cast<size_t>(std::countr_zero(mask))] = step;
  }

  static bool part(Warp& warp, const Group& group, const Group& chosen, uint32_t at,
                   uint32_t target) {
    set_next(warp, chosen.mask(), target);
    set_next(warp, group.mask() & ~chosen.mask(), at + 1);
    return false;
  }

  static bool stop(Warp& warp, const Group& group, const Group& chosen, uint32_t at,
                   uint32_t& state) {
    warp.running &= ~chosen.mask();
    state |= chosen.mask();
    return part(warp, group, chosen, at, at);
  }

  static void go_on(Warp& warp, uint32_t mask, uint32_t& state) {
    state &= ~mask;
    warp.running |= mask;
    for (; mask; mask &= mask - 1) ++warp.next[static_cast<size_t>(std::countr_zero(mask))];
  }

  /// Releases the threads at a barrier, with the combination of their values.
  void release_barrier() {
    ++epoch_;
    uint32_t waiting = 0, brought = 0;
    for (const Warp& warp : warps_)
      for (const uint8_t lane : Group(warp.at_barrier).lanes()) {
        ++waiting;
        brought += warp.values(waited_at(warp, lane).b)[lane] != 0;
      }
    for (Warp& warp : warps_) {
      for (const uint8_t lane : Group(warp.at_barrier).lanes()) {
        const Step& at = waited_at(warp, lane);
        if (at.combine != Combine::nothing)
          warp.values(at.to)[lane] = at.combine == Combine::count ? brought
                                     : at.combine == Combine::all ? brought == waiting
                                                                  : brought > 0;
      }
      go_on(warp, warp.at_barrier, warp.at_barrier);
    }
  }

  const Step& waited_at(const Warp& warp, uint8_t lane) const {
    return program_.steps[warp.next[lane]];
  }

  static void compute(Warp& warp, Lanes lanes, const Step& at) {
    at.compute(lanes, warp.values(at.to), warp.values(at.a), warp.values(at.b), warp.values(at.c),
               warp.values(at.d));
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

  void load(Warp& warp, uint8_t lane, const Step& at) {
    const size_t bytes = size_t{at.size} * at.vector;
    const uint8_t* from = address(warp, lane, at, bytes);
    look_for_races(warp, lane, at, from, bytes, nullptr);
    for (uint32_t i = 0; i < at.vector; ++i, from += at.size)
      element(warp, lane, at, i) = read(from, at.type);
  }

  void store(Warp& warp, uint8_t lane, const Step& at) {
    const size_t bytes = size_t{at.size} * at.vector;
    uint8_t* to = address(warp, lane, at, bytes);
    std::array<uint8_t, 4 * sizeof(uint64_t)> values;
    for (uint32_t i = 0; i < at.vector; ++i)
      std::memcpy(values.data() + size_t{i} * at.size, &element(warp, lane, at, i), at.size);
    look_for_races(warp, lane, at, to, bytes, values.data());
    std::memcpy(to, values.data(), bytes);
  }

  /// One register of a vector operand.
  uint64_t& element(const Warp& warp, uint8_t lane, const Step& at, uint32_t i) const {
    return warp.values(program_.lists[at.list + i])[lane];
  }

  /// mov.b64 x, {low, high}
  void pack(Warp& warp, uint8_t lane, const Step& at) const {
    const unsigned bits = 8u * at.size / at.vector;
    uint64_t joined = 0;
    for (uint32_t i = 0; i < at.vector; ++i)
      joined |= (element(warp, lane, at, i) & ((uint64_t{1} << bits) - 1)) << (i * bits);
    warp.values(at.to)[lane] = joined;
  }

  /// mov.b64 {low, high}, x
  void unpack(Warp& warp, uint8_t lane, const Step& at) const {
    const unsigned bits = 8u * at.size / at.vector;
    const uint64_t joined = warp.values(at.a)[lane];
    for (uint32_t i = 0; i < at.vector; ++i)
      element(warp, lane, at, i) = joined >> (i * bits) & ((uint64_t{1} << bits) - 1);
  }

  void atomic(Warp& warp, uint8_t lane, const Step& at) {
    uint8_t* place = address(warp, lane, at, at.size);
    uint64_t old = 0, made = 0;
    std::memcpy(&old, place, at.size);
    constexpr uint8_t kOne[] = {0};
    at.compute(kOne, &made, &old, warp.values(at.b) + lane, warp.values(at.c) + lane, &made);
    look_for_races(warp, lane, at, place, at.size, reinterpret_cast<const uint8_t*>(&made));
    std::memcpy(place, &made, at.size);
    warp.values(at.to)[lane] = old;
  }

  // --- warps ------------------------------------------------------------------------------------

  /// Runs exchanges of a warp whose named threads have all arrived; returns whether there was one.
  bool exchange_all(Warp& warp) {
    bool any = false;
    for (const uint8_t lane : Group(warp.at_exchange).lanes())
      if (warp.at_exchange >> lane & 1) any = exchange(warp, lane) || any;
    return any;
  }

  bool exchange(Warp& warp, uint8_t asking) {
    const Step& at = waited_at(warp, asking);
    const auto named = static_cast<uint32_t>(warp.values(at.d)[asking]);
    if (!(named >> asking & 1))
      fail(at, "a thread takes part in an exchange that does not name it");
    const Group present(named & warp.all() & ~warp.ended);
    std::array<uint64_t, kWarp> values;
    uint32_t ballot = 0;
    for (const uint8_t lane : present.lanes()) {
      if (!(warp.at_exchange >> lane & 1) || warp.next[lane] != warp.next[asking]) return false;
      values[lane] = warp.values(at.a)[lane] & 0xffffffff;
      ballot |= uint32_t{values[lane] != 0} << lane;
    }
    if (at.combine == Combine::nothing) ++warp.epoch;
    for (const uint8_t lane : present.lanes())
      finish_exchange(warp, lane, at, values, present.mask(), ballot);
    go_on(warp, present.mask(), warp.at_exchange);
    return true;
  }

  static void finish_exchange(Warp& warp, int lane, const Step& at,
                              const std::array<uint64_t, kWarp>& values, uint32_t present,
                              uint32_t ballot) {
    const auto amount = static_cast<int>(warp.values(at.b)[lane] & 31);
    const auto clamp = static_cast<int>(warp.values(at.c)[lane]);
    const int segment = clamp >> 8 & 31, limit = (lane & segment) | (clamp & 31 & ~segment);
    uint64_t& result = warp.values(at.to)[lane];
    int from = lane;
    bool valid = true;
    switch (at.combine) {
      case Combine::ballot:
        result = ballot;
        return;
      case Combine::all:
        result = ballot == present;
        return;
      case Combine::any:
        result = ballot != 0;
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
    result = values[static_cast<size_t>(from)];
    warp.values(at.second)[lane] = valid;
  }

  static constexpr uint32_t kNever = ~0u;

  const Kernel& kernel_;
  const Program& program_;
  const std::vector<uint8_t>& parameters_;
  const FindRange& find_range_;
  const Dimensions grid_, size_;
  const uint32_t threads_;
  const bool seeks_races_, idle_lanes_read_;
  Order warp_order_, lane_order_;
  RaceFinder races_, shared_races_;
  uint32_t block_ = 0, epoch_ = 0;  ///< of the running block: its number, and barriers passed
  std::vector<Warp> warps_;
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
