import { join } from 'node:path';
import { generateHybridIdentity, identityToRecipient } from 'age-encryption';
import { describe, expect, test } from 'vitest';
import { maskEntry, maskUrlPassword } from '#kernel/config/mask.ts';
import { servingProblems } from '#kernel/config/serving.ts';
import { parseStorageUrl } from '#kernel/config/storage-url.ts';
import { type ConfigKeyName, configTable } from '#kernel/config/table.ts';
import { renderConfigFile } from '#kernel/config/template.ts';
import { withoutSecrets } from '#kernel/config/without-secrets.ts';
import { generateSeed, publicKeyToDer, signingKeyOf } from '#kernel/ed25519.ts';
import { nextRun } from '#kernel/jobs/schedule.ts';
import { newIdentity } from '#platform/backup/index.ts';
import { useConfigFolder } from '../support/config-folder.ts';

const { cwd, file, load, problemsOf } = useConfigFolder();
const listen = (text: string) => load({ env: { APPCTL_LISTEN: text } }).then(({ config }) => config.listen);

describe('values', () => {
  test('every form of listen', async () => {
    expect(await listen('8080')).toEqual([{ kind: 'tcp', host: '127.0.0.1', port: 8080 }]);
    expect(await listen(':0')).toEqual([{ kind: 'tcp', host: null, port: 0 }]);
    expect(await listen('[::1]:80,fd:3,unix:/a b,0.0.0.0:1')).toEqual([
      { kind: 'tcp', host: '::1', port: 80 },
      { kind: 'fd', fd: 3 },
      { kind: 'unix', path: '/a b' },
      { kind: 'tcp', host: '0.0.0.0', port: 1 },
    ]);
    for (const bad of ['65536', 'x', '1,', 'unix:rel', 'fd:x', '[1.2.3.4]:5', '::1:80', 'a:b', '1.2.3.4:']) {
      expect(await problemsOf({ env: { APPCTL_LISTEN: bad } })).toMatchObject([{ key: 'listen' }]);
    }
  });

  test.each(['999.1.1.1:1', '127.999.0.1:1', '127.1:1', '0x7f.1:1', '[::1%lo]:1'])(
    'the listen address %s is refused by name: no URL leads there',
    async (text) => {
      const host = text.replace(/:1$/, '').replace(/[[\]]/g, '');
      expect(await problemsOf({ env: { APPCTL_LISTEN: text } })).toMatchObject([
        { key: 'listen', message: expect.stringContaining(`"${host}" is not a valid IP`) },
      ]);
    },
  );

  test.each([
    '0.0.0.0/0',
    '::/0',
    '0.0.0.0/1,128.0.0.0/1',
    '2000::/3',
    '::ffff:0:0/96',
    '10.0.0.1,0:0:0:0:0:ffff::/80',
  ])('trusting %s is trusting everybody', async (text) => {
    expect(await problemsOf({ env: { APPCTL_TRUST_PROXY: text } })).toMatchObject([
      { key: 'proxy.trust', message: expect.stringContaining('trusts so many addresses') },
    ]);
  });

  test('zero proxies are none, and private ranges may be trusted', async () => {
    const trust = async (text: string) =>
      (await load({ env: { APPCTL_TRUST_PROXY: text } })).config.proxyTrust;
    expect([await trust('0'), await trust('00'), await trust('none')]).toEqual([false, false, false]);
    expect(await trust('10.0.0.0/8,fc00::/7')).toEqual(['10.0.0.0/8', 'fc00::/7']);
  });

  test.each([
    ['on', true],
    ['TRUE', true],
    ['1', true],
    ['yes', true],
    ['off', false],
    ['false', false],
    ['0', false],
    ['no', false],
  ])('the switch %s is %s', async (text, value) => {
    expect((await load({ env: { APPCTL_RATE_LIMIT: text } })).config.rateLimit.enabled).toBe(value);
  });

  test('sizes, ranges, proxies, databases', async () => {
    const env = {
      APPCTL_UPLOAD_LIMIT: '3 MB',
      APPCTL_TRUST_PROXY: '10.0.0.0/8, ::1',
      APPCTL_DATABASE_URL: 'sqlite:other/a.db',
      APPCTL_AUTO_MIGRATE: 'off',
    };
    const { config } = await load({ env });
    expect(config.http.uploadLimitBytes).toBe(3 * 1024 * 1024);
    expect(config.proxyTrust).toEqual(['10.0.0.0/8', '::1/128']);
    expect(config.database.url).toBe(`sqlite:${join(cwd(), 'other/a.db')}`);
    expect(config.autoMigrate).toBe('no');
    expect((await load({ env: { APPCTL_TRUST_PROXY: '2' } })).config.proxyTrust).toBe(2);
    expect((await load()).config.proxyTrust).toBe(false);
  });

  test('folders of local storage lie in data_dir, or in the folder of storage.url', async () => {
    const foldersOf = async (env: Record<string, string>) => {
      const { storage } = (await load({ env: { APPCTL_DATA_DIR: '/d', ...env } })).config;
      return [storage.url, storage.bundlesDir];
    };
    expect(await foldersOf({})).toEqual(['file:/d', '/d/bundles']);
    expect(await foldersOf({ APPCTL_STORAGE_URL: 's3://bucket' })).toEqual(['s3://bucket', '/d/bundles']);
    expect(await foldersOf({ APPCTL_STORAGE_URL: 'file:///mnt', APPCTL_BUNDLES_DIR: '/b' })).toEqual([
      'file:/mnt',
      '/b',
    ]);
    const own = join(cwd(), 'own');
    expect(await foldersOf({ APPCTL_STORAGE_URL: 'file:own' })).toEqual([`file:${own}`, `${own}/bundles`]);
  });

  test('the parts of a bucket', () => {
    expect(parseStorageUrl('s3://bucket')).toEqual({
      bucket: 'bucket',
      prefix: '',
      region: 'us-east-1',
      endpoint: undefined,
    });
    const whole = 's3://my.bucket-1/a/b/?region=eu-central-1&endpoint=http%3A%2F%2F127.0.0.1%3A9000';
    expect(parseStorageUrl(whole)).toEqual({
      bucket: 'my.bucket-1',
      prefix: 'a/b',
      region: 'eu-central-1',
      endpoint: 'http://127.0.0.1:9000',
    });
    expect(parseStorageUrl('s3://bucket?endpoint=https://minio:9000')?.endpoint).toBe('https://minio:9000');
  });

  test('one half of the credentials of a bucket', async () => {
    expect(await problemsOf({ env: { APPCTL_S3_ACCESS_KEY_ID: 'id' } })).toMatchObject([
      { key: 'storage.s3_secret_access_key', hint: 'set both or none' },
    ]);
    expect(await problemsOf({ env: { APPCTL_S3_SECRET_ACCESS_KEY: 'geheim' } })).toMatchObject([
      { key: 'storage.s3_access_key_id' },
    ]);
  });

  test.each([
    ['APPCTL_STORAGE_URL', 'ftp://x'],
    ['APPCTL_STORAGE_URL', 'file:'],
    ['APPCTL_STORAGE_URL', 's3://'],
    ['APPCTL_STORAGE_URL', 's3://B_cket'],
    ['APPCTL_STORAGE_URL', 's3://key:geheim@bucket'],
    ['APPCTL_STORAGE_URL', 's3://bucket/%2e%2e%2f'],
    ['APPCTL_STORAGE_URL', 's3://bucket/ümlaut'],
    ['APPCTL_STORAGE_URL', 's3://bucket?zone=1'],
    ['APPCTL_STORAGE_URL', 's3://bucket?region=EU Central'],
    ['APPCTL_STORAGE_URL', 's3://bucket?endpoint=minio:9000'],
    ['APPCTL_STORAGE_URL', 's3://bucket?endpoint=http://key:geheim@minio'],
    ['APPCTL_UPLOAD_LIMIT', '2 gigs'],
    ['APPCTL_UPLOAD_LIMIT', '-1'],
    ['APPCTL_TRUST_PROXY', '10.0.0.0/33'],
    ['APPCTL_DATABASE_URL', 'mysql://x'],
    ['APPCTL_DATABASE_URL', 'sqlite:'],
    ['APPCTL_DATABASE_POOL', '0'],
    ['APPCTL_LOG_LEVEL', 'loud'],
    ['APPCTL_JOBS', 'maybe'],
    ['APPCTL_JOBS_TIMEZONE', 'Mars/Base'],
    ['APPCTL_BASE_URL', 'ftp://x.test'],
    ['APPCTL_BASE_URL', 'https://x.test/sub'],
    ['APPCTL_TENANT', 'No Slug'],
    ['APPCTL_BACKUP_SCHEDULE', 'daily'],
    ['APPCTL_BACKUP_SCHEDULE', '0 3 * * * *'],
    ['APPCTL_BACKUP_SCHEDULE', '*/0 * * * *'],
    ['APPCTL_BACKUP_SCHEDULE', '0 3 30 feb *'],
    ['APPCTL_BACKUP_SCHEDULE', '0 3 * * someday'],
    ['APPCTL_BACKUP_ENCRYPT_TO', 'age1xyz'],
    ['APPCTL_BACKUP_ENCRYPT_TO', ','],
    ['APPCTL_UPDATE_PUBKEY', 'abc'],
    ['APPCTL_UPDATE_PUBKEY', 'A'.repeat(43)],
    ['APPCTL_UPDATE_PUBKEY', 'A'.repeat(60)],
  ])('%s=%j is refused', async (name, text) => {
    const row = configTable.find(({ env }) => env === name);
    expect(await problemsOf({ env: { [name]: text } })).toMatchObject([{ key: row?.key }]);
  });

  test('a schedule that jobs could not follow is refused by its field', async () => {
    for (const [text, why] of [
      ['99 * * * *', 'minute must be 0 to 59, not 99'],
      ['0 24 * * *', 'hour must be 0 to 23, not 24'],
      ['0 3 * 2-x *', 'month must be 1 to 12, not 2-x'],
      ['0 3 30,31 2 *', 'month 2 has no day 30,31'],
    ] as const)
      expect(await problemsOf({ env: { APPCTL_BACKUP_SCHEDULE: text } })).toEqual([
        {
          key: 'backup.schedule',
          message: `"${text}" is not a valid schedule: ${why} (APPCTL_BACKUP_SCHEDULE)`,
          hint: expect.stringContaining('or off'),
        },
      ]);
  });

  test.each([
    '*/15 * * * *',
    '0 3 * * Mon-fri',
    '0 3 * * saturday,0',
    '0 22-3/2 L JAN,7 *',
    '0 3 15W * *',
    '5,10-20/5 3 29 2 *',
  ])('the schedule %s is accepted, and jobs follow it', async (expression) => {
    const { config } = await load({ env: { APPCTL_BACKUP_SCHEDULE: expression } });
    expect(config.backup.schedule).toBe(expression);
    const next = await nextRun({ expression, timeZone: 'UTC' }, '2026-01-01T00:00:00.000Z');
    expect(next > '2026-01-01').toBe(true);
  });

  test('a public key to encrypt to is what the age library takes, and a private one is not repeated', async () => {
    const { identity, recipient } = await newIdentity();
    const hybrid = await identityToRecipient(await generateHybridIdentity());
    const encryptTo = async (text: string) =>
      (await load({ env: { APPCTL_BACKUP_ENCRYPT_TO: text } })).config.backup.encryptTo;
    expect(await encryptTo(`${recipient}, ${hybrid},`)).toEqual([recipient, hybrid]);
    const at = recipient.length - 10;
    const slip = `${recipient.slice(0, at)}${recipient[at] === 'q' ? 'p' : 'q'}${recipient.slice(at + 1)}`;
    for (const wrong of [slip, recipient.slice(0, -1), recipient.toUpperCase(), `${recipient},age1foo`])
      expect(await problemsOf({ env: { APPCTL_BACKUP_ENCRYPT_TO: wrong } })).toMatchObject([
        { key: 'backup.encrypt_to', message: expect.stringContaining('is not a public key to encrypt to') },
      ]);
    const told = JSON.stringify(await problemsOf({ env: { APPCTL_BACKUP_ENCRYPT_TO: identity } }));
    expect(told).toContain('a private key is not');
    expect(told).not.toContain(identity.slice(20));
  });

  test('a public key of releases is base64 of its bytes or its DER, or PEM on one line', async () => {
    const { publicKey } = signingKeyOf(generateSeed());
    const der = publicKeyToDer(publicKey).toString('base64');
    const pem = `-----BEGIN PUBLIC KEY-----${der}-----END PUBLIC KEY-----`;
    const forms = [publicKey.toString('base64'), der, pem];
    const { config } = await load({ env: { APPCTL_UPDATE_PUBKEY: forms.join(', ') } });
    expect(config.update.pubkeys).toEqual(forms);
    expect(await problemsOf({ env: { APPCTL_UPDATE_PUBKEY: `${forms[0]},abc` } })).toEqual([
      {
        key: 'update.pubkey',
        message: '"abc" is not an Ed25519 public key (APPCTL_UPDATE_PUBKEY)',
        hint: expect.stringContaining('base64'),
      },
    ]);
  });

  test.each([
    ['APPCTL_BASE_URL', 'https://a.example\n.com', 'base_url', 'contains a line feed'],
    ['APPCTL_BASE_URL', 'https://a.example\n', 'base_url', 'contains a line feed'],
    ['APPCTL_DATA_DIR', 'da\tta', 'data_dir', 'contains the control character U+0009'],
    ['APPCTL_SERVICE_NAME', 'a\x1b[2J', 'service_name', 'contains the control character U+001B'],
    ['APPCTL_SERVICE_NAME', 'a\u0085b', 'service_name', 'contains the control character U+0085'],
    ['APPCTL_TRUST_PROXY', '10.0.0.1,\r\n10.0.0.2', 'proxy.trust', 'contains the control character U+000D'],
    ['APPCTL_MASTER_KEY', 'geheim\n', 'secret.master_key', 'has a value that is not accepted'],
    ['APPCTL_KEY_PASSPHRASE', 'ge\nheim', 'key_passphrase', 'has a value that is not accepted'],
  ])('%s=%j: control characters are refused, wherever they stand', async (name, text, key, message) => {
    const problems = await problemsOf({ env: { [name]: text } });
    expect(problems).toEqual([
      { key, message: `${message} (${name})`, hint: expect.stringContaining('one line') },
    ]);
  });

  test('control characters are refused in the file and in flags, and the lines that end a secret file are not meant', async () => {
    file('appctl.toml', 'service_name = "a\\nb"\n');
    expect(await problemsOf({})).toMatchObject([{ key: 'service_name' }]);
    file('appctl.toml', '');
    expect(await problemsOf({ flags: { '--base-url': 'https://a.example\n' } })).toMatchObject([
      { key: 'base_url' },
    ]);
    file('name', ' shop\r\n\n');
    const { config } = await load({ env: { APPCTL_SERVICE_NAME_FILE: join(cwd(), 'name') } });
    expect(config.serviceName).toBe('shop');
  });

  test('every problem is reported, and no secret in one', async () => {
    const problems = await problemsOf({
      env: { APPCTL_LISTEN: 'x', APPCTL_WORKERS: 'y', APPCTL_DATABASE_URL: 'http://user:hunter2@x' },
    });
    expect(problems.map(({ key }) => key)).toEqual(['listen', 'database.url', 'workers']);
    expect(JSON.stringify(problems)).not.toContain('hunter2');
  });
});

