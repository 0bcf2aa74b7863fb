package dev.stowage.cli;

import com.google.common.collect.ImmutableList;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.io.Sink;
import dev.stowage.base.io.Source;
import dev.stowage.driver.Conversion;
import dev.stowage.driver.Extensions;
import java.io.IOException;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code stowage convert}. */
@CommandLine.Command(
    name = "convert",
    description = "Writes what is in a file in another format.",
    footer = {
      "",
      "Examples:",
      "  stowage convert problem.csv problem.json",
      "  stowage convert model.tflite model.stow",
      "  stowage convert model.tflite problem.csv.gz",
      "",
      "The ending of OUT says what to write: .json, .jsonl, .csv, .stow, each with or",
      "without .gz; see stowage list formats.",
      "",
      "Exit codes: 0 done; 2 wrong usage; 3 input invalid, not expressible in the format",
      "of OUT, or output unwritable; 4 defect of Stowage; 5 plug-in failed.",
    })
final class ConvertCommand extends Command {
  @Parameters(index = "0", paramLabel = "IN", description = "What to read; - is standard input.")
  private String in = "";

  @Parameters(index = "1", paramLabel = "OUT", description = "The file to write.")
  private String out = "";

  @Mixin private final PluginOptions plugins = new PluginOptions();

  @Override
  int run(Run run) throws IOException {
    if (out.equals(Sink.STANDARD_OUTPUT)) {
      throw usage(
          "standard output has no ending that would say what to write",
          "give a file's name, such as problem.json");
    }
    Conversion.checkTarget(out);
    checkFiles(plugins.andJars(ImmutableList.of(in)), ImmutableList.of(out));
    try (Extensions extensions = plugins.open();
        Source source = Source.open(in, run.terminal().in());
        OutputFile file = OutputFile.open(out)) {
      Conversion.convert(source, out, file.sink(), extensions);
      file.commit();
    } catch (DiagnosticException e) {
      throw Messages.in(e.diagnostic(), in).asException();
    }
    return ExitCodes.DONE;
  }
}
