package dev.stowage.formats.executorch;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.primitives.ImmutableLongArray;
import dev.stowage.base.Device;
import dev.stowage.base.Kinds;
import dev.stowage.base.json.JsonObject;
import dev.stowage.ir.DType;
import dev.stowage.ir.TensorType;
import dev.stowage.ir.TensorType.Dynamism;
import dev.stowage.planning.Limits;
import java.util.OptionalInt;

/**
 * One tensor spec of a document.
 *
 * @param pin mem_id that an earlier pass has set
 * @param base number of the spec in whose storage this one lies
 * @param baseOffsetBytes where it begins there
 */
record Spec(
    TensorType type,
    boolean constant,
    Device device,
    OptionalInt pin,
    OptionalInt base,
    long baseOffsetBytes) {
  private static final ImmutableSet<String> MEMBERS =
      ImmutableSet.of(
          "id",
          "dtype",
          "shape",
          "bytes",
          "const",
          "dynamism",
          "device",
          "device_index",
          "mem_id_before",
          "alignment_before",
          "lifetime_before",
          "storage_base",
          "storage_base_offset");

  private static final ImmutableMap<String, DType> DTYPES =
      ImmutableMap.<String, DType>builder()
          .put("float64", DType.F64)
          .put("float32", DType.F32)
          .put("float16", DType.F16)
          .put("bfloat16", DType.BF16)
          .put("int64", DType.I64)
          .put("int32", DType.I32)
          .put("int16", DType.I16)
          .put("int8", DType.I8)
          .put("uint8", DType.U8)
          .put("uint16", DType.U16)
          .put("uint32", DType.U32)
          .put("uint64", DType.U64)
          .put("bool", DType.BOOL)
          .put("complex128", DType.C128)
          .put("complex64", DType.C64)
          .put("complex32", DType.C32)
          .buildOrThrow();

  /** The specs of a document, by number. */
  static ImmutableList<Spec> table(JsonObject document) {
    ImmutableList<JsonObject> objects = document.objects("specs");
    ImmutableList.Builder<Spec> specs = ImmutableList.builder();
    for (JsonObject object : objects) {
      specs.add(read(object.only(MEMBERS), objects.size()));
    }
    return specs.build();
  }

  private static Spec read(JsonObject object, int count) {
    if (object.integer("alignment_before", 1, Integer.MAX_VALUE, 16) != 16) {
      throw object.error(
          Kinds.INPUT_UNSUPPORTED,
          "alignment_before",
          "only specs that nothing has aligned yet (16) can be planned");
    }
    return new Spec(
        type(object),
        object.bool("const", false),
        device(object),
        object.has("mem_id_before")
            ? OptionalInt.of((int) object.number("mem_id_before", 1, Limits.MAX_MEM_ID))
            : OptionalInt.empty(),
        object.has("storage_base")
            ? OptionalInt.of((int) object.number("storage_base", 0, count - 1L))
            : OptionalInt.empty(),
        object.number("storage_base_offset", Long.MIN_VALUE + 1, Long.MAX_VALUE, 0));
  }

  private static Device device(JsonObject object) {
    int index = object.integer("device_index", 0, Integer.MAX_VALUE, 0);
    String type = object.optionalText("device").orElse(Device.CPU.type());
    if (type.isEmpty()) {
      throw object.error(Kinds.INPUT_VALUE, "device", "the type of the device is empty");
    }
    return new Device(type, index);
  }

  private static TensorType type(JsonObject object) {
    Dynamism dynamism =
        switch (object.text("dynamism")) {
          case "STATIC" -> Dynamism.STATIC;
          case "DYNAMIC_BOUND" -> Dynamism.BOUNDED;
          case "DYNAMIC_UNBOUND" -> Dynamism.UNBOUNDED;
          default ->
              throw object.error(
                  Kinds.INPUT_VALUE,
                  "dynamism",
                  "must be one of STATIC, DYNAMIC_BOUND, DYNAMIC_UNBOUND");
        };
    ImmutableLongArray.Builder shape = ImmutableLongArray.builder();
    int index = 0;
    for (JsonNode dimension : object.list("shape")) {
      if (!dimension.isTextual()
          && !(dimension.canConvertToLong()
              && dimension.isIntegralNumber()
              && dimension.longValue() >= 0)) {
        throw object.error(
            Kinds.INPUT_VALUE,
            "shape",
            "dimension " + index + " is neither 0 or more nor a symbol");
      }
      shape.add(dimension.isTextual() ? TensorType.UNKNOWN : dimension.longValue());
      index++;
    }
    if (!object.has("bytes") && dynamism != Dynamism.UNBOUNDED) {
      throw object.error(Kinds.INPUT_MEMBER, "bytes", "only unbounded specs may have no size");
    }
    return new TensorType(
        DTYPES.getOrDefault(object.text("dtype"), DType.OPAQUE),
        shape.build(),
        dynamism,
        object.number("bytes", 0, Long.MAX_VALUE, TensorType.UNKNOWN));
  }
}
