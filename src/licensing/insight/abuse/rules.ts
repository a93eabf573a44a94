import { SECONDS_PER_DAY } from '#kernel/clock.ts';
import { ABUSE_RULES, type AbuseRule } from '#licensing/contract/enumerations.ts';

/** Thresholds of a rule by name; all whole numbers. */
export type Thresholds = Readonly<Record<string, number>>;

/** One rule as data. */
export interface RuleSpec {
  readonly summary: string;
  /** Defaults (D128). A rule without thresholds is raised by a single fact. */
  readonly params: Thresholds;
  /** What a rule with thresholds counts, and how far back. */
  readonly counts?: {
    /** Name of the counter in the evidence. */
    readonly name: string;
    readonly windowSeconds: number;
    /** The count that raises nothing yet; one more does. */
    limit(params: Thresholds, maxActivations: number): number;
  };
}

const HOUR = 3600;
const CHURN_DAYS = 30;
const of = (params: Thresholds, name: string): number => params[name] ?? 0;

/** Every rule (D128). TRIAL_REUSE, OLD_KEY_USED and MANUAL are raised where they happen. */
export const ruleSpecs: Readonly<Record<AbuseRule, RuleSpec>> = {
  IP_SPREAD: {
    summary: 'valid answers to more distinct networks (/24, /64) than this in 24 hours',
    params: { networks: 10 },
    counts: {
      name: 'networks',
      windowSeconds: SECONDS_PER_DAY,
      limit: (params) => of(params, 'networks'),
    },
  },
  MACHINE_SPREAD: {
    summary: 'more distinct machines tried in 24 hours than perSeat × maxActivations and than machines',
    params: { perSeat: 3, machines: 5 },
    counts: {
      name: 'machines',
      windowSeconds: SECONDS_PER_DAY,
      limit: (params, maxActivations) =>
        Math.max(of(params, 'perSeat') * maxActivations, of(params, 'machines')),
    },
  },
  CHURN: {
    summary: 'more deactivations with an activation after them than this in 30 days',
    params: { pairs: 10 },
    counts: {
      name: 'pairs',
      windowSeconds: CHURN_DAYS * SECONDS_PER_DAY,
      limit: (params) => of(params, 'pairs'),
    },
  },
  LIMIT_HAMMER: {
    summary: 'more activations refused for lack of a seat than this in an hour',
    params: { refusals: 20 },
    counts: { name: 'refusals', windowSeconds: HOUR, limit: (params) => of(params, 'refusals') },
  },
  CLONED_MACHINE: {
    summary:
      'heartbeats of one machine that alternated between two addresses more often than this in an hour',
    params: { alternations: 6 },
    counts: { name: 'alternations', windowSeconds: HOUR, limit: (params) => of(params, 'alternations') },
  },
  TRIAL_REUSE: { summary: 'a machine or customer had another trial of the product', params: {} },
  OLD_KEY_USED: { summary: 'a replaced key was used after its overlap', params: {} },
  MANUAL: { summary: 'raised by staff', params: {} },
};

/** Rules that are evaluated from counters. */
export const countedRules = ABUSE_RULES.filter((rule) => ruleSpecs[rule].counts !== undefined);
