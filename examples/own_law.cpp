// A normal law and a friction law of one's own: used directly, and by name from a file.
//
// By hand: at a depth of d_0 ln 2 the spring gives k d_0 (2 - 1) = 10 N; at a slip of 3/4 v_0 the
// friction coefficient is mu 3/5 = 0.3: 3 N against the slip.
#include <cmath>
#include <cstdio>
#include <variant>

#include "vesica/contact/contact_forces.h"
#include "vesica/contact/volumetric_normal.h"
#include "vesica/interference/closed_form/half_space_ellipsoid.h"
#include "vesica/model/law_file.h"

namespace {

using namespace vesica;

// A spring that stiffens exponentially: F = k d_0 (exp(d/d_0) - 1)(1 + alpha c).
//   stiffness k [N/m], length d_0 [m]; damping, restitution: damping.h
// Smoothness: C0 at touchdown. Cannot represent: rolling resistance, spin torque.
template <class P>
struct Exponential {
  static constexpr std::string_view kName = "exponential";
  static constexpr Measure kMeasure = Measure::kDepth;

  P stiffness{}, length{1.0};
  HystereticDamping<P> damping;

  void describe(Fields<P>& f) {
    f.number({"stiffness", dimension::kStiffness, Rule::kPositive, "k"}, &stiffness);
    f.number({"length", dimension::kLength, Rule::kPositive, "d_0"}, &length);
    damping.describe(f);
  }

  template <class T>
  NormalForce<T> operator()(const Overlap<T>&, const T& depth, const T& closing_speed,
                            const ContactMemory<T>& memory) const {
    using std::exp;
    const T grown = exp(T(depth / length)) - T(1);
    return damped<T>(stiffness * length * grown, stiffness * length * (length * grown - depth),
                     damping.alpha(memory), closing_speed);
  }
};

// Coulomb friction smoothed by a square root: mu(v) = mu v/sqrt(v^2 + v_0^2).
//   mu [-], v_0 [m/s]
// Smoothness: C-infinity. Cannot represent: stiction.
template <class P>
struct SquareRoot {
  static constexpr std::string_view kName = "square_root";

  P mu_d{}, v_0{1.0};

  void describe(Fields<P>& f) {
    f.number({"mu", dimension::kNumber, Rule::kNonNegative, "sliding"}, &mu_d);
    f.number({"v_0", dimension::kSpeed, Rule::kPositive, "slip at which 0.7 of it is reached"},
             &v_0);
  }

  // mu(v)/v as a function of v^2: regular at rest.
  template <class T>
  T ratio(const T& v2) const {
    using std::sqrt;
    return mu_d / sqrt(T(v2 + square(v_0)));
  }
  double mu(double v) const { return v * value_of(ratio(v * v)); }
  double mu_slope(double v) const {
    const double v0 = value_of(v_0), q = v * v + v0 * v0;
    return value_of(mu_d) * v0 * v0 / (q * std::sqrt(q));
  }
  double speed_scale() const { return value_of(v_0); }
};

}  // namespace

int main() {
  // A variant is a registry: whoever reads {law: exponential, ...} gets this type.
  using Normal = std::variant<VolumetricNormal<double>, Exponential<double>>;
  const InputFile file = InputFile::parse(
      "normal: {law: exponential, stiffness: 10 N/mm, length: 1 mm}\n"
      "friction: {law: square_root, mu: 0.5, v_0: 4 mm/s}\n",
      "example");
  const auto normal = read_law<Normal>(file.root().at("normal"));
  const auto friction = read_law<SquareRoot<double>>(file.root().at("friction"));

  const Sphere<double> ball{0.03};
  Motion<double> i, j;
  i.X_WB.p_WB = {0, 0, ball.radius - 1e-3 * std::log(2.0)};
  i.V_WB.v_WB = {0.003, 0, 0};
  const auto overlap = calc_overlap(ball, i.X_WB, HalfSpace{}, j.X_WB);
  const auto forces = calc_contact_forces(overlap, i, j, std::get<Exponential<double>>(normal),
                                          friction, ContactOptions{}, ContactMemory<double>{});
  std::printf("normal force %8.4f N\n", forces.normal.force);
  std::printf("friction     %8.4f N\n", forces.friction.f_t.x());

  // The same on dual numbers: how the force grows with the depth, k exp(d/d_0) = 20 N/mm.
  using T = Dual<12>;
  const Motion<T> seeded = seed_motion(i);
  const auto with_slopes = calc_contact_forces(calc_overlap(ball, seeded.X_WB, HalfSpace{}, j.X_WB),
                                               seeded, j, std::get<Exponential<double>>(normal),
                                               friction, ContactOptions{}, ContactMemory<T>{});
  std::printf("force by height %8.4f N/mm\n", with_slopes.F_Ic_W.f_W.z().v[2] * 1e-3);
}
