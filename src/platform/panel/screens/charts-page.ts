import { type Page, page, show } from '#kernel/http/page.ts';
import type { Screen } from '../../admin/index.ts';
import { narrowingOf } from './address.ts';
import { AnyQuery, PANEL } from './list-page.ts';
import { addressOf, audienceOf, type Desk, type Named } from './registry.ts';
import { listTitleOf } from './words.ts';

/** The charts of a resource: a part of its list, and a page of their own where nothing loads parts. */
export function chartsPage(desk: Desk): Page[] {
  const { screen, ops, labels, listParams } = desk;
  const { charts } = screen as Screen;
  if (!ops.list || !charts) return [];
  return [
    page({
      path: `${screen.path}/charts`,
      title: `Charts of ${labels.many}`,
      audience: audienceOf(ops.list),
      layout: PANEL,
      help: screen.empty.docs,
      fragments: { charts: 'panel/charts' },
      params: listParams,
      query: AnyQuery,
      joinsRepeated: true,
      async show(ctx, { params, query }) {
        const drawn = await charts(ctx, narrowingOf(query));
        const path = addressOf(desk, params as Named);
        const listHref = `${path}?${new URLSearchParams(narrowingOf(query))}`;
        return show('panel/charts-page', { ...drawn, listHref, many: listTitleOf(desk) });
      },
    }),
  ];
}
