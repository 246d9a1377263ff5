// The way of a line under tension (a ligament, a tendon, a cable) over points of bodies.
//
// The line runs straight from point to point, or round a surface in its way (line_wrap.h), and
// slides through the points between its ends, so that its tension is one number all along. A unit
// of tension pulls on the body of every point along the line's directions there: `pull`. The length
// is stationary in the shape of the line, so its rate is minus the power of the pulls: l' = -sum
// pull . v, v the velocity of the body at the point. Smoothness: C-infinity but where two points
// that follow each other coincide, where no direction is defined: that segment pulls nowhere; and
// where it begins to wrap, C1.
#pragma once

#include <cmath>
#include <vector>

#include "vesica/math/pose.h"
#include "vesica/multibody/line_wrap.h"

namespace vesica {

template <class P>
struct LinePoint {
  int body = 0;
  Vec3<P> p_B = Vec3<P>::Zero();  // in body axes
};

// From the first point to the last, through those between.
template <class P>
struct LinePath {
  std::vector<LinePoint<P>> points;
  std::vector<LineWrap<P>> wraps;  // by their segments, one for each at most
};

template <class T>
struct LinePull {
  int body = 0;
  Vec3<T> p_W, pull;  // force on the body at p_W: tension times pull
};

template <class T>
struct LineState {
  T length{0.0}, rate{0.0};
  std::vector<LinePull<T>> pulls;  // at the points, in their order; then two for every wrap
};

// The segment behind point k: its length, and how it pulls.
template <class T>
void add_straight_segment(size_t k, LineState<T>* now) {
  using std::sqrt;
  LinePull<T>&from = now->pulls[k], &to = now->pulls[k + 1];
  const Vec3<T> d = to.p_W - from.p_W;
  const T l2 = d.squaredNorm();
  if (value_of(l2) == 0) return;
  const T l = sqrt(l2);
  const Vec3<T> e = d / l;
  now->length += l;
  from.pull += e;
  to.pull -= e;
}

// The same for one that a surface may be in the way of: it is pressed where the line meets it,
// first and last, by what the line pulls there less what it pulls behind.
template <class P, class T>
void add_wrapped_segment(const LineWrap<P>& wrap, const Pose<T>& X_WB, size_t pulls,
                         LineState<T>* now) {
  const auto k = static_cast<size_t>(wrap.segment);
  LinePull<T>&from = now->pulls[k], &to = now->pulls[k + 1];
  const WrappedSegment<T> s = calc_wrap(wrap, X_WB, from.p_W, to.p_W);
  now->length += s.length;
  from.pull += s.e_a;
  to.pull -= s.e_b;
  const Vec3<T> none(T(0), T(0), T(0));
  now->pulls[pulls] = {wrap.body, s.a, s.wraps ? Vec3<T>(-s.e_a) : none};
  now->pulls[pulls + 1] = {wrap.body, s.b, s.wraps ? s.e_b : none};
}

// How the line lies as the bodies move. `now` keeps its memory from call to call.
template <class P, class T>
void calc_line_state(const LinePath<P>& path, const std::vector<Motion<T>>& motions,
                     LineState<T>* now) {
  const size_t count = path.points.size();
  const Vec3<T> none(T(0), T(0), T(0));
  now->pulls.resize(count + 2 * path.wraps.size());
  now->length = now->rate = T(0);
  for (size_t k = 0; k < count; ++k) {
    const LinePoint<P>& point = path.points[k];
    LinePull<T>& at = now->pulls[k];
    at.body = point.body;
    at.p_W = motions[static_cast<size_t>(point.body)].X_WB * point.p_B.template cast<T>();
    at.pull = none;
  }
  size_t wrap = 0;
  for (size_t k = 0; k + 1 < count; ++k) {
    if (wrap < path.wraps.size() && path.wraps[wrap].segment == static_cast<int>(k)) {
      const LineWrap<P>& w = path.wraps[wrap];
      add_wrapped_segment(w, motions[static_cast<size_t>(w.body)].X_WB, count + 2 * wrap, now);
      ++wrap;
    } else {
      add_straight_segment(k, now);
    }
  }
  for (const LinePull<T>& at : now->pulls) {
    const Motion<T>& m = motions[static_cast<size_t>(at.body)];
    const Vec3<T> v = m.V_WB.v_WB + m.V_WB.w_WB.cross(Vec3<T>(at.p_W - m.X_WB.p_WB));
    now->rate -= at.pull.dot(v);
  }
}

}  // namespace vesica
