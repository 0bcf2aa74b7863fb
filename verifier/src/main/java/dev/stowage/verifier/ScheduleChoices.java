package dev.stowage.verifier;

import static com.google.common.base.Preconditions.checkArgument;

import com.google.common.collect.ImmutableList;
import com.google.common.math.LongMath;
import dev.stowage.ir.Graph;
import dev.stowage.ir.Method;
import dev.stowage.ir.Node;
import dev.stowage.ir.Ops;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The ways through a method: which branches are taken, and how often loops run.
 *
 * <p>A loop runs 0, 1 or 2 times, the same each time that it is come to. A branch goes one way or
 * the other; one that is come to several times in a run also alternates. All combinations are taken
 * where there are no more than 64, else so many that every pair of choices at two nodes is among
 * them.
 *
 * <p>Implementation note. For pairs, each node gets a number, and each digit of it, to the base of
 * a prime p no less than the choices of any node, gives p² runs: for s and t below p, a node whose
 * digit is d chooses s + t·d mod p. Two nodes differ in some digit, and there s and t can be solved
 * for any pair of choices. That is p² times the logarithm of the number of nodes, and no search.
 */
final class ScheduleChoices {
  private static final int MOST_COMBINATIONS = 64;
  private static final int MOST_TRIPS = 2;
  private static final int LOOP_CHOICES = MOST_TRIPS + 1;

  private final Method method;
  private final long[] visitsByGraph;
  private final List<Site> sites = new ArrayList<>();
  private final ImmutableList<int[]> runs;
  private long accesses;

  /** A node where the schedule may go one of several ways. */
  private record Site(Node node, int choices) {}

  /**
   * Finds the ways.
   *
   * @throws IllegalArgumentException if a graph runs itself
   */
  ScheduleChoices(Method method) {
    this.method = method;
    int graphs = method.body().graphs().size();
    visitsByGraph = new long[graphs];
    if (graphs > 0) {
      visitsByGraph[0] = 1;
      for (int graph : callersFirst()) {
        visit(graph);
      }
    }
    runs = chooseRuns();
  }

  /** How many runs there are. */
  int runCount() {
    return runs.size();
  }

  /**
   * How many accesses to tensors all runs together have at most; {@code Long.MAX_VALUE} if more.
   */
  long accesses() {
    return LongMath.saturatedMultiply(accesses, runCount());
  }

  /** The choices of a run, fresh for one walk. */
  Run run(int number) {
    return new Run(runs.get(number));
  }

  /** True if some node runs a graph. */
  boolean isReached(int graph) {
    return visitsByGraph[graph] > 0;
  }

  /** What is chosen in one run. Remembers how often it was asked. */
  final class Run {
    private final Map<Integer, Integer> valueByNode = new HashMap<>();
    private final Map<Integer, Integer> timesByNode = new HashMap<>();

    private Run(int[] values) {
      for (int i = 0; i < values.length; i++) {
        valueByNode.put(sites.get(i).node().id(), values[i]);
      }
    }

    /** How often the loop of a node runs. */
    int trips(Node node) {
      return valueByNode.getOrDefault(node.id(), 0);
    }

    /** Which of its two ways a branch goes this time: 0 or 1. */
    int way(Node node) {
      int times = timesByNode.merge(node.id(), 1, Integer::sum);
      return valueByNode.getOrDefault(node.id(), 0) >> (times - 1) % 2 & 1;
    }
  }

  private List<Integer> callersFirst() {
    Set<Integer> finished = new LinkedHashSet<>();
    finish(0, new HashSet<>(), finished);
    return ImmutableList.copyOf(finished).reverse();
  }

  private void finish(int graph, Set<Integer> open, Set<Integer> finished) {
    Graph of = method.body().graphs().get(graph);
    checkArgument(open.add(graph), "graph %s runs itself", of.name());
    for (Node node : of.nodes()) {
      for (int called : node.graphs().asList()) {
        if (!finished.contains(called)) {
          finish(called, open, finished);
        }
      }
    }
    open.remove(graph);
    finished.add(graph);
  }

