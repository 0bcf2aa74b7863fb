/** The whole flow for embedders: open, pipeline, plan, verify, write. */
module dev.stowage.driver {
  requires transitive dev.stowage.base;
  requires transitive dev.stowage.formats;
  requires transitive dev.stowage.ir;
  requires transitive dev.stowage.memmap;
  requires transitive dev.stowage.passes;
  requires transitive dev.stowage.planning;
  requires transitive dev.stowage.verifier;
  requires static transitive org.jspecify;

  exports dev.stowage.driver;
}
