import type { Ctx } from '#kernel/context.ts';
import { invalidField } from '#kernel/service/errors.ts';
import { refresh } from '../settings/index.ts';
import { isMailAddress } from './address.ts';
import { emailEvents } from './events.ts';
import { testMail } from './mails.ts';
import { ids } from './record.ts';
import { messageIdOf } from './sending/message.ts';
import { routeOf } from './sending/route.ts';
import { send } from './sending/send.ts';

/** What came of a test. */
export interface Tested {
  readonly sent: boolean;
  /** Why it was not sent. */
  readonly error: string | null;
  /** What the server answered, or the file that was written. */
  readonly response: string | null;
}

/**
 * Sends a mail at once, past the queue, so that whoever asks sees what the server says.
 *
 * @throws AppError VALIDATION_ERROR for an address that mail cannot be sent to
 */
export async function sendTest(ctx: Ctx, to: string, locale = 'en'): Promise<Tested> {
  if (!isMailAddress(to)) throw invalidField('to', 'must be an email address, such as ann@example.com');
  await refresh(ctx);
  const route = await routeOf(ctx);
  if (route.kind === 'none') return { sent: false, error: route.missing, response: null };
  const asked = { template: testMail.key, locale, to: { address: to }, values: {} };
  const id = ctx.newId(ids.email);
  const outcome = await send(ctx, route, asked, messageIdOf(id, 0, route.sender));
  await ctx.tx((ctx) => emailEvents.tell(ctx, 'EMAIL_TESTED', id, { sent: outcome.sent }));
  return outcome.sent
    ? { sent: true, error: null, response: outcome.response }
    : { sent: false, error: outcome.error, response: null };
}
