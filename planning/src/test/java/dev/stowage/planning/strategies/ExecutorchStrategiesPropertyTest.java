package dev.stowage.planning.strategies;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.base.Call;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.Kinds;
import dev.stowage.planning.Arena;
import dev.stowage.planning.LowerBounds;
import dev.stowage.planning.MemoryPlan;
import dev.stowage.planning.Planner;
import dev.stowage.planning.PlanningOutcome;
import dev.stowage.planning.PlanningProblem;
import dev.stowage.planning.strategies.ReferencePlanner.Answer;
import dev.stowage.planning.strategies.ReferencePlanner.Place;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The strategies give what a literal reading of their description gives. */
class ExecutorchStrategiesPropertyTest {
  private static final int SEEDS = 3_000;

  private final Planner planner = Planner.withInstalledStrategies();

  @Test
  void greedy_randomProblems_equalsTheReference() {
    int errors = 0;
    for (int seed = 0; seed < SEEDS; seed++) {
      Random random = new Random(seed);
      boolean overlap = random.nextInt(4) > 0;
      PlanningProblem problem = problem(random, /* banks= */ false, /* storage= */ true);
      Answer expected = ReferencePlanner.greedy(problem, overlap);
      errors += expected.error() == null ? 0 : 1;
      assertThat(run("greedy{overlap=" + overlap + "}", problem))
          .as("seed %s", seed)
          .isEqualTo(expected);
    }
    // Both kinds of answer are common, so both are tested.
    assertThat(errors).isBetween(SEEDS / 20, SEEDS * 9 / 10);
  }

  @Test
  void naive_randomProblems_equalsTheReference() {
    for (int seed = 0; seed < SEEDS; seed++) {
      PlanningProblem problem = problem(new Random(seed), /* banks= */ false, /* storage= */ false);
      assertThat(run("naive", problem))
          .as("seed %s", seed)
          .isEqualTo(ReferencePlanner.naive(problem));
    }
  }

  @Test
  void bankedGreedy_randomProblems_equalsTheReference() {
    int errors = 0;
    for (int seed = 0; seed < SEEDS; seed++) {
      Random random = new Random(seed);
      boolean overlap = random.nextInt(4) > 0;
      PlanningProblem problem = problem(random, /* banks= */ true, random.nextBoolean());
      Answer expected = ReferencePlanner.banked(problem, overlap);
      errors += expected.error() == null ? 0 : 1;
      assertThat(run("banked-greedy{overlap=" + overlap + "}", problem))
          .as("seed %s", seed)
          .isEqualTo(expected);
    }
    assertThat(errors).isBetween(SEEDS / 20, SEEDS * 9 / 10);
  }

  @Test
  void bankedGreedy_oneLargeBankWithoutPins_equalsGreedy() {
    for (int seed = 0; seed < SEEDS; seed++) {
      Random random = new Random(seed);
      PlanningProblem.Builder builder = PlanningProblem.builder("one");
      builder.alignment(1 << random.nextInt(6));
      builder.addArena(Arena.of(1).withCapacity(1 << 20).withReserved(random.nextInt(99), 64));
      buffers(builder, random, 0, /* storage= */ true);
      PlanningProblem problem = builder.build();
      if (problem.bufferCount() > 0) {
        assertThat(run("banked-greedy", problem))
            .as("seed %s", seed)
            .isEqualTo(run("greedy", problem));
      }
    }
  }

