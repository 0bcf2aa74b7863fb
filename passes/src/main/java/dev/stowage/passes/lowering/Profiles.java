package dev.stowage.passes.lowering;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.stowage.base.Call;
import dev.stowage.base.Kinds;
import dev.stowage.base.OptionSpec;
import dev.stowage.base.PluginRegistry;
import dev.stowage.base.Value;
import dev.stowage.passes.Pipeline;

/** The profiles by name, and the pipelines that plan by them. */
public final class Profiles {
  /** The pass that lowers, plans and places. */
  public static final String PLAN = "plan";

  /** The option of {@link #PLAN} that names a profile. */
  public static final OptionSpec<String> PROFILE =
      OptionSpec.word("profile", "the rules: sound, executorch or tflm", SoundProfile.NAME);

  private static final ImmutableList<Profile> ALL =
      ImmutableList.of(new SoundProfile(), new ExecutorchProfile(), new TflmProfile());

  private Profiles() {}

  /** The profile of a name. */
  public static Profile named(String name) {
    return new PluginRegistry<>("profile", Kinds.UNKNOWN_PROFILE, ALL, Profile::name).get(name);
  }

  /** A pipeline for each profile, by its name. */
  public static ImmutableMap<String, Pipeline> pipelines() {
    ImmutableMap.Builder<String, Pipeline> pipelines = ImmutableMap.builder();
    for (Profile profile : ALL) {
      Call plan = Call.of(PLAN);
      boolean isDefault = PROFILE.defaultText().equals(profile.name());
      pipelines.put(
          profile.pipelineName(),
          new Pipeline(
              ImmutableList.of(
                  isDefault ? plan : plan.with(PROFILE.name(), new Value.Word(profile.name())))));
    }
    return pipelines.buildOrThrow();
  }
}
