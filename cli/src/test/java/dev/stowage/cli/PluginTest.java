package dev.stowage.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.cli.Cli.Result;
import dev.stowage.driver.Extensions;
import dev.stowage.driver.Plans;
import dev.stowage.driver.Stowage;
import dev.stowage.formats.ModelImporter;
import dev.stowage.formats.PlanExporter;
import dev.stowage.memmap.DeviceAllocator;
import dev.stowage.memmap.TargetProvider;
import dev.stowage.passes.Pass;
import dev.stowage.planning.PlanningStrategy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Everything that a plug-in can bring is found in its jar, and used. */
class PluginTest {
  private static final String STRATEGY =
      """
      package acme;

      import dev.stowage.planning.*;

      public final class Stack implements PlanningStrategy {
        @Override public StrategySpec spec() {
          return StrategySpec.named("acme-stack").summary("one on top of the other").build();
        }

        @Override public PlanningOutcome plan(PlanningProblem problem, PlanningContext context) {
          MemoryPlan.Builder plan = MemoryPlan.builder(problem);
          long top = 0;
          for (int buffer = 0; buffer < problem.bufferCount(); buffer++) {
            plan.place(buffer, 0, top);
            top += problem.allocatedBytes(buffer);
          }
          return PlanningOutcome.planned(plan.build());
        }
      }
      """;

  private static final String PASS =
      """
      package acme;

      import dev.stowage.ir.*;
      import dev.stowage.ir.memory.MemoryKeys;
      import dev.stowage.passes.*;

      public final class PinAll implements ProgramPass {
        @Override public PassSpec spec() {
          return PassSpec.named("acme-pin-all").summary("pins everything to arena 3").build();
        }

        @Override public Program run(Program program, PassContext context) {
          Program pinned = program;
          for (Method method : program.methods()) {
            GraphEditor editor = method.edit();
            for (Tensor tensor : method.tensors()) {
              editor.annotate(tensor.id(), MemoryKeys.PIN, 3);
            }
            pinned = pinned.with(editor.build());
          }
          return pinned;
        }
      }
      """;

  private static final String TARGETS =
      """
      package acme;

      import com.google.common.collect.ImmutableList;
      import dev.stowage.memmap.*;

      public final class Npus implements TargetProvider {
        @Override public ImmutableList<Target> targets() {
          return ImmutableList.of(
              Target.of("acme-npu1", "16 bytes that are fast, and 1 KiB", MemoryMap.of(ImmutableList.of(
                  Bank.builder("fast", 16, 2).build(), Bank.builder("slow", 1024, 5).build()))),
              Target.of("acme-npu0", "4 bytes", MemoryMap.of(ImmutableList.of(Bank.builder("tiny", 4, 1).build()))));
        }
      }
      """;

  /** A file is a line, and then a program. */
  private static final String IMPORTER =
      """
      package acme;

      import static java.nio.charset.StandardCharsets.UTF_8;

      import com.google.common.collect.ImmutableList;
      import dev.stowage.base.io.Source;
      import dev.stowage.formats.*;
      import dev.stowage.ir.text.ProgramParser;

      public final class Importer implements ModelImporter {
        @Override public FormatSpec spec() {
          return FormatSpec.of("acme-net", "networks of Acme", ".acme");
        }

        @Override public boolean recognises(String name, byte[] start) {
          return new String(start, UTF_8).startsWith("{acme}");
        }

        @Override public ImportedModel read(Source source) {
          String text = new String(source.readAll(), UTF_8);
          return new ImportedModel(
              spec().name(),
              ProgramParser.parse(source.name(), text.substring(text.indexOf('\\n') + 1)),
              ImmutableList.of(),
              new ImportedModel.Facts(77, ImmutableList.of("read by Acme")));
        }
      }
      """;

