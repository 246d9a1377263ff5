// Any bytes as an OpenSim model: what the reader promises, or an InputError, nothing else.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "vesica/error.h"
#include "vesica/io/osim.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const vesica::NeutralModel model =
        vesica::read_osim(std::string_view(reinterpret_cast<const char*>(data), size), "fuzz");
    for (const vesica::NeutralBody& body : model.bodies) {
      if (!(body.mass >= 0.0) || !body.inertia.allFinite()) std::abort();
    }
    for (const vesica::NeutralJoint& joint : model.joints) {
      if (!joint.X_PF.R_WB.allFinite() || !joint.X_CM.p_WB.allFinite()) std::abort();
      const bool known =
          joint.parent == "ground" || model.find_body(joint.parent) < model.bodies.size();
      if (!known) std::abort();
    }
  } catch (const vesica::InputError&) {
  }
  try {
    for (const vesica::OsimWrap& wrap : vesica::read_osim_wraps(
             std::string_view(reinterpret_cast<const char*>(data), size), "fuzz")) {
      if (!wrap.X_BS.R_WB.allFinite() || !wrap.radii.allFinite()) std::abort();
      const bool has_size = wrap.shape != vesica::OsimWrap::Shape::kOther;
      if (has_size && !(wrap.radii.minCoeff() > 0)) std::abort();
    }
  } catch (const vesica::InputError&) {
  }
  return 0;
}
