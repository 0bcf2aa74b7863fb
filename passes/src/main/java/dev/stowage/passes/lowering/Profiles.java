package dev.stowage.passes.lowering;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.stowage.base.Call;
import dev.stowage.base.Kinds;
import dev.stowage.base.OptionSpec;
import dev.stowage.base.OptionType;
import dev.stowage.base.Options;
import dev.stowage.base.PluginRegistry;
import dev.stowage.base.Value;
import java.util.Optional;

/** The profiles by name, and how the pass that plans is called for them. */
public final class Profiles {
  /** The pass that lowers, plans and places. */
  public static final String PLAN = "plan";

  /** The option of {@link #PLAN} that names a profile. */
  public static final OptionSpec<String> PROFILE =
      OptionSpec.of(
          "profile", "the rules: sound, executorch or tflm", OptionType.WORD, SoundProfile.NAME);

  private static final ImmutableList<Profile> ALL =
      ImmutableList.of(new SoundProfile(), new ExecutorchProfile(), new TflmProfile());

  /** The file formats whose models are planned by another profile than the default one. */
  private static final ImmutableMap<String, Profile> BY_FORMAT =
      ImmutableMap.of("tflite", new TflmProfile());

  private Profiles() {}

  /** The profile of a name. */
  public static Profile named(String name) {
    return named(Call.of(name));
  }

  /**
   * The profile that an option names.
   *
   * @throws dev.stowage.base.DiagnosticException of kind {@code unknown-profile}, pointing at it
   */
  public static Profile named(Options options, OptionSpec<String> option) {
    Value written = options.call().options().get(option.name());
    return named(written == null ? Call.of(options.get(option)) : written.asCall());
  }

  private static Profile named(Call call) {
    return new PluginRegistry<>("profile", Kinds.UNKNOWN_PROFILE, ALL, Profile::name).get(call);
  }

  /** The profile of a name, if there is one. */
  public static Optional<Profile> find(String name) {
    return ALL.stream().filter(profile -> profile.name().equals(name)).findFirst();
  }

  /** The names of all profiles. */
  public static ImmutableList<String> names() {
    return ALL.stream().map(Profile::name).collect(ImmutableList.toImmutableList());
  }

  /**
   * The name of the pipeline by which a model is planned unless the caller says otherwise.
   *
   * @param format the format of the file, such as {@code tflite}
   */
  public static String defaultPipeline(String format) {
    Profile profile = BY_FORMAT.get(format);
    return (profile == null ? named(PROFILE.defaultText()) : profile).pipelineName();
  }

  /**
   * The call of {@link #PLAN} for each profile, by the name of the pipeline that consists of it.
   */
  public static ImmutableMap<String, Call> planCalls() {
    ImmutableMap.Builder<String, Call> calls = ImmutableMap.builder();
    for (Profile profile : ALL) {
      Call plan = Call.of(PLAN);
      boolean isDefault = PROFILE.defaultText().equals(profile.name());
      calls.put(
          profile.pipelineName(),
          isDefault ? plan : plan.with(PROFILE.name(), new Value.Word(profile.name())));
    }
    return calls.buildOrThrow();
  }
}
