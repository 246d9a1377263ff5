// Runs a scene: from its first state to its recording.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "vesica/io/motion_data.h"
#include "vesica/model/run.h"
#include "vesica/simulation/energy.h"
#include "vesica/simulation/map_recorder.h"

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
  double max_force = 0;        // normal [N]; peaks are of the start and the end too
  double max_depth = 0;        // of the deepest point [m]
  double max_depth_ratio = 0;  // over the size of what touches (SceneContact::size)
  long steps_in_contact = 0;
  long steps_clamped = 0;    // 1 + alpha c < 0: the force was held at zero
  long steps_lifted = 0;     // 1 + alpha c < 0 at an edge of the patch: it lifts, or pulls
  long steps_saturated = 0;  // bristles at their limit
  long steps_at_corner = 0;  // a law by depth pushed at a corner of a wide patch: pushes_at_corner
  double max_step_rate = 0;  // step times the fastest rate of the contact, spring or friction:
                             // explicit methods lose accuracy above about 0.3 and stability
                             // above about 2
  double step_of_max_rate = 0;  // the step that it was taken with [s]
  // Energy: what the elastic part took in, and what it gave out beyond that and its store.
  double energy_through = 0;      // half the integral of the elastic power's size [J]
  double non_potential_work = 0;  // [J], positive: made; with the ledger
  double uncertain_work = 0;      // of it: what the contact still holds, and errs at the start [J]
  // Impulses of the normal force [N s]: all; while the shared volume, or an integral over the
  // patch, missed its tolerance; through patches thicker than kFlatness of their radius.
  double impulse = 0, impulse_inaccurate = 0, impulse_not_flat = 0;
  double max_method_error = 0;  // where it was missed, relative
};

// A foundation is a thin layer: of thickness t = sqrt(12 M_nn/V) over a disc of radius
// a = sqrt(2 tr M_t/V), both exact for a layer of one thickness. For a ball d deep t/a is
// sqrt(d/(2 R)), half at a quarter of its size; a cube's corner has 0.87 at any depth.
inline constexpr double kFlatness = 0.5;
double calc_flatness(const Overlap<double>& o);  // t/a; 0 for a point

// Whether a law by depth acts beside the middle of a patch that is much wider than deep: a face or
// an edge that lies flat, pushed at one of its corners. A smooth cap, however wide, is pushed in
// its middle.
bool pushes_at_corner(const Overlap<double>& o);

// What was seen of a ligament over the start, accepted steps and the end.
struct LineMonitor {
  double max_strain = 0, time = 0;
  // The largest tension [N] while one of its ends lies inside a shape with which the other end's
  // body touches others, how deep it lies there, when, and which end (0: the first).
  double inside_tension = 0, inside_depth = 0, inside_time = 0;
  int inside_end = 0;
};

struct RunStatistics {
  long steps = 0, rejected = 0, evaluations = 0, jacobians = 0;
  long stiff_steps = 0;  // of an explicit method, limited by stability
  double seconds = 0;    // wall time
  double worst_step_seconds = 0;
};

// Order-sensitive 64-bit hash (FNV-1a) of the bits of a recording, row by row, the time of a row
// first: equal runs have equal hashes.
class RecordingHash {
 public:
  void add(double t, const double* values, size_t count);
  std::string text() const;

 private:
  std::uint64_t hash_ = 14695981039346656037ull;
};

struct RunResult {
  double start_time = 0;  // of the state that it goes on from
  double end_time = 0;
  std::vector<double> state;         // at end_time, laid out as System's
  State<double> final_state;         // the same with what contacts remember
  TimeTable recording;               // its rows only where RunControl keeps them
  size_t rows = 0;                   // recorded
  RecordingHash hash;                // of them
  std::vector<ContactEvent> events;  // at most kMaxEvents
  std::vector<ContactMonitor> monitors;
  std::vector<LineMonitor> lines;   // of the scene's; actuators have no strain
  std::vector<MapMonitor> maps;     // of RunOptions::maps
  std::vector<TimeTable> map_sums;  // likewise; rows as of `recording`
  RunStatistics statistics;
  Energies<double> start, end;
  double start_energy = 0, end_energy = 0;  // their totals
  // Of the ledger, if kept: end = start + work - dissipated + non-potential work + residual.
  double non_potential_work = 0, residual = 0;
  double largest_energy = 0;  // most kinetic + elastic energy, over accepted steps
  // What energies are judged by: the greatest of that, of all that was dissipated, and of all work.
  double energy_scale = 0;
  bool interrupted = false;
  std::string failure;        // empty: reached the end; else what went wrong and what to change
  bool cannot_write = false;  // the failure is a FileError of the observer
};

// A state that a run can go on from. What its ledger counts from is the start of its scene.
struct Checkpoint {
  State<double> state;
  double largest_energy = 0;
  // The duration cut a fixed step short here: a run that goes on longer has no such state on its
  // way. The checkpoint before it is where such a run passes.
  bool cut = false;

  bool operator==(const Checkpoint&) const = default;
};

// Sees a run while it goes on. What it throws ends the run as a failure.
class RunObserver {
 public:
  virtual ~RunObserver() = default;
  virtual void on_row(double /*t*/, const std::vector<double>& /*values*/) {}
  // Of RunOptions::maps; `sums`: a row of make_map_table.
  virtual void on_map(size_t /*map*/, double /*t*/, const PressureFrame& /*frame*/,
                      const std::vector<double>& /*sums*/) {}
  // At the times of RunOptions::checkpoints, at the end, and where the run is interrupted.
  virtual void on_checkpoint(const Checkpoint& /*checkpoint*/) {}
  // About once a second of the clock on the wall: the result as it stands, where the run is.
  virtual void on_pulse(const RunResult& /*so_far*/, const Checkpoint& /*now*/) {}
};

// Thrown where work that has nothing to keep is stopped from outside.
class Interrupted : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct RunControl {
  std::function<void(double)> progress;     // fraction done, called now and then
  const std::atomic<bool>* stop = nullptr;  // set by a signal: keep what was recorded
  RunObserver* observer = nullptr;
  bool keep_rows = true;             // in RunResult::recording; else the observer alone has them
  const Checkpoint* from = nullptr;  // go on from there; rows and events before it are not repeated
  double pulse = 1;                  // seconds between pulses
};

inline constexpr size_t kMaxEvents = 100000;

// Rows that are due up to a time, the one at zero included.
size_t count_rows(double t, double interval);

RunResult simulate(const System<double>& system, const RunOptions& options,
                   const RunControl& control = {});

// Of the scale of energies: above the first a residual is warned of, above the second what a
// contact makes.
inline constexpr double kLedgerBound = 1e-3, kMadeBound = 1e-2;
// Of a contact's impulse: above the first what passed while the volume missed its tolerance is
// warned of (at the very touch, where there is hardly a volume, it often does), above the second
// what passed through patches that are not flat.
inline constexpr double kInaccurateBound = 1e-2, kNotFlatBound = 0.2;
// Of the steps in contact: above it, pushing at a corner is warned of. A body that tumbles lies
// flat for moments.
inline constexpr double kCornerBound = 1e-2;
// Of all steps: above it, that stability limits them is warned of.
inline constexpr double kStiffBound = 0.1;

// Strain of a ligament above which it is warned of: most tear below.
inline constexpr double kStrainBound = 0.2;

// Warnings in plain words, from the monitors.
std::vector<std::string> make_warnings(const System<double>& system, const RunOptions& options,
                                       const RunResult& result);

}  // namespace vesica
