// Plates that read a multiple of what others do: a gain or a unit that was set wrongly.
//
// In walking the force in the middle of a stance (its mean from 25 to 75 % of it) is that of the
// whole body, within some percent the same on every plate. A foot half beside a plate reads less,
// and by chance half: so a plate is believed to be off scale only where the lower reading would be
// a body (mass over stature squared of at least 16 kg/m^2), and either the higher one would not
// (above 35 kg/m^2) or two plates or more agree on each.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "vesica/motion/gait_events.h"

namespace vesica {

struct PlateScale {
  std::vector<int> low, high;                // plates, by index
  double low_force = 0.0, high_force = 0.0;  // N, medians
  double factor = 1.0;                       // a whole number, 2 or more
  double stature = kMissing;                 // m, by the height of the pelvis; NaN: not known
  bool is_off() const { return factor > 1.5; }
  // Which group is wrong cannot be told without a stature.
  bool high_is_wrong() const;
};

// `stances` of feet that walk; `stature` NaN where nobody knows.
PlateScale find_plate_scale(std::span<const Stance> stances, std::span<const PlateContact> contacts,
                            std::span<const PlateForces> plates, double stature);

// Marks contacts and stances as partial whose force in the middle of a whole stance is below 0.85
// of what the plates carry that carry most (of its own group, where scales differ): part of the
// foot stood beside. Not where all steps of that foot carry as little: with a stick a leg is
// spared. Walks only: whoever stands shares the weight between plates as he likes.
void mark_partial_steps(const PlateScale& scale, std::span<const PlateForces> plates,
                        std::span<PlateContact> contacts, std::span<Stance> stances);

// Height of a person whose pelvis markers are so high above the floor, in the median over frames;
// NaN without such markers. The spines of the pelvis are at 0.56 of it (Drillis and Contini 1966:
// hip 0.530; spines two to four centimetres above).
double estimate_stature(const MarkerTracks& markers, const GaitMarkers& gait, const Vec3d& up);

// A plain sentence with the remedy.
std::string describe(const PlateScale& scale, std::span<const PlateForces> plates);

// Multiplies what a plate read: forces, moments; points stay. Of a C3D its channels, of a table its
// columns. `plate` is its number, from 1. Throws InputError where there is no such plate.
void scale_plate(MotionTrial* trial, int plate, double factor);

}  // namespace vesica
