#include "vesica/io/stl.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "vesica/error.h"
#include "vesica/io/binary_output.h"
#include "vesica/io/obj.h"
#include "vesica/io/output_file.h"

namespace vesica {

namespace {

using Triangle = TriangleMesh::Triangle;

constexpr std::size_t kHeader = 84;  // 80 bytes of text, then the number of facets
constexpr std::size_t kFacet = 50;   // normal, three vertices (float), two bytes of attributes

std::uint32_t little_endian_32(const char* p) {
  std::uint32_t x = 0;
  for (int k = 0; k < 4; ++k) x |= std::uint32_t{static_cast<unsigned char>(p[k])} << (8 * k);
  return x;
}

TriangleMesh make_mesh(std::vector<Vec3d> corners, const std::string& source) {
  std::vector<Triangle> triangles(corners.size() / 3);
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    const auto k = static_cast<std::int32_t>(3 * t);
    triangles[t] = {k, k + 1, k + 2};
  }
  weld_vertices(&corners, &triangles);
  return TriangleMesh(std::move(corners), std::move(triangles), source);
}

TriangleMesh parse_binary(std::string_view bytes, const std::string& source, double scale) {
  if (bytes.size() < kHeader) {
    throw InputError(fmt::format(
        "{}: {} bytes; a binary STL has a header of 84: the file is truncated or not an STL mesh",
        source, bytes.size()));
  }
  // The count comes from the file: trusted only as far as the bytes reach.
  const std::size_t count = little_endian_32(bytes.data() + 80);
  const std::size_t present = (bytes.size() - kHeader) / kFacet;
  if (count > present) {
    throw InputError(
        fmt::format("{}: byte {}: the header announces {} triangles, the file ends after {} ({} "
                    "bytes; expected "
                    "{}): the file is truncated, or not an STL mesh",
                    source, bytes.size(), count, present, bytes.size(), kHeader + count * kFacet));
  }
  std::vector<Vec3d> corners;
  corners.reserve(3 * count);
  for (std::size_t t = 0; t < count; ++t) {
    for (int k = 0; k < 3; ++k) {
      const std::size_t at = kHeader + t * kFacet + 12 * (k + 1);
      Vec3d p;
      for (int c = 0; c < 3; ++c) {
        p[c] = std::bit_cast<float>(little_endian_32(bytes.data() + at + 4 * c));
        if (!(std::abs(p[c]) < 1e30)) {
          throw InputError(fmt::format(
              "{}: byte {}: coordinate {} of vertex {} of triangle {} is {}; expected a finite "
              "number: the file is damaged",
              source, at + 4 * c, c + 1, k + 1, t + 1, p[c]));
        }
      }
      corners.push_back(scale * p);
    }
  }
  return make_mesh(std::move(corners), source);
}

// facet normal x y z / outer loop / vertex x y z (three times) / endloop / endfacet. Only the
// vertices carry information; the keywords are checked because a missing vertex would shift all
// that follow.
class AsciiParser {
 public:
  AsciiParser(const std::string& source, double scale) : source_(source), scale_(scale) {}

