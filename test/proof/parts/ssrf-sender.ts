// Who sends to addresses that users named: the executable, or one of two careless clients as planted faults.
import { lookup } from 'node:dns/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { isAllowed } from '#kernel/outbound/addresses.ts';
import { type Client, createClient, parallel } from './client.ts';
import { createProduct, type Installation, mintLicense } from './installation.ts';
import { jsonCommand, startServer } from './processes.ts';
import { openReader, type Reader } from './reader.ts';

/** Something that is to be sent. */
export interface Target {
  /** What is saved while it looks harmless. */
  saved: string;
  /** What is stored when it is sent: the same, or a text that came past the guard. */
  stored: string;
}

/** What came of sending to one target. */
export interface Sent {
  attempts: number;
  /** Of the last attempt; null: there was no answer. */
  status: number | null;
  error: string | null;
}

/** Saves addresses and sends to them. */
export interface Sender {
  save(url: string): Promise<'taken' | 'refused' | string>;
  /**
   * @param moved called when all are saved and before anything is sent
   * @returns in the order of the targets
   */
  deliver(targets: readonly Target[], moved: () => void): Promise<Sent[]>;
  close(): Promise<void>;
}

const AT_ONCE = 4;
const PRODUCT = 'editor';
/** The second attempt comes after 10 s. */
const SECOND_ATTEMPT = 2;
const PATIENCE_MS = 60_000;
const POLL_MS = 200;

const LAST_ATTEMPTS = `SELECT d.webhook_id, d.attempts, d.state, d.last_status, d.last_error FROM webhook_deliveries d`;

interface Row {
  webhook_id: string;
  attempts: number;
  state: string;
  last_status: number | null;
  last_error: string | null;
}

/** The executable: addresses are saved through its admin API, changed by SQL, and sent to when a license is made. */
export async function openExecutable(installation: Installation): Promise<Sender> {
  const server = await startServer(installation.launch);
  await createProduct(installation, PRODUCT);
  const words = ['admin', 'token', 'create', '--name', 'proof', '--role', 'owner'];
  const { secret } = await jsonCommand<{ secret: string }>(installation.launch, words);
  const client = createClient(server.url, AT_ONCE);
  const reader = await openReader(installation);
  const admin = { client, headers: { Authorization: `Bearer ${secret}` } };
  return {
    save: async (url) => {
      const { status, body } = await post(admin, { url, enabled: false });
      const isRefused = status === 400 && JSON.parse(body).error.code === 'VALIDATION_ERROR';
      return status === 201 ? 'taken' : isRefused ? 'refused' : `${status} ${body}`;
    },
    deliver: async (targets, moved) => {
      const ids = await parallel(
        targets.map(
          ({ saved }) =>
            () =>
              makeWebhook(admin, saved),
        ),
        AT_ONCE,
      );
      for (const [i, { saved, stored }] of targets.entries()) {
        if (stored !== saved)
          await reader.run('UPDATE webhooks SET url = ? WHERE id = ?', stored, ids[i] ?? '');
      }
      moved();
      await mintLicense(installation, PRODUCT, 1);
      const rows = await attemptsOf(reader, ids);
      return ids.map((id) => sentOf(rows.find((row) => row.webhook_id === id)));
    },
    async close() {
      client.close();
      await reader.close();
      await server.stop();
    },
  };
}

interface Admin {
  client: Client;
  headers: Record<string, string>;
}

const post = ({ client, headers }: Admin, body: object) =>
  client.ask({ method: 'POST', path: '/api/v1/admin/webhooks', headers, body });

async function makeWebhook(admin: Admin, url: string): Promise<string> {
  const { status, body } = await post(admin, { url });
  if (status !== 201) throw new Error(`${url} could not be saved: ${status} ${body}`);
  return JSON.parse(body).webhook.id;
}

/** Waits until each webhook was tried twice or has had its answer. */
async function attemptsOf(reader: Reader, ids: readonly string[]): Promise<Row[]> {
  const until = performance.now() + PATIENCE_MS;
  for (;;) {
    const rows = (await reader.all<Row>(LAST_ATTEMPTS)).filter((row) => ids.includes(row.webhook_id));
    const isDone = (row: Row): boolean => row.attempts >= SECOND_ATTEMPT || row.state !== 'PENDING';
    const hasAll = rows.length === ids.length && rows.every(isDone);
    if (hasAll || performance.now() > until) return rows;
    await sleep(POLL_MS);
  }
}

const sentOf = (row: Row | undefined): Sent => ({
  attempts: row?.attempts ?? 0,
  status: row?.last_status ?? null,
  error: row?.last_error ?? null,
});

/** A client without a guard. */
export const openAllowAll = (): Sender => careless(async () => true);

/** A client that looks a name up, judges the answers, and then lets another look-up and redirects decide. */
export const openLookThenFetch = (): Sender =>
  careless(async (url) => {
    const host = new URL(url).hostname.replaceAll(/[[\]]/g, '');
    if (host === '') return false;
    const answers = await lookup(host, { all: true }).catch(() => []);
    return answers.every(({ address }) => isAllowed(address, []));
  });

function careless(mayGo: (url: string) => Promise<boolean>): Sender {
  const judge = async (url: string): Promise<boolean> => URL.canParse(url) && (await mayGo(url));
  return {
    save: async (url) => ((await judge(url)) ? 'taken' : 'refused'),
    deliver: (targets, moved) => {
      moved();
      const jobs = targets.map(({ stored }) => async () => {
        if (!(await judge(stored))) return { attempts: 1, status: null, error: 'blocked address' };
        return goAnywhere(stored);
      });
      return parallel(jobs, AT_ONCE);
    },
    close: async () => undefined,
  };
}

async function goAnywhere(url: string): Promise<Sent> {
  try {
    const { status } = await fetch(url, { method: 'POST', body: '{}' });
    return { attempts: 1, status, error: null };
  } catch (error) {
    return { attempts: 1, status: null, error: String(error) };
  }
}
