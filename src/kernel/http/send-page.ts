import { setImmediate } from 'node:timers/promises';
import { isUnavailable } from '../db/dialect.ts';
import type { AppError } from '../errors.ts';
import { errorModel, pageError } from './error-page.ts';
import type { Exchange } from './exchange.ts';
import { type FormState, untouched } from './form-input.ts';
import { type KeptPage, keptPage, keptPages, TOKEN_MARK } from './kept-pages.ts';
import { tellWait } from './limit.ts';
import type { Page, Shown } from './page.ts';
import { type ReplyHead, redirectAddress } from './reply.ts';
import { addHead } from './reply-head.ts';
import { type HttpRuntime, tellAnswered } from './runtime.ts';
import type { Site } from './site.ts';
import type { Visitor } from './visitor.ts';

/** Where an answer goes and what it is made with. */
interface Sending {
  readonly site: Site;
  readonly http: HttpRuntime;
  readonly page: Page;
  readonly exchange: Exchange;
  readonly visitor: Visitor;
  /** What the layout shows around the page; null where nothing is known to be shown. */
  readonly around: Surroundings | null;
}

/** What a layout finds beside what every view finds. */
export type Surroundings = Readonly<Record<string, unknown>>;

/** As far as it is known when a page fails before its visitor is. */
type Sender = Pick<Sending, 'site' | 'http' | 'exchange'>;

const LAYOUT = 'layouts/page';

/** Of every page (reliability M17). */
const CSP =
  "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/** Sends what a page shows, or the address that it leads to. */
export async function sendShown(sending: Sending, shown: Shown, form: FormState): Promise<void> {
  const { http, exchange, visitor } = sending;
  if ('redirect' in shown) {
    const address = redirectAddress(shown.redirect);
    if (shown.head) addHead(exchange, shown.head, http.state.isHttps);
    await visitor.settle();
    return sendRedirect(sending, address, 204, shown.status);
  }
  if ('content' in shown) return sendFile(sending, shown);
  const values = { ...shown.values, ...form.values };
  // A page of staff is long: what came while it was put together is answered before it is rendered.
  if (sending.page.audience !== 'public') await setImmediate();
  const html = renderShown(sending, shown, { ...form, values });
  await visitor.settle();
  if (sending.page.kept && (shown.status ?? 200) === 200)
    return sendPrepared(sending, await prepare(sending, html, shown.head));
  const isKnown = shown.head !== undefined && addHead(exchange, shown.head, http.state.isHttps);
  sendHtml(sending, isKnown ? 304 : (shown.status ?? 200), isKnown ? null : html, null);
}

/** Leads a visitor who is not signed in to where one does, and from there back to where he was. */
export const signIn = (sending: Sending): Promise<void> =>
  // What a form has sent is gone by then: the way back is its page.
  leadTo(
    sending,
    sending.site.visitors.signInAddress(sending.page.audience, sending.exchange.req.url ?? null),
  );

/** Leads a visitor to the page that he needs before the one that he asked for. */
export async function leadTo(sending: Sending, address: string): Promise<void> {
  await sending.visitor.settle();
  sendRedirect(sending, address, 401);
}

/** @param fragmentStatus with which a script is told; 204 for what was done */
function sendRedirect(
  { site, http, exchange }: Sender,
  address: string,
  fragmentStatus = 204,
  wholeStatus = 303,
): void {
  // A script would follow a redirect itself and put a whole page where a part belongs.
  const isPart = isFragment(exchange);
  const status = isPart ? fragmentStatus : wholeStatus;
  exchange.headers[isPart ? 'HX-Redirect' : 'Location'] = address;
  exchange.headers['Cache-Control'] ??= 'no-store';
  exchange.res.writeHead(status, exchange.headers).end();
  tellAnswered(site.answerer, http, exchange, status, null);
}

