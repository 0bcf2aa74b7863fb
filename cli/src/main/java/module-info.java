/** The command line: options and rendering, nothing else. */
module dev.stowage.cli {
  requires dev.stowage.driver;
  requires ch.qos.logback.classic;
  requires info.picocli;
  requires org.slf4j;
  requires static transitive org.jspecify;
}
