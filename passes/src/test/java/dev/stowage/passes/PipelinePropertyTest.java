package dev.stowage.passes;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import dev.stowage.base.Call;
import dev.stowage.base.Device;
import dev.stowage.base.OptionSpec;
import dev.stowage.base.OptionType;
import dev.stowage.base.TextCursor;
import dev.stowage.base.Value;
import dev.stowage.ir.Graph;
import dev.stowage.ir.Method;
import dev.stowage.ir.Program;
import dev.stowage.passes.Pipeline.Element;
import dev.stowage.passes.Pipeline.Part;
import dev.stowage.passes.Pipeline.Step;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Random pipelines survive printing and parsing, and the canonical text is a fixed point. */
class PipelinePropertyTest {
  private static final int SEEDS = 5_000;

  private enum Order {
    BY_SIZE,
    FIRST,
  }

  private static final OptionSpec<Boolean> FLAG =
      OptionSpec.of("flag", "for tests", OptionType.BOOLEAN, true);
  private static final OptionSpec<String> WORD =
      OptionSpec.of("word", "for tests", OptionType.WORD, "none");
  private static final OptionSpec<Integer> NUMBER =
      OptionSpec.of("number", "for tests", OptionType.integer(-5, 5), 0);
  private static final OptionSpec<Optional<Long>> BYTES =
      OptionSpec.optional("max-bytes", "for tests", OptionType.bytes(0, Long.MAX_VALUE));
  private static final OptionSpec<Order> ORDER =
      OptionSpec.of("order", "for tests", OptionType.choice(Order.class), Order.BY_SIZE);
  private static final OptionSpec<Optional<Device>> DEVICE =
      OptionSpec.optional("device", "for tests", OptionType.DEVICE);
  private static final OptionSpec<Optional<Call>> CALL =
      OptionSpec.optional("strategy", "for tests", OptionType.CALL);
  private static final OptionSpec<ImmutableList<Call>> CALLS =
      OptionSpec.of(
          "of", "for tests", OptionType.list(OptionType.CALL), ImmutableList.of(Call.of("greedy")));
  private static final OptionSpec<Optional<ImmutableList<ImmutableList<String>>>> WORDS =
      OptionSpec.optional("words", "for tests", OptionType.list(OptionType.list(OptionType.WORD)));

  private static final OptionSpec<Integer> REQUIRED =
      OptionSpec.required("required", "for tests", OptionType.integer(0, 9));

  /** Words that need quotes, and words that look like something else. */
  private static final ImmutableList<String> TEXTS =
      ImmutableList.of(
          "x",
          "",
          "two words",
          "a\"b\\c",
          "line\nbreak",
          "# no comment",
          "a,b",
          "{x=1}",
          "[a]",
          "größe",
          "4KiB",
          "relu*",
          "a.b:c/d+e-f_g",
          "true",
          "(");

  private static final ImmutableList<String> BLANKS =
      ImmutableList.of("", "", "", " ", "\n", "\t ", " # a comment, with plan{x=\"1\n", "\r\n");

  private record OnPrograms(PassSpec spec) implements ProgramPass {
    @Override
    public Program run(Program program, PassContext context) {
      return program;
    }
  }

  private record OnMethods(PassSpec spec) implements MethodPass {
    @Override
    public Method run(Method method, PassContext context) {
      return method;
    }
  }

  private record OnGraphs(PassSpec spec) implements GraphPass {
    @Override
    public Method run(Method method, Graph graph, PassContext context) {
      return method;
    }
  }

  private static PassSpec spec(String name) {
    return PassSpec.named(name)
        .summary("for tests")
        .options(FLAG, WORD, NUMBER, BYTES, ORDER, DEVICE, CALL, CALLS, WORDS, REQUIRED)
        .build();
  }

  private static final PassManager MANAGER =
      new PassManager(
          ImmutableList.of(
              new OnPrograms(spec("on-program")),
              new OnMethods(spec("on-method")),
              new OnGraphs(spec("on-graph")),
              new OnGraphs(PassSpec.named("plain").summary("for tests").build())));

  @Test
  void parse_printedPipeline_isEqual() {
    ImmutableSet.Builder<String> texts = ImmutableSet.builder();
    for (int seed = 0; seed < SEEDS; seed++) {
      Pipeline pipeline = new Generator(seed).pipeline();
      String text = pipeline.toString();
      Pipeline parsed = Pipeline.parse("seed " + seed, text);
      assertThat(parsed).as("seed %s: %s", seed, text).isEqualTo(pipeline);
      assertThat(parsed).as("seed %s", seed).hasToString(text);
      texts.add(text);
    }
    // Few are the same, so that thousands are tested.
    assertThat(texts.build()).hasSizeGreaterThan(SEEDS * 4 / 5);
  }

  @Test
  void parse_textWithBlanksCommentsAndNeedlessQuotes_isEqual() {
    for (int seed = 0; seed < SEEDS; seed++) {
      Generator generator = new Generator(seed);
      Pipeline pipeline = generator.pipeline();
      String text = generator.scattered(pipeline.elements());
      assertThat(Pipeline.parse("seed " + seed, text))
          .as("seed %s: %s", seed, text)
          .isEqualTo(pipeline);
    }
  }

  @Test
  void pipeline_canonicalText_isAFixedPoint() {
    for (int seed = 0; seed < SEEDS; seed++) {
      String text = new Generator(seed).pipeline().toString();
      Pipeline canonical = MANAGER.pipeline("seed " + seed, text);
      Pipeline again = MANAGER.pipeline("seed " + seed, canonical.toString());
      assertThat(again).as("seed %s: %s", seed, text).isEqualTo(canonical);
      assertThat(again).as("seed %s: %s", seed, text).hasToString(canonical.toString());
      assertThat(canonical.passes()).as("seed %s", seed).hasSameSizeAs(again.passes());
    }
  }

