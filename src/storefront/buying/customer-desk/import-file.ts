import { readFile } from 'node:fs/promises';
import type { Ctx } from '#kernel/context.ts';
import { startTask, type Task } from '#kernel/jobs/task.ts';
import { RecordFault } from '#kernel/records/fault.ts';
import { openTable } from '#kernel/records/table.ts';
import { rehearsing } from '#kernel/rehearse.ts';
import { invalidField } from '#kernel/service/errors.ts';
import { columnOf, unknownColumn } from './columns.ts';
import { type Cells, takeRows } from './import-row.ts';

/** Refusals that a report names; the rest is counted. */
const MOST_NAMED = 500;
/** A task that ends so soon is shown with its end. */
const PATIENCE_MS = 1500;
export const MOST_FILE_BYTES = 5_000_000;

interface Line {
  readonly line: number;
  readonly cells: Cells;
}

async function* once(text: string): AsyncGenerator<string> {
  yield text;
}

/** The lines of a CSV file. @throws AppError VALIDATION_ERROR about `file` */
export async function linesIn(text: string): Promise<Line[]> {
  try {
    const { columns, rows } = await openTable(once(text.replace(/^\ufeff/, '')));
    if (columns === null) throw invalidField('file', 'is not a CSV file with a header for each column');
    const wrong = unknownColumn(columns.filter((one) => one !== '').map(columnOf));
    if (wrong !== null) throw invalidField('file', `has an unknown column ${wrong}; rename or remove it`);
    const lines: Line[] = [];
    for await (const row of rows) {
      if ('fault' in row) throw invalidField('file', `line ${row.line}: ${row.fault}`);
      const cells = [...row.values].map(([column, value]) => [columnOf(column), String(value ?? '')]);
      lines.push({ line: row.line, cells: Object.fromEntries(cells) });
    }
    if (lines.length === 0) throw invalidField('file', 'has a header but no lines');
    return lines;
  } catch (error) {
    if (error instanceof RecordFault) throw invalidField('file', error.message);
    throw error;
  }
}

/** What a file came to, as the page of its task shows it. */
interface Report {
  readonly dryRun: boolean;
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly failed: number;
  readonly refused: readonly { readonly line: number; readonly email: string; readonly problem: string }[];
}

/** Takes the lines of a file one after the other, each in a transaction of its own. */
export async function importLines(
  ctx: Ctx,
  lines: readonly Line[],
  {
    dryRun,
    progress = () => undefined,
  }: { dryRun: boolean; progress?: (done: number, total: number) => void },
): Promise<Report> {
  const counts = { created: 0, updated: 0, unchanged: 0, failed: 0 };
  const refused: Report['refused'][number][] = [];
  const seen = new Set<string>();
  for (const [at, { line, cells }] of lines.entries()) {
    const [outcome] = await takeRows(dryRun ? rehearsing(ctx) : ctx, [cells], seen);
    if (outcome) counts[outcome.result] += 1;
    if (outcome?.error && refused.length < MOST_NAMED)
      refused.push({ line, email: outcome.email ?? '', problem: outcome.error.message });
    progress(at + 1, lines.length);
  }
  return { dryRun, ...counts, refused };
}

/**
 * Begins to import a file.
 *
 * @throws AppError VALIDATION_ERROR about `file` for one that is no table of customers: nothing is changed then
 */
export async function startImport(
  ctx: Ctx,
  file: { readonly path: string; readonly name: string },
  dryRun: boolean,
): Promise<Task> {
  const lines = await linesIn(await readFile(file.path, 'utf8'));
  const spec = { kind: 'import shop customers', params: { file: file.name, lines: lines.length, dryRun } };
  return startTask(ctx, spec, ({ progress }) => importLines(ctx, lines, { dryRun, progress }), PATIENCE_MS);
}
