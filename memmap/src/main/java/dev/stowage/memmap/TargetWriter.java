package dev.stowage.memmap;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.stowage.base.Device;
import java.math.BigDecimal;

/** Writes targets as {@link TargetReader} reads them, without what is as if it were left out. */
public final class TargetWriter {
  private static final int COST_DIGITS = 6;

  private TargetWriter() {}

  /** The document of a target: complete, whatever it was made from. */
  public static ObjectNode toJson(Target target) {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("name", target.name());
    json.put("description", target.summary());
    addTexts(json, "sources", target.sources());
    ArrayNode banks = json.putArray("banks");
    target.map().allBanks().forEach(bank -> banks.add(toJson(bank)));
    if (!target.operatorRules().isEmpty()) {
      ArrayNode rules = json.putArray("operator_rules");
      target.operatorRules().forEach(rule -> rules.add(toJson(rule)));
    }
    return json;
  }

  private static ObjectNode toJson(Bank bank) {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("name", bank.name());
    json.put("size", bank.sizeBytes());
    if (bank.planned()) {
      json.put("mem_id", bank.memId());
    }
    if (bank.alignment() != 0) {
      json.put("alignment", bank.alignment());
    }
    if (!bank.device().equals(Device.CPU)) {
      json.put("device", bank.device().toString());
    }
    bank.baseAddress()
        .ifPresent(address -> json.put("base_address", "0x" + Long.toHexString(address)));
    addCost(json, "read_cost", bank.readCost());
    addCost(json, "write_cost", bank.writeCost());
    addTexts(json, "attributes", bank.attributes());
    if (!bank.reserved().isEmpty()) {
      ArrayNode ranges = json.putArray("reserved");
      for (ReservedRange range : bank.reserved()) {
        ranges
            .addObject()
            .put("offset", range.offsetBytes())
            .put("size", range.sizeBytes())
            .put("owner", range.owner());
      }
    }
    if (bank.maxAllocationBytes() != Bank.UNLIMITED) {
      json.put("max_allocation", bank.maxAllocationBytes());
    }
    if (!bank.planned()) {
      json.put("constants", "only");
    } else if (bank.constants()) {
      json.put("constants", true);
    }
    bank.section().ifPresent(section -> json.put("section", section));
    bank.source().ifPresent(source -> json.put("source", source));
    return json;
  }

  private static ObjectNode toJson(OperatorRule rule) {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("op", rule.op());
    json.put("on", rule.on().word());
    addTexts(json, "requires", rule.requires());
    addTexts(json, "not_banks", rule.notBanks());
    if (rule.alignment() != 0) {
      json.put("alignment", rule.alignment());
    }
    if (rule.overReadBytes() != 0) {
      json.put("over_read", rule.overReadBytes());
    }
    if (!rule.reason().isEmpty()) {
      json.put("reason", rule.reason());
    }
    return json;
  }

  private static void addTexts(ObjectNode json, String member, Iterable<String> texts) {
    if (texts.iterator().hasNext()) {
      ArrayNode array = json.putArray(member);
      texts.forEach(array::add);
    }
  }

  private static void addCost(ObjectNode json, String member, long millionths) {
    if (millionths != 0) {
      BigDecimal cost = BigDecimal.valueOf(millionths, COST_DIGITS).stripTrailingZeros();
      json.put(member, cost.scale() < 0 ? cost.setScale(0) : cost);
    }
  }
}
