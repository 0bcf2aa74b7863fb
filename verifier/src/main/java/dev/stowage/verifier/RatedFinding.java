package dev.stowage.verifier;

/** A finding, and how bad it is under the profile in force. */
public record RatedFinding(Finding finding, Severity severity) {
  /** How bad a finding is. */
  public enum Severity {
    ERROR("error"),
    WARNING("warning");

    private final String word;

    Severity(String word) {
      this.word = word;
    }

    /** As in files. */
    @Override
    public String toString() {
      return word;
    }
  }

  /** True if the plan must not be used. */
  public boolean isError() {
    return severity == Severity.ERROR;
  }
}
