package dev.stowage.formats.problem;

import dev.stowage.memmap.MemoryMap;
import dev.stowage.planning.PlanRequest;
import dev.stowage.planning.PlanningProblem;
import java.util.Optional;

/**
 * A problem as a file gives it.
 *
 * @param name its own name, or one made from the file's and the line
 * @param problem what is to be planned; its capacities and arenas come from {@code map}
 * @param request the strategy and the alignment that the file asks for, if it does
 * @param map the banks, if the file has them
 */
public record ProblemDocument(
    String name, PlanningProblem problem, PlanRequest request, Optional<MemoryMap> map) {}
