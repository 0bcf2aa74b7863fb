package dev.stowage.driver;

import com.google.common.collect.ImmutableList;
import com.google.common.math.LongMath;
import dev.stowage.base.Diagnostic;
import dev.stowage.base.Kinds;
import dev.stowage.base.Location;
import dev.stowage.base.Message;
import dev.stowage.ir.Method;
import dev.stowage.memmap.DeviceMemoryException;
import dev.stowage.memmap.HostAllocator;
import dev.stowage.passes.Verification;
import dev.stowage.passes.lowering.Profile;
import dev.stowage.verifier.ClaimedPlan;
import dev.stowage.verifier.RatedFinding;
import dev.stowage.verifier.ReplayVerifier;

/** Has one plan of a program replayed, method by method, as far as that is wanted. */
final class ReplayJudge {
  private final Replaying wanted;
  private long accesses;
  private boolean leftOut;

  ReplayJudge(Replaying wanted) {
    this.wanted = wanted;
  }

  /** What the replay of a method finds; nothing where it is left out. */
  ImmutableList<RatedFinding> judge(Method method, Profile profile, ClaimedPlan claim) {
    if (wanted == Replaying.NEVER) {
      return ImmutableList.of();
    }
    accesses = LongMath.saturatedAdd(accesses, ReplayVerifier.accesses(method));
    if (wanted == Replaying.WITHIN_BOUND && accesses > Replaying.BOUND) {
      leftOut = true;
      return ImmutableList.of();
    }
    if (wanted != Replaying.IN_MEMORY) {
      return Verification.rate(profile, ReplayVerifier.verify(method, claim));
    }
    try {
      return Verification.rate(
          profile, ReplayVerifier.verifyInMemory(method, claim, new HostAllocator()));
    } catch (DeviceMemoryException e) {
      throw Diagnostic.of(
              Kinds.VERIFICATION,
              Location.at(method.name()),
              "the plan cannot be replayed in real memory: " + Message.reason(e))
          .help("--replay does without, and gives the same answers")
          .asException();
    }
  }

  /** What became of it. */
  Verdict.Replay outcome() {
    Verdict.Replay.State state =
        wanted == Replaying.NEVER
            ? Verdict.Replay.State.OFF
            : leftOut ? Verdict.Replay.State.LEFT_OUT : Verdict.Replay.State.DONE;
    return new Verdict.Replay(state, accesses);
  }
}
