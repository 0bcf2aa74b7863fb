import dev.stowage.formats.ModelImporter;
import dev.stowage.formats.PlanExporter;

/** Importers and exporters, a package for each file format. */
module dev.stowage.formats {
  requires transitive dev.stowage.base;
  requires transitive dev.stowage.ir;
  requires transitive dev.stowage.memmap;
  requires transitive dev.stowage.planning;
  requires transitive dev.stowage.verifier;
  requires static transitive org.jspecify;

  exports dev.stowage.formats;
  exports dev.stowage.formats.executorch;
  exports dev.stowage.formats.plan;
  exports dev.stowage.formats.problem;
  exports dev.stowage.formats.tflite;

  uses ModelImporter;
  uses PlanExporter;
}
