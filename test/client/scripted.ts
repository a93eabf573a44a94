// A client whose server is a function: for what no real server does on demand.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { vi } from 'vitest';
import { createLicenseClient } from '../../src/client/client.ts';
import type { ClientOptions, ClientStorage } from '../../src/client/option-types.ts';
import type { ClientEvents, LicenseClient } from '../../src/client/types.ts';
import { machineId, product, rootPem, signatureHeaders, startSeconds } from './signer.ts';

export const licenseKey = 'APP-AAAA-BBBB-CCCC-DDDD';

/** One request as the server saw it. */
export interface Asked {
  /** Last part of the path: `validate`. */
  operation: string;
  method: string;
  url: string;
  headers: Headers;
  body: Record<string, unknown>;
  redirect: RequestInit['redirect'];
  signal: AbortSignal;
}
export interface Answer {
  status: number;
  /** A text or a body of bytes is sent as it is, everything else as JSON. */
  body: unknown;
  headers?: Record<string, string>;
}
export type Server = (asked: Asked) => Answer | Promise<Answer>;

export const ok = (body: object = {}, headers = {}): Answer => ({
  status: 200,
  body: { success: true, ...body },
  headers,
});
export const refuse = (status: number, code: string, more: object = {}, headers = {}): Answer => ({
  status,
  body: { success: false, error: { code, message: `${code} in words` }, ...more },
  headers,
});
/** As fetch fails when nobody answers. */
export const offline: Server = () => Promise.reject(new TypeError('fetch failed'));

export const license = {
  key: licenseKey,
  product: 'Editor',
  tier: 'PERSONAL',
  type: 'PERPETUAL',
  validUntil: null,
  activationsUsed: 1,
  maxActivations: 2,
  features: { sso: true },
};
export const activation = { machineId, machineName: null, activatedAt: '2026-03-01T12:00:00.000Z' };

/** Answer of validate. */
export const valid = (more: object = {}): Answer =>
  ok({ valid: true, status: 'ACTIVE', code: 'VALID', message: 'fine', license, activation, ...more });
export const invalid = (code: string, more: object = {}): Answer =>
  ok({ valid: false, status: 'ACTIVE', code, message: code, license, activation: null, ...more });

/** Signs an answer for its question, as the server does. */
export function signed(
  asked: Asked,
  answer: Answer,
  date: string,
  keys: Parameters<typeof signatureHeaders>[1] = {},
) {
  const nonce = String(asked.body.nonce ?? new URL(asked.url).searchParams.get('nonce'));
  const body = { ...(answer.body as object), nonce };
  const facts = { status: answer.status, body: JSON.stringify(body), nonce, date };
  return { ...answer, body, headers: { ...answer.headers, ...signatureHeaders(facts, keys) } };
}

export interface Scripted {
  client: LicenseClient;
  /** What the server was asked, oldest first. */
  asked: Asked[];
  operations(): string[];
  /** Replaces the server. */
  serve(server: Server): void;
  /** What the storage holds. */
  stored: Map<string, string>;
  storage: ClientStorage;
  heard: { event: keyof ClientEvents; value: unknown }[];
  /** Values of one event, oldest first. */
  of<E extends keyof ClientEvents>(event: E): ClientEvents[E][];
  /** Unix milliseconds of the client's own clock. */
  clock: { ms: number };
  advance(seconds: number): void;
  iso(): string;
}

const events: (keyof ClientEvents)[] = [
  'access',
  'deactivated',
  'seat-lost',
  'usage-warning',
  'usage-exhausted',
  'usage-uncertain',
  'update',
  'update-frozen',
  'clock-suspect',
  'warning',
  'retry',
  'background-error',
];

/** @param more options of the client; a storage that is passed in belongs to a client before */
export function scripted(
  server: Server = () => valid(),
  more: Partial<ClientOptions> & { stored?: Map<string, string> } = {},
): Scripted {
  const { stored = new Map<string, string>(), ...options } = more;
  const storage: ClientStorage = {
    get: async (key) => stored.get(key) ?? null,
    set: async (key, value) => void stored.set(key, value),
    delete: async (key) => void stored.delete(key),
  };
  const clock = { ms: startSeconds * 1000 };
  const asked: Asked[] = [];
  let current = server;
  const client = createLicenseClient({
    baseUrl: 'https://licenses.test/base',
    product,
    apiKey: 'alk_test',
    licenseKey,
    machine: { id: machineId },
    rootKeys: [rootPem],
    storage,
    retry: { baseMs: 1, maxMs: 2 },
    now: () => clock.ms,
    fetch: async (input, init) => {
      const one = askedOf(String(input), init ?? {});
      asked.push(one);
      return responseOf(await current(one));
    },
    ...options,
  });
  const heard: Scripted['heard'] = [];
  for (const event of events) client.on(event, (value) => heard.push({ event, value }));
  return {
    client,
    asked,
    stored,
    storage,
    heard,
    clock,
    operations: () => asked.map(({ operation }) => operation),
    serve: (next) => void (current = next),
    of: (event) => heard.filter((one) => one.event === event).map(({ value }) => value as never),
    advance: (seconds) => void (clock.ms += seconds * 1000),
    iso: () => new Date(clock.ms).toISOString(),
  };
}

function askedOf(url: string, init: RequestInit): Asked {
  const path = new URL(url).pathname.split('/');
  const bytes = init.body as Uint8Array | undefined;
  return {
    operation: path[5] ?? '',
    method: String(init.method),
    url,
    headers: new Headers(init.headers),
    body: bytes === undefined ? {} : JSON.parse(new TextDecoder().decode(bytes)),
    redirect: init.redirect,
    signal: init.signal as AbortSignal,
  };
}

function responseOf({ status, body, headers = {} }: Answer): Response {
  const isRaw = typeof body === 'string' || body instanceof Uint8Array || body instanceof ReadableStream;
  return new Response(isRaw ? (body as string) : JSON.stringify(body), { status, headers });
}

/** Waits until something is so; real time, also while timers stand still: threads that verify may be kept waiting. */
export async function until(holds: () => boolean): Promise<void> {
  for (const end = performance.now() + 10_000; performance.now() < end && !holds(); ) await nextTurn();
  if (!holds()) throw new Error('it did not come about');
}

/** Lets everything happen that waits for no timer. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await nextTurn();
}

/** Timers stand still until `pass` lets them run, together with the client's clock. */
export function stopTimers(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
}

/** Lets time pass for timers and for the clock of a client. */
export async function pass(target: Pick<Scripted, 'advance'>, seconds: number): Promise<void> {
  for (let done = 0; done < seconds; done += 1) {
    target.advance(1);
    await vi.advanceTimersByTimeAsync(1000);
  }
  await settle();
}
