import { z } from 'zod';
import { text } from '#kernel/http/fields.ts';
import { goTo, page } from '#kernel/http/page.ts';
import { later } from '#kernel/sharing.ts';
import { limits } from '#storefront/contract/limits.ts';
import { secretPage, wordsOf } from '../shop/index.ts';
import { shownAt } from './frame.ts';
import { LOGIN, returnPath, withNext } from './paths.ts';
import { refuseWith } from './refusals.ts';
import { takeSecondStep } from './second-step.ts';
import { Next } from './sign-in-pages.ts';

const PATH = `${LOGIN}/2fa`;

/** The code that follows the password (shop-pages 2.5). */
export const secondStepPage = page({
  ...secretPage,
  path: PATH,
  title: 'Two-factor sign-in',
  query: Next,
  form: later(() =>
    z.object({
      code: text({ max: 40 }).default(''),
      recovery_code: text({ max: 100 }).default(''),
    }),
  ),
  limit: { submit: [limits.customerCode] },
  async show(ctx, { query, visitor }) {
    if (!visitor.session.pendingCustomer) return goTo(withNext(LOGIN, query.next, query.lang));
    return shownAt(ctx, visitor, {
      view: 'shop/login-2fa',
      path: PATH,
      title: 'account.two_factor',
      lang: query.lang,
      data: () => ({ action: withNext('', query.next, query.lang) }),
    });
  },
  async submit(ctx, { form, query, visitor }) {
    if (!visitor.session.pendingCustomer) return goTo(withNext(LOGIN, query.next, query.lang));
    const { t } = await wordsOf(ctx, visitor, query.lang);
    const begun = await takeSecondStep(ctx, visitor, { code: form.code, recoveryCode: form.recovery_code });
    if (begun) return goTo(returnPath(query.next));
    const wrong = t('account.fault_wrong_code');
    throw refuseWith(wrong, { [form.code ? 'code' : 'recovery_code']: wrong }, 401);
  },
});
