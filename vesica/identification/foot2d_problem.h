// The objective (17) of a planar foot on one stance, with exact derivatives.
//
//   J = mean over the frames of { [(f_n - f_n^e)/sd]^2 + [(f_f - f_f^e)/sd]^2 + [(x - x^e)/sd]^2 }
// The frames are those of the period that were recorded: 1/T of the source's integral where all
// were. sd are the standard deviations of what was measured, of the forces over those frames and of
// the centre of pressure over the frames where it counts: where the measured force exceeds a
// threshold. A constant at each mean gives 2 and the share of frames in which the point counts.
// The source does not say what x is where the model carries nothing. Here the difference is
// sum f_i (x_i - x^e)/(sum f_i + 5 N): without load it is zero, and the force itself is amiss.
//
// Variables are those of foot2d_table.h, between 0 and 1.
#pragma once

#include <Eigen/Core>
#include <array>
#include <vector>

#include "vesica/biomechanics/foot2d_table.h"
#include "vesica/identification/foot2d_geometry.h"

namespace vesica {

struct Foot2dCurves {
  std::vector<double> normal, friction, cop;  // cop: NaN where less than 5 N are carried
};

// The three parts of J.
struct Foot2dObjective {
  double normal = 0, friction = 0, cop = 0;
  double total() const { return normal + friction + cop; }
};

class Foot2dProblem {
 public:
  // `poses` are the stance's with a toe angle. Throws InputError where nothing varies that could be
  // fitted.
  Foot2dProblem(const Foot2dStance& stance, const Foot2dGeometry<double>& geometry,
                const std::vector<Foot2dPose>& poses, const Foot2dType& type,
                double cop_threshold = 50);

  const Foot2dType& type() const { return type_; }
  const std::vector<Foot2dRow>& rows() const { return rows_; }
  int variables() const { return 3 * static_cast<int>(rows_.size()); }
  // Normal force, friction and centre of pressure of every frame, in turn.
  int residuals() const { return 3 * static_cast<int>(normal_.size()); }

  // |r|^2 is J. `jacobian` (residuals x variables, row by row) may be null.
  void evaluate(const double* x, double* r, double* jacobian) const;
  Foot2dObjective objective(const double* x) const;
  // Of curves that a model did not make, on the same scales.
  Foot2dObjective objective(const Foot2dCurves& curves) const;
  // J and, where `gradient` is given, its derivatives.
  double objective(const double* x, double* gradient) const;
  Foot2dCurves simulate(const double* x) const;
  // Sets stiffness and mu of the three elements to their best for what else x says: normal forces
  // are in proportion to F_ref, friction to mu (for bristles nearly), so these are two small linear
  // problems with bounds. Where a search begins.
  void tune(double* x) const;
  Foot2dParameters<double> element(const double* x, int point) const;

 private:
  template <class T>
  void evaluate_as(const double* x, double* r, double* jacobian) const;
  void finish_row(size_t frame, const double* sums, double* r, double* jacobian) const;

  Foot2dType type_;
  std::vector<Foot2dRow> rows_;
  std::array<std::vector<Foot2dMount>, 3> mounts_;
  double step_ = 0;
  std::vector<double> normal_, friction_, cop_;  // measured; cop NaN where it does not count
  double normal_scale_ = 0, friction_scale_ = 0, cop_scale_ = 0;  // 1/(sd sqrt(n))
};

// The forces of a stance reversed in time within the contact, where it acts as it was: what a fit
// should not be able to produce from this motion.
Foot2dStance make_reversed(const Foot2dStance& stance);

}  // namespace vesica
