import type { Ctx } from '#kernel/context.ts';
import { type LogRing, recentLog } from '#kernel/log-ring.ts';
import { requireWholeInstallation } from '../admin/index.ts';
import { LEVELS, type Level, type LogLine, lineOf, type Source } from './line.ts';

/** Which lines are wanted; what is absent narrows nothing. */
export interface LogFilter {
  /** That level and worse ones. */
  readonly level?: Level | undefined;
  readonly source?: Source | undefined;
  /** Anywhere in the line, whatever the case. */
  readonly q?: string | undefined;
  readonly requestId?: string | undefined;
}

/** @throws AppError INSUFFICIENT_SCOPE for whoever sees one tenant alone: lines are about all of them */
export function ringOf(ctx: Ctx): LogRing | null {
  requireWholeInstallation(ctx);
  return ctx.memory.of(recentLog).ring;
}

/**
 * The newest lines of this server that match, the newest first.
 *
 * @param limit at most so many; all that are kept when absent
 * @throws AppError as `ringOf`
 */
export function recentLines(ctx: Ctx, filter: LogFilter, limit = Number.POSITIVE_INFINITY): LogLine[] {
  const found: LogLine[] = [];
  for (const kept of ringOf(ctx)?.newest() ?? []) {
    if (found.length >= limit) break;
    const line = lineOf(kept);
    if (line && matches(line, filter, kept.text)) found.push(line);
  }
  return found;
}

/** @param text of the line as it was written */
export function matches(line: LogLine, { level, source, q, requestId }: LogFilter, text: string): boolean {
  if (level && LEVELS.indexOf(line.level) < LEVELS.indexOf(level)) return false;
  if (source && line.source !== source) return false;
  if (requestId && line.requestId !== requestId) return false;
  return !q || text.toLowerCase().includes(q.toLowerCase());
}
