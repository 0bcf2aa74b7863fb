package dev.stowage.base;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.common.collect.ImmutableList;
import org.junit.jupiter.api.Test;

class OptionsTest {
  private enum Order {
    BY_SIZE,
    AS_GIVEN,
  }

  private static final OptionSpec<Boolean> OVERLAP = OptionSpec.bool("overlap", "share", true);
  private static final OptionSpec<Order> ORDER =
      OptionSpec.choice("order", "which first", Order.class, Order.BY_SIZE);
  private static final OptionSpec<ImmutableList<Call>> OF =
      OptionSpec.requiredCalls("of", "what to try");

  @Test
  void bind_nothingSet_givesDefaults() {
    Options options = bind("greedy", OVERLAP, ORDER);
    assertThat(options.get(OVERLAP)).isTrue();
    assertThat(options.get(ORDER)).isEqualTo(Order.BY_SIZE);
  }

  @Test
  void bind_valuesSet_areRead() {
    Options options = bind("suite{overlap=false,order=as-given,of=[a{x=1},b]}", OVERLAP, ORDER, OF);
    assertThat(options.get(OVERLAP)).isFalse();
    assertThat(options.get(ORDER)).isEqualTo(Order.AS_GIVEN);
    assertThat(options.get(OF)).containsExactly(Call.parse("", "a{x=1}"), Call.of("b"));
  }

  @Test
  void bind_unknownOption_suggestsTheNearest() {
    Diagnostic fault = fault("greedy{overlp=true}", OVERLAP, ORDER);
    assertThat(fault.kind()).isEqualTo(Kinds.UNKNOWN_OPTION);
    assertThat(fault.message()).isEqualTo("greedy has no option 'overlp'");
    assertThat(fault.help()).isEqualTo("did you mean overlap? possible: overlap, order");
  }

  @Test
  void bind_optionOfWhatHasNone_saysSo() {
    assertThat(fault("naive{x=1}").help()).isEqualTo("naive takes no options");
  }

  @Test
  void bind_wrongValue_saysWhatItMayBe() {
    Diagnostic fault = fault("greedy{order=size}", OVERLAP, ORDER);
    assertThat(fault.kind()).isEqualTo(Kinds.OPTION_VALUE);
    assertThat(fault.message()).isEqualTo("option 'order': 'size' is none of by-size, as-given");
    assertThat(fault.help()).isEqualTo("order=by-size|as-given: which first");
    assertThat(fault("greedy{overlap=[true]}", OVERLAP).message())
        .isEqualTo("option 'overlap': '[true]' is not a single word");
    assertThat(fault("greedy{overlap=TRUE}", OVERLAP).message())
        .isEqualTo("option 'overlap': 'TRUE' is neither true nor false");
  }

  @Test
  void bind_requiredOptionLeftOut_isRefused() {
    Diagnostic fault = fault("suite", OF);
    assertThat(fault.kind()).isEqualTo(Kinds.OPTION_VALUE);
    assertThat(fault.message()).isEqualTo("suite needs the option 'of'");
  }

  @Test
  void get_undeclaredOption_isRefused() {
    Options options = bind("greedy", OVERLAP);
    assertThatThrownBy(() -> options.get(ORDER)).isInstanceOf(IllegalArgumentException.class);
  }

  private static Options bind(String call, OptionSpec<?>... specs) {
    return Options.bind(Call.parse("test", call), ImmutableList.copyOf(specs));
  }

  private static Diagnostic fault(String call, OptionSpec<?>... specs) {
    return catchThrowableOfType(DiagnosticException.class, () -> bind(call, specs)).diagnostic();
  }
}
