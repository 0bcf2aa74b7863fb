package dev.stowage.formats.flatbuffers;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.flatbuffers.Table;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Reads real models twice: with our reader and with the FlatBuffers library. */
class FlatBufferCrossCheckTest {
  @ParameterizedTest
  @ValueSource(strings = {"person_detect", "okay_nabu", "basic_pitch_nmp", "selfie_segmentation"})
  void tables_ofARealModel_areWhatTheLibraryReads(String name) throws IOException {
    byte[] bytes = Files.readAllBytes(Path.of("..", "models", name + ".tflite"));
    ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);

    List<String> ours = ours(new FlatBuffer(name, bytes).root("Model"));
    List<String> theirs = new Peer(buffer, buffer.getInt(0)).model();

    assertThat(ours).hasSizeGreaterThan(100).isEqualTo(theirs);
  }

  private static List<String> ours(FlatTable model) {
    List<String> lines = new ArrayList<>();
    for (FlatTable buffer : all(model, 4)) {
      lines.add("buffer " + buffer.vector(new FlatField(0, "data"), 1).count());
    }
    for (FlatTable graph : all(model, 2)) {
      lines.add("graph " + graph.string(new FlatField(4, "name")));
      for (FlatTable tensor : all(graph, 0)) {
        lines.add(
            tensor.string(new FlatField(3, "name"))
                + tensor.int32s(new FlatField(0, "shape"))
                + tensor.int8(new FlatField(1, "type"), 0)
                + " "
                + tensor.uint32(new FlatField(2, "buffer"), 0)
                + tensor.bool(new FlatField(5, "is_variable")));
      }
      for (FlatTable operator : all(graph, 3)) {
        lines.add(
            operator.uint32(new FlatField(0, "opcode_index"), 0)
                + " "
                + operator.int32s(new FlatField(1, "inputs"))
                + operator.int32s(new FlatField(2, "outputs"))
                + operator.table(new FlatField(4, "options"), "Options").isPresent());
      }
    }
    return lines;
  }

  private static List<FlatTable> all(FlatTable table, int field) {
    FlatVector vector = table.tables(new FlatField(field, "field " + field), "Table");
    List<FlatTable> tables = new ArrayList<>();
    for (int i = 0; i < vector.count(); i++) {
      tables.add(vector.table(i));
    }
    return tables;
  }

  /** A table as the library reads it. */
  private static final class Peer extends Table {
    Peer(ByteBuffer buffer, int position) {
      __reset(position, buffer);
    }

    List<String> model() {
      List<String> lines = new ArrayList<>();
      for (Peer buffer : tables(4)) {
        lines.add("buffer " + buffer.count(0));
      }
      for (Peer graph : tables(2)) {
        lines.add("graph " + graph.text(4));
        for (Peer tensor : graph.tables(0)) {
          lines.add(
              tensor.text(3)
                  + tensor.ints(0)
                  + (tensor.at(1) == 0 ? 0 : tensor.bb.get(tensor.at(1)))
                  + " "
                  + (tensor.at(2) == 0 ? 0 : tensor.bb.getInt(tensor.at(2)))
                  + (tensor.at(5) != 0 && tensor.bb.get(tensor.at(5)) != 0));
        }
        for (Peer operator : graph.tables(3)) {
          lines.add(
              (operator.at(0) == 0 ? 0 : operator.bb.getInt(operator.at(0)))
                  + " "
                  + operator.ints(1)
                  + operator.ints(2)
                  + (operator.at(4) != 0));
        }
      }
      return lines;
    }

    private int at(int field) {
      int offset = __offset(4 + 2 * field);
      return offset == 0 ? 0 : bb_pos + offset;
    }

    private int count(int field) {
      return at(field) == 0 ? 0 : __vector_len(__offset(4 + 2 * field));
    }

    private String text(int field) {
      return at(field) == 0 ? "" : __string(at(field));
    }

    private List<Integer> ints(int field) {
      List<Integer> values = new ArrayList<>();
      for (int i = 0; i < count(field); i++) {
        values.add(bb.getInt(__vector(__offset(4 + 2 * field)) + 4 * i));
      }
      return values;
    }

    private List<Peer> tables(int field) {
      List<Peer> tables = new ArrayList<>();
      for (int i = 0; i < count(field); i++) {
        tables.add(new Peer(bb, __indirect(__vector(__offset(4 + 2 * field)) + 4 * i)));
      }
      return tables;
    }
  }
}
