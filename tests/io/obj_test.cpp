#include "vesica/io/obj.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/geometry/sample_meshes.h"

namespace vesica::obj_test {
namespace {

using test::input_error_of;
using testing::AllOf;
using testing::HasSubstr;

// A cube of 2 x 2 x 2 of quads, every form of corner, negative numbers, things to ignore.
constexpr const char* kCube = R"(# a cube
mtllib cube.mtl
o cube
v -1 -1 -1
v 1 -1 -1 1.0
v 1 1 -1
v -1 +1 -1
v -1 -1 1e0
v 1 -1 1 0.5 0.5 0.5
v 1 1 1   # last
v -1 1 1
vn 0 0 1
vt 0 0
usemtl grey
s off
f 4 3 2 1
f 5/1 6/1 7/1 8/1
g sides
f 1//1 2//1 6//1 5//1
f 2/1/1 3/1/1 7/1/1 6/1/1
f -6 -5 -1 -2
f 4 1 5 8
)";

std::string error_of(const std::string& text) {
  return input_error_of([&] { parse_obj(text, "part.obj"); });
}

TEST(Obj, CubeInAllFormsOfFaces) {
  const TriangleMesh cube = parse_obj(kCube, "cube.obj", 0.5);
  EXPECT_EQ(cube.vertices().size(), 8u);
  EXPECT_EQ(cube.triangles().size(), 12u);
  EXPECT_TRUE(cube.is_convex());
  EXPECT_NEAR(cube.solid().volume, 1, 1e-15);
}

TEST(Obj, WindowsLineEndsAndRepeatedVerticesAreTaken) {
  std::string text;
  const TriangleMesh l = test::make_l_shape();
  int number = 0;
  for (const auto& t : l.triangles()) {
    for (int v : t) {
      const Vec3d& p = l.vertices()[v];
      text += fmt::format("v {} {} {}\r\n", p.x(), p.y(), p.z());
    }
    text += fmt::format("f {} {} {}\r\n", number + 1, number + 2, number + 3);
    number += 3;
  }
  EXPECT_EQ(parse_obj(text, "l.obj").vertices().size(), 12u);
}

TEST(Obj, ErrorsNameTheLine) {
  EXPECT_THAT(error_of("v 0 0 0\nv 1 0\n"),
              AllOf(HasSubstr("part.obj:2"), HasSubstr("coordinate 3")));
  EXPECT_THAT(error_of("v 0 zero 0\n"), AllOf(HasSubstr("part.obj:1"), HasSubstr("\"zero\"")));
  EXPECT_THAT(error_of("v 0 inf 0\n"), HasSubstr("finite"));
  EXPECT_THAT(error_of("v 0 1e400 0\n"), HasSubstr("part.obj:1"));
  EXPECT_THAT(error_of("v 0 0 0\nf 1 1\n"), AllOf(HasSubstr(":2"), HasSubstr("2 corner(s)")));
  EXPECT_THAT(error_of("v 0 0 0\nf 1 2 3\n"),
              AllOf(HasSubstr("vertex 2"), HasSubstr("1 vertices")));
  EXPECT_THAT(error_of("v 0 0 0\nf 0 1 1\n"), HasSubstr("vertex 0"));
  EXPECT_THAT(error_of("v 0 0 0\nf -2 1 1\n"), HasSubstr("vertex -2"));
  EXPECT_THAT(error_of("v 0 0 0\nf 99999999999999999999 1 1\n"), HasSubstr("part.obj:2"));
  EXPECT_THAT(error_of("v 0 0 0\nf 1.5 1 1\n"), HasSubstr("\"1.5\""));
  EXPECT_THAT(error_of("v 0 0 0\nf 1 1 \\\n1\n"), HasSubstr("continued"));
  EXPECT_THAT(error_of(""), HasSubstr("0 vertices"));
  EXPECT_THAT(error_of("solid of another format\n"), HasSubstr("is this an OBJ mesh"));
}

TEST(Obj, AnOpenCubeIsRefused) {
  const std::string text(kCube);
  EXPECT_THAT(error_of(text.substr(0, text.rfind("f "))), HasSubstr("4 edge(s) belong to one"));
}

}  // namespace
}  // namespace vesica::obj_test
