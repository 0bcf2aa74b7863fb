package dev.stowage.cli;

import com.google.common.primitives.ImmutableIntArray;
import dev.stowage.base.Message;
import dev.stowage.driver.Explainer;
import dev.stowage.planning.Arena;
import dev.stowage.planning.ArenaExplanation;
import dev.stowage.planning.ArenaExplanation.Link;
import dev.stowage.planning.PlacementExplanation;
import dev.stowage.planning.PlacementExplanation.Blocker;
import dev.stowage.planning.PlacementExplanation.Candidate;
import dev.stowage.planning.PlacementExplanation.Verdict;
import dev.stowage.planning.PlanningProblem;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.List;
import java.util.stream.Collectors;

/** Explanations of plans as text for people. */
final class ExplanationText {
  /** How many tensors of a list are shown, unless all are asked for. */
  private static final int SHOWN = 6;

  private final Style style;
  private final boolean all;
  private final StringBuilder text = new StringBuilder();

  private ExplanationText(Style style, boolean all) {
    this.style = style;
    this.all = all;
  }

  /**
   * All explanations.
   *
   * @param all true to show all tensors of every list
   */
  static String of(ExplainOptions.Explanations explanations, Style style, boolean all) {
    ExplanationText it = new ExplanationText(style, all);
    explanations.tensors().forEach(it::append);
    explanations.banks().forEach(it::append);
    return it.text.toString();
  }

  private void append(Explainer.OfTensor of) {
    PlanningProblem problem = of.problem();
    PlacementExplanation it = of.placement();
    Arena arena = problem.arena(it.arena());
    heading(problem.describe(it.buffer()), of.method());
    line(
        Message.format(
            "%,d bytes, in %s at [%,d, %,d)%s",
            problem.sizeBytes(it.buffer()),
            arena.name(),
            it.offsetBytes(),
            it.offsetBytes() + it.allocatedBytes(),
            it.allocatedBytes() == problem.sizeBytes(it.buffer())
                ? ""
                : Message.format(", rounded up to %,d", it.allocatedBytes())));
    line("live over steps " + lifetime(problem, it.buffer()) + nodes(of));
    constraints(problem, it);
    for (Candidate candidate : it.candidates()) {
      append(problem, it, candidate);
    }
  }

  private static String nodes(Explainer.OfTensor of) {
    if (of.firstNode().isEmpty() && of.lastNode().isEmpty()) {
      return "";
    }
    if (of.firstNode().equals(of.lastNode())) {
      return ", at node " + of.firstNode();
    }
    return (of.firstNode().isEmpty() ? "" : ", from node " + of.firstNode())
        + (of.lastNode().isEmpty() ? "" : ", to node " + of.lastNode());
  }

  private void constraints(PlanningProblem problem, PlacementExplanation it) {
    if (it.block() != it.buffer()) {
      line(
          Message.format(
              "lies in the bytes of %s, %,d bytes from its start, and goes where that goes",
              problem.describe(it.block()), it.offsetInBlock()));
    }
    long own = problem.bufferAlignment(it.buffer());
    line(
        Message.format("aligned to %,d bytes", problem.arenaAlignment(it.arena()))
            + (own > 1 ? Message.format(", and itself to %,d", own) : ""));
    if (problem.overReadBytes(it.buffer()) > 0) {
      line(Message.format("read up to %,d bytes past its end", problem.overReadBytes(it.buffer())));
    }
    int pin = problem.pinnedArena(it.block());
    if (pin >= 0) {
      line("pinned to " + problem.arena(pin).name());
    } else if (problem.arenaSet(it.buffer()) != 0) {
      line("kept to " + names(problem, it.allowed()));
    }
    if (it.fixedOffset() >= 0) {
      line(Message.format("fixed at offset %,d", it.fixedOffset() + it.offsetInBlock()));
    }
  }

  private static String names(PlanningProblem problem, ImmutableIntArray arenas) {
    return arenas.stream().mapToObj(a -> problem.arena(a).name()).collect(Collectors.joining(", "));
  }

  private void append(PlanningProblem problem, PlacementExplanation of, Candidate it) {
    Arena arena = problem.arena(it.arena());
    String verdict =
        switch (it.verdict()) {
          case CHOSEN -> chosen(of, it);
          case CLOSED -> "closed to it: " + closed(problem, of, arena);
          case TOO_SMALL ->
              Message.format(
                      "too small: %,d bytes are required, and it has %,d in one piece",
                      it.requiredBytes(), it.availableBytes())
                  + taken(arena);
          case NO_GAP -> noGap(it) + taken(arena);
          case HAS_ROOM ->
              Message.format(
                  "has room at offset %,d, but the strategy did not use it", it.offsetBytes());
        };
    String name = arena.name();
    boolean chosen = it.verdict() == Verdict.CHOSEN;
    String lines = String.join("\n", Text.wrap(2, 4, name + ": " + verdict));
    text.append(chosen ? lines.replaceFirst("chosen", style.ok("chosen")) : lines).append('\n');
    if (!it.blockers().isEmpty()) {
      Table table = new Table(4, chosen ? "below it" : "in its way", "#bytes", "range", "steps");
      for (Blocker blocker : shown(it.blockers())) {
        table.row(
            problem.describe(blocker.block()),
            Text.number(blocker.toBytes() - blocker.fromBytes()),
            range(blocker.fromBytes(), blocker.toBytes()),
            lifetime(problem, blocker.block()));
      }
      append(table, it.blockers());
    }
  }

