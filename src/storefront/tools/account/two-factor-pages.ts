import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { text } from '#kernel/http/fields.ts';
import { goTo, page, type Shown } from '#kernel/http/page.ts';
import type { Visitor } from '#kernel/http/visitor.ts';
import { qrSvg } from '#platform/second-factor/index.ts';
import { limits } from '#storefront/contract/limits.ts';
import * as accounts from '#storefront/people/accounts/index.ts';
import { customerIdOf } from '#storefront/people/customers/index.ts';
import { wordsOf } from '../shop/index.ts';
import { AccountQuery, accountPage, shownAccount } from './frame.ts';
import { SECURITY } from './nav.ts';
import { inWords } from './refusals.ts';

const PATH = `${SECURITY}/two-factor`;
type Asked = { readonly query: z.output<typeof AccountQuery>; readonly visitor: Visitor };

const shown = (ctx: Ctx, { query, visitor }: Asked, data: Record<string, unknown>): Promise<Shown> =>
  shownAccount(ctx, visitor, {
    view: 'shop/account-two-factor',
    path: PATH,
    title: 'account.two_factor',
    lang: query.lang,
    data: () => ({ backHref: SECURITY, codes: null, qr: null, secret: null, isOn: false, ...data }),
  });

async function stateOf(ctx: Ctx): Promise<Record<string, unknown>> {
  const id = customerIdOf(ctx);
  const isOn = (await accounts.shownCustomer(ctx, id))?.two_factor_enabled ?? false;
  const waiting = isOn ? null : await accounts.pendingTwoFactor(ctx, id);
  const qr = waiting && Buffer.from(await qrSvg(waiting.uri)).toString('base64');
  return { isOn, qr, secret: waiting?.secret ?? null };
}

/** Begins to set it up, turns it on with the first code, or off again; makes new recovery codes. */
export const twoFactorPage = page({
  ...accountPage,
  path: PATH,
  title: 'Two-factor sign-in',
  query: AccountQuery,
  form: z.object({
    step: z.enum(['setup', 'enable', 'disable', 'codes']),
    password: text({ max: 1000 }).default(''),
    code: text({ max: 40 }).default(''),
  }),
  limit: { submit: [limits.customerProof] },
  show: async (ctx, asked) => shown(ctx, asked, await stateOf(ctx)),
  async submit(ctx, { form, ...asked }) {
    const words = await wordsOf(ctx, asked.visitor, asked.query.lang);
    const id = customerIdOf(ctx);
    const { password, code, step } = form;
    const locale = words.lang;
    return inWords(words, async () => {
      switch (step) {
        case 'setup':
          await accounts.setupTwoFactor(ctx, id, password);
          return goTo(PATH + (asked.query.lang === undefined ? '' : `?lang=${words.lang}`));
        case 'enable':
          return shown(ctx, asked, { codes: await accounts.enableTwoFactor(ctx, id, code, locale) });
        case 'codes':
          return shown(ctx, asked, { codes: await accounts.renewRecoveryCodes(ctx, id, password) });
        case 'disable':
          await accounts.disableTwoFactor(ctx, id, { password, code, locale });
          return goTo(`${SECURITY}?done=two-factor`);
      }
    });
  },
});
