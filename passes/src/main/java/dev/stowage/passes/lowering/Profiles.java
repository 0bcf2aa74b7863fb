package dev.stowage.passes.lowering;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.stowage.base.Call;
import dev.stowage.base.Kinds;
import dev.stowage.base.OptionSpec;
import dev.stowage.base.OptionType;
import dev.stowage.base.PluginRegistry;
import dev.stowage.base.Value;

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
    return new PluginRegistry<>("profile", Kinds.UNKNOWN_PROFILE, ALL, Profile::name).get(name);
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
