#include "vesica/geometry/polyhedron_clipper.h"

#include <algorithm>
#include <utility>

namespace vesica {

void PolyhedronClipper::start(const ConvexPolyhedron& polyhedron) {
  const std::size_t count = polyhedron.planes().size();
  vertices_.clear_for(polyhedron.vertices().size());
  for (const Vec3d& x : polyhedron.vertices()) vertices_.push(x);
  faces_.clear_for(count);
  corners_.clear_for(polyhedron.corner_count());
  for (std::size_t f = 0; f < count; ++f) {
    const auto begin = static_cast<std::int32_t>(corners_.size());
    for (const Corner& corner : polyhedron.face(f)) corners_.push(corner);
    faces_.push({static_cast<std::int32_t>(f), begin, static_cast<std::int32_t>(corners_.size())});
  }
}

std::int32_t PolyhedronClipper::keep_vertex(std::int32_t v) {
  if (new_index_[v] < 0) {
    new_index_[v] = static_cast<std::int32_t>(next_vertices_.size());
    next_vertices_.push(vertices_[v]);
  }
  return new_index_[v];
}

// A plane cuts few edges: a list is searched faster than a table is kept.
std::int32_t PolyhedronClipper::find_crossing(std::int32_t inside, std::int32_t outside) {
  for (std::size_t k = 0; k < crossings_.size(); ++k) {
    if (crossings_[k].inside == inside && crossings_[k].outside == outside) {
      return static_cast<std::int32_t>(k);
    }
  }
  const double h_in = height_[inside], h_out = height_[outside];
  const Vec3d &a = vertices_[inside], &b = vertices_[outside];
  crossings_.push({inside, outside, static_cast<std::int32_t>(next_vertices_.size()), -1, -1});
  next_vertices_.push(a + (h_in / (h_in - h_out)) * (b - a));
  return static_cast<std::int32_t>(crossings_.size()) - 1;
}

void PolyhedronClipper::cut_face(const Face& face, std::int32_t tag) {
  const auto begin = static_cast<std::int32_t>(next_corners_.size());
  std::int32_t first_entry = -1, exit = -1;  // crossings
  // The outline leaves at `from` and comes back at `to`: an edge of this face along the plane, and
  // the same edge the other way round for the new face.
  const auto link = [&](std::int32_t from, std::int32_t to) {
    crossings_[to].cap_next = from;
    crossings_[to].cap_tag = face.tag;
  };
  for (std::int32_t k = face.begin; k < face.end; ++k) {
    const Corner& corner = corners_[k];
    const std::int32_t v = corner.vertex;
    const std::int32_t w = corners_[k + 1 < face.end ? k + 1 : face.begin].vertex;
    const bool v_is_in = height_[v] <= 0, w_is_in = height_[w] <= 0;
    if (v_is_in) next_corners_.push({keep_vertex(v), corner.neighbour});
    if (v_is_in && !w_is_in) {
      exit = find_crossing(v, w);
      next_corners_.push({crossings_[exit].vertex, tag});
    } else if (!v_is_in && w_is_in) {
      const std::int32_t entry = find_crossing(w, v);
      next_corners_.push({crossings_[entry].vertex, corner.neighbour});
      if (exit < 0) {
        first_entry = entry;
      } else {
        link(exit, entry);
        exit = -1;
      }
    }
  }
  if (first_entry >= 0) link(exit, first_entry);
  const auto end = static_cast<std::int32_t>(next_corners_.size());
  if (end - begin < 3) {
    next_corners_.shrink(begin);
  } else {
    next_faces_.push({face.tag, begin, end});
  }
}

void PolyhedronClipper::add_cap(std::int32_t tag) {
  for (std::size_t start = 0; start < crossings_.size(); ++start) {
    if (crossings_[start].cap_next < 0) continue;  // already on an outline
    const auto begin = static_cast<std::int32_t>(next_corners_.size());
    auto k = static_cast<std::int32_t>(start);
    while (k >= 0 && crossings_[k].cap_next >= 0) {
      next_corners_.push({crossings_[k].vertex, crossings_[k].cap_tag});
      k = std::exchange(crossings_[k].cap_next, -1);
    }
    const auto end = static_cast<std::int32_t>(next_corners_.size());
    if (end - begin < 3) {
      next_corners_.shrink(begin);
    } else {
      next_faces_.push({tag, begin, end});
    }
  }
}

PolyhedronClipper::Outcome PolyhedronClipper::cut(const Plane& plane, std::int32_t tag) {
  height_.clear_for(vertices_.size());
  double lowest = 0, highest = 0;
  for (const Vec3d& x : vertices_) {
    const double height = plane.normal.dot(x) - plane.offset;
    height_.push(height);
    lowest = std::min(lowest, height);
    highest = std::max(highest, height);
  }
  if (!(lowest < 0)) return Outcome::kEmpty;
  if (!(highest > 0)) return Outcome::kUntouched;
  // A cut edge gives a vertex, a corner to each of its two faces and one to the new face. Two
  // corners make an edge; twice the room is for outlines that rounding has folded.
  const std::size_t edges = corners_.size();
  new_index_.clear_for(vertices_.size());
  for (std::size_t v = 0; v < vertices_.size(); ++v) new_index_.push(-1);
  next_vertices_.clear_for(vertices_.size() + edges);
  next_corners_.clear_for(corners_.size() + 3 * edges);
  next_faces_.clear_for(faces_.size() + edges);
  crossings_.clear_for(edges);
  for (const Face& face : faces_) cut_face(face, tag);
  add_cap(tag);
  vertices_.swap(next_vertices_);
  faces_.swap(next_faces_);
  corners_.swap(next_corners_);
  return Outcome::kCut;
}

}  // namespace vesica
