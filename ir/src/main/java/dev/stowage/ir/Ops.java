package dev.stowage.ir;

import com.google.common.collect.ImmutableSet;

/** The operators that the framework knows; every other one is opaque, described by its accesses. */
public final class Ops {
  /** Yields inputs of its graph; the caller has written them. */
  public static final String INPUT = "input";

  /** Hands its operands to the caller of its graph; the last node. */
  public static final String OUTPUT = "output";

  /** Yields a tensor whose bytes are not written yet. */
  public static final String ALLOC = "alloc";

  /** Yields a window on its operand, without touching bytes. */
  public static final String VIEW = "view";

  /** Yields handles, without touching bytes. */
  public static final String BIND = "bind";

  /** Copies its first operand to its result or second operand. */
  public static final String COPY = "copy";

  /** Ends the life of its operand. */
  public static final String FREE = "free";

  /** Runs a graph once. */
  public static final String CALL = "call";

  /** Runs the first of two graphs if its first operand is true, else the second. */
  public static final String IF = "if";

  /** Runs the first graph, then, as long as that yields true, the second and the first again. */
  public static final String WHILE = "while";

  /** Runs a graph for each slice of its operands. */
  public static final String MAP = "map";

  /** Runs a graph for each slice of its operands, carrying values from one to the next. */
  public static final String SCAN = "scan";

  /** Goes to the target node if its operand is false. */
  public static final String JUMP_IF_FALSE = "jump_if_false";

  /** The operators that run graphs. */
  public static final ImmutableSet<String> CALLING = ImmutableSet.of(CALL, IF, WHILE, MAP, SCAN);

  private Ops() {}
}
