// Runs f(chunk) for chunk = 0 .. count - 1 on several threads. Chunks, not threads, own the partial
// sums, so that results do not depend on how many threads there are. The first exception is
// rethrown.
#pragma once

#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace vesica::markers::detail {

inline int calc_thread_count(int requested) {
  if (requested > 0) return requested;
  const unsigned n = std::thread::hardware_concurrency();
  return n == 0 ? 1 : static_cast<int>(n);
}

// f(chunk, worker): worker is below `threads`, for scratch memory.
template <class F>
void run_chunks(int count, int threads, F f) {
  threads = std::min(threads, count);
  if (threads <= 1) {
    for (int c = 0; c < count; ++c) f(c, 0);
    return;
  }
  std::atomic<int> next{0};
  std::exception_ptr error;
  std::mutex guard;
  const auto work = [&](int worker) {
    try {
      for (int c = next++; c < count; c = next++) f(c, worker);
    } catch (...) {
      const std::lock_guard lock(guard);
      if (!error) error = std::current_exception();
      next = count;
    }
  };
  std::vector<std::thread> pool;
  for (int k = 1; k < threads; ++k) pool.emplace_back(work, k);
  work(0);
  for (std::thread& thread : pool) thread.join();
  if (error) std::rethrow_exception(error);
}

}  // namespace vesica::markers::detail
