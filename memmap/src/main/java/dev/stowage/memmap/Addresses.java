package dev.stowage.memmap;

import dev.stowage.base.Kinds;
import dev.stowage.base.json.JsonCursor;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads addresses in files: numbers, or texts such as {@code "0x20000000"}. */
public final class Addresses {
  private static final Pattern HEX = Pattern.compile("0[xX]([0-9a-fA-F]{1,16})");

  private Addresses() {}

  /**
   * The address at which a cursor stands.
   *
   * @return 0 or more
   * @throws dev.stowage.base.DiagnosticException of kind {@code input-value} if it is none
   */
  public static long read(JsonCursor cursor) {
    if (!cursor.isText()) {
      return cursor.integer(0L, Long.MAX_VALUE);
    }
    String text = cursor.text();
    Matcher matcher = HEX.matcher(text);
    if (!matcher.matches()) {
      throw cursor
          .error(Kinds.INPUT_VALUE, "not an address: '" + text + "'")
          .help("write a number, or a text such as \"0x20000000\"")
          .asException();
    }
    long address = Long.parseUnsignedLong(matcher.group(1), 16);
    if (address < 0) {
      throw cursor.error(Kinds.INPUT_VALUE, text + " is above 2^63 - 1").asException();
    }
    return address;
  }
}
