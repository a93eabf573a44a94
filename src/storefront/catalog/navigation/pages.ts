import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import { goTo, page, show } from '#kernel/http/page.ts';
import { later } from '#kernel/sharing.ts';
import { PANEL } from '#platform/panel/index.ts';
import { get, replace } from './navigation.ts';
import { LINK_TYPES, MENUS, type MenuKey, type MenuLink, MOST_ITEMS } from './record.ts';
import { type Row, rowsOf, sentItems, sentRows } from './rows.ts';
import { type Targets, targetsOf } from './targets.ts';

const PATH = '/store/navigation';
/** Rows of each menu without an item, for more. */
const SPARE = 3;
/** Two menus of two levels. */
const MOST_ROWS = 4 * MOST_ITEMS;
const FORM_BYTES = 1_000_000;

const words: Record<MenuKey, { readonly title: string; readonly standing: string }> = {
  header: {
    title: 'Header',
    standing: 'Without items, the header lists all products, your top categories and the sale.',
  },
  footer: { title: 'Footer', standing: 'Without items, the footer lists your published pages.' },
};
const groups: Record<Exclude<MenuLink['type'], 'url'>, string> = {
  page: 'Pages',
  category: 'Categories',
  collection: 'Collections',
};

const choicesOf = (targets: Targets) =>
  LINK_TYPES.flatMap((type) =>
    type === 'url' || targets[type].length === 0
      ? []
      : [
          {
            label: groups[type],
            options: targets[type].map(({ id, name }) => ({ value: `${type}:${id}`, label: name })),
          },
        ],
  );

async function modelOf(ctx: Ctx, rows: Readonly<Record<MenuKey, readonly Row[]>>, problem: string | null) {
  const empty: Row = { label: '', to: '', url: '', level: '1' };
  return {
    problem,
    choices: choicesOf(await targetsOf(ctx)),
    menus: MENUS.map((key) => ({
      key,
      ...words[key],
      rows: [...rows[key], ...Array.from({ length: SPARE }, () => empty)],
    })),
  };
}

const PLACE = /^(?:menus\.)?(header|footer)\.(\d+)(?:\.items\.(\d+))?\.\w+:? /;

/** The first item is item 1. */
const inWords = (_path: string, menu: MenuKey, item: string, under?: string): string =>
  `${words[menu].title}, item ${Number(item) + 1}${under === undefined ? '' : `, number ${Number(under) + 1} under it`}: `;

/** A field that comes once for each row of the form. */
const each = (max: number) => z.array(z.string().max(max)).max(MOST_ROWS + 2 * SPARE);

/** The menus of the shop as a form, which needs no script: rows are moved by their numbers and removed by emptying them. */
export const navigationPage = page({
  path: PATH,
  title: 'Navigation',
  audience: { staff: 'settings:write' },
  layout: PANEL,
  nav: { area: 'content', label: 'Navigation', order: 20 },
  help: 'glossary',
  form: later(() =>
    z.object({
      menu: each(10),
      position: each(6),
      level: each(1),
      label: each(200),
      to: each(60),
      url: each(2100),
    }),
  ),
  formBytes: FORM_BYTES,
  async show(ctx) {
    const menus = await get(ctx);
    const rows = { header: rowsOf(menus.header), footer: rowsOf(menus.footer) };
    return show('store/navigation', await modelOf(ctx, rows, null));
  },
  async submit(ctx, { form }) {
    const rows = { header: sentRows(form, 'header'), footer: sentRows(form, 'footer') };
    try {
      await replace(ctx, { header: sentItems(rows.header), footer: sentItems(rows.footer) });
    } catch (error) {
      if (!(error instanceof AppError) || error.status >= 500) throw error;
      const model = await modelOf(ctx, rows, error.message.replace(PLACE, inWords));
      return show('store/navigation', model, { status: 400 });
    }
    return goTo(PATH);
  },
});
