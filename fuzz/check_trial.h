// What every reader of motion files promises of its result (vesica/io/motion_data.h); aborts where
// it does not hold.
#pragma once

#include <cmath>
#include <cstdlib>
#include <unordered_set>

#include "vesica/io/motion_data.h"

namespace vesica {

inline void promise(bool holds) {
  if (!holds) std::abort();
}

inline void check_trial(const MotionTrial& trial) {
  const MarkerTracks& m = trial.markers;
  promise(m.positions.size() == m.frames() * m.markers());
  promise(m.residuals.empty() || m.residuals.size() == m.positions.size());
  promise(std::unordered_set<std::string>(m.labels.begin(), m.labels.end()).size() == m.markers());
  for (std::size_t f = 0; f < m.frames(); ++f) {
    promise(std::isfinite(m.times[f]) && (f == 0 || m.times[f] > m.times[f - 1]));
  }
  for (const Vec3d& p : m.positions) promise(p.allFinite() || p.array().isNaN().all());
  for (const TimeTable* table : {&trial.analog, &trial.computed}) {
    promise(table->values.size() == table->rows() * table->columns.size());
    for (std::size_t r = 0; r < table->rows(); ++r) {
      promise(std::isfinite(table->times[r]) && (r == 0 || table->times[r] >= table->times[r - 1]));
    }
    for (double value : table->values) promise(!std::isinf(value));
  }
  for (const ForcePlate& plate : trial.plates) {
    promise(plate.type >= 1 && plate.type <= 4 && plate.channels.size() >= 6);
    promise(plate.rows() == trial.analog.rows() && plate.calibration.allFinite());
    for (const Vec3d& corner : plate.corners) promise(corner.allFinite());
  }
  for (const MotionEvent& event : trial.events) promise(std::isfinite(event.time));
  for (const PressureFilm& film : trial.films) {
    promise(film.frames() > 0 && film.pressures.size() == film.frames() * film.rows * film.cols);
    promise(film.has_sensor.size() == film.rows * film.cols && film.dt > 0.0 &&
            film.cell_area() > 0.0);
    for (double value : film.pressures) promise(std::isfinite(value));
  }
}

}  // namespace vesica
