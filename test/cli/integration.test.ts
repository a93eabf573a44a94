import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EVENT_STATUSES } from '#licensing/purchases/inbox/index.ts';
import {
  MAPPED_TYPES,
  PROCESSORS,
  QUANTITY_MODES,
  REFUND_ACTIONS,
} from '#licensing/purchases/integrations/choices.ts';
import { load } from '#licensing/purchases/integrations/live.ts';
import * as choices from '../../src/cli/integration/choices.ts';
import { errorOf } from '../support/cli-process.ts';
import { type Installation, prepareInstallation } from './prepared-installation.ts';

let it: Installation;
beforeAll(async () => {
  it = await prepareInstallation();
});
afterAll(() => it.remove());

interface Config {
  id: string;
  name: string;
  url: string;
  secret?: string;
  mappings: { id: string }[];
  [field: string]: unknown;
}

const SECRET = 'whsec_0123456789abcdef';
const words = (line: string) => ['integration', ...line.split(' ')];
const answer = <T = Config>(line: string, options = {}) => it.answer<T>(words(line), options);
const person = (line: string, options = {}) => it.inside(words(line), options);

/** Runs a command that must fail and gives its code, its message and what it printed. */
async function failure(line: string, options = {}) {
  const run = await it.inside([...words(line), '--json'], options);
  return { exit: run.code, stdout: run.stdout, ...errorOf(run) };
}

async function secretsOf(id: string): Promise<string[] | undefined> {
  const instance = await it.open();
  const live = await load(instance.ctx, id);
  await instance.close();
  return live?.secrets;
}

test('the values that options offer are those of the service', () => {
  expect([...new Set(Object.values(choices.processors))]).toEqual(PROCESSORS);
  expect(choices.mappedTypes).toEqual(MAPPED_TYPES);
  expect(Object.values(choices.quantityModes)).toEqual(QUANTITY_MODES);
  expect(Object.values(choices.refundActions)).toEqual(REFUND_ACTIONS);
  expect(choices.eventStatuses).toEqual(EVENT_STATUSES);
});

