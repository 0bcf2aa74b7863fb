/** Judges plans of problems and of programs, sharing no code with what made them. */
module dev.stowage.verifier {
  requires transitive dev.stowage.base;
  requires transitive dev.stowage.ir;
  requires transitive dev.stowage.memmap;
  requires transitive dev.stowage.planning;
  requires static transitive org.jspecify;

  exports dev.stowage.verifier;
}
