// Masses, centres of mass and inertias of a model's segments: de Leva 1996 (Adjustments to
// Zatsiorsky-Seluyanov's segment inertia parameters, J Biomech 29:1223-1230, Table 4), from the
// subject's mass and the model's own lengths. Every number was compared with two transcriptions of
// that table by others (thigh, shank, foot: the documentation of Visual3D, "Adjusted
// Zatsiorsky-Seluyanov's segment inertia parameters"; these, the lower trunk and all lengths:
// R. Gurchiek's deleva.m of 2018); shares of the mass of a whole body add up to 1 within the digits
// printed (a test).
//
//   thigh, shank   length: between the joint centres; along it the centre of mass
//   foot           length: the segment's `length`, or from its rearmost to its foremost marker over
//                  0.73 (metatarsal heads lie there); along X
//   pelvis         lower trunk, its length that of the source's subjects times the size of the
//   legs;
//                  upwards from between the hips
//   none           no mass of its own (talus, toes, patella)
// What the model has no segment for (trunk, head, arms) is the rest of the mass. Sex not stated:
// the mean of both columns.
#pragma once

#include <optional>
#include <vector>

#include "vesica/markers/model.h"

namespace vesica::markers {

enum class Sex { kUnstated, kFemale, kMale };

struct SegmentInertia {
  double mass = 0;                 // kg
  Vec3d center = Vec3d::Zero();    // m, of mass, in the segment's frame
  Mat3d I_center = Mat3d::Zero();  // kg m^2, about it, in the segment's axes
};

struct BodySegments {
  std::vector<BodyPart> parts;  // of each segment
  std::vector<Side> sides;
  std::vector<SegmentInertia> inertia;
  double rest = 0;  // kg, of the body that the model does not have
};

// Throws InputError where a segment is none of the parts above.
BodySegments make_body_segments(const Model& model, const Eigen::VectorXd& d, double mass, Sex sex);

}  // namespace vesica::markers
