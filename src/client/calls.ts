import { randomText } from './bytes.ts';
import type { Clock } from './clock.ts';
import { ClientError, type LicenseApiError } from './errors.ts';
import type { Identity } from './identity.ts';
import type { Json } from './json.ts';
import type { Settings } from './options.ts';
import type { Reply, Send } from './retry.ts';
import type { JsonObject } from './shape.ts';
import { follow } from './timers.ts';
import type { Incoming, Open, Outgoing } from './transport.ts';

export interface CallOptions {
  background?: boolean | undefined;
  /** See Call of retry.ts. */
  patienceMs?: number | undefined;
  /** 1 = no retry. */
  attempts?: number | undefined;
  signal?: AbortSignal | undefined;
  headers?: Record<string, string> | undefined;
  /** Refusals that mean success when an earlier attempt may have got through. */
  doneWhenRepeated?: (refusal: LicenseApiError) => boolean;
}

type Fields = Record<string, Json | undefined>;

/** The endpoints of the API, each with the license key and the machine of this client. */
export interface Calls {
  /**
   * @param operation last part of the path
   * @param keyName the spec's name of the license key at this endpoint
   * @throws LicenseApiError, ClientError
   */
  post(
    operation: string,
    keyName: 'key' | 'licenseKey',
    fields?: Fields,
    options?: CallOptions,
  ): Promise<Reply>;
  /** As `post`; null when `doneWhenRepeated` settled it. */
  postOnce(
    operation: string,
    keyName: 'key' | 'licenseKey',
    options: CallOptions & Required<Pick<CallOptions, 'doneWhenRepeated'>>,
  ): Promise<Reply | null>;
  /** GET /api/v1/license/check/{key}. */
  check(): Promise<Reply>;
  /**
   * GET /api/v1/updates/check.
   *
   * @param nonce also in the timestamp token of the answer
   */
  checkUpdate(query: Query, nonce: string, signal?: AbortSignal): Promise<Reply>;
  /** GET /api/v1/updates/download: one attempt. Throws ClientError */
  openBundle(query: Query, headers: Record<string, string>, signal: AbortSignal): Promise<Incoming>;
  /** Aborted by close(). */
  closed: AbortSignal;
}

/** Parameters of a path; those that are empty are left out. */
export type Query = Record<string, string>;

/** What a client is made of. */
export interface CallParts {
  settings: Settings;
  identity: Identity;
  clock: Clock;
  send: Send;
  open: Open;
  /** Aborted by close(). */
  closed: AbortSignal;
}

const SHORTEST_KEY = 10;
const LONGEST_KEY = 100;

/** Whether the user has to enter a license key, or another one. */
export const isKeyFault = ({ code }: ClientError): boolean =>
  code === 'NO_LICENSE_KEY' || code === 'INVALID_KEY';

/** Deactivate is the one operation whose answer is never signed (6.13). */
const unsigned = ['deactivate'];

export function createCalls(parts: CallParts): Calls {
  const { settings, identity, open, closed } = parts;
  const key = (): string => {
    const licenseKey = identity.licenseKey();
    if (licenseKey === null || licenseKey.trim() === '')
      throw new ClientError('NO_LICENSE_KEY', 'No license key has been entered');
    // What no server would take for a key says nothing about the application that sends it.
    const { length } = licenseKey.trim();
    if (length < SHORTEST_KEY || length > LONGEST_KEY)
      throw new ClientError('INVALID_KEY', 'License key format is not valid');
    return licenseKey;
  };
  const run = createRun(parts);
  const post = (operation: string, keyName: string, fields: Fields, options: CallOptions) => {
    const nonce = unsigned.includes(operation) ? null : randomText(16);
    const all = {
      [keyName]: key(),
      machineId: settings.machine.id,
      ...fields,
      ...(nonce !== null && { nonce }),
    };
    // JSON knows no undefined: such fields are left out when the text is written.
    const body = all as JsonObject;
    return run(operation, { method: 'POST', path: `/api/v1/license/${operation}`, body, nonce }, options);
  };
  return {
    async post(operation, keyName, fields = {}, options = {}) {
      return replied(await post(operation, keyName, fields, options));
    },
    postOnce: async (operation, keyName, options) => post(operation, keyName, {}, options),
    async check() {
      const nonce = randomText(16);
      const path = `/api/v1/license/check/${encodeURIComponent(key())}?nonce=${nonce}`;
      return replied(await run('check', { method: 'GET', path, nonce }, {}));
    },
    async checkUpdate(query, nonce, signal) {
      const path = `/api/v1/updates/check?${queryOf({ ...query, nonce })}`;
      const licenseKey = headerOf(key());
      return replied(await run('update-check', { method: 'GET', path, nonce, licenseKey }, { signal }));
    },
    async openBundle(query, headers, signal) {
      const path = `/api/v1/updates/download?${queryOf(query)}`;
      return open({ method: 'GET', path, headers, licenseKey: headerOf(key()) }, signal);
    },
    closed,
  };
}

type Run = (
  operation: string,
  outgoing: Outgoing & { nonce: string | null },
  options: CallOptions,
) => Promise<Reply | null>;

/** Sends until the client is closed, and learns the server's time from each answer. */
function createRun({ clock, send, closed }: CallParts): Run {
  return async (operation, outgoing, { background = false, signal, ...rest }) => {
    if (closed.aborted) throw new ClientError('ABORTED', 'the client is closed');
    const joined = follow([closed, signal]);
    try {
      const reply = await send({ operation, background, ...outgoing, ...rest, signal: joined.signal });
      if (reply !== null && reply.serverTime !== null) await clock.noteServer(reply.serverTime, true);
      else if (reply !== null && reply.date !== null) clock.hint(reply.date);
      return reply;
    } finally {
      joined.release();
    }
  };
}

const queryOf = (query: Query): string =>
  Object.entries(query)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');

/** A header takes no other characters, and what refuses them would put the key into its message. */
function headerOf(licenseKey: string): string {
  const trimmed = licenseKey.trim();
  if (/^[\x21-\x7e]+$/.test(trimmed)) return trimmed;
  throw new ClientError('INVALID_KEY', 'License key format is not valid');
}

/** Only calls that name what settles a repeat are settled by one. */
function replied(reply: Reply | null): Reply {
  if (reply === null) throw new ClientError('BAD_RESPONSE', 'the answer is missing');
  return reply;
}
