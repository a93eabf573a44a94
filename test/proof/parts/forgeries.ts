// Reports that nobody has signed: each differs from a true one in one thing.
import { createHash, createHmac } from 'node:crypto';
import { type Place, type ProcessorName, purchase, type Report, type Shop } from './purchases.ts';

/** One request. */
export interface Forgery {
  name: string;
  configId: string;
  headers: Record<string, string | string[]>;
  body: string;
}

type Values = Readonly<Record<string, string | string[] | undefined>>;

const OTHER_SECRET = 'another-secret-of-the-same-length';
const STALE_SECONDS = 180;
const HOUR_SECONDS = 3600;

const hmac = (secret: string, text: string, algorithm = 'sha256'): Buffer =>
  createHmac(algorithm, secret).update(text).digest();

const bodyOf = (processor: ProcessorName, order: string): string =>
  (purchase(processor, order).reports as [Report])[0].body;

/**
 * Every forgery.
 *
 * @param nowSeconds since 1970
 */
export const forgeries = (shop: Shop, nowSeconds: number): Forgery[] => [
  ...each((order) => stripeForgeries(shop, order, nowSeconds)),
  ...each((order) => squareForgeries(shop, order)),
  ...each((order) => genericForgeries(shop, order)),
];

/** Each is about an order of its own: the first one that was believed would hide those that come after it. */
const each = (make: (order: string) => Forgery[]): Forgery[] =>
  make('forged').map((_, i) => make(`forged-${i}`)[i] as Forgery);

/** One forgery for each value of a header; undefined leaves the header out. */
const withHeader = (place: Place, header: string, body: string, values: Values): Forgery[] =>
  Object.entries(values).map(([name, value]) => ({
    name: `${header}: ${name}`,
    configId: place.configId,
    headers: value === undefined ? {} : { [header]: value },
    body,
  }));

function stripeForgeries({ stripe: place, generic }: Shop, order: string, now: number): Forgery[] {
  const body = bodyOf('stripe', order);
  const { secret } = place;
  const hex = (key: string, text: string, algorithm?: string) => hmac(key, text, algorithm).toString('hex');
  const right = hex(secret, `${now}.${body}`);
  const at = (t: string | number): string => `t=${t},v1=${hex(secret, `${t}.${body}`)}`;
  const signed = (key: string): string => `t=${now},v1=${hex(key, `${now}.${body}`)}`;
  const v1 = (text: string): string => `t=${now},v1=${text}`;
  const old = now - STALE_SECONDS;
  const times: Values = {
    stale: at(old),
    'an hour old': at(now - HOUR_SECONDS),
    'in the future': at(now + STALE_SECONDS),
    'an hour ahead': at(now + HOUR_SECONDS),
    'in milliseconds': at(now * 1000),
    'with a letter': at(`${now}x`),
    negative: at(-now),
    'with a fraction': at(`${now}.5`),
    hexadecimal: at(`0x${now.toString(16)}`),
    'no time': `v1=${right}`,
    'empty time': `t=,v1=${right}`,
    'two times, the last one right': `t=${old},t=${now},v1=${right}`,
    'two times, the first one right': `t=${now},t=${old},v1=${right}`,
    'two headers': [at(old), at(now)],
    'the time of another signature': `t=${now},v1=${hex(secret, `${old}.${body}`)}`,
  };
  const keys: Values = {
    'another secret': signed(OTHER_SECRET),
    'an empty secret': signed(''),
    'the secret and a space': signed(`${secret} `),
    'the start of the secret': signed(secret.slice(0, 15)),
    'the secret of another place': signed(generic.secret),
  };
  const digests: Values = {
    none: undefined,
    empty: '',
    garbled: 'garbled',
    'only a time': `t=${now}`,
    'only v0': `t=${now},v0=${right}`,
    'V1 in capitals': `t=${now},V1=${right}`,
    'an empty v1': v1(''),
    truncated: v1(right.slice(0, -1)),
    half: v1(right.slice(0, 32)),
    'padded with letters': v1(`${right}zz`),
    'padded with zeros': v1(`${right}00`),
    'no hex digits': v1('z'.repeat(64)),
    'one digit is no digit': v1(`${right.slice(0, -1)}g`),
    'in base64': v1(Buffer.from(right, 'hex').toString('base64')),
    'with a prefix': v1(`sha256=${right}`),
    zeros: v1('0'.repeat(64)),
    'of the body alone': v1(hex(secret, body)),
    'without the dot': v1(hex(secret, `${now}${body}`)),
    'with SHA-1': v1(hex(secret, `${now}.${body}`, 'sha1')),
    'with SHA-512': v1(hex(secret, `${now}.${body}`, 'sha512')),
    'without a key': v1(createHash('sha256').update(`${now}.${body}`).digest('hex')),
  };
  const header = 'Stripe-Signature';
  return [
    ...withHeader(place, header, body, { ...times, ...keys, ...digests }),
    ...changed(body).flatMap(([name, other]) => withHeader(place, header, other, { [name]: v1(right) })),
  ];
}

