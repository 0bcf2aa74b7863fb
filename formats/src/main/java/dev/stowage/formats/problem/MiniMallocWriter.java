package dev.stowage.formats.problem;

import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.Kinds;
import dev.stowage.base.Location;
import dev.stowage.planning.MemoryPlan;
import dev.stowage.planning.PlanningProblem;
import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Writes problems, and plans of them, as MiniMalloc's CSV. Columns that no buffer uses are left
 * out; the alignment is the least common multiple of the plan's and the buffer's.
 */
public final class MiniMallocWriter {
  private MiniMallocWriter() {}

  /**
   * Writes a problem, and with a plan its solution, whose last column is {@code offset}.
   *
   * @throws DiagnosticException of kind {@code input-unsupported} if the problem has what the
   *     format cannot express: storage bases, separations, over-reads, reserved bytes, several
   *     arenas in use, or a name with a comma or a line break
   * @throws IOException if the output fails
   */
  public static void write(Appendable out, PlanningProblem problem, Optional<MemoryPlan> plan)
      throws IOException {
    checkExpressible(problem);
    @Nullable MemoryPlan solution = plan.orElse(null);
    boolean fixed = false;
    boolean aligned = false;
    for (int i = 0; i < problem.bufferCount(); i++) {
      fixed |= problem.fixedOffset(i) >= 0;
      aligned |= alignment(problem, i) != 1;
    }
    boolean gaps = problem.gapCount() > 0;
    out.append("id,lower,upper,size");
    out.append(aligned ? ",alignment" : "").append(gaps ? ",gaps" : "");
    out.append(solution != null || fixed ? ",offset\n" : "\n");
    int gap = 0;
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < problem.bufferCount(); i++) {
      line.setLength(0);
      line.append(id(problem, i)).append(',').append(problem.start(i)).append(',');
      line.append(problem.end(i) + 1L).append(',').append(problem.sizeBytes(i));
      if (aligned) {
        line.append(',').append(alignment(problem, i));
      }
      if (gaps) {
        line.append(',');
        for (String blank = ""; gap < problem.gapCount() && problem.gapBuffer(gap) == i; gap++) {
          line.append(blank).append(problem.gapStart(gap)).append('-');
          line.append(problem.gapEnd(gap) + 1L);
          blank = " ";
        }
      }
      if (solution != null) {
        line.append(',').append(solution.offsetBytes(i));
      } else if (fixed) {
        line.append(',').append(problem.fixedOffset(i));
      }
      out.append(line.append('\n'));
    }
  }

  private static String id(PlanningProblem problem, int buffer) {
    String name = problem.bufferName(buffer);
    return name == null ? Integer.toString(buffer) : name;
  }

  private static long alignment(PlanningProblem problem, int buffer) {
    long a = problem.arenaAlignment(0);
    long b = problem.bufferAlignment(buffer);
    return b == 1 ? a : a / gcd(a, b) * b;
  }

  private static long gcd(long a, long b) {
    return b == 0 ? a : gcd(b, a % b);
  }

  private static void checkExpressible(PlanningProblem problem) {
    if (problem.arenaCount() > 1) {
      throw unsupported(problem, "more than one arena");
    }
    if (problem.arena(0).reservedBytes() != 0 || problem.arena(0).paddingBytes() != 0) {
      throw unsupported(problem, "reserved bytes or padding");
    }
    if (problem.separationCount() > 0) {
      throw unsupported(problem, "buffers that must not share");
    }
    boolean anyFixed = false;
    boolean allFixed = true;
    for (int i = 0; i < problem.bufferCount(); i++) {
      String name = id(problem, i);
      if (problem.base(i) != PlanningProblem.NO_BASE) {
        throw unsupported(problem, "storage-backed buffers");
      }
      if (problem.overReadBytes(i) != 0) {
        throw unsupported(problem, "over-reads");
      }
      if (name.indexOf(',') >= 0 || name.indexOf('\n') >= 0 || name.indexOf('\r') >= 0) {
        throw unsupported(problem, "a name with a comma or a line break ('" + name + "')");
      }
      anyFixed |= problem.fixedOffset(i) >= 0;
      allFixed &= problem.fixedOffset(i) >= 0;
    }
    if (anyFixed && !allFixed) {
      throw unsupported(problem, "fixed offsets of some buffers but not of others");
    }
  }

  private static DiagnosticException unsupported(PlanningProblem problem, String what) {
    return Diagnostic.of(
            Kinds.INPUT_UNSUPPORTED,
            Location.of(problem.name()),
            "MiniMalloc CSV cannot express " + what)
        .asException();
  }
}
