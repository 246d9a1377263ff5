#include "vesica/markers/model_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "vesica/io/osim.h"

namespace vesica::markers {
namespace {

int find_or_add(Model& model, const std::string& name, Unit unit, double start,
                const InputNode& at) {
  const int k = model.find_parameter(name);
  if (k < 0) return model.add_parameter({name, unit, start});
  if (model.parameters[k].unit != unit) {
    at.fail(
        fmt::format("parameter '{}' is already used for something in {}, here it would be in {}",
                    name, name_of(model.parameters[k].unit), name_of(unit)));
  }
  return k;
}

int read_segment_name(const InputNode& node, const Model& model, bool ground_allowed) {
  const std::string name = node.text();
  if (ground_allowed && name == "ground") return kGround;
  const int k = model.find_segment(name);
  if (k < 0) {
    std::string known;
    for (const Segment& s : model.segments) known += (known.empty() ? "" : ", ") + s.name;
    node.fail(fmt::format("'{}' is no segment; there are {}", name, known));
  }
  return k;
}

// Origin and two directions of a frame that a standing trial gives. The direction that is written
// first is kept.
void read_standing_frame(const InputNode& node, Segment& segment) {
  constexpr std::string_view kKeys[] = {"forward", "up", "right"};
  size_t count = 0;
  for (const auto& [key, value] : node.entries()) {
    const auto axis = std::find(std::begin(kKeys), std::end(kKeys), key);
    if (axis == std::end(kKeys) && key != "origin") {
      if (segment.standing && key != "frame" && key != "body") {
        value.fail("a segment with the frame of a standing trial has no scale to find");
      }
      continue;
    }
    if (!segment.standing) value.fail("only with `frame: standing`");
    if (key == "origin") {
      segment.standing_origin = value.text();
      continue;
    }
    value.expect_list(2);
    if (count == 2) value.fail("two of forward, up and right are enough");
    segment.standing_axes[count++] = {static_cast<int>(axis - std::begin(kKeys)),
                                      value.at(size_t{0}).text(), value.at(1).text()};
  }
  if (!segment.standing) return;
  if (count < 2) node.fail("a frame of a standing trial needs two of forward, up and right");
  if (segment.standing_origin.empty()) node.fail("a frame of a standing trial needs its `origin`");
}

void read_points(const InputNode& list, Model& model) {
  for (const auto& [name, node] : list.entries()) {
    StandingPoint point{name};
    if (node.is_list()) {
      for (const InputNode& item : node.items()) point.markers.push_back(item.text());
      if (point.markers.empty()) node.fail("expected the names of markers or of points before it");
      for (const std::string& other : point.markers) {
        if (other == name) node.fail("a point cannot be made of itself");
      }
    } else {
      node.allow({"hip", "asis", "psis"});
      point.hip = node.at("hip").choice({"left", "right"}) == 0 ? Side::kLeft : Side::kRight;
      for (const char* key : {"asis", "psis"}) {
        node.at(key).expect_list(2);
        for (size_t k = 0; k < 2; ++k) point.markers.push_back(node.at(key).at(k).text());
      }
    }
    model.points.push_back(point);
  }
}

void read_segments(const InputNode& list, Model& model) {
  for (const auto& entry : list.entries()) model.segments.push_back({entry.first});
  for (const auto& [name, node] : list.entries()) {
    node.allow(
        {"scale", "length", "parameter", "frame", "origin", "forward", "up", "right", "body"});
    Segment& segment = model.segments[model.find_segment(name)];
    if (const auto body = node.find("body")) {
      segment.body =
          static_cast<BodyPart>(body->choice({"none", "pelvis", "thigh", "shank", "foot"}));
    }
    if (const auto frame = node.find("frame")) {
      segment.standing = frame->choice({"technical", "standing"}) == 1;
      segment.technical = !segment.standing;
    }
    read_standing_frame(node, segment);
    if (segment.standing) continue;
    const auto scale = node.find("scale");
    if (!scale) continue;
    if (segment.technical) scale->fail("a segment with a technical frame has no scale to find");
    const std::string kind = scale->text();
    const auto custom = node.find("parameter");
    if (kind == "uniform") {
      if (const auto length = node.find("length")) {
        segment.base_length = length->positive(dimension::kLength);
        const int p = find_or_add(model, custom ? custom->text() : name + ".length", Unit::kMeter,
                                  segment.base_length, node);
        for (Affine& s : segment.scale) s = Affine{0, p, 1 / segment.base_length};
      } else {
        const int p =
            find_or_add(model, custom ? custom->text() : name + ".scale", Unit::kRatio, 1, node);
        for (Affine& s : segment.scale) s = Affine{0, p, 1};
      }
    } else if (kind == "per_axis") {
      for (int k = 0; k < 3; ++k) {
        segment.scale[k] = Affine{
            0,
            find_or_add(model, fmt::format("{}.scale_{}", name, "xyz"[k]), Unit::kRatio, 1, node),
            1};
      }
    } else if (kind != "fixed") {
      scale->fail(fmt::format("expected uniform, per_axis or fixed, found '{}'", kind));
    }
  }
}

Point read_point(const InputNode& node) {
  const Vec3d x = node.vector(dimension::kLength);
  Point p;
  for (int k = 0; k < 3; ++k) p.coordinate[k] = Affine{x[k]};
  return p;
}

// Either {direction: [x, y, z]}, found as two tilts about it, or {sequence: yxz, angles: [a, b]}.
Axis read_axis(const InputNode& node) {
  Axis axis;
  if (node.is_list()) {
    const Vec3d v = node.vector(dimension::kNumber);
    if (!(v.norm() > 1e-9)) node.fail("a direction must not be zero");
    axis.base = calc_turn_of_z(v.normalized());
    return axis;
  }
  node.allow({"sequence", "angles"});
  const std::string letters = node.at("sequence").text();
  std::string sorted = letters;
  std::sort(sorted.begin(), sorted.end());
  if (sorted != "xyz") {
    node.at("sequence")
        .fail(
            "expected three different letters, such as xyz or yxz; the last is the "
            "axis itself");
  }
  for (int k = 0; k < 3; ++k) axis.sequence[k] = letters[k] - 'x';
  const InputNode angles = node.at("angles");
  angles.expect_list(2);
  for (size_t k = 0; k < 2; ++k) axis.angle[k] = Affine{angles.at(k).number(dimension::kAngle)};
  return axis;
}

void find_coordinate(Model& model, Point& point, int k, const std::string& name,
                     const InputNode& at) {
  const double start = point.coordinate[k].constant;
  point.coordinate[k] = Affine{
      0, find_or_add(model, fmt::format("{}.{}", name, "xyz"[k]), Unit::kMeter, start, at), 1};
  point.scaled[k] = false;  // found values are metres on the subject
}
void find_axis(Model& model, Axis& axis, const std::string& name, const InputNode& at) {
  for (int k = 0; k < 2; ++k) {
    const double start = axis.angle[k].constant;
    axis.angle[k] = Affine{0,
                           find_or_add(model, fmt::format("{}.{}", name, "xyz"[axis.sequence[k]]),
                                       Unit::kRadian, start, at),
                           1};
  }
}

// What the angles mean, where the joint's name does not tell or tells something else.
void read_meaning(const InputNode& node, Joint& joint) {
  const auto meaning = node.find("meaning"), side = node.find("side");
  if (row_of(joint.type).speeds == 0 || joint.type == JointType::kFree) {
    for (const auto& key : {meaning, side}) {
      if (key) key->fail(fmt::format("a {} joint has no angle to name", row_of(joint.type).name));
    }
  }
  if (meaning) {
    std::vector<std::string_view> names;
    for (const MeaningRow& row : meaning_rows()) names.push_back(row.name);
    joint.meaning = meaning_rows()[meaning->choice(names)].meaning;
  }
  if (!side) return;
  joint.side = static_cast<Side>(side->choice({"none", "left", "right"}));
  const Side named = read_side(joint.name).side;
  if (named != Side::kNone && named != *joint.side) {
    side->fail(
        fmt::format("the joint is called '{}', which says {}; rename the joint or leave "
                    "out `side`",
                    joint.name, name_of(named)));
  }
  const JointMeaning what =
      joint.meaning.value_or(find_meaning(joint.name).value_or(JointMeaning::kOther));
  if (*joint.side != Side::kNone && !row_of(what).has_side) {
    side->fail(fmt::format("a joint of the {} has no side", row_of(what).name));
  }
}

void read_joint(const std::string& name, const InputNode& node, Model& model) {
  node.allow({"type", "parent", "child", "parent_center", "child_center", "parent_axis",
              "child_axis", "axis", "offset", "find", "side", "meaning", "center"});
  Joint joint;
  joint.name = name;
  std::vector<std::string_view> names;
  for (const JointType type : kMarkerJoints) names.push_back(row_of(type).name);
  names.emplace_back("hinge");  // anatomists' name of a revolute joint
  const size_t type = node.at("type").choice(names);
  joint.type = type < std::size(kMarkerJoints) ? kMarkerJoints[type] : JointType::kRevolute;
  joint.parent = read_segment_name(node.at("parent"), model, true);
  joint.child = read_segment_name(node.at("child"), model, false);
  if (const auto p = node.find("center")) joint.center = p->text();
  if (const auto p = node.find("parent_center")) joint.parent_center = read_point(*p);
  if (const auto p = node.find("child_center")) joint.child_center = read_point(*p);
  if (const auto offset = node.find("offset")) {
    const Vec3d o = offset->vector(dimension::kLength);
    for (int k = 0; k < 3; ++k) joint.child_center.coordinate[k].constant -= o[k];
  }
  if (const auto a = node.find("axis")) joint.parent_axis = joint.child_axis = read_axis(*a);
  if (const auto a = node.find("parent_axis")) joint.parent_axis = read_axis(*a);
  if (const auto a = node.find("child_axis")) joint.child_axis = read_axis(*a);
  if (const auto list = node.find("find")) {
    for (const InputNode& item : list->items()) {
      const std::string what = item.text();
      const auto dot = what.find('.');
      const std::string base = what.substr(0, dot);
      if (base == "parent_axis" || base == "child_axis") {
        if (row_of(joint.type).axes == 0) {
          item.fail(fmt::format("a {} joint has no axis to find", row_of(joint.type).name));
        }
        find_axis(model, base == "parent_axis" ? joint.parent_axis : joint.child_axis,
                  name + "." + base, item);
      } else if (base == "parent_center" || base == "child_center") {
        Point& point = base == "parent_center" ? joint.parent_center : joint.child_center;
        const std::string letters = dot == std::string::npos ? "xyz" : what.substr(dot + 1);
        for (char c : letters) {
          if (c < 'x' || c > 'z') item.fail("expected coordinates x, y, z after the dot");
          find_coordinate(model, point, c - 'x', name + "." + base, item);
        }
      } else {
        item.fail(
            "expected parent_center, child_center (with .x, .yz, ... for some coordinates), "
            "parent_axis or child_axis");
      }
    }
  }
  read_meaning(node, joint);
  model.joints.push_back(joint);
}

void read_marker(const std::string& name, const InputNode& node, Model& model) {
  node.allow({"segment", "position", "find", "weight", "label"});
  Marker marker;
  marker.name = name;
  marker.segment = read_segment_name(node.at("segment"), model, false);
  if (const auto label = node.find("label")) marker.label = label->text();
  if (const auto weight = node.find("weight")) {
    marker.weight = weight->non_negative(dimension::kNumber);
  }
  const Segment& segment = model.segments[marker.segment];
  if (segment.technical || segment.standing) {
    if (const auto p = node.find("position")) {
      p->fail(
          segment.technical
              ? "the segment's frame is technical: its markers' positions come from the recording"
              : "the markers' positions on this segment come from the standing trial");
    }
    if (const auto p = node.find("find"); p && segment.standing) {
      p->fail("the markers' positions on this segment come from the standing trial");
    }
  } else {
    marker.position = read_point(node.at("position"));
  }
  if (const auto list = node.find("find")) {
    for (char c : list->text()) {
      if (c < 'x' || c > 'z') list->fail("expected coordinates such as xyz or xz");
      find_coordinate(model, marker.position, c - 'x', name, *list);
    }
  }
  model.markers.push_back(marker);
}

const Dimension& dimension_of(Unit unit) {
  return unit == Unit::kMeter    ? dimension::kLength
         : unit == Unit::kRadian ? dimension::kAngle
                                 : dimension::kNumber;
}

int read_parameter_name(const InputNode& node, const std::string& name, const Model& model) {
  const int k = model.find_parameter(name);
  if (k < 0) {
    std::string known;
    for (const Parameter& p : model.parameters) known += (known.empty() ? "" : ", ") + p.name;
    node.fail(fmt::format("'{}' is no parameter of this model; there are {}", name, known));
  }
  return k;
}

void read_parameters(const InputNode& list, Model& model) {
  for (const auto& [name, node] : list.entries()) {
    Parameter& p = model.parameters[read_parameter_name(node, name, model)];
    const Dimension& unit = dimension_of(p.unit);
    node.allow({"start", "bounds", "prior"});
    if (const auto start = node.find("start")) p.start = start->number(unit);
    if (const auto bounds = node.find("bounds")) {
      bounds->expect_list(2);
      p.lower = bounds->at(size_t{0}).number(unit);
      p.upper = bounds->at(1).number(unit);
      if (!(p.lower < p.upper)) bounds->fail("the lower bound must be below the upper one");
    }
    if (const auto prior = node.find("prior")) {
      prior->allow({"mean", "sd"});
      p.prior_mean = prior->at("mean").number(unit);
      p.prior_sd = prior->at("sd").positive(unit);
    }
  }
}

void read_relations(const InputNode& list, Model& model) {
  for (const InputNode& node : list.items()) {
    node.allow({"equal", "sum", "value"});
    ParameterRelation relation;
    if (const auto equal = node.find("equal")) {
      const auto names = equal->items();
      if (names.size() < 2) equal->fail("expected at least two parameters");
      for (size_t k = 1; k < names.size(); ++k) {
        relation.terms = {{read_parameter_name(names[0], names[0].text(), model), 1},
                          {read_parameter_name(names[k], names[k].text(), model), -1}};
        relation.name = names[0].text() + " = " + names[k].text();
        model.relations.push_back(relation);
      }
      continue;
    }
    for (const auto& [name, factor] : node.at("sum").entries()) {
      relation.terms.emplace_back(read_parameter_name(factor, name, model),
                                  factor.number(dimension::kNumber));
      relation.name += (relation.name.empty() ? "" : " + ") + name;
    }
    if (relation.terms.empty()) node.fail("the sum has no terms");
    const Unit unit = model.parameters[relation.terms.front().first].unit;
    relation.value = node.at("value").number(dimension_of(unit));
    model.relations.push_back(relation);
  }
}

// The coordinates' own names and signs, where a joint turns as ours do: about one axis, or about Z,
// X' and Y'' of its frame.
std::vector<Joint::NamedAngle> find_named_angles(const NeutralJoint& source, JointType type,
                                                 const Mat3d& turn) {
  std::vector<Joint::NamedAngle> angles;
  if (source.axes.empty() && source.coordinates.size() == 1 && type == JointType::kRevolute) {
    return {{source.coordinates[0].name, Vec3d::UnitZ()}};
  }
  for (const NeutralAxis& axis : source.axes) {
    if (axis.translates || axis.coordinate.empty()) continue;
    const double sign = axis.slope < 0 ? -1 : 1;
    angles.push_back({axis.coordinate, sign * (turn.transpose() * axis.axis)});
  }
  if (type == JointType::kRevolute && !angles.empty()) {
    angles.resize(1);
    return angles;
  }
  constexpr int kAxes[] = {2, 0, 1};
  bool is_ours = type == JointType::kSpherical && angles.size() == 3;
  for (size_t k = 0; k < 3 && is_ours; ++k) is_ours = std::abs(angles[k].axis[kAxes[k]]) > 0.999;
  if (!is_ours) angles.clear();
  return angles;
}

}  // namespace

Model read_model(const InputFile& file) {
  const InputNode root = file.root();
  root.allow({"vesica", "model", "segments", "joints", "markers", "parameters", "relations",
              "objective", "points"});
  root.at("vesica").integer(1, 1);
  Model model;
  model.name = root.at("model").text();
  if (const auto points = root.find("points")) read_points(*points, model);
  read_segments(root.at("segments"), model);
  if (const auto joints = root.find("joints")) {
    for (const auto& [name, node] : joints->entries()) read_joint(name, node, model);
  }
  for (const auto& [name, node] : root.at("markers").entries()) read_marker(name, node, model);
  if (const auto parameters = root.find("parameters")) read_parameters(*parameters, model);
  if (const auto relations = root.find("relations")) read_relations(*relations, model);
  if (const auto objective = root.find("objective")) {
    objective->allow({"loss", "width", "marker_sd"});
    if (const auto loss = objective->find("loss")) {
      model.loss.type = static_cast<LossType>(loss->choice({"squares", "huber", "tukey"}));
    }
    if (const auto width = objective->find("width")) {
      model.loss.width = width->positive(dimension::kLength);
    } else {
      model.loss.width_from_recording = model.loss.type == LossType::kTukey;
    }
    if (const auto sd = objective->find("marker_sd")) {
      model.marker_sd = sd->positive(dimension::kLength);
    }
  }
  try {
    model.finish();
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", file.name(), error.what()));
  }
  return model;
}

Model load_model(const std::string& path, std::vector<std::string>* warnings) {
  const std::string extension = std::filesystem::path(path).extension().string();
  if (extension == ".osim") return make_model(load_osim(path), warnings);
  return read_model(InputFile::load(path));
}

Model make_model(const NeutralModel& neutral, std::vector<std::string>* warnings) {
  Model model;
  model.name = neutral.name;
  for (const NeutralBody& body : neutral.bodies) {
    Segment segment{body.name};
    const int p = model.add_parameter({body.name + ".scale", Unit::kRatio, 1});
    for (Affine& s : segment.scale) s = Affine{0, p, 1};
    model.segments.push_back(segment);
  }
  const auto constant_point = [](const Vec3d& x) {
    Point p;
    for (int k = 0; k < 3; ++k) p.coordinate[k] = Affine{x[k]};
    return p;
  };
  for (const NeutralJoint& source : neutral.joints) {
    Joint joint;
    joint.name = source.name;
    joint.parent = source.parent == "ground" ? kGround : model.find_segment(source.parent);
    joint.child = model.find_segment(source.child);
    joint.parent_center = constant_point(source.X_PF.p_WB);
    joint.child_center = constant_point(source.X_CM.p_WB);
    Vec3d axis_F = Vec3d::UnitZ();
    int turns = 0, shifts = 0;
    bool linear = true;
    for (const NeutralAxis& axis : source.axes) {
      if (axis.coordinate.empty()) continue;
      linear = linear && axis.is_linear;
      (axis.translates ? shifts : turns) += 1;
      if (!axis.translates && turns == 1) axis_F = axis.axis;
    }
    const auto say = [&](const char* what) {
      if (warnings == nullptr) return;
      warnings->push_back(
          fmt::format("joint '{}' ({}) {}", source.name, source.type_in_file, what));
    };
    switch (source.kind) {
      case NeutralJointKind::kWeld:
        joint.type = JointType::kWeld;
        break;
      case NeutralJointKind::kPin:
        joint.type = JointType::kRevolute;
        break;
      case NeutralJointKind::kBall:
        joint.type = JointType::kSpherical;
        break;
      case NeutralJointKind::kFree:
        joint.type = JointType::kFree;
        break;
      case NeutralJointKind::kUniversal:
        joint.type = JointType::kUniversal;
        break;
      case NeutralJointKind::kCustomOneAxis:
        joint.type = JointType::kRevolute;
        if (source.axes[0].translates) {
          joint.type = JointType::kFree;
          say("slides along an axis, which a marker model has not: taken as free");
        }
        for (size_t i = 1; i < source.axes.size(); ++i) {
          const NeutralAxis& constant = source.axes[i];
          if (constant.translates) {
            // Along the axes of F: the centre on the parent moves.
            const Vec3d shift = source.X_PF.R_WB * constant.axis * constant.offset;
            for (int k = 0; k < 3; ++k) joint.parent_center.coordinate[k].constant += shift[k];
          } else if (joint.type == JointType::kRevolute) {
            say("has a constant rotation besides its axis, which is left out");
          }
        }
        break;
      case NeutralJointKind::kOther:
        joint.type = turns == 3 && shifts == 3   ? JointType::kFree
                     : turns == 3 && shifts == 0 ? JointType::kSpherical
                                                 : JointType::kRevolute;
        if (!linear || (joint.type == JointType::kRevolute && turns != 1)) {
          joint.type = JointType::kRevolute;
          if (warnings) {
            warnings->push_back(fmt::format(
                "joint '{}' ({}) has moving axes or translations: taken as a plain hinge about its "
                "first rotation",
                source.name, source.type_in_file));
          }
        }
        break;
    }
    if (joint.type == JointType::kWeld) {
      joint.parent_axis.base = source.X_PF.R_WB;
      joint.child_axis.base = source.X_CM.R_WB;
    } else if (joint.type == JointType::kUniversal) {
      joint.parent_axis.base = source.X_PF.R_WB * calc_turn_of_z(source.axes[0].axis);
      joint.child_axis.base = source.X_CM.R_WB * calc_turn_of_z(source.axes[1].axis);
    } else {
      // The axis frame keeps F's orientation where the axis is z, so that zero angles agree.
      const Mat3d turn = calc_turn_of_z(axis_F.normalized());
      joint.parent_axis.base = source.X_PF.R_WB * turn;
      joint.child_axis.base = source.X_CM.R_WB * turn;
      joint.named_angles = find_named_angles(source, joint.type, turn);
    }
    model.joints.push_back(joint);
  }
  for (const NeutralMarker& source : neutral.markers) {
    const int segment = model.find_segment(source.body);
    if (segment < 0) continue;
    Marker marker;
    marker.name = source.name;
    marker.segment = segment;
    marker.position = constant_point(source.location);
    if (!source.fixed) {
      for (int k = 0; k < 3; ++k) {
        const int p = model.add_parameter(
            {fmt::format("{}.{}", source.name, "xyz"[k]), Unit::kMeter, source.location[k]});
        marker.position.coordinate[k] = Affine{0, p, 1};
        marker.position.scaled[k] = false;
      }
    }
    model.markers.push_back(marker);
  }
  model.finish();
  return model;
}

}  // namespace vesica::markers
