// Ligament sets of many strands, from a table: that of Lenhart et al. (2015), as the OpenSim model
// of that knee has it.
#pragma once

#include <string>
#include <vector>

#include "vesica/biomechanics/knee.h"

namespace vesica::biomechanics {

struct KneeStrands {
  std::vector<KneeLigament> ligaments;  // between femur and tibia, of a right knee, in its axes
  Side side = Side::kRight;             // the knee of the table; a left one is mirrored
  // Strands that this model cannot hold, and why: "PT1 (ends on patella_r)".
  std::vector<std::string> left_out;
  // Of `ligaments`, those that the table lets wrap over surfaces, and these. The table has the
  // names of the surfaces only: the strands run straight.
  std::vector<std::string> straightened, surfaces;
  // Those that the table lets pass more points than it gives (n_path_points): they run straight.
  std::vector<std::string> shortened;
};

// CSV with a heading: name, linear_stiffness_N_per_strain, slack_length_m, origin_frame, ox_m,
// oy_m, oz_m, insertion_frame, ix_m, iy_m, iz_m, and perhaps wrap_objects, n_path_points,
// applies_force (false: left out), and as OpenSim's Blankevoort1991Ligament has them
// transition_strain (where the toe ends) and damping_coefficient [s] (force = stiffness per strain
// * coefficient * rate of strain); other columns are ignored. Points are in OpenSim's axes (x
// anterior, y superior, z to the right) of femur_distal_r and tibia_proximal_r (or _l, _right,
// _left), whose origins coincide in the extended knee; a strand may begin on either bone.
// `tibia_origin`: where the tibia's own origin, the shank's mass centre, lies below that point [m].
// Throws InputError with file and line (also for lengths that cannot be in metres, for names that
// come twice or that parts of the knee have, for strands of both knees, and for collateral
// ligaments on the wrong side), FileError where it cannot be read.
KneeStrands load_knee_strands(const std::string& path, double tibia_origin);

// A knee of these strands. Condyles are spheres fitted to the femoral cartilage of a healthy knee
// in the same axes, plateaus planes below them with the slope that its tibial cartilage has. Its
// side is that of the table. `strands`, unless null: what was read.
KneeOptions make_strand_options(const std::string& path, KneeStrands* strands = nullptr);

}  // namespace vesica::biomechanics