  private static final String EXPORTER =
      """
      package acme;

      import static java.nio.charset.StandardCharsets.UTF_8;

      import dev.stowage.base.*;
      import dev.stowage.formats.*;
      import dev.stowage.ir.*;
      import dev.stowage.ir.memory.MemoryKeys;
      import java.io.*;
      import java.util.Optional;

      public final class Exporter implements PlanExporter {
        @Override public FormatSpec spec() {
          return FormatSpec.of("acme-net", "networks of Acme", ".acme", ".acmeplan");
        }

        @Override public Optional<Diagnostic> refusal(PlannedModel model) {
          return model.format().equals("acme-net")
              ? Optional.empty()
              : Optional.of(Diagnostic.of(
                  Kinds.INPUT_UNSUPPORTED, "a " + model.format() + " model has no place for an Acme plan"));
        }

        @Override public void write(PlannedModel model, OutputStream out) throws IOException {
          try (Writer text = new OutputStreamWriter(out, UTF_8)) {
            text.write(model.original().size() + " bytes of " + model.name());
            for (Method method : model.program().methods()) {
              text.write("; " + method.name() + " in " + method.get(MemoryKeys.ARENAS).get());
            }
          }
        }
      }
      """;

  private static final String ALLOCATOR =
      """
      package acme;

      import dev.stowage.memmap.*;
      import java.nio.ByteBuffer;

      public final class NpuAllocator implements DeviceAllocator {
        @Override public String deviceType() {
          return "npu";
        }

        @Override public long allocate(int deviceIndex, long sizeBytes, long alignment)
            throws DeviceMemoryException {
          throw new DeviceMemoryException("there is no npu:" + deviceIndex);
        }

        @Override public void free(int deviceIndex, long address) {}

        @Override public void copyHostToDevice(int deviceIndex, ByteBuffer source, long destination) {}

        @Override public void copyDeviceToHost(int deviceIndex, long source, ByteBuffer destination) {}
      }
      """;

  private static final String PROGRAM =
      """
      program "net"

      method @forward {
        graph @main {
          %0 "x" : u8[16] = input
          %1 "y" : u8[40] = acme.op(%0)
          output(%1)
        }
      }
      """;

  @TempDir private static Path jars;
  private static String acme;
  private static String other;

  @TempDir private Path folder;

  @BeforeAll
  static void makeJars() throws IOException {
    acme =
        PluginJar.at(jars.resolve("acme plug-in.jar")) // a blank must not show as %20
            .source(STRATEGY)
            .source(PASS)
            .source(TARGETS)
            .source(IMPORTER)
            .source(EXPORTER)
            .source(ALLOCATOR)
            .provides(PlanningStrategy.class, "# comments are fine", "acme.Stack")
            .provides(Pass.class, "acme.PinAll")
            .provides(TargetProvider.class, "acme.Npus")
            .provides(ModelImporter.class, "acme.Importer")
            .provides(PlanExporter.class, "acme.Exporter")
            .provides(DeviceAllocator.class, "acme.NpuAllocator")
            .write();
    other =
        PluginJar.at(jars.resolve("other.jar"))
            .source(STRATEGY.replace("acme-stack", "other-stack"))
            .provides(PlanningStrategy.class, "acme.Stack")
            .write();
  }

  @Test
  void list_withPlugins_showsWhatTheyBring() {
    assertThat(list("strategies", acme, other).keySet())
        .contains("acme-stack", "other-stack", "greedy");
    assertThat(list("passes", acme).keySet()).contains("acme-pin-all", "plan");
    assertThat(list("targets", acme).keySet()).contains("acme-npu0", "acme-npu1", "stm32h743");
    assertThat(list("allocators", acme)).hasSize(1).containsKey("NPU");
    assertThat(list("allocators", acme).get("NPU"))
        .containsEntry("summary", "acme.NpuAllocator from " + acme);
    assertThat(list("formats", acme).get("acme-net"))
        .containsEntry("endings", ".acme .acmeplan")
        .containsEntry("reads", true)
        .containsEntry("writes", true);
    assertThat(Cli.run("list", "formats", "--plugin", acme).out())
        .contains("networks of Acme (.acme .acmeplan; read and written)");
  }

  @Test
  void list_withoutPlugins_showsNothingOfThem() {
    assertThat(list("strategies")).doesNotContainKey("acme-stack");
    assertThat(list("targets")).doesNotContainKey("acme-npu1");
    assertThat(list("allocators")).isEmpty();
    Result allocators = Cli.run("list", "allocators");
    assertThat(allocators.out()).isEmpty();
    assertThat(allocators.err()).contains("there are no allocators", "--plugin");
  }

