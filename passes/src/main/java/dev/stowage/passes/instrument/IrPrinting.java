package dev.stowage.passes.instrument;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableSet;
import dev.stowage.base.Message;
import dev.stowage.ir.Program;
import dev.stowage.ir.text.ProgramPrinter;
import dev.stowage.passes.PassInstrumentation;
import dev.stowage.passes.PassManager;
import dev.stowage.passes.PassReport;
import dev.stowage.passes.PassStep;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Prints the program as text before or after passes. Each text begins with a comment that names the
 * pass; a text that is no diff can be planned again as it is.
 */
public final class IrPrinting implements PassInstrumentation {
  /** The word that stands for all passes. */
  public static final String ALL = PassManager.ALL;

  private final Predicate<String> before;
  private final Predicate<String> after;
  private final boolean afterChange;
  private final Consumer<String> printer;

  private IrPrinting(
      Predicate<String> before,
      Predicate<String> after,
      boolean afterChange,
      Consumer<String> printer) {
    this.before = before;
    this.after = after;
    this.afterChange = afterChange;
    this.printer = printer;
  }

  /** Prints the whole program before passes of some names, or before {@link #ALL}. */
  public static IrPrinting before(Iterable<String> names, Consumer<String> printer) {
    return new IrPrinting(oneOf(names), name -> false, /* afterChange= */ false, printer);
  }

  /** Prints the whole program after passes of some names, or after {@link #ALL}. */
  public static IrPrinting after(Iterable<String> names, Consumer<String> printer) {
    return new IrPrinting(name -> false, oneOf(names), /* afterChange= */ false, printer);
  }

  /** Prints what each pass changed as a diff, and nothing for one that changed nothing. */
  public static IrPrinting afterChange(Consumer<String> printer) {
    return new IrPrinting(name -> false, name -> false, /* afterChange= */ true, printer);
  }

  private static Predicate<String> oneOf(Iterable<String> names) {
    ImmutableSet<String> set = ImmutableSet.copyOf(names);
    return set.contains(ALL) ? name -> true : set::contains;
  }

  @Override
  public void passStarted(PassStep step, Program program) {
    if (before.test(step.spec().name())) {
      print("before", step, ProgramPrinter.print(program));
    }
  }

  @Override
  public void passFinished(PassStep step, PassReport report) {
    if (after.test(step.spec().name())) {
      print("after", step, ProgramPrinter.print(report.after()));
    }
    if (afterChange && report.changed()) {
      print("change by", step, diff(report));
    }
  }

  private static String diff(PassReport report) {
    Splitter lines = Splitter.on('\n');
    List<String> old = lines.splitToList(ProgramPrinter.print(report.before()));
    List<String> now = lines.splitToList(ProgramPrinter.print(report.after()));
    return TextDiff.unified(old, now);
  }

  private void print(String when, PassStep step, String text) {
    printer.accept(Message.format("# ----- program %s %s -----\n%s\n", when, step.title(), text));
  }
}
