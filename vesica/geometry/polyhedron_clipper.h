// Cuts a convex polyhedron by half-spaces, one after the other, in buffers that are kept.
//
// A vertex is in or out by the sign of its distance to the plane, found once for all faces that
// share it; a cut edge gives one new vertex to both its faces; the new face is linked from the cut
// edges of the others. The result is therefore closed whatever rounding does to the signs (faces
// that coincide, vertices in the plane), and integrals over it are wrong by rounding only: about
// 1e-16 of the size times the area. A vertex in the plane counts as inside, so a plane that only
// touches from outside does not cut. Loops of fewer than three corners have no area and are left
// out.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "vesica/geometry/convex_polyhedron.h"

namespace vesica {

// A list whose room is made once for many entries, so that adding one is a store.
template <class T>
class Buffer {
 public:
  void clear_for(std::size_t most) {
    if (data_.size() < most) data_.resize(2 * most);
    count_ = 0;
  }
  void push(const T& entry) { data_[count_++] = entry; }
  void shrink(std::size_t count) { count_ = count; }
  std::size_t size() const { return count_; }
  T& operator[](std::size_t k) { return data_[k]; }
  const T& operator[](std::size_t k) const { return data_[k]; }
  const T* begin() const { return data_.data(); }
  const T* end() const { return data_.data() + count_; }
  void swap(Buffer& other) {
    data_.swap(other.data_);
    std::swap(count_, other.count_);
  }

 private:
  std::vector<T> data_;
  std::size_t count_ = 0;
};

class PolyhedronClipper {
 public:
  // As ConvexPolyhedron::Corner, faces named by their tags.
  using Corner = ConvexPolyhedron::Corner;
  // A polygon in the plane that `tag` names: corners [begin, end).
  struct Face {
    std::int32_t tag, begin, end;
  };
  enum class Outcome { kUntouched, kCut, kEmpty };

  // Tags are the indices of the polyhedron's faces.
  void start(const ConvexPolyhedron& polyhedron);
  // Keeps what lies in the half-space; the new face gets the tag.
  Outcome cut(const Plane& plane, std::int32_t tag);

  const Buffer<Vec3d>& vertices() const { return vertices_; }
  const Buffer<Face>& faces() const { return faces_; }
  const Buffer<Corner>& corners() const { return corners_; }

 private:
  struct Crossing {
    std::int32_t inside, outside, vertex;
    std::int32_t cap_next, cap_tag;  // on the new face's outline: where to, and the face across
  };

  std::int32_t keep_vertex(std::int32_t v);
  std::int32_t find_crossing(std::int32_t inside, std::int32_t outside);
  void cut_face(const Face& face, std::int32_t tag);
  void add_cap(std::int32_t tag);

  Buffer<Vec3d> vertices_, next_vertices_;
  Buffer<Face> faces_, next_faces_;
  Buffer<Corner> corners_, next_corners_;
  Buffer<double> height_;           // of the vertices over the plane of the cut
  Buffer<std::int32_t> new_index_;  // of the vertices that stay; -1 until met
  Buffer<Crossing> crossings_;
};

}  // namespace vesica
