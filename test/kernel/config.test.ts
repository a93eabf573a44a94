import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { locateFiles } from '#kernel/config/load.ts';
import { type ConfigInput, readServiceVariables, variablesBeside } from '#kernel/config/sources.ts';
import { type ConfigKeyName, configTable } from '#kernel/config/table.ts';
import { useConfigFolder } from '../support/config-folder.ts';

const { cwd, file, load, problemsOf } = useConfigFolder();
const entry = async (key: ConfigKeyName, input: ConfigInput = {}) => (await load(input)).entries[key];

describe('layers', () => {
  test('flag > variable > file named by _FILE > config file > default, each with its source', async () => {
    const name = 'service_name';
    expect(await entry(name)).toEqual({ value: 'appctl', source: 'default', name: 'default' });
    const path = file('appctl.toml', 'service_name = "from-toml"\nlisten = 1234\n');
    expect(await entry(name)).toEqual({ value: 'from-toml', source: 'file', name: path });
    const env = { APPCTL_SERVICE_NAME_FILE: file('name', 'from-file\n') };
    expect(await entry(name, { env })).toEqual({
      value: 'from-file',
      source: 'env_file',
      name: 'APPCTL_SERVICE_NAME_FILE',
    });
    const direct = { APPCTL_SERVICE_NAME: 'from-env' };
    expect(await entry(name, { env: direct })).toEqual({
      value: 'from-env',
      source: 'env',
      name: 'APPCTL_SERVICE_NAME',
    });
    const flags = { '--listen': '7' };
    const over = await entry('listen', { env: { APPCTL_LISTEN: '8' }, flags });
    expect(over).toEqual({ value: '127.0.0.1:7', source: 'flag', name: '--listen' });
  });

  test('a key file that other users may open is told of, and read', async () => {
    const path = file('api.key', 'adm_x\n');
    const flags = { '--api-key-file': path };
    chmodSync(path, 0o640);
    const open = await load({ flags });
    expect(open.config.apiKey).toBe('adm_x');
    expect(open.warnings).toEqual([
      {
        key: 'api_key',
        message: `${path} is open to other users (mode 0640)`,
        hint: `run chmod 600 ${path}`,
      },
    ]);
    chmodSync(path, 0o600);
    expect((await load({ flags })).warnings).toEqual([]);
    expect((await load({ flags: { '--api-key-file': '/dev/null' } })).warnings).toEqual([]);
  });

  test.each(configTable.map((row) => [row.key, row] as const))(
    '%s is read from its variable',
    async (key, row) => {
      const text = sampleOf(row.kind);
      const env = { [row.env]: text, ...pairOf(key), ...companionOf(key) };
      expect(await entry(key, { env })).toMatchObject({ source: 'env', name: row.env });
      const viaFile = { ...env, [row.env]: undefined, [`${row.env}_FILE`]: file('value', `${text}\n`) };
      expect(await entry(key, { env: viaFile })).toMatchObject({
        source: 'env_file',
        name: `${row.env}_FILE`,
      });
    },
  );

  test('X and X_FILE together: X wins, one warning', async () => {
    const env = { APPCTL_SERVICE_NAME: 'direct', APPCTL_SERVICE_NAME_FILE: file('name', 'other') };
    const { config, warnings } = await load({ env });
    expect(config.serviceName).toBe('direct');
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatchObject({
      key: 'APPCTL_SERVICE_NAME',
      hint: 'remove APPCTL_SERVICE_NAME_FILE',
    });
  });

  test('an env file fills variables that are not set, and is named only', async () => {
    file('.env', 'APPCTL_SERVICE_NAME=dotenv');
    expect((await load()).config.serviceName).toBe('appctl');
    const path = file('my.env', 'APPCTL_SERVICE_NAME=filled\nAPPCTL_TENANT=t1\n');
    const { entries, files } = await load({ env: { APPCTL_ENV_FILE: path, APPCTL_TENANT: 't2' } });
    expect(entries.service_name).toEqual({ value: 'filled', source: 'env', name: 'APPCTL_SERVICE_NAME' });
    expect(entries.tenant.value).toBe('t2');
    expect(files.envFile).toBe(path);
    const [problem] = await problemsOf({ flags: { '--env-file': 'nowhere' } });
    expect(problem).toMatchObject({ key: '--env-file' });
  });

  test('the configuration of a service has its variables beside it', () => {
    expect(variablesBeside('/etc/appctl/appctl.toml')).toBe('/etc/appctl/appctl.env');
    expect(variablesBeside('/etc/shop/appctl.toml')).toBe('/etc/shop/appctl.env');
    const others = [
      null,
      '/etc/appctl.toml',
      '/etc/appctl/other.toml',
      '/srv/appctl/appctl.toml',
      '/etc/a/b/appctl.toml',
    ];
    expect(others.map(variablesBeside)).toEqual(others.map(() => null));
    const path = file('appctl.env', 'APPCTL_SERVICE_NAME=served\nAPPCTL_TENANT=t1\n');
    expect(readServiceVariables({ APPCTL_TENANT: 't2' }, path, [])).toEqual({
      env: { APPCTL_SERVICE_NAME: 'served', APPCTL_TENANT: 't2' },
      path,
      variables: { APPCTL_SERVICE_NAME: 'served', APPCTL_TENANT: 't1' },
    });
    const env = { APPCTL_TENANT: 't2' };
    for (const none of [null, `${path}.missing`])
      expect(readServiceVariables(env, none, [])).toEqual({ env, path: null, variables: {} });
  });

  test('an empty variable counts as not set, except for a passphrase', async () => {
    const env = { APPCTL_SERVICE_NAME: '', APPCTL_KEY_PASSPHRASE: '', APPCTL_METRICS_TOKEN: ' ' };
    const { config } = await load({ env });
    expect([config.serviceName, config.keyPassphrase, config.metrics.token]).toEqual([
      'appctl',
      '',
      undefined,
    ]);
    expect((await load()).config.keyPassphrase).toBeUndefined();
  });

  test('the config file is the first of its places', async () => {
    const places = ['etc/appctl/appctl.toml', 'data/appctl.toml', 'appctl.toml', 'named.toml'];
    for (const [index, place] of places.entries()) {
      file(place, `service_name = "place-${index}"`);
      const env = {
        XDG_CONFIG_HOME: join(cwd(), 'etc'),
        ...(index === 3 ? { APPCTL_CONFIG: 'named.toml' } : {}),
      };
      expect((await load({ env })).config.serviceName).toBe(`place-${index}`);
    }
    const files = await locateFiles({
      cwd: cwd(),
      env: { HOME: cwd() },
      flags: { '--config': 'named.toml' },
    });
    expect(files.config).toBe(join(cwd(), 'named.toml'));
    expect(await problemsOf({ flags: { '--config': 'missing.toml' } })).toMatchObject([{ key: '--config' }]);
  });

  test('a file that is no TOML is told with the line, not with what stands in it', async () => {
    const path = file('appctl.toml', 'listen = 9000\nbase_url = "SECRET\n');
    const [problem, ...others] = await problemsOf({});
    expect(others).toEqual([]);
    expect(problem).toMatchObject({
      key: path,
      message: expect.stringMatching(/^is not valid TOML: line 2: /),
    });
    expect(JSON.stringify(problem)).not.toContain('SECRET');
  });

  test('data_dir: $STATE_DIRECTORY before ./data', async () => {
    expect((await load()).config.dataDir).toBe(join(cwd(), 'data'));
    const { config, entries } = await load({ env: { STATE_DIRECTORY: '/var/lib/a:/var/lib/b' } });
    expect(config.dataDir).toBe('/var/lib/a');
    expect(config.database.url).toBe('sqlite:/var/lib/a/appctl.db');
    expect(entries.data_dir).toMatchObject({ source: 'default', name: 'STATE_DIRECTORY' });
  });

  test('the master key: variable, _FILE, credential, TOML', async () => {
    file('appctl.toml', `[secret]\nmaster_key_file = "${file('toml.key', 'from-toml\n')}"`);
    expect((await load()).config.masterKey).toBe('from-toml');
    file('cred/master-key', 'from-credential\n');
    const env = { CREDENTIALS_DIRECTORY: join(cwd(), 'cred') };
    expect((await load({ env })).config.masterKey).toBe('from-credential');
    const withFile = { ...env, APPCTL_MASTER_KEY_FILE: file('env.key', 'from-file') };
    expect((await load({ env: withFile })).config.masterKey).toBe('from-file');
    expect((await load({ env: { ...withFile, APPCTL_MASTER_KEY: 'direct' } })).config.masterKey).toBe(
      'direct',
    );
  });

  test('settings are pinned by the environment', async () => {
    const env = { APPCTL_SETTING_STORE_NAME: 'Shop', APPCTL_SETTING_WEBHOOKS__TIMEOUT: '5' };
    const { config, warnings } = await load({ env });
    expect([...config.settingPins]).toEqual([
      ['store_name', { text: 'Shop', by: 'APPCTL_SETTING_STORE_NAME' }],
      ['webhooks.timeout', { text: '5', by: 'APPCTL_SETTING_WEBHOOKS__TIMEOUT' }],
    ]);
    expect(warnings).toEqual([]);
  });

  test('settings are pinned by the keys that say so, wherever those are set', async () => {
    const setting = 'webhooks.allowed_private_cidrs';
    const env = { APPCTL_WEBHOOK_ALLOW_PRIVATE: '10.1.0.0/16, fd00::/8' };
    const { config } = await load({ env });
    const text = '10.1.0.0/16,fd00::/8';
    expect([...config.settingPins]).toEqual([[setting, { text, by: 'APPCTL_WEBHOOK_ALLOW_PRIVATE' }]]);
    const both = await load({ env: { ...env, APPCTL_SETTING_WEBHOOKS__ALLOWED_PRIVATE_CIDRS: '[]' } });
    expect(both.config.settingPins.get(setting)?.text).toBe(text);
    expect(both.warnings).toMatchObject([
      { key: 'APPCTL_WEBHOOK_ALLOW_PRIVATE', hint: 'remove APPCTL_SETTING_WEBHOOKS__ALLOWED_PRIVATE_CIDRS' },
    ]);
    const path = file('appctl.toml', '[webhook]\nallow_private = "127.0.0.1"');
    const by = `webhook.allow_private in ${path}`;
    expect([...(await load()).config.settingPins]).toEqual([[setting, { text: '127.0.0.1/32', by }]]);
    const [problem] = await problemsOf({ env: { APPCTL_WEBHOOK_ALLOW_PRIVATE: 'fe80::1%eth0' } });
    expect(problem).toMatchObject({ key: 'webhook.allow_private' });
  });
});

