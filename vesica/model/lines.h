// Lines under tension, and what is measured between bodies, as a file gives them.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "vesica/math/fields.h"
#include "vesica/model/frame.h"
#include "vesica/model/shapes.h"

namespace vesica::model {

// A point that a line passes.
template <class P = double>
struct LinePoint {
  std::string body{};
  Vec3<P> position = Vec3<P>::Zero();

  void describe(Fields<P>& f);
};

// A sphere, an ellipsoid or a cylinder that a segment of a line may lie on (multibody/line_wrap.h;
// a cylinder as if it had no ends): a shape of
// a body by its name, or one of its own that nothing else meets.
template <class P = double>
struct LineWrap {
  int segment = 0;  // between points k and k + 1
  std::string body{}, shape{};
  std::optional<BodyShape<P>> own_shape{};
  std::optional<Vec3d> guide{};  // in body axes

  void describe(Fields<P>& f);
};

// The way of a line (multibody/line_path.h), from the first point to the last; its name heads
// columns of the recording.
template <class P = double>
struct Line {
  std::string name{};
  std::vector<LinePoint<P>> points{};
  std::vector<LineWrap<P>> wraps{};

  void describe(Fields<P>& f);
};

// multibody/line_element.h. The stiffness is given in one of two ways, the slack length in one of
// three.
template <class P = double>
struct Ligament {
  static constexpr std::string_view kName = "ligament";
  Line<P> line{};
  std::optional<P> stiffness{};             // K2 [N/m]
  std::optional<P> stiffness_per_strain{};  // K2 L0 [N]
  std::optional<P> slack_length{};          // L0 [m]
  std::optional<P> toe_stiffness{};         // K1 [N/m^2]: L0 = K2/(4 K1 eps1)
  std::optional<P> reference_strain{};      // at the start as the model gives it
  P toe_strain{0.03}, damping{0.0};

  void describe(Fields<P>& f);
};

// Rotations and translations of the second body against the first (multibody/grood_suntay.h).
template <class P = double>
struct GroodSuntay {
  static constexpr std::string_view kName = "grood_suntay";
  std::string name{};
  std::vector<std::string> between{};
  std::array<Frame<P>, 2> frames{};
  bool is_left = false;

  void describe(Fields<P>& f);
};

// What a recording shows besides motions and forces.
template <class P = double>
struct Measure {
  std::variant<GroodSuntay<P>> measure;
  void describe(Fields<P>& f) { describe_one_of(f, {.key = "type"}, &measure); }
};

}  // namespace vesica::model
