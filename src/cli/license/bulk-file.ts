import { openTable, type Table, type TableRow } from '#kernel/records/table.ts';
import { decodeUtf8 } from '#kernel/records/utf8.ts';
import { emailIn } from '#licensing/licenses/licenses/index.ts';
import { failed } from '../batch.ts';
import { type Desk, timeAt } from '../desk/desk.ts';
import type { Cli } from '../frame/context.ts';
import { conflictError } from '../frame/errors.ts';
import type { InputFile } from '../input-file.ts';
import { shellWords } from '../printed-text.ts';
import { checkColumns, readRow } from './bulk-row.ts';
import { type KnownProducts, rowKeyOf } from './row-key.ts';

/** A row that was found to have its license already. */
interface Done {
  line: number;
  email: string | null;
  key: string;
}

/** Opens the table of a bulk file. @throws RecordFault; usage error (2) for columns that nobody reads */
export async function openBulk(file: InputFile): Promise<Table> {
  const table = await openTable(decodeUtf8(file.open()));
  checkColumns(table);
  return table;
}

/**
 * Reads a file once before anything is minted: a header or a quote that is wrong must not come up in the middle, and
 * rows that were minted before make the whole file refused unless --resume says that it goes on.
 *
 * @returns the number of rows
 * @throws RecordFault, usage error (2); CliError 5 for rows that were minted before
 */
export async function lookThrough(cli: Cli, desk: Desk, file: InputFile): Promise<number> {
  const { values: kind, rows } = await openBulk(file);
  const known: KnownProducts = new Map();
  const candidates: Done[] = [];
  let total = 0;
  for await (const row of rows) {
    total += 1;
    if (cli.flag('resume')) continue;
    const key = await derivedKey(cli, desk, { row, kind, known });
    if (key !== null && 'values' in row) candidates.push({ line: row.line, email: emailIn(row.values), key });
  }
  await refuseMinted(cli, desk, candidates, total);
  return total;
}

interface Looked {
  row: TableRow;
  kind: Table['values'];
  known: KnownProducts;
}

/** The key that a row has by its content; null when somebody named it, or when minting will refuse the row anyway. */
async function derivedKey(cli: Cli, desk: Desk, { row, kind, known }: Looked): Promise<string | null> {
  if ('fault' in row) return null;
  try {
    const asked = readRow(row.values, kind, timeAt(desk));
    const key = await rowKeyOf(desk, asked, cli.option('idempotency-key'), known);
    return key === null || key.isNamed ? null : key.key;
  } catch (error) {
    failed(cli, 0, error);
    return null;
  }
}

async function refuseMinted(cli: Cli, desk: Desk, candidates: readonly Done[], total: number): Promise<void> {
  const made = await rowsMade(
    desk,
    candidates.map(({ key }) => key),
  );
  const done = candidates.filter(({ key }) => made.has(key));
  const [first] = done;
  if (first === undefined) return;
  const example = `line ${first.line} (${first.email}) is license ${made.get(first.key)}`;
  throw conflictError(
    `${countText(done.length, total)} already minted: ${example}`,
    `mint only the missing rows: ${resumeCommand(cli)}; or every row again: --idempotency-key NAME`,
  );
}

const KEYS_AT_ONCE = 500;

/** Ids of the licenses that rows have, by the idempotency keys of the rows. */
async function rowsMade(desk: Desk, keys: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (let start = 0; start < keys.length; start += KEYS_AT_ONCE) {
    const idempotencyKeys = keys.slice(start, start + KEYS_AT_ONCE);
    const { made } = await desk.post<RowsMade>('licenses/rows-made', { idempotencyKeys });
    for (const { idempotencyKey, id } of made) found.set(idempotencyKey, id);
  }
  return found;
}

interface RowsMade {
  readonly made: readonly { idempotencyKey: string; id: string }[];
}

function countText(done: number, total: number): string {
  if (done < total) return `${done} of ${total} rows ${done === 1 ? 'was' : 'were'}`;
  return total === 1 ? 'its only row was' : `all ${total} rows were`;
}

/**
 * The command that goes on with this run: the same file, run name and outputs.
 *
 * @param more options to add
 */
export function resumeCommand(cli: Cli, more: { out?: string } = {}): string {
  const run = cli.option('idempotency-key');
  const out = cli.option('out');
  return shellWords([
    ...['appctl', 'license', 'mint-bulk', cli.argument('file'), '--resume'],
    ...(run === undefined ? [] : ['--idempotency-key', run]),
    ...(out === undefined ? [] : ['--out', out, '--force']),
    ...(out === undefined && more.out !== undefined ? ['--out', more.out] : []),
    ...(cli.flag('reveal') ? ['--reveal'] : []),
  ]);
}
