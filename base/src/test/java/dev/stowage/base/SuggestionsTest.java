package dev.stowage.base;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class SuggestionsTest {
  @Test
  void nearest_fewDifferences_isFound() {
    assertThat(Suggestions.nearest("gredy", List.of("naive", "greedy"))).contains("greedy");
    assertThat(Suggestions.nearest("banked_gredy", List.of("banked-greedy")))
        .contains("banked-greedy");
  }

  @Test
  void nearest_shortWord_allowsTwoDifferences() {
    assertThat(Suggestions.nearest("ab", List.of("pin"))).isEmpty();
    assertThat(Suggestions.nearest("pxy", List.of("pin"))).contains("pin");
  }

  @Test
  void nearest_longWord_allowsAThirdOfItsLetters() {
    assertThat(Suggestions.nearest("abcdXXXXi", List.of("abcdefghi"))).isEmpty();
    assertThat(Suggestions.nearest("abcdXXXhi", List.of("abcdefghi"))).contains("abcdefghi");
  }

  @Test
  void nearest_severalEquallyNear_isTheFirst() {
    assertThat(Suggestions.nearest("bat", List.of("cat", "hat", "but"))).contains("cat");
  }

  @Test
  void help_nothingNear_listsWhatThereIs() {
    assertThat(Suggestions.help("zzzzzz", List.of("greedy", "naive")))
        .isEqualTo("possible: greedy, naive");
  }
}
