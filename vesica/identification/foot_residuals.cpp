#include "vesica/identification/foot_residuals.h"

#include <algorithm>
#include <cmath>

#include "vesica/error.h"

namespace vesica::foot_detail {
namespace {

constexpr double kSoftening = 20;  // N, see foot_fit.h

// Rows of the upper triangle U with U'U = G, G symmetric and positive semi-definite: a direction
// that G does not see becomes a row of zeros. Columns have units of their own (newtons a metre, a
// radian, a N/m^3): what G does not see is told from its diagonal made 1.
Eigen::MatrixXd calc_root(Eigen::MatrixXd G) {
  constexpr double kUnseen = 1e-13;
  const Eigen::Index n = G.rows();
  const Eigen::VectorXd size = G.diagonal().cwiseSqrt();
  const Eigen::VectorXd inverse = size.unaryExpr([](double s) { return s > 0 ? 1 / s : 0.0; });
  G = inverse.asDiagonal() * G * inverse.asDiagonal();
  for (Eigen::Index k = 0; k < n; ++k) {
    if (!(G(k, k) > kUnseen)) {
      G.row(k).tail(n - k).setZero();
      continue;
    }
    G.row(k).tail(n - k) /= std::sqrt(G(k, k));
    for (Eigen::Index i = k + 1; i < n; ++i) {
      G.row(i).tail(n - i) -= G(k, i) * G.row(k).tail(n - i);
    }
  }
  for (Eigen::Index k = 1; k < n; ++k) G.row(k).head(k).setZero();
  return G * size.asDiagonal();
}

}  // namespace

Mat3d calc_frame_residuals(const FootStance& stance, size_t f, const FootLoad& load,
                           const Eigen::Vector2d& offset, const FootFitSettings& settings,
                           double frames, double* r) {
  const double w_force =
      settings.imposed ? 0 : std::sqrt(settings.force_weight / frames) / stance.weight;
  Mat3d by_load = Mat3d::Zero();
  r[0] = w_force * (load[0] - stance.force[f]);
  r[1] = r[2] = 0;
  by_load(0, 0) = w_force;
  if (!(stance.force[f] > settings.cop_threshold) || !stance.cop[f].allFinite()) return by_load;
  const double w_cop = std::sqrt(settings.cop_weight / frames) / settings.cop_scale;
  const double inverse = 1 / (load[0] + kSoftening);
  for (int k = 0; k < 2; ++k) {
    const double measured = stance.cop[f][k] - offset[k];
    const double difference = (load[1 + k] - load[0] * measured) * inverse;
    r[1 + k] = w_cop * difference;
    by_load(1 + k, 0) = -w_cop * (measured + difference) * inverse;
    by_load(1 + k, 1 + k) = w_cop * inverse;
  }
  return by_load;
}

// A frame with its curves.
struct FootResiduals::Frame {
  size_t stance;
  size_t at;  // frame of the stance
  const FootModel& foot;
  FootFrame frame;
  Corrected corrected;
  Vec3d offset;         // of the plate
  bool carries = true;  // false: the force is imposed, and there is none
};

FootResiduals::FootResiduals(const FootModel& start, const std::vector<FootStance>& stances,
                             const FootFitSettings& settings)
    : stances_(stances),
      settings_(settings),
      unknowns_(start, stances, settings),
      order_(start),
      columns_(start),
      force_row_(order_.size()) {
  for (size_t s = 0; s < stances.size(); ++s) {
    const FootStance& stance = stances[s];
    basis_.push_back(
        make_stance_basis(stance, settings.knots, settings.toe == FootFitSettings::Toe::kPitch));
    frames_ += static_cast<int>(stance.frames.size());
    picture_of_.emplace_back(stance.frames.size());
    if (!(settings.pressure_weight > 0)) continue;
    const std::vector<size_t> chosen = choose_pictures(stance, settings);
    for (const size_t k : chosen) {
      const FootPressureFrame& one = stance.pressure[k];
      picture_of_[s][one.frame].push_back({s, k, 0});
      ++pictures_;
    }
  }
  const bool cells = settings.pressure == FootFitSettings::Pressure::kCells;
  for (auto& of_stance : picture_of_) {
    for (auto& of_frame : of_stance) {
      for (Picture& p : of_frame) {
        const FootStance& stance = stances[p.stance];
        const auto& measured = stance.pressure[p.picture].pressure;
        const auto loaded =
            std::count_if(measured.begin(), measured.end(), [](double value) { return value > 0; });
        p.scale = std::sqrt(settings.pressure_weight / pictures_) * stance.grid.area() /
                  stance.weight *
                  (cells ? std::sqrt(static_cast<double>(std::max<std::ptrdiff_t>(1, loaded))) : 1);
      }
    }
  }
  picture_rows_ = cells ? order_.size() + 1 : 1;
  rows_ = 3 * frames_ + pictures_ * picture_rows_ + unknowns_.size();
}

double FootResiduals::prior_weight() const { return std::sqrt(settings_.priors.weight / frames_); }

bool FootResiduals::evaluate(const double* x, double* r, double* jacobian) {
  Eigen::Map<Eigen::VectorXd> residuals(r, rows_);
  residuals.setZero();
  if (jacobian != nullptr) {
    Eigen::Map<RowMatrix>(jacobian, rows_, unknowns_.size()).setZero();
  }
  const FootModel foot = unknowns_.make_foot(x);
  int row = 0, picture_row = first_picture_row();
  for (size_t s = 0; s < stances_.size(); ++s) {
    const FootCurves curves = unknowns_.make_curves(x, s);
    Vec3d offset = Vec3d::Zero();
    if (const int plate = unknowns_.plate_of(s); plate >= 0) {
      offset = unknowns_.plate_units().cwiseProduct(Eigen::Map<const Vec3d>(x + plate));
    }
    for (size_t f = 0; f < stances_[s].frames.size(); ++f, row += 3) {
      auto [at, corrected] =
          correct_frame(stances_[s], static_cast<Eigen::Index>(f), curves, basis_[s]);
      Frame frame{s, f, foot, std::move(at), corrected, offset};
      frame.frame.foot.X_WB.p_WB.z() -= offset.z();
      if (settings_.imposed) {
        frame.carries = stances_[s].force[f] > 0;
        if (!frame.carries) {
          picture_row += picture_rows_ * static_cast<int>(picture_of_[s][f].size());
          continue;
        }
        try {
          impose_force(foot, stances_[s].force[f], &frame.frame);
        } catch (const InputError&) {
          return false;  // more than this foot carries
        }
      }
      add_frame(frame, row, r, jacobian);
      for (const Picture& picture : picture_of_[s][f]) {
        add_picture(frame, picture, picture_row, r, jacobian);
        picture_row += picture_rows_;
      }
    }
  }
  add_priors(x, picture_row, r, jacobian);
  return residuals.allFinite();
}

// The height follows from the force: a number that would change the force by dN lifts the foot by
// -dN/(dN/dz). Velocities have no part.
void FootResiduals::impose(Eigen::Ref<Eigen::MatrixXd> local) const {
  const int z = order_.motion() + 2;
  const Eigen::VectorXd by_z = local.col(z) / force_row_[z];
  local -= by_z * force_row_;
  local.middleCols(order_.motion() + 6, 6).setZero();
  for (int j = 0; j < unknowns_.joints(); ++j) local.col(order_.rate(j)).setZero();
}

void FootResiduals::expand(const Eigen::Ref<const Eigen::MatrixXd>& local, const Frame& frame,
                           double* first_row) const {
  Eigen::Map<RowMatrix> rows(first_row, local.rows(), unknowns_.size());
  const auto n = static_cast<Eigen::Index>(frame.at);
  const int knots = settings_.knots;
  if (unknowns_.contact() > 0) {
    rows.leftCols(unknowns_.contact()) =
        local.leftCols(unknowns_.contact()) * unknowns_.contact_units(frame.foot).asDiagonal();
  }
  if (const int plate = unknowns_.plate_of(frame.stance); plate >= 0) {
    rows.col(plate + 2) = -unknowns_.plate_units().z() * local.col(order_.motion() + 2);
  }
  if (const int first = unknowns_.toe_of(frame.stance); first >= 0) {
    const Basis& b = basis_[frame.stance].toe;
    for (int j = 0; j < unknowns_.joints(); ++j) {
      rows.middleCols(first + j * knots, knots) =
          settings_.priors.toe_angle * (local.col(order_.angle(j)) * b.value.row(n) +
                                        local.col(order_.rate(j)) * b.slope.row(n));
    }
  }
  if (const int first = unknowns_.correction_of(frame.stance); first >= 0) {
    const Basis& b = basis_[frame.stance].correction;
    const auto motion = local.middleCols(order_.motion(), 12);
    const Eigen::MatrixXd by_phi = motion.middleCols<3>(3) * frame.corrected.turn_by_phi +
                                   motion.rightCols<3>() * frame.corrected.spin_by_phi;
    const Eigen::MatrixXd by_rate = motion.rightCols<3>() * frame.corrected.spin_by_rate;
    for (int c = 0; c < 3; ++c) {
      rows.middleCols(first + c * knots, knots) =
          unknowns_.correction_unit(c) *
          (motion.col(c) * b.value.row(n) + motion.col(6 + c) * b.slope.row(n));
      rows.middleCols(first + (3 + c) * knots, knots) =
          unknowns_.correction_unit(3 + c) *
          (by_phi.col(c) * b.value.row(n) + by_rate.col(c) * b.slope.row(n));
    }
  }
}

void FootResiduals::add_frame(const Frame& frame, int row, double* r, double* jacobian) {
  const FootStance& stance = stances_[frame.stance];
  const FootLoad load = jacobian == nullptr ? calc_foot_load(frame.foot, frame.frame)
                                            : calc_foot_load(frame.foot, frame.frame, &columns_);
  const Mat3d by_load = calc_frame_residuals(stance, frame.at, load, frame.offset.head<2>(),
                                             settings_, static_cast<double>(frames_), r + row);
  if (jacobian == nullptr) return;
  Eigen::MatrixXd local = by_load * columns_.all;
  if (settings_.imposed) {
    force_row_ = columns_.all.row(0);
    impose(local);
  }
  expand(local, frame, jacobian + static_cast<std::ptrdiff_t>(row) * unknowns_.size());
  if (const int plate = unknowns_.plate_of(frame.stance); plate >= 0) {
    Eigen::Map<RowMatrix> J(jacobian, rows_, unknowns_.size());
    for (int k = 0; k < 2; ++k) {
      J(row + 1 + k, plate + k) = by_load(1 + k, 1 + k) * load[0] * settings_.priors.plate;
    }
  }
}

void FootResiduals::add_picture(const Frame& frame, const Picture& picture, int row, double* r,
                                double* jacobian) {
  const FootStance& stance = stances_[frame.stance];
  const std::vector<double>& measured = stance.pressure[picture.picture].pressure;
  const bool cells = settings_.pressure == FootFitSettings::Pressure::kCells;
  if (jacobian == nullptr) {
    calc_foot_pressure(frame.foot, frame.frame, stance.grid, &pressure_);
  } else {
    calc_foot_pressure(frame.foot, frame.frame, stance.grid, &pressure_, &pressure_columns_);
  }
  double squares = 0, sizes = 0;
  for (size_t c = 0; c < measured.size(); ++c) {
    const double difference = picture.scale * (pressure_[c] - measured[c]);
    squares += difference * difference;
    sizes += std::abs(difference);
  }
  r[row] = cells ? std::sqrt(squares) : sizes;
  if (jacobian == nullptr) return;

  const auto touched = static_cast<Eigen::Index>(pressure_columns_.cells.size());
  Eigen::MatrixXd local(touched, order_.size() + 1);
  local.leftCols(order_.size()) = picture.scale * pressure_columns_.all.topRows(touched);
  for (Eigen::Index k = 0; k < touched; ++k) {
    const auto cell = static_cast<size_t>(pressure_columns_.cells[static_cast<size_t>(k)]);
    local(k, order_.size()) = picture.scale * (pressure_[cell] - measured[cell]);
  }
  if (settings_.imposed) impose(local.leftCols(order_.size()));
  double* const first_row = jacobian + static_cast<std::ptrdiff_t>(row) * unknowns_.size();
  if (cells && collected_ != nullptr) {
    PictureCells one{frame.stance, {}, local.col(order_.size()), {}};
    one.cells.assign(pressure_columns_.cells.begin(), pressure_columns_.cells.begin() + touched);
    one.J = RowMatrix::Zero(touched, unknowns_.size());
    expand(local.leftCols(order_.size()), frame, one.J.data());
    collected_->push_back(std::move(one));
  }
  if (!cells) {
    Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(1, order_.size());
    for (Eigen::Index k = 0; k < touched; ++k) {
      sum += std::copysign(1.0, local(k, order_.size())) * local.row(k).head(order_.size());
    }
    expand(sum, frame, first_row);
    return;
  }
  // With U'U = [J r]'[J r] the rows of U are a smaller problem with the same normal equations; the
  // squares of cells that nothing touches, which have no derivative, are added to its last entry.
  Eigen::MatrixXd G = local.transpose() * local;
  G(order_.size(), order_.size()) = squares;
  const Eigen::MatrixXd U = calc_root(std::move(G));
  for (int k = 0; k < picture_rows_; ++k) r[row + k] = U(k, order_.size());
  expand(U.leftCols(order_.size()), frame, first_row);
}

std::vector<FootResiduals::PictureCells> FootResiduals::list_picture_cells(const double* x) {
  std::vector<PictureCells> all;
  if (pictures_ == 0) return all;
  Eigen::VectorXd r(rows_);
  RowMatrix J(rows_, unknowns_.size());
  collected_ = &all;
  evaluate(x, r.data(), J.data());
  collected_ = nullptr;
  return all;
}

// One row a parameter: contact and toe by their spreads; corrections by theirs, and at least by a
// hair, which holds the constant that their zero mean makes void.
void FootResiduals::add_priors(const double* x, int row, double* r, double* jacobian) const {
  const double correction = settings_.correction_spread > 0
                                ? 1 / (settings_.correction_spread * std::sqrt(frames_))
                                : 1e-6;
  std::vector<double> weights(static_cast<size_t>(unknowns_.size()), prior_weight());
  for (size_t s = 0; s < stances_.size(); ++s) {
    const int first = unknowns_.correction_of(s);
    for (int k = 0; first >= 0 && k < 6 * settings_.knots; ++k) {
      weights[static_cast<size_t>(first + k)] = correction;
    }
  }
  for (int k = 0; k < unknowns_.size(); ++k) {
    const double weight = weights[static_cast<size_t>(k)];
    r[row + k] = weight * x[k];
    if (jacobian != nullptr) {
      Eigen::Map<RowMatrix>(jacobian, rows_, unknowns_.size())(row + k, k) = weight;
    }
  }
}

}  // namespace vesica::foot_detail
