package dev.stowage.passes;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import dev.stowage.ir.Method;
import dev.stowage.passes.lowering.LoweredProblem;
import dev.stowage.passes.lowering.Profile;
import dev.stowage.planning.Arena;
import dev.stowage.planning.MemoryPlan;
import dev.stowage.planning.PlanningProblem;
import dev.stowage.verifier.ClaimedPlan;
import dev.stowage.verifier.Finding;
import dev.stowage.verifier.FindingKind;
import dev.stowage.verifier.ProblemVerifier;
import dev.stowage.verifier.ProgramVerifier;
import dev.stowage.verifier.RatedFinding;
import dev.stowage.verifier.RatedFinding.Severity;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Has a plan of a method judged by both static verifiers: against the problem that the profile
 * makes of the method, and against the method itself, whose lifetimes may be other than the problem
 * says. The profile decides what is an error.
 *
 * @param findings of both, each once
 * @param storageReusePairs pairs of buffers that share bytes, where the profile counts them and the
 *     reference check finds no clash
 */
public record Verification(ImmutableList<RatedFinding> findings, OptionalLong storageReusePairs) {
  /** Kinds that make ExecuTorch's own check of storage reuse fail. */
  private static final ImmutableSet<FindingKind> CLASHES =
      ImmutableSet.of(
          FindingKind.OVERLAP, FindingKind.SIBLING_OVERLAP, FindingKind.OBJECT_MISMATCH);

  /**
   * Judges a plan that somebody claims.
   *
   * @param plan by the numbers that the tensors have in the source
   */
  public static Verification of(
      Method method, Profile profile, LoweredProblem lowered, ClaimedPlan plan) {
    PlanningProblem problem = lowered.problem();
    ClaimedPlan byBuffer = byBuffer(lowered, plan);
    ImmutableList<Finding> ofProblem =
        ProblemVerifier.verify(
            problem,
            byBuffer,
            new ProblemVerifier.Naming("tensor", lowered.numbers()::get, profile.firstStep()));
    List<Finding> all = new ArrayList<>(ProgramVerifier.verify(method, plan, rules(problem)));
    Set<Object> known = all.stream().map(Verification::identity).collect(Collectors.toSet());
    for (Finding finding : ofProblem) {
      if (known.add(identity(finding))) {
        all.add(finding);
      }
    }
    OptionalLong pairs = OptionalLong.empty();
    if (profile.reportsReferenceChecks()
        && ofProblem.stream().noneMatch(finding -> CLASHES.contains(finding.kind()))) {
      pairs = OptionalLong.of(ProblemVerifier.sharingPairs(problem, byBuffer));
    }
    return new Verification(rate(profile, all), pairs);
  }

  /** Says of findings how bad they are under a profile. */
  public static ImmutableList<RatedFinding> rate(Profile profile, List<Finding> findings) {
    return findings.stream()
        .map(finding -> new RatedFinding(finding, severity(profile, finding)))
        .collect(ImmutableList.toImmutableList());
  }

  /** A plan as claims by the numbers that the tensors have in the source. */
  public static ClaimedPlan claim(LoweredProblem lowered, MemoryPlan plan) {
    List<ClaimedPlan.Place> places = new ArrayList<>(plan.bufferCount());
    for (int buffer = 0; buffer < plan.bufferCount(); buffer++) {
      places.add(
          new ClaimedPlan.Place(
              lowered.numbers().get(buffer),
              lowered.problem().arena(plan.arena(buffer)).memId(),
              plan.object(buffer),
              plan.offsetBytes(buffer)));
    }
    return ClaimedPlan.of(places, plan.arenaSizes());
  }

  private static ProgramVerifier.Rules rules(PlanningProblem problem) {
    ImmutableMap.Builder<Integer, Long> capacity = ImmutableMap.builder();
    ImmutableMap.Builder<Integer, Long> reserved = ImmutableMap.builder();
    for (Arena arena : problem.arenas()) {
      capacity.put(arena.memId(), arena.capacityBytes());
      reserved.put(arena.memId(), arena.reservedBytes());
    }
    return new ProgramVerifier.Rules(
        problem.alignment(), capacity.buildOrThrow(), reserved.buildOrThrow());
  }

  /** The claims about tensors that are buffers of the problem; the others are the program's. */
  private static ClaimedPlan byBuffer(LoweredProblem lowered, ClaimedPlan plan) {
    Map<Integer, Integer> bufferOfNumber = new HashMap<>();
    for (int buffer = 0; buffer < lowered.numbers().length(); buffer++) {
      bufferOfNumber.put(lowered.numbers().get(buffer), buffer);
    }
    List<ClaimedPlan.Place> places = new ArrayList<>();
    for (ClaimedPlan.Place place : plan.places()) {
      Integer buffer = bufferOfNumber.get(place.subject());
      if (buffer != null) {
        places.add(
            new ClaimedPlan.Place(buffer, place.memId(), place.memObjId(), place.offsetBytes()));
      }
    }
    return ClaimedPlan.of(places, plan.arenaSizes());
  }

  private static Severity severity(Profile profile, Finding finding) {
    return profile.tolerated().contains(finding.kind()) ? Severity.WARNING : Severity.ERROR;
  }

  /** Both verifiers may find the same, pairs in either order. */
  private static Object identity(Finding finding) {
    Set<Integer> numbers = new HashSet<>();
    finding.subjects().forEach(subject -> numbers.add(subject.number()));
    return List.of(finding.kind(), numbers);
  }
}
