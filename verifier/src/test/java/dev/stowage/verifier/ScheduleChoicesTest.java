package dev.stowage.verifier;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.ir.Method;
import dev.stowage.ir.MethodBuilder;
import dev.stowage.ir.Node;
import dev.stowage.ir.Ops;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class ScheduleChoicesTest {
  /** Branches and loops by turns, none in another. */
  private static Method method(int sites) {
    MethodBuilder builder = Method.builder("choices");
    int main = builder.graph("main");
    int body = builder.graph("body");
    builder.node(body, Ops.OUTPUT).add();
    for (int i = 0; i < sites; i++) {
      if (i % 3 == 2) {
        builder.node(main, Ops.MAP).runs(body).add();
      } else {
        builder.node(main, Ops.IF).runs(body).runs(body).add();
      }
    }
    builder.node(main, Ops.OUTPUT).add();
    return builder.build();
  }

  private static int choice(ScheduleChoices.Run run, Node node) {
    return node.op().equals(Ops.MAP) ? run.trips(node) : run.way(node);
  }

  @Test
  void runs_ofFewChoices_areAllCombinations() {
    Method method = method(5);
    ScheduleChoices choices = new ScheduleChoices(method);
    Set<List<Integer>> seen = new HashSet<>();
    for (int i = 0; i < choices.runCount(); i++) {
      ScheduleChoices.Run run = choices.run(i);
      List<Integer> made = new ArrayList<>();
      for (Node node : method.entry().nodes().subList(0, 5)) {
        made.add(choice(run, node));
      }
      seen.add(made);
    }
    assertThat(seen).hasSize(2 * 2 * 3 * 2 * 2);
    assertThat(choices.runCount()).isEqualTo(48);
  }

  @Test
  void runs_ofManyChoices_haveEveryPair() {
    int sites = 100;
    Method method = method(sites);
    ScheduleChoices choices = new ScheduleChoices(method);
    Set<List<Integer>> pairs = new HashSet<>();
    for (int i = 0; i < choices.runCount(); i++) {
      int[] made = new int[sites];
      ScheduleChoices.Run run = choices.run(i);
      for (int site = 0; site < sites; site++) {
        made[site] = choice(run, method.entry().nodes().get(site));
      }
      for (int a = 0; a < sites; a++) {
        for (int b = a + 1; b < sites; b++) {
          pairs.add(List.of(a, made[a], b, made[b]));
        }
      }
    }
    int expected = 0;
    for (int a = 0; a < sites; a++) {
      for (int b = a + 1; b < sites; b++) {
        expected += (a % 3 == 2 ? 3 : 2) * (b % 3 == 2 ? 3 : 2);
      }
    }
    assertThat(pairs).hasSize(expected);
    // Nine for each of five digits to the base of 3.
    assertThat(choices.runCount()).isEqualTo(45);
  }

  @Test
  void way_ofABranchInALoop_alsoAlternates() {
    MethodBuilder builder = Method.builder("choices");
    int main = builder.graph("main");
    int body = builder.graph("body");
    int leaf = builder.graph("leaf");
    builder.node(leaf, Ops.OUTPUT).add();
    builder.node(body, Ops.IF).runs(leaf).runs(leaf).add();
    builder.node(body, Ops.OUTPUT).add();
    builder.node(main, Ops.SCAN).runs(body).add();
    builder.node(main, Ops.OUTPUT).add();
    Method method = builder.build();
    Node branch = method.body().graphs().get(body).nodes().get(0);
    ScheduleChoices choices = new ScheduleChoices(method);
    Set<List<Integer>> ways = new HashSet<>();
    for (int i = 0; i < choices.runCount(); i++) {
      ScheduleChoices.Run run = choices.run(i);
      ways.add(List.of(run.way(branch), run.way(branch)));
    }
    assertThat(ways)
        .containsExactlyInAnyOrder(List.of(0, 0), List.of(0, 1), List.of(1, 0), List.of(1, 1));
    assertThat(choices.runCount()).isEqualTo(12);
  }
}
