package dev.stowage.base;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.ImmutableList;
import com.google.common.util.concurrent.Uninterruptibles;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class WorkersTest {
  private static RuntimeException late() {
    return new IllegalStateException("late");
  }

  @Test
  void runAll_anyNumberOfThreads_givesResultsInOrder() {
    List<Supplier<Integer>> tasks = new ArrayList<>();
    List<Integer> expected = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      int number = i;
      tasks.add(() -> number);
      expected.add(number);
    }
    for (int threads : new int[] {1, 3, 16}) {
      try (Workers workers = new Workers(threads, Deadline.NONE, Workers.GRACE)) {
        assertThat(workers.runAll(tasks, WorkersTest::late)).isEqualTo(expected);
      }
    }
  }

  @Test
  void run_oneTaskWithoutDeadline_isOnTheThreadOfTheCaller() {
    try (Workers workers = new Workers(4, Deadline.NONE, Workers.GRACE)) {
      assertThat(workers.run(Thread::currentThread, WorkersTest::late))
          .isSameAs(Thread.currentThread());
    }
  }

  @Test
  void run_taskThatNeverEnds_isLeftBehind() {
    CountDownLatch never = new CountDownLatch(1);
    try (Workers workers = new Workers(1, Deadline.after(Duration.ofMillis(10)), Workers.GRACE)) {
      assertThatThrownBy(
              () ->
                  workers.run(
                      () -> {
                        while (true) { // not even when interrupted
                          try {
                            never.await();
                          } catch (InterruptedException e) {
                            // on purpose
                          }
                        }
                      },
                      WorkersTest::late))
          .hasMessage("late");
    }
  }

  @Test
  void run_taskThatEndsAtTheDeadline_mayAnswer() {
    Deadline deadline = Deadline.after(Duration.ofMillis(10));
    try (Workers workers = new Workers(1, deadline, Workers.GRACE)) {
      assertThat(
              workers.run(
                  () -> {
                    while (!deadline.expired()) {
                      Thread.onSpinWait();
                    }
                    return "what there is";
                  },
                  WorkersTest::late))
          .isEqualTo("what there is");
    }
  }

  @Test
  void runAll_manyTasksThatNeverEnd_haveOneGraceTogether() {
    // Each ends within a grace that begins when the one before it has ended.
    Supplier<Integer> slow =
        () -> {
          Uninterruptibles.sleepUninterruptibly(Duration.ofMillis(200));
          return 1;
        };
    Deadline deadline = Deadline.after(Duration.ofMillis(10));
    try (Workers workers = new Workers(1, deadline, Duration.ofMillis(300))) {
      assertThatThrownBy(() -> workers.runAll(Collections.nCopies(20, slow), WorkersTest::late))
          .hasMessage("late");
    }
  }

  @Test
  void deadline_remainingNanos_hasNoOverflow() {
    long most = Deadline.after(Duration.ofNanos(Long.MAX_VALUE)).remainingNanos(Long.MAX_VALUE);
    assertThat(most).isEqualTo(Long.MAX_VALUE);
    Deadline past = Deadline.after(Duration.ZERO);
    assertThat(past.remainingNanos(0)).isZero();
    assertThat(past.remainingNanos(Duration.ofHours(1).toNanos())).isPositive();
  }

  @Test
  void runAll_failures_areThrownAsTheyAre() {
    for (Deadline deadline : List.of(Deadline.NONE, Deadline.after(Duration.ofHours(1)))) {
      try (Workers workers = new Workers(2, deadline, Workers.GRACE)) {
        assertThatThrownBy(
                () ->
                    workers.runAll(
                        ImmutableList.<Supplier<String>>of(
                            () -> "fine",
                            () -> {
                              throw new StackOverflowError("deep");
                            }),
                        WorkersTest::late))
            .isInstanceOf(StackOverflowError.class)
            .hasMessage("deep");
      }
    }
  }

  @Test
  void deadline_none_neverComes() {
    assertThat(Deadline.NONE.expired()).isFalse();
    assertThat(Deadline.NONE.remainingNanos(1)).isEqualTo(Long.MAX_VALUE);
    assertThat(Deadline.after(Duration.ofSeconds(Long.MAX_VALUE))).isSameAs(Deadline.NONE);
    assertThat(Deadline.after(Duration.ZERO).hasCome()).isTrue();
    assertThat(Deadline.after(Duration.ofHours(1)).hasCome()).isFalse();
  }
}
