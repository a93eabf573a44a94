import { defineEvents, type EventSpec, event, signal } from '#kernel/events.ts';
import type { Json, JsonObject } from '#kernel/http/json-object.ts';
import type {
  AbuseRule,
  CullStrategy,
  LicenseSource,
  LicenseStatus,
  LicenseTier,
  LicenseType,
} from './enumerations.ts';

interface Machine {
  machineId: string;
  machineName: string | null;
}

interface Seat extends Machine {
  activationId: string;
  leaseExpiresAt: string;
  metadata: JsonObject | null;
  seatsUsed: number;
  seatsTotal: number;
}

interface UsageMark<Threshold extends number> {
  feature: string;
  current: number;
  max: number;
  percentUsed: number;
  threshold: Threshold;
}

interface Ended {
  reason: string | null;
  deactivatedMachineIds: string[];
}

interface StatusChange {
  previousStatus: LicenseStatus;
  status: LicenseStatus;
}

/** `data.details` of every event (licensing.md section 3). A field without a value is null, never absent. */
export interface LicensingEventDetails {
  LICENSE_CREATED: {
    source: LicenseSource;
    type: LicenseType;
    tier: LicenseTier;
    maxActivations: number;
    validUntil: string | null;
    orderId: string | null;
  };
  LICENSE_ACTIVATED: Machine;
  LICENSE_DEACTIVATED: Machine & { reason: 'CLIENT' | 'ADMIN' | 'PORTAL' };
  LICENSE_VALIDATED: { machineId: string; appVersion: string | null; grace: boolean };
  VALIDATION_FAILED: { machineId: string; appVersion: string | null; code: string; message: string };
  LICENSE_EXPIRED: { validUntil: string; graceExpiresAt: string | null };
  LICENSE_RENEWED: {
    previousValidUntil: string | null;
    validUntil: string | null;
    previousStatus: LicenseStatus;
  };
  LICENSE_SUSPENDED: {
    reason: 'ADMIN' | 'HEARTBEAT_MISSED' | 'ABUSE' | 'REFUND' | 'DISPUTE' | 'RETURN';
    note: string | null;
  };
  LICENSE_REVOKED: Ended;
  LICENSE_DELETED: Ended;
  ACTIVATION_LIMIT_REACHED: Machine & { activationsUsed: number; maxActivations: number };
  ABUSE_FLAGGED: { flagId: string; rule: string; score: number; evidence: Record<string, number> };
  ABUSE_CLEARED: { flagId: string; rule: string; resolution: string; note: string | null };
  KEY_REPLACED: {
    oldKeyPrefix: string;
    newKeyPrefix: string;
    reason: string | null;
    overlapUntil: string | null;
  };
  HONEYPOT_TRIGGERED: { endpoint: string; ip: string; machineId: string | null; userAgent: string | null };
  HEARTBEAT_MISSED: Machine & {
    lastSeenAt: string;
    metadata: JsonObject | null;
    strategy: CullStrategy;
    customerEmail: string | null;
  };
  SEAT_CHECKED_OUT: Seat;
  SEAT_CHECKED_IN: Seat;
  LEASE_EXPIRED: {
    activationId: string;
    machineId: string;
    leaseExpiresAt: string;
    metadata: JsonObject | null;
  };
  USAGE_RECORDED: {
    feature: string;
    quantity: number;
    current: number;
    max: number | null;
    metadata: JsonObject | null;
  };
  USAGE_WARNING: UsageMark<80>;
  USAGE_EXHAUSTED: UsageMark<100>;
  USAGE_RESET: { previous: number; current: 0; actor: Json };
  LICENSE_REINSTATED: StatusChange;
  LICENSE_RESTORED: StatusChange;
  WEBHOOK_TEST: { webhookId: string; note: string | null };
}

/** Name of an event. */
export type LicensingEventName = keyof LicensingEventDetails;

/**
 * Who receives an event: `all` by `*` and by default; `chosen` by `*` but not among a new webhook's defaults
 * (D121); `named` only where a webhook names it (D41); `direct` only by the admin action.
 */
export type Audience = 'all' | 'chosen' | 'named' | 'direct';

/** Every event with its audience: the spec's 23, then the additions. */
export const licensingEvents = {
  LICENSE_CREATED: 'all',
  LICENSE_ACTIVATED: 'all',
  LICENSE_DEACTIVATED: 'all',
  LICENSE_VALIDATED: 'chosen',
  LICENSE_EXPIRED: 'all',
  LICENSE_RENEWED: 'all',
  LICENSE_SUSPENDED: 'all',
  LICENSE_REVOKED: 'all',
  LICENSE_DELETED: 'all',
  ACTIVATION_LIMIT_REACHED: 'all',
  VALIDATION_FAILED: 'chosen',
  ABUSE_FLAGGED: 'all',
  ABUSE_CLEARED: 'all',
  KEY_REPLACED: 'all',
  HONEYPOT_TRIGGERED: 'all',
  HEARTBEAT_MISSED: 'all',
  SEAT_CHECKED_OUT: 'all',
  SEAT_CHECKED_IN: 'all',
  LEASE_EXPIRED: 'all',
  USAGE_RECORDED: 'chosen',
  USAGE_WARNING: 'all',
  USAGE_EXHAUSTED: 'all',
  USAGE_RESET: 'all',
  LICENSE_REINSTATED: 'named',
  LICENSE_RESTORED: 'named',
  WEBHOOK_TEST: 'direct',
} as const satisfies Record<LicensingEventName, Audience>;