describe('an env file', () => {
  const sound = [
    '# A comment',
    '; one of systemd',
    '',
    'export APPCTL_TENANT=t1',
    '  APPCTL_SERVICE_NAME = "shop" # ours',
    "OTHER='two",
    "lines'",
    `APOSTROPHE="it's"`,
    'LONG=one \\',
    '  two',
  ].join('\r\n');

  test('sets variables, also in quotes and with export', async () => {
    const { entries } = await load({ env: { APPCTL_ENV_FILE: file('a.env', `${sound}\n`) } });
    expect([entries.tenant.value, entries.service_name.value]).toEqual(['t1', 'shop']);
  });

  test('is refused for a line that sets nothing, by its number and not by what it says', async () => {
    const path = file('a.env', `${sound}\r\nAPPCTL_METRICS_TOKEN geheim\r\nAPPCTL_WORKERS=2\n`);
    const problems = await problemsOf({ env: { APPCTL_ENV_FILE: path } });
    expect(problems).toEqual([
      { key: path, message: 'line 11 has no "="', hint: expect.stringContaining('NAME=value') },
    ]);
    const open = file('b.env', 'OTHER="never closed\nAPPCTL_WORKERS 3\n');
    expect(await problemsOf({ flags: { '--env-file': open } })).toMatchObject([
      { key: open, message: 'line 2 has no "="' },
    ]);
  });
});

