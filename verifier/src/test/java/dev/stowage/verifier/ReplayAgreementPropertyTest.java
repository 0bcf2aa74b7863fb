package dev.stowage.verifier;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import dev.stowage.ir.Method;
import dev.stowage.ir.Program;
import dev.stowage.ir.memory.MemoryKeys;
import dev.stowage.ir.memory.Shares;
import dev.stowage.ir.text.ProgramPrinter;
import dev.stowage.memmap.DeviceMemoryException;
import dev.stowage.memmap.HostAllocator;
import dev.stowage.verifier.ClaimedPlan.Place;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * The replay and the static verifier know nothing of one another, and say the same.
 *
 * <p>What the static verifier passes loses no byte in any run; that holds for all methods. The
 * reverse holds only where all that is live is also needed: lifetimes are from the first use to the
 * last, of a storage as a whole and over all ways through the method, so they cover what is
 * rewritten before it is read, parts that no window shows, what only the other branch reads, and
 * what no run has written. {@link RandomMethods#tight} makes methods without all that.
 */
final class ReplayAgreementPropertyTest {
  private static final int ROUNDS = 2_000;
  private static final ProgramVerifier.Rules RULES = ProgramVerifier.Rules.aligned(1);
  private static final ImmutableSet<FindingKind> OVERLAPS =
      ImmutableSet.of(
          FindingKind.OVERLAP, FindingKind.IN_PLACE_OVERLAP, FindingKind.SIBLING_OVERLAP);

  @Test
  void tightMethods_loseBytesWhereAndOnlyWhereTwoOverlap() {
    int broken = 0;
    for (int seed = 0; seed < ROUNDS; seed++) {
      Random random = new Random(seed);
      Method method = RandomMethods.tight(random);
      assertThat(ReplayVerifier.verify(method, apart(method))).as(() -> describe(method)).isEmpty();
      assertThat(overlaps(method, apart(method))).as("seed %d", seed).isEmpty();
      for (ClaimedPlan plan : plans(method, random)) {
        List<Finding> overlaps = overlaps(method, plan);
        ImmutableList<Finding> lost = ReplayVerifier.verify(method, plan);
        assertThat(lost.isEmpty())
            .as("seed %d: %s; %s; %s %s", seed, overlaps, lost, plan.places(), describe(method))
            .isEqualTo(overlaps.isEmpty());
        broken += overlaps.isEmpty() ? 0 : 1;
      }
    }
    assertThat(broken).isGreaterThan(ROUNDS);
  }

  @Test
  void anyMethod_losesBytesOnlyWhereTwoOverlap() {
    int lossless = 0;
    for (int seed = 0; seed < ROUNDS; seed++) {
      Random random = new Random(seed);
      Method method = RandomMethods.loose(random);
      for (ClaimedPlan plan : plans(method, random)) {
        Set<FindingKind> overlaps = kinds(overlaps(method, plan));
        ImmutableList<Finding> lost = ReplayVerifier.verify(method, plan);
        lossless += lost.isEmpty() ? 1 : 0;
        assertThat(lost.isEmpty() || !overlaps.isEmpty())
            .as("seed %d: %s %s %s", seed, lost, plan.places(), describe(method))
            .isTrue();
        // A profile may let in-place results pass, which must not let others through.
        assertThat(
                !kinds(lost).contains(FindingKind.CLOBBER)
                    || overlaps.contains(FindingKind.OVERLAP))
            .as("seed %d: %s %s %s", seed, lost, plan.places(), describe(method))
            .isTrue();
      }
    }
    assertThat(lossless).isGreaterThan(ROUNDS);
  }

  @Test
  void verifyInMemory_randomPlans_findsTheSame() throws DeviceMemoryException {
    HostAllocator allocator = new HostAllocator();
    for (int seed = 0; seed < ROUNDS / 5; seed++) {
      Random random = new Random(seed);
      Method method = seed % 2 == 0 ? RandomMethods.tight(random) : RandomMethods.loose(random);
      for (ClaimedPlan plan : plans(method, random)) {
        assertThat(ReplayVerifier.verifyInMemory(method, plan, allocator))
            .as("seed %d", seed)
            .isEqualTo(ReplayVerifier.verify(method, plan));
      }
    }
  }

  /** A dense plan that the static verifier passes, and others with a place moved. */
  private static List<ClaimedPlan> plans(Method method, Random random) {
    Map<Integer, Long> dense = firstFit(method);
    List<ClaimedPlan> plans = new ArrayList<>(List.of(placed(method, dense)));
    List<Integer> roots = List.copyOf(dense.keySet());
    for (Map<Integer, Long> offsets : List.of(dense, dense, dense, distinct(method))) {
      Map<Integer, Long> moved = new LinkedHashMap<>(offsets);
      moved.put(roots.get(random.nextInt(roots.size())), (long) random.nextInt(150));
      plans.add(placed(method, moved));
    }
    return plans;
  }

  private static ClaimedPlan apart(Method method) {
    return placed(method, distinct(method));
  }

  private static Map<Integer, Long> distinct(Method method) {
    Map<Integer, Long> offsets = new LinkedHashMap<>();
    outermost(method).forEach(storage -> offsets.put(storage, 100L * storage));
    return offsets;
  }

  /** Offsets at which each overlaps none before it, as low as can be. */
  private static Map<Integer, Long> firstFit(Method method) {
    Map<Integer, Long> offsets = new LinkedHashMap<>();
    TreeSet<Long> ends = new TreeSet<>(Set.of(0L));
    for (int storage : outermost(method)) {
      for (long offset : ends) {
        offsets.put(storage, offset);
        Set<FindingKind> overlaps = kinds(overlaps(method, placed(method, offsets)));
        overlaps.remove(FindingKind.SIBLING_OVERLAP);
        if (overlaps.isEmpty()) {
          ends.add(offset + method.tensor(storage).type().bytes());
          break;
        }
      }
    }
    return offsets;
  }

  /** Storages in no base. */
  private static List<Integer> outermost(Method method) {
    return IntStream.range(0, method.tensors().size())
        .filter(tensor -> method.body().root(tensor) == tensor)
        .filter(storage -> method.get(MemoryKeys.SHARES, storage).isEmpty())
        .boxed()
        .toList();
  }

  /** Places the storages that have an offset, and those that lie in them. */
  private static ClaimedPlan placed(Method method, Map<Integer, Long> offsets) {
    List<Place> places = new ArrayList<>();
    for (int tensor = 0; tensor < method.tensors().size(); tensor++) {
      long inside = 0;
      int at = tensor;
      while (method.get(MemoryKeys.SHARES, at).isPresent()) {
        Shares shares = method.get(MemoryKeys.SHARES, at).get();
        inside += shares.offsetBytes();
        at = shares.base();
      }
      if (method.body().root(tensor) == tensor && offsets.containsKey(at)) {
        places.add(new Place(tensor, 1, -1, offsets.get(at) + inside));
      }
    }
    return ClaimedPlan.of(places, 0, 1L << 20);
  }

  private static List<Finding> overlaps(Method method, ClaimedPlan plan) {
    return ProgramVerifier.verify(method, plan, RULES).stream()
        .filter(finding -> OVERLAPS.contains(finding.kind()))
        .toList();
  }

  private static Set<FindingKind> kinds(List<Finding> findings) {
    return findings.stream().map(Finding::kind).collect(Collectors.toCollection(TreeSet::new));
  }

  private static String describe(Method method) {
    return ProgramPrinter.print(Program.of("random", method));
  }
}
