import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { goTo, type Page, page, type Shown } from '#kernel/http/page.ts';
import type { Visitor } from '#kernel/http/visitor.ts';
import { later } from '#kernel/sharing.ts';
import { customersGrant, grantsOfCustomer, linkTo } from '#storefront/buying/downloads/index.ts';
import { limits } from '#storefront/contract/limits.ts';
import { customerIdOf } from '#storefront/people/customers/index.ts';
import { wordsOf } from '../shop/index.ts';
import { downloadShown, FileForm, linkRefused } from '../shopping/index.ts';
import { AccountQuery, accountPage, shownAccount } from './frame.ts';
import { ACCOUNT } from './nav.ts';

const PATH = `${ACCOUNT}/downloads`;
const PER_PAGE = 20;

const Query = later(() =>
  AccountQuery.extend({ page: z.coerce.number().int().min(1).max(100_000).catch(1) }),
);

interface Asked {
  readonly query: z.output<typeof Query>;
  readonly visitor: Visitor;
}

async function shown(ctx: Ctx, { query, visitor }: Asked, wrong: string | null = null): Promise<Shown> {
  const asked = { page: query.page, perPage: PER_PAGE };
  const { grants, total } = await grantsOfCustomer(ctx, customerIdOf(ctx), asked);
  const lang = query.lang === undefined ? '' : `&lang=${encodeURIComponent(query.lang)}`;
  const at = (number: number): string => `${PATH}?page=${number}${lang}`;
  return shownAccount(ctx, visitor, {
    view: 'shop/account-downloads',
    path: PATH,
    title: 'download.title',
    lang: query.lang,
    status: wrong === null ? 200 : 400,
    data: (words) => ({
      wrong,
      path: PATH,
      downloads: grants.map((grant) => ({
        ...downloadShown(ctx, grant, words),
        order: grant.orderNumber && {
          href: `${ACCOUNT}/orders/${encodeURIComponent(grant.orderNumber)}`,
          label: words.t('order.title', { number: grant.orderNumber }),
        },
      })),
      newer: query.page > 1 ? at(query.page - 1) : null,
      older: query.page * PER_PAGE < total ? at(query.page + 1) : null,
    }),
  });
}

/** Files that a customer has bought (shop-pages 2.6). */
const downloadsPage = page({
  ...accountPage,
  path: PATH,
  title: 'Your downloads',
  query: Query,
  show: (ctx, asked) => shown(ctx, asked),
});

/** Leads to a file, by a link that fetches it once. */
const filePage = page({
  ...accountPage,
  path: `${PATH}/download`,
  title: 'Your downloads',
  query: Query,
  form: FileForm,
  limit: { submit: [limits.downloadLink] },
  show: async () => goTo(PATH),
  async submit(ctx, sent) {
    const grant = await customersGrant(ctx, customerIdOf(ctx), sent.form.id);
    try {
      return goTo((await linkTo(ctx, grant)).path);
    } catch (error) {
      return shown(ctx, sent, linkRefused(await wordsOf(ctx, sent.visitor, sent.query.lang), error));
    }
  },
});

export const accountDownloadPages: readonly Page[] = [downloadsPage, filePage];
