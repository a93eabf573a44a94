import type { LicenseStatus } from '#licensing/contract/enumerations.ts';
import type { Decision, TraceEntry } from './decision.ts';
import type { Action, Facts } from './facts.ts';
import { entitlementOf, mergeFeatures } from './features.ts';
import { messageOf } from './messages.ts';
import { refusalFacts } from './refusals.ts';
import { type DecisionCode, type Rule, rules, type Verdict } from './rules.ts';
import { leaseEnd } from './seats.ts';
import { later } from './status.ts';
import { type Subject, subjectOf } from './subject.ts';

const SILENT: readonly TraceEntry[] = Object.freeze([]);

/**
 * The one function behind every license answer (licensing.md 6.5). It has no clock, no randomness and no I/O, so the
 * same facts give the same answer to the public API, the simulator and a support question.
 *
 * @param now ISO 8601 UTC with milliseconds, read after the license was locked (C2)
 * @param options `trace`: also say which rules were asked; off on the request path
 */
export function decide(action: Action, facts: Facts, now: string, options?: { trace?: boolean }): Decision {
  const trace: TraceEntry[] | null = options?.trace ? [] : null;
  const closed = gate(action, facts, now, trace);
  if (closed !== null || facts.license === null) {
    return unknown(action, closed ?? 'NOT_FOUND', facts, trace);
  }
  const subject = subjectOf(action, facts, facts.license, now);
  const code = firstFault(rules[action], subject, trace);
  return code === null ? allow(subject, trace) : refuse(subject, code, trace);
}

/** What is settled before the license is looked at: the request's own faults and the key's (D12, D13, D38). */
function gate(action: Action, facts: Facts, now: string, trace: TraceEntry[] | null): DecisionCode | null {
  if (facts.malformedKey === true) {
    trace?.push({
      rule: 'key is well-formed',
      result: 'fail',
      text: 'the key has a character that is not allowed in keys',
    });
    return 'INVALID_KEY';
  }
  if (action === 'renew') {
    const date = facts.request.validUntil;
    const ahead = date !== undefined && date > now;
    trace?.push({
      rule: 'new date is in the future',
      result: ahead ? 'pass' : 'fail',
      text: `new date ${date ?? 'not sent'}`,
    });
    if (!ahead) return 'DATE_NOT_FUTURE';
  }
  const known = facts.license !== null;
  trace?.push({
    rule: 'key is known',
    result: known ? 'pass' : 'fail',
    text: known ? 'the key is known' : 'the key is unknown',
  });
  return known ? null : 'NOT_FOUND';
}

function firstFault(
  asked: readonly Rule[],
  subject: Subject,
  trace: TraceEntry[] | null,
): DecisionCode | null {
  let fault: DecisionCode | null = null;
  for (const rule of asked) {
    // After the first fault the rest is only listed, so that a reader sees what was not asked any more.
    const verdict: Verdict = fault === null ? rule.judge(subject) : 'skip';
    const result = verdict === null ? 'pass' : verdict === 'skip' ? 'skip' : 'fail';
    trace?.push({ rule: rule.name, result, text: rule.text(subject) });
    if (verdict !== null && verdict !== 'skip') {
      if (trace === null) return verdict;
      fault = verdict;
    }
  }
  return fault;
}

const issueOf = (message: string) => ({ issues: [{ path: 'validUntil', rule: 'future', message }] });

function unknown(action: Action, code: DecisionCode, facts: Facts, trace: TraceEntry[] | null): Decision {
  const message = messageOf(action, code, false, facts);
  return {
    allowed: false,
    code,
    status: null,
    message,
    grace: null,
    details: code === 'DATE_NOT_FUTURE' ? issueOf(message) : {},
    extra: {},
    repeat: false,
    trace: trace ?? SILENT,
  };
}

