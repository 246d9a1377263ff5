#include "vesica/math/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>

#include "vesica/math/thread_pool.h"

namespace vesica {
namespace {

struct IndexLoop {
  const std::function<void(int, int)>* body;
  int count;
  std::atomic<int> next, failed;
  std::exception_ptr error;
};

// Taken whenever a loop passes from the caller to a worker or back. TBB orders that too, but the
// thread sanitizer does not see into TBB.
std::mutex handing_over;

// Workers take the next index when they are free: frames differ in what they cost.
void work_on(void* shared, int worker) {
  { const std::lock_guard lock(handing_over); }
  IndexLoop& loop = *static_cast<IndexLoop*>(shared);
  // Indices below the one that failed still run: one of them may be the first to fail.
  for (int k = loop.next++; k < loop.failed; k = loop.next++) {
    try {
      (*loop.body)(k, worker);
    } catch (...) {
      const std::lock_guard lock(handing_over);
      if (k < loop.failed) {
        loop.failed = k;
        loop.error = std::current_exception();
      }
    }
  }
  { const std::lock_guard lock(handing_over); }
}

}  // namespace

int calc_thread_count(int requested) {
  return requested > 0 ? requested : detail::count_machine_threads();
}

void for_each_index(int count, int threads, const std::function<void(int, int)>& body) {
  // TBB has no more threads than the machine, and says so on standard error when asked for them.
  threads = std::min({threads, count, detail::count_machine_threads()});
  if (threads <= 1) {
    for (int k = 0; k < count; ++k) body(k, 0);
    return;
  }
  IndexLoop loop{&body, count, 0, count, nullptr};
  { const std::lock_guard lock(handing_over); }
  detail::run_workers(threads, work_on, &loop);
  { const std::lock_guard lock(handing_over); }
  if (loop.error) std::rethrow_exception(loop.error);
}

}  // namespace vesica
