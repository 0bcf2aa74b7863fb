package dev.stowage.cli;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import com.google.common.collect.ImmutableList;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.Kinds;
import dev.stowage.base.Message;
import dev.stowage.base.PluginFailedException;
import dev.stowage.base.Suggestions;
import dev.stowage.driver.Stowage;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.ServiceConfigurationError;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Runs the command line: finds the command, runs it, and says in one message what went wrong. */
public final class Main {
  private final Terminal terminal;
  private final StandardOutput out;
  private Messages messages;
  private boolean verbose;

  private Main(Terminal terminal) {
    this.terminal = terminal;
    out = new StandardOutput(terminal.out());
    messages =
        new Messages(terminal.err(), new Style(terminal.errIsTerminal() && !terminal.noColor()));
  }

  /** Runs a command and ends the process with its exit code. */
  public static void main(String[] args) {
    System.exit(run(Terminal.ofProcess(), args));
  }

  /** Runs a command on other streams than those of the process; gives the exit code. */
  static int run(Terminal terminal, String... args) {
    Main main = new Main(terminal);
    return main.guard(() -> main.parseAndRun(args));
  }

  /** Runs anything as a command is run; gives the exit code. */
  static int guard(Terminal terminal, Action action) {
    return new Main(terminal).guard(action);
  }

  /** Something that may go wrong in all the ways that a command can. */
  interface Action {
    /** Gives the exit code. */
    int run() throws IOException;
  }

  private int guard(Action action) {
    try {
      return action.run();
    } catch (ClosedOutputException e) {
      return ExitCodes.DONE;
    } catch (ParameterException e) {
      return fail(usageError(e));
    } catch (DiagnosticException e) {
      return fail(e.diagnostic());
    } catch (IOException | UncheckedIOException e) {
      // Sources and sinks say for themselves what is wrong; this is about anything else.
      return fail(
          Diagnostic.of(
              Kinds.OUTPUT_UNWRITABLE, "reading or writing failed: " + Message.reason(e)));
    } catch (PluginFailedException e) {
      if (e.getCause() instanceof OutOfMemoryError) {
        return outOfMemory(
            String.valueOf(e.getMessage()), e.isOurs() ? ExitCodes.INTERNAL : ExitCodes.PLUGIN);
      }
      return e.isOurs() ? internalError(e) : pluginError(e);
    } catch (ServiceConfigurationError e) {
      return pluginError(e);
    } catch (OutOfMemoryError e) {
      return outOfMemory("out of memory", ExitCodes.INTERNAL);
    } catch (RuntimeException | Error e) {
      return internalError(e);
    }
  }

  private int parseAndRun(String... args) throws IOException {
    CommandLine line = commandLine();
    CommandLine.ParseResult parsed = line.parseArgs(args);
    for (CommandLine each : parsed.asCommandLineList()) {
      if (each.isUsageHelpRequested()) {
        boolean colored = terminal.outIsTerminal() && !terminal.noColor();
        out.print(each.getUsageMessage(colored ? Ansi.ON : Ansi.OFF));
        return ExitCodes.DONE;
      }
      if (each.isVersionHelpRequested()) {
        out.print("stowage " + Stowage.version() + "\n");
        return ExitCodes.DONE;
      }
    }
    CommandLine last = parsed.asCommandLineList().get(parsed.asCommandLineList().size() - 1);
    if (!(last.getCommand() instanceof Command command)) {
      throw Command.usage(
          "a command is missing",
          "there are "
              + String.join(", ", line.getSubcommands().keySet())
              + "; stowage --help explains them");
    }
    verbose = command.verbose();
    messages =
        new Messages(terminal.err(), command.style(terminal.errIsTerminal(), terminal.noColor()));
    Style style = command.style(terminal.outIsTerminal(), terminal.noColor());
    Run run = new Run(terminal, out, messages, style);
    return verbose ? runLogged(command, run) : command.run(run);
  }

  private static int runLogged(Command command, Run run) throws IOException {
    Logger root = (Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME);
    Level level = root.getLevel();
    root.setLevel(Level.DEBUG);
    try {
      return command.run(run);
    } finally {
      root.setLevel(level);
    }
  }

