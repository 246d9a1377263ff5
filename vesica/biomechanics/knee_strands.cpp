#include "vesica/biomechanics/knee_strands.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <set>

#include "vesica/biomechanics/knee_parts.h"
#include "vesica/error.h"
#include "vesica/io/osim.h"
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

// Columns that a table may have.
constexpr std::array kMoreColumns = {"wrap_objects", "transition_strain", "damping_coefficient",
                                     "applies_force", "n_path_points"};
enum MoreColumn { kWraps, kTransition, kDamping, kApplies, kPathPoints };

using MorePlaces = std::array<size_t, kMoreColumns.size()>;  // beyond the heading: not there
MorePlaces find_more_columns(const std::vector<std::string_view>& heading) {
  MorePlaces places{};
  for (size_t c = 0; c < kMoreColumns.size(); ++c) {
    places[c] = static_cast<size_t>(std::find(heading.begin(), heading.end(), kMoreColumns[c]) -
                                    heading.begin());
  }
  return places;
}

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
// 'r', 'l', or 0 where the frame does not say.
char find_side(const std::string& frame) {
  if (frame.ends_with("_l") || frame.ends_with("_left")) return 'l';
  return frame.ends_with("_r") || frame.ends_with("_right") ? 'r' : '\0';
}
bool is_femur(const std::string& frame) { return frame.starts_with("femur"); }
bool is_tibia(const std::string& frame) { return frame.starts_with("tibia"); }

