#include "vesica/interference/slices/slices.h"

#include <algorithm>
#include <cmath>

#include "vesica/interference/slices/slice_domain.h"

namespace vesica {
namespace {

using detail::kMaxEvents;
using detail::SliceDomain;
using detail::SliceEvent;

// The integrands: those of a slice, then u times area, first moments, and u^2 times area.
enum { kUA = detail::kSliceValues, kUX, kUY, kUUA, kTerms };
constexpr int kPadded = 16;
static_assert(kTerms <= kPadded);
struct alignas(32) Terms {
  double v[kPadded] = {};
  void add(double w, const Terms& o) {
    for (int k = 0; k < kPadded; ++k) v[k] += w * o.v[k];
  }
};

// Nested rules of 3, 7 and 15 points on [-1, 1] (Gauss; Kronrod; Patterson 1968), exact to the
// degrees 5, 11 and 23. Nodes from the outside in, the middle one last; those of odd index, and of
// index 3 and 7, are the nodes of the smaller rules.
constexpr double kNodes[8] = {
    0.99383196321275502221, 0.96049126870802028342, 0.88845923287225699889, 0.77459666924148337704,
    0.62110294673722640294, 0.43424374934680255800, 0.22338668642896688163, 0.0};
constexpr double kWeights15[8] = {
    0.01700171962994026034, 0.05160328299707973970, 0.09292719531512453769, 0.13441525524378422036,
    0.17151190913639138079, 0.20062852937698902103, 0.21915685840158749640, 0.22551049979820668739};
constexpr double kWeights7[4] = {0.10465622602646726519, 0.26848808986833344073,
                                 0.40139741477596222291, 0.45091653865847414235};
constexpr double kWeights3[2] = {5.0 / 9, 8.0 / 9};

// A panel between events, with the substitution that makes the integrand smooth: tangency ends are
// quadratic in the variable.
struct Panel {
  double a, b;
  int type;  // +1: tangency at a, +2: at b

  // u and du/dv at v in [-1, 1]
  double u(double v, double* slope) const {
    const double length = b - a, s = 0.5 * (1 + v), t = 0.5 * (1 - v);
    switch (type) {
      case 0:
        *slope = 0.5 * length;
        return v < 0 ? a + length * s : b - length * t;
      case 1:
        *slope = length * s;
        return a + length * s * s;
      case 2:
        *slope = length * t;
        return b - length * t * t;
      default: {
        const double angle = kPi * s;
        *slope = 0.5 * length * (0.5 * kPi) * std::sin(angle);
        return 0.5 * (a + b) - 0.5 * length * std::cos(angle);
      }
    }
  }
};

// sin and cos of k pi/48
struct TrapezoidTable {
  double cos[49], sin[49];
  TrapezoidTable() {
    for (int k = 0; k <= 48; ++k) {
      cos[k] = std::cos(k * kPi / 48);
      sin[k] = std::sin(k * kPi / 48);
    }
  }
};
const TrapezoidTable kTrapezoid;

class Integrator {
 public:
  Integrator(const SliceDomain& domain, const SliceOptions& options, detail::SliceNodes* nodes)
      : domain_(domain), options_(options), nodes_(nodes) {}

  // Fills `sum` over all panels.
  void run(const SliceEvent* events, int count) {
    const int panels = count - 1;
    Terms rough[kMaxEvents];
    Terms first[kMaxEvents];
    // A first estimate of everything, which the errors are held against.
    struct Stored {
      Terms at[7];
    };
    Stored stored[kStored];
    for (int p = 0; p < panels; ++p) {
      const Panel panel = make_panel(events, p);
      Terms values[7];
      Terms* at = p < kStored ? stored[p].at : values;
      if (panel.type == 3) {
        first[p] = calc_trapezoid(panel, 5, 8, at);
        Terms half;
        half.add(panel_step(panel, 16), at[1]);
        half.add(panel_step(panel, 16), at[3]);
        rough[p] = half;
      } else {
        evaluate_seven(panel, -1, 1, at);
        first[p] = combine7(at);
        rough[p] = combine3(at);
      }
      total_.add(1, first[p]);
    }
    scale_ = make_scale(total_);
    for (int p = 0; p < panels; ++p) {
      const Panel panel = make_panel(events, p);
      const double d = difference(first[p], rough[p]);
      // The higher rule squares the error where the integrand is smooth; here it is exact (a
      // polynomial) or negligible.
      if (d < kSmall * options_.tolerance) {
        sum.add(1, first[p]);
        error += d * kSmall;
        if (panel.type == 3) {
          keep_trapezoid(panel, 8);
        } else {
          keep_rule(panel, -1, 1, 7);
        }
        continue;
      }
      if (p >= kStored) {
        refine(panel, -1, 1, nullptr, 0);
      } else if (panel.type == 3 && vanishes_at_ends(panel, p > 0, p + 1 < panels)) {
        integrate_tangencies(panel, first[p], d);
      } else {
        refine(panel, -1, 1, panel.type == 3 ? nullptr : stored[p].at, 0);
      }
    }
  }

