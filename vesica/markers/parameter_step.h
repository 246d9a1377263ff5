// The small system of eq. 17: a step in the constants d under relations T(d) = 0 and bounds.
#pragma once

#include "vesica/markers/model.h"

namespace vesica::markers {

struct ParameterStep {
  Eigen::VectorXd dd;
  Eigen::VectorXd kkt;   // L_d + T_d^T nu, outward parts at bounds left out
  int negative = 0;      // directions of negative curvature, turned around
  int undetermined = 0;  // directions without curvature, not moved along
};

// Directions of the scaled matrix S_ij / sqrt(S_ii S_jj) with eigenvalues below this are taken as
// undetermined. Exact gauge freedoms come out near 1e-15 times the number of parameters; motions
// that hardly excite a parameter at all are still above 1e-8.
constexpr double kUndetermined = 1e-11;

// Minimises 1/2 dd' S dd + gradient' dd. `L_d` is the multiplier-free gradient for the KKT
// residual.
ParameterStep calc_parameter_step(const Model& model, const Eigen::VectorXd& d,
                                  const Eigen::MatrixXd& S, const Eigen::VectorXd& gradient,
                                  const Eigen::VectorXd& L_d);

// Orthonormal basis of the directions that the relations leave free. Throws InputError where
// relations contradict each other; redundant ones are named in `redundant`.
Eigen::MatrixXd calc_free_directions(const Model& model, std::vector<std::string>* redundant);

// d moved onto the relations, as little as possible, then into the bounds.
Eigen::VectorXd project_parameters(const Model& model, const Eigen::VectorXd& d);

}  // namespace vesica::markers
