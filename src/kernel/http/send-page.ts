import { setImmediate } from 'node:timers/promises';
import { isUnavailable } from '../db/dialect.ts';
import type { AppError } from '../errors.ts';
import { isPackable } from './compress.ts';
import { besideFailure, errorModel, pageError } from './error-page.ts';
import type { Exchange } from './exchange.ts';
import { type FormState, untouched } from './form-input.ts';
import { asksForParts, isFragment } from './fragment.ts';
import { type KeptPage, keptPage, keptPages, packedPage, TOKEN_MARK } from './kept-pages.ts';
import { tellWait } from './limit.ts';
import type { Page, Shown } from './page.ts';
import { type ReplyHead, redirectAddress } from './reply.ts';
import { addHead } from './reply-head.ts';
import { type HttpRuntime, tellAnswered } from './runtime.ts';
import { sendFile, sendStream } from './send-file.ts';
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
  /** Under which its rendered body is kept, as it was before anything of it was read; null where it is not. */
  readonly keptAs: string | null;
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
  if ('stream' in shown) {
    await visitor.settle();
    const instead = await sendStream(sending, shown);
    return instead ? sendShown(sending, instead, form) : undefined;
  }
  const values = { ...shown.values, ...form.values };
  // A page of staff is long: what came while it was put together is answered before it is rendered.
  if (sending.page.audience !== 'public') await setImmediate();
  const html = renderShown(sending, shown, { ...form, values });
  await visitor.settle();
  if (sending.page.kept && (shown.status ?? 200) === 200)
    return sendPrepared(sending, ...prepare(sending, html, shown.head));
  const isKnown = shown.head !== undefined && addHead(exchange, shown.head, http.state.isHttps);
  const { kept, packs } = sending.page;
  const body = kept || packs ? bodyOf(sending, keptPage(html, undefined, 0), false) : html;
  sendHtml(sending, isKnown ? 304 : (shown.status ?? 200), isKnown ? null : body, null);
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
  const token = page.kept || page.packs ? { csrfToken: () => TOKEN_MARK } : {};
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

/** The view of the element that htmx wants to replace; the id may come with the element's name before it. */
function partOf({ fragments = {} }: Page, exchange: Exchange): string | undefined {
  const target = exchange.req.headers['hx-target'];
  if (!isFragment(exchange) || typeof target !== 'string') return undefined;
  const id = target.slice(target.indexOf('#') + 1);
  return Object.hasOwn(fragments, id) ? fragments[id] : undefined;
}

/** What failed, and where: `page` and `visitor` as far as they were known by then. */
interface Failing extends Omit<Sending, 'page' | 'visitor' | 'keptAs'> {
  readonly page: Page | null;
  readonly visitor: Visitor | null;
}

/** What failed, as a page in the same layout, as a part of one, or in JSON for whoever asks for that. */
export async function sendError(failing: Failing, cause: unknown): Promise<void> {
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
  const more = await besideFailure(failing.page, exchange).catch((cause: unknown) => {
    logFailure(failing, 'error', cause);
    return {};
  });
  // Whoever asked has gone meanwhile, or the answer has begun elsewhere.
  if (exchange.res.headersSent) return;
  sendHtml(failing, error.status, renderError(failing, error, more), error.code);
}

function renderError(failing: Failing, error: AppError, more: Record<string, unknown>): string {
  const { site, exchange, visitor, around, page } = failing;
  const wait = exchange.headers['Retry-After'];
  const told = errorModel(error, exchange.requestId, wait === undefined ? undefined : Number(wait));
  const model = { ...modelOf(exchange, visitor, untouched()), ...more, ...around, ...told };
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
  html: string | Buffer | null,
  code: string | null,
): void {
  exchange.headers['Cache-Control'] ??= 'no-store';
  const { Vary: before } = exchange.headers;
  exchange.headers.Vary = before === undefined ? 'HX-Request' : `${before}, HX-Request`;
  if (html !== null) {
    exchange.headers['Content-Type'] = 'text/html; charset=utf-8';
    exchange.headers['Content-Security-Policy'] ??= CSP;
    exchange.headers['Content-Length'] = String(Buffer.byteLength(html));
    if (typeof html !== 'string') exchange.headers['Content-Encoding'] = 'gzip';
  }
  exchange.res.writeHead(status, exchange.headers).end(html ?? undefined);
  tellAnswered(site.answerer, http, exchange, status, code);
}

/**
 * Sends the kept body of a page to a visitor of whom nothing is known.
 *
 * @param key of `keptKey`
 * @returns false when there is none
 */
export function sendKept(sending: Sending, key: string): boolean {
  const { http } = sending;
  const kept = http.root.memory.of(keptPages).find(key, Date.parse(http.root.now()));
  if (kept) sendPrepared(sending, kept, true);
  return kept !== undefined;
}

/** A rendered page, kept where somebody else may be shown the same. */
function prepare(
  { http, page, visitor, keptAs }: Sending,
  html: string,
  head: ReplyHead | undefined,
): [page: KeptPage, isKept: boolean] {
  const until = Date.parse(http.root.now()) + (page.kept?.seconds ?? 0) * 1000;
  const prepared = keptPage(html, head, until);
  // The page itself may have made a session of the visitor.
  const isKept = keptAs !== null && visitor.session.id === null;
  if (isKept) http.root.memory.of(keptPages).keep(keptAs, prepared);
  return [prepared, isKept];
}

/**
 * What a kept body depends on; null where it belongs to one visitor. It is asked for before the page reads anything: what
 * changes meanwhile has another key, under which nobody is shown the old state.
 */
export async function keptKey({
  http,
  page,
  exchange,
  visitor,
}: Omit<Sending, 'keptAs'>): Promise<string | null> {
  if (!page.kept || visitor.session.id !== null || visitor.actor.kind !== 'guest') return null;
  const { root } = http;
  const { url = '/' } = exchange.req;
  const about = [isFragment(exchange), root.settings.version, await page.kept.revision(exchange.ctx, url)];
  return JSON.stringify([url, visitor.languages, ...about]);
}

function sendPrepared(sending: Sending, page: KeptPage, isKept: boolean): void {
  const { http, exchange } = sending;
  const { etag, head } = page;
  const cache = { by: 'private', maxAgeSeconds: 0, etag } as const;
  exchange.headers.Vary = 'Accept, Accept-Encoding, Accept-Language, Cookie';
  const isSame = addHead(exchange, { ...head, cache }, http.state.isHttps);
  const body = bodyOf(sending, page, isKept);
  sendHtml(sending, isSame ? 304 : 200, isSame ? null : body, null);
}

/** A page with the token of its visitor, compressed for whoever takes that. */
function bodyOf({ exchange, visitor }: Sending, page: KeptPage, isKept: boolean): string | Buffer {
  const { parts } = page;
  exchange.headers.Vary ??= 'Accept-Encoding';
  // The token is asked for where the page has a place for it: with it the browser gets its cookie.
  const token = parts.length === 1 ? '' : visitor.csrfToken();
  const isPacked = isPackable(parts.at(-1) ?? '', exchange.req.headers['accept-encoding']);
  return isPacked ? packedPage(page, token, isKept) : parts.join(token);
}
