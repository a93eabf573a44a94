import type { Ctx } from '#kernel/context.ts';
import { changesBetween } from '#kernel/service/diff.ts';
import { fail } from '#kernel/service/errors.ts';
import { checkInput, sentFields } from '#kernel/service/input.ts';
import { ids } from '#storefront/contract/ids.ts';
import { type Region, regionsOf, regionText } from '#storefront/contract/regions.ts';
import { shippingZoneEvents } from './events.ts';
import { regionsOfZones, shippingZoneRows } from './queries.ts';
import type { ShippingZone } from './record.ts';
import * as repo from './repository.ts';
import {
  ShippingZoneCreate,
  type ShippingZoneCreateInput,
  ShippingZoneUpdate,
  type ShippingZoneUpdateInput,
} from './schemas.ts';

/** A shipping zone. @throws AppError NOT_FOUND */
export const getZone = async (ctx: Ctx, id: string): Promise<ShippingZone> =>
  (await shippingZoneRows.find(ctx, id)) ?? missingZone(id);

export function missingZone(id: string): never {
  throw fail('NOT_FOUND', `shipping zone ${id} does not exist`);
}

const toldOf = ({ name, position }: ShippingZone, regions: readonly Region[]) => ({
  name,
  position,
  regions: regions.map(regionText),
});

/** Makes a shipping zone. @throws AppError VALIDATION_ERROR for regions that do not exist */
export async function createZone(ctx: Ctx, input: ShippingZoneCreateInput): Promise<ShippingZone> {
  const sent = checkInput(ShippingZoneCreate, input);
  const regions = regionsOf(sent.regions);
  return ctx.tx(async (ctx) => {
    const now = ctx.now();
    const { name, position = 0 } = sent;
    const zone = { id: ctx.newId(ids.shippingZone), name, position, createdAt: now, updatedAt: now };
    await repo.insertZone(ctx, zone);
    await putRegions(ctx, zone.id, regions);
    await shippingZoneEvents.tell(ctx, 'shipping_zone.created', zone.id, toldOf(zone, regions), {
      after: zone,
    });
    return zone;
  });
}

async function putRegions(ctx: Ctx, zoneId: string, regions: readonly Region[]): Promise<void> {
  const rows = regions.map((region) => ({
    ...region,
    id: ctx.newId(ids.shippingZoneRegion),
    zoneId,
    createdAt: ctx.now(),
  }));
  await repo.replaceRegions(ctx, zoneId, rows);
}

/**
 * Changes a shipping zone; what is not sent stays. A call that changes nothing writes nothing.
 *
 * @throws AppError NOT_FOUND; VALIDATION_ERROR
 */
export async function changeZone(
  ctx: Ctx,
  id: string,
  input: ShippingZoneUpdateInput,
): Promise<ShippingZone> {
  const { regions: sentRegions, ...sent } = sentFields(checkInput(ShippingZoneUpdate, input));
  const wanted = sentRegions && regionsOf(sentRegions);
  return ctx.tx(async (ctx) => {
    const before = (await repo.lockZone(ctx, id)) ?? missingZone(id);
    const had = (await regionsOfZones(ctx, [id])).get(id) ?? [];
    const regions = wanted ?? had;
    const isMoved = had.map(regionText).join() !== regions.map(regionText).join();
    const changed = { ...before, ...sent };
    if (!isMoved && Object.keys(changesBetween(before, changed)).length === 0) return before;
    const after = { ...changed, updatedAt: ctx.now() };
    await repo.updateZone(ctx, after);
    if (isMoved) await putRegions(ctx, id, regions);
    const told = toldOf(after, regions);
    await shippingZoneEvents.tell(ctx, 'shipping_zone.updated', id, told, { before, after });
    return after;
  });
}

/** Removes a shipping zone with its methods. @throws AppError NOT_FOUND */
export async function removeZone(ctx: Ctx, id: string): Promise<void> {
  await ctx.tx(async (ctx) => {
    const before = (await repo.lockZone(ctx, id)) ?? missingZone(id);
    const regions = (await regionsOfZones(ctx, [id])).get(id) ?? [];
    await repo.deleteZone(ctx, id);
    await shippingZoneEvents.tell(ctx, 'shipping_zone.deleted', id, toldOf(before, regions), { before });
  });
}
