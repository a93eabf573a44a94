import { isIP } from 'node:net';
import type { ConfigProblem } from './errors.ts';
import { isLoopback } from './listen.ts';
import type { ConfigValues } from './resolve.ts';

/** What certificates of a certificate authority need, and the addresses that redirect to https. */
export function tlsProblems(values: ConfigValues, baseUrlIsSet: boolean): ConfigProblem[] {
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
