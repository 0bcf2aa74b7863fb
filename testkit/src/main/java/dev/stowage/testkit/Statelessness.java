package dev.stowage.testkit;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What a pass or strategy must not have: fields that one run could leave something in. */
final class Statelessness {
  private static final String LIBRARY = "java.util";

  private Statelessness() {}

  /** The first field that may change, and why; empty if there is none. */
  static Optional<String> fault(Class<?> plugin) {
    for (@Nullable Class<?> type = plugin; type != null; type = type.getSuperclass()) {
      for (Field field : type.getDeclaredFields()) {
        if (field.isSynthetic()) {
          continue; // captured by the compiler, or put in by a tool that measures coverage
        }
        String place = "field " + field.getName() + " of " + type.getName();
        if (!Modifier.isFinal(field.getModifiers())) {
          return Optional.of(place + " is not final");
        }
        if (field.getType().isArray() || isMutableCollection(field.getType())) {
          return Optional.of(
              place + " is a " + field.getType().getSimpleName() + ", which can be changed");
        }
      }
    }
    return Optional.empty();
  }

  /** Guava's immutable collections are not in that package. */
  private static boolean isMutableCollection(Class<?> type) {
    return type.getName().startsWith(LIBRARY)
        && (Collection.class.isAssignableFrom(type)
            || Map.class.isAssignableFrom(type)
            || type.getName().startsWith(LIBRARY + ".concurrent.atomic"));
  }
}
