package dev.stowage.verifier;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.ir.Alias;
import dev.stowage.ir.DType;
import dev.stowage.ir.GraphEditor;
import dev.stowage.ir.Method;
import dev.stowage.ir.MethodBuilder;
import dev.stowage.ir.Node;
import dev.stowage.ir.Operand;
import dev.stowage.ir.Operand.Access;
import dev.stowage.ir.Ops;
import dev.stowage.ir.TensorType;
import dev.stowage.ir.memory.MemoryKeys;
import dev.stowage.verifier.ClaimedPlan.Place;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

final class ProgramVerifierPropertyTest {
  private static final int ROUNDS = 2_000;
  private static final int ALIGNMENT = 8;
  private static final ProgramVerifier.Rules RULES = ProgramVerifier.Rules.aligned(ALIGNMENT);

  /** First and last step, as an obvious walk finds them. */
  private record Life(int first, int last) {
    boolean meets(Life other) {
      return first <= other.last && other.first <= last;
    }

    static Life hull(Life old, int step) {
      return new Life(Math.min(old.first, step), Math.max(old.last, step));
    }
  }

  @Test
  void verify_validPlan_findsNothing() {
    for (int seed = 0; seed < ROUNDS; seed++) {
      Method method = randomMethod(new Random(seed));
      assertThat(ProgramVerifier.verify(method, firstFit(method), RULES))
          .as("seed %d", seed)
          .isEmpty();
    }
  }

  @Test
  void verify_placesMovedAtRandom_findsThePairsThatAllPairsFind() {
    int inPlace = 0;
    for (int seed = 0; seed < ROUNDS; seed++) {
      Random random = new Random(seed);
      Method method = randomMethod(random);
      ClaimedPlan valid = firstFit(method);
      List<Place> places = new ArrayList<>(valid.places());
      for (int moves = 1 + random.nextInt(4); moves > 0; moves--) {
        int index = random.nextInt(places.size());
        Place old = places.get(index);
        places.set(index, new Place(old.subject(), 1, -1, random.nextInt(150)));
      }
      ClaimedPlan broken = ClaimedPlan.of(places, valid.arenaSizes());
      Set<String> found = new TreeSet<>();
      for (Finding finding : ProgramVerifier.verify(method, broken, RULES)) {
        if (finding.subjects().size() == 2) {
          found.add(
              "%s %d %d"
                  .formatted(
                      finding.kind(),
                      finding.subjects().get(0).number(),
                      finding.subjects().get(1).number()));
        }
        inPlace += finding.kind() == FindingKind.IN_PLACE_OVERLAP ? 1 : 0;
      }
      assertThat(found).as("seed %d", seed).isEqualTo(slowPairs(method, places));
    }
    assertThat(inPlace).isGreaterThan(100);
  }

  @Test
  void verify_droppedShrunkOrMisaligned_isAlwaysFound() {
    for (int seed = 0; seed < ROUNDS; seed++) {
      Random random = new Random(seed);
      Method method = randomMethod(random);
      ClaimedPlan valid = firstFit(method);
      int index = random.nextInt(valid.places().size());
      Place victim = valid.places().get(index);

      List<Place> dropped = new ArrayList<>(valid.places());
      dropped.remove(index);
      assertThat(ProgramVerifier.verify(method, ClaimedPlan.of(dropped, valid.arenaSizes()), RULES))
          .as("dropped, seed %d", seed)
          .anyMatch(
              finding ->
                  (finding.kind() == FindingKind.NOT_PLACED
                          || finding.kind() == FindingKind.INPUT_OUTPUT)
                      && finding.subjects().get(0).number() == victim.subject());

      long[] sizes = valid.arenaSizes();
      sizes[1]--;
      assertThat(ProgramVerifier.verify(method, ClaimedPlan.of(valid.places(), sizes), RULES))
          .as("shrunk, seed %d", seed)
          .extracting(Finding::kind)
          .contains(FindingKind.OUTSIDE_ARENA);

      List<Place> misaligned = new ArrayList<>(valid.places());
      misaligned.set(index, new Place(victim.subject(), 1, -1, victim.offsetBytes() + 1));
      assertThat(
              ProgramVerifier.verify(method, ClaimedPlan.of(misaligned, valid.arenaSizes()), RULES))
          .as("misaligned, seed %d", seed)
          .extracting(Finding::kind)
          .contains(FindingKind.MISALIGNED);
    }
  }

  /** One graph of plain, viewing, in-place and out-variant nodes. */
  private static Method randomMethod(Random random) {
    MethodBuilder builder = Method.builder("random");
    int graph = builder.graph("main");
    List<Integer> handles = new ArrayList<>();
    for (int i = 1 + random.nextInt(2); i > 0; i--) {
      handles.add(builder.tensor("", bytes(random)));
      builder.node(graph, Ops.INPUT).yields(handles.get(handles.size() - 1)).add();
    }
    for (int i = 2 + random.nextInt(10); i > 0; i--) {
      int one = handles.get(random.nextInt(handles.size()));
      int other = handles.get(random.nextInt(handles.size()));
      switch (random.nextInt(5)) {
        case 0 -> {
          int view =
              builder.tensor("", TensorType.of(DType.U8, 1), false, null, Alias.view(one, 0));
          builder.node(graph, Ops.VIEW).operand(one, Access.BIND).yields(view).add();
          handles.add(view);
        }
        case 1 -> {
          int result = builder.tensor("", bytes(random), false, null, Alias.mutates(one));
          builder
              .node(graph, "add_")
              .operand(one, Access.READ_WRITE)
              .reads(other)
              .yields(result)
              .add();
          handles.add(result);
        }
        case 2 -> {
          int out = builder.tensor("", bytes(random));
          int same = builder.tensor("", bytes(random), false, null, Alias.same(out));
          builder.node(graph, Ops.ALLOC).yields(out).add();
          builder
              .node(graph, "add.out")
              .reads(one, other)
              .operand(out, Access.WRITE)
              .yields(same)
              .add();
          handles.add(same);
        }
        default -> {
          int result = builder.tensor("", bytes(random));
          builder.node(graph, "add").reads(one, other).yields(result).add();
          handles.add(result);
        }
      }
    }
    builder.node(graph, Ops.OUTPUT).reads(handles.get(random.nextInt(handles.size()))).add();
    return outlasting(builder.build(), random);
  }

