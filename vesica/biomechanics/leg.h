// The knee as the joint of a leg that walks: the thigh and the ankle go where a recorded walk takes
// them, and how the shank lies between them is left to the knee's contact and its ligaments.
//
// The ankle is held by a soft bushing, as the lengths of bones and the recorded distance never
// agree to the tenth of a millimetre that a knee feels. Thigh and shank are as long as the
// recording says. No ground reaction acts: loads are the shank's weight and inertia, and a constant
// pull of the quadriceps.
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

// Rows as `prescribed: {file: ...}` reads them: of the femur, whose long axis runs from knee to hip
// and whose x is as near to the right as that lets; of the ankle.
std::string write_femur_csv(const KneeOptions& knee, const LegMotion& motion);
std::string write_ankle_csv(const LegMotion& motion);

// `femur_file`, `ankle_file`: what those rows were saved as, beside the scene.
Model make_leg(const KneeOptions& knee, const LegMotion& motion, const std::string& femur_file,
               const std::string& ankle_file, double quadriceps = 100);

}  // namespace vesica::biomechanics
