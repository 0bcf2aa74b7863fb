package dev.stowage.driver;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Iterators;
import com.google.common.io.ByteSource;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.DiagnosticException;
import dev.stowage.base.Kinds;
import dev.stowage.base.Location;
import dev.stowage.base.io.Entry;
import dev.stowage.base.io.Source;
import dev.stowage.formats.FileFormat;
import dev.stowage.formats.FormatSpec;
import dev.stowage.formats.ImportedModel;
import dev.stowage.formats.executorch.GraphDocumentImporter;
import dev.stowage.formats.problem.MiniMallocReader;
import dev.stowage.formats.problem.ProblemDocument;
import dev.stowage.formats.problem.ProblemOptions;
import dev.stowage.formats.problem.ProblemReader;
import dev.stowage.formats.tflite.TfliteImporter;
import dev.stowage.ir.GraphEditor;
import dev.stowage.ir.Method;
import dev.stowage.ir.Program;
import dev.stowage.ir.Tensor;
import dev.stowage.ir.memory.MemoryKeys;
import dev.stowage.ir.text.ProgramParser;
import java.util.Iterator;
import java.util.Optional;
import java.util.function.Function;

/** One document of a file that can be planned: a problem, or a model. */
public sealed interface Input {
  /** A planning problem. */
  record Problem(ProblemDocument document) implements Input {}

  /**
   * A model.
   *
   * @param original the file that it was read from; empty where that has several documents
   */
  record Model(ImportedModel model, ByteSource original) implements Input {}

  /** What the document is called. */
  default String name() {
    return this instanceof Problem problem
        ? problem.document().name()
        : ((Model) this).model().program().name();
  }

  /** True if what a source holds are models, and their plans are plans of programs. */
  static boolean holdsModels(Source source, Extensions extensions) {
    if (ofPlugin(source, extensions).isPresent()) {
      return true;
    }
    return switch (FileFormat.detect(source)) {
      case GRAPH, TFLITE, STOW, PTE, PROGRAM_PLAN -> true;
      case PROBLEM, MINIMALLOC_CSV, PLAN -> false;
    };
  }

  /**
   * The format of a plug-in that a source is in. Where a file has the mark of a format of Stowage's
   * own no plug-in is asked, so that none changes how it is read; where it has none, a plug-in that
   * knows the content knows more than our guess by an ending or a brace.
   */
  private static Optional<FormatSpec> ofPlugin(Source source, Extensions extensions) {
    return FileFormat.marked(source).isPresent()
        ? Optional.empty()
        : extensions.importers().recognise(source);
  }

  /**
   * The documents of a source, read as they are asked for; there is at least one entry.
   *
   * @throws DiagnosticException of a kind {@code input-*} if the source as a whole cannot be read
   */
  static Iterator<Entry<Input>> read(Source source, ProblemOptions options, Extensions extensions) {
    Optional<FormatSpec> ofPlugin = ofPlugin(source, extensions);
    if (ofPlugin.isPresent()) {
      byte[] bytes = source.readAll();
      return one(
          new Model(
              extensions.importers().read(ofPlugin.get(), Source.of(source.name(), bytes)),
              ByteSource.wrap(bytes)));
    }
    FileFormat format = FileFormat.detect(source);
    return switch (format) {
      case PROBLEM ->
          Iterators.transform(ProblemReader.read(source, options), e -> map(e, Problem::new));
      case MINIMALLOC_CSV -> one(new Problem(MiniMallocReader.read(source, options)));
      case GRAPH ->
          Iterators.transform(
              GraphDocumentImporter.read(source),
              entry -> map(entry, model -> new Model(model, ByteSource.empty())));
      case TFLITE -> {
        byte[] bytes = source.readAll();
        yield one(new Model(TfliteImporter.read(source.name(), bytes), ByteSource.wrap(bytes)));
      }
      case STOW -> {
        byte[] bytes = source.readAll();
        Program program = ProgramParser.parse(source.name(), source.text(bytes));
        yield one(
            new Model(
                new ImportedModel(
                    format.toString(),
                    numbered(program),
                    ImmutableList.of(),
                    ImportedModel.Facts.NONE),
                ByteSource.wrap(bytes)));
      }
      case PTE, PLAN, PROGRAM_PLAN ->
          throw Diagnostic.of(
                  Kinds.INPUT_UNSUPPORTED,
                  Location.of(source.name()),
                  "this is a " + format + " file, which cannot be planned")
              .help(
                  format == FileFormat.PTE
                      ? "this version plans .tflite, .stow, problem and graph documents"
                      : "give the model or problem first: stowage verify MODEL PLAN")
              .asException();
    };
  }

  private static Iterator<Entry<Input>> one(Input input) {
    return Iterators.singletonIterator(new Entry.Read<>(input));
  }

  private static <T> Entry<Input> map(Entry<T> entry, Function<T, Input> with) {
    if (entry instanceof Entry.Read<T> read) {
      return new Entry.Read<>(with.apply(read.value()));
    }
    Entry.Bad<T> bad = (Entry.Bad<T>) entry;
    return new Entry.Bad<>(bad.name(), bad.error());
  }

  /**
   * Numbers the tensors of all methods through, one table after the other, where nothing else does.
   */
  private static Program numbered(Program program) {
    Program numbered = program;
    int first = 0;
    for (Method method : program.methods()) {
      GraphEditor editor = method.edit();
      if (first > 0 && !method.keys().contains(MemoryKeys.ORIGIN)) {
        for (Tensor tensor : method.tensors()) {
          editor.annotate(tensor.id(), MemoryKeys.ORIGIN, first + tensor.id());
        }
      }
      numbered = numbered.with(editor.build());
      first += method.tensors().size();
    }
    return numbered;
  }
}
