import { isAudited } from '#kernel/audit.ts';
import type { Ctx, DomainEvent } from '#kernel/context.ts';
import type { Changes } from '#kernel/service/diff.ts';
import type { LicenseStatus } from './contract/enumerations.ts';
import {
  type LicenseTold,
  type LicensingEvent,
  type LicensingEventDetails,
  type LicensingEventName,
  licenseEvents,
  type TimelineDetails,
  type TimelineTold,
  timelineEvents,
} from './contract/events.ts';
import { type Sides, sidesOf } from './sides.ts';

/** The license that an event is about, as its payload names it. */
export interface EventSubject {
  licenseId: string;
  keyPrefix: string;
  customerId: string | null;
  product: { name: string; slug: string };
}

/** How the license stands after the event. */
export interface Aftermath {
  status: LicenseStatus;
  /**
   * Live activations after the event; after revoke and delete those before it (D123). Only receivers are told:
   * a license of 1,000 machines would otherwise write 1,000 ids with every event.
   */
  machineIds: (ctx: Ctx) => Promise<string[]>;
  /** For the audit log, where the details do not tell what was there before. */
  sides?: Sides;
  /** Another event tells of the same change: the audit log has one row of it. */
  isPart?: true;
}

/** Writes an event with the payload of the spec, in the transaction of the change (spec Events; licensing section 3). */
export const publish = (
  ctx: Ctx,
  subject: EventSubject,
  after: Aftermath,
  event: LicensingEvent,
): Promise<void> => ctx.emit(domainEvent(ctx, subject, after, event));

/** One of many events of one transaction. */
export interface Told {
  subject: EventSubject;
  after: Aftermath;
  event: LicensingEvent;
}

/** As `publish`, for many events of one tenant: their rows are written together. */
export const publishAll = (ctx: Ctx, told: readonly Told[]): Promise<void> =>
  ctx.emitAll(told.map(({ subject, after, event }) => domainEvent(ctx, subject, after, event)));

/** Tells webhooks of a read-only call; nothing is written when none listens (D122). */
export const announce = (
  ctx: Ctx,
  subject: EventSubject,
  after: Aftermath,
  event: LicensingEvent,
): Promise<void> => ctx.announce(domainEvent(ctx, subject, after, event));

/**
 * Writes a line that only the timeline of a license has, in the transaction of what it tells of. It is no event of the
 * spec's list and reaches no webhook (D38, D77): `subscribes` knows the names that may.
 */
export const noteOnTimeline = <N extends keyof TimelineDetails>(
  ctx: Ctx,
  licenseId: string,
  type: N,
  details: TimelineDetails[N],
  diff?: Changes,
): Promise<void> =>
  timelineEvents.tell(ctx, type, licenseId, { details } as TimelineTold[N], {
    diff,
    ...sidesOf(type, details),
  });

function domainEvent<N extends LicensingEventName>(
  ctx: Ctx,
  subject: EventSubject,
  after: Aftermath,
  { type, details }: { type: N; details: LicensingEventDetails[N] },
): DomainEvent {
  const data = {
    licenseId: subject.licenseId,
    licenseKeyPrefix: subject.keyPrefix,
    customerId: subject.customerId,
    status: after.status,
    product: subject.product,
    details,
  };
  const forReceivers = async (ctx: Ctx) => ({ machineIds: await after.machineIds(ctx) });
  return licenseEvents.of(type, subject.licenseId, data as unknown as LicenseTold[N], {
    forReceivers,
    ...(after.isPart && { isPart: true }),
    // Nobody asks what machines did.
    ...(isAudited({}, ctx.actor) && (after.sides ?? sidesOf(type, details, after.status))),
  });
}
