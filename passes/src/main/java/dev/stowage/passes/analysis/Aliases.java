package dev.stowage.passes.analysis;

import dev.stowage.ir.Body;

/** Which tensors are handles to the same bytes. */
public final class Aliases {
  private final Body body;

  private Aliases(Body body) {
    this.body = body;
  }

  static Aliases of(Body body) {
    return new Aliases(body);
  }

  /** The tensor that owns the bytes. */
  public int root(int tensor) {
    return body.root(tensor);
  }
}
