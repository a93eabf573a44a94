// A receiver of webhooks on the loopback interface, and webhooks that send to it.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Ctx } from '#kernel/context.ts';
import type { OutboxHandler } from '#kernel/outbox/handler.ts';
import { createOutboxWorker, type OutboxWorker } from '#kernel/outbox/worker.ts';
import { webhookHandler } from '#platform/webhooks/index.ts';
import { webhookServices } from '../../src/app/instance.ts';
import { webhooksChanged } from '../../src/platform/webhooks/deliveries/changes.ts';

/** One request as it came. */
export type Received = { headers: Record<string, string>; body: string };

/** How the receiver answers: a status, or by hand; an answer that never comes is one that does nothing. */
export type Answer = number | ((res: ServerResponse, req: IncomingMessage) => void);

export type Receiver = {
  url: string;
  received: Received[];
  /** Answers of the next requests, in order; afterwards `otherwise`. */
  answers: Answer[];
  otherwise: Answer;
  close(): Promise<void>;
};

/** Pin this: the guard refuses the loopback interface otherwise. */
export const LOOPBACK_PINS = { 'webhooks.allowed_private_cidrs': '127.0.0.0/8' };

/** @returns a receiver that answers 200 until it is told otherwise; close it in `afterAll` */
export async function openReceiver(): Promise<Receiver> {
  const server = createServer((req, res) => void answer(req, res));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received: [],
    answers: [],
    otherwise: 200,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  return receiver;

  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    const headers = Object.fromEntries(
      Array.from({ length: req.rawHeaders.length / 2 }, (_, i) => req.rawHeaders.slice(2 * i, 2 * i + 2)),
    ) as Record<string, string>;
    receiver.received.push({ headers, body: Buffer.concat(chunks).toString() });
    const how = receiver.answers.shift() ?? receiver.otherwise;
    if (typeof how === 'function') how(res, req);
    else res.writeHead(how).end();
  }
}

export type WebhookSpec = {
  url: string;
  events?: string[];
  productIds?: string[] | null;
  redactEmail?: boolean;
  secret?: string;
  previous?: { secret: string; until: string };
  headers?: Record<string, string>;
  enabled?: boolean;
  failures?: number;
};

export const SECRET = 'whs_a-secret-of-the-tests';

/** Writes a webhook of the license service, without the checks that its administration makes. @returns its id */
export async function insertWebhook(ctx: Ctx, spec: WebhookSpec): Promise<string> {
  const id = ctx.newId('whk');
  const seal = (text: string, part: string) => ctx.keyring.seal('secret', text, `webhook:${id}:${part}`);
  await ctx.tx(async (ctx) => {
    await ctx.db.knex('webhooks').insert({
      id,
      service: 'license',
      tenant_id: ctx.tenantId,
      name: 'test',
      url: spec.url,
      events: JSON.stringify(spec.events ?? ['*']),
      product_ids: spec.productIds ? JSON.stringify(spec.productIds) : null,
      redact_email: spec.redactEmail ?? false,
      headers_enc: spec.headers ? seal(JSON.stringify(spec.headers), 'headers') : null,
      secret_enc: seal(spec.secret ?? SECRET, 'secret'),
      previous_secret_enc: spec.previous ? seal(spec.previous.secret, 'previous') : null,
      previous_until: spec.previous?.until ?? null,
      enabled: spec.enabled ?? true,
      consecutive_failures: spec.failures ?? 0,
      created_at: ctx.now(),
      updated_at: ctx.now(),
    });
    await webhooksChanged(ctx);
  });
  return id;
}

/** A worker as `serve` makes it; `handler` is put around the real one. */
export const webhookWorker = (
  ctx: Ctx,
  wrap: (handler: OutboxHandler) => OutboxHandler = (handler) => handler,
): OutboxWorker => createOutboxWorker({ ctx, handlers: [wrap(webhookHandler(webhookServices))] });

/** Every delivery of a webhook, in the order of their events. */
export const deliveriesOf = (ctx: Ctx, webhookId: string): Promise<Record<string, unknown>[]> =>
  ctx.db.knex('webhook_deliveries').where({ webhook_id: webhookId }).orderBy(['created_at', 'id']);

/** The attempts of a delivery, in order. */
export const attemptsOf = (ctx: Ctx, deliveryId: unknown): Promise<Record<string, unknown>[]> =>
  ctx.db.knex('webhook_attempts').where({ delivery_id: deliveryId }).orderBy(['run', 'n']);

export const webhookRow = (ctx: Ctx, id: string): Promise<Record<string, unknown>> =>
  ctx.db.knex('webhooks').where({ id }).first();

export const outboxOf = (ctx: Ctx, target: string): Promise<Record<string, unknown>[]> =>
  ctx.db.knex('outbox').where({ target }).orderBy(['available_at', 'id']);
