package dev.stowage.verifier;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Iterables;
import dev.stowage.ir.Method;
import dev.stowage.ir.Node;
import dev.stowage.verifier.ArenaBytes.Part;
import dev.stowage.verifier.Movements.Piece;
import dev.stowage.verifier.ReplayFindings.Clash;
import dev.stowage.verifier.ScheduleWalk.Reason;
import dev.stowage.verifier.ScheduleWalk.Step;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs a schedule in two worlds in step: in one each storage has bytes of its own, in the other the
 * arenas that a plan puts them in. What is written in the first is what must be found in the
 * second.
 *
 * <p>Each step is checked twice: what it reads before it writes, and all that it reads and writes
 * afterwards, as a kernel may still read while it writes. When a storage is used for the last time,
 * what it has left in the arenas is poisoned.
 */
final class Replay {
  private final Method method;
  private final ReplayStorages storages;
  private final ArenaBytes arenas;
  private final ReplayFindings findings;
  private final Map<Integer, ImmutableList<Piece>> movementsByNode = new HashMap<>();
  private int writeCount;

  /** What the storages would hold, had each bytes of its own. */
  private final List<Ranges<Stamp>> own = new ArrayList<>();

  private final Map<Integer, Ranges<Owner>> ownersByMemId = new HashMap<>();

  /**
   * Who wrote bytes of an arena last, and the storages that need them; they are poisoned when there
   * are none left. What is moved to where it is already is needed by both.
   */
  private record Owner(Stamp.Write write, ImmutableSet<Integer> holders) {}

  /** Bytes of an arena that one has written, or nobody. */
  private record OwnedPart(long from, long to, @Nullable Owner owner) {}

  /** When storages are used, by clock and by number of the step in the walk. */
  private static final class Uses {
    final Spans clocks;
    final int[] lastStep;
    int step;

    Uses(int count) {
      clocks = new Spans(count);
      lastStep = new int[count];
      Arrays.fill(lastStep, -1);
    }
  }

  Replay(Method method, ReplayStorages storages, ArenaBytes arenas, ReplayFindings findings) {
    this.method = method;
    this.storages = storages;
    this.arenas = arenas;
    this.findings = findings;
  }

  /** Runs the schedule once; {@code choices} gives the same choices anew each time. */
  void run(ScheduleWalk walk, Supplier<ScheduleChoices.Run> choices) {
    Uses uses = new Uses(storages.count());
    walk.walk(choices.get(), step -> use(step, uses));
    own.clear();
    for (int i = 0; i < storages.count(); i++) {
      own.add(new Ranges<>());
    }
    ownersByMemId.clear();
    arenas.begin();
    uses.step = 0;
    walk.walk(choices.get(), step -> replay(step, uses));
  }

  private void use(Step step, Uses uses) {
    for (List<Integer> tensors : List.of(step.reads(), step.writes())) {
      for (int tensor : tensors) {
        int of = storages.storage(tensor);
        // Without a use before, there is nothing to keep until a node has run.
        if (step.reason() != Reason.UNTIL || uses.clocks.last[of] >= 0) {
          uses.clocks.include(of, step.clock(), step.clock());
          uses.lastStep[of] = uses.step;
        }
      }
    }
    uses.step++;
  }

  private void replay(Step step, Uses uses) {
    Node node = step.node();
    if (node != null && step.reason() == Reason.OPERATOR && Movements.isNoOperation(node)) {
      replayNothing(step, uses);
    } else {
      for (int read : step.reads()) {
        check(read, step, /* after= */ false, List.of(), uses);
      }
      List<Stamp.Write> writes = write(step);
      if (!writes.isEmpty()) {
        for (int read : step.reads()) {
          check(read, step, /* after= */ true, handedOver(read, writes), uses);
        }
        for (int written : step.writes()) {
          check(written, step, /* after= */ true, List.of(), uses);
        }
      }
    }
    poison(step, uses);
    uses.step++;
  }