  std::vector<Vec3d> parse(std::string_view bytes) {
    while (!bytes.empty()) {
      const std::size_t end = std::min(bytes.find('\n'), bytes.size());
      std::string_view line = bytes.substr(0, end);
      bytes.remove_prefix(std::min(end + 1, bytes.size()));
      ++line_number_;
      parse_line(line);
    }
    if (in_facet_) fail("the file ends inside a facet: it is truncated");
    return std::move(corners_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(fmt::format("{}:{}: {}", source_, line_number_, what));
  }

  void parse_line(std::string_view line) {
    std::string key(detail::next_word(&line));
    std::transform(key.begin(), key.end(), key.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (key.empty() || key == "outer" || key == "endloop") return;
    if (key == "solid" || key == "endsolid") {
      if (in_facet_) fail(fmt::format("\"{}\" inside a facet; \"endfacet\" is missing", key));
    } else if (key == "facet") {
      if (in_facet_) fail("a facet begins inside another; \"endfacet\" is missing");
      in_facet_ = true;
      first_corner_ = corners_.size();
    } else if (key == "endfacet") {
      if (!in_facet_) fail("\"endfacet\" without \"facet\"");
      const std::size_t count = corners_.size() - first_corner_;
      if (count != 3) fail(fmt::format("a facet with {} vertices; expected three", count));
      in_facet_ = false;
    } else if (key == "vertex") {
      if (!in_facet_) fail("a vertex outside of a facet");
      add_vertex(line);
    } else {
      fail(
          fmt::format("found \"{:.40}\"; expected solid, facet, outer loop, vertex, endloop, "
                      "endfacet or endsolid",
                      key));
    }
  }

  void add_vertex(std::string_view line) {
    Vec3d p;
    for (int k = 0; k < 3; ++k) {
      const std::string_view word = detail::next_word(&line);
      if (!detail::parse_coordinate(word, &p[k])) {
        fail(
            fmt::format("found \"{:.40}\" for coordinate {} of a vertex; expected \"vertex x y z\" "
                        "with three finite numbers",
                        word, k + 1));
      }
    }
    corners_.push_back(scale_ * p);
  }

  const std::string& source_;
  double scale_;
  std::size_t line_number_ = 0;
  bool in_facet_ = false;
  std::size_t first_corner_ = 0;
  std::vector<Vec3d> corners_;
};

// The word "solid" proves nothing: exporters write it into binary headers as well. A file whose
// length fits its binary count is binary; else a file that begins with "solid" and has a facet or
// an end among its first bytes of plain text is ASCII.
bool is_ascii(std::string_view bytes) {
  if (bytes.size() >= kHeader) {
    const std::size_t count = little_endian_32(bytes.data() + 80);
    if (bytes.size() == kHeader + count * kFacet) return false;
  }
  std::string_view rest = bytes;
  while (!rest.empty() && std::strchr(" \t\r\n", rest.front()) && rest.front() != '\0') {
    rest.remove_prefix(1);
  }
  if (!rest.starts_with("solid") && !rest.starts_with("SOLID")) return false;
  return rest.substr(0, 512).find('\0') == std::string_view::npos;
}

}  // namespace

TriangleMesh parse_stl(std::string_view bytes, const std::string& source, double scale) {
  detail::check_scale(scale, source);
  if (bytes.empty()) throw InputError(fmt::format("{}: the file is empty", source));
  if (!is_ascii(bytes)) return parse_binary(bytes, source, scale);
  return make_mesh(AsciiParser(source, scale).parse(bytes), source);
}

TriangleMesh load_stl(const std::filesystem::path& path, double scale) {
  return parse_stl(detail::load_bytes(path), path.string(), scale);
}

std::string make_stl(const SurfaceMesh& mesh) {
  const std::string what = "STL mesh";
  detail::check_indices(mesh, what);
  std::string facets;
  std::uint32_t count = 0;
  for (const Triangle& t : mesh.triangles) {
    const Vec3d &a = mesh.vertices[t[0]], &b = mesh.vertices[t[1]], &c = mesh.vertices[t[2]];
    const Vec3d area = (b - a).cross(c - a);
    if (area.norm() == 0) continue;
    for (const Vec3d& x : {Vec3d(area.normalized()), a, b, c}) {
      for (int k = 0; k < 3; ++k) detail::append_single(x[k], what, &facets);
    }
    facets.append(2, '\0');
    ++count;
  }
  std::string bytes = "binary STL, metres, by Vesica";
  bytes.resize(80, ' ');
  detail::append_32(count, &bytes);
  return bytes + facets;
}

void save_stl(const std::filesystem::path& path, const SurfaceMesh& mesh) {
  save_text(path.string(), make_stl(mesh));
}

}  // namespace vesica
