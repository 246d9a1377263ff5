#include "vesica/forces/sole.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "vesica/forces/signals.h"

namespace vesica::forces {
namespace {

constexpr double kStiffness = 250.0 / 700.0 / (0.004 * 0.004);  // body weights / m^2
constexpr double kToeStiffness = 400.0 / 700.0;                 // body weights / rad
constexpr double kToeStart = 0.05, kToeRound = 0.05;            // rad
constexpr double kLeastForce = 0.04;                            // body weights

// Depth D with sum of k max(0, D - y)^2 = force: y sorted, so that D lies above y[m-1] and not
// above y[m] for the m points that carry; a quadratic for each m.
double solve_depth(std::array<double, 7> y, double force) {
  std::sort(y.begin(), y.end());
  double sum = 0, squares = 0;
  for (size_t m = 1; m <= y.size(); ++m) {
    sum += y[m - 1];
    squares += y[m - 1] * y[m - 1];
    const auto n = static_cast<double>(m);
    const double mean = sum / n;
    // n (D - mean)^2 + squares - n mean^2 = force / k
    const double rest = force / kStiffness - (squares - n * mean * mean);
    if (rest < 0) continue;
    const double D = mean + std::sqrt(rest / n);
    if (D >= y[m - 1] && (m == y.size() || D <= y[m])) return D;
  }
  return y.back();
}

}  // namespace

Vec2d calc_sole_pressure(const Walk& walk, const Body& body, int side, size_t frame, double force) {
  const Leg& leg = walk.legs[side];
  const double s = sign_of(side);
  const Vec3d& inner = body.inner[side];
  const Vec3d& outer = body.outer[side];
  const double inner_z = s * inner.z() + 0.012, outer_z = s * outer.z() - 0.012;
  const double ball_x = 0.5 * (inner.x() + outer.x()), ball_z = 0.5 * s * (inner.z() + outer.z());
  // Heel, lateral midfoot, ball: x, z to the outside.
  const double points[7][2] = {{0.035, -0.015},      {0.035, 0.015},
                               {0.065, 0.005},       {0.05 + 0.55 * (outer.x() - 0.05), outer_z},
                               {outer.x(), outer_z}, {ball_x + 0.008, ball_z},
                               {inner.x(), inner_z}};
  const auto place = [&](double x, double z) {
    return Vec3d(leg.origin[frame] + leg.R_HF[frame] * Vec3d(x, 0, s * z));
  };
  std::array<Vec3d, 7> p;
  std::array<double, 7> y{};
  for (size_t j = 0; j < 7; ++j) {
    p[j] = place(points[j][0], points[j][1]);
    y[j] = p[j].y() - walk.slope[0] * p[j].x() - walk.slope[1] * p[j].z();
  }
  const double total = std::max(force, kLeastForce);
  const double bend =
      kToeRound * std::log1p(std::exp(std::min(50.0, (-leg.pitch[frame] - kToeStart) / kToeRound)));
  const double toe = std::min(kToeStiffness * bend, 0.9 * total);
  const double depth = solve_depth(y, total - toe);
  Vec2d sum = Vec2d::Zero();
  double carried = 0;
  for (size_t j = 0; j < 7; ++j) {
    const double d = std::max(0.0, depth - y[j]);
    const double f = kStiffness * d * d;
    sum += f * Vec2d(p[j].x(), p[j].z());
    carried += f;
  }
  const Vec3d ball = place(ball_x, ball_z);
  const Vec2d toward = leg.toward[frame];
  const Vec2d at_toe =
      Vec2d(ball.x(), ball.z()) + 0.05 * toward - s * 0.012 * Vec2d(-toward[1], toward[0]);
  return (sum + toe * at_toe) / (carried + toe);
}

}  // namespace vesica::forces
