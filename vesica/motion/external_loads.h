// Forces of plates as OpenSim's ExternalLoads: which plate acts on which foot.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "vesica/motion/gait_events.h"
#include "vesica/motion/plates.h"

namespace vesica {

struct FootBodies {
  std::string right = "calcn_r", left = "calcn_l";
};

struct ExternalLoads {
  struct Load {
    std::string plate;  // name of the plate in `plates`: its columns are ground_force<plate>_v ...
    std::string body;
    Foot foot = Foot::kUnknown;
  };
  // For make_force_table. A plate that one foot alone stepped on stays whole; one that both stepped
  // on, one after the other, becomes two, "1_r" and "1_l", each unloaded while the other's foot is
  // there.
  std::vector<PlateForces> plates;
  std::vector<Load> loads;
  std::vector<std::string> warnings;  // loads that belong to no single foot and act on no body
};

// By the contacts, whose feet are known from the markers (assign_feet).
ExternalLoads assign_loads(std::span<const PlateForces> plates,
                           std::span<const PlateContact> contacts, const FootBodies& bodies);

// The document, with `data_file` (the MOT beside it) as its data. InputError where no load has a
// foot.
std::string make_external_loads_xml(const ExternalLoads& loads, const std::string& name,
                                    const std::string& data_file);

}  // namespace vesica
