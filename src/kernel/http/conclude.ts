import { NoTurn } from '../db/database.ts';
import { isUnavailable } from '../db/dialect.ts';
import { AppError } from '../errors.ts';
import { DiskFull, diskFull } from '../storage/failure.ts';
import { UnreadableBody } from './body.ts';
import { limitAddress } from './client-address.ts';
import { publicBody } from './compress.ts';
import type { Reply } from './endpoint.ts';
import { busy } from './error-page.ts';
import { type Exchange, sendText } from './exchange.ts';
import { addHelpLink } from './help-link.ts';
import { tellWait } from './limit.ts';
import { addHead } from './reply-head.ts';
import { type HttpRuntime, tellAnswered } from './runtime.ts';
import { sendContent } from './send-content.ts';
import type { Seal, Surface } from './surface.ts';

/** Sends what the use case replied: bytes, nothing, or JSON in the envelope. */
export async function deliver(
  surface: Surface,
  http: HttpRuntime,
  exchange: Exchange,
  { status, body, content, head }: Reply,
): Promise<void> {
  if (content) {
    const sent = await sendContent(surface, exchange, content);
    tellAnswered(surface, http, exchange, sent.status, sent.code);
    return;
  }
  const isKnown = head !== undefined && addHead(exchange, head, http.state.isHttps);
  if (isKnown) return conclude(surface, http, exchange, { status: 304, code: null });
  const answer = content === null ? undefined : surface.success(body);
  await conclude(surface, http, exchange, {
    status,
    body: answer,
    code: null,
    isPublic: head?.cache?.by === 'public',
  });
}

/** Answers with an error in the surface's envelope; what nobody expected is logged and becomes its unexpected one. */
export async function fail(
  surface: Surface,
  http: HttpRuntime,
  exchange: Exchange,
  cause: unknown,
): Promise<void> {
  const error = toAppError(surface, cause);
  if (!(cause instanceof AppError || cause instanceof UnreadableBody)) {
    const level = isUnavailable(cause) ? 'warn' : 'error';
    http.root.log[level](
      { err: cause, requestId: exchange.requestId, route: exchange.route },
      'request failed',
    );
  }
  // A seal may need the database that has just failed to answer: the caller would wait for it a second time.
  if (isUnavailable(cause)) exchange.seal = null;
  tellWait(exchange, error);
  if (error.status === 401 && surface.challenge) exchange.headers['WWW-Authenticate'] = surface.challenge;
  addHelpLink(exchange, error.code);
  const body = surface.failure(error, exchange.requestId);
  await conclude(surface, http, exchange, { status: error.status, body, code: error.code });
}

function toAppError(surface: Surface, cause: unknown): AppError {
  if (cause instanceof AppError) return surface.refused?.(cause) ?? cause;
  if (cause instanceof UnreadableBody) return surface.unreadable(cause.message, cause.status);
  if (cause instanceof DiskFull) return surface.refused?.(diskFull()) ?? diskFull();
  const error = surface.unexpected();
  return cause instanceof NoTurn ? busy(error.code) : error;
}

/**
 * Counts a credential that nobody knew and that a use case was shown, after the answer: the answer to it is what it is, and only what
 * comes after it from that address is judged by the count (D19d).
 */
function countGuess(surface: Surface, http: HttpRuntime, { ctx, ip }: Exchange): void {
  const credential = ctx.origin.trail?.unknownCredential;
  const rule = credential === undefined ? null : surface.failureLimit(ctx);
  if (credential === undefined || !rule) return;
  http.failures
    .count(limitAddress(ip), credential, rule)
    .catch((error: unknown) => ctx.log.error({ err: error }, 'an unknown credential was not counted'));
}

/** Sends the answer, sealed when the request asked for that, and reports it. @param body undefined: there is none */
async function conclude(
  surface: Surface,
  http: HttpRuntime,
  exchange: Exchange,
  {
    status,
    body,
    code,
    isPublic = false,
  }: { status: number; body?: unknown; code: string | null; isPublic?: boolean },
): Promise<void> {
  const text = body === undefined ? '' : JSON.stringify(body);
  if (exchange.seal) await addSeal(http, exchange, exchange.seal, { status, text });
  sendText(exchange, status, isPublic && !exchange.seal ? await publicBody(exchange, text) : text);
  countGuess(surface, http, exchange);
  tellAnswered(surface, http, exchange, status, code);
}

/** What was done stays done: without its seal the answer is still the truth, and a caller who needs one refuses it. */
async function addSeal(
  http: HttpRuntime,
  exchange: Exchange,
  seal: Seal,
  answer: { status: number; text: string },
): Promise<void> {
  try {
    Object.assign(exchange.headers, await seal(exchange.ctx, answer));
  } catch (cause) {
    const { requestId, route } = exchange;
    http.root.log.warn({ err: cause, requestId, route }, 'an answer goes out without its seal');
  }
}
