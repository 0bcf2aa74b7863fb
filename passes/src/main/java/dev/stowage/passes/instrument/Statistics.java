package dev.stowage.passes.instrument;

import dev.stowage.base.Message;
import dev.stowage.passes.PassInstrumentation;
import dev.stowage.passes.PassReport;
import dev.stowage.passes.PassStep;
import dev.stowage.passes.Statistic;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Adds up what passes count, of all pipelines that it observes: by pass as it was called, then by
 * statistic, in the order in which they came.
 */
public final class Statistics implements PassInstrumentation {
  private final Map<String, Map<Statistic, Long>> byCall = new LinkedHashMap<>();

  @Override
  public void passFinished(PassStep step, PassReport report) {
    Map<Statistic, Long> sums =
        byCall.computeIfAbsent(step.call().toString(), call -> new LinkedHashMap<>());
    report.statistics().forEach((statistic, count) -> sums.merge(statistic, count, Math::addExact));
  }

  /** What a pass, as it was called, has counted; 0 for what it did not. */
  public long count(String call, Statistic statistic) {
    return byCall.getOrDefault(call, Map.of()).getOrDefault(statistic, 0L);
  }

  /** How many, and of what: a line for each statistic below its pass. */
  public String table() {
    StringBuilder table = new StringBuilder("     count  pass\n");
    byCall.forEach(
        (call, sums) -> {
          table.append(Message.format("%10s  %s\n", "", call));
          sums.forEach(
              (statistic, sum) ->
                  table.append(Message.format("%,10d    %s\n", sum, statistic.summary())));
        });
    return table.toString();
  }
}
