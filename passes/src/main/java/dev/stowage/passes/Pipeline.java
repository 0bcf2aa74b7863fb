package dev.stowage.passes;

import com.google.common.collect.ImmutableList;
import dev.stowage.base.Call;
import dev.stowage.base.TextCursor;
import java.util.stream.Collectors;

/**
 * Passes to run one after the other, as text {@code name{option=value},name}. {@link #toString}
 * gives the canonical text, and {@link #parse} of it an equal pipeline.
 *
 * @param passes what to run, in order
 */
public record Pipeline(ImmutableList<Call> passes) {
  /**
   * Reads a pipeline; blanks, line breaks and {@code #} comments are passed over.
   *
   * @param source what the text is called in errors, such as {@code --pipeline}
   * @throws dev.stowage.base.DiagnosticException of kind {@code syntax}, pointing into the text
   */
  public static Pipeline parse(String source, String text) {
    TextCursor cursor = new TextCursor(source, text);
    ImmutableList.Builder<Call> passes = ImmutableList.builder();
    do {
      passes.add(Call.read(cursor));
    } while (cursor.accept(','));
    if (!cursor.atEnd()) {
      throw cursor.error(cursor.position(), "expected ',' or the end of the pipeline");
    }
    return new Pipeline(passes.build());
  }

  @Override
  public String toString() {
    return passes.stream().map(Call::toString).collect(Collectors.joining(","));
  }
}
