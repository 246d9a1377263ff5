#include "vesica/biomechanics/knee_strands.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

#include "vesica/biomechanics/knee_parts.h"
#include "vesica/io/text_input.h"

namespace vesica::biomechanics {
namespace {

constexpr std::array kColumns = {"name",
                                 "linear_stiffness_N_per_strain",
                                 "slack_length_m",
                                 "origin_frame",
                                 "ox_m",
                                 "oy_m",
                                 "oz_m",
                                 "insertion_frame",
                                 "ix_m",
                                 "iy_m",
                                 "iz_m"};
enum Column { kName, kStiffness, kSlack, kOrigin, kOx, kOy, kOz, kInsertion, kIx, kIy, kIz };

using ColumnPlaces = std::array<size_t, kColumns.size()>;

ColumnPlaces find_columns(const LineReader& reader, const std::vector<std::string_view>& heading) {
  ColumnPlaces places{};
  for (size_t c = 0; c < kColumns.size(); ++c) {
    const auto found = std::find(heading.begin(), heading.end(), kColumns[c]);
    if (found == heading.end()) {
      reader.fail(fmt::format("a table of ligament strands needs the column '{}'{}", kColumns[c],
                              heading.size() == 1 ? "; columns are separated by commas" : ""));
    }
    places[c] = static_cast<size_t>(found - heading.begin());
  }
  return places;
}

// x anterior, y superior, z right to x right, y anterior, z proximal.
Vec3d from_opensim(const Vec3d& p) { return {p.z(), p.x(), p.y()}; }

// "/bodyset/Femur_distal_r" to "femur_distal_r".
std::string read_frame(std::string_view frame) {
  std::string name(frame.substr(frame.rfind('/') + 1));
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name;
}
bool is_femur(const std::string& frame) { return frame.starts_with("femur"); }
bool is_tibia(const std::string& frame) { return frame.starts_with("tibia"); }

// One row of the table.
class StrandRow {
 public:
  StrandRow(const LineReader& reader, const ColumnPlaces& places,
            const std::vector<std::string_view>& fields)
      : reader_(reader), places_(places), fields_(fields) {}

  std::string_view text(Column c) const {
    if (places_[c] < fields_.size()) return fields_[places_[c]];
    reader_.fail(fmt::format("the row ends before its column '{}'", kColumns[c]));
  }
  double number(Column c) const {
    const auto x = parse_number(text(c));
    if (!x) {
      reader_.fail(fmt::format("{}: expected a number, found {}", kColumns[c], quote(text(c))));
    }
    return *x;
  }
  Vec3d point(Column x, Column y, Column z) const {
    return from_opensim({number(x), number(y), number(z)});
  }

