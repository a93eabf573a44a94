import { type Actor, allows } from '../actor.ts';
import { AppError } from '../errors.ts';
import { UnreadableBody } from './body.ts';
import { limitAddress } from './client-address.ts';
import type { Exchange } from './exchange.ts';
import { readFields, readForm } from './form-body.ts';
import { discardFiles } from './form-files.ts';
import { type FormState, inputOf, keptValues, refusedBy, refusedFor, untouched } from './form-input.ts';
import type { SentForm } from './form-multipart.ts';
import { isFragment } from './fragment.ts';
import { keepForm, keptText, takeKept } from './kept-form.ts';
import { applyLimit, tellWait } from './limit.ts';
import { emailKey } from './limit-key.ts';
import type { Page, Shown } from './page.ts';
import type { RateLimit } from './rate-limit.ts';
import { repeatedHeader } from './repeated-headers.ts';
import type { HttpRuntime } from './runtime.ts';
import { keptKey, leadTo, type Surroundings, sendError, sendKept, sendShown, signIn } from './send-page.ts';
import type { Site } from './site.ts';
import type { Surface } from './surface.ts';
import type { Audience, Visitor } from './visitor.ts';
import { NO_HEADER } from './visitors.ts';

/** What the router read out of the address. */
export interface PageAddress {
  readonly params: unknown;
  readonly query: Record<string, unknown>;
}

/** A page that is being asked for or whose form was sent. */
interface Visit {
  readonly site: Site;
  readonly http: HttpRuntime;
  readonly page: Page;
  readonly exchange: Exchange;
  readonly visitor: Visitor;
  /** What the layout shows around the page; null until it is known. */
  around: Surroundings | null;
  /** Under which the body that is rendered may be kept. */
  keptAs: string | null;
}

const SINGLE: ReadonlySet<string> = new Set([
  'authorization',
  'content-type',
  'content-encoding',
  'x-csrf-token',
]);

/**
 * The one path of a page (order of checks: storefront-settled Z1): limit by address, who it is for, limit by account,
 * token of the form, permission, input, work.
 */
export async function answerPage(
  site: Site,
  http: HttpRuntime,
  page: Page,
  exchange: Exchange,
  address: PageAddress,
): Promise<void> {
  let visit: Visit | null = null;
  try {
    const repeated = repeatedHeader(exchange.req.rawHeaders, SINGLE);
    if (repeated !== null) throw new UnreadableBody(`the header ${repeated} is given more than once`);
    const limits = limitsOf(page, exchange);
    await limitBy(site, http, exchange, limits, { ip: limitAddress(exchange.ip) });
    const visitor = actingOn(page, await site.visitors.visit(exchange));
    exchange.ctx = exchange.ctx.with({ actor: visitor.actor, tenantId: visitor.tenantId });
    visit = { site, http, page, exchange, visitor, around: null, keptAs: null };
    await answerVisit(visit, limits, address);
  } catch (cause) {
    await sendError({ site, http, exchange, page, visitor: null, around: null, ...visit }, cause);
  }
}

/** Pages of an account act for the customer, also where the same browser acts for staff (decision 0083). */
const actingOn = ({ audience }: Page, visitor: Visitor): Visitor =>
  audience === 'customer' && visitor.customer ? { ...visitor, actor: visitor.customer, owes: null } : visitor;

const isSubmit = ({ req }: Exchange): boolean => req.method === 'POST';

const limitsOf = ({ limit = {} }: Page, exchange: Exchange): readonly RateLimit[] =>
  isSubmit(exchange) ? (limit.submit ?? []) : limit.show ? [limit.show] : [];

async function answerVisit(visit: Visit, limits: readonly RateLimit[], address: PageAddress): Promise<void> {
  const { site, http, page, exchange, visitor } = visit;
  // Addresses of the panel and of an account are nobody else's business (admin 7).
  if (page.audience !== 'public') exchange.headers['Referrer-Policy'] = 'same-origin';
  if (!isSignedInFor(page, visitor)) {
    requireNoCredential(exchange);
    if (!(await signInKeeping(visit))) await signIn(visit);
    return;
  }
  if (page.audience !== 'public' && !page.isWhileOwing && visitor.owes !== null)
    return await leadTo(visit, site.visitors.owedAddress(visitor.owes, exchange.req.url ?? null));
  await limitBy(site, http, exchange, limits, {
    account: visitor.actor.id ?? limitAddress(exchange.ip),
    customer: visitor.customer?.id ?? limitAddress(exchange.ip),
    session: visitor.session.limitKey ?? limitAddress(exchange.ip),
  });
  visit.keptAs = isSubmit(exchange) ? null : await keptKey(visit);
  if (visit.keptAs !== null && sendKept(visit, visit.keptAs)) return;
  await surround(visit);
  const sent = isSubmit(exchange)
    ? await readForm(exchange, page, visitor).catch(doneOr(page, exchange))
    : null;
  if (typeof sent === 'string') return await leadTo(visit, sent);
  let outcome: Outcome;
  try {
    outcome = await outcomeOf(visit, limits, address, sent);
  } finally {
    // Before the answer: who has it may rely on nothing being left.
    if (sent) await discardFiles(sent.files);
  }
  // A fault of a field is input; what a processor or a rule refuses is said above the form alone.
  const { shown, form } = outcome;
  if ('status' in shown && shown.status === 400 && Object.keys(form.errors).length > 0)
    await exchange.giveBack?.();
  await sendShown(visit, outcome.shown, outcome.form);
}