function renderShown(sending: Sending, shown: Extract<Shown, { view: string }>, form: FormState): string {
  const { site, page, exchange, visitor, around } = sending;
  const token = page.kept ? { csrfToken: () => TOKEN_MARK } : {};
  const model = {
    title: page.title,
    ...modelOf(exchange, visitor, form),
    ...token,
    ...around,
    ...shown.data,
  };
  const part = partOf(page, exchange);
  return part === undefined
    ? site.render(shown.view, model, asksForParts(exchange) ? null : layoutOf(sending))
    : site.render(part, model, null);
}

/** A layout that shows something around the page is of no use without it. */
function layoutOf({ site, page, around }: Pick<Failing, 'site' | 'page' | 'around'>): string {
  const layout = page?.layout ?? LAYOUT;
  return around === null && Object.hasOwn(site.around, layout) ? LAYOUT : layout;
}

/** Whether the script of the shop asks: for what stands in the layout, of which it takes the parts that it needs. */
const asksForParts = ({ req }: Pick<Exchange, 'req'>): boolean =>
  (req.headers.accept ?? '').includes('text/html;fragment=1');

/** Whether a script asks, and for less than a whole page: htmx in the panel, or that of the shop. */
export const isFragment = (exchange: Pick<Exchange, 'req'>): boolean => {
  const { headers } = exchange.req;
  return (headers['hx-request'] === 'true' && headers['hx-boosted'] !== 'true') || asksForParts(exchange);
};

/** The view of the element that htmx wants to replace; the id may come with the element's name before it. */
function partOf({ fragments = {} }: Page, exchange: Exchange): string | undefined {
  const target = exchange.req.headers['hx-target'];
  if (!isFragment(exchange) || typeof target !== 'string') return undefined;
  const id = target.slice(target.indexOf('#') + 1);
  return Object.hasOwn(fragments, id) ? fragments[id] : undefined;
}

/** What failed, and where: `page` and `visitor` as far as they were known by then. */
interface Failing extends Omit<Sending, 'page' | 'visitor'> {
  readonly page: Page | null;
  readonly visitor: Visitor | null;
}

/** What failed, as a page in the same layout, as a part of one, or in JSON for whoever asks for that. */
export function sendError(failing: Failing, cause: unknown): void {
  const { exchange } = failing;
  const error = pageError(cause);
  tellWait(exchange, error);
  if (error !== cause && error.status >= 500)
    logFailure(failing, isUnavailable(cause) ? 'warn' : 'error', cause);
  if (exchange.res.headersSent) {
    exchange.req.socket.destroy();
    return;
  }
  if (wantsJson(exchange)) {
    sendJson(failing, error);
    return;
  }
  sendHtml(failing, error.status, renderError(failing, error), error.code);
}

function renderError(failing: Failing, error: AppError): string {
  const { site, exchange, visitor, around, page } = failing;
  const wait = exchange.headers['Retry-After'];
  const told = errorModel(error, exchange.requestId, wait === undefined ? undefined : Number(wait));
  const model = { ...modelOf(exchange, visitor, untouched()), ...around, ...told };
  try {
    if (page?.errors && !around) return site.render(page.errors.alone, model, null);
    const view = page?.errors?.view ?? 'platform/error';
    return site.render(view, model, isFragment(exchange) ? null : layoutOf(failing));
  } catch (cause) {
    // A template of the operator's may be what failed in the first place.
    logFailure(failing, 'error', cause);
    return `<!doctype html>\n<title>${told.title}</title>\n<h1>${told.title}</h1>\n`;
  }
}

function logFailure({ http, exchange }: Failing, level: 'warn' | 'error', cause: unknown): void {
  const { requestId, route } = exchange;
  http.root.log[level]({ err: cause, requestId, route }, 'page failed');
}

/** What every view finds. */
const modelOf = ({ route }: Exchange, visitor: Visitor | null, form: FormState) => ({
  form,
  visitor: visitor && { kind: visitor.actor.kind, name: visitor.actor.label },
  csrfToken: () => visitor?.csrfToken() ?? '',
  path: route,
});

