import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LICENSE_STATUSES, LICENSE_TYPES } from '#licensing/contract/enumerations.ts';
import { decide } from '#licensing/licenses/decision/decide.ts';
import type { Action, Facts } from '#licensing/licenses/decision/facts.ts';
import { publicAnswer } from '#licensing/licenses/decision/refusals.ts';
import { always } from '../support/property.ts';
import { FUTURE, facts, license, NOW, node, PAST, policy } from './license-facts.ts';

const iso = fc.constantFrom(PAST, NOW, FUTURE);
const anyFacts: fc.Arbitrary<Facts> = fc
  .record({
    status: fc.constantFrom(...LICENSE_STATUSES),
    type: fc.constantFrom(...LICENSE_TYPES),
    validUntil: fc.option(iso),
    maxVersion: fc.constantFrom(null, '2'),
    maxUses: fc.constantFrom(null, 0, 5),
    grace: fc.constantFrom(null, 0, 3600),
    held: fc.option(fc.option(iso)),
    used: fc.nat({ max: 5 }),
    known: fc.constantFrom(true, true, true, false),
    appVersion: fc.constantFrom(undefined, '1', '3'),
    trialReuse: fc.constantFrom('ALLOW', 'FLAG', 'BLOCK'),
    trialSeenElsewhere: fc.boolean(),
    offline: fc.constantFrom(null, 0, 3600),
    deactivations: fc.nat({ max: 3 }),
    productId: fc.constantFrom('prd_1', 'prd_2'),
    needs: fc.constantFrom([], ['pro']),
  })
  .map((r) =>
    facts({
      license: r.known
        ? license({
            status: r.status,
            type: r.type,
            validUntil: r.validUntil,
            maxVersion: r.maxVersion,
            maxUses: r.maxUses,
            gracePeriodSeconds: r.grace,
          })
        : null,
      policy: policy({
        trialReuse: r.trialReuse,
        offlineMaxTtlSeconds: r.offline,
        maxDeactivations: 2,
        deactivationWindowDays: 1,
      }),
      activation:
        r.held === null ? null : { ...node, kind: r.held ? 'LEASE' : 'NODE', leaseExpiresAt: r.held },
      used: r.used,
      request: {
        appVersion: r.appVersion,
        validUntil: r.validUntil ?? undefined,
        release: {
          version: '3.0.0',
          isCritical: true,
          productId: r.productId,
          requiredEntitlements: r.needs,
        },
      },
      history: {
        deactivationsInWindow: r.deactivations,
        deactivationThatMustLapse: PAST,
        trialSeenElsewhere: r.trialSeenElsewhere,
      },
    }),
  );
const ACTIONS: Action[] = [
  'validate',
  'activate',
  'deactivate',
  'checkout',
  'checkin',
  'heartbeat',
  'record-usage',
  'validate-entitlement',
  'offline-token',
  'update',
  'renew',
];

describe.each(ACTIONS)('always, %s', (action) => {
  it('a refusal has a documented code, an allowed one none, and the trace agrees', () => {
    always(
      fc.property(anyFacts, (given) => {
        const decision = decide(action, given, NOW, { trace: true });
        const { status, code } = publicAnswer(action, decision);
        expect(code).not.toBe('SERVER_ERROR');
        expect(decision.allowed || action === 'validate').toBe(code === null);
        expect(status === 200).toBe(code === null);
        expect(decision.trace.filter(({ result }) => result === 'fail')).toHaveLength(
          decision.allowed ? 0 : 1,
        );
        expect({ ...decide(action, given, NOW), trace: decision.trace }).toEqual(decision);
        if (decision.allowed) expect(['VALID', 'GRACE']).toContain(decision.code);
      }),
    );
  });

  it('changes none of its facts', () => {
    always(
      fc.property(anyFacts, (given) => {
        const before = structuredClone(given);
        decide(action, given, NOW, { trace: true });
        expect(given).toEqual(before);
      }),
    );
  });

  it('gives no lease beyond the end of the license and its grace, and none that has ended', () => {
    always(
      fc.property(anyFacts, (given) => {
        const { leaseExpiresAt, grace } = decide(action, given, NOW);
        if (leaseExpiresAt === undefined || given.activation?.leaseExpiresAt === leaseExpiresAt) return;
        expect(leaseExpiresAt > NOW).toBe(true);
        if (grace !== null) expect(leaseExpiresAt <= grace.until).toBe(true);
      }),
    );
  });
});
