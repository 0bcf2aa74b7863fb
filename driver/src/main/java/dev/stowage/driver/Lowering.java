package dev.stowage.driver;

import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import dev.stowage.base.Call;
import dev.stowage.base.Options;
import dev.stowage.formats.ImportedModel;
import dev.stowage.ir.Method;
import dev.stowage.ir.Program;
import dev.stowage.ir.memory.Allocation;
import dev.stowage.ir.memory.MemoryKeys;
import dev.stowage.passes.PassManager;
import dev.stowage.passes.Pipeline;
import dev.stowage.passes.analysis.Analyses;
import dev.stowage.passes.lowering.LoweredProblem;
import dev.stowage.passes.lowering.LoweringTarget;
import dev.stowage.passes.lowering.Profile;
import dev.stowage.passes.lowering.Profiles;
import dev.stowage.planning.Limits;
import dev.stowage.planning.PlanRequest;
import dev.stowage.planning.PlanningProblem;
import java.util.Optional;
import java.util.OptionalLong;

/** What the driver decides about a model before a pipeline runs on it. */
final class Lowering {
  private Lowering() {}

  /** The name of the pipeline that a model is planned by unless the caller says otherwise. */
  static String defaultPipeline(ImportedModel model) {
    return Profiles.defaultPipeline(model.format());
  }

  /** The profile that a pipeline plans by. */
  static Profile profile(Pipeline pipeline) {
    for (Call call : pipeline.passes()) {
      if (call.name().equals(Profiles.PLAN) && call.options().containsKey("profile")) {
        Call profile = Call.of(Profiles.PLAN).with("profile", call.options().get("profile"));
        return Profiles.named(
            Options.bind(profile, ImmutableList.of(Profiles.PROFILE)).get(Profiles.PROFILE));
      }
    }
    return Profiles.named(Profiles.PROFILE.defaultText());
  }

  /** The profile that a model is planned by unless the caller says otherwise. */
  static Profile profile(ImportedModel model) {
    return profile(requireNonNull(PassManager.namedPipelines().get(defaultPipeline(model))));
  }

  /** The program with what the request says of inputs, outputs and state. */
  static Program allocate(Program program, PlanRequest request) {
    Program allocated = program;
    for (Method method : program.methods()) {
      // What a .stow says of itself stays.
      if (method.get(MemoryKeys.ALLOCATION).isEmpty()) {
        allocated =
            allocated.with(
                method
                    .edit()
                    .annotate(
                        MemoryKeys.ALLOCATION,
                        new Allocation(request.inputs(), request.outputs(), request.state()))
                    .build());
      }
    }
    return allocated;
  }

  /** What a model itself asks for first, or nothing. */
  static PlanRequest firstRequest(ImportedModel model) {
    return model.requests().isEmpty() ? PlanRequest.DEFAULT : model.requests().get(0).request();
  }

  /** The alignment that a model itself asks for first, in bytes, or the default. */
  static int alignment(ImportedModel model) {
    return firstRequest(model).alignment().orElse(Limits.DEFAULT_ALIGNMENT);
  }

  /** What a profile makes of a method on a single arena of any size. */
  static LoweredProblem lower(Method method, Profile profile, int alignment) {
    return profile.lower(
        method,
        new Analyses(),
        new LoweringTarget(alignment, Optional.empty(), OptionalLong.empty()));
  }

  /** The planning problems of an input: its own, or one for each method. */
  static ImmutableList<PlanningProblem> problems(Input input) {
    if (input instanceof Input.Problem problem) {
      return ImmutableList.of(problem.document().problem());
    }
    ImportedModel model = ((Input.Model) input).model();
    requireProgram(model);
    ImmutableList.Builder<PlanningProblem> problems = ImmutableList.builder();
    for (Method method : allocate(model.program(), firstRequest(model)).methods()) {
      problems.add(lower(method, profile(model), alignment(model)).problem());
    }
    return problems.build();
  }

  /**
   * Fails if the importer could not make a program of a model.
   *
   * @throws dev.stowage.base.DiagnosticException with the importer's reason
   */
  static void requireProgram(ImportedModel model) {
    if (model.program().methods().isEmpty()) {
      for (ImportedModel.Request request : model.requests()) {
        if (request.refusal().isPresent()) {
          throw request.refusal().get().asException();
        }
      }
    }
  }
}
