package dev.stowage.formats.plan;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.primitives.ImmutableIntArray;
import com.google.common.primitives.ImmutableLongArray;
import dev.stowage.base.io.Entry;
import dev.stowage.base.io.Source;
import dev.stowage.base.json.JsonCursor;
import dev.stowage.base.json.JsonDocuments;
import dev.stowage.base.json.JsonDocuments.Label;
import dev.stowage.formats.plan.ProgramPlan.ArenaDevice;
import dev.stowage.formats.plan.ProgramPlan.MethodEntry;
import dev.stowage.formats.plan.ProgramPlan.TensorEntry;
import dev.stowage.planning.Limits;
import dev.stowage.verifier.RatedFinding;
import java.util.Iterator;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Reads plans of programs, in the form that {@link ProgramPlanWriter} writes. */
public final class ProgramPlanReader {
  private static final ImmutableSet<String> MEMBERS =
      ImmutableSet.of(
          "format",
          "version",
          "name",
          "plan",
          "profile",
          "strategy",
          "alignment",
          "methods",
          "tensors",
          "error");
  private static final ImmutableSet<String> METHOD_MEMBERS =
      ImmutableSet.of(
          "method",
          "arena_sizes",
          "arena_devices",
          "submodule_arena_sizes",
          "order",
          "storage_reuse_pairs",
          "io_check",
          "lower_bound",
          "optimal",
          "findings",
          "error");
  private static final ImmutableSet<String> DEVICE_MEMBERS =
      ImmutableSet.of("mem_id", "device_type", "device_index");
  private static final ImmutableSet<String> TENSOR_MEMBERS =
      ImmutableSet.of(
          "tensor", "name", "size", "lifetime", "mem_id", "mem_obj_id", "offset", "base");

  private ProgramPlanReader() {}

  /**
   * The plans of a source, read as they are asked for; there is at least one entry. The caller
   * closes the source.
   *
   * @throws dev.stowage.base.DiagnosticException of kind {@code input-unreadable}, here and while
   *     iterating
   */
  public static Iterator<Entry<ProgramPlan>> read(Source source) {
    return new JsonDocuments<>(source, ProgramPlanReader::readPlan);
  }

  private static ProgramPlan readPlan(JsonCursor cursor, Label label) {
    @Nullable Boolean format = null;
    @Nullable Boolean version = null;
    int plan = 0;
    @Nullable String profile = null;
    String strategy = "";
    int alignment = 0;
    @Nullable ImmutableList<MethodEntry> methods = null;
    @Nullable ImmutableList<TensorEntry> tensors = null;
    @Nullable PlanError error = null;
    cursor.beginObject();
    for (String member = cursor.nextMember(); member != null; member = cursor.nextMember()) {
      switch (member) {
        case "format" -> {
          PlanJson.readFormat(cursor, PlanJson.PROGRAM_FORMAT);
          format = true;
        }
        case "version" -> {
          PlanJson.readVersion(cursor);
          version = true;
        }
        case "name" -> label.set(cursor.text());
        case "plan" -> plan = cursor.integer(0, Integer.MAX_VALUE);
        case "profile" -> profile = cursor.text();
        case "strategy" -> strategy = cursor.text();
        case "alignment" -> alignment = cursor.integer(1, Limits.MAX_ALIGNMENT);
        case "methods" -> methods = readMethods(cursor);
        case "tensors" -> tensors = readTensors(cursor);
        case "error" -> error = PlanJson.readError(cursor);
        default -> throw cursor.unknownMember(member, MEMBERS);
      }
    }
    PlanJson.required(cursor, format, "format");
    PlanJson.required(cursor, version, "version");
    if (error != null) {
      return ProgramPlan.failed(label.text(), plan, error);
    }
    return new ProgramPlan(
        label.text(),
        plan,
        PlanJson.required(cursor, profile, "profile"),
        strategy,
        alignment,
        PlanJson.required(cursor, methods, "methods"),
        PlanJson.required(cursor, tensors, "tensors"),
        Optional.empty());
  }

  private static ImmutableList<MethodEntry> readMethods(JsonCursor cursor) {
    ImmutableList.Builder<MethodEntry> methods = ImmutableList.builder();
    cursor.beginArray();
    while (cursor.nextElement()) {
      methods.add(readMethod(cursor));
    }
    return methods.build();
  }

