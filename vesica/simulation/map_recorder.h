// Pressure maps of a run: which contact, on which body, and when the next is due.
#pragma once

#include <vector>

#include "vesica/contact/pressure_sums.h"
#include "vesica/io/motion_data.h"
#include "vesica/model/run.h"
#include "vesica/simulation/system.h"

namespace vesica {

// Cells and regions of a map.
PressureGrid make_pressure_grid(const MapOptions& options);
// The sums of a frame: NAME.map.force, ... docs/formats/run.md.
TimeTable make_map_table(const MapOptions& options);
void append_map_sums(const PressureFrame& frame, std::vector<double>* row);

// Over a run, of the frames that were recorded.
struct MapMonitor {
  size_t frames = 0;
  size_t edge_on = 0;  // seen from the side
  double max_outside = 0;
  double force_sum = 0;  // over the frames
  PressureSums most;     // the greatest of each
  std::vector<PressureSums> regions;
  std::vector<double> region_force_sums;
  double error_sum = 0;  // of |sampled - force|

  // Relative, what the samples missed of the forces before they were scaled.
  double calc_error() const { return force_sum > 0 ? error_sum / force_sum : 0; }
};

// Of the greatest force: above the first what lies beside the grid is warned of; of all forces:
// above the second what samples missed.
inline constexpr double kOutsideBound = 0.01, kSamplingBound = 0.02;

namespace detail {

class MapRecorder {
 public:
  // Throws InputError where a name is not of the scene. The first map is due at the next multiple
  // of its interval from `start` on; at a start that goes on, after it.
  MapRecorder(const System<double>& system, const std::vector<MapOptions>& maps);

  size_t size() const { return maps_.size(); }
  // Behind a state that a run goes on from, none is due again.
  void skip_to(double t);
  double next_time(size_t map) const { return maps_[map].next; }
  double interval(size_t map) const { return maps_[map].interval; }
  // The map as `data` has the bodies and the contacts, which is a full evaluation.
  const PressureFrame& record(size_t map, const Evaluation<double>& data,
                              const Memory<double>& memory);
  const std::vector<MapMonitor>& monitors() const { return monitors_; }

 private:
  struct Map {
    size_t contact = 0;
    int body = 0;
    Pose<double> X_BF;
    PressureGrid grid;
    double interval = 0, next = 0;
    long count = 0;
    PressureFrame frame;
  };
  const System<double>& system_;
  PressureSampler sampler_;
  std::vector<Map> maps_;
  std::vector<MapMonitor> monitors_;
};

}  // namespace detail
}  // namespace vesica
