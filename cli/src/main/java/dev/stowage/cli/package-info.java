/**
 * The command line: options and rendering, nothing else. {@link dev.stowage.cli.Main} finds and
 * runs a {@link dev.stowage.cli.Command}: {@link dev.stowage.cli.PlanCommand}, {@link
 * dev.stowage.cli.InspectCommand}, {@link dev.stowage.cli.VerifyCommand}, {@link
 * dev.stowage.cli.ConvertCommand} or {@link dev.stowage.cli.ListCommand}.
 *
 * <p>A {@link dev.stowage.cli.Run} is what a command gets from the process: the {@link
 * dev.stowage.cli.Terminal}, standard output, {@link dev.stowage.cli.Messages} for errors. A {@link
 * dev.stowage.cli.Report} takes its result; a {@link dev.stowage.cli.Tally} of what went well gives
 * the exit code, one of {@link dev.stowage.cli.ExitCodes}.
 */
@NullMarked
package dev.stowage.cli;

import org.jspecify.annotations.NullMarked;