  /** A node without effect: its results must be where they belong already. */
  private void replayNothing(Step step, Uses uses) {
    for (Stamp.Write write : writeOwn(step)) {
      int tensor = write.tensor();
      check(tensor, step, /* after= */ false, List.of(), uses);
      ClaimedPlan.Place place = storages.place(storages.storage(tensor));
      if (place != null) {
        long offset = place.offsetBytes();
        long at = offset + storages.from(tensor);
        for (Part part : differences(tensor, place)) {
          keep(write, place.memId(), at, part.from());
          at = part.to();
        }
        keep(write, place.memId(), at, offset + storages.to(tensor));
      }
    }
  }

  private List<Stamp.Write> write(Step step) {
    List<Stamp.Write> writes = writeOwn(step);
    for (Stamp.Write write : writes) {
      int of = storages.storage(write.tensor());
      ClaimedPlan.Place place = storages.place(of);
      if (place != null) {
        long from = storages.from(write.tensor());
        for (Ranges.Span<Stamp> span : own.get(of).within(from, storages.to(write.tensor()))) {
          writeArena(write, span, place);
        }
      }
    }
    return writes;
  }

  /** Gives the bytes that a step writes their stamps in the world where each has its own. */
  private List<Stamp.Write> writeOwn(Step step) {
    Node node = step.node();
    ImmutableList<Piece> pieces =
        node == null || step.reason() != Reason.OPERATOR
            ? ImmutableList.of()
            : movementsByNode.computeIfAbsent(node.id(), any -> Movements.of(method, node));
    List<Stamp.Write> writes = new ArrayList<>();
    for (int tensor : step.writes()) {
      Stamp.Write write = new Stamp.Write(writeCount++, tensor, node, step.clock());
      writes.add(write);
      long from = storages.from(tensor);
      own.get(storages.storage(tensor)).put(from, storages.to(tensor), new Stamp(write, from));
      pieces.stream().filter(piece -> piece.to() == tensor).forEach(this::move);
    }
    return writes;
  }

  /** Carries over what the source should hold, as far as somebody has written it. */
  private void move(Piece piece) {
    int source = storages.storage(piece.from());
    int target = storages.storage(piece.to());
    if (source != target) {
      long from = storages.from(piece.from()) + piece.fromByte();
      long shift = storages.from(piece.to()) + piece.toByte() - from;
      for (Ranges.Span<Stamp> span : own.get(source).within(from, from + piece.bytes())) {
        own.get(target).put(span.from() + shift, span.to() + shift, span.value().movedBy(shift));
      }
    }
  }

  /** Writes a part of what a storage holds to where it lies in an arena. */
  private void writeArena(Stamp.Write write, Ranges.Span<Stamp> span, ClaimedPlan.Place place) {
    int memId = place.memId();
    long from = place.offsetBytes() + span.from();
    long to = place.offsetBytes() + span.to();
    Stamp stamp = span.value().movedBy(place.offsetBytes());
    ImmutableSet<Integer> holder = ImmutableSet.of(storages.storage(write.tensor()));
    long at = from;
    for (Part part : arenas.differences(memId, from, to, stamp)) {
      // A copy to where the same bytes are already takes them from nobody.
      keep(write, memId, at, part.from());
      arenas.write(memId, part.from(), part.to(), stamp);
      owners(memId).put(part.from(), part.to(), new Owner(write, holder));
      at = part.to();
    }
    keep(write, memId, at, to);
  }

  /** Lets a write share bytes of an arena that are right as they are. */
  private void keep(Stamp.Write write, int memId, long from, long to) {
    int holder = storages.storage(write.tensor());
    for (Ranges.Span<Owner> span : owners(memId).within(from, to)) {
      ImmutableSet<Integer> holders =
          ImmutableSet.<Integer>builder().addAll(span.value().holders()).add(holder).build();
      owners(memId).put(span.from(), span.to(), new Owner(write, holders));
    }
  }

  /**
   * What may have been written over an operand: the very same bytes, by a result that a pass has
   * put there.
   */
  private List<Stamp.Write> handedOver(int read, List<Stamp.Write> writes) {
    List<Stamp.Write> handed = new ArrayList<>();
    int of = storages.storage(read);
    ClaimedPlan.Place place = storages.place(of);
    for (Stamp.Write write : writes) {
      int result = storages.storage(write.tensor());
      ClaimedPlan.Place resultPlace = storages.place(result);
      if (place != null
          && resultPlace != null
          && result != of
          && place.memId() == resultPlace.memId()
          && place.offsetBytes() + storages.from(read)
              == resultPlace.offsetBytes() + storages.from(write.tensor())
          && storages.to(read) - storages.from(read)
              == storages.to(write.tensor()) - storages.from(write.tensor())
          && (storages.isPutInto(result, of) || storages.isPutInto(of, result))) {
        handed.add(write);
      }
    }
    return handed;
  }

