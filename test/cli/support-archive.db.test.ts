// appctl support archive: whatever an installation knows, nobody outside reads a secret or who its customers are.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { passwordsIn } from '../../src/cli/support/known.ts';
import { redaction } from '../../src/cli/support/redact.ts';
import { SupportArchiveOutput } from '../../src/cli/support/schemas.ts';
import { errorOf } from '../support/cli-process.ts';
import { useServiceLife } from './service-life.ts';

const life = useServiceLife();
const { appctl, json } = life;

/** Of the configuration: each is marked as secret there. */
const SECRETS = {
  APPCTL_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
  APPCTL_S3_ACCESS_KEY_ID: 'AKIAQ7EXAMPLE',
  APPCTL_S3_SECRET_ACCESS_KEY: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  APPCTL_METRICS_TOKEN: 'metrics-of-ours',
  APPCTL_BACKUP_PASSPHRASE: 'correct horse battery',
  APPCTL_SMTP_URL: 'smtp://mailer:p%40ss-of-mail@mail.example.com:587',
  APPCTL_UPDATE_URL: 'https://vendor:pass-of-updates@updates.example.com/a?token=token-of-updates',
};
/** Of the settings, which are in the database. */
const SETTINGS = {
  'alerts.webhook_secret': 'a.phrase!of?ours-which-signs',
  'alerts.webhook': 'https://hooks.example.com/b/our-channel',
  'alerts.ping': 'https://hc-ping.com/5ae1c7d0-2f60-4f0b-9d6e-3c1f2ab0e5d4',
};
const PEOPLE = ['ann.smith@customer.test', '203.0.113.77', '2001:db8::77', 'ops@x.test'];

let known: string[] = [];
let env: Record<string, string> = {};

beforeAll(async () => {
  const log = join(life.cwd(), 'server.log');
  env = { ...SECRETS, APPCTL_LOG_FILE: log, APPCTL_MAIL_FROM: 'shop@vendor.test' };
  const made = async (args: string[]) => (await json(args, 0, env)) as Record<string, string>;
  await made(['setup', '--owner-email', 'ops@x.test', '--generate-password', '--product', 'editor']);
  const license = await made([
    'license',
    'mint',
    '--product',
    'editor',
    '--email',
    PEOPLE[0] ?? '',
    '--reveal',
  ]);
  const key = await made([
    'apikey',
    'create',
    '--service',
    'license',
    '--name',
    'app',
    '--scope',
    'FULL_ADMIN',
  ]);
  const store = await made([
    'apikey',
    'create',
    '--service',
    'store',
    '--name',
    'app',
    '--scope',
    'orders:read',
  ]);
  const hook = ['webhook', 'create', '--service', 'license', '--url', 'https://1.1.1.1/appctl'];
  const webhook = await made(hook);
  const token = await made(['admin', 'token', 'create', '--name', 'ci', '--role', 'viewer']);
  for (const [key, value] of Object.entries(SETTINGS)) {
    const run = await appctl(['settings', 'set', key, '--value-stdin'], env, value);
    expect({ key, code: run.code, stderr: run.stderr }).toMatchObject({ key, code: 0 });
  }
  known = [license.key, key.secret, store.secret, webhook.secret, token.secret].map(String);
  known.push(...Object.values(SECRETS), ...Object.values(SETTINGS), 'p%40ss-of-mail', 'p@ss-of-mail');
  known.push('pass-of-updates', 'token-of-updates');
  // A program with a mistake could write anything to its log, and to the error of a job.
  const leaked = [...known, ...PEOPLE].map((text, n) =>
    JSON.stringify({ level: 'error', time: '2026-01-01T00:00:00.000Z', n, msg: `it was ${text}.` }),
  );
  writeFileSync(log, `${leaked.join('\n')}\n`);
  const error = `no answer to ${PEOPLE[0]} from ${PEOPLE[1]} with ${license.key} and ${webhook.secret}`;
  await life.onDatabase(({ knex }) =>
    knex('job_runs').insert({
      id: 'run_01M8KAC68QD0ZGXA8V36K161K2',
      job: 'outbox',
      started_at: '2026-01-01T00:00:00.000Z',
      ended_at: '2026-01-01T00:00:01.000Z',
      status: 'failed',
      ms: 5,
      error,
    }),
  );
  await life.onDatabase(({ knex }) =>
    knex('scheduled_jobs').update({ last_status: 'failed', last_error: error }),
  );
});

