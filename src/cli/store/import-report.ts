import { planned } from '../change.ts';
import type { Cli } from '../frame/context.ts';
import { exits } from '../frame/exits.ts';
import type { StoreImport } from './schemas.ts';

/** A person reads so many lines; --json holds more. */
const SHOWN = 20;
/** So many are kept: memory does not grow with the file. */
const KEPT = 1000;

/** What became of the lines of a file. */
export interface ImportReport extends Omit<StoreImport, 'summary' | 'dryRun'> {
  done(result: 'created' | 'updated' | 'unchanged'): void;
  fail(line: number, name: string | null, code: string, message: string): void;
  /** Of a line that was taken all the same. */
  warn(line: number, name: string | null, message: string): void;
}

export const createReport = (): ImportReport => ({
  lines: 0,
  created: 0,
  updated: 0,
  unchanged: 0,
  failed: 0,
  pictures: 0,
  errors: [],
  warnings: [],
  done(result) {
    this.lines += 1;
    this[result] += 1;
  },
  fail(line, name, code, message) {
    this.lines += 1;
    this.failed += 1;
    if (this.errors.length < KEPT) this.errors.push({ line, name, code, message });
  },
  warn(line, name, message) {
    if (this.warnings.length < KEPT) this.warnings.push({ line, name, message });
  },
});

/** Writes what became of the lines. @returns 7 when lines failed (cli 1.8), else 0 */
export async function writeReport(cli: Cli, report: ImportReport): Promise<number> {
  const { done: _done, fail: _fail, warn: _warn, ...counted } = report;
  const { lines, created, updated, unchanged, failed, pictures, errors, warnings } = counted;
  const summary = { total: lines, succeeded: lines - failed, failed };
  const counts = `${created} created, ${updated} updated, ${unchanged} unchanged, ${failed} failed`;
  const added = pictures === 0 ? '' : `; ${pictures} pictures added`;
  await cli.out.value(planned(cli, { ...counted, summary }), () => `${lines} lines: ${counts}${added}`);
  if (!cli.json) {
    for (const all of [errors, warnings])
      for (const { line, message } of all.slice(0, SHOWN)) cli.warn(`line ${line}: ${message}`);
    const more = Math.max(failed - SHOWN, 0) + Math.max(warnings.length - SHOWN, 0);
    if (more > 0) cli.note(`and ${more} more; --json lists them`);
    if (cli.dryRun) cli.note('dry run: nothing was changed');
    else if (failed > 0) cli.note('Fix these lines and run it again: finished lines stay as they are.');
  }
  return failed > 0 ? exits.partial : exits.done;
}
