import type { Ctx } from '#kernel/context.ts';
import type { JsonObject } from '#kernel/http/json-object.ts';
import { licensingEvent } from '#licensing/contract/events.ts';
import { ids } from '#licensing/contract/ids.ts';
import { publish } from '#licensing/publish.ts';
import { statusAt } from '../decision/index.ts';
import { liveMachinesOf, type Standing, subjectOf } from '../standing/index.ts';
import * as repo from './repository.ts';
import { tellSeat } from './seat-events.ts';

/** What a client tells of its machine. */
export interface Machine {
  machineId: string;
  machineName?: string | undefined;
  osName?: string | undefined;
  osVersion?: string | undefined;
  appVersion?: string | undefined;
  metadata?: JsonObject | undefined;
}

/** How a machine takes its seat. */
export interface Taking {
  /** activate tells LICENSE_ACTIVATED and, for a lease, SEAT_CHECKED_OUT (D59); checkout the latter only. */
  by: 'activate' | 'checkout';
  /** End of the lease, null for a node; ISO 8601 UTC. */
  leaseExpiresAt: string | null;
  /** Read under the lock; ISO 8601 UTC. */
  now: string;
}

/** Gives a machine a seat of a locked license that was decided to have one free, and tells it. */
export async function bind(
  ctx: Ctx,
  standing: Standing,
  machine: Machine,
  { by, leaseExpiresAt, now }: Taking,
): Promise<repo.Activation> {
  const activation: repo.Activation = {
    id: ctx.newId(ids.activation),
    licenseId: standing.license.id,
    kind: leaseExpiresAt === null ? 'NODE' : 'LEASE',
    machineId: machine.machineId,
    machineName: machine.machineName ?? null,
    osName: machine.osName ?? null,
    osVersion: machine.osVersion ?? null,
    appVersion: machine.appVersion ?? null,
    metadata: machine.metadata ?? null,
    activatedAt: now,
    lastSeenAt: now,
    leaseExpiresAt,
  };
  // Sent together: on Postgres the two share one trip.
  await Promise.all([
    repo.insert(ctx, standing.license.tenantId, activation),
    tell(ctx, standing, activation, by),
  ]);
  return activation;
}

async function tell(
  ctx: Ctx,
  standing: Standing,
  activation: repo.Activation,
  by: Taking['by'],
): Promise<void> {
  const { license } = standing;
  const { machineId, machineName, leaseExpiresAt, activatedAt } = activation;
  const after = { status: statusAt(license, activatedAt), machineIds: liveMachinesOf(license.id) };
  if (by === 'activate') {
    const event = licensingEvent('LICENSE_ACTIVATED', { machineId, machineName });
    await publish(ctx, subjectOf(standing), after, event);
  }
  if (leaseExpiresAt === null) return;
  const seat = { ...activation, leaseExpiresAt };
  await tellSeat(ctx, 'SEAT_CHECKED_OUT', standing, after, { seat, seatsUsed: standing.used + 1 });
}
