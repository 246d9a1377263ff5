// Any bytes as a table of ligament strands, and what follows the first "<" as an OpenSim model with
// their surfaces: a knee's lines, or an InputError, nothing else.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>

#include "vesica/biomechanics/knee_strands.h"
#include "vesica/error.h"

namespace {

using vesica::biomechanics::KneeLigament;

void check_strand(const KneeLigament& strand) {
  if (!(strand.stiffness > 0) || !(strand.slack_length > 0)) std::abort();
  if (!strand.femur.allFinite() || !strand.tibia.allFinite() || strand.name.empty()) std::abort();
  if (strand.toe_strain && !(*strand.toe_strain > 0)) std::abort();
  if (strand.damping && !(*strand.damping >= 0)) std::abort();
  if (!strand.over) return;
  // Both ends are outside of the surface, the knee being straight and its origins one.
  for (const vesica::Vec3d& p : {strand.femur, strand.tibia}) {
    const vesica::Vec3d local = strand.over->place.R_WB.transpose() * (p - strand.over->place.p_WB);
    if (!(local.cwiseQuotient(strand.over->radii).norm() > 1)) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::size_t end = std::min(text.find('<'), size);
  try {
    std::istringstream stream(text.substr(0, end));
    auto strands = vesica::biomechanics::read_knee_strands(stream, "fuzz.csv", 0);
    if (strands.frames.size() != strands.ligaments.size()) std::abort();
    for (const KneeLigament& strand : strands.ligaments) check_strand(strand);
    vesica::biomechanics::add_strand_surfaces(
        vesica::read_osim_wraps(text.substr(end), "fuzz.osim"), "fuzz.osim", 0, &strands);
    for (const KneeLigament& strand : strands.ligaments) check_strand(strand);
  } catch (const vesica::InputError&) {
  }
  return 0;
}