describe('integration create', () => {
  test('makes a secret for a generic processor and shows it once', async () => {
    const made = await answer('create --processor generic --name shop --generate-secret');
    expect(made).toMatchObject({ name: 'shop', processor: 'GENERIC', enabled: true, mappings: [] });
    expect(made.secret).toMatch(/^ins_[\w-]{43}$/);
    expect(made.url).toMatch(new RegExp(`/api/v1/webhooks/inbound/${made.id}$`));
    expect(await secretsOf(made.id)).toEqual([made.secret]);
    expect(await answer('show shop')).not.toHaveProperty('secret');
    expect(JSON.stringify(await answer('list'))).not.toContain(made.secret);
  });

  test('takes the secret of the processor by file, stdin or variable, and never prints it', async () => {
    const file = join(it.cwd, 'whsec.txt');
    writeFileSync(file, `${SECRET}\n`);
    const made = [
      await answer('create --processor stripe --secret-file whsec.txt'),
      await answer('create --processor card-a --secret-stdin', { input: `${SECRET}\n` }),
      await answer(
        'create --processor payments-b --secret-env KEY --notification-url https://a.x.test/Hook',
        {
          env: { KEY: SECRET },
        },
      ),
    ];
    expect(made.map(({ name, processor }) => [name, processor])).toEqual([
      ['stripe', 'STRIPE'],
      ['stripe-2', 'STRIPE'],
      ['square', 'SQUARE'],
    ]);
    expect(made[2]?.notificationUrl).toBe('https://a.x.test/Hook');
    expect(JSON.stringify(made)).not.toContain(SECRET);
    for (const { id } of made) expect(await secretsOf(id)).toEqual([SECRET]);
  });

  test('without a terminal the secret is shown with --reveal, and the answer says what to do next', async () => {
    const here = await person('create --processor generic --reveal');
    expect(here.stderr).toMatch(/X-Webhook-Signature[\s\S]*Next: appctl integration map inb_\w+ --external/);
    expect(here.stderr).toContain('127.0.0.1 is this machine');
    const shown = await person('create --processor generic --reveal', {
      env: { APPCTL_BASE_URL: 'https://licenses.x.test' },
    });
    expect(shown.stdout).toMatch(/^secret +ins_[\w-]{43}$/m);
    expect(shown.stdout).toMatch(
      /^url +https:\/\/licenses\.x\.test\/api\/v1\/webhooks\/inbound\/inb_\w{26}$/m,
    );
    expect(shown.stderr).not.toContain('is this machine');
  });

  test('--out takes the secret into a private file that is never overwritten', async () => {
    const file = join(it.cwd, 'shop.key');
    const made = await answer(`create --processor generic --out ${file}`);
    expect(made).not.toHaveProperty('secret');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await secretsOf(made.id)).toEqual([readFileSync(file, 'utf8').trim()]);
    const before = await answer<{ pagination: object }>('list');
    expect(await failure(`create --processor generic --out ${file}`)).toMatchObject({ exit: 5, stdout: '' });
    expect(await answer('list')).toMatchObject({ pagination: before.pagination });
  });

  test('warns when a secret is made for a processor that has one of its own', async () => {
    const run = await person('create --processor square --generate-secret --reveal');
    expect(run.code).toBe(0);
    expect(run.stderr).toMatch(/warning: SQUARE creates its own signing secret.*--secret-stdin/);
  });

  test('--dry-run makes nothing and shows no secret', async () => {
    const before = await answer<{ pagination: object }>('list');
    const plan = await answer('create --processor generic --name planned --dry-run');
    expect(plan).toMatchObject({ name: 'planned', dryRun: true });
    expect(plan).not.toHaveProperty('secret');
    expect(await answer('list')).toMatchObject({ pagination: before.pagination });
  });

  test.each([
    ['create', 2, /^--processor is required/],
    ['create --processor stripe', 2, /^--secret-file is required/],
    ['create --processor paypal', 2, /^--processor 'paypal'/],
    ['create --processor wallet', 2, /^--processor 'wallet'/],
    ['create --processor generic --name shop', 5, /name shop is taken/],
    ['create --processor stripe --secret-env SHORT', 2, /signing secret must have at least 16/],
    [
      'create --processor stripe --secret-env EMPTY',
      2,
      /tried: empty signing secret from --secret-env EMPTY/,
    ],
    ['create --processor stripe --secret-env NONE', 2, /variable NONE is not set/],
    ['create --processor generic --secret-env SHORT --generate-secret', 2, /cannot be used together/],
    ['create --processor stripe --reveal', 2, /^--reveal shows a generated secret/],
    ['create --processor generic --secret-env SHORT --out shown.key', 2, /^--out shows a generated secret/],
    [
      'create --processor generic --notification-url https://a.x.test',
      2,
      /^--notification-url is for SQUARE/,
    ],
    [
      'create --processor square --generate-secret --notification-url http://a.x.test',
      2,
      /must be an https URL/,
    ],
  ])('%s ends with %i', async (line, exit, message) => {
    const failed = await failure(line, { env: { SHORT: 'only-15-letters', EMPTY: '' } });
    expect(failed).toMatchObject({ exit, stdout: '' });
    expect(failed.message).toMatch(message);
    expect(JSON.stringify(failed)).not.toContain('only-15-letters');
  });
});

