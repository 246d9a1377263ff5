#include "vesica/interference/slices/cell_pairs.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tests/support/support.h"
#include "vesica/interference/polyhedra/polyhedral_contacts.h"

namespace vesica::cell_pairs_test {
namespace {

TEST(PairRegistry, PairsKeepTheirSlotsWhileTheyLive) {
  std::mt19937_64 random(1);
  PairRegistry registry;
  std::map<CellPair, std::int32_t> slots;  // as they should be
  std::size_t most = 0;
  for (int step = 0; step < 500; ++step) {
    std::set<CellPair> now;
    for (const auto& [pair, slot] : slots) {
      if (random() % 4) now.insert(pair);
    }
    for (int k = 0; k < 5; ++k) {
      now.insert(
          {static_cast<std::int32_t>(random() % 20), static_cast<std::int32_t>(random() % 9)});
    }
    registry.update(std::vector<CellPair>(now.begin(), now.end()));
    std::set<std::int32_t> used;
    ASSERT_EQ(registry.alive().size(), now.size());
    auto expected = now.begin();
    std::set<std::int32_t> lost_slots;
    for (const TrackedPair& lost : registry.lost()) {
      EXPECT_EQ(slots.at(lost.cells), lost.slot);
      EXPECT_EQ(now.count(lost.cells), 0u);
      lost_slots.insert(lost.slot);
    }
    std::map<CellPair, std::int32_t> next;
    for (const TrackedPair& pair : registry.alive()) {
      EXPECT_EQ(pair.cells, *expected++);
      EXPECT_EQ(pair.is_new, slots.count(pair.cells) == 0);
      if (!pair.is_new) {
        EXPECT_EQ(slots.at(pair.cells), pair.slot);
      }
      EXPECT_TRUE(used.insert(pair.slot).second) << "two pairs in one slot";
      EXPECT_EQ(lost_slots.count(pair.slot), 0u) << "a lost pair's states overwritten";
      EXPECT_LT(static_cast<std::size_t>(pair.slot), registry.slot_count());
      next[pair.cells] = pair.slot;
    }
    EXPECT_EQ(registry.lost().size() + next.size(),
              slots.size() + std::count_if(registry.alive().begin(), registry.alive().end(),
                                           [](const TrackedPair& p) { return p.is_new; }));
    most = std::max(most, next.size() + registry.lost().size());
    slots = next;
  }
  // Slots are used again: never more than lived and were just lost at once.
  EXPECT_LE(registry.slot_count(), most);
}

PolyhedralSolid make_plate(int nx, int ny, double side, double height) {
  std::vector<ConvexPolyhedron> cells;
  const auto box = make_box_polyhedron(Vec3d(side, side, height));
  for (int x = 0; x < nx; ++x) {
    for (int y = 0; y < ny; ++y) {
      cells.push_back(make_moved(box, Mat3d::Identity(),
                                 side * Vec3d(x - 0.5 * (nx - 1), y - 0.5 * (ny - 1), 0)));
    }
  }
  return PolyhedralSolid(std::move(cells));
}

// Cutting a solid into cells leaves the volume, the centroid and, on a flat face, the force.
TEST(PolyhedralContacts, CellsAddUpToTheWhole) {
  std::mt19937_64 random(2);
  const auto plate = make_plate(8, 6, 0.25, 0.5);
  const PolyhedralSolid whole({make_box_polyhedron(Vec3d(2, 1.5, 0.5))});
  const PolyhedralSolid tool({make_box_polyhedron(Vec3d(0.7, 0.5, 0.4))});
  PolyhedralContacts parts, one;
  int flat = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const Pose<double> X_WJ = {test::random_rotation(random), test::random_vector(random, 1)};
    const Pose<double> X_WI = {test::random_rotation(random),
                               X_WJ * Vec3d(test::random_between(random, -0.9, 0.9),
                                            test::random_between(random, -0.6, 0.6),
                                            test::random_between(random, 0.3, 0.6))};
    parts.update(tool, X_WI, plate, X_WJ, PolyhedraNormal::kAreaVector, false);
    one.update(tool, X_WI, whole, X_WJ, PolyhedraNormal::kAreaVector, false);
    double volume = 0;
    Vec3d first = Vec3d::Zero(), area = Vec3d::Zero(), force = Vec3d::Zero();
    for (const auto& r : parts.overlaps()) {
      volume += r.overlap.volume;
      first += r.overlap.volume * r.overlap.p_WC;
      area += r.area_vector;
      force += r.overlap.volume * r.overlap.n_W;
    }
    if (one.overlaps().empty()) {
      EXPECT_EQ(volume, 0);
      continue;
    }
    const auto& w = one.overlaps()[0];
    EXPECT_NEAR(volume, w.overlap.volume, 1e-15);
    EXPECT_LT((first - volume * w.overlap.p_WC).norm(), 1e-15);
    // Faces between cells count once for each side, opposite: the area vectors add up too. The
    // forces of cells do not: a cell sees its inner faces as surface.
    EXPECT_LT((area - w.area_vector).norm(), 1e-14);
    flat += (force - w.overlap.volume * w.overlap.n_W).norm() > 1e-6;
  }
  EXPECT_GT(flat, 0);
}

TEST(PolyhedralContacts, ASlidingBlockGainsAndLosesPairs) {
  const auto plate = make_plate(20, 3, 0.1, 0.2);
  const PolyhedralSolid block({make_box_polyhedron(Vec3d(0.25, 0.25, 0.1))});
  PolyhedralContacts contacts;
  std::size_t gained = 0, lost = 0, most = 0;
  for (double x = -0.8; x < 0.8; x += 0.011) {
    contacts.update(block, {Mat3d::Identity(), Vec3d(x, 0, 0.149)}, plate, Pose<double>{},
                    PolyhedraNormal::kAreaVector, false);
    for (const auto& pair : contacts.alive()) gained += pair.is_new;
    lost += contacts.lost().size();
    most = std::max(most, contacts.alive().size());
    EXPECT_EQ(contacts.alive().size(), contacts.overlaps().size());
    double volume = 0;
    for (const auto& r : contacts.overlaps()) volume += r.overlap.volume;
    EXPECT_NEAR(volume, 0.25 * 0.25 * 0.001, 1e-15);
  }
  EXPECT_EQ(gained, lost + contacts.alive().size());
  EXPECT_GT(lost, 30u);  // columns of three cells, sixteen of them passed
  EXPECT_LE(contacts.slot_count(), most + 6);
}

}  // namespace
}  // namespace vesica::cell_pairs_test
