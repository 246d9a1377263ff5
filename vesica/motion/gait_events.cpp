#include "vesica/motion/gait_events.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace vesica {
namespace {

// Time at which the normal force crosses the threshold between samples k-1 and k.
double calc_crossing(const PlateForces& plate, size_t k, double threshold) {
  const double f0 = plate.normal_force(k - 1);
  const double f1 = plate.normal_force(k);
  const double part = f1 == f0 ? 1.0 : std::clamp((threshold - f0) / (f1 - f0), 0.0, 1.0);
  return plate.times[k - 1] + part * (plate.times[k] - plate.times[k - 1]);
}

std::vector<PlateContact> find_plate_contacts(const PlateForces& plate, int index,
                                              const PlateContactOptions& options) {
  std::vector<PlateContact> contacts;
  const size_t n = plate.size();
  // A sample that is missing (NaN) is no load, and where one is next to a load, nobody saw it begin
  // or end.
  const auto is_unseen = [&](size_t k) { return k >= n || plate.is_missing(k); };
  for (size_t k = 0; k < n; ++k) {
    if (!(plate.normal_force(k) >= options.threshold)) continue;
    PlateContact contact;
    contact.plate = index;
    contact.starts_before = k == 0 || is_unseen(k - 1);
    contact.start =
        contact.starts_before ? plate.times[k] : calc_crossing(plate, k, options.threshold);
    while (k < n && plate.normal_force(k) >= options.threshold) {
      contact.peak_force = std::max(contact.peak_force, plate.normal_force(k));
      ++k;
    }
    contact.ends_after = is_unseen(k);
    contact.end =
        contact.ends_after ? plate.times[k - 1] : calc_crossing(plate, k, options.threshold);
    if (!contacts.empty() && contact.start - contacts.back().end < options.bridge) {
      contacts.back().end = contact.end;
      contacts.back().ends_after = contact.ends_after;
      contacts.back().peak_force = std::max(contacts.back().peak_force, contact.peak_force);
    } else {
      contacts.push_back(contact);
    }
  }
  std::erase_if(contacts,
                [&](const PlateContact& c) { return c.end - c.start < options.shortest; });
  return contacts;
}

}  // namespace

const char* name_of(Foot foot) {
  switch (foot) {
    case Foot::kLeft:
      return "left";
    case Foot::kRight:
      return "right";
    case Foot::kBoth:
      return "both";
    default:
      return "unknown";
  }
}

const char* name_of(GaitEvent::Kind kind) {
  return kind == GaitEvent::Kind::kStrike ? "strike" : "off";
}

std::vector<PlateContact> find_contacts(std::span<const PlateForces> plates,
                                        const PlateContactOptions& options) {
  std::vector<PlateContact> contacts;
  for (size_t i = 0; i < plates.size(); ++i) {
    const auto found = find_plate_contacts(plates[i], static_cast<int>(i), options);
    contacts.insert(contacts.end(), found.begin(), found.end());
  }
  std::stable_sort(contacts.begin(), contacts.end(),
                   [](const PlateContact& a, const PlateContact& b) { return a.start < b.start; });
  return contacts;
}

std::vector<Stance> find_stances(std::span<const PlateContact> contacts,
                                 std::span<const PlateForces> plates) {
  constexpr double kSameStep = 0.03;  // s between the end on one plate and the start on the next
  std::vector<Stance> stances;
  for (size_t i = 0; i < contacts.size(); ++i) {
    const PlateContact& c = contacts[i];
    const auto same = std::find_if(stances.rbegin(), stances.rend(), [&](const Stance& s) {
      return s.foot == c.foot && c.start < s.end + kSameStep;
    });
    const bool known = c.foot == Foot::kLeft || c.foot == Foot::kRight;
    if (known && same != stances.rend()) {
      if (c.end > same->end) same->ends_after = c.ends_after;
      same->end = std::max(same->end, c.end);
      same->contacts.push_back(static_cast<int>(i));
      // Beyond the edge of one plate of several is how a foot gets onto the next.
      continue;
    }
    Stance stance;
    stance.foot = c.foot;
    stance.start = c.start;
    stance.end = c.end;
    stance.starts_before = c.starts_before;
    stance.ends_after = c.ends_after;
    stance.contacts = {static_cast<int>(i)};
    stance.partial = c.partial;
    stances.push_back(stance);
  }
  for (Stance& stance : stances) {
    const PlateForces& first = plates[contacts[stance.contacts[0]].plate];
    for (size_t k = first.find_sample(stance.start); k < first.size(); ++k) {
      if (first.times[k] > stance.end) break;
      double sum = 0.0;
      for (const int i : stance.contacts) {
        const PlateForces& plate = plates[contacts[i].plate];
        if (k < plate.size()) sum += plate.normal_force(k);
      }
      stance.peak_force = std::max(stance.peak_force, sum);
    }
  }
  return stances;
}

std::vector<WeightEstimate> calc_stride_weights(std::span<const Stance> stances,
                                                std::span<const PlateForces> plates,
                                                double threshold) {
  std::vector<WeightEstimate> strides;
  if (plates.empty()) return strides;
  const size_t n = plates[0].size();
  for (const PlateForces& plate : plates) {
    if (plate.size() != n) return strides;  // plates on different clocks do not sum
  }
  std::vector<double> total(n, 0.0);
  for (const PlateForces& plate : plates) {
    for (size_t k = 0; k < n; ++k) total[k] += plate.normal_force(k);
  }
  const std::vector<double>& times = plates[0].times;
  for (const Foot foot : {Foot::kLeft, Foot::kRight}) {
    const Stance* last = nullptr;
    for (const Stance& stance : stances) {
      if (stance.foot != foot || stance.starts_before) continue;
      const Stance* first = last;
      last = &stance;
      if (first == nullptr || stance.start - first->start > 3.0) continue;
      // The other foot must have stood on a plate when this one struck, at both ends: else weight
      // was on bare floor. So must each of its stances in between.
      const auto begin = static_cast<size_t>(
          std::lower_bound(times.begin(), times.end(), first->start) - times.begin());
      const auto end = static_cast<size_t>(
          std::lower_bound(times.begin(), times.end(), stance.start) - times.begin());
      if (begin < 2 || end <= begin) continue;
      const auto loaded = [&](size_t k) { return total[k] > threshold; };
      bool covered = loaded(begin - 2) && loaded(end - 2);
      double sum = 0.0;
      for (size_t k = begin; k < end; ++k) {
        covered = covered && loaded(k);
        sum += total[k];
      }
      // A plate that saw a part of the foot saw a part of the weight.
      const bool partial = std::any_of(stances.begin(), stances.end(), [&](const Stance& s) {
        return s.partial && s.end > first->start && s.start < stance.start;
      });
      if (covered && !partial) {
        strides.push_back(
            {first->start, stance.start, foot, sum / static_cast<double>(end - begin)});
      }
    }
  }
  return strides;
}

}  // namespace vesica
