import { z } from 'zod';
import { allows } from '#kernel/actor.ts';
import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import { goTo, type Page, page, type Shown, show } from '#kernel/http/page.ts';
import * as savedViews from '../../saved-views/index.ts';
import { narrowingOf, type Query, withQuery } from './address.ts';
import { bulkActionsOf } from './bulk-actions.ts';
import { doneText } from './done.ts';
import { chipsOf, filtersOf } from './filter-model.ts';
import { allColumns, filtersIn, listModel, shownColumns } from './list-model.ts';
import { liveOf } from './live.ts';
import { addressOf, audienceOf, type Desk, mayDo, type Named } from './registry.ts';
import { undoOf } from './undo.ts';
import { defaultAddress, unknownIn, viewsModel } from './views.ts';
import { listTitleOf } from './words.ts';

/** The layout of all pages of the panel. */
export const PANEL = 'layouts/panel';
/** Parameters of a list are judged by the list itself, which says what is wrong with one. */
export const AnyQuery = z.record(z.string().max(100), z.string().max(2000));

/** The list of a resource. */
export function listPage(desk: Desk): Page[] {
  const { screen, ops, listParams } = desk;
  if (!ops.list || screen.hasOwnList) return [];
  return [
    page({
      path: screen.path,
      title: listTitleOf(desk),
      audience: audienceOf(ops.list),
      layout: PANEL,
      help: screen.empty.docs,
      fragments: { list: 'panel/list-table' },
      params: listParams,
      query: AnyQuery,
      joinsRepeated: true,
      show: (ctx, { params, query }) => listShown(desk, ctx, params as Named, query),
    }),
  ];
}

async function listShown(desk: Desk, ctx: Ctx, named: Named, query: Query): Promise<Shown> {
  const { screen, ops, labels } = desk;
  const path = addressOf(desk, named);
  const saved = await savedViews.of(ctx, desk.name);
  const opened = defaultAddress(path, query, saved);
  if (opened !== null) return goTo(opened);
  const list = await listModel(desk, ctx, named, query, saved.columns);
  const filters = await filtersOf(desk, ctx, query);
  return show(
    'panel/list',
    {
      labels,
      path,
      list,
      live: liveOf(desk, path, query, list.fault),
      canFollow: screen.live !== undefined,
      filters,
      chips: chipsOf(filters, path, query),
      unknown: unknownIn(desk, query),
      search: ops.spec.rows.search?.placeholder ?? null,
      query,
      narrowing: new URLSearchParams(filtersIn(desk, query)).toString(),
      picker: pickerOf(desk, ctx, query.columns ?? saved.columns),
      views: viewsModel(desk, path, query, saved),
      createHref: mayDo(ctx.actor, ops.create) ? `${path}/new` : null,
      exports: mayDo(ctx.actor, ops.export) ? exportsOf(desk, named, query) : [],
      bulk: bulkActionsOf(desk, ctx).map(({ name, label, level }) => ({ name, label, level })),
      chosenPages: (screen.chosenPages ?? []).filter(({ needs }) => allows(ctx.actor, needs)),
      pageActions: pageActionsOf(desk, ctx, path),
      chartsHref: screen.charts ? withQuery(`${path}/charts`, narrowingOf(query), {}) : null,
      empty: screen.empty,
      done: doneText(desk, query),
      undo: await undoOfRemoval(desk, ctx, named, query),
    },
    { status: list.fault === null ? 200 : 400 },
  );
}

/** What was removed may be taken back where it can still be found. */
async function undoOfRemoval(desk: Desk, ctx: Ctx, named: Named, { done, of }: Query) {
  if (done !== 'remove' || of === undefined || !desk.screen.undo?.remove) return null;
  const item = { ...named, [desk.ops.params.key]: of };
  try {
    const { row, view } = await desk.ops.find(ctx, item);
    return undoOf(desk, ctx, done, { named: item, row, at: desk.ops.at(view) });
  } catch (error) {
    if (error instanceof AppError && error.status < 500) return null;
    throw error;
  }
}

const pickerOf = (desk: Desk, ctx: Ctx, columns: string | null) => {
  const shown = new Set(shownColumns(desk, ctx, columns).map(({ name }) => name));
  return allColumns(desk, ctx).map(({ name, label }) => ({ name, label, isShown: shown.has(name) }));
};

/** The same rows as a file: the operation of the admin API, which the session opens too. */
function exportsOf(desk: Desk, named: Named, query: Query): readonly { label: string; href: string }[] {
  const { ops } = desk;
  const path = (ops.export?.path ?? '').replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(named[name] ?? ''),
  );
  const { sort = null } = query;
  const filters = Object.fromEntries(
    Object.entries(filtersIn(desk, query)).map(([name, value]) => [ops.spell(name), value]),
  );
  return [
    { label: 'CSV', href: withQuery(path, filters, { format: 'csv', sort }) },
    { label: 'JSON Lines', href: withQuery(path, filters, { format: 'jsonl', sort }) },
  ];
}

/** What can be done with the collection itself. */
function pageActionsOf({ ops, screen }: Desk, { actor }: Ctx, path: string) {
  const actions = Object.entries(ops.spec.actions ?? {})
    .filter(([name, { where, method = 'post', upload }]) => {
      const isOffered = where === 'page' && method !== 'get' && !upload && !screen.without?.includes(name);
      return isOffered && mayDo(actor, ops.actions[name]);
    })
    .map(([name, { label }]) => ({ label, href: `${path}/${name}` }));
  const links = (screen.links ?? []).filter(({ needs }) => allows(actor, needs));
  return [...links.map(({ label, href }) => ({ label, href })), ...actions];
}
