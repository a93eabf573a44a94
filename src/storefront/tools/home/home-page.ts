import { z } from 'zod';
import { allows } from '#kernel/actor.ts';
import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import { oneOf, optional } from '#kernel/http/fields.ts';
import { goTo, page, show } from '#kernel/http/page.ts';
import { localMinute } from '#kernel/local-time.ts';
import { later } from '#kernel/sharing.ts';
import { isMailSent } from '#platform/mail/index.ts';
import { PANEL } from '#platform/panel/index.ts';
import * as settings from '#platform/settings/index.ts';
import { shopProductRows } from '#storefront/catalog/products/index.ts';
import { shopNameOf, storeOpen } from '#storefront/contract/settings.ts';
import { alertsOf, RANGE_NAMES, type Range } from './dashboard.ts';
import { failingWords } from './failing.ts';
import { countOpenMessages, type Figures, figuresOf } from './queries.ts';
import { latestOf, salesOf } from './sales.ts';
import { lacksOf, stepsOf, takesPayments } from './steps.ts';
import { type Tasks, todoOf } from './todo.ts';

const PATH = '/store/';
const MOST_RECENT = 5;

/** A number that leads to what it counts. */
const tilesOf = (figures: Figures) =>
  [
    { label: 'Products in the shop', count: figures.active, href: '/store/products?status=active' },
    { label: 'Drafts', count: figures.drafts, href: '/store/products?status=draft' },
    { label: 'Scheduled', count: figures.scheduled, href: '/store/products?status=active' },
    { label: 'Pictures', count: figures.pictures, href: '/store/media' },
  ].map((tile) => ({ ...tile, count: tile.count.toLocaleString('en') }));

async function tasksOf(ctx: Ctx, figures: Figures | null, isOpen: boolean): Promise<Tasks> {
  const maySet = allows(ctx.actor, 'settings:read');
  return {
    ...(await alertsOf(ctx)),
    withoutPicture: figures?.withoutPicture ?? 0,
    withoutAlt: figures?.withoutAlt ?? 0,
    messages: allows(ctx.actor, 'customers:read') ? await countOpenMessages(ctx) : 0,
    unpayable: Number(isOpen && maySet && !takesPayments(ctx)),
    unmailed: Number(isOpen && maySet && !(await isMailSent(ctx))),
  };
}

const DONE: Readonly<Record<string, string>> = {
  opened: 'The shop is open.',
  closed: 'The shop is closed.',
};

async function recentOf(ctx: Ctx) {
  const { items } = await shopProductRows.page(ctx, { sort: '-updated', offset: 0, limit: MOST_RECENT });
  return items.map(({ id, title, status, updatedAt }) => ({
    href: `/store/products/${encodeURIComponent(id)}`,
    title,
    status,
    at: localMinute(new Date(updatedAt)),
  }));
}

/** @param lacks what shoppers would miss, where opening is asked about */
async function shownHome(ctx: Ctx, range: Range, done: string | null, lacks: readonly string[] = []) {
  const figures = allows(ctx.actor, 'products:read') ? await figuresOf(ctx) : null;
  const isOpen = ctx.settings.get(storeOpen);
  const { pinnedBy = null } = settings.get(ctx, storeOpen.key);
  const maySet = allows(ctx.actor, 'settings:write');
  return show('store/home', {
    name: shopNameOf(ctx),
    address: new URL('/shop/', ctx.baseUrl).href,
    isOpen,
    pinnedBy,
    maySwitch: maySet && pinnedBy === null,
    maySet,
    done,
    lacks,
    steps: figures !== null && !isOpen ? await stepsOf(ctx, figures) : [],
    tiles: figures === null ? [] : tilesOf(figures),
    tasks: [...(await failingWords(ctx)), ...todoOf(await tasksOf(ctx, figures, isOpen))],
    sales: allows(ctx.actor, 'reports:read') ? await salesOf(ctx, range) : null,
    latest: allows(ctx.actor, 'orders:read') ? await latestOf(ctx) : [],
    active: figures?.active ?? null,
    recent: figures === null ? [] : await recentOf(ctx),
  });
}

/** What the staff of a shop opens the day with (admin.md 5.1), and where the shop is opened and closed. */
export const storeHomePage = page({
  path: PATH,
  title: 'Shop',
  audience: 'staff',
  layout: PANEL,
  help: 'open-a-shop',
  nav: { area: 'store', label: 'Overview', order: 1 },
  query: later(() =>
    z.object({ done: z.string().max(10).optional(), range: oneOf(RANGE_NAMES).default('30d') }),
  ),
  form: z.object({ open: oneOf(['true', 'false']), sure: optional(oneOf(['true'])) }),
  async show(ctx, { query }) {
    await settings.refresh(ctx);
    return shownHome(ctx, query.range, DONE[query.done ?? ''] ?? null);
  },
  async submit(ctx, { form, query }) {
    if (!allows(ctx.actor, 'settings:write'))
      throw new AppError('AUTH_FORBIDDEN', 403, 'Your account lacks the permission settings:write');
    const opens = form.open === 'true';
    if (opens && form.sure === undefined) {
      await settings.refresh(ctx);
      const lacks = lacksOf(await stepsOf(ctx, await figuresOf(ctx)));
      if (lacks.length > 0) return shownHome(ctx, query.range, null, lacks);
    }
    await settings.set(ctx, { key: storeOpen.key, value: opens });
    return goTo(`${PATH}?done=${opens ? 'opened' : 'closed'}`);
  },
});

/** As people type it. */
export const storePath = page({
  path: '/store',
  title: 'Shop',
  audience: 'public',
  show: async () => goTo(PATH),
});