  private static CommandLine commandLine() {
    CommandLine root = new CommandLine(new RootCommand());
    addStandardOptions(root);
    for (Command command :
        ImmutableList.of(
            new PlanCommand(),
            new FitCommand(),
            new InspectCommand(),
            new VerifyCommand(),
            new ConvertCommand(),
            new RunReproducerCommand(),
            new ListCommand())) {
      CommandLine line = new CommandLine(command);
      addStandardOptions(line);
      root.addSubcommand(line);
    }
    return root.setExpandAtFiles(false)
        .setInterpolateVariables(false)
        .setUsageHelpWidth(Text.WIDTH);
  }

  private static void addStandardOptions(CommandLine line) {
    line.getCommandSpec()
        .addOption(
            OptionSpec.builder("-h", "--help")
                .usageHelp(true)
                .description("Show this and exit.")
                .build())
        .addOption(
            OptionSpec.builder("--version")
                .versionHelp(true)
                .description("Show the version and exit.")
                .build());
  }

  /** What picocli has to say, as one message of ours. */
  private static Diagnostic usageError(ParameterException e) {
    CommandLine line = e.getCommandLine();
    String name = line.getCommandSpec().qualifiedName();
    String help = "see " + name + " --help";
    if (e instanceof UnmatchedArgumentException unmatched && !unmatched.getUnmatched().isEmpty()) {
      String word = unmatched.getUnmatched().get(0);
      boolean option = unmatched.isUnknownOption();
      List<String> known =
          option
              ? ImmutableList.copyOf(line.getCommandSpec().optionsMap().keySet())
              : ImmutableList.copyOf(line.getSubcommands().keySet());
      // What follows '=' is the value.
      String given = option ? word.replaceFirst("=.*", "") : word;
      String what =
          option
              ? name + " has no option '" + given + "'"
              : known.isEmpty()
                  ? name + " takes no further argument, but there is '" + word + "'"
                  : "there is no command '" + word + "'";
      return Diagnostic.of(option ? Kinds.UNKNOWN_OPTION : Kinds.USAGE, what)
          .help(
              Suggestions.nearest(given, known)
                      .map(near -> "did you mean " + near + "? ")
                      .orElse("")
                  + help);
    }
    if (e instanceof MissingParameterException missing && !missing.getMissing().isEmpty()) {
      CommandLine.Model.ArgSpec argument = missing.getMissing().get(0);
      String what = argument.isOption() ? "the value of an option" : argument.paramLabel();
      return Diagnostic.of(Kinds.USAGE, name + ": " + what + " is missing").help(help);
    }
    return Diagnostic.of(Kinds.USAGE, name + ": " + Text.clean(String.valueOf(e.getMessage())))
        .help(help);
  }

  private int fail(Diagnostic error) {
    messages.error(error);
    return ExitCodes.of(error);
  }

  private int outOfMemory(String what, int exitCode) {
    messages.failure(
        what
            + ": "
            + Message.format("%,d", Runtime.getRuntime().maxMemory() >> 20)
            + " MiB are not enough",
        "give Java more by -Xmx, such as JAVA_OPTS=-Xmx4g for bin/stowage");
    return exitCode;
  }

  private int pluginError(Throwable e) {
    messages.failure(
        Message.reason(e), "this is a defect of the plug-in; report it to its authors");
    trace(e);
    return ExitCodes.PLUGIN;
  }

  private int internalError(Throwable e) {
    messages.failure(
        "internal error: " + Message.describe(e),
        "this is a defect of Stowage; please report it with the command and -v output");
    trace(e);
    return ExitCodes.INTERNAL;
  }

  private void trace(Throwable e) {
    if (verbose) {
      StringWriter trace = new StringWriter();
      e.printStackTrace(new PrintWriter(trace, /* autoFlush= */ true));
      messages.raw(trace.toString());
    }
  }

  /** The command line without a command. */
  @CommandLine.Command(
      name = "stowage",
      synopsisSubcommandLabel = "COMMAND",
      description = "Plans the memory of neural networks.",
      footer = {
        "",
        "Each command has its own help: stowage plan --help",
        "",
        "Exit codes: 0 done; 1 no plan, or an error in one; 2 wrong usage;",
        "3 input invalid or output unwritable; 4 defect of Stowage; 5 plug-in failed;",
        "6 deadline or budget reached; 130 interrupted.",
      })
  private static final class RootCommand {}
}