describe('rules between keys', () => {
  test.each(['stripe', 'square', 'paypal'])(
    'payments by %s go to this machine, or with --dev anywhere',
    async (id) => {
      const name = `APPCTL_${id.toUpperCase()}_API_URL`;
      const env = { [name]: 'https://payments.example.com' };
      expect(await problemsOf({ env })).toEqual([
        {
          key: `processors.${id}.url`,
          message: 'https://payments.example.com is not on this machine',
          hint: expect.stringContaining('--dev'),
        },
      ]);
      const tried = await load({ env, flags: { '--dev': 'development' } });
      expect([...tried.config.processorUrls]).toEqual([[id, 'https://payments.example.com']]);
      for (const url of ['http://127.0.0.1:9000', 'http://localhost:9000', 'http://[::1]:9000'])
        expect((await load({ env: { [name]: url } })).config.processorUrls.get(id)).toBe(url);
      expect([...(await load({})).config.processorUrls]).toEqual([]);
    },
  );

  test('plain http in production needs insecure_http, unless it is this machine', async () => {
    const env = { APPCTL_BASE_URL: 'http://shop.example.com' };
    expect(await problemsOf({ env })).toMatchObject([{ key: 'base_url' }]);
    expect((await load({ env: { ...env, APPCTL_INSECURE_HTTP: 'yes' } })).config.baseUrl).toBe(
      env.APPCTL_BASE_URL,
    );
    expect((await load({ env, flags: { '--dev': true } })).config.mode).toBe('development');
    expect((await load({ env: { APPCTL_BASE_URL: 'http://localhost:1' } })).config.baseUrlIsSet).toBe(true);
    expect((await load({ env: { APPCTL_LISTEN: ':81' } })).config.baseUrl).toBe('http://127.0.0.1:81');
  });

  const served = async (env: Record<string, string>) => servingProblems((await load({ env })).config);
  const https = { APPCTL_BASE_URL: 'https://license.example.com' };
  const tlsPair = { APPCTL_TLS_CERT: 'a', APPCTL_TLS_KEY: 'b' };

  test.each([
    ['0.0.0.0:80', {}],
    [':80', {}],
    ['[::]:80', {}],
    ['192.168.1.5:80', {}],
    ['license.example.com:80', {}],
    ['127.0.0.1:80,10.0.0.1:80', {}],
    [':80', https],
    [':80', { APPCTL_TRUST_PROXY: '1' }],
    [':80', { ...https, APPCTL_TRUST_PROXY: '0' }],
    ['[::2]:80', {}],
    [':80', { APPCTL_BASE_URL: 'http://localhost', APPCTL_TRUST_PROXY: '1' }],
  ] as [string, Record<string, string>][])(
    '%s with %j is not served: it is plain HTTP beyond this machine',
    async (listen, env) => {
      const problems = await served({ APPCTL_LISTEN: listen, ...env });
      const shown = listen.split(',').at(-1);
      expect(problems).toEqual([
        {
          key: 'listen',
          message: expect.stringContaining(`reach ${shown} over plain HTTP`),
          hint: expect.stringContaining('APPCTL_INSECURE_HTTP=on'),
        },
      ]);
    },
  );

  test.each([
    ['8480', {}],
    ['127.0.0.9:80,localhost:81,[::1]:82', {}],
    ['LOCALHOST:80,[0:0:0:0:0:0:0:1]:81,[::ffff:127.0.0.1]:82', {}],
    ['unix:/run/a.sock', {}],
    ['fd:3', {}],
    [':80', { ...https, APPCTL_TRUST_PROXY: '1' }],
    [':80', { ...https, APPCTL_TRUST_PROXY: '10.0.0.0/8' }],
    [':443', tlsPair],
    [':80', { APPCTL_INSECURE_HTTP: 'on' }],
    [':80', { APPCTL_MODE: 'development' }],
  ] as [string, Record<string, string>][])('%s with %j is served', async (listen, env) => {
    expect(await served({ APPCTL_LISTEN: listen, ...env })).toEqual([]);
  });

  const acme = {
    APPCTL_BASE_URL: 'https://license.example.com',
    APPCTL_TLS_ACME: 'on',
    APPCTL_TLS_ACME_AGREE_TOS: 'letsencrypt.org',
  };

  test('a certificate authority is asked for the host of base_url by those who agreed to its terms', async () => {
    const { config } = await load({ env: { ...acme, APPCTL_TLS_REDIRECT_LISTEN: ':80' } });
    const file = join(config.dataDir, 'acme/license.example.com.pem');
    expect(config.tls).toMatchObject({
      certFile: file,
      keyFile: file,
      acme: { name: 'license.example.com' },
    });
    expect(config.redirectListen).toEqual([{ kind: 'tcp', host: null, port: 80 }]);
    expect(servingProblems({ ...config, listen: [{ kind: 'tcp', host: null, port: 443 }] })).toEqual([]);
  });

  test.each([
    ['tls.acme_agree_tos', { APPCTL_TLS_ACME_AGREE_TOS: '' }, 'letsencrypt.org'],
    ['tls.acme_agree_tos', { APPCTL_TLS_ACME_AGREE_TOS: 'yes' }, 'letsencrypt.org'],
    ['tls.acme_agree_tos', { APPCTL_TLS_ACME_AGREE_TOS: 'org' }, 'letsencrypt.org'],
    ['tls.acme_agree_tos', { APPCTL_TLS_ACME_DIRECTORY: 'https://ca.example.net/dir' }, 'ca.example.net'],
    ['tls.acme_directory', { APPCTL_TLS_ACME_DIRECTORY: 'http://x.letsencrypt.org/dir' }, 'https:'],
    ['tls.acme_email', { APPCTL_TLS_ACME_EMAIL: 'ops' }, 'ops@example.com'],
    ['base_url', { APPCTL_BASE_URL: '' }, 'base_url'],
    ['base_url', { APPCTL_BASE_URL: 'https://192.0.2.1' }, 'base_url'],
    ['base_url', { APPCTL_BASE_URL: 'https://[2001:db8::1]' }, 'base_url'],
    ['base_url', { APPCTL_BASE_URL: 'https://localhost' }, 'base_url'],
    ['base_url', { APPCTL_BASE_URL: 'https://server' }, 'base_url'],
    ['base_url', { APPCTL_BASE_URL: 'http://localhost' }, 'base_url'],
    ['tls.acme', tlsPair, 'tls.cert'],
  ] as [string, Record<string, string>, string][])('%s is refused with %j', async (key, env, cure) => {
    expect(await problemsOf({ env: { ...acme, ...env } })).toMatchObject([
      { key, hint: expect.stringContaining(cure) },
    ]);
  });

  test('a redirect leads to https', async () => {
    const env = { APPCTL_TLS_REDIRECT_LISTEN: '8080' };
    expect(await problemsOf({ env })).toMatchObject([{ key: 'tls.redirect_listen' }]);
    const plain = { ...env, ...tlsPair, APPCTL_BASE_URL: 'http://localhost' };
    expect(await problemsOf({ env: plain })).toMatchObject([{ key: 'tls.redirect_listen' }]);
    expect((await load({ env: { ...env, ...tlsPair } })).config.redirectListen).toHaveLength(1);
  });

  test('half of TLS, limiters without Postgres, and more processes than there may be', async () => {
    expect(await problemsOf({ flags: { '--tls-cert': 'a' } })).toMatchObject([{ key: 'tls.key' }]);
    const developing = { APPCTL_WORKERS: '2', APPCTL_MODE: 'development' };
    expect(await problemsOf({ env: developing })).toMatchObject([{ key: 'workers' }]);
    expect(await problemsOf({ env: { APPCTL_WORKERS: '65' } })).toMatchObject([{ key: 'workers' }]);
    expect((await load({ env: { APPCTL_WORKERS: '2' } })).config.workers).toBe(2);
    expect(await problemsOf({ env: { APPCTL_RATE_LIMIT_STORE: 'postgres' } })).toMatchObject([
      { key: 'rate_limit.store' },
    ]);
    const tls = await load({ flags: { '--tls-cert': 'a', '--tls-key': 'b' } });
    expect(tls.config.baseUrl).toBe('https://127.0.0.1:8480');
  });
});

