/** Banks and memory maps. */
module dev.stowage.memmap {
  requires transitive dev.stowage.base;
  requires static transitive org.jspecify;

  exports dev.stowage.memmap;
}
