#include "bench/minimal_coordinates.h"

#include <ceres/ceres.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace vesica::bench {
namespace {

using namespace markers;

template <class T>
using V3 = Eigen::Matrix<T, 3, 1>;
template <class T>
using M3 = Eigen::Matrix<T, 3, 3>;
constexpr int kMostSegments = 16;

template <class T>
M3<T> turn(int axis, const T& angle) {
  using std::cos;
  using std::sin;
  const int i = (axis + 1) % 3, j = (axis + 2) % 3;
  M3<T> R = M3<T>::Identity();
  R(i, i) = R(j, j) = cos(angle);
  R(j, i) = sin(angle);
  R(i, j) = -sin(angle);
  return R;
}
template <class T>
T value(const Affine& a, const T* d) {
  return a.parameter < 0 ? T(a.constant) : T(a.constant) + T(a.factor) * d[a.parameter];
}
template <class T>
V3<T> point(const Segment& s, const Point& p, const T* d) {
  V3<T> u;
  for (int k = 0; k < 3; ++k) {
    u[k] = value(p.coordinate[k], d);
    if (p.scaled[k]) u[k] *= value(s.scale[k], d);
  }
  return u;
}
template <class T>
M3<T> triad(const Axis& a, const T* d) {
  const M3<T> F =
      turn(a.sequence[0], value(a.angle[0], d)) * turn(a.sequence[1], value(a.angle[1], d));
  M3<T> out;
  out.col(0) = F.col(a.sequence[0]);
  out.col(2) = F.col(a.sequence[2]);
  out.col(1) = out.col(2).cross(out.col(0));
  return out;
}

// For automatic differentiation.
struct FrameFunctor {
  const Model* model;
  Frame frame;

