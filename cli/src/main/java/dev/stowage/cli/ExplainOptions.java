package dev.stowage.cli;

import com.google.common.collect.ImmutableList;
import dev.stowage.driver.Answer;
import dev.stowage.driver.Explainer;
import java.util.List;
import picocli.CommandLine.Option;

/** What is to be explained of a plan. */
final class ExplainOptions {
  @Option(
      names = "--explain",
      paramLabel = "TENSOR",
      description = "Say why a tensor, by name or number, is where it is; may be repeated.")
  private List<String> tensors = List.of();

  @Option(
      names = "--why-not-lower",
      paramLabel = "BANK",
      description = "Say what keeps a bank, by name or mem_id, from being smaller.")
  private List<String> banks = List.of();

  /**
   * What was asked for.
   *
   * @param tensors by name or number
   * @param banks by name or mem_id
   */
  record Explanations(
      ImmutableList<Explainer.OfTensor> tensors, ImmutableList<Explainer.OfBank> banks) {}

  /** True if anything is. */
  boolean any() {
    return !tensors.isEmpty() || !banks.isEmpty();
  }

  /**
   * Explains an answer; where it is an error there is nothing to explain.
   *
   * @throws dev.stowage.base.DiagnosticException of kind {@code option-value} for a tensor or bank
   *     that there is not
   */
  Explanations of(Answer answer) {
    ImmutableList.Builder<Explainer.OfTensor> ofTensors = ImmutableList.builder();
    ImmutableList.Builder<Explainer.OfBank> ofBanks = ImmutableList.builder();
    if (answer.error().isEmpty() && !(answer instanceof Answer.ProgramChanged)) {
      Explainer explainer = Explainer.of(answer);
      tensors.forEach(it -> ofTensors.addAll(explainer.explain(it)));
      banks.forEach(it -> ofBanks.addAll(explainer.whyNotLower(it)));
    }
    return new Explanations(ofTensors.build(), ofBanks.build());
  }

  /** Refuses more than one plan. */
  void requireSingle() {
    if (any()) {
      throw Command.usage(
          "--explain and --why-not-lower are about one plan, but the input asks for several",
          "give one model or problem; with --strategy a document is planned once");
    }
  }
}
