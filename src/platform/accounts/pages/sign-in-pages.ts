import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { text } from '#kernel/http/fields.ts';
import { KEPT_FORM_BYTES, keepText } from '#kernel/http/kept-form.ts';
import { goTo, type Page, page, refuseForm, type Shown, show } from '#kernel/http/page.ts';
import type { Visitor } from '#kernel/http/visitor.ts';
import { leadingBack } from '#kernel/http/visitors.ts';
import { later } from '#kernel/sharing.ts';
import { heldBy } from '../../roles/index.ts';
import { noteProof } from '../../sessions/index.ts';
import { noteSignOut, proveSecondFactor, type SignedInAccount, signIn } from '../sign-in.ts';
import { signInCodeTries, signInTries } from '../tries.ts';
import { AREAS, type Area, homeOf, returnPath } from './paths.ts';

const Next = z.object({ next: z.string().optional() });

const signInPage = (area: Area): Page =>
  page({
    path: `${area}/login`,
    title: 'Sign in',
    audience: 'public',
    query: Next,
    form: later(() =>
      z.object({
        email: text({ min: 1, max: 255 }),
        password: text({ min: 1, max: 1000 }),
        /** Another form, which was sent when its session had ended. */
        kept: z.string().optional(),
      }),
    ),
    formBytes: KEPT_FORM_BYTES,
    limit: { submit: [signInTries] },
    show: async (_ctx, { visitor, query }) => {
      if (visitor.actor.kind === 'staff') return goTo(returnPath(query.next, homeOf(visitor.actor)));
      return visitor.session.pending ? goTo(codePage(area, query.next)) : show('platform/login', { area });
    },
    async submit(ctx, { form, query, visitor }) {
      const account = await signIn(ctx, { email: form.email, password: form.password });
      if (!account)
        throw refuseForm(
          'The email address or the password is wrong. After ten wrong passwords an account is locked for 15 minutes.',
        );
      noteProof(ctx, visitor.session, account.id);
      if (form.kept && query.next) keepText(visitor.session, query.next, form.kept);
      return begin(ctx, visitor, account, { area, next: query.next });
    },
  });

/**
 * Begins the session of an account that was admitted, under a new id; with a second factor the session may do nothing
 * but prove it.
 */
export async function begin(
  ctx: Ctx,
  { session }: Visitor,
  { id, generation, needsSecondFactor }: SignedInAccount,
  { area, next }: { area: Area; next?: string | undefined },
): Promise<Shown> {
  await session.signIn({ kind: 'staff', id, generation, isSecondFactorPending: needsSecondFactor });
  return needsSecondFactor ? goTo(codePage(area, next)) : goOn(ctx, id, next);
}

/** Leads to the page that was asked for, or to the first one of the account. */
async function goOn(ctx: Ctx, id: string, next: string | undefined): Promise<Shown> {
  const { permissions } = await heldBy(ctx, id);
  return goTo(returnPath(next, homeOf({ kind: 'staff', id, label: null, permissions })));
}

const codePage = (area: Area, next: string | undefined): string =>
  leadingBack(`${area}/login/2fa`, next ?? null);

const secondFactorPage = (area: Area): Page =>
  page({
    path: `${area}/login/2fa`,
    title: 'Two-factor sign-in',
    audience: 'public',
    query: Next,
    form: later(() =>
      z.object({
        code: text({ max: 20 }).optional(),
        recoveryCode: text({ max: 40 }).optional().meta({ secret: true }),
      }),
    ),
    limit: { submit: [signInCodeTries] },
    show: async (_ctx, { visitor, query }) =>
      visitor.session.pending ? show('platform/login-2fa', { area }) : goTo(signInAgain(area, query.next)),
    async submit(ctx, { form, query, visitor }) {
      const { pending } = visitor.session;
      if (!pending) return goTo(signInAgain(area, query.next));
      await requireCode(ctx, pending.id, form);
      await visitor.session.signIn({ kind: 'staff', ...pending });
      return goOn(ctx, pending.id, query.next);
    },
  });

const signInAgain = (area: Area, next: string | undefined): string =>
  leadingBack(`${area}/login`, next ?? null);

async function requireCode(
  ctx: Ctx,
  accountId: string,
  { code, recoveryCode }: { code?: string | undefined; recoveryCode?: string | undefined },
): Promise<void> {
  if (code === undefined && recoveryCode === undefined)
    throw refuseForm('Enter the code from your app, or a recovery code', {
      code: 'Enter the code from your app, or a recovery code',
    });
  const proof = code === undefined ? { recoveryCode: recoveryCode ?? '' } : { code };
  if (await proveSecondFactor(ctx, accountId, proof)) return;
  const said = code === undefined ? 'This recovery code is wrong or has already been used' : WRONG_CODE;
  throw refuseForm(said, { [code === undefined ? 'recoveryCode' : 'code']: said });
}

const WRONG_CODE = 'This code is wrong or has already been used. Wait for the next one in your app';

const signOutPage = (area: Area): Page =>
  page({
    path: `${area}/logout`,
    title: 'Sign out',
    audience: 'public',
    show: async () => show('platform/logout', {}),
    async submit(ctx, { visitor }) {
      await noteSignOut(ctx, visitor.actor);
      await visitor.session.signOut();
      return goTo(`${area}/login`);
    },
  });

export const signInPages: readonly Page[] = AREAS.flatMap((area) => [
  signInPage(area),
  secondFactorPage(area),
  signOutPage(area),
]);
