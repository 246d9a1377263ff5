// Moments of a segment of the unit disc: the part x >= c, c = cos(alpha), s = sin(alpha), alpha in
// [0, pi] half of the arc's angle. Lengths along the axis count from the chord, so that a thin
// segment loses no digits.
#pragma once

#include <cmath>

namespace vesica::detail {

struct CircularSegment {
  double area;  // alpha - s c
  double x;     // integral of (x - c)
  double xx;    // integral of (x - c)^2
  double yy;    // integral of y^2
};

// Below this s^2 the closed forms cancel (xx like s^4); ten terms of the series in s^2 reach double
// rounding there.
constexpr double kSegmentSeries = 0.03;
constexpr int kSegmentTerms = 10;

struct SegmentSeries {
  // Coefficients of s^(2k) in area/s^3, x/s^5, xx/s^7, yy/s^5, four to a row.
  alignas(32) double c[kSegmentTerms][4];

  constexpr SegmentSeries() : c{} {
    // root: sqrt(1 - t) = sum a_k t^k; its inverse sum b_k t^k. With t = sin^2 of the angle,
    //   area = 2 sum b_k s^(2k+3)/(2k+3)        yy = (2/3) sum b_k s^(2k+5)/(2k+5)
    //   x = (2/3) s^3 - c area                   xx = 2 sum a_k s^(2k+3)/(2k+3) - (4/3) c s^3
    //                                                + c^2 area
    constexpr int n = kSegmentTerms + 3;
    long double a[n] = {1}, b[n] = {1}, area[n] = {}, first[n] = {}, second[n] = {};
    for (int k = 1; k < n; ++k) {
      a[k] = a[k - 1] * (k - 1.5L) / k;
      b[k] = b[k - 1] * (k - 0.5L) / k;
    }
    for (int k = 0; k < n; ++k) area[k] = 2 * b[k] / (2 * k + 3);
    for (int k = 0; k < n; ++k) {
      first[k] = k == 0 ? 2.0L / 3 : 0.0L;
      for (int m = 0; m <= k; ++m) first[k] -= a[m] * area[k - m];
      second[k] = 2 * a[k] / (2 * k + 3) - 4.0L / 3 * a[k] + area[k] - (k > 0 ? area[k - 1] : 0.0L);
    }
    for (int k = 0; k < kSegmentTerms; ++k) {
      c[k][0] = static_cast<double>(area[k]);
      c[k][1] = static_cast<double>(first[k + 1]);
      c[k][2] = static_cast<double>(second[k + 2]);
      c[k][3] = static_cast<double>(2 * b[k] / (3.0L * (2 * k + 5)));
    }
  }
};
inline constexpr SegmentSeries kSegmentTable;

inline CircularSegment calc_circular_segment(double s, double c) {
  const double s2 = s * s;
  if (s2 < kSegmentSeries && c > 0) {
    typedef double Row __attribute__((vector_size(32)));
    Row sum = {0, 0, 0, 0};
    for (int k = kSegmentTerms - 1; k >= 0; --k) {
      const double* r = kSegmentTable.c[k];
      sum = sum * s2 + Row{r[0], r[1], r[2], r[3]};
    }
    const double s3 = s2 * s, s5 = s3 * s2;
    return {s3 * sum[0], s5 * sum[1], s5 * s2 * sum[2], s5 * sum[3]};
  }
  const double alpha = std::atan2(s, c), sc = s * c, s3 = s2 * s;
  const double area = alpha - sc;
  return {area, 2.0 / 3 * s3 - c * area,
          0.25 * (alpha - sc * (1 - 2 * s2)) - 4.0 / 3 * c * s3 + c * c * area,
          0.25 * (alpha - sc) - s3 * c / 6};
}

}  // namespace vesica::detail
