import { isDeepStrictEqual } from 'node:util';
import type { Ctx } from '#kernel/context.ts';
import { email } from '#kernel/http/fields.ts';
import { rehearse } from '#kernel/rehearse.ts';
import * as customers from '#licensing/catalog/customers/index.ts';
import { bounds } from '#licensing/contract/limits.ts';
import { type ColumnMap, normalName } from './foreign/columns.ts';
import { fitMetadata } from './foreign/metadata.ts';
import { type ForeignRecord, readRecords } from './foreign/records.ts';
import { readObject, readText } from './foreign/values.ts';
import { type ImportReport, type Outcome, RowFault, startLedger } from './report.ts';

export interface CustomerImportAsked {
  map: ColumnMap;
  dryRun: boolean;
  onRow?: ((done: number) => void) | undefined;
}

const EMAIL = ['email', 'customerEmail'].map(normalName);
const NAME = ['name', 'customerName', 'fullName'].map(normalName);
const EmailField = email(bounds.customerEmail);

/**
 * Imports customers: columns email, name, metadata (JSON) and `metadata.NAME`. An address that is there keeps its name
 * and metadata; what it lacks is filled in (D50).
 *
 * @throws RecordFault for a file that cannot be read
 */
export async function importCustomers(
  ctx: Ctx,
  bytes: AsyncIterable<Uint8Array>,
  asked: CustomerImportAsked,
): Promise<ImportReport> {
  const ledger = startLedger();
  const seen = new Map<string, number>();
  let done = 0;
  for await (const record of readRecords('csv', bytes)) {
    await ledger.row(record.row, async () => {
      const read = readCustomer(record, asked.map, (text) => ledger.warn(record.row, text));
      const address = customers.normalEmail(read.email);
      const earlier = seen.get(address);
      if (earlier !== undefined) throw new RowFault('CONFLICT', `row ${earlier} has the same address`);
      seen.set(address, record.row);
      return asked.dryRun ? rehearse(ctx, (ctx) => merge(ctx, read)) : ctx.tx((ctx) => merge(ctx, read));
    });
    done += 1;
    asked.onRow?.(done);
  }
  return ledger.report;
}

interface Read {
  email: string;
  name: string | undefined;
  metadata: Record<string, unknown>;
}

function readCustomer(record: ForeignRecord, map: ColumnMap, warn: (message: string) => void): Read {
  if ('fault' in record) throw new RowFault('ROW_INVALID', record.fault);
  const { values } = record;
  const mapped = (target: string) => [...map].find(([, to]) => to === target)?.[0];
  const cellOf = (target: string, columns: readonly string[]): unknown =>
    [mapped(target), ...columns]
      .map((column) => (column === undefined ? undefined : values.get(column)?.value))
      .find((value) => value !== undefined && value !== null);
  const address = EmailField.safeParse(cellOf('customerEmail', EMAIL) ?? '');
  if (!address.success) throw new RowFault('EMAIL_INVALID', 'the email address is missing or not valid');
  const own = readObject('metadata', values.get('metadata')?.value);
  const entries = [...values].flatMap(([column, { name, value }]): [string, unknown][] => {
    const target = map.get(column) ?? name;
    const entry = /^metadata\.(.+)$/i.exec(target)?.[1];
    return entry === undefined || value === null ? [] : [[entry, value]];
  });
  return {
    email: address.data,
    name: readText('name', cellOf('customerName', NAME), bounds.customerName),
    metadata: fitMetadata(own, entries, warn),
  };
}

async function merge(ctx: Ctx, { email, name, metadata }: Read): Promise<Outcome> {
  const found = await customers.find(ctx, email);
  if (!found) {
    await customers.create(ctx, { email, name, metadata: metadata as customers.Customer['metadata'] });
    return 'created';
  }
  const merged = { ...metadata, ...found.metadata } as customers.Customer['metadata'];
  const isNamed = name === undefined || (found.name ?? '') !== '';
  if (isNamed && isDeepStrictEqual(merged, found.metadata)) return 'skipped';
  await customers.update(ctx, found.id, { ...(!isNamed && { name }), metadata: merged });
  return 'updated';
}
