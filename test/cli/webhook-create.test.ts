// webhook create: what it takes, shows and refuses (cli.md sections 1 and 3.7).
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { licenseWebhooks } from '#licensing/insight/webhooks/index.ts';
import { errorOf } from '../support/cli-process.ts';
import { create, type Hook, URL_TEXT, useWebhookLife } from './webhook-life.ts';

const life = useWebhookLife();
const { make, failure } = life;

describe('webhook create', () => {
  test('with --json the answer holds the secret, once; list and show never do', async () => {
    const hook = await life.it.json<Hook>(create);
    expect(hook).toMatchObject({
      name: '203.0.114.10',
      service: 'license',
      url: URL_TEXT,
      events: licenseWebhooks.defaultEvents,
      enabled: true,
      consecutiveFailures: 0,
      disabledAt: null,
    });
    expect(hook.secret).toMatch(/^whs_/);
    const shown = await life.it.answer<Hook>(['webhook', 'show', hook.id]);
    const page = await life.it.answer<{ items: Hook[] }>(['webhook', 'list']);
    const { secret, ...rest } = hook;
    expect([shown, page.items]).toEqual([rest, [rest]]);
    const log = await life.it.inside(['audit', 'list', '--action', 'WEBHOOK_CREATED', '--json']);
    expect(log.stdout).toContain(hook.id);
    expect(log.stdout).not.toContain(secret);
  });

  test('without a terminal the secret is shown with --reveal, and the answer says how to try the webhook', async () => {
    const loud = await life.it.inside([...create, '--reveal']);
    expect(loud.stdout).toMatch(/^secret +whs_\S{43}$/m);
    expect(loud.stderr).toMatch(/Next: appctl webhook test whk_\w+/);
  });

  test('--out takes the secret into a private file, never over another one; what fails leaves nothing', async () => {
    const file = join(life.it.cwd, 'hook.secret');
    const hook = await make('--out', file);
    expect(hook).not.toHaveProperty('secret');
    expect(readFileSync(file, 'utf8')).toMatch(/^whs_\S{43}\n$/);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await failure(...create, '--out', file)).toMatchObject({ exit: 5 });
    expect(await failure(...create, '--out', join(life.it.cwd, 'no', 'folder'))).toMatchObject({ exit: 2 });
    expect((await life.it.answer<{ items: Hook[] }>(['webhook', 'list'])).items.map(({ id }) => id)).toEqual([
      hook.id,
    ]);
  });

  test('an own secret comes by file, stdin or variable and is never printed', async () => {
    const secret = 'a secret of my own';
    const file = join(life.it.cwd, 'own.secret');
    writeFileSync(file, `${secret}\n`);
    const forms = [
      life.it.inside([...create, '--secret-file', file, '--reveal']),
      life.it.inside([...create, '--secret-stdin', '--json'], { input: secret }),
      life.it.inside([...create, '--secret-env', 'HOOK'], { env: { HOOK: secret } }),
    ];
    for (const run of await Promise.all(forms)) {
      expect(run.code).toBe(0);
      expect(run.stdout + run.stderr).not.toContain(secret);
      expect(run.stderr).not.toContain('shown once');
    }
    expect(await failure(...create, '--secret-env', 'NOPE')).toMatchObject({ exit: 2 });
    for (const [input, message] of [
      ['', /^--secret-stdin must have 16 to 255 characters; this one has 0/],
      ['fifteen chars..', /this one has 15/],
    ] as const) {
      const run = await life.it.inside([...create, '--secret-stdin', '--json'], { input });
      expect(run.code).toBe(2);
      expect(errorOf(run).message).toMatch(message);
    }
  });

  test('events, products, headers and the rest', async () => {
    const file = join(life.it.cwd, 'headers');
    writeFileSync(file, 'Authorization: Bearer of-the-receiver\n\nX-Team: a: b\n');
    const hook = await make(
      '--event',
      'LICENSE_CREATED',
      '--event',
      'LICENSE_REVOKED',
      '--name',
      'CRM',
      '--product',
      'editor',
      '--headers-file',
      file,
      '--redact-email',
      '--disabled',
    );
    expect(hook).toMatchObject({
      name: 'CRM',
      events: ['LICENSE_CREATED', 'LICENSE_REVOKED'],
      productIds: [expect.stringMatching(/^prd_/)],
      headers: ['Authorization', 'X-Team'],
      redactEmail: true,
      enabled: false,
      disabledReason: 'not enabled yet',
    });
    expect((await life.it.inside(['webhook', 'show', hook.id])).stdout).not.toContain('of-the-receiver');
    expect((await make('--event', '*')).events).toEqual(['*']);
  });

  test('a dry run says what would be, shows no secret and writes neither row nor file', async () => {
    const file = join(life.it.cwd, 'dry.secret');
    const plan = await make('--dry-run', '--out', file);
    expect(plan).toMatchObject({ url: URL_TEXT, dryRun: true });
    expect(plan).not.toHaveProperty('secret');
    expect(existsSync(file)).toBe(false);
    expect((await life.it.answer<{ items: Hook[] }>(['webhook', 'list'])).items).toEqual([]);
    expect(await failure(...create.slice(0, 5), 'https://10.0.0.1/', '--dry-run')).toMatchObject({ exit: 2 });
  });

  test('a name that leads nowhere is taken with a warning on stderr', async () => {
    const run = await life.it.inside([...create.slice(0, 5), 'https://nowhere.invalid/', '--json']);
    expect(run.code).toBe(0);
    expect(run.stderr).toContain('warning: nowhere.invalid does not resolve now');
    expect(JSON.parse(run.stdout).url).toBe('https://nowhere.invalid/');
  });

  test.each([
    [['--url', 'https://127.0.0.1/'], /^--url 127\.0\.0\.1 is an address of this machine/],
    [['--url', 'http://203.0.114.10/'], /^--url http is not allowed/],
    [['--url', 'nonsense'], /^--url the address is not an https URL/],
    [
      ['--event', 'LICENSE_CREATD'],
      /^--event LICENSE_CREATD is not an event; did you mean LICENSE_CREATED\?/,
    ],
    [['--event', '*', '--event', 'LICENSE_CREATED'], /^--event use \* alone/],
    [['--product', 'nope'], /^--product names a product that was not found: nope/],
    [['--name', 'x'.repeat(101)], /^--name must have at most 100/],
    [['--service', 'shop'], /^--service 'shop'/],
    [['--force'], /--force only works with --out/],
    [['--headers-stdin'], /^--headers: no header was given/],
  ])('%j ends with 2', async (words, message) => {
    const flags = new Set(words.filter((word) => word.startsWith('--')));
    const base = flags.has('--url')
      ? create.slice(0, 4)
      : flags.has('--service')
        ? [...create.slice(0, 2), ...create.slice(4)]
        : create;
    const failed = await failure(...base, ...words);
    expect(failed).toMatchObject({ exit: 2, stdout: '' });
    expect(failed.message).toMatch(message);
  });

  test('without --url or --service it asks, or names what is missing', async () => {
    expect(await failure('webhook', 'create', '--service', 'license')).toMatchObject({ exit: 2 });
    expect(await failure('webhook', 'create', '--url', URL_TEXT)).toMatchObject({ exit: 2 });
  });
});
