// Per-thread blocks of events, and the profile that collects them.
#include "runtime/profile/recorder.h"

#include <mutex>
#include <new>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace tide::profile {
namespace {

/// The current profile. Blocks are shared with their threads: one that notices the end late writes
/// to memory that still exists.
struct Session {
  std::vector<std::shared_ptr<Block>> blocks;
  size_t most_blocks = 0;
  uint32_t threads = 0;
  std::unordered_map<uint64_t, uint32_t> source_numbers;  ///< by digest
  std::vector<std::vector<SourceOp>> sources;
  Correction correction;  ///< empty: none
  int64_t begin = 0;
  bool active = false;
};

std::mutex mutex;  ///< guards the session
// Neither is ever destroyed: threads of queues may record while the process ends.
Session& session = *new Session;
std::atomic<uint32_t> session_number{0};  ///< 0: there has been none
std::atomic<int64_t> dropped{0};

/// Whether this thread's log has been destroyed because the thread is exiting.
constinit thread_local bool ended = false;

/// The track that the thread works for.
constinit thread_local StreamTrack thread_track{{}, Event::kHost};

/// A thread's state within the session.
struct ThreadLog {
  ~ThreadLog() { ended = true; }
  uint32_t session = 0;  ///< the session that the other fields belong to
  uint32_t thread = 0;
  bool full = false;  ///< no further block is allowed
  std::shared_ptr<Block> block;
  uint32_t used = Block::kEvents;  ///< of the block
  int64_t compiled = 0;
  std::unordered_map<uint64_t, uint32_t> source_numbers;  ///< looked up by this thread
};
thread_local ThreadLog thread_log;

/// Joins the current session, if the thread has not yet; false if it has ended.
bool join(ThreadLog& log) {
  if (log.session == session_number.load(std::memory_order_relaxed)) return true;
  const std::lock_guard lock(mutex);
  if (!session.active) return false;
  log.session = session_number;
  log.thread = session.threads++;
  log.full = false;
  log.block.reset();
  log.used = Block::kEvents;
  log.source_numbers.clear();
  return true;
}

bool take_block(ThreadLog& log) try {
  auto block = std::make_shared<Block>();
  block->thread = log.thread;
  const std::lock_guard lock(mutex);
  if (!session.active || log.session != session_number) return false;
  log.full = session.blocks.size() >= session.most_blocks;
  if (log.full) return false;
  session.blocks.push_back(block);
  log.block = std::move(block);
  log.used = 0;
  return true;
} catch (const std::bad_alloc&) {
  return false;
}

uint64_t digest_of(std::span<const SourceOp> ops) {
  uint64_t digest = ops.size();
  const auto mix = [&](uint64_t word) {
    digest = (digest ^ word) * 0x9e3779b97f4a7c15;
    digest ^= digest >> 32;
  };
  for (const SourceOp& op : ops) {
    mix(reinterpret_cast<uint64_t>(op.name));
    mix(reinterpret_cast<uint64_t>(op.file) ^ static_cast<uint64_t>(op.line) << 48);
  }
  return digest;
}

/// Source numbers begin with the number of their session, so that stale ones are recognized.
constexpr int kIndexBits = 24;
constexpr uint32_t kMostSources = (1u << kIndexBits) - 1;

uint32_t number_source(std::span<const SourceOp> ops, uint64_t digest) {
  const std::lock_guard lock(mutex);
  if (!session.active) return 0;
  const auto [found, is_new] = session.source_numbers.try_emplace(digest, 0);
  if (is_new && session.sources.size() < kMostSources) {
    session.sources.emplace_back(ops.begin(), ops.end());
    found->second = session_number << kIndexBits | static_cast<uint32_t>(session.sources.size());
  }
  return found->second;
}

}  // namespace

void add(Event event) {
  if (ended) return;
  ThreadLog& log = thread_log;
  if (!join(log)) return;
  if (log.used == Block::kEvents && (log.full || !take_block(log))) {
    dropped.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  if (event.kind != EventKind::memory && event.kind != EventKind::depth) {
    event.device = thread_track.device;
    event.stream = thread_track.stream;
  }
  if (event.kind == EventKind::compile) log.compiled += event.end - event.begin;
  log.block->events[log.used] = event;
  log.block->count.store(++log.used, std::memory_order_release);
}

uint32_t source_of(std::span<const SourceOp> ops) {
  if (ended) return 0;
  ThreadLog& log = thread_log;
  if (!join(log)) return 0;
  const uint64_t digest = digest_of(ops);
  const auto found = log.source_numbers.find(digest);
  if (found != log.source_numbers.end()) return found->second;
  try {
    const uint32_t number = number_source(ops, digest);
    log.source_numbers.emplace(digest, number);
    return number;
  } catch (const std::bad_alloc&) {
    return 0;
  }
}

const char* keep_text(std::string_view text) {
  static auto& texts = *new std::unordered_set<std::string>;
  static auto& texts_mutex = *new std::mutex;
  const std::lock_guard lock(texts_mutex);
  return texts.emplace(text).first->c_str();
}

void Span::begin(EventKind kind, const char* name) {
  new (&event_) Event{.begin = now(), .name = name, .kind = kind};
}

void Span::end() {
  event_.end = now();
  add(event_);
}

StreamScope::StreamScope(StreamTrack track) : previous_(std::exchange(thread_track, track)) {}
StreamScope::~StreamScope() { thread_track = previous_; }

int64_t time_compiled() { return ended ? 0 : thread_log.compiled; }

std::span<const SourceOp> Trace::ops_of(const Event& event) const {
  const uint32_t index = event.source & kMostSources;
  const bool known = index && index <= sources.size() && event.source >> kIndexBits == number;
  return known ? std::span<const SourceOp>(sources[index - 1]) : std::span<const SourceOp>();
}

bool correct_at_end(Correction correction) {
  const std::lock_guard lock(mutex);
  if (session.active) session.correction = std::move(correction);
  return session.active;
}

bool start(size_t most_events) {
  const std::lock_guard lock(mutex);
  if (session.active) return false;
  session = {};
  session.most_blocks = (most_events + Block::kEvents - 1) / Block::kEvents;
  session.begin = now();
  detail::begin = session.begin;
  session.active = true;
  dropped = 0;
  ++session_number;
  detail::on = true;
  return true;
}

std::shared_ptr<const Trace> stop() {
  const std::lock_guard lock(mutex);
  if (!session.active) return nullptr;
  detail::on = false;
  session.active = false;
  auto trace = std::make_shared<Trace>();
  trace->begin = session.begin;
  trace->end = now();
  trace->number = static_cast<uint8_t>(session_number);
  std::vector<std::span<Event>> events;
  for (auto& block : session.blocks) {
    const uint32_t count = block->count.load(std::memory_order_acquire);
    if (!count) continue;
    events.emplace_back(block->events, count);
    trace->parts.push_back({std::move(block), count});
  }
  if (session.correction) session.correction(events);
  trace->sources = std::move(session.sources);
  trace->dropped = dropped;
  session = {};
  return trace;
}

}  // namespace tide::profile
