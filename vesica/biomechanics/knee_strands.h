// Ligament sets of many strands, from a table: that of Lenhart et al. (2015), as the OpenSim model
// of that knee has it.
#pragma once

#include <istream>
#include <string>
#include <vector>

#include "vesica/biomechanics/knee.h"
#include "vesica/io/osim.h"

namespace vesica::biomechanics {

struct KneeStrands {
  std::vector<KneeLigament> ligaments;  // between femur and tibia, of a right knee, in its axes
  // Of each: what the table lets it wrap over (or nothing), and how it calls the two bones.
  struct Frames {
    std::string surface, femur, tibia;
  };
  std::vector<Frames> frames;
  Side side = Side::kRight;  // the knee of the table; a left one is mirrored
  // Strands that this model cannot hold, and why: "PT1 (ends on patella_r)".
  std::vector<std::string> left_out;
  // Of `ligaments`, those that run straight though the table lets them wrap over surfaces (it has
  // their names only), with the reason where surfaces were given: "MCLp1 (ends inside Med_LigP_r)".
  std::vector<std::string> straightened;
  std::vector<std::string> surfaces;  // that the table names
  size_t wrapped = 0;                 // strands that lie on a surface
  // Those that the table lets pass more points than it gives (n_path_points): they run straight.
  std::vector<std::string> shortened;
  // Numbers that are likely in another unit: "damping_coefficient of 76 strands (ACLpl1 ...) ...".
  std::vector<std::string> doubtful;
  std::vector<std::string> missing;  // of MCL, LCL, ACL, PCL those that no strand is called after
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
// come twice or that parts of the knee have, for strands of both knees, for ones that do not
// run down, for collateral ligaments that are not clearly on their side, and for cruciate ones
// that have changed places), FileError where it cannot be read.
KneeStrands load_knee_strands(const std::string& path, double tibia_origin);
KneeStrands read_knee_strands(std::istream& stream, const std::string& name, double tibia_origin);

// Gives the strands the surfaces that the table names: the wrap objects of an OpenSim model, of the
// same bones. Straight remain strands with an end inside of their surface in the extended
// knee, with a surface on another body, with one that holds lines on one half only or is of another
// kind. Throws InputError where the file has none of the surfaces.
void add_strand_surfaces(const std::string& osim, double tibia_origin, KneeStrands* strands);
void add_strand_surfaces(const std::vector<OsimWrap>& wraps, const std::string& name,
                         double tibia_origin, KneeStrands* strands);

// A knee of these strands. Condyles are spheres fitted to the femoral cartilage of a healthy knee
// in the same axes, plateaus planes below them that rise forward as planes through its tibial
// cartilage do, without their tilt in the frontal plane. Its side is that of the table. `strands`,
// unless null: what was read. `surfaces`: an OpenSim model with what the strands wrap over, or
// nothing.
KneeOptions make_strand_options(const std::string& path, KneeStrands* strands = nullptr,
                                const std::string& surfaces = {});

}  // namespace vesica::biomechanics
