package dev.stowage.testkit;

import com.google.common.collect.ImmutableList;
import java.lang.reflect.Constructor;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.InvocationTargetException;
import java.util.function.Supplier;

/** Makes another instance of the class of a plug-in, to see whether they differ. */
final class SecondInstance {
  private SecondInstance() {}

  /**
   * One more instance, or none where the class cannot be made from here.
   *
   * @param installed makes anew everything that is installed: it may be in a package that only
   *     ServiceLoader can look into
   */
  static <T> ImmutableList<T> of(T plugin, Supplier<ImmutableList<T>> installed) {
    try {
      Constructor<?> constructor = plugin.getClass().getDeclaredConstructor();
      constructor.setAccessible(true);
      @SuppressWarnings("unchecked") // of the class of the plug-in itself
      T other = (T) constructor.newInstance();
      return ImmutableList.of(other);
    } catch (NoSuchMethodException | InaccessibleObjectException e) {
      return installed.get().stream()
          .filter(other -> other.getClass().equals(plugin.getClass()))
          .collect(ImmutableList.toImmutableList());
    } catch (InvocationTargetException | InstantiationException | IllegalAccessException e) {
      throw new IllegalArgumentException(
          "a second instance of " + plugin.getClass().getName() + " cannot be made", e);
    }
  }
}