  Terms sum;
  double error = 0;
  int slices = 0;
  bool has_converged = true;

 private:
  static constexpr int kStored = 24;
  // The tolerance is for the sum over a handful of panels, and decisions that change with the pose
  // must not be seen in a force: each panel gets a tenth.
  static constexpr double kSmall = 0.1;
  static constexpr int kMaxDepth = 40;

  struct Scale {
    double volume, first, second, area;
  };

  static Panel make_panel(const SliceEvent* events, int p) {
    return {events[p].u, events[p + 1].u,
            (events[p].is_tangency ? 1 : 0) + (events[p + 1].is_tangency ? 2 : 0)};
  }

  static Scale make_scale(const Terms& t) {
    const auto inverse = [](double x) { return x > 0 ? 1 / x : 0; };
    const double volume = std::abs(t.v[detail::kA]);
    const double second =
        std::abs(t.v[detail::kXX]) + std::abs(t.v[detail::kYY]) + std::abs(t.v[kUUA]);
    const double first = std::sqrt(volume * second);
    const double area =
        std::sqrt(square(t.v[detail::kNx]) + square(t.v[detail::kNy]) + square(t.v[detail::kNu]));
    // The area vector vanishes where one body is inside the other; the surface does not.
    return {inverse(volume), inverse(first), inverse(second),
            inverse(std::max(area, first > 0 ? volume * volume / first : 0))};
  }

  // How far two estimates are apart, in units of the tolerated relative error of the volume.
  double difference(const Terms& a, const Terms& b) const {
    const auto d = [&](int k) { return std::abs(a.v[k] - b.v[k]); };
    const double first = d(detail::kX) + d(detail::kY) + d(kUA);
    const double second =
        d(detail::kXX) + d(detail::kYY) + d(kUUA) + d(detail::kXY) + d(kUX) + d(kUY);
    const double area = d(detail::kNx) + d(detail::kNy) + d(detail::kNu);
    return std::max({d(detail::kA) * scale_.volume, 0.1 * first * scale_.first,
                     0.1 * second * scale_.second, 0.1 * area * scale_.area});
  }

  void evaluate(double u, double weight, Terms* t) {
    ++slices;
    double values[detail::kSliceValues];
    domain_.evaluate(u, values);
    for (int k = 0; k < detail::kSliceValues; ++k) t->v[k] = weight * values[k];
    const double wu = weight * u;
    t->v[kUA] = wu * values[detail::kA];
    t->v[kUX] = wu * values[detail::kX];
    t->v[kUY] = wu * values[detail::kY];
    t->v[kUUA] = wu * u * values[detail::kA];
    for (int k = kTerms; k < kPadded; ++k) t->v[k] = 0;
  }
  void evaluate_at(const Panel& panel, double low, double high, double node, Terms* t) {
    double slope;
    const double u = panel.u(0.5 * (low + high) + 0.5 * (high - low) * node, &slope);
    evaluate(u, slope * 0.5 * (high - low), t);
  }
  // The seven-point rule's nodes: -x1, -x3, -x5, 0, x5, x3, x1.
  void evaluate_seven(const Panel& panel, double low, double high, Terms at[7]) {
    for (int k = 0; k < 3; ++k) {
      evaluate_at(panel, low, high, -kNodes[2 * k + 1], &at[k]);
      evaluate_at(panel, low, high, kNodes[2 * k + 1], &at[6 - k]);
    }
    evaluate_at(panel, low, high, 0, &at[3]);
  }
  static Terms combine7(const Terms at[7]) {
    Terms t;
    for (int k = 0; k < 3; ++k) {
      t.add(kWeights7[k], at[k]);
      t.add(kWeights7[k], at[6 - k]);
    }
    t.add(kWeights7[3], at[3]);
    return t;
  }
  static Terms combine3(const Terms at[7]) {
    Terms t;
    t.add(kWeights3[0], at[1]);
    t.add(kWeights3[0], at[5]);
    t.add(kWeights3[1], at[3]);
    return t;
  }