 private:
  const LineReader& reader_;
  const ColumnPlaces& places_;
  const std::vector<std::string_view>& fields_;
};

// A knee is a hand wide: what is not says that a column is in another unit.
void check_lengths(const LineReader& reader, const KneeLigament& strand) {
  constexpr double kFarthest = 0.5, kRatio = 2;
  const double apart = (strand.tibia - strand.femur).norm();
  const double far = std::max(strand.femur.norm(), strand.tibia.norm());
  if (far > kFarthest) {
    reader.fail(fmt::format("{}: a point lies {:.3g} m from the knee; coordinates are in metres",
                            strand.name, far));
  }
  if (strand.slack_length > kRatio * apart || apart > kRatio * strand.slack_length) {
    reader.fail(
        fmt::format("{}: the slack length is {:.3g} m, and its ends are {:.3g} m apart in the "
                    "extended knee; both are in metres",
                    strand.name, strand.slack_length, apart));
  }
}

KneeLigament read_strand(const LineReader& reader, const StrandRow& row, bool is_reversed,
                         Side side) {
  KneeLigament strand;
  strand.name = std::string(row.text(kName));
  strand.slack_length = row.number(kSlack);
  const double per_strain = row.number(kStiffness);
  if (!(strand.slack_length > 0) || !(per_strain > 0)) {
    reader.fail(fmt::format("{}: stiffness and slack length are greater than zero", strand.name));
  }
  strand.stiffness = per_strain / strand.slack_length;
  strand.femur = detail::on_side(row.point(kOx, kOy, kOz), side);
  strand.tibia = detail::on_side(row.point(kIx, kIy, kIz), side);
  if (is_reversed) std::swap(strand.femur, strand.tibia);
  check_lengths(reader, strand);
  return strand;
}

}  // namespace

KneeStrands load_knee_strands(const std::string& path, double tibia_origin) {
  std::ifstream stream = open_input(path);
  LineReader reader(stream, path);
  std::string_view line;
  std::vector<std::string_view> fields;
  if (!reader.next(&line)) reader.fail("the file is empty; expected a table of ligament strands");
  split_at(line, ',', &fields);
  const ColumnPlaces places = find_columns(reader, fields);
  const size_t width = fields.size();
  const auto wraps =
      static_cast<size_t>(std::find(fields.begin(), fields.end(), "wrap_objects") - fields.begin());
  KneeStrands strands;
  std::set<std::string, std::less<>> names, surfaces;
  std::string side;
  while (reader.next(&line)) {
    if (trim(line).empty()) continue;
    split_at(line, ',', &fields);
    if (fields.size() > width) {
      reader.fail(
          fmt::format("the row has {} cells, the heading {}; a decimal comma, or a comma in "
                      "a name?",
                      fields.size(), width));
    }
    const StrandRow row(reader, places, fields);
    const std::string name(row.text(kName));
    if (name.empty()) reader.fail("a strand needs a name");
    if (!names.insert(name).second) {
      reader.fail(fmt::format("there is a strand '{}' already; its name heads columns", name));
    }
    const std::string from = read_frame(row.text(kOrigin)), to = read_frame(row.text(kInsertion));
    const bool is_reversed = is_tibia(from) && is_femur(to);
    if (!is_reversed && !(is_femur(from) && is_tibia(to))) {
      const std::string& end = is_femur(from) || is_tibia(from) ? to : from;
      strands.left_out.push_back(
          from == to ? fmt::format("{} (both ends on {})", name, from)
                     : fmt::format("{} ({} on {})", name, &end == &to ? "ends" : "begins", end));
      continue;
    }
    const std::string here = from.ends_with("_l") || to.ends_with("_l") ? "left" : "right";
    if ((from.ends_with("_l") && to.ends_with("_r")) ||
        (from.ends_with("_r") && to.ends_with("_l")) || (!side.empty() && side != here)) {
      reader.fail(fmt::format("{} runs from {} to {}; a table is of one knee, right or left", name,
                              from, to));
    }
    side = here;
    strands.side = here == "left" ? Side::kLeft : Side::kRight;
    strands.ligaments.push_back(read_strand(reader, row, is_reversed, strands.side));
    strands.ligaments.back().tibia += Vec3d(0, 0, tibia_origin);
    if (wraps < fields.size() && !fields[wraps].empty()) {
      strands.straightened.push_back(name);
      surfaces.emplace(fields[wraps]);
    }
  }
  strands.surfaces.assign(surfaces.begin(), surfaces.end());
  if (strands.ligaments.empty()) reader.fail("no strand runs from the femur to the tibia");
  return strands;
}

KneeOptions make_strand_options(const std::string& path, KneeStrands* read) {
  // Spheres through the medial and lateral cartilage of the femur (x < 12 mm, |z| > 12 mm of a
  // healthy knee in OpenSim's axes): rms 0.9 mm. Planes through the top of its tibial cartilage
  // rise forward by these slopes; they are laid below the spheres.
  constexpr double kTibiaOrigin = 0.2357, kSlopes[] = {0.1236, 0.1394};
  KneeOptions options;
  const KneeStrands strands = load_knee_strands(path, kTibiaOrigin);
  if (read != nullptr) *read = strands;
  options.ligaments = strands.ligaments;
  options.side = strands.side;
  options.condyles = {Condyle{{-0.0203, 0.0015, 0.0006}, Vec3d::Constant(0.0229)},
                      Condyle{{0.0216, -0.0007, 0.0005}, Vec3d::Constant(0.0218)}};
  for (size_t k = 0; k < 2; ++k) {
    const Vec3d normal = Vec3d(0, -kSlopes[k], 1).normalized();
    options.plateaus[k].normal = normal;
    options.plateaus[k].point = options.condyles[k].center -
                                options.condyles[k].radii.x() * normal + Vec3d(0, 0, kTibiaOrigin);
  }
  options.start = Vec3d(0, 0, -kTibiaOrigin);
  return options;
}

}  // namespace vesica::biomechanics