describe('integration update and delete', () => {
  test('changes name, switch and secret; the old secret stays for a day', async () => {
    const { id } = await answer('create --processor generic --name mine --secret-env KEY', {
      env: { KEY: SECRET },
    });
    expect(await answer('update mine --name yours --disable')).toMatchObject({
      name: 'yours',
      enabled: false,
      previousUntil: null,
    });
    const rotated = await answer('update yours --generate-secret --enable');
    expect(rotated).toMatchObject({ enabled: true, previousUntil: expect.any(String) });
    expect(await secretsOf(id)).toEqual([rotated.secret, SECRET]);
    const told = await person('update yours --secret-stdin', { input: 'another-secret-0123456789' });
    expect(told.stderr).toMatch(/updated yours[\s\S]*The old secret is accepted until/);
    expect(told.stdout).not.toContain('another-secret');
    expect(told.stderr).toContain('the secret before the last one is no longer accepted');
    expect((await person('update yours --disable')).stderr).not.toContain('old secret');
  });

  test('--clear takes the notification URL away', async () => {
    await answer('create --processor square --name sq --generate-secret --notification-url https://a.x.test');
    expect(await answer('update sq --clear notification-url')).toMatchObject({ notificationUrl: null });
  });

  test('delete asks, shows what is gone, and leaves nothing to be found', async () => {
    const made = await answer('create --processor generic --name gone');
    expect(await failure('delete gone')).toMatchObject({ exit: 10, hint: 'run it again with --yes' });
    const plan = await answer('delete gone --dry-run');
    expect(plan).toMatchObject({ id: made.id, dryRun: true });
    expect(await answer('delete gone --yes')).toMatchObject({ id: made.id });
    expect(await failure(`show ${made.id}`)).toMatchObject({ exit: 3, code: 'NOT_FOUND' });
  });

  test.each([
    ['update shop', 2, /nothing to change/],
    ['update shop --enable --disable', 2, /cannot be used together/],
    ['update shop --enable --reveal', 2, /^--reveal shows a generated secret/],
    ['update shop --name other --out shown.key', 2, /^--out shows a generated secret/],
    ['update nope --enable', 3, /integration nope was not found/],
    ['delete nope --yes', 3, /integration nope was not found/],
    ['show nope', 3, /integration nope was not found/],
    ['mappings nope', 3, /integration nope was not found/],
    ['events nope', 3, /integration nope was not found/],
    ['events refused nope', 3, /integration nope was not found/],
    ['events show ibe_nope', 3, /inbound event ibe_nope was not found/],
    ['events shop --since yesterday', 2, /^--since 'yesterday'/],
    ['events shop --status LOST', 2, /^--status 'LOST'/],
    ['replay', 2, /which events should be processed again/],
    ['replay ibe_nope --integration shop', 2, /cannot be used together/],
    ['replay ibe_nope --since 24h', 2, /^--since only works with --integration/],
    ['replay --integration nope --yes', 3, /integration nope was not found/],
    ['test nope', 3, /integration nope was not found/],
    ['test shop', 5, /nothing is mapped in shop/],
    ['simulate shop --file nope.json', 2, /^--file: the file nope.json does not exist/],
  ])('%s ends with %i', async (line, exit, message) => {
    const failed = await failure(line);
    expect(failed).toMatchObject({ exit, stdout: '' });
    expect(failed.message).toMatch(message);
  });
});

describe('webhook inbound, as the group was called', () => {
  const both = (line: string) =>
    Promise.all([
      it.inside(['integration', ...line.split(' ')]),
      it.inside(['webhook', 'inbound', ...line.split(' ')]),
    ]);

  test.each([
    'list --json',
    'show shop',
    'events shop --csv',
    'show nope --json',
    'create --help',
    'replay',
    'remap',
  ])('%s answers the same', async (line) => {
    const [own, alias] = await both(line);
    expect(alias).toEqual(own);
  });

  test('changes what the group changes, also with the option that it had', async () => {
    await it.answer(['webhook', 'inbound', 'update', 'shop', '--name', 'store']);
    expect(await answer('show store')).toMatchObject({ name: 'store' });
    for (const flags of [['--inbound', 'store'], ['--inbound=store']])
      expect(await it.answer(['webhook', 'inbound', 'replay', ...flags])).toMatchObject({ results: [] });
    await answer('update store --name shop');
  });

  test('is told by the help of the group and of its commands, and listed nowhere', async () => {
    expect((await it.inside(['integration', '--help'])).stdout).toContain('Alias: appctl webhook inbound\n');
    expect((await person('events show --help')).stdout).toContain(
      'Alias: appctl webhook inbound events show\n',
    );
    expect((await person('replay --help')).stdout).toMatch(/--integration INTEGRATION .*\(also --inbound\)/);
    expect((await it.inside(['webhook', '--help'])).stdout).not.toContain('inbound');
    expect((await it.inside(['--map', 'paths'])).stdout).not.toContain('webhook inbound');
  });

  test('is completed and has its schemas', async () => {
    const complete = async (...line: string[]) =>
      (await it.inside(['complete-words', '--', ...line])).stdout.split('\n');
    expect(await complete('webhook', 'inbound', 'unm')).toEqual(await complete('integration', 'unm'));
    expect(await complete('integration', 'unm')).not.toEqual(['']);
    expect((await it.inside(['schema', 'webhook', 'inbound', 'list'])).stdout).toBe(
      (await it.inside(['schema', 'integration', 'list'])).stdout,
    );
  });
});