  /** Lets some storages stay alive until nodes at random, also before they are used. */
  private static Method outlasting(Method method, Random random) {
    GraphEditor editor = method.edit();
    for (int tensor = 0; tensor < method.tensors().size(); tensor++) {
      if (random.nextInt(6) == 0) {
        List<Node> nodes = method.entry().nodes();
        editor.annotate(tensor, MemoryKeys.UNTIL, nodes.get(random.nextInt(nodes.size())).id());
      }
    }
    return editor.build();
  }

  private static TensorType bytes(Random random) {
    return TensorType.of(DType.U8, 1 + random.nextInt(60));
  }

  private static ClaimedPlan firstFit(Method method) {
    Map<Integer, Life> lives = lives(method, /* plain= */ false);
    List<Place> places = new ArrayList<>();
    long size = 0;
    for (int storage : new TreeSet<>(lives.keySet())) {
      long offset = 0;
      Place place = new Place(storage, 1, -1, offset);
      for (int i = 0; i < places.size(); i++) {
        Place other = places.get(i);
        if (life(lives, storage).meets(life(lives, other.subject()))
            && shareBytes(method, place, other)) {
          offset += ALIGNMENT;
          place = new Place(storage, 1, -1, offset);
          i = -1;
        }
      }
      places.add(place);
      size = Math.max(size, offset + method.tensor(storage).type().bytes());
    }
    return ClaimedPlan.of(places, 0, size);
  }

  private static Set<String> slowPairs(Method method, List<Place> places) {
    Map<Integer, Life> lives = lives(method, /* plain= */ false);
    Map<Integer, Life> plain = lives(method, /* plain= */ true);
    Set<String> pairs = new TreeSet<>();
    for (Place a : places) {
      for (Place b : places) {
        if (a.subject() < b.subject()
            && shareBytes(method, a, b)
            && life(lives, a.subject()).meets(life(lives, b.subject()))) {
          boolean anyway = life(plain, a.subject()).meets(life(plain, b.subject()));
          FindingKind kind = anyway ? FindingKind.OVERLAP : FindingKind.IN_PLACE_OVERLAP;
          pairs.add("%s %d %d".formatted(kind, a.subject(), b.subject()));
        }
      }
    }
    return pairs;
  }

  private static Life life(Map<Integer, Life> lives, int storage) {
    return lives.getOrDefault(storage, new Life(Integer.MAX_VALUE, -1));
  }

  private static boolean shareBytes(Method method, Place a, Place b) {
    return a.offsetBytes() < b.offsetBytes() + method.tensor(b.subject()).type().bytes()
        && b.offsetBytes() < a.offsetBytes() + method.tensor(a.subject()).type().bytes();
  }

  /** Lives by storage; with {@code plain}, uses of in-place results do not count. */
  private static Map<Integer, Life> lives(Method method, boolean plain) {
    Map<Integer, Life> lives = new HashMap<>();
    List<Node> nodes = method.entry().nodes();
    for (int step = 0; step < nodes.size(); step++) {
      Node node = nodes.get(step);
      int now = node.op().equals(Ops.INPUT) ? 0 : step;
      List<Integer> used = new ArrayList<>();
      for (Operand operand : node.operands()) {
        if (operand.access() != Access.BIND && !(plain && isInPlace(method, operand.tensor()))) {
          used.add(operand.tensor());
        }
      }
      for (int result : node.results().asList()) {
        Alias alias = method.tensor(result).alias();
        boolean written =
            alias == null
                || (alias.kind() == Alias.Kind.MUTATES
                    && !(plain && isInPlace(method, alias.base())));
        if (written && !node.op().equals(Ops.ALLOC)) {
          used.add(result);
        }
      }
      for (int tensor : used) {
        lives.merge(root(method, tensor), new Life(now, now), (old, same) -> Life.hull(old, now));
      }
    }
    for (int step = 0; step < nodes.size(); step++) {
      int now = step;
      int id = nodes.get(step).id();
      lives.replaceAll(
          (storage, life) ->
              life.first <= now && method.get(MemoryKeys.UNTIL, storage).equals(Optional.of(id))
                  ? Life.hull(life, now)
                  : life);
    }
    return lives;
  }

  private static int root(Method method, int tensor) {
    Alias alias = method.tensor(tensor).alias();
    return alias == null ? tensor : root(method, alias.base());
  }

  private static boolean isInPlace(Method method, int tensor) {
    Alias alias = method.tensor(tensor).alias();
    return alias != null && (alias.kind() == Alias.Kind.MUTATES || isInPlace(method, alias.base()));
  }
}
