// The interpreter.
#include "tests/cuda/fake/ptx_machine.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <random>

#include "tests/cuda/fake/ptx_arithmetic.h"
#include "tests/cuda/fake/races.h"
#include "tests/cuda/fake/settings.h"

namespace fake {
namespace {

/// Shared and local memory lie in windows of the generic address space, far from the host's
/// addresses.
constexpr uint64_t kSharedWindow = uint64_t{1} << 62, kLocalWindow = uint64_t{1} << 61;
constexpr int kWarp = 32;

struct Thread {
  uint64_t* registers;
  uint8_t* local;
  int next = 0;
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

/// Whether it is a fused kernel with a team of threads for each row. Threads that have no row read
/// the last one along, to come to the same barriers, and drop what they computed.
bool is_row_program(const Kernel& kernel) {
  return kernel.name == "kernel" &&
         std::any_of(kernel.code.begin(), kernel.code.end(),
                     [](const Instruction& at) { return at.op == Op::bar || at.op == Op::shfl; });
}

class Block {
 public:
  Block(const Kernel& kernel, Dimensions grid, Dimensions block, unsigned shared_bytes,
        const std::vector<uint8_t>& parameters, const FindRange& find_range)
      : kernel_(kernel),
        parameters_(parameters),
        find_range_(find_range),
        grid_(grid),
        size_(block),
        seeks_races_(settings().races != 0),
        idle_lanes_read_(is_row_program(kernel)),
        order_(settings().order) {
    const size_t count = size_t{block.x} * block.y * block.z;
    threads_.resize(count);
    registers_.resize(count * kernel.registers);
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
      thread = {registers_.data() + i * kernel_.registers,
                local_.data() + i * (kernel_.local_bytes + 16)};
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

  // --- operands ---------------------------------------------------------------------------------

  static uint64_t value(const Thread& thread, const Operand& operand) {
    return operand.kind == Operand::Kind::reg ? thread.registers[operand.reg] : operand.immediate;
  }

  static void set(Thread& thread, const Operand& to, uint64_t value) {
    if (to.kind == Operand::Kind::reg) thread.registers[to.reg] = value;
  }

  uint8_t* address(const Thread& thread, const Instruction& at, const Operand& operand,
                   size_t bytes) {
    uint64_t place = operand.immediate;
    if (operand.kind == Operand::Kind::reg)
      place = thread.registers[operand.reg];
    else if (operand.reg != Operand::kNoBase)
      place += thread.registers[operand.reg];
    if (place % bytes) fail(at, "an address is not aligned");
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
                         const Instruction& at) {
    if (offset + bytes > size) fail(at, "an address is outside of its memory");
    return base + offset;
  }

  /// Accesses mostly go to the same few ranges, which are kept.
  void find_range(uint64_t place, size_t bytes, const Instruction& at) {
    const auto range = find_range_(place);
    if (!range || place + bytes > range->second) fail(at, "an illegal memory access");
    ranges_[oldest_++ % ranges_.size()] = *range;
  }

  [[noreturn]] static void fail(const Instruction& at, const std::string& what) {
    throw LaunchError(what + " (line " + std::to_string(at.line) + " of the PTX)");
  }

  /// Ends the launch if an access to memory that threads share is in no order with another
  /// thread's. `values`: what is written over `place`; null for a read.
  void look_for_races(const Thread& thread, const Instruction& at, const uint8_t* place,
                      size_t bytes, const uint8_t* values) {
    if (!seeks_races_ || place == nullptr) return;
    const bool shared = place >= shared_.data() && place < shared_.data() + shared_.size();
    const bool local = place >= local_.data() && place < local_.data() + local_.size();
    if (local || at.space == Space::param) return;
    if (!shared && !values && idle_lanes_read_) return;
    RaceFinder& finder = shared ? shared_races_ : races_;
    const auto number = static_cast<uint32_t>(&thread - threads_.data());
    const Actor by{block_, number, epoch_, warp_epochs_[number / kWarp]};
    const bool atomic = at.op == Op::atom || at.op == Op::red;
    for (size_t i = 0; i < bytes; ++i) {
      const auto byte = reinterpret_cast<uint64_t>(place + i);
      const auto wrong =
          values ? finder.write(byte, by, atomic, values[i] == place[i]) : finder.read(byte, by);
      if (wrong) fail(at, *wrong);
    }
  }

  // --- threads ----------------------------------------------------------------------------------

  void run_thread(Thread& thread) {
    while (thread.state == Thread::State::runs) {
      if (thread.next >= static_cast<int>(kernel_.code.size())) {
        thread.state = Thread::State::ended;
        return;
      }
      const Instruction& at = kernel_.code[static_cast<size_t>(thread.next++)];
      if (at.predicate >= 0 && (thread.registers[at.predicate] != 0) == at.negated) continue;
      step(thread, at);
    }
  }

  /// Lets the threads at a barrier go on. What they have brought to it is combined for all of them.
  void release_barrier() {
    ++epoch_;
    uint64_t waiting = 0, brought = 0;
    const auto for_waiting = [this](const auto& visit) {
      for (Thread& thread : threads_)
        if (thread.state == Thread::State::at_barrier)
          visit(thread, kernel_.code[static_cast<size_t>(thread.next - 1)]);
    };
    for_waiting([&](const Thread& thread, const Instruction& at) {
      ++waiting;
      brought += at.op == Op::bar_red && value(thread, at.b);
    });
    for_waiting([&](Thread& thread, const Instruction& at) {
      thread.state = Thread::State::runs;
      if (at.op != Op::bar_red) return;
      set(thread, at.to,
          at.mode == "red.popc"  ? brought
          : at.mode == "red.and" ? brought == waiting
                                 : brought > 0);
    });
  }

  void step(Thread& thread, const Instruction& at) {
    switch (at.op) {
      case Op::ld:
        return load(thread, at);
      case Op::st:
        return store(thread, at);
      case Op::mov:
        return move(thread, at);
      case Op::bra:
        thread.next = at.target;
        return;
      case Op::ret:
      case Op::exit:
        thread.state = Thread::State::ended;
        return;
      case Op::bar:
      case Op::bar_red:
        thread.state = Thread::State::at_barrier;
        return;
      case Op::shfl:
      case Op::vote:
      case Op::bar_warp:
        --thread.next;
        thread.state = Thread::State::at_exchange;
        return;
      case Op::atom:
      case Op::red:
        return atomic(thread, at);
      case Op::cvta:
        return convert_address(thread, at);
      case Op::fence:
        return;
      case Op::trap:
        fail(at, "a kernel has trapped");
      case Op::activemask:
        fail(at, "activemask depends on an order of threads that nothing promises");
      default:
        set(thread, at.to,
            compute(at, value(thread, at.a), value(thread, at.b), value(thread, at.c),
                    value(thread, at.d)));
        if (at.op == Op::setp && at.second.kind == Operand::Kind::reg)
          set(thread, at.second, thread.registers[at.to.reg] ^ 1);
    }
  }

  static uint64_t sign_extended(uint64_t raw, Type type) {
    switch (type) {
      case Type::s8:
        return static_cast<uint64_t>(static_cast<int64_t>(static_cast<int8_t>(raw)));
      case Type::s16:
        return static_cast<uint64_t>(static_cast<int64_t>(static_cast<int16_t>(raw)));
      case Type::s32:
        return static_cast<uint64_t>(static_cast<int64_t>(static_cast<int32_t>(raw)));
      default:
        return raw;
    }
  }

  void load(Thread& thread, const Instruction& at) {
    const auto size = static_cast<size_t>(size_of(at.type));
    const uint8_t* from = address(thread, at, at.a, size * at.vector);
    look_for_races(thread, at, from, size * at.vector, nullptr);
    for (int i = 0; i < at.vector; ++i, from += size) {
      uint64_t raw = 0;
      std::memcpy(&raw, from, size);
      set(thread, at.vector == 1 ? at.to : at.list[static_cast<size_t>(i)],
          sign_extended(raw, at.type));
    }
  }

  void store(Thread& thread, const Instruction& at) {
    const auto size = static_cast<size_t>(size_of(at.type));
    uint8_t* to = address(thread, at, at.a, size * at.vector);
    for (int i = 0; i < at.vector; ++i, to += size) {
      const uint64_t raw = value(thread, at.vector == 1 ? at.b : at.list[static_cast<size_t>(i)]);
      look_for_races(thread, at, to, size, reinterpret_cast<const uint8_t*>(&raw));
      std::memcpy(to, &raw, size);
    }
  }

  /// Also packs and unpacks: mov.b64 {lo, hi}, x.
  void move(Thread& thread, const Instruction& at) {
    if (at.list.empty()) return set(thread, at.to, value(thread, at.a));
    const size_t bits = 8 * static_cast<size_t>(size_of(at.type)) / at.list.size();
    const uint64_t mask = (uint64_t{1} << bits) - 1;
    if (at.to.kind == Operand::Kind::none) {
      const uint64_t whole = value(thread, at.a);
      for (size_t i = 0; i < at.list.size(); ++i)
        set(thread, at.list[i], whole >> (i * bits) & mask);
      return;
    }
    uint64_t whole = 0;
    for (size_t i = 0; i < at.list.size(); ++i)
      whole |= (value(thread, at.list[i]) & mask) << (i * bits);
    set(thread, at.to, whole);
  }

  void convert_address(Thread& thread, const Instruction& at) {
    const uint64_t window = at.space == Space::shared  ? kSharedWindow
                            : at.space == Space::local ? kLocalWindow
                                                       : 0;
    const uint64_t place = value(thread, at.a);
    set(thread, at.to, at.mode == "to" ? place & ~window : place | window);
  }

  void atomic(Thread& thread, const Instruction& at) {
    const auto size = static_cast<size_t>(size_of(at.type));
    uint8_t* place = address(thread, at, at.a, size);
    uint64_t old = 0;
    std::memcpy(&old, place, size);
    const uint64_t made = atomic_result(at, old, value(thread, at.b), value(thread, at.c));
    look_for_races(thread, at, place, size, reinterpret_cast<const uint8_t*>(&made));
    std::memcpy(place, &made, size);
    if (at.op == Op::atom) set(thread, at.to, old);
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
    const int place = threads_[first + asking].next;
    const Instruction& at = kernel_.code[static_cast<size_t>(place)];
    const Operand& named = at.op == Op::shfl ? at.d : at.op == Op::vote ? at.b : at.a;
    const auto mask = static_cast<uint32_t>(value(threads_[first + asking], named));
    if (!(mask >> asking & 1)) fail(at, "a thread takes part in an exchange that does not name it");
    std::array<uint64_t, kWarp> values{};
    uint32_t present = 0;
    for (size_t i = 0; i < count; ++i) {
      const Thread& thread = threads_[first + i];
      if (!(mask >> i & 1) || thread.state == Thread::State::ended) continue;
      if (thread.state != Thread::State::at_exchange || thread.next != place) return false;
      values[i] = value(thread, at.a) & 0xffffffff;
      present |= 1u << i;
    }
    if (at.op == Op::bar_warp) ++warp_epochs_[first / kWarp];
    for (size_t i = 0; i < count; ++i) {
      if (!(present >> i & 1)) continue;
      Thread& thread = threads_[first + i];
      finish_exchange(thread, at, values, present, static_cast<int>(i));
      ++thread.next;
      thread.state = Thread::State::runs;
    }
    return true;
  }

  static void finish_exchange(Thread& thread, const Instruction& at,
                              const std::array<uint64_t, kWarp>& values, uint32_t present,
                              int lane) {
    if (at.op == Op::bar_warp) return;
    if (at.op == Op::vote) {
      uint32_t ballot = 0;
      for (int i = 0; i < kWarp; ++i)
        if (present >> i & 1 && values[static_cast<size_t>(i)]) ballot |= 1u << i;
      const bool all = ballot == present, any = ballot != 0;
      set(thread, at.to,
          at.mode.find("ballot") != std::string::npos ? ballot
          : at.mode.find("all") != std::string::npos  ? all
                                                      : any);
      return;
    }
    const auto amount = static_cast<int>(value(thread, at.b) & 31);
    const auto clamp = static_cast<int>(value(thread, at.c));
    const int segment = clamp >> 8 & 31, limit = (lane & segment) | (clamp & 31 & ~segment),
              low = lane & segment;
    int from = lane;
    bool valid = true;
    if (at.mode.find("down") != std::string::npos)
      valid = (from = lane + amount) <= limit;
    else if (at.mode.find("up") != std::string::npos)
      valid = (from = lane - amount) >= limit;
    else if (at.mode.find("bfly") != std::string::npos)
      valid = (from = lane ^ amount) <= limit;
    else
      valid = (from = low | (amount & ~segment)) <= limit;
    if (!valid) from = lane;
    if (!(present >> from & 1)) fail(at, "a shuffle reads a thread that takes no part");
    set(thread, at.to, values[static_cast<size_t>(from)]);
    set(thread, at.second, valid);
  }

  const Kernel& kernel_;
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
