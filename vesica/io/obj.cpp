#include "vesica/io/obj.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>

#include "vesica/io/file_error.h"
#include "vesica/io/stl.h"

namespace vesica {

namespace detail {

std::string load_bytes(const std::filesystem::path& path) {
  std::error_code failure;
  if (std::filesystem::is_directory(path, failure)) {
    throw FileError(fmt::format("{}: is a folder; expected a mesh file", path.string()));
  }
  const auto size = std::filesystem::file_size(path, failure);
  std::ifstream file(path, std::ios::binary);
  if (failure || !file) {
    throw FileError(fmt::format("{}: cannot be read ({}); check the path", path.string(),
                                failure ? failure.message() : "no permission"));
  }
  constexpr std::uintmax_t kLargest = std::uintmax_t{1} << 31;
  if (size > kLargest) {
    throw InputError(fmt::format("{}: {} bytes; meshes above 2 GB are not read: simplify the mesh",
                                 path.string(), size));
  }
  std::string bytes(size, '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(size));
  bytes.resize(static_cast<std::size_t>(file.gcount()));
  return bytes;
}

void check_scale(double scale, const std::string& source) {
  if (std::isfinite(scale) && scale > 0) return;
  throw InputError(
      fmt::format("{}: the scale is {}; expected a positive number of metres per unit of the file",
                  source, scale));
}

std::string_view next_word(std::string_view* line) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!line->empty() && is_blank(line->front())) line->remove_prefix(1);
  std::size_t length = 0;
  while (length < line->size() && !is_blank((*line)[length])) ++length;
  const std::string_view word = line->substr(0, length);
  line->remove_prefix(length);
  return word;
}

bool parse_coordinate(std::string_view word, double* x) {
  if (word.size() > 1 && word[0] == '+' && word[1] != '-') word.remove_prefix(1);
  const char* end = word.data() + word.size();
  const auto [stop, failure] = std::from_chars(word.data(), end, *x);
  // A number too small for a double is zero as far as a mesh is concerned.
  if (failure == std::errc::result_out_of_range && stop == end) {
    const auto e = word.find_first_of("eE");
    if (e == std::string_view::npos || e + 1 >= word.size() || word[e + 1] != '-') return false;
    *x = 0;
    return true;
  }
  return failure == std::errc() && stop == end && std::abs(*x) < 1e30;  // false for NaN
}

}  // namespace detail

namespace {

class ObjParser {
 public:
  ObjParser(const std::string& source, double scale) : source_(source), scale_(scale) {}

  void parse(std::string_view bytes) {
    while (!bytes.empty()) {
      const std::size_t end = std::min(bytes.find('\n'), bytes.size());
      std::string_view line = bytes.substr(0, end);
      bytes.remove_prefix(std::min(end + 1, bytes.size()));
      ++line_number_;
      line = line.substr(0, line.find('#'));
      if (line.find_last_of('\\') != std::string_view::npos &&
          line.find_last_not_of(" \t\r") == line.find_last_of('\\')) {
        fail("a line continued with \\ is not supported; put the element on one line");
      }
      const std::string_view key = detail::next_word(&line);
      if (key == "v") add_vertex(line);
      if (key == "f") add_face(line);
    }
  }

  TriangleMesh finish() {
    if (vertices_.empty() || triangles_.empty()) {
      throw InputError(
          fmt::format("{}: found {} vertices (\"v x y z\") and {} triangles (\"f i j k\"); is this "
                      "an OBJ mesh?",
                      source_, vertices_.size(), triangles_.size()));
    }
    weld_vertices(&vertices_, &triangles_);
    return TriangleMesh(std::move(vertices_), std::move(triangles_), source_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(fmt::format("{}:{}: {}", source_, line_number_, what));
  }

  // A fourth number (weight) and vertex colours, which some programs add, are ignored.
  void add_vertex(std::string_view line) {
    Vec3d p;
    for (int k = 0; k < 3; ++k) {
      const std::string_view word = detail::next_word(&line);
      if (!detail::parse_coordinate(word, &p[k])) {
        fail(
            fmt::format("found \"{:.40}\" for coordinate {} of a vertex; expected \"v x y z\" with "
                        "three finite numbers",
                        word, k + 1));
      }
    }
    vertices_.push_back(scale_ * p);
  }

  void add_face(std::string_view line) {
    std::int32_t first = -1, previous = -1;
    int corners = 0;
    for (;;) {
      const std::string_view word = detail::next_word(&line);
      if (word.empty()) break;
      const std::int32_t index = as_index(word);
      if (++corners == 1) {
        first = index;
      } else if (corners > 2) {
        if (triangles_.size() >= kMostTriangles) fail("more than 100 million triangles");
        triangles_.push_back({first, previous, index});
      }
      previous = index;
    }
    if (corners < 3) {
      fail(fmt::format("a face with {} corner(s); expected at least three: \"f i j k\"", corners));
    }
  }

  std::int32_t as_index(std::string_view word) const {
    const std::string_view digits = word.substr(0, word.find('/'));
    std::int64_t index = 0;
    const char* end = digits.data() + digits.size();
    const auto [stop, failure] = std::from_chars(digits.data(), end, index);
    if (failure != std::errc() || stop != end) {
      fail(
          fmt::format("found \"{:.40}\" in a face; expected a vertex number, as in \"f 1 2 3\" or "
                      "\"f 1/1/1 2/2/2 3/3/3\"",
                      word));
    }
    const auto count = static_cast<std::int64_t>(vertices_.size());
    const std::int64_t zero_based = index > 0 ? index - 1 : count + index;
    if (index == 0 || zero_based < 0 || zero_based >= count) {
      fail(fmt::format(
          "a face refers to vertex {}; {} vertices are defined above this line, numbered "
          "from 1 (or from -1 backwards)",
          index, count));
    }
    return static_cast<std::int32_t>(zero_based);
  }

  static constexpr std::size_t kMostTriangles = 100'000'000;
  const std::string& source_;
  double scale_;
  std::size_t line_number_ = 0;
  std::vector<Vec3d> vertices_;
  std::vector<TriangleMesh::Triangle> triangles_;
};

}  // namespace

TriangleMesh parse_obj(std::string_view bytes, const std::string& source, double scale) {
  detail::check_scale(scale, source);
  ObjParser parser(source, scale);
  parser.parse(bytes);
  return parser.finish();
}

TriangleMesh load_obj(const std::filesystem::path& path, double scale) {
  return parse_obj(detail::load_bytes(path), path.string(), scale);
}

TriangleMesh load_mesh(const std::filesystem::path& path, double scale) {
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (extension == ".stl") return load_stl(path, scale);
  if (extension == ".obj") return load_obj(path, scale);
  throw InputError(fmt::format("{}: unknown mesh format \"{}\"; expected a file named .stl or .obj",
                               path.string(), extension));
}

}  // namespace vesica
