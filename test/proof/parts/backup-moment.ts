// Whether what was restored is the database of one moment, judged by what clients were told while the backup was made.
import { plainRow } from '../../support/plain-row.ts';
import type { Load, Span } from './backup-load.ts';
import type { Complaints } from './proof.ts';
import type { Reader } from './reader.ts';

/** Rows that one transaction writes with a license, and nobody changes. */
const TIED = [
  { table: 'licenses', license: 'id' },
  { table: 'license_keys', license: 'license_id' },
  { table: 'license_idempotency', license: 'license_id' },
] as const;

/**
 * Demands that what was acknowledged before the backup began is there, that what was asked for after its end is not,
 * that no client lost a write that came before one that is there, and that of no transaction only a part is there.
 */
export async function judgeMoment(
  { restored, source }: { readonly restored: Reader; readonly source: Reader },
  { clients }: Pick<Load, 'clients'>,
  { fromMs, toMs }: Span,
  wrong: Complaints,
): Promise<void> {
  const there = await rowsByLicense(restored);
  const now = await rowsByLicense(source);
  for (const mine of clients) {
    let gap: string | null = null;
    for (const { id, sentMs, ackedMs } of mine) {
      const isThere = there.has(id);
      wrong.unless(isThere || ackedMs >= fromMs, () => `${id}, acknowledged before the backup, is not in it`);
      wrong.unless(!isThere || sentMs <= toMs, () => `${id}, written after the backup, is in it`);
      wrong.unless(!isThere || gap === null, () => `${id} is in the backup without the earlier ${gap}`);
      if (!isThere) gap = id;
    }
  }
  for (const [id, rows] of there)
    wrong.unless(
      rows.sort().join('\n') === now.get(id)?.sort().join('\n'),
      () => `the rows of ${id} are not those that the source has`,
    );
}

async function rowsByLicense(reader: Reader): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  for (const { table, license } of TIED)
    for (const row of await reader.all<Record<string, unknown>>(`SELECT * FROM ${table}`)) {
      const id = String(row[license]);
      found.set(id, [...(found.get(id) ?? []), `${table} ${plainRow(row)}`]);
    }
  return found;
}
