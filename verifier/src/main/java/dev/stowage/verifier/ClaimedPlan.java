package dev.stowage.verifier;

import com.google.common.collect.ImmutableList;
import dev.stowage.planning.MemoryPlan;
import dev.stowage.planning.PlanningProblem;

/**
 * A plan as somebody claims it, possibly incomplete or wrong: what verifiers judge. Immutable.
 *
 * <p>The subjects are buffers of a problem, by index, or tensors of a program, by their number in
 * the source.
 */
public final class ClaimedPlan {
  private final ImmutableList<Place> places;
  private final long[] arenaSizeByMemId;

  private ClaimedPlan(ImmutableList<Place> places, long[] arenaSizeByMemId) {
    this.places = places;
    this.arenaSizeByMemId = arenaSizeByMemId;
  }

  /**
   * One claim.
   *
   * @param subject number of the tensor or buffer
   * @param memId arena
   * @param memObjId shared object in the arena, or -1 where there is none
   * @param offsetBytes from the start of the arena; may be negative, which is a finding
   */
  public record Place(int subject, int memId, int memObjId, long offsetBytes) {}

  /** A plan of the given claims; {@code arenaSizes} in bytes by mem_id. */
  public static ClaimedPlan of(Iterable<Place> places, long... arenaSizes) {
    return new ClaimedPlan(ImmutableList.copyOf(places), arenaSizes.clone());
  }

  /** What a strategy made of a problem, as a claim about its buffers. */
  public static ClaimedPlan of(PlanningProblem problem, MemoryPlan plan) {
    ImmutableList.Builder<Place> places = ImmutableList.builder();
    for (int i = 0; i < plan.bufferCount(); i++) {
      places.add(
          new Place(i, problem.arena(plan.arena(i)).memId(), plan.object(i), plan.offsetBytes(i)));
    }
    return of(places.build(), plan.arenaSizes());
  }

  /** The claims, in the order made; a subject may appear twice, or not at all. */
  public ImmutableList<Place> places() {
    return places;
  }

  /** Claimed size of an arena; 0 for one that is not listed. */
  public long arenaSizeBytes(int memId) {
    return memId >= 0 && memId < arenaSizeByMemId.length ? arenaSizeByMemId[memId] : 0;
  }

  /** Claimed sizes of the arenas by mem_id. */
  public long[] arenaSizes() {
    return arenaSizeByMemId.clone();
  }
}
