// What operators are told: once when it begins, with the cure, and once when it is over.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hmacSha256Hex } from '#kernel/crypto.ts';
import { gather } from '#kernel/gather.ts';
import { keepRun } from '#kernel/jobs/runs/repository.ts';
import { createOutboxWorker } from '#kernel/outbox/worker.ts';
import { alertHandler, listOpen } from '#platform/alerts/index.ts';
import { mailHandler } from '#platform/mail/index.ts';
import { staffMailHandler } from '#platform/staff-mail/index.ts';
import { capabilities } from '../../src/app/capabilities.ts';
import { evaluate, evaluateServer, SILENT_SECONDS } from '../../src/platform/alerts/alerts.ts';
import { type Condition, lookOutBy } from '../../src/platform/alerts/conditions.ts';
import { QUIET_SECONDS } from '../../src/platform/alerts/decide.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { eventually } from '../support/server-process.ts';
import { type MailServer, openMailServer } from '../support/smtp-server.ts';
import { insertWebhook, LOOPBACK_PINS, openReceiver, type Receiver, SECRET } from '../support/webhooks.ts';
import { member, textOf } from './panel/staff.ts';

const MINUTE = 60;
const FULL: Condition = {
  key: 'env.disk-space',
  title: 'free disk space',
  message: '12 MiB free on the disk of the data directory',
  hint: 'free up space',
};

let mails: MailServer;
let hook: Receiver;
let pinged: Receiver;
let app: TestApp;
let found: Condition[];
const pins = (): Record<string, string> => ({
  ...LOOPBACK_PINS,
  smtp_host: '127.0.0.1',
  smtp_port: String(mails.port),
  smtp_secure: 'none',
  email_from_address: 'shop@shop.example',
});
beforeEach(async () => {
  mails = await openMailServer();
  hook = await openReceiver();
  pinged = await openReceiver();
  found = [];
});
afterEach(async () => {
  await app.close();
  await Promise.all([mails.close(), hook.close(), pinged.close()]);
});

async function start(more: Record<string, string> = {}, isReal = false): Promise<void> {
  app = await startApp({ pins: { ...pins(), ...more } });
  if (!isReal) lookOutBy(app.ctx, { server: null, look: async (of) => (of === 'installation' ? found : []) });
}
const everywhere = (): Record<string, string> => ({
  'alerts.email': 'ops@mail.example',
  'alerts.webhook': hook.url,
  'alerts.webhook_secret': SECRET,
  'alerts.ping': pinged.url,
});

const worker = () => {
  const { mails, staffMails } = gather(capabilities);
  return createOutboxWorker({
    ctx: app.ctx,
    handlers: [alertHandler, staffMailHandler(staffMails), mailHandler(mails)],
  });
};

/** A minute later. */
async function look(minutes = 1): Promise<Record<string, number>> {
  app.clock.advance(minutes * MINUTE);
  const counts = await evaluate(app.ctx);
  await worker().idle();
  return counts;
}
/** Long enough for what is away to be over. */
async function lookUntilOver(): Promise<Record<string, number>> {
  await look();
  return look(QUIET_SECONDS / MINUTE);
}
const subjects = () => mails.mails.map(({ envelope, subject }) => `${envelope.to[0]}: ${subject}`);

describe('an alert', () => {
  it('is told once with the cure, and once more when it is over', async () => {
    await start(everywhere());
    found = [FULL];
    expect(await look()).toEqual({ begun: 1, over: 0, open: 1 });
    expect(await look()).toEqual({ begun: 0, over: 0, open: 1 });
    expect(subjects()).toEqual(['ops@mail.example: Alert: free disk space']);
    expect(mails.mails[0]?.text).toContain('12 MiB free on the disk of the data directory');
    expect(mails.mails[0]?.text).toContain('free up space');
    found = [];
    expect(await lookUntilOver()).toEqual({ begun: 0, over: 1, open: 0 });
    await look();
    expect(subjects().slice(1)).toEqual(['ops@mail.example: Over: free disk space']);
    expect(hook.received.map(({ body }) => JSON.parse(body))).toMatchObject([
      {
        event: 'ALERT_BEGUN',
        ...{ title: FULL.title, message: FULL.message, hint: FULL.hint },
        endedAt: null,
      },
      { event: 'ALERT_OVER', title: FULL.title, endedAt: expect.any(String) },
    ]);
    expect(await listOpen(app.ctx)).toEqual([]);
    const owner = await app.adminToken('owner', { isInstanceWide: true });
    const { body } = await app.admin('/alerts?state=over', owner);
    expect(body.items).toMatchObject([{ key: FULL.key, state: 'over', hint: FULL.hint, server: null }]);
    expect((await app.admin('/alerts?state=open', owner)).body.items).toEqual([]);
  });

  it('that comes back soon was never over, and its words are those of now', async () => {
    await start(everywhere());
    for (const isThere of [true, false, true, false, true]) {
      found = isThere ? [{ ...FULL, message: `message at ${app.ctx.now()}` }] : [];
      await look(2);
    }
    expect(subjects()).toHaveLength(1);
    expect(await listOpen(app.ctx)).toMatchObject([{ message: found[0]?.message, absentSince: null }]);
    found = [];
    await lookUntilOver();
    found = [FULL];
    await look();
    expect(subjects()).toEqual([
      'ops@mail.example: Alert: free disk space',
      'ops@mail.example: Over: free disk space',
      'ops@mail.example: Alert: free disk space',
    ]);
  });

  it('is told once by servers that look at the same moment', async () => {
    await start(everywhere());
    found = [FULL, { ...FULL, key: 'db.backup-age', title: 'age of the last backup' }];
    await Promise.all(Array.from({ length: 6 }, () => evaluate(app.ctx)));
    await worker().idle();
    expect(subjects().toSorted()).toEqual([
      'ops@mail.example: Alert: age of the last backup',
      'ops@mail.example: Alert: free disk space',
    ]);
    expect(hook.received).toHaveLength(2);
  });

  it('goes to staff who may change the system where no address is set, and is on their system page', async () => {
    await start();
    const operator = await member(app, ['system:read', 'system:write']);
    const other = await member(app, ['orders:read']);
    found = [FULL];
    await look();
    expect(subjects().filter((one) => !one.startsWith('owner'))).toContain(
      `${operator.email}: Alert: free disk space`,
    );
    expect(subjects().some((one) => one.startsWith(other.email))).toBe(false);
    expect(textOf((await operator.browser.open('/admin/system')).text)).toContain('Open alerts');
  });
});

