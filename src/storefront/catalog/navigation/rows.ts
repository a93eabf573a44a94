/** The menus as rows of a form, and back. */
import type { MenuItem, MenuKey } from './record.ts';
import type { ItemSent } from './schemas.ts';

/** A row of the form: an item of the first level, or one under the row before it. */
export interface Row {
  readonly label: string;
  /** `page:pag_…`, `category:cat_…`, `collection:col_…`; empty for an address. */
  readonly to: string;
  readonly url: string;
  readonly level: '1' | '2';
}

type Sent = Readonly<Record<'menu' | 'position' | 'level' | 'label' | 'to' | 'url', readonly string[]>>;

const rowOf = ({ label, type, target }: Omit<MenuItem, 'items'>, level: Row['level']): Row => ({
  label,
  to: type === 'url' ? '' : `${type}:${target}`,
  url: type === 'url' ? target : '',
  level,
});

/** The rows of a menu as it is stored. */
export const rowsOf = (items: readonly MenuItem[] | null): Row[] =>
  (items ?? []).flatMap((item) => [rowOf(item, '1'), ...item.items.map((one) => rowOf(one, '2'))]);

/** The rows of a menu as they were sent, in the order of their numbers; those that were emptied are removed. */
export function sentRows(sent: Sent, key: MenuKey): Row[] {
  const rows = sent.menu.map((menu, at) => ({
    menu,
    // A row without a number stays where it is.
    position: Number.parseFloat(sent.position[at] ?? '') || at + 1,
    row: {
      label: (sent.label[at] ?? '').trim(),
      to: sent.to[at] ?? '',
      url: (sent.url[at] ?? '').trim(),
      level: sent.level[at] === '2' ? ('2' as const) : ('1' as const),
    },
  }));
  return rows
    .filter(({ menu, row }) => menu === key && (row.label !== '' || row.to !== '' || row.url !== ''))
    .sort((one, other) => one.position - other.position)
    .map(({ row }) => row);
}

function linkOf({ label, to, url }: Row): Omit<ItemSent, 'items'> {
  const [type = '', target = ''] = to.split(':', 2);
  const named = type === 'page' || type === 'category' || type === 'collection';
  return { label, ...(named ? { type, target } : { type: 'url', target: url }) };
}

/** What rows come to; null for none: the shop makes that menu by itself. */
export function sentItems(rows: readonly Row[]): ItemSent[] | null {
  const items: (ItemSent & { items: Omit<ItemSent, 'items'>[] })[] = [];
  for (const row of rows) {
    const above = row.level === '2' ? items.at(-1) : undefined;
    if (above) above.items.push(linkOf(row));
    else items.push({ ...linkOf(row), items: [] });
  }
  return items.length === 0 ? null : items;
}