describe('names', () => {
  test('a near miss is an error that names the known one, anything else one warning', async () => {
    for (const [wrong, right] of [
      ['APPCTL_LISTE', 'APPCTL_LISTEN'],
      ['APPCTL_DATABSE_URL', 'APPCTL_DATABASE_URL'],
      ['APPCTL_MASTER_KEY_FLE', 'APPCTL_MASTER_KEY_FILE'],
    ]) {
      const [problem] = await problemsOf({ env: { [wrong!]: 'x' } });
      expect(problem).toMatchObject({ key: wrong, hint: `rename it to ${right}` });
    }
    const { warnings } = await load({ env: { APPCTL_SOMETHING_ELSE: 'x', OTHER: 'y' } });
    expect(warnings.map(({ key }) => key)).toEqual(['APPCTL_SOMETHING_ELSE']);
  });

  test.each([
    ['lisen = "8480"', 'lisen', 'did you mean listen?'],
    ['[database]\nurll = "x"', 'database.urll', 'did you mean database.url?'],
    ['[nothing]', 'nothing', 'appctl config init --full lists every key'],
    ['server = "http://x.test"', 'server', 'appctl config init --full lists every key'],
    ['listen_file = "x"', 'listen_file', 'appctl config init --full lists every key'],
    ['"__proto__" = "x"', '__proto__', 'appctl config init --full lists every key'],
  ])('unknown TOML key: %j', async (text, key, hint) => {
    file('appctl.toml', text);
    expect(await problemsOf({})).toMatchObject([{ key, hint }]);
  });

  test('TOML with a syntax error or a value of the wrong type', async () => {
    const path = file('appctl.toml', 'listen = ');
    expect(await problemsOf({})).toMatchObject([{ key: path }]);
    file('appctl.toml', 'service_name = 2026-01-01\n');
    expect(await problemsOf({})).toMatchObject([{ key: 'service_name' }]);
  });

  test('TOML takes numbers, switches and lists', async () => {
    file(
      'appctl.toml',
      'listen = [8480, "unix:/run/a.sock"]\n[jobs]\nenabled = false\n[database]\npool = 3\n',
    );
    const { config } = await load();
    expect(config.listen).toEqual([
      { kind: 'tcp', host: '127.0.0.1', port: 8480 },
      { kind: 'unix', path: '/run/a.sock' },
    ]);
    expect([config.jobs.enabled, config.database.pool]).toEqual([false, 3]);
  });
});

