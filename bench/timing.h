// Times several candidates against each other on a machine that others use too.
//
// Every round runs every candidate once, one after the other, so that a disturbance or a change of
// clock meets all of them; times are medians over the rounds, ratios are medians of the ratios
// within a round.
#pragma once

#include <time.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace vesica::bench {

inline double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

inline double thread_nanoseconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return 1e9 * static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec);
}

class Rounds {
 public:
  // `run` makes `evaluations` evaluations in one call.
  void add(const std::string& name, std::size_t evaluations, std::function<void()> run) {
    candidates_.push_back({name, evaluations, std::move(run), {}});
  }

  // After one round to warm up.
  void measure(int rounds) {
    for (auto& c : candidates_) c.run();
    for (int r = 0; r < rounds; ++r) {
      for (auto& c : candidates_) {
        const double start = thread_nanoseconds();
        c.run();
        c.nanoseconds.push_back((thread_nanoseconds() - start) /
                                static_cast<double>(c.evaluations));
      }
    }
  }

  // Median time of one evaluation in nanoseconds; with `without`, of the difference of the two.
  double time(const std::string& name, const std::string& without = "") const {
    return median(times(name, without));
  }
  // The least time: what the code takes when nobody shares the core's caches and units.
  double least_time(const std::string& name) const {
    const std::vector<double>& all = find(name).nanoseconds;
    return *std::min_element(all.begin(), all.end());
  }
  // How many times as long `name` takes as `reference`.
  double ratio(const std::string& name, const std::string& reference,
               const std::string& name_without = "") const {
    std::vector<double> numerator = times(name, name_without);
    const std::vector<double>& denominator = find(reference).nanoseconds;
    for (std::size_t r = 0; r < numerator.size(); ++r) numerator[r] /= denominator[r];
    return median(std::move(numerator));
  }

 private:
  struct Candidate {
    std::string name;
    std::size_t evaluations;
    std::function<void()> run;
    std::vector<double> nanoseconds;  // per evaluation, one entry a round
  };

  const Candidate& find(const std::string& name) const {
    return *std::find_if(candidates_.begin(), candidates_.end(),
                         [&](const Candidate& c) { return c.name == name; });
  }
  std::vector<double> times(const std::string& name, const std::string& without) const {
    std::vector<double> result = find(name).nanoseconds;
    if (without.empty()) return result;
    const std::vector<double>& base = find(without).nanoseconds;
    for (std::size_t r = 0; r < result.size(); ++r) result[r] -= base[r];
    return result;
  }

  std::vector<Candidate> candidates_;
};

// Makes the compiler believe that `value` is read.
template <class T>
inline void keep(const T& value) {
  asm volatile("" : : "g"(&value) : "memory");
}

}  // namespace vesica::bench
