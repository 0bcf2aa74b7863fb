package dev.stowage.passes;

import java.util.Locale;

/** What a pass is run on: the larger comes first. */
public enum Level {
  /** The whole program at once. */
  PROGRAM,
  /** One method after the other, or several at a time. */
  METHOD,
  /** The graphs of a method one after the other. */
  GRAPH;

  /** What a pass is run on, by its interface. */
  public static Level of(Pass pass) {
    return pass instanceof ProgramPass ? PROGRAM : pass instanceof MethodPass ? METHOD : GRAPH;
  }

  /** The word for it in pipelines. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** True if a pass of this level can stand in a part of a pipeline of another. */
  public boolean fitsInto(Level part) {
    return compareTo(part) >= 0;
  }
}
