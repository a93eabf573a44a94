import type { Ctx } from '#kernel/context.ts';
import { statement } from '#kernel/db/statement.ts';
import { type Menu, menuRecord } from './record.ts';

const every = statement<Record<never, never>, object>((q) => q(menuRecord.table).select('*'));

/** The menus that staff made. */
export const listMenus = async ({ db }: Ctx): Promise<Menu[]> =>
  (await every.all(db, {})).map(menuRecord.read);
