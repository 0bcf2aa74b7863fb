package dev.stowage.base;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.common.collect.ImmutableList;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class OptionsTest {
  private enum Order {
    BY_SIZE,
    AS_GIVEN,
  }

  private static final OptionSpec<Boolean> OVERLAP =
      OptionSpec.of("overlap", "share", OptionType.BOOLEAN, true);
  private static final OptionSpec<Order> ORDER =
      OptionSpec.of("order", "which first", OptionType.choice(Order.class), Order.BY_SIZE);
  private static final OptionSpec<ImmutableList<Call>> OF =
      OptionSpec.required("of", "what to try", OptionType.list(OptionType.CALL));

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

  @Test
  void bind_callThatWasRead_pointsAtOptionAndValue() {
    Diagnostic unknown = fault("greedy{order=as-given, overlp=true}", OVERLAP, ORDER);
    assertThat(unknown.location()).hasToString("test:1:24");
    assertThat(unknown.notes())
        .containsExactly("greedy{order=as-given, overlp=true}\n" + " ".repeat(23) + "^^^^^^");
    Diagnostic value = fault("greedy{order= size}", ORDER);
    assertThat(value.location()).hasToString("test:1:15");
    assertThat(value.notes()).containsExactly("greedy{order= size}\n" + " ".repeat(14) + "^^^^");
  }

  @Test
  void canonical_defaultsAreLeftOut_theRestInTheOrderDeclared() {
    OptionSpec<Optional<Long>> limit =
        OptionSpec.optional("limit", "how much", OptionType.bytes(0, Long.MAX_VALUE));
    assertThat(
            bind("x{limit=4096,order=as-given,overlap=true}", OVERLAP, ORDER, limit)
                .canonical()
                .call())
        .hasToString("x{order=as-given,limit=4KiB}");
    assertThat(bind("x{order=by-size}", ORDER, limit).canonical().call()).hasToString("x");
    assertThat(bind("suite{of=[\"a\",b{x=1}]}", OF).canonical().call())
        .hasToString("suite{of=[a,b{x=1}]}");
  }

  @Test
  void bind_numbersOutsideTheirRange_areRefused() {
    OptionSpec<Integer> by = OptionSpec.of("by", "steps", OptionType.integer(0, 9), 2);
    assertThat(bind("x{by=9}", by).get(by)).isEqualTo(9);
    assertThat(fault("x{by=10}", by).message()).isEqualTo("option 'by': 10 is not from 0 to 9");
    assertThat(fault("x{by=2.5}", by).message())
        .isEqualTo("option 'by': '2.5' is no whole number from 0 to 9");
    OptionSpec<Optional<Long>> size =
        OptionSpec.optional("size", "how much", OptionType.bytes(1, 64));
    assertThat(fault("x{size=0}", size).message()).isEqualTo("option 'size': 0 is below 1");
    assertThat(fault("x{size=1KiB}", size).message()).isEqualTo("option 'size': 1KiB is above 64");
  }

  private static Options bind(String call, OptionSpec<?>... specs) {
    return Options.bind(Call.parse("test", call), ImmutableList.copyOf(specs));
  }

  private static Diagnostic fault(String call, OptionSpec<?>... specs) {
    return catchThrowableOfType(DiagnosticException.class, () -> bind(call, specs)).diagnostic();
  }
}
