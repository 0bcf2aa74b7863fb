package dev.stowage.driver;

import com.google.common.collect.ImmutableList;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.Kinds;
import dev.stowage.base.Message;
import dev.stowage.base.Suggestions;
import dev.stowage.ir.Method;
import dev.stowage.ir.Tensor;
import dev.stowage.ir.memory.MemoryKeys;
import dev.stowage.passes.PlannedMethod;
import dev.stowage.passes.lowering.LoweredProblem;
import dev.stowage.passes.lowering.Profiles;
import dev.stowage.planning.Arena;
import dev.stowage.planning.ArenaExplanation;
import dev.stowage.planning.MemoryPlan;
import dev.stowage.planning.PlacementExplanation;
import dev.stowage.planning.PlanningProblem;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Explains the plans of an answer, whatever strategy made them. */
public final class Explainer {
  /**
   * Why a tensor is where it is.
   *
   * @param method that it belongs to; empty for a buffer of a problem
   * @param problem what was planned
   * @param placement what the plan leaves free for it
   * @param firstNode the node at whose step its life begins, such as {@code 12 (CONV_2D)}; empty if
   *     unknown
   * @param lastNode the node at whose step it ends; empty if unknown
   */
  public record OfTensor(
      String method,
      PlanningProblem problem,
      PlacementExplanation placement,
      String firstNode,
      String lastNode) {}

  /**
   * What keeps a bank from being smaller.
   *
   * @param method whose tensors lie in it; empty for a problem
   * @param problem what was planned
   * @param arena what is live in it, and what holds what up
   * @param peakNode the node at the step of the peak, such as {@code 12 (CONV_2D)}; empty if
   *     unknown
   */
  public record OfBank(
      String method, PlanningProblem problem, ArenaExplanation arena, String peakNode) {}

  /** One plan, and the method that it is of. */
  private record Planned(
      PlanningProblem problem,
      MemoryPlan plan,
      @Nullable PlannedMethod how,
      @Nullable Method method) {
    String name() {
      return method == null ? "" : method.name();
    }

    String nodeAt(int step) {
      return how == null || method == null
          ? ""
          : Profiles.named(how.profile())
              .nodeAt(method, step)
              .map(node -> node.id() + " (" + node.op() + ")")
              .orElse("");
    }
  }

  private final ImmutableList<Planned> plans;

  private Explainer(ImmutableList<Planned> plans) {
    this.plans = plans;
  }

  /** Explains an answer; one without a plan has nothing to explain. */
  public static Explainer of(Answer answer) {
    ImmutableList.Builder<Planned> plans = ImmutableList.builder();
    if (answer instanceof Answer.ProblemPlanned it) {
      plans.add(new Planned(it.problem(), it.plan(), null, null));
    } else if (answer instanceof Answer.ProgramPlanned it) {
      for (PlannedMethod how : it.methods()) {
        if (how.result() instanceof PlannedMethod.Planned result) {
          plans.add(
              new Planned(
                  how.lowered().problem(),
                  result.plan(),
                  how,
                  it.program().method(how.method()).orElse(null)));
        }
      }
    }
    return new Explainer(plans.build());
  }

  /**
   * Why a tensor is where it is.
   *
   * @param tensor its name, or its number in the source; of a view, what it is a view of is
   *     explained
   * @return one for each tensor of that name or number, in the order of the methods
   * @throws DiagnosticException of kind {@code option-value} if there is none, or the plan does not
   *     place it
   */
  public ImmutableList<OfTensor> explain(String tensor) {
    ImmutableList.Builder<OfTensor> found = ImmutableList.builder();
    for (Planned plan : plans) {
      for (int buffer : buffers(plan, tensor)) {
        PlanningProblem problem = plan.problem;
        found.add(
            new OfTensor(
                plan.name(),
                problem,
                PlacementExplanation.of(problem, plan.plan, buffer),
                plan.nodeAt(problem.start(buffer)),
                plan.nodeAt(problem.end(buffer))));
      }
    }
    ImmutableList<OfTensor> all = found.build();
    if (all.isEmpty()) {
      throw noTensor(tensor).asException();
    }
    return all;
  }

  /**
   * What keeps a bank from being smaller.
   *
   * @param bank its name or mem_id
   * @return one for each method
   * @throws DiagnosticException of kind {@code option-value} if there is no such bank
   */
  public ImmutableList<OfBank> whyNotLower(String bank) {
    ImmutableList.Builder<OfBank> found = ImmutableList.builder();
    List<String> names = new ArrayList<>();
    for (Planned plan : plans) {
      for (int i = 0; i < plan.problem.arenaCount(); i++) {
        Arena arena = plan.problem.arena(i);
        names.add(arena.name());
        if (arena.name().equals(bank) || String.valueOf(arena.memId()).equals(bank)) {
          ArenaExplanation it = ArenaExplanation.of(plan.problem, plan.plan, i);
          found.add(new OfBank(plan.name(), plan.problem, it, plan.nodeAt(it.peakStep())));
        }
      }
    }
    ImmutableList<OfBank> all = found.build();
    if (all.isEmpty()) {
      throw Diagnostic.of(
              Kinds.OPTION_VALUE, "--why-not-lower: no bank '" + bank + "' holds tensors")
          .help(Suggestions.help(bank, names.stream().distinct().toList()))
          .asException();
    }
    return all;
  }

  /** The buffers of a name or number, or of the bytes that a tensor of it stands for. */
  private static SortedSet<Integer> buffers(Planned plan, String tensor) {
    SortedSet<Integer> buffers = new TreeSet<>();
    for (int i = 0; i < plan.problem.bufferCount(); i++) {
      if (tensor.equals(plan.problem.bufferName(i))
          || tensor.equals(String.valueOf(plan.problem.bufferNumber(i)))) {
        buffers.add(i);
      }
    }
    if (plan.method != null && plan.how != null) {
      LoweredProblem lowered = plan.how.lowered();
      for (Tensor it : tensors(plan.method, tensor)) {
        int buffer = lowered.storages().indexOf(plan.method.body().root(it.id()));
        if (buffer >= 0) {
          buffers.add(buffer);
        }
      }
    }
    return buffers;
  }

  private static List<Tensor> tensors(Method method, String tensor) {
    return method.tensors().stream()
        .filter(it -> tensor.equals(it.name()) || tensor.equals(String.valueOf(number(method, it))))
        .toList();
  }

  private static int number(Method method, Tensor tensor) {
    return method.get(MemoryKeys.ORIGIN, tensor.id()).orElse(tensor.id());
  }

  private Diagnostic noTensor(String tensor) {
    List<String> names = new ArrayList<>();
    for (Planned plan : plans) {
      for (int i = 0; i < plan.problem.bufferCount(); i++) {
        Optional.ofNullable(plan.problem.bufferName(i)).ifPresent(names::add);
      }
      if (plan.method != null) {
        for (Tensor it : tensors(plan.method, tensor)) {
          return Diagnostic.of(
                  Kinds.OPTION_VALUE,
                  Message.format(
                      "--explain: the plan does not place tensor '%s', which %s",
                      tensor, it.constant() ? "is a constant" : "is the runtime's or the caller's"))
              .help("give a tensor that stowage plan --json lists");
        }
      }
    }
    return Diagnostic.of(
            Kinds.OPTION_VALUE,
            Message.format("--explain: the plan has no tensor with name or number '%s'", tensor))
        .help(
            Suggestions.nearest(tensor, names)
                    .map(near -> "did you mean '" + near + "'? ")
                    .orElse("")
                + "stowage plan --json lists all tensors");
  }
}
