package dev.stowage.cli;

import com.fasterxml.jackson.core.JsonGenerator;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.stowage.base.Message;
import dev.stowage.base.OptionSpec;
import dev.stowage.base.Suggestions;
import dev.stowage.base.io.JsonLines;
import dev.stowage.driver.FormatInfo;
import dev.stowage.driver.Stowage;
import dev.stowage.passes.PassManager;
import dev.stowage.passes.Pipeline;
import dev.stowage.planning.Planner;
import java.io.IOException;
import java.util.Map;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code stowage list}. */
@CommandLine.Command(
    name = "list",
    description = "Lists what there is, with options and their defaults.",
    footer = {
      "",
      "Examples:",
      "  stowage list strategies",
      "  stowage list formats --json",
      "",
      "Exit codes: 0 done; 2 wrong usage; 3 output unwritable; 4 defect of Stowage.",
    })
final class ListCommand extends Command {
  private static final ImmutableMap<String, Supplier<ImmutableList<Item>>> LISTS =
      ImmutableMap.of(
          "passes", ListCommand::passes,
          "strategies", ListCommand::strategies,
          "formats", ListCommand::formats,
          "pipelines", ListCommand::pipelines);

  @Parameters(paramLabel = "WHAT", description = "passes, strategies, formats or pipelines.")
  private String what = "";

  @Mixin private final OutputOptions output = new OutputOptions();

  /**
   * Something in a list.
   *
   * @param more further members, by their name in JSON: a String or a Boolean
   */
  private record Item(
      String name,
      String summary,
      ImmutableMap<String, Object> more,
      ImmutableList<OptionSpec<?>> options) {}

  @Override
  int run(Run run) throws IOException {
    Supplier<ImmutableList<Item>> list = LISTS.get(what);
    if (list == null) {
      throw usage("there is no list of '" + what + "'", Suggestions.help(what, LISTS.keySet()));
    }
    try (Report report = Report.open(run, output.fileOrStandardOutput(), ImmutableList.of())) {
      if (output.json()) {
        writeJson(report, list.get());
      } else {
        report.print(text(list.get(), report.style()));
      }
      report.commit();
    }
    return ExitCodes.DONE;
  }

  private static ImmutableList<Item> passes() {
    return PassManager.withInstalledPasses().specs().stream()
        .map(spec -> new Item(spec.name(), spec.summary(), ImmutableMap.of(), spec.options()))
        .collect(ImmutableList.toImmutableList());
  }

  private static ImmutableList<Item> strategies() {
    return Planner.withInstalledStrategies().strategies().stream()
        .map(spec -> new Item(spec.name(), spec.summary(), ImmutableMap.of(), spec.options()))
        .collect(ImmutableList.toImmutableList());
  }

  private static ImmutableList<Item> formats() {
    ImmutableList.Builder<Item> items = ImmutableList.builder();
    for (FormatInfo format : Stowage.formats()) {
      items.add(
          new Item(
              format.name(),
              format.summary(),
              ImmutableMap.of(
                  "endings", format.endings(), "reads", format.reads(), "writes", format.writes()),
              ImmutableList.of()));
    }
    return items.build();
  }

  private static ImmutableList<Item> pipelines() {
    ImmutableList.Builder<Item> items = ImmutableList.builder();
    for (Map.Entry<String, Pipeline> entry : PassManager.namedPipelines().entrySet()) {
      items.add(
          new Item(
              entry.getKey(),
              "runs " + entry.getValue(),
              ImmutableMap.of("pipeline", entry.getValue().toString()),
              ImmutableList.of()));
    }
    return items.build();
  }

  private String text(ImmutableList<Item> items, Style style) {
    StringBuilder text = new StringBuilder();
    int indent = 2 + items.stream().mapToInt(item -> item.name().length()).max().orElse(0);
    for (Item item : items) {
      String summary = item.summary();
      if (what.equals("formats")) {
        boolean reads = Boolean.TRUE.equals(item.more().get("reads"));
        boolean writes = Boolean.TRUE.equals(item.more().get("writes"));
        summary +=
            Message.format(
                " (%s; %s)",
                item.more().get("endings"),
                reads && writes ? "read and written" : reads ? "read" : "written");
      }
      // The name stands in the indentation of the first line.
      String wrapped = String.join("\n", Text.wrap(indent, indent, summary));
      text.append(style.bold(item.name()))
          .append(wrapped.substring(item.name().length()))
          .append('\n');
    }
    for (Item item : items) {
      if (!item.options().isEmpty()) {
        text.append('\n').append(style.bold("options of " + item.name())).append('\n');
        for (OptionSpec<?> option : item.options()) {
          String preset = option.defaultText();
          String line =
              Message.format(
                  "%s=%s: %s%s",
                  option.name(),
                  option.values(),
                  option.summary(),
                  option.defaultValue().isEmpty()
                      ? " (must be set)"
                      : preset.isEmpty() ? "" : " (default: " + preset + ")");
          Text.wrap(2, 6, line).forEach(it -> text.append(it).append('\n'));
        }
      }
    }
    return text.toString();
  }

  private static void writeJson(Report report, ImmutableList<Item> items) throws IOException {
    try (JsonGenerator generator = JsonLines.generator(report.stream())) {
      generator.writeStartArray();
      for (Item item : items) {
        generator.writeStartObject();
        generator.writeStringField("name", item.name());
        generator.writeStringField("summary", item.summary());
        for (Map.Entry<String, Object> more : item.more().entrySet()) {
          generator.writePOJOField(more.getKey(), more.getValue());
        }
        generator.writeArrayFieldStart("options");
        for (OptionSpec<?> option : item.options()) {
          generator.writeStartObject();
          generator.writeStringField("name", option.name());
          generator.writeStringField("summary", option.summary());
          generator.writeStringField("values", option.values());
          if (option.defaultText().isEmpty()) {
            generator.writeNullField("default");
          } else {
            generator.writeStringField("default", option.defaultText());
          }
          generator.writeBooleanField("required", option.defaultValue().isEmpty());
          generator.writeEndObject();
        }
        generator.writeEndArray();
        generator.writeEndObject();
      }
      generator.writeEndArray();
      generator.writeRaw('\n');
    }
  }
}
