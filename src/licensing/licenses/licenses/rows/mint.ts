import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import type { Endpoint } from '#kernel/http/endpoint.ts';
import { rehearsing } from '#kernel/rehearse.ts';
import { invalidField } from '#kernel/service/errors.ts';
import { perform } from '#platform/admin/index.ts';
import { licenseResource } from '../resource.ts';
import { type FileRow, type MintFile, valuesOf } from './file.ts';
import { emailIn, type RowReader, readRow } from './row.ts';

/** What became of a row. */
export interface MintedRow {
  readonly line: number;
  readonly email: string;
  readonly id: string | null;
  readonly key: string | null;
  readonly fault: string | null;
}

/** In a browser, dates are of UTC: a person may sit in any zone. */
const reader: RowReader = {
  refuse: (message) => invalidField('row', message),
  time(text) {
    const ms = Date.parse(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T23:59:59.999Z` : text);
    if (!Number.isNaN(ms)) return new Date(ms).toISOString();
    throw invalidField(
      'validUntil',
      `"${text}" is not a valid time; write 2027-01-31 or 2027-01-31T12:00:00Z`,
    );
  },
};

/**
 * Makes the licenses of a file, row by row, each in a transaction of its own; a row that is wrong costs itself alone.
 *
 * @param once names this run: rows that it made before answer with the license that they have
 * @param isRehearsal says what would become of them, and makes none
 * @param progress is told how many rows are done
 * @param from how many rows are left out because an earlier run showed them; they still count as said before
 * @param most rows that are worked on; all of them when absent
 * @param mostNew ends the run after so many rows that had no license yet; never when absent
 */
export async function mintRows(
  ctx: Ctx,
  file: MintFile,
  {
    once,
    isRehearsal = false,
    progress,
    from = 0,
    most = file.rows.length,
    mostNew = file.rows.length,
  }: {
    readonly once: string;
    readonly isRehearsal?: boolean;
    readonly progress?: (done: number) => void;
    readonly from?: number;
    readonly most?: number;
    readonly mostNew?: number;
  },
): Promise<MintedRow[]> {
  const seen = new Map<string, number>();
  const minted: MintedRow[] = [];
  const work = isRehearsal ? rehearsing(ctx) : ctx;
  for (const row of file.rows.slice(0, from)) noteRow(ctx, row, file, seen);
  let fresh = 0;
  for (const row of file.rows.slice(from, from + most)) {
    const { isRepeated, ...one } = await mintRow(work, row, file, { once, seen });
    minted.push(one);
    progress?.(minted.length);
    fresh += isRepeated ? 0 : 1;
    if (fresh === mostNew) break;
  }
  return minted;
}

/** A row that was worked on before is not worked on again: what it says is only known to those after it. */
function noteRow(ctx: Ctx, row: FileRow, file: MintFile, seen: Map<string, number>): void {
  if (row.fault !== null) return;
  try {
    const { input, ownKey } = readRow(valuesOf(row, file), 'text', ctx.now(), reader);
    if (ownKey === undefined) refuseSecond(seen, input, row.line);
  } catch (error) {
    if (!(error instanceof AppError && error.status < 500)) throw error;
  }
}

/** A row, and whether its license was there already. */
type Worked = MintedRow & { readonly isRepeated: boolean };

async function mintRow(
  ctx: Ctx,
  row: FileRow,
  file: MintFile,
  { once, seen }: { readonly once: string; readonly seen: Map<string, number> },
): Promise<Worked> {
  const values = valuesOf(row, file);
  const about = { line: row.line, email: emailIn(values) ?? '', isRepeated: false };
  if (row.fault !== null) return { ...about, id: null, key: null, fault: row.fault };
  try {
    const { input, ownKey } = readRow(values, 'text', ctx.now(), reader);
    if (ownKey === undefined) refuseSecond(seen, input, row.line);
    const headers = { 'idempotency-key': ownKey ?? `${once}-${row.line}` };
    const { body } = await perform(ctx, creation(), { body: { ...input, source: 'BULK' }, headers });
    const { license, key, idempotent } = body as Made;
    return { ...about, id: license.id, key, fault: null, isRepeated: idempotent };
  } catch (error) {
    if (!(error instanceof AppError && error.status < 500)) throw error;
    return { ...about, id: null, key: null, fault: wordsOf(error) };
  }
}

interface Made {
  readonly license: { readonly id: string };
  readonly key: string | null;
  readonly idempotent: boolean;
}

const creation = (): Endpoint =>
  licenseResource
    .endpoints('license-admin')
    .find(({ method, path }) => method === 'post' && path.endsWith('/licenses')) as Endpoint;

/** A row that says the same again is a slip as often as a second sale: whoever means it can say so. */
function refuseSecond(
  seen: Map<string, number>,
  { productId, customerEmail, orderId }: { productId: string; customerEmail: string; orderId?: unknown },
  line: number,
): void {
  const same = JSON.stringify([productId, customerEmail.toLowerCase(), orderId ?? null]);
  const first = seen.get(same);
  if (first === undefined) {
    seen.set(same, line);
    return;
  }
  throw invalidField(
    'row',
    `line ${first} has the same product, email and order; a second license needs its own orderId or idempotencyKey`,
  );
}

/** What is wrong, field by field where the answer names them. */
function wordsOf({ message, details }: AppError): string {
  const { issues = [] } = (details ?? {}) as { issues?: readonly { path: string; message: string }[] };
  const said = issues.map(({ path, message }) => (path === 'row' ? message : `${path} ${message}`));
  return said.length > 0 ? said.join('; ') : message;
}
