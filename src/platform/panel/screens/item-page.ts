import { allows } from '#kernel/actor.ts';
import type { Ctx } from '#kernel/context.ts';
import { type Page, page, show } from '#kernel/http/page.ts';
import { isOn } from '#kernel/settings-reader.ts';
import type { Column, Tab, View } from '../../admin/index.ts';
import { type Cell, cellOf, columnsOf } from '../cells.ts';
import { type Query, withQuery } from './address.ts';
import { doneText } from './done.ts';
import { headerActionsOf } from './item-actions.ts';
import { type ListModel, listModel } from './list-model.ts';
import { AnyQuery, PANEL } from './list-page.ts';
import { presenceHref } from './presence-page.ts';
import {
  addressOf,
  audienceOf,
  type Desk,
  itemAddress,
  itemPath,
  keyOf,
  mayDo,
  type Named,
} from './registry.ts';
import { undoOf } from './undo.ts';
import { listTitleOf, titleOf } from './words.ts';

/** The page of an item: its facts, what can be done with it, and what belongs to it. */
export function itemPage(desk: Desk): Page[] {
  const { ops, screen, labels, itemParams } = desk;
  if (!ops.get) return [];
  return [
    page({
      path: itemPath(desk),
      title: titleOf(labels.one),
      audience: audienceOf(ops.get),
      layout: PANEL,
      help: screen.empty.docs,
      fragments: { tab: 'panel/tab' },
      params: itemParams,
      query: AnyQuery,
      async show(ctx, { params, query }) {
        const named = params as Named;
        const { row, view } = await ops.find(ctx, named);
        const path = itemAddress(desk, named);
        const tabs = tabsOf(desk, ctx, view);
        const shown = tabs.filter(([, tab]) => !('href' in tab));
        const [name, tab] = shown.find(([one]) => one === query.tab) ?? shown[0] ?? [null, null];
        return show('panel/item', {
          title: `${titleOf(labels.one)} ${screen.title(view)}`,
          heading: (screen.heading ?? screen.title)(view),
          up: screen.home?.(named) ?? null,
          labels,
          listTitle: listTitleOf(desk),
          path,
          listHref: screen.itemsAt === undefined ? addressOf(desk, named) : null,
          facts: factsOf(desk, ctx, view),
          editHref: mayDo(ctx.actor, ops.change) ? `${path}/edit` : null,
          copyHref: copyHref(desk, ctx, named),
          actions: headerActionsOf(desk, ctx, row),
          at: desk.ops.at(view),
          once: ctx.newId('frm'),
          tabs: tabs.map(([one, tab]) => ({
            label: tab.label,
            href: 'href' in tab ? tab.href(view) : `${path}?tab=${one}#tabs`,
            isCurrent: one === name,
          })),
          tab: tab && (await tabModel(desk, ctx, tab, view)),
          hereHref: presenceHref(desk, ctx, named),
          done: doneText(desk, query as Query),
          undo: undoOf(desk, ctx, query.done, { named, row, at: desk.ops.at(view) }),
        });
      },
    }),
  ];
}

/** Where another one is made like it; null where that makes no sense or is not for who looks. */
const copyHref = (desk: Desk, ctx: Ctx, named: Named): string | null =>
  desk.screen.duplicate && mayDo(ctx.actor, desk.ops.create)
    ? withQuery(addressOf(desk, named, '/new'), {}, { _from: named[desk.ops.params.key] ?? '' })
    : null;

/** A fact of an item with its label. */
export interface Fact {
  readonly label: string;
  readonly cell: Cell;
}

/** What is known of an item; what is empty says nothing. */
export function factsOf({ screen, ops }: Desk, ctx: Ctx, view: View): readonly Fact[] {
  const shape = (ops.twin.details ?? ops.twin).view;
  // What a tab of the same name lists is no fact, and what the list shows is written as it writes it.
  const fields = Object.keys(shape.shape).filter((name) => !Object.hasOwn(screen.tabs ?? {}, name));
  const declared =
    screen.facts ??
    Object.fromEntries(fields.map((name): [string, Column<View>] => [name, screen.columns[name] ?? {}]));
  return columnsOf(declared, shape, screen.labels)
    .filter(({ spec }) => spec.needs === undefined || allows(ctx.actor, spec.needs))
    .map((column) => ({ label: column.label, cell: cellOf(column, view, ctx.now()) }))
    .filter(({ cell }) => cell.text !== '');
}

type NamedTab = readonly [string, Tab<Record<string, unknown>>];

/** Tabs that somebody may open. The history of an item comes from the audit log. */
function tabsOf(desk: Desk, ctx: Ctx, view: View): readonly NamedTab[] {
  const { screen, name, others } = desk;
  const history: Tab<Record<string, unknown>> = {
    label: 'History',
    of: 'audit',
    filters: () => ({ targetId: String(view.id ?? keyOf(desk, view)) }),
  };
  const declared: readonly NamedTab[] = Object.entries({
    ...screen.tabs,
    ...(name !== 'audit' && { history }),
  });
  return declared.filter(([, tab]) => {
    if (tab.needs !== undefined && !allows(ctx.actor, tab.needs)) return false;
    if (tab.when && !tab.when(view)) return false;
    if ('of' in tab) return isOpen(ctx, others(tab.of));
    return !('href' in tab) || tab.isWith === undefined || isThere(ctx, others(tab.isWith));
  });
}

const isThere = (ctx: Ctx, desk: Desk | undefined): desk is Desk => desk !== undefined && isOn(desk, ctx);

const isOpen = (ctx: Ctx, desk: Desk | undefined): boolean =>
  isThere(ctx, desk) && mayDo(ctx.actor, desk.ops.list);

/** What a tab holds: rows of another resource, or a template of its own. */
interface TabModel {
  readonly label: string;
  readonly template: string | null;
  readonly data: Record<string, unknown>;
  readonly list: ListModel | null;
  readonly labels: Desk['labels'] | null;
  readonly allHref: string | null;
  /** What would stand here, and how it gets there. */
  readonly empty: string | null;
  /** Where one more is made; null where none can be, and where its form would not know whose it is. */
  readonly createHref: string | null;
  readonly links: readonly { readonly label: string; readonly href: string }[];
}

const IN_A_TAB = '20';

async function tabModel(
  { others }: Desk,
  ctx: Ctx,
  tab: Tab<Record<string, unknown>>,
  view: View,
): Promise<TabModel | null> {
  const { label } = tab;
  if ('href' in tab) return null;
  if ('template' in tab) {
    const data = await tab.load(ctx, view);
    const none = { list: null, labels: null, allHref: null, empty: null, createHref: null, links: [] };
    return { label, template: tab.template, data, ...none };
  }
  const other = others(tab.of) as Desk;
  const filters = tab.filters?.(view) ?? {};
  const named = tab.named?.(view) ?? {};
  const list = await listModel(other, ctx, named, { ...filters, limit: IN_A_TAB });
  const address = addressOf(other, named);
  const query = new URLSearchParams(filters).toString();
  const allHref = query === '' ? address : `${address}?${query}`;
  const empty = tab.empty ?? other.screen.empty.text;
  const isBelow = Object.keys(named).length > 0;
  return {
    label,
    template: null,
    data: {},
    list,
    labels: other.labels,
    allHref,
    empty,
    createHref: isBelow && mayDo(ctx.actor, other.ops.create) ? `${address}/new` : null,
    links: ((await tab.links?.(view, ctx)) ?? []).filter(({ needs }) => allows(ctx.actor, needs)),
  };
}
