package com.acme.stowage;

import com.google.common.collect.ImmutableList;
import dev.stowage.memmap.Bank;
import dev.stowage.memmap.MemoryMap;
import dev.stowage.memmap.Target;
import dev.stowage.memmap.TargetProvider;

/** Acme's boards: the memories that their plans are for, the fastest first. */
public final class NpuTargets implements TargetProvider {
  @Override
  public ImmutableList<Target> targets() {
    return ImmutableList.of(
        Target.of(
            "acme-npu1",
            "64 KiB beside the unit, 512 KiB of SRAM",
            MemoryMap.of(
                ImmutableList.of(
                    Bank.builder("tcm", 64 << 10, 2).build(),
                    Bank.builder("sram", 512 << 10, 1).build()))));
  }
}