function base(subject: Subject, allowed: boolean, code: DecisionCode, trace: TraceEntry[] | null): Decision {
  const decision: Decision = {
    allowed,
    code,
    status: subject.status,
    message: messageOf(subject.action, code, allowed, subject.facts),
    grace: subject.graceUntil === null ? null : { until: subject.graceUntil },
    details: {},
    extra: {},
    repeat: subject.live !== null,
    trace: trace ?? SILENT,
  };
  if (subject.versionAllowed !== undefined) decision.versionAllowed = subject.versionAllowed;
  return decision;
}

function refuse(subject: Subject, code: DecisionCode, trace: TraceEntry[] | null): Decision {
  return { ...base(subject, false, code, trace), ...refusalFacts(subject, code) };
}

function allow(subject: Subject, trace: TraceEntry[] | null): Decision {
  const decision = base(subject, true, subject.graceUntil === null ? 'VALID' : 'GRACE', trace);
  outcomes[subject.action]?.(subject, decision);
  if (trace !== null && decision.entitlement) trace.push(entitlementEntry(subject, decision.entitlement));
  return decision;
}

/** validate-entitlement asks no rule and refuses nobody, so its trace tells what it found instead. */
function entitlementEntry(
  { status, graceUntil, facts }: Subject,
  { entitled }: NonNullable<Decision['entitlement']>,
): TraceEntry {
  const name = facts.request.entitlement ?? '';
  const text = `status ${status}${graceUntil ? `, grace until ${graceUntil}` : ''}; ${name} is ${entitled ? '' : 'not '}among the entitlements`;
  return { rule: 'what the license includes', result: 'pass', text };
}

/** What an allowed action adds to its decision. */
const outcomes: Partial<Record<Action, (subject: Subject, decision: Decision) => void>> = {
  activate(subject, decision) {
    flagTrial(subject, decision);
    if (subject.license.type === 'FLOATING') {
      decision.leaseExpiresAt = subject.live?.leaseExpiresAt ?? newLease(subject, undefined);
    }
  },
  checkout(subject, decision) {
    flagTrial(subject, decision);
    decision.leaseExpiresAt = newLease(subject, subject.facts.request.leaseDuration);
  },
  heartbeat(subject, decision) {
    const minutes = subject.facts.policy?.heartbeatInterval ?? null;
    if (minutes !== null) decision.nextHeartbeatAt = later(subject.now, minutes * 60);
  },
  'validate-entitlement'(subject, decision) {
    const features = mergeFeatures(subject.license.features, subject.facts.policy?.entitlements ?? null);
    const held = entitlementOf(features, subject.facts.request.entitlement ?? '');
    decision.entitlement = { valid: subject.usable, ...held };
  },
  renew(subject, decision) {
    decision.renewal = renewalOf(subject);
  },
};

const newLease = (subject: Subject, seconds: number | undefined): string =>
  leaseEnd(
    {
      seconds,
      previous: subject.live?.leaseExpiresAt ?? null,
      defaultSeconds: subject.facts.defaultLeaseSeconds,
    },
    subject.license,
    subject.facts.policy,
    subject.now,
  );

function flagTrial(subject: Subject, decision: Decision): void {
  const { facts, license, live } = subject;
  if (license.type !== 'TRIAL' || live !== null || !facts.history?.trialSeenElsewhere) return;
  if ((facts.policy?.trialReuse ?? 'FLAG') === 'FLAG') decision.flagsTrialReuse = true;
}

/** A date that moves forward, or an end to EXPIRED, is a renewal; a shortening is only logged (D38). */
function renewalOf(subject: Subject): { status: LicenseStatus; changes: boolean; emits: boolean } {
  const before = subject.license.validUntil;
  const date = subject.facts.request.validUntil ?? null;
  const expired = subject.status === 'EXPIRED';
  const forward = before !== null && date !== null && date > before;
  return {
    status: expired ? 'ACTIVE' : subject.status,
    changes: expired || date !== before,
    emits: expired || forward,
  };
}