  // Of the rule with 15 points, given its difference from that with 7: where the integrand is
  // smooth the difference is squared, where it has an unseen kink hardly smaller.
  static double estimate_error(double d) { return std::min(d, std::pow(200 * d, 1.5)); }

  // Bisection on [low, high] of the panel's variable. `at`: seven values if they are known.
  void refine(const Panel& panel, double low, double high, const Terms* at, int depth) {
    Terms own[7];
    if (!at) {
      evaluate_seven(panel, low, high, own);
      at = own;
    }
    const Terms seven = combine7(at);
    Terms fifteen;
    for (int k = 0; k < 3; ++k) {
      fifteen.add(kWeights15[2 * k + 1], at[k]);
      fifteen.add(kWeights15[2 * k + 1], at[6 - k]);
    }
    fifteen.add(kWeights15[7], at[3]);
    for (int k = 0; k < 4; ++k) {
      Terms t;
      evaluate_at(panel, low, high, -kNodes[2 * k], &t);
      fifteen.add(kWeights15[2 * k], t);
      evaluate_at(panel, low, high, kNodes[2 * k], &t);
      fifteen.add(kWeights15[2 * k], t);
    }
    const double estimate = estimate_error(difference(fifteen, seven));
    const bool is_last = depth >= kMaxDepth || slices > options_.max_slices;
    if (estimate <= kSmall * options_.tolerance || is_last) {
      sum.add(1, fifteen);
      error += estimate;
      has_converged &= estimate <= options_.tolerance;
      keep_rule(panel, low, high, 15);
    } else {
      const double middle = 0.5 * (low + high);
      refine(panel, low, middle, nullptr, depth + 1);
      refine(panel, middle, high, nullptr, depth + 1);
    }
  }

  static double panel_step(const Panel& panel, int step) {
    return 0.5 * (panel.b - panel.a) * kPi / 48 * step;
  }
  void evaluate_angle(const Panel& panel, int k, Terms* t) {
    const double half = 0.5 * (panel.b - panel.a);
    evaluate(0.5 * (panel.a + panel.b) - half * kTrapezoid.cos[k], kTrapezoid.sin[k], t);
  }
  // `count` points, every `step` of 48; the values are kept.
  Terms calc_trapezoid(const Panel& panel, int count, int step, Terms* at) {
    Terms t;
    for (int k = 0; k < count; ++k) {
      evaluate_angle(panel, (k + 1) * step, &at[k]);
      t.add(panel_step(panel, step), at[k]);
    }
    return t;
  }

  // At a tangency within the domain the slice may go on: an ellipse that leaves a line behind.
  bool vanishes_at_ends(const Panel& panel, bool check_a, bool check_b) {
    const auto vanishes = [&](double u) {
      Terms t;
      evaluate(u, panel.b - panel.a, &t);
      return std::abs(t.v[detail::kA]) * scale_.volume < 1e-12;
    };
    return (!check_a || vanishes(panel.a)) && (!check_b || vanishes(panel.b));
  }

  // Both ends are tangencies: in the angle the integrand is even and periodic, and the trapezoid
  // rule converges geometrically, its error squared by every doubling.
  void integrate_tangencies(const Panel& panel, const Terms& five, double before) {
    Terms coarse = five;
    for (int step = 4; step >= 1; step /= 2) {
      Terms fine;
      fine.add(0.5, coarse);
      for (int k = step; k < 48; k += 2 * step) {
        Terms t;
        evaluate_angle(panel, k, &t);
        fine.add(panel_step(panel, step), t);
      }
      const double d = difference(fine, coarse);
      // Where an event is of two kinds (a tip that is a tangency) convergence is algebraic: the
      // differences fall by a fixed factor and are not squared.
      const double estimate = std::min(d, std::max(30 * d * d, d * d / before));
      if (estimate <= kSmall * options_.tolerance) {
        sum.add(1, fine);
        error += estimate;
        keep_trapezoid(panel, step);
        return;
      }
      before = d;
      coarse = fine;
    }
    refine(panel, -1, 1, nullptr, 0);
  }