  /** Counts the visits to a graph's nodes, and finds the sites among them. */
  private void visit(int index) {
    Graph graph = method.body().graphs().get(index);
    int[] targets = targets(graph);
    long[] visits = new long[graph.nodes().size()];
    Arrays.fill(visits, visitsByGraph[index]);
    for (int position = 0; position < visits.length; position++) {
      if (isBack(targets, position)) {
        for (int inLoop = targets[position]; inLoop <= position; inLoop++) {
          visits[inLoop] = LongMath.saturatedMultiply(visits[inLoop], MOST_TRIPS + 1);
        }
      }
    }
    for (int position = 0; position < visits.length; position++) {
      Node node = graph.nodes().get(position);
      long each = 1L + node.operands().size() + node.results().length();
      accesses =
          LongMath.saturatedAdd(accesses, LongMath.saturatedMultiply(visits[position], each));
      boolean loop = isRepeating(node) || isBack(targets, position);
      if (loop) {
        sites.add(new Site(node, LOOP_CHOICES));
      } else if (node.op().equals(Ops.IF) || node.target() >= 0) {
        // Bit 0 of a choice is the way at the first visit, bit 1 that at the second.
        sites.add(new Site(node, visits[position] > 1 ? 4 : 2));
      }
      for (int i = 0; i < node.graphs().length(); i++) {
        int called = node.graphs().get(i);
        long times = LongMath.saturatedMultiply(visits[position], mostTimes(node, i));
        visitsByGraph[called] = LongMath.saturatedAdd(visitsByGraph[called], times);
      }
    }
  }

  /** Where the nodes of a graph may jump to, by position; -1 for those that do not. */
  static int[] targets(Graph graph) {
    int[] targets = new int[graph.nodes().size()];
    Arrays.fill(targets, -1);
    if (graph.nodes().stream().anyMatch(node -> node.target() >= 0)) {
      Map<Integer, Integer> positionById = new HashMap<>();
      for (int i = 0; i < targets.length; i++) {
        positionById.put(graph.nodes().get(i).id(), i);
      }
      for (int i = 0; i < targets.length; i++) {
        targets[i] = positionById.getOrDefault(graph.nodes().get(i).target(), -1);
      }
    }
    return targets;
  }

  /** True if what is at a position jumps to itself or back. */
  static boolean isBack(int[] targets, int position) {
    return targets[position] >= 0 && targets[position] <= position;
  }

  /** True if a node runs graphs more than once. */
  static boolean isRepeating(Node node) {
    return node.callsGraphs()
        && (node.op().equals(Ops.WHILE) || node.op().equals(Ops.MAP) || node.op().equals(Ops.SCAN));
  }

  private static int mostTimes(Node node, int graph) {
    boolean condition = node.op().equals(Ops.WHILE) && graph == 0;
    return condition ? MOST_TRIPS + 1 : isRepeating(node) ? MOST_TRIPS : 1;
  }

  private ImmutableList<int[]> chooseRuns() {
    long combinations = 1;
    int most = 2;
    for (Site site : sites) {
      combinations = LongMath.saturatedMultiply(combinations, site.choices());
      most = Math.max(most, site.choices());
    }
    ImmutableList.Builder<int[]> chosen = ImmutableList.builder();
    if (combinations <= MOST_COMBINATIONS) {
      for (int number = 0; number < combinations; number++) {
        int[] values = new int[sites.size()];
        int rest = number;
        for (int i = 0; i < values.length; i++) {
          values[i] = rest % sites.get(i).choices();
          rest /= sites.get(i).choices();
        }
        chosen.add(values);
      }
      return chosen.build();
    }
    int prime = most == 4 ? 5 : most;
    for (long unit = 1; unit < sites.size(); unit *= prime) {
      for (int s = 0; s < prime; s++) {
        for (int t = 0; t < prime; t++) {
          int[] values = new int[sites.size()];
          for (int i = 0; i < values.length; i++) {
            int digit = (int) (i / unit % prime);
            values[i] = (s + t * digit) % prime % sites.get(i).choices();
          }
          chosen.add(values);
        }
      }
    }
    return chosen.build();
  }
}
