package dev.stowage.formats.plan;

import com.fasterxml.jackson.core.JsonGenerator;
import com.google.common.primitives.ImmutableIntArray;
import com.google.common.primitives.ImmutableLongArray;
import dev.stowage.base.io.JsonLines;
import dev.stowage.formats.plan.ProgramPlan.ArenaDevice;
import dev.stowage.formats.plan.ProgramPlan.MethodEntry;
import dev.stowage.formats.plan.ProgramPlan.TensorEntry;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Map;

/** Writes plans of programs, one a line. */
public final class ProgramPlanWriter implements Closeable {
  private final JsonGenerator json;

  /** Writes to a stream, which is flushed after each answer and never closed. */
  public ProgramPlanWriter(OutputStream out) throws IOException {
    json = JsonLines.generator(out);
  }

  /**
   * Writes a plan, or the error in its place.
   *
   * @throws IOException if the output fails
   */
  public void write(ProgramPlan plan) throws IOException {
    PlanJson.writeHead(json, PlanJson.PROGRAM_FORMAT, plan.name());
    json.writeNumberField("plan", plan.plan());
    if (plan.error().isPresent()) {
      PlanJson.writeError(json, plan.error().get(), /* withBuffer= */ false);
    } else {
      json.writeStringField("profile", plan.profile());
      json.writeStringField("strategy", plan.strategy());
      json.writeNumberField("alignment", plan.alignment());
      json.writeArrayFieldStart("methods");
      for (MethodEntry method : plan.methods()) {
        writeMethod(method);
      }
      json.writeEndArray();
      json.writeArrayFieldStart("tensors");
      for (TensorEntry tensor : plan.tensors()) {
        writeTensor(tensor);
      }
      json.writeEndArray();
    }
    json.writeEndObject();
    json.writeRaw('\n');
    json.flush();
  }

  private void writeMethod(MethodEntry method) throws IOException {
    json.writeStartObject();
    json.writeStringField("method", method.name());
    if (method.error().isPresent()) {
      PlanJson.writeError(json, method.error().get(), /* withBuffer= */ false);
      json.writeEndObject();
      return;
    }
    writeSizes("arena_sizes", method.arenaSizes());
    writeDevices(method);
    json.writeObjectFieldStart("submodule_arena_sizes");
    for (Map.Entry<String, ImmutableLongArray> submodule :
        method.submoduleArenaSizes().entrySet()) {
      writeSizes(submodule.getKey(), submodule.getValue());
    }
    json.writeEndObject();
    writeOrder(method.order());
    if (method.storageReusePairs().isPresent()) {
      json.writeNumberField("storage_reuse_pairs", method.storageReusePairs().getAsLong());
    } else {
      json.writeNullField("storage_reuse_pairs");
    }
    json.writeStringField("io_check", method.ioCheck().orElse(null));
    json.writeNumberField("lower_bound", method.lowerBound());
    json.writeBooleanField("optimal", method.optimal());
    FindingJson.writeAll(json, method.findings(), /* program= */ true);
    json.writeEndObject();
  }

  private void writeSizes(String member, ImmutableLongArray sizes) throws IOException {
    PlanJson.writeLongs(json, member, sizes.toArray());
  }

  private void writeOrder(ImmutableIntArray order) throws IOException {
    json.writeFieldName("order");
    json.writeArray(order.toArray(), 0, order.length());
  }

  private void writeDevices(MethodEntry method) throws IOException {
    if (method.arenaDevices().isEmpty()) {
      json.writeNullField("arena_devices");
      return;
    }
    json.writeArrayFieldStart("arena_devices");
    for (ArenaDevice device : method.arenaDevices()) {
      json.writeStartObject();
      json.writeNumberField("mem_id", device.memId());
      json.writeStringField("device_type", device.deviceType());
      json.writeNumberField("device_index", device.deviceIndex());
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  private void writeTensor(TensorEntry tensor) throws IOException {
    json.writeStartObject();
    json.writeNumberField("tensor", tensor.tensor());
    json.writeStringField("name", tensor.name());
    json.writeNumberField("size", tensor.sizeBytes());
    PlanJson.writeSpan(json, "lifetime", tensor.firstStep(), tensor.lastStep());
    json.writeNumberField("mem_id", tensor.memId());
    PlanJson.writeIndex(json, "mem_obj_id", tensor.memObjId());
    json.writeNumberField("offset", tensor.offsetBytes());
    if (tensor.base() >= 0) {
      json.writeNumberField("base", tensor.base());
    }
    json.writeEndObject();
  }

  /** Ends writing; the stream stays open. */
  @Override
  public void close() throws IOException {
    json.close();
  }
}
