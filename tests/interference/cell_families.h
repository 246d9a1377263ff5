// Pairs of cells in random and in degenerate poses: what slices are measured on, by
// slices_accuracy_test.cpp (some of them) and bench/slices_bench.cpp (all). The box has edges of
// length 4, so its faces are at 2; depths are 1e-4 to 0.2 of the other body's size.
#pragma once

#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "tests/support/support.h"
#include "vesica/geometry/cell.h"

namespace vesica::test {

struct CellCase {
  Cell i, j;
  Pose<double> X;  // of i in j
};

struct CellFamily {
  std::string name;
  std::function<CellCase(std::mt19937_64&)> make_random;
  // The k-th: kinds in turn, depths at random. Aligned axes, tangencies (exact and missed by 1e-13
  // to 1e-9), surfaces through a vertex or an edge, coincident planes, common axes, equal radii.
  std::function<CellCase(std::mt19937_64&, int k)> make_degenerate;
};

inline double random_depth(std::mt19937_64& random) {
  return random_log_between(random, 1e-4, 0.2);
}
inline Mat3d turned_about(const Vec3d& axis, double angle) {
  return Eigen::AngleAxisd(angle, axis.normalized()).toRotationMatrix();
}
// Takes z to the direction.
inline Mat3d turned_to(const Vec3d& direction) { return calc_turn_of_z(direction.normalized()); }

// Out of the box at a face, an edge or a corner, and a place there.
inline Vec3d random_outward(std::mt19937_64& random, int faces) {
  Vec3d n(0, 0, 1);
  if (faces > 1) n.y() = random_between(random, 0.1, 1);
  if (faces > 2) n.x() = random_between(random, 0.1, 1);
  return n.normalized();
}
inline Vec3d random_target(std::mt19937_64& random, int faces) {
  return {faces > 2 ? 2 : random_between(random, -0.5, 0.5),
          faces > 1 ? 2 : random_between(random, -0.5, 0.5), 2};
}

inline CellCase make_sphere_box(std::mt19937_64& random, int faces) {
  CellCase c;
  c.i = make_cell({make_sphere(1)});
  c.j = make_box_cell(Vec3d::Constant(4));
  c.X.R_WB = random_rotation(random);
  c.X.p_WB =
      random_target(random, faces) + random_outward(random, faces) * (1 - random_depth(random));
  return c;
}

inline CellCase make_degenerate_sphere_box(std::mt19937_64& random, int faces, int k) {
  const double d = random_depth(random), out = 3 - d, h = 1 - d;
  const double rho = std::sqrt(d * (2 - d));  // of the circle in the face
  const double half = std::sqrt(0.5), third = std::sqrt(1.0 / 3), a = 0.5;
  const double b = std::sqrt(0.5 * (1 - a * a));
  struct Place {
    Vec3d p;
    double radius = 1;
  };
  const std::vector<Place> face = {
      {{0, 0, out}},                            // centred
      {{0.3, 2 - rho, out}},                    // circle touches an edge
      {{2 - rho, 2 - rho, out}},                // two edges
      {{2 - half * rho, 2 - half * rho, out}},  // runs through a vertex
      {{0.3, -0.2, 2}},                         // centre in the face
      {{0.2, 2, out}},                          // centre in the plane of a second face
      {{0.3, 2 - rho + 1e-9, out}},             // tangencies missed
      {{0.3, 2 - rho - 1e-13, out}},
      {{0, 0, 0}, 2},  // touches six faces from inside
      {{2, 2, out}}};  // centre above a vertex
  const std::vector<Place> edge = {
      {{0, 2 + half * h, 2 + half * h}},                // in the diagonal plane
      {{0.3, 2, 2}},                                    // centre on the edge
      {{2 - rho, 2 + half * h, 2 + half * h}},          // through a vertex
      {{2 - rho + 1e-10, 2 + half * h, 2 + half * h}},  // nearly
      {{0, 2 + 1e-9 * h, 2 + h}},                       // nearly above the edge
      {{0, 2 + h, 2}},                                  // centre in the plane of a face
      {{2, 2 + h, 2}},                                  // and of another
      {{2, 2 + half * h, 2 + half * h}},                // in the plane that ends the edge
      {{2 - rho, 2, 2 + h}},                            // through a vertex, above the edge
      {{0, 0, 0}, std::sqrt(8.0)}};                     // touches all edges
  const std::vector<Place> corner = {
      {{2 + third * h, 2 + third * h, 2 + third * h}},  // on the diagonal
      {{2, 2, 2}},                                      // centre on the corner
      {{2 + half * h, 2 + half * h, 2}},                // in the plane of a face
      {{2 + h, 2, 2}},                                  // of two faces
      {{2 + half * h, 2 + half * h, 2 + 1e-9}},
      {{0, 0, 0}, std::sqrt(12.0)},  // through all corners
      {{2 - a, 2 + b, 2 + b}},       // surface through the corner, edge cut
      {{2 - a, 2 + b, 2 + b + 1e-11}},
      {{2 - a, 2 - b, 2 + b}},  // surface through the corner, face cut
      {{2 + 1e-12, 2 + half * h, 2 + half * h}}};
  const auto& list = faces == 1 ? face : faces == 2 ? edge : corner;
  const Place& place = list[static_cast<size_t>(k) % list.size()];
  CellCase c;
  c.i = make_cell({make_sphere(place.radius)});
  c.j = make_box_cell(Vec3d::Constant(4));
  c.X.p_WB = place.p;
  return c;
}

constexpr double kCylinderRadius = 0.5, kCylinderLength = 1.5;

inline CellCase make_cylinder_box(std::mt19937_64& random, int faces) {
  CellCase c;
  c.i = make_cylinder_cell(kCylinderRadius, kCylinderLength);
  c.j = make_box_cell(Vec3d::Constant(4));
  c.X.R_WB = random_rotation(random);
  const Vec3d n = random_outward(random, faces), d = -(c.X.R_WB.transpose() * n);
  const double across = kCylinderRadius / std::hypot(d.x(), d.y());
  const Vec3d tip(across * d.x(), across * d.y(), std::copysign(0.5 * kCylinderLength, d.z()));
  c.X.p_WB = random_target(random, faces) - n * random_depth(random) - c.X.R_WB * tip;
  return c;
}

inline CellCase make_degenerate_cylinder_box(std::mt19937_64& random, int faces, int k) {
  const double d = random_depth(random), r = kCylinderRadius, l = 0.5 * kCylinderLength;
  const double half = std::sqrt(0.5), third = std::sqrt(1.0 / 3);
  const double side = r * std::sqrt(1 - (1 - d / r) * (1 - d / r));  // half the strip in a face
  const Mat3d up = Mat3d::Identity(), along_x = turned_to(Vec3d::UnitX()),
              along_y = turned_to(Vec3d::UnitY());
  const Vec3d n2(0, half, half), n3(third, third, third), corner(2, 2, 2), on_edge(0, 2, 2);
  const Vec3d across(half, -half, 0);
  struct Place {
    Mat3d R;
    Vec3d p;
  };
  const std::vector<Place> face = {
      {up, {0, 0, 2 + l - d}},                        // flat on the face
      {up, {0, 2 - r, 2 + l - d}},                    // rim touches an edge
      {up, {2 - r, 2 - r, 2 + l - d}},                // two edges
      {up, {2 - half * r, 2 - half * r, 2 + l - d}},  // runs through a vertex
      {along_x, {0, 0, 2 + r - d}},                   // lies
      {along_x, {2 - l, 0, 2 + r - d}},               // lies, its end in the plane of a face
      {turned_to(across), {0, 0, 2 + r - d}},         // lies askew
      {turned_about(Vec3d::UnitX(), kPi / 4), {0, 0, 2 + half * (r + l) - d}},
      {along_x, {0, 0, 2}},  // axis in the face
      {turned_about(Vec3d::UnitX(), 1e-9), {0, 0, 2 + l - d}}};
  const std::vector<Place> edge = {
      {along_x, on_edge + n2 * (r - d)},             // along the edge
      {along_x, {0, 2 - side, 2 + r - d}},           // its side runs through the edge
      {along_x, Vec3d(2 - l, 2, 2) + n2 * (r - d)},  // its end in the plane of a face
      {up, {0, 2, 2 + l - d}},                       // upright, axis in the plane of a face
      {up, {0, 2 + r - d, 2 + l - d}},
      {along_y, {0, 2, 2 + r - d}},
      {along_y, {0, 2 - l, 2 + r - d}},
      {along_x, on_edge},                       // axis on the edge
      {turned_to(n2), on_edge + n2 * (l - d)},  // flat end on the edge
      {along_x * turned_about(Vec3d::UnitX(), 1e-9), on_edge + n2 * (r - d)}};
  const std::vector<Place> at_corner = {
      {turned_to(n3), corner + n3 * (l - d)},  // flat end on the corner
      {along_x, {2 + l - d, 2, 2}},            // axis on an edge
      {up, {2, 2, 2 + l - d}},
      {up, {2 - 0.3, 2 + 0.4, 2 + l - d}},  // its side runs through an edge
      {along_x, Vec3d(2 + l - d, 2, 2) + n2 * (r - d)},
      {up, corner},  // centre on the corner
      {turned_to(n2), corner},
      {turned_to(across), corner + n3 * (r - d)},  // its side on the corner
      {up, {2 + half * r - d, 2 + half * r - d, 2 + l - d}},
      {turned_to(n3) * turned_about(Vec3d::UnitX(), 1e-9), corner + n3 * (l - d)}};
  const auto& list = faces == 1 ? face : faces == 2 ? edge : at_corner;
  const Place& place = list[static_cast<size_t>(k) % list.size()];
  return {make_cylinder_cell(r, 2 * l), make_box_cell(Vec3d::Constant(4)), {place.R, place.p}};
}

// Half a space with a groove along x; its axis is above the surface.
constexpr double kGrooveRadius = 1.2, kGrooveHeight = 0.3;
inline Cell make_groove() {
  const Pose<double> axis{turned_about(Vec3d::UnitY(), kPi / 2), Vec3d(0, 0, kGrooveHeight)};
  return make_cell({make_half_space(), make_complement(make_cylinder(kGrooveRadius, axis))});
}

inline CellCase make_sphere_groove(std::mt19937_64& random) {
  CellCase c;
  c.j = make_groove();
  const double r = random_between(random, 0.3, 1), a = random_between(random, -0.6, 0.6);
  c.i = make_cell({make_sphere(r)});
  c.X.p_WB = Vec3d(random_between(random, -1, 1), 0, kGrooveHeight) +
             Vec3d(0, std::sin(a), -std::cos(a)) * (kGrooveRadius - r + r * random_depth(random));
  return c;
}

inline CellCase make_degenerate_sphere_groove(std::mt19937_64& random, int k) {
  const double d = random_depth(random), g = kGrooveRadius, h = kGrooveHeight;
  const double rim = std::sqrt(g * g - h * h);
  // Through the rim: towards the angle a from below, at the distance s from the axis.
  const double a = 0.3, cos_rim = (std::cos(a) * h + std::sin(a) * rim) / g;
  const double s = (square(g + d) - g * g) / (2 * (g + d) - 2 * g * cos_rim);
  const double touching = 0.5 * (g - h + d);
  struct Place {
    double r, y, z;
  };
  const std::vector<Place> list = {
      {0.7, 0, h - (g - 0.7 + d)},  // in the plane of symmetry
      {g, 0, h - d},                // as wide as the groove
      {g, d * std::sin(0.4), h - d * std::cos(0.4)},
      {g - 1e-9, 0, h - d},
      {touching, 0, -touching},                                // top in the plane of the surface
      {g + d - s, s * std::sin(a), h - s * std::cos(a)},       // through the rim
      {0.5, rim, 0},                                           // centre on the rim
      {g + 0.5 * d, 0, h},                                     // centre on the axis, wider
      {0.7, rim + 1, 0.7 - d},                                 // beside the groove, touching it not
      {0.7, rim + std::sqrt(0.49 - square(0.7 - d)), 0.7 - d}  // circle touches the rim
  };
  const Place& place = list[static_cast<size_t>(k) % list.size()];
  CellCase c;
  c.i = make_cell({make_sphere(place.r)});
  c.j = make_groove();
  c.X.p_WB = Vec3d(0, place.y, place.z);
  return c;
}

inline CellCase make_ellipsoids(std::mt19937_64& random) {
  CellCase c;
  const auto radii = [&] {
    return Vec3d(random_between(random, 0.4, 1.2), random_between(random, 0.4, 1.2),
                 random_between(random, 0.4, 1.2));
  };
  const Vec3d ra = radii(), rb = radii();
  c.i = make_cell({make_ellipsoid(ra)});
  c.j = make_cell({make_ellipsoid(rb)});
  c.X.R_WB = random_rotation(random);
  const Vec3d n = random_rotation(random).col(0);
  const auto support = [](const Vec3d& r, const Vec3d& d) -> Vec3d {
    return r.cwiseProduct(r.cwiseProduct(d)) / r.cwiseProduct(d).norm();
  };
  c.X.p_WB = support(rb, n) - n * random_depth(random) -
             c.X.R_WB * support(ra, -(c.X.R_WB.transpose() * n));
  return c;
}

inline CellCase make_degenerate_ellipsoids(std::mt19937_64& random, int k) {
  const double d = random_depth(random);
  const Vec3d a(0.5, 0.8, 1.1), b(1.2, 0.7, 0.6), spheroid(0.6, 0.6, 1.1), flat(0.9, 0.9, 0.5);
  const Vec3d ball = Vec3d::Ones();
  const Mat3d same = Mat3d::Identity(), quarter = turned_about(Vec3d::UnitX(), kPi / 2);
  struct Place {
    Vec3d radii_i, radii_j;
    Mat3d R;
    Vec3d p;
  };
  const std::vector<Place> list = {
      {a, b, same, {0, 0, 1.7 - d}},             // aligned, on a common axis
      {ball, ball, same, {2 - d, 0, 0}},         // equal balls
      {spheroid, flat, same, {0, 0, 1.6 - d}},   // common axis of revolution
      {a, b, same, {0, 0, 0}},                   // same centre
      {a, a, same, {0, 0, 0}},                   // the same
      {0.5 * ball, ball, same, {0, 0.5, 0}},     // inside, touching
      {spheroid, spheroid, quarter, {0, 0, 0}},  // crossed
      {a, a, same, {d, 0, 0}},                   // equal, little apart
      {spheroid, flat, same, {1.5 - d, 0, 0}},   // parallel axes
      {spheroid, flat, quarter, {0, 2 - d, 0}},  // axes that meet at right angles
      {a, a, same, {1e-6, 0, 0}},
      {0.5 * ball, ball, same, {0, 0, 0.5 + d}}};  // nearly inside
  const Place& place = list[static_cast<size_t>(k) % list.size()];
  return {make_cell({make_ellipsoid(place.radii_i)}),
          make_cell({make_ellipsoid(place.radii_j)}),
          {place.R, place.p}};
}

inline CellCase make_cone_box(std::mt19937_64& random, int faces) {
  CellCase c;
  const double angle = random_between(random, 0.3, 0.9);
  c.i = make_cone_cell(angle, 1);
  c.j = make_box_cell(Vec3d::Constant(4));
  c.X.R_WB = random_rotation(random);
  const Vec3d n = random_outward(random, faces), d = -(c.X.R_WB.transpose() * n);
  const double across = std::tan(angle) / std::hypot(d.x(), d.y());
  const Vec3d rim(across * d.x(), across * d.y(), 1);
  const Vec3d tip = rim.dot(d) > 0 ? rim : Vec3d::Zero();
  c.X.p_WB = random_target(random, faces) - n * random_depth(random) - c.X.R_WB * tip;
  return c;
}

inline CellCase make_degenerate_cone_box(std::mt19937_64& random, int k) {
  const double d = random_depth(random), angle = kPi / 6, r = std::tan(angle);
  const double half = std::sqrt(0.5), third = std::sqrt(1.0 / 3);
  const Mat3d up = Mat3d::Identity(), down = turned_about(Vec3d::UnitX(), kPi);
  const Mat3d along_x = turned_about(Vec3d::UnitY(), kPi / 2);
  const Mat3d on_its_side = turned_about(Vec3d::UnitY(), kPi / 2 - angle);
  const Vec3d n3(third, third, third);
  struct Place {
    Mat3d R;
    Vec3d p;
  };
  const std::vector<Place> list = {
      {up, {0, 0, 2 - d}},                          // apex in the face
      {up, {0, 2, 2 - d}},                          // below an edge
      {up, {2, 2, 2 - d}},                          // below a corner
      {down, {0, 0, 3 - d}},                        // flat on the face
      {down, {0, 2 - r, 3 - d}},                    // rim touches an edge
      {down, {2 - half * r, 2 - half * r, 3 - d}},  // runs through a vertex
      {on_its_side, {-0.5, 0, 2 - d}},              // a line of its side along the face
      {on_its_side, {-2, 0, 2 - d}},                // apex in the plane of a second face
      {on_its_side, {1, 0, 2 - d}},                 // its base over the edge
      {along_x, {-0.5, 0, 2 + r - d}},              // axis along the face
      {along_x, {-0.5, 0, 2}},                      // axis in the face
      {along_x, {1, 0, 2 + r - d}},                 // base in the plane of a second face
      {turned_to(n3),
       Vec3d(Vec3d::Constant(2) - d * n3)},  // apex below the corner, on the diagonal
      {up, {2 - 0.5 * d * r, 0, 2 - d}},     // the cone runs over an edge
      {turned_about(Vec3d::UnitX(), 1e-9), {0, 0, 2 - d}}};
  const Place& place = list[static_cast<size_t>(k) % list.size()];
  return {make_cone_cell(angle, 1), make_box_cell(Vec3d::Constant(4)), {place.R, place.p}};
}

inline std::vector<CellFamily> make_cell_families() {
  std::vector<CellFamily> families;
  const char* names[] = {"face", "edge", "corner"};
  for (int faces = 1; faces <= 3; ++faces) {
    families.push_back(
        {std::string("sphere, box ") + names[faces - 1],
         [faces](auto& random) { return make_sphere_box(random, faces); },
         [faces](auto& random, int k) { return make_degenerate_sphere_box(random, faces, k); }});
  }
  for (int faces = 1; faces <= 3; ++faces) {
    families.push_back(
        {std::string("cylinder, box ") + names[faces - 1],
         [faces](auto& random) { return make_cylinder_box(random, faces); },
         [faces](auto& random, int k) { return make_degenerate_cylinder_box(random, faces, k); }});
  }
  families.push_back({"sphere in a groove", make_sphere_groove, make_degenerate_sphere_groove});
  families.push_back({"two ellipsoids", make_ellipsoids, make_degenerate_ellipsoids});
  families.push_back({"cone, box",
                      [](auto& random) {
                        const int faces = 1 + static_cast<int>(random_between(random, 0, 3));
                        return make_cone_box(random, faces);
                      },
                      make_degenerate_cone_box});
  return families;
}

}  // namespace vesica::test
