import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { isBusy, isUnavailable } from '#kernel/db/dialect.ts';
import * as integrations from '../../integrations/index.ts';
import { endpointUrl } from '../../integrations/index.ts';
import { storeEvent } from '../events/store.ts';
import { type Delivery, judgeDelivery } from '../processing/judge.ts';
import { processEvent } from '../processing/process.ts';
import { noteRefusal } from '../refusals/refusals.ts';
import { listSpool, readSpool, removeSpool, setAside, writeSpool } from './files.ts';

/** An event on the disk. */
const SpooledEvent = z.object({
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
});
type SpooledEvent = z.output<typeof SpooledEvent>;

/**
 * A run takes in so many, then others get their turn: fewer than licensing 4.5 allows, since what waits in the memory of
 * this process is written in the same turns.
 */
const MOST_PER_RUN = 1000;

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
  return writeSpool(ctx, JSON.stringify(event));
}

/**
 * Takes the events of this installation's disk into the inbox, in the order of their arrival, and processes them. A
 * file goes only after its event is committed. One that cannot be read is set aside, and one that the database does not
 * take for another reason than being away is left for the next run: neither stands in the way of others.
 *
 * @returns how many were stored, refused, set aside and left
 * @throws what the database throws while it is away: the files stay
 */
export async function ingestSpool(ctx: Ctx): Promise<Record<string, number>> {
  const counts = { stored: 0, refused: 0, setAside: 0, left: 0 };
  for (const name of listSpool(ctx)) {
    // What is left does not count: it would otherwise keep those behind it from ever getting their turn.
    if (counts.stored + counts.refused + counts.setAside >= MOST_PER_RUN) break;
    const taken = await takeIn(ctx, name);
    if (taken !== null) counts[taken] += 1;
  }
  return counts;
}

type Taken = 'stored' | 'refused' | 'setAside' | 'left';

/** @returns null when another process has taken it in */
async function takeIn(ctx: Ctx, name: string): Promise<Taken | null> {
  try {
    const text = await readSpool(ctx, name);
    if (text === null) return null;
    const spooled = read(text);
    return spooled === null ? await giveUp(ctx, name, 'it cannot be read') : await ingest(ctx, name, spooled);
  } catch (error) {
    if (isUnavailable(error) || isBusy(error)) throw error;
    ctx.log.error({ err: error, file: name }, 'a spooled inbound event could not be taken in');
    return 'left';
  }
}

async function giveUp(ctx: Ctx, file: string, reason: string): Promise<'setAside' | null> {
  if (!(await setAside(ctx, file))) return null;
  ctx.log.error({ file, reason }, 'a spooled inbound event was set aside');
  return 'setAside';
}

function read(text: string): SpooledEvent | null {
  try {
    return SpooledEvent.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

async function ingest(ctx: Ctx, name: string, spooled: SpooledEvent): Promise<Taken | null> {
  const { configId, headers, ip, receivedAt, believed } = spooled;
  const raw = { bytes: Buffer.from(spooled.body, 'base64') };
  const delivery: Delivery = { configId, raw, headers, ip, receivedAt };
  const config = await integrations.load(ctx, configId);
  const judged = judgeDelivery(config, delivery, { baseUrl: ctx.baseUrl, isBelieved: believed });
  if ('reason' in judged) {
    // Its sender was told that it is kept: it may be a purchase that was paid for.
    if (believed) return giveUp(ctx, name, judged.detail);
    await noteRefusal(ctx, config, judged, ip);
    await removeSpool(ctx, name);
    return 'refused';
  }
  const { id, earlier } = await storeEvent(ctx, judged, delivery, true);
  await removeSpool(ctx, name);
  if (!earlier) await processEvent(ctx, { id, config: judged.config, event: judged.event, receivedAt });
  return 'stored';
}
