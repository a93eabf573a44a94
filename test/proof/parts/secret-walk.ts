// A walk over everything that takes or gives a secret, rightly and wrongly. Whatever comes back is kept.
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Ask, createClient } from './client.ts';
import type { Evidence } from './evidence.ts';
import { createApiKey, createProduct, type Installation, mintLicense, withKey } from './installation.ts';
import { command, jsonCommand } from './processes.ts';
import type { Random } from './random.ts';
import type { Secrets } from './secrets.ts';

/** What the walk needs and adds to. */
export interface Walk {
  installation: Installation;
  evidence: Evidence;
  secrets: Secrets;
  random: Random;
}

/** What the first steps made. */
export interface Made {
  apiKey: string;
  license: { id: string; key: string };
}

/** Owner, product, API key, license, signing keys: by commands that show a secret once. */
export async function makeSecrets({ installation, secrets, random }: Walk): Promise<Made> {
  const { launch, dataDir } = installation;
  const owner = ['setup', '--no-input', '--owner-email', 'ops@example.com'];
  const first = await jsonCommand<{ secrets: { ownerPassword: string } }>(launch, [
    ...owner,
    '--generate-password',
  ]);
  secrets.add('owner password', first.secrets.ownerPassword);
  const chosen = secrets.add('owner password', `chosen ${random.word(20)}`);
  await jsonCommand(launch, [...owner, '--force', '--owner-password-stdin'], chosen);
  secrets.add('master key', readFileSync(join(dataDir, 'master.key'), 'utf8').trim());
  await createProduct(installation, 'editor');
  const apiKey = secrets.add('API key', await createApiKey(installation, 'first'));
  const license = await mintLicense(installation, 'editor', 50);
  secrets.add('license key', license.key);
  await makeSigningKeys(installation, secrets, random);
  return { apiKey, license };
}

async function makeSigningKeys({ launch }: Installation, secrets: Secrets, random: Random): Promise<void> {
  const passphrase = secrets.add('key passphrase', `correct ${random.word(20)}`);
  const folder = join(launch.cwd, 'keys');
  mkdirSync(folder);
  const withPassphrase = { ...launch, env: { ...launch.env, RELEASE_PASS: passphrase } };
  const generate = ['keys', 'generate', '--product', 'editor'];
  const sealed = join(folder, 'sealed.key');
  await jsonCommand(withPassphrase, [...generate, '--out', sealed, '--passphrase-env', 'RELEASE_PASS']);
  await jsonCommand(launch, [...generate, '--next', '--server-held']);
  const open = join(folder, 'open.key');
  await jsonCommand(launch, [...generate, '--next', '--out', open, '--no-passphrase']);
  const lines = readFileSync(open, 'utf8').split('\n');
  for (const line of lines) if (/^[A-Za-z0-9+/=_-]{40,}$/.test(line)) secrets.add('signing key', line);
}

/** Commands that show what is there without `--reveal`, and commands that fail with a secret in hand. */
export async function useCommands(
  { installation, evidence, secrets, random }: Walk,
  made: Made,
): Promise<void> {
  const { launch } = installation;
  const { id, key } = made.license;
  const silent: { words: string[]; input?: string; env?: Record<string, string> }[] = [
    ...[
      ['license', 'list'],
      ['license', 'show', id],
      ['apikey', 'list'],
      ['customer', 'list'],
      ['keys', 'list'],
    ]
      .concat([
        ['config', 'show', '--sources'],
        ['config', 'check'],
        ['status'],
        ['doctor'],
        ['settings', 'list'],
      ])
      .flatMap((words) => [{ words }, { words: [...words, '--json'] }]),
    { words: ['license', 'find', '--key-stdin', '--debug'], input: key },
    {
      words: ['license', 'validate', '--key-stdin', '--machine', 'machine-0001', '--debug', '--json'],
      input: key,
    },
    {
      words: ['license', 'validate', '--key-stdin', '--machine', 'machine-0001', '--debug'],
      input: secrets.add('wrong key', `KEY-${random.word(25)}`),
    },
    { words: ['license', 'export', '--format', 'jsonl', '--out', '-'] },
    {
      words: ['setup', '--no-input', '--owner-email', 'x@example.com', '--force', '--owner-password-stdin'],
      input: secrets.add('refused password', `short ${random.word(3)}`),
    },
    {
      words: ['status'],
      env: { APPCTL_MASTER_KEY: secrets.add('wrong master key', `wrong-${random.word(30)}`) },
    },
    { words: ['status', '--debug'], env: { APPCTL_DATABASE_URL: unreachable(secrets, random) } },
    {
      words: ['serve', '--listen', '0', '--debug'],
      env: { APPCTL_DATABASE_URL: unreachable(secrets, random) },
    },
  ];
  for (const { words, input, env = {} } of silent) {
    const run = await command({ ...launch, env: { ...launch.env, ...env } }, words, input);
    evidence.note('command-output.txt', `${words.join(' ')} ${run.code}\n${run.stdout}\n${run.stderr}`);
  }
}

