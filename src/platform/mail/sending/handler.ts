import { addSeconds } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import type { MailSpec } from '#kernel/mail.ts';
import type { Attempted, OutboxHandler, Settle } from '#kernel/outbox/handler.ts';
import { refresh } from '../../settings/index.ts';
import { isMailAddress } from '../address.ts';
import { block } from '../blocks/blocks.ts';
import type { Block } from '../blocks/record.ts';
import { findBlock } from '../blocks/repository.ts';
import { MAIL_KIND } from '../queue.ts';
import * as repo from '../repository.ts';
import { openValues } from '../values.ts';
import { messageIdOf, type Outcome } from './message.ts';
import { type Route, routeOf } from './route.ts';
import { type OpenRoute, send } from './send.ts';

/** After the first attempt (reliability M28). */
const DELAYS_SECONDS = [60, 300, 1800, 7200, 43_200];
/** While there is no server to send by, which costs no attempt. */
const UNCONFIGURED_SECONDS = 60;
/** An attempt and its outcome. */
const NEEDED_SECONDS = 28;

/** What became of a mail, for figures. */
export type MailResult = 'sent' | 'retried' | 'failed' | 'suppressed';

/**
 * @param mails of the program: some say more when they are sent
 * @param onResult is told of every attempt
 */
export function mailHandler(
  mails: readonly MailSpec[] = [],
  onResult: (result: MailResult) => void = () => undefined,
): OutboxHandler {
  return {
    kind: MAIL_KIND,
    longestWaitSeconds: Math.max(...DELAYS_SECONDS),
    neededSeconds: NEEDED_SECONDS,
    async attempt(ctx, { refId }) {
      const route = await currentRoute(ctx);
      if (route.kind === 'none')
        return settledBy(async (ctx) => ({ retryAt: laterThan(ctx, UNCONFIGURED_SECONDS) }));
      const stored = await ctx.tx((ctx) => repo.begin(ctx, refId));
      if (!stored) return settledBy(async () => 'ended');
      return attempt(ctx, route, stored, { mails, onResult });
    },
  };
}

const settledBy = (settle: Settle): Attempted => ({ settle, isFailure: false });
const laterThan = (ctx: Ctx, seconds: number): string => addSeconds(ctx.now(), seconds);

/** Somebody may have named a server a moment ago, in another process. */
async function currentRoute(ctx: Ctx): Promise<Route> {
  const route = await routeOf(ctx);
  if (route.kind !== 'none') return route;
  await refresh(ctx);
  return routeOf(ctx);
}

async function attempt(
  outer: Ctx,
  route: OpenRoute,
  { email, valuesEnc }: repo.Stored,
  { mails, onResult }: { mails: readonly MailSpec[]; onResult: (result: MailResult) => void },
): Promise<Attempted> {
  const messageId = messageIdOf(email.id, email.run, route.sender);
  const spec = mails.find(({ key }) => key === email.template);
  const outcome = await attemptOnce(outer, route, { email, valuesEnc }, messageId, spec);
  const attempts = email.attempts + 1;
  const delay = outcome.sent || outcome.isFinal ? undefined : DELAYS_SECONDS[email.attempts];
  const result = resultOf(outcome, delay);
  if (!outcome.sent)
    outer.log.warn({ email: email.id, attempts, error: outcome.error }, 'an email was not sent');
  return settledBy(async (ctx) => {
    const now = ctx.now();
    const retryAt = result === 'retried' ? addSeconds(now, delay ?? 0) : null;
    const standing: repo.Standing = {
      ...{ id: email.id, run: email.run, attempts, messageId, nextAttemptAt: retryAt },
      status: result === 'retried' ? 'queued' : result,
      error: outcome.sent ? null : outcome.error,
      sentAt: outcome.sent ? now : email.sentAt,
      endedAt: retryAt === null ? now : null,
    };
    const isOurs = await repo.stand(ctx, standing, retryAt === null && email.isSecret);
    if (!outcome.sent && outcome.isGone)
      await block(ctx, { address: email.to, reason: outcome.error, emailId: email.id });
    ctx.afterCommit(() => onResult(result));
    return isOurs && retryAt !== null ? { retryAt } : 'ended';
  });
}

function resultOf(outcome: Outcome, delay: number | undefined): MailResult {
  if (outcome.sent) return 'sent';
  if (outcome.isHeld) return 'suppressed';
  return delay === undefined ? 'failed' : 'retried';
}

/** What can never be sent ends at once: nothing that is wrong with it changes by itself. */
async function attemptOnce(
  ctx: Ctx,
  route: OpenRoute,
  { email: { id, template, locale, to, toName, relatedId }, valuesEnc }: repo.Stored,
  messageId: string,
  spec: MailSpec | undefined,
): Promise<Outcome> {
  const hopeless = (error: string) => ({ sent: false, isFinal: true, error }) as const;
  if (!isMailAddress(to)) return hopeless('email cannot be sent to this address');
  const blocked = await findBlock(ctx, to);
  if (blocked) return { ...hopeless(heldWords(blocked)), isHeld: true };
  if (valuesEnc === null) return hopeless('the text of the email has been removed');
  const values = openValues(ctx, id, valuesEnc);
  if (typeof values === 'string') return hopeless(`the text of the email cannot be read: ${values}`);
  try {
    const why = relatedId === null ? null : await spec?.outdated?.(ctx, relatedId, { values });
    if (why) return { ...hopeless(`not sent: ${why}`), isHeld: true };
    const more = relatedId === null ? undefined : await spec?.late?.(ctx, relatedId, { locale, to, values });
    const asked = { template, locale, to: { address: to, name: toName }, values: { ...values, ...more } };
    return await send(ctx, route, asked, messageId);
  } catch (error) {
    // A template that an operator broke can be set right.
    return { sent: false, isFinal: false, error: (error as Error).message };
  }
}

const heldWords = ({ createdAt, reason }: Block): string =>
  `this address is blocked since ${createdAt.slice(0, 10)}: ${reason}`;
