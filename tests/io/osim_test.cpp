#include "vesica/io/osim.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numbers>

#include "tests/io/motion_files.h"
#include "tests/support/support.h"

namespace vesica::osim_test {
namespace {

using test::input_error_of;

constexpr double kRightAngle = std::numbers::pi / 2;

std::string document(const std::string& version, const std::string& inside) {
  return "<?xml version=\"1.0\"?>\n<OpenSimDocument Version=\"" + version + "\">\n" + inside +
         "\n</OpenSimDocument>\n";
}

std::string custom_axes(const std::string& rotation1, const std::string& translation1) {
  std::string text = "<SpatialTransform>\n";
  const char* const axes[] = {"0 0 2", "0 1 0", "1 0 0"};
  for (int i = 1; i <= 3; ++i) {
    text +=
        fmt::format("<TransformAxis name=\"rotation{}\">", i) +
        (i == 1 ? rotation1 : "<coordinates></coordinates><Constant><value>0</value></Constant>") +
        "<axis>" + axes[i - 1] + "</axis></TransformAxis>\n";
  }
  for (int i = 1; i <= 3; ++i) {
    text += fmt::format("<TransformAxis name=\"translation{}\">", i) +
            (i == 1 ? translation1
                    : "<coordinates></coordinates><Constant><value>0</value></Constant>") +
            "<axis>" + axes[i - 1] + "</axis></TransformAxis>\n";
  }
  return text + "</SpatialTransform>";
}
const char* const kLinear =
    "<coordinates>knee</coordinates><LinearFunction><coefficients> -1 "
    "0.25</coefficients></LinearFunction>";
const char* const kConstant =
    "<coordinates></coordinates><MultiplierFunction><function><Constant><value>0.5</value></"
    "Constant></function>"
    "<scale>0.1</scale></MultiplierFunction>";
const char* const kSpline =
    "<coordinates>knee</coordinates><SimmSpline><x>0 1 2</x><y>0 1 4</y></SimmSpline>";

std::string body(const std::string& name, const std::string& inside = "") {
  return "<Body name=\"" + name + "\"><mass>2.5</mass><mass_center>0 -0.2 0.01</mass_center>" +
         inside + "</Body>\n";
}
std::string joint_4(const std::string& type, const std::string& name, const std::string& parent,
                    const std::string& child, const std::string& inside = "") {
  return "<" + type + " name=\"" + name + "\">\n<socket_parent_frame>" + name +
         "_p</socket_parent_frame>\n<socket_child_frame>/bodyset/" + child +
         "</socket_child_frame>\n<coordinates><Coordinate "
         "name=\"knee\"><default_value>0.1</default_value>"
         "<range>-2 0.5</range><locked>true</locked></Coordinate></coordinates>\n"
         "<frames><PhysicalOffsetFrame name=\"" +
         name + "_p\"><socket_parent>/bodyset/" + parent +
         "</socket_parent><translation>0.1 0.2 0.3</translation><orientation>1.5707963267948966 0 "
         "1.5707963267948966</orientation></PhysicalOffsetFrame></frames>\n" +
         inside + "</" + type + ">\n";
}

TEST(Osim, ReadsVersionFour) {
  const NeutralModel model = read_osim(
      document("40000", "<Model name=\"leg\"><gravity>0 0 -9.81</gravity><BodySet><objects>" +
                            body("thigh", "<inertia>0.1 0.2 0.3 0.01 0.02 0.03</inertia>") +
                            body("shank") + "</objects></BodySet><JointSet><objects>" +
                            joint_4("BallJoint", "hip", "ground", "thigh") +
                            joint_4("CustomJoint", "knee_r", "thigh", "shank",
                                    custom_axes(kLinear, kConstant)) +
                            "</objects></JointSet><MarkerSet><objects><Marker name=\"RKNE\">"
                            "<socket_parent_frame>/bodyset/shank</"
                            "socket_parent_frame><location>0.01 -0.02 0.05</location>"
                            "<fixed>true</fixed></Marker></objects></MarkerSet></Model>"),
      "m.osim");
  EXPECT_EQ(model.name, "leg");
  EXPECT_EQ(model.gravity, Vec3d(0, 0, -9.81));
  ASSERT_EQ(model.bodies.size(), 2u);
  EXPECT_EQ(model.bodies[0].inertia(0, 2), 0.02);
  EXPECT_EQ(model.bodies[0].inertia(2, 1), 0.03);
  EXPECT_EQ(model.find_body("shank"), 1u);
  ASSERT_EQ(model.joints.size(), 2u);
  const NeutralJoint& hip = model.joints[0];
  EXPECT_EQ(hip.kind, NeutralJointKind::kBall);
  EXPECT_EQ(hip.parent, "ground");
  EXPECT_EQ(hip.child, "thigh");
  EXPECT_EQ(hip.X_PF.p_WB, Vec3d(0.1, 0.2, 0.3));
  // x then z, both a right angle and body-fixed: x of F is y of the turned frame, hence z of the
  // parent.
  EXPECT_LT((hip.X_PF.R_WB * Vec3d::UnitX() - Vec3d::UnitZ()).norm(), 1e-15);
  EXPECT_LT((hip.X_PF.R_WB * Vec3d::UnitY() + Vec3d::UnitX()).norm(), 1e-15);
  EXPECT_EQ(hip.X_CM.p_WB, Vec3d::Zero());
  EXPECT_EQ(hip.coordinates[0].default_value, 0.1);
  EXPECT_EQ(hip.coordinates[0].range_high, 0.5);
  EXPECT_TRUE(hip.coordinates[0].locked);
  const NeutralJoint& knee = model.joints[1];
  EXPECT_EQ(knee.kind, NeutralJointKind::kCustomOneAxis);
  ASSERT_EQ(knee.axes.size(), 2u);
  EXPECT_EQ(knee.axes[0].axis, Vec3d::UnitZ());
  EXPECT_EQ(knee.axes[0].coordinate, "knee");
  EXPECT_EQ(knee.axes[0].slope, -1.0);
  EXPECT_EQ(knee.axes[0].offset, 0.25);
  EXPECT_TRUE(knee.axes[1].translates);
  EXPECT_DOUBLE_EQ(knee.axes[1].offset, 0.05);
  ASSERT_EQ(model.markers.size(), 1u);
  EXPECT_EQ(model.markers[0].body, "shank");
  EXPECT_TRUE(model.markers[0].fixed);
  EXPECT_TRUE(model.warnings.empty());
}

TEST(Osim, ReadsVersionThree) {
  const NeutralModel model = read_osim(
      document(
          "30000",
          "<Model name=\"leg\"><BodySet><objects><Body name=\"ground\"><mass>0</mass><Joint "
          "/></Body>" +
              body("thigh",
                   "<inertia_xx>1</inertia_xx><inertia_yy>2</inertia_yy><inertia_zz>3</inertia_zz>"
                   "<inertia_xy>0.5</inertia_xy><Joint><PinJoint "
                   "name=\"hip\"><parent_body>ground</parent_body>"
                   "<location_in_parent>0 1 0</location_in_parent><location>0 0.2 0</location>"
                   "<orientation>0 1.5707963267948966 0</orientation><CoordinateSet><objects>"
                   "<Coordinate name=\"flexion\"/></objects></CoordinateSet></PinJoint></Joint>") +
              "</objects></BodySet><MarkerSet><objects><Marker name=\"M\"><body>thigh</body>"
              "<location>1 2 3</location></Marker></objects></MarkerSet></Model>"),
      "m.osim");
  ASSERT_EQ(model.bodies.size(), 1u);
  EXPECT_EQ(model.bodies[0].inertia(0, 1), 0.5);
  ASSERT_EQ(model.joints.size(), 1u);
  EXPECT_EQ(model.joints[0].kind, NeutralJointKind::kPin);
  EXPECT_EQ(model.joints[0].X_PF.p_WB, Vec3d(0, 1, 0));
  EXPECT_EQ(model.joints[0].X_CM.p_WB, Vec3d(0, 0.2, 0));
  EXPECT_NEAR((model.joints[0].X_CM.R_WB * Vec3d::UnitZ()).x(), std::sin(kRightAngle), 1e-15);
  EXPECT_EQ(model.joints[0].coordinates[0].name, "flexion");
  EXPECT_EQ(model.markers[0].location, Vec3d(1, 2, 3));
}

TEST(Osim, JointsBeyondTheNeutralModelAreKeptWithAWarning) {
  const auto joints_of = [](const std::string& joints) {
    return read_osim(document("40000", "<Model><BodySet><objects>" + body("a") +
                                           "</objects></BodySet><JointSet><objects>" + joints +
                                           "</objects></JointSet></Model>"),
                     "m.osim");
  };
  const NeutralModel spline =
      joints_of(joint_4("CustomJoint", "j", "ground", "a", custom_axes(kLinear, kSpline)));
  EXPECT_EQ(spline.joints[0].kind, NeutralJointKind::kOther);
  EXPECT_EQ(spline.joints[0].axes.size(), 6u);
  EXPECT_FALSE(spline.joints[0].axes[3].is_linear);
  EXPECT_EQ(spline.warnings.size(), 1u);
  const NeutralModel gimbal = joints_of(joint_4("GimbalJoint", "j", "ground", "a"));
  EXPECT_EQ(gimbal.joints[0].type_in_file, "GimbalJoint");
  EXPECT_EQ(gimbal.warnings.size(), 1u);
  EXPECT_EQ(joints_of(joint_4("WeldJoint", "j", "ground", "a")).joints[0].kind,
            NeutralJointKind::kWeld);
  EXPECT_EQ(joints_of(joint_4("FreeJoint", "j", "ground", "a")).joints[0].kind,
            NeutralJointKind::kFree);
}

// Six axes as OpenSim 4 writes them; `moves` names the coordinate of each, or nothing.
std::string six_axes(const std::vector<std::string>& moves, const std::string& second = "0 1 0") {
  const std::vector<std::string> axes = {"1 0 0", second, "0 0 1", "1 0 0", "0 1 0", "0 0 1"};
  std::string text = "<SpatialTransform>\n";
  for (std::size_t i = 0; i < 6; ++i) {
    text += fmt::format(
        "<TransformAxis name=\"{}{}\">\n<coordinates>{}</coordinates>\n<axis>{}</axis>\n",
        i < 3 ? "rotation" : "translation", i % 3 + 1, moves[i], axes[i]);
    text += moves[i].empty() ? "<Constant name=\"function\"><value>0</value></Constant>\n"
                             : "<LinearFunction name=\"function\"><coefficients>1 "
                               "0</coefficients></LinearFunction>\n";
    text += "</TransformAxis>\n";
  }
  return text + "</SpatialTransform>";
}

TEST(Osim, UniversalAndCustomJointsOfSeveralAxes) {
  const auto joint_of = [](const std::string& type, const std::string& inside,
                           std::size_t warnings) {
    const NeutralModel model =
        read_osim(document("40000", "<Model><BodySet><objects>" + body("a") +
                                        "</objects></BodySet><JointSet><objects>" +
                                        joint_4(type, "j", "ground", "a", inside) +
                                        "</objects></JointSet></Model>"),
                  "m.osim");
    EXPECT_EQ(model.warnings.size(), warnings);
    return model.joints[0];
  };
  // About x of F, then y of M.
  const NeutralJoint universal = joint_of("UniversalJoint", "", 0);
  EXPECT_EQ(universal.kind, NeutralJointKind::kUniversal);
  EXPECT_EQ(universal.axes[0].axis, Vec3d::UnitX());
  EXPECT_EQ(universal.axes[1].axis, Vec3d::UnitY());
  const NeutralJoint two = joint_of("CustomJoint", six_axes({"p", "", "q", "", "", ""}), 0);
  EXPECT_EQ(two.kind, NeutralJointKind::kUniversal);
  ASSERT_EQ(two.axes.size(), 2u);
  EXPECT_EQ(two.axes[0].coordinate, "p");
  EXPECT_EQ(two.axes[1].axis, Vec3d::UnitZ());
  EXPECT_EQ(joint_of("CustomJoint", six_axes({"p", "q", "r", "", "", ""}), 0).kind,
            NeutralJointKind::kBall);
  EXPECT_EQ(joint_of("CustomJoint", six_axes({"p", "q", "r", "x", "y", "z"}), 0).kind,
            NeutralJointKind::kFree);
  // Not at right angles; one coordinate for two axes; a hinge that slides; axes in one plane.
  EXPECT_EQ(joint_of("CustomJoint", six_axes({"p", "q", "", "", "", ""}, "1 1 0"), 1).kind,
            NeutralJointKind::kOther);
  EXPECT_EQ(joint_of("CustomJoint", six_axes({"p", "p", "", "", "", ""}), 1).kind,
            NeutralJointKind::kOther);
  EXPECT_EQ(joint_of("CustomJoint", six_axes({"p", "", "", "x", "", ""}), 1).kind,
            NeutralJointKind::kOther);
  EXPECT_EQ(joint_of("CustomJoint", six_axes({"p", "q", "r", "", "", ""}, "1 0 1"), 1).kind,
            NeutralJointKind::kOther);
}

TEST(Osim, FramesOwnedByBodiesAreResolved) {
  const NeutralModel model = read_osim(
      document(
          "40000",
          "<Model><BodySet><objects>" +
              body("a",
                   "<components><PhysicalOffsetFrame name=\"off\"><socket_parent>..</socket_parent>"
                   "<translation>1 0 0</translation><orientation>0 0 "
                   "1.5707963267948966</orientation>"
                   "</PhysicalOffsetFrame></components>") +
              "</objects></BodySet><MarkerSet><objects><Marker "
              "name=\"M\"><socket_parent_frame>/bodyset/a/off"
              "</socket_parent_frame><location>0.5 0 "
              "0</location></Marker></objects></MarkerSet></Model>"),
      "m.osim");
  EXPECT_EQ(model.markers[0].body, "a");
  EXPECT_LT((model.markers[0].location - Vec3d(1.0, 0.5, 0.0)).norm(), 1e-15);
}

TEST(Osim, ErrorsNameTheLine) {
  const auto error_of = [](const std::string& text) {
    return input_error_of([&] { read_osim(text, "m.osim"); });
  };
  EXPECT_NE(error_of("").find("m.osim:1: the file is empty"), std::string::npos);
  EXPECT_NE(error_of("time\t1\n").find("the XML is broken: No document element"),
            std::string::npos);
  EXPECT_NE(error_of("<a>\n<b>\n</a>").find("m.osim:3: the XML is broken"), std::string::npos);
  EXPECT_NE(error_of("<html/>").find("the document is 'html'"), std::string::npos);
  EXPECT_NE(error_of(document("40000", "<Model/>")).find("found no bodies"), std::string::npos);
  const auto model = [&](const std::string& inside) {
    return error_of(document("40000", "<Model>\n<BodySet><objects>\n" + inside + "</Model>"));
  };
  EXPECT_NE(model("<Body name=\"a\">\n<mass>x</mass></Body></objects></BodySet>")
                .find("m.osim:6: <mass> holds 'x'"),
            std::string::npos);
  EXPECT_NE(model("<Body name=\"a\">\n<mass>-1</mass></Body></objects></BodySet>")
                .find("the mass of a is -1"),
            std::string::npos);
  EXPECT_NE(model("<Body name=\"a\">\n<mass_center>1 2</mass_center></Body></objects></BodySet>")
                .find("m.osim:6: <mass_center> has 2 numbers; expected 3"),
            std::string::npos);
  EXPECT_NE(model("<Body><mass>1</mass></Body></objects></BodySet>")
                .find("m.osim:5: a <Body> has no name"),
            std::string::npos);
  EXPECT_NE(model(body("a") + body("a") + "</objects></BodySet>")
                .find("m.osim:6: two bodies are called 'a'"),
            std::string::npos);
  EXPECT_NE(model(body("a") + "</objects></BodySet><JointSet><objects>" +
                  joint_4("PinJoint", "j", "nowhere", "a") + "</objects></JointSet>")
                .find("m.osim:6: joint 'j' names the body 'nowhere'"),
            std::string::npos);
}

TEST(Osim, TruncatedFilesAreErrorsWhereverTheyEnd) {
  const std::string text =
      document("40000", "<Model><BodySet><objects>" + body("a") + "</objects></BodySet></Model>");
  for (std::size_t length = 0; length + 2 < text.size(); ++length) {
    EXPECT_NE(input_error_of([&] { read_osim(text.substr(0, length), "m.osim"); }).find("m.osim:"),
              std::string::npos)
        << length;
  }
}

TEST(Osim, RealContactSets) {
  const std::filesystem::path folder = test::shared_data() / "opensim";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no recordings beside the repository";
  const NeutralModel shapes =
      load_osim((folder / "subject_walk_scaled_ContactGeometrySet.xml").string());
  ASSERT_EQ(shapes.contact_shapes.size(), 13u);  // a floor, six spheres under each foot
  EXPECT_TRUE(shapes.contact_shapes[0].is_half_space);
  EXPECT_EQ(shapes.contact_shapes[1].body, "calcn_r");
  EXPECT_EQ(shapes.contact_shapes[1].X_BS.p_WB, Vec3d(0.0146421, 0.0, -0.0122799));
  // OpenSim's half-space fills x > 0 of its frame; turned by -90 degrees about z that is y < 0.
  EXPECT_NEAR((shapes.contact_shapes[0].X_BS.R_WB * Vec3d::UnitX()).y(), -1.0, 1e-15);
  const NeutralModel forces =
      load_osim((folder / "subject_walk_scaled_ContactForceSet.xml").string());
  ASSERT_EQ(forces.contact_forces.size(), 12u);
  EXPECT_EQ(forces.contact_forces[0].shapes, (std::vector<std::string>{"heel_r", "floor"}));
  EXPECT_EQ(forces.contact_forces[0].stiffness, 1e6);
  EXPECT_EQ(forces.contact_forces[0].transition_velocity, 0.2);
}

}  // namespace
}  // namespace vesica::osim_test
