package dev.stowage.passes.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.ir.Alias;
import dev.stowage.ir.DType;
import dev.stowage.ir.Method;
import dev.stowage.ir.MethodBuilder;
import dev.stowage.ir.Ops;
import dev.stowage.ir.TensorType;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The bytes live at each position are what one gets by looking at every tensor there. */
class LivenessPropertyTest {
  private static final int SEEDS = 2_000;

  @Test
  void liveness_randomMethods_isTheSumOfWhatIsLive() {
    for (int seed = 0; seed < SEEDS; seed++) {
      Method method = method(new Random(seed));
      Analyses analyses = new Analyses();
      Lifetimes lifetimes = analyses.lifetimes(method);
      Liveness liveness = analyses.liveness(method);
      int positions = method.entry().nodes().size();
      int peak = 0;
      for (int position = 0; position < positions; position++) {
        List<Integer> live = new ArrayList<>();
        long sum = 0;
        for (int tensor = 0; tensor < method.tensors().size(); tensor++) {
          if (method.tensor(tensor).alias() == null
              && !method.tensor(tensor).constant()
              && lifetimes.first(tensor) <= position
              && lifetimes.last(tensor) >= position) {
            live.add(tensor);
            sum += method.tensor(tensor).type().bytes();
          }
        }
        assertThat(liveness.liveBytes(position)).as("seed %s at %s", seed, position).isEqualTo(sum);
        assertThat(liveness.liveAt(position))
            .as("seed %s at %s", seed, position)
            .containsExactly(live.stream().mapToInt(tensor -> tensor).toArray());
        peak = sum > liveness.liveBytes(peak) ? position : peak;
      }
      assertThat(liveness.peak()).as("seed %s", seed).isEqualTo(peak);
    }
  }

  private static Method method(Random random) {
    MethodBuilder builder = Method.builder("m");
    int main = builder.graph("main");
    List<Integer> known = new ArrayList<>();
    for (int i = 1 + random.nextInt(10); i > 0; i--) {
      boolean input = known.isEmpty() || random.nextInt(5) == 0;
      MethodBuilder.NodeBuilder node = builder.node(main, input ? Ops.INPUT : "a");
      for (int k = input ? 0 : random.nextInt(3); k > 0; k--) {
        node.reads(known.get(random.nextInt(known.size())));
      }
      Alias alias =
          input || random.nextInt(3) > 0
              ? null
              : Alias.mutates(known.get(random.nextInt(known.size())));
      String state = alias == null && random.nextInt(8) == 0 ? "s" : null;
      boolean constant = alias == null && random.nextInt(8) == 0;
      TensorType type = TensorType.of(DType.U8, random.nextInt(100));
      int tensor = builder.tensor("", type, constant, state, alias);
      node.yields(tensor).add();
      known.add(tensor);
    }
    builder.node(main, Ops.OUTPUT).reads(known.get(random.nextInt(known.size()))).add();
    return builder.build();
  }
}
