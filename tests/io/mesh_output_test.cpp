#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/support.h"
#include "vesica/io/gltf.h"
#include "vesica/io/stl.h"

namespace vesica::mesh_output_test {
namespace {

using nlohmann::json;

std::uint32_t read_32(const std::string& bytes, std::size_t at) {
  std::uint32_t x;
  std::memcpy(&x, bytes.data() + at, 4);
  return x;
}

SurfaceMesh make_box_mesh() { return make_surface_mesh(make_box_polyhedron(Vec3d(1, 2, 3))); }

SurfaceMesh make_ball_mesh() {
  return make_surface_mesh([](const Vec3d& x) { return x.norm() - 0.8; },
                           Bounds{Vec3d(-1, -1, -1), Vec3d(1, 1, 1)}, 12);
}

TEST(StlOutput, IsReadBackAsTheSameSolid) {
  const auto mesh = make_ball_mesh();
  const auto read = parse_stl(make_stl(mesh), "memory");
  EXPECT_EQ(read.triangles().size(), mesh.triangles.size());
  EXPECT_NEAR(read.solid().volume, calc_enclosed_volume(mesh), 1e-6);  // single precision
  const auto path = std::filesystem::temp_directory_path() / "vesica_stl_output_test.stl";
  save_stl(path, make_box_mesh());
  EXPECT_EQ(load_stl(path).solid().volume, 6);
  std::filesystem::remove(path);
}

TEST(StlOutput, RejectsNumbersAndIndicesThatAreNone) {
  SurfaceMesh mesh = make_box_mesh();
  mesh.vertices[3].x() = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(test::input_error_of([&] { make_stl(mesh); }).find("nan"), std::string::npos);
  mesh = make_box_mesh();
  mesh.vertices[3].x() = 1e300;
  EXPECT_NE(test::input_error_of([&] { make_stl(mesh); }).find("single precision"),
            std::string::npos);
  mesh = make_box_mesh();
  mesh.triangles[0][1] = 99;
  EXPECT_NE(test::input_error_of([&] { make_stl(mesh); }).find("vertex 99"), std::string::npos);
}

// What the format's specification demands of a file.
TEST(GltfOutput, HoldsWhatTheFormatAsksFor) {
  GltfPart box{"box \"1\"", make_box_mesh(), {}, {0.8, 0.2, 0.1, 0.5}};
  box.X_WB.p_WB = Vec3d(1, 2, 3);
  box.X_WB.R_WB = as_rotation(quaternion_from_rotation_vector(Vec3d(0, 0, kPi / 2)));
  const GltfPart ball{"ball", make_ball_mesh(), {}};
  const std::string glb = make_glb(std::vector<GltfPart>{box, ball});
  EXPECT_EQ(glb.substr(0, 4), "glTF");
  EXPECT_EQ(read_32(glb, 4), 2u);
  EXPECT_EQ(read_32(glb, 8), glb.size());
  const std::size_t json_size = read_32(glb, 12);
  EXPECT_EQ(json_size % 4, 0u);
  EXPECT_EQ(glb.substr(16, 4), "JSON");
  EXPECT_EQ(glb.substr(24 + json_size, 3), "BIN");
  const std::size_t binary = 28 + json_size;
  EXPECT_EQ(read_32(glb, 20 + json_size), glb.size() - binary);
  const json document = json::parse(glb.substr(20, json_size));
  EXPECT_EQ(document["asset"]["version"], "2.0");
  EXPECT_EQ(document["buffers"][0]["byteLength"], glb.size() - binary);
  EXPECT_EQ(document["nodes"][0]["children"], json({1, 2}));
  EXPECT_EQ(document["nodes"][1]["name"], "box \"1\"");
  EXPECT_EQ(document["nodes"][1]["translation"], json({1.0, 2.0, 3.0}));
  EXPECT_NEAR(double(document["nodes"][1]["rotation"][2]), std::sqrt(0.5), 1e-15);  // z
  EXPECT_NEAR(double(document["nodes"][1]["rotation"][3]), std::sqrt(0.5), 1e-15);  // w
  EXPECT_EQ(document["materials"][0]["alphaMode"], "BLEND");

  // Volume of every mesh from the bytes alone: positions, indices and their places are right.
  const double expected[2] = {6, calc_enclosed_volume(ball.mesh)};
  for (int m = 0; m < 2; ++m) {
    const json& primitive = document["meshes"][m]["primitives"][0];
    const auto offset_of = [&](const json& accessor) {
      return binary +
             std::size_t(document["bufferViews"][int(accessor["bufferView"])]["byteOffset"]);
    };
    const json& positions = document["accessors"][int(primitive["attributes"]["POSITION"])];
    const json& normals = document["accessors"][int(primitive["attributes"]["NORMAL"])];
    const json& indices = document["accessors"][int(primitive["indices"])];
    EXPECT_EQ(positions["count"], normals["count"]);
    const auto vector_at = [&](const json& accessor, std::uint32_t k) {
      EXPECT_LT(k, std::uint32_t(accessor["count"]));
      Vec3d x;
      for (int c = 0; c < 3; ++c) {
        x[c] = std::bit_cast<float>(read_32(glb, offset_of(accessor) + 12 * k + 4 * c));
      }
      return x;
    };
    double volume = 0;
    for (std::uint32_t t = 0; t < std::uint32_t(indices["count"]); t += 3) {
      Vec3d x[3];
      for (int k = 0; k < 3; ++k) {
        const std::uint32_t v = read_32(glb, offset_of(indices) + 4 * (t + k));
        x[k] = vector_at(positions, v);
        const Vec3d normal = vector_at(normals, v);
        EXPECT_NEAR(normal.norm(), 1, 1e-6);
        EXPECT_GT(normal.dot(x[k]), 0);  // both are seen from inside as star-shaped
        for (int c = 0; c < 3; ++c) {
          EXPECT_GE(x[k][c], double(positions["min"][c]));
          EXPECT_LE(x[k][c], double(positions["max"][c]));
        }
      }
      volume += x[0].dot(x[1].cross(x[2])) / 6;
    }
    EXPECT_NEAR(volume, expected[m], 1e-5);
  }
}

TEST(GltfOutput, RejectsWhatCannotBeShown) {
  GltfPart part{"p", make_box_mesh(), {}};
  EXPECT_NE(test::input_error_of([] { make_glb({}); }).find("no parts"), std::string::npos);
  part.mesh.vertices[2].y() = std::numeric_limits<double>::infinity();
  EXPECT_NE(test::input_error_of([&] {
              make_glb({&part, 1});
            }).find("glTF part 'p'"),
            std::string::npos);
  part.mesh = make_box_mesh();
  part.mesh.triangles[5][2] = -1;
  EXPECT_NE(test::input_error_of([&] {
              make_glb({&part, 1});
            }).find("vertex -1"),
            std::string::npos);
  part.mesh.triangles.clear();
  EXPECT_NE(test::input_error_of([&] {
              make_glb({&part, 1});
            }).find("no triangle"),
            std::string::npos);
  part.mesh = make_box_mesh();
  part.X_WB.p_WB.x() = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(test::input_error_of([&] { make_glb({&part, 1}); }).find("pose"), std::string::npos);
}

}  // namespace
}  // namespace vesica::mesh_output_test
