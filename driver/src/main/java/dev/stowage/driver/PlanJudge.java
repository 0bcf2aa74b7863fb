package dev.stowage.driver;

import com.google.common.collect.AbstractIterator;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.Iterators;
import com.google.common.math.LongMath;
import dev.stowage.base.Call;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.Kinds;
import dev.stowage.base.Location;
import dev.stowage.base.Suggestions;
import dev.stowage.base.io.Entry;
import dev.stowage.base.io.Source;
import dev.stowage.formats.FileFormat;
import dev.stowage.formats.ImportedModel;
import dev.stowage.formats.plan.PlanDocument;
import dev.stowage.formats.plan.PlanError;
import dev.stowage.formats.plan.PlanReader;
import dev.stowage.formats.plan.ProgramPlan;
import dev.stowage.formats.plan.ProgramPlan.MethodEntry;
import dev.stowage.formats.plan.ProgramPlanReader;
import dev.stowage.formats.problem.MiniMallocReader;
import dev.stowage.formats.problem.ProblemOptions;
import dev.stowage.ir.GraphEditor;
import dev.stowage.ir.Method;
import dev.stowage.ir.Program;
import dev.stowage.ir.Tensor;
import dev.stowage.ir.memory.MemoryKeys;
import dev.stowage.ir.memory.Shares;
import dev.stowage.memmap.MemoryMap;
import dev.stowage.memmap.OperatorRule;
import dev.stowage.memmap.Target;
import dev.stowage.passes.CarriedPlan;
import dev.stowage.passes.Verification;
import dev.stowage.passes.analysis.Analyses;
import dev.stowage.passes.lowering.LoweredProblem;
import dev.stowage.passes.lowering.LoweringTarget;
import dev.stowage.passes.lowering.Profile;
import dev.stowage.passes.lowering.Profiles;
import dev.stowage.passes.memory.AnnotateSharedAllocPass;
import dev.stowage.passes.memory.OperatorConstraints;
import dev.stowage.planning.PlanRequest;
import dev.stowage.planning.PlanningProblem;
import dev.stowage.verifier.ClaimedPlan;
import dev.stowage.verifier.ProblemVerifier;
import dev.stowage.verifier.RatedFinding;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Judges plans that files claim, against the problems and models that they are plans of. */
final class PlanJudge {
  private final OptionalLong capacity;
  private final Optional<MemoryMap> map;
  private final ImmutableList<OperatorRule> rules;
  private final Replaying replaying;

  /**
   * A judge.
   *
   * @param capacity of the single arena in bytes, where there are no banks
   * @param target what models were planned for, whatever their file says: plans have to keep to its
   *     banks and to its operator rules
   * @param replaying whether plans of models are replayed
   */
  PlanJudge(OptionalLong capacity, Optional<Target> target, Replaying replaying) {
    this.replaying = replaying;
    this.capacity = capacity;
    this.map = target.map(Target::map);
    this.rules = target.map(Target::operatorRules).orElse(ImmutableList.of());
  }

  /** The method with what the target's rules ask of its tensors. */
  private Method constrained(Method method) {
    return OperatorConstraints.applied(method, map, rules);
  }

  /** The verdicts on the plans of a file, in its order, and on inputs that have none. */
  Iterator<Verdict> judge(Iterator<Entry<Input>> inputs, Source plans) {
    String source = plans.name();
    PlanMatching matching = new PlanMatching(inputs, source);
    FileFormat format = FileFormat.detect(plans);
    if (format == FileFormat.MINIMALLOC_CSV) {
      return Iterators.singletonIterator(judgeSolution(inputs.next().orThrow(), plans));
    }
    Iterator<Verdict> verdicts =
        switch (format) {
          case PLAN ->
              verdicts(
                  PlanReader.read(plans),
                  matching::stray,
                  plan -> orFailed(plan.name(), 0, () -> judge(plan, matching, source)));
          case PROGRAM_PLAN ->
              verdicts(
                  ProgramPlanReader.read(plans),
                  matching::stray,
                  plan -> orFailed(plan.name(), plan.plan(), () -> judge(plan, matching, source)));
          default ->
              throw Diagnostic.of(
                      Kinds.INPUT_MEMBER,
                      Location.of(source),
                      "expected a plan but found a " + format + " file")
                  .help("stowage verify takes the model first, then a plan that it has written")
                  .asException();
        };
    return Iterators.concat(verdicts, new LeftOver(matching, source));
  }

