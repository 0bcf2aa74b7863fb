package dev.stowage.base;

import com.google.common.collect.ImmutableList;
import dev.stowage.base.DiagnosticKind.Category;

/** Every kind of error that Stowage itself reports; {@code docs/diagnostics.md} explains each. */
public final class Kinds {
  public static final DiagnosticKind INPUT_UNREADABLE =
      input("input-unreadable", "a file or stream cannot be read");
  public static final DiagnosticKind INPUT_UNKNOWN_FORMAT =
      input("input-unknown-format", "neither the content nor the ending tells what a file is");
  public static final DiagnosticKind INPUT_SYNTAX =
      input("input-syntax", "the text is not well formed");
  public static final DiagnosticKind INPUT_MEMBER =
      input("input-member", "a member is missing, unknown, or of the wrong type or range");
  public static final DiagnosticKind INPUT_VALUE =
      input("input-value", "a number is outside what it may be");
  public static final DiagnosticKind INPUT_REFERENCE =
      input("input-reference", "something refers to what does not exist");
  public static final DiagnosticKind INPUT_OVERFLOW =
      input("input-overflow", "sizes add up to more than 64 bits hold");
  public static final DiagnosticKind INPUT_MALFORMED =
      input("input-malformed", "a binary file contradicts itself or its own length");
  public static final DiagnosticKind INPUT_UNSUPPORTED =
      input("input-unsupported", "the input is valid, but this version cannot handle it");
  public static final DiagnosticKind OUTPUT_UNWRITABLE =
      input("output-unwritable", "the output cannot be written");

  public static final DiagnosticKind MAP_EMPTY = input("map-empty", "a memory map has no banks");
  public static final DiagnosticKind MAP_DUPLICATE =
      input("map-duplicate", "two banks share a name or a mem_id");
  public static final DiagnosticKind MAP_VALUE =
      input("map-value", "a value of a bank is outside what it may be");
  public static final DiagnosticKind MAP_OVERLAP =
      input("map-overlap", "banks or reserved ranges overlap, or a range leaves its bank");
  public static final DiagnosticKind MAP_EXTENDS =
      input("map-extends", "a target extends what it cannot extend, or in a way that it cannot");
  public static final DiagnosticKind MAP_RULE =
      input("map-rule", "an operator rule of a target makes no sense for its banks");
  public static final DiagnosticKind MAP_UNKNOWN_BANK =
      input("map-unknown-bank", "a bank is named that the memory map does not declare");

