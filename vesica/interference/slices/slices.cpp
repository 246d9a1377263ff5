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
  double v[kPadded];  // not set: arrays of them are large, and hardly used
  static Terms zero() { return {{}}; }
  void add(double w, const Terms& o) {
    for (int k = 0; k < kPadded; ++k) v[k] += w * o.v[k];
  }
};

// Nested rules of 1, 3, 7 and 15 points on [-1, 1] (Gauss; Kronrod; Patterson 1968), exact to the
// degrees 1, 5, 11 and 23. Nodes from the outside in, the middle one last; those of odd index, and
// of index 3 and 7, are the nodes of the smaller rules.
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
        total_.add(1, calc_trapezoid(panel, 5, 8, at));
      } else {
        evaluate_three(panel, -1, 1, at);
        total_.add(1, combine3(at));
      }
    }
    scale_ = make_scale(total_);
    for (int p = 0; p < panels; ++p) {
      const Panel panel = make_panel(events, p);
      Terms* at = p < kStored ? stored[p].at : nullptr;
      if (panel.type != 3) {
        refine(panel, -1, 1, at, 0);
      } else if (at) {
        integrate_tangencies(panel, at, p > 0, p + 1 < panels);
      } else {
        refine(panel, -1, 1, nullptr, 0);
      }
    }
  }

  Terms sum = Terms::zero();
  double error = 0;
  int slices = 0;
  bool has_converged = true;

 private:
  static constexpr int kStored = 24;
  // The tolerance is for the sum over a handful of panels, and decisions that change with the pose
  // must not be seen in a force: each panel gets a tenth.
  static constexpr double kSmall = 0.1;
  // A smooth integrand's error may be believed to be so much smaller than what two rules differ by.
  // With 1e-3 a cone on a box, whose event was lost, was off by 9e-8.
  static constexpr double kTrust = 1e-2;
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

  // How far two estimates are apart, in units of the tolerated relative error of the volume: of the
  // volume, first and second moments, area vector.
  struct Difference {
    double of[4];
    double largest() const { return std::max({of[0], of[1], of[2], of[3]}); }
  };
  Difference calc_difference(const Terms& a, const Terms& b) const {
    const auto d = [&](int k) { return std::abs(a.v[k] - b.v[k]); };
    const double first = d(detail::kX) + d(detail::kY) + d(kUA);
    const double second =
        d(detail::kXX) + d(detail::kYY) + d(kUUA) + d(detail::kXY) + d(kUX) + d(kUY);
    const double area = d(detail::kNx) + d(detail::kNy) + d(detail::kNu);
    return {{d(detail::kA) * scale_.volume, 0.1 * first * scale_.first,
             0.1 * second * scale_.second, 0.1 * area * scale_.area}};
  }
  double difference(const Terms& a, const Terms& b) const {
    return calc_difference(a, b).largest();
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
  // The seven-point rule's nodes: -x1, -x3, -x5, 0, x5, x3, x1; of three points those of x3.
  void evaluate_three(const Panel& panel, double low, double high, Terms at[7]) {
    evaluate_at(panel, low, high, -kNodes[3], &at[1]);
    evaluate_at(panel, low, high, kNodes[3], &at[5]);
    evaluate_at(panel, low, high, 0, &at[3]);
  }
  void evaluate_other_four(const Panel& panel, double low, double high, Terms at[7]) {
    for (const int k : {0, 2}) {
      evaluate_at(panel, low, high, -kNodes[2 * k + 1], &at[k]);
      evaluate_at(panel, low, high, kNodes[2 * k + 1], &at[6 - k]);
    }
  }
  static Terms combine1(const Terms at[7]) {
    Terms t = Terms::zero();
    t.add(2, at[3]);
    return t;
  }
  static Terms combine3(const Terms at[7]) {
    Terms t = Terms::zero();
    t.add(kWeights3[0], at[1]);
    t.add(kWeights3[0], at[5]);
    t.add(kWeights3[1], at[3]);
    return t;
  }
  static Terms combine7(const Terms at[7]) {
    Terms t = Terms::zero();
    for (int k = 0; k < 3; ++k) {
      t.add(kWeights7[k], at[k]);
      t.add(kWeights7[k], at[6 - k]);
    }
    t.add(kWeights7[3], at[3]);
    return t;
  }
  Terms calc_fifteen(const Panel& panel, double low, double high, const Terms at[7]) {
    Terms t = Terms::zero();
    for (int k = 0; k < 3; ++k) {
      t.add(kWeights15[2 * k + 1], at[k]);
      t.add(kWeights15[2 * k + 1], at[6 - k]);
    }
    t.add(kWeights15[7], at[3]);
    for (int k = 0; k < 4; ++k) {
      Terms other;
      evaluate_at(panel, low, high, -kNodes[2 * k], &other);
      t.add(kWeights15[2 * k], other);
      evaluate_at(panel, low, high, kNodes[2 * k], &other);
      t.add(kWeights15[2 * k], other);
    }
    return t;
  }

  // Of a rule, given its difference d from the one before it and that one's from its own: where the
  // integrand is smooth they fall like r^2, r^6, r^12, r^24 with the degrees, and the error of the
  // rule is d (d/before)^1.5 or less. Where it has an unseen kink, the error is hardly smaller than
  // d; so not more than kTrust is believed.
  static double estimate_error(const Difference& d, const Difference& before) {
    double estimate = 0;
    for (int k = 0; k < 4; ++k) {
      const double ratio = before.of[k] > 0 ? d.of[k] / before.of[k] : 0;
      const double part = std::clamp(10 * ratio * std::sqrt(ratio), kTrust, 1.0);
      estimate = std::max(estimate, d.of[k] * part);
    }
    return estimate;
  }

  // Bisection on [low, high] of the panel's variable. `at`: seven values of which those of the
  // three-point rule are known, or null.
  void refine(const Panel& panel, double low, double high, Terms* at, int depth) {
    Terms own[7];
    if (!at) {
      evaluate_three(panel, low, high, own);
      at = own;
    }
    const double limit = kSmall * options_.tolerance;
    const auto accept = [&](const Terms& value, double estimate, int points) {
      sum.add(1, value);
      error += estimate;
      keep_rule(panel, low, high, points);
    };
    const Terms three = combine3(at);
    const Difference d1 = calc_difference(three, combine1(at));
    if (d1.largest() <= limit) return accept(three, kSmall * d1.largest(), 3);
    evaluate_other_four(panel, low, high, at);
    const Terms seven = combine7(at);
    const Difference d3 = calc_difference(seven, three);
    const double estimate7 = estimate_error(d3, d1);
    if (estimate7 <= limit) return accept(seven, estimate7, 7);
    const Terms fifteen = calc_fifteen(panel, low, high, at);
    const double estimate = estimate_error(calc_difference(fifteen, seven), d3);
    const bool is_last = depth >= kMaxDepth || slices > options_.max_slices;
    if (estimate <= limit || is_last) {
      has_converged &= estimate <= options_.tolerance;
      return accept(fifteen, estimate, 15);
    }
    const double middle = 0.5 * (low + high);
    refine(panel, low, middle, nullptr, depth + 1);
    refine(panel, middle, high, nullptr, depth + 1);
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
    Terms t = Terms::zero();
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
  // rule converges geometrically, its error squared by every doubling. `at`: the five values known.
  void integrate_tangencies(const Panel& panel, const Terms at[5], bool check_a, bool check_b) {
    Terms two = Terms::zero(), coarse = Terms::zero();
    for (int k = 0; k < 5; ++k) {
      coarse.add(panel_step(panel, 8), at[k]);
      if (k % 2 == 1) two.add(panel_step(panel, 16), at[k]);
    }
    double before = difference(coarse, two);
    // The higher rule squares the error where the integrand is smooth; here it is negligible.
    if (before < kSmall * options_.tolerance) {
      sum.add(1, coarse);
      error += before * kSmall;
      keep_trapezoid(panel, 8);
      return;
    }
    if (!vanishes_at_ends(panel, check_a, check_b)) {
      refine(panel, -1, 1, nullptr, 0);
      return;
    }
    for (int step = 4; step >= 1; step /= 2) {
      Terms fine = Terms::zero();
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
    const int stride = points == 3 ? 4 : points == 7 ? 2 : 1;
    const double* weights = points == 3 ? kWeights3 : points == 7 ? kWeights7 : kWeights15;
    for (int k = stride - 1; k < 8; k += stride) {
      const double weight = weights[k / stride] * 0.5 * (high - low);
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
  Terms total_ = Terms::zero();
  Scale scale_{};
};

}  // namespace

CellMoments calc_cell_moments(const Cell& i, const Cell& j, const Pose<double>& X_JI,
                              const SliceOptions& options, CellSensitivity* sensitivity) {
  CellMoments result;
  if (sensitivity) *sensitivity = {};
  if (detail::are_apart(i, j, X_JI)) return result;
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
  double spread;
  int count = domain.find_events(events, &middle, &spread);
  if (count < 2) return result;
  // Far from the domain, its events and moments would be small differences of large numbers.
  const double extent = events[count - 1].u - events[0].u;
  if (std::abs(middle.z()) > 2 * extent || middle.norm() > 2 * std::max(extent, spread)) {
    origin += R * middle;
    domain.build(set, R, origin);
    count = domain.find_events(events, &middle, &spread);
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
