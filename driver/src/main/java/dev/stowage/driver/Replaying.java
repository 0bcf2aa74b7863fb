package dev.stowage.driver;

/** Whether plans of programs are also replayed when they are judged. */
public enum Replaying {
  /** Where that is no more work than {@link #BOUND} accesses to tensors for each plan. */
  WITHIN_BOUND,
  /** However much work it is. */
  ALWAYS,
  /** However much work it is, and in real memory, of which it takes four times the arenas. */
  IN_MEMORY,
  /** Not at all. */
  NEVER;

  /** Most accesses to tensors, in all runs through a program, of a replay that nobody asked for. */
  public static final long BOUND = 1_000_000;
}