  public static final DiagnosticKind PIN_DOES_NOT_FIT =
      planning("pin-does-not-fit", "a pinned buffer does not fit its bank and has no fallback");
  public static final DiagnosticKind PIN_CONFLICT =
      planning(
          "pin-conflict", "two rules, or a rule and a pin, send one tensor to different pools");
  public static final DiagnosticKind UNPLACEABLE =
      planning("unplaceable", "a buffer fits in no bank");
  public static final DiagnosticKind PINS_OVERLAP =
      planning("pins-overlap", "two fixed places share bytes while both are live");
  public static final DiagnosticKind CONSTRAINTS_CONFLICT =
      planning("constraints-conflict", "what is asked of one buffer contradicts itself");
  public static final DiagnosticKind RESERVED_EXCEEDS_BANK =
      planning("reserved-exceeds-bank", "the reserved bytes alone are more than a bank has");
  public static final DiagnosticKind BANK_ALIGNMENT =
      planning("bank-alignment", "a bank's alignment is no multiple of the plan's");
  public static final DiagnosticKind SUITE_ARENA_COUNTS =
      planning("suite-arena-counts", "the members of a suite disagree on the number of arenas");
  public static final DiagnosticKind STORAGE_CYCLE =
      planning("storage-cycle", "storage bases form a cycle");
  public static final DiagnosticKind STORAGE_UNRESOLVED =
      planning("storage-unresolved", "a storage base is not placed by the plan");
  public static final DiagnosticKind STORAGE_NEGATIVE_OFFSET =
      planning("storage-negative-offset", "an offset in a storage base is negative");
  public static final DiagnosticKind STORAGE_MISALIGNED =
      planning("storage-misaligned", "an offset in a storage base is not aligned");
  public static final DiagnosticKind STORAGE_DOES_NOT_FIT =
      planning("storage-does-not-fit", "a buffer reaches past the end of its storage base");
  public static final DiagnosticKind STRATEGY_REFUSES_STORAGE =
      planning("strategy-refuses-storage", "the strategy cannot place storage-backed buffers");
  public static final DiagnosticKind STRATEGY_REFUSES_PINS =
      planning("strategy-refuses-pins", "the strategy cannot honour pinned arenas");
  public static final DiagnosticKind STRATEGY_REFUSES_FIXED_OFFSET =
      planning("strategy-refuses-fixed-offset", "the strategy cannot honour fixed offsets");
  public static final DiagnosticKind STRATEGY_REFUSES_ARENA_SETS =
      planning("strategy-refuses-arena-sets", "the strategy cannot keep buffers to some arenas");
  public static final DiagnosticKind STRATEGY_REFUSES_ALIGNMENT =
      planning("strategy-refuses-alignment", "the strategy cannot honour alignments of buffers");
  public static final DiagnosticKind STRATEGY_REFUSES_OVER_READ =
      planning("strategy-refuses-over-read", "the strategy cannot leave room for over-reads");
  public static final DiagnosticKind STRATEGY_REFUSES_SEPARATIONS =
      planning("strategy-refuses-separations", "the strategy cannot keep buffers apart");
  public static final DiagnosticKind STRATEGY_REFUSES_ARENA_ALIGNMENT =
      planning("strategy-refuses-arena-alignment", "the strategy cannot honour arena alignments");
  public static final DiagnosticKind STRATEGY_REFUSES_BASE_ADDRESS =
      planning("strategy-refuses-base-address", "the strategy cannot honour base addresses");
  public static final DiagnosticKind STRATEGY_REFUSES_MAX_ALLOCATION =
      planning("strategy-refuses-max-allocation", "the strategy cannot limit single allocations");
  public static final DiagnosticKind STRATEGY_REFUSES_RESERVED_RANGES =
      planning("strategy-refuses-reserved-ranges", "the strategy cannot keep out of such ranges");
  public static final DiagnosticKind STRATEGY_REFUSES_OBJECTIVE =
      planning("strategy-refuses-objective", "the strategy does not minimise what is asked");
  public static final DiagnosticKind VERIFICATION =
      planning("verification", "the plan was made, but the verifier found an error in it");

  public static final DiagnosticKind USAGE = usage("usage", "a command was called wrongly");
  public static final DiagnosticKind SYNTAX = usage("syntax", "a call or pipeline is ill formed");
  public static final DiagnosticKind UNKNOWN_STRATEGY =
      usage("unknown-strategy", "no strategy has this name");
  public static final DiagnosticKind UNKNOWN_PASS = usage("unknown-pass", "no pass has this name");
  public static final DiagnosticKind UNKNOWN_PROFILE =
      usage("unknown-profile", "no profile has this name");
  public static final DiagnosticKind UNKNOWN_TARGET =
      usage("unknown-target", "no target has this name");
  public static final DiagnosticKind UNKNOWN_OPTION =
      usage("unknown-option", "a pass or strategy has no such option");
  public static final DiagnosticKind OPTION_VALUE =
      usage("option-value", "an option's value is missing, or not what it may be");
  public static final DiagnosticKind WRONG_LEVEL =
      usage("wrong-level", "a pass stands in a part of a pipeline that is too small for it");
  public static final DiagnosticKind MISPLACED_PASS =
      usage("misplaced-pass", "a pass stands before or after one that it must not");
  public static final DiagnosticKind NO_MATCH =
      usage("no-match", "a pattern or rule of a pass matches nothing");