  /** The verdict on a solution of MiniMalloc: its problem with an offset for each buffer. */
  private static Verdict judgeSolution(Input input, Source plans) {
    PlanningProblem solution = MiniMallocReader.read(plans, ProblemOptions.NONE).problem();
    if (!(input instanceof Input.Problem of) || !sameSizes(of.document().problem(), solution)) {
      throw Diagnostic.of(
              Kinds.INPUT_REFERENCE,
              Location.of(plans.name()),
              "this is no solution of '" + input.name() + "': their buffers are not the same")
          .asException();
    }
    PlanningProblem problem = of.document().problem();
    ImmutableList.Builder<ClaimedPlan.Place> places = ImmutableList.builder();
    long end = 0;
    for (int buffer = 0; buffer < problem.bufferCount(); buffer++) {
      long offset = solution.fixedOffset(buffer);
      if (offset >= 0) {
        places.add(new ClaimedPlan.Place(buffer, 1, -1, offset));
        end = Math.max(end, Math.addExact(offset, problem.allocatedBytes(buffer)));
      }
    }
    return verdict(input.name(), problem, ClaimedPlan.of(places.build(), 0, end));
  }

  private static boolean sameSizes(PlanningProblem one, PlanningProblem other) {
    return one.bufferCount() == other.bufferCount()
        && IntStream.range(0, one.bufferCount())
            .allMatch(buffer -> one.sizeBytes(buffer) == other.sizeBytes(buffer));
  }

  private static Verdict verdict(String name, PlanningProblem problem, ClaimedPlan claim) {
    return new Verdict(
        name,
        0,
        "",
        claim.places().size(),
        Stowage.rate(ProblemVerifier.verify(problem, claim)),
        Verdict.Replay.NONE,
        Optional.empty());
  }

  /** A verdict on the first input without a plan, once the plans are at their end. */
  private static final class LeftOver extends AbstractIterator<Verdict> {
    private final PlanMatching matching;
    private final String source;
    private boolean done;

    LeftOver(PlanMatching matching, String source) {
      this.matching = matching;
      this.source = source;
    }

    @Override
    protected @Nullable Verdict computeNext() {
      Optional<String> name = done ? Optional.empty() : matching.leftOver();
      done = true;
      return name.isEmpty()
          ? endOfData()
          : failed(
              name.get(),
              0,
              Diagnostic.of(
                  Kinds.INPUT_REFERENCE,
                  Location.of(source),
                  "the plans end here, but '" + name.get() + "' and what follows it have none"));
    }
  }

  /** The verdicts on the plans that inputs carry themselves. */
  Iterator<Verdict> judge(Iterator<Entry<Input>> inputs, String source) {
    return verdicts(
        inputs, () -> {}, input -> orFailed(input.name(), 0, () -> judgeCarried(input, source)));
  }

  private static <T> Iterator<Verdict> verdicts(
      Iterator<Entry<T>> entries, Runnable onBad, Function<T, Verdict> judge) {
    return Iterators.transform(
        entries,
        entry -> {
          if (entry instanceof Entry.Bad<T> bad) {
            onBad.run();
            return failed(bad.name(), 0, bad.error());
          }
          return judge.apply(entry.orThrow());
        });
  }

  private static Verdict orFailed(String name, int number, Supplier<Verdict> judge) {
    try {
      return judge.get();
    } catch (DiagnosticException e) {
      return failed(name, number, e.diagnostic());
    }
  }

  private static Verdict judge(PlanDocument plan, PlanMatching matching, String source) {
    if (plan.error().isPresent()) {
      matching.pass(plan.name(), 0);
      return failed(plan.name(), 0, noPlan(plan.error().get(), source));
    }
    Input input = matching.find(plan.name(), 0);
    if (!(input instanceof Input.Problem problem)) {
      throw Diagnostic.of(
              Kinds.INPUT_REFERENCE,
              Location.of(source),
              "this is the plan of a problem, but '" + input.name() + "' is a model")
          .asException();
    }
    PlanningProblem of = problem.document().problem();
    return verdict(plan.name(), of, byIndex(of, plan.plan(), source));
  }