  private static MethodEntry readMethod(JsonCursor cursor) {
    @Nullable String name = null;
    @Nullable ImmutableLongArray arenaSizes = null;
    ImmutableList<ArenaDevice> devices = ImmutableList.of();
    ImmutableMap<String, ImmutableLongArray> submodules = ImmutableMap.of();
    ImmutableIntArray order = ImmutableIntArray.of();
    OptionalLong pairs = OptionalLong.empty();
    Optional<String> ioCheck = Optional.empty();
    long lowerBound = 0;
    boolean optimal = false;
    ImmutableList<RatedFinding> findings = ImmutableList.of();
    @Nullable PlanError error = null;
    cursor.beginObject();
    for (String member = cursor.nextMember(); member != null; member = cursor.nextMember()) {
      switch (member) {
        case "method" -> name = cursor.text();
        case "arena_sizes" -> arenaSizes = readSizes(cursor);
        case "arena_devices" -> devices = cursor.isNull() ? devices : readDevices(cursor);
        case "submodule_arena_sizes" -> submodules = readSubmodules(cursor);
        case "order" -> order = readOrder(cursor);
        case "storage_reuse_pairs" ->
            pairs =
                cursor.isNull()
                    ? OptionalLong.empty()
                    : OptionalLong.of(cursor.integer(0L, Long.MAX_VALUE));
        case "io_check" ->
            ioCheck = cursor.isNull() ? Optional.empty() : Optional.of(cursor.text());
        case "lower_bound" -> lowerBound = cursor.integer(0L, Long.MAX_VALUE);
        case "optimal" -> optimal = cursor.bool();
        case "findings" -> findings = FindingJson.readAll(cursor);
        case "error" -> error = PlanJson.readError(cursor);
        default -> throw cursor.unknownMember(member, METHOD_MEMBERS);
      }
    }
    String method = PlanJson.required(cursor, name, "method");
    if (error != null) {
      return MethodEntry.failed(method, error);
    }
    return new MethodEntry(
        method,
        PlanJson.required(cursor, arenaSizes, "arena_sizes"),
        devices,
        submodules,
        order,
        pairs,
        ioCheck,
        lowerBound,
        optimal,
        findings,
        Optional.empty());
  }

  private static ImmutableLongArray readSizes(JsonCursor cursor) {
    return ImmutableLongArray.copyOf(PlanJson.readLongs(cursor, 0, Long.MAX_VALUE));
  }

  private static ImmutableIntArray readOrder(JsonCursor cursor) {
    ImmutableIntArray.Builder order = ImmutableIntArray.builder();
    cursor.beginArray();
    while (cursor.nextElement()) {
      order.add(cursor.integer(0, Integer.MAX_VALUE));
    }
    return order.build();
  }

  private static ImmutableMap<String, ImmutableLongArray> readSubmodules(JsonCursor cursor) {
    ImmutableMap.Builder<String, ImmutableLongArray> submodules = ImmutableMap.builder();
    cursor.beginObject();
    for (String path = cursor.nextMember(); path != null; path = cursor.nextMember()) {
      submodules.put(path, readSizes(cursor));
    }
    return submodules.buildOrThrow();
  }

  private static ImmutableList<ArenaDevice> readDevices(JsonCursor cursor) {
    ImmutableList.Builder<ArenaDevice> devices = ImmutableList.builder();
    cursor.beginArray();
    while (cursor.nextElement()) {
      int memId = 0;
      int index = 0;
      @Nullable String type = null;
      cursor.beginObject();
      for (String member = cursor.nextMember(); member != null; member = cursor.nextMember()) {
        switch (member) {
          case "mem_id" -> memId = cursor.integer(0, Integer.MAX_VALUE);
          case "device_type" -> type = cursor.text();
          case "device_index" -> index = cursor.integer(0, Integer.MAX_VALUE);
          default -> throw cursor.unknownMember(member, DEVICE_MEMBERS);
        }
      }
      devices.add(new ArenaDevice(memId, PlanJson.required(cursor, type, "device_type"), index));
    }
    return devices.build();
  }

  private static ImmutableList<TensorEntry> readTensors(JsonCursor cursor) {
    ImmutableList.Builder<TensorEntry> tensors = ImmutableList.builder();
    cursor.beginArray();
    while (cursor.nextElement()) {
      tensors.add(readTensor(cursor));
    }
    return tensors.build();
  }

  private static TensorEntry readTensor(JsonCursor cursor) {
    @Nullable Integer tensor = null;
    @Nullable Integer memId = null;
    @Nullable Long offset = null;
    String name = "";
    long size = 0;
    long[] lifetime = {0, 0};
    int object = -1;
    int base = -1;
    cursor.beginObject();
    for (String member = cursor.nextMember(); member != null; member = cursor.nextMember()) {
      switch (member) {
        case "tensor" -> tensor = cursor.integer(0, Integer.MAX_VALUE);
        case "name" -> name = cursor.text();
        case "size" -> size = cursor.integer(0L, Long.MAX_VALUE);
        case "lifetime" -> lifetime = PlanJson.readPair(cursor, -1, Integer.MAX_VALUE);
        case "mem_id" -> memId = cursor.integer(0, Integer.MAX_VALUE);
        case "mem_obj_id" -> object = PlanJson.readIndex(cursor);
        case "offset" -> offset = cursor.integer(Long.MIN_VALUE, Long.MAX_VALUE);
        case "base" -> base = cursor.integer(0, Integer.MAX_VALUE);
        default -> throw cursor.unknownMember(member, TENSOR_MEMBERS);
      }
    }
    return new TensorEntry(
        PlanJson.required(cursor, tensor, "tensor"),
        name,
        size,
        (int) lifetime[0],
        (int) lifetime[1],
        PlanJson.required(cursor, memId, "mem_id"),
        object,
        PlanJson.required(cursor, offset, "offset"),
        base);
  }
}
