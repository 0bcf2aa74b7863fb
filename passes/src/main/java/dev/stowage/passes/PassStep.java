package dev.stowage.passes;

import dev.stowage.base.Call;
import dev.stowage.base.Options;
import dev.stowage.base.PluginFailedException;

/**
 * A pass at its place in a pipeline.
 *
 * @param number from 1
 * @param count how many passes the pipeline has
 * @param options as they were read when the pipeline was checked, with the call in canonical form
 * @param pass what runs
 * @param spec its declaration
 */
public record PassStep(int number, int count, Options options, Pass pass, PassSpec spec) {
  /** How the pass is called, in canonical form. */
  public Call call() {
    return options.call();
  }

  /** {@code pin-pool (2 of 4)}. */
  public String title() {
    return spec.name() + " (" + number + " of " + count + ")";
  }

  /** What to throw where the pass does not do what it promises. */
  public PluginFailedException defect(String why) {
    return new PluginFailedException(
        "pass", spec.name(), pass.getClass(), new IllegalStateException(why));
  }
}
