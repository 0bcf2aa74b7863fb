package dev.stowage.driver;

import com.google.common.collect.ImmutableList;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.Kinds;
import dev.stowage.base.io.Entry;
import dev.stowage.formats.ImportedModel;
import dev.stowage.ir.Graph;
import dev.stowage.ir.Method;
import dev.stowage.ir.Tensor;
import dev.stowage.ir.TensorType;
import dev.stowage.ir.memory.MemoryKeys;
import dev.stowage.ir.memory.Owner;
import dev.stowage.passes.lowering.LoweredProblem;
import dev.stowage.passes.lowering.Profile;
import dev.stowage.planning.LowerBounds;
import dev.stowage.planning.PlanningProblem;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.IntPredicate;
import java.util.function.IntUnaryOperator;

/** Looks into inputs. */
final class Inspector {
  private Inspector() {}

  static Inspection inspect(Entry<Input> entry, OptionalInt alignment) {
    if (entry instanceof Entry.Bad<Input> bad) {
      return failed(bad.name(), "", bad.error());
    }
    Input input = entry.orThrow();
    if (input instanceof Input.Problem problem) {
      return inspect(problem.document().name(), problem.document().problem());
    }
    ImportedModel model = ((Input.Model) input).model();
    try {
      Lowering.requireProgram(model);
      return inspect(model, alignment.orElseGet(() -> Lowering.alignment(model)));
    } catch (DiagnosticException e) {
      return failed(model.program().name(), model.format(), e.diagnostic());
    } catch (ArithmeticException e) {
      return failed(
          model.program().name(),
          model.format(),
          Diagnostic.of(
              Kinds.INPUT_OVERFLOW, "state adds up to more than 2^63 - 1 bytes"));
    }
  }

  private static Inspection failed(String name, String format, Diagnostic error) {
    return new Inspection(
        name, format, 0, 0, ImmutableList.of(), ImmutableList.of(), Optional.of(error));
  }

  private static Inspection inspect(String name, PlanningProblem problem) {
    return new Inspection(
        name,
        "problem",
        0,
        0,
        ImmutableList.of(),
        ImmutableList.of(
            section(
                "",
                "",
                0,
                problem.bufferCount(),
                problem,
                LowerBounds.of(problem),
                buffer -> buffer,
                buffer -> false,
                0,
                "",
                false)),
        Optional.empty());
  }

  private static Inspection inspect(ImportedModel model, int alignment) {
    Profile profile = Lowering.profile(model);
    ImmutableList.Builder<Inspection.Section> sections = ImmutableList.builder();
    ImmutableList.Builder<String> notes = ImmutableList.builder();
    notes.addAll(model.facts().notes());
    int unbounded = 0;
    int ofRuntime = 0;
    for (Method method :
        Lowering.allocate(model.program(), Lowering.firstRequest(model)).methods()) {
      LoweredProblem lowered = Lowering.lower(method, profile, alignment);
      LowerBounds bounds = LowerBounds.of(lowered.problem());
      sections.add(
          section(
              method.name(),
              profile.name(),
              method.body().graphs().stream().map(Graph::nodes).mapToInt(ImmutableList::size).sum(),
              method.tensors().size(),
              lowered.problem(),
              bounds,
              lowered.numbers()::get,
              buffer -> isState(method, lowered.storages().get(buffer)),
              profile.firstStep(),
              profile
                  .nodeAt(method, bounds.peakStep())
                  .map(node -> node.id() + " (" + node.op() + ")")
                  .orElse(""),
              MemoryKeys.hasPlan(method)));
      for (Tensor tensor : method.tensors()) {
        if (method.body().root(tensor.id()) == tensor.id()) {
          unbounded += tensor.type().dynamism() == TensorType.Dynamism.UNBOUNDED ? 1 : 0;
          ofRuntime +=
              method.get(MemoryKeys.OWNER, tensor.id()).equals(Optional.of(Owner.RUNTIME)) ? 1 : 0;
        }
      }
    }
    if (unbounded > 0) {
      notes.add(unbounded + " tensors have no bound: the runtime allocates them when it runs");
    }
    if (ofRuntime > 0) {
      notes.add(ofRuntime + " tensors stand for what the runtime keeps by rules of its own");
    }
    long stateBytes = 0;
    for (TensorType type : model.program().states().values()) {
      stateBytes = Math.addExact(stateBytes, Math.max(0, type.bytes()));
    }
    return new Inspection(
        model.program().name(),
        model.format(),
        ConstantBudget.bytesOf(model),
        stateBytes,
        notes.build(),
        sections.build(),
        Optional.empty());
  }

  private static boolean isState(Method method, int storage) {
    return storage != LoweredProblem.NO_STORAGE && method.tensor(storage).state() != null;
  }

  private static Inspection.Section section(
      String name,
      String profile,
      int nodes,
      int tensors,
      PlanningProblem problem,
      LowerBounds bounds,
      IntUnaryOperator numberOf,
      IntPredicate isState,
      int firstStep,
      String peakNode,
      boolean carriesPlan) {
    long activations = 0;
    for (int buffer = 0; buffer < problem.bufferCount(); buffer++) {
      // Parts of another buffer are in its bytes, and state is counted by itself.
      boolean counts = problem.base(buffer) < 0 && !isState.test(buffer);
      activations += counts ? problem.sizeBytes(buffer) : 0;
    }
    ImmutableList<Inspection.Live> live =
        Arrays.stream(bounds.liveAtPeak())
            .mapToObj(
                buffer -> {
                  String label = problem.bufferName(buffer);
                  return new Inspection.Live(
                      numberOf.applyAsInt(buffer),
                      label == null ? "" : label,
                      problem.allocatedBytes(buffer),
                      problem.start(buffer) + firstStep,
                      problem.end(buffer) + firstStep);
                })
            .sorted(Comparator.comparingLong(Inspection.Live::bytes).reversed())
            .collect(ImmutableList.toImmutableList());
    return new Inspection.Section(
        name,
        profile,
        nodes,
        tensors,
        problem.bufferCount(),
        activations,
        problem.alignment(),
        bounds.totalBytes(),
        bounds.peakStep() + firstStep,
        peakNode,
        live,
        carriesPlan);
  }
}