/** The members of an archive, by name. */
function opened(file: string): Map<string, string> {
  const folder = join(life.cwd(), `${file}.d`);
  mkdirSync(folder);
  execFileSync('tar', ['--zstd', '-xf', join(life.cwd(), file), '-C', folder]);
  const inside = join(folder, 'appctl-support');
  return new Map(readdirSync(inside).map((name) => [name, readFileSync(join(inside, name), 'utf8')]));
}

test('no secret, no address of a person is in it, wherever they were written', async () => {
  const answer = SupportArchiveOutput.parse(await json(['support', 'archive', '--out', 'a.tar.zst'], 0, env));
  const parts = opened('a.tar.zst');
  expect([...parts.keys()].sort()).toEqual([...answer.contents.map(({ name }) => name), 'files.json'].sort());
  expect(answer.contents.filter(({ missing }) => missing !== null)).toEqual([]);
  for (const [name, text] of parts)
    for (const secret of [...known, ...PEOPLE])
      expect({ name, secret, in: text.includes(secret) }).toEqual({ name, secret, in: false });
  // What helps is still there.
  expect(parts.get('log.ndjson')?.split('\n').length).toBeGreaterThan(known.length + PEOPLE.length);
  expect(JSON.parse(parts.get('jobs.json') ?? '').runs[0].error).toMatch(
    /^no answer to email-\w{6} from ip-\w{6} with \[removed\] and \[removed\]$/,
  );
  expect(JSON.parse(parts.get('config.json') ?? '').values['mail.url'].value).toContain('mail.example.com');
  expect(JSON.parse(parts.get('config.json') ?? '').values['update.url'].value).toBe(
    'https://vendor:****@updates.example.com/a?token=[removed]',
  );
  expect(JSON.parse(parts.get('doctor.json') ?? '').checks.length).toBeGreaterThan(60);
  expect(JSON.parse(parts.get('schema.json') ?? '')).toMatchObject({ pending: [], drift: [] });
  expect(JSON.parse(parts.get('tables.json') ?? '').tables.length).toBeGreaterThan(50);
  expect(parts.get('README.txt')).toContain('log.ndjson');
  expect(statSync(join(life.cwd(), 'a.tar.zst')).mode & 0o777).toBe(0o600);
});

test('a file is not replaced, and doctor --bundle writes the same', async () => {
  const again = await appctl(['support', 'archive', '--out', 'a.tar.zst', '--json'], env);
  expect({ code: again.code, stdout: again.stdout }).toEqual({ code: 5, stdout: '' });
  expect(errorOf(again).message).toContain('already exists');
  const run = await appctl(['doctor', 'config.valid', '--bundle', 'b.tar.zst'], env);
  expect(run.stderr).toContain('b.tar.zst');
  expect(JSON.parse(opened('b.tar.zst').get('doctor.json') ?? '').checks).toHaveLength(1);
  expect((await appctl(['support', 'archive', '--out', 'no/such/folder/x', '--json'], env)).code).not.toBe(0);
});

test('a broken installation has one too, which says what it lacks', async () => {
  const wrong = { ...env, APPCTL_LISTEN: 'nowhere' };
  const answer = SupportArchiveOutput.parse(
    await json(['support', 'archive', '--out', 'c.tar.zst'], 0, wrong),
  );
  expect(answer.contents.find(({ name }) => name === 'status.json')?.missing).toBe(
    'the configuration is invalid',
  );
  const parts = opened('c.tar.zst');
  expect(JSON.parse(parts.get('config.json') ?? '').problems[0].message).toContain('nowhere');
  const gone = await json(
    ['support', 'archive', '--out', 'd.tar.zst', '--data-dir', 'empty', '--db', 'sqlite:none.db'],
    0,
    {},
  );
  const missing = SupportArchiveOutput.parse(gone).contents.filter((one) => one.missing !== null);
  expect(missing.map(({ name }) => name)).toEqual([
    'status.json',
    'schema.json',
    'jobs.json',
    'tables.json',
    'log.ndjson',
  ]);
});