describe('of several servers on one database', () => {
  const ONE = 'web-1:/var/lib/appctl';
  const TWO = 'web-2:/var/lib/appctl';
  let shared: Condition[];
  /** What is wrong with each machine. */
  let machines: Record<string, Condition[]>;
  beforeEach(async () => {
    await start(everywhere());
    [shared, machines] = [[], {}];
  });

  const at = (server: string): void =>
    lookOutBy(app.ctx, {
      server,
      look: async (concern) => (concern === 'server' ? (machines[server] ?? []) : shared),
    });
  /** A minute in which one has the lease, and the others look after themselves. */
  async function minute(leader: string, others: readonly string[]): Promise<void> {
    app.clock.advance(MINUTE);
    for (const one of others) {
      at(one);
      await evaluateServer(app.ctx);
    }
    at(leader);
    await evaluate(app.ctx);
    await worker().idle();
  }

  it('each judges its own machine, whichever has the lease', async () => {
    machines = { [TWO]: [FULL] };
    for (let i = 0; i < 4; i++) {
      await minute(ONE, [TWO]);
      await minute(TWO, [ONE]);
    }
    expect(subjects()).toEqual([`ops@mail.example: Alert: free disk space on ${TWO}`]);
    machines = { [ONE]: [FULL] };
    for (let i = 0; i < 7; i++) await minute(ONE, [TWO]);
    expect(subjects().slice(1).toSorted()).toEqual([
      `ops@mail.example: Alert: free disk space on ${ONE}`,
      `ops@mail.example: Over: free disk space on ${TWO}`,
    ]);
    expect(await listOpen(app.ctx)).toMatchObject([{ server: ONE, key: `${FULL.key}@${ONE}` }]);
  });

  it('what is about the installation is told once, and not by their names', async () => {
    shared = [{ ...FULL, key: 'jobs.last-run:backup', title: 'last job runs' }];
    await minute(ONE, [TWO]);
    await minute(TWO, [ONE]);
    expect(subjects()).toEqual(['ops@mail.example: Alert: last job runs']);
  });

  it('one that is gone leaves no alert open without a word', async () => {
    machines = { [TWO]: [FULL] };
    await minute(ONE, [TWO]);
    const heard = app.ctx.now();
    for (let i = 0; i < SILENT_SECONDS / MINUTE; i += 10) {
      app.clock.advance(9 * MINUTE);
      await minute(ONE, []);
    }
    expect(await listOpen(app.ctx)).toHaveLength(1);
    await minute(ONE, []);
    expect(await listOpen(app.ctx)).toEqual([]);
    expect(mails.mails.at(-1)?.subject).toBe(`Over: free disk space on ${TWO}`);
    expect(mails.mails.at(-1)?.text).toContain(`${TWO} has reported nothing since ${heard}`);
    // It comes back with the same trouble.
    await minute(ONE, [TWO]);
    expect(subjects().at(-1)).toBe(`ops@mail.example: Alert: free disk space on ${TWO}`);
  });
});

