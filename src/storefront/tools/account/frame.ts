import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import type { Page, Shown } from '#kernel/http/page.ts';
import type { ReplyHead } from '#kernel/http/reply.ts';
import type { Visitor } from '#kernel/http/visitor.ts';
import { isOn } from '#kernel/settings-reader.ts';
import { later } from '#kernel/sharing.ts';
import { accountLicenses } from '#storefront/contract/extensions.ts';
import { type Crumb, languageHead, type ShopWords, secretPage, seoOf, wordsOf } from '../shop/index.ts';
import { ACCOUNT, type AccountPlace, accountPlaces } from './nav.ts';

/** Behind it the account shows licenses. */
const AFTER_THIS = `${ACCOUNT}/orders`;

/** What the pages of an account have in common: only its customer sees them, and nobody keeps them. */
export const accountPage = { ...secretPage, audience: 'customer' } as const satisfies Partial<Page>;

/** Of every page of the shop that is read in a language of its own. */
export const AccountQuery = later(() => z.object({ lang: z.string().max(20).optional().catch(undefined) }));

/** What a page says of itself. */
export interface Said {
  readonly view: string;
  readonly path: string;
  /** Key of its title. */
  readonly title: string;
  readonly lang: string | undefined;
  /** What its view shows. */
  readonly data: (words: ShopWords) => Record<string, unknown> | Promise<Record<string, unknown>>;
  readonly values?: Readonly<Record<string, unknown>>;
  readonly head?: ReplyHead;
  readonly status?: number;
}

/** Shows a page around signing in, which nobody lists and nobody keeps. */
export async function shownAt(ctx: Ctx, visitor: Visitor, said: Said, crumbs: Crumb[] = []): Promise<Shown> {
  const { path, lang, view } = said;
  const words = await wordsOf(ctx, visitor, lang);
  const title = words.t(said.title);
  const seo = seoOf(ctx, { path, lang, description: title, index: false });
  const action = lang === undefined ? '' : `?lang=${words.lang}`;
  const data = { ...words, title, crumbs, seo, action, ...(await said.data(words)) };
  return {
    view,
    data,
    ...(said.values && { values: said.values }),
    ...(said.status && { status: said.status }),
    head: { ...languageHead(lang), ...said.head },
  };
}

/** Shows a page of an account, with its navigation. Its view begins with `include('shop/account-nav')`. */
export async function shownAccount(ctx: Ctx, visitor: Visitor, said: Said): Promise<Shown> {
  const { t } = await wordsOf(ctx, visitor, said.lang);
  const crumbs = [
    { label: t('account.title'), href: ACCOUNT },
    ...(said.path === ACCOUNT ? [] : [{ label: t(said.title), href: said.path }]),
  ];
  const places = (await placesOf(ctx)).map(({ path, label }) => ({
    href: path,
    label: t(label),
    isCurrent: path === said.path || (path !== ACCOUNT && said.path.startsWith(`${path}/`)),
  }));
  const data: Said['data'] = async (words) => ({ accountPlaces: places, ...(await said.data(words)) });
  return shownAt(ctx, visitor, { ...said, data }, crumbs);
}

/** The parts of the account that are there now. */
async function placesOf(ctx: Ctx): Promise<AccountPlace[]> {
  const open = accountPlaces.filter((one) => isOn(one, ctx));
  const licenses = (await ctx.filled(accountLicenses)).map(({ path }) => ({ path, label: 'license.title' }));
  const at = open.findIndex(({ path }) => path === AFTER_THIS) + 1;
  return open.toSpliced(at, 0, ...licenses);
}