function unreachable(secrets: Secrets, random: Random): string {
  const password = secrets.add('database password', random.word(20));
  return `postgres://app:${password}@127.0.0.1:1/nothing`;
}

/** Requests with right and wrong secrets in every place where a client may put one. */
export async function sendRequests(url: string, walk: Walk, made: Made): Promise<void> {
  const { evidence, secrets } = walk;
  const client = createClient(url, 1);
  try {
    for (const ask of requests(walk, made)) {
      const answer = await client.ask(ask);
      evidence.noteAnswer(answer);
      for (const [, key = ''] of answer.body.matchAll(/"key":"([^"*]{10,})"/g))
        secrets.add('license key', key);
    }
  } finally {
    client.close();
  }
}

function requests({ secrets, random }: Walk, { apiKey, license: { key } }: Made): Ask[] {
  const headers = withKey(apiKey);
  const wrong = secrets.add('wrong license key', `APP-${random.word(25).toUpperCase()}`);
  const guessed = secrets.add('wrong API key', `alk_${random.word(43)}`);
  const machineId = `machine-${random.word(8)}`;
  const post = (path: string, body: unknown, more: Record<string, string> = headers): Ask => ({
    method: 'POST',
    path: `/api/v1/license/${path}`,
    headers: more,
    body,
  });
  const customerEmail = `${random.word(8)}@example.com`;
  return [
    post(
      'create',
      { productId: 'editor', customerEmail },
      { ...headers, 'X-Idempotency-Key': random.word(20) },
    ),
    post('create-bulk', { licenses: [{ productId: 'editor', customerEmail }, { productId: wrong }] }),
    ...['activate', 'validate', 'deactivate', 'checkin', 'no-such-route'].flatMap((path) => [
      post(path, { licenseKey: key, machineId }),
      post(path, { licenseKey: wrong, machineId }),
      post(path, { licenseKey: key, machineId }, withKey(guessed)),
      post(path, { licenseKey: key, machineId }, { Authorization: `Bearer ${apiKey}`, 'X-License-Key': key }),
      post(path, `{"licenseKey":"${key}","machineId":`),
      post(path, `{"licenseKey":"${key}","licenseKey":{"key":"${key}"}}`),
      post(path, { licenseKey: { key }, machineId: [apiKey] }),
      post(path, { licenseKey: key, key: wrong, machineId }),
      post(path, { licenseKey: `${key}\u0000`, machineId }),
      post(`${path}?licenseKey=${key}&licenseKey=${wrong}`, { machineId }),
    ]),
    ...[key, wrong, `${key}/more`, `%E0%A4%A/${key}`, `${key}%00`].flatMap((text) => [
      { path: `/api/v1/license/check/${text}`, headers },
      { path: `/api/v1/license/check/${text}`, headers: withKey(guessed) },
      { method: 'POST' as const, path: `/api/v1/license/check/${text}`, headers, body: {} },
    ]),
    { path: `/api/v1/products?key=${key}&key=${apiKey}`, headers },
    { path: '/api/v1/products?limit=0', headers: { 'X-API-Key': `${apiKey}, ${apiKey}` } },
    { path: `/api/v1/${key}`, headers },
    { path: `/${key}`, headers },
    { path: '/metrics' },
    { path: '/' },
  ];
}
