package dev.stowage.passes.memory;

import com.google.common.collect.ImmutableList;
import dev.stowage.base.Call;
import dev.stowage.base.Device;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.Kinds;
import dev.stowage.base.Message;
import dev.stowage.base.OptionSpec;
import dev.stowage.base.OptionType;
import dev.stowage.base.Options;
import dev.stowage.base.Suggestions;
import dev.stowage.base.io.Source;
import dev.stowage.ir.DType;
import dev.stowage.ir.GraphEditor;
import dev.stowage.ir.Method;
import dev.stowage.passes.CheckContext;
import dev.stowage.passes.Fact;
import dev.stowage.passes.MethodPass;
import dev.stowage.passes.PassContext;
import dev.stowage.passes.PassSpec;
import dev.stowage.passes.Statistic;
import dev.stowage.passes.lowering.Profiles;
import dev.stowage.planning.Limits;
import java.util.Arrays;
import java.util.Optional;

/**
 * Pins tensors to pools by rules: one in the options, or many in a file.
 *
 * <p>A rule matches storages, so a pin holds for all handles to the bytes. In-place results are
 * matched as well, under their own names: ExecuTorch plans a spec of their own where they are
 * returned, and only its rules heed that pin ({@link dev.stowage.ir.memory.MemoryKeys#RESULT_PIN}).
 *
 * <p>A tensor that no node yields (state, scratch) has its own name, and the operator of the node
 * that yields it filled, if there is one.
 *
 * <p>Rules must not contradict each other, nor a pin that is there already, whether an earlier run
 * of this pass or the model has set it: which one wins would depend on the order in which rules are
 * written.
 */
public final class PinPoolPass implements MethodPass {
  private static final OptionSpec<Optional<String>> BANK =
      OptionSpec.optional("bank", "the pool, by the name of a bank", OptionType.WORD);
  private static final OptionSpec<Optional<Integer>> MEM_ID =
      OptionSpec.optional(
          "mem-id",
          "the pool, by the number of an arena",
          OptionType.integer(1, Limits.MAX_MEM_ID));
  private static final OptionSpec<Optional<Glob>> OP =
      OptionSpec.optional(
          "op", "tensors that a matching operator yields or, once allocated, fills", Glob.TYPE);
  private static final OptionSpec<Optional<Glob>> NAME =
      OptionSpec.optional("name", "tensors of matching names", Glob.TYPE);
  private static final OptionSpec<Optional<Long>> MIN_BYTES =
      OptionSpec.optional(
          "min-bytes", "tensors of this size or more", OptionType.bytes(0, Long.MAX_VALUE));
  private static final OptionSpec<Optional<Long>> MAX_BYTES =
      OptionSpec.optional(
          "max-bytes", "tensors of this size or less", OptionType.bytes(0, Long.MAX_VALUE));
  private static final OptionSpec<Optional<PoolRole>> ROLE =
      OptionSpec.optional(
          "role", "tensors that are this to their method", OptionType.choice(PoolRole.class));
  private static final OptionSpec<Optional<DType>> DTYPE =
      OptionSpec.optional(
          "dtype",
          "tensors of this element type, such as f32",
          OptionType.of("DTYPE", PinPoolPass::dtype, DType::toString));
  private static final OptionSpec<Optional<Device>> DEVICE =
      OptionSpec.optional("device", "tensors on this device", OptionType.DEVICE);
  private static final OptionSpec<Optional<String>> RULES =
      OptionSpec.optional(
          "rules", "a file of rules, in place of one in the other options", OptionType.WORD);

  private static final Statistic PINNED = new Statistic("pinned", "tensors pinned");

  private static final PassSpec SPEC =
      PassSpec.named("pin-pool")
          .summary("pins tensors to pools, by a rule or a file of rules")
          .description(
              """
              The options are one rule: the pool, by bank or by mem-id, and what a tensor must be to
              go there. All that is said must hold; where nothing is said it is every tensor. With
              rules=FILE a JSON file has many: {"rules": [{"mem_id": 2, "op": "conv*"}]}, with the
              members bank or mem_id, op, name, min_bytes, max_bytes, role, dtype and device.

              A tensor's name is that of the first node that yields its bytes, its operator the one
              of that node or, if that only allocates, of the node that fills the bytes. In patterns
              * stands for any run of characters. Constants are not pinned, nor is what the caller or
              the runtime provides.

              A rule that matches nothing is a warning. Two rules that send one tensor to different
              pools are an error, and so is a rule against a pin that the tensor has already.
              """)
          .options(BANK, MEM_ID, OP, NAME, MIN_BYTES, MAX_BYTES, ROLE, DTYPE, DEVICE, RULES)
          .check(PinPoolPass::check)
          .statistics(PINNED)
          .after("assign-devices", "pins go by device")
          .before(Profiles.PLAN, "a plan that is made does not heed new pins")
          .destroys(Fact.PLAN)
          .idempotent()
          .build();

  @Override
  public PassSpec spec() {
    return SPEC;
  }