  public static final DiagnosticKind DEADLINE =
      kind("deadline", Category.BUDGET, "the time that was given ran out before there was a plan");

  public static final DiagnosticKind PLUGIN_NOT_A_JAR =
      plugin("plugin-not-a-jar", "a plug-in is no jar file");
  public static final DiagnosticKind PLUGIN_API =
      plugin("plugin-api", "a plug-in was built against another major version, or does not say");
  public static final DiagnosticKind PLUGIN_SERVICES =
      plugin("plugin-services", "a plug-in names no services, or one that there is not");
  public static final DiagnosticKind PLUGIN_CLASH =
      plugin(
          "plugin-clash",
          "two passes, strategies or others have one name, or one has a reserved name");

  private static final ImmutableList<DiagnosticKind> ALL =
      ImmutableList.of(
          INPUT_UNREADABLE,
          INPUT_UNKNOWN_FORMAT,
          INPUT_SYNTAX,
          INPUT_MEMBER,
          INPUT_VALUE,
          INPUT_REFERENCE,
          INPUT_OVERFLOW,
          INPUT_MALFORMED,
          INPUT_UNSUPPORTED,
          OUTPUT_UNWRITABLE,
          MAP_EMPTY,
          MAP_DUPLICATE,
          MAP_VALUE,
          MAP_OVERLAP,
          MAP_EXTENDS,
          MAP_RULE,
          MAP_UNKNOWN_BANK,
          PIN_DOES_NOT_FIT,
          PIN_CONFLICT,
          UNPLACEABLE,
          PINS_OVERLAP,
          CONSTRAINTS_CONFLICT,
          RESERVED_EXCEEDS_BANK,
          BANK_ALIGNMENT,
          SUITE_ARENA_COUNTS,
          STORAGE_CYCLE,
          STORAGE_UNRESOLVED,
          STORAGE_NEGATIVE_OFFSET,
          STORAGE_MISALIGNED,
          STORAGE_DOES_NOT_FIT,
          STRATEGY_REFUSES_STORAGE,
          STRATEGY_REFUSES_PINS,
          STRATEGY_REFUSES_FIXED_OFFSET,
          STRATEGY_REFUSES_ARENA_SETS,
          STRATEGY_REFUSES_ALIGNMENT,
          STRATEGY_REFUSES_OVER_READ,
          STRATEGY_REFUSES_SEPARATIONS,
          STRATEGY_REFUSES_ARENA_ALIGNMENT,
          STRATEGY_REFUSES_BASE_ADDRESS,
          STRATEGY_REFUSES_MAX_ALLOCATION,
          STRATEGY_REFUSES_RESERVED_RANGES,
          STRATEGY_REFUSES_OBJECTIVE,
          VERIFICATION,
          USAGE,
          SYNTAX,
          UNKNOWN_STRATEGY,
          UNKNOWN_PASS,
          UNKNOWN_PROFILE,
          UNKNOWN_TARGET,
          UNKNOWN_OPTION,
          OPTION_VALUE,
          WRONG_LEVEL,
          MISPLACED_PASS,
          NO_MATCH,
          DEADLINE,
          PLUGIN_NOT_A_JAR,
          PLUGIN_API,
          PLUGIN_SERVICES,
          PLUGIN_CLASH);

  private Kinds() {}

  /** All kinds, in the order of the documentation. */
  public static ImmutableList<DiagnosticKind> all() {
    return ALL;
  }

  private static DiagnosticKind input(String name, String summary) {
    return kind(name, Category.INPUT, summary);
  }

  private static DiagnosticKind planning(String name, String summary) {
    return kind(name, Category.PLANNING, summary);
  }

  private static DiagnosticKind usage(String name, String summary) {
    return kind(name, Category.USAGE, summary);
  }

  private static DiagnosticKind plugin(String name, String summary) {
    return kind(name, Category.PLUGIN, summary);
  }

  private static DiagnosticKind kind(String name, Category category, String summary) {
    return new DiagnosticKind(name, category, summary);
  }
}