  @Test
  void suite_randomProblems_takesTheFirstOfTheSmallestThatFit() {
    int errors = 0;
    for (int seed = 0; seed < SEEDS; seed++) {
      Random random = new Random(seed);
      PlanningProblem problem = problem(random, /* banks= */ true, random.nextBoolean());
      List<String> members = new ArrayList<>();
      for (int i = 1 + random.nextInt(3); i > 0; i--) {
        boolean overlap = random.nextBoolean();
        members.add((random.nextInt(3) > 0 ? "banked-greedy" : "greedy") + overlap(overlap));
      }
      Answer expected = suite(problem, members);
      errors += expected.error() == null ? 0 : 1;
      Answer answer = run("suite{of=[" + String.join(",", members) + "]}", problem);
      // A plan over capacity is about no buffer, but the proof that there is none may name one.
      boolean overCapacity = Kinds.UNPLACEABLE.equals(expected.error());
      assertThat(overCapacity ? answer.withoutBuffer() : answer)
          .as("seed %s, %s", seed, members)
          .isEqualTo(overCapacity ? expected.withoutBuffer() : expected);
    }
    assertThat(errors).isBetween(SEEDS / 20, SEEDS * 9 / 10);
  }

  @Test
  void strategies_sameProblemAgain_sameAnswer() {
    for (int seed = 0; seed < SEEDS / 10; seed++) {
      for (String call : List.of("greedy", "naive", "banked-greedy", "suite{of=[greedy,naive]}")) {
        PlanningProblem problem = problem(new Random(seed), /* banks= */ true, /* storage= */ true);
        PlanningProblem again = problem(new Random(seed), /* banks= */ true, /* storage= */ true);
        Answer first = run(call, problem);
        assertThat(run(call, problem)).as("%s, seed %s", call, seed).isEqualTo(first);
        assertThat(run(call, again)).as("%s, seed %s", call, seed).isEqualTo(first);
      }
    }
  }

  /** A matrix of pairs would need 10^10 entries, far more than the heap of a test. */
  @ParameterizedTest
  @ValueSource(strings = {"greedy", "naive"})
  @Timeout(120)
  void strategies_manyBuffersOfShortLifetimes_needMemoryInProportion(String call) {
    int n = 100_000;
    Random random = new Random(7);
    PlanningProblem.Builder builder = PlanningProblem.builder("many");
    for (int i = 0; i < n; i++) {
      builder.addBuffer(16 + random.nextInt(4_096), i, i + random.nextInt(4));
    }
    PlanningProblem problem = builder.build();
    PlanningOutcome outcome = planner.plan(problem, Call.parse("test", call));
    MemoryPlan plan = ((PlanningOutcome.Planned) outcome).plan();
    long bound = LowerBounds.of(problem).totalBytes();
    assertThat(plan.totalBytes()).isGreaterThanOrEqualTo(bound);
    if (!call.equals("naive")) {
      assertThat(plan.totalBytes()).isLessThan(4 * bound);
    }
  }

  private static String overlap(boolean overlap) {
    return "{overlap=" + overlap + "}";
  }

  /** The smallest plan of the members, each planned by the reference. */
  private static Answer suite(PlanningProblem problem, List<String> members) {
    List<Answer> answers = new ArrayList<>();
    for (String member : members) {
      boolean overlap = member.endsWith(overlap(true));
      Answer answer =
          member.startsWith("banked")
              ? ReferencePlanner.banked(problem, overlap)
              : ReferencePlanner.greedy(problem, overlap);
      if (answer.error() != null) {
        return answer;
      }
      if (!answers.isEmpty()
          && answers.get(0).sizesByMemId().size() != answer.sizesByMemId().size()) {
        return Answer.error(Kinds.SUITE_ARENA_COUNTS, -1);
      }
      answers.add(answer);
    }
    return answers.stream()
        .filter(answer -> fits(problem, answer))
        .min(Comparator.comparingLong(ExecutorchStrategiesPropertyTest::total))
        .orElse(Answer.error(Kinds.UNPLACEABLE, -1));
  }

  private static boolean fits(PlanningProblem problem, Answer answer) {
    return problem.arenas().stream()
        .allMatch(
            arena ->
                arena.memId() >= answer.sizesByMemId().size()
                    || answer.sizesByMemId().get(arena.memId()) <= arena.capacityBytes());
  }

  private static long total(Answer answer) {
    return answer.sizesByMemId().stream().mapToLong(size -> size).sum();
  }

