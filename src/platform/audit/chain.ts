import type { Ctx } from '#kernel/context.ts';
import { COLUMNS, type Head, type StoredRow } from './repository.ts';

/** What the hash of a row covers besides the row before it, in this order. */
const HASHED = COLUMNS.filter((name) => name !== 'hash' && name !== 'prev_hash');

/** The hash of a row: HMAC-SHA256 under a sub-key of the master key, which a copy of the database does not hold. */
export const hashOf = ({ keyring }: Pick<Ctx, 'keyring'>, row: StoredRow): string =>
  keyring.digest('audit', `${row.prev_hash}\n${JSON.stringify(HASHED.map((name) => row[name] ?? null))}`);

/** Rows joined to the end of the chain, with their numbers and hashes, and the head that they make. */
export function join(
  ctx: Pick<Ctx, 'keyring'>,
  head: Head,
  rows: readonly StoredRow[],
): { rows: StoredRow[]; head: Head } {
  let { seq, hash } = head;
  const joined = rows.map((row) => {
    seq += 1;
    const placed: StoredRow = { ...row, seq, prev_hash: hash };
    hash = hashOf(ctx, placed);
    placed.hash = hash;
    return placed;
  });
  return { rows: joined, head: { seq, hash } };
}
