package dev.stowage.formats;

import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import dev.stowage.base.Diagnostic;
import dev.stowage.ir.Program;
import dev.stowage.memmap.MemoryMap;
import dev.stowage.planning.PlanRequest;
import java.util.Optional;

/**
 * A model as an importer gives it.
 *
 * @param format name of the format, as {@code stowage list formats} shows it
 * @param program the graph; without methods where every request is refused
 * @param requests what the file itself asks for; none for most formats
 * @param facts what planning does not see but {@code inspect} shows
 */
public record ImportedModel(
    String format, Program program, ImmutableList<Request> requests, Facts facts) {
  /** Refuses null, which the compiler of a plug-in may not have. */
  public ImportedModel {
    requireNonNull(format, "format");
    requireNonNull(program, "program");
    requireNonNull(requests, "requests");
    requireNonNull(facts, "facts");
  }

  /**
   * One plan that the file asks for.
   *
   * @param request strategy, alignment, what is allocated
   * @param map banks to plan for, if the file has them
   * @param refusal why this plan cannot be made, if so
   */
  public record Request(
      PlanRequest request, Optional<MemoryMap> map, Optional<Diagnostic> refusal) {}

  /**
   * What planning does not see.
   *
   * @param constantBytes bytes of constant data in the file
   * @param notes what only the runtime knows, a sentence each
   */
  public record Facts(long constantBytes, ImmutableList<String> notes) {
    /** Nothing beyond the program. */
    public static final Facts NONE = new Facts(0, ImmutableList.of());
  }
}
