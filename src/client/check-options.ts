// What an application is told about its options when it makes a client, and not by what later goes wrong.
import type { ClientOptions } from './option-types.ts';

/** Names of the options, and of those inside of them. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  '': [
    ...[
      'baseUrl',
      'product',
      'apiKey',
      'licenseKey',
      'machine',
      'appVersion',
      'rootKeys',
      'storage',
      'offline',
    ],
    ...['updates', 'signedResponses', 'retry', 'timeoutMs', 'fetch', 'now', 'verify'],
  ],
  machine: ['id', 'name', 'osName', 'osVersion'],
  offline: ['enabled', 'ttlSeconds', 'outageGraceSeconds'],
  updates: ['channel', 'platform', 'arch', 'requireStatement', 'frozenAfterSeconds'],
  retry: ['attempts', 'baseMs', 'maxMs'],
};
/** 400 days: no time in seconds is longer, and most in milliseconds are. */
const LONGEST_SECONDS = 34_560_000;
const SHORTEST_TOKEN_SECONDS = 3_600;
/** Whoever writes less means seconds. */
const SHORTEST_TIMEOUT_MS = 100;

/**
 * Checks what every use would stumble over.
 *
 * @throws TypeError that names the option and the cure
 */
export function checkOptions(options: ClientOptions): void {
  need(isObject(options), 'createLicenseClient needs an object of options');
  for (const [place, names] of Object.entries(NAMES)) checkNames(options, place, names);
  checkTexts(options);
  checkMachine(options.machine);
  checkRootKeys(options);
  checkStorage(options.storage);
  checkTimes(options);
  checkFunctions(options);
  const { subtle } = (globalThis as { crypto?: { subtle?: unknown } }).crypto ?? {};
  need(subtle, 'WebCrypto is missing here: a page must come over https, or from localhost');
}

