import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { later } from '#kernel/sharing.ts';
import { type Outcome, spoolOf } from '#kernel/spool.ts';
import { ids } from '#licensing/contract/ids.ts';
import * as integrations from '../integrations/index.ts';
import { endpointUrl } from '../integrations/index.ts';
import { storeEvent } from './events/store.ts';
import { type Delivery, judgeDelivery } from './processing/judge.ts';
import { processEvent } from './processing/process.ts';
import { noteRefusal } from './refusals/refusals.ts';

/** An event on the disk. */
const SpooledEvent = later(() =>
  z.object({
    configId: z.string(),
    /** Where it was sent to, for people who read the file. */
    url: z.string(),
    headers: z.record(z.string(), z.string()),
    /** Base64 of the bytes that came. */
    body: z.string(),
    ip: z.string(),
    receivedAt: z.iso.datetime(),
    /** Its signature held when it came: the secrets may be others by now. */
    believed: z.boolean(),
  }),
);
type SpooledEvent = z.output<typeof SpooledEvent>;

/** Where purchases wait that came while the database was away. */
export const inboundSpool = spoolOf('inbound', ids.inboundEvent);

/**
 * Keeps a delivery on the disk because the database is away (D101).
 *
 * @param believed whether its signature was checked
 * @throws SpoolFull; what the file system throws
 */
export function spoolDelivery(ctx: Ctx, delivery: Delivery, bytes: Buffer, believed: boolean): Promise<void> {
  const { configId, headers, ip, receivedAt } = delivery;
  const event: SpooledEvent = {
    configId,
    url: endpointUrl(ctx.baseUrl, configId),
    headers: JSON.parse(JSON.stringify(headers)),
    body: bytes.toString('base64'),
    ip,
    receivedAt,
    believed,
  };
  return inboundSpool.write(ctx, JSON.stringify(event));
}

/**
 * Takes the events of this installation's disk into the inbox, in the order of their arrival, and processes them. A file
 * goes only after its event is committed.
 *
 * @returns how many were stored, refused, set aside and left
 * @throws what the database throws while it is away: the files stay
 */
export const ingestSpool = (ctx: Ctx): Promise<Record<string, number>> => inboundSpool.drain(ctx, takeIn);

async function takeIn(ctx: Ctx, text: string): Promise<Outcome> {
  const spooled = read(text);
  return spooled === null ? { taken: 'setAside', reason: 'it cannot be read' } : ingest(ctx, spooled);
}

function read(text: string): SpooledEvent | null {
  try {
    return SpooledEvent.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

async function ingest(ctx: Ctx, spooled: SpooledEvent): Promise<Outcome> {
  const { configId, headers, ip, receivedAt, believed } = spooled;
  const raw = { bytes: Buffer.from(spooled.body, 'base64') };
  const delivery: Delivery = { configId, raw, headers, ip, receivedAt };
  const config = await integrations.load(ctx, configId);
  const judged = judgeDelivery(config, delivery, { baseUrl: ctx.baseUrl, isBelieved: believed });
  if ('reason' in judged) {
    // Its sender was told that it is kept: it may be a purchase that was paid for.
    if (believed) return { taken: 'setAside', reason: judged.detail };
    await noteRefusal(ctx, config, judged, ip);
    return { taken: 'refused' };
  }
  const { id, earlier } = await storeEvent(ctx, judged, delivery, true);
  const event = { id, config: judged.config, event: judged.event, receivedAt };
  return { taken: 'stored', ...(!earlier && { done: () => processEvent(ctx, event) }) };
}
