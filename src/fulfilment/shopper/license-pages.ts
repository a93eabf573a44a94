import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import { text } from '#kernel/http/fields.ts';
import { file, goTo, type Page, page, type Shown } from '#kernel/http/page.ts';
import type { Visitor } from '#kernel/http/visitor.ts';
import { later } from '#kernel/sharing.ts';
import { RELEASE_CHANNELS } from '#licensing/contract/enumerations.ts';
import { releaseMachine } from '#licensing/licenses/machines/index.ts';
import { offersTokens } from '#licensing/licenses/offline-tokens/index.ts';
import { limits } from '#storefront/contract/limits.ts';
import { claimableOrders } from '#storefront/orders/orders/index.ts';
import { customerIdOf, find } from '#storefront/people/customers/index.ts';
import { AccountQuery, accountPage, shownAccount } from '#storefront/tools/account/index.ts';
import { type ShopWords, wordsOf } from '#storefront/tools/shop/index.ts';
import { timeIn } from '#storefront/tools/shopping/index.ts';
import { isRenewable } from '../renewals/index.ts';
import { asked, licensePath, licenseShown, machinesShown, releasesShown } from './license-model.ts';
import { type OwnLicense, ownLicense, ownLicenses } from './owned.ts';
import { LICENSES } from './paths.ts';
import { linkToRelease } from './releases.ts';
import { renewInCart } from './renew.ts';
import { needsPassword, reveal } from './reveal.ts';
import { tokenFor } from './tokens.ts';

const ONE = `${LICENSES}/{id}`;
const PER_PAGE = 20;

const ListQuery = later(() =>
  AccountQuery.extend({ page: z.coerce.number().int().min(1).max(100_000).catch(1) }),
);
const Query = later(() =>
  AccountQuery.extend({
    channel: z.enum(RELEASE_CHANNELS).catch('stable'),
    done: z.literal('released').optional().catch(undefined),
  }),
);
const Params = later(() => z.object({ id: text({ min: 1, max: 40 }) }));
const id = () => z.string().max(40).default('');

/** Orders that were placed as a guest may have licenses, too. */
async function claimableBy(ctx: Ctx, customerId: string): Promise<number> {
  const customer = await find(ctx, customerId);
  return customer ? claimableOrders(ctx, customer) : 0;
}

/** The licenses of a customer (shop-pages 2.6). */
const listPage = page({
  ...accountPage,
  path: LICENSES,
  title: 'Your licenses',
  query: ListQuery,
  async show(ctx, { query, visitor }) {
    const about = { page: query.page, perPage: PER_PAGE };
    const { licenses, total } = await ownLicenses(ctx, customerIdOf(ctx), about);
    const at = (number: number): string => `${LICENSES}?page=${number}${asked(query.lang, '&')}`;
    return shownAccount(ctx, visitor, {
      view: 'shop/account-licenses',
      path: LICENSES,
      title: 'license.title',
      lang: query.lang,
      data: async (words) => ({
        claimable: await claimableBy(ctx, customerIdOf(ctx)),
        licenses: licenses.map((one) => ({
          ...licenseShown(ctx, one, words),
          href: licensePath(one.card.id) + asked(query.lang),
        })),
        newer: query.page > 1 ? at(query.page - 1) : null,
        older: query.page * PER_PAGE < total ? at(query.page + 1) : null,
      }),
    });
  },
});

interface Asked {
  readonly params: z.output<typeof Params>;
  readonly query: z.output<typeof Query>;
  readonly visitor: Visitor;
}

/** What is shown once, or what is wrong. */
interface Once {
  readonly key?: string;
  readonly token?: { readonly token: string; readonly until: ReturnType<ReturnType<typeof timeIn>> };
  readonly wrong?: string;
}

const mine = (ctx: Ctx, { params }: Pick<Asked, 'params'>): Promise<OwnLicense> =>
  ownLicense(ctx, customerIdOf(ctx), params.id);

async function shown(
  ctx: Ctx,
  { query, visitor }: Asked,
  license: OwnLicense,
  once: Once = {},
): Promise<Shown> {
  const path = licensePath(license.card.id);
  const { lang, channel } = query;
  const renewable = await isRenewable(ctx, license.card.id);
  return shownAccount(ctx, visitor, {
    view: 'shop/account-license',
    path,
    title: 'license.one',
    lang,
    status: once.wrong === undefined ? 200 : 400,
    data: async (words) => ({
      license: licenseShown(ctx, license, words),
      path,
      query: asked(lang),
      done: query.done ?? null,
      key: once.key ?? null,
      token: once.token ?? null,
      wrong: once.wrong ?? null,
      asksPassword: needsPassword(ctx, visitor, customerIdOf(ctx)),
      isRenewable: renewable,
      offersTokens: await offersTokens(ctx, license.card.product.id),
      machines: await machinesShown(ctx, license.card.id, words),
      ...(await releasesShown(ctx, license, { channel, lang, words, isRenewable: renewable })),
    }),
  });
}

