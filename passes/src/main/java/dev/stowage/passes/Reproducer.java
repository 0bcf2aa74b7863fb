package dev.stowage.passes;

import com.google.common.base.CharMatcher;
import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.stowage.base.Call;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.TextCursor;
import dev.stowage.ir.Program;
import dev.stowage.ir.text.ProgramPrinter;
import dev.stowage.planning.Planner;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * Everything that is needed to run a failed pipeline again: the program as it was when the pipeline
 * began, the pipeline, what was asked of planning, and the files that passes read. As text it is
 * the program in its textual form, the rest in comments above it:
 *
 * <pre>
 * # stowage-reproducer 1
 * # version: 0.1.0
 * # plugin: "acme.jar"
 * # pipeline: pin-pool{rules=pools.json},plan
 * # settings: settings{alignment=64}
 * # failure: pass 'acme-pin' from acme.jar failed: ...
 * # file: "pools.json"
 * #|{"rules": [{"mem_id": 2}]}
 *
 * program "kws"
 * ...
 * </pre>
 *
 * @param version of Stowage
 * @param plugins the jars that were given, as they were named
 * @param pipeline what ran
 * @param settings what was asked of planning and of the run, as a call
 * @param files the content of each file that passes read, by the name that an option gave it
 * @param failure what happened, in one line
 * @param program the input of the pipeline
 */
public record Reproducer(
    String version,
    ImmutableList<String> plugins,
    Pipeline pipeline,
    Call settings,
    ImmutableMap<String, String> files,
    String failure,
    Program program) {

  /**
   * The reproducer of a pipeline that failed.
   *
   * @param run how it was run: its checks and its deadline
   */
  public static Reproducer of(
      String version,
      ImmutableList<String> plugins,
      Program program,
      Pipeline pipeline,
      PlanningSettings settings,
      RunOptions run,
      ImmutableMap<String, String> files,
      String failure) {
    return new Reproducer(
        version,
        plugins,
        pipeline,
        RecordedSettings.call(settings, run),
        files,
        CharMatcher.anyOf("\r\n").collapseFrom(failure, ' ').strip(),
        program);
  }

  /** Appends the text, which {@link #parse} reads back. */
  public void write(Appendable to) throws IOException {
    to.append(ReproducerReader.FIRST_LINE);
    line(to, ReproducerReader.VERSION, version);
    for (String plugin : plugins) {
      line(to, ReproducerReader.PLUGIN, TextCursor.quote(plugin));
    }
    line(to, ReproducerReader.PIPELINE, pipeline.toString());
    line(to, ReproducerReader.SETTINGS, settings.toString());
    line(to, ReproducerReader.FAILURE, failure);
    for (Map.Entry<String, String> file : files.entrySet()) {
      line(to, ReproducerReader.FILE, TextCursor.quote(file.getKey()));
      for (String line : Splitter.on('\n').split(file.getValue())) {
        to.append('\n').append(ReproducerReader.CONTENT).append(line);
      }
    }
    to.append("\n\n");
    ProgramPrinter.print(program, to);
  }

  private static void line(Appendable to, String key, String value) throws IOException {
    to.append("\n# ").append(key).append(": ").append(value);
  }

  /**
   * Reads a reproducer.
   *
   * @param source what it is called in errors
   * @throws DiagnosticException of a kind {@code input-*} or {@code map-*}, pointing into the text
   */
  public static Reproducer parse(String source, String text) {
    return new ReproducerReader(source, text).read();
  }

  /**
   * The pipeline in canonical form, all names and options checked.
   *
   * @throws DiagnosticException of a kind {@code input-*}, pointing into the text that it was read
   *     from
   */
  public Pipeline pipeline(PassManager manager) {
    return ReproducerReader.asInput(() -> manager.pipeline(pipeline));
  }

  /** True if what passes promise was checked. */
  public boolean checked() {
    return new RecordedSettings(settings).checked();
  }

  /** How long the pipeline might take, if that was limited. */
  public Optional<Duration> deadline() {
    return new RecordedSettings(settings).deadline();
  }

  /**
   * What was asked of planning.
   *
   * @param planner knows the strategies
   */
  public PlanningSettings settings(Planner planner) {
    return new RecordedSettings(settings).planning(planner);
  }
}
