/** Reads TensorFlow Lite models. */
@NullMarked
package dev.stowage.formats.tflite;

import org.jspecify.annotations.NullMarked;
