import { createHmac, randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import { maskUrlPassword } from '#kernel/config/mask.ts';
import { withoutValues } from './redact-nested.ts';

const GONE = '[removed]';

/** A license key in a longer name, such as of a file, or in an address. */
function keyWithin(letter: string, also = ''): RegExp {
  const uuid = '(?![0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}(?![A-Za-z0-9]))';
  const groups = `${letter}{2,12}(?:(?:-|%(?:25)*2[Dd])${letter}{4,8}){3,20}`;
  return new RegExp(`(?<![A-Za-z0-9-])${uuid}${also}${groups}(?![A-Za-z0-9])`, 'g');
}

/** What may be a secret, whoever's it is. */
const SECRETS: readonly [pattern: RegExp, by: string][] = [
  [/-----BEGIN [A-Z ]+-----[\s\S]*?(?:-----END [A-Z ]+-----|$)/g, GONE],
  [/\bAGE-SECRET-KEY-1[0-9A-Z]+/gi, GONE],
  [/\b(bearer|basic)\s+[\w.~+/=-]{8,}/gi, `$1 ${GONE}`],
  // Tokens in three parts, each base64.
  [/\beyJ[\w-]{8,}(?:\.[\w-]+){1,4}/g, GONE],
  // License keys: a prefix, then groups of letters and digits.
  [/(?<![A-Za-z0-9_-])[A-Za-z0-9]{2,12}(?:-[A-Za-z0-9]{4,8}){3,20}(?![A-Za-z0-9_-])/g, GONE],
  [keyWithin('[A-Z0-9]'), GONE],
  // Small letters may be words with hyphens between them: two groups of a key have digits.
  [keyWithin('[A-Za-z0-9]', '(?=[A-Za-z0-9-]*\\d[A-Za-z0-9]*(?:-|%(?:25)*2D)[A-Za-z0-9%-]*\\d)'), GONE],
  // Credentials with a prefix: of this program (alk_…, ask_…), of processors (sk_live_…, whsec_…).
  [/\b(?:whsec|sk|rk|pk|EAAA)_?[A-Za-z0-9_-]{20,}/g, GONE],
  [/\b[a-z]{3}_[A-Za-z0-9_-]{32,}/g, GONE],
  [/(?<![0-9a-f])[0-9a-f]{40,}(?![0-9a-f])/gi, GONE],
  // Long words of base64: a key or signature. Names of people's files have no such words.
  [/(?<![\w+/-])(?=[\w+/-]*[A-Z])(?=[\w+/-]*[a-z])(?=[\w+/-]*\d)[A-Za-z0-9+/_-]{32,}={0,2}(?![\w+-])/g, GONE],
];

const LONG_NAMES =
  '(?:password|passphrase|passwd|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|authorization)';
/** Short ones are part of ordinary words: author, bypass, design, pinned. */
const SHORT_NAME =
  '(?:(?<![A-Za-z])(?:sig|signature|pw|pass|auth|otp|pin|cookies?)|(?-i:(?<=[a-z0-9])(?:Sig|Signature|Pw|Pass|Auth|Otp|Pin|Cookies?)))' +
  '(?:[_-]?(?:\\d{1,4}|value|code|key|hash|header|data|hex|base64))?';
const NAMES = `(?:${LONG_NAMES}[\\w-]{0,40}|${SHORT_NAME}(?![\\w-]))`;
/** `smtpPassword`, `"client_secret"`, and within a JSON text of JSON `\"token\"`: the name, its quote, what stands between. */
const NAMED = `(${NAMES})(\\\\*["']?)(\\s*[:=]\\s*)`;
const IN_ESCAPED_QUOTES = new RegExp(`${NAMED}(\\\\+["'])(.*?)((?<!\\\\)\\4|$)`, 'gim');
const IN_QUOTES = new RegExp(`${NAMED}(["'])((?:\\\\.|(?!\\4)[^\\\\\\n])*)(\\4?)`, 'gi');
const BARE = new RegExp(`${NAMED}((?:[^\\s"',;&}\\\\]|\\\\(?!\\\\*["'])){3,})`, 'gi');
const NESTED = new RegExp(`${NAMED}(?=[[{])`, 'gi');

/** A word that says how it is with a secret. */
const STATES =
  /^(?:null|true|false|none|valid|invalid|missing|required|expired|failed|wrong|unknown|unset|SIG[A-Z]{2,9})[\].]*$/;
/** `Authorization: Token …`: what stands before the value of a header. */
const SCHEME = '(?:(?:bearer|basic|token|digest|negotiate|hmac|api-?key|key)|(?-i:[A-Z][\\w-]{1,30}))';
const AUTHORIZATION = new RegExp(
  `\\b(authorization\\s*[:=]\\s*)(${SCHEME}[ \\t]+)?([^\\s"'\\\\,;]{3,})`,
  'gi',
);
const COOKIES = /\b((?:set-)?cookie\s*[:=]\s*)[^\s;"'\\={[]+=[^\s;"'\\]*(?:;[ \t]*[^\s;"'\\]+)*/gi;

