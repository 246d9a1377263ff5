#include "vesica/model/lines.h"

#include "vesica/model/describe_parts.h"
#include "vesica/model/model.h"

namespace vesica::model {

template <class P>
void LinePoint<P>::describe(Fields<P>& f) {
  f.text({.key = "body"}, &body);
  f.vector({"position", dimension::kLength, Rule::kAny, "in body axes", 0.0}, &position);
}

template <class P>
void LineWrap<P>::describe(Fields<P>& f) {
  f.integer({.key = "segment", .meaning = "0: between the first two points", .unless = 0.0}, 0,
            9999, &segment);
  f.text({.key = "body", .meaning = "that carries the surface"}, &body);
  if (f.is_map("shape", own_shape.has_value())) {
    if (!own_shape) own_shape.emplace();
    f.below("shape", [&] { own_shape->describe(f); });
  } else {
    own_shape.reset();
    f.text({.key = "shape", .meaning = "its name, or a sphere, an ellipsoid or a cylinder"},
           &shape);
  }
  if (!f.has("guide", guide.has_value())) return guide.reset();
  if (!guide) guide.emplace(Vec3d::Zero());
  f.plain([&](Fields<double>& d) {
    d.vector({"guide", dimension::kLength, Rule::kAny, "the side that it is laid over"}, &*guide);
  });
}

template <class P>
void Line<P>::describe(Fields<P>& f) {
  f.text({.key = "name", .meaning = "heads columns of the recording"}, &name);
  if (f.has_values()) check_name(f, "name", name);
  f.list_below("points", &points);
  f.check(points.size() >= 2, "points",
          "a line has at least two: where it begins and where it ends");
  if (f.has("wraps", !wraps.empty())) f.list_below("wraps", &wraps);
  if (!f.has_values()) return;
  for (size_t k = 0; k < wraps.size(); ++k) {
    const std::string at = fmt::format("wraps.{}.segment", k);
    f.check(wraps[k].segment + 2 <= static_cast<int>(points.size()), at,
            "there is no such segment; a line of n points has the segments 0 to n - 2");
    f.check(
        k == 0 || wraps[k].segment > wraps[k - 1].segment, at,
        "segments grow from wrap to wrap, and each has one at most; a point between two surfaces "
        "makes two segments");
  }
  for (size_t k = 1; k < points.size(); ++k) {
    f.check(points[k].body != points[k - 1].body ||
                value_of(Vec3<P>(points[k].position - points[k - 1].position)).norm() > 0,
            "points", "two points that follow each other are the same: no direction between them");
  }
}

template <class P>
void Ligament<P>::describe(Fields<P>& f) {
  using namespace dimension;
  line.describe(f);
  f.number({"stiffness", kStiffness, Rule::kPositive, "K2, of the linear region"}, &stiffness);
  f.number({"stiffness_per_strain", kForce, Rule::kPositive, "K2 L0, in its place"},
           &stiffness_per_strain);
  f.number({"slack_length", kLength, Rule::kPositive, "L0, where the force begins"}, &slack_length);
  f.number({"toe_stiffness", kToeStiffness, Rule::kPositive, "K1, in its place"}, &toe_stiffness);
  f.number({"reference_strain", kNumber, Rule::kAny, "at the start, in its place"},
           &reference_strain);
  f.number({"toe_strain", kNumber, Rule::kPositive, "half of where the toe ends", 0.03},
           &toe_strain);
  f.number({"damping", kViscosity, Rule::kNonNegative, "beyond the toe", 0.0}, &damping);
  f.check(stiffness.has_value() != stiffness_per_strain.has_value(), "",
          "give either 'stiffness' (K2, N/m) or 'stiffness_per_strain' (K2 L0, N)");
  const int ways =
      slack_length.has_value() + toe_stiffness.has_value() + reference_strain.has_value();
  f.check(ways == 1, "",
          "give one of 'slack_length' (L0), 'toe_stiffness' (K1, of which L0 = K2/(4 K1 eps1) "
          "follows) and 'reference_strain' (at the start)");
  f.check(!(toe_stiffness && stiffness_per_strain), "toe_stiffness", "goes with 'stiffness'");
  f.check(!reference_strain || value_of(*reference_strain) > -1, "reference_strain",
          "is greater than -1");
}

template <class P>
void Actuator<P>::describe(Fields<P>& f) {
  line.describe(f);
  using namespace dimension;
  const bool has_tension = f.has("tension", !follows_length);
  follows_length = f.has("length", follows_length);
  f.check(has_tension != follows_length, "", "give either 'tension' or 'length', over time");
  if (!follows_length) {
    f.below("tension", [&] { input.describe(f, kForce, kForceRate); });
    for (const char* key : {"stiffness", "damping"}) {
      f.check(!f.has(key, false), key, "goes with 'length', which is followed by it");
    }
    return;
  }
  f.below("length", [&] { input.describe(f, kLength, kSpeed); });
  f.number({"stiffness", kStiffness, Rule::kPositive, "with which the length is followed"},
           &stiffness);
  f.number({"damping", kViscosity, Rule::kNonNegative, "likewise", 0.0}, &damping);
}

template <class P>
void GroodSuntay<P>::describe(Fields<P>& f) {
  f.text({.key = "name", .meaning = "heads columns of the recording"}, &name);
  if (f.has_values()) check_name(f, "name", name);
  describe_between(f, "a measure is taken between two bodies", &between);
  describe_two(f, "frames", [&](size_t k) { frames[k].describe(f); });
  f.choice({.key = "side", .unless = 0.0}, {"right", "left"}, &is_left);
}

#define VESICA_INSTANTIATE(P)   \
  template struct LinePoint<P>; \
  template struct LineWrap<P>;  \
  template struct Line<P>;      \
  template struct Ligament<P>;  \
  template struct Actuator<P>;  \
  template struct GroodSuntay<P>;
VESICA_INSTANTIATE(double)
VESICA_INSTANTIATE(Dual<4>)
VESICA_INSTANTIATE(Dual<12>)
#undef VESICA_INSTANTIATE

}  // namespace vesica::model
