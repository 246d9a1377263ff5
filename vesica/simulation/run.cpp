#include "vesica/simulation/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "vesica/contact/patch_forces.h"
#include "vesica/error.h"

namespace vesica {

namespace {
constexpr double kRowSlack = 1e-9;  // of the interval: what rounding leaves
}

size_t count_rows(double t, double interval) {
  if (!(interval > 0)) return 0;
  const double end = t + kRowSlack * interval;
  auto rows = static_cast<size_t>(std::max(0.0, std::floor(t / interval) - 1));
  while (static_cast<double>(rows) * interval <= end) ++rows;
  return rows;
}

}  // namespace vesica

namespace vesica::detail {

Run::Run(const System<double>& system, const RunOptions& options, const RunControl& control)
    : system_(system),
      options_(options),
      control_(control),
      data_(system.make_evaluation<double>()),
      maps_(system, options.maps) {
  result_.final_state = system.make_initial_state();
  rates_.resize(result_.final_state.y.size());
  row_.resize(rates_.size());
  result_.monitors.resize(system.scene().contacts.size());
  touching_.resize(result_.monitors.size());
  result_.lines.resize(system.scene().lines.size());
  last_volumes_.assign(system.layout().slots(), 0.0);
  data_.wants_gap = data_.wants_depth = true;
  result_.recording = make_recording(system);
  for (const MapOptions& map : options.maps) result_.map_sums.push_back(make_map_table(map));
  started_ = last_step_ = last_progress_ = last_pulse_ = Clock::now();
}

void Run::begin() {
  std::vector<ContactChange> unused;
  State<double> start = result_.final_state;
  system_.find_parts(&start, &data_, &unused);
  system_.calc_rates(start.t, start.y.data(), start.memory, rates_.data(), &data_);
  result_.start = calc_energies(system_, start.y.data(), data_);
  result_.start_energy = result_.start.total();
  note_energies(result_.start);
  if (!control_.from) note_peaks(start.t, data_);
  for (size_t c = 0; c < result_.monitors.size(); ++c) {
    Energies<double> own;
    add_contact_energies(system_, data_, c, &own);
    start_stores_.push_back(own);
  }
  if (control_.from) {
    const Checkpoint& from = *control_.from;
    State<double>& state = result_.final_state;
    if (from.state.y.size() != state.y.size() || from.state.memory.size() != state.memory.size()) {
      throw InputError("the checkpoint is not of this scene: another number of states or contacts");
    }
    state = from.state;
    result_.start_time = state.t;
    result_.largest_energy = std::max(result_.largest_energy, from.largest_energy);
    rows_ = static_cast<long>(count_rows(state.t, options_.interval));
    next_record_ = static_cast<double>(rows_) * options_.interval;
    maps_.skip_to(state.t);
  }
}

void Run::record_due(const State<double>& state,
                     const std::function<void(double, double*)>& interpolate) {
  const double slack = kRowSlack * options_.interval;
  while (options_.interval > 0 && next_record_ <= state.t + slack) {
    if (next_record_ < state.t - slack) {
      interpolate(next_record_, row_.data());
      record(next_record_, row_.data(), state.memory);
    } else {
      record(state.t, state.y.data(), state.memory);
    }
    ++rows_;
    next_record_ = static_cast<double>(rows_) * options_.interval;
  }
  if (maps_.size() > 0) record_maps_due(state, interpolate);
}

void Run::record_maps_due(const State<double>& state,
                          const std::function<void(double, double*)>& interpolate) {
  while (true) {
    // The earliest, and all that are due with it.
    size_t first = 0;
    for (size_t m = 1; m < maps_.size(); ++m) {
      if (maps_.next_time(m) < maps_.next_time(first)) first = m;
    }
    const double due = maps_.next_time(first), slack = kRowSlack * maps_.interval(first);
    if (due > state.t + slack) return;
    const bool is_now = due >= state.t - slack;
    const double* y = state.y.data();
    if (!is_now) {
      interpolate(due, row_.data());
      y = row_.data();
    }
    const double t = is_now ? state.t : due;
    system_.calc_rates(t, y, state.memory, rates_.data(), &data_);
    for (size_t m = 0; m < maps_.size(); ++m) {
      if (maps_.next_time(m) > due + slack) continue;
      const PressureFrame& frame = maps_.record(m, data_, state.memory);
      values_.clear();
      append_map_sums(frame, &values_);
      if (control_.keep_rows) {
        TimeTable& table = result_.map_sums[m];
        table.times.push_back(t);
        table.values.insert(table.values.end(), values_.begin(), values_.end());
      }
      if (control_.observer) control_.observer->on_map(m, t, frame, values_);
    }
  }
}

void Run::record(double t, const double* y, const Memory<double>& memory) {
  system_.calc_rates(t, y, memory, rates_.data(), &data_);
  values_.clear();
  append_row(system_, y, data_, result_.start.mechanical(), &values_);
  if (control_.keep_rows) {
    TimeTable& table = result_.recording;
    table.times.push_back(t);
    table.values.insert(table.values.end(), values_.begin(), values_.end());
  }
  for (size_t k = 0; k < data_.overlaps.size(); ++k) {
    if (is_touching(data_.overlaps[k])) note_depth(k, -data_.overlaps[k].distance);
  }
  ++result_.rows;
  result_.hash.add(t, values_.data(), values_.size());
  if (control_.observer) control_.observer->on_row(t, values_);
}

void Run::note_strains(double t, const Evaluation<double>& data) {
  for (size_t k = 0; k < result_.lines.size(); ++k) {
    if (data.lines[k].strain > result_.lines[k].max_strain) {
      result_.lines[k].max_strain = data.lines[k].strain;
      result_.lines[k].time = t;
    }
    note_ends(k, t, data);
  }
}

void Run::note_ends(size_t line, double t, const Evaluation<double>& data) {
  const LineForce<double>& now = data.lines[line];
  LineMonitor& m = result_.lines[line];
  const auto& element = system_.scene().lines[line];
  if (!is_ligament(element) || !(now.tension > m.inside_tension)) return;
  const size_t last = element.path.points.size() - 1;
  const std::array<const LinePull<double>*, 2> ends = {&now.pulls[0], &now.pulls[last]};
  for (size_t end = 0; end < 2; ++end) {
    const auto other = static_cast<size_t>(ends[1 - end]->body);
    if (ends[0]->body == ends[1]->body) return;
    const Pose<double>& X_WB = data.motions[other].X_WB;
    const Vec3d p_B = X_WB.R_WB.transpose() * (ends[end]->p_W - X_WB.p_WB);
    const double depth = calc_depth(system_.scene().bodies[other].surfaces, p_B);
    if (!(depth > 0)) continue;
    m.inside_tension = now.tension;
    m.inside_depth = depth;
    m.inside_time = t;
    m.inside_end = static_cast<int>(end);
  }
}

void Run::note_peaks(double t, const Evaluation<double>& data) {
  note_strains(t, data);
  std::fill(touching_.begin(), touching_.end(), 0);
  for (size_t k = 0; k < data.forces.size(); ++k) {
    if (!is_touching(data.overlaps[k])) continue;
    const size_t c = system_.layout().contact_of(k);
    ContactMonitor& m = result_.monitors[c];
    m.most_pairs = std::max(m.most_pairs, ++touching_[c]);
    m.max_force = std::max(m.max_force, data.forces[k].normal.force);
    note_depth(k, -data.overlaps[k].distance);
  }
}

void Run::note_depth(size_t slot, double depth) {
  ContactMonitor& m = result_.monitors[system_.layout().contact_of(slot)];
  m.max_depth = std::max(m.max_depth, depth);
  const double size = system_.scene().contacts[system_.layout().contact_of(slot)].size;
  if (size > 0) m.max_depth_ratio = std::max(m.max_depth_ratio, depth / size);
}

void Run::observe_depth(size_t slot, const Evaluation<double>& data) {
  const Overlap<double>& o = data.overlaps[slot];
  if (!o.has_mean_depth) {
    note_depth(slot, -o.distance);
    return;
  }
  // No law measures it here, and it costs more than the overlap. The depth of a convex volume is at
  // most three times its mean: it is looked for where it might be the greatest so far, and once
  // while the volume stays the same. Recorded rows have it in any case.
  double& last = last_volumes_[slot];
  if (-3 * o.distance <= result_.monitors[system_.layout().contact_of(slot)].max_depth ||
      std::abs(o.volume - last) <= 1e-3 * last) {
    return;
  }
  last = o.volume;
  note_depth(slot,
             -system_.calc_overlap_in(slot, result_.final_state.memory, data, Wanted{}).distance);
}

void Run::note_energies(const Energies<double>& e) {
  result_.largest_energy = std::max(result_.largest_energy, e.total() - e.gravity);
}

// The error of the shared volume, or of an integral over the patch, where it is more than was asked
// for; else 0.
double calc_missed_tolerance(const Contact<double>& contact, const Overlap<double>& o,
                             const ContactForces<double>& f) {
  const auto* integrated = std::get_if<PatchFriction<double>>(&contact.friction);
  const double asked = integrated ? integrated->tolerance : kFieldTolerance;
  return std::max(o.method_error, f.patch_error > asked ? f.patch_error : 0);
}

void Run::observe(const State<double>& state, const Evaluation<double>& data, double h) {
  note_energies(calc_energies(system_, state.y.data(), data));
  note_strains(state.t, data);
  std::fill(touching_.begin(), touching_.end(), 0);
  for (size_t k = 0; k < data.forces.size(); ++k) {
    const auto& o = data.overlaps[k];
    if (!is_touching(o)) continue;
    const auto& f = data.forces[k];
    const size_t c = system_.layout().contact_of(k);
    const auto& contact = system_.scene().contacts[c];
    ContactMonitor& m = result_.monitors[c];
    m.most_pairs = std::max(m.most_pairs, ++touching_[c]);
    if (touching_[c] == 1) ++m.steps_in_contact;
    m.max_force = std::max(m.max_force, f.normal.force);
    observe_depth(k, data);
    m.energy_through += 0.5 * h * std::abs(f.normal.elastic * f.closing_speed);
    m.impulse += h * f.normal.force;
    if (calc_flatness(o) > kFlatness) m.impulse_not_flat += h * f.normal.force;
    const double missed = calc_missed_tolerance(contact.contact, o, f);
    if (missed > 0) {
      m.impulse_inaccurate += h * f.normal.force;
      m.max_method_error = std::max(m.max_method_error, missed);
    }
    if (f.normal.factor < 0 && !(f.normal.force > 0)) {
      ++m.steps_clamped;
    } else if (f.edge_factor < 0) {
      ++m.steps_lifted;
    }
    if (contact.contact.measure() == Measure::kDepth && pushes_at_corner(o)) ++m.steps_at_corner;
    const auto& i = system_.scene().bodies[static_cast<size_t>(contact.body_i)];
    const auto& j = system_.scene().bodies[static_cast<size_t>(contact.body_j)];
    double inverse_mass = 0;
    for (const auto* body : {&i, &j}) {
      if (body->is_free) inverse_mass += body->inertia.inverse_mass;
    }
    // dF/dd = k dV/dd, k times the section's area; V/d is a half (paraboloid) to all (flat) of it,
    // V over the mean depth is just it.
    const double stiffness = (o.has_mean_depth ? 1 : 2) * f.normal.elastic / -o.distance;
    double rate = std::sqrt(stiffness * inverse_mass);
    // Friction drags like a damper; rolling makes a solid ball 7/2 times as easy to move at its
    // rim. Bristles push like a spring with a damper, however small the slip.
    const BristleParameters<double>* bristle = find_bristle(contact.contact);
    const double slip = f.slip.norm();
    double drag = slip > 0 ? f.friction.f_t.norm() / slip : 0;
    if (bristle) {
      if (f.friction.saturated) ++m.steps_saturated;
      const double load = bristle->load_proportional ? f.normal.force : 1;
      drag = load * (bristle->sigma_1 + bristle->sigma_2);
      rate = std::max(
          {rate, 1 / bristle->tau_br(), std::sqrt(3.5 * load * bristle->sigma_0 * inverse_mass)});
    }
    rate = std::max(rate, 3.5 * drag * inverse_mass);
    if (h * rate > m.max_step_rate) {
      m.max_step_rate = h * rate;
      m.step_of_max_rate = h;
    }
  }
}

void Run::add_event(double t, const ContactChange& change) {
  const int contact = system_.layout().contact_of_slot[static_cast<size_t>(change.slot)];
  if (change.touchdown) ++result_.monitors[static_cast<size_t>(contact)].touchdowns;
  if (result_.events.size() < kMaxEvents) {
    result_.events.push_back({t, contact, change.touchdown, change.closing_speed});
  }
}

bool Run::check_in(double t) {
  const auto now = Clock::now();
  const double step_seconds = std::chrono::duration<double>(now - last_step_).count();
  result_.statistics.worst_step_seconds =
      std::max(result_.statistics.worst_step_seconds, step_seconds);
  last_step_ = now;
  if (control_.progress && now - last_progress_ > std::chrono::milliseconds(100)) {
    control_.progress(t / options_.duration);
    last_progress_ = now;
    last_step_ = Clock::now();
  }
  if (control_.observer && now - last_pulse_ > std::chrono::duration<double>(control_.pulse)) {
    calc_end();
    result_.failure.clear();  // the run itself says whether it can go on
    control_.observer->on_pulse(result_, make_checkpoint(false));
    last_step_ = last_pulse_ = Clock::now();
  }
  if (control_.stop && control_.stop->load(std::memory_order_relaxed)) {
    result_.interrupted = true;
    return true;
  }
  return false;
}

void Run::check_finite(const State<double>& state) const {
  for (const double y : state.y) {
    if (std::isfinite(y)) continue;
    throw RunError(fmt::format(
        "the state is no longer finite at t = {:.6g} s: the step is too long for the stiffest "
        "contact; use a shorter solver.step, or method cvode",
        state.t));
  }
}

Checkpoint Run::make_checkpoint(bool cut) const {
  return {result_.final_state, result_.largest_energy, cut};
}

void Run::leave_checkpoint(bool cut) {
  if (control_.observer) control_.observer->on_checkpoint(make_checkpoint(cut));
}

RunResult Run::finish() {
  calc_end();
  note_energies(result_.end);
  if (result_.failure.empty()) note_peaks(result_.end_time, data_);
  return std::move(result_);
}

void Run::calc_end() {
  State<double>& end = result_.final_state;
  result_.end_time = end.t;
  result_.state = end.y;
  try {
    std::vector<ContactChange> unused;
    State<double> seen = end;
    system_.find_parts(&seen, &data_, &unused);
    system_.calc_rates(end.t, seen.y.data(), seen.memory, rates_.data(), &data_);
  } catch (const std::exception& error) {  // the run has failed for the same reason before
    if (result_.failure.empty()) result_.failure = error.what();
  }
  result_.end = calc_energies(system_, end.y.data(), data_);
  result_.end_energy = result_.end.total();
  result_.maps = maps_.monitors();
  // At a pulse too, which the clock calls: the energy that states and summaries carry on is that
  // after steps alone.
  result_.energy_scale =
      std::max(result_.largest_energy, result_.end.total() - result_.end.gravity);
  if (system_.layout().ledger) close_ledger();
  result_.statistics.seconds = std::chrono::duration<double>(Clock::now() - started_).count();
}

void Run::close_ledger() {
  const double* y = result_.state.data();
  const double* ledger = y + system_.layout().ledger_start();
  result_.non_potential_work =
      result_.end.stored() - result_.start.stored() - calc_stored_work(system_, y);
  result_.residual =
      result_.end.mechanical() - calc_expected_energy(system_, y, result_.start.mechanical());
  double dissipated = 0, work = 0;
  for (const LedgerEntry k : kDissipation) dissipated += std::abs(ledger[k]);
  for (const LedgerEntry k : kWork) work += std::abs(ledger[k]);
  result_.energy_scale = std::max({result_.energy_scale, dissipated, work});
  for (size_t c = 0; c < start_stores_.size(); ++c) {
    if (system_.layout().stores[c] < 0) continue;
    Energies<double> own;
    add_contact_energies(system_, data_, c, &own);
    ContactMonitor& m = result_.monitors[c];
    m.non_potential_work = own.stored() - start_stores_[c].stored() - y[system_.layout().store(c)];
    m.uncertain_work = own.unbound + kStoreError * start_stores_[c].unbound;
  }
}

JacobianEvaluator::JacobianEvaluator(const System<double>& system)
    : system_(system), data_(system.make_evaluation<Dual<12>>()) {
  y_.resize(static_cast<size_t>(system.layout().size()));
  rates_.resize(y_.size());
}

void JacobianEvaluator::evaluate(double t, const double* y, const Memory<double>& memory,
                                 const Evaluation<double>& window, double* jacobian,
                                 double* time_rates) {
  const int n = system_.layout().size();
  const int moving = system_.layout().ledger_start();  // nothing depends on the ledger
  copy_memory(memory, &memory_);
  data_.after = window.after;
  data_.before = window.before;
  data_.holds_contacts = window.holds_contacts;
  std::fill(jacobian, jacobian + static_cast<size_t>(n) * n, 0.0);
  const int columns = moving + (time_rates ? 1 : 0);  // time comes last
  for (int first = 0; first < columns; first += 12) {
    for (int k = 0; k < n; ++k) {
      const bool seeded = k >= first && k < first + 12 && k < moving;
      y_[static_cast<size_t>(k)] = seeded ? Dual<12>::variable(y[k], k - first) : Dual<12>(y[k]);
    }
    const bool has_time = time_rates && moving < first + 12;
    if (has_time) data_.time_shift = Dual<12>::variable(0, moving - first);
    system_.calc_rates(t, y_.data(), memory_, rates_.data(), &data_);
    data_.time_shift = Dual<12>(0);
    for (int c = first; c < std::min(first + 12, moving); ++c) {
      double* column = jacobian + static_cast<size_t>(c) * n;
      for (int r = 0; r < n; ++r) column[r] = rates_[static_cast<size_t>(r)].v[c - first];
    }
    if (!has_time) continue;
    for (int r = 0; r < n; ++r) time_rates[r] = rates_[static_cast<size_t>(r)].v[moving - first];
  }
}

std::vector<double> calc_state_scales(const System<double>& system) {
  const StateLayout& layout = system.layout();
  std::vector<double> scales(static_cast<size_t>(layout.size()), 1.0);
  const double g = std::max(system.scene().gravity.norm(), 1.0);
  double energy = 0;
  for (size_t b = 0; b < system.scene().bodies.size(); ++b) {
    const auto& body = system.scene().bodies[b];
    if (!body.is_free) continue;
    const double length = body.size > 0 ? body.size : 0.1;
    const double speed = std::max(std::sqrt(g * length), body.V0.v_WB.norm());
    double* x = scales.data() + layout.position(b);
    double* v = scales.data() + layout.velocity(b);
    energy += body.inertia.mass * speed * speed;
    if (body.has_joint) {
      // Angles are of order one; slides as long as bodies.
      const TreeBody<double>& link = system.scene().tree.body(static_cast<int>(b));
      for (int k = 0; k < link.nu; ++k) {
        const bool angle = speed_is_angular(link.joint.type, k);
        v[k] = angle ? std::sqrt(g / length) : speed;
        if (quaternion_place(link.joint.type) < 0) x[k] = angle ? 1 : length;
      }
      continue;
    }
    for (int k = 0; k < 3; ++k) {
      x[k] = length;
      v[k] = speed;
      v[3 + k] = std::max(speed / length, body.V0.w_WB.norm());
    }
  }
  for (size_t k = 0; k < layout.slots(); ++k) {
    const auto& contact = system.scene().contacts[layout.contact_of(k)].contact;
    for (int s = 0; s < layout.contact_states(k); ++s) {
      scales[static_cast<size_t>(layout.contact(k) + s)] = contact_state_scale(contact, s);
    }
  }
  if (layout.ledger) {
    for (int k = 0; k < layout.ledger_size(); ++k)
      scales[static_cast<size_t>(layout.ledger_start() + k)] = energy;
  }
  return scales;
}

}  // namespace vesica::detail