  private static DType dtype(String text) {
    return DType.ofName(text)
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "there is no element type '"
                        + text
                        + "'; "
                        + Suggestions.help(
                            text, Arrays.stream(DType.values()).map(DType::toString).toList())));
  }

  private static void check(Options options, CheckContext context) {
    Call call = options.call();
    Optional<String> file = options.get(RULES);
    if (file.isPresent()) {
      for (String other : call.options().keySet()) {
        if (!other.equals(RULES.name())) {
          throw call.diagnoseOption(
                  other, Kinds.OPTION_VALUE, "rules=FILE stands alone, without " + other)
              .help("write the rule into the file, or give pin-pool a second time")
              .asException();
        }
      }
      if (file.get().isEmpty()) {
        throw call.diagnoseValue(RULES.name(), Kinds.OPTION_VALUE, "rules needs the name of a file")
            .asException();
      }
      if (file.get().equals(Source.STANDARD_INPUT)) {
        throw call.diagnoseValue(
                RULES.name(), Kinds.OPTION_VALUE, "rules are read from a file, not from '-'")
            .asException();
      }
      // A fault in the file is found before anything runs.
      PoolRuleReader.read(file.get(), context.readFile(call, RULES, file.get()));
      return;
    }
    if (options.get(BANK).isPresent() == options.get(MEM_ID).isPresent()) {
      boolean both = options.get(BANK).isPresent();
      throw (both
              ? call.diagnoseOption(
                  MEM_ID.name(), Kinds.OPTION_VALUE, "a pool is named by bank or mem-id, not both")
              : call.diagnose(Kinds.OPTION_VALUE, call.name() + " does not say which pool"))
          .help("give bank=NAME, mem-id=N or rules=FILE")
          .asException();
    }
    Optional<Long> least = options.get(MIN_BYTES);
    Optional<Long> most = options.get(MAX_BYTES);
    if (least.isPresent() && most.isPresent() && least.get() > most.get()) {
      throw call.diagnoseValue(
              MIN_BYTES.name(),
              Kinds.OPTION_VALUE,
              Message.format(
                  "min-bytes %,d is above max-bytes %,d, so nothing can match",
                  least.get(), most.get()))
          .asException();
    }
  }

  /** The rules that a call of this pass means. */
  private static ImmutableList<PoolRule> rules(Options options, PassContext context) {
    Optional<String> file = options.get(RULES);
    if (file.isPresent()) {
      String text = context.readFile(options.call(), RULES, file.get());
      return PoolRuleReader.read(file.get(), text);
    }
    return ImmutableList.of(
        new PoolRule(
            new PoolRule.InPipeline(options.call()),
            options
                .get(MEM_ID)
                .<PoolRule.Pool>map(PoolRule.MemId::new)
                .orElseGet(() -> new PoolRule.BankName(options.get(BANK).orElse(""))),
            options.get(OP),
            options.get(NAME),
            options.get(MIN_BYTES),
            options.get(MAX_BYTES),
            options.get(ROLE),
            options.get(DTYPE),
            options.get(DEVICE)));
  }

  @Override
  public Method run(Method method, PassContext context) {
    ImmutableList<PoolRule> all = rules(context.options(), context);
    int[] memIds = all.stream().mapToInt(rule -> rule.memId(context.settings().map())).toArray();
    boolean[] met = new boolean[memIds.length];
    PoolRules rules = new PoolRules(all);
    GraphEditor editor = method.edit();
    for (PoolCandidate candidate : PoolCandidate.of(method)) {
      ImmutableList<Integer> matching = rules.matching(candidate);
      if (matching.isEmpty()) {
        continue;
      }
      int first = matching.get(0);
      for (int index : matching) {
        met[index] = true;
        if (memIds[index] != memIds[first]) {
          throw conflict(
                  method,
                  candidate,
                  all.get(index),
                  memIds[index],
                  all.get(first).place().title() + " to mem_id " + memIds[first])
              .help("let only one of the two match it")
              .asException();
        }
      }
      Optional<Integer> pin = method.get(candidate.key(), candidate.tensor());
      if (pin.isEmpty()) {
        editor.annotate(candidate.tensor(), candidate.key(), memIds[first]);
        context.count(PINNED, 1);
      } else if (pin.get() != memIds[first]) {
        throw conflict(
                method,
                candidate,
                all.get(first),
                memIds[first],
                origin(candidate, pin.get(), context) + " to mem_id " + pin.get())
            .help("let the rule not match it, or take out the other pin")
            .asException();
      }
    }
    for (int index = 0; index < met.length; index++) {
      PoolRule.Place place = all.get(index).place();
      context.expect(
          met[index],
          place.diagnose(Kinds.NO_MATCH, place.title() + " matches no tensor of the program"));
    }
    return editor.build();
  }

  private static Diagnostic conflict(
      Method method, PoolCandidate candidate, PoolRule rule, int memId, String other) {
    return rule.place()
        .diagnose(
            Kinds.PIN_CONFLICT,
            Message.format(
                "%s sends tensor %s of method %s to mem_id %d, but %s",
                rule.place().title(),
                method.tensor(candidate.tensor()).describe(),
                method.name(),
                memId,
                other));
  }

  /** Who has set a pin: an earlier rule of this pipeline that would, or the model. */
  private static String origin(PoolCandidate candidate, int memId, PassContext context) {
    for (Options earlier : context.earlierRuns()) {
      for (PoolRule rule : rules(earlier, context)) {
        if (rule.matches(candidate) && rule.memId(context.settings().map()) == memId) {
          return rule.place().title();
        }
      }
    }
    return "the model, or another pass, has pinned it";
  }
}
