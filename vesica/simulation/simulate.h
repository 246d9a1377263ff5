// Runs a scene: from its first state to its recording.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "vesica/io/motion_data.h"
#include "vesica/simulation/scene_input.h"
#include "vesica/simulation/system.h"

namespace vesica {

struct ContactEvent {
  double time = 0;
  int contact = 0;
  bool touchdown = false;  // else lift-off
  double closing_speed = 0;
};

// What was seen of one contact that a user should know: counted over accepted steps, never silent.
struct ContactMonitor {
  long touchdowns = 0;         // between bodies of several parts: of all pairs of them
  long most_pairs = 0;         // of parts that touched at once
  double max_force = 0;        // normal [N]
  double max_depth = 0;        // of the deepest point [m]
  double max_depth_ratio = 0;  // over the smaller body's size
  long steps_in_contact = 0;
  long steps_clamped = 0;    // 1 + alpha c < 0: the force was held at zero
  long steps_lifted = 0;     // 1 + alpha c < 0 at an edge of the patch: it lifts, or pulls
  long steps_saturated = 0;  // bristles at their limit
  double max_step_rate = 0;  // step times the fastest rate of the contact, spring or friction:
                             // explicit methods lose accuracy above about 0.3 and stability
                             // above about 2
};

struct RunStatistics {
  long steps = 0, rejected = 0, evaluations = 0, jacobians = 0;
  double seconds = 0;  // wall time
  double worst_step_seconds = 0;
};

struct RunResult {
  double end_time = 0;
  std::vector<double> state;  // at end_time, laid out as System's
  State<double> final_state;  // the same with what contacts remember
  TimeTable recording;
  std::vector<ContactEvent> events;  // at most kMaxEvents
  std::vector<ContactMonitor> monitors;
  RunStatistics statistics;
  double start_energy = 0, end_energy = 0, residual = 0;  // residual: of the ledger, if kept
  double start_stored = 0, non_potential_work = 0;        // likewise
  double largest_energy = 0;  // scale for the residual: most kinetic + elastic energy seen
  bool interrupted = false;
  std::string failure;  // empty: reached the end; else what went wrong and what to change
};

struct RunControl {
  std::function<void(double)> progress;     // fraction done, called now and then
  const std::atomic<bool>* stop = nullptr;  // set by a signal: keep what was recorded
};

inline constexpr size_t kMaxEvents = 100000;

RunResult simulate(const System<double>& system, const RunOptions& options,
                   const RunControl& control = {});

// Warnings in plain words, from the monitors.
std::vector<std::string> make_warnings(const System<double>& system, const RunOptions& options,
                                       const RunResult& result);

}  // namespace vesica