describe('a job that fails', () => {
  const fail = async (error: string | null): Promise<void> => {
    const { ctx } = app;
    const status = error === null ? 'ok' : 'failed';
    // The server makes the row when it has begun to listen.
    await eventually(() =>
      ctx.tx(({ db }) =>
        db
          .knex('scheduled_jobs')
          .where({ name: 'lease-expiry' })
          .update({ last_status: status, last_error: error }),
      ),
    );
    await ctx.tx(async (ctx) => {
      const run = {
        name: 'lease-expiry',
        startedAt: ctx.now(),
        endedAt: ctx.now(),
        ms: 1,
        startedBy: null,
        result: null,
      };
      await keepRun(ctx, { ...run, status, error: error ?? '' });
    });
  };

  it('twice is one email, and one when it is over', async () => {
    await start({ 'alerts.email': 'ops@mail.example' }, true);
    await look();
    const before = subjects().length;
    await fail('no answer');
    await look();
    await fail('no answer at all');
    await look();
    expect(subjects().slice(before)).toEqual(['ops@mail.example: Alert: last job runs']);
    expect(mails.mails.at(-1)?.text).toContain('the job lease-expiry failed: no answer');
    expect(mails.mails.at(-1)?.text).toContain('appctl jobs history lease-expiry');
    await fail(null);
    await lookUntilOver();
    expect(subjects().slice(before + 1)).toEqual(['ops@mail.example: Over: last job runs']);
  });

  it('has an email of its own for staff', async () => {
    await start({ email_staff_addresses: 'all@mail.example' }, true);
    await look();
    await fail('no answer');
    await look();
    await look();
    expect(subjects().filter((one) => one.includes('lease-expiry'))).toEqual([
      'all@mail.example: The job lease-expiry failed',
    ]);
  });

  it('has it after a long outage too', async () => {
    await start({ email_staff_addresses: 'all@mail.example' }, true);
    await look();
    await fail('no answer');
    await look(60 * 24);
    expect(subjects()).toContain('all@mail.example: The job lease-expiry failed');
    expect(mails.mails.at(-1)?.text).toContain('no answer');
  });
});

describe('a webhook that was disabled by failures', () => {
  const disable = (enabled: boolean): Promise<void> =>
    app.ctx.tx(async ({ db }) => {
      const failed = { disabled_reason: '20 deliveries in a row failed', consecutive_failures: 20 };
      const well = { disabled_reason: null, disabled_at: null, consecutive_failures: 0 };
      const state = enabled ? well : { ...failed, disabled_at: app.ctx.now() };
      await db.knex('webhooks').update({ enabled, ...state });
    });

  it('is an alert, to staff only when it is over: that it was disabled has an email of its own', async () => {
    await start(
      {
        email_staff_addresses: 'all@mail.example',
        'alerts.webhook': hook.url,
        'alerts.webhook_secret': SECRET,
      },
      true,
    );
    await insertWebhook(app.ctx, { url: hook.url });
    await look();
    await disable(false);
    await look();
    const open = (await listOpen(app.ctx)).filter(({ key }) => key.startsWith('webhooks.disabled:'));
    expect(open).toMatchObject([{ message: 'the webhook test was disabled: 20 deliveries in a row failed' }]);
    expect(subjects().filter((one) => one.includes('webhook'))).toEqual([]);
    expect(hook.received.map(({ body }) => JSON.parse(body).id)).toContain(open[0]?.id);
    await disable(true);
    await lookUntilOver();
    expect(subjects()).toContain('all@mail.example: Over: webhooks disabled by failures');
  });
});

describe('alerts.webhook', () => {
  it('is signed as webhooks are, and repeated with the same body until it is taken', async () => {
    await start(everywhere());
    hook.answers = [500, (res) => void res.destroy()];
    found = [FULL];
    await look();
    await look(2);
    await look(6);
    await look(31);
    expect(hook.received).toHaveLength(3);
    const [first, , third] = hook.received;
    expect(first?.headers['X-Webhook-Signature']).toBe(`sha256=${hmacSha256Hex(SECRET, first?.body ?? '')}`);
    expect([third?.body, third?.headers['X-Webhook-Attempt']]).toEqual([first?.body, '3']);
  });

  it('is not sent unsigned', async () => {
    const { 'alerts.webhook_secret': _secret, ...rest } = everywhere();
    await start(rest);
    found = [FULL];
    await look();
    expect([hook.received, subjects().length]).toEqual([[], 1]);
  });

  it('into a private network is refused', async () => {
    await start({ ...everywhere(), 'webhooks.allowed_private_cidrs': '' });
    found = [FULL];
    await look();
    expect([hook.received, pinged.received]).toEqual([[], []]);
  });
});

describe('alerts.ping', () => {
  it('is asked each minute, with /fail while an alert is open', async () => {
    await start(everywhere());
    const asked: string[] = [];
    pinged.otherwise = (res, req) => {
      asked.push(`${req.method} ${req.url}`);
      res.end();
    };
    await look();
    found = [FULL];
    await look();
    await look();
    found = [];
    await lookUntilOver();
    expect(asked).toEqual(['GET /hook', ...Array.from({ length: 3 }, () => 'GET /hook/fail'), 'GET /hook']);
  });

  it('that does not answer keeps nobody from being told', async () => {
    await start(everywhere());
    pinged.otherwise = 500;
    found = [FULL];
    expect(await look()).toMatchObject({ begun: 1 });
    expect(subjects()).toHaveLength(1);
  });
});
