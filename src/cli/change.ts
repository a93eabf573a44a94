import type { Ctx } from '#kernel/context.ts';
import { rehearse } from '#kernel/rehearse.ts';
import type { Cli } from './frame/context.ts';

/**
 * Makes a change, or with --dry-run rehearses it: the whole use case runs in a transaction that is rolled back, so
 * that the plan is what would happen, every refusal included (cli.md section 1.3).
 *
 * @param work gets the ctx to use
 * @throws what the use case throws
 */
export async function changeOrPlan<T>(cli: Cli, ctx: Ctx, work: (ctx: Ctx) => Promise<T>): Promise<T> {
  return cli.dryRun ? rehearse(ctx, work) : work(ctx);
}

/** The answer of a change: with --dry-run it says that nothing changed. */
export function planned<T extends object>(cli: Cli, value: T): T | (T & { dryRun: true }) {
  return cli.dryRun ? { ...value, dryRun: true } : value;
}

/** Tells after a change what was done, or that it would be done; for the person, on stderr. */
export function noteChange(cli: Cli, what: string): void {
  if (!cli.json) cli.note(cli.dryRun ? `dry run: ${what} (nothing was changed)` : what);
}