/** Bodies that are not what was signed. */
const changed = (body: string): [name: string, body: string][] => [
  ['a space behind the body', `${body} `],
  ['a body of another order', body.replaceAll('forged', 'altered')],
  ['an empty body', ''],
];

function squareForgeries({ square: place }: Shop, order: string): Forgery[] {
  const body = bodyOf('square', order);
  const { secret, notificationUrl: url } = place;
  const base64 = (key: string, text: string, algorithm?: string) =>
    hmac(key, text, algorithm).toString('base64');
  const right = base64(secret, `${url}${body}`);
  const header = 'x-square-hmacsha256-signature';
  const values: Values = {
    none: undefined,
    empty: '',
    'another secret': base64(OTHER_SECRET, `${url}${body}`),
    'an empty secret': base64('', `${url}${body}`),
    'of the body alone': base64(secret, body),
    'over http': base64(secret, `${url.replace('https:', 'http:')}${body}`),
    'a URL with a slash at its end': base64(secret, `${url}/${body}`),
    'the URL of the request': base64(
      secret,
      `http://127.0.0.1/api/v1/webhooks/inbound/${place.configId}${body}`,
    ),
    'the URL behind the body': base64(secret, `${body}${url}`),
    'in hex': hmac(secret, `${url}${body}`).toString('hex'),
    truncated: right.slice(0, -4),
    'without its padding': right.replace('=', ''),
    'with more behind': `${right}AAAA`,
    'with a space inside': `${right.slice(0, 20)} ${right.slice(20)}`,
    'with other last bits': `${right.slice(0, 42)}${nextLetter(right.charAt(42))}=`,
    'two headers': [base64(OTHER_SECRET, body), right],
    'with SHA-1': base64(secret, `${url}${body}`, 'sha1'),
  };
  return [
    ...withHeader(place, header, body, values),
    ...withHeader(place, 'x-square-signature', body, { 'the old header': right }),
    ...changed(body).flatMap(([name, other]) => withHeader(place, header, other, { [name]: right })),
  ];
}

/** The last letter before the padding holds two bits that say nothing: a lax reader ignores them. */
const nextLetter = (letter: string): string => String.fromCharCode(letter.charCodeAt(0) + 1);

function genericForgeries({ generic: place, stripe }: Shop, order: string): Forgery[] {
  const body = bodyOf('generic', order);
  const hex = (key: string, text: string, algorithm?: string) => hmac(key, text, algorithm).toString('hex');
  const right = hex(place.secret, body);
  const wrong = hex(OTHER_SECRET, body);
  const values: Values = {
    none: undefined,
    empty: '',
    'only a prefix': 'sha256=',
    'another secret': `sha256=${wrong}`,
    'an empty secret': hex('', body),
    'the secret of another place': hex(stripe.secret, body),
    truncated: right.slice(0, -2),
    'padded with letters': `${right}zz`,
    'in base64': Buffer.from(right, 'hex').toString('base64'),
    'with the prefix of another': `sha1=${right}`,
    'with the prefix twice': `sha256=sha256=${right}`,
    'two headers': [wrong, right],
    'with SHA-1': hex(place.secret, body, 'sha1'),
  };
  const both = { 'X-Webhook-Signature': wrong, 'X-Signature': right };
  const { configId } = place;
  const unknown = `${configId.slice(0, -1)}${configId.endsWith('0') ? '1' : '0'}`;
  return [
    ...withHeader(place, 'X-Webhook-Signature', body, values),
    ...withHeader(place, 'X-Signature', body, { 'another secret': wrong }),
    ...changed(body).flatMap(([name, other]) => withHeader(place, 'X-Signature', other, { [name]: right })),
    { name: 'the first header wrong, the second right', configId, headers: both, body },
    { name: 'an unknown place', configId: unknown, headers: { 'X-Signature': right }, body },
  ];
}
