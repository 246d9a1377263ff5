// A pendulum that hits a ball: built in code, simulated, plotted.
//
// By hand: a bob on a rod of length L = 0.5 m, let go at rest at an angle a = 0.6 rad, passes its
// lowest point with v = sqrt(2 g L (1 - cos a)) = 1.3088 m/s. There it hits a ball of the same mass
// that is at rest; with a restitution e = 0.8 the ball leaves with (1 + e)/2 v = 1.178 m/s.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>

#include "vesica/vesica.h"

int main() {
  using namespace vesica;
  const double rod = 0.5, radius = 0.03, mass = 0.2, angle = 0.6;

  Model m;
  m.bodies.push_back({.name = "bob",
                      .mass = mass,
                      .inertia = model::Inertia<>::diagonal(Vec3d::Zero()),
                      .shapes = {{Sphere<double>{radius}}},
                      .joint = model::Joint<>{.type = "revolute",
                                              .parent = "world",
                                              .in_body = model::Frame<>::at({0, 0, rod}),
                                              .axes = {Vec3d(0, 1, 0)},
                                              .start = {angle}}});
  m.bodies.push_back({.name = "ball",
                      .mass = mass,
                      .shapes = {{Sphere<double>{radius}}},
                      .pose = model::Frame<>::at({2 * radius, 0, -rod})});
  m.bodies.push_back({.name = "floor",
                      .fixed = true,
                      .shapes = {{HalfSpace{}}},
                      .pose = model::Frame<>::at({0, 0, -rod - radius})});
  m.contacts.push_back({.between = {"bob", "ball"},
                        .normal = VolumetricNormal<double>{
                            1e11, HystereticDamping<double>::with_restitution(0.8, 0.01)}});
  m.contacts.push_back(
      {.between = {"ball", "floor"}, .normal = VolumetricNormal<double>{1e10, 0.5}});
  m.run.duration = 0.6;

  const RunResult result = simulate(m);
  const auto speed = result.recording.column("ball.velocity.x");
  const auto swing = result.recording.column("bob.joint.angle");
  std::printf("the ball leaves with %.3f m/s\n", *std::max_element(speed.begin(), speed.end()));

  const std::vector<double>& t = result.recording.times;
  std::ofstream("pendulum_hits_ball.svg") << make_line_plot_svg(
      {{.title = "A pendulum hits a ball",
        .x_label = "time [s]",
        .y_label = "angle [rad], speed [m/s]",
        .curves = {{"angle of the pendulum", t, swing}, {"speed of the ball", t, speed}}}});
  std::ofstream("pendulum_hits_ball.yaml") << write_model(m);  // vesica simulate runs it too
}
