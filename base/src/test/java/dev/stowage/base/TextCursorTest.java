package dev.stowage.base;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TextCursorTest {
  @Test
  void acceptWord_beginningOfALongerWord_isLeft() {
    TextCursor cursor = new TextCursor("t", " constant const_ const");
    assertThat(cursor.acceptWord("const")).isFalse();
    assertThat(cursor.word("a word", "")).isEqualTo("constant");
    assertThat(cursor.acceptWord("const")).isFalse();
    assertThat(cursor.word("a word", "_")).isEqualTo("const_");
    assertThat(cursor.acceptWord("const")).isTrue();
    assertThat(cursor.atEnd()).isTrue();
  }

  @Test
  void skipBlanks_commentOnTheLastLine_endsTheText() {
    TextCursor cursor = new TextCursor("t", "a # b\n # c");
    assertThat(cursor.accept('a')).isTrue();
    assertThat(cursor.atEnd()).isTrue();
    assertThat(cursor.peekDigit()).isFalse();
  }

  @Test
  void quoted_quotedText_isTheText() {
    String text = "a\"b\\n\nc\\ # d";
    assertThat(new TextCursor("t", TextCursor.quote(text)).quoted()).isEqualTo(text);
  }

  @Test
  void error_kindOfTheCursor_isUsed() {
    TextCursor cursor = new TextCursor("t", "ab\ncd", Kinds.INPUT_SYNTAX);
    Diagnostic fault = cursor.error(4, "no").diagnostic();
    assertThat(fault.kind()).isEqualTo(Kinds.INPUT_SYNTAX);
    assertThat(fault.location().place()).isEqualTo("2:2");
    assertThat(fault.notes()).containsExactly("cd\n ^");
  }

  @Test
  void error_atTheEndAfterALineBreak_isOnTheLastLine() {
    Diagnostic fault = new TextCursor("t", "ab\n").error(3, "no").diagnostic();
    assertThat(fault.location().place()).isEqualTo("2:1");
    assertThat(new TextCursor("t", "").error(0, "no").diagnostic().location().place())
        .isEqualTo("1:1");
  }
}
