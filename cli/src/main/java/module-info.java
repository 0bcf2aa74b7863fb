import ch.qos.logback.classic.spi.Configurator;
import dev.stowage.cli.LogConfigurator;

/** The command line: options and rendering, nothing else. */
module dev.stowage.cli {
  requires dev.stowage.driver;
  requires ch.qos.logback.classic;
  requires ch.qos.logback.core;
  requires com.fasterxml.jackson.core;
  requires info.picocli;
  requires org.slf4j;
  requires static transitive org.jspecify;

  opens dev.stowage.cli to
      info.picocli;

  provides Configurator with
      LogConfigurator;
}
