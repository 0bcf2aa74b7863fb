/** The graph: programs, methods, tensors, annotations, their textual form and their structure. */
module dev.stowage.ir {
  requires transitive dev.stowage.base;
  requires static transitive org.jspecify;

  exports dev.stowage.ir;
  exports dev.stowage.ir.memory;
  exports dev.stowage.ir.structure;
  exports dev.stowage.ir.text;
}
