import type { Alerts } from './dashboard.ts';
import type { Figures } from './queries.ts';

/** How often there is something to do; 0 also where the reader may not know. */
export interface Tasks extends Alerts, Pick<Figures, 'withoutPicture' | 'withoutAlt'> {
  readonly messages: number;
  /** 1 for an open shop without a way to pay. */
  readonly unpayable: number;
  /** 1 for an open shop without a mail server. */
  readonly unmailed: number;
}

/** What each is called, and the list that it leads to. */
const KINDS: readonly { of: keyof Tasks; one: string; many: string; href: string }[] = [
  {
    of: 'unpayable',
    one: 'Choose how customers pay: the shop is open, but shoppers cannot order',
    many: '',
    href: '/store/settings/payment',
  },
  {
    of: 'unmailed',
    one: 'Set up a mail server: emails to customers wait until then',
    many: '',
    href: '/store/settings/email',
  },
  {
    of: 'toReview',
    one: '1 order waits for a review',
    many: 'orders wait for a review',
    href: '/store/orders?review=waiting',
  },
  {
    of: 'toShip',
    one: '1 order is to be worked on',
    many: 'orders are to be worked on',
    href: '/store/orders?status=processing',
  },
  {
    of: 'unpaid',
    one: '1 order waits for its payment',
    many: 'orders wait for their payment',
    href: '/store/orders?status=pending',
  },
  {
    of: 'returns',
    one: '1 return waits for a decision',
    many: 'returns wait for a decision',
    href: '/store/returns?status=requested',
  },
  {
    of: 'failedWebhooks',
    one: '1 webhook is disabled',
    many: 'webhooks are disabled',
    href: '/store/settings/webhooks?active=false',
  },
  {
    of: 'messages',
    one: '1 message of a shopper is open',
    many: 'messages of shoppers are open',
    href: '/store/messages?status=open',
  },
  {
    of: 'lowStock',
    one: '1 variant is low or out of stock',
    many: 'variants are low or out of stock',
    href: '/store/inventory?low=true',
  },
  {
    of: 'withoutPicture',
    one: '1 product in the shop has no picture',
    many: 'products in the shop have no picture',
    href: '/store/products?status=active',
  },
  {
    of: 'withoutAlt',
    one: '1 picture has no description for people who do not see it',
    many: 'pictures have no description for people who do not see them',
    href: '/store/media',
  },
];

/** Everything that can be counted. */
export const TASK_NAMES: readonly (keyof Tasks)[] = KINDS.map(({ of }) => of);

/** What should be done about the shop that is open or will be. */
export const todoOf = (counts: Tasks) =>
  KINDS.filter(({ of }) => counts[of] > 0).map(({ of, one, many, href }) => ({
    words: counts[of] === 1 ? one : `${counts[of]} ${many}`,
    href,
  }));
