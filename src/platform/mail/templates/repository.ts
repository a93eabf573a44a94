import type { Ctx } from '#kernel/context.ts';
import { type OwnTemplate, type Switch, switchRecord, templateRecord } from './record.ts';

const TEMPLATES = templateRecord.table;
const SWITCHES = switchRecord.table;

/** All words that staff wrote. */
export const listTemplates = async ({ db }: Ctx): Promise<OwnTemplate[]> =>
  (await db.knex(TEMPLATES).select('*')).map(templateRecord.read);

/** What staff switched on or off. */
export const listSwitches = async ({ db }: Ctx): Promise<Switch[]> =>
  (await db.knex(SWITCHES).select('*')).map(switchRecord.read);

/** The words of one mail in one language; null when they are the shipped ones. */
export async function findTemplate({ db }: Ctx, key: string, locale: string): Promise<OwnTemplate | null> {
  const row: object | undefined = await db.knex(TEMPLATES).where({ key, locale }).first();
  return row ? templateRecord.read(row) : null;
}

export async function putTemplate({ db }: Ctx, template: OwnTemplate): Promise<void> {
  const row = templateRecord.write(template);
  const { created_at: _first, ...changed } = row;
  await db.knex(TEMPLATES).insert(row).onConflict(['key', 'locale']).merge(Object.keys(changed));
}

export async function deleteTemplate({ db }: Ctx, key: string, locale: string): Promise<void> {
  await db.knex(TEMPLATES).where({ key, locale }).delete();
}

export async function putSwitch({ db }: Ctx, one: Switch): Promise<void> {
  const row = switchRecord.write(one);
  const { created_at: _first, ...changed } = row;
  await db.knex(SWITCHES).insert(row).onConflict('key').merge(Object.keys(changed));
}
