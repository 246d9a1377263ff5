#include "vesica/interference/polyhedra/shared_polyhedron.h"

#include <limits>

namespace vesica::detail {

bool SharedPolyhedron::clip(const ConvexPolyhedron& i, const ConvexPolyhedron& j,
                            const Pose<double>& X_IJ) {
  // Planes that miss i are left out; one that has all of i outside ends the search. What is close
  // to the ball's reach is left to the vertices. The plane that takes most comes first: the others
  // then have little left to look at.
  const double reach = i.ball_radius() * (1 + 1e-12);
  const std::size_t count = j.planes().size();
  planes_of_j_.resize(count);
  heights_.resize(count);
  std::size_t first = 0;
  for (std::size_t f = 0; f < count; ++f) {
    const Plane& plane = j.planes()[f];
    const Vec3d normal = X_IJ.R_WB * plane.normal;
    planes_of_j_[f] = {normal, plane.offset + normal.dot(X_IJ.p_WB)};
    heights_[f] = normal.dot(i.ball_center()) - planes_of_j_[f].offset;
    if (heights_[f] > reach) return false;
    if (heights_[f] > heights_[first]) first = f;
  }
  clipper_.start(i);
  const auto cut = [&](std::size_t f) {
    const auto tag = static_cast<std::int32_t>(i.planes().size() + f);
    return heights_[f] < -reach ||
           clipper_.cut(planes_of_j_[f], tag) != PolyhedronClipper::Outcome::kEmpty;
  };
  if (!cut(first)) return false;
  for (std::size_t f = 0; f < count; ++f) {
    if (f != first && !cut(f)) return false;
  }
  return clipper_.faces().size() >= 4;
}

// To world axes, about the mean of the vertices: inside, so that no face is seen from behind and
// nothing cancels.
void SharedPolyhedron::place(const ConvexPolyhedron& i, const Pose<double>& X_WI) {
  const auto& corners = clipper_.vertices();
  Vec3d middle = Vec3d::Zero();
  for (const Vec3d& x : corners) middle += x;
  middle /= static_cast<double>(corners.size());
  vertices_.resize(corners.size());
  for (std::size_t v = 0; v < corners.size(); ++v) {
    vertices_[v] = X_WI.R_WB * (corners[v] - middle);
  }
  centroid_W_ = X_WI * middle;
  faces_.clear();
  for (const auto& face : clipper_.faces()) {
    const bool of_j = is_of_j(face.tag);
    const Plane& plane = of_j ? planes_of_j_[face.tag - planes_of_i_] : i.planes()[face.tag];
    faces_.push_back({X_WI.R_WB * plane.normal, plane.offset - plane.normal.dot(middle), 0, of_j,
                      face.tag, face.begin, face.end});
  }
}

// Divergence theorem with the field x q(x), q a monomial of degree d: (3 + d) int q dV = sum over
// faces of offset int q dA.
bool SharedPolyhedron::integrate(double size) {
  double volume = 0, area = 0;
  Vec3d first = Vec3d::Zero();
  Symmetric3<double> second = Symmetric3<double>::zero();
  for (SharedFace& face : faces_) {
    for_each_triangle(face, [&](const Vec3d& a, const Vec3d& b, const Vec3d& c, double t) {
      const Vec3d s = a + b + c;
      face.area += t;
      const double w = t * face.offset;
      first += w * s;
      const auto add = [w](const Vec3d& x, Symmetric3<double>* sum) {
        const Vec3d y = w * x;
        sum->xx += y.x() * x.x();
        sum->yy += y.y() * x.y();
        sum->zz += y.z() * x.z();
        sum->xy += y.x() * x.y();
        sum->xz += y.x() * x.z();
        sum->yz += y.y() * x.z();
      };
      add(a, &second);
      add(b, &second);
      add(c, &second);
      add(s, &second);
    });
    volume += face.area * face.offset;
    area += face.area;
  }
  volume_ = volume / 3;
  if (!(volume_ > 0)) return false;
  Vec3d centroid;
  // What the rounding of the vertices may do to the volume. A touch so faint has no centroid in its
  // volume integrals; the surface's is inside in any case.
  const double noise = 16 * std::numeric_limits<double>::epsilon() * size * area;
  if (volume_ > noise) {
    centroid = first / (12 * volume_);
    M_ = second * (1.0 / 60) - Symmetric3<double>::outer(centroid) * volume_;
  } else {
    first.setZero();
    second = Symmetric3<double>::zero();
    for (const SharedFace& face : faces_) {
      for_each_triangle(face, [&](const Vec3d& a, const Vec3d& b, const Vec3d& c, double t) {
        const Vec3d s = a + b + c;
        first += t / 3 * s;
        second = second + (Symmetric3<double>::outer(a) + Symmetric3<double>::outer(b) +
                           Symmetric3<double>::outer(c) + Symmetric3<double>::outer(s)) *
                              (t / 12);
      });
    }
    if (!(area > 0)) return false;
    centroid = first / area;
    M_ = (second * (1 / area) - Symmetric3<double>::outer(centroid)) * volume_;
  }
  for (Vec3d& x : vertices_) x -= centroid;
  for (SharedFace& face : faces_) face.offset -= face.normal.dot(centroid);
  centroid_W_ += centroid;
  return true;
}

bool SharedPolyhedron::build(const ConvexPolyhedron& i, const Pose<double>& X_WI,
                             const ConvexPolyhedron& j, const Pose<double>& X_WJ) {
  i_ = &i;
  R_WI_ = X_WI.R_WB;
  planes_of_i_ = static_cast<std::int32_t>(i.planes().size());
  const Pose<double> X_IJ = calc_relative_pose(X_WI, X_WJ);
  if (!clip(i, j, X_IJ)) return false;
  place(i, X_WI);
  return integrate(i.ball_radius() + j.ball_radius());
}

Vec3d SharedPolyhedron::calc_area_vector() const {
  Vec3d sum = Vec3d::Zero();
  for (const SharedFace& face : faces_) {
    if (face.of_j) sum += face.area * face.normal;
  }
  return sum;
}

double SharedPolyhedron::calc_surface_area() const {
  double sum = 0;
  for (const SharedFace& face : faces_) sum += face.area;
  return sum;
}

Vec3d SharedPolyhedron::calc_normal(std::int32_t tag) const {
  return R_WI_ * (is_of_j(tag) ? planes_of_j_[tag - planes_of_i_] : i_->planes()[tag]).normal;
}

}  // namespace vesica::detail
