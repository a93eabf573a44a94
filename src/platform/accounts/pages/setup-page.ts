import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import { text } from '#kernel/http/fields.ts';
import { goTo, type Page, page, show } from '#kernel/http/page.ts';
import type { RateLimit } from '#kernel/http/rate-limit.ts';
import type { Visitor } from '#kernel/http/visitor.ts';
import { minPasswordLength } from '../../passwords/index.ts';
import { noteProof } from '../../sessions/index.ts';
import { createOwner, findOwner } from '../accounts.ts';
import { isSetupOpen } from '../setup-link.ts';
import { admitNew } from '../sign-in.ts';
import { NewPassword, requireSame } from './new-password.ts';
import { staffSignInPath, UNTOLD } from './paths.ts';
import { begin } from './sign-in-pages.ts';

const PATH = '/admin/setup';
/** What follows the owner: the app joins the steps of the services. */
const NEXT = '/admin/setup/next';
const KEPT = 'setup';

const sends: RateLimit = { bucket: 'setup', max: 10, windowSeconds: 300, by: 'ip' };
/** To open a link takes two requests: the token leaves the address. */
const looks: RateLimit = { bucket: 'setup-link', max: 20, windowSeconds: 300, by: 'ip' };

const Form = z.object({
  name: text({ min: 1, max: 255, trim: true }),
  email: text({ min: 1, max: 255, trim: true }).meta({ title: 'Email address' }),
  ...NewPassword,
});

/** First step of the setup in a browser; unknown to everybody without an open link, and to all once there is an owner. */
export const setupPage: Page = page({
  path: PATH,
  title: 'Set up',
  audience: 'public',
  query: z.object({ token: z.string().optional() }),
  form: Form,
  limit: { show: looks, submit: [sends] },
  async show(ctx, { visitor, query }) {
    if (query.token !== undefined) return exchange(ctx, visitor, query.token);
    await requireOpen(ctx, visitor);
    return show('platform/setup', { fewest: ctx.settings.get(minPasswordLength) }, { head: UNTOLD });
  },
  doneAt: signInOfOwner,
  async submit(ctx, { visitor, form }) {
    const id = await made(ctx, visitor, form);
    if (id === null) return goTo(staffSignInPath(PATH));
    visitor.session.write(KEPT, undefined);
    noteProof(ctx, visitor.session, id);
    const account = await admitNew(ctx, id);
    if (account) await begin(ctx, visitor, account, { area: '/admin' });
    return goTo(NEXT);
  },
});

/** The sign-in page once there is an owner: where a second click leads. */
async function signInOfOwner(ctx: Ctx): Promise<string | null> {
  return (await findOwner(ctx)) && staffSignInPath(PATH);
}

type Sent = z.output<typeof Form>;

/** @returns the id of the owner; null where another request was quicker: a second click, or somebody else */
async function made(ctx: Ctx, visitor: Visitor, form: Sent): Promise<string | null> {
  try {
    const setupToken = await requireOpen(ctx, visitor);
    requireSame(form);
    return (await createOwner(ctx, { ...form, setupToken })).id;
  } catch (error) {
    const isLate = error instanceof AppError && ['NOT_FOUND', 'CONFLICT'].includes(error.code);
    if (isLate && (await findOwner(ctx))) return null;
    throw error;
  }
}

/** The session remembers the token, sealed, under a new id; the address forgets it. */
async function exchange(ctx: Ctx, { session }: Visitor, token: string) {
  if (!(await isSetupOpen(ctx, token))) throw unknown();
  await session.signOut();
  session.write(KEPT, ctx.keyring.seal('secret', token, KEPT));
  return goTo(PATH, UNTOLD);
}

/** @returns the token @throws AppError NOT_FOUND without an open one */
async function requireOpen(ctx: Ctx, { session }: Visitor): Promise<string> {
  const kept = session.read(KEPT);
  const token = typeof kept === 'string' ? ctx.keyring.open('secret', kept, KEPT) : null;
  if (token !== null && (await isSetupOpen(ctx, token))) return token;
  throw unknown();
}

const unknown = (): AppError => new AppError('NOT_FOUND', 404, 'No such page');