  /** Claims about buffers by number as claims about buffers by index. */
  private static ClaimedPlan byIndex(PlanningProblem problem, ClaimedPlan claim, String source) {
    if (!problem.hasNumbers()) {
      return claim;
    }
    Map<Integer, Integer> indices = new HashMap<>();
    for (int buffer = 0; buffer < problem.bufferCount(); buffer++) {
      indices.put(problem.bufferNumber(buffer), buffer);
    }
    ImmutableList.Builder<ClaimedPlan.Place> places = ImmutableList.builder();
    for (ClaimedPlan.Place place : claim.places()) {
      Integer index = indices.get(place.subject());
      if (index == null) {
        throw Diagnostic.of(
                Kinds.INPUT_REFERENCE,
                Location.of(source),
                "the plan places buffer " + place.subject() + ", which is none that is planned")
            .asException();
      }
      places.add(
          new ClaimedPlan.Place(index, place.memId(), place.memObjId(), place.offsetBytes()));
    }
    return ClaimedPlan.of(places.build(), claim.arenaSizes());
  }

  private Verdict judge(ProgramPlan plan, PlanMatching matching, String source) {
    if (plan.error().isPresent()) {
      matching.pass(plan.name(), plan.plan());
      return failed(plan.name(), plan.plan(), noPlan(plan.error().get(), source));
    }
    Input input = matching.find(plan.name(), plan.plan());
    if (!(input instanceof Input.Model model)) {
      throw Diagnostic.of(
              Kinds.INPUT_REFERENCE,
              Location.of(source),
              "this is the plan of a program, but '" + input.name() + "' is a problem")
          .asException();
    }
    Lowering.requireProgram(model.model());
    Profile profile = profile(plan, source);
    ImportedModel.Request request = request(model.model(), plan);
    Program program = Lowering.allocate(model.model().program(), request.request());
    LoweringTarget target =
        new LoweringTarget(Math.max(1, plan.alignment()), request.map(), capacity);
    ImmutableList.Builder<RatedFinding> findings = ImmutableList.builder();
    ReplayJudge replay = new ReplayJudge(replaying);
    int placements = 0;
    // What is about no tensor at all is judged with the first method.
    Set<Integer> unknown = new HashSet<>();
    plan.tensors().forEach(tensor -> unknown.add(tensor.tensor()));
    program.methods().forEach(method -> unknown.removeAll(numbers(method)));
    for (Method method : program.methods()) {
      Set<Integer> numbers = numbers(method);
      numbers.addAll(unknown);
      unknown.clear();
      ClaimedPlan claim = claim(plan, numbers, entry(plan, method, source));
      placements += claim.places().size();
      Method judged = constrained(shared(AnnotateSharedAllocPass.applied(method), plan));
      LoweredProblem lowered = profile.lower(judged, new Analyses(), target);
      findings.addAll(Verification.of(judged, profile, lowered, claim).findings());
      findings.addAll(replay.judge(judged, profile, claim));
    }
    return new Verdict(
        plan.name(),
        plan.plan(),
        profile.name(),
        placements,
        findings.build(),
        replay.outcome(),
        Optional.empty());
  }

  private static Profile profile(ProgramPlan plan, String source) {
    return Profiles.find(plan.profile())
        .orElseThrow(
            () ->
                Diagnostic.of(
                        Kinds.INPUT_VALUE,
                        new Location(source, "profile"),
                        "the plan of '"
                            + plan.name()
                            + "' was made by profile '"
                            + plan.profile()
                            + "', which is unknown")
                    .help(Suggestions.help(plan.profile(), Profiles.names()))
                    .asException());
  }

  /**
   * A plan made by another strategy than the document asks for was made with everything allocated.
   */
  private ImportedModel.Request request(ImportedModel model, ProgramPlan plan) {
    if (map.isEmpty() && plan.plan() < model.requests().size()) {
      ImportedModel.Request request = model.requests().get(plan.plan());
      if (request.request().strategy().map(Call::toString).equals(Optional.of(plan.strategy()))) {
        return request;
      }
    }
    return new ImportedModel.Request(PlanRequest.DEFAULT, map, Optional.empty());
  }

