package dev.stowage.memmap;

/**
 * Words for what a bank can do. A map may use others of its own; they mean what the rules and the
 * constraints that require them mean.
 */
public final class BankAttributes {
  /** The processor that runs the program may keep its bytes in a cache. */
  public static final String CACHEABLE = "cacheable";

  /** General DMA controllers reach it. */
  public static final String DMA = "dma";

  /** The accelerator of the target reaches it. */
  public static final String NPU = "npu";

  /** Instructions may be fetched from it. */
  public static final String EXECUTABLE = "executable";

  /** It can keep its bytes while the rest of the part sleeps. */
  public static final String RETAINED = "retained";

  /** It is tied to one processor, which reaches it without a bus shared with others. */
  public static final String TIGHTLY_COUPLED = "tightly-coupled";

  /** It is outside the chip. */
  public static final String EXTERNAL = "external";

  private BankAttributes() {}
}
