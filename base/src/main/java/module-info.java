/**
 * Diagnostics and locations, typed options and calls, the plug-in registry, devices and byte sizes.
 */
module dev.stowage.base {
  requires transitive com.google.common;
  requires static transitive com.google.errorprone.annotations;
  requires static transitive org.jspecify;

  exports dev.stowage.base;
}
