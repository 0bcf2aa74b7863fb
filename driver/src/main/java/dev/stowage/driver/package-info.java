/** The whole flow for embedders: open, target, pipeline, plan, verify, write. */
@NullMarked
package dev.stowage.driver;

import org.jspecify.annotations.NullMarked;
