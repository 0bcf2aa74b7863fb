package dev.stowage.memmap;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import dev.stowage.base.Device;
import dev.stowage.base.io.Source;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class TargetWriterTest {
  private static final List<OperatorRule.Operands> OPERANDS =
      ImmutableList.copyOf(OperatorRule.Operands.values());
  private static final List<String> WORDS = List.of("dma", "npu", "cacheable", "x1");

  @Test
  void toJson_anyTarget_readsBackEqual() {
    Random random = new Random(5);
    for (int round = 0; round < 500; round++) {
      Target target = target(random);
      String json = TargetWriter.toJson(target).toString();
      try (Source source = Source.of("t.json", json.getBytes(StandardCharsets.UTF_8))) {
        Target again =
            TargetReader.read(
                source,
                name -> {
                  throw new AssertionError(name);
                });
        assertThat(again.name()).isEqualTo(target.name());
        assertThat(again.summary()).isEqualTo(target.summary());
        assertThat(again.map()).as(json).isEqualTo(target.map());
        assertThat(again.operatorRules()).isEqualTo(target.operatorRules());
        assertThat(again.sources()).isEqualTo(target.sources());
      }
    }
  }

  private static Target target(Random random) {
    MemoryMap.Builder map = MemoryMap.builder();
    // What the rules of any round need.
    map.add(Bank.builder("all", Long.MAX_VALUE, 65_535).attributes(WORDS).build());
    long address = random.nextInt(2);
    for (int i = 0; i < random.nextInt(5); i++) {
      long size = 1 + (random.nextLong() >>> (1 + random.nextInt(62))) % (1L << 58);
      map.add(bank(random, i, size, address));
      address += size;
    }
    List<OperatorRule> rules = new ArrayList<>();
    for (int i = 0; i < random.nextInt(3); i++) {
      rules.add(
          new OperatorRule(
              "op" + i + "*",
              OPERANDS.get(random.nextInt(3)),
              random.nextBoolean() ? ImmutableSet.of() : ImmutableSet.of("npu", "dma"),
              ImmutableSet.of(),
              random.nextInt(3),
              1L + random.nextInt(9),
              random.nextBoolean() ? "" : "because \"so\""));
    }
    return Target.builder("t" + random.nextInt(99), "any", map.build())
        .operatorRules(rules)
        .sources(random.nextBoolean() ? ImmutableList.of() : ImmutableList.of("a", "b, 2.4"))
        .build();
  }

  private static Bank bank(Random random, int number, long size, long address) {
    Bank.Builder bank =
        random.nextInt(4) == 0
            ? Bank.constantsOnly("bank " + number, size)
            : Bank.builder("bank " + number, size, number + 1).constants(random.nextBoolean());
    if (random.nextBoolean()) {
      bank.alignment(random.nextInt(5));
    }
    if (random.nextBoolean()) {
      bank.device(new Device("NPU", random.nextInt(2)));
    }
    if (random.nextBoolean()) {
      bank.baseAddress(address);
    }
    if (random.nextBoolean()) {
      bank.readCost(random.nextLong() >>> (1 + random.nextInt(62)));
      bank.writeCost(random.nextInt(9) * 1_000_000L);
    }
    if (random.nextBoolean()) {
      bank.attributes(WORDS.subList(0, random.nextInt(WORDS.size())));
    }
    if (random.nextBoolean()) {
      bank.reserved(List.of(new ReservedRange(0, size, "everything")));
    }
    if (random.nextBoolean()) {
      bank.maxAllocation(1 + random.nextInt(9));
    }
    if (random.nextBoolean()) {
      bank.section(".bss").source("page " + number);
    }
    return bank.build();
  }
}