  template <class T>
  bool operator()(const T* q, const T* d, T* residuals) const {
    std::vector<M3<T>> R(model->segments.size());
    std::vector<V3<T>> p(model->segments.size());
    for (int s : model->order) {
      const int j = model->tree_joint[s];
      if (j < 0) {
        p[s] = V3<T>(q[0], q[1], q[2]);
        R[s] = turn(2, q[3]) * turn(0, q[4]) * turn(1, q[5]);
        q += 6;
        continue;
      }
      const Joint& joint = model->joints[j];
      const M3<T> P = triad(joint.parent_axis, d), C = triad(joint.child_axis, d);
      const bool is_ball = joint.type == JointType::kSpherical;
      M3<T> Q = turn(2, q[0]);
      if (is_ball) Q = Q * turn(0, q[1]) * turn(1, q[2]);
      q += is_ball ? 3 : 1;
      R[s] = R[joint.parent] * P * Q * C.transpose();
      p[s] = p[joint.parent] +
             R[joint.parent] * point(model->segments[joint.parent], joint.parent_center, d) -
             R[s] * point(model->segments[s], joint.child_center, d);
    }
    for (size_t m = 0; m < model->markers.size(); ++m) {
      const Marker& marker = model->markers[m];
      const V3<T> u = point(model->segments[marker.segment], marker.position, d);
      const V3<T> x = p[marker.segment] + R[marker.segment] * u;
      for (int k = 0; k < 3; ++k) residuals[3 * m + k] = x[k] - frame.positions[m][k];
    }
    return true;
  }
};

// How one unknown moves a segment as a whole: it turns about an axis through a point, and shifts.
struct Influence {
  int unknown;  // of q, or kFrameCoordinates + that of d
  Vec3d axis, through, shift;
};

// Derivatives of a point in a segment's frame by its parameters.
template <class Visit>
void for_each_slope(const Segment& s, const Point& p, const double* d, const Visit& visit) {
  for (int k = 0; k < 3; ++k) {
    const Affine &c = p.coordinate[k], &scale = s.scale[k];
    const double by = p.scaled[k] ? value(scale, d) : 1;
    if (c.parameter >= 0) visit(c.parameter, k, c.factor * by);
    if (p.scaled[k] && scale.parameter >= 0) {
      visit(scale.parameter, k, scale.factor * value(c, d));
    }
  }
}

class FrameCost final
    : public ceres::SizedCostFunction<kFrameResiduals, kFrameCoordinates, kFrameParameters> {
 public:
  FrameCost(const Model* model, Frame frame) : model_(*model), frame_(std::move(frame)) {}

  bool Evaluate(double const* const* unknowns, double* residuals,
                double** jacobians) const override {
    const double* q = unknowns[0];
    const double* d = unknowns[1];
    const bool wants = jacobians != nullptr;
    std::array<Mat3d, kMostSegments> R;
    std::array<Vec3d, kMostSegments> p;
    std::array<std::vector<Influence>, kMostSegments> moved;
    int next = 0;  // coordinate
    for (const int s : model_.order) {
      const int j = model_.tree_joint[s];
      if (j < 0) {
        p[s] = Vec3d(q[0], q[1], q[2]);
        const Mat3d A = turn(2, q[3]), B = A * turn(0, q[4]);
        R[s] = B * turn(1, q[5]);
        if (wants) {
          for (int k = 0; k < 3; ++k) {
            moved[s].push_back({k, Vec3d::Zero(), Vec3d::Zero(), Vec3d::Unit(k)});
          }
          moved[s].push_back({3, Vec3d::UnitZ(), p[s], Vec3d::Zero()});
          moved[s].push_back({4, A.col(0), p[s], Vec3d::Zero()});
          moved[s].push_back({5, B.col(1), p[s], Vec3d::Zero()});
        }
        next += 6;
        continue;
      }
      add_joint(model_.joints[j], s, q, d, wants, &next, R.data(), p.data(), moved.data());
    }
    for (size_t m = 0; m < model_.markers.size(); ++m) {
      const Marker& marker = model_.markers[m];
      const Segment& segment = model_.segments[marker.segment];
      const Vec3d x = p[marker.segment] + R[marker.segment] * point(segment, marker.position, d);
      Eigen::Map<Vec3d>(residuals + 3 * m) = x - frame_.positions[m];
      if (!wants) continue;
      const auto add = [&](int unknown, const Vec3d& slope) {
        const bool of_q = unknown < kFrameCoordinates;
        double* const block = jacobians[of_q ? 0 : 1];
        if (block == nullptr) return;
        const int width = of_q ? kFrameCoordinates : kFrameParameters;
        const int column = of_q ? unknown : unknown - kFrameCoordinates;
        for (int k = 0; k < 3; ++k) {
          block[(3 * static_cast<int>(m) + k) * width + column] += slope[k];
        }
      };
      if (m == 0) clear(jacobians);
      for (const Influence& i : moved[marker.segment]) {
        add(i.unknown, i.axis.cross(x - i.through) + i.shift);
      }
      for_each_slope(segment, marker.position, d, [&](int parameter, int k, double slope) {
        add(kFrameCoordinates + parameter, R[marker.segment].col(k) * slope);
      });
    }
    return true;
  }

 private:
  static void clear(double** jacobians) {
    if (jacobians[0]) std::fill_n(jacobians[0], kFrameResiduals * kFrameCoordinates, 0.0);
    if (jacobians[1]) std::fill_n(jacobians[1], kFrameResiduals * kFrameParameters, 0.0);
  }

  void add_joint(const Joint& joint, int s, const double* q, const double* d, bool wants, int* next,
                 Mat3d* R, Vec3d* p, std::vector<Influence>* moved) const {
    const Segment &parent = model_.segments[joint.parent], &child = model_.segments[s];
    const bool is_ball = joint.type == JointType::kSpherical;
    const Mat3d A = R[joint.parent] * triad(joint.parent_axis, d);
    const Mat3d Q0 = turn(2, q[*next]);
    const Mat3d Q1 = is_ball ? Mat3d(Q0 * turn(0, q[*next + 1])) : Q0;
    const Mat3d Q = is_ball ? Mat3d(Q1 * turn(1, q[*next + 2])) : Q0;
    R[s] = A * Q * triad(joint.child_axis, d).transpose();
    const Vec3d center = p[joint.parent] + R[joint.parent] * point(parent, joint.parent_center, d);
    p[s] = center - R[s] * point(child, joint.child_center, d);
    const int first = *next;
    *next += is_ball ? 3 : 1;
    if (!wants) return;
    moved[s] = moved[joint.parent];
    const auto turns = [&](int unknown, const Vec3d& axis) {
      moved[s].push_back({unknown, axis, center, Vec3d::Zero()});
    };
    const auto shifts = [&](int parameter, const Vec3d& by) {
      moved[s].push_back({kFrameCoordinates + parameter, Vec3d::Zero(), Vec3d::Zero(), by});
    };
    turns(first, A.col(2));
    if (is_ball) {
      turns(first + 1, A * Q0.col(0));
      turns(first + 2, A * Q1.col(1));
    }
    // The axes' angles turn the whole triad: about the first axis of the sequence, then about the
    // second as the first has turned it. In the child's frame they turn the other way.
    const auto add_axis = [&](const Axis& axis, const Mat3d& frame, double sign) {
      const Vec3d second = turn(axis.sequence[0], value(axis.angle[0], d)).col(axis.sequence[1]);
      const Vec3d about[] = {Vec3d::Unit(axis.sequence[0]), second};
      for (int k = 0; k < 2; ++k) {
        const Affine& angle = axis.angle[k];
        if (angle.parameter < 0) continue;
        turns(kFrameCoordinates + angle.parameter, frame * about[k] * (sign * angle.factor));
      }
    };
    add_axis(joint.parent_axis, R[joint.parent], 1);
    add_axis(joint.child_axis, R[s], -1);
    for_each_slope(parent, joint.parent_center, d, [&](int parameter, int k, double slope) {
      shifts(parameter, R[joint.parent].col(k) * slope);
    });
    for_each_slope(child, joint.child_center, d, [&](int parameter, int k, double slope) {
      shifts(parameter, R[s].col(k) * -slope);
    });
  }

  const Model& model_;
  Frame frame_;
};

}  // namespace

ceres::CostFunction* make_frame_cost(const Model& model, const Frame& frame) {
  return new FrameCost(&model, frame);
}

double compare_with_automatic(const Model& model, const Frame& frame, const std::vector<double>& q,
                              const std::vector<double>& d) {
  const FrameCost ours(&model, frame);
  const ceres::AutoDiffCostFunction<FrameFunctor, kFrameResiduals, kFrameCoordinates,
                                    kFrameParameters>
      automatic(new FrameFunctor{&model, frame});
  const double* unknowns[] = {q.data(), d.data()};
  std::vector<double> r[2], by_q[2], by_d[2];
  double worst = 0;
  const ceres::CostFunction* const costs[] = {&ours, &automatic};
  for (int k = 0; k < 2; ++k) {
    r[k].resize(kFrameResiduals);
    by_q[k].resize(kFrameResiduals * kFrameCoordinates);
    by_d[k].resize(kFrameResiduals * kFrameParameters);
    double* jacobians[] = {by_q[k].data(), by_d[k].data()};
    costs[k]->Evaluate(unknowns, r[k].data(), jacobians);
  }
  for (const auto* both : {r, by_q, by_d}) {
    for (size_t k = 0; k < both[0].size(); ++k) {
      worst = std::max(worst, std::abs(both[0][k] - both[1][k]));
    }
  }
  return worst;
}

}  // namespace vesica::bench