/** `data` of an outbound event (spec, Events: Payload). It never carries a full key or a raw e-mail (D124, D126). */
export interface LicensingEventData<N extends LicensingEventName = LicensingEventName> {
  licenseId: string;
  licenseKeyPrefix: string;
  customerId: string | null;
  /** Status after the event. */
  status: LicenseStatus;
  product: { name: string; slug: string };
  /** Live activations after the event; after revoke or delete those that were live before (D123). */
  machineIds: string[];
  details: LicensingEventDetails[N];
}

/** Data as it is stored: what grows with its license only receivers are told. */
type Stored<N extends LicensingEventName> = Omit<LicensingEventData<N>, 'machineIds'>;

export type LicenseTold = { [N in LicensingEventName]: Stored<N> };

/** The events of the specification, as `ctx.emit` takes them. */
export const licenseEvents = defineEvents<LicenseTold>(
  'license',
  specs(Object.keys(licensingEvents) as LicensingEventName[]),
  { target: 'licenses', details: auditDetails },
);

/** An event whose details fit its name: a misspelt name or a wrong shape does not compile. */
export type LicensingEvent = {
  [N in LicensingEventName]: { type: N; details: LicensingEventDetails[N] };
}[LicensingEventName];

/** Pairs a name with the details it demands. */
export const licensingEvent = <N extends LicensingEventName>(type: N, details: LicensingEventDetails[N]) => ({
  type,
  details,
});

/** `data.details` of lines that only the timeline has. They are no events: `subscribes` refuses them to everybody. */
export interface TimelineDetails {
  /** A renewal that moved the end back (D38). */
  LICENSE_SHORTENED: LicensingEventDetails['LICENSE_RENEWED'];
  /** A checkout that found every seat in use (D77). */
  SEAT_DENIED: Machine & { seatsUsed: number; seatsTotal: number };
  /** A license that came by an import, and from where (6.11). */
  LICENSE_IMPORTED: LicensingEventDetails['LICENSE_CREATED'] & { from: string };
  /** A usage counter that staff set (licensing 4.2). */
  USAGE_SET: { previous: number; current: number };
}

export type TimelineTold = { [N in keyof TimelineDetails]: { details: TimelineDetails[N] } };

/** Lines that only the timeline of a license has. */
export const timelineEvents = defineEvents<TimelineTold>(
  'license',
  {
    LICENSE_SHORTENED: event(),
    SEAT_DENIED: event(),
    LICENSE_IMPORTED: event(),
    USAGE_SET: event(),
  },
  { target: 'licenses', details: auditDetails },
);

/** What one capability notices and another one may act on, in the same transaction; nothing is written of it. */
export const licenseSignals = defineEvents('license', {
  /** A license looks abused. Evidence is made of counters only (licensing section 3). */
  LICENSE_SUSPECTED: signal<{ rule: AbuseRule; score: number; evidence: Record<string, number> }>(),
});

/** What clients say of themselves and of their users: an erased customer must not stay in the audit log. */
const ofClients = ['machineName', 'metadata', 'customerEmail', 'ip', 'userAgent'];

/** The details of an event as the audit log has them. */
function auditDetails({ details }: Record<string, unknown>): object {
  return Object.fromEntries(Object.entries(details as object).filter(([name]) => !ofClients.includes(name)));
}

function specs<N extends string>(names: readonly N[]): Record<N, EventSpec<never>> {
  return Object.fromEntries(names.map((name) => [name, event()])) as Record<N, EventSpec<never>>;
}

/**
 * Whether a webhook that subscribed to `subscription` (names, or `*`) receives an event (D41, D121). What stands in
 * the timeline but not in `licensingEvents` is received by nobody, also where its name is subscribed to.
 *
 * @param event type of any line of the timeline
 */
export function subscribes(subscription: readonly string[], event: string): boolean {
  if (!Object.hasOwn(licensingEvents, event)) return false;
  const audience = licensingEvents[event as LicensingEventName];
  if (audience === 'direct') return false;
  return subscription.includes(event) || (audience !== 'named' && subscription.includes('*'));
}

/** What a new webhook subscribes to when it names nothing (D121). */
export const defaultSubscription: readonly LicensingEventName[] = (
  Object.keys(licensingEvents) as LicensingEventName[]
).filter((name) => licensingEvents[name] === 'all');
