import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { goTo, page } from '#kernel/http/page.ts';
import { later } from '#kernel/sharing.ts';
import { accountLicenses } from '#storefront/contract/extensions.ts';
import { claimableOrders, claimGuestOrders } from '#storefront/orders/orders/index.ts';
import { listOrders } from '#storefront/orders/shopper-orders/index.ts';
import { customerIdOf, find, missingCustomer } from '#storefront/people/customers/index.ts';
import type { ShopWords } from '../shop/index.ts';
import { timeIn } from '../shopping/index.ts';
import { AccountQuery, accountPage, shownAccount } from './frame.ts';
import { ACCOUNT } from './nav.ts';
import { orderInList } from './order-pages.ts';

/** Where a customer begins (shop-pages 2.6). */
export const overviewPage = page({
  ...accountPage,
  path: ACCOUNT,
  title: 'Your account',
  query: later(() =>
    AccountQuery.extend({ claimed: z.coerce.number().int().min(1).optional().catch(undefined) }),
  ),
  async show(ctx, { query, visitor }) {
    const id = customerIdOf(ctx);
    const customer = (await find(ctx, id)) ?? missingCustomer(id);
    const { orders } = await listOrders(ctx, id, { page: 1, perPage: 1 });
    return shownAccount(ctx, visitor, {
      view: 'shop/account',
      path: ACCOUNT,
      title: 'account.title',
      lang: query.lang,
      data: async (words) => ({
        email: customer.email,
        claimable: await claimableOrders(ctx, customer),
        claimed: query.claimed,
        orders: orders.map((order) => orderInList(ctx, order, words)),
        endingLicenses: await endingLicenses(ctx, id, words),
      }),
    });
  },
});

async function endingLicenses(ctx: Ctx, customerId: string, words: ShopWords) {
  const found = await Promise.all(
    (await ctx.filled(accountLicenses)).map((one) => one.endingSoon(ctx, customerId)),
  );
  const time = timeIn(ctx, words, 'day');
  return found.flat().map(({ path, product, keyMasked, validUntil }) => ({
    ...{ href: path, product, keyMasked },
    until: time(validUntil),
  }));
}

/** Takes over what was ordered as a guest with the same, verified address (storefront-domain 7.6). */
export const claimPage = page({
  ...accountPage,
  path: `${ACCOUNT}/claim-orders`,
  title: 'Add orders to your account',
  query: AccountQuery,
  show: async () => goTo(ACCOUNT),
  async submit(ctx, { query }) {
    const { orders } = await claimGuestOrders(ctx, customerIdOf(ctx));
    const said = new URLSearchParams({
      // None where they came along before, as by a second click: the account shows them.
      ...(orders > 0 && { claimed: String(orders) }),
      ...(query.lang !== undefined && { lang: query.lang }),
    });
    return goTo(said.size === 0 ? ACCOUNT : `${ACCOUNT}?${said}`);
  },
});
