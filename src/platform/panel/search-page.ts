import { z } from 'zod';
import type { StaffResource } from '#kernel/capability.ts';
import { type Page, page, show } from '#kernel/http/page.ts';
import { isOn } from '#kernel/settings-reader.ts';
import { PANEL } from './screens/list-page.ts';
import { type Desk, itemAddress } from './screens/registry.ts';
import { titleOf } from './screens/words.ts';

const MOST_OF_ONE = 5;
const LONGEST = 200;

/** Everything that a text finds, for whoever may see it; the palette asks for the hits alone (admin.md 4). */
export function searchPage(resources: readonly StaffResource[], desks: readonly Desk[]): Page {
  const byName = new Map(desks.map((desk) => [desk.name, desk]));
  return page({
    path: '/admin/search',
    title: 'Search',
    audience: 'staff',
    layout: PANEL,
    // What people search for by its name.
    help: 'glossary',
    fragments: { 'palette-hits': 'panel/hits' },
    query: z.object({ q: z.string().optional() }),
    async show(ctx, { query }) {
      const q = (query.q ?? '').replaceAll('\0', '').trim().slice(0, LONGEST);
      const asked = (q === '' ? [] : resources).map(async (one) => {
        const desk = byName.get(one.name);
        if (!desk?.ops.get || !isOn(desk, ctx)) return { label: '', hits: [] };
        const found = await one.search(ctx, q, MOST_OF_ONE);
        const hits = found.map(({ id, title, hint }) => ({
          title,
          hint,
          href: itemAddress(desk, { [desk.ops.params.key]: id }),
        }));
        return { label: titleOf(one.labels.many), hits };
      });
      // At the same time: what reads all names of one kind waits for no other.
      const groups = (await Promise.all(asked)).filter(({ hits }) => hits.length > 0);
      return show('panel/search', { q, groups });
    },
  });
}
