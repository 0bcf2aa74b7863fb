package dev.stowage.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.ImmutableList;
import dev.stowage.base.OptionSpec;
import dev.stowage.base.OptionType;
import dev.stowage.ir.Graph;
import dev.stowage.ir.Method;
import dev.stowage.passes.Fact;
import dev.stowage.passes.GraphPass;
import dev.stowage.passes.PassContext;
import dev.stowage.passes.PassSpec;
import dev.stowage.passes.Statistic;
import dev.stowage.passes.analysis.Lifetimes;
import dev.stowage.passes.analysis.Schedule;
import dev.stowage.planning.Constraint;
import dev.stowage.planning.StrategySpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReferencePageTest {
  @TempDir Path folder;

  private record OnGraphs(PassSpec spec) implements GraphPass {
    @Override
    public Method run(Method method, Graph graph, PassContext context) {
      return method;
    }
  }

  private static final ReferencePage PAGE =
      ReferencePage.ofPasses(
          ImmutableList.of(
              new OnGraphs(PassSpec.named("acme-z").summary("does nothing").readOnly().build()),
              new OnGraphs(
                  PassSpec.named("acme-a")
                      .summary("does *this* | that")
                      .description("First.\n\nSecond.")
                      .options(
                          OptionSpec.required("op", "which one", OptionType.WORD),
                          OptionSpec.of("all", "every one", OptionType.BOOLEAN, false))
                      .statistics(new Statistic("done", "tensors done"))
                      .after("assign-devices", "it goes by device")
                      .before("plan", "plans go by it")
                      .requires(Fact.PLAN, "it reads places")
                      .establishes(new Fact("done", "all is done"))
                      .destroys(Fact.PLAN)
                      .preserves(Lifetimes.ANALYSIS, Schedule.ANALYSIS)
                      .keepsPlan()
                      .idempotent()
                      .build())));

  @Test
  void ofPasses_everythingDeclared_isThere() {
    assertThat(PAGE.text())
        .isEqualTo(
            """
            # Passes

            This page is made of what the passes declare. A pipeline names them, as in
            `--pipeline 'plan{profile=executorch}'`.

            | pass | runs on | what it does |
            | --- | --- | --- |
            | [acme-a](#acme-a) | each graph | does \\*this\\* \\| that |
            | [acme-z](#acme-z) | each graph | does nothing |

            ## acme-a

            Does \\*this\\* \\| that.

            First.

            Second.

            | option | values | default | what it is for |
            | --- | --- | --- | --- |
            | `op` | `WORD` | must be set | which one |
            | `all` | `true\\|false` | `false` | every one |

            | statistic | what it counts |
            | --- | --- |
            | `done` | tensors done |

            - Runs on each graph.
            - Where a pipeline has `assign-devices`, it stands after that: it goes by device.
            - Where a pipeline has `plan`, it stands before that: plans go by it.
            - Requires that the program has a plan: it reads places.
            - Afterwards all is done.
            - No longer so afterwards: the program has a plan.
            - Preserves the analyses `lifetimes`, `schedule`.
            - A plan is still right afterwards.
            - Running it again changes nothing.

            ## acme-z

            Does nothing.

            - Runs on each graph.
            - Changes nothing.
            """);
  }

  @Test
  void ofStrategies_constraints_areInTheirOrder() {
    assertThat(
            ReferencePage.ofStrategies(
                    ImmutableList.of(
                        StrategySpec.named("acme")
                            .summary("first fit")
                            .honours(Constraint.OVER_READ, Constraint.STORAGE)
                            .build()))
                .text())
        .endsWith(
            """
            ## acme

            First fit.

            - Honours storage-backed buffers, over-reads.
            """);
  }

  @Test
  void check_pageAsDeclared_passes() throws IOException {
    PAGE.check(Files.writeString(folder.resolve("page.md"), PAGE.text()));
  }

  @Test
  void check_stalePage_saysWhereAndHowToUpdate() throws IOException {
    Path file =
        Files.writeString(
            folder.resolve("page.md"), PAGE.text().replace("does nothing", "does something"));
    assertThatThrownBy(() -> PAGE.check(file))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("page.md is stale: line 9 is\n  | [acme-z]")
        .hasMessageContaining("does something")
        .hasMessageContaining("-Dstowage.updateGolden=true");
    assertThatThrownBy(() -> PAGE.check(folder.resolve("none.md")))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("none.md is missing");
  }
}
