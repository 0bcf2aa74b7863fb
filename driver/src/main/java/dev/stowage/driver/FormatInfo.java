package dev.stowage.driver;

import com.google.common.collect.ImmutableList;

/**
 * A file format, as {@code stowage list formats} shows it.
 *
 * @param name as in messages
 * @param summary one line without a full stop
 * @param endings by which it is written, and read where the content does not tell
 * @param reads true if such files are read
 * @param writes true if such files are written
 */
public record FormatInfo(
    String name, String summary, String endings, boolean reads, boolean writes) {
  private static final ImmutableList<FormatInfo> ALL =
      ImmutableList.of(
          new FormatInfo(
              "executorch-graph", "ExecuTorch graph documents", ".json .jsonl", true, false),
          new FormatInfo(
              "minimalloc-csv", "problems and solutions of MiniMalloc", ".csv", true, true),
          new FormatInfo("problem", "planning problems", ".json .jsonl", true, true),
          new FormatInfo("stow", "programs as text", ".stow", true, true),
          new FormatInfo("stowage-plan", "plans of problems", ".json .jsonl", true, true),
          new FormatInfo("stowage-program-plan", "plans of programs", ".json .jsonl", true, true),
          new FormatInfo("tflite", "TensorFlow Lite models", ".tflite", true, false));

  /** All formats, sorted by name. */
  public static ImmutableList<FormatInfo> all() {
    return ALL;
  }
}
