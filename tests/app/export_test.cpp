// vesica export as a user runs it: what is in the files is what stands in the scene.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <numbers>

#include "tests/app/tool.h"
#include "vesica/geometry/surface_mesh.h"
#include "vesica/io/stl.h"

namespace vesica::test::export_test {
namespace {

using nlohmann::json;

// STL holds single precision: 6e-8 for a coordinate, a few of them in a volume.
constexpr double kSingle = 1e-6;

std::string case_of(const std::string& shape_i, const std::string& shape_j = "{type: half_space}") {
  CaseText text;
  text.shape_i = shape_i;
  text.shape_j = shape_j;
  return text.text();
}

// The volume that the STL of body i encloses; reading it checks that it is closed and right side
// out.
double calc_exported_volume(const std::string& shape, const std::string& options) {
  const Workspace space;
  space.write("case.yaml", case_of(shape));
  const Outcome outcome = space.run("export case.yaml --body i --out i.stl --quiet " + options);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  return calc_enclosed_volume(make_surface_mesh(load_stl(space.path("i.stl"))));
}

struct Glb {
  json document;
  std::string buffer;

  const json& node(const std::string& name) const {
    for (const json& node : document.at("nodes")) {
      if (node.at("name") == name) return node;
    }
    throw std::runtime_error(fmt::format("no node '{}'", name));
  }
  const json& accessor(const std::string& body, const char* attribute) const {
    const json& primitive = document.at("meshes").at(node(body).at("mesh").get<size_t>());
    return document.at("accessors")
        .at(primitive.at("primitives").at(0).at("attributes").at(attribute).get<size_t>());
  }
  // Of the only body.
  std::vector<Vec3d> vectors(const char* attribute) const {
    const json& accessor = this->accessor("i", attribute);
    const json& view = document.at("bufferViews").at(accessor.at("bufferView").get<size_t>());
    std::vector<float> values(3 * accessor.at("count").get<size_t>());
    EXPECT_EQ(view.at("byteLength"), values.size() * sizeof(float));
    std::memcpy(values.data(), buffer.data() + view.at("byteOffset").get<size_t>(),
                values.size() * sizeof(float));
    std::vector<Vec3d> vectors;
    for (size_t k = 0; k < values.size(); k += 3) {
      vectors.emplace_back(values[k], values[k + 1], values[k + 2]);
    }
    return vectors;
  }
};

Glb parse_glb(const std::string& bytes) {
  auto number_at = [&](size_t at) {
    std::uint32_t x = 0;
    for (size_t k = 4; k-- > 0;) x = x << 8 | static_cast<unsigned char>(bytes.at(at + k));
    return x;
  };
  EXPECT_EQ(bytes.substr(0, 4), "glTF");
  EXPECT_EQ(number_at(8), bytes.size());
  const size_t length = number_at(12);
  EXPECT_EQ(bytes.substr(16, 4), "JSON");
  EXPECT_EQ(bytes.substr(20 + length + 4, 3), "BIN");
  return {json::parse(bytes.substr(20, length)), bytes.substr(28 + length, number_at(20 + length))};
}

TEST(Export, ABoxEnclosesItsVolume) {
  const double volume = calc_exported_volume("{type: box, size: [0.2, 0.3, 0.1]}", "");
  EXPECT_NEAR(volume, 0.006, 0.006 * kSingle);
}

TEST(Export, AnEllipsoidIsRingsWithCornersOnIt) {
  // Frusta between the rings, each a regular polygon instead of a circle.
  const int around = 24, rings = 12;
  double expected = 0;
  for (int k = 0; k < rings; ++k) {
    const double a = std::numbers::pi * k / rings, b = std::numbers::pi * (k + 1) / rings;
    const double r = std::sin(a), s = std::sin(b);
    expected += (std::cos(a) - std::cos(b)) / 3 * (r * r + r * s + s * s);
  }
  expected *= 0.5 * around * std::sin(2 * std::numbers::pi / around) * 0.1 * 0.2 * 0.3;
  const double volume =
      calc_exported_volume("{type: ellipsoid, radii: [0.1, 0.2, 0.3]}", "--cells 24");
  EXPECT_NEAR(volume, expected, expected * kSingle);
}

TEST(Export, CurvedSolidsConvergeToTheirVolume) {
  // Bevelled edges and chords take volume, less by the square of the grid. Measured with 64 cells:
  // 5.6e-5, 7.8e-4 and 1.9e-4, in this order; 0.24 to 0.25 of what it is with 32.
  const double slope = std::tan(std::numbers::pi / 12);
  const std::pair<const char*, double> solids[] = {
      {"{type: cylinder, radius: 0.1, length: 0.2}", std::numbers::pi * 0.01 * 0.2},
      {"{type: cone, angle: 30 deg, height: 0.2}", std::numbers::pi * 0.008 / 3 * slope * slope},
      {"{type: solid, cells: [{intersect: [{type: sphere, radius: 0.1}, {type: half_space}]}]}",
       std::numbers::pi * 0.002 / 3}};
  for (const auto& [shape, volume] : solids) {
    double errors[2];
    for (const int k : {0, 1}) {
      const double exported = calc_exported_volume(shape, fmt::format("--cells {}", 32 << k));
      errors[k] = std::abs(exported / volume - 1);
    }
    EXPECT_LT(errors[1], 2e-3) << shape;
    EXPECT_LT(errors[1], 0.4 * errors[0]) << shape;
  }
}

TEST(Export, CellsOfPlanesAreExact) {
  const double volume = calc_exported_volume(
      "{type: solid, cells: [{intersect: [{type: box, size: [0.2, 0.1, 0.1]}], mirror: [0, 0, 1], "
      "pose: {position: [0, 0, 0.2]}}]}",
      "");
  EXPECT_NEAR(volume, 0.004, 0.004 * kSingle);
}

TEST(Export, BatteryBoxHasANodeForEveryBody) {
  const Workspace space;
  const Outcome outcome = space.run("export battery_box --out box.glb --json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const json report = outcome.json();
  const std::string bytes = space.read("box.glb");
  EXPECT_EQ(report.at("file"), "box.glb");
  EXPECT_EQ(report.at("bytes"), bytes.size());
  ASSERT_EQ(report.at("bodies").size(), 2u);

  const Glb glb = parse_glb(bytes);
  EXPECT_EQ(glb.document.at("meshes").size(), 2u);
  EXPECT_EQ(glb.document.at("buffers").at(0).at("byteLength"), glb.buffer.size());
  const json& box = glb.node("box");
  EXPECT_EQ(box.at("translation"), json({-0.35, 0.0, -0.095}));
  EXPECT_NEAR(box.at("rotation").at(3), 0.999695413509548, 1e-12);  // w, as in the scene
  EXPECT_EQ(glb.node("worksite").at("translation"), json({0.0, 0.0, 0.0}));
  // The box in its own frame: 36 x 28 inches, from its fixture's top to its bottom.
  const json low = glb.accessor("box", "POSITION").at("min");
  const json high = glb.accessor("box", "POSITION").at("max");
  const double half[] = {0, 0.4572, 0.3556};
  for (const size_t axis : {1, 2}) {
    EXPECT_NEAR(low.at(axis), -half[axis], kSingle) << axis;
    EXPECT_NEAR(high.at(axis), half[axis], kSingle) << axis;
  }
  EXPECT_NEAR(high.at(0), 0.1524, kSingle);
  EXPECT_NEAR(low.at(0), -0.1924, 0.04 / 16);  // marched: to a grid cell
}

TEST(Export, NormalsPointOutOfFlatAndCurvedParts) {
  const Workspace space;
  space.write("case.yaml",
              case_of("{type: solid, cells: [{intersect: [{type: box, size: [0.2, 0.2, 0.1]}]}, "
                      "{intersect: [{type: cylinder, radius: 0.05}, {type: slab, thickness: 0.1}], "
                      "pose: {position: [0, 0, 0.1]}}]}"));
  ASSERT_EQ(space.run("export case.yaml --body i --out a.glb").status, 0);
  const Glb glb = parse_glb(space.read("a.glb"));
  const auto x = glb.vectors("POSITION"), n = glb.vectors("NORMAL");
  ASSERT_EQ(x.size(), n.size());
  size_t on_side = 0;
  for (size_t k = 0; k < x.size(); ++k) {
    EXPECT_NEAR(n[k].norm(), 1, kSingle);
    const double radius = std::hypot(x[k].x(), x[k].y());
    if (x[k].z() < 0.06 || x[k].z() > 0.14) continue;
    // On the cylinder's side, a cube (0.1/32 m) away from its edges.
    ++on_side;
    EXPECT_NEAR(radius, 0.05, 1e-5);  // to 1e-3 of a cube
    EXPECT_GT((n[k].x() * x[k].x() + n[k].y() * x[k].y()) / radius, 0.99999);
  }
  EXPECT_GT(on_side, 100u);
  // The box: six sides, twelve triangles with corners of their own.
  EXPECT_EQ(std::count_if(n.begin(), n.end(), [](const Vec3d& v) { return v.x() == 1; }), 6);
}

TEST(Export, TextGltfHoldsTheSameBuffer) {
  const Workspace space;
  ASSERT_EQ(space.run("export two_spheres --cells 9 --out a.glb").status, 0);
  ASSERT_EQ(space.run("export two_spheres --cells 9 --out a.gltf").status, 0);
  ASSERT_EQ(space.run("export two_spheres --cells 9 --format gltf --out b.txt").status, 0);
  EXPECT_EQ(space.read("a.gltf"), space.read("b.txt"));
  const Glb glb = parse_glb(space.read("a.glb"));
  json text = json::parse(space.read("a.gltf"));
  json& buffer = text.at("buffers").at(0);
  const std::string uri = buffer.at("uri"), prefix = "data:application/octet-stream;base64,";
  ASSERT_TRUE(uri.starts_with(prefix));
  // Decoded bit by bit.
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string decoded;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : uri.substr(prefix.size())) {
    if (c == '=') break;
    bits = bits << 6 | static_cast<std::uint32_t>(digits.find(c));
    count += 6;
    if (count < 8) continue;
    count -= 8;
    decoded.push_back(static_cast<char>(bits >> count));
    bits &= (1u << count) - 1;
  }
  EXPECT_TRUE(decoded == glb.buffer);
  buffer.erase("uri");
  EXPECT_EQ(text, glb.document);
}

TEST(Export, AHalfSpaceIsAPlateUnderTheRest) {
  const Workspace space;
  CaseText text;
  text.shape_i = "{type: box, size: [0.2, 0.2, 0.2]}";
  text.pose_i = "{position: [3, -2, 0.1]}";
  space.write("case.yaml", text.text());
  ASSERT_EQ(space.run("export case.yaml --out a.glb").status, 0);
  const Glb glb = parse_glb(space.read("a.glb"));
  const json low = glb.accessor("j", "POSITION").at("min");
  const json high = glb.accessor("j", "POSITION").at("max");
  EXPECT_EQ(high.at(2), 0.0);
  EXPECT_LT(low.at(2), 0.0);
  for (const size_t axis : {0, 1}) {
    const double middle = axis == 0 ? 3 : -2;
    EXPECT_LT(low.at(axis), middle - 0.1);
    EXPECT_GT(high.at(axis), middle + 0.1);
    EXPECT_LT(high.at(axis), middle + 0.3);
  }
}

TEST(Export, ARunStandsWhereItWasRecorded) {
  const Workspace space;
  ASSERT_EQ(space.run("simulate bouncing_ball --set duration=0.1 --quiet --out run").status, 0);
  const Outcome outcome = space.run("export run --time 0.0801 --out a.glb --json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_DOUBLE_EQ(outcome.json().at("time"), 0.08);  // rows every 2 ms
  // Thrown forward at 0.6 m/s from 0.3 m, not yet down.
  const json p = parse_glb(space.read("a.glb")).node("ball").at("translation");
  EXPECT_NEAR(p.at(0), 0.6 * 0.08, 1e-8);  // the scene's tolerance is 1e-9
  EXPECT_NEAR(p.at(2), 0.3 - 0.5 * 9.80665 * 0.08 * 0.08, 1e-8);
  // Without a time: at the start.
  ASSERT_EQ(space.run("export run --out b.glb").status, 0);
  EXPECT_EQ(parse_glb(space.read("b.glb")).node("ball").at("translation"), json({0.0, 0.0, 0.3}));
}

TEST(Export, JointsPlaceTheirBodies) {
  const Workspace space;
  space.write("scene.yaml",
              "vesica: 1\n"
              "bodies:\n"
              "  rod:\n"
              "    mass: 1\n"
              "    shape: {type: box, size: [0.1, 0.1, 1]}\n"
              "    joint: {type: revolute, parent: world, axis: [0, 1, 0], start: 90 deg,\n"
              "            in_body: {position: [0, 0, 0.5]}}\n"
              "  mark:\n"
              "    mass: 1\n"
              "    inertia: [1, 1, 1]\n"
              "    shape: {type: point}\n"
              "duration: 1\n");
  const Outcome outcome = space.run("export scene.yaml --out a.glb --json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  // Turned about y by 90 degrees, what hung below its joint lies along -x.
  const json p = parse_glb(space.read("a.glb")).node("rod").at("translation");
  EXPECT_NEAR(p.at(0), -0.5, 1e-15);
  EXPECT_NEAR(p.at(2), 0, 1e-15);
  // The point has nothing to show, and that is said.
  const json report = outcome.json();
  EXPECT_EQ(report.at("bodies").size(), 1u);
  ASSERT_EQ(report.at("notes").size(), 1u);
  EXPECT_NE(report.at("notes").at(0).get<std::string>().find("'mark'"), std::string::npos);
}

TEST(Export, BadInputIsNamedAndWritesNothing) {
  const Workspace space;
  space.write("case.yaml", case_of("{type: sphere, radius: 0.1}"));
  space.write("point.yaml",
              "vesica: 1\nbodies: {a: {mass: 1, inertia: [1, 1, 1], shape: {type: point}}}\n"
              "duration: 1\n");
  space.write("other.yaml", "vesica: 1\ntitle: nothing\n");
  space.write("file", "");
  ASSERT_EQ(space.run("simulate two_spheres --set duration=0.01 --quiet --out run").status, 0);
  const auto before = space.files();
  const std::pair<const char*, const char*> bad[] = {
      {"export case.yaml --out a.obj", ".glb, .gltf or .stl"},
      {"export case.yaml --out a", ".glb, .gltf or .stl"},
      {"export case.yaml --format obj --out a.glb", "--format"},
      {"export case.yaml", "--out"},
      {"export case.yaml --out a.glb --body k", "there are: i, j"},
      {"export case.yaml --out a.glb --cells 0", "--cells"},
      {"export case.yaml --out a.glb --time 1", "no run folder"},
      {"export case.yaml --out a.glb --set bodies.i.shape.radius=-1", "bodies.i.shape.radius"},
      {"export case.yaml --out a.glb --set radius", "path=value"},
      {"export case.yaml --out a.stl --set bodies.i.shape.radius=1e60", "single precision"},
      {"export case.yaml --out file/a.glb", "file: the folder cannot be made"},
      {"export point.yaml --out a.glb", "nothing to export"},
      {"export other.yaml --out a.glb", "bodies"},
      {"export nowhere.yaml --out a.glb", "no such file"},
      {"export run --out a.glb --time 5", "runs from 0 to"},
      {"export run --out a.glb --time nan", "--time"},
      {"export run --out a.glb --set duration=2", "vesica simulate"},
  };
  for (const auto& [arguments, message] : bad) {
    const Outcome outcome = space.run(arguments);
    const std::string text = arguments;
    const bool is_file = text.find("nowhere") != text.npos || text.find("file/") != text.npos;
    EXPECT_EQ(outcome.status, is_file ? 3 : 2) << arguments << "\n" << outcome.err;
    EXPECT_NE(outcome.err.find(message), std::string::npos) << arguments << "\n" << outcome.err;
    EXPECT_EQ(outcome.out, "") << arguments;
    EXPECT_EQ(space.files(), before) << arguments;
  }
}

}  // namespace
}  // namespace vesica::test::export_test
