package dev.stowage.cli;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.GeneralCodingRules.ACCESS_STANDARD_STREAMS;
import static com.tngtech.archunit.library.GeneralCodingRules.NO_CLASSES_SHOULD_USE_JAVA_UTIL_LOGGING;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableSet;
import com.google.common.collect.ImmutableSetMultimap;
import com.google.common.collect.Sets;
import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.Architectures.LayeredArchitecture;
import dev.stowage.passes.Pass;
import dev.stowage.planning.PlanningStrategy;
import dev.stowage.verifier.ClaimedPlan;
import dev.stowage.verifier.Finding;
import dev.stowage.verifier.FindingKind;
import dev.stowage.verifier.RatedFinding;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What holds between modules, packages and classes, beyond what the module descriptors enforce. */
class ArchitectureTest {
  private static final String ROOT = "dev.stowage";

  /** The modules, and those whose types each may name. */
  private static final ImmutableSetMultimap<String, String> ARROWS =
      ImmutableSetMultimap.<String, String>builder()
          .putAll("memmap", "base")
          .putAll("ir", "base")
          .putAll("planning", "base", "memmap")
          .putAll("verifier", "base", "ir", "memmap", "planning")
          .putAll("passes", "base", "ir", "memmap", "planning", "verifier")
          .putAll("formats", "base", "ir", "memmap", "planning", "verifier")
          .putAll("testkit", "base", "ir", "memmap", "planning", "verifier", "passes", "formats")
          .putAll("driver", "base", "ir", "memmap", "planning", "verifier", "passes", "formats")
          // The command line requires the driver alone, and prints whatever the driver returns.
          .putAll("cli", "base", "ir", "memmap", "planning", "verifier", "passes", "formats")
          .putAll("cli", "driver")
          .build();

  private static final ImmutableSet<String> MODULES =
      Sets.union(ARROWS.keySet(), Set.of("base")).immutableCopy();

  /** An implementation of a lowering profile, as opposed to the interface by which it is used. */
  private static final DescribedPredicate<JavaClass> PROFILE_IMPLEMENTATION =
      resideInAPackage(ROOT + ".passes.lowering..")
          .and(describe("implement Profile", ArchitectureTest::implementsProfile))
          .as("implementations of Profile");

  private static final DescribedPredicate<JavaClass> PLUGIN =
      assignableTo(Pass.class)
          .or(assignableTo(PlanningStrategy.class))
          .or(describe("implement Profile", ArchitectureTest::implementsProfile))
          .as("passes, strategies and profiles");

  /** Guava's immutable collections are not in {@code java.util}. */
  private static final DescribedPredicate<JavaClass> MUTABLE_COLLECTION =
      resideInAPackage("java.util..")
          .and(assignableTo(Collection.class).or(assignableTo(Map.class)))
          .as("a collection that may be mutable");

  /** What a plan file holds of a verifier's answer, with the types nested in it. */
  private static final DescribedPredicate<JavaClass> IN_PLAN_FILES =
      belongToAnyOf(Finding.class, FindingKind.class, RatedFinding.class, ClaimedPlan.class);

  private static JavaClasses classes;

  @BeforeAll
  static void importClasses() {
    classes =
        new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages(ROOT);
  }

  @Test
  void imported_everyModule_isThere() {
    for (String module : MODULES) {
      assertThat(classes.stream().map(JavaClass::getPackageName))
          .as("classes of module %s", module)
          .contains(ROOT + "." + module);
    }
  }

  @Test
  void modules_dependencies_followTheTable() {
    LayeredArchitecture architecture =
        layeredArchitecture().consideringOnlyDependenciesInLayers().withOptionalLayers(true);
    for (String module : MODULES) {
      architecture = architecture.layer(module).definedBy(ROOT + "." + module + "..");
    }
    for (String module : MODULES) {
      ImmutableSet<String> targets = ARROWS.get(module);
      architecture =
          targets.isEmpty()
              ? architecture.whereLayer(module).mayNotAccessAnyLayer()
              : architecture.whereLayer(module).mayOnlyAccessLayers(targets.toArray(String[]::new));
    }
    check(architecture);
  }

  @Test
  void packages_dependencies_haveNoCycles() {
    check(slices().matching(ROOT + ".(**)").should().beFreeOfCycles());
  }

  @Test
  void classes_logging_goesThroughSlf4j() {
    check(NO_CLASSES_SHOULD_USE_JAVA_UTIL_LOGGING);
  }

  @Test
  void classes_standardStreams_areUsedByTheCommandLineOnly() {
    check(
        noClasses()
            .that()
            .resideOutsideOfPackage(ROOT + ".cli..")
            .should(ACCESS_STANDARD_STREAMS)
            .because("a library's answer is its result"));
  }

  @Test
  void fields_static_areFinal() {
    check(
        fields()
            .that()
            .areStatic()
            .and()
            .doNotHaveModifier(JavaModifier.SYNTHETIC)
            .should()
            .beFinal()
            .andShould()
            .notHaveRawType(MUTABLE_COLLECTION)
            .because("state belongs to objects"));
  }

  @Test
  void fields_staticArrays_arePrivate() {
    check(
        fields()
            .that()
            .areStatic()
            .and()
            .doNotHaveModifier(JavaModifier.SYNTHETIC)
            .and()
            .areNotPrivate()
            .should()
            .notHaveRawType(describe("array", JavaClass::isArray))
            .because("anyone can write to the elements of an array"));
  }

  @Test
  void plugins_instances_haveNoState() {
    check(
        fields()
            .that()
            .areDeclaredInClassesThat(PLUGIN)
            .should()
            .beFinal()
            .andShould()
            .notHaveRawType(MUTABLE_COLLECTION)
            .andShould()
            .notHaveRawType(describe("array", JavaClass::isArray))
            .because("one instance serves all threads and all runs"));
  }

  @Test
  void formats_fromTheVerifier_useWhatFilesHoldOnly() {
    check(
        noClasses()
            .that()
            .resideInAPackage(ROOT + ".formats..")
            .should()
            .dependOnClassesThat(resideInAPackage(ROOT + ".verifier..").and(not(IN_PLAN_FILES)))
            .because("readers and writers judge nothing"));
  }

  @Test
  void benchmarks_areUsedByNothing() {
    check(
        noClasses()
            .that()
            .resideOutsideOfPackage(ROOT + ".benchmarks..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage(ROOT + ".benchmarks.."));
  }

  @Test
  void profiles_outsideOfLowering_areUsedByTheirInterface() {
    check(
        noClasses()
            .that()
            .resideOutsideOfPackage(ROOT + ".passes.lowering..")
            .should()
            .dependOnClassesThat(PROFILE_IMPLEMENTATION)
            .because("only the lowering knows profiles"));
  }

  @Test
  void publicTypes_names_sayWhatTheTypeIs() {
    check(
        classes()
            .that()
            .arePublic()
            .should()
            .haveNameNotMatching(".*(Impl|Utils?|Helper)")
            .because("a name says what the type is, not how it came about"));
  }

  private static boolean implementsProfile(JavaClass candidate) {
    return !candidate.isInterface()
        && candidate.getAllRawInterfaces().stream()
            .anyMatch(type -> type.getSimpleName().equals("Profile"));
  }

  private static void check(ArchRule rule) {
    rule.check(classes);
  }
}