  @Test
  void plan_byStrategyOfPlugin_isPlanned() throws IOException {
    String model = write("net.stow", PROGRAM);
    Result one = Cli.run("plan", model, "--plugin", acme, "--strategy", "acme-stack", "--json");
    assertThat(one.exit()).as(one.err()).isZero();
    assertThat(one.out()).contains("\"strategy\":\"acme-stack\"", "\"arena_sizes\":[0,64]");
    // Both jars have a class acme.Stack, each its own.
    for (String name : List.of("acme-stack", "other-stack")) {
      Result both =
          Cli.run(
              "plan",
              model,
              "--plugin",
              acme,
              "--plugin",
              other,
              "--pipeline",
              "plan{strategy=" + name + "}",
              "--json");
      assertThat(both.out()).contains("\"strategy\":\"" + name + "\"");
    }
  }

  @Test
  void plan_byPassOfPlugin_isChanged() throws IOException {
    Result result =
        Cli.run(
            "plan",
            write("net.stow", PROGRAM),
            "--plugin",
            acme,
            "--pipeline",
            "acme-pin-all,plan",
            "--json");
    assertThat(result.exit()).as(result.err()).isZero();
    assertThat(result.out()).contains("\"arena_sizes\":[0,0,0,64]");
  }

  @Test
  void plan_forTarget_usesItsBanks_andIsVerifiedForIt() throws IOException {
    String model = write("net.stow", PROGRAM);
    String plan = folder.resolve("plan.json").toString();
    String planned = folder.resolve("planned.stow").toString();
    for (String out : List.of(plan, planned)) {
      Result result =
          Cli.run("plan", model, "--plugin", acme, "--target", "acme-npu1", "--json", "-o", out);
      assertThat(result.exit()).as(result.err()).isZero();
      assertThat(result.out())
          .contains("\"strategy\":\"banked-greedy\"", "\"arena_sizes\":[0,0,16,0,0,48]");
    }
    for (List<String> files : List.of(List.of(model, plan), List.of(planned))) {
      Result verified = Cli.run(verify(files, "--target", "acme-npu1"));
      assertThat(verified.exit()).as(verified.out() + verified.err()).isZero();
      assertThat(Cli.run(verify(files, "--target", "acme-npu0")).exit()).isEqualTo(1);
    }
  }

  private static String[] verify(List<String> files, String... options) {
    List<String> arguments = new ArrayList<>(List.of("verify", "--plugin", acme));
    arguments.addAll(files);
    arguments.addAll(List.of(options));
    return arguments.toArray(String[]::new);
  }

  @Test
  void plan_fileThatExtendsATargetOfAPlugin_isPlannedForIt() throws IOException {
    String model = write("net.stow", PROGRAM);
    String board =
        write(
            "board.json",
            "{\"name\":\"board\",\"extends\":\"acme-npu1\","
                + "\"banks\":[{\"name\":\"fast\",\"remove\":true}]}");
    assertFails(3, Cli.run("plan", model, "--target", board), "error[map-extends]", "acme-npu1");
    Result planned = Cli.run("plan", model, "--plugin", acme, "--target", board);
    assertThat(planned.exit()).as(planned.err()).isZero();
    assertThat(planned.out()).contains("slow").doesNotContain("fast");
  }

  @Test
  void plan_targetThatIsTooSmall_hasNoPlan() throws IOException {
    Result result =
        Cli.run("plan", write("net.stow", PROGRAM), "--plugin", acme, "--target", "acme-npu0");
    assertThat(result.exit()).isEqualTo(1);
    assertThat(result.err()).contains("error[unplaceable]", "tiny");
  }

  @Test
  void plan_wrongTarget_isWrongUsage() throws IOException {
    String model = write("net.stow", PROGRAM);
    String problem = write("p.json", "{\"buffers\":[{\"bytes\":7,\"lifetime\":[0,1]}]}");
    assertFails(
        2,
        Cli.run("plan", model, "--plugin", acme, "--target", "acme-npx1"),
        "error[unknown-target]",
        "did you mean acme-npu1?");
    assertFails(
        2,
        Cli.run("plan", problem, "--plugin", acme, "--target", "acme-npu1"),
        "error[usage]",
        problem,
        "acme-npu1");
    assertFails(
        2,
        Cli.run("plan", model, "--plugin", acme, "--target", "acme-npu1", "--capacity", "64"),
        "error[usage]",
        "--capacity and --target");
  }

