// The servers that are compared, and what each is asked.

export const targetNames = [
  'limit',
  'validate',
  'validate-few',
  'check',
  'update-check',
  'naive-validate',
  'read-limit',
  'activate',
  'activate-limit',
  'naive-activate',
  'heartbeat',
  'heartbeat-limit',
  'record-usage',
  'usage-limit',
] as const;

export type TargetName = (typeof targetNames)[number];

/** The request that a slice repeats. */
export type LoadKind = 'validate' | 'check' | 'update-check' | 'activate' | 'heartbeat' | 'record-usage';

export interface Target {
  name: TargetName;
  label: string;
  /** Server in this folder; targets of one turn with the same script and database share its process. */
  script: string;
  load: LoadKind;
  database: 'large' | 'few';
  /** Something to compare with: what it answers wrongly is shown and does not end the run. */
  isReference: boolean;
}

const program = (name: TargetName, label: string, load: LoadKind): Target => ({
  name,
  label,
  script: 'appctl.ts',
  load,
  database: 'large',
  isReference: false,
});

const reference = (name: TargetName, label: string, script: string, load: LoadKind): Target => ({
  name,
  label,
  script,
  load,
  database: 'large',
  isReference: true,
});

/** Targets that take turns with each other, so that the machine's noise hits all alike. */
export const turns: readonly (readonly Target[])[] = [
  [
    reference('limit', '(a) limit: node:http, prepared', 'limit.ts', 'validate'),
    program('validate', '(b) validate', 'validate'),
    { ...program('validate-few', '(b) validate, few licenses', 'validate'), database: 'few' },
    program('check', '(c) check', 'check'),
    program('update-check', '(i) update check', 'update-check'),
    reference('naive-validate', '(e) naive validate: knex', 'naive-validate.ts', 'validate'),
  ],
  [
    reference('read-limit', '(a) limit again, beside the writes', 'limit.ts', 'validate'),
    program('activate', '(d) activate, durable', 'activate'),
    reference('activate-limit', '(w) limit of activate: group commit', 'limit-writes.ts', 'activate'),
    reference('naive-activate', '(f) naive activate: knex', 'naive-activate.ts', 'activate'),
    program('heartbeat', '(g) heartbeat, durable', 'heartbeat'),
    reference('heartbeat-limit', '(w) limit of heartbeat: group commit', 'limit-writes.ts', 'heartbeat'),
    program('record-usage', '(h) record-usage, durable', 'record-usage'),
    reference('usage-limit', '(w) limit of record-usage: group commit', 'limit-writes.ts', 'record-usage'),
  ],
];
