import { addSeconds } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import type { StaffMail } from '#kernel/mail.ts';
import type { Attempted, OutboxEntry, OutboxHandler } from '#kernel/outbox/handler.ts';
import { isMailSent, queueMail, type Recipient, staffAddresses } from '../mail/index.ts';
import { readersOf, wasToldLately } from './queries.ts';
import { MARK, STAFF_MAIL_KIND } from './tell.ts';

/** Of one thing staff are told once in this time, however often it happens. */
const PAUSE_SECONDS = 3600;
const RETRY_SECONDS = 60;
const MOST_ATTEMPTS = 5;

interface Letter {
  readonly id: string;
  readonly to: Recipient;
}

/** Writes the mails to members of staff of what `tellStaff` noted. @param mails that the program has */
export function staffMailHandler(mails: readonly StaffMail[]): OutboxHandler {
  const byKey = new Map(mails.map((one) => [one.mail.key, one]));
  return {
    kind: STAFF_MAIL_KIND,
    longestWaitSeconds: RETRY_SECONDS,
    async attempt(ctx, entry) {
      const at = entry.refId.indexOf(MARK);
      const staffMail = byKey.get(entry.refId.slice(0, at));
      return staffMail ? attempt(ctx, entry, staffMail, entry.refId.slice(at + 1)) : ended;
    },
  };
}

const ended: Attempted = { settle: async () => 'ended', isFailure: false };

async function attempt(
  outer: Ctx,
  { attempts }: OutboxEntry,
  staffMail: StaffMail,
  subject: string,
): Promise<Attempted> {
  try {
    const { mail, about } = staffMail;
    // Nobody wants to read of last month's orders on the day on which there is a mail server.
    if (!(await isMailSent(outer))) return ended;
    if (await wasToldLately(outer, mail.key, subject, PAUSE_SECONDS)) return ended;
    const values = await staffMail.values(outer, subject);
    if (values === null) return ended;
    const letters = await lettersOf(outer, staffMail);
    const settle: Attempted['settle'] = async (ctx) => {
      const hour = Math.floor(Date.parse(ctx.now()) / (PAUSE_SECONDS * 1000));
      for (const { id, to } of letters)
        await queueMail(ctx, mail, {
          ...{ to, values, locale: 'en' },
          dedupe: `${subject}:${hour}:${id}`,
          related: { type: about, id: subject },
        });
      return 'ended';
    };
    return { settle, isFailure: false };
  } catch (error) {
    outer.log.warn({ err: error, mail: staffMail.mail.key, subject }, 'staff were not notified by email');
    const isLast = attempts + 1 >= MOST_ATTEMPTS;
    const settle: Attempted['settle'] = async (ctx) =>
      isLast ? 'ended' : { retryAt: addSeconds(ctx.now(), RETRY_SECONDS) };
    return { settle, isFailure: false };
  }
}

/** One for each mailbox. */
async function lettersOf(ctx: Ctx, staffMail: StaffMail): Promise<Letter[]> {
  const { mail, needs, sentTo = needs } = staffMail;
  const chosen = staffMail.recipients?.(ctx) ?? [];
  if (chosen.length > 0) return chosen.map((address) => ({ id: address, to: { address, name: null } }));
  const shared = ctx.settings.get(staffAddresses).map((address) => ({ id: address, address, name: null }));
  const all = [...(await readersOf(ctx, { key: mail.key, needs, sentTo })), ...shared];
  const byMailbox = new Map(all.map(({ id, ...to }) => [to.address.toLowerCase(), { id, to }]));
  return [...byMailbox.values()];
}