/** Where a form leads whose token is refused because it was sent before, by a second click. @throws what refused it */
const doneOr =
  ({ doneAt }: Page, { ctx }: Exchange) =>
  async (cause: unknown): Promise<string> => {
    const isForeign = cause instanceof AppError && cause.details.reason === 'CSRF';
    return (isForeign && (await doneAt?.(ctx))) || Promise.reject(cause);
  };

/** Finds the tenant that staff works for, and what the layout shows of it around the page. */
async function surround(visit: Visit): Promise<void> {
  const { site, page, exchange, visitor } = visit;
  if (page.audience !== 'public' && page.audience !== 'customer')
    exchange.ctx = exchange.ctx.with({ tenantId: await site.tenantOf(exchange.ctx, visitor, page) });
  // A part of a page is shown without its layout.
  if (!isFragment(exchange)) visit.around = await aroundOf(site, page, exchange, visitor);
}

async function aroundOf(
  site: Site,
  page: Page,
  exchange: Exchange,
  visitor: Visitor,
): Promise<Surroundings | null> {
  const around = page.layout === undefined ? undefined : site.around[page.layout];
  return (await around?.(exchange.ctx, visitor, exchange.req.url ?? '/', site.pages, page)) ?? null;
}

/**
 * Shows the sign-in page for a form whose session has ended, with what was typed in it: it survives the sign-in. The
 * form is not judged, because its token ended with the session; a page of another site keeps nothing.
 *
 * @returns false for what cannot be kept, which is not answered
 */
async function signInKeeping({ site, http, page, exchange, visitor }: Visit): Promise<boolean> {
  if (!isSubmit(exchange) || !page.form || page.files || visitor.isFromElsewhere || isFragment(exchange))
    return false;
  const address = site.visitors.signInAddress(page.audience, exchange.req.url ?? null);
  const signInPage = site.pages.find(({ path }) => path === address.split('?', 1)[0]);
  const fields = await readFields(exchange, page);
  const kept = fields && keptText(keptValues(page.form, fields));
  if (!signInPage || !kept) return false;
  const shown = await signInPage.show(exchange.ctx, { params: undefined, query: {}, visitor });
  if (!('view' in shown)) return false;
  const data = { ...shown.data, action: address, kept };
  const around = await aroundOf(site, signInPage, exchange, visitor);
  const sending = { site, http, page: signInPage, exchange, visitor, around, keptAs: null };
  await sendShown(sending, { ...shown, data, status: 401 }, untouched());
  return true;
}

/** Takes one point of each limit whose key is known by now. */
async function limitBy(
  site: Site,
  http: HttpRuntime,
  exchange: Exchange,
  limits: readonly RateLimit[],
  keys: Partial<Record<RateLimit['by'], string>>,
): Promise<void> {
  for (const rule of limits) {
    const key = keys[rule.by];
    if (key !== undefined) await applyLimit(mannerOf(site), http, exchange, rule, key, null);
  }
}

/** How pages say that there were too many requests. */
const mannerOf = (site: Site): Pick<Surface, 'limit' | 'rateLimited'> => ({
  limit: site.limit,
  rateLimited: (bucket, limit, resetSeconds) =>
    new AppError('RATE_LIMITED', 429, 'Too many requests', { details: { bucket, limit, resetSeconds } }),
});

/** A credential in a header decides alone, and opens no page: to sign in would lead to the same answer (A155). */
function requireNoCredential({ req }: Exchange): void {
  if (req.headers.authorization === undefined) return;
  throw new AppError('AUTH_UNAUTHORIZED', 401, NO_HEADER);
}

