import { createHash } from 'node:crypto';
import type { Ctx } from '#kernel/context.ts';
import { openTable, type Table, type TableRow } from '#kernel/records/table.ts';
import { decodeUtf8 } from '#kernel/records/utf8.ts';
import * as licenses from '#licensing/licenses/index.ts';
import { type Batch, failed, writeBatch } from '../batch.ts';
import { changeOrPlan } from '../change.ts';
import type { Cli } from '../frame/context.ts';
import { CliError, conflictError, usageError } from '../frame/errors.ts';
import { exits } from '../frame/exits.ts';
import { type InputFile, inputFile, readingFile } from '../input-file.ts';
import { withLocal } from '../open.ts';
import { secretFileAsked, writeSecretFile } from '../secret-file.ts';
import { checkColumns, createInputOf, type PolicyIds } from './bulk-row.ts';
import { licenseColumns } from './view.ts';

/** Rows between two looks at the progress: as many as one call of the API takes (spec create-bulk). */
const CHUNK = 20;

/** One run over a file. */
interface Run {
  file: InputFile;
  /** Rows get `<key>:<index>`; null where nothing tells two runs of the same input apart. */
  key: string | null;
  /** Rows of the file; 0 when they are not known beforehand. */
  total: number;
  /** Where the keys go. */
  out: string | undefined;
}

type Minted = licenses.LicenseView & { line: number; idempotent?: true };
type Results = Batch<Minted>['results'];

/** `appctl license mint-bulk FILE|-`. */
export async function mintBulk(cli: Cli): Promise<number> {
  const out = secretFileAsked(cli);
  const file = inputFile(cli, 'FILE', cli.argument('file'));
  const asked = keyAsked(cli, file);
  const looked = file.isSeekable ? await readingFile(file, () => look(file)) : { total: 0, digest: '' };
  return withLocal(cli, async ({ ctx }) => {
    const key = asked ?? (file.isSeekable ? await ownKey(cli, ctx, looked.digest) : null);
    const run: Run = { file, key, total: looked.total, out };
    const { results, lines } = await readingFile(file, () => mintRows(cli, ctx, run));
    if (out !== undefined) writeKeys(cli, out, results);
    const shown = cli.flag('reveal') ? results : results.map(withoutKey);
    const succeeded = shown.filter(({ success }) => success).length;
    const summary = { total: shown.length, succeeded, failed: shown.length - succeeded };
    const subjects = lines.map((line) => `line ${line}`);
    return writeBatch(cli, { results: shown, summary }, subjects, columnsOf(cli));
  });
}

/** Reads the file once before anything is minted: a header or a quote that is wrong must not come up in the middle. */
async function look(file: InputFile): Promise<{ total: number; digest: string }> {
  const hash = createHash('sha256');
  const watched = async function* () {
    for await (const bytes of file.open()) {
      hash.update(bytes);
      yield bytes;
    }
  };
  const table = await openTable(decodeUtf8(watched()));
  checkColumns(table);
  let total = 0;
  for await (const _row of table.rows) total += 1;
  return { total, digest: hash.digest('hex') };
}

/** `--idempotency-key`, which --resume needs where the input cannot tell itself from another. */
function keyAsked(cli: Cli, file: InputFile): string | null {
  const key = cli.option('idempotency-key');
  if (key === undefined) {
    if (cli.flag('resume') && !file.isSeekable) {
      throw usageError(
        '--resume cannot know the rows of stdin or a pipe again',
        'name a file, or give the --idempotency-key of the first run',
      );
    }
    return null;
  }
  const length = [...key].length;
  if (length < 1 || length > 240) throw usageError('--idempotency-key must have 1 to 240 characters');
  return key;
}

/** The key that the content of a file gives it, so that an interrupted run can go on without having been prepared. */
async function ownKey(cli: Cli, ctx: Ctx, digest: string): Promise<string> {
  const key = `mint-bulk:${digest}`;
  const isKnown = await licenses.hasIdempotencyKeys(ctx, 'cli', `${key}:`);
  if (isKnown === cli.flag('resume')) return key;
  if (isKnown) {
    throw conflictError(
      'this file was minted before, whole or in part',
      'go on with --resume; to mint it once more, give the run a name by --idempotency-key',
    );
  }
  throw conflictError(
    'no earlier run of exactly this file is known; was it changed since?',
    'leave out --resume to mint every row of it',
  );
}

