package dev.stowage.formats.plan;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import dev.stowage.base.io.Entry;
import dev.stowage.base.io.Source;
import dev.stowage.base.json.JsonCursor;
import dev.stowage.base.json.JsonDocuments;
import dev.stowage.base.json.JsonDocuments.Label;
import dev.stowage.verifier.ClaimedPlan;
import java.util.Iterator;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads plans of problems, in the form that {@link PlanWriter} writes. What a plan claims is not
 * judged here, only its form: strategy, bounds, sizes and findings are read and dropped.
 */
public final class PlanReader {
  private static final ImmutableSet<String> MEMBERS =
      ImmutableSet.of(
          "format",
          "version",
          "name",
          "strategy",
          "alignment",
          "arena_sizes",
          "lower_bound",
          "lower_bounds",
          "optimal",
          "placements",
          "findings",
          "error");
  private static final ImmutableSet<String> PLACEMENT_MEMBERS =
      ImmutableSet.of(
          "buffer", "name", "mem_id", "mem_obj_id", "offset", "size", "lifetime", "base");

  private PlanReader() {}

  /**
   * The plans of a source, read as they are asked for; there is at least one entry. The caller
   * closes the source.
   *
   * @throws dev.stowage.base.DiagnosticException of kind {@code input-unreadable}, here and while
   *     iterating
   */
  public static Iterator<Entry<PlanDocument>> read(Source source) {
    return new JsonDocuments<>(source, PlanReader::readPlan);
  }

  private static PlanDocument readPlan(JsonCursor cursor, Label label) {
    @Nullable Boolean format = null;
    @Nullable Boolean version = null;
    long @Nullable [] arenaSizes = null;
    @Nullable ImmutableList<ClaimedPlan.Place> places = null;
    @Nullable PlanError error = null;
    cursor.beginObject();
    for (String member = cursor.nextMember(); member != null; member = cursor.nextMember()) {
      switch (member) {
        case "format" -> {
          PlanJson.readFormat(cursor, PlanJson.PROBLEM_FORMAT);
          format = true;
        }
        case "version" -> {
          PlanJson.readVersion(cursor);
          version = true;
        }
        case "name" -> label.set(cursor.text());
        case "strategy" -> cursor.text();
        case "alignment" -> cursor.integer(1, Integer.MAX_VALUE);
        case "arena_sizes" -> arenaSizes = PlanJson.readLongs(cursor, 0, Long.MAX_VALUE);
        case "lower_bound" -> cursor.integer(0L, Long.MAX_VALUE);
        case "lower_bounds" -> PlanJson.readLongs(cursor, 0, Long.MAX_VALUE);
        case "optimal" -> cursor.bool();
        case "placements" -> places = readPlaces(cursor);
        case "findings" -> FindingJson.readAll(cursor);
        case "error" -> error = PlanJson.readError(cursor);
        default -> throw cursor.unknownMember(member, MEMBERS);
      }
    }
    PlanJson.required(cursor, format, "format");
    PlanJson.required(cursor, version, "version");
    if (error != null) {
      return new PlanDocument(label.text(), ClaimedPlan.of(ImmutableList.of()), Optional.of(error));
    }
    ClaimedPlan plan =
        ClaimedPlan.of(
            PlanJson.required(cursor, places, "placements"),
            PlanJson.required(cursor, arenaSizes, "arena_sizes"));
    return new PlanDocument(label.text(), plan, Optional.empty());
  }

  private static ImmutableList<ClaimedPlan.Place> readPlaces(JsonCursor cursor) {
    ImmutableList.Builder<ClaimedPlan.Place> places = ImmutableList.builder();
    cursor.beginArray();
    while (cursor.nextElement()) {
      places.add(readPlace(cursor));
    }
    return places.build();
  }

  private static ClaimedPlan.Place readPlace(JsonCursor cursor) {
    @Nullable Integer buffer = null;
    @Nullable Integer memId = null;
    @Nullable Long offset = null;
    int object = -1;
    cursor.beginObject();
    for (String member = cursor.nextMember(); member != null; member = cursor.nextMember()) {
      switch (member) {
        case "buffer" -> buffer = cursor.integer(0, Integer.MAX_VALUE);
        case "name" -> cursor.text();
        case "mem_id" -> memId = cursor.integer(0, Integer.MAX_VALUE);
        case "mem_obj_id" -> object = PlanJson.readIndex(cursor);
        case "offset" -> offset = cursor.integer(Long.MIN_VALUE, Long.MAX_VALUE);
        case "size" -> cursor.integer(0L, Long.MAX_VALUE);
        case "lifetime" -> PlanJson.readPair(cursor, 0, Integer.MAX_VALUE);
        case "base" -> cursor.integer(0, Integer.MAX_VALUE);
        default -> throw cursor.unknownMember(member, PLACEMENT_MEMBERS);
      }
    }
    return new ClaimedPlan.Place(
        PlanJson.required(cursor, buffer, "buffer"),
        PlanJson.required(cursor, memId, "mem_id"),
        object,
        PlanJson.required(cursor, offset, "offset"));
  }
}