  @Test
  void model_ofImporter_isReadByEveryCommand() throws IOException {
    String model = write("net.acme", "{acme}\n" + PROGRAM);
    Result inspected = Cli.run("inspect", model, "--plugin", acme, "--json");
    assertThat(inspected.exit()).as(inspected.err()).isZero();
    assertThat(inspected.out())
        .contains("\"input_format\":\"acme-net\"", "\"constant_bytes\":77", "read by Acme");

    String plan = folder.resolve("plan.json").toString();
    assertThat(Cli.run("plan", model, "--plugin", acme, "-o", plan).exit()).isZero();
    assertThat(Cli.run("verify", model, plan, "--plugin", acme).exit()).isZero();
    Path stow = folder.resolve("net.stow");
    assertThat(Cli.run("convert", model, stow.toString(), "--plugin", acme).exit()).isZero();
    assertThat(stow).content().contains("acme.op");

    // By content alone, from a stream.
    Result streamed =
        Cli.runWith(("{acme}\n" + PROGRAM).getBytes(UTF_8), "plan", "-", "--plugin", acme);
    assertThat(streamed.exit()).as(streamed.err()).isZero();
    // Without the plug-in it is no such thing.
    assertThat(Cli.run("inspect", model).err()).contains("error[input-");
    // What Stowage itself knows by its content stays its own, whatever it is called.
    Result own = Cli.run("inspect", write("own.acme", PROGRAM), "--plugin", acme, "--json");
    assertThat(own.out()).contains("\"input_format\":\"stow\"");
  }

  @Test
  void plan_writtenByExporter_hasTheOriginal() throws IOException {
    String text = "{acme}\n" + PROGRAM;
    String model = write("net.acme", text);
    Path out = folder.resolve("out.acmeplan");
    Result result = Cli.run("plan", model, "--plugin", acme, "-o", out.toString());
    assertThat(result.exit()).as(result.err()).isZero();
    assertThat(out).hasContent(text.length() + " bytes of net; forward in [0, 64]");

    try (Extensions extensions = Extensions.open(List.of(acme));
        Stowage session = Stowage.open(Path.of(model), extensions)) {
      Plans plans = session.target("acme-npu1").plan();
      plans.write(out);
    }
    assertThat(out).content().endsWith("forward in [0, 0, 16, 0, 0, 48]");
  }

  @Test
  void plan_thatExporterRefuses_isNotWritten() throws IOException {
    Path out = folder.resolve("out.acmeplan");
    String model = write("net.stow", PROGRAM);
    assertFails(
        3,
        Cli.run("plan", model, "--plugin", acme, "-o", out.toString()),
        "error[input-unsupported]",
        "a stow model has no place for an Acme plan");
    assertThat(out).doesNotExist();
    assertFails(2, Cli.run("plan", model, "-o", out.toString()), "error[usage]", "out.acmeplan");
    assertFails(
        2,
        Cli.run("plan", model, "--plugin", acme, "-o", folder.resolve("out.acm").toString()),
        ".acme, .acmeplan, each with .gz");
  }

  private static Map<String, Map<String, Object>> list(String what, String... plugins) {
    List<String> arguments = new ArrayList<>(List.of("list", what, "--json"));
    for (String plugin : plugins) {
      arguments.addAll(List.of("--plugin", plugin));
    }
    Result result = Cli.run(arguments.toArray(String[]::new));
    assertThat(result.exit()).as(result.err()).isZero();
    return itemsByName(result.out());
  }

  @SuppressWarnings("unchecked") // docs/json.md says what a list has
  private static Map<String, Map<String, Object>> itemsByName(String json) {
    Map<String, Map<String, Object>> byName = new LinkedHashMap<>();
    for (Object item : (List<Object>) Cli.value(json)) {
      Map<String, Object> members = (Map<String, Object>) item;
      byName.put(String.valueOf(members.get("name")), members);
    }
    return byName;
  }

  private String write(String name, String content) throws IOException {
    return Files.writeString(folder.resolve(name), content).toString();
  }

  private static void assertFails(int exit, Result result, String... parts) {
    assertThat(result.exit()).as(result.err()).isEqualTo(exit);
    assertThat(result.err()).contains(parts).doesNotContain("\tat ");
  }
}
