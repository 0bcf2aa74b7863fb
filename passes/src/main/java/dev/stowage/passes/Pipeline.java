package dev.stowage.passes;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Lists;
import dev.stowage.base.Call;
import dev.stowage.base.Kinds;
import dev.stowage.base.Options;
import dev.stowage.base.Suggestions;
import dev.stowage.base.TextCursor;
import dev.stowage.base.TextSpan;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Passes to run one after the other, as text:
 *
 * <pre>
 * pipeline ::= element (',' element)*
 * element  ::= call | ('program' | 'method' | 'graph') '(' pipeline ')'
 * call     ::= name ('{' key '=' value (',' key '=' value)* '}')?
 * value    ::= word | '"' ... '"' | call | '[' value (',' value)* ']'
 * </pre>
 *
 * <p>A part in parentheses holds passes of its level and of smaller ones. Since passes of methods
 * are independent of other methods, it makes no difference to the result where such a part ends.
 * {@link #toString} gives the canonical text, and {@link #parse} of it an equal pipeline.
 *
 * @param elements at least one
 */
public record Pipeline(ImmutableList<Element> elements) {
  /** A pass, or a part of a pipeline. */
  public sealed interface Element {}

  /** A pass with its options. Two of equal calls are equal, whether their options are read yet. */
  public static final class Step implements Element {
    private final Call call;
    private final Optional<Options> options;

    /** A pass whose options are still text. */
    public Step(Call call) {
      this.call = call;
      options = Optional.empty();
    }

    /** A pass whose options have been read and checked: what they name is not read again. */
    Step(Options options) {
      call = options.call();
      this.options = Optional.of(options);
    }

    /** How the pass is called. */
    public Call call() {
      return call;
    }

    /** The options as a manager has read them; empty if none has. */
    Optional<Options> options() {
      return options;
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Step step && call.equals(step.call);
    }

    @Override
    public int hashCode() {
      return call.hashCode();
    }

    @Override
    public String toString() {
      return call.toString();
    }
  }

  /**
   * A part whose passes run on one level.
   *
   * @param elements at least one
   */
  public record Part(Level level, ImmutableList<Element> elements) implements Element {
    @Override
    public String toString() {
      return level.word() + "(" + text(elements) + ")";
    }
  }

  /** A pipeline of passes without parts. */
  public static Pipeline of(Call... passes) {
    return new Pipeline(
        Arrays.stream(passes).map(Step::new).collect(ImmutableList.toImmutableList()));
  }

  /**
   * Reads a pipeline; blanks, line breaks and {@code #} comments are passed over.
   *
   * @param source what the text is called in errors, such as {@code --pipeline}
   * @throws dev.stowage.base.DiagnosticException of kind {@code syntax} or {@code wrong-level},
   *     pointing into the text
   */
  public static Pipeline parse(String source, String text) {
    return parse(new TextCursor(source, text));
  }

  /** Reads a pipeline that goes on to the end of what a cursor sees. */
  static Pipeline parse(TextCursor cursor) {
    if (cursor.atEnd()) {
      throw cursor.error(
          Kinds.SYNTAX, cursor.position(), "the pipeline is empty", "name a pass, as in plan");
    }
    ImmutableList<Element> elements = elements(cursor, null);
    if (!cursor.atEnd()) {
      throw cursor.error(cursor.position(), "expected ',' or the end of the pipeline");
    }
    return new Pipeline(elements);
  }

  private static ImmutableList<Element> elements(TextCursor cursor, @Nullable Level within) {
    ImmutableList.Builder<Element> elements = ImmutableList.builder();
    do {
      elements.add(element(cursor, within));
    } while (cursor.accept(','));
    return elements.build();
  }

  private static Element element(TextCursor cursor, @Nullable Level within) {
    cursor.skipBlanks();
    int start = cursor.position();
    Call call = Call.read(cursor);
    TextSpan place = cursor.since(start);
    if (!cursor.accept('(')) {
      return new Step(call);
    }
    Level level = level(call);
    if (within != null && level.compareTo(within) <= 0) {
      throw place
          .diagnose(
              Kinds.WRONG_LEVEL, level.word() + "(...) cannot stand in " + within.word() + "(...)")
          .help("a program has methods, a method has graphs: close the outer part first")
          .asException();
    }
    if (cursor.accept(')')) {
      throw place
          .diagnose(Kinds.SYNTAX, level.word() + "(...) is empty")
          .help("name a pass in it, or leave it out")
          .asException();
    }
    ImmutableList<Element> elements = elements(cursor, level);
    if (!cursor.accept(')')) {
      throw cursor.error(
          Kinds.SYNTAX,
          cursor.position(),
          "expected ',' or ')'",
          "the part that begins with " + level.word() + "( is still open");
    }
    return new Part(level, elements);
  }

  private static Level level(Call call) {
    for (Level level : Level.values()) {
      if (call.name().equals(level.word()) && call.options().isEmpty()) {
        return level;
      }
    }
    throw call.diagnose(Kinds.SYNTAX, "'" + call.name() + "' is no level that a part could have")
        .help(
            Suggestions.help(
                call.name(), Lists.transform(Arrays.asList(Level.values()), Level::word)))
        .asException();
  }

  /** The passes in the order in which they run, whatever part they stand in. */
  public ImmutableList<Call> passes() {
    return steps().stream().map(Step::call).collect(ImmutableList.toImmutableList());
  }

  /** The same with their options. */
  ImmutableList<Step> steps() {
    ImmutableList.Builder<Step> steps = ImmutableList.builder();
    addSteps(elements, steps);
    return steps.build();
  }

  private static void addSteps(ImmutableList<Element> elements, ImmutableList.Builder<Step> steps) {
    for (Element element : elements) {
      if (element instanceof Step step) {
        steps.add(step);
      } else {
        addSteps(((Part) element).elements(), steps);
      }
    }
  }

  @Override
  public String toString() {
    return text(elements);
  }

  private static String text(ImmutableList<Element> elements) {
    return elements.stream().map(Element::toString).collect(Collectors.joining(","));
  }
}
