package dev.stowage.passes;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.stowage.base.Call;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.Kinds;
import dev.stowage.base.OptionSpec;
import dev.stowage.base.OptionType;
import dev.stowage.base.Options;
import dev.stowage.base.Value;
import dev.stowage.base.io.Source;
import dev.stowage.memmap.Target;
import dev.stowage.memmap.TargetReader;
import dev.stowage.memmap.TargetWriter;
import dev.stowage.planning.Limits;
import dev.stowage.planning.PlanRequest;
import dev.stowage.planning.Planner;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** The settings of a reproducer, as one call: {@code settings{alignment=64,strategy=first-fit}}. */
final class RecordedSettings {
  private static final String SETTINGS = "settings";
  private static final String RECORDED = "recorded";

  private static final OptionSpec<Boolean> CHECKED =
      OptionSpec.of("checked", "check what passes promise", OptionType.BOOLEAN, false);
  private static final OptionSpec<Optional<Duration>> DEADLINE =
      OptionSpec.optional(
          "deadline",
          "how long the pipeline may take, by ISO 8601",
          OptionType.of("DURATION", RecordedSettings::duration, Duration::toString));
  private static final OptionSpec<Optional<Call>> STRATEGY =
      OptionSpec.optional("strategy", "the strategy that the caller asked for", OptionType.CALL);
  private static final OptionSpec<Optional<Call>> FILE_STRATEGY =
      OptionSpec.optional("file-strategy", "the strategy that the file asks for", OptionType.CALL);
  private static final OptionType<Long> ALIGNMENTS = OptionType.bytes(1, Limits.MAX_ALIGNMENT);
  private static final OptionSpec<Optional<Long>> ALIGNMENT =
      OptionSpec.optional("alignment", "the alignment that the caller asked for", ALIGNMENTS);
  private static final OptionSpec<Optional<Long>> FILE_ALIGNMENT =
      OptionSpec.optional("file-alignment", "the alignment that the file asks for", ALIGNMENTS);
  private static final OptionSpec<Optional<Long>> CAPACITY =
      OptionSpec.optional("capacity", "of the single arena", OptionType.bytes(0, Long.MAX_VALUE));
  private static final OptionSpec<Optional<String>> TARGET =
      OptionSpec.optional(
          "target", "the banks and the rules of operators, as JSON", OptionType.WORD);
  private static final ImmutableList<OptionSpec<?>> ALL =
      ImmutableList.of(
          CHECKED, DEADLINE, STRATEGY, FILE_STRATEGY, ALIGNMENT, FILE_ALIGNMENT, CAPACITY, TARGET);

  private final Options options;
  private final Optional<Target> target;

  /**
   * Reads settings.
   *
   * @throws DiagnosticException if they make no sense, pointing into the call
   */
  RecordedSettings(Call call) {
    requireName(call, SETTINGS);
    options = Options.bind(call, ALL);
    target = options.get(TARGET).map(json -> target(call, json));
  }

  /**
   * Checks that a call can be read as settings.
   *
   * @throws DiagnosticException if they make no sense, pointing into the call
   */
  static void check(Call call) {
    // All checks are those of reading.
    var unused = new RecordedSettings(call);
  }

  private static void requireName(Call call, String name) {
    if (!call.name().equals(name)) {
      throw call.diagnose(Kinds.SYNTAX, "expected " + name + "{...} but found " + call.name())
          .asException();
    }
  }

  private static Duration duration(String text) {
    try {
      return Duration.parse(text);
    } catch (DateTimeParseException e) {
      throw new IllegalArgumentException("'" + text + "' is no duration, such as PT2.5S", e);
    }
  }

  private static Target target(Call settings, String json) {
    try (Source source = Source.of(SETTINGS, json.getBytes(StandardCharsets.UTF_8))) {
      return TargetReader.read(
          source,
          name -> {
            throw settings
                .diagnoseValue(TARGET.name(), Kinds.MAP_EXTENDS, "a recorded target extends none")
                .asException();
          });
    } catch (DiagnosticException e) {
      throw settings
          .diagnoseValue(
              TARGET.name(),
              e.diagnostic().kind(),
              e.diagnostic().location().place() + ": " + e.diagnostic().message())
          .asException();
    }
  }

  /** True if what passes promise was checked. */
  boolean checked() {
    return options.get(CHECKED);
  }

  /** How long the pipeline might take, if that was limited. */
  Optional<Duration> deadline() {
    return options.get(DEADLINE);
  }

  /** What was asked of planning. */
  PlanningSettings planning(Planner planner) {
    PlanRequest request = PlanRequest.DEFAULT;
    if (options.get(FILE_STRATEGY).isPresent()) {
      request = request.withStrategy(options.get(FILE_STRATEGY).get());
    }
    if (options.get(FILE_ALIGNMENT).isPresent()) {
      request = request.withAlignment(Math.toIntExact(options.get(FILE_ALIGNMENT).get()));
    }
    Optional<Long> alignment = options.get(ALIGNMENT);
    Optional<Long> capacity = options.get(CAPACITY);
    return new PlanningSettings(
        planner,
        request,
        target.map(Target::map),
        options.get(STRATEGY),
        alignment.isPresent()
            ? OptionalInt.of(Math.toIntExact(alignment.get()))
            : OptionalInt.empty(),
        capacity.isPresent() ? OptionalLong.of(capacity.get()) : OptionalLong.empty(),
        target.map(Target::operatorRules).orElse(ImmutableList.of()));
  }

  /** The call that is read back as these settings. */
  static Call call(PlanningSettings settings, RunOptions run) {
    Map<String, Value> options = new LinkedHashMap<>();
    if (run.checked()) {
      options.put(CHECKED.name(), word("true"));
    }
    if (run.deadline().isLimited()) {
      options.put(DEADLINE.name(), word(run.deadline().length()));
    }
    settings.strategy().ifPresent(it -> options.put(STRATEGY.name(), value(it)));
    settings.request().strategy().ifPresent(it -> options.put(FILE_STRATEGY.name(), value(it)));
    settings.alignment().ifPresent(it -> options.put(ALIGNMENT.name(), word(it)));
    settings.request().alignment().ifPresent(it -> options.put(FILE_ALIGNMENT.name(), word(it)));
    settings.capacity().ifPresent(it -> options.put(CAPACITY.name(), word(it)));
    settings
        .map()
        .ifPresent(
            map ->
                options.put(
                    TARGET.name(),
                    word(
                        TargetWriter.toJson(
                            Target.builder(RECORDED, RECORDED, map)
                                .operatorRules(settings.operatorRules())
                                .build()))));
    return Call.of(SETTINGS, ImmutableMap.copyOf(options));
  }

  private static Value value(Call call) {
    return call.options().isEmpty() ? word(call.name()) : new Value.Nested(call);
  }

  private static Value word(Object value) {
    return new Value.Word(value.toString());
  }
}
