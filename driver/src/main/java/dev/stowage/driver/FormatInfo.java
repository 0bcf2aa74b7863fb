package dev.stowage.driver;

import static java.util.Comparator.comparing;

import com.google.common.collect.ImmutableList;
import dev.stowage.formats.FileFormat;
import java.util.Arrays;

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
  /** All formats that are read or written, sorted by name. */
  static ImmutableList<FormatInfo> all() {
    return Arrays.stream(FileFormat.values())
        .filter(format -> format.isRead() || format.isWritten())
        .map(FormatInfo::of)
        .sorted(comparing(FormatInfo::name))
        .collect(ImmutableList.toImmutableList());
  }

  private static FormatInfo of(FileFormat format) {
    return new FormatInfo(
        format.toString(),
        format.summary(),
        String.join(" ", format.endings()),
        format.isRead(),
        format.isWritten());
  }
}
