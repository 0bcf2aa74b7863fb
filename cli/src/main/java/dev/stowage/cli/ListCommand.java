package dev.stowage.cli;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.common.base.CharMatcher;
import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.stowage.base.Message;
import dev.stowage.base.OptionSpec;
import dev.stowage.base.PluginFailedException;
import dev.stowage.base.Suggestions;
import dev.stowage.base.io.JsonLines;
import dev.stowage.driver.Extensions;
import dev.stowage.driver.FormatInfo;
import dev.stowage.driver.Targets;
import dev.stowage.memmap.Target;
import dev.stowage.passes.Fact;
import dev.stowage.passes.Level;
import dev.stowage.passes.Pass;
import dev.stowage.passes.PassManager;
import dev.stowage.passes.PassSentences;
import dev.stowage.passes.PassSpec;
import dev.stowage.passes.Pipeline;
import dev.stowage.passes.analysis.Analysis;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
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
      "  stowage list passes pin-pool",
      "  stowage list targets stm32h743",
      "  stowage list formats --json",
      "  stowage list strategies --plugin acme.jar",
      "",
      "Exit codes: 0 done; 2 wrong usage; 3 plug-in unreadable or output unwritable;",
      "4 defect of Stowage; 5 plug-in failed.",
    })
final class ListCommand extends Command {
  private static final String TARGETS = "targets";

  private static final ObjectMapper TREES = new ObjectMapper();

  private static final Pattern PARAGRAPH = Pattern.compile("\\n\\s*\\n");

  private static final ImmutableMap<String, Function<Extensions, ImmutableList<Item>>> LISTS =
      ImmutableMap.of(
          "passes",
          ListCommand::passes,
          "strategies",
          ListCommand::strategies,
          TARGETS,
          ListCommand::targets,
          "formats",
          ListCommand::formats,
          "pipelines",
          ListCommand::pipelines,
          "allocators",
          ListCommand::allocators);

