package dev.stowage.formats.plan;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.primitives.ImmutableIntArray;
import com.google.common.primitives.ImmutableLongArray;
import dev.stowage.verifier.RatedFinding;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The plan of a program as a file has it, free of the program and of the profile that made it.
 *
 * @param name of the document
 * @param plan its number where a document asks for several, from 0 on
 * @param profile such as {@code sound} or {@code executorch}; empty if it failed as a whole
 * @param strategy the call that made it, as text; empty if it failed as a whole
 * @param alignment in bytes; 0 if it failed as a whole
 * @param methods in the order of the program
 * @param tensors one for each number in the source that is placed
 * @param error why there is no plan at all, if so
 */
public record ProgramPlan(
    String name,
    int plan,
    String profile,
    String strategy,
    int alignment,
    ImmutableList<MethodEntry> methods,
    ImmutableList<TensorEntry> tensors,
    Optional<PlanError> error) {

  /** A plan that failed as a whole. */
  public static ProgramPlan failed(String name, int plan, PlanError error) {
    return new ProgramPlan(
        name, plan, "", "", 0, ImmutableList.of(), ImmutableList.of(), Optional.of(error));
  }

  /**
   * One method.
   *
   * @param name of the method
   * @param arenaSizes bytes by mem_id
   * @param arenaDevices the arenas that are not on the host; empty where there are none
   * @param submoduleArenaSizes bytes by mem_id, by path of the submodule
   * @param order numbers of the tensors of the root graph, as handed to the strategy
   * @param storageReusePairs pairs that share bytes; empty where that is not checked, or fails
   * @param ioCheck {@code ok} or {@code mismatch}; empty where that is not checked
   * @param lowerBound largest live sum in bytes
   * @param optimal true where the sum of the arenas is proved least
   * @param findings of the verifier
   * @param error why this method has no plan, if so; then the name is all else that it has
   */
  public record MethodEntry(
      String name,
      ImmutableLongArray arenaSizes,
      ImmutableList<ArenaDevice> arenaDevices,
      ImmutableMap<String, ImmutableLongArray> submoduleArenaSizes,
      ImmutableIntArray order,
      OptionalLong storageReusePairs,
      Optional<String> ioCheck,
      long lowerBound,
      boolean optimal,
      ImmutableList<RatedFinding> findings,
      Optional<PlanError> error) {

    /** A method that has no plan. */
    public static MethodEntry failed(String name, PlanError error) {
      return new MethodEntry(
          name,
          ImmutableLongArray.of(),
          ImmutableList.of(),
          ImmutableMap.of(),
          ImmutableIntArray.of(),
          OptionalLong.empty(),
          Optional.empty(),
          0,
          false,
          ImmutableList.of(),
          Optional.of(error));
    }
  }

  /**
   * An arena that is not on the host.
   *
   * @param deviceType upper case, such as {@code CUDA}
   */
  public record ArenaDevice(int memId, String deviceType, int deviceIndex) {}

  /**
   * A tensor's place.
   *
   * @param tensor its number in the source
   * @param name label, may be empty
   * @param sizeBytes as allocated
   * @param firstStep first live step
   * @param lastStep last live step, inclusive
   * @param memId its arena
   * @param memObjId shared object in the arena, or -1
   * @param offsetBytes from the start of the arena
   * @param base number of the tensor in whose bytes a pass has put it, or -1
   */
  public record TensorEntry(
      int tensor,
      String name,
      long sizeBytes,
      int firstStep,
      int lastStep,
      int memId,
      int memObjId,
      long offsetBytes,
      int base) {}
}
