/** The graph: programs, methods, tensors, annotations, and their textual form. */
module dev.stowage.ir {
  requires transitive dev.stowage.base;
  requires static transitive org.jspecify;

  exports dev.stowage.ir;
  exports dev.stowage.ir.memory;
}