describe('showing', () => {
  test('secrets and the passwords of URLs are masked', () => {
    const shown = (key: ConfigKeyName, value: string) =>
      maskEntry(key, { value, source: 'env', name: 'X' }).value;
    expect(shown('secret.master_key', 'abc')).toBe('****');
    expect(shown('database.url', 'postgres://u:p@h/d')).toBe('postgres://u:****@h/d');
    expect(shown('update.url', 'https://u:p@h/d?access_token=x&channel=a')).toBe(
      'https://u:****@h/d?access_token=****&channel=a',
    );
    expect(shown('update.url', 'https://h/d?sig=x&X-Amz-Signature=y')).toBe(
      'https://h/d?sig=****&X-Amz-Signature=****',
    );
    expect(shown('service_name', 'abc')).toBe('abc');
    expect(maskUrlPassword('postgres://u:a:b@h/d?password=x&sslmode=require')).toBe(
      'postgres://u:****@h/d?password=****&sslmode=require',
    );
    expect(maskUrlPassword('sqlite:/a/b@c:d@e.db')).toBe('sqlite:/a/b@c:d@e.db');
  });

  test('a copy of the file for others has no address with a secret', async () => {
    const path = file('appctl.toml', '[update]\nurl = "https://u:SECRET@h/d"\nchannel = "rc"\n');
    const { text, leftOut } = await withoutSecrets(path);
    expect(leftOut).toEqual(['update.url']);
    expect(text).toContain('channel = "rc"');
    expect(text).not.toContain('SECRET');
    const open = file('appctl.toml', '[update]\nurl = "https://h/d"\n');
    expect((await withoutSecrets(open)).text).toContain('url = "https://h/d"');
  });

  test.each([
    ['postgres://u:pa/SECRET@h/d', 'postgres://u:****@h/d'],
    ['postgres://u:5/SECRET@h/d', 'postgres://u:****@h/d'],
    ['postgres://u:a@SECRET/x@h:1/d', 'postgres://u:****@h:1/d'],
    ['postgres://u:pa#SECRET@h/d', 'postgres://u:****@h/d'],
    ['postgres://u:pa?SECRET@h/d', 'postgres://u:****@h/d'],
    ['postgres://me@corp:SECRET@h/d', 'postgres://me@corp:****@h/d'],
    ['postgres://u:SECRET@h1:5432,h2:5432/d', 'postgres://u:****@h1:5432,h2:5432/d'],
    ['postgres://u@h1:1,h2:2/d?password=a@SECRET', 'postgres://u@h1:****@'],
    ['postgres://u:SECRET?password=SECRET@h/d', 'postgres://u:****@'],
    ['u:SECRET@h/d', 'u:****@h/d'],
    ['postgres:u:SECRET@h/d', 'postgres:****@h/d'],
    ["host=h password = 'a SECRET' user=u", 'host=h password =****'],
    ['host=h password=a#SECRET&SECRET', 'host=h password=****'],
    ['postgres://u@h/d', 'postgres://u@h/d'],
    ['postgres://u@h:5432/d?sslmode=require', 'postgres://u@h:5432/d?sslmode=require'],
  ])('nothing of the password in %s is shown', (text, shown) => {
    expect(maskUrlPassword(text)).toBe(shown);
    expect(maskUrlPassword(shown)).toBe(shown);
  });

  test.each([
    'postgres://u:5/SECRET@h/d',
    'postgres://u:5?SECRET@h/d',
    'postgres://u:p@h/d#SECRET',
    'postgres://u:SECRET@a:1,b:2/d',
    'host=h password=SECRET',
  ])('%s is refused as a database with what cures it, and not printed', async (text) => {
    const [problem, ...more] = await problemsOf({ flags: { '--db': text } });
    expect(more).toEqual([]);
    expect(problem).toMatchObject({ key: 'database.url', hint: expect.stringContaining('percent-encode') });
    expect(JSON.stringify(problem)).not.toContain('SECRET');
  });

  test('a password in a flag is warned of, whatever part of the address holds it', async () => {
    const warnings = async (text: string) => (await load({ flags: { '--db': text } })).warnings;
    const said = [
      {
        key: 'database.url',
        message: 'other users of this machine can see the password in --db',
        hint: 'use APPCTL_DATABASE_URL_FILE',
      },
    ];
    expect(await warnings('postgres://u:p@h/d')).toEqual(said);
    expect(await warnings('postgres://u@h/d?password=p')).toEqual(said);
    expect(await warnings('postgres://u@h/d')).toEqual([]);
    expect((await load({ env: { APPCTL_DATABASE_URL: 'postgres://u:p@h/d' } })).warnings).toEqual([]);
  });

  test('the written file loads, as it is and with every default uncommented', async () => {
    file('appctl.toml', renderConfigFile(new Map([['listen', '9000']]), true));
    const { config, entries } = await load();
    expect(config.listen).toEqual([{ kind: 'tcp', host: '127.0.0.1', port: 9000 }]);
    expect(entries.workers.source).toBe('default');
    const before = await load({ flags: { '--listen': '9000' } });
    const all = renderConfigFile(new Map(), true).replace(/^# ([a-z0-9_]+ = )(?!"\/path")/gm, '$1');
    file('appctl.toml', all.replace(/^([a-z0-9_]+_file) = .*$/gm, ''));
    const uncommented = await load({ flags: { '--listen': '9000', '--base-url': before.config.baseUrl } });
    // Of both it is told who gave them.
    const { baseUrlIsSet, databaseGiven } = before.config;
    expect({ ...uncommented.config, baseUrlIsSet, databaseGiven }).toEqual(before.config);
  });
});