  /** Compares the two worlds where a tensor lies, and reports the first bytes that are wrong. */
  private void check(int tensor, Step step, boolean after, List<Stamp.Write> allowed, Uses uses) {
    int victim = storages.storage(tensor);
    ClaimedPlan.Place place = storages.place(victim);
    if (place == null) {
      return;
    }
    for (Part part : differences(tensor, place)) {
      for (OwnedPart owned : byOwner(part, place.memId())) {
        Owner owner = owned.owner();
        Stamp.Write culprit = owner == null ? null : owner.write();
        boolean right =
            culprit != null
                && (allowed.contains(culprit)
                    || storages.isBackedAsDeclared(victim, storages.storage(culprit.tensor())));
        if (!right) {
          boolean poisoned = owner != null && owner.holders().isEmpty();
          findings.add(
              new Clash(tensor, owned.from(), owned.to(), culprit, poisoned, after),
              step,
              uses.clocks);
          return;
        }
      }
    }
  }

  /** Where a tensor's bytes in its arena are not those that it has of its own. */
  private List<Part> differences(int tensor, ClaimedPlan.Place place) {
    List<Part> parts = new ArrayList<>();
    long offset = place.offsetBytes();
    for (Ranges.Span<Stamp> span :
        own.get(storages.storage(tensor)).within(storages.from(tensor), storages.to(tensor))) {
      for (Part part :
          arenas.differences(
              place.memId(),
              offset + span.from(),
              offset + span.to(),
              span.value().movedBy(offset))) {
        int last = parts.size() - 1;
        if (last >= 0 && parts.get(last).to() == part.from()) {
          parts.set(last, new Part(parts.get(last).from(), part.to()));
        } else {
          parts.add(part);
        }
      }
    }
    return parts;
  }

  /** Cuts bytes of an arena by who has written them. */
  private List<OwnedPart> byOwner(Part part, int memId) {
    List<OwnedPart> cut = new ArrayList<>();
    long at = part.from();
    for (Ranges.Span<Owner> span : owners(memId).within(part.from(), part.to())) {
      if (at < span.from()) {
        cut.add(new OwnedPart(at, span.from(), null));
      }
      OwnedPart last = Iterables.getLast(cut, null);
      if (last != null && span.value().equals(last.owner())) {
        cut.remove(cut.size() - 1);
        cut.add(new OwnedPart(last.from(), span.to(), span.value()));
      } else {
        cut.add(new OwnedPart(span.from(), span.to(), span.value()));
      }
      at = span.to();
    }
    if (at < part.to()) {
      cut.add(new OwnedPart(at, part.to(), null));
    }
    return cut;
  }

  /** Spoils what storages that are not used any more have left. */
  private void poison(Step step, Uses uses) {
    for (List<Integer> tensors : List.of(step.reads(), step.writes())) {
      for (int tensor : tensors) {
        int of = storages.storage(tensor);
        ClaimedPlan.Place place = storages.place(of);
        if (place != null && uses.lastStep[of] == uses.step) {
          Ranges<Owner> owners = owners(place.memId());
          long from = place.offsetBytes() + storages.from(of);
          long to = place.offsetBytes() + storages.to(of);
          for (Ranges.Span<Owner> span : owners.within(from, to)) {
            Owner owner = span.value();
            if (owner.holders().contains(of)) {
              ImmutableSet<Integer> left =
                  owner.holders().stream()
                      .filter(holder -> holder != of)
                      .collect(ImmutableSet.toImmutableSet());
              owners.put(span.from(), span.to(), new Owner(owner.write(), left));
              if (left.isEmpty()) {
                arenas.poison(place.memId(), span.from(), span.to());
              }
            }
          }
        }
      }
    }
  }

  private Ranges<Owner> owners(int memId) {
    return ownersByMemId.computeIfAbsent(memId, any -> new Ranges<>());
  }
}