function isSignedInFor({ audience }: Page, { actor }: Visitor): boolean {
  if (audience === 'public') return true;
  return actor.kind === (audience === 'customer' ? 'customer' : 'staff');
}

/** What is to be shown, and what its form says. */
interface Outcome {
  readonly shown: Shown;
  readonly form: FormState;
}

async function outcomeOf(
  visit: Visit,
  limits: readonly RateLimit[],
  address: PageAddress,
  sent: SentForm | null,
): Promise<Outcome> {
  const { page, exchange, visitor } = visit;
  const { audience } = page;
  if (typeof audience === 'object') requirePermission(audience, visitor.actor);
  requireOwnEyes(page, visitor, sent !== null);
  const asked = { ...inputOfAddress(page, address), visitor };
  if (!sent) {
    const shown = await page.show(exchange.ctx, asked);
    const kept = 'view' in shown && page.form && takeKept(visitor.session, exchange.req.url ?? '');
    return { shown, form: kept || untouched() };
  }
  const email = emailKey(exchange.ctx, { email: sent.fields.get('email')?.[0] });
  if (email !== null) await limitBy(visit.site, visit.http, exchange, limits, { email });
  const done = await submit(visit, asked, sent);
  if ('shown' in done) return done;
  const shown = await page.show(exchange.ctx, asked);
  return { shown: 'view' in shown ? { ...shown, status: done.status } : shown, form: done.form };
}

function requirePermission({ staff, or }: Exclude<Audience, string>, actor: Actor): void {
  if (allows(actor, staff) || (or !== undefined && allows(actor, or))) return;
  throw new AppError('AUTH_FORBIDDEN', 403, `Your account lacks the permission ${staff}`);
}

/** Who looks as somebody else sends no form, and sees nothing that is for that person alone (admin.md 7). */
function requireOwnEyes({ audience }: Page, { actor }: Visitor, isSent: boolean): void {
  if (!actor.viewing || audience === 'public' || (!isSent && audience !== 'staff')) return;
  throw new AppError('AUTH_FORBIDDEN', 403, `Not possible while you view as ${actor.label}`, {
    details: { reason: 'READ_ONLY_VIEW' },
  });
}

/** @returns what its use case shows, or why the form has to be shown again */
async function submit(
  { page, exchange }: Visit,
  asked: Parameters<Page['show']>[1],
  sent: SentForm,
): Promise<Outcome | { readonly status: number; readonly form: FormState }> {
  const values = keptValues(page.form, sent.fields);
  const input = page.form?.safeParse(inputOf(page.form, sent.fields));
  if (page.form && input && !input.success)
    return { status: 400, form: refusedBy(page.form, values, input.error) };
  try {
    const work = { ...asked, form: input?.data, files: sent.files };
    // Its route exists only where there is a `submit`.
    const shown = await (page.submit as Submit)(exchange.ctx, work);
    if ('redirect' in shown && shown.keepsForm)
      keepForm(asked.visitor.session, exchange.req.url ?? '', values);
    if (!('refused' in shown && shown.refused)) return { shown, form: untouched() };
    const form = refusedFor(page.form, values, shown.refused) ?? untouched(values);
    return { shown: { ...shown, status: shown.refused.status }, form };
  } catch (cause) {
    if (!(cause instanceof AppError)) throw cause;
    const form = refusedFor(page.form, values, cause);
    if (form === null) throw cause;
    tellWait(exchange, cause);
    return { status: cause.status, form };
  }
}

type Submit = NonNullable<Page['submit']>;

/** What does not fit the parameters of an address is no address of ours. */
function inputOfAddress(page: Page, address: PageAddress): { params: unknown; query: unknown } {
  const params = page.params?.safeParse(address.params);
  if (params && !params.success) throw new AppError('NOT_FOUND', 404, 'No such page');
  if (!page.query) return { params: params?.data, query: undefined };
  const query = page.query.safeParse(singleValues(page, address.query));
  if (!query.success) {
    const [issue] = query.error.issues;
    throw new UnreadableBody(`the query parameter ${issue?.path.join('.')} ${issue?.message}`);
  }
  return { params: params?.data, query: query.data };
}

/** One value for each parameter, as lists of values are written in an address: joined by commas. */
function singleValues({ joinsRepeated }: Page, asked: PageAddress['query']): Record<string, unknown> {
  const single = Object.entries(asked).map(([name, value]) => {
    if (!Array.isArray(value)) return [name, value];
    if (!joinsRepeated || !value.every((one) => typeof one === 'string'))
      throw new UnreadableBody(`the query parameter ${name} is given more than once`);
    return [name, value.join(',')];
  });
  return Object.fromEntries(single);
}
