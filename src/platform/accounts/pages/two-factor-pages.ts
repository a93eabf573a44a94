import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { oneOf, text } from '#kernel/http/fields.ts';
import { goTo, type Page, page, refuseForm, type Shown, show } from '#kernel/http/page.ts';
import type { Visitor } from '#kernel/http/visitor.ts';
import { qrSvg } from '../../second-factor/index.ts';
import { requireAdminTwoFactor } from '../../sessions/index.ts';
import {
  confirmTwoFactor,
  disableTwoFactor,
  pendingTwoFactor,
  renewRecoveryCodes,
  setupTwoFactor,
} from '../protection.ts';
import { get } from '../staff.ts';
import { sudoFirst } from '../sudo.ts';
import { codeTries } from '../tries.ts';
import { PROFILE, returnPath, TWO_FACTOR } from './paths.ts';
import { doneAt, idOf } from './profile-pages.ts';

const RECOVERY = `${PROFILE}/recovery-codes`;
const Next = z.object({ next: z.string().optional() });

/** Begins, ends with the first code, or switches off again; each needs the password of the last ten minutes. */
const twoFactorPage = page({
  path: TWO_FACTOR,
  title: 'Two-factor sign-in',
  audience: 'staff',
  isWhileOwing: true,
  query: Next,
  form: z.object({ step: oneOf(['begin', 'confirm', 'off']), code: text({ max: 20 }).optional() }),
  limit: { submit: [codeTries] },
  show: async (ctx, { visitor, query }) =>
    sudoFirst(ctx, visitor, addressOf(query.next)) ?? stateOf(ctx, visitor),
  async submit(ctx, { visitor, query, form }) {
    const first = sudoFirst(ctx, visitor, addressOf(query.next));
    if (first) return first;
    const id = idOf(visitor);
    if (form.step === 'begin') {
      await setupTwoFactor(ctx, id);
      return goTo(addressOf(query.next));
    }
    if (form.step === 'off') {
      await disableTwoFactor(ctx, id);
      return doneAt('two-factor-off');
    }
    const codes = await confirmTwoFactor(ctx, id, form.code ?? '');
    if (!codes) throw refuseForm(WRONG, { code: WRONG });
    return showCodes(codes, query.next);
  },
});

const WRONG = "This code is wrong. Check that your phone's clock is right and enter the next code";

const addressOf = (next: string | undefined): string =>
  next === undefined ? TWO_FACTOR : `${TWO_FACTOR}?next=${encodeURIComponent(next)}`;

async function stateOf(ctx: Ctx, visitor: Visitor): Promise<Shown> {
  const { twoFactor } = await get(ctx, idOf(visitor));
  const isOwed = visitor.owes === 'SECOND_FACTOR';
  const isRequired = ctx.settings.get(requireAdminTwoFactor);
  const waiting = twoFactor.enabled ? null : await pendingTwoFactor(ctx, idOf(visitor));
  const qr = waiting && Buffer.from(await qrSvg(waiting.uri)).toString('base64');
  return show('platform/two-factor', { twoFactor, isOwed, isRequired, qr, secret: waiting?.secret ?? null });
}

/** Once, in the answer to the form: nothing keeps them. */
const showCodes = (codes: readonly string[], next?: string): Shown =>
  show('platform/recovery-codes', { codes, next: returnPath(next, PROFILE) });

const recoveryPage = page({
  path: RECOVERY,
  title: 'Recovery codes',
  audience: 'staff',
  show: async (ctx, { visitor }) => {
    const first = sudoFirst(ctx, visitor, RECOVERY);
    if (first) return first;
    const { twoFactor } = await get(ctx, idOf(visitor));
    return twoFactor.enabled
      ? show('platform/recovery-codes', { codes: null, left: twoFactor.recoveryCodesLeft })
      : goTo(TWO_FACTOR);
  },
  async submit(ctx, { visitor }) {
    const first = sudoFirst(ctx, visitor, RECOVERY);
    return first ?? showCodes(await renewRecoveryCodes(ctx, idOf(visitor)));
  },
});

export const twoFactorPages: readonly Page[] = [twoFactorPage, recoveryPage];
