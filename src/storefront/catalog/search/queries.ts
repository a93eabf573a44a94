import type { Ctx } from '#kernel/context.ts';
import { statement } from '#kernel/db/statement.ts';
import { mediaRecord } from '#platform/media/index.ts';
import { productMediaRecord, shopProductRecord } from '../products/index.ts';

const versions = statement<Record<never, never>, { id: string; version: number }>((q) =>
  q(shopProductRecord.table).select('id', 'version'),
);
const pictures = statement<Record<never, never>, { product_id: string; versions: number | string }>((q) =>
  q({ l: productMediaRecord.table })
    .join({ m: mediaRecord.table }, 'm.id', 'l.media_id')
    .groupBy('l.product_id')
    .select('l.product_id')
    .sum({ versions: 'm.version' }),
);

/** Every product with what tells its states apart: its version, and those of its pictures. */
export async function listStates({ db }: Ctx): Promise<Map<string, string>> {
  const states = new Map((await versions.all(db, {})).map(({ id, version }) => [id, String(version)]));
  for (const { product_id: id, versions } of await pictures.all(db, {}))
    states.set(id, `${states.get(id)} ${versions}`);
  return states;
}
