package dev.stowage.testkit;

import com.google.common.collect.ImmutableList;
import dev.stowage.base.ByteSize;
import dev.stowage.base.OptionSpec;
import dev.stowage.memmap.Bank;
import dev.stowage.memmap.ReservedRange;
import dev.stowage.memmap.Target;
import dev.stowage.passes.Pass;
import dev.stowage.passes.PassSentences;
import dev.stowage.passes.PassSpec;
import dev.stowage.passes.Statistic;
import dev.stowage.planning.Constraint;
import dev.stowage.planning.StrategySpec;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

/**
 * A page of documentation that is made of declarations, in Markdown:
 *
 * <pre>
 * ReferencePage.ofPasses(PassManager.withInstalledPasses().passes()).check(Path.of("passes.md"));
 * </pre>
 */
public final class ReferencePage {
  private final StringBuilder text = new StringBuilder();

  private ReferencePage(String title, String introduction) {
    text.append("# ").append(title).append("\n\n").append(introduction).append('\n');
  }

  /** The page of some passes, by name. */
  public static ReferencePage ofPasses(Iterable<? extends Pass> passes) {
    ReferencePage page =
        new ReferencePage(
            "Passes",
            """
            This page is made of what the passes declare. A pipeline names them, as in
            `--pipeline 'plan{profile=executorch}'`.\
            """);
    ImmutableList<Pass> sorted =
        StreamSupport.stream(passes.spliterator(), /* parallel= */ false)
            .sorted(Comparator.comparing((Pass pass) -> pass.spec().name()))
            .collect(ImmutableList.toImmutableList());
    page.table(
        ImmutableList.of("pass", "runs on", "what it does"),
        sorted.stream()
            .map(
                pass ->
                    ImmutableList.of(
                        link(pass.spec().name()),
                        PassSentences.subject(pass),
                        escaped(pass.spec().summary())))
            .collect(ImmutableList.toImmutableList()));
    sorted.forEach(page::pass);
    return page;
  }

  /** The page of some strategies, by name. */
  public static ReferencePage ofStrategies(Iterable<StrategySpec> strategies) {
    ReferencePage page =
        new ReferencePage(
            "Strategies",
            """
            This page is made of what the strategies declare. `--strategy`, the pass `plan` and files
            name them, as in `greedy{overlap=false}`.\
            """);
    ImmutableList<StrategySpec> sorted =
        ImmutableList.sortedCopyOf(Comparator.comparing(StrategySpec::name), strategies);
    page.table(
        ImmutableList.of("strategy", "what it does"),
        sorted.stream()
            .map(spec -> ImmutableList.of(link(spec.name()), escaped(spec.summary())))
            .collect(ImmutableList.toImmutableList()));
    sorted.forEach(page::strategy);
    return page;
  }

  /** The page of some targets, by name. */
  public static ReferencePage ofTargets(Iterable<Target> targets) {
    ReferencePage page =
        new ReferencePage(
            "Targets",
            """
            This page is made of the targets that come with Stowage. `--target` names them, as in
            `stowage plan model.tflite --target stm32h743`; [memory-maps.md](memory-maps.md) says how to
            change one or to describe another.\
            """);
    ImmutableList<Target> sorted =
        ImmutableList.sortedCopyOf(Comparator.comparing(Target::name), targets);
    page.table(
        ImmutableList.of("target", "what it is", "bytes for tensors", "banks for constants"),
        sorted.stream()
            .map(
                target ->
                    ImmutableList.of(
                        link(target.name()),
                        escaped(target.summary()),
                        ByteSize.exact(usableBytes(target.map().banks())),
                        target.map().constantBanks().stream()
                            .map(bank -> escaped(bank.name()))
                            .collect(Collectors.joining(", "))))
            .collect(ImmutableList.toImmutableList()));
    sorted.forEach(page::target);
    return page;
  }

  /** What is not reserved. The sums of targets that come with Stowage are far below 2^63. */
  private static long usableBytes(Collection<Bank> banks) {
    long bytes = 0;
    for (Bank bank : banks) {
      bytes = Math.addExact(bytes, bank.sizeBytes());
      for (ReservedRange range : bank.reserved()) {
        bytes -= range.sizeBytes();
      }
    }
    return bytes;
  }

  private void target(Target target) {
    heading(target.name(), target.summary());
    table(
        ImmutableList.of("bank", "mem_id", "bytes", "address", "holds", "attributes", "source"),
        target.map().allBanks().stream()
            .map(ReferencePage::bank)
            .collect(ImmutableList.toImmutableList()));
    List<String> facts = new ArrayList<>();
    for (Bank bank : target.map().allBanks()) {
      for (ReservedRange range : bank.reserved()) {
        facts.add(
            escaped(bank.name())
                + ": "
                + ByteSize.exact(range.sizeBytes())
                + " bytes at "
                + ByteSize.exact(range.offsetBytes())
                + " belong to the "
                + escaped(range.owner())
                + ".");
      }
    }
    target.sources().forEach(source -> facts.add(escaped(source)));
    list(facts);
  }

