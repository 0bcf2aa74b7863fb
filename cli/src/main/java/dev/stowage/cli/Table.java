package dev.stowage.cli;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Aligned columns under titles, within the width of a line: what does not fit is shortened, in a
 * last column of text broken into lines.
 */
final class Table {
  private static final int NARROWEST = 8;
  private static final int NARROWEST_WRAPPED = 24;
  private static final String GAP = "  ";

  private final int indent;
  private final ImmutableList<Column> columns;
  private final List<ImmutableList<String>> rows = new ArrayList<>();

  /**
   * A column.
   *
   * @param title above it
   * @param number true for numbers, which stand on the right and are shortened last
   */
  private record Column(String title, boolean number) {}

  /**
   * A table without rows.
   *
   * @param indent blanks before each line
   * @param titles of the columns; one that begins with {@code #} has numbers
   */
  Table(int indent, String... titles) {
    this.indent = indent;
    ImmutableList.Builder<Column> builder = ImmutableList.builder();
    for (String title : titles) {
      boolean number = title.startsWith("#");
      builder.add(new Column(number ? title.substring(1) : title, number));
    }
    columns = builder.build();
  }

  /** Adds a row, a cell for each column. */
  Table row(String... cells) {
    rows.add(ImmutableList.copyOf(cells));
    return this;
  }

  /** Writes titles and rows. */
  void appendTo(StringBuilder text, Style style) {
    int[] widths = widths();
    text.append(
        style.bold(line(columns.stream().map(Column::title).toList(), widths)).concat("\n"));
    for (ImmutableList<String> row : rows) {
      append(text, row, widths);
    }
  }

  private void append(StringBuilder text, ImmutableList<String> row, int[] widths) {
    int last = columns.size() - 1;
    if (columns.get(last).number() || row.get(last).length() <= widths[last]) {
      text.append(line(row, widths)).append('\n');
      return;
    }
    List<String> cells = new ArrayList<>(row);
    for (String part : Text.wrap(0, 0, row.get(last), widths[last])) {
      cells.set(last, part);
      text.append(line(cells, widths)).append('\n');
      Collections.fill(cells, "");
    }
  }

  private int[] widths() {
    int[] widths = new int[columns.size()];
    int total = indent + GAP.length() * (widths.length - 1);
    for (int i = 0; i < widths.length; i++) {
      widths[i] = columns.get(i).title().length();
      for (ImmutableList<String> row : rows) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
      total += widths[i];
    }
    for (; total > Text.WIDTH; total--) {
      widths[widest(widths)]--;
    }
    return widths;
  }

  private int widest(int[] widths) {
    int last = widths.length - 1;
    if (!columns.get(last).number() && widths[last] > NARROWEST_WRAPPED) {
      return last;
    }
    int widestText = -1;
    int widest = 0;
    for (int i = 0; i < widths.length; i++) {
      if (widths[i] > widths[widest]) {
        widest = i;
      }
      if (!columns.get(i).number()
          && widths[i] > NARROWEST
          && (widestText < 0 || widths[i] > widths[widestText])) {
        widestText = i;
      }
    }
    return widestText < 0 ? widest : widestText;
  }

  private String line(List<String> cells, int[] widths) {
    StringBuilder line = new StringBuilder(" ".repeat(indent));
    for (int i = 0; i < widths.length; i++) {
      String cell = cells.get(i);
      line.append(i == 0 ? "" : GAP)
          .append(
              columns.get(i).number() ? Text.right(cell, widths[i]) : Text.left(cell, widths[i]));
    }
    return line.toString().stripTrailing();
  }
}
