package dev.stowage.base;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.Optional;

/**
 * One problem as the user is told of it: where, what kind, what happened, context, what to do.
 *
 * @param kind the stable word for it
 * @param location where it is; may be empty
 * @param message what happened, with numbers and units, without a full stop
 * @param buffer index of the buffer it is about in its planning problem, or -1
 * @param notes context that the user lacks, a sentence each
 * @param help what to do next; may be empty
 * @param shortfall the bytes that are missing, where it is proved that no plan can exist
 */
public record Diagnostic(
    DiagnosticKind kind,
    Location location,
    String message,
    int buffer,
    ImmutableList<String> notes,
    String help,
    Optional<Shortfall> shortfall) {
  private static final int LONGEST = 1_000;

  /**
   * Bytes that must be somewhere at one time, and are not there.
   *
   * @param requiredBytes what no plan can go below
   * @param availableBytes what there is, less than is required
   * @param step the step of the problem at which they are required, or -1
   * @param buffers who requires them, the largest first
   */
  public record Shortfall(
      long requiredBytes, long availableBytes, int step, ImmutableList<Integer> buffers) {
    /** How many bytes are missing. */
    public long missingBytes() {
      return requiredBytes - availableBytes;
    }
  }

  /** A diagnostic with neither notes nor help. */
  public static Diagnostic of(DiagnosticKind kind, Location location, String message) {
    return new Diagnostic(kind, location, message, -1, ImmutableList.of(), "", Optional.empty());
  }

  /** A diagnostic without a place; whoever knows the place adds it. */
  public static Diagnostic of(DiagnosticKind kind, String message) {
    return of(kind, Location.of(""), message);
  }

  /**
   * Several diagnostics as one: the first, and a note for each of the others with its place. What
   * to do about each stands behind it.
   *
   * @param all at least one
   */
  public static Diagnostic joined(List<Diagnostic> all) {
    Diagnostic first = all.get(0);
    if (all.size() == 1) {
      return first;
    }
    Diagnostic joined =
        new Diagnostic(
            first.kind,
            first.location,
            first.messageAndHelp(),
            first.buffer,
            first.notes,
            "",
            first.shortfall);
    for (Diagnostic other : all.subList(1, all.size())) {
      joined = joined.note("also: " + other.location.place() + ": " + other.messageAndHelp());
    }
    return joined;
  }

  private String messageAndHelp() {
    return help.isEmpty() ? message : message + " (" + help + ")";
  }

  /** The same diagnostic at another place. */
  public Diagnostic at(Location newLocation) {
    return new Diagnostic(kind, newLocation, message, buffer, notes, help, shortfall);
  }

  /** The same diagnostic with its source named, its place kept. */
  public Diagnostic in(String source) {
    return at(location.in(source));
  }

  /** The same diagnostic about a buffer of the problem. */
  public Diagnostic aboutBuffer(int newBuffer) {
    return new Diagnostic(kind, location, message, newBuffer, notes, help, shortfall);
  }

  /** The same diagnostic with one more note. */
  public Diagnostic note(String note) {
    return new Diagnostic(
        kind,
        location,
        message,
        buffer,
        ImmutableList.<String>builder().addAll(notes).add(note).build(),
        help,
        shortfall);
  }

  /** The same diagnostic that says what to do next. */
  public Diagnostic help(String newHelp) {
    return new Diagnostic(kind, location, message, buffer, notes, newHelp, shortfall);
  }

  /** The same diagnostic with the bytes that are missing. */
  public Diagnostic shortfall(Shortfall newShortfall) {
    return new Diagnostic(kind, location, message, buffer, notes, help, Optional.of(newShortfall));
  }

  /** The same as an exception. */
  public DiagnosticException asException() {
    return new DiagnosticException(this);
  }

  /** {@code where: error[kind]: message}, then a line for each note and for the help. */
  public String render() {
    return render("error");
  }

  /** The same as a warning: what was done all the same. */
  public String renderWarning() {
    return render("warning");
  }

  private String render(String severity) {
    StringBuilder text = new StringBuilder();
    if (!location.isEmpty()) {
      text.append(location).append(": ");
    }
    text.append(severity).append("[").append(kind.name()).append("]: ").append(shown(message, ""));
    for (String note : notes) {
      text.append("\n  note: ").append(shown(note, "\n").replace("\n", "\n        "));
    }
    if (!help.isEmpty()) {
      text.append("\n  help: ").append(help);
    }
    return text.toString();
  }

  /**
   * A text as a terminal may show it: what comes from a file can neither move the cursor nor fill
   * the screen.
   *
   * @param kept characters that are kept although they control something
   */
  private static String shown(String text, String kept) {
    String cut = text.length() <= LONGEST ? text : text.substring(0, LONGEST) + "...";
    StringBuilder clean = new StringBuilder(cut.length());
    cut.codePoints()
        .forEach(
            c -> {
              boolean control =
                  Character.isISOControl(c) || Character.getType(c) == Character.FORMAT;
              clean.appendCodePoint(control && kept.indexOf(c) < 0 ? '?' : c);
            });
    return clean.toString();
  }
}
