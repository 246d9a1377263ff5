// Stances of a planar foot: from recordings, projected on the plane of progression, and made up.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "vesica/identification/foot2d_geometry.h"
#include "vesica/identification/foot_synthetic.h"
#include "vesica/identification/foot_trials.h"

namespace vesica {

// Markers whose mean stands for a point. Empty: by the names that common marker sets use.
struct Foot2dMarkers {
  std::vector<std::string> ankle, heel, ball, toe;
};

struct Foot2dTrialOptions {
  double cutoff = 20;     // Hz, of markers and forces, as the source's
  double threshold = 20;  // N, where a stance begins and ends
  double weight = 0;      // N; 0: from whole strides on the plates
  Foot2dMarkers left, right;
};

struct Foot2dTrials {
  std::vector<Foot2dStance> stances;
  double weight = 0;
  std::vector<std::string> remarks;
};

// Whole stances on one plate, each with the swing before it as far as it was recorded. The plane is
// vertical along the walk; the floor's slope is taken out (foot_trials.h). A: the malleoli that are
// there; P: the heads of the metatarsals; T: a marker on the big toe.
//
// Without one on the toes T is made up: PT in the source's proportion to AP, the toes level with
// 20 mm height under the tip as long as they bend by 0 to 50 deg from where they are at mid-stance.
Foot2dTrials find_foot2d_stances(const MotionTrial& standing, const std::vector<FootTrial>& walks,
                                 const Foot2dTrialOptions& options);

// A foot in space with 14 ellipsoids under heel, outer arch, heads of the metatarsals and toes: no
// element of the planar foot is the truth of it.
FootModel make_finer_foot();

// Walks of the finer foot in its plane of progression, with friction after Brown & McPhee at each
// ellipsoid (mu_d 0.5, mu_s 0.6, transition at 0.1 m/s) on a foot that creeps forward by 30 mm/s
// when it lands and back when it leaves. The last two are of a faster and a slower walk.
struct Foot2dSynthetic {
  int stances = 4;
  double weight = 688;  // N
  double rate = 150;    // Hz
  SyntheticNoise noise;
  std::uint64_t seed = 1;
};
Foot2dTrials make_foot2d_stances(const Foot2dSynthetic& synthetic);

}  // namespace vesica
