package dev.stowage.memmap.catalogue;

import static com.google.common.base.Preconditions.checkState;

import com.google.common.collect.ImmutableList;
import dev.stowage.base.io.Source;
import dev.stowage.memmap.Target;
import dev.stowage.memmap.TargetProvider;
import dev.stowage.memmap.TargetReader;
import java.io.InputStream;

/** Brings the targets that come with Stowage. */
public final class BundledTargets implements TargetProvider {
  /** What there is; resources cannot be listed. */
  private static final ImmutableList<String> NAMES =
      ImmutableList.of(
          "corstone-300-ethos-u55",
          "corstone-320-ethos-u85",
          "desktop",
          "esp32-s3-psram",
          "imx8mp-hifi4",
          "imxrt1062",
          "imxrt1176",
          "nrf5340",
          "nrf54h20",
          "raspberry-pi-4",
          "raspberry-pi-5",
          "rp2350",
          "stm32h743",
          "stm32h747",
          "stm32n657");

  /** For the service loader. */
  public BundledTargets() {}

  @Override
  public ImmutableList<Target> targets() {
    return NAMES.stream().map(BundledTargets::read).collect(ImmutableList.toImmutableList());
  }

  private static Target read(String name) {
    String file = name + ".json";
    InputStream in = BundledTargets.class.getResourceAsStream(file);
    checkState(in != null, "%s is missing", file);
    try (Source source = Source.of(file, in)) {
      return TargetReader.read(
          source,
          base -> {
            throw new IllegalStateException(name + " extends " + base);
          });
    }
  }
}
