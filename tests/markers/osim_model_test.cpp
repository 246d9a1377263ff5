// OpenSim 4 documents as marker models, and back: joints where the file has them, scales and
// markers that an export holds.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "vesica/io/osim.h"
#include "vesica/markers/model_file.h"
#include "vesica/markers/outputs.h"
#include "vesica/markers/run.h"

namespace vesica::osim_model_test {
namespace {

std::string frame(const std::string& name, const std::string& body, const std::string& translation,
                  const std::string& orientation) {
  return fmt::format(
      "<PhysicalOffsetFrame name=\"{}\"><socket_parent>/bodyset/{}</socket_parent>"
      "<translation>{}</translation><orientation>{}</orientation></PhysicalOffsetFrame>",
      name, body, translation, orientation);
}
std::string joint(const std::string& type, const std::string& name, const std::string& parent,
                  const std::string& child, const std::string& inside = "") {
  return fmt::format(
             "<{0} name=\"{1}\"><socket_parent_frame>{2}_offset</socket_parent_frame>"
             "<socket_child_frame>{3}_offset</socket_child_frame>{4}<frames>",
             type, name, parent, child, inside) +
         frame(parent + "_offset", parent, "0 -0.4 0.1", "0 0 1.5707963267948966") +
         frame(child + "_offset", child, "0.01 0.02 0.03", "0 0 0") + "</frames></" + type + ">\n";
}
std::string one_axis(const char* kind, const char* axis, const char* constant) {
  std::string text = "<SpatialTransform>";
  for (int i = 0; i < 6; ++i) {
    const bool moves = std::string(kind) == (i < 3 ? "rotation" : "translation") && i % 3 == 0;
    text += fmt::format(
        "<TransformAxis "
        "name=\"{}{}\"><coordinates>{}</coordinates><axis>{}</axis>{}</TransformAxis>",
        i < 3 ? "rotation" : "translation", i % 3 + 1, moves ? "q" : "",
        moves ? axis
              : (i % 3 == 0   ? "1 0 0"
                 : i % 3 == 1 ? "0 1 0"
                              : "0 0 1"),
        moves ? "<LinearFunction><coefficients>1 0</coefficients></LinearFunction>"
              : fmt::format("<Constant><value>{}</value></Constant>", i == 4 ? constant : "0"));
  }
  return text + "</SpatialTransform>";
}

NeutralModel read(const std::string& joints) {
  std::string text =
      "<?xml version=\"1.0\"?><OpenSimDocument Version=\"40000\"><Model "
      "name=\"m\"><BodySet><objects>";
  for (const char* body : {"pelvis", "femur", "tibia"}) {
    text += fmt::format("<Body name=\"{}\"><mass>1</mass></Body>", body);
  }
  text += "</objects></BodySet><JointSet><objects>" + joints +
          "</objects></JointSet><MarkerSet><objects>";
  for (const char* body : {"pelvis", "femur", "tibia"}) {
    for (int i = 0; i < 4; ++i) {
      text += fmt::format(
          "<Marker name=\"{0}{1}\"><socket_parent_frame>/bodyset/{0}</socket_parent_frame>"
          "<location>{2} {3} {4}</location><fixed>{5}</fixed></Marker>",
          body, i, 0.1 * i, 0.03 * i * i, i == 2 ? 0.2 : -0.05, i < 3 ? "true" : "false");
    }
  }
  return read_osim(text + "</objects></MarkerSet></Model></OpenSimDocument>", "m.osim");
}

TEST(OsimModel, JointsStandWhereTheFileHasThem) {
  std::vector<std::string> warnings;
  const markers::Model model = markers::make_model(
      read(joint("UniversalJoint", "hip", "pelvis", "femur") +
           joint("CustomJoint", "knee", "femur", "tibia", one_axis("rotation", "0 0 1", "0.05"))),
      &warnings);
  EXPECT_TRUE(warnings.empty());
  const markers::Joint& hip = model.joints[0];
  EXPECT_EQ(hip.type, JointType::kUniversal);
  // A quarter turn about z: x of F is y of the pelvis; the second axis is y of the femur.
  EXPECT_LT((hip.parent_axis.base.col(2) - Vec3d::UnitY()).norm(), 1e-15);
  EXPECT_LT((hip.child_axis.base.col(2) - Vec3d::UnitY()).norm(), 1e-15);
  EXPECT_EQ(hip.parent_center.coordinate[1].constant, -0.4);
  EXPECT_EQ(hip.child_center.coordinate[2].constant, 0.03);
  const markers::Joint& knee = model.joints[1];
  EXPECT_EQ(knee.type, JointType::kRevolute);
  EXPECT_LT((knee.parent_axis.base.col(2) - Vec3d::UnitZ()).norm(), 1e-15);
  // 5 cm along y of F, which is -x of the femur.
  EXPECT_NEAR(knee.parent_center.coordinate[0].constant, -0.05, 1e-15);
  EXPECT_NEAR(knee.parent_center.coordinate[1].constant, -0.4, 1e-15);
}

TEST(OsimModel, WhatAMarkerModelCannotHoldIsNamed) {
  std::vector<std::string> warnings;
  const markers::Model model =
      markers::make_model(read(joint("WeldJoint", "hip", "pelvis", "femur") +
                               joint("CustomJoint", "patella", "femur", "tibia",
                                     one_axis("translation", "1 0 0", "0"))),
                          &warnings);
  EXPECT_EQ(model.joints[0].type, JointType::kWeld);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("'patella' (CustomJoint) slides"), std::string::npos);
}

// A subject whose bodies are 1.1, 0.9 and 1.05 times the model's, moved by plain products of poses.
TEST(OsimModel, ScalesAndMarkersComeBackThroughAFit) {
  const NeutralModel neutral = read(joint("BallJoint", "hip", "pelvis", "femur") +
                                    joint("PinJoint", "knee", "femur", "tibia"));
  const double scale[] = {1.1, 0.9, 1.05};
  const Vec3d p_PF(0, -0.4, 0.1), p_CM(0.01, 0.02, 0.03);
  const Mat3d R_PF = Eigen::AngleAxisd(M_PI / 2, Vec3d::UnitZ()).toRotationMatrix();
  MotionTrial motion;
  motion.file = "synthetic";
  motion.markers.rate = 100.0;
  motion.markers.unit_in_file = "m";
  for (const NeutralMarker& m : neutral.markers) motion.markers.labels.push_back(m.name);
  for (int f = 0; f < 40; ++f) {
    motion.markers.times.push_back(0.01 * f);
    Pose<double> X_WB[3];
    X_WB[0] = {
        Eigen::AngleAxisd(0.2 * std::sin(0.3 * f), Vec3d(1, 2, 3).normalized()).toRotationMatrix(),
        Vec3d(0.01 * f, 1.0, 0.0)};
    for (int b = 1; b < 3; ++b) {
      const Mat3d R_FM = b == 1 ? Eigen::AngleAxisd(0.7 * std::sin(0.2 * f),
                                                    Vec3d(std::cos(0.5 * f), 1, 0.4).normalized())
                                      .toRotationMatrix()
                                : Eigen::AngleAxisd(-0.6 + 0.5 * std::cos(0.4 * f), Vec3d::UnitZ())
                                      .toRotationMatrix();
      const Mat3d R = X_WB[b - 1].R_WB * R_PF * R_FM;
      X_WB[b] = {
          R, X_WB[b - 1].p_WB + X_WB[b - 1].R_WB * (scale[b - 1] * p_PF) - R * (scale[b] * p_CM)};
    }
    for (std::size_t m = 0; m < neutral.markers.size(); ++m) {
      const int b = static_cast<int>(m / 4);
      motion.markers.positions.push_back(X_WB[b].p_WB +
                                         X_WB[b].R_WB * (scale[b] * neutral.markers[m].location));
    }
  }
  markers::Run run;
  run.model = markers::make_model(neutral, &run.warnings);
  run.trials.push_back(markers::make_trial(run.model, motion, "t", {}, &run.warnings));
  markers::run_identification(run, {});
  EXPECT_TRUE(run.id->summary.converged);
  const std::string xml = markers::make_opensim_xml(run);
  std::size_t at = 0;
  for (const double expected : scale) {
    at = xml.find("<scales> ", at) + 9;
    EXPECT_NEAR(std::stod(xml.substr(at)), expected, 1e-6);
  }
  const NeutralModel back = read_osim(xml, "export.xml");
  ASSERT_EQ(back.markers.size(), neutral.markers.size());
  for (std::size_t m = 0; m < back.markers.size(); ++m) {
    EXPECT_EQ(back.markers[m].name, neutral.markers[m].name);
    EXPECT_EQ(back.markers[m].body, neutral.markers[m].body);
    EXPECT_LT((back.markers[m].location - scale[m / 4] * neutral.markers[m].location).norm(), 1e-6);
  }
}

}  // namespace
}  // namespace vesica::osim_model_test
