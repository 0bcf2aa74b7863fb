package dev.stowage.benchmarks;

import static com.google.common.base.Preconditions.checkArgument;

import dev.stowage.base.io.Source;
import dev.stowage.formats.problem.ProblemOptions;
import dev.stowage.formats.problem.ProblemReader;
import dev.stowage.planning.PlanningProblem;
import java.io.InputStream;

/**
 * The recorded planning problems under {@code resources/timing}, whose README says what they are.
 */
final class TimingProblem {
  private TimingProblem() {}

  /**
   * Reads a problem.
   *
   * @param name such as {@code timing_mixed_1000}
   * @throws IllegalArgumentException if there is none of this name
   */
  static PlanningProblem read(String name) {
    try (Source source = Source.of(name + ".json", open(name))) {
      return ProblemReader.read(source, ProblemOptions.NONE).next().orThrow().problem();
    }
  }

  private static InputStream open(String name) {
    InputStream resource = TimingProblem.class.getResourceAsStream("/timing/" + name + ".json.gz");
    checkArgument(resource != null, "there is no timing problem '%s'", name);
    return resource;
  }
}
