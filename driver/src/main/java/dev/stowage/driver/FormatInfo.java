package dev.stowage.driver;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Sets;
import dev.stowage.formats.FileFormat;
import dev.stowage.formats.FormatSpec;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

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
  /** Stowage's own formats that are read or written and those of plug-ins, sorted by name. */
  static ImmutableList<FormatInfo> all(Iterable<FormatSpec> read, Iterable<FormatSpec> written) {
    Map<String, FormatInfo> byName = new TreeMap<>();
    for (FileFormat format : FileFormat.values()) {
      if (format.isRead() || format.isWritten()) {
        byName.put(
            format.toString(),
            new FormatInfo(
                format.toString(),
                format.summary(),
                endings(format.endings()),
                format.isRead(),
                format.isWritten()));
      }
    }
    Map<String, FormatSpec> readByName = new TreeMap<>();
    for (FormatSpec spec : read) {
      readByName.put(spec.name(), spec);
      byName.put(
          spec.name(),
          new FormatInfo(spec.name(), spec.summary(), endings(spec.endings()), true, false));
    }
    for (FormatSpec spec : written) {
      FormatSpec both = readByName.getOrDefault(spec.name(), spec);
      byName.put(
          spec.name(),
          new FormatInfo(
              spec.name(),
              both.summary(),
              endings(Sets.union(both.endings(), spec.endings())),
              readByName.containsKey(spec.name()),
              true));
    }
    return ImmutableList.copyOf(byName.values());
  }

  private static String endings(Set<String> endings) {
    return String.join(" ", endings);
  }
}
