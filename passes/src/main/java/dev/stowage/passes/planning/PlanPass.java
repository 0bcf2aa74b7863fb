package dev.stowage.passes.planning;

import com.google.common.primitives.ImmutableIntArray;
import com.google.common.primitives.ImmutableLongArray;
import dev.stowage.base.Call;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.Kinds;
import dev.stowage.base.Location;
import dev.stowage.base.OptionSpec;
import dev.stowage.base.OptionType;
import dev.stowage.base.Options;
import dev.stowage.ir.GraphEditor;
import dev.stowage.ir.Method;
import dev.stowage.ir.Program;
import dev.stowage.ir.memory.MemoryKeys;
import dev.stowage.ir.memory.Placement;
import dev.stowage.passes.CheckContext;
import dev.stowage.passes.Fact;
import dev.stowage.passes.PassContext;
import dev.stowage.passes.PassSpec;
import dev.stowage.passes.PlannedMethod;
import dev.stowage.passes.PlanningSettings;
import dev.stowage.passes.ProgramPass;
import dev.stowage.passes.Statistic;
import dev.stowage.passes.Verification;
import dev.stowage.passes.lowering.LoweredProblem;
import dev.stowage.passes.lowering.LoweringTarget;
import dev.stowage.passes.lowering.Profile;
import dev.stowage.passes.lowering.Profiles;
import dev.stowage.passes.memory.ApplyTargetRulesPass;
import dev.stowage.passes.memory.OperatorConstraints;
import dev.stowage.planning.Limits;
import dev.stowage.planning.LowerBounds;
import dev.stowage.planning.MemoryPlan;
import dev.stowage.planning.Planner;
import dev.stowage.planning.PlanningOutcome;
import dev.stowage.planning.PlanningProblem;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Lowers each method to a planning problem by the rules of a profile, plans it, has the plan
 * verified, and writes it down as placements and arenas of the method.
 */
public final class PlanPass implements ProgramPass {
  private static final OptionSpec<Optional<Call>> STRATEGY =
      OptionSpec.optional(
          "strategy",
          "the strategy; without one the file's, or greedy, or banked-greedy",
          OptionType.CALL);
  private static final OptionSpec<Optional<Long>> ALIGNMENT =
      OptionSpec.optional(
          "alignment",
          "of offsets and sizes; without one the file's, or 16",
          OptionType.bytes(1, Limits.MAX_ALIGNMENT));

  private static final Statistic PLANNED = new Statistic("planned", "tensors placed");
  private static final Statistic BYTES = new Statistic("bytes", "bytes of all arenas");

  private static final PassSpec SPEC =
      PassSpec.named(Profiles.PLAN)
          .summary("lowers each method, plans it, verifies the plan and places its tensors")
          .description(
              """
              Each method becomes a planning problem by the rules of a profile. A strategy plans it,
              and the plan is verified against the problem and against the method. Where the tensors
              lie is kept as annotations of their storages, with the sizes of the arenas.

              Without a map of banks there is one arena. A tensor that is pinned to another mem_id
              goes to an arena of that number.
              """)
          .options(Profiles.PROFILE, STRATEGY, ALIGNMENT)
          .check(PlanPass::check)
          .statistics(PLANNED, BYTES)
          .establishes(Fact.PLAN)
          .build();

  @Override
  public PassSpec spec() {
    return SPEC;
  }

  private static void check(Options given, CheckContext context) {
    Profiles.named(given, Profiles.PROFILE);
    given.get(STRATEGY).ifPresent(context.planner()::check);
  }

  @Override
  public Program run(Program program, PassContext context) {
    List<PlannedMethod> plans = new ArrayList<>();
    Program planned = program;
    for (Method method : program.methods()) {
      warnOfRules(method, context);
      PlannedMethod plan = plan(method, context);
      plans.add(plan);
      if (plan.result() instanceof PlannedMethod.Planned result) {
        context.count(PLANNED, result.plan().bufferCount());
        context.count(BYTES, result.plan().totalBytes());
      }
      planned = planned.with(place(method, plan));
    }
    context.replacePlans(plans);
    return planned;
  }

  private static void warnOfRules(Method method, PassContext context) {
    PlanningSettings settings = context.settings();
    boolean applied = true;
    try {
      applied =
          OperatorConstraints.applied(method, settings.map(), settings.operatorRules())
              .equals(method);
    } catch (DiagnosticException e) {
      // Told as the reason why there is no plan.
    }
    if (!applied) {
      context.warn(
          Diagnostic.of(
                  Kinds.MISPLACED_PASS,
                  Location.at(method.name()),
                  "the target has rules for operators of this method, which plan does not heed by"
                      + " itself")
              .help("put " + ApplyTargetRulesPass.NAME + " before plan"));
    }
  }

