import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { text } from '#kernel/http/fields.ts';
import { goTo, page, type Shown } from '#kernel/http/page.ts';
import type { Visitor } from '#kernel/http/visitor.ts';
import { later } from '#kernel/sharing.ts';
import { minPasswordLength } from '#platform/passwords/index.ts';
import { limits } from '#storefront/contract/limits.ts';
import { shopperEmail } from '#storefront/contract/shopper-email.ts';
import { register } from '#storefront/people/accounts/index.ts';
import { secretPage, wordsOf } from '../shop/index.ts';
import { signInNew } from './endpoints.shop.ts';
import { shownAt } from './frame.ts';
import { LOGIN, REGISTER, returnPath, withNext } from './paths.ts';
import { inWords, refuseWith } from './refusals.ts';
import { Next } from './sign-in-pages.ts';

const MOST = 1000;
const field = () => text({ max: MOST }).default('');
type Asked = { readonly query: z.output<typeof Next>; readonly visitor: Visitor };

const shownRegister = (ctx: Ctx, { query, visitor }: Asked, sentTo: string | null): Promise<Shown> =>
  shownAt(ctx, visitor, {
    view: 'shop/register',
    path: REGISTER,
    title: 'account.register',
    lang: query.lang,
    data: () => ({
      sentTo,
      fewest: ctx.settings.get(minPasswordLength),
      action: withNext('', query.next, query.lang),
      loginHref: withNext(LOGIN, query.next, query.lang),
    }),
  });

/** Where customers register (shop-pages 2.5). */
export const registerPage = page({
  ...secretPage,
  path: REGISTER,
  title: 'Register',
  query: Next,
  form: later(() =>
    z.object({
      email: field(),
      password: field(),
      first_name: field(),
      last_name: field(),
      accepts_marketing: z.literal('1').optional(),
    }),
  ),
  limit: { submit: [limits.register] },
  async show(ctx, { query, visitor }) {
    return visitor.customer ? goTo(returnPath(query.next)) : shownRegister(ctx, { query, visitor }, null);
  },
  async submit(ctx, { form, query, visitor }) {
    const words = await wordsOf(ctx, visitor, query.lang);
    const { success, data: email } = shopperEmail().safeParse(form.email);
    if (!success) {
      const wrong = words.t('form.email_invalid');
      throw refuseWith(wrong, { email: wrong });
    }
    for (const name of ['first_name', 'last_name'] as const)
      if ([...form[name]].length > 100)
        throw refuseWith(words.t('form.too_long'), { [name]: words.t('form.too_long') });
    const done = await inWords(words, () =>
      register(ctx, {
        email,
        password: form.password,
        firstName: form.first_name.trim() || null,
        lastName: form.last_name.trim() || null,
        acceptsMarketing: form.accepts_marketing === '1',
        consentText: words.t('account.marketing'),
        locale: words.lang,
      }),
    );
    if (done.needsVerification) return shownRegister(ctx, { query, visitor }, email);
    await signInNew(ctx, visitor, done);
    return goTo(returnPath(query.next));
  },
});
