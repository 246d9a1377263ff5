// Compiled without the thread sanitizer (vesica/CMakeLists.txt): libtbb is not instrumented, so
// that the sanitizer does not see how a task gets from one thread to another and reports TBB's own
// headers. The loop and its synchronisation are in parallel.cpp, where it looks.
#include "vesica/math/thread_pool.h"

#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <map>
#include <mutex>

namespace vesica::detail {
namespace {

// One arena for each number of threads, kept: with one for each loop, loops became slower the more
// of them there had been (22 us for one of 73 empty bodies at first, 180 us after 6,000 loops).
// Never destroyed: a loop may still run while the program ends.
tbb::task_arena& find_arena(int threads) {
  static std::mutex guard;
  static auto* arenas = new std::map<int, tbb::task_arena>;
  const std::lock_guard lock(guard);
  return arenas->try_emplace(threads, threads).first->second;
}

}  // namespace

int count_machine_threads() { return tbb::info::default_concurrency(); }

void run_workers(int threads, void (*work)(void* loop, int worker), void* loop) {
  find_arena(threads).execute([&] {
    // The simple partitioner: a task for each worker.
    tbb::parallel_for(
        0, threads, [&](int worker) { work(loop, worker); }, tbb::simple_partitioner());
  });
}

}  // namespace vesica::detail
