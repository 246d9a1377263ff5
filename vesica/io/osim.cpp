#include "vesica/io/osim.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <pugixml.hpp>
#include <set>

#include "vesica/error.h"
#include "vesica/io/text_input.h"

namespace vesica {

namespace {

// The document with its text, for line numbers in messages.
class Document {
 public:
  Document(std::string_view text, std::string name) : text_(text), name_(std::move(name)) {
    if (trim(text).empty())
      throw InputError(name_ + ":1: the file is empty; expected an OpenSim model");
    const pugi::xml_parse_result result = xml_.load_buffer(text.data(), text.size());
    if (!result) fail(result.offset, std::string("the XML is broken: ") + result.description());
    root = xml_.child("OpenSimDocument");
    if (!root) {
      fail(xml_.first_child().offset_debug(),
           "the document is " + quote(xml_.first_child().name()) + "; expected <OpenSimDocument>");
    }
  }
  pugi::xml_node root;

  [[noreturn]] void fail(const pugi::xml_node& node, const std::string& message) const {
    fail(node.offset_debug(), message);
  }
  [[noreturn]] void fail(std::ptrdiff_t offset, const std::string& message) const {
    const auto end = text_.begin() + std::clamp<std::ptrdiff_t>(offset, 0, std::ssize(text_));
    throw InputError(
        fmt::format("{}:{}: {}", name_, 1 + std::count(text_.begin(), end, '\n'), message));
  }