  @Test
  void pipeline_optionsInAnyOrder_haveOneCanonicalText() {
    for (int seed = 0; seed < SEEDS; seed++) {
      Generator generator = new Generator(seed);
      Call call = generator.call("on-graph");
      List<Map.Entry<String, Value>> options = new ArrayList<>(call.options().entrySet());
      Collections.shuffle(options, generator.random);
      Call shuffled = Call.of(call.name());
      for (Map.Entry<String, Value> option : options) {
        shuffled = shuffled.with(option.getKey(), option.getValue());
      }
      assertThat(MANAGER.pipeline("t", shuffled.toString()))
          .as("seed %s", seed)
          .hasToString(MANAGER.pipeline("t", call.toString()).toString());
    }
  }

  private static final class Generator {
    private final Random random;

    Generator(int seed) {
      random = new Random(seed);
    }

    Pipeline pipeline() {
      return new Pipeline(elements(null));
    }

    private ImmutableList<Element> elements(@Nullable Level within) {
      ImmutableList.Builder<Element> elements = ImmutableList.builder();
      for (int i = random.nextInt(3); i >= 0; i--) {
        Level part = pick(ImmutableList.copyOf(Level.values()));
        boolean smaller = within == null || part.compareTo(within) > 0;
        elements.add(
            smaller && random.nextInt(3) == 0
                ? new Part(part, elements(part))
                : new Step(step(within == null ? Level.PROGRAM : within)));
      }
      return elements.build();
    }

    private Call step(Level within) {
      List<String> fitting = new ArrayList<>(List.of("plain"));
      for (Level level : Level.values()) {
        if (level.fitsInto(within)) {
          fitting.add("on-" + level.word());
        }
      }
      return call(pick(fitting));
    }

    Call call(String name) {
      if (name.equals("plain")) {
        return Call.of(name);
      }
      Map<String, Value> options = new LinkedHashMap<>();
      options.put("required", word(String.valueOf(random.nextInt(10))));
      maybe(options, "flag", word(String.valueOf(random.nextBoolean())));
      maybe(options, "word", word(pick(TEXTS)));
      maybe(options, "number", word(String.valueOf(random.nextInt(11) - 5)));
      maybe(options, "max-bytes", word(bytes()));
      maybe(options, "order", word(pick(ImmutableList.of("by-size", "first"))));
      maybe(options, "device", word(pick(ImmutableList.of("cpu", "cuda:0", "cuda:3"))));
      maybe(options, "strategy", nested(0));
      maybe(options, "of", items(nested(0)));
      maybe(options, "words", items(items(word(pick(TEXTS)), word(pick(TEXTS)))));
      return Call.of(name, ImmutableMap.copyOf(options));
    }

    private void maybe(Map<String, Value> options, String name, Value value) {
      if (random.nextInt(4) == 0) {
        options.put(name, value);
      }
    }

    private String bytes() {
      return random.nextInt(5_000) + pick(ImmutableList.of("", "B", "KiB", "MiB", "kB", "GB"));
    }

    /** A word, or a call with options of any form. */
    private Value nested(int depth) {
      if (depth > 2 || random.nextInt(3) == 0) {
        return word(pick(ImmutableList.of("greedy", "naive", "a.b")));
      }
      Map<String, Value> options = new LinkedHashMap<>();
      options.put("x", word(pick(TEXTS)));
      maybe(options, "of", items(nested(depth + 1), nested(depth + 1)));
      maybe(options, "nothing", items());
      return new Value.Nested(Call.of("suite", ImmutableMap.copyOf(options)));
    }

    private static Value word(String text) {
      return new Value.Word(text);
    }

    private static Value items(Value... values) {
      return new Value.Items(ImmutableList.copyOf(values));
    }

    // ---- Text that is not canonical

    String scattered(ImmutableList<Element> elements) {
      StringBuilder text = new StringBuilder(blank());
      String separator = "";
      for (Element element : elements) {
        text.append(separator).append(blank());
        if (element instanceof Part part) {
          text.append(part.level().word()).append(blank()).append('(');
          text.append(scattered(part.elements())).append(')');
        } else {
          text.append(scattered(((Step) element).call()));
        }
        text.append(blank());
        separator = ",";
      }
      return text.toString();
    }

    private String scattered(Call call) {
      StringBuilder text = new StringBuilder(call.name());
      if (call.options().isEmpty()) {
        return text.append(random.nextInt(4) == 0 ? blank() + "{" + blank() + "}" : "").toString();
      }
      text.append(blank()).append('{');
      String separator = "";
      for (Map.Entry<String, Value> option : call.options().entrySet()) {
        text.append(separator).append(blank()).append(option.getKey()).append(blank()).append('=');
        text.append(blank()).append(scattered(option.getValue())).append(blank());
        separator = ",";
      }
      return text.append('}').toString();
    }

    private String scattered(Value value) {
      if (value instanceof Value.Nested nested) {
        return scattered(nested.call());
      }
      if (value instanceof Value.Items items) {
        StringBuilder text = new StringBuilder("[");
        String separator = "";
        for (Value item : items.items()) {
          text.append(separator).append(blank()).append(scattered(item)).append(blank());
          separator = ",";
        }
        return text.append(blank()).append(']').toString();
      }
      String word = ((Value.Word) value).text();
      return random.nextBoolean() ? TextCursor.quote(word) : value.toString();
    }

    private String blank() {
      return pick(BLANKS);
    }

    private <T> T pick(List<T> from) {
      return from.get(random.nextInt(from.size()));
    }
  }
}
