package dev.stowage.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.cli.Cli.Result;
import dev.stowage.formats.ModelImporter;
import dev.stowage.memmap.TargetProvider;
import dev.stowage.planning.PlanningStrategy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever is wrong with a plug-in is said once, with its name and jar, and is not our defect. */
class BadPluginTest {
  private static final byte[] NO_CLASS = {1, 2, 3};

  @TempDir private Path folder;

  /** A strategy, of which each test breaks something. */
  private static String strategy(String name, String plan) {
    return """
    package acme;

    import dev.stowage.planning.*;

    public final class Fit implements PlanningStrategy {
      @Override public StrategySpec spec() {
        return StrategySpec.named("NAME").summary("fits").build();
      }

      @Override public PlanningOutcome plan(PlanningProblem problem, PlanningContext context) {
        PLAN
      }
    }
    """
        .replace("NAME", name)
        .replace("PLAN", plan);
  }

  private static String fit() {
    return strategy("acme-fit", "return null;");
  }

  private PluginJar jar(String name) {
    return PluginJar.at(folder.resolve(name));
  }

  private static Result list(String jar) {
    return Cli.run("list", "strategies", "--plugin", jar);
  }

  @Test
  void jar_thatIsNone_isRefused() throws IOException {
    Path text = Files.writeString(folder.resolve("text.jar"), "package acme;");
    assertFails(5, list(text.toString()), "error[plugin-not-a-jar]", text.toString());
    Path empty = Files.write(folder.resolve("empty.jar"), new byte[0]);
    assertFails(5, list(empty.toString()), "error[plugin-not-a-jar]", empty.toString());
    assertFails(3, list(folder.toString()), "error[input-unreadable]", "is a directory");
    String missing = folder.resolve("missing.jar").toString();
    assertFails(3, list(missing), "error[input-unreadable]", missing, "does not exist");
    assertFails(3, list("a\0b.jar"), "error[input-unreadable]", "no valid file name");
  }

