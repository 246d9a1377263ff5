// The three surfaces that ligaments between femur and tibia wrap over in the OpenSim model
// lenhart2015 (Lenhart et al. 2015; github.com/opensim-jam-org/jam-resources, Apache-2.0), as its
// file has them.
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace vesica::test {

inline std::string save_lenhart_surfaces() {
  const auto path =
      std::filesystem::temp_directory_path() / fmt::format("lenhart_surfaces_{}.osim", getpid());
  std::ofstream(path)
      << R"(<OpenSimDocument Version="40000"><Model name="lenhart2015"><BodySet><objects>
<Body name="femur_distal_r"><WrapObjectSet><objects>
<WrapCylinder name="Capsule_r"><active>true</active>
<xyz_body_rotation>-0.0299066 0.02 0.331613</xyz_body_rotation>
<translation>-0.004 -0.003 0</translation><quadrant>all</quadrant>
<radius>0.018</radius><length>0.5</length></WrapCylinder>
</objects></WrapObjectSet></Body>
<Body name="tibia_proximal_r"><WrapObjectSet><objects>
<WrapEllipsoid name="Med_Lig_r"><active>true</active>
<xyz_body_rotation>-0.104907 -0.0349066 0.181613</xyz_body_rotation>
<translation>0.001 -0.0346 -0.0187</translation><quadrant>all</quadrant>
<dimensions>0.03 0.018 0.012</dimensions></WrapEllipsoid>
<WrapEllipsoid name="Med_LigP_r"><active>true</active>
<xyz_body_rotation>-0.139813 0.349066 0.181613</xyz_body_rotation>
<translation>-0.0104 -0.0314 -0.0227</translation><quadrant>all</quadrant>
<dimensions>0.025 0.0054 0.0053</dimensions></WrapEllipsoid>
</objects></WrapObjectSet></Body>
</objects></BodySet></Model></OpenSimDocument>
)";
  return path.string();
}

}  // namespace vesica::test
