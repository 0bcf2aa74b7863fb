package dev.stowage.passes;

import dev.stowage.ir.Graph;
import dev.stowage.ir.Method;
import dev.stowage.ir.Program;
import java.util.function.UnaryOperator;

/** Passes as functions. */
public final class TestPasses {
  private TestPasses() {}

  /** What a pass does. */
  public interface OnProgram {
    /** Gives the changed program. */
    Program run(Program program, PassContext context);
  }

  /** What a pass does. */
  public interface OnMethod {
    /** Gives the changed method. */
    Method run(Method method, PassContext context);
  }

  /** What a pass does. */
  public interface OnGraph {
    /** Gives the changed method. */
    Method run(Method method, Graph graph, PassContext context);
  }

  /** A pass of programs. */
  public static ProgramPass ofProgram(
      String name, UnaryOperator<PassSpec.Builder> spec, OnProgram run) {
    return new ProgramPass() {
      @Override
      public PassSpec spec() {
        return spec.apply(PassSpec.named(name).summary("for tests")).build();
      }

      @Override
      public Program run(Program program, PassContext context) {
        return run.run(program, context);
      }
    };
  }

  /** A pass of methods. */
  public static MethodPass ofMethod(
      String name, UnaryOperator<PassSpec.Builder> spec, OnMethod run) {
    return new MethodPass() {
      @Override
      public PassSpec spec() {
        return spec.apply(PassSpec.named(name).summary("for tests")).build();
      }

      @Override
      public Method run(Method method, PassContext context) {
        return run.run(method, context);
      }
    };
  }

  /** A pass of graphs. */
  public static GraphPass ofGraph(String name, UnaryOperator<PassSpec.Builder> spec, OnGraph run) {
    return new GraphPass() {
      @Override
      public PassSpec spec() {
        return spec.apply(PassSpec.named(name).summary("for tests")).build();
      }

      @Override
      public Method run(Method method, Graph graph, PassContext context) {
        return run.run(method, graph, context);
      }
    };
  }
}
