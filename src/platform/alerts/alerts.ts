import { addSeconds } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { isStopping } from '#kernel/jobs/stopping.ts';
import { alertsEmail, alertsPing, alertsWebhook, sendTest } from '../mail/index.ts';
import { readersOf } from '../staff-mail/index.ts';
import { type Condition, lookoutOf } from './conditions.ts';
import { decide } from './decide.ts';
import { alertBegunMail } from './mails.ts';
import { ping, post } from './post.ts';
import { type Alert, ids } from './record.ts';
import * as repo from './repository.ts';
import { tellAll } from './tell.ts';

/** What a server has that is not heard of any more is over after so long: nobody knows how it is. */
export const SILENT_SECONDS = 3600;

interface Counts extends Record<string, number> {
  readonly begun: number;
  readonly over: number;
}

/**
 * Compares what is wrong now with the installation, and with this server, with the open alerts, and has operators told of
 * what began and of what is over.
 *
 * @returns counts for the history of the job
 */
export async function evaluate(ctx: Ctx): Promise<Record<string, number>> {
  const { server, look } = lookoutOf(ctx);
  const [shared, own] = [await look('installation'), await look('server')];
  const counts = await ctx.tx(async (ctx) => {
    // Two servers whose clocks or checks differ must not both report the same thing.
    await repo.lock(ctx);
    const settled =
      server === null
        ? [await settle(ctx, null, [...shared, ...own])]
        : [await settle(ctx, null, shared), await settleServer(ctx, server, own)];
    const all = [...settled, await endSilent(ctx)];
    const sum = (of: 'begun' | 'over') => all.reduce((total, counts) => total + counts[of], 0);
    return { begun: sum('begun'), over: sum('over'), open: (await repo.listOpen(ctx)).length };
  });
  const failure = await ping(ctx, counts.open === 0);
  if (failure !== null) ctx.log.warn({ failure }, 'alerts.ping was not reached');
  return counts;
}

/**
 * The same for this server alone: none can judge the disk of another one. It runs in each process, whoever evaluates what
 * is about the installation.
 */
export async function evaluateServer(ctx: Ctx): Promise<Record<string, number>> {
  const { server, look } = lookoutOf(ctx);
  // The last run of a process that ends has nothing to write.
  if (server === null || isStopping(ctx)) return {};
  const own = await look('server');
  return ctx.tx(async (ctx) => {
    await repo.lock(ctx);
    return settleServer(ctx, server, own);
  });
}

/** Says that the server is there, and names it in what is told of it. */
async function settleServer(ctx: Ctx, server: string, found: readonly Condition[]): Promise<Counts> {
  await repo.hear(ctx, server);
  const named = found.map((one) => ({
    ...one,
    key: `${one.key}@${server}`,
    title: `${one.title} on ${server}`,
  }));
  return settle(ctx, server, named);
}

/** @param server whose alerts are compared; null for those of the installation. @param ctx of a transaction with the lock */
async function settle(ctx: Ctx, server: string | null, found: readonly Condition[]): Promise<Counts> {
  const now = ctx.now();
  const open = (await repo.listOpen(ctx)).filter((one) => one.server === server);
  const { begun, changed, ended } = decide(open, found, now);
  for (const { id, values } of changed) await repo.change(ctx, id, values);
  for (const condition of begun) {
    const id = ctx.newId(ids.alert);
    const alert = { id, ...condition, server, createdAt: now, absentSince: null, endedAt: null };
    if (await repo.open(ctx, alert)) await tellAll(ctx, alert, 'begun');
  }
  for (const alert of ended) await end(ctx, alert, {});
  return { begun: begun.length, over: ended.length };
}

/** Ends what is open of servers that nobody has heard of for long, such as those that were taken away. */
async function endSilent(ctx: Ctx): Promise<Counts> {
  const heardAt = await repo.heardAt(ctx);
  const before = addSeconds(ctx.now(), -SILENT_SECONDS);
  const ended = (await repo.listOpen(ctx)).filter(
    ({ server }) => server !== null && (heardAt.get(server) ?? '') < before,
  );
  for (const alert of ended) {
    const since = heardAt.get(alert.server ?? '') ?? alert.createdAt;
    const gone = `${alert.server} has reported nothing since ${since}, so nobody knows how it is now`;
    await end(ctx, alert, { message: `${gone}; the last message was: ${alert.message}` });
  }
  return { begun: 0, over: ended.length };
}

async function end(ctx: Ctx, alert: Alert, values: Partial<Alert>): Promise<void> {
  const isEnded = await repo.change(ctx, alert.id, { ...values, endedAt: ctx.now() });
  if (isEnded) await tellAll(ctx, alert, 'over');
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
    const told = {
      server: null,
      title: 'test',
      message: 'this is a test',
      hint: null,
      begunAt: now,
      endedAt: now,
    };
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
