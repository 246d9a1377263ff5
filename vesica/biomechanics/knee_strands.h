// Ligament sets of many strands, from a table: that of Lenhart et al. (2015), as the OpenSim model
// of that knee has it.
#pragma once

#include <string>
#include <vector>

#include "vesica/biomechanics/knee.h"

namespace vesica::biomechanics {

struct KneeStrands {
  std::vector<KneeLigament> ligaments;  // between femur and tibia, in the axes of knee.h
  std::vector<std::string> left_out;    // strands to the patella or the pelvis, which is not there
};

// CSV with a heading: name, linear_stiffness_N_per_strain, slack_length_m, origin_frame, ox_m,
// oy_m, oz_m, insertion_frame, ix_m, iy_m, iz_m; other columns are ignored. Points are in OpenSim's
// axes (x anterior, y superior, z to the right) of femur_distal_r and tibia_proximal_r, whose
// origins coincide in the extended knee. `tibia_origin`: where the tibia's own origin, the shank's
// mass centre, lies below that point [m].
// Throws InputError with file and line, FileError where it cannot be read.
KneeStrands load_knee_strands(const std::string& path, double tibia_origin);

// A knee of these strands. Condyles are spheres fitted to the femoral cartilage of a healthy knee
// in the same axes, plateaus planes below them with the slope that its tibial cartilage has.
KneeOptions make_strand_options(const std::string& path);

}  // namespace vesica::biomechanics
