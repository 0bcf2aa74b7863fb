/**
 * Plans as files. The plan of a problem is read by {@link dev.stowage.formats.plan.PlanReader} as a
 * {@link dev.stowage.formats.plan.PlanDocument} and written by {@link
 * dev.stowage.formats.plan.PlanWriter}; that of a program is a {@link
 * dev.stowage.formats.plan.ProgramPlan}, for {@link dev.stowage.formats.plan.ProgramPlanReader} and
 * {@link dev.stowage.formats.plan.ProgramPlanWriter}.
 *
 * <p>Both hold findings, which {@link dev.stowage.formats.plan.FindingJson} writes, and where there
 * is no plan a {@link dev.stowage.formats.plan.PlanError}.
 */
@NullMarked
package dev.stowage.formats.plan;

import org.jspecify.annotations.NullMarked;
