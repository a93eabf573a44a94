import { page } from '#kernel/http/page.ts';
import { customerIdOf, find } from '#storefront/people/customers/index.ts';
import { AccountQuery, accountPage, shownAccount } from './frame.ts';
import { ACCOUNT } from './nav.ts';

/** Where a customer begins (shop-pages 2.6). */
export const overviewPage = page({
  ...accountPage,
  path: ACCOUNT,
  title: 'Your account',
  query: AccountQuery,
  async show(ctx, { query, visitor }) {
    const customer = await find(ctx, customerIdOf(ctx));
    return shownAccount(ctx, visitor, {
      view: 'shop/account',
      path: ACCOUNT,
      title: 'account.title',
      lang: query.lang,
      data: () => ({ email: customer?.email ?? '', name: customer?.firstName ?? '' }),
    });
  },
});