  @Parameters(
      index = "0",
      paramLabel = "WHAT",
      description = "passes, strategies, targets, formats, pipelines or allocators.")
  private String what = "";

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "NAME",
      description =
          "Only this one, with all that there is to say about it; a target may be a .json file.")
  private @Nullable String only;

  @Mixin private final OutputOptions output = new OutputOptions();

  @Mixin private final PluginOptions plugins = new PluginOptions();

  /**
   * Something in a list.
   *
   * @param suffix what follows the summary where it is listed with others
   * @param more further members, by their name in JSON: a String, a Boolean, a list of them, or of
   *     objects; or JSON
   * @param details what there is to say beside its options, where it is shown alone: paragraphs
   * @param table a table that stands before the details
   */
  private record Item(
      String name,
      String summary,
      String suffix,
      ImmutableMap<String, Object> more,
      ImmutableList<OptionSpec<?>> options,
      ImmutableList<String> details,
      Optional<Table> table) {
    Item(
        String name,
        String summary,
        ImmutableMap<String, Object> more,
        ImmutableList<OptionSpec<?>> options) {
      this(name, summary, "", more, options, ImmutableList.of(), Optional.empty());
    }
  }

  @Override
  int run(Run run) throws IOException {
    Function<Extensions, ImmutableList<Item>> list = LISTS.get(what);
    if (list == null) {
      throw usage("there is no list of '" + what + "'", Suggestions.help(what, LISTS.keySet()));
    }
    try (Extensions extensions = plugins.open();
        Report report =
            Report.open(run, output.fileOrStandardOutput(), plugins.andJars(ImmutableList.of()))) {
      ImmutableList<Item> items =
          what.equals(TARGETS) && only != null && Targets.isFile(only)
              ? ImmutableList.of(item(Targets.find(only, run.terminal().in(), extensions)))
              : chosen(list.apply(extensions));
      if (output.json()) {
        writeJson(report, items);
      } else {
        report.print(text(items, report.style()));
        if (items.isEmpty() && !quiet()) {
          run.messages().note("there are no " + what + "; plug-ins may bring some (--plugin JAR)");
        }
      }
      report.commit();
    }
    return ExitCodes.DONE;
  }

  private ImmutableList<Item> chosen(ImmutableList<Item> items) {
    if (only == null) {
      return items;
    }
    ImmutableList<Item> chosen =
        items.stream()
            .filter(item -> item.name().equals(only))
            .collect(ImmutableList.toImmutableList());
    if (chosen.isEmpty()) {
      throw usage(
          "'" + only + "' is not in the list of " + what,
          items.isEmpty()
              ? "there are none; plug-ins may bring some (--plugin JAR)"
              : Suggestions.help(only, items.stream().map(Item::name).toList()));
    }
    return chosen;
  }

  private static ImmutableList<Item> passes(Extensions extensions) {
    return extensions.passManager().passes().stream()
        .map(ListCommand::item)
        .collect(ImmutableList.toImmutableList());
  }

  private static Item item(Pass pass) {
    PassSpec spec = pass.spec();
    ImmutableMap.Builder<String, Object> more = ImmutableMap.builder();
    ImmutableList.Builder<String> details = ImmutableList.builder();
    more.put("description", spec.description());
    more.put("level", Level.of(pass).word());
    more.put("after", orders(spec.after()));
    more.put("before", orders(spec.before()));
    more.put("requires", names(spec.requires(), it -> it.fact().name()));
    more.put("establishes", names(spec.establishes(), Fact::name));
    more.put("destroys", names(spec.destroys(), Fact::name));
    more.put("preserves", names(spec.preserves(), Analysis::name));
    more.put(
        "statistics",
        names(
            spec.statistics(), it -> ImmutableMap.of("name", it.name(), "summary", it.summary())));
    details.addAll(PassSentences.of(pass));
    spec.statistics().forEach(it -> details.add("Counts " + it.summary() + "."));
    more.put("read_only", spec.isReadOnly());
    more.put("idempotent", spec.isIdempotent());
    Splitter.on(PARAGRAPH).omitEmptyStrings().split(spec.description()).forEach(details::add);
    return new Item(
        spec.name(),
        spec.summary(),
        "",
        more.buildOrThrow(),
        spec.options(),
        details.build(),
        Optional.empty());
  }

  private static ImmutableList<Object> orders(ImmutableList<PassSpec.Order> orders) {
    return names(orders, it -> ImmutableMap.of("pass", it.pass(), "why", it.why()));
  }

  private static <T> ImmutableList<Object> names(Collection<T> things, Function<T, Object> nameOf) {
    return things.stream().map(nameOf).collect(ImmutableList.toImmutableList());
  }

  private static ImmutableList<Item> strategies(Extensions extensions) {
    return extensions.planner().strategies().stream()
        .map(spec -> new Item(spec.name(), spec.summary(), ImmutableMap.of(), spec.options()))
        .collect(ImmutableList.toImmutableList());
  }

  private static ImmutableList<Item> targets(Extensions extensions) {
    return extensions.targets().all().stream()
        .map(ListCommand::item)
        .collect(ImmutableList.toImmutableList());
  }

  private static Item item(Target target) {
    return new Item(
        target.name(),
        target.summary(),
        ": " + target.map().describe(),
        TargetText.members(target),
        ImmutableList.of(),
        TargetText.details(target),
        Optional.of(TargetText.budget(target)));
  }

  private static ImmutableList<Item> allocators(Extensions extensions) {
    ImmutableList.Builder<Item> items = ImmutableList.builder();
    extensions
        .allocators()
        .all()
        .forEach(
            (type, allocator) ->
                items.add(
                    new Item(
                        type,
                        allocator.getClass().getName()
                            + " from "
                            + PluginFailedException.origin(allocator.getClass()),
                        ImmutableMap.of(),
                        ImmutableList.of())));
    return items.build();
  }

  private static ImmutableList<Item> formats(Extensions extensions) {
    ImmutableList.Builder<Item> items = ImmutableList.builder();
    for (FormatInfo format : extensions.formats()) {
      items.add(
          new Item(
              format.name(),
              format.summary(),
              Message.format(
                  " (%s%s)",
                  format.endings().isEmpty() ? "" : format.endings() + "; ",
                  format.reads() && format.writes()
                      ? "read and written"
                      : format.reads() ? "read" : "written"),
              ImmutableMap.of(
                  "endings", format.endings(), "reads", format.reads(), "writes", format.writes()),
              ImmutableList.of(),
              ImmutableList.of(),
              Optional.empty()));
    }
    return items.build();
  }

  private static ImmutableList<Item> pipelines(Extensions extensions) {
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
      String summary = item.summary() + (only == null ? item.suffix() : "");
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
          String line = option.describe();
          Text.wrap(2, 6, line).forEach(it -> text.append(it).append('\n'));
        }
      }
      if (only != null) {
        item.table()
            .ifPresent(
                table -> {
                  text.append('\n');
                  table.appendTo(text, style);
                });
        item.details()
            .forEach(
                detail -> {
                  text.append('\n');
                  String oneLine = CharMatcher.whitespace().collapseFrom(detail, ' ');
                  Text.wrap(0, 0, oneLine).forEach(it -> text.append(it).append('\n'));
                });
      }
    }
    return text.toString();
  }

  private static void write(JsonGenerator generator, Object value) throws IOException {
    if (value instanceof List<?> list) {
      generator.writeStartArray();
      for (Object each : list) {
        write(generator, each);
      }
      generator.writeEndArray();
    } else if (value instanceof Map<?, ?> map) {
      generator.writeStartObject();
      for (Map.Entry<?, ?> entry : map.entrySet()) {
        generator.writeFieldName(String.valueOf(entry.getKey()));
        write(generator, entry.getValue());
      }
      generator.writeEndObject();
    } else if (value instanceof JsonNode json) {
      TREES.writeTree(generator, json);
    } else if (value instanceof Boolean bool) {
      generator.writeBoolean(bool);
    } else {
      generator.writeString(value.toString());
    }
  }

  private static void writeJson(Report report, ImmutableList<Item> items) throws IOException {
    try (JsonGenerator generator = JsonLines.generator(report.stream())) {
      generator.writeStartArray();
      for (Item item : items) {
        generator.writeStartObject();
        generator.writeStringField("name", item.name());
        generator.writeStringField("summary", item.summary());
        for (Map.Entry<String, Object> more : item.more().entrySet()) {
          generator.writeFieldName(more.getKey());
          write(generator, more.getValue());
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
