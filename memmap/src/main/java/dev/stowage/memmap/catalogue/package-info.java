/**
 * The targets that come with Stowage: a file each among the resources, with the source of every
 * figure. {@link dev.stowage.memmap.catalogue.BundledTargets} reads them as users' files are read.
 */
@NullMarked
package dev.stowage.memmap.catalogue;

import org.jspecify.annotations.NullMarked;
