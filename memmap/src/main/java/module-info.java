/** Banks, memory maps, access costs, the target catalogue and device allocators. */
module dev.stowage.memmap {
  requires transitive dev.stowage.base;
  requires static transitive org.jspecify;

  exports dev.stowage.memmap;
}
