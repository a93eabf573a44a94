import type { LicenseStatus } from '#licensing/contract/enumerations.ts';
import type { LicensingEventDetails, LicensingEventName } from '#licensing/contract/events.ts';

/** What an event looks like, for people who write a receiver; `details` must fit the event or it does not compile. */
type Examples = {
  [N in LicensingEventName]: {
    description: string;
    details: LicensingEventDetails[N];
    /** Status after the event; ACTIVE unless the event says otherwise. */
    status?: LicenseStatus;
    /** Live activations after the event; the example's machine unless the event ended them. */
    machineIds?: string[];
  };
};

const MACHINE_ID = 'a3f1c29e7b604d58';
const machine = { machineId: MACHINE_ID, machineName: 'studio-mac' };
const LEASE_ENDS = '2026-03-01T13:00:00.000Z';
const ENDS = '2027-03-01T12:00:00.000Z';
const FLAG_ID = 'flg_01JNA8ZQ4N6T2V9X3B5C7D0E1F';
const seat = {
  activationId: 'act_01JNA8ZQ4N6T2V9X3B5C7D0E1F',
  ...machine,
  leaseExpiresAt: LEASE_ENDS,
  metadata: { room: 'studio 2' },
  seatsUsed: 3,
  seatsTotal: 10,
};

/** The machine that every example is about. */
export const EXAMPLE_MACHINE_ID = MACHINE_ID;

/** Every event with its meaning and an example of its details (spec, Event types; licensing section 3). */
export const examples: Examples = {
  LICENSE_CREATED: {
    description: 'a license was created',
    machineIds: [],
    details: {
      source: 'API',
      type: 'SUBSCRIPTION',
      tier: 'PROFESSIONAL',
      maxActivations: 3,
      validUntil: ENDS,
      orderId: 'order-1042',
    },
  },
  LICENSE_ACTIVATED: { description: 'a machine was activated', details: machine },
  LICENSE_DEACTIVATED: {
    description: 'an activation was removed',
    machineIds: [],
    details: { ...machine, reason: 'CLIENT' },
  },
  LICENSE_VALIDATED: {
    description: 'a validation found the license valid',
    details: { machineId: MACHINE_ID, appVersion: '2.4.1', grace: false },
  },
  LICENSE_EXPIRED: {
    description: 'a license reached its expiration',
    status: 'EXPIRED',
    details: { validUntil: '2026-03-01T12:00:00.000Z', graceExpiresAt: '2026-03-15T12:00:00.000Z' },
  },
  LICENSE_RENEWED: {
    description: 'an expiration was extended',
    details: {
      previousValidUntil: '2026-03-01T12:00:00.000Z',
      validUntil: ENDS,
      previousStatus: 'EXPIRED',
    },
  },
  LICENSE_SUSPENDED: {
    description: 'a license was suspended',
    status: 'SUSPENDED',
    details: { reason: 'ADMIN', note: 'payment is disputed' },
  },
  LICENSE_REVOKED: {
    description: 'a license was revoked permanently; its activations ended, machineIds lists them',
    status: 'REVOKED',
    details: { reason: 'refunded', deactivatedMachineIds: [MACHINE_ID] },
  },
  LICENSE_DELETED: {
    description: 'a license was moved to the trash; delete your copies of it, machineIds lists its machines',
    details: { reason: 'created by mistake', deactivatedMachineIds: [MACHINE_ID] },
  },
  ACTIVATION_LIMIT_REACHED: {
    description: 'an activation was refused because all slots are in use',
    details: {
      machineId: 'f00dfeed12345678',
      machineName: 'second-laptop',
      activationsUsed: 1,
      maxActivations: 1,
    },
  },
  VALIDATION_FAILED: {
    description: 'a validation answered that the license is not valid',
    status: 'EXPIRED',
    details: {
      machineId: MACHINE_ID,
      appVersion: '2.4.1',
      code: 'LICENSE_EXPIRED',
      message: 'License has expired',
    },
  },
  ABUSE_FLAGGED: {
    description: 'suspicious use was detected',
    details: { flagId: FLAG_ID, rule: 'IP_SPREAD', score: 0.8, evidence: { addresses: 24, max: 10 } },
  },
  ABUSE_CLEARED: {
    description: 'an abuse flag was resolved',
    details: { flagId: FLAG_ID, rule: 'IP_SPREAD', resolution: 'CLEARED', note: 'a travelling team' },
  },
  KEY_REPLACED: {
    description: 'a compromised key was replaced; licenseKeyPrefix is the new one',
    details: {
      oldKeyPrefix: 'APP-M3Q9',
      newKeyPrefix: 'APP-7F3K',
      reason: 'posted in a forum',
      overlapUntil: '2026-03-02T12:00:00.000Z',
    },
  },
  HONEYPOT_TRIGGERED: {
    description: 'a canary key was used',
    machineIds: [],
    details: {
      endpoint: '/api/v1/validate',
      ip: '203.0.113.7',
      machineId: MACHINE_ID,
      userAgent: 'curl/8.9.1',
    },
  },
  HEARTBEAT_MISSED: {
    description: 'the cull job found an activation without a recent heartbeat',
    machineIds: [],
    details: {
      ...machine,
      lastSeenAt: '2026-02-15T12:00:00.000Z',
      metadata: null,
      strategy: 'DEACTIVATE_DEAD',
      customerEmail: 'ada@example.com',
    },
  },
  SEAT_CHECKED_OUT: { description: 'a floating seat was claimed', details: seat },
  SEAT_CHECKED_IN: {
    description: 'a floating seat was released',
    machineIds: [],
    details: { ...seat, seatsUsed: 2 },
  },
  LEASE_EXPIRED: {
    description: 'a lease ran out and its seat was released',
    machineIds: [],
    details: {
      activationId: seat.activationId,
      machineId: MACHINE_ID,
      leaseExpiresAt: LEASE_ENDS,
      metadata: seat.metadata,
    },
  },
  USAGE_RECORDED: {
    description: 'usage was recorded',
    details: { feature: 'export', quantity: 1, current: 42, max: 100, metadata: { format: 'pdf' } },
  },
  USAGE_WARNING: {
    description: 'usage crossed 80 % of its limit',
    details: { feature: 'export', current: 80, max: 100, percentUsed: 80, threshold: 80 },
  },
  USAGE_EXHAUSTED: {
    description: 'usage reached its limit',
    details: { feature: 'export', current: 100, max: 100, percentUsed: 100, threshold: 100 },
  },
  USAGE_RESET: {
    description: 'a usage counter was reset by staff',
    details: { previous: 100, current: 0, actor: { kind: 'cli', id: null, label: 'ada' } },
  },
  LICENSE_REINSTATED: {
    description: 'a suspended license was resumed; sent only to webhooks that list this event',
    details: { previousStatus: 'SUSPENDED', status: 'ACTIVE' },
  },
  LICENSE_RESTORED: {
    description: 'a license was restored from the trash; sent only to webhooks that list this event',
    machineIds: [],
    details: { previousStatus: 'ACTIVE', status: 'ACTIVE' },
  },
  WEBHOOK_TEST: {
    description: 'a test sent by staff; no license was changed',
    details: { webhookId: 'whk_01JNA8ZQ4N6T2V9X3B5C7D0E1F', note: null },
  },
};
