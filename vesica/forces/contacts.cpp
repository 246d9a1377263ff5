#include "vesica/forces/contacts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "vesica/math/median.h"

namespace vesica::forces {
namespace {

constexpr double kShortestContact = 0.3, kLongestContact = 1.3;  // s
constexpr double kUsualDoubleSupport = 0.18;  // of contact, where the walk shows none
// s: events this near to the ends may be missed: 50 ms there are not searched, and a guess is off
// by some 30 ms.
constexpr double kUnseenAtTheEnds = 0.12;

// The neighbours of a contact: the other foot's off near its beginning, strike near its end.
void find_neighbours(const std::array<FootEvents, 2>& events, Contact* c) {
  const double d = c->duration();
  for (const double t : events[1 - c->side].offs) {
    if (std::isnan(c->other_off) && t > c->strike - 0.02 && t < c->strike + 0.45 * d) {
      c->other_off = t;
    }
  }
  for (const double t : events[1 - c->side].strikes) {
    if (std::isnan(c->other_strike) && t > c->strike + 0.55 * d && t < c->off + 0.02) {
      c->other_strike = t;
    }
  }
}

// From strike to off, where both are seen.
void find_whole_contacts(const FootEvents& events, int side, std::set<double>* used, Walk* walk) {
  for (const double strike : events.strikes) {
    for (const double off : events.offs) {
      if (off - strike < kShortestContact || off - strike > kLongestContact) continue;
      if (used->contains(off)) break;
      Contact c;
      c.side = side;
      c.strike = strike;
      c.off = off;
      c.doubtful = events.doubtful.contains(strike) || events.doubtful.contains(off);
      walk->contacts.push_back(c);
      used->insert(strike);
      used->insert(off);
      break;
    }
  }
}

// How long things usually take in this walk, s.
struct UsualTimes {
  double contact = 0, double_support = 0;
};
UsualTimes find_usual_times(const Walk& walk) {
  std::vector<double> contacts, supports;
  for (const Contact& c : walk.contacts) {
    contacts.push_back(c.duration());
    if (std::isfinite(c.other_off)) supports.push_back(c.other_off - c.strike);
    if (std::isfinite(c.other_strike)) supports.push_back(c.off - c.other_strike);
  }
  UsualTimes usual{calc_median(contacts), 0};
  usual.double_support =
      supports.empty() ? kUsualDoubleSupport * usual.contact : calc_median(supports);
  return usual;
}

// Contacts of which one event is seen: events within some 50 ms of the ends of a recording are not
// found, and beyond them there are none. The other foot's event tells the missing one best, as
// double support varies less than contact; else a usual contact does.
void find_half_contacts(const std::array<FootEvents, 2>& events, const UsualTimes& usual, int side,
                        const std::set<double>& used, Walk* walk) {
  const FootEvents& own = events[side];
  const FootEvents& other = events[1 - side];
  const auto find_near = [&](const std::vector<double>& times, double expected) {
    double best = kMissing;
    for (const double t : times) {
      const double away = std::abs(t - expected);
      if (away < 0.25 * usual.contact &&
          !(std::isfinite(best) && std::abs(best - expected) < away)) {
        best = t;
      }
    }
    return best;
  };
  const auto is_free = [&](double strike, double off) {
    return std::none_of(walk->contacts.begin(), walk->contacts.end(), [&](const Contact& c) {
      return c.side == side && c.strike < off && strike < c.off;
    });
  };
  const auto add = [&](Contact c) {
    c.side = side;
    if (!is_free(c.strike, c.off)) {
      walk->notes.push_back(fmt::format(
          "The {} foot's {} at {:.3f} s is left out: it lies in another contact of that foot.",
          name_of(as_foot(side)), c.ends_after ? "strike" : "off",
          c.ends_after ? c.strike : c.off));
      return;
    }
    // Well inside of the recording an event should have been seen.
    c.doubtful = (c.ends_after && c.off < walk->times.back() - kUnseenAtTheEnds) ||
                 (c.starts_before && c.strike > walk->times.front() + kUnseenAtTheEnds);
    walk->contacts.push_back(c);
  };
  for (const double strike : own.strikes) {
    if (used.contains(strike)) continue;
    const double beside = find_near(other.strikes, strike + usual.contact - usual.double_support);
    Contact c;
    c.strike = strike;
    c.off = std::isfinite(beside) ? beside + usual.double_support : strike + usual.contact;
    c.ends_after = true;
    add(c);
  }
  for (const double off : own.offs) {
    if (used.contains(off)) continue;
    const double beside = find_near(other.offs, off - usual.contact + usual.double_support);
    Contact c;
    c.off = off;
    c.strike = std::isfinite(beside) ? beside - usual.double_support : off - usual.contact;
    c.starts_before = true;
    add(c);
  }
}

// Contacts of which nothing is seen but the other foot: at the very ends of a recording both are on
// the floor, and the one's event is too near to the end to be found.
void find_unseen_contacts(const UsualTimes& usual, Walk* walk) {
  std::vector<Contact> unseen;
  for (const Contact& c : walk->contacts) {
    const auto has = [&](double from, double until) {
      return std::any_of(walk->contacts.begin(), walk->contacts.end(), [&](const Contact& o) {
        return o.side != c.side && o.strike < until && from < o.off;
      });
    };
    Contact o;
    o.side = 1 - c.side;
    o.starts_before = o.ends_after = true;
    const double off = c.strike + usual.double_support, strike = c.off - usual.double_support;
    if (off > walk->times.front() && off < walk->times.front() + kUnseenAtTheEnds &&
        !has(off - usual.contact, off)) {
      o.strike = off - usual.contact;
      o.off = off;
      unseen.push_back(o);
    }
    if (strike < walk->times.back() && strike > walk->times.back() - kUnseenAtTheEnds &&
        !has(strike, strike + usual.contact)) {
      o.strike = strike;
      o.off = strike + usual.contact;
      unseen.push_back(o);
    }
  }
  walk->contacts.insert(walk->contacts.end(), unseen.begin(), unseen.end());
}

}  // namespace

void find_walk_contacts(const std::array<FootEvents, 2>& events, Walk* walk) {
  std::array<std::set<double>, 2> used;
  for (int side = 0; side < 2; ++side) find_whole_contacts(events[side], side, &used[side], walk);
  if (walk->contacts.empty()) return;
  for (Contact& c : walk->contacts) find_neighbours(events, &c);
  const UsualTimes usual = find_usual_times(*walk);
  for (int side = 0; side < 2; ++side) {
    find_half_contacts(events, usual, side, used[side], walk);
  }
  find_unseen_contacts(usual, walk);
  // Events that were guessed are neighbours, too.
  std::array<FootEvents, 2> all = events;
  for (const Contact& c : walk->contacts) {
    if (c.starts_before) all[c.side].strikes.push_back(c.strike);
    if (c.ends_after) all[c.side].offs.push_back(c.off);
  }
  for (Contact& c : walk->contacts) find_neighbours(all, &c);
  std::sort(walk->contacts.begin(), walk->contacts.end(),
            [](const Contact& a, const Contact& b) { return a.strike < b.strike; });
}

double find_stride(const std::vector<GaitEvent>& events) {
  std::vector<double> strides;
  for (size_t i = 0; i < events.size(); ++i) {
    for (size_t j = i + 1; j < events.size(); ++j) {
      if (events[i].foot != events[j].foot || events[i].kind != events[j].kind) continue;
      strides.push_back(events[j].time - events[i].time);
      break;
    }
  }
  return strides.empty() ? 0.0 : calc_median(strides);
}

}  // namespace vesica::forces