const tlsPair = { APPCTL_TLS_CERT: '/cert.pem', APPCTL_TLS_KEY: '/key.pem' };

const agreed = { APPCTL_BASE_URL: 'https://x.test', APPCTL_TLS_ACME_AGREE_TOS: 'letsencrypt.org' };
const s3Pair = { APPCTL_S3_ACCESS_KEY_ID: 'text', APPCTL_S3_SECRET_ACCESS_KEY: 'text' };

const pairOf = (key: string): Record<string, string> =>
  key === 'tls.acme'
    ? agreed
    : key.startsWith('tls.')
      ? tlsPair
      : key.startsWith('storage.s3_')
        ? s3Pair
        : {};

/** Some keys are accepted only together with others. */
function companionOf(key: string): Record<string, string> {
  if (key.startsWith('processors.')) return { APPCTL_MODE: 'development' };
  return key === 'rate_limit.store' ? { APPCTL_DATABASE_URL: 'postgres://u@h/d' } : {};
}

function sampleOf(kind: string): string {
  const samples: Record<string, string> = {
    switch: 'on',
    count: '1',
    milliseconds: '10',
    seconds: '10',
    size: '5mb',
    listen: '8480',
    baseUrl: 'https://x.test',
    email: 'ops@x.test',
    serverUrl: 'https://x.test',
    databaseUrl: 'sqlite:x.db',
    storageUrl: 's3://bucket',
    schedule: '30 4 * * 1',
    recipients: 'age1mr5zkg2zkstpp9c3fvsryxpa0v0gaa4jdh4t5ntkc89t54csddfqvuymnd',
    publicKeys: 'NPEFymhDkG4Ow2UAB4bMHmQy4XnjPMVQvTPJxnPNFEo=',
    keep: '1,2,3',
    mailUrl: 'smtp://mail.test',
    cidrs: '10.0.0.0/8',
    trust: '1',
    timeZone: 'Europe/Berlin',
    mode: 'development',
    autoMigrate: 'yes',
    logLevel: 'warn',
    logFormat: 'json',
    limiterStore: 'postgres',
    updateChannel: 'beta',
  };
  return samples[kind] ?? 'text';
}
