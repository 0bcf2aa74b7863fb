package dev.stowage.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import dev.stowage.base.PluginFailedException;
import dev.stowage.base.Plugins;
import dev.stowage.driver.Extensions;
import dev.stowage.formats.ModelImporter;
import dev.stowage.ir.Program;
import dev.stowage.memmap.Target;
import dev.stowage.passes.Pass;
import dev.stowage.planning.PlanningStrategy;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Makes the jar of a plug-in, from source. Not thread-safe. */
final class PluginJar {
  private static final Pattern TYPE =
      Pattern.compile("(?s)package ([a-z.]+);.*?\\b(?:class|interface|record) ([A-Za-z]+)");

  private final Path file;
  private final Map<String, String> sources = new LinkedHashMap<>();
  private final Map<String, byte[]> entries = new LinkedHashMap<>();
  private final List<String> omitted = new ArrayList<>();
  private String api = "1";

  private PluginJar(Path file) {
    this.file = file;
  }

  /** A jar for the right version, with nothing in it yet. */
  static PluginJar at(Path file) {
    return new PluginJar(file);
  }

  /** Adds a class, which is compiled. */
  PluginJar source(String code) {
    Matcher type = TYPE.matcher(code);
    assertThat(type.find()).as(code).isTrue();
    sources.put(type.group(1).replace('.', '/') + "/" + type.group(2), code);
    return this;
  }

  /** Leaves a compiled class out, such as {@code acme/Base}. */
  PluginJar without(String type) {
    omitted.add(type + ".class");
    return this;
  }

  /** Adds a services file. */
  PluginJar provides(Class<?> service, String... types) {
    return entry(
        "META-INF/services/" + service.getName(),
        (String.join("\n", types) + "\n").getBytes(UTF_8));
  }

  /** Adds anything. */
  PluginJar entry(String name, byte[] content) {
    entries.put(name, content);
    return this;
  }

  /** Sets the version in the manifest; empty for no such line. */
  PluginJar api(String version) {
    api = version;
    return this;
  }

  /** Compiles and writes it; gives its path as for the command line. */
  String write() throws IOException {
    Path work = Files.createTempDirectory(file.toAbsolutePath().getParent(), "build");
    compile(work);
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    if (!api.isEmpty()) {
      manifest.getMainAttributes().putValue(Plugins.API_ATTRIBUTE, api);
    }
    try (JarOutputStream jar = new JarOutputStream(Files.newOutputStream(file), manifest);
        Stream<Path> classes = Files.walk(work)) {
      for (Path each : classes.filter(it -> it.toString().endsWith(".class")).sorted().toList()) {
        String name = work.relativize(each).toString().replace('\\', '/');
        if (!omitted.contains(name)) {
          add(jar, name, Files.readAllBytes(each));
        }
      }
      for (Map.Entry<String, byte[]> entry : entries.entrySet()) {
        add(jar, entry.getKey(), entry.getValue());
      }
    }
    return file.toString();
  }

  private static void add(JarOutputStream jar, String name, byte[] content) throws IOException {
    jar.putNextEntry(new JarEntry(name));
    new ByteArrayInputStream(content).transferTo(jar);
    jar.closeEntry();
  }

  private void compile(Path work) throws IOException {
    if (sources.isEmpty()) {
      return;
    }
    List<String> arguments =
        new ArrayList<>(List.of("-d", work.toString(), "-cp", classPath(), "-proc:none"));
    for (Map.Entry<String, String> source : sources.entrySet()) {
      Path path = work.resolve(source.getKey() + ".java");
      Files.createDirectories(path.getParent());
      arguments.add(Files.writeString(path, source.getValue()).toString());
    }
    StringWriter said = new StringWriter();
    int result =
        ToolProvider.findFirst("javac")
            .orElseThrow()
            .run(
                new PrintWriter(OutputStream.nullOutputStream(), false, UTF_8),
                new PrintWriter(said),
                arguments.toArray(String[]::new));
    assertThat(result).as(said.toString()).isZero();
  }

  /** What an author depends on. */
  private static String classPath() {
    return Stream.of(
            Plugins.class,
            Program.class,
            Target.class,
            PlanningStrategy.class,
            Pass.class,
            ModelImporter.class,
            Extensions.class,
            ImmutableList.class)
        .map(PluginFailedException::origin)
        .distinct()
        .collect(Collectors.joining(System.getProperty("path.separator")));
  }
}
