import dev.stowage.passes.Pass;
import dev.stowage.passes.inspection.PrintPass;
import dev.stowage.passes.memory.AnnotateSharedAllocPass;
import dev.stowage.passes.memory.ApplyTargetRulesPass;
import dev.stowage.passes.memory.ElideCopiesPass;
import dev.stowage.passes.memory.ExtendLifetimesPass;
import dev.stowage.passes.memory.PinPoolPass;
import dev.stowage.passes.memory.ReuseInPlacePass;
import dev.stowage.passes.planning.PlanPass;
import dev.stowage.passes.planning.StripPlanPass;
import dev.stowage.passes.planning.VerifyPass;

/** Passes, the pass manager, pipelines, analyses, and the lowering to planning problems. */
@SuppressWarnings("requires-automatic") // java-diff-utils has a module name, but no module-info
module dev.stowage.passes {
  requires transitive dev.stowage.base;
  requires transitive dev.stowage.ir;
  requires transitive dev.stowage.memmap;
  requires transitive dev.stowage.planning;
  requires transitive dev.stowage.verifier;
  requires io.github.javadiffutils;
  requires org.slf4j;
  requires static transitive org.jspecify;

  exports dev.stowage.passes;
  exports dev.stowage.passes.analysis;
  exports dev.stowage.passes.instrument;
  exports dev.stowage.passes.lowering;
  exports dev.stowage.passes.memory;

  uses Pass;

  provides Pass with
      AnnotateSharedAllocPass,
      ApplyTargetRulesPass,
      ElideCopiesPass,
      ExtendLifetimesPass,
      PinPoolPass,
      PlanPass,
      PrintPass,
      ReuseInPlacePass,
      StripPlanPass,
      VerifyPass;
}
