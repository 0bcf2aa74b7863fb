package dev.stowage.passes.planning;

import dev.stowage.base.Diagnostic;
import dev.stowage.base.Kinds;
import dev.stowage.base.Location;
import dev.stowage.base.Message;
import dev.stowage.base.OptionSpec;
import dev.stowage.base.OptionType;
import dev.stowage.ir.Method;
import dev.stowage.ir.Program;
import dev.stowage.ir.memory.MemoryKeys;
import dev.stowage.passes.CarriedPlan;
import dev.stowage.passes.Fact;
import dev.stowage.passes.PassContext;
import dev.stowage.passes.PassSpec;
import dev.stowage.passes.PlanningSettings;
import dev.stowage.passes.ProgramPass;
import dev.stowage.passes.Statistic;
import dev.stowage.passes.Verification;
import dev.stowage.passes.lowering.Profile;
import dev.stowage.passes.lowering.Profiles;
import dev.stowage.passes.memory.OperatorConstraints;
import dev.stowage.verifier.RatedFinding;
import java.util.ArrayList;
import java.util.List;

/**
 * Has the plan that a program carries judged, whoever made it, and ends the pipeline if it is
 * wrong.
 */
public final class VerifyPass implements ProgramPass {
  /** How many errors a message tells of. */
  private static final int SHOWN = 20;

  private static final OptionSpec<String> PROFILE =
      OptionSpec.of(
          Profiles.PROFILE.name(),
          "the rules for methods that do not say by which they were planned",
          OptionType.WORD,
          Profiles.PROFILE.defaultText());

  private static final Statistic PLACEMENTS = new Statistic("placements", "placements judged");
  private static final Statistic WARNINGS =
      new Statistic("warnings", "findings that the profile tolerates");

  private static final PassSpec SPEC =
      PassSpec.named("verify")
          .summary("has the plan that the program carries verified")
          .description(
              """
              The verifier judges the placements that the program carries, whoever made them, by the
              lifetimes and pins that the program has now, against the problem that the profile makes
              of each method and against the method itself. The profile and the alignment are those
              that the method was planned with; the option is for methods that do not say.

              An error ends the pipeline. What the profile tolerates is a warning.
              """)
          .options(PROFILE)
          .check((given, context) -> Profiles.named(given, PROFILE))
          .statistics(PLACEMENTS, WARNINGS)
          .requires(Fact.PLAN, "without one there is nothing to verify")
          .readOnly()
          .idempotent()
          .build();

  @Override
  public PassSpec spec() {
    return SPEC;
  }

  /**
   * Judges all methods.
   *
   * @throws dev.stowage.base.DiagnosticException of kind {@code verification}, which tells of the
   *     errors of all methods
   */
  @Override
  public Program run(Program program, PassContext context) {
    Profile profile = Profiles.named(context.options(), PROFILE);
    List<Diagnostic> errors = new ArrayList<>();
    for (Method method : program.methods()) {
      if (MemoryKeys.hasPlan(method)) {
        judge(method, profile, context, errors);
      } else if (!hasFailed(method, context)) {
        context.warn(
            Diagnostic.of(
                Kinds.VERIFICATION,
                Location.at(method.name()),
                "the method carries no plan, so there is nothing to verify"));
      }
    }
    if (!errors.isEmpty()) {
      throw summary(errors).asException();
    }
    return program;
  }

  /** True if planning says itself why the method has no plan. */
  private static boolean hasFailed(Method method, PassContext context) {
    return context.earlierPlans().stream().anyMatch(plan -> plan.method().equals(method.name()));
  }

  private static void judge(
      Method method, Profile profile, PassContext context, List<Diagnostic> errors) {
    PlanningSettings settings = context.settings();
    CarriedPlan plan =
        CarriedPlan.of(
            OperatorConstraints.applied(method, settings.map(), settings.operatorRules()), profile);
    context.count(PLACEMENTS, plan.claim().places().size());
    Verification verification =
        plan.verify(context.analyses(), settings.map(), settings.capacity());
    for (RatedFinding rated : verification.findings()) {
      Diagnostic told =
          Diagnostic.of(
              Kinds.VERIFICATION,
              Location.at(method.name()),
              rated.finding().kind() + ": " + rated.finding().message());
      if (rated.isError()) {
        errors.add(told);
      } else {
        context.count(WARNINGS, 1);
        context.warn(told);
      }
    }
  }

  private static Diagnostic summary(List<Diagnostic> errors) {
    Diagnostic first = errors.get(0);
    String message =
        Message.format(
            "the verifier found %,d error%s in the plan, the first: %s",
            errors.size(), errors.size() == 1 ? "" : "s", first.message());
    Diagnostic summary = Diagnostic.of(Kinds.VERIFICATION, first.location(), message);
    for (Diagnostic other : errors.subList(1, Math.min(errors.size(), SHOWN))) {
      summary = summary.note("also: " + other.location() + ": " + other.message());
    }
    return errors.size() <= SHOWN
        ? summary
        : summary.note(Message.format("and %,d more", errors.size() - SHOWN));
  }
}
