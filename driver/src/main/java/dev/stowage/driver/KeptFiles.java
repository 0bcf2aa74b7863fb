package dev.stowage.driver;

import com.google.common.collect.ImmutableMap;
import dev.stowage.passes.FileAccess;
import java.util.Map;
import java.util.TreeMap;

/** Files that passes read, each once, kept for a reproducer. Thread-safe. */
final class KeptFiles implements FileAccess {
  private final Map<String, String> contentByName;

  /**
   * Files of which some are known already, whatever the file system has.
   *
   * @param known content by name
   */
  KeptFiles(Map<String, String> known) {
    contentByName = new TreeMap<>(known);
  }

  @Override
  public synchronized String read(String file) {
    return contentByName.computeIfAbsent(file, DISK::read);
  }

  /** The content of each file that is known, by name. */
  synchronized ImmutableMap<String, String> contents() {
    return ImmutableMap.copyOf(contentByName);
  }
}
