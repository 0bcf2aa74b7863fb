package dev.stowage.testkit;

import com.google.common.collect.ImmutableList;

/**
 * What a pipeline made of the program of a textual test.
 *
 * @param text what passes printed, then the program; nothing of the program if a pass refused it
 * @param errors why the pipeline failed, or methods have no valid plan, each as users see it
 * @param warnings as users see them
 */
record StowOutput(String text, ImmutableList<String> errors, ImmutableList<String> warnings) {}
