package dev.stowage.memmap;

import static com.google.common.base.Preconditions.checkArgument;

import java.util.regex.Pattern;

/** A device to plan for: its memory, under a name. */
public final class Target {
  private static final Pattern KEBAB = Pattern.compile("[a-z0-9]+(-[a-z0-9]+)*");

  private final String name;
  private final String summary;
  private final MemoryMap map;

  private Target(String name, String summary, MemoryMap map) {
    this.name = name;
    this.summary = summary;
    this.map = map;
  }

  /**
   * A target.
   *
   * @param name kebab-case; third parties prefix their own
   * @param summary one line without a full stop
   * @param map its banks
   * @throws IllegalArgumentException if the name is not kebab-case or the summary is empty
   */
  public static Target of(String name, String summary, MemoryMap map) {
    checkArgument(KEBAB.matcher(name).matches(), "a target's name is not kebab-case: '%s'", name);
    checkArgument(!summary.isBlank(), "target %s has no summary", name);
    checkArgument(map != null, "target %s has no memory map", name);
    return new Target(name, summary, map);
  }

  /** What it is called, in kebab-case. */
  public String name() {
    return name;
  }

  /** What it is, in one line without a full stop. */
  public String summary() {
    return summary;
  }

  /** Its banks, in order of preference. */
  public MemoryMap map() {
    return map;
  }
}