  // The slices of the accepted rules, for integrals over the surfaces.
  void keep(double u, double weight) {
    if (nodes_ && nodes_->count < detail::SliceNodes::kMax) {
      nodes_->at[nodes_->count++] = {u, weight};
    }
  }
  void keep_rule(const Panel& panel, double low, double high, int points) {
    if (!nodes_) return;
    for (int k = points == 7 ? 1 : 0; k < 8; k += points == 7 ? 2 : 1) {
      const double weight = (points == 7 ? kWeights7[k / 2] : kWeights15[k]) * 0.5 * (high - low);
      for (const double node : {-kNodes[k], kNodes[k]}) {
        double slope;
        const double u = panel.u(0.5 * (low + high) + 0.5 * (high - low) * node, &slope);
        keep(u, weight * slope);
        if (k == 7) break;
      }
    }
  }
  // Between the points of the trapezoid rule, with the same accuracy: what the corners of the
  // slices contribute does not vanish at the ends of the panel, where the slice has none.
  void keep_trapezoid(const Panel& panel, int step) {
    if (!nodes_) return;
    const double half = 0.5 * (panel.b - panel.a);
    for (int k = 0; k < 48; k += step) {
      const double angle = (k + 0.5 * step) * kPi / 48;
      keep(0.5 * (panel.a + panel.b) - half * std::cos(angle),
           panel_step(panel, step) * std::sin(angle));
    }
  }

  const SliceDomain& domain_;
  const SliceOptions& options_;
  detail::SliceNodes* nodes_;
  Terms total_;
  Scale scale_{};
};

}  // namespace

CellMoments calc_cell_moments(const Cell& i, const Cell& j, const Pose<double>& X_JI,
                              const SliceOptions& options, CellSensitivity* sensitivity) {
  CellMoments result;
  if (sensitivity) *sensitivity = {};
  detail::ConstraintSet set;
  detail::make_constraints(i, j, X_JI, &set);
  if (set.is_empty) return result;
  Vec3d u;
  if (!detail::find_slicing_direction(set, &u)) {
    result.has_converged = false;
    return result;
  }
  Mat3d R;
  Vec3d x, y;
  make_basis(u, &x, &y);
  R << x, y, u;
  SliceDomain domain;
  Vec3d origin = set.center;
  domain.build(set, R, origin);
  SliceEvent events[kMaxEvents];
  Vec3d middle;
  int count = domain.find_events(events, &middle);
  if (count < 2) return result;
  // Far from the domain, its events and moments would be small differences of large numbers.
  const double extent = events[count - 1].u - events[0].u;
  if (middle.norm() > 2 * extent) {
    origin += R * middle;
    domain.build(set, R, origin);
    count = domain.find_events(events, &middle);
    if (count < 2) return result;
  }

  detail::SliceNodes nodes;
  Integrator integrator(domain, options, sensitivity ? &nodes : nullptr);
  integrator.run(events, count);
  result.slices = integrator.slices;
  result.has_converged = integrator.has_converged;
  result.error_estimate = integrator.error;
  const double* v = integrator.sum.v;
  const double V = v[detail::kA];
  if (!(V > 0)) return result;
  result.volume = V;
  const Vec3d first(v[detail::kX], v[detail::kY], v[kUA]);
  const Vec3d c = first / V;
  result.centroid = origin + R * c;
  const Symmetric3<double> about_origin = {v[detail::kXX], v[detail::kYY], v[kUUA],
                                           v[detail::kXY], v[kUX],         v[kUY]};
  result.M = (about_origin - Symmetric3<double>::outer(c) * V).rotated(R);
  Vec3d area(v[detail::kNx], v[detail::kNy], v[detail::kNu]);
  double values[detail::kSliceValues];
  if (domain.high_owner() == 1 && domain.evaluate(domain.u_high(), values)) {
    area.z() += values[detail::kA];
  }
  if (domain.low_owner() == 1 && domain.evaluate(domain.u_low(), values)) {
    area.z() -= values[detail::kA];
  }
  result.area_vector = R * area;
  if (sensitivity) detail::calc_sensitivity(domain, nodes, R, c, V, area, sensitivity);
  return result;
}

}  // namespace vesica
