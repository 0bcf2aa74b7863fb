package dev.stowage.verifier;

import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.Set;

/**
 * Finds boxes of one arena that share bytes, at whatever time, though they are in different shared
 * objects. Pairs that share bytes as they may can be many, so they are not enumerated: of each box
 * that is in a wrong pair at least one such pair is found, in O(n log n).
 */
final class ObjectCheck {
  private final Boxes boxes;
  private final int[] objectByBox;
  private final OverlapSweep.PairVisitor visitor;
  private final Set<Long> seen = new HashSet<>();

  ObjectCheck(Boxes boxes, int[] objectByBox, OverlapSweep.PairVisitor visitor) {
    this.boxes = boxes;
    this.objectByBox = objectByBox;
    this.visitor = visitor;
  }

  /** Searches among boxes of one arena that have bytes and an object. */
  void search(int[] members) {
    int[] byFrom =
        Arrays.stream(members)
            .boxed()
            .sorted(Comparator.comparingLong(boxes::from).thenComparing(Comparator.naturalOrder()))
            .mapToInt(Integer::intValue)
            .toArray();
    // Against what begins before: of those in other objects, the one that ends last decides.
    int far = -1;
    int farOfOther = -1;
    for (int box : byFrom) {
      int rival = rival(box, far, farOfOther);
      if (rival >= 0 && boxes.to(rival) > boxes.from(box)) {
        visit(rival, box);
      }
      if (far < 0 || boxes.to(box) > boxes.to(far)) {
        farOfOther = far >= 0 && !sameObject(box, far) ? far : farOfOther;
        far = box;
      } else if (!sameObject(box, far)
          && (farOfOther < 0 || boxes.to(box) > boxes.to(farOfOther))) {
        farOfOther = box;
      }
    }
    // Against what begins after: of those in other objects, the next one decides.
    int next = -1;
    int nextOfOther = -1;
    for (int i = byFrom.length - 1; i >= 0; i--) {
      int box = byFrom[i];
      int rival = rival(box, next, nextOfOther);
      if (rival >= 0 && boxes.from(rival) < boxes.to(box)) {
        visit(box, rival);
      }
      nextOfOther = next >= 0 && !sameObject(box, next) ? next : nextOfOther;
      next = box;
    }
  }

  /** The first of two boxes of different objects that is in another object than the given one. */
  private int rival(int box, int best, int bestOfOther) {
    return best >= 0 && !sameObject(box, best) ? best : bestOfOther;
  }

  private boolean sameObject(int a, int b) {
    return objectByBox[a] == objectByBox[b];
  }

  private void visit(int a, int b) {
    int low = Math.min(a, b);
    int high = Math.max(a, b);
    if (seen.add(((long) low << 32) | high)) {
      visitor.visit(low, high);
    }
  }
}
