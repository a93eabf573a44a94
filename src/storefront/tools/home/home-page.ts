import { z } from 'zod';
import { allows } from '#kernel/actor.ts';
import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import { oneOf } from '#kernel/http/fields.ts';
import { goTo, page, show } from '#kernel/http/page.ts';
import { localMinute } from '#kernel/local-time.ts';
import { later } from '#kernel/sharing.ts';
import { PANEL } from '#platform/panel/index.ts';
import * as settings from '#platform/settings/index.ts';
import { childrenOf } from '#storefront/catalog/categories/index.ts';
import { listShown } from '#storefront/catalog/content/index.ts';
import { shopProductRows } from '#storefront/catalog/products/index.ts';
import { brandColor } from '#storefront/contract/branding.ts';
import { shopNameOf, storeName, storeOpen } from '#storefront/contract/settings.ts';
import { alertsOf, RANGE_NAMES } from './dashboard.ts';
import { countOpenMessages, type Figures, figuresOf } from './queries.ts';
import { alertWords, latestOf, salesOf } from './sales.ts';

const PATH = '/store/';
const MOST_RECENT = 5;

/** A step before a shop is opened. */
interface Step {
  readonly label: string;
  readonly href: string;
  readonly isDone: boolean;
}

const isSet = (ctx: Ctx, { key }: { readonly key: string }): boolean => settings.get(ctx, key).changed;

const stepsOf = async (ctx: Ctx, figures: Figures): Promise<Step[]> => [
  { label: 'Name the shop', href: '/store/settings/general', isDone: isSet(ctx, storeName) },
  { label: 'Choose its color and logo', href: '/store/settings/branding', isDone: isSet(ctx, brandColor) },
  { label: 'Make a category', href: '/store/categories', isDone: (await childrenOf(ctx, null)).length > 0 },
  { label: 'Publish a product', href: '/store/products', isDone: figures.active > 0 },
  {
    label: 'Give each product a picture',
    href: '/store/products?status=active',
    isDone: figures.active > 0 && figures.withoutPicture === 0,
  },
  ...(allows(ctx.actor, 'content:read')
    ? [
        {
          label: 'Publish a page with your policies, such as terms and privacy',
          href: '/store/pages',
          isDone: (await listShown(ctx)).length > 0,
        },
      ]
    : []),
];

/** A number that leads to what it counts. */
const tilesOf = (figures: Figures) =>
  [
    { label: 'Products in the shop', count: figures.active, href: '/store/products?status=active' },
    { label: 'Drafts', count: figures.drafts, href: '/store/products?status=draft' },
    { label: 'Scheduled', count: figures.scheduled, href: '/store/products?status=active' },
    { label: 'Pictures', count: figures.pictures, href: '/store/media' },
  ].map((tile) => ({ ...tile, count: tile.count.toLocaleString('en') }));

/** How often there is something to do; 0 also where the reader may not know. */
interface Tasks extends Pick<Figures, 'withoutPicture' | 'withoutAlt'> {
  readonly low: number;
  readonly messages: number;
}

const countsOf = async (ctx: Ctx, figures: Figures | null, low: number): Promise<Tasks> => ({
  withoutPicture: figures?.withoutPicture ?? 0,
  withoutAlt: figures?.withoutAlt ?? 0,
  low,
  messages: allows(ctx.actor, 'customers:read') ? await countOpenMessages(ctx) : 0,
});

/** What should be done about the shop that is open or will be. */
const tasksOf = ({ withoutPicture, withoutAlt, low, messages }: Tasks) =>
  [
    {
      count: messages,
      one: '1 message of a shopper is open',
      many: `${messages} messages of shoppers are open`,
      href: '/store/messages?status=open',
    },
    {
      count: low,
      one: '1 variant is low or out of stock',
      many: `${low} variants are low or out of stock`,
      href: '/store/inventory?low=true',
    },
    {
      count: withoutPicture,
      one: '1 product in the shop has no picture',
      many: `${withoutPicture} products in the shop have no picture`,
      href: '/store/products?status=active',
    },
    {
      count: withoutAlt,
      one: '1 picture has no description for people who do not see it',
      many: `${withoutAlt} pictures have no description for people who do not see them`,
      href: '/store/media',
    },
  ]
    .filter(({ count }) => count > 0)
    .map(({ count, one, many, href }) => ({ words: count === 1 ? one : many, href }));

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
  form: z.object({ open: oneOf(['true', 'false']) }),
  async show(ctx, { query }) {
    await settings.refresh(ctx);
    const figures = allows(ctx.actor, 'products:read') ? await figuresOf(ctx) : null;
    const isOpen = ctx.settings.get(storeOpen);
    const { pinnedBy = null } = settings.get(ctx, storeOpen.key);
    const maySet = allows(ctx.actor, 'settings:write');
    const alerts = await alertsOf(ctx);
    return show('store/home', {
      name: shopNameOf(ctx),
      address: new URL('/shop/', ctx.baseUrl).href,
      isOpen,
      pinnedBy,
      maySwitch: maySet && pinnedBy === null,
      maySet,
      done: DONE[query.done ?? ''] ?? null,
      steps: figures !== null && !isOpen ? await stepsOf(ctx, figures) : [],
      tiles: figures === null ? [] : tilesOf(figures),
      tasks: [...alertWords(alerts), ...tasksOf(await countsOf(ctx, figures, alerts.lowStock))],
      sales: allows(ctx.actor, 'reports:read') ? await salesOf(ctx, query.range) : null,
      latest: allows(ctx.actor, 'orders:read') ? await latestOf(ctx) : [],
      active: figures?.active ?? null,
      recent: figures === null ? [] : await recentOf(ctx),
    });
  },
  async submit(ctx, { form }) {
    if (!allows(ctx.actor, 'settings:write'))
      throw new AppError('AUTH_FORBIDDEN', 403, 'Your account lacks the permission settings:write');
    await settings.set(ctx, { key: storeOpen.key, value: form.open === 'true' });
    return goTo(`${PATH}?done=${form.open === 'true' ? 'opened' : 'closed'}`);
  },
});

/** As people type it. */
export const storePath = page({
  path: '/store',
  title: 'Shop',
  audience: 'public',
  show: async () => goTo(PATH),
});
