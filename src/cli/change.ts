import type { Cli } from './frame/context.ts';

/** The answer of a change: with --dry-run it says that nothing changed. */
export function planned<T extends object>(cli: Cli, value: T): T | (T & { dryRun: true }) {
  return cli.dryRun ? { ...value, dryRun: true } : value;
}

/** Tells after a change what was done, or that it would be done; for the person, on stderr. */
export function noteChange(cli: Cli, what: string): void {
  if (!cli.json) cli.note(cli.dryRun ? `dry run: ${what} (nothing was changed)` : what);
}
