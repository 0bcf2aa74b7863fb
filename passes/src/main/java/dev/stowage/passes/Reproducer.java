package dev.stowage.passes;

import com.google.common.base.CharMatcher;
import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.stowage.base.Call;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.Kinds;
import dev.stowage.base.Location;
import dev.stowage.base.OptionSpec;
import dev.stowage.base.OptionType;
import dev.stowage.base.Options;
import dev.stowage.base.Value;
import dev.stowage.ir.Program;
import dev.stowage.ir.text.ProgramParser;
import dev.stowage.ir.text.ProgramPrinter;
import dev.stowage.memmap.Bank;
import dev.stowage.memmap.MemoryMap;
import dev.stowage.planning.Limits;
import dev.stowage.planning.PlanRequest;
import dev.stowage.planning.Planner;
import java.io.IOException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * Everything that is needed to run a failed pipeline again: the program as it was when the pipeline
 * began, the pipeline, and what was asked of planning. As text it is the program in its textual
 * form, the rest in comments above it:
 *
 * <pre>
 * # stowage-reproducer 1
 * # version: 0.1.0
 * # pipeline: pin-pool{mem-id=2},plan
 * # settings: settings{alignment=64}
 * # plugins: acme.jar
 * # failure: pass 'acme-pin' from acme.jar failed: ...
 *
 * program "kws"
 * ...
 * </pre>
 *
 * @param version of Stowage
 * @param plugins the jars that were given, as they were named
 * @param pipeline in canonical form
 * @param settings what was asked of planning, as a call
 * @param failure what happened, in one line
 * @param program the input of the pipeline
 */
public record Reproducer(
    String version,
    ImmutableList<String> plugins,
    String pipeline,
    Call settings,
    String failure,
    Program program) {
  private static final String MAGIC = "# stowage-reproducer 1";

  private static final OptionSpec<Boolean> CHECKED =
      OptionSpec.of("checked", "check what passes promise", OptionType.BOOLEAN, false);
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
  private static final ImmutableList<OptionSpec<?>> SETTINGS =
      ImmutableList.of(
          CHECKED, STRATEGY, FILE_STRATEGY, ALIGNMENT, FILE_ALIGNMENT, CAPACITY, BANKS);

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

  /** The reproducer of a pipeline that failed. */
  public static Reproducer of(
      String version,
      ImmutableList<String> plugins,
      Program program,
      Pipeline pipeline,
      PlanningSettings settings,
      boolean checked,
      String failure) {
    return new Reproducer(
        version,
        plugins,
        pipeline.toString(),
        call(settings, checked),
        CharMatcher.anyOf("\r\n").collapseFrom(failure, ' '),
        program);
  }

  /** Appends the text, which {@link #parse} reads back. */
  public void write(Appendable to) throws IOException {
    to.append(MAGIC).append("\n# version: ").append(version);
    to.append("\n# pipeline: ").append(pipeline);
    to.append("\n# settings: ").append(settings.toString());
    if (!plugins.isEmpty()) {
      to.append("\n# plugins: ").append(String.join(", ", plugins));
    }
    to.append("\n# failure: ").append(failure).append("\n\n");
    ProgramPrinter.print(program, to);
  }

  /**
   * Reads a reproducer.
   *
   * @param source what it is called in errors
   * @throws DiagnosticException of a kind {@code input-*}, pointing into the text
   */
  public static Reproducer parse(String source, String text) {
    if (!text.startsWith(MAGIC)) {
      throw Diagnostic.of(
              Kinds.INPUT_SYNTAX,
              Location.of(source),
              "this is no reproducer: its first line is not '" + MAGIC + "'")
          .help("a program alone is run by stowage plan")
          .asException();
    }
    Map<String, String> header = new HashMap<>();
    for (String line : Splitter.on('\n').split(text)) {
      if (!line.startsWith("#")) {
        break;
      }
      int colon = line.indexOf(": ");
      if (colon > 0) {
        header.putIfAbsent(line.substring(1, colon).strip(), line.substring(colon + 2).strip());
      }
    }
    return new Reproducer(
        header.getOrDefault("version", ""),
        ImmutableList.copyOf(
            Splitter.on(", ").omitEmptyStrings().split(header.getOrDefault("plugins", ""))),
        required(source, header, "pipeline"),
        Call.parse(source + " settings", header.getOrDefault("settings", "settings")),
        header.getOrDefault("failure", ""),
        ProgramParser.parse(source, text));
  }

  private static String required(String source, Map<String, String> header, String name) {
    String value = header.get(name);
    if (value == null) {
      throw Diagnostic.of(
              Kinds.INPUT_MEMBER,
              Location.of(source),
              "the reproducer has no line '# " + name + ": ...' in its head")
          .asException();
    }
    return value;
  }

  /** True if what passes promise was checked. */
  public boolean checked() {
    return options().get(CHECKED);
  }

  /**
   * What was asked of planning.
   *
   * @param planner knows the strategies
   * @throws DiagnosticException if the settings make no sense
   */
  public PlanningSettings settings(Planner planner) {
    Options options = options();
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
        options.get(BANKS).map(Reproducer::map),
        options.get(STRATEGY),
        alignment.isPresent()
            ? OptionalInt.of(Math.toIntExact(alignment.get()))
            : OptionalInt.empty(),
        capacity.isPresent() ? OptionalLong.of(capacity.get()) : OptionalLong.empty());
  }

  private Options options() {
    return Options.bind(settings, SETTINGS);
  }

  private static MemoryMap map(List<Call> banks) {
    ImmutableList.Builder<Bank> list = ImmutableList.builder();
    for (Call call : banks) {
      Options bank = Options.bind(call, BANK);
      list.add(
          Bank.builder(bank.get(NAME), bank.get(SIZE), bank.get(MEM_ID))
              .alignment(bank.get(BANK_ALIGNMENT))
              .build());
    }
    return MemoryMap.of(list.build());
  }

  private static Call call(PlanningSettings settings, boolean checked) {
    Map<String, Value> options = new LinkedHashMap<>();
    if (checked) {
      options.put(CHECKED.name(), word("true"));
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
                            .map(Reproducer::value)
                            .collect(ImmutableList.toImmutableList()))));
    return Call.of("settings", ImmutableMap.copyOf(options));
  }

  private static Value value(Bank bank) {
    return value(
        Call.of(
            "bank",
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