// One row of the table.
class StrandRow {
 public:
  StrandRow(const LineReader& reader, const ColumnPlaces& places, const MorePlaces& more,
            const std::vector<std::string_view>& fields)
      : reader_(reader), places_(places), more_(more), fields_(fields) {}

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
  // Empty where the table has no such column, or nothing in it.
  std::string_view text(MoreColumn c) const {
    return more_[c] < fields_.size() ? trim(fields_[more_[c]]) : std::string_view();
  }
  std::optional<double> number(MoreColumn c, double least) const {
    if (text(c).empty()) return std::nullopt;
    const auto x = parse_number(text(c));
    if (!x || !(*x >= least)) {
      reader_.fail(fmt::format("{}: expected a number of at least {:g}, found {}", kMoreColumns[c],
                               least, quote(text(c))));
    }
    return x;
  }
  bool applies_force() const {
    std::string word(text(kApplies));
    std::transform(word.begin(), word.end(), word.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (word.empty() || word == "true" || word == "1") return true;
    if (word == "false" || word == "0") return false;
    reader_.fail(fmt::format("applies_force: expected true or false, found {}", quote(word)));
  }
  Vec3d point(Column x, Column y, Column z) const {
    return from_opensim({number(x), number(y), number(z)});
  }

 private:
  const LineReader& reader_;
  const ColumnPlaces& places_;
  const MorePlaces& more_;
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

// Of a right knee, x to the right, z up. Every ligament between femur and tibia of an extended knee
// runs down, and collateral ones are beside the knee.
void check_place(const LineReader& reader, const KneeLigament& strand, Side side) {
  constexpr double kBeside = 0.01;
  constexpr char kAxes[] =
      "x (ox_m, ix_m) is forward, y (oy_m, iy_m) up, z (oz_m, iz_m) to the subject's right, and "
      "frames of a left knee end in _l or _left";
  if (!(strand.femur.z() > strand.tibia.z())) {
    reader.fail(
        fmt::format("{} does not run down: its end on the tibia is {:.3g} mm above the one "
                    "on the femur; {}",
                    strand.name, 1e3 * (strand.tibia.z() - strand.femur.z()), kAxes));
  }
  const double sign = strand.name.starts_with("MCL") ? -1 : strand.name.starts_with("LCL") ? 1 : 0;
  if (sign == 0 || std::min(sign * strand.femur.x(), sign * strand.tibia.x()) > kBeside) return;
  reader.fail(fmt::format(
      "{} is not clearly {} in a {} knee: its ends are {:.3g} and {:.3g} mm to "
      "the {} of the middle, expected more than {:g}; {}",
      strand.name, sign < 0 ? "medial" : "lateral", side == Side::kLeft ? "left" : "right",
      1e3 * sign * strand.femur.x(), 1e3 * sign * strand.tibia.x(), sign < 0 ? "medial" : "lateral",
      1e3 * kBeside, kAxes));
}

// The anterior cruciate ligament runs from the lateral condyle to the front of the tibia, the
// posterior one from the medial condyle to its back: what names of single strands do not tell.
void check_cruciates(const LineReader& reader, const std::vector<KneeLigament>& strands) {
  struct Bundle {
    Vec3d femur = Vec3d::Zero(), tibia = Vec3d::Zero();
    double count = 0;
  };
  const auto gather = [&](const char* name) {
    Bundle bundle;
    for (const KneeLigament& strand : strands) {
      if (!strand.name.starts_with(name)) continue;
      bundle.femur += strand.femur;
      bundle.tibia += strand.tibia;
      ++bundle.count;
    }
    return bundle;
  };
  const Bundle acl = gather("ACL"), pcl = gather("PCL");
  if (acl.count == 0 || pcl.count == 0) return;
  const auto refuse = [&](bool wrong, const char* message) {
    if (wrong) reader.fail(message);
  };
  refuse(
      !(acl.femur.x() / acl.count > pcl.femur.x() / pcl.count),
      "on the femur the strands ACL... begin medial of the strands PCL..., lateral in a knee: is "
      "z (oz_m, iz_m) to the subject's right?");
  refuse(!(acl.tibia.y() / acl.count > pcl.tibia.y() / pcl.count),
         "on the tibia the strands ACL... end behind the strands PCL..., in front in a knee: is x "
         "(ox_m, ix_m) forward?");
}

// Columns whose numbers are far from any ligament's, each once.
class DoubtfulColumns {
 public:
  void look_at(const KneeLigament& strand, double damping) {
    const double toe = 2 * strand.toe_strain.value_or(0.03);
    for (size_t k = 0; k < kRanges.size(); ++k) {
      const double x = k == 0 ? strand.stiffness * strand.slack_length : k == 1 ? toe : damping;
      if (x >= kRanges[k].low && x <= kRanges[k].high) continue;
      if (found_[k].count++ == 0) found_[k].first = fmt::format("{}: {:.4g}", strand.name, x);
    }
  }
  std::vector<std::string> tell() const {
    std::vector<std::string> told;
    for (size_t k = 0; k < kRanges.size(); ++k) {
      const auto& [column, low, high, unit] = kRanges[k];
      if (found_[k].count == 0) continue;
      told.push_back(
          fmt::format("{} of {} strand{} ({}{}) is not that of a ligament, {:g} to {:g}"
                      "{}: is it in another unit?",
                      column, found_[k].count, found_[k].count == 1 ? "" : "s", found_[k].first,
                      found_[k].count == 1 ? "" : ", ...", low, high, unit));
    }
    return told;
  }

 private:
  struct Range {
    const char* column;
    double low, high;
    const char* unit;
  };
  // Whole ligaments have some thousand N, strands a part; toes end at a few per cent; OpenSim's
  // damping is 0.003 s.
  static constexpr std::array<Range, 3> kRanges = {
      Range{"linear_stiffness_N_per_strain", 20, 3e4, " N"},
      Range{"transition_strain", 0.005, 0.3, ""}, Range{"damping_coefficient", 0, 0.3, " s"}};
  struct Found {
    size_t count = 0;
    std::string first;
  };
  std::array<Found, kRanges.size()> found_;
};

std::vector<std::string> find_missing_groups(const std::vector<KneeLigament>& strands) {
  std::vector<std::string> missing;
  for (const char* group : {"MCL", "LCL", "ACL", "PCL"}) {
    if (std::none_of(strands.begin(), strands.end(),
                     [&](const auto& strand) { return strand.name.starts_with(group); })) {
      missing.emplace_back(group);
    }
  }
  return missing;
}

// What else is called so in the scene.
void check_strand_name(const LineReader& reader, const std::string& name) {
  constexpr std::array kTaken = {"medial", "lateral", "knee", "femur", "tibia"};
  if (name.empty()) reader.fail("a strand needs a name");
  if (std::find(kTaken.begin(), kTaken.end(), name) != kTaken.end()) {
    reader.fail(fmt::format(
        "a strand cannot be called '{}': a bone, a compartment or the measure of the knee is; "
        "rename it",
        name));
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
  check_place(reader, strand, side);
  constexpr double kLeastTransition = 1e-6;
  if (const auto end = row.number(kTransition, kLeastTransition)) strand.toe_strain = 0.5 * *end;
  if (const auto rate = row.number(kDamping, 0)) strand.damping = strand.stiffness * *rate;
  return strand;
}

}  // namespace

KneeStrands load_knee_strands(const std::string& path, double tibia_origin) {
  std::ifstream stream = open_input(path);
  return read_knee_strands(stream, path, tibia_origin);
}

KneeStrands read_knee_strands(std::istream& stream, const std::string& name_of_file,
                              double tibia_origin) {
  LineReader reader(stream, name_of_file);
  std::string_view line;
  std::vector<std::string_view> fields;
  if (!reader.next(&line)) reader.fail("the file is empty; expected a table of ligament strands");
  split_at(line, ',', &fields);
  const ColumnPlaces places = find_columns(reader, fields);
  const size_t width = fields.size();
  const MorePlaces more = find_more_columns(fields);
  KneeStrands strands;
  std::set<std::string, std::less<>> names, surfaces;
  std::string side;
  DoubtfulColumns doubtful;
  while (reader.next(&line)) {
    if (trim(line).empty()) continue;
    split_at(line, ',', &fields);
    if (fields.size() > width) {
      reader.fail(
          fmt::format("the row has {} cells, the heading {}; a decimal comma, or a comma in "
                      "a name?",
                      fields.size(), width));
    }
    const StrandRow row(reader, places, more, fields);
    const std::string name(row.text(kName));
    check_strand_name(reader, name);
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
    if (!row.applies_force()) {
      strands.left_out.push_back(fmt::format("{} (applies_force is false)", name));
      continue;
    }
    const char on[] = {find_side(from), find_side(to)};
    const std::string here = on[0] == 'l' || on[1] == 'l' ? "left" : "right";
    if ((on[0] != on[1] && on[0] != 0 && on[1] != 0) || (!side.empty() && side != here)) {
      reader.fail(fmt::format("{} runs from {} to {}; a table is of one knee, right or left", name,
                              from, to));
    }
    side = here;
    strands.side = here == "left" ? Side::kLeft : Side::kRight;
    strands.ligaments.push_back(read_strand(reader, row, is_reversed, strands.side));
    doubtful.look_at(strands.ligaments.back(), row.number(kDamping, 0).value_or(0));
    strands.ligaments.back().tibia += Vec3d(0, 0, tibia_origin);
    const std::string surface(row.text(kWraps));
    strands.frames.push_back({surface, is_reversed ? to : from, is_reversed ? from : to});
    if (!surface.empty()) {
      strands.straightened.push_back(name);
      surfaces.insert(surface);
    }
    if (row.number(kPathPoints, 2).value_or(2) > 2) strands.shortened.push_back(name);
  }
  strands.surfaces.assign(surfaces.begin(), surfaces.end());
  if (strands.ligaments.empty()) reader.fail("no strand runs from the femur to the tibia");
  check_cruciates(reader, strands.ligaments);
  strands.doubtful = doubtful.tell();
  strands.missing = find_missing_groups(strands.ligaments);
  return strands;
}

namespace {

// Where a surface of an OpenSim model is in a right knee, and what of it a strand meets; else why
// the strand runs straight.
struct PlacedSurface {
  std::optional<KneeSurface> surface;
  std::string reason;
};
PlacedSurface place_surface(const OsimWrap& wrap, const KneeStrands::Frames& frames,
                            const Vec3d& on_femur, const Vec3d& on_tibia, Side side) {
  const std::string body = read_frame(wrap.body);
  if (body != frames.femur && body != frames.tibia) {
    return {{}, fmt::format("{} is fixed to {}", wrap.name, wrap.body)};
  }
  if (!wrap.is_active) return {{}, fmt::format("{} is not active", wrap.name)};
  if (!wrap.quadrant.empty() && wrap.quadrant != "all") {
    return {{}, fmt::format("{} holds lines on its half {} only", wrap.name, wrap.quadrant)};
  }
  if (wrap.shape == OsimWrap::Shape::kOther) {
    return {{}, fmt::format("{} is a {}", wrap.name, wrap.type_in_file)};
  }
  Mat3<double> to_knee;  // as from_opensim
  to_knee << 0, 0, 1, 1, 0, 0, 0, 1, 0;
  KneeSurface s;
  s.on_tibia = body == frames.tibia;
  s.radii = wrap.radii;
  s.place = {to_knee * wrap.X_BS.R_WB, from_opensim(wrap.X_BS.p_WB)};
  if (side == Side::kLeft) {
    const Vec3d mirror(-1, 1, 1);
    s.place = {mirror.asDiagonal() * s.place.R_WB * mirror.asDiagonal(),
               detail::on_side(s.place.p_WB, side)};
  }
  const auto local = [&](const Vec3d& p) {
    return Vec3d(s.place.R_WB.transpose() * (p - s.place.p_WB));
  };
  if (wrap.shape == OsimWrap::Shape::kCylinder) {
    const double from = local(on_femur).z(), to = local(on_tibia).z();
    if (std::max(std::abs(from), std::abs(to)) > wrap.radii.z()) {
      return {{}, fmt::format("it runs beyond the ends of the cylinder {}", wrap.name)};
    }
    s.is_cylinder = true;
  }
  const auto is_inside = [&](const Vec3d& p) {
    const Vec3d x = local(p).cwiseQuotient(s.radii);
    return !((s.is_cylinder ? x.head<2>().norm() : x.norm()) > 1);
  };
  if (is_inside(on_femur)) return {{}, fmt::format("begins inside {}", wrap.name)};
  if (is_inside(on_tibia)) return {{}, fmt::format("ends inside {}", wrap.name)};
  return {s, {}};
}

}  // namespace

void add_strand_surfaces(const std::string& osim, double tibia_origin, KneeStrands* strands) {
  add_strand_surfaces(load_osim_wraps(osim), osim, tibia_origin, strands);
}

void add_strand_surfaces(const std::vector<OsimWrap>& wraps, const std::string& osim,
                         double tibia_origin, KneeStrands* strands) {
  const auto find = [&](const std::string& name) {
    return std::find_if(wraps.begin(), wraps.end(), [&](const auto& w) { return w.name == name; });
  };
  const auto& names = strands->surfaces;
  if (names.empty()) {
    throw InputError(
        fmt::format("{}: no strand of the table wraps over anything; the column "
                    "'wrap_objects' names the surfaces",
                    osim));
  }
  if (std::none_of(names.begin(), names.end(),
                   [&](const std::string& name) { return find(name) != wraps.end(); })) {
    throw InputError(
        fmt::format("{}: has none of the surfaces that the table names ({}) among the "
                    "wrap objects of its bodies",
                    osim, fmt::join(names, ", ")));
  }
  const Vec3d origin(0, 0, tibia_origin);
  strands->straightened.clear();
  for (size_t k = 0; k < strands->ligaments.size(); ++k) {
    KneeLigament& strand = strands->ligaments[k];
    const KneeStrands::Frames& frames = strands->frames[k];
    if (frames.surface.empty()) continue;
    const auto wrap = find(frames.surface);
    PlacedSurface placed;
    if (wrap == wraps.end()) {
      placed.reason = fmt::format("no {} in {}", frames.surface, osim);
    } else {
      placed = place_surface(*wrap, frames, strand.femur, strand.tibia - origin, strands->side);
    }
    if (placed.surface) {
      if (placed.surface->on_tibia) placed.surface->place.p_WB += origin;
      strand.over = placed.surface;
      ++strands->wrapped;
    } else {
      strands->straightened.push_back(fmt::format("{} ({})", strand.name, placed.reason));
    }
  }
}

KneeOptions make_strand_options(const std::string& path, KneeStrands* read,
                                const std::string& surfaces) {
  // Spheres through the medial and lateral cartilage of the femur (x < 12 mm, |z| > 12 mm of a
  // healthy knee in OpenSim's axes): rms 0.9 mm. Planes through the faces of its tibial cartilage
  // that look up (within 45 deg), medial and lateral, rise forward by 8.0 and 4.4 deg: these are
  // the slopes here, the planes laid below the spheres. Their tilt in the frontal plane (14.5 and
  // 11.9 deg up to the middle: the rims and the eminence) is left out: with it one plane would
  // push its sphere to the side.
  constexpr double kTibiaOrigin = 0.2357, kSlopes[] = {0.1409, 0.0761};
  KneeOptions options;
  KneeStrands strands = load_knee_strands(path, kTibiaOrigin);
  if (!surfaces.empty()) add_strand_surfaces(surfaces, kTibiaOrigin, &strands);
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
