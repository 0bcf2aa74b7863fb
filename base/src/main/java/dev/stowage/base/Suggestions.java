package dev.stowage.base;

import java.util.Optional;

/** Finds what a user probably meant. */
public final class Suggestions {
  private Suggestions() {}

  /**
   * The candidate nearest to the word by edit distance, the first of equals; empty if even that one
   * differs in more than a third of its letters (but two differences are always near enough).
   */
  public static Optional<String> nearest(String word, Iterable<String> candidates) {
    String best = null;
    int bestDistance = Integer.MAX_VALUE;
    for (String candidate : candidates) {
      int distance = distance(word, candidate);
      if (distance < bestDistance) {
        bestDistance = distance;
        best = candidate;
      }
    }
    if (best == null || bestDistance > Math.max(2, best.length() / 3)) {
      return Optional.empty();
    }
    return Optional.of(best);
  }

  /** {@code did you mean X? } or nothing, then the list of what there is. */
  public static String help(String word, Iterable<String> candidates) {
    String all = "possible: " + String.join(", ", candidates);
    return nearest(word, candidates).map(near -> "did you mean " + near + "? ").orElse("") + all;
  }

  /** Edit distance of Levenshtein, in O(|a| |b|) time and O(|b|) space. */
  private static int distance(String a, String b) {
    int[] row = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int substituted = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(substituted, Math.min(row[j], row[j - 1]) + 1);
      }
    }
    return row[b.length()];
  }
}