describe('what is taken out of a text', () => {
  const redact = redaction(['hunter22']);
  test.each([
    ['password=abc123 in a line', 'password=[removed] in a line'],
    ['{"apiKey":"k-9"}', '{"apiKey":"[removed]"}'],
    ['Authorization: Bearer abcdef123456', 'Authorization: Bearer [removed]'],
    ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', '[removed]'],
    ['sk_live_4eC39HqLyjWDarjtT1zdp7dc', '[removed]'],
    ['-----BEGIN PRIVATE KEY-----\nMC4C\n-----END PRIVATE KEY----- after', '[removed] after'],
    ['AGE-SECRET-KEY-1QQQ', '[removed]'],
    ['it is hunter22 and "hunter22"', 'it is [removed] and "[removed]"'],
    ['ABCD-EFGH-2345-6789-QRST', '[removed]'],
    ['postgres://u:secret@db.internal:5432/x', 'postgres://u:****@db.internal:5432/x'],
    ['smtpPassword: hunter2 clientSecret=x1y2', 'smtpPassword: [removed] clientSecret=[removed]'],
    [
      'APPCTL_MAIL_SMTP_PASSWORD=abc smtp_password=abc',
      'APPCTL_MAIL_SMTP_PASSWORD=[removed] smtp_password=[removed]',
    ],
    ['{"secretAccessKey":"a b","n":1}', '{"secretAccessKey":"[removed]","n":1}'],
    ['{"password":"my secret phrase","n":1}', '{"password":"[removed]","n":1}'],
    ['{"password":"my \\"secret\\" phrase\\\\","n":1}', '{"password":"[removed]","n":1}'],
    ["password='my secret phrase' n", "password='[removed]' n"],
    ['{"token":"cut off in the mid', '{"token":"[removed]'],
    [
      JSON.stringify({ msg: JSON.stringify({ password: 'my "secret" phrase', n: 1 }) }),
      JSON.stringify({ msg: JSON.stringify({ password: '[removed]', n: 1 }) }),
    ],
    ['{"token":123456,"n":1}', '{"token":"[removed]","n":1}'],
    ['{"token":null,"hasPassword":true,"secret":""}', '{"token":null,"hasPassword":true,"secret":""}'],
    ['{"msg":"wrong password:","n":1}', '{"msg":"wrong password:","n":1}'],
    ['{"msg":"password=abc"}', '{"msg":"password=[removed]"}'],
    ['{"password": {\n"value": "x"}}', '{"password": {\n"value": "[removed]"}}'],
    [
      '{"password":["a]b","c,d",["e\\"",7]],"n":[1]}',
      '{"password":["[removed]","[removed]",["[removed]","[removed]"]],"n":[1]}',
    ],
    [
      '{"tokens":{"a":"x","b":{"c":null,"d":""}},"n":"1"}',
      '{"tokens":{"a":"[removed]","b":{"c":null,"d":""}},"n":"1"}',
    ],
    [
      JSON.stringify({ msg: JSON.stringify({ password: ['a', 'b"c'], n: 1 }), n: 1 }),
      JSON.stringify({ msg: JSON.stringify({ password: ['[removed]', '[removed]'], n: 1 }), n: 1 }),
    ],
    ["password: [ 'a b', 'c' ] n", "password: [ '[removed]', '[removed]' ] n"],
    ['{"msg":"unexpected token: {","n":1}', '{"msg":"unexpected token: {","n":1}'],
    ['{"token":["cut off\n{"msg":"next"}', '{"token":["[removed]\n{"msg":"next"}'],
    ['{"token":["cut","off\n', '{"token":["[removed]","[removed]\n'],
    ['{"token":["cut off",\n{"msg":"next"}', '{"token":["[removed]",\n{"msg":"next"}'],
    [
      '{"metrics.token":{"value":"****","source":"env","name":"APPCTL_METRICS_TOKEN"}}',
      '{"metrics.token":{"value":"[removed]","source":"env","name":"APPCTL_METRICS_TOKEN"}}',
    ],
    ['?sv=2&sig=a%2Fb&x=1 signature=abc pw=abc', '?sv=2&sig=[removed]&x=1 signature=[removed] pw=[removed]'],
    [
      'pass: hunter2 otp=123456 pin=1234 auth=abc',
      'pass: [removed] otp=[removed] pin=[removed] auth=[removed]',
    ],
    [
      '{"pin":1234,"dbPass":"a b","X-Hub-Signature-256":"x"}',
      '{"pin":"[removed]","dbPass":"[removed]","X-Hub-Signature-256":"[removed]"}',
    ],
    ['APPCTL_SMTP_PASS=abc smtp_pw: abc', 'APPCTL_SMTP_PASS=[removed] smtp_pw: [removed]'],
    ['Cookie: sid=abc; theme=dark', 'Cookie: [removed]'],
    [
      '{"set-cookie":["sid=abc; Path=/"],"cookies":{"sid":"abc"}}',
      '{"set-cookie":["[removed]"],"cookies":{"sid":"[removed]"}}',
    ],
    ['Authorization: Token abcdef n', 'Authorization: Token [removed] n'],
    ['authorization: ApiKey abcdef n', 'authorization: ApiKey [removed] n'],
    ['authorization=abcdef n', 'authorization=[removed] n'],
    ['{"authorization":"Token abc def"}', '{"authorization":"[removed]"}'],
    ['key_ABCD-EFGH-2345-6789-QRST_1', 'key_[removed]_1'],
    ['ABCD-EFGH-2345-6789-QRST-old', '[removed]-old'],
    ['abcd-efgh-2345-6789-qrst_x', '[removed]_x'],
    ['?k=ABCD%2DEFGH%2d2345%252D6789%2DQRST&n=1', '?k=[removed]&n=1'],
    [
      'GET https://hc-ping.com/5ae1c7d0-2f60-4f0b-9d6e-3c1f2ab0e5d4/fail: 404',
      'GET https://hc-ping.com/[removed]/fail: 404',
    ],
    [
      '{"url":"https://x.test/5ae1c7d02f604f0b9d6e3c1f2ab0e5d4?a=5AE1C7D0-2F60-4F0B-9D6E-3C1F2AB0E5D4"}',
      '{"url":"https://x.test/[removed]?a=[removed]"}',
    ],
  ])('%s', (text, expected) => {
    expect(redact(text)).toBe(expected);
  });

  test('what is needed stays: ids, versions, times, paths, loopback', () => {
    const kept =
      'lic_01M82C80J52XQR2FVFZFD7KN01 req_01M8KAC68QD0ZGXA8V36K161K2 1.2.3 2026-11-29T09:32:29.365Z 127.0.0.1 /srv/appctl/data appctl-backup-20261129T030000Z.tar.zst 0073-name-of-a-migration 10.20:30';
    expect(redact(kept)).toBe(kept);
  });

  test.each([
    '{"level":"info","msg":"author: Ann, design: new, bypass=on, pinned: 4711, compass=north, passed: 1200"}',
    'authors: 4711 assigned=1234 signal: SIGTERM {"sig":"SIGTERM"} spin: 1000 tokens spent, cookie banner shown',
    'signature valid; the signature: missing, password: required, authorization: failed',
    '{"auth":true,"signature":null,"pass":12,"cookies":[],"tokens":{}}',
    'request 5ae1c7d0-2f60-4f0b-9d6e-3c1f2ab0e5d4 to a-name-with-hyphens-that-goes-on-and-on was served',
    'appctl-backup-20261129T030000Z.tar.zst some-words-that-have-long-names-2-of',
  ])('an ordinary line stays readable: %s', (line) => {
    expect(redact(line)).toBe(line);
  });

  test('a line of any length is searched in time that grows with it', () => {
    const long = [
      '"token":[',
      'password: {"a":',
      'A-',
      '%2D',
      'auth=',
      '\\"pw\\":[\\"',
      'cookie: a=b; ',
      'AAAA-1',
    ];
    for (const piece of long) expect(redact(piece.repeat(20_000)).length).toBeGreaterThan(0);
  }, 20_000);

  test('one address has one name within an archive, and another one in the next', () => {
    const [first, second, other] = redact('a@x.test A@x.test b@x.test').split(' ');
    expect(first).toBe(second);
    expect(first).not.toBe(other);
    expect(redaction([])('a@x.test')).not.toBe(first);
  });
});

test.each([
  ['postgres://u:p%40ss@h/db', ['p%40ss', 'p@ss']],
  ['postgres://u:100%@h/db', ['100%']],
  ['postgres://u:p#s/s@w@h/db', ['p#s/s@w']],
  ['postgres://h/db?user=u&password=in-query', ['in-query']],
  ['postgres://u@h/db', []],
  ['sqlite:appctl.db', []],
])('the passwords in %s', (address, passwords) => {
  expect(new Set(passwordsIn(address))).toEqual(new Set(passwords));
});
