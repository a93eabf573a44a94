import { chmodSync, existsSync, readFileSync, statSync } from 'node:fs';
import {
  type Check,
  type CheckScope,
  type Finding,
  fail,
  ok,
  onConfig,
  onSchema,
  warn,
} from '#kernel/check.ts';
import type { Config } from '#kernel/config/config.ts';
import { ConfigError } from '#kernel/config/errors.ts';
import { formatListenAddress, isLoopback } from '#kernel/config/listen.ts';
import { maskUrlPassword } from '#kernel/config/mask.ts';
import { plainHttpAddress, reachesOthers, servingProblems } from '#kernel/config/serving.ts';
import { findConfigKey } from '#kernel/config/table.ts';
import { readServedAt } from '../installation/index.ts';
import { readOwnLanguages } from '../languages/index.ts';

/** Keys whose secret stands in the config file itself. */
function secretsInFile({ entries, configFile }: CheckScope): string[] {
  const text = configFile !== null && existsSync(configFile) ? readFileSync(configFile, 'utf8') : '';
  return Object.entries(entries).flatMap(([key, { source, value }]) => {
    const { secret } = findConfigKey(key) ?? {};
    if (secret === undefined || source !== 'file' || value === null) return [];
    // The configuration may only name the file that holds the secret, as `secret.master_key_file` does.
    if (!new RegExp(`\\b${key.split('.').at(-1)}\\s*=`).test(text)) return [];
    return secret === 'value' || maskUrlPassword(String(value)) !== value ? [key] : [];
  });
}

function worldReadable({ configFile }: CheckScope): string | null {
  if (configFile === null || process.platform === 'win32') return null;
  return ((statSync(configFile, { throwIfNoEntry: false })?.mode ?? 0) & 0o007) === 0 ? null : configFile;
}

function checkEncryption(config: Config): Finding {
  const [problem] = servingProblems(config);
  if (problem) return fail(problem.message, problem.hint);
  const { mode, baseUrl } = config;
  const open = plainHttpAddress(config);
  if (open) {
    return warn(
      `insecure_http is on: other machines reach ${formatListenAddress(open)} over plain HTTP`,
      'set tls.cert and tls.key, then unset APPCTL_INSECURE_HTTP',
    );
  }
  const { protocol, hostname } = new URL(baseUrl);
  if (mode !== 'production' || protocol === 'https:' || isLoopback(hostname))
    return ok(`${mode}, ${baseUrl}`);
  return warn(
    `${baseUrl} carries license keys and passwords unencrypted`,
    'set base_url to an https: address',
  );
}

async function checkLanguages(dir: string | undefined): Promise<Finding> {
  if (dir === undefined) return ok('the built-in languages and texts are used');
  try {
    const { added, changed } = await readOwnLanguages(dir);
    const told = [
      added.length > 0 && `adds ${added.join(', ')}`,
      changed.length > 0 && `changes texts of ${changed.join(', ')}`,
    ].filter(Boolean);
    if (told.length > 0) return ok(`${dir} ${told.join(' and ')}`);
    return warn(`${dir} has no file such as nl.json`, 'unset APPCTL_LOCALE_DIR');
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return fail(error.problems.map(({ message }) => message).join('; '), error.problems[0]?.hint ?? '');
  }
}

export const configChecks: readonly Check[] = [
  {
    id: 'config.valid',
    title: 'configuration',
    run({ problems }) {
      const [first] = problems;
      if (!first) return ok('the configuration is valid');
      return fail(problems.map(({ key, message }) => `${key}: ${message}`).join('; '), first.hint);
    },
  },
  {
    id: 'config.unknown-names',
    title: 'names of variables',
    run({ warnings }) {
      const [first] = warnings;
      if (!first) return ok('every APPCTL_ variable is known and used');
      return warn(warnings.map(({ key, message }) => `${key} ${message}`).join('; '), first.hint);
    },
  },
  {
    id: 'config.base-url-matches-proxy',
    title: 'base_url fits what serves it',
    run: onConfig(({ baseUrl, baseUrlIsSet, tls, proxyTrust }) => {
      if (!baseUrlIsSet) return ok('base_url is not set: links have the address of the server');
      const isSecure = baseUrl.startsWith('https:');
      if (isSecure && !tls && proxyTrust === false) {
        const why =
          'so a proxy must end TLS, but none is trusted: all clients share the proxy’s rate limit, and nobody can sign in';
        return warn(`base_url is ${baseUrl} and TLS is not configured, ${why}`, 'set APPCTL_TRUST_PROXY=1');
      }
      if (!isSecure && tls)
        return warn(`TLS is configured, but base_url is ${baseUrl}: links are wrong`, 'set APPCTL_BASE_URL');
      return ok(`base_url ${baseUrl}`);
    }),
  },
  {
    id: 'config.base-url-served',
    title: "base_url matches the server's address",
    run: onSchema(async (ctx, { config }) => {
      const served = await readServedAt(ctx);
      if (served === null) return ok('no server has recorded an address yet');
      if (!config?.baseUrlIsSet || config.baseUrl === served.url) return ok(`links begin with ${served.url}`);
      return warn(
        `base_url is ${config.baseUrl}, but the server was last started for ${served.url}: links of commands and of pages differ`,
        'use the same APPCTL_BASE_URL for the server and for commands, then restart the server',
      );
    }),
  },
  {
    id: 'config.trust-proxy',
    title: 'trusted proxies',
    run: onConfig((config) => {
      const { proxyTrust } = config;
      if (typeof proxyTrust === 'number' && config.listen.some(reachesOthers)) {
        const why =
          'anyone who bypasses the proxy can fake their address, and with it rate limits and IP lists';
        return warn(
          `${proxyTrust} proxies are trusted by count on a public address: ${why}`,
          "listen on 127.0.0.1, or name the proxy's address in APPCTL_TRUST_PROXY",
        );
      }
      return ok(proxyTrust === false ? 'no proxy is trusted' : `trusted: ${String(proxyTrust)}`);
    }),
  },
  {
    id: 'config.http-in-production',
    title: 'encryption of the public address',
    run: onConfig(checkEncryption),
  },
  {
    id: 'config.secrets-world-readable',
    title: 'secrets in the configuration file',
    run(scope) {
      const file = worldReadable(scope);
      const secrets = secretsInFile(scope);
      if (file === null || secrets.length === 0) return ok('no secret is in a file that everyone can read');
      return fail(`everyone on this machine can read ${secrets.join(', ')} in ${file}`, `chmod 640 ${file}`);
    },
    fix(scope) {
      const file = worldReadable(scope);
      if (file !== null) chmodSync(file, 0o640);
    },
  },
  {
    id: 'config.locale-dir',
    title: 'languages of the shop',
    run: onConfig(({ localeDir }) => checkLanguages(localeDir)),
  },
  {
    id: 'config.rate-limit-off',
    title: 'rate limits',
    run: onConfig(({ rateLimit }) =>
      rateLimit.enabled
        ? ok('rate limits are on')
        : warn('every rate limit is off: keys can be guessed at full speed', 'unset APPCTL_RATE_LIMIT'),
    ),
  },
];