  private static PlannedMethod plan(Method method, PassContext context) {
    PlanningSettings settings = context.settings();
    Profile profile = Profiles.named(context.options(), Profiles.PROFILE);
    Optional<Call> asked = strategy(context);
    boolean hasMap = settings.map().isPresent();
    LoweringTarget target =
        new LoweringTarget(alignment(context), settings.map(), settings.capacity());
    LoweredProblem lowered;
    try {
      lowered = profile.lower(method, context.analyses(), target);
    } catch (DiagnosticException e) {
      LoweredProblem nothing =
          new LoweredProblem(
              PlanningProblem.builder(method.name()).alignment(target.alignment()).build(),
              ImmutableIntArray.of(),
              ImmutableIntArray.of());
      return failed(method, profile, asked, nothing, e, hasMap);
    }
    Method judged;
    LoweredProblem judgedProblem;
    try {
      judged = OperatorConstraints.applied(method, settings.map(), settings.operatorRules());
      judgedProblem =
          judged.equals(method) ? lowered : profile.lower(judged, context.analyses(), target);
    } catch (DiagnosticException e) {
      return failed(method, profile, asked, lowered, e, hasMap);
    }
    long begin = System.nanoTime();
    Planner planner = settings.planner();
    Planner.Attempt attempt =
        asked.isPresent()
            ? new Planner.Attempt(
                asked.get(), planner.plan(lowered.problem(), asked.get(), context.deadline()))
            : planner.planWithFallbacks(lowered.problem(), hasMap, context.deadline());
    long elapsed = System.nanoTime() - begin;
    return new PlannedMethod(
        method.name(),
        profile.name(),
        profile.firstStep(),
        attempt.call(),
        lowered,
        result(judged, profile, lowered, judgedProblem, attempt.outcome()),
        elapsed);
  }

  private static PlannedMethod failed(
      Method method,
      Profile profile,
      Optional<Call> asked,
      LoweredProblem lowered,
      DiagnosticException why,
      boolean hasMap) {
    return new PlannedMethod(
        method.name(),
        profile.name(),
        profile.firstStep(),
        asked.orElseGet(() -> Planner.defaultCall(hasMap)),
        lowered,
        new PlannedMethod.Failed(why.diagnostic()),
        0);
  }

  /**
   * What became of a problem, judged also by the rules of the target where no pass has applied
   * them.
   */
  private static PlannedMethod.Result result(
      Method method,
      Profile profile,
      LoweredProblem lowered,
      LoweredProblem judged,
      PlanningOutcome outcome) {
    if (outcome instanceof PlanningOutcome.Planned planned) {
      Verification verification =
          Verification.of(method, profile, judged, Verification.claim(lowered, planned.plan()));
      return new PlannedMethod.Planned(
          planned.plan(),
          LowerBounds.of(lowered.problem()),
          verification,
          profile.inputOutputCheck(method, lowered));
    }
    if (outcome instanceof PlanningOutcome.Infeasible infeasible) {
      return new PlannedMethod.Failed(atNode(method, profile, infeasible.proof()));
    }
    return new PlannedMethod.Failed(((PlanningOutcome.GaveUp) outcome).why());
  }

  /** A proof that names the node at whose step the bytes are missing. */
  private static Diagnostic atNode(Method method, Profile profile, Diagnostic proof) {
    return proof
        .shortfall()
        .filter(shortfall -> shortfall.step() >= 0)
        .flatMap(shortfall -> profile.nodeAt(method, shortfall.step()))
        .map(node -> proof.note("the step is that of node " + node.id() + " (" + node.op() + ")"))
        .orElse(proof);
  }

  private static Optional<Call> strategy(PassContext context) {
    PlanningSettings settings = context.settings();
    return settings
        .strategy()
        .or(() -> context.get(STRATEGY))
        .or(() -> settings.request().strategy());
  }

  private static int alignment(PassContext context) {
    PlanningSettings settings = context.settings();
    if (settings.alignment().isPresent()) {
      return settings.alignment().getAsInt();
    }
    Optional<Long> ofPipeline = context.get(ALIGNMENT);
    if (ofPipeline.isEmpty()) {
      return settings.request().alignment().orElse(Limits.DEFAULT_ALIGNMENT);
    }
    return Math.toIntExact(ofPipeline.get());
  }

  /** The method with placements and arenas, or without any if there is no plan. */
  private static Method place(Method method, PlannedMethod planned) {
    GraphEditor editor = MemoryKeys.withoutPlan(method).edit();
    if (planned.result() instanceof PlannedMethod.Planned result) {
      MemoryPlan plan = result.plan();
      PlanningProblem problem = planned.lowered().problem();
      for (int buffer = 0; buffer < problem.bufferCount(); buffer++) {
        int storage = planned.lowered().storages().get(buffer);
        if (storage != LoweredProblem.NO_STORAGE) {
          editor.annotate(
              storage,
              MemoryKeys.PLACEMENT,
              new Placement(
                  problem.arena(plan.arena(buffer)).memId(),
                  plan.object(buffer),
                  plan.offsetBytes(buffer)));
        }
      }
      editor.annotate(MemoryKeys.PROFILE, planned.profile());
      editor.annotate(MemoryKeys.ALIGNMENT, problem.alignment());
      editor.annotate(MemoryKeys.ARENAS, ImmutableLongArray.copyOf(plan.arenaSizes()));
    }
    Method placed = editor.build();
    return placed.equals(method) ? method : placed;
  }
}
