#include "vesica/geometry/primitive.h"

#include <cmath>
#include <limits>

namespace vesica {
namespace {

// In its own frame, before the complement.
Quadric make_own_quadric(PrimitiveType type, const Vec3d& size) {
  Quadric g;
  switch (type) {
    case PrimitiveType::kHalfSpace:
      g.b = Vec3d(0, 0, 0.5);
      break;
    case PrimitiveType::kSphere: {
      const double s = 0.5 / size[0];
      g.A = Symmetric3<double>::identity(s);
      g.c = -0.5 * size[0];
      break;
    }
    case PrimitiveType::kEllipsoid: {
      const double least = size.minCoeff();
      const Vec3d q = 0.5 * least * size.cwiseProduct(size).cwiseInverse();
      g.A = {q[0], q[1], q[2], 0, 0, 0};
      g.c = -0.5 * least;
      break;
    }
    case PrimitiveType::kCylinder: {
      const double s = 0.5 / size[0];
      g.A = {s, s, 0, 0, 0, 0};
      g.c = -0.5 * size[0];
      break;
    }
    case PrimitiveType::kCone: {
      // cos and sin of the half angle from its tangent
      const double cos2 = 1 / (1 + size[0] * size[0]);
      g.A = {cos2, cos2, cos2 - 1, 0, 0, 0};
      break;
    }
    case PrimitiveType::kParaboloid:
      g.A = {0.5 / size[0], 0.5 / size[0], 0, 0, 0, 0};
      g.b = Vec3d(0, 0, -0.5);
      break;
  }
  return g;
}

Primitive make(PrimitiveType type, const Vec3d& size, const Pose<double>& X_SP) {
  Primitive p;
  p.type = type;
  p.size = size;
  p.X_SP = X_SP;
  p.g = make_own_quadric(type, size).moved(X_SP);
  return p;
}

}  // namespace

Quadric Quadric::moved(const Pose<double>& X_FB) const {
  // x_B = R^T (x_F - p)
  Quadric g;
  const Mat3d& R = X_FB.R_WB;
  g.A = A.rotated(R);
  const Vec3d Ap = g.A * X_FB.p_WB;
  const Vec3d Rb = R * b;
  g.b = Rb - Ap;
  g.c = c - 2 * Rb.dot(X_FB.p_WB) + X_FB.p_WB.dot(Ap);
  return g;
}

std::string_view primitive_name(PrimitiveType type) {
  switch (type) {
    case PrimitiveType::kHalfSpace:
      return "half_space";
    case PrimitiveType::kSphere:
      return "sphere";
    case PrimitiveType::kEllipsoid:
      return "ellipsoid";
    case PrimitiveType::kCylinder:
      return "cylinder";
    case PrimitiveType::kCone:
      return "cone";
    default:
      return "paraboloid";
  }
}

Primitive make_half_space(const Pose<double>& X_SP) {
  return make(PrimitiveType::kHalfSpace, Vec3d::Zero(), X_SP);
}
Primitive make_sphere(double radius, const Pose<double>& X_SP) {
  return make(PrimitiveType::kSphere, Vec3d::Constant(radius), X_SP);
}
Primitive make_ellipsoid(const Vec3d& radii, const Pose<double>& X_SP) {
  return make(PrimitiveType::kEllipsoid, radii, X_SP);
}
Primitive make_cylinder(double radius, const Pose<double>& X_SP) {
  return make(PrimitiveType::kCylinder, Vec3d::Constant(radius), X_SP);
}
Primitive make_cone(double half_angle, const Pose<double>& X_SP) {
  return make(PrimitiveType::kCone, Vec3d::Constant(std::tan(half_angle)), X_SP);
}
Primitive make_paraboloid(double vertex_radius, const Pose<double>& X_SP) {
  return make(PrimitiveType::kParaboloid, Vec3d::Constant(vertex_radius), X_SP);
}

Primitive make_complement(Primitive primitive) {
  primitive.is_complement = !primitive.is_complement;
  primitive.g = primitive.g.negated();
  return primitive;
}

Primitive make_half_space(const Vec3d& n, double offset) {
  const double length = n.norm();
  Pose<double> X;
  const Vec3d z = n / length;
  Vec3d x, y;
  make_basis(z, &x, &y);
  X.R_WB << x, y, z;
  X.p_WB = z * (offset / length);
  return make_half_space(X);
}

Quadric calc_own_quadric(const Primitive& primitive) {
  const Quadric g = make_own_quadric(primitive.type, primitive.size);
  return primitive.is_complement ? g.negated() : g;
}

Primitive moved(const Primitive& primitive, const Pose<double>& X_FS) {
  Primitive p = primitive;
  p.X_SP = {X_FS.R_WB * primitive.X_SP.R_WB, X_FS * primitive.X_SP.p_WB};
  p.g = primitive.g.moved(X_FS);
  return p;
}

Primitive mirrored(const Primitive& primitive, const Vec3d& n) {
  // The reflected frame is left-handed; every primitive is symmetric in its own x, so turning that
  // axis round makes it right-handed again.
  const Mat3d H = Mat3d::Identity() - 2 * n * n.transpose();
  Primitive p = primitive;
  p.X_SP = {H * primitive.X_SP.R_WB, H * primitive.X_SP.p_WB};
  p.X_SP.R_WB.col(0) = -p.X_SP.R_WB.col(0);
  p.g = {primitive.g.A.rotated(H), H * primitive.g.b, primitive.g.c};
  return p;
}

Bounds calc_bounds(const Primitive& primitive) {
  Bounds own;  // in the primitive's frame
  const Vec3d& s = primitive.size;
  if (primitive.is_plane()) {
    own = primitive.is_complement ? Bounds{{-kInfinity, -kInfinity, 0}, own.max}
                                  : Bounds{own.min, {kInfinity, kInfinity, 0}};
    return own.moved(primitive.X_SP);
  }
  if (primitive.is_complement) return own;
  switch (primitive.type) {
    case PrimitiveType::kSphere:
    case PrimitiveType::kEllipsoid: {
      // The support of an ellipsoid along an axis: tighter than its turned box.
      const Mat3d RS = primitive.X_SP.R_WB * s.asDiagonal();
      const Vec3d h = RS.rowwise().norm();
      return {primitive.X_SP.p_WB - h, primitive.X_SP.p_WB + h};
    }
    case PrimitiveType::kCylinder: {
      // Along an axis e the circle reaches r sqrt(1 - (e.z)^2), the axis to infinity.
      for (int k = 0; k < 3; ++k) {
        const double z = primitive.X_SP.R_WB(k, 2);
        if (std::abs(z) < 1e-12) {
          own.min[k] = primitive.X_SP.p_WB[k] - s[0];
          own.max[k] = primitive.X_SP.p_WB[k] + s[0];
        }
      }
      return own;
    }
    case PrimitiveType::kParaboloid:
      own.min.z() = 0;
      return own.moved(primitive.X_SP);
    default:
      return own;
  }
}

LineIntervals calc_line_intervals(const Quadric& g, const Vec3d& p, const Vec3d& d) {
  const Vec3d Ad = g.A * d;
  const double a = d.dot(Ad);
  const double b = p.dot(Ad) + g.b.dot(d);  // half of the linear coefficient
  const double c = g(p);
  LineIntervals result;
  const auto add = [&](double from, double to) {
    result.from[result.count] = from;
    result.to[result.count++] = to;
  };
  if (a == 0) {
    if (b == 0) {
      if (c <= 0) add(-kInfinity, kInfinity);
    } else if (b > 0) {
      add(-kInfinity, -0.5 * c / b);
    } else {
      add(-0.5 * c / b, kInfinity);
    }
    return result;
  }
  const double discriminant = b * b - a * c;
  if (discriminant <= 0) {
    if (a < 0) add(-kInfinity, kInfinity);
    return result;
  }
  // Both roots without cancellation.
  const double q = -(b + std::copysign(std::sqrt(discriminant), b));
  double t0 = q / a, t1 = c / q;
  if (t0 > t1) std::swap(t0, t1);
  if (a > 0) {
    add(t0, t1);
  } else {
    add(-kInfinity, t0);
    add(t1, kInfinity);
  }
  return result;
}

}  // namespace vesica
