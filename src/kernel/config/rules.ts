import { PROCESSORS } from './config.ts';
import type { ConfigProblem } from './errors.ts';
import { isLoopback } from './listen.ts';
import type { ConfigValues } from './resolve.ts';
import { tlsProblems } from './rules-tls.ts';

/**
 * Rules between keys (cli.md sections 3.1 and 5). Keys that did not resolve are undefined here and break no rule.
 * @param baseUrlIsSet false when base_url was derived from the listen address
 */
export function checkRules(values: ConfigValues, baseUrlIsSet: boolean): ConfigProblem[] {
  return [
    baseUrlIsSet ? plainHttpInProduction(values) : undefined,
    halfOfTls(values),
    ...tlsProblems(values, baseUrlIsSet),
    halfOfCredentials(values),
    twoSeals(values),
    limiterWithoutPostgres(values),
    workersWithoutPostgres(values),
    ...PROCESSORS.map((id) => distantProcessor(id, values)),
  ].filter((problem) => problem !== undefined);
}

function plainHttpInProduction(values: ConfigValues): ConfigProblem | undefined {
  const baseUrl: string | undefined = values.get('base_url');
  if (baseUrl === undefined || values.get('mode') !== 'production' || values.get('insecure_http'))
    return undefined;
  const url = new URL(baseUrl);
  if (url.protocol !== 'http:' || isLoopback(url.hostname)) return undefined;
  return {
    key: 'base_url',
    message: `${baseUrl} carries license keys and passwords unencrypted`,
    hint: 'write an https: address, or set insecure_http = true (APPCTL_INSECURE_HTTP=1)',
  };
}

function twoSeals(values: ConfigValues): ConfigProblem | undefined {
  if (values.get('backup.encrypt_to') === undefined || values.get('backup.passphrase') === undefined)
    return undefined;
  return {
    key: 'backup.passphrase',
    message: 'cannot be combined with backup.encrypt_to: a backup is encrypted in one of the two ways',
    hint: 'remove one of them',
  };
}

function halfOfTls(values: ConfigValues): ConfigProblem | undefined {
  const hasCert = values.get('tls.cert') !== undefined;
  if (hasCert === (values.get('tls.key') !== undefined)) return undefined;
  const [given, missing] = hasCert ? ['tls.cert', 'tls.key'] : ['tls.key', 'tls.cert'];
  return { key: missing ?? '', message: `is missing, but ${given} is set`, hint: 'set both or none' };
}

function halfOfCredentials(values: ConfigValues): ConfigProblem | undefined {
  const [id, secret] = ['storage.s3_access_key_id', 'storage.s3_secret_access_key'] as const;
  const hasId = values.get(id) !== undefined;
  if (hasId === (values.get(secret) !== undefined)) return undefined;
  const [given, missing] = hasId ? [id, secret] : [secret, id];
  return { key: missing, message: `is missing, but ${given} is set`, hint: 'set both or none' };
}

function usesPostgres(values: ConfigValues): boolean {
  const url: string | undefined = values.get('database.url');
  return url === undefined || url.startsWith('postgres');
}

function limiterWithoutPostgres(values: ConfigValues): ConfigProblem | undefined {
  if (values.get('rate_limit.store') !== 'postgres' || usesPostgres(values)) return undefined;
  const hint = 'set database.url to a postgres:// address, or rate_limit.store to memory';
  return { key: 'rate_limit.store', message: 'postgres needs a Postgres database', hint };
}

function workersWithoutPostgres(values: ConfigValues): ConfigProblem | undefined {
  const workers: number | undefined = values.get('workers');
  const fits = usesPostgres(values) && values.get('rate_limit.store') === 'postgres';
  if (workers === undefined || workers < 2 || fits) return undefined;
  const hint = 'set database.url to a postgres:// address and rate_limit.store to postgres, or workers to 1';
  return { key: 'workers', message: `${workers} need Postgres and the postgres rate limit store`, hint };
}

/** Whoever can set a variable must not be able to send payments and keys elsewhere (storefront-settled Z26). */
function distantProcessor(id: (typeof PROCESSORS)[number], values: ConfigValues): ConfigProblem | undefined {
  const key = `processors.${id}.url` as const;
  const url: string | undefined = values.get(key);
  if (url === undefined || values.get('mode') === 'development' || isLoopback(new URL(url).hostname))
    return undefined;
  const hint = 'unset it, or start with --dev to try payments against another server';
  return { key, message: `${url} is not on this machine`, hint };
}
