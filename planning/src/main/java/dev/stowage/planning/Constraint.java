package dev.stowage.planning;

import dev.stowage.base.DiagnosticKind;
import dev.stowage.base.Kinds;

/**
 * What a problem may ask beyond disjoint placement. A strategy declares which it honours; {@link
 * Planner} refuses a problem that has another before the strategy sees it.
 */
public enum Constraint {
  STORAGE("storage-backed buffers"),
  PINNED_ARENA("pinned arenas"),
  FIXED_OFFSET("fixed offsets"),
  ARENA_SETS("arena sets of buffers"),
  BUFFER_ALIGNMENT("alignments of buffers"),
  OVER_READ("over-reads"),
  SEPARATIONS("buffers that must not share"),
  ARENA_ALIGNMENT("arenas with alignments of their own"),
  BASE_ADDRESS("base addresses"),
  MAX_ALLOCATION("limits on single allocations"),
  RESERVED_RANGES("reserved ranges in arenas"),
  OBJECTIVE("an objective other than total bytes");

  private final String summary;

  Constraint(String summary) {
    this.summary = summary;
  }

  /** Kind of the error when a strategy does not honour it. */
  public DiagnosticKind refusal() {
    return switch (this) {
      case STORAGE -> Kinds.STRATEGY_REFUSES_STORAGE;
      case PINNED_ARENA -> Kinds.STRATEGY_REFUSES_PINS;
      case FIXED_OFFSET -> Kinds.STRATEGY_REFUSES_FIXED_OFFSET;
      case ARENA_SETS -> Kinds.STRATEGY_REFUSES_ARENA_SETS;
      case BUFFER_ALIGNMENT -> Kinds.STRATEGY_REFUSES_ALIGNMENT;
      case OVER_READ -> Kinds.STRATEGY_REFUSES_OVER_READ;
      case SEPARATIONS -> Kinds.STRATEGY_REFUSES_SEPARATIONS;
      case ARENA_ALIGNMENT -> Kinds.STRATEGY_REFUSES_ARENA_ALIGNMENT;
      case BASE_ADDRESS -> Kinds.STRATEGY_REFUSES_BASE_ADDRESS;
      case MAX_ALLOCATION -> Kinds.STRATEGY_REFUSES_MAX_ALLOCATION;
      case RESERVED_RANGES -> Kinds.STRATEGY_REFUSES_RESERVED_RANGES;
      case OBJECTIVE -> Kinds.STRATEGY_REFUSES_OBJECTIVE;
    };
  }

  /** What a problem has that asks for it, in the plural. */
  public String summary() {
    return summary;
  }
}