  @Test
  void jar_withoutManifest_isRefused() throws IOException {
    Path file = folder.resolve("plain.zip");
    try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(file))) {
      zip.putNextEntry(new ZipEntry("META-INF/services/" + PlanningStrategy.class.getName()));
      zip.write("acme.Fit".getBytes(UTF_8));
    }
    assertFails(
        5, list(file.toString()), "error[plugin-api]", "no line 'Stowage-Api: 1'", "plain.zip");
  }

  @ParameterizedTest
  @CsvSource({"'', no line", "2, is for version 2", "1.0, is for version 1.0", "one, version one"})
  void jar_ofAnotherVersion_isRefusedBeforeAClassIsLoaded(String api, String message)
      throws IOException {
    String jar =
        jar("old.jar")
            .api(api)
            .entry("acme/Fit.class", NO_CLASS) // loading it would fail
            .provides(PlanningStrategy.class, "acme.Fit")
            .write();
    assertFails(5, list(jar), "error[plugin-api]", jar, message);
  }

  @Test
  void jars_oneOfAnotherVersion_noneIsLoaded() throws IOException {
    String broken =
        jar("broken.jar")
            .entry("acme/Fit.class", NO_CLASS)
            .provides(PlanningStrategy.class, "acme.Fit")
            .write();
    String old = jar("old.jar").api("2").provides(PlanningStrategy.class, "acme.Fit").write();
    Result result = Cli.run("list", "strategies", "--plugin", broken, "--plugin", old);
    assertFails(5, result, "error[plugin-api]", "old.jar");
  }

  @Test
  void jar_servicesThatNobodyUses_areRefused() throws IOException {
    String none = jar("none.jar").source(fit()).write();
    assertFails(5, list(none), "error[plugin-services]", none, PlanningStrategy.class.getName());
    String misspelt =
        jar("misspelt.jar")
            .source(fit())
            .entry("META-INF/services/dev.stowage.planning.PlaningStrategy", NO_CLASS)
            .write();
    assertFails(
        5,
        list(misspelt),
        "error[plugin-services]",
        misspelt,
        "did you mean " + PlanningStrategy.class.getName() + "?");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "public final class Fit {}                                     | not a subtype",
        "public final class Fit extends S { private Fit() {} }         | no-arg constructor",
        "public final class Fit extends S { public Fit(int i) {} }     | no-arg constructor",
        "public abstract class Fit extends S {}                        | InstantiationException",
        "public class Fit extends S { static final int I = 1 / Integer.parseInt(\"0\"); }"
            + " | ExceptionInInitializerError: java.lang.ArithmeticException: / by zero",
        "public class Fit extends S { public Fit() { throw new Error(\"boom\"); } }"
            + " | java.lang.Error: boom",
        "public class Fit extends S { public Fit() { throw null; } } | NullPointerException",
      })
  void provider_thatCannotBeMade_isAFailureOfTheJar(String code, String message)
      throws IOException {
    String jar =
        jar("bad.jar")
            .source("package acme; " + code)
            .source(fit().replace("final class Fit", "class S").replace("acme-fit", "acme-base"))
            .provides(PlanningStrategy.class, "acme.Fit")
            .write();
    assertFails(5, list(jar), jar, "acme.Fit", message, "its authors");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "static { while (Boolean.parseBoolean(\"true\")) { WAIT } }",
        "public Fit() { while (true) { WAIT } }",
        "@Override public dev.stowage.planning.StrategySpec spec() { while (true) { WAIT } }",
      })
  void provider_thatLoopsForEver_endsAtTheDeadline(String code) throws IOException {
    // Not even an interrupt ends it; the thread that is left behind takes no time of other tests.
    String wait = "Thread.interrupted(); java.util.concurrent.locks.LockSupport.park();";
    String jar =
        jar("endless.jar")
            .source(
                "package acme; public class Fit extends S { " + code.replace("WAIT", wait) + " }")
            .source(fit().replace("final class Fit", "class S"))
            .provides(PlanningStrategy.class, "acme.Fit")
            .write();
    Path problem =
        Files.writeString(folder.resolve("problem.csv"), "id,lower,upper,size\na,0,2,4\n");
    Result late =
        Cli.run(
            "plan",
            problem.toString(),
            "--plugin",
            jar,
            "--strategy",
            "acme-fit",
            "--deadline",
            "20ms");
    assertFails(
        6,
        late,
        "error[deadline]",
        "loading strategies from " + jar + " did not end within 0.02 s");
  }

  @Test
  void provider_whoseClassCannotBeLoaded_isAFailureOfTheJar() throws IOException {
    String missing = jar("missing.jar").provides(PlanningStrategy.class, "acme.Fit").write();
    assertFails(5, list(missing), missing, "Provider acme.Fit not found");
    String broken =
        jar("broken.jar")
            .entry("acme/Fit.class", NO_CLASS)
            .provides(PlanningStrategy.class, "acme.Fit")
            .write();
    assertFails(5, list(broken), broken, "ClassFormatError");
    byte[] future = {(byte) 0xCA, (byte) 0xFE, (byte) 0xBA, (byte) 0xBE, 0, 0, 0, 99};
    String newer =
        jar("newer.jar")
            .entry("acme/Fit.class", future)
            .provides(PlanningStrategy.class, "acme.Fit")
            .write();
    assertFails(5, list(newer), newer, "UnsupportedClassVersionError", "99.0");
    String torn =
        jar("torn.jar")
            .source(fit().replace("final class Fit", "class S"))
            .source("package acme; public class Fit extends S {}")
            .without("acme/S")
            .provides(PlanningStrategy.class, "acme.Fit")
            .write();
    assertFails(5, list(torn), torn, "NoClassDefFoundError", "acme/S");
    String unreadable =
        jar("unreadable.jar").provides(PlanningStrategy.class, "acme.Fit, acme.Other").write();
    assertFails(5, list(unreadable), unreadable, "Illegal");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "throw new IllegalStateException(\"boom\");            | IllegalStateException: boom",
        "return null;                                          | StrategySpec.name()",
        "return StrategySpec.named(null).build();              | NullPointerException: name",
        "return StrategySpec.named(\"a\").summary(null).build();| NullPointerException: summary",
        "return StrategySpec.named(\"a b\").build();           | 'a b'",
      })
  void strategy_thatDoesNotSayWhatItIs_isNamedByItsClass(String spec, String message)
      throws IOException {
    String jar =
        jar("bad.jar")
            .source(fit().replaceFirst("return StrategySpec.*", spec.replace("\\", "")))
            .provides(PlanningStrategy.class, "acme.Fit")
            .write();
    assertFails(5, list(jar), "strategy 'acme.Fit' from " + jar + " failed: ", message);
  }

  @Test
  void names_thatClash_areNamedWithTheirJars() throws IOException {
    String greedy =
        jar("greedy.jar")
            .source(strategy("greedy", "return null;"))
            .provides(PlanningStrategy.class, "acme.Fit")
            .write();
    assertFails(
        5,
        list(greedy),
        "error[plugin-clash]",
        "called 'greedy'",
        "dev.stowage.planning.strategies.GreedyStrategy from ",
        "acme.Fit from " + greedy);

    String one = jar("one.jar").source(fit()).provides(PlanningStrategy.class, "acme.Fit").write();
    String other = Files.copy(Path.of(one), folder.resolve("other.jar")).toString();
    assertFails(
        5,
        Cli.run("list", "strategies", "--plugin", one, "--plugin", other),
        "error[plugin-clash]",
        "called 'acme-fit': acme.Fit from " + one + " and acme.Fit from " + other);
  }

  @Test
  void jar_namedTwice_isOne() throws IOException {
    String one = jar("one.jar").source(fit()).provides(PlanningStrategy.class, "acme.Fit").write();
    String same = folder.resolve(".").resolve("one.jar").toString();
    Result result = Cli.run("list", "strategies", "--plugin", one, "--plugin", same);
    assertThat(result.exit()).as(result.err()).isZero();
    assertThat(result.out()).containsOnlyOnce("acme-fit");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "throw new IllegalStateException(\"boom\");",
        "return null;",
        "throw new NoSuchMethodError(\"boom\");",
        "return plan(problem, context);",
        "return new Object() { PlanningOutcome it() { return acme.Gone.it(); } }.it();",
      })
  void strategy_thatFails_isNamedWithItsJar(String plan) throws IOException {
    String jar =
        jar("bad.jar")
            .source(strategy("acme-fit", plan))
            .source(
                "package acme; class Gone {"
                    + " static dev.stowage.planning.PlanningOutcome it() { return null; } }")
            .without("acme/Gone")
            .provides(PlanningStrategy.class, "acme.Fit")
            .write();
    Path problem =
        Files.writeString(
            folder.resolve("p.json"), "{\"buffers\":[{\"bytes\":7,\"lifetime\":[0,1]}]}");
    String[] command = {
      "plan", problem.toString(), "--plugin", jar, "--strategy", "acme-fit", "--json"
    };
    assertFails(5, Cli.run(command), "strategy 'acme-fit' from " + jar + " failed: ");

    String[] verbose = Arrays.copyOf(command, command.length + 1);
    verbose[command.length] = "-v";
    Result traced = Cli.run(verbose);
    assertThat(traced.exit()).isEqualTo(5);
    assertThat(traced.err()).contains("\tat ");
  }

  @Test
  void targets_thatCannotBeMade_areAFailureOfTheirProvider() throws IOException {
    String jar =
        jar("targets.jar")
            .source(
                """
                package acme;

                import com.google.common.collect.ImmutableList;
                import dev.stowage.memmap.*;

                public final class Npus implements TargetProvider {
                  @Override public ImmutableList<Target> targets() {
                    return ImmutableList.of(Target.of("Acme NPU", "it", null));
                  }
                }
                """)
            .provides(TargetProvider.class, "acme.Npus")
            .write();
    assertFails(
        5,
        Cli.run("list", "targets", "--plugin", jar),
        "target provider 'acme.Npus' from " + jar,
        "not kebab-case: 'Acme NPU'");
  }

  @Test
  void importer_thatFails_isNamedWithItsJar() throws IOException {
    String jar =
        jar("importer.jar")
            .source(
                """
                package acme;

                import dev.stowage.base.io.Source;
                import dev.stowage.formats.*;

                public final class Importer implements ModelImporter {
                  @Override public FormatSpec spec() {
                    return FormatSpec.of("acme-net", "networks of Acme", ".acme");
                  }

                  @Override public boolean recognises(String name, byte[] start) {
                    return start[0] == '7';
                  }

                  @Override public ImportedModel read(Source source) {
                    return source.readAll().length == 1 ? null : new ImportedModel("acme-net", null, null, null);
                  }
                }
                """)
            .provides(ModelImporter.class, "acme.Importer")
            .write();
    for (String content : new String[] {"7", "77"}) {
      Path model = Files.writeString(folder.resolve("x.bin"), content);
      assertFails(
          5,
          Cli.run("inspect", model.toString(), "--plugin", jar),
          "importer 'acme-net' from " + jar + " failed: ");
    }
    // Whoever does not need it does not pay for it, nor suffer.
    assertThat(list(jar).exit()).isZero();
  }

  /** One message, which blames the plug-in, and nothing on standard output. */
  private static void assertFails(int exit, Result result, String... parts) {
    assertThat(result.exit()).as(result.err()).isEqualTo(exit);
    assertThat(result.out()).isEmpty();
    assertThat(result.err())
        .contains(parts)
        .containsPattern("^[^\n]*error(\\[|: )")
        .doesNotContain("\tat ", "defect of Stowage");
  }
}
