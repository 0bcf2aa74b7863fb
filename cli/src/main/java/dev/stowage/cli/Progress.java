package dev.stowage.cli;

import java.util.concurrent.TimeUnit;

/** A line on standard error that says what is done, twice a second at most. Not thread-safe. */
final class Progress {
  private static final long INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private final Messages messages;
  private final boolean shown;
  private long nextNanos = System.nanoTime() + INTERVAL_NANOS;
  private boolean onScreen;

  /** A line that is there only if somebody looks; not where results run over the same screen. */
  Progress(Terminal terminal, Messages messages, boolean quiet) {
    this.messages = messages;
    shown = !quiet && terminal.errIsTerminal() && !terminal.outIsTerminal();
  }

  /** Shows how many are done. */
  void update(long done) {
    if (shown && System.nanoTime() - nextNanos >= 0) {
      nextNanos = System.nanoTime() + INTERVAL_NANOS;
      onScreen = true;
      messages.raw("\r" + Text.number(done) + " done");
    }
  }

  /** Shows what is being done. */
  void update(String doing) {
    if (shown && System.nanoTime() - nextNanos >= 0) {
      nextNanos = System.nanoTime() + INTERVAL_NANOS;
      clear();
      onScreen = true;
      messages.raw(Text.clean(doing));
    }
  }

  /** Takes the line away. */
  void clear() {
    if (onScreen) {
      onScreen = false;
      messages.raw("\r\u001b[K");
    }
  }
}
