import type { Ctx } from '#kernel/context.ts';
import { insertOnce } from '../settings/index.ts';

/** Rows of `settings` that say which installation this is; they are no settings that anybody changes. */
const KEYS = { masterKey: 'system.master_key_id', installation: 'system.installation_id' } as const;

export async function find(ctx: Ctx, what: keyof typeof KEYS): Promise<string | null> {
  const row = await ctx.db.knex('settings').where({ key: KEYS[what] }).first('value');
  return row ? String(JSON.parse(row.value)) : null;
}

/** Writes it unless there is one already. */
export const insert = (ctx: Ctx, what: keyof typeof KEYS, id: string): Promise<void> =>
  insertOnce(ctx, KEYS[what], JSON.stringify(id));
