/**
 * Diagnostics and locations, typed options and calls, the plug-in registry, devices, byte sizes,
 * files and JSON.
 */
module dev.stowage.base {
  requires transitive com.fasterxml.jackson.core;
  requires transitive com.fasterxml.jackson.databind;
  requires transitive com.google.common;
  requires static transitive com.google.errorprone.annotations;
  requires static transitive org.jspecify;

  exports dev.stowage.base;
  exports dev.stowage.base.io;
  exports dev.stowage.base.json;
}