/** A browser that opens a page asks for HTML before anything else; a program names JSON, and not HTML. */
function wantsJson({ req }: Exchange): boolean {
  const accept = req.headers.accept ?? '';
  return accept.includes('application/json') && !accept.includes('text/html');
}

function sendJson({ site, http, exchange }: Sender, { code, message, status }: AppError): void {
  const text = JSON.stringify({ success: false, error: { code, message } });
  const type = 'application/json; charset=utf-8';
  const headers = { ...exchange.headers, 'Content-Type': type, 'Cache-Control': 'no-store', Vary: 'Accept' };
  exchange.res.writeHead(status, headers).end(text);
  tellAnswered(site.answerer, http, exchange, status, code);
}

function sendHtml(
  { site, http, exchange }: Sender,
  status: number,
  html: string | null,
  code: string | null,
): void {
  exchange.headers['Cache-Control'] ??= 'no-store';
  const { Vary: before } = exchange.headers;
  exchange.headers.Vary = before === undefined ? 'HX-Request' : `${before}, HX-Request`;
  if (html !== null) {
    exchange.headers['Content-Type'] = 'text/html; charset=utf-8';
    exchange.headers['Content-Security-Policy'] ??= CSP;
    exchange.headers['Content-Length'] = String(Buffer.byteLength(html));
  }
  exchange.res.writeHead(status, exchange.headers).end(html ?? undefined);
  tellAnswered(site.answerer, http, exchange, status, code);
}

/**
 * Sends the kept body of a page to a visitor of whom nothing is known.
 *
 * @returns false when there is none
 */
export async function sendKept(sending: Sending): Promise<boolean> {
  const key = await keyOf(sending);
  if (key === null) return false;
  const { http } = sending;
  const kept = http.root.memory.of(keptPages).find(key, Date.parse(http.root.now()));
  if (kept) sendPrepared(sending, kept);
  return kept !== undefined;
}

/** A rendered page, kept where somebody else may be shown the same. */
async function prepare(sending: Sending, html: string, head: ReplyHead | undefined): Promise<KeptPage> {
  const { http, page } = sending;
  const until = Date.parse(http.root.now()) + (page.kept?.seconds ?? 0) * 1000;
  const prepared = keptPage(html, head, until);
  const key = await keyOf(sending);
  if (key !== null) http.root.memory.of(keptPages).keep(key, prepared);
  return prepared;
}

/** What a kept body depends on; null where it belongs to one visitor. */
async function keyOf({ http, page, exchange, visitor }: Sending): Promise<string | null> {
  if (!page.kept || visitor.session.id !== null || visitor.actor.kind !== 'guest') return null;
  const { root } = http;
  const about = [isFragment(exchange), root.settings.version, await page.kept.revision(root)];
  return JSON.stringify([exchange.req.url, visitor.languages, ...about]);
}

function sendPrepared(sending: Sending, { parts, etag, head }: KeptPage): void {
  const { http, exchange, visitor } = sending;
  const cache = { by: 'private', maxAgeSeconds: 0, etag } as const;
  exchange.headers.Vary = 'Accept, Accept-Language, Cookie';
  const isSame = addHead(exchange, { ...head, cache }, http.state.isHttps);
  // The token is asked for where the page has a place for it: with it the browser gets its cookie.
  const html = parts.length === 1 ? (parts[0] ?? '') : parts.join(visitor.csrfToken());
  sendHtml(sending, isSame ? 304 : 200, isSame ? null : html, null);
}

function sendFile(
  { site, http, exchange }: Sending,
  { content, head }: Extract<Shown, { content: object }>,
): void {
  const isKnown = head !== undefined && addHead(exchange, head, http.state.isHttps);
  exchange.headers['Cache-Control'] ??= 'no-store';
  if (!isKnown) {
    exchange.headers['Content-Type'] = content.type;
    exchange.headers['Content-Length'] = String(Buffer.byteLength(content.text));
  }
  const status = isKnown ? 304 : 200;
  exchange.res.writeHead(status, exchange.headers).end(isKnown ? undefined : content.text);
  tellAnswered(site.answerer, http, exchange, status, null);
}
