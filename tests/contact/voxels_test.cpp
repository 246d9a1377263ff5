// The method voxels from a file: what a probe says with it, and where it is refused.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/support.h"
#include "vesica/model/make_contact.h"
#include "vesica/model/model_file.h"
#include "vesica/model/probe.h"
#include "vesica/model/seeds.h"

namespace vesica::voxels_test {
namespace {

std::string make_case(const std::string& interference) {
  return fmt::format(
      "vesica: 1\nbodies:\n"
      "  i: {{shape: {{type: sphere, radius: 0.05}}, pose: {{position: [0, 0, 0.04]}}}}\n"
      "  j: {{shape: {{type: half_space}}}}\n"
      "contact:\n  interference: {}\n  normal: {{law: volumetric, stiffness: 1e7, damping: 0}}\n",
      interference);
}
ProbeCase read(const std::string& interference) {
  return read_probe_case(InputFile::parse(make_case(interference), "case.yaml"));
}

TEST(VoxelContact, ProbeApproachesTheClosedForm) {
  const auto exact = make_probe_json(read("{method: auto}"), false);
  const auto voxels = make_probe_json(read("{method: voxels, voxel_size: 0.3 mm}"), false);
  EXPECT_EQ(voxels["method"], "voxels");
  const double error =
      std::abs(voxels["normal_force"].get<double>() / exact["normal_force"].get<double>() - 1);
  // The plane lies along the lattice: half a voxel of the depth of 10 mm, twice that in the volume.
  EXPECT_LT(error, 0.03);
  EXPECT_LT(error, voxels["error_estimate"].get<double>());
  EXPECT_NEAR(voxels["normal"][2].get<double>(), 1, 1e-3);
}

TEST(VoxelContact, ErrorEstimateOfSlicesIsTheirs) {
  const auto slices = make_probe_json(read("{method: slices, tolerance: 1e-4}"), false);
  EXPECT_EQ(slices["method"], "slices");
  EXPECT_GT(slices["error_estimate"].get<double>(), 1e-13);
  EXPECT_LT(slices["error_estimate"].get<double>(), 1e-4);
}

TEST(VoxelContact, DerivativesAndSensitivitiesAreRefused) {
  const ProbeCase probe = read("{method: voxels, voxel_size: 1 mm}");
  EXPECT_NE(test::input_error_of([&] { make_probe_json(probe, true); }).find("slices"),
            std::string::npos);
  const auto file = InputFile::parse(make_case("{method: voxels, voxel_size: 1 mm}"), "case.yaml");
  const auto seeded = with_seeds<Dual<4>>(read_case(file), {});
  const std::string message = test::input_error_of([&] {
    make_contact(seeded.contact, make_shapes(seeded.bodies[0], *seeded.places, "bodies.i"),
                 make_shapes(seeded.bodies[1], *seeded.places, "bodies.j"), *seeded.places,
                 "contact");
  });
  EXPECT_NE(message.find("case.yaml:6"), std::string::npos) << message;
  EXPECT_NE(message.find("slices"), std::string::npos) << message;
}

TEST(VoxelContact, SizesThatMakeNoSenseAreRefused) {
  const auto message_of = [](const std::string& interference) {
    return test::input_error_of([&] { read(interference); });
  };
  EXPECT_NE(message_of("{method: voxels}").find("(df/k)^(1/3)"), std::string::npos);
  EXPECT_NE(message_of("{method: slices, voxel_size: 1 mm}").find("method: voxels"),
            std::string::npos);
  EXPECT_NE(message_of("{method: voxels, voxel_size: 1 m}").find("larger"), std::string::npos);
  EXPECT_NE(message_of("{method: voxels, voxel_size: 0}").find("voxel_size"), std::string::npos);
  // Too fine is seen when it is used.
  EXPECT_NE(test::input_error_of([] {
              make_probe_json(read("{method: voxels, voxel_size: 1 nm}"), false);
            }).find("larger voxel_size"),
            std::string::npos);
}

}  // namespace
}  // namespace vesica::voxels_test
