package dev.stowage.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.base.Call;
import dev.stowage.base.Deadline;
import dev.stowage.base.Kinds;
import dev.stowage.planning.Arena;
import dev.stowage.planning.MemoryPlan;
import dev.stowage.planning.Planner;
import dev.stowage.planning.PlanningOutcome;
import dev.stowage.planning.PlanningProblem;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Buffers inside buffers inside buffers: each strategy makes the same of them whether or not
 * whoever built the problem has lengthened the lifetimes of bases, and puts nothing over what is
 * live in a base.
 */
class StorageChainsPropertyTest {
  private static final int PROBLEMS = 400;

  private final Planner planner = Planner.withInstalledStrategies();

  /** Buffers as a test makes them: bases come before what lies in them. */
  private static final class Draft {
    final int[] size;
    final int[] start;
    final int[] end;
    final int[] base;
    final long[] offset;

    Draft(Random random, int count) {
      size = new int[count];
      start = new int[count];
      end = new int[count];
      base = new int[count];
      offset = new long[count];
      Arrays.fill(base, -1);
      for (int i = 0; i < count; i++) {
        start[i] = random.nextInt(8);
        end[i] = start[i] + random.nextInt(4);
        size[i] = 16 * (1 + random.nextInt(8));
        int in = i == 0 ? -1 : random.nextInt(2 * i) - i;
        if (in >= 0) {
          base[i] = in;
          offset[i] = 16L * random.nextInt(size[in] / 16);
          size[i] = 16 * (1 + random.nextInt((int) (size[in] - offset[i]) / 16));
        }
      }
    }

    /** Lengthens the lifetime of each base over all that lies in it, by the definition. */
    void widen() {
      for (int i = 0; i < size.length; i++) {
        for (int at = base[i]; at >= 0; at = base[at]) {
          start[at] = Math.min(start[at], start[i]);
          end[at] = Math.max(end[at], end[i]);
        }
      }
    }

    PlanningProblem build(boolean banks) {
      PlanningProblem.Builder builder = PlanningProblem.builder("chains").alignment(16);
      if (banks) {
        builder.addArena(Arena.of(2).withCapacity(160));
        builder.addArena(Arena.of(1).withCapacity(4_096));
      } else {
        builder.addArena(Arena.of(1));
      }
      for (int i = 0; i < size.length; i++) {
        builder.addBuffer(size[i], start[i], end[i]);
      }
      for (int i = 0; i < size.length; i++) {
        if (base[i] >= 0) {
          builder.storage(i, base[i], offset[i]);
        }
      }
      return builder.build();
    }

    int root(int i) {
      int at = i;
      while (base[at] >= 0) {
        at = base[at];
      }
      return at;
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "greedy",
        "greedy{overlap=false}",
        "banked-greedy",
        "first-fit",
        "first-fit{order=area}",
        "first-fit{order=lifetime}",
        "first-fit{order=start}",
        "exhaustive",
        "suite{of=[banked-greedy,first-fit]}"
      })
  void plan_basesWithOrWithoutWidenedLifetimes_isTheSame_andLeavesPartsAlone(String strategy) {
    Call call = Call.parse("test", strategy);
    for (int seed = 0; seed < PROBLEMS; seed++) {
      Random random = new Random(seed);
      Draft draft = new Draft(random, strategy.equals("exhaustive") ? 6 : 12);
      boolean banks = seed % 2 == 0;
      int[] start = draft.start.clone();
      int[] end = draft.end.clone();
      PlanningOutcome raw = planner.plan(draft.build(banks), call, Deadline.NONE);
      draft.widen();
      PlanningOutcome widened = planner.plan(draft.build(banks), call, Deadline.NONE);
      String of = strategy + ", seed " + seed;
      assertThat(raw).as(of).isInstanceOf(PlanningOutcome.Planned.class);
      MemoryPlan plan = ((PlanningOutcome.Planned) raw).plan();
      assertThat(places(plan)).as(of).isEqualTo(places(((PlanningOutcome.Planned) widened).plan()));
      for (int i = 0; i < start.length; i++) {
        for (int j = 0; j < i; j++) {
          boolean live = start[i] <= end[j] && start[j] <= end[i];
          boolean shared =
              plan.arena(i) == plan.arena(j)
                  && plan.offsetBytes(i) < plan.offsetBytes(j) + draft.size[j]
                  && plan.offsetBytes(j) < plan.offsetBytes(i) + draft.size[i];
          if (live && shared) {
            assertThat(draft.root(i)).as(of + ", buffers " + i + ", " + j).isEqualTo(draft.root(j));
          }
        }
        if (draft.base[i] >= 0) {
          assertThat(plan.offsetBytes(i))
              .as(of)
              .isEqualTo(plan.offsetBytes(draft.base[i]) + draft.offset[i]);
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"naive", "suite{of=[naive]}"})
  void plan_naive_refusesStorageBeforePlanning(String strategy) {
    Draft draft = new Draft(new Random(1), 12);
    PlanningOutcome outcome =
        planner.plan(draft.build(false), Call.parse("test", strategy), Deadline.NONE);

    assertThat(((PlanningOutcome.GaveUp) outcome).why().kind())
        .isEqualTo(Kinds.STRATEGY_REFUSES_STORAGE);
  }

  private static List<List<Long>> places(MemoryPlan plan) {
    List<List<Long>> places = new ArrayList<>();
    for (int i = 0; i < plan.bufferCount(); i++) {
      places.add(List.of((long) plan.arena(i), plan.offsetBytes(i)));
    }
    return places;
  }
}