/** Whether something of this name is a secret. */
export const isNamedSecret = (name: string): boolean => new RegExp(NAMES, 'i').test(name);

/** Takes out what has the name of a secret. A text of JSON stays one. */
function withoutNamed(text: string): string {
  const quoted = (...[whole, name, quote, between, open, inside, close]: string[]): string => {
    // The quote that ends a sentence, such as one of JSON: "wrong password:".
    const isEnd = quote === '' && /^\s*(?:[,}\]:]|$)/.test(inside ?? '');
    return isEnd || inside === '' || STATES.test(inside ?? '')
      ? (whole ?? '')
      : `${name}${quote}${between}${open}${GONE}${close}`;
  };
  return withoutNested(text)
    .replace(AUTHORIZATION, (whole: string, name: string, scheme: string | undefined, value: string) =>
      scheme === undefined && STATES.test(value) ? whole : `${name}${scheme ?? ''}${GONE}`,
    )
    .replace(COOKIES, `$1${GONE}`)
    .replace(IN_ESCAPED_QUOTES, quoted)
    .replace(IN_QUOTES, quoted)
    .replace(BARE, (whole: string, name: string, quote: string, between: string, value: string) => {
      const isDone = quote === '' && /^authorization$/i.test(name);
      if (isDone || STATES.test(value) || /^[[{]/.test(value)) return whole;
      return `${name}${quote}${between}${quote}${GONE}${quote}`;
    });
}

/** Takes out what is in a list or object with the name of a secret. */
function withoutNested(text: string): string {
  let [clean, done] = ['', 0];
  for (const { 0: whole, 2: quote = '', index } of text.matchAll(NESTED)) {
    const from = index + whole.length;
    if (index < done) continue;
    const { made, end } = withoutValues(text, from, quote, GONE);
    clean += text.slice(done, from) + made;
    done = end;
  }
  return clean + text.slice(done);
}

const ADDRESS = /https?:\/\/[^\s"'<>\\]+/gi;
/** Whoever knows such an address may use it: https://hc-ping.com/<uuid>. Ids of this program have another form. */
const TOKEN_OF_ADDRESS = /(?<![\w-])(?:[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|[0-9a-f]{32})(?![\w-])/gi;

// Whatever is searched in a line of any length begins where a word does, or is bounded.
const EMAIL = /(?<![\w.!#$%&'+/=?^`{|}~-])[\w.!#$%&'+/=?^`{|}~-]+@[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?/g;
const IPV4 = /(?<!\d|\d\.)\d{1,3}(?:\.\d{1,3}){3}(?!\d|\.\d)/g;
const IPV6 = /(?<![\w:.])(?:[0-9a-f]{0,4}:){2,7}(?:[0-9a-f]{0,4}|\d{1,3}(?:\.\d{1,3}){3})(?![\w:])/gi;
const URL_WITH_PASSWORD = /\b[a-z][a-z0-9+.-]{0,30}:\/\/[^\s"'/@]+@[^\s"']+/gi;

/** Nobody is behind them, and they say how a server is reached. */
const OF_THE_MACHINE = ['127.0.0.1', '0.0.0.0', '::1', '::'];

export type Redact = (text: string) => string;

/**
 * Makes what takes out of a text all that nobody outside may see: secrets go, and addresses of people become names that
 * stay the same within one archive, so that one can still tell who is who.
 *
 * @param known secrets of this installation, which are taken out wherever they are
 */
export function redaction(known: readonly string[]): Redact {
  // It dies with this process: without it the names lead nowhere.
  const salt = randomBytes(32);
  const named = (kind: string, value: string): string =>
    `${kind}-${createHmac('sha256', salt).update(value.toLowerCase()).digest('hex').slice(0, 6)}`;
  const secrets = known.filter(({ length }) => length >= 4).sort((a, b) => b.length - a.length);
  const forms = secrets.flatMap((secret) => [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
  ]);
  return (text) => {
    let clean = text;
    for (const secret of forms) clean = clean.replaceAll(secret, GONE);
    clean = clean.replace(URL_WITH_PASSWORD, maskUrlPassword);
    for (const [pattern, by] of SECRETS) clean = clean.replace(pattern, by);
    clean = withoutNamed(clean).replace(ADDRESS, (address) => address.replace(TOKEN_OF_ADDRESS, GONE));
    clean = clean.replace(EMAIL, (address) => named('email', address));
    const ofNetwork = (found: string): string =>
      isIP(found) === 0 || OF_THE_MACHINE.includes(found) ? found : named('ip', found);
    return clean.replace(IPV4, ofNetwork).replace(IPV6, ofNetwork);
  };
}
