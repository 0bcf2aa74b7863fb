package dev.stowage.passes;

import com.google.common.collect.ImmutableList;
import dev.stowage.base.Deadline;
import java.util.function.Consumer;

/**
 * How a pipeline is run, whatever it consists of.
 *
 * @param threads how many methods are worked on at a time, 1 or more; the result is the same
 * @param deadline when a plan must be there
 * @param checked true to check what passes promise: well-formed programs, plans that are still
 *     right, the analyses that they preserve. It costs more than the passes themselves
 * @param instrumentations observers, the outermost first
 * @param printer takes what passes print for the user
 * @param files where passes read the files that their options name
 */
public record RunOptions(
    int threads,
    Deadline deadline,
    boolean checked,
    ImmutableList<PassInstrumentation> instrumentations,
    Consumer<String> printer,
    FileAccess files) {
  /** As many threads as there are processors, no deadline, nothing observed or printed. */
  public static final RunOptions DEFAULT =
      new RunOptions(
          Runtime.getRuntime().availableProcessors(),
          Deadline.NONE,
          /* checked= */ false,
          ImmutableList.of(),
          text -> {},
          FileAccess.DISK);

  /** The same with another number of threads, 1 or more. */
  public RunOptions withThreads(int newThreads) {
    return new RunOptions(newThreads, deadline, checked, instrumentations, printer, files);
  }

  /** The same with a deadline. */
  public RunOptions withDeadline(Deadline newDeadline) {
    return new RunOptions(threads, newDeadline, checked, instrumentations, printer, files);
  }

  /** The same, checking what passes promise. */
  public RunOptions withChecks() {
    return new RunOptions(threads, deadline, /* checked= */ true, instrumentations, printer, files);
  }

  /** The same with one more observer, inside the others. */
  public RunOptions observedBy(PassInstrumentation more) {
    return new RunOptions(
        threads,
        deadline,
        checked,
        ImmutableList.<PassInstrumentation>builder().addAll(instrumentations).add(more).build(),
        printer,
        files);
  }

  /** The same with another taker of what passes print. */
  public RunOptions printingTo(Consumer<String> newPrinter) {
    return new RunOptions(threads, deadline, checked, instrumentations, newPrinter, files);
  }

  /** The same with files from elsewhere. */
  public RunOptions readingFrom(FileAccess newFiles) {
    return new RunOptions(threads, deadline, checked, instrumentations, printer, newFiles);
  }
}