 private:
  std::string_view text_;
  std::string name_;
  pugi::xml_document xml_;
};

std::string text_of(const pugi::xml_node& node, const char* child) {
  return std::string(trim(std::string_view(node.child(child).text().get())));
}

// `count` numbers of a child element; all `fallback` if it is absent or empty.
template <int count>
Eigen::Matrix<double, count, 1> numbers_of(const Document& document, const pugi::xml_node& node,
                                           const char* child, double fallback = 0.0) {
  Eigen::Matrix<double, count, 1> result = Eigen::Matrix<double, count, 1>::Constant(fallback);
  std::string text = text_of(node, child);
  std::replace(text.begin(), text.end(), '\n', ' ');
  if (trim(text).empty()) return result;
  std::vector<std::string_view> fields;
  split_at_whitespace(text, &fields);
  if (fields.size() != count) {
    document.fail(node.child(child),
                  fmt::format("<{}> has {} numbers; expected {}", child, fields.size(), count));
  }
  for (int i = 0; i < count; ++i) {
    const std::optional<double> value = parse_number(fields[static_cast<std::size_t>(i)]);
    if (!value) {
      document.fail(node.child(child), fmt::format("<{}> holds {}; expected a finite number", child,
                                                   quote(fields[static_cast<std::size_t>(i)])));
    }
    result[i] = *value;
  }
  return result;
}

double number_of(const Document& document, const pugi::xml_node& node, const char* child,
                 double fallback = 0.0) {
  return numbers_of<1>(document, node, child, fallback)[0];
}

// Body-fixed rotations about x, then y, then z.
Pose<double> make_offset(const Vec3d& angles, const Vec3d& translation) {
  const Mat3d R = (Eigen::AngleAxisd(angles.x(), Vec3d::UnitX()) *
                   Eigen::AngleAxisd(angles.y(), Vec3d::UnitY()) *
                   Eigen::AngleAxisd(angles.z(), Vec3d::UnitZ()))
                      .toRotationMatrix();
  return {R, translation};
}

// "/bodyset/femur_r", "../ground", "femur_r" as the last name of the path.
std::string last_of_path(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

// A socket is written in three ways, by version.
std::string socket_of(const pugi::xml_node& node, const std::string& socket) {
  for (const std::string& name : {"socket_" + socket, "socket_" + socket + "_connectee_name"}) {
    const std::string path = text_of(node, name.c_str());
    if (!path.empty()) return path;
  }
  return {};
}

NeutralBody read_body(const Document& document, const pugi::xml_node& node) {
  NeutralBody body;
  body.name = node.attribute("name").value();
  if (body.name.empty()) document.fail(node, "a <Body> has no name");
  body.mass = number_of(document, node, "mass");
  if (!(body.mass >= 0.0)) {
    document.fail(node,
                  fmt::format("the mass of {} is {}; expected zero or more", body.name, body.mass));
  }
  body.center_of_mass = numbers_of<3>(document, node, "mass_center");
  Eigen::Matrix<double, 6, 1> I;
  if (node.child("inertia")) {
    I = numbers_of<6>(document, node, "inertia");
  } else {
    int i = 0;
    for (const char* entry :
         {"inertia_xx", "inertia_yy", "inertia_zz", "inertia_xy", "inertia_xz", "inertia_yz"}) {
      I[i++] = number_of(document, node, entry);
    }
  }
  body.inertia << I[0], I[3], I[4], I[3], I[1], I[5], I[4], I[5], I[2];
  if (body.inertia.diagonal().minCoeff() < 0.0) {
    document.fail(node, "a moment of inertia of " + body.name + " is below zero");
  }
  return body;
}

NeutralCoordinate read_coordinate(const Document& document, const pugi::xml_node& node) {
  NeutralCoordinate coordinate;
  coordinate.name = node.attribute("name").value();
  coordinate.default_value = number_of(document, node, "default_value");
  if (!text_of(node, "range").empty()) {
    const auto range = numbers_of<2>(document, node, "range");
    coordinate.range_low = range[0];
    coordinate.range_high = range[1];
  }
  coordinate.locked = text_of(node, "locked") == "true";
  return coordinate;
}

// Slope and offset of the function below `node`; is_linear false if it is of another kind.
void read_function(const Document& document, const pugi::xml_node& node, double scale, int depth,
                   NeutralAxis* axis) {
  for (const pugi::xml_node& child : node.children()) {
    const std::string kind = child.name();
    if (kind == "function" && depth < 8)
      return read_function(document, child, scale, depth + 1, axis);
    if (kind == "MultiplierFunction" && depth < 8) {
      return read_function(document, child, scale * number_of(document, child, "scale", 1.0),
                           depth + 1, axis);
    }
    if (kind == "LinearFunction") {
      const auto coefficients = numbers_of<2>(document, child, "coefficients");
      axis->slope = scale * coefficients[0];
      axis->offset = scale * coefficients[1];
      return;
    }
    if (kind == "Constant") {
      axis->slope = 0.0;
      axis->offset = scale * number_of(document, child, "value");
      return;
    }
    if (kind.size() > 8 && kind.find("Function") != std::string::npos) axis->is_linear = false;
    if (kind.find("Spline") != std::string::npos) axis->is_linear = false;
  }
}

std::vector<NeutralAxis> read_spatial_transform(const Document& document,
                                                const pugi::xml_node& joint) {
  std::vector<NeutralAxis> axes;
  for (const pugi::xml_node& node : joint.child("SpatialTransform").children("TransformAxis")) {
    NeutralAxis axis;
    axis.translates = std::string_view(node.attribute("name").value()).starts_with("translation");
    axis.axis = numbers_of<3>(document, node, "axis");
    if (axis.axis.norm() < 1e-9) document.fail(node, "the axis of a joint has no direction");
    axis.axis.normalize();
    axis.coordinate = text_of(node, "coordinates");
    read_function(document, node, 1.0, 0, &axis);
    if (axis.slope == 0.0 && axis.is_linear) axis.coordinate.clear();
    axes.push_back(axis);
  }
  return axes;
}

bool moves(const NeutralAxis& axis) { return !axis.coordinate.empty() || !axis.is_linear; }

// The moving rotations of a custom joint where they are those of a universal joint (two, at right
// angles, nothing else moves) or turn freely (three that span space): linear, each by a coordinate
// of its own, and no constant offset besides. Else none.
std::vector<std::size_t> find_plain_rotations(const std::vector<NeutralAxis>& axes) {
  std::vector<std::size_t> turns;
  bool slides = false;
  std::set<std::string> coordinates;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const NeutralAxis& axis = axes[i];
    if (!axis.is_linear || (axis.coordinate.empty() && axis.offset != 0.0)) return {};
    if (!moves(axis)) continue;
    if (!coordinates.insert(axis.coordinate).second) return {};
    slides = slides || axis.translates;
    if (!axis.translates) turns.push_back(i);
  }
  // An angle of half a degree off the right one is what printed digits and models have.
  constexpr double kRight = 0.01;
  if (turns.size() == 2) {
    const bool right = std::abs(axes[turns[0]].axis.dot(axes[turns[1]].axis)) < kRight;
    return right && !slides ? turns : std::vector<std::size_t>{};
  }
  if (turns.size() != 3) return {};
  const double volume = axes[turns[0]].axis.dot(axes[turns[1]].axis.cross(axes[turns[2]].axis));
  return std::abs(volume) > 0.1 ? turns : std::vector<std::size_t>{};
}

bool slides_freely(const std::vector<NeutralAxis>& axes) {
  Mat3d directions = Mat3d::Zero();
  int count = 0;
  for (const NeutralAxis& axis : axes) {
    if (axis.translates && moves(axis) && count < 3) directions.col(count++) = axis.axis;
  }
  return count == 3 && std::abs(directions.determinant()) > 0.1;
}

// The kind of a custom joint, its moving axis put first.
void classify_custom(NeutralJoint* joint, std::vector<std::string>* warnings) {
  const auto moving = std::count_if(joint->axes.begin(), joint->axes.end(), moves);
  const auto first = std::find_if(joint->axes.begin(), joint->axes.end(), moves);
  if (moving == 0) {
    const bool at_rest = std::all_of(joint->axes.begin(), joint->axes.end(),
                                     [](const NeutralAxis& a) { return a.offset == 0.0; });
    joint->kind = at_rest ? NeutralJointKind::kWeld : NeutralJointKind::kOther;
  } else if (const auto turns = find_plain_rotations(joint->axes); turns.size() == 2) {
    joint->kind = NeutralJointKind::kUniversal;
    joint->axes = {joint->axes[turns[0]], joint->axes[turns[1]]};
  } else if (turns.size() == 3 && moving == 3) {
    joint->kind = NeutralJointKind::kBall;
  } else if (turns.size() == 3 && moving == 6 && slides_freely(joint->axes)) {
    joint->kind = NeutralJointKind::kFree;
  } else if (moving == 1 && first->is_linear) {
    joint->kind = NeutralJointKind::kCustomOneAxis;
    std::rotate(joint->axes.begin(), first, first + 1);
    joint->axes.erase(std::remove_if(joint->axes.begin() + 1, joint->axes.end(),
                                     [](const NeutralAxis& a) { return a.offset == 0.0; }),
                      joint->axes.end());
  } else {
    joint->kind = NeutralJointKind::kOther;
  }
  if (joint->kind == NeutralJointKind::kOther) {
    warnings->push_back(
        fmt::format("joint {} is a CustomJoint with {} moving axes; its frames and axes "
                    "are kept, but it is none of weld, pin, universal, ball, free, one axis",
                    quote(joint->name), moving));
  }
}

void read_kind(const Document& document, const pugi::xml_node& node, NeutralJoint* joint,
               std::vector<std::string>* warnings) {
  const std::string& type = joint->type_in_file;
  if (type == "WeldJoint") {
    joint->kind = NeutralJointKind::kWeld;
  } else if (type == "PinJoint") {
    joint->kind = NeutralJointKind::kPin;
  } else if (type == "BallJoint") {
    joint->kind = NeutralJointKind::kBall;
  } else if (type == "FreeJoint") {
    joint->kind = NeutralJointKind::kFree;
  } else if (type == "UniversalJoint") {
    joint->kind = NeutralJointKind::kUniversal;
    joint->axes.resize(2);
    joint->axes[1].axis = Vec3d::UnitY();
    for (std::size_t i = 0; i < 2; ++i) {
      joint->axes[i].slope = 1.0;
      if (i < joint->coordinates.size()) joint->axes[i].coordinate = joint->coordinates[i].name;
    }
  } else if (type == "CustomJoint") {
    joint->axes = read_spatial_transform(document, node);
    classify_custom(joint, warnings);
  } else {
    joint->kind = NeutralJointKind::kOther;
    warnings->push_back(
        "joint " + quote(joint->name) + " is a " + type +
        ", which is none of weld, pin, universal, ball, free, one axis; only its frames are kept");
  }
}

// A frame fixed to a body: X_BF.
struct OffsetFrame {
  std::string body;
  Pose<double> X;
};

OffsetFrame read_offset_frame(const Document& document, const pugi::xml_node& node) {
  return {last_of_path(socket_of(node, "parent")),
          make_offset(numbers_of<3>(document, node, "orientation"),
                      numbers_of<3>(document, node, "translation"))};
}

// The body that a path names, directly or by an offset frame among the body's own components
// ("/bodyset/pelvis/hip_offset").
OffsetFrame resolve_body_path(const Document& document, const pugi::xml_node& bodies,
                              const std::string& path) {
  const std::string last = last_of_path(path);
  for (const pugi::xml_node& body : bodies.child("objects").children("Body")) {
    if (last == body.attribute("name").value()) return {last, {}};
  }
  for (const pugi::xml_node& body : bodies.child("objects").children("Body")) {
    const std::string name = body.attribute("name").value();
    const bool is_owner = path.find("/" + name + "/") != std::string::npos;
    for (const pugi::xml_node& node : body.child("components").children("PhysicalOffsetFrame")) {
      if (!is_owner || last != node.attribute("name").value()) continue;
      return {name, read_offset_frame(document, node).X};
    }
  }
  return {last, {}};
}

// OpenSim 4: a socket leads to a body, or to an offset frame that the joint or the body owns.
OffsetFrame resolve_socket(const Document& document, const pugi::xml_node& bodies,
                           const pugi::xml_node& joint, const std::string& socket) {
  const std::string path = socket_of(joint, socket);
  if (path.empty()) document.fail(joint, "the joint has no <socket_" + socket + ">");
  const std::string frame = last_of_path(path);
  for (const pugi::xml_node& node : joint.child("frames").children("PhysicalOffsetFrame")) {
    if (frame == node.attribute("name").value()) return read_offset_frame(document, node);
  }
  return resolve_body_path(document, bodies, path);
}

void read_joint_4(const Document& document, const pugi::xml_node& bodies,
                  const pugi::xml_node& node, NeutralModel* model) {
  NeutralJoint joint;
  joint.name = node.attribute("name").value();
  joint.type_in_file = node.name();
  const OffsetFrame parent = resolve_socket(document, bodies, node, "parent_frame");
  const OffsetFrame child = resolve_socket(document, bodies, node, "child_frame");
  joint.parent = parent.body;
  joint.X_PF = parent.X;
  joint.child = child.body;
  joint.X_CM = child.X;
  for (const pugi::xml_node& c : node.child("coordinates").children("Coordinate")) {
    joint.coordinates.push_back(read_coordinate(document, c));
  }
  read_kind(document, node, &joint, &model->warnings);
  model->joints.push_back(std::move(joint));
}

// OpenSim 3: the joint stands inside its child body.
void read_joint_3(const Document& document, const pugi::xml_node& node, const std::string& child,
                  NeutralModel* model) {
  NeutralJoint joint;
  joint.name = node.attribute("name").value();
  joint.type_in_file = node.name();
  joint.child = child;
  joint.parent = text_of(node, "parent_body");
  if (text_of(node, "reverse") == "true") {
    model->warnings.push_back(
        "joint " + quote(joint.name) +
        " is reversed, which changes the sign of its coordinates; read as not");
  }
  joint.X_PF = make_offset(numbers_of<3>(document, node, "orientation_in_parent"),
                           numbers_of<3>(document, node, "location_in_parent"));
  joint.X_CM = make_offset(numbers_of<3>(document, node, "orientation"),
                           numbers_of<3>(document, node, "location"));
  for (const pugi::xml_node& c :
       node.child("CoordinateSet").child("objects").children("Coordinate")) {
    joint.coordinates.push_back(read_coordinate(document, c));
  }
  read_kind(document, node, &joint, &model->warnings);
  model->joints.push_back(std::move(joint));
}

void read_markers(const Document& document, const pugi::xml_node& bodies, const pugi::xml_node& set,
                  NeutralModel* model) {
  for (const pugi::xml_node& node : set.child("objects").children("Marker")) {
    NeutralMarker marker;
    marker.name = node.attribute("name").value();
    if (marker.name.empty()) document.fail(node, "a <Marker> has no name");
    std::string path = socket_of(node, "parent_frame");
    if (path.empty()) path = text_of(node, "body");
    if (path.empty()) document.fail(node, "marker " + quote(marker.name) + " is on no body");
    const OffsetFrame frame = resolve_body_path(document, bodies, path);
    marker.body = frame.body;
    // A set of markers alone names bodies of a model that is elsewhere.
    if (!model->bodies.empty() && marker.body != "ground" &&
        model->find_body(marker.body) == model->bodies.size()) {
      document.fail(node, "marker " + quote(marker.name) + " is on the body " + quote(marker.body) +
                              ", which the model does not have");
    }
    marker.location = frame.X * Vec3d(numbers_of<3>(document, node, "location"));
    marker.fixed = text_of(node, "fixed") == "true";
    model->markers.push_back(std::move(marker));
  }
}

void read_contact_shapes(const Document& document, const pugi::xml_node& set, NeutralModel* model) {
  for (const pugi::xml_node& node : set.child("objects").children()) {
    const std::string type = node.name();
    if (type != "ContactSphere" && type != "ContactHalfSpace") continue;
    NeutralContactShape shape;
    shape.name = node.attribute("name").value();
    shape.is_half_space = type == "ContactHalfSpace";
    shape.body = last_of_path(socket_of(node, "frame"));
    if (shape.body.empty()) shape.body = text_of(node, "body_name");
    shape.X_BS = make_offset(numbers_of<3>(document, node, "orientation"),
                             numbers_of<3>(document, node, "location"));
    shape.radius = number_of(document, node, "radius");
    if (!shape.is_half_space && !(shape.radius > 0.0)) {
      document.fail(node, "contact sphere " + quote(shape.name) + " has no radius above zero");
    }
    model->contact_shapes.push_back(std::move(shape));
  }
}

void read_contact_forces(const Document& document, const pugi::xml_node& set, NeutralModel* model) {
  for (const pugi::xml_node& node : set.child("objects").children()) {
    NeutralContactForce force;
    force.name = node.attribute("name").value();
    force.type_in_file = node.name();
    pugi::xml_node parameters = node;
    if (force.type_in_file == "SmoothSphereHalfSpaceForce") {
      force.shapes = {last_of_path(socket_of(node, "sphere")),
                      last_of_path(socket_of(node, "half_space"))};
    } else if (force.type_in_file == "HuntCrossleyForce") {
      parameters = node.child("HuntCrossleyForce::ContactParametersSet")
                       .child("objects")
                       .child("HuntCrossleyForce::ContactParameters");
      const std::string names = text_of(parameters, "geometry");
      std::vector<std::string_view> fields;
      split_at_whitespace(names, &fields);
      force.shapes.assign(fields.begin(), fields.end());
    } else {
      continue;
    }
    force.stiffness = number_of(document, parameters, "stiffness");
    force.dissipation = number_of(document, parameters, "dissipation");
    force.static_friction = number_of(document, parameters, "static_friction");
    force.dynamic_friction = number_of(document, parameters, "dynamic_friction");
    force.viscous_friction = number_of(document, parameters, "viscous_friction");
    force.transition_velocity = number_of(document, node, "transition_velocity", 0.01);
    model->contact_forces.push_back(std::move(force));
  }
}

// Bodies first: a joint may name a parent that comes later.
std::set<std::string> read_bodies(const Document& document, const pugi::xml_node& set,
                                  NeutralModel* model) {
  std::set<std::string> names = {"ground"};
  for (const pugi::xml_node& node : set.child("objects").children("Body")) {
    NeutralBody body = read_body(document, node);
    if (body.name == "ground") continue;
    if (!names.insert(body.name).second) {
      document.fail(node, "two bodies are called " + quote(body.name));
    }
    model->bodies.push_back(std::move(body));
  }
  return names;
}

void read_joints(const Document& document, const pugi::xml_node& root,
                 const std::set<std::string>& body_names, NeutralModel* model) {
  const auto check_last = [&](const pugi::xml_node& node) {
    const NeutralJoint& joint = model->joints.back();
    for (const std::string& body : {joint.parent, joint.child}) {
      if (body_names.count(body) > 0) continue;
      document.fail(node, "joint " + quote(joint.name) + " names the body " + quote(body) +
                              ", which the model does not have");
    }
  };
  const pugi::xml_node bodies = root.child("BodySet");
  for (const pugi::xml_node& body : bodies.child("objects").children("Body")) {
    for (const pugi::xml_node& node : body.child("Joint").children()) {
      if (node.type() != pugi::node_element) continue;
      read_joint_3(document, node, body.attribute("name").value(), model);
      check_last(node);
    }
  }
  for (const pugi::xml_node& node : root.child("JointSet").child("objects").children()) {
    if (node.type() != pugi::node_element) continue;
    read_joint_4(document, bodies, node, model);
    check_last(node);
  }
}

OsimWrap read_wrap(const Document& document, const pugi::xml_node& node, const char* body) {
  OsimWrap wrap;
  wrap.name = node.attribute("name").value();
  wrap.body = body;
  wrap.type_in_file = node.name();
  wrap.X_BS = make_offset(numbers_of<3>(document, node, "xyz_body_rotation"),
                          numbers_of<3>(document, node, "translation"));
  wrap.is_active = text_of(node, "active") != "false";
  wrap.quadrant = text_of(node, "quadrant");
  if (wrap.type_in_file == "WrapEllipsoid") {
    wrap.shape = OsimWrap::Shape::kEllipsoid;
    wrap.radii = numbers_of<3>(document, node, "dimensions");
  } else if (wrap.type_in_file == "WrapSphere" || wrap.type_in_file == "WrapCylinder") {
    wrap.radii.setConstant(number_of(document, node, "radius"));
    wrap.shape = OsimWrap::Shape::kEllipsoid;
    if (wrap.type_in_file == "WrapCylinder") {
      wrap.shape = OsimWrap::Shape::kCylinder;
      wrap.radii.z() = 0.5 * number_of(document, node, "length");
    }
  } else {
    return wrap;
  }
  if (!(wrap.radii.minCoeff() > 0.0)) {
    document.fail(node, fmt::format("radii and length of the {} {} are greater than zero",
                                    wrap.type_in_file, quote(wrap.name)));
  }
  return wrap;
}

}  // namespace

std::vector<OsimWrap> read_osim_wraps(std::string_view text, const std::string& name) {
  const Document document(text, name);
  std::vector<OsimWrap> wraps;
  const pugi::xml_node bodies = document.root.child("Model").child("BodySet");
  for (const pugi::xml_node& body : bodies.child("objects").children("Body")) {
    for (const pugi::xml_node& node : body.child("WrapObjectSet").child("objects").children()) {
      if (node.type() != pugi::node_element) continue;
      wraps.push_back(read_wrap(document, node, body.attribute("name").value()));
    }
  }
  return wraps;
}

NeutralModel read_osim(std::string_view text, const std::string& name) {
  const Document document(text, name);
  NeutralModel model;
  // A model, or a document that holds one of its sets alone.
  const pugi::xml_node root =
      document.root.child("Model") ? document.root.child("Model") : document.root;
  model.name = root.attribute("name").value();
  if (!text_of(root, "gravity").empty()) model.gravity = numbers_of<3>(document, root, "gravity");
  const std::set<std::string> body_names = read_bodies(document, root.child("BodySet"), &model);
  read_joints(document, root, body_names, &model);
  read_markers(document, root.child("BodySet"), root.child("MarkerSet"), &model);
  read_contact_shapes(document, root.child("ContactGeometrySet"), &model);
  read_contact_forces(document, root.child("ForceSet"), &model);
  if (model.bodies.empty() && model.markers.empty() && model.contact_shapes.empty() &&
      model.contact_forces.empty()) {
    document.fail(document.root,
                  "found no bodies, markers or contacts; expected a <Model>, <MarkerSet>, "
                  "<ContactGeometrySet> or <ForceSet>");
  }
  return model;
}

namespace {
std::string read_text(const std::string& path) {
  std::ifstream stream = open_input(path);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}
}  // namespace

NeutralModel load_osim(const std::string& path) { return read_osim(read_text(path), path); }

std::vector<OsimWrap> load_osim_wraps(const std::string& path) {
  return read_osim_wraps(read_text(path), path);
}

}  // namespace vesica
