package dev.stowage.passes;

import dev.stowage.base.Call;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.Kinds;
import dev.stowage.base.OptionSpec;
import dev.stowage.planning.Planner;

/**
 * What the check of a pass's options may look at, before any pass runs.
 *
 * @param planner knows the strategies that an option may name
 * @param files gives the files that one may name
 */
public record CheckContext(Planner planner, FileAccess files) {
  /**
   * The content of a text file that an option names, in UTF-8 and decompressed where it is gzip.
   *
   * @param call of the pass
   * @param option that names the file
   * @throws DiagnosticException of kind {@code input-unreadable}, pointing at the option, or {@code
   *     input-syntax} if it is no such text
   */
  public String readFile(Call call, OptionSpec<?> option, String file) {
    return readFile(files, call, option, file);
  }

  static String readFile(FileAccess files, Call call, OptionSpec<?> option, String file) {
    try {
      return files.read(file);
    } catch (DiagnosticException e) {
      Diagnostic why = e.diagnostic();
      if (!why.kind().equals(Kinds.INPUT_UNREADABLE)) {
        throw e;
      }
      Diagnostic pointing =
          call.diagnoseValue(
                  option.name(), why.kind(), "option '" + option.name() + "': " + why.message())
              .help(why.help());
      for (String note : why.notes()) {
        pointing = pointing.note(note);
      }
      throw pointing.asException();
    }
  }
}
