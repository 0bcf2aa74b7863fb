package dev.stowage.verifier;

import com.google.common.collect.ImmutableList;
import dev.stowage.ir.Method;
import dev.stowage.memmap.DeviceAllocator;
import dev.stowage.memmap.DeviceMemoryException;
import java.util.HashMap;
import java.util.Map;

/**
 * Judges placements on a method by running its schedule: with each storage in bytes of its own, and
 * in step with that in the arenas of the plan. Every write stamps the bytes of its tensor, every
 * read must find the same stamps in both. Where it does not, the plan has let another tensor write
 * there, and both are named.
 *
 * <p>It knows nothing of lifetimes, so it confirms or refutes those by which plans are made and
 * {@link ProgramVerifier} judges. It sees only the ways through a method that it takes: loops run
 * 0, 1 or 2 times, and branches go every way up to 64 runs, beyond that every two of them.
 *
 * <p>Its rules are in {@code docs/replay.md}.
 */
public final class ReplayVerifier {
  private ReplayVerifier() {}

  /**
   * How much work a replay is: accesses to tensors in all its runs, or a little more; {@code
   * Long.MAX_VALUE} if that is not enough. The time that one takes hardly depends on sizes.
   *
   * @throws IllegalArgumentException if a graph runs itself
   */
  public static long accesses(Method method) {
    return new ScheduleChoices(method).accesses();
  }

  /**
   * Replays a plan whose subjects are the storages of a method, by number in the source. Bytes are
   * kept as ranges with stamps, so that arenas of any size cost only what is done in them.
   *
   * @return for each tensor that loses bytes the first loss of each kind, a thousand of them and
   *     the others counted; in the order in which they were found
   * @throws IllegalArgumentException if the method is not sound: a graph runs itself, or storages
   *     share one another's bytes in a circle
   */
  public static ImmutableList<Finding> verify(Method method, ClaimedPlan plan) {
    return replay(method, new ReplayStorages(method, plan), new SparseArenas());
  }

  /**
   * The same, in real memory, which gives the same answers. Each arena is allocated four times, as
   * a single byte tells few stamps apart.
   *
   * @param allocator of the memory, of whose device 0 is used
   * @throws DeviceMemoryException if there is not so much memory, or it fails
   * @throws IllegalArgumentException as {@link #verify}
   */
  public static ImmutableList<Finding> verifyInMemory(
      Method method, ClaimedPlan plan, DeviceAllocator allocator) throws DeviceMemoryException {
    ReplayStorages storages = new ReplayStorages(method, plan);
    Map<Integer, Long> sizeByMemId = new HashMap<>();
    for (int tensor = 0; tensor < storages.count(); tensor++) {
      int of = storages.storage(tensor);
      ClaimedPlan.Place place = storages.place(of);
      if (place != null) {
        // Whatever the plan says of its arenas: a place past the end is another verifier's finding.
        sizeByMemId.merge(place.memId(), place.offsetBytes() + storages.to(of), Math::max);
      }
    }
    try (MemoryArenas arenas = new MemoryArenas(allocator, sizeByMemId)) {
      return replay(method, storages, arenas);
    } catch (MemoryArenas.Failure e) {
      throw e.reason();
    }
  }

  private static ImmutableList<Finding> replay(
      Method method, ReplayStorages storages, ArenaBytes arenas) {
    ScheduleChoices choices = new ScheduleChoices(method);
    ScheduleWalk walk = new ScheduleWalk(method, choices);
    ReplayFindings findings = new ReplayFindings(method, storages);
    Replay replay = new Replay(method, storages, arenas, findings);
    for (int i = 0; i < choices.runCount(); i++) {
      int run = i;
      replay.run(walk, () -> choices.run(run));
    }
    return findings.build();
  }
}
