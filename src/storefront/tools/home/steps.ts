/** What a shop needs before it opens. */
import { allows } from '#kernel/actor.ts';
import type { Ctx } from '#kernel/context.ts';
import { isMailSent } from '#platform/mail/index.ts';
import * as settings from '#platform/settings/index.ts';
import { childrenOf } from '#storefront/catalog/categories/index.ts';
import { listShown } from '#storefront/catalog/content/index.ts';
import { brandColor } from '#storefront/contract/branding.ts';
import { termsPageSlug } from '#storefront/contract/selling-settings.ts';
import { storeName } from '#storefront/contract/settings.ts';
import { activeProcessors } from '#storefront/orders/processors/index.ts';
import { countriesServed } from '#storefront/pricing/shipping/index.ts';
import { taxRateRows } from '#storefront/pricing/tax/index.ts';
import { unchangedPages } from '../sample/index.ts';
import type { Figures } from './queries.ts';

/** A step before a shop is opened. */
export interface Step {
  readonly label: string;
  readonly href: string;
  readonly isDone: boolean;
  /** What shoppers of an open shop would meet without it; absent for what can wait. */
  readonly without?: string;
}

const isSet = (ctx: Ctx, { key }: { readonly key: string }): boolean => settings.get(ctx, key).changed;

/** Whether a shopper can pay at all. */
export const takesPayments = (ctx: Ctx): boolean => activeProcessors(ctx).length > 0;

async function catalogSteps(ctx: Ctx, figures: Figures): Promise<Step[]> {
  return [
    { label: 'Name the shop', href: '/store/settings/general', isDone: isSet(ctx, storeName) },
    { label: 'Choose its color and logo', href: '/store/settings/branding', isDone: isSet(ctx, brandColor) },
    { label: 'Make a category', href: '/store/categories', isDone: (await childrenOf(ctx, null)).length > 0 },
    {
      label: 'Publish a product',
      href: '/store/products',
      isDone: figures.active > 0,
      without: 'No products are published yet, so visitors would see an empty shop.',
    },
    {
      label: 'Give each product a picture',
      href: '/store/products?status=active',
      isDone: figures.active > 0 && figures.withoutPicture === 0,
    },
  ];
}

/** Pages of the sample data are examples: they count once somebody has changed them. */
async function legalStep(ctx: Ctx): Promise<Step> {
  const samples = await unchangedPages(ctx);
  const own = (await listShown(ctx)).filter(({ id }) => !samples.has(id)).map(({ slug }) => slug);
  const wanted = [ctx.settings.get(termsPageSlug) ?? 'terms', 'privacy'];
  return {
    label: `Publish your own terms and privacy pages (${wanted.join(', ')})`,
    href: '/store/pages',
    isDone: wanted.every((slug) => own.includes(slug)),
    without: 'The shop has no terms and privacy pages of its own.',
  };
}

async function sellingSteps(ctx: Ctx, figures: Figures): Promise<Step[]> {
  const isShipped = figures.active === 0 || figures.physical > 0;
  return [
    {
      label: 'Choose how customers pay',
      href: '/store/settings/payment',
      isDone: takesPayments(ctx),
      without: 'No way to pay is set up: shoppers cannot order.',
    },
    ...(isShipped
      ? [
          {
            label: 'Add a shipping zone with a method',
            href: '/store/settings/shipping',
            isDone: (await countriesServed(ctx)).size > 0,
            without: 'No shipping method is set up: goods that are shipped cannot be ordered.',
          },
        ]
      : []),
    {
      label: 'Add tax rates, if you charge tax',
      href: '/store/settings/tax-zones',
      isDone: (await taxRateRows.page(ctx, { offset: 0, limit: 1 })).total > 0,
    },
    {
      label: 'Set up a mail server',
      href: '/store/settings/email',
      isDone: await isMailSent(ctx),
      without: 'No mail server is set up: customers get no confirmation.',
    },
  ];
}

/** All of them that the actor may see. */
export const stepsOf = async (ctx: Ctx, figures: Figures): Promise<Step[]> => [
  ...(await catalogSteps(ctx, figures)),
  ...(allows(ctx.actor, 'content:read') ? [await legalStep(ctx)] : []),
  ...(allows(ctx.actor, 'settings:read') ? await sellingSteps(ctx, figures) : []),
];

/** What shoppers would miss if the shop opened now. */
export const lacksOf = (steps: readonly Step[]): string[] =>
  steps.flatMap(({ isDone, without }) => (isDone || without === undefined ? [] : [without]));
