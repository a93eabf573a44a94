import type { Ctx } from '#kernel/context.ts';
import type { Line } from '#kernel/records/lines.ts';
import { entities } from './entities.ts';
import type { Kind } from './entity.ts';
import { CATALOG, isKind } from './native-format.ts';
import { type Arrivals, arrive, type NativeRow, startArrivals } from './native-rows.ts';
import { type ImportReport, type Ledger, startLedger } from './report.ts';

export interface NativeImportAsked {
  /** Judges every row against what is stored and what the file brings, and writes nothing. */
  dryRun: boolean;
  /** Webhooks are told of licenses as if they were made here. */
  fireEvents: boolean;
  /** Leaves out licenses with their machines and counters, of which a file without keys cannot make any. */
  skipLicenses: boolean;
  /** Id of the only tenant that is written to: rows of another one are refused. Left out: every tenant of the file. */
  onlyTenant?: string | undefined;
  /** Told after every row how many were read. */
  onRow?: ((done: number) => void) | undefined;
}

/** So many catalog rows wait in memory for the rows that they name; an installation has some dozens. */
const MOST_WAITING = 50_000;
const OF_LICENSES: readonly Kind[] = ['license', 'activation', 'usage_total'];

/**
 * Imports a native export (licensing 6.11): ids, keys, dates, statuses, live machines and usage totals come out as
 * they went in. What is there by its id is left as it is, so that a second import changes nothing. Every row has a
 * transaction of its own; a bad one costs itself and what names it.
 *
 * @param lines of a file that `inspectNative` found whole, without header and end
 * @returns the report; never throws for a row
 */
export async function importNative(
  ctx: Ctx,
  lines: AsyncIterable<Line>,
  asked: NativeImportAsked,
): Promise<ImportReport> {
  const ledger = startLedger();
  const arrivals = startArrivals(asked);
  // A product names its policy, which the file holds after it: catalog rows wait until all of them are read.
  let waiting: NativeRow[] | null = [];
  const settle = async (): Promise<void> => {
    const rows = waiting ?? [];
    waiting = null;
    for (const kind of CATALOG) {
      for (const row of rows.filter((row) => row.kind === kind)) await enter(ctx, row, arrivals, ledger);
    }
  };
  let done = 0;
  for await (const line of lines) {
    const row = readRow(line, ledger, asked);
    done += 1;
    asked.onRow?.(done);
    if (row === null) continue;
    if (waiting !== null && CATALOG.includes(row.kind) && waiting.length < MOST_WAITING) waiting.push(row);
    else {
      if (waiting !== null) await settle();
      await enter(ctx, row, arrivals, ledger);
    }
  }
  if (waiting !== null) await settle();
  return ledger.report;
}

/** A dry run writes nothing, and so needs no transaction around what it reads. */
const enter = (ctx: Ctx, row: NativeRow, arrivals: Arrivals, ledger: Ledger): Promise<void> =>
  ledger.row(row.line, async () => {
    const outcome = await (arrivals.dryRun
      ? arrive(ctx, row, arrivals)
      : ctx.tx((ctx) => arrive(ctx, row, arrivals)));
    if (outcome === 'created') warnOfBundle(row, ledger);
    return outcome;
  });

/** A release without its bytes is listed as published, and offered to nobody. */
function warnOfBundle({ line, kind, value }: NativeRow, ledger: Ledger): void {
  if (kind !== 'release' || typeof value.bundleSha256 !== 'string') return;
  const command = `appctl release upload ${String(value.id)} FILE`;
  ledger.warn(line, `release ${String(value.version)} is offered once its bundle is here: ${command}`);
}

/** A row to import; null for one that was counted already: unreadable, of an unknown kind, or not wanted. */
function readRow(
  { line, text }: Line,
  ledger: Ledger,
  { skipLicenses }: NativeImportAsked,
): NativeRow | null {
  const value = parsed(text);
  const kind = value?.kind;
  if (value && isKind(kind) && !(skipLicenses && OF_LICENSES.includes(kind))) {
    return { line, kind, entity: entities[kind], value };
  }
  ledger.report.rows += 1;
  if (value && typeof kind === 'string') {
    ledger.report.skipped += 1;
    if (!isKind(kind)) ledger.warn(line, `this version cannot import rows of kind ${kind.slice(0, 30)}`);
  } else ledger.fail(line, 'ROW_INVALID', 'the line is not a row of a native export');
  return null;
}

function parsed(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
