package dev.stowage.ir;

import static com.google.common.base.Preconditions.checkArgument;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.Optional;

/**
 * A neural network as the framework sees it: methods that may share states. Immutable.
 *
 * @param name a label, such as the file's name
 * @param methods in the order of the source
 * @param states what lives from one run to the next, by name; methods bind inputs to them
 */
public record Program(
    String name, ImmutableList<Method> methods, ImmutableMap<String, TensorType> states) {
  /** A program of one method, with the states that its tensors name. */
  public static Program of(String name, Method method) {
    return of(name, ImmutableList.of(method));
  }

  /** A program of several methods, with the states that their tensors name. */
  public static Program of(String name, ImmutableList<Method> methods) {
    ImmutableMap.Builder<String, TensorType> states = ImmutableMap.builder();
    for (Method method : methods) {
      for (Tensor tensor : method.tensors()) {
        if (tensor.state() != null) {
          states.put(tensor.state(), tensor.type());
        }
      }
    }
    return new Program(name, methods, states.buildKeepingLast());
  }

  /** The method of a name. */
  public Optional<Method> method(String methodName) {
    return methods.stream().filter(method -> method.name().equals(methodName)).findFirst();
  }

  /**
   * The same program with other methods; this very one if they are the same objects.
   *
   * @param changed all methods, in order
   */
  public Program withMethods(ImmutableList<Method> changed) {
    return sameObjects(methods, changed) ? this : new Program(name, changed, states);
  }

  @SuppressWarnings("ReferenceEquality") // passes return the same object when nothing changed
  private static boolean sameObjects(ImmutableList<Method> some, ImmutableList<Method> others) {
    if (some.size() != others.size()) {
      return false;
    }
    for (int i = 0; i < some.size(); i++) {
      if (some.get(i) != others.get(i)) {
        return false;
      }
    }
    return true;
  }

  /** The same program with one method in the place of the one of its name. */
  @SuppressWarnings("ReferenceEquality") // passes return the same object when nothing changed
  public Program with(Method changed) {
    Method old = method(changed.name()).orElse(null);
    checkArgument(old != null, "there is no method %s", changed.name());
    if (old == changed) {
      return this;
    }
    return new Program(
        name,
        methods.stream()
            .map(method -> method.name().equals(changed.name()) ? changed : method)
            .collect(ImmutableList.toImmutableList()),
        states);
  }
}
