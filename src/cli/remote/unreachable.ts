import type { Environment } from '#kernel/environment.ts';
import { CliError } from '../frame/errors.ts';
import { exits } from '../frame/exits.ts';

/** The line to a server failed, and not what was to be sent. */
export class BrokenLine extends Error {
  readonly isSilent: boolean;
  /** Of the system or of TLS, or empty. */
  readonly code: string;

  constructor(message: string, { isSilent = false, code = '' } = {}) {
    super(message);
    this.isSilent = isSilent;
    this.code = code;
  }
}

/**
 * The variables with an address for each proxy: `proxy.example.com:3128` is http://proxy.example.com:3128, as curl reads
 * it. Node would go around such a proxy without a word.
 */
export function proxyEnvironment(environment: Environment): Environment {
  const named = Object.entries(environment).filter(
    ([name, value]) => /^https?_proxy$/i.test(name) && value && !/^[a-z][a-z0-9+.-]*:\/\//i.test(value),
  );
  return { ...environment, ...Object.fromEntries(named.map(([name, value]) => [name, `http://${value}`])) };
}

/** How OpenSSL says that what came was no TLS. */
const NO_TLS = /wrong version number|packet length too long|record layer failure|http request/;

/** How Node says that nobody it trusts signed a certificate. */
const UNTRUSTED =
  /^(UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT(_LOCALLY)?|(DEPTH_ZERO_)?SELF_SIGNED_CERT(_IN_CHAIN)?|CERT_SIGNATURE_FAILURE)$/;

const REFUSED = 'check that appctl serve is running there, and that it listens on that address and port';

/**
 * No answer came: why, and what cures it.
 *
 * @param environment of the proxy that the request may have taken; null where it takes none
 * @returns CliError 9
 */
export function unreachable(url: URL, fault: BrokenLine, environment: Environment | null): CliError {
  const [text, hint] =
    faultOfProxy(url, fault, environment) ?? faultOfTls(url, fault) ?? faultOfLine(url, fault);
  return new CliError(exits.unreachable, 'UNREACHABLE', text, { hint });
}

type Told = readonly [text: string, hint: string | null];

function faultOfLine(url: URL, { message, isSilent, code }: BrokenLine): Told {
  if (code === 'ECONNREFUSED') return [`${url.origin} refused the connection`, REFUSED];
  if (code === 'ENOTFOUND')
    return [`host ${url.hostname} was not found`, 'check the spelling of the host name'];
  const isHangUp = url.protocol === 'http:' && code === 'ECONNRESET';
  const hint = isHangUp ? `use https://${url.host} if that server has TLS` : null;
  return [`${url.origin} did not answer: ${message}`, isSilent ? 'use --timeout SEC to wait longer' : hint];
}

function faultOfTls(url: URL, { message, code }: BrokenLine): Told | null {
  if (url.protocol !== 'https:') return null;
  if (NO_TLS.test(message))
    return [
      `${url.host} does not answer with TLS`,
      `use http://${url.host} if that server has no TLS, or use the port that answers with TLS`,
    ];
  if (UNTRUSTED.test(code))
    return [
      `the certificate of ${url.origin} is not signed by an authority that this machine trusts`,
      `sign in with appctl login ${url.origin} --ca-file ca.pem, or with a token set NODE_EXTRA_CA_CERTS=ca.pem`,
    ];
  if (code === 'CERT_HAS_EXPIRED')
    return [`the certificate of ${url.origin} has expired`, 'renew it on the server'];
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return [
      `the certificate of ${url.origin} is for another host`,
      `use a name that is in it: ${/altnames: (.+)$/.exec(message)?.[1] ?? 'openssl x509 -text shows them'}`,
    ];
  return null;
}

/** What the proxy did, and not the server. The address is shown without a name and password. */
function faultOfProxy(url: URL, { message, code }: BrokenLine, environment: Environment | null): Told | null {
  const found = environment === null ? null : proxyOf(url, environment);
  if (found === null) return null;
  const [variable, proxy] = found;
  const hint = `check ${variable}, or bypass the proxy with NO_PROXY=${url.hostname}`;
  if (code === 'ERR_PROXY_TUNNEL') {
    const answer = /HTTP\/[\d.]+ (.+)$/.exec(message)?.[1];
    return [`the proxy ${proxy.host} did not connect to ${url.host}${answer ? `: ${answer}` : ''}`, hint];
  }
  const isItsHost = message.endsWith(` ${proxy.hostname}`) || message.endsWith(` ${proxy.host}`);
  if (code === 'ENOTFOUND' && isItsHost) return [`host ${proxy.hostname} was not found`, hint];
  const isItsPort = proxy.port !== '' && message.endsWith(`:${proxy.port}`) && url.port !== proxy.port;
  if (code === 'ECONNREFUSED' && isItsPort) return [`the proxy ${proxy.host} refused the connection`, hint];
  return null;
}

/** The proxy of an address and the variable that names it; NO_PROXY is not looked at. */
function proxyOf(url: URL, environment: Environment): readonly [string, URL] | null {
  const scheme = url.protocol.slice(0, -1);
  const variable = [`${scheme}_proxy`, `${scheme.toUpperCase()}_PROXY`].find((name) => environment[name]);
  const address = variable && proxyEnvironment(environment)[variable];
  return variable && address && URL.canParse(address) ? [variable, new URL(address)] : null;
}
