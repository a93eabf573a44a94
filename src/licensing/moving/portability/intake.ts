import type { Ctx } from '#kernel/context.ts';
import type { Changes } from '#kernel/service/diff.ts';
import { canonicalKey, keyPrefix, keyShape } from '#licensing/catalog/key-formats/index.ts';
import { licensingEvent } from '#licensing/contract/events.ts';
import { ids } from '#licensing/contract/ids.ts';
import { bounds } from '#licensing/contract/limits.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import { keyDigest, liveMachinesOf } from '#licensing/licenses/standing/index.ts';
import { noteOnTimeline, publish } from '#licensing/publish.ts';
import { entities } from './entities.ts';
import type { Values } from './entity.ts';
import { findKeyHolder, lockExcess } from './queries.ts';
import { RowFault } from './report.ts';
import * as repo from './repository.ts';

/** A key that comes with a license and keeps its spelling (D11). */
export interface KeptKey {
  key: string;
  kind: 'CURRENT' | 'REPLACED' | 'HONEYPOT';
  /** ISO 8601 UTC until which a REPLACED key still works. */
  overlapUntil: string | null;
  thenHoneypot: boolean;
  replacedAt: string | null;
  createdAt: string;
}

/** The key of a license that has only this one. */
export const currentKey = (key: string, createdAt: string): KeptKey => ({
  key,
  kind: 'CURRENT',
  overlapUntil: null,
  thenHoneypot: false,
  replacedAt: null,
  createdAt,
});

/** Digest that a key is looked up by. @throws RowFault KEY_FORMAT */
export function digestOf(ctx: Ctx, key: string): string {
  const { min, max } = bounds.licenseKey;
  if (!keyShape(key) || key.length < min || key.length > max) {
    throw new RowFault('KEY_FORMAT', `the key must have ${min} to ${max} letters, digits and hyphens`);
  }
  return keyDigest(ctx, canonicalKey(key));
}

/** Refuses a key that any license of the installation has, or once had. @throws RowFault DUPLICATE_KEY */
export async function requireFreeKey(ctx: Ctx, digest: string): Promise<void> {
  if (await findKeyHolder(ctx, digest)) throw duplicate();
}

const duplicate = () => new RowFault('DUPLICATE_KEY', 'the key belongs to another license');

/**
 * Writes a license with its keys, in the caller's transaction.
 *
 * @param values fields of the native format
 * @throws RowFault KEY_FORMAT, DUPLICATE_KEY
 */
export async function writeLicense(ctx: Ctx, values: Values, keys: readonly KeptKey[]): Promise<void> {
  const licenseId = values.id as string;
  await repo.insert(ctx, entities.license, values);
  for (const { key, ...rest } of keys) {
    const stored = await licenses.insertKey(ctx, {
      ...rest,
      id: ctx.newId(ids.licenseKey),
      licenseId,
      digest: digestOf(ctx, key),
      sealed: ctx.keyring.seal('license-key', key, licenseId),
      prefix: keyPrefix(key),
      isCanonical: key === canonicalKey(key),
    });
    if (!stored) throw duplicate();
  }
}

/** Where a license came from, and what its receivers are told. */
export interface Announcement {
  /** `native`, `keygen`, … */
  from: string;
  /** Live machines that came with it. */
  machines: readonly { machineId: string; machineName: string | null }[];
  /** How many live machines it has in all, with those that follow in the file. */
  used: number;
  /** Webhooks are told as of a license that was created here (6.11). */
  fireEvents: boolean;
}

/**
 * Writes the timeline of an imported license. Webhooks know no LICENSE_IMPORTED, so that an import of thousands wakes
 * nobody unless it is asked to.
 */
export async function announce(ctx: Ctx, values: Values, said: Announcement): Promise<void> {
  const { type, tier, maxActivations, validUntil, orderId } = values as CreatedFields;
  const details = { source: 'IMPORT' as const, type, tier, maxActivations, validUntil, orderId };
  // Machines above the limit stay, as they do when a limit is lowered; doctor finds both by this change (8.8).
  const diff: Changes | undefined =
    said.used > maxActivations ? { maxActivations: [said.used, maxActivations] } : undefined;
  await noteOnTimeline(ctx, values.id as string, 'LICENSE_IMPORTED', { ...details, from: said.from }, diff);
  if (said.fireEvents && values.deletedAt === null)
    await tellReceivers(ctx, values.id as string, said, details);
}

/**
 * Notes on the timeline that a license got more machines than it allows: one that was here before, or whose row did not
 * say how many follow.
 */
export async function noteExcess(ctx: Ctx, licenseId: string): Promise<void> {
  const excess = await lockExcess(ctx, licenseId);
  if (!excess) return;
  const { used, ...license } = excess;
  const diff: Changes = { maxActivations: [used, license.maxActivations] };
  await noteOnTimeline(
    ctx,
    licenseId,
    'LICENSE_IMPORTED',
    { source: 'IMPORT', ...license, from: 'native' },
    diff,
  );
}

type CreatedDetails = Parameters<typeof licensingEvent<'LICENSE_CREATED'>>[1];
type CreatedFields = Omit<CreatedDetails, 'source'>;

async function tellReceivers(
  ctx: Ctx,
  licenseId: string,
  { machines }: Announcement,
  details: CreatedDetails,
): Promise<void> {
  const license = await licenses.get(ctx, licenseId);
  const subject = {
    licenseId,
    keyPrefix: license.keyPrefix,
    customerId: license.customer.id,
    product: { name: license.productName, slug: license.productSlug },
  };
  const after = { status: licenses.statusOf(ctx, license), machineIds: liveMachinesOf(licenseId) };
  await publish(ctx, subject, after, licensingEvent('LICENSE_CREATED', details));
  for (const machine of machines) {
    await publish(ctx, subject, after, licensingEvent('LICENSE_ACTIVATED', { ...machine }));
  }
}
