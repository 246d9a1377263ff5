// Force, centre of pressure and free moment of force plates, in the lab frame.
//
// A plate's own frame: x and y along its edges, z into the floor, origin S at the centre of the
// working surface; corners 1 to 4 lie at (+x+y) (-x+y) (-x-y) (+x-y). With force F and moment M
// about the plate's measuring origin, and O the vector from there to S (C3D:
// FORCE_PLATFORM:ORIGIN),
//   M_S = M - O x F,   p = (-M_Sy, M_Sx, 0) / F_z,   T = M_Sz - (p_x F_y - p_y F_x).
// Corner sensors (type 3, offsets a and b): M_x = b (Fz1 + Fz2 - Fz3 - Fz4),
// M_y = a (-Fz1 + Fz2 + Fz3 - Fz4), M_z = b (Fx34 - Fx12) + a (Fy14 - Fy23).
//
// Sign: files hold the force on the plate or the force on the subject and do not say which. A plate
// can only push, so the sign is taken such that the largest normal load pushes the subject off the
// plate. Everything here is the force *on the subject*.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

#include "vesica/io/motion_data.h"
#include "vesica/math/vector.h"

namespace vesica {

// What cannot be subtracted is told in the plate's warnings.
enum class PlateBaseline {
  kNone,   // as recorded
  kFile,   // subtract the mean of the frames that the file names (FORCE_PLATFORM:ZERO); C3D only
  kQuiet,  // subtract the mean of the unloaded samples, found in the recording (plate_level.h)
};

struct PlateOptions {
  double threshold = 20.0;  // N of normal force, below which there is no centre of pressure
  PlateBaseline baseline = PlateBaseline::kNone;
  double filter_cutoff =
      0.0;                  // Hz, zero-phase order 4, of force and moment before dividing; 0: none
  double frame_rate = 0.0;  // Hz of the marker frames, in which kFile's frames are counted
};

// What one plate did to the subject.
struct PlateForces {
  std::string name;  // "1", "2", ... as the file numbers them
  double rate = 0.0;
  std::vector<double> times;               // s
  std::vector<Vec3d> forces;               // N; NaN where the file has no numbers
  std::vector<Vec3d> centers_of_pressure;  // m; NaN where the normal force is below the threshold
  std::vector<double> free_moments;        // N m about `normal`; NaN there as well
  Vec3d normal = Vec3d::Zero();            // unit, out of the floor
  std::vector<Vec3d> corners;              // four, or none where the file does not know them
  double idle_offset = 0.0;           // N, mean normal force while unloaded, before any baseline
  double idle_noise = 0.0;            // N, its standard deviation
  double subtracted = 0.0;            // N of normal force, by the baseline
  size_t missing = 0;                 // samples without numbers
  std::vector<std::string> warnings;  // plain sentences

  size_t size() const { return times.size(); }
  double normal_force(size_t k) const { return forces[k].dot(normal); }
  bool is_loaded(size_t k) const { return centers_of_pressure[k].allFinite(); }
  bool is_missing(size_t k) const { return !forces[k].allFinite(); }
  // The first sample at or after a time; size() where there is none.
  size_t find_sample(double time) const {
    return static_cast<size_t>(std::lower_bound(times.begin(), times.end(), time) - times.begin());
  }
};

// From the channels of a C3D file. Throws InputError for a type or a number of channels that it
// does not know and for corners that span no area.
PlateForces calc_plate_forces(const ForcePlate& plate, const std::string& name,
                              const PlateOptions& options);
// The same with other corners than the file's.
PlateForces calc_plate_forces(const ForcePlate& plate, std::span<const Vec3d, 4> corners,
                              const std::string& name, const PlateOptions& options);

// From a table that already holds forces and points (MOT, STO): columns ending in vx vy vz px py pz
// that share their beginning, with torques where that beginning has "force" replaced by "torque".
// N, m, N m. `up` is the lab's vertical. A table without such columns gives none.
std::vector<PlateForces> find_plate_forces(const TimeTable& table, const Vec3d& up,
                                           const PlateOptions& options);

// Where such a plate's force, point and moment are in a table; m: the number of columns where there
// is none.
struct PlateColumns {
  std::array<size_t, 3> v, p, m;
};
std::vector<PlateColumns> find_plate_columns(const TimeTable& table);
bool has_force_columns(const TimeTable& table);

// Remembers what the frames of FORCE_PLATFORM:ZERO read, before they are cut off.
void keep_file_baseline(ForcePlate* plate, double frame_rate);

// All plates of a trial, whichever way it holds them, with their normals up (plate_order.h).
// The second one lets go of the channels of a C3D's plates, which stand in `analog` too, plate by
// plate.
std::vector<PlateForces> calc_and_release_plate_forces(MotionTrial* trial, const Vec3d& up,
                                                       const PlateOptions& options);
std::vector<PlateForces> calc_all_plate_forces(const MotionTrial& trial, const Vec3d& up,
                                               const PlateOptions& options);

}  // namespace vesica
