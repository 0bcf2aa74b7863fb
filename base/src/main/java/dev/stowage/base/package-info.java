/**
 * Diagnostics and locations, typed options and calls, the plug-in registry, devices and byte sizes.
 */
@NullMarked
package dev.stowage.base;

import org.jspecify.annotations.NullMarked;
