package dev.stowage.ir.memory;

import static com.google.common.base.Preconditions.checkArgument;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.primitives.ImmutableIntArray;
import com.google.common.primitives.ImmutableLongArray;
import dev.stowage.base.Device;
import dev.stowage.ir.AnnotationKey;
import dev.stowage.ir.AnnotationKey.Scope;
import dev.stowage.ir.Method;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** The annotations that planning reads and writes. */
public final class MemoryKeys {
  /** The tensor's number in the source: spec number, value index, tensor index. */
  public static final AnnotationKey<Integer> ORIGIN = integer("origin", Scope.TENSOR);

  /** Where the bytes live; the host if absent. */
  public static final AnnotationKey<Device> DEVICE =
      AnnotationKey.of("device", Scope.STORAGE, Device::toString, Device::parse);

  /** The arena that the bytes must go to. */
  public static final AnnotationKey<Integer> PIN = integer("pin", Scope.STORAGE);

  /** The offset at which the bytes must lie in the arena that they are pinned to. */
  public static final AnnotationKey<Long> FIXED_OFFSET =
      AnnotationKey.of("fixed-offset", Scope.STORAGE, String::valueOf, MemoryKeys::notNegative);

  /** The arenas, by mem_id, that the bytes must not go to. */
  public static final AnnotationKey<ImmutableIntArray> NOT_ARENAS =
      AnnotationKey.of(
          "not-arenas",
          Scope.STORAGE,
          memIds -> memIds.stream().mapToObj(String::valueOf).collect(Collectors.joining(":")),
          text ->
              ImmutableIntArray.copyOf(
                  Splitter.on(':').splitToStream(text).mapToInt(MemoryKeys::smallNumber)));

  /** What the address of the first byte must be a multiple of, in bytes. */
  public static final AnnotationKey<Integer> ALIGN =
      AnnotationKey.of("align", Scope.STORAGE, String::valueOf, MemoryKeys::positive);

  /** Bytes behind the last one that kernels may read, though they use nothing of them. */
  public static final AnnotationKey<Long> OVER_READ =
      AnnotationKey.of("over-read", Scope.STORAGE, String::valueOf, MemoryKeys::notNegative);

  /** Who provides the bytes, where it is not the plan. */
  public static final AnnotationKey<Owner> OWNER =
      AnnotationKey.of("owner", Scope.STORAGE, MemoryKeys::printOwner, MemoryKeys::parseOwner);

  /** An input whose bytes the caller needs no more after the call, so that they may be reused. */
  public static final AnnotationKey<Boolean> DONATED =
      AnnotationKey.of("donated", Scope.STORAGE, String::valueOf, MemoryKeys::parseBoolean);

  /** The storage lies inside another, because the model or a pass says so. */
  public static final AnnotationKey<Shares> SHARES =
      AnnotationKey.of(
          "shares",
          Scope.STORAGE,
          shares ->
              "%"
                  + shares.base()
                  + ":"
                  + shares.offsetBytes()
                  + (shares.derived() ? ":derived" : ""),
          MemoryKeys::parseShares);

  /**
   * The id of a node of the method: the bytes stay alive until it has run for the last time, also
   * if what uses them ends before. It makes no lifetime shorter, and says nothing of bytes that
   * nothing uses.
   */
  public static final AnnotationKey<Integer> UNTIL = integer("until", Scope.STORAGE);

  /** A constant whose bytes the plan provides all the same, because training changes them. */
  public static final AnnotationKey<Boolean> TRAINABLE =
      AnnotationKey.of("trainable", Scope.STORAGE, String::valueOf, MemoryKeys::parseBoolean);

  /**
   * The pin that ExecuTorch has on the separate spec of an in-place result, which is planned by its
   * rules where the result is returned.
   */
  public static final AnnotationKey<Integer> RESULT_PIN = integer("result-pin", Scope.TENSOR);

  /** Where the bytes lie: what planning found. */
  public static final AnnotationKey<Placement> PLACEMENT =
      AnnotationKey.of(
          "placement",
          Scope.STORAGE,
          placement ->
              placement.memId() + ":" + placement.offsetBytes() + ":" + placement.memObjId(),
          MemoryKeys::parsePlacement);

  /** Which of the bytes that outlive a call the plan provides. */
  public static final AnnotationKey<Allocation> ALLOCATION =
      AnnotationKey.of(
          "allocation", Scope.METHOD, MemoryKeys::printAllocation, MemoryKeys::parseAllocation);

  /** Sizes of the arenas in bytes, by mem_id: what planning found. */
  public static final AnnotationKey<ImmutableLongArray> ARENAS =
      AnnotationKey.of(
          "arenas",
          Scope.METHOD,
          sizes -> sizes.asList().stream().map(String::valueOf).collect(Collectors.joining(":")),
          MemoryKeys::parseArenas);

