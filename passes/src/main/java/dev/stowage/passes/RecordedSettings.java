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
import dev.stowage.memmap.Bank;
import dev.stowage.memmap.MemoryMap;
import dev.stowage.planning.Limits;
import dev.stowage.planning.PlanRequest;
import dev.stowage.planning.Planner;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * The settings of a reproducer, as one call: {@code
 * settings{alignment=64,banks=[bank{name=sram,mem-id=1,size=64KiB,alignment=16}]}}.
 */
final class RecordedSettings {
  private static final String SETTINGS = "settings";
  private static final String A_BANK = "bank";

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
  private static final OptionSpec<Optional<ImmutableList<Call>>> BANKS =
      OptionSpec.optional("banks", "the memory map", OptionType.list(OptionType.CALL));
  private static final ImmutableList<OptionSpec<?>> ALL =
      ImmutableList.of(
          CHECKED, DEADLINE, STRATEGY, FILE_STRATEGY, ALIGNMENT, FILE_ALIGNMENT, CAPACITY, BANKS);

  private static final OptionSpec<String> NAME =
      OptionSpec.required("name", "of the bank", OptionType.WORD);
  private static final OptionSpec<Integer> MEM_ID =
      OptionSpec.required("mem-id", "of the bank", OptionType.integer(1, Limits.MAX_MEM_ID));
  private static final OptionSpec<Long> SIZE =
      OptionSpec.required("size", "of the bank", OptionType.bytes(1, Long.MAX_VALUE));
  private static final OptionSpec<Integer> BANK_ALIGNMENT =
      OptionSpec.of("alignment", "of the bank", OptionType.integer(0, Limits.MAX_ALIGNMENT), 0);
  private static final ImmutableList<OptionSpec<?>> BANK =
      ImmutableList.of(NAME, MEM_ID, SIZE, BANK_ALIGNMENT);

  private final Options options;
  private final Optional<MemoryMap> map;

  /**
   * Reads settings.
   *
   * @throws DiagnosticException if they make no sense, pointing into the call
   */
  RecordedSettings(Call call) {
    requireName(call, SETTINGS);
    options = Options.bind(call, ALL);
    map = options.get(BANKS).map(banks -> map(call, banks));
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

  private static MemoryMap map(Call settings, List<Call> banks) {
    ImmutableList.Builder<Bank> list = ImmutableList.builder();
    for (Call call : banks) {
      requireName(call, A_BANK);
      Options bank = Options.bind(call, BANK);
      list.add(
          new Bank(bank.get(NAME), bank.get(SIZE), bank.get(MEM_ID), bank.get(BANK_ALIGNMENT)));
    }
    try {
      return MemoryMap.of(list.build());
    } catch (DiagnosticException e) {
      throw settings
          .diagnoseValue(
              BANKS.name(),
              e.diagnostic().kind(),
              e.diagnostic().location() + ": " + e.diagnostic().message())
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
        map,
        options.get(STRATEGY),
        alignment.isPresent()
            ? OptionalInt.of(Math.toIntExact(alignment.get()))
            : OptionalInt.empty(),
        capacity.isPresent() ? OptionalLong.of(capacity.get()) : OptionalLong.empty());
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
                    BANKS.name(),
                    new Value.Items(
                        map.banks().stream()
                            .map(RecordedSettings::value)
                            .collect(ImmutableList.toImmutableList()))));
    return Call.of(SETTINGS, ImmutableMap.copyOf(options));
  }

  private static Value value(Bank bank) {
    return value(
        Call.of(
            A_BANK,
            ImmutableMap.of(
                NAME.name(), word(bank.name()),
                MEM_ID.name(), word(bank.memId()),
                SIZE.name(), word(bank.sizeBytes()),
                BANK_ALIGNMENT.name(), word(bank.alignment()))));
  }

  private static Value value(Call call) {
    return call.options().isEmpty() ? word(call.name()) : new Value.Nested(call);
  }

  private static Value word(Object value) {
    return new Value.Word(value.toString());
  }
}
