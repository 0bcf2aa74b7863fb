package dev.stowage.passes;

import dev.stowage.ir.Method;
import dev.stowage.ir.Program;
import dev.stowage.ir.text.ProgramParser;
import dev.stowage.passes.analysis.Analyses;
import dev.stowage.passes.lowering.LoweredProblem;
import dev.stowage.passes.lowering.LoweringTarget;
import dev.stowage.passes.lowering.Profile;
import dev.stowage.planning.PlanRequest;
import dev.stowage.planning.Planner;
import dev.stowage.planning.PlanningProblem;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** Programs as text, and planning problems in a form that tests can state. */
public final class Texts {
  /** One arena without limits, alignment 16. */
  public static final LoweringTarget TARGET =
      new LoweringTarget(16, Optional.empty(), OptionalLong.empty());

  /** Asks for nothing. */
  public static final PlanningSettings SETTINGS =
      new PlanningSettings(
          Planner.withInstalledStrategies(),
          PlanRequest.DEFAULT,
          Optional.empty(),
          Optional.empty(),
          OptionalInt.empty(),
          OptionalLong.empty());

  private Texts() {}

  /** A program of one method {@code @m} with the given annotations and graph. */
  public static Program program(String annotations, String graph) {
    return program(annotations, /* definitions= */ "", graph);
  }

  private static Program program(String annotations, String definitions, String graph) {
    return ProgramParser.parse(
        "test",
        """
        program "p"
        state @cache : u8[64]
        method @m %s {
          %s
          graph @main {
            %s
          }
        }
        """
            .formatted(annotations.isEmpty() ? "" : "{" + annotations + "}", definitions, graph));
  }

  /** A method without annotations of the given graph. */
  public static Method method(String graph) {
    return method("", graph);
  }

  /** A method with the given annotations and graph. */
  public static Method method(String annotations, String graph) {
    return program(annotations, graph).methods().get(0);
  }

  /** A method with tensors that no node yields, and the given graph. */
  public static Method methodWith(String definitions, String graph) {
    return program("", definitions, graph).methods().get(0);
  }

  /**
   * The buffers of a problem: {@code number: bytes [first, last]}, then the arena that it is pinned
   * to and where it lies in which buffer.
   */
  public static List<String> buffers(LoweredProblem lowered) {
    PlanningProblem problem = lowered.problem();
    List<String> buffers = new ArrayList<>();
    for (int i = 0; i < problem.bufferCount(); i++) {
      StringBuilder text = new StringBuilder();
      text.append(lowered.numbers().get(i)).append(": ").append(problem.sizeBytes(i));
      text.append(" [").append(problem.start(i)).append(", ").append(problem.end(i)).append(']');
      if (problem.pinnedArena(i) >= 0) {
        text.append(" pin ").append(problem.arena(problem.pinnedArena(i)).memId());
      }
      if (problem.base(i) == PlanningProblem.UNPLACED_BASE) {
        text.append(" in nothing");
      } else if (problem.base(i) != PlanningProblem.NO_BASE) {
        text.append(" in ").append(lowered.numbers().get(problem.base(i)));
        text.append('+').append(problem.baseOffset(i));
      }
      buffers.add(text.toString());
    }
    return buffers;
  }

  /** The buffers that a profile makes of a graph. */
  public static List<String> lowered(Profile profile, String graph) {
    return buffers(profile.lower(method(graph), new Analyses(), TARGET));
  }

  /** The buffers that a profile makes of a graph whose method says what the plan provides. */
  public static List<String> lowered(Profile profile, String allocation, String graph) {
    return buffers(
        profile.lower(method("allocation=\"" + allocation + "\"", graph), new Analyses(), TARGET));
  }
}
