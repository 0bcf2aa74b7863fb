package dev.stowage.driver;

import com.google.common.collect.ImmutableList;
import dev.stowage.base.Diagnostic;
import java.util.Optional;

/**
 * What is in one document.
 *
 * @param name of the problem or document
 * @param format such as {@code tflite}
 * @param constantBytes of constant data in the file, or of constant tensors
 * @param stateBytes of what lives from one run to the next
 * @param notes what only the runtime knows, a sentence each
 * @param methods of a model; a problem is shown as a single one
 * @param error why it cannot be looked into, if so
 */
public record Inspection(
    String name,
    String format,
    long constantBytes,
    long stateBytes,
    ImmutableList<String> notes,
    ImmutableList<Section> methods,
    Optional<Diagnostic> error) {

  /**
   * A method, or a problem.
   *
   * @param name of the method; empty for a problem
   * @param profile the rules that lifetimes go by; empty for a problem
   * @param nodes in all graphs of the method; 0 for a problem
   * @param tensors in its table; the buffers of a problem
   * @param planned tensors or buffers that a plan places
   * @param activationBytes sum of the sizes of what is planned but for state, unrounded
   * @param alignment in bytes, to which sizes are rounded for the bounds
   * @param lowerBoundBytes largest sum of rounded sizes live at one step
   * @param peakStep first step at which that is so, as plans show steps
   * @param peakNode the node at that step, such as {@code 12 (CONV_2D)}; empty if unknown
   * @param liveAtPeak what is live there, the largest first
   * @param carriesPlan true if the file says where its tensors lie
   */
  public record Section(
      String name,
      String profile,
      int nodes,
      int tensors,
      int planned,
      long activationBytes,
      int alignment,
      long lowerBoundBytes,
      int peakStep,
      String peakNode,
      ImmutableList<Live> liveAtPeak,
      boolean carriesPlan) {}

  /**
   * A tensor or buffer that is live at the peak.
   *
   * @param number in the source; the index of a buffer
   * @param name label, may be empty
   * @param bytes rounded size
   * @param first first step of its lifetime, as plans show steps
   * @param last last step, inclusive
   */
  public record Live(int number, String name, long bytes, int first, int last) {}
}