  private static ImmutableList<String> bank(Bank bank) {
    return ImmutableList.of(
        escaped(bank.name()),
        bank.planned() ? String.valueOf(bank.memId()) : "",
        ByteSize.exact(bank.sizeBytes()),
        bank.baseAddress().isPresent()
            ? code("0x" + Long.toHexString(bank.baseAddress().getAsLong()))
            : "",
        !bank.planned() ? "constants" : bank.constants() ? "both" : "tensors",
        escaped(String.join(", ", bank.attributes())),
        escaped(bank.source().orElse("")));
  }

  /** The page, in Markdown. */
  public String text() {
    return text.toString();
  }

  /**
   * Compares a file with the page; writes the file where the system property {@code
   * stowage.updateGolden} is true.
   *
   * @throws AssertionError if the file is not there or says something else, with the first line
   *     that differs
   */
  public void check(Path file) {
    check(file, Golden.isUpdated());
  }

  void check(Path file, boolean update) {
    if (update) {
      Golden.write(file, text());
      return;
    }
    String help = "; run the test with -D" + Golden.UPDATE + "=true to write it";
    if (!Files.exists(file)) {
      throw new AssertionError(file + " is missing" + help);
    }
    List<String> written = Golden.read(file).lines().toList();
    List<String> declared = text().lines().toList();
    for (int i = 0; i < Math.max(written.size(), declared.size()); i++) {
      String is = i < written.size() ? written.get(i) : "(nothing)";
      String shouldBe = i < declared.size() ? declared.get(i) : "(nothing)";
      if (!is.equals(shouldBe)) {
        throw new AssertionError(
            file
                + " is stale: line "
                + (i + 1)
                + " is\n  "
                + is
                + "\nand the declarations say\n  "
                + shouldBe
                + "\n"
                + help.substring(2));
      }
    }
  }

  private void pass(Pass pass) {
    PassSpec spec = pass.spec();
    heading(spec.name(), spec.summary());
    if (!spec.description().isEmpty()) {
      text.append('\n').append(escaped(spec.description())).append('\n');
    }
    options(spec.options());
    statistics(spec.statistics());
    list(PassSentences.of(pass, ReferencePage::code, ReferencePage::escaped));
  }

  private void strategy(StrategySpec spec) {
    heading(spec.name(), spec.summary());
    options(spec.options());
    List<String> facts = new ArrayList<>();
    facts.add(
        spec.honours().isEmpty()
            ? "Honours no constraints."
            : "Honours "
                + spec.honours().stream()
                    .sorted()
                    .map(Constraint::summary)
                    .collect(Collectors.joining(", "))
                + ".");
    list(facts);
  }

  // ---- Parts of a page

  private void heading(String name, String summary) {
    text.append("\n## ").append(name).append("\n\n");
    text.append(sentence(summary)).append('\n');
  }

  private void options(ImmutableList<OptionSpec<?>> options) {
    if (!options.isEmpty()) {
      table(
          ImmutableList.of("option", "values", "default", "what it is for"),
          options.stream()
              .map(
                  option ->
                      ImmutableList.of(
                          code(option.name()),
                          code(option.values()),
                          option.isRequired()
                              ? "must be set"
                              : option.defaultText().isEmpty() ? "" : code(option.defaultText()),
                          escaped(option.summary())))
              .collect(ImmutableList.toImmutableList()));
    }
  }

  private void statistics(ImmutableList<Statistic> statistics) {
    if (!statistics.isEmpty()) {
      table(
          ImmutableList.of("statistic", "what it counts"),
          statistics.stream()
              .map(it -> ImmutableList.of(code(it.name()), escaped(it.summary())))
              .collect(ImmutableList.toImmutableList()));
    }
  }

  private void table(ImmutableList<String> header, ImmutableList<ImmutableList<String>> rows) {
    text.append('\n');
    row(header);
    row(header.stream().map(cell -> "---").collect(ImmutableList.toImmutableList()));
    rows.forEach(this::row);
  }

  private void row(ImmutableList<String> cells) {
    cells.forEach(cell -> text.append(cell.isEmpty() ? "| " : "| " + cell + " "));
    text.append("|\n");
  }

  private void list(List<String> items) {
    text.append('\n');
    items.forEach(item -> text.append("- ").append(item).append('\n'));
  }

  private static String link(String name) {
    return "[" + name + "](#" + name + ")";
  }

  private static String sentence(String summary) {
    return summary.isEmpty()
        ? ""
        : escaped(Character.toUpperCase(summary.charAt(0)) + summary.substring(1)) + ".";
  }

  /** Between backticks; a bar would end the cell of a table all the same. */
  private static String code(String words) {
    return "`" + words.replace("|", "\\|") + "`";
  }

  /** Words that are no Markdown. */
  private static String escaped(String words) {
    StringBuilder plain = new StringBuilder();
    for (int i = 0; i < words.length(); i++) {
      char c = words.charAt(i);
      if ("\\`*_<>|[]".indexOf(c) >= 0) {
        plain.append('\\');
      }
      plain.append(c);
    }
    return plain.toString();
  }
}
