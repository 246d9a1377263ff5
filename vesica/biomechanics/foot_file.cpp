#include "vesica/biomechanics/foot_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

namespace vesica {
namespace {

std::string name_segment(const FootModel& foot, int segment) {
  return segment == 0 ? "foot" : foot.joints[static_cast<size_t>(segment) - 1].name;
}

std::string list(const Vec3d& v) { return fmt::format("[{}, {}, {}]", v.x(), v.y(), v.z()); }
std::string cells(const Vec3d& v) { return fmt::format("{},{},{}", v.x(), v.y(), v.z()); }

int find_segment(const FootModel& foot, const InputNode& node) {
  std::vector<std::string_view> names{"foot"};
  for (const FootJoint& joint : foot.joints) names.emplace_back(joint.name);
  const std::string name = node.text();
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) node.fail("segment " + say_unknown(name, names));
  return static_cast<int>(found - names.begin());
}

}  // namespace

std::string write_foot(const FootModel& foot, const std::string& title) {
  check(foot);
  std::string text = "vesica: 1\ntype: foot_model\n";
  if (!title.empty()) text += "title: " + nlohmann::json(title).dump() + "\n";
  text += fmt::format("stiffness: {} N/m^3\ndamping: {} s/m\n", foot.stiffness, foot.damping);
  text += "# x to the right, y forward, z up [m]; turns about x, y, z, body-fixed [rad]\n";
  if (!foot.joints.empty()) text += "joints:\n";
  for (const FootJoint& joint : foot.joints) {
    text += fmt::format("  - {{name: {}, parent: {}, position: {}, angles: {}}}\n", joint.name,
                        name_segment(foot, joint.parent), list(joint.X_PF.p_WB),
                        list(as_angles_123(joint.X_PF.R_WB)));
  }
  text += "ellipsoids:\n";
  for (const FootEllipsoid& e : foot.ellipsoids) {
    text +=
        fmt::format("  - {{name: {}, segment: {}, radii: {}, position: {}, angles: {}}}\n", e.name,
                    name_segment(foot, e.segment), list(e.radii), list(e.position), list(e.angles));
  }
  return text;
}

bool is_foot_model(const InputFile& file) {
  const InputNode root = file.root();
  if (!root.is_map()) return false;
  const auto type = root.find("type");
  return type && type->is_scalar() && type->text() == "foot_model";
}

FootModel read_foot(const InputFile& file) {
  const InputNode root = file.root();
  root.allow({"vesica", "type", "title", "stiffness", "damping", "joints", "ellipsoids"});
  root.at("vesica").integer(1, 1);
  root.at("type").choice({"foot_model"});
  FootModel foot;
  foot.stiffness = root.at("stiffness").positive(dimension::kVolumetricStiffness);
  foot.damping = root.at("damping").non_negative(dimension::kContactDamping);
  if (const auto joints = root.find("joints")) {
    for (const InputNode& node : joints->items()) {
      node.allow({"name", "parent", "position", "angles"});
      FootJoint joint;
      joint.name = node.at("name").text();
      joint.parent = find_segment(foot, node.at("parent"));
      joint.X_PF = {as_rotation_123(node.at("angles").vector(dimension::kAngle)),
                    node.at("position").vector(dimension::kLength)};
      foot.joints.push_back(joint);
    }
  }
  for (const InputNode& node : root.at("ellipsoids").items()) {
    node.allow({"name", "segment", "radii", "position", "angles"});
    FootEllipsoid e;
    e.name = node.at("name").text();
    e.segment = find_segment(foot, node.at("segment"));
    e.radii = node.at("radii").vector(dimension::kLength);
    if (!(e.radii.minCoeff() > 0)) node.at("radii").fail("radii must be positive");
    e.position = node.at("position").vector(dimension::kLength);
    e.angles = node.at("angles").vector(dimension::kAngle);
    foot.ellipsoids.push_back(e);
  }
  if (foot.ellipsoids.empty()) root.at("ellipsoids").fail("at least one ellipsoid is needed");
  check(foot);
  return foot;
}

std::string write_foot_table(const FootModel& foot) {
  check(foot);
  std::string text =
      fmt::format("# stiffness {} N/m^3, damping {} s/m\n", foot.stiffness, foot.damping);
  for (const FootJoint& joint : foot.joints) {
    const Vec3d axis = joint.X_PF.R_WB.col(0), p = joint.X_PF.p_WB;
    text += fmt::format("# joint {} on {}: through ({}, {}, {}) m along ({}, {}, {})\n", joint.name,
                        name_segment(foot, joint.parent), p.x(), p.y(), p.z(), axis.x(), axis.y(),
                        axis.z());
  }
  text +=
      "name,segment,radius_x [m],radius_y [m],radius_z [m],x [m],y [m],z [m],turn_x [rad],turn_y "
      "[rad],turn_z [rad]\n";
  for (const FootEllipsoid& e : foot.ellipsoids) {
    text += fmt::format("{},{},{},{},{}\n", e.name, name_segment(foot, e.segment), cells(e.radii),
                        cells(e.position), cells(e.angles));
  }
  return text;
}

}  // namespace vesica