  private static MethodEntry entry(ProgramPlan plan, Method method, String source) {
    for (MethodEntry entry : plan.methods()) {
      if (entry.name().equals(method.name())) {
        if (entry.error().isPresent()) {
          throw noPlan(entry.error().get(), source).asException();
        }
        return entry;
      }
    }
    throw Diagnostic.of(
            Kinds.INPUT_REFERENCE,
            Location.of(source),
            "the plan has no method '" + method.name() + "'")
        .asException();
  }

  /**
   * The method with what passes have put into the bytes of others, as the plan says. It is not
   * trusted: the verifiers prove it anew.
   */
  private static Method shared(Method method, ProgramPlan plan) {
    Map<Integer, Integer> storages = new HashMap<>();
    for (Tensor tensor : method.tensors()) {
      if (method.body().root(tensor.id()) == tensor.id()) {
        storages.putIfAbsent(
            method.get(MemoryKeys.ORIGIN, tensor.id()).orElse(tensor.id()), tensor.id());
      }
    }
    Map<Integer, Long> offsets = new HashMap<>();
    plan.tensors().forEach(tensor -> offsets.putIfAbsent(tensor.tensor(), tensor.offsetBytes()));
    GraphEditor editor = method.edit();
    for (ProgramPlan.TensorEntry tensor : plan.tensors()) {
      Integer part = storages.get(tensor.tensor());
      Integer base = storages.get(tensor.base());
      Long baseOffset = offsets.get(tensor.base());
      if (part != null && base != null && baseOffset != null) {
        long offset = LongMath.saturatedSubtract(tensor.offsetBytes(), baseOffset);
        editor.annotate(part, MemoryKeys.SHARES, new Shares(base, offset, /* derived= */ true));
      }
    }
    return editor.build();
  }

  /** The numbers of a method's tensors in the source. */
  private static Set<Integer> numbers(Method method) {
    Set<Integer> numbers = new HashSet<>();
    for (Tensor tensor : method.tensors()) {
      numbers.add(method.get(MemoryKeys.ORIGIN, tensor.id()).orElse(tensor.id()));
    }
    return numbers;
  }

  /** The claims about some tensors, by number. */
  private static ClaimedPlan claim(ProgramPlan plan, Set<Integer> numbers, MethodEntry entry) {
    ImmutableList.Builder<ClaimedPlan.Place> places = ImmutableList.builder();
    for (ProgramPlan.TensorEntry tensor : plan.tensors()) {
      if (numbers.contains(tensor.tensor())) {
        places.add(
            new ClaimedPlan.Place(
                tensor.tensor(), tensor.memId(), tensor.memObjId(), tensor.offsetBytes()));
      }
    }
    return ClaimedPlan.of(places.build(), entry.arenaSizes().toArray());
  }

  private Verdict judgeCarried(Input input, String source) {
    if (!(input instanceof Input.Model model)
        || model.model().program().methods().stream().noneMatch(MemoryKeys::hasPlan)) {
      return failed(
          input.name(),
          0,
          Diagnostic.of(
                  Kinds.INPUT_MEMBER, Location.of(source), "'" + input.name() + "' carries no plan")
              .help("give a plan beside it: stowage verify MODEL PLAN"));
    }
    Profile profile = Lowering.profile(model.model());
    ImmutableList.Builder<RatedFinding> findings = ImmutableList.builder();
    ReplayJudge replay = new ReplayJudge(replaying);
    int placements = 0;
    for (Method method : model.model().program().methods()) {
      CarriedPlan plan = CarriedPlan.of(constrained(method), profile);
      placements += plan.claim().places().size();
      profile = plan.profile();
      findings.addAll(plan.verify(new Analyses(), map, capacity).findings());
      findings.addAll(replay.judge(method, profile, plan.claim()));
    }
    return new Verdict(
        input.name(),
        0,
        profile.name(),
        placements,
        findings.build(),
        replay.outcome(),
        Optional.empty());
  }

  private static Diagnostic noPlan(PlanError error, String source) {
    return Diagnostic.of(
        Kinds.VERIFICATION,
        Location.of(source),
        "there is no plan to verify, but an error of kind "
            + error.kind()
            + ": "
            + error.message());
  }

  private static Verdict failed(String name, int number, Diagnostic error) {
    return new Verdict(
        name, number, "", 0, ImmutableList.of(), Verdict.Replay.NONE, Optional.of(error));
  }
}
