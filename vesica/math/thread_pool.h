// The threads behind vesica/math/parallel.h; TBB is seen by thread_pool.cpp only.
#pragma once

namespace vesica::detail {

// As many as this process may run at once.
int count_machine_threads();

// work(loop, worker) for worker = 0 .. threads - 1, side by side as far as threads are free, and
// one after the other where they are not; returns when all have. `work` does not throw.
void run_workers(int threads, void (*work)(void* loop, int worker), void* loop);

}  // namespace vesica::detail
