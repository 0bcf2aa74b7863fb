/**
 * What all modules share.
 *
 * <p>Something wrong is a {@link dev.stowage.base.Diagnostic}: a {@link
 * dev.stowage.base.DiagnosticKind} of {@link dev.stowage.base.Kinds}, a {@link
 * dev.stowage.base.Location}, what is wrong and what to do. It is thrown as a {@link
 * dev.stowage.base.DiagnosticException}; a defect of a plug-in is a {@link
 * dev.stowage.base.PluginFailedException}. Texts are put together by {@link
 * dev.stowage.base.Message}, {@link dev.stowage.base.ByteSize} and {@link
 * dev.stowage.base.Suggestions}.
 *
 * <p>A strategy or a pass is called by text, read by {@link dev.stowage.base.TextCursor}: a {@link
 * dev.stowage.base.Call} gives {@link dev.stowage.base.Value}s to options, each declared by an
 * {@link dev.stowage.base.OptionSpec}, and {@link dev.stowage.base.Options} binds them. The {@link
 * dev.stowage.base.PluginRegistry} finds plug-ins by name.
 *
 * <p>A {@link dev.stowage.base.Device} is where bytes live.
 */
@NullMarked
package dev.stowage.base;

import org.jspecify.annotations.NullMarked;