  private static String chosen(PlacementExplanation of, Candidate it) {
    long offset = of.offsetBytes() - of.offsetInBlock();
    if (it.offsetBytes() < 0 || it.offsetBytes() > offset) {
      return "chosen";
    }
    if (offset == 0) {
      return "chosen, at its start";
    }
    return it.offsetBytes() == offset
        ? "chosen; no lower offset is free over its lifetime"
        : Message.format("chosen, though it would also have room at offset %,d", it.offsetBytes());
  }

  private static String closed(PlanningProblem problem, PlacementExplanation of, Arena arena) {
    int pin = problem.pinnedArena(of.block());
    if (pin >= 0) {
      return "pinned to " + problem.arena(pin).name();
    }
    return arena.open()
        ? "it is kept to other banks"
        : "only what is pinned to it or on its device may go there";
  }

  private static String noGap(Candidate it) {
    return it.offsetBytes() < 0
        ? Message.format(
            "nothing is free over its lifetime where it may begin, and %,d bytes are required",
            it.requiredBytes())
        : Message.format(
            "no gap: the largest that is free over its lifetime has %,d bytes at offset %,d, and"
                + " %,d are required",
            it.availableBytes(), it.offsetBytes(), it.requiredBytes());
  }

  private static String taken(Arena arena) {
    return arena.describeTaken().map(it -> "; " + it).orElse("");
  }

  private void append(Explainer.OfBank of) {
    PlanningProblem problem = of.problem();
    ArenaExplanation it = of.arena();
    Arena arena = problem.arena(it.arena());
    heading("why " + arena.name() + " is no smaller", of.method());
    if (it.chain().isEmpty()) {
      line(Message.format("%,d bytes, and no tensor lies in it", it.sizeBytes()));
      return;
    }
    String node = of.peakNode().isEmpty() ? "" : ", node " + of.peakNode();
    line(
        Message.format(
            "%,d bytes; at step %d%s, %,d bytes are needed for what is live in it",
            it.sizeBytes(), problem.stepNumber(it.peakStep()), node, it.boundBytes()));
    arena.describeTaken().ifPresent(this::line);
    Table live = new Table(4, "live then", "#bytes", "steps");
    for (int block : shown(it.live())) {
      live.row(
          problem.describe(block),
          Text.number(problem.allocatedBytes(block, it.arena())),
          lifetime(problem, block));
    }
    append(live, it.live());
    if (it.fragmentationBytes() == 0) {
      text.append("  ").append(style.ok("cannot be lower")).append(" with these tensors in it\n");
      return;
    }
    line(
        Message.format(
            "%,d bytes (%s) above that are fragmentation: from the top down, each of these lies on"
                + " the next",
            it.fragmentationBytes(), percent(it.fragmentationBytes(), it.boundBytes())));
    Table chain = new Table(4, "held up", "#bytes", "range", "steps", "#gap below");
    for (Link link : shown(it.chain())) {
      chain.row(
          problem.describe(link.block()),
          Text.number(link.toBytes() - link.fromBytes()),
          range(link.fromBytes(), link.toBytes()),
          lifetime(problem, link.block()),
          Text.number(link.gapBytes()));
    }
    append(chain, it.chain());
    if (it.topBytes() > 0) {
      line(Message.format("%,d bytes of padding or over-reads lie above all", it.topBytes()));
    }
  }

  /** Rounded to a tenth. */
  private static String percent(long part, long whole) {
    return whole == 0
        ? "all"
        : BigDecimal.valueOf(part)
                .multiply(BigDecimal.valueOf(100))
                .divide(BigDecimal.valueOf(whole), 1, RoundingMode.HALF_UP)
            + "%";
  }

  private void heading(String title, String method) {
    String where = method.isEmpty() ? "" : " in " + Text.shorten(method, Text.WIDTH / 3);
    text.append('\n')
        .append(style.bold(Text.shorten(title, Text.WIDTH - where.length()) + where))
        .append('\n');
  }

  private void line(String sentence) {
    Text.wrap(2, 4, sentence).forEach(it -> text.append(it).append('\n'));
  }

  private <T> List<T> shown(List<T> list) {
    return all || list.size() <= SHOWN ? list : list.subList(0, SHOWN);
  }

  private void append(Table table, List<?> list) {
    table.appendTo(text, style);
    int more = list.size() - shown(list).size();
    if (more > 0) {
      text.append("    ... and ").append(Text.number(more)).append(" more; -v shows all\n");
    }
  }

  private static String range(long from, long to) {
    return Message.format("[%,d, %,d)", from, to);
  }

  private static String lifetime(PlanningProblem problem, int buffer) {
    return problem.stepNumber(problem.start(buffer))
        + ".."
        + problem.stepNumber(problem.end(buffer));
  }
}