const base = { ...accountPage, title: 'License', params: Params, query: Query } as const;
const action = {
  ...base,
  show: async (_ctx: Ctx, { params, query }: Asked) => goTo(licensePath(params.id) + asked(query.lang)),
} as const;

const onePage = page({
  ...base,
  path: ONE,
  show: async (ctx, sent) => shown(ctx, sent, await mine(ctx, sent)),
});

/** Does something with a license; what is refused is said above it. */
async function acting(
  ctx: Ctx,
  sent: Asked,
  work: (license: OwnLicense, words: ShopWords) => Promise<Shown>,
): Promise<Shown> {
  const license = await mine(ctx, sent);
  const words = await wordsOf(ctx, sent.visitor, sent.query.lang);
  try {
    return await work(license, words);
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500) throw error;
    return shown(ctx, sent, license, { wrong: refusedIn(words, error) });
  }
}

function refusedIn({ t }: ShopWords, { code, details }: AppError): string {
  if (code === 'RATE_LIMITED') return t('account.busy');
  const { reason, issues = [] } = details as { reason?: string; issues?: { path: string; rule: string }[] };
  const password = issues.find(({ path }) => path === 'password');
  if (password) return t(password.rule === 'required' ? 'license.password_needed' : 'account.fault_wrong');
  if (reason === 'LICENSE_INACTIVE') return t('license.inactive');
  if (reason === 'NOT_RENEWABLE' || reason === 'OUT_OF_STOCK') return t('license.not_renewable');
  if (reason === 'TOKEN_REFUSED') return t('license.token_refused');
  return code === 'NOT_FOUND' ? t('license.gone') : t('refused.other');
}

const keyPage = page({
  ...action,
  path: `${ONE}/key`,
  form: z.object({ password: text({ max: 1000 }).default('') }),
  limit: { submit: [limits.licenseReveal] },
  submit: (ctx, sent) =>
    acting(ctx, sent, async (license) => {
      const { password } = sent.form;
      const about = { customerId: customerIdOf(ctx), licenseId: license.card.id, password };
      return shown(ctx, sent, license, { key: await reveal(ctx, sent.visitor, about) });
    }),
});

const machinePage = page({
  ...action,
  path: `${ONE}/release`,
  form: z.object({ activation: id() }),
  limit: { submit: [limits.machineRelease] },
  submit: (ctx, sent) =>
    acting(ctx, sent, async ({ card }) => {
      await releaseMachine(ctx, card.id, sent.form.activation);
      return goTo(`${licensePath(card.id)}?done=released${asked(sent.query.lang, '&')}#machines`);
    }),
});

/** A token is shown once: on the page, or as a file. */
const tokenPage = page({
  ...action,
  path: `${ONE}/offline-token`,
  form: z.object({ activation: id(), as: z.enum(['page', 'file']).catch('page') }),
  limit: { submit: [limits.ownOfflineToken] },
  submit: (ctx, sent) =>
    acting(ctx, sent, async (license, words) => {
      const made = await tokenFor(ctx, license.card.id, sent.form.activation);
      if (sent.form.as === 'file') return tokenFile(made.token);
      const until = timeIn(ctx, words, 'minute')(made.expiresAt);
      return shown(ctx, sent, license, { token: { token: made.token, until } });
    }),
});

const tokenFile = (token: string): Shown =>
  file('text/plain; charset=utf-8', `${token}\n`, {
    headers: {
      'Content-Disposition': 'attachment; filename="offline-token.txt"',
      'Cache-Control': 'no-store',
    },
  });

/** Leads to a release, by a link that fetches it once. */
const downloadPage = page({
  ...action,
  path: `${ONE}/download`,
  form: z.object({ release: id() }),
  limit: { submit: [limits.releaseLink] },
  submit: (ctx, sent) =>
    acting(ctx, sent, async ({ card }) =>
      goTo((await linkToRelease(ctx, card.id, sent.form.release)).link.path),
    ),
});

/** Puts what makes the license last longer into the cart. */
const renewPage = page({
  ...action,
  path: `${ONE}/renew`,
  form: z.object({}),
  submit: (ctx, sent) =>
    acting(ctx, sent, async (license) => {
      await renewInCart(ctx, sent.visitor, license, sent.query.lang);
      return goTo(`/shop/cart${asked(sent.query.lang)}`);
    }),
});

export const licensePages: readonly Page[] = [
  listPage,
  onePage,
  keyPage,
  machinePage,
  tokenPage,
  downloadPage,
  renewPage,
];
