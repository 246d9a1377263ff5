#include "vesica/io/stl.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <limits>

#include "tests/geometry/sample_meshes.h"
#include "vesica/io/obj.h"

namespace vesica::stl_test {
namespace {

using test::input_error_of;
using testing::AllOf;
using testing::HasSubstr;

// Written here, not by the project: the test's own idea of the two formats.
std::string as_binary(const TriangleMesh& mesh, const std::string& title) {
  std::string bytes = title;
  bytes.resize(80, '\0');
  const auto put = [&bytes](const auto& x) {
    bytes.append(reinterpret_cast<const char*>(&x), sizeof x);
  };
  put(static_cast<std::uint32_t>(mesh.triangles().size()));
  for (const auto& t : mesh.triangles()) {
    for (int k = 0; k < 3; ++k) put(0.0f);
    for (int v : t) {
      for (int k = 0; k < 3; ++k) put(static_cast<float>(mesh.vertices()[v][k]));
    }
    put(std::uint16_t{0});
  }
  return bytes;
}

std::string as_ascii(const TriangleMesh& mesh) {
  std::string text = "solid part with a name\n";
  for (const auto& t : mesh.triangles()) {
    text += "  facet normal 0 0 0\n    outer loop\n";
    for (int v : t) {
      const Vec3d& p = mesh.vertices()[v];
      text += fmt::format("      vertex {} {:+.17e} {}\r\n", p.x(), p.y(), p.z());
    }
    text += "    endloop\n  endfacet\n";
  }
  return text + "endsolid part with a name\n";
}

std::string error_of(const std::string& bytes, double scale = 1) {
  return input_error_of([&] { parse_stl(bytes, "part.stl", scale); });
}

TEST(Stl, BinaryAndAsciiGiveTheSolidBack) {
  const TriangleMesh l = test::make_l_shape();
  for (const std::string& bytes :
       {as_binary(l, "made by a test"), as_binary(l, "solid, says the header"), as_ascii(l)}) {
    const TriangleMesh mesh = parse_stl(bytes, "l.stl", 0.001);
    EXPECT_EQ(mesh.vertices().size(), 12u);
    EXPECT_EQ(mesh.triangles().size(), l.triangles().size());
    EXPECT_NEAR(mesh.solid().volume, 3e-9, 1e-22);
  }
}

TEST(Stl, BytesAfterTheLastFacetAreIgnored) {
  EXPECT_EQ(parse_stl(as_binary(test::make_l_shape(), "x") + "tail", "l.stl").triangles().size(),
            20u);
}

TEST(Stl, TruncatedAndHostileFilesAreNamedWithTheByte) {
  const std::string good = as_binary(test::make_l_shape(), "title");
  EXPECT_THAT(error_of(""), HasSubstr("empty"));
  EXPECT_THAT(error_of(good.substr(0, 50)), AllOf(HasSubstr("part.stl"), HasSubstr("truncated")));
  EXPECT_THAT(error_of(good.substr(0, 84 + 50 * 7 + 3)),
              AllOf(HasSubstr("announces 20 triangles"), HasSubstr("ends after 7")));
  std::string many = good;
  std::memset(many.data() + 80, 0xff, 4);  // 4 billion facets: nothing may be allocated for them
  EXPECT_THAT(error_of(many), HasSubstr("announces 4294967295 triangles"));
  std::string none = good.substr(0, 84);
  std::memset(none.data() + 80, 0, 4);
  EXPECT_THAT(error_of(none), HasSubstr("0 triangle(s)"));
}

TEST(Stl, NumbersThatAreNotFiniteAreNamedWithTheByte) {
  for (float bad :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(), -3e38f}) {
    std::string bytes = as_binary(test::make_l_shape(), "title");
    const std::size_t at = 84 + 50 * 2 + 12 + 12 + 4;  // third facet, second vertex, y
    std::memcpy(bytes.data() + at, &bad, 4);
    EXPECT_THAT(error_of(bytes), AllOf(HasSubstr(fmt::format("byte {}", at)),
                                       HasSubstr("triangle 3"), HasSubstr("vertex 2")));
  }
}

TEST(Stl, AsciiErrorsNameTheLine) {
  const std::string head = "solid s\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n";
  EXPECT_THAT(error_of(head + "vertex 0 one 0\n"),
              AllOf(HasSubstr("part.stl:6"), HasSubstr("\"one\""), HasSubstr("coordinate 2")));
  EXPECT_THAT(error_of(head + "vertex 0 nan 0\n"), HasSubstr("part.stl:6"));
  EXPECT_THAT(error_of(head + "vertex 0 1e999 0\n"), HasSubstr("part.stl:6"));
  EXPECT_THAT(error_of(head + "vertex 0 1\n"), HasSubstr("coordinate 3"));
  EXPECT_THAT(error_of(head + "endloop\nendfacet\n"),
              AllOf(HasSubstr(":7"), HasSubstr("2 vertices")));
  EXPECT_THAT(error_of(head), HasSubstr("truncated"));
  EXPECT_THAT(error_of("solid s\nendsolid s\n"), HasSubstr("0 triangle(s)"));
  EXPECT_THAT(error_of("solid s\nvertex 0 0 0\n"), HasSubstr("outside of a facet"));
  EXPECT_THAT(error_of("solid s\nfaucet\n"), AllOf(HasSubstr(":2"), HasSubstr("faucet")));
}

TEST(Stl, BadScaleAndMissingFilesAreRefused) {
  const std::string good = as_binary(test::make_l_shape(), "title");
  for (double scale : {0.0, -1.0, static_cast<double>(NAN), HUGE_VAL}) {
    EXPECT_THAT(error_of(good, scale), HasSubstr("scale"));
  }
  EXPECT_THAT(input_error_of([] { load_mesh("no/such/file.stl"); }), HasSubstr("no/such/file.stl"));
  EXPECT_THAT(input_error_of([] { load_mesh("part.step"); }), HasSubstr(".stl or .obj"));
  EXPECT_THAT(input_error_of([] { load_stl("."); }), HasSubstr("folder"));
}

TEST(Stl, RealFilesAClosedFootAndOpenCartilage) {
  const auto data = test::shared_data();
  if (!std::filesystem::exists(data)) GTEST_SKIP() << "no shared data beside the repository";
  const TriangleMesh foot = load_mesh(data / "foot_mesh/Skin_coarse.stl", 0.1);
  EXPECT_EQ(foot.triangles().size(), 9996u);
  EXPECT_EQ(foot.vertices().size(), 5000u);  // a closed surface without holes: 2 + 9996 / 2
  EXPECT_FALSE(foot.is_convex());
  EXPECT_GT(foot.size(), 0.3);
  EXPECT_LT(foot.size(), 1.0);
  for (const char* bone : {"femur", "tibia"}) {
    const auto path = data / fmt::format("knee/ACLC01-R-{}-cart-coarse.stl", bone);
    EXPECT_THAT(input_error_of([&] { load_mesh(path); }),
                AllOf(HasSubstr("open"), HasSubstr(bone), HasSubstr("thicken")));
  }
}

}  // namespace
}  // namespace vesica::stl_test
