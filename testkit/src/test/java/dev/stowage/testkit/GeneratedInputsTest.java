package dev.stowage.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import dev.stowage.ir.Program;
import dev.stowage.ir.memory.MemoryKeys;
import dev.stowage.ir.structure.Structure;
import dev.stowage.ir.text.ProgramParser;
import dev.stowage.ir.text.ProgramPrinter;
import dev.stowage.passes.PassManager;
import dev.stowage.passes.PlannedMethod;
import dev.stowage.planning.Constraint;
import dev.stowage.planning.LowerBounds;
import dev.stowage.planning.PlanningProblem;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What passes and strategies are checked with is itself right, and not all the same. */
class GeneratedInputsTest {
  @Test
  void programs_ofAllSeeds_areWellFormedAndReadable() {
    Set<String> texts = new HashSet<>();
    for (int seed = 0; seed < 300; seed++) {
      Program program = GeneratedPrograms.of(seed);
      assertThat(Structure.check(program)).as("seed %s", seed).isEmpty();
      String text = ProgramPrinter.print(program);
      assertThat(ProgramParser.parse("t", text)).as("seed %s", seed).isEqualTo(program);
      assertThat(GeneratedPrograms.of(seed)).as("seed %s", seed).isEqualTo(program);
      texts.add(text);
    }
    assertThat(texts).hasSize(300);
    String all = String.join("\n", texts);
    assertThat(all)
        .contains(
            " view ", " mutates ", " same ", " state @", " const", "shares=", "-> ", "on cuda")
        .contains("pin=", "owner=", "bounded", "f32[0,4]", "allocation=", "out %", "trainable=")
        .contains("while(", "if(", "call(", "map(", "graph @", "method @method1", "tensor %", "_");
  }

  @Test
  void programs_ofTheSeedsUsed_areMostlyPlanned() {
    PassManager manager = PassManager.withInstalledPasses();
    int planned = 0;
    for (int seed = 0; seed < 60; seed++) {
      for (PlannedMethod method :
          manager
              .run(GeneratedPrograms.of(seed), PlanValidity.PLAN, PlainSettings.create())
              .plans()) {
        planned += method.isVerified() ? 1 : 0;
      }
    }
    assertThat(planned).isGreaterThan(40);
  }

  @Test
  void problems_ofAnyConstraints_haveThose() {
    for (Set<Constraint> drawn : Sets.combinations(ImmutableSet.copyOf(Constraint.values()), 2)) {
      ImmutableSet<Constraint> constraints = ImmutableSet.copyOf(drawn);
      for (int seed = 0; seed < 30; seed++) {
        GeneratedProblems.Feasible generated = GeneratedProblems.of(seed, constraints);
        PlanningProblem problem = generated.problem();
        assertThat(problem.constraints()).as("%s", problem.name()).isEqualTo(constraints);
        assertThat(LowerBounds.of(problem).totalBytes())
            .as("%s", problem.name())
            .isLessThanOrEqualTo(generated.bytes());
      }
    }
  }

  @Test
  void problems_ofOneSeed_areTheSame() {
    ImmutableSet<Constraint> all = ImmutableSet.copyOf(Constraint.values());
    for (int seed = 0; seed < 100; seed++) {
      assertThat(ProblemText.of(GeneratedProblems.of(seed, all).problem()))
          .isEqualTo(ProblemText.of(GeneratedProblems.of(seed, all).problem()));
    }
  }

  @Test
  void bundled_inputs_areThere() {
    for (Program program : Bundled.programs()) {
      assertThat(Structure.check(program)).as(program.name()).isEmpty();
      assertThat(program.methods())
          .extracting(method -> method.keys().contains(MemoryKeys.ORIGIN))
          .contains(true);
    }
    assertThat(Bundled.programs()).hasSize(12);
    assertThat(Bundled.problems()).hasSizeGreaterThan(90);
    assertThat(Bundled.problems())
        .extracting(PlanningProblem::name)
        .contains("A.1048576", "greedy_pools/0")
        .anyMatch(name -> name.startsWith("banked/"));
  }
}
