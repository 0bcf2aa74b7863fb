package dev.stowage.passes;

import com.google.common.collect.ImmutableList;
import dev.stowage.base.Diagnostic;
import dev.stowage.ir.Program;

/**
 * What a pipeline made of a program.
 *
 * @param program with what the passes learned
 * @param plans of its methods, in order; empty if the pipeline did not plan
 * @param warnings what may be a mistake, in the order of the passes
 */
public record PipelineResult(
    Program program, ImmutableList<PlannedMethod> plans, ImmutableList<Diagnostic> warnings) {}