  private Answer run(String call, PlanningProblem problem) {
    PlanningOutcome outcome = planner.plan(problem, Call.parse("test", call));
    if (outcome instanceof PlanningOutcome.GaveUp gaveUp) {
      Diagnostic why = gaveUp.why();
      return Answer.error(why.kind(), why.buffer());
    }
    if (outcome instanceof PlanningOutcome.Infeasible infeasible) {
      return Answer.error(infeasible.proof().kind(), infeasible.proof().buffer());
    }
    MemoryPlan plan = ((PlanningOutcome.Planned) outcome).plan();
    Map<Integer, Place> places = new TreeMap<>();
    for (int i = 0; i < plan.bufferCount(); i++) {
      places.put(
          i, new Place(problem.arena(plan.arena(i)).memId(), plan.object(i), plan.offsetBytes(i)));
    }
    List<Long> sizes = new ArrayList<>();
    for (long size : plan.arenaSizes()) {
      sizes.add(size);
    }
    return new Answer(places, sizes, null, -1);
  }

  private static PlanningProblem problem(Random random, boolean banks, boolean storage) {
    PlanningProblem.Builder builder = PlanningProblem.builder("random");
    int alignment = 1 << random.nextInt(7);
    builder.alignment(alignment);
    int arenas = 1 + random.nextInt(3);
    for (int a = 0; a < arenas; a++) {
      // Out of order, with a number that is skipped.
      Arena arena =
          Arena.of(a == 0 ? 1 : 6 - 2 * a)
              .withReserved(random.nextInt(3) * 25L, random.nextInt(3) * 32L);
      if (banks) {
        arena =
            arena
                .withCapacity(random.nextInt(2) * 1_000L + random.nextInt(1_000))
                .withAlignment(random.nextInt(3) * alignment + random.nextInt(20) / 19, 0);
        // What is not declared has no budget.
        boolean declared = random.nextInt(6) > 0;
        arena = declared ? arena : arena.closed().withCapacity(Arena.UNLIMITED);
      }
      builder.addArena(arena);
    }
    buffers(builder, random, random.nextInt(2) * arenas, storage);
    return builder.build();
  }

  /** Adds up to 12 buffers, pinned to one of the first arenas now and then. */
  private static void buffers(
      PlanningProblem.Builder builder, Random random, int arenas, boolean storage) {
    int n = random.nextInt(13);
    for (int i = 0; i < n; i++) {
      int start = random.nextInt(8);
      builder.addBuffer(random.nextInt(9) * 20L, start, start + random.nextInt(4));
      builder.oracleAlignment(i, random.nextBoolean() ? 16 : 1 << random.nextInt(7));
      if (arenas > 0 && random.nextInt(3) == 0) {
        builder.pin(i, random.nextInt(arenas));
      }
    }
    // The base is never an earlier one in a hidden order, so there are no cycles.
    for (int i = 0; storage && i < n - 1; i++) {
      if (random.nextInt(6) == 0) {
        boolean missing = random.nextInt(20) == 0;
        int base = missing ? PlanningProblem.UNPLACED_BASE : i + 1 + random.nextInt(n - i - 1);
        builder.storage(i, base, random.nextInt(20) == 0 ? -16 : random.nextInt(2) * 64L);
      }
    }
  }

  @Test
  @Timeout(60)
  void greedy_longChainOfBasesInTheOppositeOrder_isPlacedOnceEach() {
    // Of one size, so the last comes first, and each round of ExecuTorch's places only one.
    PlanningProblem.Builder builder = PlanningProblem.builder("chain");
    int n = 100_000;
    builder.addBuffer(64, 0, 0);
    for (int i = 1; i < n; i++) {
      builder.storage(builder.addBuffer(64, 0, 0), i - 1, 0);
    }

    assertThat(run("greedy", builder.build()).error()).isNull();

    builder.storage(n / 2, n / 2 - 1, 8).storage(n - 2, n - 3, 8);
    assertThat(run("greedy", builder.build()))
        .isEqualTo(Answer.error(Kinds.STORAGE_MISALIGNED, n / 2));
  }
}