  /** The rules by which the method was planned. */
  public static final AnnotationKey<String> PROFILE =
      AnnotationKey.of("profile", Scope.METHOD, name -> name, text -> text);

  /** The alignment with which the method was planned, in bytes. */
  public static final AnnotationKey<Integer> ALIGNMENT = integer("alignment", Scope.METHOD);

  private static final ImmutableList<AnnotationKey<?>> ALL =
      ImmutableList.of(
          ORIGIN,
          DEVICE,
          PIN,
          FIXED_OFFSET,
          NOT_ARENAS,
          ALIGN,
          OVER_READ,
          OWNER,
          DONATED,
          SHARES,
          UNTIL,
          TRAINABLE,
          RESULT_PIN,
          PLACEMENT,
          ALLOCATION,
          PROFILE,
          ALIGNMENT,
          ARENAS);

  private MemoryKeys() {}

  /** All keys, in the order in which they print. */
  public static ImmutableList<AnnotationKey<?>> all() {
    return ALL;
  }

  /** True if a method carries a plan, also one that places nothing. */
  public static boolean hasPlan(Method method) {
    return method.keys().contains(ARENAS) || method.keys().contains(PLACEMENT);
  }

  /** A method without what planning wrote down; the same one if it has no plan. */
  public static Method withoutPlan(Method method) {
    return method.edit().clear(PLACEMENT).clear(ARENAS).clear(PROFILE).clear(ALIGNMENT).build();
  }

  private static AnnotationKey<Integer> integer(String name, Scope scope) {
    return AnnotationKey.of(name, scope, String::valueOf, MemoryKeys::smallNumber);
  }

  private static Shares parseShares(String text) {
    List<String> parts = Splitter.on(':').splitToList(text);
    checkArgument(
        parts.size() >= 2
            && parts.size() <= 3
            && parts.get(0).startsWith("%")
            && (parts.size() == 2 || parts.get(2).equals("derived")),
        "not of the form %%base:offset or %%base:offset:derived: %s",
        text);
    return new Shares(
        smallNumber(parts.get(0).substring(1)), number(parts.get(1)), parts.size() == 3);
  }

  private static Placement parsePlacement(String text) {
    List<String> parts = Splitter.on(':').splitToList(text);
    checkArgument(parts.size() == 3, "not of the form mem_id:offset:object: %s", text);
    return new Placement(
        smallNumber(parts.get(0)), smallNumber(parts.get(2)), number(parts.get(1)));
  }

  private static String printAllocation(Allocation allocation) {
    return (allocation.inputs() ? "inputs" : "no-inputs")
        + (allocation.outputs() ? ":outputs" : ":no-outputs")
        + (allocation.state() ? ":state" : ":no-state");
  }

  private static Allocation parseAllocation(String text) {
    Allocation allocation =
        new Allocation(
            !text.startsWith("no-inputs"),
            !text.contains(":no-outputs"),
            !text.contains(":no-state"));
    checkArgument(
        printAllocation(allocation).equals(text),
        "not of the form [no-]inputs:[no-]outputs:[no-]state: %s",
        text);
    return allocation;
  }

  private static ImmutableLongArray parseArenas(String text) {
    return text.isEmpty()
        ? ImmutableLongArray.of()
        : ImmutableLongArray.copyOf(
            Splitter.on(':').splitToStream(text).mapToLong(MemoryKeys::number));
  }

  private static String printOwner(Owner owner) {
    return owner.name().toLowerCase(Locale.ROOT);
  }

  private static Owner parseOwner(String text) {
    for (Owner owner : Owner.values()) {
      if (printOwner(owner).equals(text)) {
        return owner;
      }
    }
    throw new IllegalArgumentException("neither caller nor runtime: '" + text + "'");
  }

  private static boolean parseBoolean(String text) {
    checkArgument(
        text.equals("true") || text.equals("false"), "neither true nor false: '%s'", text);
    return text.equals("true");
  }

  private static long notNegative(String text) {
    long number = number(text);
    checkArgument(number >= 0, "negative: %s", text);
    return number;
  }

  private static int positive(String text) {
    int number = smallNumber(text);
    checkArgument(number >= 1, "below 1: %s", text);
    return number;
  }

  private static int smallNumber(String text) {
    long number = number(text);
    checkArgument(number == (int) number, "above 2^31 - 1 or below -2^31: %s", text);
    return (int) number;
  }

  private static long number(String text) {
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("not a number: '" + text + "'", e);
    }
  }
}
