import { isIP } from 'node:net';
import { PROCESSORS } from './config.ts';
import type { ConfigProblem } from './errors.ts';
import { isLoopback } from './listen.ts';
import type { ConfigValues } from './resolve.ts';

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
    streamOfPostgres(values),
    limiterWithoutPostgres(values),
    tooManyWorkers(values),
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

function streamOfPostgres(values: ConfigValues): ConfigProblem | undefined {
  const url: string | undefined = values.get('database.url');
  if (!values.get('backup.stream') || !url?.startsWith('postgres')) return undefined;
  return {
    key: 'backup.stream',
    message: 'ships the changes of a SQLite database, but database.url names Postgres',
    hint: 'turn it off, and let Postgres archive its write-ahead log: appctl help back-up',
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

/** Each of them opens the database, and takes memory of its own. */
const MOST_WORKERS = 64;

/** The clock that --dev can move is that of one process. */
function tooManyWorkers(values: ConfigValues): ConfigProblem | undefined {
  const workers: number = values.get('workers') ?? 1;
  if (workers > MOST_WORKERS) {
    const hint = 'set it to the number of processor cores that the server may use';
    return { key: 'workers', message: `${workers} processes are more than ${MOST_WORKERS}`, hint };
  }
  if (workers < 2 || values.get('mode') !== 'development') return undefined;
  const hint = 'set workers to 1, or start without --dev';
  return { key: 'workers', message: `a server in development mode has one process, not ${workers}`, hint };
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

/** What certificates of a certificate authority need, and the addresses that redirect to https. */
function tlsProblems(values: ConfigValues, baseUrlIsSet: boolean): ConfigProblem[] {
  return [...acmeProblems(values, baseUrlIsSet), redirectWithoutTls(values)].filter(
    (problem) => problem !== undefined,
  );
}

function acmeProblems(values: ConfigValues, baseUrlIsSet: boolean): (ConfigProblem | undefined)[] {
  if (!values.get('tls.acme')) return [];
  return [twoCertificates(values), nameless(values, baseUrlIsSet), plainDirectory(values), unagreed(values)];
}

function twoCertificates(values: ConfigValues): ConfigProblem | undefined {
  if (values.get('tls.cert') === undefined && values.get('tls.key') === undefined) return undefined;
  const message = 'cannot be combined with tls.cert and tls.key: a server shows one certificate';
  return { key: 'tls.acme', message, hint: 'remove tls.cert and tls.key, or set tls.acme to off' };
}

/** A certificate authority vouches for a public name; for an address or a name of this machine it does not. */
function nameless(values: ConfigValues, baseUrlIsSet: boolean): ConfigProblem | undefined {
  const baseUrl: string | undefined = values.get('base_url');
  if (baseUrl === undefined) return undefined;
  const hint = 'set base_url to the public address, such as https://license.example.com';
  if (!baseUrlIsSet) return { key: 'base_url', message: 'is missing, but tls.acme is on', hint };
  const { protocol, hostname } = new URL(baseUrl);
  if (protocol !== 'https:')
    return { key: 'base_url', message: `${baseUrl} is not an https: address, but tls.acme is on`, hint };
  const isName = hostname.includes('.') && !hostname.startsWith('[') && isIP(hostname) === 0;
  if (isName && !isLoopback(hostname)) return undefined;
  const message = `a certificate authority issues no certificate for "${hostname}"`;
  return { key: 'base_url', message, hint };
}

function plainDirectory(values: ConfigValues): ConfigProblem | undefined {
  const directory: string | undefined = values.get('tls.acme_directory');
  if (directory === undefined || directory.startsWith('https:')) return undefined;
  const hint = 'write the https: address of its directory';
  return { key: 'tls.acme_directory', message: `${directory} is not an https: address`, hint };
}

/** Agreement names whose terms they are, so that another directory needs another agreement. */
function unagreed(values: ConfigValues): ConfigProblem | undefined {
  const directory: string | undefined = values.get('tls.acme_directory');
  if (directory === undefined) return undefined;
  const { hostname } = new URL(directory);
  const agreed = values.get('tls.acme_agree_tos')?.toLowerCase();
  const short = hostname.endsWith('.letsencrypt.org') ? 'letsencrypt.org' : hostname;
  if (agreed !== undefined && agreesTo(agreed, hostname)) return undefined;
  const isOther = agreed === undefined ? 'is missing' : `"${agreed}" is not ${short}`;
  return {
    key: 'tls.acme_agree_tos',
    message: `${isOther}: the certificate authority at ${hostname} issues certificates only to those who agree to its terms of service`,
    hint: `read its terms; then set tls.acme_agree_tos = "${short}" (APPCTL_TLS_ACME_AGREE_TOS=${short})`,
  };
}

/** `letsencrypt.org` stands for `acme-v02.api.letsencrypt.org`; a single label such as `org` for nobody. */
const agreesTo = (agreed: string, hostname: string): boolean =>
  agreed === hostname || (agreed.includes('.') && hostname.endsWith(`.${agreed}`));

function redirectWithoutTls(values: ConfigValues): ConfigProblem | undefined {
  if (values.get('tls.redirect_listen') === undefined) return undefined;
  const hasTls = values.get('tls.acme') || values.get('tls.cert') !== undefined;
  const baseUrl: string | undefined = values.get('base_url');
  const isSecure = baseUrl === undefined || baseUrl.startsWith('https:');
  if (hasTls && isSecure) return undefined;
  const message = hasTls
    ? `redirects to base_url, which is ${baseUrl}`
    : 'redirects to https, but TLS is not configured';
  const hint = hasTls ? 'set base_url to an https: address' : 'set tls.cert and tls.key, or tls.acme = on';
  return { key: 'tls.redirect_listen', message, hint };
}