async function mintRows(cli: Cli, ctx: Ctx, run: Run): Promise<{ results: Results; lines: number[] }> {
  const table = await openTable(decodeUtf8(run.file.open()));
  checkColumns(table);
  const results: Results = [];
  const lines: number[] = [];
  const policyIds: PolicyIds = new Map();
  const stop = stopOnInterrupt();
  const progress = await cli.progress(cli.spec.path, run.total);
  try {
    for await (const row of table.rows) {
      const index = lines.push(row.line) - 1;
      results.push(await mintRow(cli, ctx, { row, index, kind: table.values, key: run.key, policyIds }));
      if (lines.length % CHUNK === 0) progress.update(lines.length);
      if (stop.asked) throw interrupted(cli, run, results, row.line);
    }
    progress.update(lines.length);
  } finally {
    progress.stop();
    stop.forget();
  }
  return { results, lines };
}

interface RowToMint {
  row: TableRow;
  index: number;
  kind: Table['values'];
  key: string | null;
  policyIds: PolicyIds;
}

async function mintRow(
  cli: Cli,
  ctx: Ctx,
  { row, index, kind, key, policyIds }: RowToMint,
): Promise<Results[number]> {
  try {
    if ('fault' in row) throw usageError(`the line ${row.fault}`);
    const { values, line } = row;
    const minted = await changeOrPlan(cli, ctx, async (ctx) => {
      const input = await createInputOf(ctx, values, kind, policyIds);
      return mint(cli, ctx, input, key === null ? null : `${key}:${index}`);
    });
    return { index, success: true, line, ...minted };
  } catch (error) {
    const failure = failed(index, error);
    return { ...failure, error: { ...failure.error, details: { line: row.line, ...failure.error.details } } };
  }
}

/** One license; with --reveal or --out its key comes with it, and the timeline says so. */
async function mint(
  cli: Cli,
  ctx: Ctx,
  input: licenses.AdminCreateInput,
  key: string | null,
): Promise<Omit<Minted, 'line'>> {
  const reveal = !cli.dryRun && (cli.flag('reveal') || cli.given('out'));
  return ctx.tx(async (ctx) => {
    const { license, idempotent } = await licenses.create(ctx, input, {
      source: 'BULK',
      idempotency: key === null ? null : { namespace: 'cli', key },
    });
    if (reveal) await licenses.forReveal(ctx, license.id, 'MINT');
    const view = licenses.licenseView(ctx, license, { reveal });
    return { ...view, ...(idempotent && { idempotent: true as const }) };
  });
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

function interrupted(cli: Cli, run: Run, results: Results, line: number): CliError {
  const done = results.filter(({ success }) => success).length;
  const named = cli.option('idempotency-key') === undefined ? '' : ` --idempotency-key ${run.key}`;
  const hint =
    run.key === null
      ? 'without --idempotency-key the same input would mint these rows once more; leave them out of it'
      : `appctl license mint-bulk ${cli.argument('file')} --resume${named}`;
  return new CliError(
    exits.interrupted,
    'INTERRUPTED',
    `stopped after line ${line}: ${done} licenses are minted`,
    {
      hint: cli.dryRun ? null : hint,
      details: { line, succeeded: done, failed: results.length - done },
    },
  );
}

/** One line per row, empty where a row failed, so that line n of the file is the key of row n. */
function writeKeys(cli: Cli, out: string, results: Results): void {
  if (cli.dryRun) return;
  const keys = results.map((result) => (result.success ? (result.key ?? '') : ''));
  if (keys.some((key) => key !== '')) writeSecretFile(cli, out, keys.join('\n'));
}

function withoutKey(result: Results[number]): Results[number] {
  if (!result.success) return result;
  const { key, ...rest } = result;
  return rest;
}

function columnsOf(cli: Cli) {
  if (!cli.flag('reveal')) return licenseColumns;
  return licenseColumns.map((column) => (column.key === 'keyMasked' ? { key: 'key' } : column));
}
