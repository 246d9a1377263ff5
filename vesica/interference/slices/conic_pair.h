// Where two conics of a plane meet, one of them an ellipse.
#pragma once

namespace vesica::detail {

struct Vec2 {
  double x, y;
};
inline Vec2 operator+(const Vec2& a, const Vec2& b) { return {a.x + b.x, a.y + b.y}; }
inline Vec2 operator-(const Vec2& a, const Vec2& b) { return {a.x - b.x, a.y - b.y}; }
inline Vec2 operator*(double s, const Vec2& a) { return {s * a.x, s * a.y}; }
inline double dot(const Vec2& a, const Vec2& b) { return a.x * b.x + a.y * b.y; }
inline double cross(const Vec2& a, const Vec2& b) { return a.x * b.y - a.y * b.x; }
inline Vec2 turned(const Vec2& a) { return {-a.y, a.x}; }  // by +90 degrees

// xx x^2 + 2 xy x y + yy y^2 + 2 x x + 2 y y + c
struct Conic {
  double xx, xy, yy, x, y, c;

  double operator()(const Vec2& p) const {
    return p.x * (xx * p.x + 2 * (xy * p.y + x)) + p.y * (yy * p.y + 2 * y) + c;
  }
};

// Part of the unit circle: a.w <= h.
struct CirclePart {
  Vec2 a;
  double h;
};
// The zeros of a conic on the unit circle, as unit vectors: at most four; returns how many. A
// tangency that misses by rounding may be found or not: callers use one answer for both curves.
// Zeros outside of one of the `parts` may be left out.
int find_on_unit_circle(const Conic& conic, Vec2 points[4], const CirclePart* parts = nullptr,
                        int part_count = 0);

// The stationary points of the conic's values on the unit circle: at most four; returns how many.
int find_extrema_on_unit_circle(const Conic& conic, Vec2 points[4]);

// The stationary point of the conic's values on the unit circle whose value is nearest to zero;
// returns that value. For tangencies.
double find_tangency_on_unit_circle(const Conic& conic, Vec2* point);

// Bounded, if it is not empty.
inline bool is_ellipse(const Conic& g) {
  return g.xx > 0 && g.xx * g.yy - g.xy * g.xy > 1e-12 * g.xx * g.xx;
}

// The points of two conics; `a` must be an ellipse, else none.
int find_common_points(const Conic& a, const Conic& b, Vec2 points[4]);

}  // namespace vesica::detail
