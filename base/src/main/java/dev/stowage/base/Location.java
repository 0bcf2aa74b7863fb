package dev.stowage.base;

/**
 * Where something is: a source (a file's name, {@code pipeline}) and a place inside it.
 *
 * @param source what is being read, as the user named it; may be empty
 * @param place inside the source, such as {@code line 3} or {@code forward/41 (aten.add.out),
 *     tensor %57}; may be empty
 */
public record Location(String source, String place) {
  /** The place inside no named source. */
  public static Location at(String place) {
    return new Location("", place);
  }

  /** The whole of a source. */
  public static Location of(String source) {
    return new Location(source, "");
  }

  /** The same place, in the named source. */
  public Location in(String newSource) {
    return new Location(newSource, place);
  }

  /** True where neither source nor place is known. */
  public boolean isEmpty() {
    return source.isEmpty() && place.isEmpty();
  }

  @Override
  public String toString() {
    return source.isEmpty() || place.isEmpty() ? source + place : source + ":" + place;
  }
}
