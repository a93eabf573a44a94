// An installation whose products each have a webhook of their own, so that events can be sent to a chosen receiver.
import { setTimeout as sleep } from 'node:timers/promises';
import { parallel } from './client.ts';
import type { Stored } from './delivery-judge.ts';
import { createProduct, type Installation } from './installation.ts';
import { jsonCommand } from './processes.ts';
import type { Reader } from './reader.ts';
import type { Receiver, Script } from './receiver.ts';

/** A product, its webhook, and the receiver's address, all of one name. */
export interface Line {
  name: string;
  productId: string;
  webhookId: string;
  /** What its requests are signed with. */
  secret: string;
}

const AT_ONCE = 2;
const POLL_MS = 250;

/** Makes lines; the server runs. */
export const drawLines = (
  installation: Installation,
  receiver: Receiver,
  scripts: Readonly<Record<string, Script>>,
  delayMs: number,
): Promise<Line[]> =>
  parallel(
    Object.entries(scripts).map(([name, script]) => async () => {
      const { id: productId } = await createProduct(installation, name);
      const where = ['--service', 'license', '--url', `${receiver.url}/hook/${name}`, '--name', name];
      const words = ['webhook', 'create', ...where, '--event', '*', '--product', name];
      const { id, secret } = await jsonCommand<{ id: string; secret: string }>(installation.launch, words);
      await receiver.listen({ name, secret, script, delayMs });
      return { name, productId, webhookId: id, secret };
    }),
    AT_ONCE,
  );

/** Events that somebody must be told of, and by which line: an event is about a license, that is of a product. */
export const owedBy = async (
  reader: Reader,
  lines: readonly Line[],
): Promise<{ hook: string; eventId: string; subject: string; type: string }[]> => {
  const names = new Map(lines.map(({ productId, name }) => [productId, name]));
  const rows = await reader.all<{ id: string; subject: string; type: string; product_id: string }>(
    `SELECT e.id, e.subject, e.type, l.product_id FROM events e JOIN licenses l ON l.id = e.subject
     WHERE e.service = 'license'`,
  );
  return rows.flatMap(({ id, subject, type, product_id }) => {
    const hook = names.get(product_id);
    return hook === undefined ? [] : [{ hook, eventId: id, subject, type }];
  });
};

/** What is stored of the deliveries of these lines. */
export const storedOf = async (reader: Reader, lines: readonly Line[]): Promise<Stored[]> => {
  const names = new Map(lines.map(({ webhookId, name }) => [webhookId, name]));
  const rows = await reader.all<{ webhook_id: string; event_id: string; state: string; attempts: number }>(
    'SELECT webhook_id, event_id, state, attempts FROM webhook_deliveries',
  );
  return rows.flatMap(({ webhook_id, event_id, state, attempts }) => {
    const hook = names.get(webhook_id);
    return hook === undefined ? [] : [{ hook, eventId: event_id, state, attempts }];
  });
};

/** How many deliveries of a webhook are in each state. */
export async function statesOf(reader: Reader, { webhookId }: Line): Promise<Record<string, number>> {
  const rows = await reader.all<{ state: string; n: number }>(
    'SELECT state, count(*) AS n FROM webhook_deliveries WHERE webhook_id = ? GROUP BY state',
    webhookId,
  );
  return Object.fromEntries(rows.map(({ state, n }) => [state, n]));
}

/** What is known of a webhook's failures. */
export async function healthOf(
  reader: Reader,
  { webhookId }: Line,
): Promise<{ isEnabled: boolean; failures: number }> {
  const [row] = await reader.all<{ enabled: number | boolean; consecutive_failures: number }>(
    'SELECT enabled, consecutive_failures FROM webhooks WHERE id = ?',
    webhookId,
  );
  return { isEnabled: Boolean(row?.enabled), failures: row?.consecutive_failures ?? -1 };
}

/** Waits until something is so, at most for so long. @returns whether it is */
export async function until(isSo: () => Promise<boolean>, timeoutMs: number): Promise<boolean> {
  const end = performance.now() + timeoutMs;
  for (;;) {
    if (await isSo()) return true;
    if (performance.now() > end) return false;
    await sleep(POLL_MS);
  }
}

/** Waits until no delivery waits any more. @returns how many still do */
export async function untilEnded(reader: Reader, timeoutMs: number): Promise<number> {
  const waiting = async (): Promise<number> => {
    const [row] = await reader.all<{ n: number }>(
      "SELECT count(*) AS n FROM webhook_deliveries WHERE state = 'PENDING'",
    );
    return row?.n ?? 0;
  };
  await until(async () => (await waiting()) === 0, timeoutMs);
  return waiting();
}
