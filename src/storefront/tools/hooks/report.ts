import type { Ctx } from '#kernel/context.ts';
import type { HookFile } from '#kernel/hooks/loaded.ts';
import type { Subscription } from '#kernel/hooks/point.ts';
import { type FileRuns, runsByFile } from '#platform/hooks/index.ts';

/** How one subscription of a file has done in this process. */
export interface SubscriptionReport {
  readonly event: string;
  readonly runs: number;
  readonly errors: number;
  readonly refused: number;
  readonly avgMs: number | null;
  readonly lastError: string | null;
  readonly lastErrorAt: string | null;
}

/** A file of the hooks directory, as this process has loaded it. */
export interface FileReport extends FileRuns, Omit<SubscriptionReport, 'event'> {
  readonly file: string;
  readonly isHelper: boolean;
  readonly strayErrors: number;
  readonly subscriptions: readonly SubscriptionReport[];
}

/** What this process knows of its hooks, with what waits in the database. */
export async function hookReport(ctx: Ctx): Promise<FileReport[]> {
  const { files } = await ctx.hooks.load();
  if (files.length === 0) return [];
  const runs = await runsByFile(ctx);
  return files.map((file) => fileReport(file, runs(file.name)));
}

function fileReport(file: HookFile, runs: FileRuns): FileReport {
  const { name, subscriptions, hasRegister, strayErrors, lastStray } = file;
  const last = subscriptions
    .filter(({ lastErrorAt }) => lastErrorAt !== null)
    .toSorted((a, b) => ((a.lastErrorAt as string) < (b.lastErrorAt as string) ? 1 : -1))[0];
  return {
    file: name,
    isHelper: !hasRegister,
    subscriptions: subscriptions.map((one) => ({ event: one.event, ...figuresOf([one]) })),
    ...figuresOf(subscriptions),
    strayErrors,
    lastError: last?.lastError ?? lastStray,
    lastErrorAt: last?.lastErrorAt ?? null,
    ...runs,
  };
}

function figuresOf(all: readonly Subscription[]): Omit<SubscriptionReport, 'event'> {
  const sum = (of: (one: Subscription) => number) => all.reduce((total, one) => total + of(one), 0);
  const runs = sum((one) => one.runs);
  return {
    runs,
    errors: sum(({ errors }) => errors),
    refused: sum(({ refused }) => refused),
    avgMs: runs === 0 ? null : Math.round((sum(({ totalMs }) => totalMs) / runs) * 100) / 100,
    lastError: all[0]?.lastError ?? null,
    lastErrorAt: all[0]?.lastErrorAt ?? null,
  };
}
