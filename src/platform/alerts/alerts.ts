import type { Ctx } from '#kernel/context.ts';
import { alertsEmail, alertsPing, alertsWebhook, sendTest } from '../mail/index.ts';
import { readersOf } from '../staff-mail/index.ts';
import { conditionsNow } from './conditions.ts';
import { decide } from './decide.ts';
import { alertBegunMail } from './mails.ts';
import { ping, post } from './post.ts';
import { ids } from './record.ts';
import * as repo from './repository.ts';
import { tellAll } from './tell.ts';

/**
 * Compares what is wrong now with the open alerts, and has operators told of what began and of what is over.
 *
 * @returns counts for the history of the job
 */
export async function evaluate(ctx: Ctx): Promise<Record<string, number>> {
  const found = await conditionsNow(ctx);
  if (found === null) throw new Error('only a running server evaluates alerts: run appctl serve');
  const counts = await ctx.tx(async (ctx) => {
    // Two servers whose clocks or checks differ must not both report the same thing.
    await repo.lock(ctx);
    const now = ctx.now();
    const open = await repo.listOpen(ctx);
    const { begun, changed, ended } = decide(open, found, now);
    for (const { id, values } of changed) await repo.change(ctx, id, values);
    for (const condition of begun) {
      const id = ctx.newId(ids.alert);
      const alert = { id, ...condition, createdAt: now, absentSince: null, endedAt: null };
      if (await repo.open(ctx, alert)) await tellAll(ctx, alert, 'begun');
    }
    for (const alert of ended)
      if (await repo.change(ctx, alert.id, { endedAt: now })) await tellAll(ctx, alert, 'over');
    return { begun: begun.length, over: ended.length, open: open.length + begun.length - ended.length };
  });
  const failure = await ping(ctx, counts.open === 0);
  if (failure !== null) ctx.log.warn({ failure }, 'alerts.ping was not reached');
  return counts;
}

/** What came of trying one way of telling. */
export interface Tried {
  readonly way: 'email' | 'webhook' | 'ping';
  readonly to: string;
  /** Why it failed; null when it did not. */
  readonly error: string | null;
}

/** Sends a test to everybody who would be told of an alert, at once. The ping is that of a server that is well. */
export async function tryAll(ctx: Ctx): Promise<Tried[]> {
  const tried: Tried[] = [];
  for (const to of await addressesOf(ctx)) {
    const { error } = await sendTest(ctx, to);
    tried.push({ way: 'email', to, error });
  }
  const [webhook, pinged] = [ctx.settings.get(alertsWebhook), ctx.settings.get(alertsPing)];
  if (webhook !== null) {
    const now = ctx.now();
    const told = { title: 'test', message: 'this is a test', hint: null, begunAt: now, endedAt: now };
    const id = ctx.newId(ids.alert);
    tried.push({ way: 'webhook', to: webhook, error: await post(ctx, { event: 'ALERT_TEST', id, ...told }) });
  }
  if (pinged !== null) tried.push({ way: 'ping', to: pinged, error: await ping(ctx, true) });
  return tried;
}

async function addressesOf(ctx: Ctx): Promise<readonly string[]> {
  const chosen = ctx.settings.get(alertsEmail);
  if (chosen.length > 0) return chosen;
  const { mail, needs } = alertBegunMail;
  return (await readersOf(ctx, { key: mail.key, needs })).map(({ address }) => address);
}
