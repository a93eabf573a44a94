import type { ImportReport } from '#licensing/moving/portability/index.ts';
import { planned } from '../change.ts';
import type { Cli } from '../frame/context.ts';
import { exits } from '../frame/exits.ts';

/** A person reads so many lines; --json holds more. */
const SHOWN = 20;

/**
 * Writes what became of the rows of an import.
 *
 * @returns 7 when rows failed (cli.md section 1.8), else 0
 */
export async function writeReport(cli: Cli, report: ImportReport): Promise<number> {
  const { rows, created, updated, skipped, failed, warnings, errors } = report;
  const summary = { total: rows, succeeded: rows - failed, failed };
  const counts = `${created} created, ${updated} updated, ${skipped} skipped or already there, ${failed} failed`;
  await cli.out.value(planned(cli, { ...report, summary }), () => `${rows} rows: ${counts}`);
  if (!cli.json) {
    tell(
      cli,
      warnings.length,
      warnings.map(({ row, message }) => `row ${row}: ${message}`),
    );
    tell(
      cli,
      failed,
      errors.map(({ row, code, message }) => `row ${row}: ${code}: ${message}`),
    );
    if (cli.dryRun) cli.note('dry run: nothing was changed');
  }
  return failed > 0 ? exits.partial : exits.done;
}

function tell(cli: Cli, total: number, lines: readonly string[]): void {
  for (const line of lines.slice(0, SHOWN)) cli.warn(line);
  if (total > SHOWN) cli.note(`and ${total - SHOWN} more; --json lists them`);
}
