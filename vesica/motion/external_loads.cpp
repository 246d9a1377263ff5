#include "vesica/motion/external_loads.h"

#include <fmt/format.h>

#include <algorithm>

#include "vesica/error.h"
#include "vesica/io/markup.h"

namespace vesica {

namespace {

// The plate with everything outside of the foot's contacts taken as unloaded.
PlateForces keep_contacts_of(const PlateForces& plate, int index, Foot foot,
                             std::span<const PlateContact> contacts) {
  PlateForces kept = plate;
  for (std::size_t k = 0; k < plate.size(); ++k) {
    const double time = plate.times[k];
    const bool inside = std::any_of(contacts.begin(), contacts.end(), [&](const PlateContact& c) {
      return c.plate == index && c.foot == foot && time >= c.start && time <= c.end;
    });
    if (inside) continue;
    kept.forces[k] = Vec3d::Zero();
    kept.centers_of_pressure[k] = Vec3d::Constant(kMissing);
    kept.free_moments[k] = kMissing;
  }
  return kept;
}

}  // namespace

ExternalLoads assign_loads(std::span<const PlateForces> plates,
                           std::span<const PlateContact> contacts, const FootBodies& bodies) {
  ExternalLoads result;
  const auto body_of = [&](Foot foot) { return foot == Foot::kRight ? bodies.right : bodies.left; };
  for (std::size_t i = 0; i < plates.size(); ++i) {
    const auto index = static_cast<int>(i);
    bool right = false, left = false, other = false;
    for (const PlateContact& c : contacts) {
      if (c.plate != index) continue;
      right = right || c.foot == Foot::kRight;
      left = left || c.foot == Foot::kLeft;
      if (c.foot == Foot::kRight || c.foot == Foot::kLeft) continue;
      other = true;
      result.warnings.push_back(fmt::format(
          "The load on plate {} from {:.3f} to {:.3f} s is of {}; it acts on no body in the "
          "external loads.",
          plates[i].name, c.start, c.end,
          c.foot == Foot::kBoth ? "both feet" : "a foot that is not known"));
    }
    if (right != left && !other) {
      const Foot foot = right ? Foot::kRight : Foot::kLeft;
      result.plates.push_back(plates[i]);
      result.loads.push_back({plates[i].name, body_of(foot), foot});
      continue;
    }
    if (!right && !left) {
      result.plates.push_back(plates[i]);  // in the table, on no body
      continue;
    }
    for (const Foot foot : {Foot::kRight, Foot::kLeft}) {
      if (!(foot == Foot::kRight ? right : left)) continue;
      PlateForces part = keep_contacts_of(plates[i], index, foot, contacts);
      part.name += foot == Foot::kRight ? "_r" : "_l";
      result.loads.push_back({part.name, body_of(foot), foot});
      result.plates.push_back(std::move(part));
    }
  }
  return result;
}

std::string make_external_loads_xml(const ExternalLoads& loads, const std::string& name,
                                    const std::string& data_file) {
  if (loads.loads.empty()) {
    throw InputError(
        name +
        ": no load on a plate could be given to a foot: there must be force plates, and markers of "
        "heel and toe of both feet near their centres of pressure");
  }
  std::string xml = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\" ?>\n<OpenSimDocument Version=\"40000\">\n"
      "\t<ExternalLoads name=\"{}\">\n\t\t<objects>\n",
      escape_markup(name));
  for (const ExternalLoads::Load& load : loads.loads) {
    xml += fmt::format(
        "\t\t\t<ExternalForce name=\"plate_{0}_{1}\">\n"
        "\t\t\t\t<applied_to_body>{2}</applied_to_body>\n"
        "\t\t\t\t<force_expressed_in_body>ground</force_expressed_in_body>\n"
        "\t\t\t\t<point_expressed_in_body>ground</point_expressed_in_body>\n"
        "\t\t\t\t<force_identifier>ground_force{0}_v</force_identifier>\n"
        "\t\t\t\t<point_identifier>ground_force{0}_p</point_identifier>\n"
        "\t\t\t\t<torque_identifier>ground_torque{0}_</torque_identifier>\n"
        "\t\t\t</ExternalForce>\n",
        load.plate, name_of(load.foot), escape_markup(load.body));
  }
  return xml + fmt::format(
                   "\t\t</objects>\n\t\t<groups />\n\t\t<datafile>{}</datafile>\n"
                   "\t</ExternalLoads>\n</OpenSimDocument>\n",
                   escape_markup(data_file));
}

}  // namespace vesica
