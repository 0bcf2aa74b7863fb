package dev.stowage.base;

import static com.google.common.base.Preconditions.checkArgument;
import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.LinkedHashMap;
import java.util.Map;

/** The options of one call, read and checked against their declarations. */
public final class Options {
  private final Call call;
  private final ImmutableMap<OptionSpec<?>, Object> values;

  private Options(Call call, ImmutableMap<OptionSpec<?>, Object> values) {
    this.call = call;
    this.values = values;
  }

  /**
   * Checks a call against the options that it may have.
   *
   * @throws DiagnosticException of kind {@code unknown-option} or {@code option-value}
   */
  public static Options bind(Call call, ImmutableList<OptionSpec<?>> specs) {
    Map<String, OptionSpec<?>> byName = new LinkedHashMap<>();
    specs.forEach(spec -> byName.put(spec.name(), spec));
    for (String name : call.options().keySet()) {
      if (!byName.containsKey(name)) {
        throw call.diagnoseOption(
                name, Kinds.UNKNOWN_OPTION, call.name() + " has no option '" + name + "'")
            .help(
                byName.isEmpty()
                    ? call.name() + " takes no options"
                    : Suggestions.help(name, byName.keySet()))
            .asException();
      }
    }
    ImmutableMap.Builder<OptionSpec<?>, Object> values = ImmutableMap.builder();
    for (OptionSpec<?> spec : specs) {
      values.put(spec, read(call, spec));
    }
    return new Options(call, values.buildOrThrow());
  }

  private static Object read(Call call, OptionSpec<?> spec) {
    Value value = call.options().get(spec.name());
    if (value == null) {
      if (spec.isRequired()) {
        throw badValue(call, call.name() + " needs the option '" + spec.name() + "'", spec);
      }
      return spec.defaultValue().get();
    }
    try {
      return requireNonNull(spec.read(value));
    } catch (IllegalArgumentException e) {
      throw badValue(call, "option '" + spec.name() + "': " + Message.reason(e), spec);
    }
  }

  private static DiagnosticException badValue(Call call, String message, OptionSpec<?> spec) {
    return call.diagnoseValue(spec.name(), Kinds.OPTION_VALUE, message)
        .help(spec.name() + "=" + spec.values() + ": " + spec.summary())
        .asException();
  }

  /** The value of a declared option. */
  @SuppressWarnings("unchecked") // bind() put in what the option itself read
  public <T> T get(OptionSpec<T> spec) {
    Object value = values.get(spec);
    checkArgument(value != null, "option %s is not declared", spec.name());
    return (T) value;
  }

  /** True if these are options of exactly these declarations. */
  public boolean areOf(ImmutableList<OptionSpec<?>> specs) {
    return values.keySet().asList().equals(specs);
  }

  /** The call, with its place: for errors that point at an option. */
  public Call call() {
    return call;
  }

  /** The same with the call in canonical form: options in the order declared, no defaults. */
  public Options canonical() {
    ImmutableMap.Builder<String, Value> options = ImmutableMap.builder();
    for (OptionSpec<?> spec : values.keySet()) {
      write(spec, options);
    }
    return new Options(call.withOptions(options.buildOrThrow()), values);
  }

  private <T> void write(OptionSpec<T> spec, ImmutableMap.Builder<String, Value> options) {
    spec.write(get(spec)).ifPresent(value -> options.put(spec.name(), value));
  }
}
