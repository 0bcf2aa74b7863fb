package dev.stowage.passes.planning;

import com.google.common.collect.ImmutableList;
import dev.stowage.ir.Method;
import dev.stowage.passes.PlannedMethod;
import dev.stowage.passes.PlannedMethod.JudgedFinding;
import dev.stowage.passes.lowering.LoweredProblem;
import dev.stowage.passes.lowering.Profile;
import dev.stowage.planning.LowerBounds;
import dev.stowage.planning.MemoryPlan;
import dev.stowage.planning.PlanningProblem;
import dev.stowage.verifier.ClaimedPlan;
import dev.stowage.verifier.Finding;
import dev.stowage.verifier.FindingKind;
import dev.stowage.verifier.ProblemVerifier;
import dev.stowage.verifier.ProgramVerifier;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Has a plan judged by both static verifiers: against the problem, and against the program, whose
 * lifetimes may be other than the problem says. The profile decides what is an error.
 */
final class Verification {
  /** Kinds that make ExecuTorch's own check of storage reuse fail. */
  private static final Set<FindingKind> CLASHES =
      Set.of(FindingKind.OVERLAP, FindingKind.SIBLING_OVERLAP, FindingKind.OBJECT_MISMATCH);

  private Verification() {}

  static PlannedMethod.Planned of(
      Method method, Profile profile, LoweredProblem lowered, MemoryPlan plan, LowerBounds bounds) {
    PlanningProblem problem = lowered.problem();
    ClaimedPlan byBuffer = claim(problem, plan, buffer -> buffer);
    ClaimedPlan byNumber = claim(problem, plan, lowered.numbers()::get);
    ImmutableList<Finding> ofProblem = ProblemVerifier.verify(problem, byBuffer);
    List<Finding> all = new ArrayList<>(ProgramVerifier.verify(method, byNumber, rules(problem)));
    Set<Object> known = all.stream().map(Verification::identity).collect(Collectors.toSet());
    for (Finding finding : ofProblem) {
      Finding renumbered = renumber(finding, lowered);
      if (known.add(identity(renumbered))) {
        all.add(renumbered);
      }
    }
    OptionalLong pairs = OptionalLong.empty();
    if (profile.reportsReferenceChecks()
        && ofProblem.stream().noneMatch(finding -> CLASHES.contains(finding.kind()))) {
      pairs = OptionalLong.of(ProblemVerifier.sharingPairs(problem, byBuffer));
    }
    return new PlannedMethod.Planned(
        plan,
        bounds,
        all.stream()
            .map(
                finding -> new JudgedFinding(finding, profile.tolerated().contains(finding.kind())))
            .collect(ImmutableList.toImmutableList()),
        pairs,
        profile.reportsReferenceChecks()
            ? profile.inputOutputCheck(method, lowered)
            : Optional.empty());
  }

  private static ProgramVerifier.Rules rules(PlanningProblem problem) {
    return ProgramVerifier.Rules.of(problem);
  }

  private interface Numbering {
    int number(int buffer);
  }

  private static ClaimedPlan claim(PlanningProblem problem, MemoryPlan plan, Numbering numbering) {
    List<ClaimedPlan.Place> places = new ArrayList<>(problem.bufferCount());
    for (int buffer = 0; buffer < problem.bufferCount(); buffer++) {
      places.add(
          new ClaimedPlan.Place(
              numbering.number(buffer),
              problem.arena(plan.arena(buffer)).memId(),
              plan.object(buffer),
              plan.offsetBytes(buffer)));
    }
    return ClaimedPlan.of(places, plan.arenaSizes());
  }

  private static Finding renumber(Finding finding, LoweredProblem lowered) {
    return new Finding(
        finding.kind(),
        finding.message(),
        finding.subjects().stream()
            .map(
                subject ->
                    new Finding.Subject(
                        lowered.numbers().get(subject.number()),
                        subject.name(),
                        subject.memId(),
                        subject.fromBytes(),
                        subject.toBytes(),
                        subject.first(),
                        subject.last()))
            .collect(ImmutableList.toImmutableList()),
        finding.node(),
        finding.count());
  }

  /** Both verifiers may find the same; pairs in either order. */
  private static Object identity(Finding finding) {
    Set<Integer> numbers = new HashSet<>();
    finding.subjects().forEach(subject -> numbers.add(subject.number()));
    return List.of(finding.kind(), numbers);
  }
}