function need(holds: unknown, message: string): void {
  if (!holds) throw new TypeError(message);
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function checkNames(options: ClientOptions, place: string, names: readonly string[]): void {
  const within = place === '' ? options : options[place as 'machine'];
  if (within === undefined) return;
  need(isObject(within), `${place} must be an object, such as { ${names[0]}: … }`);
  for (const name of Object.keys(within)) {
    if (names.includes(name)) continue;
    const meant = names.find((known) => areNear(known.toLowerCase(), name.toLowerCase()));
    const path = place === '' ? '' : `${place}.`;
    const hint = meant === undefined ? `Options are ${names.join(', ')}` : `Did you mean ${path}${meant}?`;
    throw new TypeError(`unknown option ${path}${name}. ${hint}`);
  }
}

/** One letter, or two that are neighbours, is other, missing or too many; or one word is the beginning of the other. */
function areNear(one: string, other: string): boolean {
  if (one.length > 3 && (one.startsWith(other) || other.startsWith(one))) return true;
  let from = 0;
  while (from < one.length && one[from] === other[from]) from += 1;
  const [rest, otherRest] = [one.slice(from), other.slice(from)];
  const isSwapped =
    rest[0] === otherRest[1] && rest[1] === otherRest[0] && rest.slice(2) === otherRest.slice(2);
  const isOther = rest.slice(1) === otherRest.slice(1);
  return isSwapped || isOther || rest.slice(1) === otherRest || rest === otherRest.slice(1);
}

function checkTexts({ baseUrl, product, apiKey, licenseKey, appVersion }: ClientOptions): void {
  checkBaseUrl(baseUrl);
  need(typeof product === 'string' && product !== '', 'product must be the slug of your product');
  need(
    /^[a-z0-9]+(-[a-z0-9]+)*$/.test(product),
    `product must be the slug of your product, such as "editor"; this is "${product}". appctl product list shows it`,
  );
  const isKey = typeof apiKey === 'function' || typeof apiKey === 'string' || apiKey === undefined;
  need(
    isKey && apiKey !== '',
    'apiKey must be a text, or a function that returns one; leave it out without one',
  );
  for (const [name, value] of Object.entries({ licenseKey, appVersion }))
    need(value === undefined || typeof value === 'string', `${name} must be a text`);
}

function checkBaseUrl(text: unknown): void {
  const example = 'such as https://licenses.example.com';
  need(
    typeof text === 'string' && text !== '',
    `baseUrl must be the address of your license server, ${example}`,
  );
  const url = URL.canParse(String(text)) ? new URL(String(text)) : null;
  need(
    url && /^https?:$/.test(url.protocol),
    `baseUrl must begin with https://, ${example}; this is "${text}"`,
  );
  const isPlain = url?.username === '' && url.search === '' && url.hash === '';
  need(isPlain, `baseUrl must be without credentials, query and fragment, ${example}`);
  need(!/\/api(\/v1)?\/*$/.test(url?.pathname ?? ''), `baseUrl must end before /api/v1, ${example}`);
}

function checkMachine(machine: ClientOptions['machine'] | undefined): void {
  need(machine, 'machine is missing: { id: await createMachineId(storage) }');
  const id: unknown = machine?.id;
  need(!isObject(id) || !('then' in id), 'machine.id is a promise: await createMachineId(storage)');
  need(typeof id === 'string', 'machine.id must be a text: await createMachineId(storage)');
  const length = [...String(id)].length;
  need(length >= 8 && length <= 255, `machine.id must have 8 to 255 characters; this has ${length}`);
}

function checkRootKeys({ rootKeys, offline, signedResponses }: ClientOptions): void {
  const cure = "['…'] with your product's public key (appctl keys export KEYID --public), or [] without one";
  need(Array.isArray(rootKeys), `rootKeys must be an array: ${cure}`);
  for (const key of rootKeys) {
    need(typeof key === 'string', `rootKeys must hold texts: ${cure}`);
    need(
      !/PRIVATE KEY/.test(key),
      'rootKeys holds a private key, which must never ship: embed the public one',
    );
  }
  need(
    rootKeys.length > 0 || !offline?.enabled,
    'offline.enabled needs a root key: nothing else proves a token',
  );
  need(
    rootKeys.length > 0 || signedResponses !== 'require',
    'signedResponses: "require" needs at least one root key',
  );
  const modes = ['off', 'verify', 'require', undefined];
  need(modes.includes(signedResponses), 'signedResponses must be "off", "verify" or "require"');
}

function checkStorage(storage: ClientOptions['storage']): void {
  if (storage === undefined) return;
  need(isObject(storage) && !('then' in storage), 'storage must be an object with get, set and delete');
  const missing = (['get', 'set', 'delete'] as const).filter((name) => typeof storage[name] !== 'function');
  need(missing.length === 0, `storage lacks ${missing.join(', ')}: it needs get, set and delete`);
}

function checkTimes({ offline, updates, retry, timeoutMs }: ClientOptions): void {
  const seconds = (name: string, value: number | undefined, least: number, isEndless = false): void => {
    if (value === undefined || (isEndless && value === Number.POSITIVE_INFINITY)) return;
    const isInRange = typeof value === 'number' && value >= least && value <= LONGEST_SECONDS;
    const asSeconds = `; ${value} milliseconds are ${Math.round(value / 1000)} seconds`;
    const hint = value > LONGEST_SECONDS ? asSeconds : '';
    need(isInRange, `${name} must be from ${least} to ${LONGEST_SECONDS} seconds${hint}`);
  };
  seconds('offline.ttlSeconds', offline?.ttlSeconds, SHORTEST_TOKEN_SECONDS);
  seconds('offline.outageGraceSeconds', offline?.outageGraceSeconds, 0);
  seconds('updates.frozenAfterSeconds', updates?.frozenAfterSeconds, 1, true);
  need(
    timeoutMs === undefined || timeoutMs >= SHORTEST_TIMEOUT_MS,
    `timeoutMs must be at least ${SHORTEST_TIMEOUT_MS} milliseconds; for ${timeoutMs} seconds write ${Number(timeoutMs) * 1000}`,
  );
  for (const [name, value] of Object.entries(retry ?? {}))
    need(value === undefined || (typeof value === 'number' && value >= 0), `retry.${name} must be a number`);
}

function checkFunctions(options: ClientOptions): void {
  for (const name of ['fetch', 'now', 'verify'] as const) {
    const value = options[name];
    need(value === undefined || typeof value === 'function', `${name} must be a function`);
  }
  need(options.fetch ?? globalThis.fetch, 'this platform has no fetch: pass the option fetch');
}
