// The knee as the joint of a leg that walks: hip and ankle go where a recorded walk takes them, and
// what the knee does between them is left to its contact and its ligaments.
//
// The hip is a ball joint on a point with given motion; the ankle a soft bushing to another, as the
// lengths of bones and the recorded distance never agree to the tenth of a millimetre that a knee
// feels. Thigh and shank are as long as the recording says. No ground reaction acts: loads are the
// leg's own weight and inertia, and a constant pull of the quadriceps.
#pragma once

#include "vesica/biomechanics/knee_loaded.h"

namespace vesica::biomechanics {

// Joint centres over time, in x right, y forward, z up of the walk.
struct LegMotion {
  std::vector<double> times;  // [s], from 0 on
  std::vector<Vec3d> hip, knee, ankle;
  double thigh = 0, shank = 0;  // mean lengths [m]
};

// From the joint centres that `vesica markers` writes (hip_r, knee_r, ankle_r; a TRC): low-pass
// filtered at `cutoff` [Hz], up being the axis along which hips are above ankles, forward the way
// of the hip. InputError where markers are missing or the subject stays in one place.
LegMotion load_leg_motion(const std::string& path, Side side, double cutoff = 6);

// Rows of time, x, y, z as `prescribed: {file: ...}` reads them.
std::string write_path_csv(const std::vector<double>& times, const std::vector<Vec3d>& points);

// `hip_file`, `ankle_file`: what those rows were saved as, beside the scene.
Model make_leg(KneeOptions knee, const LegMotion& motion, const std::string& hip_file,
               const std::string& ankle_file, double quadriceps = 100);

}  // namespace vesica::biomechanics
