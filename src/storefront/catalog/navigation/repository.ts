import type { Ctx } from '#kernel/context.ts';
import { lockName } from '#kernel/db/named-lock.ts';
import { catalogChanged } from '../products/index.ts';
import { type Menu, menuRecord } from './record.ts';

const TABLE = menuRecord.table;

/** Holds both menus until the transaction ends. */
export const lockMenus = ({ db }: Ctx): Promise<void> => lockName(db, 'shop-navigation');

/** The menus in place of those before. */
export async function replaceMenus(ctx: Ctx, menus: readonly Menu[]): Promise<void> {
  await ctx.db.knex(TABLE).delete();
  if (menus.length > 0) await ctx.db.knex(TABLE).insert(menus.map((one) => menuRecord.write(one)));
  await catalogChanged(ctx);
}
