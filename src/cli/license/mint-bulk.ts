import { AppError } from '#kernel/errors.ts';
import { zoneName } from '#kernel/local-time.ts';
import type { Table, TableRow } from '#kernel/records/table.ts';
import { emailIn, type RowAsked } from '#licensing/licenses/licenses/index.ts';
import { failed } from '../batch.ts';
import { type Desk, timeAt } from '../desk/desk.ts';
import type { Cli } from '../frame/context.ts';
import { CliError, conflictError, usageError } from '../frame/errors.ts';
import { exits } from '../frame/exits.ts';
import type { Keep } from '../frame/output-file.ts';
import { type InputFile, inputFile, readingFile } from '../input-file.ts';
import { type Attempt, keepingSecrets, showsLicenseKey } from '../secret-file.ts';
import { lookThrough, openBulk, resumeCommand } from './bulk-file.ts';
import { type BulkResult, type Minted, writeReport } from './bulk-report.ts';
import { readRow } from './bulk-row.ts';
import { lacksTerm } from './mint-input.ts';
import { type KnownProducts, type RowKey, rowKeyOf } from './row-key.ts';
import { type Made, mintedFrom, withLicensesAndProducts } from './twin.ts';

/** Rows between two looks at the progress: as many as one call takes (spec POST /api/v1/license/create-bulk). */
const CHUNK = 20;

/** What the rows of one run share. */
interface Run {
  kind: Table['values'];
  known: KnownProducts;
  /** Line of the first row with a key. */
  lines: Map<string, number>;
  /** Some row names a date without a time. */
  readDay: boolean;
}

/** `appctl license mint-bulk FILE|-`. */
export async function mintBulk(cli: Cli): Promise<number> {
  checkRunName(cli);
  const file = inputFile(cli, 'FILE', cli.argument('file'));
  return withLicensesAndProducts(cli, async (desk) => {
    const cure = `choose another file, or replace it: ${resumeCommand(cli)}`;
    const work = async (attempt: Attempt) => {
      const total = file.isSeekable ? await readingFile(file, () => lookThrough(cli, desk, file)) : 0;
      return readingFile(file, () => mintRows(cli, desk, { file, total, attempt }));
    };
    const results = await keepingSecrets(cli, work, { cure });
    return writeReport(cli, results);
  });
}

function checkRunName(cli: Cli): void {
  const length = [...(cli.option('idempotency-key') ?? 'x')].length;
  if (length < 1 || length > 190) throw usageError('--idempotency-key must have 1 to 190 characters');
}

/** @param asked `total` is the number of rows, 0 when it is not known beforehand */
async function mintRows(
  cli: Cli,
  desk: Desk,
  { file, total, attempt }: { file: InputFile; total: number; attempt: Attempt },
): Promise<BulkResult[]> {
  const table = await openBulk(file);
  const run: Run = { kind: table.values, known: new Map(), lines: new Map(), readDay: false };
  const results: BulkResult[] = [];
  const stop = stopOnInterrupt();
  const progress = await cli.progress(cli.spec.path, total);
  try {
    for await (const row of table.rows) {
      const toMint = { row, index: results.length, attempt: inLine(attempt, results) };
      results.push(await mintRow(cli, desk, run, toMint));
      if (results.length % CHUNK === 0) progress.update(results.length);
      if (stop.asked) throw interrupted(cli, results, row.line);
    }
    progress.update(results.length);
  } finally {
    progress.stop();
    stop.forget();
  }
  if (run.readDay && !cli.json)
    cli.note(`a date without a time was read as the end of that day (${zoneName()})`);
  return results;
}

async function mintRow(
  cli: Cli,
  desk: Desk,
  run: Run,
  { row, index, attempt }: { row: TableRow; index: number; attempt: Attempt },
): Promise<BulkResult> {
  const { line } = row;
  const email = 'values' in row ? emailIn(row.values) : null;
  try {
    if ('fault' in row) throw usageError(`the line ${row.fault}`);
    const asked = readRow(row.values, run.kind, timeAt(desk));
    run.readDay ||= asked.endsWithDay;
    const key = await rowKeyOf(desk, asked, cli.option('idempotency-key'), run.known);
    if (key !== null) refuseSecond(run, key, line);
    const minted = await attempt((keep) => mint(cli, desk, asked, { key, keep }));
    return { index, success: true, line, email, ...minted };
  } catch (error) {
    const failure = failed(cli, index, error);
    const details = { line, ...failure.error.details, ...(lacksTerm(error) && { hint: TERM_CURE }) };
    return { ...failure, line, email, error: { ...failure.error, details } };
  }
}

/** A row has columns where `license mint` has flags. */
const TERM_CURE = 'give the row days, validUntil or perpetual';

/** A row that says the same again is a slip as often as a second sale: whoever means it can say so. */
function refuseSecond(run: Run, { key, isNamed }: RowKey, line: number): void {
  const first = run.lines.get(key) ?? line;
  run.lines.set(key, first);
  if (first === line) return;
  throw conflictError(
    isNamed
      ? `line ${first} has the same idempotency key`
      : `line ${first} has the same product, email and order; a second license needs its own orderId or idempotencyKey`,
  );
}

/** One license; with --reveal or --out its key comes with it, and the timeline says so. */
async function mint(
  cli: Cli,
  desk: Desk,
  asked: RowAsked,
  { key, keep }: { key: RowKey | null; keep: Keep },
): Promise<Minted> {
  const withKey = !cli.dryRun && (showsLicenseKey(cli) || cli.given('out'));
  const mustBeNew = key?.isNamed === false && !cli.flag('resume');
  const body = {
    ...asked.input,
    ...(key !== null && { idempotencyKey: key.key }),
    ...(mustBeNew && { mustBeNew }),
    source: 'BULK',
    withKey,
  };
  const options = withKey ? { secret: { name: 'key', keep } } : {};
  const made = await desk.post<Made>('licenses', body, options).catch(refuseKnown);
  return {
    ...mintedFrom(made),
    ...(made.idempotentMismatch && !asked.endMoves && { idempotentMismatch: true as const }),
  };
}

function refuseKnown(error: unknown): never {
  if (!(error instanceof AppError) || error.details.reason !== 'MADE_BEFORE') throw error;
  const { licenseId } = error.details;
  throw conflictError(`the row was already minted, as license ${licenseId}; --resume skips it`);
}

/** The row under way is finished; a second Ctrl-C ends at once. */
function stopOnInterrupt(): { asked: boolean; forget(): void } {
  const stop = {
    asked: false,
    forget: () => void process.off('SIGINT', listen),
  };
  const listen = () => {
    stop.asked = true;
    process.off('SIGINT', listen);
  };
  process.on('SIGINT', listen);
  return stop;
}

function interrupted(cli: Cli, results: readonly BulkResult[], line: number): CliError {
  const done = results.filter(({ success }) => success).length;
  return new CliError(
    exits.interrupted,
    'INTERRUPTED',
    `stopped after line ${line}: ${done} licenses are minted`,
    {
      hint: cli.dryRun ? null : resumeCommand(cli),
      details: { line, succeeded: done, failed: results.length - done },
    },
  );
}

/** One line per row, empty where a row failed, so that line n of the file is the key of row n. */
function inLine(attempt: Attempt, before: readonly BulkResult[]): Attempt {
  const failed = before.length - 1 - before.findLastIndex(({ success }) => success);
  return (work) => attempt((keep) => work((key) => keep(`${'\n'.repeat(failed)}${key}`)));
}
