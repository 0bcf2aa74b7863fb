package dev.stowage.testkit;

import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.io.Source;
import dev.stowage.formats.problem.MiniMallocReader;
import dev.stowage.formats.problem.ProblemOptions;
import dev.stowage.formats.problem.ProblemReader;
import dev.stowage.ir.Method;
import dev.stowage.ir.Program;
import dev.stowage.ir.text.ProgramParser;
import dev.stowage.passes.analysis.Analyses;
import dev.stowage.passes.lowering.LoweringTarget;
import dev.stowage.passes.lowering.Profiles;
import dev.stowage.planning.Limits;
import dev.stowage.planning.PlanningProblem;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.OptionalLong;

/** The problems and programs that come with the test kit; where from, its README says. */
final class Bundled {
  private static final ImmutableList<String> PROGRAMS =
      ImmutableList.of(
          "while_if",
          "while_model",
          "stateful_counter",
          "shared_annotation",
          "reinplace_mlp",
          "pool_topk",
          "unbounded_nonzero",
          "person_detect",
          "okay_nabu",
          "dynamic_transformer",
          "mobilenet_v2",
          "lstm");

  private static final ImmutableList<String> MINIMALLOC =
      ImmutableList.of(
          "input.12", "small-a.6", "small-c.8", "small-f.14", "A.1048576", "D.1048576");

  private Bundled() {}

  /** The programs, the small ones first. */
  static ImmutableList<Program> programs() {
    return PROGRAMS.stream().map(Bundled::program).collect(ImmutableList.toImmutableList());
  }

  /** Problems from files, and what each profile makes of the programs. */
  static ImmutableList<PlanningProblem> problems() {
    ImmutableList.Builder<PlanningProblem> problems = ImmutableList.builder();
    for (String name : MINIMALLOC) {
      try (Source source = open("problems/" + name + ".csv.gz")) {
        problems.add(MiniMallocReader.read(source, ProblemOptions.NONE).problem());
      }
    }
    try (Source source = open("problems/pools-and-banks.jsonl.gz")) {
      ProblemReader.read(source, ProblemOptions.NONE)
          .forEachRemaining(entry -> problems.add(entry.orThrow().problem()));
    }
    for (Program program : programs()) {
      for (Method method : program.methods()) {
        for (String profile : profiles()) {
          lowered(method, profile).ifPresent(problems::add);
        }
      }
    }
    return problems.build();
  }

  private static ImmutableList<String> profiles() {
    return Profiles.planCalls().values().stream()
        .map(call -> call.options().get(Profiles.PROFILE.name()))
        .map(value -> value == null ? Profiles.PROFILE.defaultText() : value.toString())
        .collect(ImmutableList.toImmutableList());
  }

  /** Empty where the profile does not cover the method. */
  private static Optional<PlanningProblem> lowered(Method method, String profile) {
    LoweringTarget target =
        new LoweringTarget(Limits.DEFAULT_ALIGNMENT, Optional.empty(), OptionalLong.empty());
    try {
      return Optional.of(Profiles.named(profile).lower(method, new Analyses(), target).problem());
    } catch (DiagnosticException e) {
      return Optional.empty();
    }
  }

  private static Program program(String name) {
    try (Source source = open("programs/" + name + ".stow.gz")) {
      return ProgramParser.parse(name, new String(source.readAll(), StandardCharsets.UTF_8));
    }
  }

  private static Source open(String resource) {
    return Source.of(resource, requireNonNull(Bundled.class.getResourceAsStream(resource)));
  }
}
