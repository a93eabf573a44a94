import type { Ctx } from '#kernel/context.ts';
import { statement } from '#kernel/db/statement.ts';
import { shopProductRecord } from '../products/index.ts';

const versions = statement<Record<never, never>, { id: string; version: number }>((q) =>
  q(shopProductRecord.table).select('id', 'version'),
);

/** Every product with its version, by which the changed ones are told. */
export const listVersions = async ({ db }: Ctx): Promise<{ id: string; version: number }[]> =>
  (await versions.all(db, {})).map(({ id, version }) => ({ id, version: Number(version) }));
