// Knees that carry weight: foot on the ground, hip above it, quadriceps over the patella.
//
// The ankle is fixed and turns about two axes, not about the shank's own; the hip, a ball joint,
// slides up and down above it with the weight that it carries. The knee between them is that of
// knee.h: nothing but contact and ligaments. Quadriceps pull from the thigh over a point in front
// of the condyles, where the patella lies, to the tibia, and follow a length: they let the body
// down and lift it again.
#pragma once

#include "vesica/biomechanics/knee.h"

namespace vesica::biomechanics {

struct LoadOptions {
  double carried_mass = 31;                    // [kg]: half of the body but for the leg
  double thigh_mass = 8, thigh_radius = 0.07;  // [kg], [m]
  double hip_height = 0.40;                    // in the femur, along its z above the knee [m]
  double ankle_height = -0.19;                 // in the tibia, along its z [m]
  // Flexion at the start and at the end [rad]; a squat goes back to where it began.
  double from = 0.35, to = 0.85;
  bool returns = true;
  double time = 1.5;  // of one way [s]
  // Quadriceps, of a right knee: on the femur, over the patella's point of the femur, on the tibia.
  Vec3d quadriceps{0, 0.03, 0.30}, patella{0, 0.055, 0.02}, tubercle{0, 0.03, 0.17};
  double muscle_stiffness = 1e6, muscle_damping = 1e4;  // with which the length is followed
};

// A squat: down and up again.
Model make_squat(const KneeOptions& knee = {}, const LoadOptions& load = {});
// A step: from a bent knee up.
Model make_step(const KneeOptions& knee = {}, LoadOptions load = {});

}  // namespace vesica::biomechanics
