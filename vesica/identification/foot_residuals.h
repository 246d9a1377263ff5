// What a fit of a foot minimises: the vector x of unknowns, residuals and their exact Jacobian.
// Internal to identification/.
#pragma once

#include "vesica/identification/foot_curves.h"
#include "vesica/math/bounded_least_squares.h"

namespace vesica::foot_detail {

// Where a parameter stands in x: contact, what stances share (toe, plates), what each has for
// itself (toe, correction). x is 0 at the start for contact parameters and in units of a spread or
// limit everywhere.
class FootUnknowns {
 public:
  FootUnknowns(const FootModel& start, const std::vector<FootStance>& stances,
               const FootFitSettings& settings);
  int size() const { return size_; }
  int contact() const { return contact_; }
  int joints() const { return joints_; }
  int toe_of(size_t stance) const;         // -1: measured
  int correction_of(size_t stance) const;  // -1: none
  int plate_of(size_t stance) const;       // -1: none; three numbers
  Vec3d plate_units() const {
    return {settings_.priors.plate, settings_.priors.plate, settings_.priors.height};
  }

  FootModel make_foot(const double* x) const;
  FootCurves make_curves(const double* x, size_t stance) const;
  FootPlates make_plates(const double* x) const;
  double correction_unit(int channel) const;
  // What a column of FootOrder is worth in units of x, for the contact's columns.
  Eigen::VectorXd contact_units(const FootModel& foot) const;
  void set_bounds(Eigen::VectorXd* lower, Eigen::VectorXd* upper) const;
  // x of another foot, its splines zero.
  Eigen::VectorXd make_x(const FootModel& foot) const;

 private:
  const FootModel& start_;
  const FootFitSettings& settings_;
  std::vector<int> plates_;  // of each stance
  int plate_count_ = 0;
  int joints_ = 0, contact_ = 0, toe_ = 0, correction_ = 0;
  int first_plate_ = 0, first_own_ = 0, own_ = 0, size_ = 0;
  bool shared_ = false;
};

// The three residuals of a frame (normal force, centre of pressure), and their derivatives by the
// load (N, N x, N y). `offset` is what the plate adds to the centre of pressure; `frames`: of all
// stances together.
Mat3d calc_frame_residuals(const FootStance& stance, size_t f, const FootLoad& load,
                           const Eigen::Vector2d& offset, const FootFitSettings& settings,
                           double frames, double* r);

// Rows: force and the two of the centre of pressure for every frame, stance after stance; then the
// pictures; then the priors. A picture's hundreds of rows are condensed to as many as it has
// columns, with the same sum of squares and the same normal equations (see the .cpp).
class FootResiduals {
 public:
  FootResiduals(const FootModel& start, const std::vector<FootStance>& stances,
                const FootFitSettings& settings);
  const FootUnknowns& unknowns() const { return unknowns_; }
  int rows() const { return rows_; }
  int frames() const { return frames_; }
  // Pictures, and how many rows each has.
  int pictures() const { return pictures_; }
  int picture_rows() const { return picture_rows_; }
  int first_picture_row() const { return 3 * frames_; }
  double prior_weight() const;  // of a row of the contact's priors

  // False where x cannot be evaluated.
  bool evaluate(const double* x, double* r, double* jacobian);

  // A picture before it is condensed: a row for every cell that the foot touches.
  struct PictureCells {
    size_t stance = 0;
    std::vector<int> cells;
    Eigen::VectorXd r;
    RowMatrix J;
  };
  // Of all pictures; empty where a picture is one residual (Pressure::kSums).
  std::vector<PictureCells> list_picture_cells(const double* x);

 private:
  struct Frame;
  struct Picture {
    size_t stance, picture;
    double scale;  // of a cell's difference
  };
  void add_frame(const Frame& frame, int row, double* r, double* jacobian);
  void add_picture(const Frame& frame, const Picture& picture, int row, double* r,
                   double* jacobian);
  void add_priors(const double* x, int row, double* r, double* jacobian) const;
  void impose(Eigen::Ref<Eigen::MatrixXd> local) const;
  // From columns of FootOrder to those of x: as many rows of a Jacobian, from `first_row` on.
  void expand(const Eigen::Ref<const Eigen::MatrixXd>& local, const Frame& frame,
              double* first_row) const;

  const std::vector<FootStance>& stances_;
  const FootFitSettings& settings_;
  FootUnknowns unknowns_;
  FootOrder order_;
  FootColumns columns_;
  PressureColumns pressure_columns_;
  std::vector<double> pressure_;
  std::vector<PictureCells>* collected_ = nullptr;  // while they are listed
  Eigen::RowVectorXd force_row_;  // derivatives of the normal force, where it is imposed
  std::vector<StanceBasis> basis_;
  std::vector<std::vector<std::vector<Picture>>> picture_of_;  // [stance][frame]
  int frames_ = 0, pictures_ = 0, picture_rows_ = 0, rows_ = 0;
};

}  // namespace vesica::foot_detail
