package dev.stowage.base;

import static java.util.Objects.requireNonNull;

import com.google.common.base.Throwables;
import com.google.common.collect.ImmutableList;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs tasks on the calling thread, or on threads of its own where several can run at a time or
 * there is a deadline, since nothing but leaving its thread behind ends a task that never looks at
 * the clock. Those threads do not keep the process alive.
 */
public final class Workers implements AutoCloseable {
  /**
   * What work that looks at the clock gets after the deadline, all tasks together, to answer with
   * what it has.
   */
  public static final Duration GRACE = Duration.ofMillis(500);

  private final Deadline deadline;
  private final long graceNanos;
  private final int threads;
  private @Nullable ExecutorService pool;

  /**
   * Workers that have made no thread yet.
   *
   * @param threads how many tasks run at a time, 1 or more
   * @param deadline when the tasks should have ended
   * @param grace how much later nobody waits any more for the tasks, all together
   */
  public Workers(int threads, Deadline deadline, Duration grace) {
    this.threads = threads;
    this.deadline = deadline;
    graceNanos = grace.toNanos();
  }

  /**
   * Runs all tasks and gives their results in order. If some fail, the failure of the first of them
   * in order is thrown, whichever failed first.
   *
   * @param expired what to throw once the deadline and the grace are over and a task has not ended
   */
  public <T> ImmutableList<T> runAll(
      List<Supplier<T>> tasks, Supplier<? extends RuntimeException> expired) {
    if (!deadline.isLimited() && (threads == 1 || tasks.size() < 2)) {
      return tasks.stream().map(Supplier::get).collect(ImmutableList.toImmutableList());
    }
    List<Future<T>> futures = new ArrayList<>();
    for (Supplier<T> task : tasks) {
      futures.add(pool().submit(task::get));
    }
    ImmutableList.Builder<T> results = ImmutableList.builder();
    try {
      for (Future<T> future : futures) {
        results.add(result(future));
      }
    } catch (TimeoutException e) {
      throw expired.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw expired.get();
    } finally {
      // Without effect on those that are done.
      futures.forEach(future -> future.cancel(/* mayInterruptIfRunning= */ true));
    }
    return results.build();
  }

  /**
   * Runs one task and gives its result.
   *
   * @param expired what to throw once the deadline and the grace are over and it has not ended
   */
  public <T> T run(Supplier<T> task, Supplier<? extends RuntimeException> expired) {
    return runAll(ImmutableList.of(task), expired).get(0);
  }

  private <T> T result(Future<T> future) throws InterruptedException, TimeoutException {
    try {
      return deadline.isLimited()
          ? future.get(deadline.remainingNanos(graceNanos), TimeUnit.NANOSECONDS)
          : future.get();
    } catch (ExecutionException e) {
      Throwable cause = requireNonNull(e.getCause());
      Throwables.throwIfUnchecked(cause);
      throw new IllegalStateException("a task threw a checked exception", cause);
    }
  }

  private ExecutorService pool() {
    if (pool == null) {
      pool =
          Executors.newFixedThreadPool(
              threads,
              task -> {
                Thread thread = new Thread(task, "stowage-worker");
                thread.setDaemon(true);
                return thread;
              });
    }
    return pool;
  }

  @Override
  public void close() {
    if (pool != null) {
      pool.shutdownNow();
    }
  }
}
