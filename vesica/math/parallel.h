// Loops over threads. What a loop computes is the same to the last bit whatever the number of
// threads: indices own their results, and sums are added up in the order of the indices.
#pragma once

#include <functional>
#include <vector>

namespace vesica {

// As many threads as this process may run at once, where none (0 or less) are asked for.
int calc_thread_count(int requested);

// body(index, worker) for index = 0 .. count - 1, each once, on at most `threads` threads. `worker`
// is below `threads` and at any time in one call only: it says which scratch memory is free. A
// machine that gives fewer threads than asked for, or none, is only slower.
//
// Where bodies throw, the exception of the lowest index is rethrown, whatever the number of
// threads; what comes after that index may have run or not.
//
// A body may itself loop over threads.
void for_each_index(int count, int threads, const std::function<void(int index, int worker)>& body);

// add(index, worker, sum) over stretches of `stretch` neighbours, each with a sum of its own that
// starts as `zero`; merge(total, sum) then takes the sums in order. The stretch, not the threads,
// decides about rounding.
template <class Sum, class Add, class Merge>
Sum reduce_in_order(int count, int stretch, int threads, const Sum& zero, const Add& add,
                    const Merge& merge) {
  const int stretches = (count + stretch - 1) / stretch;
  std::vector<Sum> sums(static_cast<size_t>(stretches), zero);
  for_each_index(stretches, threads, [&](int s, int worker) {
    const int end = s == stretches - 1 ? count : (s + 1) * stretch;
    for (int k = s * stretch; k < end; ++k) add(k, worker, sums[static_cast<size_t>(s)]);
  });
  Sum total = zero;
  for (const Sum& sum : sums) merge(total, sum);
  return total;
}

}  // namespace vesica
